//! Plug-ins: strategies, one file each.

pub mod best_route;
