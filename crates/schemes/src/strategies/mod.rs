//! Plug-ins: strategies, one file each.

pub mod best_route;
pub mod multicast;
pub mod round_robin;
pub mod weighted_random;
