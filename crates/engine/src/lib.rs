//! The protocol machines: forwarder, fetcher, producer. No clock, no socket, no calendar: a driver lends them time.
//!
//! * [`Router`]: a [`Forwarder`] with applications on faces of their own.
//! * [`Host`]: applications behind one link, without a forwarder.
//! * [`Fetcher`]: a consumer; [`Producer`]: what answers it.

mod application;
mod cs;
mod dead_nonces;
mod directory;
mod face;
mod fetcher;
mod fetches;
mod fib;
mod forwarder;
mod host;
mod index;
mod pit;
mod producer;
mod requester;
mod requests;
mod router;
mod stems;
mod wakes;

pub use application::{Application, Outbox};
pub use cs::ContentStore;
pub use face::FaceKind;
pub use fetcher::{Fetcher, FetcherCounters, FetcherRules, NoticeTimer, RateChange, What};
pub use fetches::{Fetches, FetchesRules};
pub use fib::{Fib, Match, StrategyId};
pub use forwarder::{Forwarder, ForwarderCounters, ForwarderRules};
pub use host::Host;
pub use pit::{InRecord, Pit, PitId};
pub use producer::Producer;
pub use requester::{Requester, RequesterRules};
pub use requests::Demand;
pub use router::Router;
pub use stems::{Key, Segment, StemId, Stems};
