//! The machine and what it is lent for one call.

use crate::ahead::Ahead;
use crate::{Allowance, Event, HopReading, Limit, Order, Span, Time};
use weir_wire::{NackReason, Name, Packet};

/// A face of a machine, counted from 0 in the order of creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaceId(pub u32);

impl FaceId {
    /// As an index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A node of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A fetch of a run: one consumer's retrieval of one content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

/// Anything with faces. Packets are pushed in and pulled out; the driver owns time and links.
///
/// The contract of a driver: `receive` each packet as it arrives; `wake` at (or soon after) `next_wake`; after either,
/// send the packet that is offered in [`Context::ready`] if its link is free, or let the machine `keep` it; `pull` each
/// face listed there once the face's link is free, and again after each transmission, until the answer is not a packet. A
/// machine that has left something undone until then ([`Ready::unfinished`]) is to be woken
/// once those faces have been pulled whose link is free now.
pub trait Machine {
    /// Takes a packet that arrived over `face`.
    fn receive(&mut self, face: FaceId, packet: Packet, cx: &mut Context<'_>);
    /// The next packet for the link of `face`. Called only while that link is free. If another waits behind it, the
    /// machine says so ([`Ready::more`]), which saves a driver an idle call for each time that a queue runs empty.
    fn pull(&mut self, face: FaceId, cx: &mut Context<'_>) -> Pull;
    /// The link of `face` is busy: the packet that was offered to it ([`Ready::offer`]) waits for a `pull`.
    fn keep(&mut self, face: FaceId, packet: Packet);
    /// A packet is about to arrive: asks for what `receive` will need, so that it has come from memory by then. Called for
    /// `step` 0 to [`STEPS`](crate::ahead::STEPS) - 1, each of which may read what the one before has asked for. Changes
    /// nothing, and may do nothing.
    #[inline]
    fn foresee(&self, _step: u32, _packet: &Packet, _ahead: &mut Ahead) {}
    /// Does what is due at `cx.now`.
    fn wake(&mut self, cx: &mut Context<'_>);
    /// When `wake` wants to be called; `None`: not before another packet comes.
    fn next_wake(&self) -> Option<Time>;
    /// Carries out what the driver orders.
    fn obey(&mut self, _order: Order, _cx: &mut Context<'_>) {}
    /// Tells `report` every reading that may be watched while the machine runs.
    fn inspect(&self, now: Time, report: &mut dyn FnMut(Reading));
}

/// What a face has to send.
#[derive(Debug)]
pub enum Pull {
    /// This packet, now.
    Packet(Packet),
    /// Nothing before this time (a shaper).
    Later(Time),
    /// Nothing.
    Idle,
}

/// Faces that have got something to send during a call.
#[derive(Debug, Default)]
pub struct Ready {
    faces: Vec<FaceId>,
    offer: Option<(FaceId, Packet)>,
    unfinished: bool,
    more: bool,
}

impl Ready {
    /// Adds a face. The last face added is not added twice in a row.
    #[inline]
    pub fn add(&mut self, face: FaceId) {
        if self.faces.last() != Some(&face) {
            self.faces.push(face);
        }
    }

    /// Offers a packet to a link that has nothing else to send. If the link is free, as most links are most of the time,
    /// the packet has gone, and the driver never asks the machine; otherwise the machine gets it back
    /// ([`Machine::keep`]). One packet can be offered in a call.
    #[inline(always)]
    pub fn offer(&mut self, face: FaceId, packet: Packet) {
        let before = self.offer.replace((face, packet));
        assert!(before.is_none(), "one packet can be offered in a call");
    }

    /// The face whose link is offered a packet.
    #[inline]
    pub fn offered(&self) -> Option<FaceId> {
        self.offer.as_ref().map(|(face, _)| *face)
    }

    /// Takes the packet that is offered.
    #[inline]
    pub fn take_offer(&mut self) -> Option<(FaceId, Packet)> {
        self.offer.take()
    }

    /// True if a face is on the list.
    #[inline]
    pub fn has_faces(&self) -> bool {
        !self.faces.is_empty()
    }

    /// Takes one face off the list.
    #[inline]
    pub fn pop(&mut self) -> Option<FaceId> {
        self.faces.pop()
    }

    /// Asks the driver to offer what is ready to the links that are idle, and then to wake the machine at once: it goes
    /// on when it knows whether a packet that it has handed over still waits.
    #[inline]
    pub fn unfinished(&mut self) {
        self.unfinished = true;
    }

    /// True if the machine has asked to be woken at once; asked once.
    #[inline]
    pub fn take_unfinished(&mut self) -> bool {
        std::mem::take(&mut self.unfinished)
    }

    /// Says that something waits behind the packet that is being pulled.
    #[inline]
    pub fn more(&mut self) {
        self.more = true;
    }

    /// True if something waits behind the packet that was pulled last; asked once.
    #[inline]
    pub fn take_more(&mut self) -> bool {
        std::mem::take(&mut self.more)
    }

    /// True if no face has anything to send.
    pub fn is_empty(&self) -> bool {
        self.faces.is_empty() && self.offer.is_none()
    }
}

/// Lent to a machine, and by it to its plug-ins, for one call.
pub struct Context<'a> {
    /// The time of this call.
    pub now: Time,
    /// The node that is at work.
    pub node: NodeId,
    /// The face that a queue call is about.
    pub face: FaceId,
    /// Who watches.
    pub sink: &'a mut dyn Sink,
    /// The sink wants [`Sink::detail`] too.
    pub watched: bool,
    /// Where machines note which faces have something to send.
    pub ready: &'a mut Ready,
}

impl Context<'_> {
    /// Ends a packet's way here. Every packet that is not sent on must end in this call or in a delivery.
    pub fn discard(&mut self, packet: Packet, reason: DropReason) {
        self.sink.dropped(self.now, self.node, self.face, &packet, reason);
    }

    /// Tells the sink of an event at [`Context::face`], if anybody watches; otherwise it is not even made.
    #[inline]
    pub fn tell<'e>(&mut self, event: impl FnOnce() -> Event<'e>) {
        if self.watched {
            self.sink.detail(self.now, self.node, self.face, &event());
        }
    }

    /// Says why a plug-in decides as it does about the packet called `name`, in words for a person.
    #[inline]
    pub fn explain(&mut self, name: &Name, why: impl FnOnce() -> String) {
        if self.watched {
            let why = why();
            self.tell(|| Event::Explained { name, why: &why });
        }
    }
}

/// Why a packet's way ended before its goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DropReason {
    /// The queue had no room.
    QueueFull,
    /// Active queue management dropped it.
    QueueManagement,
    /// The link lost it.
    LinkLoss,
    /// The link is down.
    LinkDown,
    /// Hop limit used up.
    HopLimit,
    /// The nonce was seen before: a loop.
    DuplicateNonce,
    /// The same Interest was sent on a moment ago.
    Suppressed,
    /// No next hop.
    NoRoute,
    /// The strategy refused to forward it.
    Strategy,
    /// The Pending Interest Table had no room.
    PitFull,
    /// Data or Nack that nobody waits for.
    Unsolicited,
    /// A packet without a use at its end (an Interest for a name that no producer serves, a late duplicate).
    Unwanted,
    /// The recovery store had no room.
    StoreFull,
    /// The recovery store held it for too long.
    StoreExpired,
    /// It waited at a node that was restarted.
    NodeRestart,
}

impl DropReason {
    /// All reasons, in order.
    pub const ALL: [DropReason; 15] = [
        DropReason::QueueFull,
        DropReason::QueueManagement,
        DropReason::LinkLoss,
        DropReason::LinkDown,
        DropReason::HopLimit,
        DropReason::DuplicateNonce,
        DropReason::Suppressed,
        DropReason::NoRoute,
        DropReason::Strategy,
        DropReason::PitFull,
        DropReason::Unsolicited,
        DropReason::Unwanted,
        DropReason::StoreFull,
        DropReason::StoreExpired,
        DropReason::NodeRestart,
    ];

