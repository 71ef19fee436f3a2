//! Driver 3: a scenario in an emulated network on one Linux host. Every node is a network namespace with a real forwarder,
//! every link a pair of tunnel devices with a process in between that has its rate, queue, delay and loss, every
//! workload a real program that publishes or fetches. What comes out has the simulator's form.

#![cfg(target_os = "linux")]

mod changing;
mod config;
mod fetching;
pub mod layout;
pub mod namespace;
mod network;
mod others;
mod outcome;
mod program;
pub mod relay;
mod run;
pub mod shaper;
mod tables;
mod timeline;
pub mod tunnel;

pub use run::{EmulateError, Setting, run};
