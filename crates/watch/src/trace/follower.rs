//! Writes down what happens to one segment.

use super::step::{Consumer, Offer, Shown, Step, What, Why, nack_name};
use crate::Network;
use std::collections::BTreeMap;
use weir_core::{
    Cause, Choice, Delivery, DropReason, Event, FaceId, FlowId, NextHop, NodeId, OutRecord, Signal, Sink, Span, Time,
};
use weir_wire::{Name, Packet};

/// A watcher that follows one segment.
#[derive(Debug)]
pub struct Follower {
    network: Network,
    name: Name,
    content: Name,
    /// Label of the fetch that it is about; `None`: the first one to ask.
    label: Option<String>,
    /// That fetch, once it has asked.
    flow: Option<FlowId>,
    /// The fetch has its segment: what follows is another story.
    finished: bool,
    /// Go on all the same.
    all: bool,
    omitted: usize,
    steps: Vec<Step>,
    /// The last loss that each fetch heard of.
    losses: BTreeMap<FlowId, Why>,
    /// First transmission to delivery, told just before the control hears of the Data.
    full_delay: Span,
    /// Words that wait for the decision that they explain.
    explanation: Option<(Time, NodeId, String)>,
}

impl Follower {
    /// Follows `name` for the first fetch (with this label) that asks for it, until it has its Data; with `all`, to
    /// the end of the run.
    pub fn new(network: Network, name: Name, label: Option<String>, all: bool) -> Follower {
        Follower {
            network,
            content: name.without_segment(),
            name,
            label,
            flow: None,
            finished: false,
            all,
            omitted: 0,
            steps: Vec::new(),
            losses: BTreeMap::new(),
            full_delay: Span::ZERO,
            explanation: None,
        }
    }

    /// The fetch that the trace is about; `None`: none has asked for the segment.
    pub fn flow(&self) -> Option<FlowId> {
        self.flow
    }

    /// What has happened, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Steps after the delivery, which have been left out.
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// Names of places.
    pub fn network(&self) -> &Network {
        &self.network
    }

    fn add(&mut self, time: Time, node: NodeId, link: Option<u32>, what: What) {
        if self.finished && !self.all {
            self.omitted += 1;
        } else {
            self.steps.push(Step { time, node, link, what });
        }
    }

    fn is_followed(&self, event: &Event<'_>) -> bool {
        match event {
            Event::Signalled { content, segment, .. } => {
                Some(*segment) == self.name.segment() && **content == self.content
            }
            other => *other.name() == self.name,
        }
    }

    fn asked(&mut self, id: FlowId, transmission: u32) -> Why {
        let label = self.network.flow(id);
        if self.flow.is_none() && self.label.as_deref().is_none_or(|wanted| wanted == label) {
            self.flow = Some(id);
        }
        match self.losses.get(&id) {
            Some(why) if transmission > 1 => *why,
            _ => Why::New,
        }
    }

    fn offers(&self, node: NodeId, next_hops: &[NextHop], sent: &[OutRecord]) -> Vec<Offer> {
        let offer = |hop: &NextHop| {
            let sent_at = sent.iter().find(|record| record.face == hop.face).map(|record| record.sent_at);
            Offer { link: self.way(node, hop.face), cost: hop.cost, sent_at, tried: sent_at.is_some() }
        };
        next_hops.iter().map(offer).collect()
    }

    /// Where a face of a node leads.
    fn way(&self, node: NodeId, face: FaceId) -> String {
        match self.network.leaving(node, face) {
            Some(link) => self.network.link(link).to_owned(),
            None => "application".to_owned(),
        }
    }

    fn decided(&mut self, node: NodeId, event: &Event<'_>) -> Option<What> {
        let Event::Decided { cause, next_hops, sent, choice, .. } = event else { return None };
        let cause = match cause {
            Cause::New => "new".to_owned(),
            Cause::Repeated => "repeated".to_owned(),
            Cause::Nack(reason) => format!("nack {}", nack_name(*reason)),
        };
        let (chosen, refusal) = match choice {
            Choice::To(face) => (vec![self.way(node, *face)], None),
            Choice::Each(faces) => (faces.iter().map(|face| self.way(node, *face)).collect(), None),
            Choice::Nack(reason) => (Vec::new(), Some(format!("nack {}", nack_name(*reason)))),
            Choice::Drop => (Vec::new(), Some("drop".to_owned())),
        };
        let because = self.explanation.take().map(|(.., why)| why);
        Some(What::Decided { cause, offered: self.offers(node, next_hops, sent), chosen, refusal, because })
    }

    fn signalled(&mut self, event: &Event<'_>) -> Option<What> {
        let Event::Signalled { flow: id, signal, before, after, reaction, .. } = event else { return None };
        let (id, flow) = (*id, self.network.flow(*id).to_owned());
        let (before, after) = (Consumer::from(*before), Consumer::from(*after));
        let decreased = *reaction == weir_core::Reaction::Decreased;
        Some(match *signal {
            Signal::Data { rtt: last_delay, transmissions, marked, .. } => {
                let full_delay = self.full_delay;
                What::Delivered { id, flow, full_delay, last_delay, transmissions, marked, decreased, before, after }
            }
            Signal::Loss { kind, since, fresh } => {
                let why = Why::of(kind);
                self.losses.insert(id, why);
                What::Lost { id, flow, why, since, fresh, decreased, before, after }
            }
        })
    }

