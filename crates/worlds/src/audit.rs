//! Watches a run and keeps books that do not come from what they are compared with.

use crate::books::{FaceBook, NodeBook};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use weir_core::{Choice, Delivery, DropReason, Event, FaceId, FlowId, Limit, NodeId, Sink, Span, Time};
use weir_wire::{Kind, Packet};

/// What an audit has found out so far.
#[derive(Debug, Default)]
pub(crate) struct Audit {
    pub faces: BTreeMap<(u32, u32), FaceBook>,
    pub nodes: BTreeMap<u32, NodeBook>,
    /// How often each segment has been delivered.
    pub delivered: BTreeMap<u32, BTreeMap<u64, u32>>,
    pub completed: BTreeMap<u32, u32>,
    /// Flows of many requests, in which an object may be asked for again.
    pub requesters: BTreeSet<u32>,
    /// Requests of these: begun, done, given up.
    pub requests: BTreeMap<u32, [u64; 3]>,
    /// Segments that were asked for.
    pub requested: BTreeMap<u32, u64>,
    /// Entries that each Pending Interest Table may have.
    pub pit_capacity: Option<usize>,
    /// The first bound that was broken, and when.
    pub broken: Option<String>,
    /// Nodes may be restarted: what is pending there is forgotten.
    pub restarts: bool,
}

/// The watcher that a world owns; the audit is read from outside.
pub(crate) struct Auditor(pub Rc<RefCell<Audit>>);

impl Audit {
    fn face(&mut self, node: NodeId, face: FaceId) -> &mut FaceBook {
        self.faces.entry((node.0, face.0)).or_default()
    }

    fn node(&mut self, node: NodeId) -> &mut NodeBook {
        self.nodes.entry(node.0).or_default()
    }

    fn breaks(&mut self, now: Time, what: impl FnOnce() -> String) {
        self.broken.get_or_insert_with(|| format!("at {now}: {}", what()));
    }

    fn see(&mut self, now: Time, node: NodeId, face: FaceId, event: &Event<'_>) {
        match event {
            Event::Asked { .. } => self.node(node).interests += 1,
            Event::Arrived { packet } => {
                self.face(node, face).arrived += 1;
                let book = self.node(node);
                match &packet.kind {
                    Kind::Interest(_) => book.interests += 1,
                    Kind::Data(_) if packet.hop.loss_notice => book.notices += 1,
                    Kind::Data(_) => book.data += 1,
                    Kind::Nack(_) => book.nacks += 1,
                }
            }
            Event::Queued { packet, ahead, limit, .. } => {
                let book = self.face(node, face);
                book.queued += 1;
                let waiting =
                    (ahead.packets.saturating_sub(book.notices), ahead.bytes.saturating_sub(book.notice_bytes));
                book.count_notice(packet, true);
                let within = match limit {
                    Limit::Packets(most) => waiting.0 <= *most,
                    Limit::Bytes(most) => waiting.1 as u64 <= most.0,
                    // A notice is short enough for one frame.
                    Limit::Frames { most, .. } => ahead.frames.saturating_sub(book.notices) <= *most,
                };
                if !within {
                    self.breaks(now, || {
                        format!("{} packets, {} bytes wait at {node:?} {face:?}", waiting.0, waiting.1)
                    });
                }
            }
            Event::Announced { notice } => {
                let book = self.face(node, face);
                book.announced += 1;
                book.count_notice(notice, true);
            }
            Event::Dequeued { packet, .. } => {
                let book = self.face(node, face);
                book.dequeued += 1;
                book.count_notice(packet, false);
            }
            Event::Sent { .. } => self.face(node, face).sent += 1,
            Event::CsHit { .. } => self.node(node).cs_hits += 1,
            Event::PitInserted { entries, .. } => {
                self.node(node).inserted += 1;
                if self.pit_capacity.is_some_and(|most| *entries > most) {
                    self.breaks(now, || format!("{entries} Interests are pending at {node:?}"));
                }
            }
            Event::PitJoined { .. } => self.node(node).joined += 1,
            Event::PitSatisfied { .. } => self.node(node).satisfied += 1,
            Event::PitExpired { .. } => self.node(node).expired += 1,
            Event::Decided { choice: Choice::Nack(_), .. } => self.node(node).refused += 1,
            _ => {}
        }
    }
}

