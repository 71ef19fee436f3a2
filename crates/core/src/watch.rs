//! What a watcher is shown of a run, apart from what every run counts.

use crate::{Allowance, Backlog, Choice, FaceId, FlowId, Limit, Loss, NextHop, OutRecord, Reaction, Span, Time};
use weir_wire::{Data, Interest, Nack, NackReason, Name, Packet};

/// One step of a packet's way, or one decision about it, as it is told to [`Sink::detail`](crate::Sink::detail).
///
/// Only a watched run makes these ([`Context::tell`](crate::Context::tell)). Drops and deliveries are not among them:
/// every sink is told of those.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A consumer hands an Interest to its node.
    Asked {
        /// The fetch.
        flow: FlowId,
        /// The Interest.
        interest: &'a Interest,
        /// 1 for the first transmission.
        transmission: u32,
        /// The consumer, this Interest counted.
        standing: Standing,
    },
    /// A consumer's control and timeout have been told of a segment.
    Signalled {
        /// The fetch.
        flow: FlowId,
        /// What it fetches: the name without segment number.
        content: &'a Name,
        /// Segment number.
        segment: u64,
        /// What they were told.
        signal: Signal,
        /// Before it.
        before: Standing,
        /// And after.
        after: Standing,
        /// The control's answer.
        reaction: Reaction,
    },
    /// A packet is handed to the queue of the face, which keeps it unless a drop follows.
    Queued {
        /// The packet.
        packet: &'a Packet,
        /// What waits before it.
        ahead: Backlog,
        /// Packets in the recovery store.
        held: usize,
        /// Capacity of the queue.
        limit: Limit,
    },
    /// A packet leaves the queue of the face for the link.
    Dequeued {
        /// The packet.
        packet: &'a Packet,
        /// How long it waited.
        sojourn: Span,
        /// What still waits.
        behind: Backlog,
    },
    /// A queue, a recovery or the node itself marked a packet that was not marked before.
    Marked {
        /// The packet, with the mark.
        packet: &'a Packet,
    },
    /// A recovery keeps a packet that the queue has no room for.
    Stored {
        /// The packet.
        packet: &'a Packet,
        /// Packets in the store, this one counted.
        held: usize,
    },
    /// A recovery announces to the consumer that it stored a Data.
    Announced {
        /// The loss notice.
        notice: &'a Packet,
    },
    /// A recovery moves a stored packet into the queue.
    Recovered {
        /// The packet.
        packet: &'a Packet,
        /// How long it was stored.
        stored: Span,
    },
    /// The first bit of a packet goes onto the link of the face. A loss on the link is told as a drop right after.
    Sent {
        /// The packet.
        packet: &'a Packet,
        /// When its last bit has been sent.
        until: Time,
    },
    /// The link of the face has made a copy of the packet that was just sent, which will arrive, too.
    Duplicated {
        /// The copy.
        packet: &'a Packet,
    },
    /// A packet has arrived over the link of the face.
    Arrived {
        /// The packet.
        packet: &'a Packet,
    },
    /// The Content Store answers an Interest.
    CsHit {
        /// The Interest.
        interest: &'a Interest,
    },
    /// The Content Store, of a size above 0, cannot answer an Interest.
    CsMiss {
        /// The Interest.
        interest: &'a Interest,
    },
    /// An Interest has become a pending one.
    PitInserted {
        /// The Interest.
        interest: &'a Interest,
        /// Entries in the table, this one counted.
        entries: usize,
    },
    /// An Interest joins one that is pending.
    PitJoined {
        /// The Interest.
        interest: &'a Interest,
        /// The same downstream had asked before: a retransmission.
        again: bool,
        /// Downstreams that wait, this one counted.
        downstreams: usize,
    },
    /// A Data ends a pending Interest.
    PitSatisfied {
        /// The Data.
        data: &'a Data,
        /// Since the last transmission to where it came from; `None` if the Interest was not sent there.
        rtt: Option<Span>,
        /// Where it came from.
        from: FaceId,
        /// Downstreams that wait for it.
        downstreams: &'a [FaceId],
        /// An egress queue marked the Interest, so the Data is marked here.
        marked: bool,
    },
    /// A pending Interest has outlived its last downstream.
    PitExpired {
        /// Its name.
        name: &'a Name,
        /// Downstreams that waited.
        downstreams: &'a [FaceId],
        /// Everywhere it was sent.
        sent: &'a [OutRecord],
    },
    /// An Interest has come in a circle; a drop and a Nack follow.
    Looped {
        /// The Interest.
        interest: &'a Interest,
        /// Its nonce is among those of Interests that have ended; else among those of the pending one.
        dead: bool,
    },
    /// A repeated Interest comes too soon after its last transmission; a drop follows.
    Suppressed {
        /// The Interest.
        interest: &'a Interest,
        /// Since its last transmission.
        since: Span,
        /// Repetitions within this time are not sent on.
        interval: Span,
    },
    /// The strategy has decided where an Interest goes. [`Event::Explained`] may have said why.
    Decided {
        /// Its name.
        name: &'a Name,
        /// What made the forwarder ask.
        cause: Cause,
        /// What it could choose from; empty without a route.
        next_hops: &'a [NextHop],
        /// Where the Interest had been sent before.
        sent: &'a [OutRecord],
        /// The answer.
        choice: &'a Choice,
    },
    /// A Nack goes out to the face.
    NackSent {
        /// The Nack.
        nack: &'a Nack,
    },
    /// A Nack has come in from the face.
    NackReceived {
        /// The Nack.
        nack: &'a Nack,
        /// It refuses the Interest that was last sent there; otherwise it is dropped.
        expected: bool,
    },
    /// A plug-in says in its own words why it decides as it does.
    Explained {
        /// What the decision is about.
        name: &'a Name,
        /// Why.
        why: &'a str,
    },
}

