//! Plug-ins: timeouts, one file each.

pub mod rfc6298;
