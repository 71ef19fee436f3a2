//! Plug-ins: queues, one file each.

pub mod droptail;