    /// What an event about a packet on its way, or about a table, is in a trace.
    fn shown(event: &Event<'_>, now: Time) -> Option<What> {
        Some(match *event {
            Event::Queued { packet, ahead, held, limit } => What::Queued {
                packet: Shown::of(packet),
                packets_ahead: ahead.packets,
                bytes_ahead: ahead.bytes,
                held,
                limit: limit_text(limit),
            },
            Event::Dequeued { packet, sojourn, behind } => What::Dequeued {
                packet: Shown::of(packet),
                sojourn,
                packets_behind: behind.packets,
                bytes_behind: behind.bytes,
            },
            Event::Sent { packet, until } => What::Sent { packet: Shown::of(packet), transmission: until.since(now) },
            Event::Duplicated { packet } => What::Duplicated { packet: Shown::of(packet) },
            Event::Arrived { packet } => What::Arrived { packet: Shown::of(packet) },
            Event::Marked { packet } => What::Marked { packet: Shown::of(packet) },
            Event::Stored { packet, held } => What::Stored { packet: Shown::of(packet), held },
            Event::Announced { .. } => What::Announced,
            Event::Recovered { packet, stored } => What::Recovered { packet: Shown::of(packet), stored },
            Event::CsHit { .. } => What::CsHit,
            Event::CsMiss { .. } => What::CsMiss,
            Event::PitInserted { entries, .. } => What::PitInserted { entries },
            Event::PitJoined { again, downstreams, .. } => What::PitJoined { again, downstreams },
            Event::PitSatisfied { rtt, downstreams, marked, .. } => {
                What::PitSatisfied { rtt, downstreams: downstreams.len(), marked }
            }
            Event::PitExpired { .. } => What::PitExpired,
            Event::Looped { dead, .. } => What::Looped { dead },
            Event::Suppressed { since, interval, .. } => What::Suppressed { since, interval },
            Event::NackSent { nack } => What::NackSent { reason: nack.reason },
            Event::NackReceived { nack, expected } => What::NackReceived { reason: nack.reason, expected },
            _ => return None,
        })
    }

    /// The link direction that an event at a face is about.
    fn link_of(&self, event: &Event<'_>, node: NodeId, face: FaceId) -> Option<u32> {
        match event {
            Event::Queued { .. }
            | Event::Dequeued { .. }
            | Event::Sent { .. }
            | Event::Duplicated { .. }
            | Event::Marked { .. }
            | Event::Stored { .. }
            | Event::Announced { .. }
            | Event::Recovered { .. }
            | Event::NackSent { .. } => self.network.leaving(node, face),
            Event::Arrived { .. } | Event::NackReceived { .. } => self.network.entering(node, face),
            _ => None,
        }
    }
}

impl Sink for Follower {
    fn dropped(&mut self, now: Time, node: NodeId, face: FaceId, packet: &Packet, reason: DropReason) {
        if *packet.name() != self.name {
            return;
        }
        let link = if at_egress(reason) { self.network.leaving(node, face) } else { self.network.entering(node, face) };
        self.add(now, node, link, What::Dropped { packet: Shown::of(packet), reason });
    }

    fn delivered(&mut self, _now: Time, _flow: FlowId, delivery: &Delivery) {
        self.full_delay = delivery.full_delay;
    }

    fn detail(&mut self, now: Time, node: NodeId, face: FaceId, event: &Event<'_>) {
        if !self.is_followed(event) {
            return;
        }
        if let Event::Explained { why, .. } = event {
            self.explanation = Some((now, node, (*why).to_owned()));
            return;
        }
        let what = match event {
            Event::Asked { flow: id, interest, transmission, standing } => {
                let (id, why) = (*id, self.asked(*id, *transmission));
                let flow = self.network.flow(id).to_owned();
                let (nonce, transmission, consumer) = (interest.nonce, *transmission, Consumer::from(*standing));
                Some(What::Asked { id, flow, nonce, transmission, why, consumer })
            }
            Event::Signalled { .. } => self.signalled(event),
            Event::Decided { .. } => self.decided(node, event),
            other => Follower::shown(other, now),
        };
        let Some(what) = what else { return };
        if let Some((time, node, why)) = self.explanation.take() {
            self.add(time, node, None, What::Explained { why });
        }
        let ends = matches!(what, What::Delivered { id, .. } if Some(id) == self.flow);
        self.add(now, node, self.link_of(event, node, face), what);
        self.finished |= ends;
    }
}

/// True for drops at the queue or the link of the face; other packets are dropped where they came in.
fn at_egress(reason: DropReason) -> bool {
    matches!(
        reason,
        DropReason::QueueFull
            | DropReason::QueueManagement
            | DropReason::LinkLoss
            | DropReason::LinkDown
            | DropReason::StoreFull
            | DropReason::StoreExpired
    )
}

fn limit_text(limit: weir_core::Limit) -> String {
    match limit {
        weir_core::Limit::Packets(usize::MAX) => "no limit".into(),
        weir_core::Limit::Packets(packets) => format!("{packets}p"),
        weir_core::Limit::Bytes(bytes) => bytes.to_string(),
        weir_core::Limit::Frames { most, mtu } => format!("{most} frames of {mtu}"),
    }
}
