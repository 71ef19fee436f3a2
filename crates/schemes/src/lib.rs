//! Congestion-control schemes, one file each, and the registry that lists them.
//!
//! A scheme's file holds the law that is new in its paper, its parameters with the paper's defaults, and one `ENTRY`.
//! Code that several share lives in `parts`. To add one: write the file, write its page under `docs/schemes`, add its
//! `ENTRY` to [`registry`].

pub mod bundles;
pub mod controls;
pub mod monitors;
pub mod parts;
pub mod queues;
pub mod recoveries;
pub mod registry;
pub mod strategies;
pub mod timeouts;
