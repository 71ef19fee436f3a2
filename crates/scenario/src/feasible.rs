//! What shows only when a whole scenario is put together: whether every fetch can reach its content, and whether its
//! Data fit the queues on their way.

use crate::diagnostic::{Diagnostic, Log, Place};
use crate::plan::{PartPlan, Routing, Scenario, Workload};
use crate::routes::{Routes, tables};
use std::collections::BTreeSet;
use std::rc::Rc;
use weir_core::{Limit, Site};
use weir_schemes::registry;
use weir_wire::{Content, Data, Name, Packet, VirtualData};

/// Length of the longest Data of a workload, with a congestion mark.
pub(crate) fn longest_data(workload: &Workload) -> u64 {
    // Where there is no end: numbers that no run reaches.
    let endless = u64::from(u32::MAX);
    let (name, last) = match &workload.requests {
        Some(requests) => (&requests.content, requests.catalogue.map_or(endless, |c| c.objects.saturating_sub(1))),
        None => (&workload.name, workload.segments.map_or(endless, |n| n.saturating_sub(1))),
    };
    let short = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    let content = Content::Virtual(VirtualData {
        payload: short(workload.payload.0),
        freshness_ms: short(workload.freshness.0 / 1_000_000),
        final_segment: workload.segments.map(|n| short(n.saturating_sub(1))),
    });
    let mut packet = Packet::from(Data { name: name.with_segment(last), content });
    packet.hop_mut().congestion_mark = 1;
    packet.wire_len() as u64
}

/// Reports what cannot work; `network` and `routing` are the places to blame.
pub(crate) fn check(scenario: &Scenario, network: &Place, routing: Option<&Place>, log: &Log) {
    let explicit = matches!(scenario.routing, Routing::Explicit(_));
    let longest = scenario.workloads.iter().map(longest_data).max().unwrap_or(0);
    let narrow = Narrow::find(scenario, longest);
    if !explicit && narrow.0.is_empty() {
        return;
    }
    let walks = Walks::of(scenario);
    if let (true, Some(place)) = (explicit, routing) {
        unused_routes(scenario, place, log);
    }
    for workload in &scenario.workloads {
        let (steps, reached) = walks.from(workload);
        let consumer = &scenario.topology.nodes[workload.consumer];
        if let (false, Some(place)) = (reached, routing) {
            let message = format!(
                "by these routes nothing that `{consumer}` asks for under `{}` finds a producer",
                workload.name
            );
            log.report(Diagnostic::at(place, message).help("each node on the way needs a route; a host needs none"));
        }
        let len = longest_data(workload);
        let small = narrow.0.iter().find(|(link, forward, limit)| *limit < len && steps.contains(&(*link, !forward)));
        if let Some((link, forward, limit)) = small {
            let link = &scenario.topology.links[*link];
            let [there, back] = scenario.topology.directions(link);
            let message = format!(
                "the queue of `{}` holds {limit} bytes, less than one Data of `{}`: {len} bytes",
                if *forward { there } else { back },
                workload.label
            );
            let problem =
                Diagnostic::at(network, message).note("no Data could ever pass, and the fetch would never end");
            log.report(problem.help("give that queue more room, or its number of packets, such as `\"100p\"`"));
        }
    }
}

/// Reports static routes for names that nobody asks for.
fn unused_routes(scenario: &Scenario, place: &Place, log: &Log) {
    let Routing::Explicit(routes) = &scenario.routing else { return };
    let prefixes: BTreeSet<&Name> = routes.iter().map(|r| &r.prefix).collect();
    for prefix in prefixes {
        if !scenario.workloads.iter().any(|w| prefix.is_prefix_of(&w.name)) {
            let names: Vec<String> = scenario.workloads.iter().map(|w| w.name.to_string()).collect();
            let problem =
                Diagnostic::at(place, format!("there are routes for `{prefix}`, but nobody asks for anything there"));
            log.report(problem.suggest(&prefix.to_string(), names.iter().map(String::as_str)));
        }
    }
}

/// Directions of links, as link and "forward", whose queues are limited in bytes or frames to less than the longest Data.
struct Narrow(Vec<(usize, bool, u64)>);