/// Where a consumer stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// What its control allows.
    pub allowance: Allowance,
    /// Interests in flight.
    pub in_flight: usize,
    /// Retransmission timeout.
    pub rto: Span,
}

/// What a consumer has heard of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Signal {
    /// It has arrived.
    Data {
        /// Since the last transmission of its Interest.
        rtt: Span,
        /// Transmissions of its Interest.
        transmissions: u32,
        /// With a congestion mark.
        marked: bool,
        /// No cut had been made for this round trip.
        fresh: bool,
    },
    /// It is lost, refused or announced as lost.
    Loss {
        /// How it is known.
        kind: Loss,
        /// Since the last transmission of its Interest.
        since: Span,
        /// No cut had been made for this round trip.
        fresh: bool,
    },
}

/// What made a forwarder ask its strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// An Interest that was not pending.
    New,
    /// A repetition of a pending one.
    Repeated,
    /// An upstream's refusal.
    Nack(NackReason),
}

impl Event<'_> {
    /// The segment's name that the event is about; of a consumer's signals only the content's, without the segment.
    pub fn name(&self) -> &Name {
        match self {
            Event::Asked { interest, .. }
            | Event::CsHit { interest }
            | Event::CsMiss { interest }
            | Event::PitInserted { interest, .. }
            | Event::PitJoined { interest, .. }
            | Event::Looped { interest, .. }
            | Event::Suppressed { interest, .. } => &interest.name,
            Event::Queued { packet, .. }
            | Event::Dequeued { packet, .. }
            | Event::Marked { packet }
            | Event::Stored { packet, .. }
            | Event::Announced { notice: packet }
            | Event::Recovered { packet, .. }
            | Event::Sent { packet, .. }
            | Event::Duplicated { packet }
            | Event::Arrived { packet } => packet.name(),
            Event::PitSatisfied { data, .. } => &data.name,
            Event::NackSent { nack } | Event::NackReceived { nack, .. } => &nack.interest.name,
            Event::Signalled { content: name, .. }
            | Event::PitExpired { name, .. }
            | Event::Decided { name, .. }
            | Event::Explained { name, .. } => name,
        }
    }
}
