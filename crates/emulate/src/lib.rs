//! Driver 3: a scenario in an emulated network on one Linux host. Every node is a network namespace with a real forwarder,
//! every link a pair of tunnel devices with threads in between that have its rate, queue, delay and loss (or the kernel's own
//! emulation), every
//! workload a real program that publishes or fetches. What comes out has the simulator's form.

#![cfg(target_os = "linux")]

mod changing;
mod config;
mod fetching;
mod forwarders;
mod kernel;
pub mod layout;
mod links;
pub mod namespace;
mod network;
mod others;
mod outcome;
mod program;
pub mod relay;
mod replay;
mod run;
pub mod shaper;
mod tables;
mod timeline;
mod traffic;
pub mod tunnel;

pub use links::LinkKind;
pub use run::{EmulateError, Setting, run};