    /// A short name for tables, such as `queue-full`.
    pub fn name(self) -> &'static str {
        match self {
            DropReason::QueueFull => "queue-full",
            DropReason::QueueManagement => "queue-management",
            DropReason::LinkLoss => "link-loss",
            DropReason::LinkDown => "link-down",
            DropReason::HopLimit => "hop-limit",
            DropReason::DuplicateNonce => "duplicate-nonce",
            DropReason::Suppressed => "suppressed",
            DropReason::NoRoute => "no-route",
            DropReason::Strategy => "strategy",
            DropReason::PitFull => "pit-full",
            DropReason::Unsolicited => "unsolicited",
            DropReason::Unwanted => "unwanted",
            DropReason::StoreFull => "store-full",
            DropReason::StoreExpired => "store-expired",
            DropReason::NodeRestart => "node-restart",
        }
    }

    /// True if the packet had come in over the face that is named with the drop; false if it was to leave over it.
    pub fn is_on_arrival(self) -> bool {
        match self {
            DropReason::HopLimit
            | DropReason::DuplicateNonce
            | DropReason::Suppressed
            | DropReason::NoRoute
            | DropReason::Strategy
            | DropReason::PitFull
            | DropReason::Unsolicited
            | DropReason::Unwanted => true,
            DropReason::QueueFull
            | DropReason::QueueManagement
            | DropReason::LinkLoss
            | DropReason::LinkDown
            | DropReason::StoreFull
            | DropReason::StoreExpired
            | DropReason::NodeRestart => false,
        }
    }

