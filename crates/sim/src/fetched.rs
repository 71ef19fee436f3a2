//! Records of fetches: one for each that got all its segments.

use std::collections::BTreeMap;
use weir_core::{FetchEnd, FlowId, Time};
use weir_scenario::metrics::FETCHES;
use weir_wire::Name;

/// What is known of one fetch, in the order of [`FETCHES`] and in their units.
pub(crate) type Numbers = [f64; FETCHES.len()];

/// Fetches in the order of their ends, and the losses of each content.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fetched {
    pub records: Vec<(FlowId, Numbers)>,
    /// When Data of a content were lost, by the hash of its name.
    losses: BTreeMap<u64, Vec<Time>>,
}

impl Fetched {
    /// A Data was lost to the network.
    pub fn lost(&mut self, now: Time, name: &Name) {
        self.losses.entry(name.stem().hash64()).or_default().push(now);
    }

    /// A fetch has got everything.
    pub fn ended(&mut self, now: Time, flow: FlowId, fetch: &FetchEnd<'_>) {
        // Segments share the stem of their names.
        let losses = self.losses.get(&fetch.name.with_segment(0).stem().hash64());
        let lost = losses.map_or(0, |times| times.len() - times.partition_point(|time| *time < fetch.began));
        let numbers = [
            fetch.began.seconds(),
            now.since(fetch.began).millis(),
            fetch.segments as f64,
            fetch.retransmissions as f64,
            fetch.timeouts as f64,
            fetch.decreases as f64,
            fetch.delay * 1e3,
            fetch.delay_scv,
            lost as f64,
        ];
        self.records.push((flow, numbers));
    }
}
