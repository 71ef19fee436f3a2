//! Files as NDN content: what `weir put` and `weir get` do.
//!
//! * [`Publisher`] answers Interests with the segments of a file, a folder or a stream ([`Shelf`]); [`Server`] puts it
//!   behind faces and keeps its prefix registered at a forwarder.
//! * [`Getter`] finds the newest version of a content, fetches its segments with any consumer control of the registry
//!   ([`Plugins`]), verifies them, and hands them to an [`Output`]: a file whose fetch can be cut off and continued
//!   ([`Part`]), or a pipe ([`Pipe`]). [`Client`] puts it behind a face.
//!
//! * [`Asker`] makes many requests, as the workloads of scenarios have them ([`Traffic`]), for Data below a prefix that a
//!   [`Server`] of zeros ([`Shelf::Zeros`]) or anybody else answers.
//!
//! They are stations of [`weir_live`]'s driver.

mod asker;
mod client;
mod desk;
mod discovery;
mod events;
mod getter;
mod journal;
mod lines;
pub mod naming;
mod orders;
mod output;
mod part;
mod pipe;
mod plugins;
mod publisher;
mod recorder;
mod registration;
mod request_log;
mod requests;
mod retry;
mod server;
mod shelf;
mod signatures;
mod source;

pub use asker::Asker;
pub use client::{Client, Watcher};
pub use getter::{GetError, GetProgress, GetRules, Getter, Summary};
pub use orders::{ConsumerOrder, Recipe};
pub use output::Output;
pub use part::{OutputError, Part, Resumed};
pub use pipe::Pipe;
pub use plugins::{Choice, Known, Plugins, setting};
pub use publisher::{Publisher, PublisherCounters, PublisherRules, ServeError};
pub use recorder::RoundTrips;
pub use registration::{Answer, Registration};
pub use request_log::RequestCounts;
pub use requests::{Objects, Traffic};
pub use server::{Reporter, Server, ServerEvent};
pub use shelf::{Folder, Shelf};
pub use source::Source;
pub use weir_engine::{Demand, FetcherRules, NoticeTimer, RateChange};
