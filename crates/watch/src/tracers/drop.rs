//! `drop-trace.txt`: packets that a node dropped at its queues.

use super::period::Counter;
use crate::Network;
use std::fmt::Write;
use weir_core::{DropReason, NodeId, Span, Time};
use weir_wire::Packet;

#[derive(Debug)]
pub(super) struct DropTrace {
    nodes: Vec<Counter>,
}

impl DropTrace {
    pub fn new(nodes: usize) -> DropTrace {
        DropTrace { nodes: vec![Counter::default(); nodes] }
    }

    /// Like ndnSIM's, it sees what queues drop, not what links lose. A recovery's store is part of the queue.
    pub fn dropped(&mut self, node: NodeId, packet: &Packet, reason: DropReason) {
        let at_queue = matches!(
            reason,
            DropReason::QueueFull | DropReason::QueueManagement | DropReason::StoreFull | DropReason::StoreExpired
        );
        if let Some(counter) = self.nodes.get_mut(node.0 as usize).filter(|_| at_queue) {
            counter.add(packet.wire_len());
        }
    }

    pub fn lines(&mut self, time: Time, period: Span, network: &Network) -> String {
        let mut text = String::new();
        for (counter, name) in self.nodes.iter_mut().zip(network.nodes()) {
            let _ = writeln!(text, "{}\t{name}\tcombined\tDrop\t{}", time.seconds(), counter.columns(period));
        }
        text
    }
}
