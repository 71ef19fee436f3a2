//! One line of a trace.

use crate::Network;
use serde::{Serialize, Serializer};
use weir_core::{Allowance, DropReason, FlowId, Loss, NodeId, Span, Standing, Time};
use weir_wire::{Kind, NackReason, Packet};

/// One thing that happened to the segment that is followed.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// When.
    pub time: Time,
    /// Where.
    pub node: NodeId,
    /// The link direction that it concerns, if one.
    pub link: Option<u32>,
    /// What happened.
    pub what: What,
}

/// What happened. Spans are in milliseconds in JSON, times in seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum What {
    /// A consumer sent an Interest.
    Asked {
        /// Number of the fetch.
        #[serde(skip)]
        id: FlowId,
        /// Its label.
        flow: String,
        /// Nonce of the Interest.
        nonce: u32,
        /// 1 for the first.
        transmission: u32,
        /// Why it was sent.
        why: Why,
        /// The consumer, this Interest counted.
        consumer: Consumer,
    },
    /// A packet was handed to a queue.
    Queued {
        /// The packet.
        #[serde(flatten)]
        packet: Shown,
        /// Packets before it.
        packets_ahead: usize,
        /// Their bytes.
        bytes_ahead: usize,
        /// Packets in the recovery store.
        held: usize,
        /// Capacity of the queue.
        limit: String,
    },
    /// It left the queue.
    Dequeued {
        /// The packet.
        #[serde(flatten)]
        packet: Shown,
        /// How long it waited.
        #[serde(rename = "sojourn_ms", serialize_with = "millis")]
        sojourn: Span,
        /// Packets that still wait.
        packets_behind: usize,
        /// Their bytes.
        bytes_behind: usize,
    },
    /// Its first bit went onto the link.
    Sent {
        /// The packet.
        #[serde(flatten)]
        packet: Shown,
        /// How long the link is busy with it.
        #[serde(rename = "transmission_ms", serialize_with = "millis")]
        transmission: Span,
    },
    /// The link made a copy of it, which arrives, too.
    Duplicated {
        /// The copy.
        #[serde(flatten)]
        packet: Shown,
    },
    /// It arrived.
    Arrived {
        /// The packet.
        #[serde(flatten)]
        packet: Shown,
    },
    /// It was marked.
    Marked {
        /// The packet.
        #[serde(flatten)]
        packet: Shown,
    },
    /// A recovery stored it.
    Stored {
        /// The packet.
        #[serde(flatten)]
        packet: Shown,
        /// Packets in the store, this one counted.
        held: usize,
    },
    /// A recovery announced that it stored it.
    Announced,
    /// A recovery moved it back into the queue.
    Recovered {
        /// The packet.
        #[serde(flatten)]
        packet: Shown,
        /// How long it was stored.
        #[serde(rename = "stored_ms", serialize_with = "millis")]
        stored: Span,
    },
    /// Its way ended.
    Dropped {
        /// The packet.
        #[serde(flatten)]
        packet: Shown,
        /// Why.
        #[serde(serialize_with = "drop_reason")]
        reason: DropReason,
    },
    /// The Content Store answered.
    CsHit,
    /// The Content Store could not answer.
    CsMiss,
    /// The Interest became pending.
    PitInserted {
        /// Pending Interests of the node, this one counted.
        entries: usize,
    },
    /// The Interest joined a pending one.
    PitJoined {
        /// From the same downstream.
        again: bool,
        /// Downstreams that wait.
        downstreams: usize,
    },
    /// The Data ended the pending Interest.
    PitSatisfied {
        /// Since the Interest was sent there last.
        #[serde(rename = "rtt_ms", serialize_with = "perhaps_millis")]
        rtt: Option<Span>,
        /// Downstreams that wait for it.
        downstreams: usize,
        /// The Data takes over the mark of its Interest.
        marked: bool,
    },
    /// The pending Interest expired.
    PitExpired,
    /// The Interest came in a circle.
    Looped {
        /// Its nonce is among those of Interests that have ended; else it is that of the pending one.
        dead: bool,
    },
    /// A repetition came too soon.
    Suppressed {
        /// Since the last transmission.
        #[serde(rename = "since_ms", serialize_with = "millis")]
        since: Span,
        /// Repetitions within this time are not sent on.
        #[serde(rename = "interval_ms", serialize_with = "millis")]
        interval: Span,
    },
    /// The strategy decided.
    Decided {
        /// What made the forwarder ask it.
        cause: String,
        /// Next hops that it could choose from.
        offered: Vec<Offer>,
        /// Next hops that it chose; none: see `refusal`.
        chosen: Vec<String>,
        /// What it did instead: `drop`, or the reason of a Nack.
        refusal: Option<String>,
        /// Why, in its own words.
        because: Option<String>,
    },
    /// A Nack went out.
    NackSent {
        /// Its reason.
        #[serde(serialize_with = "nack_reason")]
        reason: NackReason,
    },
    /// A Nack came in.
    NackReceived {
        /// Its reason.
        #[serde(serialize_with = "nack_reason")]
        reason: NackReason,
        /// It refuses what was last sent there.
        expected: bool,
    },
    /// A plug-in other than a strategy explained itself.
    Explained {
        /// Why.
        why: String,
    },
    /// A consumer's control heard that the segment is lost.
    Lost {
        /// Number of the fetch.
        #[serde(skip)]
        id: FlowId,
        /// Its label.
        flow: String,
        /// How it is known.
        why: Why,
        /// Since the last transmission.
        #[serde(rename = "since_ms", serialize_with = "millis")]
        since: Span,
        /// The first signal of this round trip: it may cut the window.
        fresh: bool,
        /// The control cut its allowance.
        decreased: bool,
        /// The consumer before.
        before: Consumer,
        /// And after.
        after: Consumer,
    },
    /// The segment reached its consumer.
    Delivered {
        /// Number of the fetch.
        #[serde(skip)]
        id: FlowId,
        /// Its label.
        flow: String,
        /// Since the first transmission.
        #[serde(rename = "full_delay_ms", serialize_with = "millis")]
        full_delay: Span,
        /// Since the last transmission.
        #[serde(rename = "last_delay_ms", serialize_with = "millis")]
        last_delay: Span,
        /// Transmissions of its Interest.
        transmissions: u32,
        /// With a congestion mark.
        marked: bool,
        /// The control cut its allowance.
        decreased: bool,
        /// The consumer before.
        before: Consumer,
        /// And after.
        after: Consumer,
    },
}

