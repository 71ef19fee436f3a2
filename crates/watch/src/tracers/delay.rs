//! `app-delays-trace.txt`: how long each segment took.

use crate::Network;
use std::collections::BTreeMap;
use weir_core::{Delivery, Event, FlowId, NodeId, Time};

#[derive(Debug, Default)]
pub(super) struct DelayTrace {
    /// Node of each fetch, and its number among the fetches of that node.
    places: BTreeMap<FlowId, (NodeId, u32)>,
    /// Fetches of each node so far.
    applications: BTreeMap<NodeId, u32>,
}

impl DelayTrace {
    pub fn see(&mut self, node: NodeId, event: &Event<'_>) {
        let Event::Asked { flow, .. } = event else { return };
        let next = self.applications.entry(node).or_default();
        self.places.entry(*flow).or_insert_with(|| {
            let number = *next;
            *next += 1;
            (node, number)
        });
    }

    pub fn lines(&self, now: Time, flow: FlowId, delivery: &Delivery, network: &Network) -> String {
        let Some((node, application)) = self.places.get(&flow) else { return String::new() };
        let start = format!("{}\t{}\t{application}\t{}", now.seconds(), network.node(*node), delivery.segment);
        let line = |name, delay: weir_core::Span, count| {
            let micros = delay.0 as f64 / 1e3;
            format!("{start}\t{name}\t{}\t{micros}\t{count}\t{}\n", delay.seconds(), delivery.hops)
        };
        line("LastDelay", delivery.last_delay, 1) + &line("FullDelay", delivery.full_delay, delivery.transmissions)
    }
}
