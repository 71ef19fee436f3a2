//! Plug-ins: recoveries, one file each.

pub mod plr;
