//! `cs-trace.txt`: what the Content Stores had and had not.

use crate::Network;
use std::fmt::Write;
use weir_core::{Event, NodeId, Time};

#[derive(Debug)]
pub(super) struct CsTrace {
    /// Hits and misses of this period, by node.
    nodes: Vec<(u64, u64)>,
}

impl CsTrace {
    pub fn new(nodes: usize) -> CsTrace {
        CsTrace { nodes: vec![(0, 0); nodes] }
    }

    pub fn see(&mut self, node: NodeId, event: &Event<'_>) {
        let Some((hits, misses)) = self.nodes.get_mut(node.0 as usize) else { return };
        match event {
            Event::CsHit { .. } => *hits += 1,
            Event::CsMiss { .. } => *misses += 1,
            _ => {}
        }
    }

    pub fn lines(&mut self, time: Time, network: &Network) -> String {
        let mut text = String::new();
        for (counts, name) in self.nodes.iter_mut().zip(network.nodes()) {
            let (hits, misses) = std::mem::take(counts);
            let start = format!("{}\t{name}", time.seconds());
            let _ = writeln!(text, "{start}\tCacheHits\t{hits}\n{start}\tCacheMisses\t{misses}");
        }
        text
    }
}
