//! Consumer-side plug-ins: how much may be in flight, and when an Interest counts as lost.

use crate::{FlowId, Span, Time};
use weir_wire::{Feedback, NackReason};

/// Consumer congestion control: signals in, allowance out.
///
/// The engine counts Interests in flight, orders retransmissions, samples round-trip times and knows which signals
/// belong to one loss event; a control is the law alone.
pub trait ConsumerControl: Send {
    /// An Interest was sent.
    fn on_sent(&mut self, _signal: &SentSignal) {}
    /// A segment arrived for the first time.
    fn on_data(&mut self, signal: &DataSignal) -> Reaction;
    /// A segment was lost, refused or announced as lost.
    fn on_loss(&mut self, signal: &LossSignal) -> Reaction;
    /// What may be in flight now, and how fast Interests may leave.
    fn allowance(&self) -> Allowance;
    /// This control replaces another in the midst of a fetch, which allowed so much. By default it begins from its own
    /// start, which suits a control whose parameters say all.
    fn take_over(&mut self, _old: Allowance) {}
}

/// What a control lets its consumer do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowance {
    /// Interests in flight must stay below this (a real number against a whole one: 1.5 allows two).
    pub window: f64,
    /// Least time between two Interests, for controls that pace.
    pub gap: Option<Span>,
}

impl Allowance {
    /// A window without pacing.
    pub fn window(window: f64) -> Allowance {
        Allowance { window, gap: None }
    }

    /// A rate in Interests per second without a bound on what is in flight.
    pub fn rate(per_second: f64) -> Allowance {
        Allowance { window: f64::INFINITY, gap: Some(Span::from_seconds(1.0 / per_second)) }
    }
}

/// What a control did about a signal. The engine opens a new loss event when it cut its allowance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// No cut, or one that shall not shield from further cuts.
    None,
    /// Nothing, on purpose: the control waits to see what its last cut does.
    Held,
    /// A cut: signals of the same round trip are no longer `fresh`.
    Decreased,
}

/// An Interest left.
#[derive(Clone, Copy, Debug)]
pub struct SentSignal {
    /// Now.
    pub now: Time,
    /// Segment number.
    pub segment: u64,
    /// 1 for the first transmission.
    pub transmission: u32,
    /// Interests in flight, this one included.
    pub in_flight: usize,
}

/// A segment arrived.
#[derive(Clone, Copy, Debug)]
pub struct DataSignal {
    /// Now.
    pub now: Time,
    /// The fetch.
    pub flow: FlowId,
    /// Segment number.
    pub segment: u64,
    /// Payload in bytes.
    pub payload: usize,
    /// Since the last transmission of its Interest.
    pub rtt: Span,
    /// When that Interest was sent.
    pub sent_at: Time,
    /// Its Interest was sent more than once (Karn: no estimator should see `rtt`).
    pub retransmitted: bool,
    /// Congestion mark.
    pub marked: bool,
    /// No cut has been made for this round trip yet (Conservative Window Adaptation).
    pub fresh: bool,
    /// PFECC's feedback bit.
    pub feedback: Feedback,
    /// Links that the Data crossed.
    pub hops: u8,
    /// Interests in flight, this one no longer counted.
    pub in_flight: usize,
    /// Smoothed round-trip time, this sample included.
    pub smoothed_rtt: Span,
    /// The consumer had used less than its window.
    pub app_limited: bool,
}

/// A segment did not arrive.
#[derive(Clone, Copy, Debug)]
pub struct LossSignal {
    /// Now.
    pub now: Time,
    /// How it is known.
    pub kind: Loss,
    /// Segment number.
    pub segment: u64,
    /// When its Interest was sent last.
    pub sent_at: Time,
    /// No cut has been made for this round trip yet (Conservative Window Adaptation).
    pub fresh: bool,
    /// Interests in flight after this signal.
    pub in_flight: usize,
}

/// How a loss is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// The retransmission timeout passed.
    Timeout,
    /// An upstream node refused the Interest.
    Nack(NackReason),
    /// PLR's Explicit Loss Notice: a router stored the Data and will send it later; not retransmitted.
    Notice,
}

/// When is an Interest lost? The engine compares `sent + timeout()` with the clock, using the timeout as it stands now.
pub trait Timeout: Send {
    /// A round trip of a segment that was sent only once; `in_flight` Interests were out.
    fn on_sample(&mut self, rtt: Span, in_flight: usize, now: Time);
    /// A segment timed out.
    fn on_timeout(&mut self, signal: &TimeoutSignal);
    /// The retransmission timeout now.
    fn timeout(&self) -> Span;
    /// Timeouts are looked for only at multiples of this interval; zero: at the very moment.
    fn check_interval(&self) -> Span {
        Span::ZERO
    }
}

/// InterestLifetime of what a consumer sends: how long routers keep its Interests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Always the same.
    Fixed(Span),
    /// What the retransmission timeout is when the Interest leaves, so that the entry in the routers' tables and the
    /// wait of the consumer end together (Abu, Bensaou and Abdelmoniem).
    Timeout,
}

impl Lifetime {
    /// Of an Interest that leaves while the timeout is `timeout`.
    pub fn span(self, timeout: Span) -> Span {
        match self {
            Lifetime::Fixed(span) => span,
            Lifetime::Timeout => timeout,
        }
    }

    /// The same in whole milliseconds, as packets carry it: rounded down, at least 1.
    pub fn millis(self, timeout: Span) -> u32 {
        (self.span(timeout).0 / 1_000_000).clamp(1, u64::from(u32::MAX)) as u32
    }
}

impl std::fmt::Display for Lifetime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Lifetime::Fixed(span) => span.fmt(f),
            Lifetime::Timeout => f.write_str("the timeout"),
        }
    }
}

impl From<Span> for Lifetime {
    fn from(span: Span) -> Lifetime {
        Lifetime::Fixed(span)
    }
}

/// A segment timed out.
#[derive(Clone, Copy, Debug)]
pub struct TimeoutSignal {
    /// Now.
    pub now: Time,
    /// First timeout of a loss event: later ones of the same round trip are not.
    pub first_of_event: bool,
}
