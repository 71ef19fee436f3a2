//! `rate-trace.txt`: packets of each face, and what became of the Interests of each node.

use super::period::Counter;
use crate::Network;
use std::fmt::Write;
use weir_core::{Event, FaceId, NodeId, Span, Time};
use weir_wire::{Kind, Packet};

/// Types of lines of a face, in the order in which ndnSIM writes them.
const TYPES: [&str; 10] = [
    "InInterests",
    "OutInterests",
    "InData",
    "OutData",
    "InNacks",
    "OutNacks",
    "InSatisfiedInterests",
    "InTimedOutInterests",
    "OutSatisfiedInterests",
    "OutTimedOutInterests",
];

/// Places in [`TYPES`].
const IN_SATISFIED: usize = 6;
const IN_TIMED_OUT: usize = 7;
const OUT_SATISFIED: usize = 8;
const OUT_TIMED_OUT: usize = 9;

#[derive(Debug)]
pub(super) struct RateTrace {
    nodes: Vec<Node>,
}

#[derive(Debug, Default)]
struct Node {
    faces: Vec<(FaceId, [Counter; TYPES.len()])>,
    satisfied: Counter,
    timed_out: Counter,
}

impl Node {
    /// The counter of a face that has a link.
    fn add(&mut self, face: FaceId, typ: usize, bytes: usize) {
        if let Some((_, counters)) = self.faces.iter_mut().find(|(f, _)| *f == face) {
            counters[typ].add(bytes);
        }
    }
}

impl RateTrace {
    pub fn new(network: &Network) -> RateTrace {
        let faces = |node| network.faces(NodeId(node)).map(|face| (face, Default::default())).collect();
        let nodes = (0..network.nodes().len() as u32).map(|node| Node { faces: faces(node), ..Node::default() });
        RateTrace { nodes: nodes.collect() }
    }

    #[inline]
    pub fn see(&mut self, node: NodeId, face: FaceId, event: &Event<'_>) {
        let Some(node) = self.nodes.get_mut(node.0 as usize) else { return };
        match event {
            Event::Arrived { packet } => node.add(face, typ(packet), packet.wire_len()),
            Event::Sent { packet, .. } => node.add(face, typ(packet) + 1, packet.wire_len()),
            Event::PitSatisfied { from, downstreams, .. } => {
                downstreams.iter().for_each(|face| node.add(*face, IN_SATISFIED, 0));
                node.add(*from, OUT_SATISFIED, 0);
                node.satisfied.add(0);
            }
            Event::PitExpired { downstreams, sent, .. } => {
                downstreams.iter().for_each(|face| node.add(*face, IN_TIMED_OUT, 0));
                sent.iter().for_each(|record| node.add(record.face, OUT_TIMED_OUT, 0));
                node.timed_out.add(0);
            }
            _ => {}
        }
    }

    pub fn lines(&mut self, time: Time, period: Span, network: &Network) -> String {
        let mut text = String::new();
        for (number, (node, name)) in (0u32..).zip(self.nodes.iter_mut().zip(network.nodes())) {
            let start = format!("{}\t{name}", time.seconds());
            for (face, counters) in &mut node.faces {
                let link = network.leaving(NodeId(number), *face).map_or("?", |link| network.link(link));
                for (typ, counter) in TYPES.iter().zip(counters) {
                    let _ = writeln!(text, "{start}\t{}\tnetdev://{link}\t{typ}\t{}", face.0, counter.columns(period));
                }
            }
            let _ = writeln!(text, "{start}\t-1\tall\tSatisfiedInterests\t{}", node.satisfied.columns(period));
            let _ = writeln!(text, "{start}\t-1\tall\tTimedOutInterests\t{}", node.timed_out.columns(period));
        }
        text
    }
}

/// The place in [`TYPES`] of a packet that comes in; that of one that goes out follows.
fn typ(packet: &Packet) -> usize {
    match packet.kind {
        Kind::Interest(_) => 0,
        Kind::Data(_) => 2,
        Kind::Nack(_) => 4,
    }
}