impl Sink for Auditor {
    fn detail(&mut self, now: Time, node: NodeId, face: FaceId, event: &Event<'_>) {
        self.0.borrow_mut().see(now, node, face, event);
    }

    fn dropped(&mut self, _: Time, node: NodeId, face: FaceId, packet: &Packet, reason: DropReason) {
        let mut audit = self.0.borrow_mut();
        match reason {
            DropReason::LinkLoss => audit.face(node, face).lost += 1,
            DropReason::LinkDown => audit.face(node, face).down += 1,
            _ if reason.is_on_arrival() => *audit.node(node).drops.entry(reason).or_default() += 1,
            _ => {
                let book = audit.face(node, face);
                book.dropped += 1;
                book.count_notice(packet, false);
            }
        }
    }

    fn requested(&mut self, _: Time, flow: FlowId, _: u64, transmission: u32) {
        if transmission == 1 {
            *self.0.borrow_mut().requested.entry(flow.0).or_default() += 1;
        }
    }

    fn delivered(&mut self, now: Time, flow: FlowId, delivery: &Delivery) {
        let mut audit = self.0.borrow_mut();
        let again = !audit.requesters.contains(&flow.0);
        let times = audit.delivered.entry(flow.0).or_default().entry(delivery.segment).or_default();
        *times += 1;
        if *times > 1 && again {
            audit.breaks(now, || format!("segment {} of {flow:?} is delivered again", delivery.segment));
        }
    }

    fn began(&mut self, _: Time, flow: FlowId) {
        self.0.borrow_mut().requests.entry(flow.0).or_default()[0] += 1;
    }

    fn fetched(&mut self, _: Time, flow: FlowId, _: Span) {
        self.0.borrow_mut().requests.entry(flow.0).or_default()[1] += 1;
    }

    fn abandoned(&mut self, _: Time, flow: FlowId) {
        self.0.borrow_mut().requests.entry(flow.0).or_default()[2] += 1;
    }

    fn completed(&mut self, now: Time, flow: FlowId) {
        let mut audit = self.0.borrow_mut();
        let times = audit.completed.entry(flow.0).or_default();
        *times += 1;
        if *times > 1 {
            audit.breaks(now, || format!("{flow:?} is completed again"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn audited(tell: impl FnOnce(&mut Auditor)) -> Option<String> {
        let mut auditor = Auditor(Rc::default());
        tell(&mut auditor);
        auditor.0.take().broken
    }

    fn delivery(segment: u64) -> Delivery {
        Delivery {
            segment,
            payload: 1000,
            full_delay: Span::ZERO,
            last_delay: Span::ZERO,
            transmissions: 1,
            hops: 1,
            marked: false,
        }
    }

    #[test]
    fn a_segment_that_is_delivered_twice_is_noticed() {
        let deliver = |segments: &'static [u64]| {
            audited(|auditor| segments.iter().for_each(|s| auditor.delivered(Time::ZERO, FlowId(0), &delivery(*s))))
        };
        assert_eq!(deliver(&[0, 1, 2]), None);
        assert!(deliver(&[0, 1, 0]).is_some_and(|what| what.contains("segment 0")));
    }

    #[test]
    fn a_flow_that_is_completed_twice_is_noticed() {
        let complete = |flows: &'static [u32]| {
            audited(|auditor| flows.iter().for_each(|flow| auditor.completed(Time::ZERO, FlowId(*flow))))
        };
        assert_eq!(complete(&[0, 1]), None);
        assert!(complete(&[0, 0]).is_some());
    }
}