    /// True if the packet was lost to the network; false where dropping is the protocol at work
    /// (a suppressed repetition, a late duplicate).
    pub fn is_loss(self) -> bool {
        !matches!(
            self,
            DropReason::Suppressed | DropReason::Unsolicited | DropReason::Unwanted | DropReason::DuplicateNonce
        )
    }
}

/// A segment that reached its consumer for the first time.
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// Segment number.
    pub segment: u64,
    /// Payload in bytes.
    pub payload: usize,
    /// Since the first transmission of its Interest (ndnSIM's FullDelay).
    pub full_delay: Span,
    /// Since the last transmission of its Interest (ndnSIM's LastDelay).
    pub last_delay: Span,
    /// Transmissions of its Interest; 1: never retransmitted.
    pub transmissions: u32,
    /// Links crossed by the Data.
    pub hops: u8,
    /// It carried a congestion mark.
    pub marked: bool,
}

/// A fetch that has got all its segments.
#[derive(Clone, Copy, Debug)]
pub struct FetchEnd<'a> {
    /// The content, without segment number.
    pub name: &'a Name,
    /// When it was to begin.
    pub began: Time,
    /// Segments received.
    pub segments: u64,
    /// Interests sent again.
    pub retransmissions: u64,
    /// Timeouts.
    pub timeouts: u64,
    /// Cuts of the allowance.
    pub decreases: u64,
    /// Mean of the segments' full delays, in seconds.
    pub delay: f64,
    /// Their variance over the square of their mean (squared coefficient of variation).
    pub delay_scv: f64,
}

