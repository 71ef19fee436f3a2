//! What every part of Weir agrees on: time and units, chance, the [`Machine`], and the plug-in traits.
//!
//! Nothing here knows a scheme, a simulator or a socket. A *driver* owns the clock and the links; it pushes packets
//! into a [`Machine`] and pulls them out. A machine lends its plug-ins a [`Context`] for one call; they answer with a
//! value and keep no reference to anything above them.

pub mod ahead;
mod arrivals;
mod chance;
mod consumer;
mod context;
mod node;
mod order;
mod parameters;
mod popularity;
mod prowgen;
mod queue;
mod registry;
mod sizes;
mod strategy;
mod units;
mod watch;

pub use arrivals::{ArrivalTimes, Arrivals, Period, TraceRequest};
pub use chance::{Chance, Seed};
pub use consumer::{
    Allowance, ConsumerControl, DataSignal, Lifetime, Loss, LossSignal, Reaction, SentSignal, Timeout, TimeoutSignal,
};
pub use context::{
    Context, Delivery, Departed, DropReason, FaceId, FetchEnd, FlowId, Machine, NoSink, NodeId, Pull, Reading, Ready,
    Sink,
};
pub use node::{NodeMonitor, PitView};
pub use order::{Order, Parts};
pub use parameters::{Parameter, ParameterError, ParameterSpec, Parameters, Settings, Value, ValueForm, nearest};
#[doc(hidden)]
pub use parameters::{read_parameter, unknown_parameter};
pub use popularity::Popularity;
pub use prowgen::{Locality, Prowgen, StackMode, Stream};
pub use queue::{Backlog, Limit, MarkLaw, Needs, QueueDiscipline};
pub use registry::{Entry, Site};
pub use sizes::Sizes;
pub use strategy::{
    Choice, DataOutcome, Failure, FailureKind, ForwardingStrategy, HopReading, LinkFacts, NextHop, OutRecord,
    PathFacts, PrefixId, Query, Suppression,
};
pub use units::{Bytes, Rate, Span, Time};
pub use watch::{Cause, Event, Signal, Standing};
