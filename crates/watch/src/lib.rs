//! Watchers of a run: they see every step of every packet and write down what somebody asked for.
//!
//! A [`trace`] follows one Interest, [`Tracers`] write files in ndnSIM's formats, a [`Capture`] writes pcapng files. None of them changes a run: its digest is that of the unwatched one.

mod capture;
mod network;
mod pcapng;
pub mod trace;
mod tracers;

pub use capture::Capture;
pub use network::Network;
pub use tracers::{Tracer, Tracers};
pub use weir_wire::Name;
