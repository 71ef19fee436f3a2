//! Driver 1: the deterministic packet simulator. It owns virtual time and virtual links; everything that thinks is a
//! [`weir_core::Machine`].
//!
//! Same scenario and seed, same bytes: event order is total (time, kind, place), every stream of chance has one owner,
//! and each run prints a digest of all packets that crossed a link.

mod build;
mod calendar;
mod collect;
mod conditions;
pub mod fairness;
mod fetched;
mod histogram;
mod link;
mod outcome;
mod sweep;
mod timeline;
mod watch;
mod world;

pub use build::{BuildError, Built, OwnControl, between, build, build_with, flow_seed, size_seed, stream_of_all};
pub use calendar::Calendar;
pub use collect::{Collector, FlowInfo};
pub use conditions::{Conditions, Lateness, LinkState};
pub use histogram::Histogram;
pub use link::{LinkCounters, LinkSpec};
pub use outcome::{FetchRecord, Outcome, Sample, Scope, drop_metric};
pub use sweep::{Finish, Job, JobError, Progress, run_all};
pub use timeline::Change;
pub use world::{End, World};
