//! Watchers of a run: they see every step of every packet and write down what somebody asked for.
//!
//! A [`trace`] follows one Interest. None of them changes a run: its digest is that of the unwatched one.

mod network;
pub mod trace;

pub use network::Network;
pub use weir_wire::Name;
