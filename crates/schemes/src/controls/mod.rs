//! Plug-ins: controls, one file each.

pub mod fixed_window;