/// A packet in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// What it is.
    pub packet: PacketKind,
    /// Nonce of an Interest or of the Interest that a Nack refuses.
    pub nonce: Option<u32>,
    /// Length on the wire.
    pub bytes: usize,
    /// It carries a congestion mark.
    pub mark: bool,
}

/// Kinds of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PacketKind {
    /// Interest.
    Interest,
    /// Data with content.
    Data,
    /// Explicit Loss Notice.
    LossNotice,
    /// Nack.
    Nack,
}

/// Why a consumer sent an Interest, or how it knows of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// A segment not asked for before.
    New,
    /// Its retransmission timeout.
    Timeout,
    /// An upstream's Nack.
    Nack,
    /// A router's loss notice.
    LossNotice,
}

/// A next hop on offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Offer {
    /// Where it leads.
    pub link: String,
    /// Its cost.
    pub cost: u64,
    /// When the Interest was sent there last.
    #[serde(skip)]
    pub sent_at: Option<Time>,
    /// It was sent there before.
    pub tried: bool,
}

/// Where a consumer stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Consumer {
    /// Interests that may be in flight; none: no bound.
    pub window: Option<f64>,
    /// Interests per second of a control that paces.
    pub rate: Option<f64>,
    /// Interests in flight.
    pub in_flight: usize,
    /// Retransmission timeout.
    #[serde(rename = "rto_ms", serialize_with = "millis")]
    pub rto: Span,
}

impl Step {
    /// The step as one line of JSON, without the line's end.
    pub fn json(&self, network: &Network) -> String {
        #[derive(Serialize)]
        struct Line<'a> {
            time: f64,
            node: &'a str,
            link: Option<&'a str>,
            #[serde(flatten)]
            what: &'a What,
        }
        let link = self.link.map(|link| network.link(link));
        let line = Line { time: self.time.seconds(), node: network.node(self.node), link, what: &self.what };
        serde_json::to_string(&line).unwrap_or_else(|error| unreachable!("a step is plain data: {error}"))
    }
}

impl Shown {
    /// What a trace shows of a packet.
    pub fn of(packet: &Packet) -> Shown {
        let (typ, nonce) = match &packet.kind {
            Kind::Interest(interest) => (PacketKind::Interest, Some(interest.nonce)),
            Kind::Data(_) if packet.hop.loss_notice => (PacketKind::LossNotice, None),
            Kind::Data(_) => (PacketKind::Data, None),
            Kind::Nack(nack) => (PacketKind::Nack, Some(nack.interest.nonce)),
        };
        Shown { packet: typ, nonce, bytes: packet.wire_len(), mark: packet.hop.congestion_mark > 0 }
    }

    /// True if both are steps of one packet's way (a mark may have been set in between).
    pub fn is_same(&self, other: &Shown) -> bool {
        (self.packet, self.nonce) == (other.packet, other.nonce)
    }
}

impl Why {
    /// How a loss is known.
    pub fn of(loss: Loss) -> Why {
        match loss {
            Loss::Timeout => Why::Timeout,
            Loss::Nack(_) => Why::Nack,
            Loss::Notice => Why::LossNotice,
        }
    }
}

impl From<Standing> for Consumer {
    fn from(standing: Standing) -> Consumer {
        let Allowance { window, gap } = standing.allowance;
        Consumer {
            window: window.is_finite().then_some(window),
            rate: gap.map(|gap| 1.0 / gap.seconds()),
            in_flight: standing.in_flight,
            rto: standing.rto,
        }
    }
}

/// A Nack's reason as people write it.
pub fn nack_name(reason: NackReason) -> String {
    match reason {
        NackReason::Unspecified => "unspecified".into(),
        NackReason::Congestion => "congestion".into(),
        NackReason::Duplicate => "duplicate".into(),
        NackReason::NoRoute => "no-route".into(),
        NackReason::Other(code) => format!("code-{code}"),
    }
}

fn millis<S: Serializer>(span: &Span, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(span.millis())
}

fn perhaps_millis<S: Serializer>(span: &Option<Span>, serializer: S) -> Result<S::Ok, S::Error> {
    span.map(Span::millis).serialize(serializer)
}

fn drop_reason<S: Serializer>(reason: &DropReason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(reason.name())
}

fn nack_reason<S: Serializer>(reason: &NackReason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&nack_name(*reason))
}