impl Narrow {
    fn find(scenario: &Scenario, longest: u64) -> Narrow {
        let mut narrow = Vec::new();
        // Few queues differ, so each kind is built once to be asked for its limit: a plug-in may have one of its own.
        let mut known: Vec<(bool, Limit, Option<u64>)> = Vec::new();
        let hosts = hosts(scenario);
        for (i, link) in scenario.topology.links.iter().enumerate() {
            for (node, forward, way) in [(link.a, true, link.forward), (link.b, false, link.backward)] {
                let host = hosts[node];
                let found = known.iter().find(|(h, limit, _)| (*h, *limit) == (host, way.limit));
                let bytes = found.map(|(.., bytes)| *bytes).unwrap_or_else(|| {
                    let scheme = &scenario.scheme;
                    let part = if host { &scheme.host_queue } else { &scheme.queue };
                    let bytes = bytes_of(part, way.limit).filter(|bytes| *bytes < longest);
                    known.push((host, way.limit, bytes));
                    bytes
                });
                narrow.extend(bytes.map(|bytes| (i, forward, bytes)));
            }
        }
        Narrow(narrow)
    }
}

/// How many bytes a queue takes, if that is how it is limited.
fn bytes_of(part: &PartPlan, limit: Limit) -> Option<u64> {
    let site = Site { limit, ..Site::default() };
    let entry = registry::find("queue", registry::QUEUES, &part.name).ok()?;
    match (entry.build)(&part.settings, &site).ok()?.limit() {
        Limit::Bytes(bytes) => Some(bytes.0),
        Limit::Packets(_) => None,
        Limit::Frames { most, mtu } => Some(mtu.longest(most) as u64),
    }
}

/// Nodes with a single link and an application, which send everything over it.
fn hosts(scenario: &Scenario) -> Vec<bool> {
    let mut links = vec![0; scenario.topology.nodes.len()];
    scenario.topology.links.iter().flat_map(|l| [l.a, l.b]).for_each(|n| links[n] += 1);
    let mut hosts = vec![false; links.len()];
    for workload in &scenario.workloads {
        let ends = workload.producers.iter().chain([&workload.consumer]);
        ends.filter(|n| links[**n] == 1).for_each(|n| hosts[*n] = true);
    }
    hosts
}

/// Where Interests can go.
struct Walks<'s> {
    scenario: &'s Scenario,
    tables: Vec<(Name, Rc<Routes>)>,
    hosts: Vec<bool>,
}

impl Walks<'_> {
    fn of(scenario: &Scenario) -> Walks<'_> {
        let contents: BTreeSet<(Name, Vec<usize>)> =
            scenario.workloads.iter().map(|w| (w.name.clone(), w.producers.clone())).collect();
        let contents: Vec<(Name, Vec<usize>)> = contents.into_iter().collect();
        Walks { scenario, tables: tables(&scenario.topology, &scenario.routing, &contents), hosts: hosts(scenario) }
    }

    /// The link directions over which Interests of a workload can go, and whether they find a producer.
    fn from(&self, workload: &Workload) -> (BTreeSet<(usize, bool)>, bool) {
        let links = &self.scenario.topology.links;
        let (mut steps, mut reached) = (BTreeSet::new(), false);
        let (mut seen, mut open) = (BTreeSet::from([workload.consumer]), vec![workload.consumer]);
        while let Some(node) = open.pop() {
            if workload.producers.contains(&node) {
                reached = true;
                continue;
            }
            for (link, forward) in self.next(node, &workload.name) {
                let to = if forward { links[link].b } else { links[link].a };
                // A host passes nothing on.
                let passes = !self.hosts[to] || workload.producers.contains(&to);
                steps.insert((link, forward));
                if passes && seen.insert(to) {
                    open.push(to);
                }
            }
        }
        (steps, reached)
    }

    /// Links over which a node sends Interests for `name`, by its longest prefix that has a route there.
    fn next(&self, node: usize, name: &Name) -> Vec<(usize, bool)> {
        if self.hosts[node] {
            let own = self.scenario.topology.links.iter().position(|l| l.a == node || l.b == node);
            return own.map(|i| (i, self.scenario.topology.links[i].a == node)).into_iter().collect();
        }
        let fitting =
            self.tables.iter().filter(|(prefix, routes)| prefix.is_prefix_of(name) && !routes.of(node).is_empty());
        let longest = fitting.max_by_key(|(prefix, _)| prefix.len());
        longest.map_or(vec![], |(_, routes)| routes.of(node).iter().map(|hop| (hop.link, hop.forward)).collect())
    }
}
