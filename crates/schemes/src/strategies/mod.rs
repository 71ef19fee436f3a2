//! Plug-ins: strategies, one file each.

pub mod best_route;
pub mod drf;
pub mod fewest_pending;
pub mod fpf;
pub mod multicast;
pub mod pcon_fs;
pub mod pfecc_mf;
pub mod round_robin;
pub mod stateful_forwarding;
pub mod weighted_random;
