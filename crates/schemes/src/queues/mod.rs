//! Plug-ins: queues, one file each.

pub mod codel;
pub mod droptail;
pub mod nfd_bytes;
pub mod pcon;
pub mod pfecc;
pub mod red;
