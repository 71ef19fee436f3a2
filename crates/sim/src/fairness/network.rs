//! A scenario as resources and those who share them.

use super::maxmin::User;
use std::collections::BTreeSet;
use std::rc::Rc;
use weir_core::{Lifetime, Span};
use weir_scenario::plan::{Scenario, Workload};
use weir_scenario::routes::{Routes, tables};
use weir_wire::{Content, Data, Interest, Name, Packet, VirtualData};

/// More paths of one fetch are not looked at: then there is no fair share.
const MOST_PATHS: usize = 64;

/// Link directions with their rates, and the paths of fetches over them.
pub(super) struct Network<'a> {
    scenario: &'a Scenario,
    /// Bits in a second, of each link forward and backward.
    pub capacities: Vec<f64>,
    /// Of each workload its paths as directions in which its Interests go.
    paths: Vec<Vec<Vec<usize>>>,
}

impl<'a> Network<'a> {
    /// `None` if two workloads ask for one content or one has too many paths.
    pub fn new(scenario: &'a Scenario) -> Option<Network<'a>> {
        let mut contents = BTreeSet::new();
        let alone = scenario.workloads.iter().all(|w| contents.insert((&w.name, &w.producers)));
        if !alone {
            return None;
        }
        let contents: Vec<(Name, Vec<usize>)> =
            scenario.workloads.iter().map(|w| (w.name.clone(), w.producers.clone())).collect();
        let tables = tables(&scenario.topology, &scenario.routing, &contents);
        let paths = scenario.workloads.iter().map(|w| paths(scenario, &tables, w)).collect::<Option<Vec<_>>>()?;
        let rates = scenario.topology.links.iter().flat_map(|l| [l.forward.rate, l.backward.rate]);
        Some(Network { scenario, capacities: rates.map(|rate| rate.0 as f64).collect(), paths })
    }

    /// The fetch number `number`, which got `segments` segments: a bit of its payload takes a little more than a bit
    /// where its Data go and some of the other direction for its Interests.
    pub fn user(&self, number: usize, segments: u64) -> User {
        let workload = &self.scenario.workloads[number];
        let [interest, data] = sizes(workload, self.scenario.consumer.lifetime, segments);
        let payload = (workload.payload.0 as f64).max(1.0);
        let uses = |way: &usize| [(*way, interest / payload), (way ^ 1, data / payload)];
        User { paths: self.paths[number].iter().map(|path| path.iter().flat_map(uses).collect()).collect() }
    }
}

/// All ways without a node twice that the routes leave open. NFD's Best Route takes the best next hop alone.
fn paths(scenario: &Scenario, tables: &[(Name, Rc<Routes>)], workload: &Workload) -> Option<Vec<Vec<usize>>> {
    let matching = tables.iter().filter(|(prefix, _)| prefix.is_prefix_of(&workload.name));
    let Some((_, routes)) = matching.max_by_key(|(prefix, _)| prefix.len()) else { return Some(Vec::new()) };
    let most = if scenario.scheme.strategy.name == "best-route" { 1 } else { usize::MAX };
    let mut found = Vec::new();
    let mut open = vec![(workload.consumer, vec![workload.consumer], Vec::new())];
    while let Some((node, visited, path)) = open.pop() {
        if workload.producers.contains(&node) {
            found.push(path);
            if found.len() > MOST_PATHS {
                return None;
            }
            continue;
        }
        for hop in routes.of(node).iter().take(most) {
            let link = &scenario.topology.links[hop.link];
            let (next, way) = if hop.forward { (link.b, 2 * hop.link) } else { (link.a, 2 * hop.link + 1) };
            if !visited.contains(&next) {
                let longer = |of: &[usize], more| of.iter().copied().chain([more]).collect::<Vec<_>>();
                open.push((next, longer(&visited, next), longer(&path, way)));
            }
        }
        if open.len() > 16 * MOST_PATHS {
            return None;
        }
    }
    Some(found)
}

/// Bytes of an Interest and of a Data on the wire, means over the first `segments` segments: the number of a segment
/// takes one byte, then two, four, eight.
fn sizes(workload: &Workload, lifetime: Lifetime, segments: u64) -> [f64; 2] {
    let last = segments.max(1);
    let mut sums = [0.0; 2];
    let starts = [0, 1 << 8, 1 << 16, 1 << 32];
    for (i, start) in starts.into_iter().enumerate().take_while(|(_, start)| *start < last) {
        let count = starts.get(i + 1).map_or(last, |end| last.min(*end)) - start;
        let (name, payload) = (workload.name.with_segment(start), workload.payload.0.min(u64::from(u32::MAX)) as u32);
        // Timeouts of 256 ms to a minute have the same number of bytes.
        let lifetime_ms = lifetime.millis(Span::from_millis(1000));
        let interest = Packet::from(Interest { lifetime_ms, ..Interest::new(name.clone(), 0) });
        let freshness_ms = (workload.freshness.0 / 1_000_000).min(u64::from(u32::MAX)) as u32;
        let final_segment = workload.segments.and_then(|n| u32::try_from(n.saturating_sub(1)).ok());
        let content = Content::Virtual(VirtualData { payload, freshness_ms, final_segment });
        let data = Packet::from(Data { name, content });
        for (sum, packet) in sums.iter_mut().zip([interest, data]) {
            *sum += packet.wire_len() as f64 * count as f64;
        }
    }
    sums.map(|sum| sum / last as f64)
}
