//! Plug-ins: node monitors, one file each.

pub mod pit_occupancy;