/// Who watches a run. All methods default to doing nothing.
#[expect(unused_variables, reason = "the defaults ignore what they are told")]
pub trait Sink {
    /// A packet's way ended at `node`; `face` is the egress face for drops at a queue, the ingress face otherwise.
    fn dropped(&mut self, now: Time, node: NodeId, face: FaceId, packet: &Packet, reason: DropReason) {}
    /// A queue, a recovery or the node itself marked a packet that was not marked before.
    fn marked(&mut self, now: Time, node: NodeId, face: FaceId) {}
    /// A node refused an Interest that came in over `face`: not one that passes a refusal on.
    fn nacked(&mut self, now: Time, node: NodeId, face: FaceId) {}
    /// A recovery sent a loss notice.
    fn loss_notice(&mut self, now: Time, node: NodeId, face: FaceId) {}
    /// A recovery moved a packet back into the ordinary queue that it had `stored` for so long.
    fn recovered(&mut self, now: Time, node: NodeId, face: FaceId, stored: Span) {}
    /// A consumer sent an Interest, for the `transmission`-th time.
    fn requested(&mut self, now: Time, flow: FlowId, segment: u64, transmission: u32) {}
    /// A segment arrived at its consumer.
    fn delivered(&mut self, now: Time, flow: FlowId, delivery: &Delivery) {}
    /// A consumer found a segment lost by timeout.
    fn timed_out(&mut self, now: Time, flow: FlowId, segment: u64) {}
    /// An upstream node refused an Interest of a consumer.
    fn refused(&mut self, now: Time, flow: FlowId, segment: u64, reason: NackReason) {}
    /// A consumer's control reduced its rate or window to what is `left`.
    fn decreased(&mut self, now: Time, flow: FlowId, left: &Allowance) {}
    /// A consumer's control let a signal pass, for it waits to see what its last cut does.
    fn held(&mut self, now: Time, flow: FlowId) {}
    /// A fetch has all its segments; a flow of many requests has had its last.
    fn completed(&mut self, now: Time, flow: FlowId) {}
    /// In a flow of many requests, one was made.
    fn began(&mut self, now: Time, flow: FlowId) {}
    /// In a flow of many requests, one that was made `took` ago has got all that it asked for.
    fn fetched(&mut self, now: Time, flow: FlowId, took: Span) {}
    /// A fetch of one content has got all its segments, whether it is a flow of its own or one of many.
    fn fetch_ended(&mut self, now: Time, flow: FlowId, fetch: &FetchEnd<'_>) {}
    /// In a flow of many requests, one was given up.
    fn abandoned(&mut self, now: Time, flow: FlowId) {}
    /// A step of a packet's way or a decision about it, at `face` of `node`. Only for sinks that watch
    /// ([`Context::watched`]).
    fn detail(&mut self, now: Time, node: NodeId, face: FaceId, event: &Event<'_>) {}
}

/// A sink that is shared with somebody who reads it after the run.
impl<S: Sink> Sink for std::rc::Rc<std::cell::RefCell<S>> {
    fn dropped(&mut self, now: Time, node: NodeId, face: FaceId, packet: &Packet, reason: DropReason) {
        self.borrow_mut().dropped(now, node, face, packet, reason);
    }
    fn marked(&mut self, now: Time, node: NodeId, face: FaceId) {
        self.borrow_mut().marked(now, node, face);
    }
    fn loss_notice(&mut self, now: Time, node: NodeId, face: FaceId) {
        self.borrow_mut().loss_notice(now, node, face);
    }
    fn recovered(&mut self, now: Time, node: NodeId, face: FaceId, stored: Span) {
        self.borrow_mut().recovered(now, node, face, stored);
    }
    fn requested(&mut self, now: Time, flow: FlowId, segment: u64, transmission: u32) {
        self.borrow_mut().requested(now, flow, segment, transmission);
    }
    fn delivered(&mut self, now: Time, flow: FlowId, delivery: &Delivery) {
        self.borrow_mut().delivered(now, flow, delivery);
    }
    fn timed_out(&mut self, now: Time, flow: FlowId, segment: u64) {
        self.borrow_mut().timed_out(now, flow, segment);
    }
    fn decreased(&mut self, now: Time, flow: FlowId, left: &Allowance) {
        self.borrow_mut().decreased(now, flow, left);
    }
    fn completed(&mut self, now: Time, flow: FlowId) {
        self.borrow_mut().completed(now, flow);
    }
    fn detail(&mut self, now: Time, node: NodeId, face: FaceId, event: &Event<'_>) {
        self.borrow_mut().detail(now, node, face, event);
    }
}

/// Watches nothing.
#[derive(Debug, Default)]
pub struct NoSink;

impl Sink for NoSink {}

/// Packets that have left a queue for its link, and how long they had waited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Departed {
    /// Sum of the sojourn times of all packets, in nanoseconds.
    pub sojourn: u128,
    /// Data packets (loss notices are none).
    pub data: u64,
    /// Sum of their sojourn times, in nanoseconds.
    pub data_sojourn: u128,
}

/// One reading of a machine's state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reading {
    /// The Pending Interest Table.
    Pit {
        /// Entries now.
        entries: usize,
        /// Room for so many; `usize::MAX`: there is no bound.
        capacity: usize,
        /// Most entries so far.
        peak: usize,
        /// Sum over time of the entries, in entry-seconds: divided by the time passed, their mean.
        area: f64,
    },
    /// The Content Store.
    Cs {
        /// Packets now.
        entries: usize,
        /// Interests answered so far.
        hits: u64,
        /// Interests not answered so far.
        misses: u64,
    },
    /// Packets and bytes waiting at a face, and packets held in its recovery store.
    Queue {
        /// The face.
        face: FaceId,
        /// Waiting packets.
        packets: usize,
        /// Waiting bytes.
        bytes: usize,
        /// Frames in which they will cross the link.
        frames: usize,
        /// Room for so much.
        limit: Limit,
        /// Packets in the recovery store.
        held: usize,
        /// Most packets that have waited at once.
        peak: usize,
        /// What has left for the link so far.
        departed: Departed,
    },
    /// What the strategy makes of the next hops behind a face.
    Hop {
        /// The face.
        face: FaceId,
        /// What.
        reading: HopReading,
    },
    /// A consumer's allowance and Interests in flight.
    Flow {
        /// The fetch.
        flow: FlowId,
        /// Window in Interests.
        window: f64,
        /// Interests per second, if the control paces.
        rate: Option<f64>,
        /// Interests in flight.
        in_flight: usize,
        /// Retransmission timeout.
        rto: Span,
    },
}
