//! Router-side plug-in: where may this Interest go?

use crate::{Context, FaceId, Limit, Rate, Span, Time};
use weir_wire::{Interest, NackReason, Name};

/// Where may this Interest go? The strategy answers; the forwarder sends.
///
/// State belongs to a FIB prefix ([`PrefixId`]) and one of its next hops. The face that the Interest came from, and
/// faces that are down, are never among [`Query::next_hops`].
pub trait ForwardingStrategy: Send {
    /// An Interest that neither the Content Store nor a pending Interest answers, or a retransmission.
    fn choose(&mut self, query: &Query<'_>, cx: &mut Context<'_>) -> Choice;
    /// A Data came back. Called if [`learns_from_data`](ForwardingStrategy::learns_from_data).
    fn on_data(&mut self, _outcome: &DataOutcome<'_>, _cx: &mut Context<'_>) {}
    /// False if `on_data` does nothing, which spares the forwarder to find out what there is to tell; asked once.
    fn learns_from_data(&self) -> bool {
        true
    }
    /// A pending Interest ended without Data, or an upstream refused it. The choice counts only for refusals: other
    /// next hops to try, or a Nack downstream once every upstream has refused.
    fn on_failure(&mut self, failure: &Failure<'_>, _cx: &mut Context<'_>) -> Choice {
        match failure.kind {
            FailureKind::Nack(reason) => Choice::Nack(reason),
            FailureKind::Expired => Choice::Drop,
        }
    }
    /// What the link behind a face is like: told before the first packet, and again when it changes. Local faces have
    /// no link.
    fn on_face(&mut self, _face: FaceId, _link: &LinkFacts) {}
    /// What the way of a prefix over one of its next hops is like: told before the first packet, and again when it
    /// changes. Next hops on local faces lead no further and are not told of.
    fn on_route(&mut self, _prefix: PrefixId, _face: FaceId, _path: &PathFacts) {}
    /// Tells `report` what it makes of its next hops, for those who watch the run: of each face the mean over the prefixes
    /// that have a choice.
    fn inspect(&self, _report: &mut dyn FnMut(FaceId, HopReading)) {}
    /// How repeated Interests for a pending entry are thinned out.
    fn suppression(&self) -> Suppression {
        Suppression::PerEntry
    }
}

/// The entry of the Forwarding Information Base that matched, numbered in the order of insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PrefixId(pub u32);

impl PrefixId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node knows of one of its links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkFacts {
    /// Rate at which it sends.
    pub rate: Rate,
    /// Propagation delay to the neighbour.
    pub delay: Span,
    /// Capacity of the queue in front of it.
    pub queue: Limit,
}

/// What a strategy makes of a next hop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HopReading {
    /// The part of the Interests that it is to get, from 0 to 1.
    Share(f64),
    /// How many Interests may be pending there.
    Capacity(f64),
}

/// What routing knows of a way to the producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathFacts {
    /// Propagation delays there and back, added up: the least time from an Interest to its Data.
    pub round_trip: Span,
}

/// One next hop of a FIB entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextHop {
    /// The face that leads there.
    pub face: FaceId,
    /// Routing cost; next hops are listed by ascending cost, then face.
    pub cost: u64,
}

/// Where a pending Interest was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutRecord {
    /// Egress face.
    pub face: FaceId,
    /// Last transmission.
    pub sent_at: Time,
    /// Nonce of that transmission.
    pub nonce: u32,
    /// The upstream refused it.
    pub nacked: Option<NackReason>,
}

/// Repetition rule for Interests that are already pending: 10 ms, doubled each time, 250 ms at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suppression {
    /// One interval for the entry: the forwarder asks the strategy only when it has passed.
    PerEntry,
    /// One interval for each upstream: the forwarder leaves out next hops used too recently.
    PerUpstream,
}

/// A question to a strategy.
#[derive(Debug)]
pub struct Query<'a> {
    /// The Interest.
    pub interest: &'a Interest,
    /// Where it came from.
    pub from: FaceId,
    /// The FIB entry that matched.
    pub prefix: PrefixId,
    /// Eligible next hops by ascending cost.
    pub next_hops: &'a [NextHop],
    /// Where it was sent before; empty for a new Interest.
    pub sent: &'a [OutRecord],
}

impl Query<'_> {
    /// True if the Interest is already pending and asked for again.
    pub fn is_retransmission(&self) -> bool {
        !self.sent.is_empty()
    }

    /// When the Interest was last sent to `face`.
    pub fn sent_to(&self, face: FaceId) -> Option<Time> {
        self.sent.iter().find(|r| r.face == face).map(|r| r.sent_at)
    }
}

/// An answer of a strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Send to this face.
    To(FaceId),
    /// Send a copy to each of these faces.
    Each(Vec<FaceId>),
    /// Refuse, and say so downstream.
    Nack(NackReason),
    /// Do nothing.
    Drop,
}

/// A Data came back for a pending Interest.
#[derive(Clone, Copy, Debug)]
pub struct DataOutcome<'a> {
    /// The FIB entry that its Interest matched.
    pub prefix: PrefixId,
    /// Where it came from.
    pub face: FaceId,
    /// Since the last transmission to that face; `None` if the Interest was not sent there.
    pub rtt: Option<Span>,
    /// It came with a congestion mark, or the Interest got one in this node's own queue on its way up.
    pub marked: bool,
    /// Hops since the congested link; 0 if the mark does not tell.
    pub mark_distance: u8,
    /// Sojourn time in the neighbour's egress queue.
    pub queue_delay: Span,
    /// Everywhere the Interest was sent: whoever has not refused it is waited for no longer.
    pub sent: &'a [OutRecord],
}

/// A pending Interest failed.
#[derive(Debug)]
pub struct Failure<'a> {
    /// The FIB entry that it matched.
    pub prefix: PrefixId,
    /// Its name.
    pub name: &'a Name,
    /// How it failed.
    pub kind: FailureKind,
    /// The upstream that refused, or each upstream in turn when the entry expired.
    pub face: FaceId,
    /// Everywhere it was sent.
    pub sent: &'a [OutRecord],
    /// Eligible next hops by ascending cost.
    pub next_hops: &'a [NextHop],
}

/// How a pending Interest failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// An upstream refused it.
    Nack(NackReason),
    /// No answer within the Interest lifetime.
    Expired,
}
