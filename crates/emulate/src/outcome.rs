//! What was seen of an emulated network, as the simulator's [`Outcome`]: the same tables and figures come of it. What only a
//! simulator can see (the mean length of a queue, the way of each packet) is absent.

use crate::config::uri;
use crate::flow::Flow;
use crate::layout::Layout;
use crate::tables::{Segment, events, readings, segments};
use crate::tunnel::Counters;
use std::collections::BTreeMap;
use std::io;
use std::ops::{Add, Sub};
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use weir_core::{Span, Time};
use weir_live::forward::Status;
use weir_results::stats::jain;
use weir_scenario::metrics::SERIES;
use weir_scenario::plan::{Scenario, Way};
use weir_sim::{Outcome, Sample, Scope};

/// The end of one program that fetched: all of a fetch, or the part between two stops.
pub(crate) struct Fetched {
    /// Place of its workload.
    pub flow: usize,
    /// When its program was started.
    pub start: Time,
    /// When the first program of the fetch was.
    pub begun: Time,
    /// What the program wrote; absent if it saw no Data.
    pub stats: PathBuf,
    /// It ended by itself: everything is there.
    pub completed: bool,
}

impl Fetched {
    /// Seconds from the beginning of the fetch to its last Data.
    fn end(&self, seen: &[Segment]) -> f64 {
        let last = seen.iter().map(|segment| segment.time).fold(0.0, f64::max);
        self.start.seconds() - self.begun.seconds() + last
    }
}

/// Counters of a link direction at one moment, or their difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub sent: u64,
    pub bytes: u64,
    pub overflowed: u64,
    pub lost: u64,
    pub arrived: u64,
}

impl Seen {
    pub fn of(counters: &Counters) -> Seen {
        Seen {
            sent: counters.sent.load(Relaxed),
            bytes: counters.bytes.load(Relaxed),
            overflowed: counters.overflowed.load(Relaxed),
            lost: counters.lost.load(Relaxed),
            arrived: counters.arrived.load(Relaxed),
        }
    }
}

impl Add for Seen {
    type Output = Seen;
    fn add(self, other: Seen) -> Seen {
        Seen {
            sent: self.sent + other.sent,
            bytes: self.bytes + other.bytes,
            overflowed: self.overflowed + other.overflowed,
            lost: self.lost + other.lost,
            arrived: self.arrived + other.arrived,
        }
    }
}

impl Sub for Seen {
    type Output = Seen;
    fn sub(self, before: Seen) -> Seen {
        Seen {
            sent: self.sent - before.sent,
            bytes: self.bytes - before.bytes,
            overflowed: self.overflowed - before.overflowed,
            lost: self.lost - before.lost,
            arrived: self.arrived - before.arrived,
        }
    }
}

/// Sums everything up. `length` is that of the run.
pub(crate) fn outcome(
    scenario: &Scenario,
    fetched: &[Fetched],
    layout: &Layout,
    links: &BTreeMap<Way, Seen>,
    status: &[Option<Status>],
    length: Span,
) -> io::Result<Outcome> {
    let mut outcome = Outcome::default();
    let mut flows: BTreeMap<&str, Flow> = BTreeMap::new();
    let read = |fetch: &Fetched| if fetch.stats.exists() { segments(&fetch.stats) } else { Ok(Vec::new()) };
    let all = fetched.iter().map(read).collect::<io::Result<Vec<_>>>()?;
    for (fetch, seen) in fetched.iter().zip(&all) {
        let workload = &scenario.workloads[fetch.flow];
        series(&mut outcome, scenario, fetch, seen)?;
        if workload.requests.is_some() {
            let end = workload.stop.map_or(length, |stop| stop.since(Time::ZERO).min(length)).seconds();
            let events = if fetch.stats.exists() { events(&fetch.stats)? } else { Vec::new() };
            flows.entry(&workload.label).or_default().add_requests(&events, seen, (fetch.start.seconds(), end));
            continue;
        }
        let end = fetched.iter().zip(&all).find(|(other, _)| other.flow == fetch.flow && other.completed);
        let took = end.map_or(length.seconds() - fetch.begun.seconds(), |(last, seen)| last.end(seen));
        flows.entry(&workload.label).or_default().add(fetch, seen, took);
    }
    outcome.series.sort_by(|a, b| a.time.total_cmp(&b.time));
    for (label, flow) in &flows {
        flow.put(&mut outcome, &Scope::Flow((*label).to_owned()));
    }
    let mut whole = Flow::default();
    flows.values().for_each(|flow| whole.join(flow));
    whole.put(&mut outcome, &Scope::Run);
    let goodputs: Vec<f64> = flows.values().map(|flow| flow.goodput()).collect();
    outcome.values.extend(jain(&goodputs).map(|index| (("jain", Scope::Run), index)));
    outcome.values.insert(("duration", Scope::Run), length.seconds());
    put_links(&mut outcome, scenario, links, length);
    put_faces(&mut outcome, scenario, layout, status);
    put_nodes(&mut outcome, scenario, status);
    Ok(outcome)
}

/// Goodput along time, and what the control said of itself, at the scenario's interval.
fn series(outcome: &mut Outcome, scenario: &Scenario, fetch: &Fetched, seen: &[Segment]) -> io::Result<()> {
    let Some(interval) = scenario.run.sample.map(Span::seconds).filter(|s| *s > 0.0) else { return Ok(()) };
    let scope = Scope::Flow(scenario.workloads[fetch.flow].label.clone());
    let start = fetch.start.seconds();
    let mut bits: BTreeMap<u64, f64> = BTreeMap::new();
    for segment in seen {
        *bits.entry(((start + segment.time) / interval) as u64 + 1).or_default() += segment.payload * 8e-6;
    }
    for (place, megabits) in bits {
        let (time, value) = (place as f64 * interval, megabits / interval);
        outcome.series.push(Sample { time, metric: "goodput", scope: scope.clone(), value });
    }
    let name = fetch.stats.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let file = fetch.stats.with_file_name(format!("{name}-series.csv"));
    if !file.exists() {
        return Ok(());
    }
    let mut last: BTreeMap<&'static str, u64> = BTreeMap::new();
    for (time, metric, value) in readings(&file)? {
        let Some(metric) = SERIES.iter().map(|m| m.name).find(|name| *name == metric) else { continue };
        let place = ((start + time) / interval).ceil() as u64;
        // The first reading at or after each of the simulator's moments.
        if last.insert(metric, place) != Some(place) {
            outcome.series.push(Sample { time: place as f64 * interval, metric, scope: scope.clone(), value });
        }
    }
    Ok(())
}

fn put_links(outcome: &mut Outcome, scenario: &Scenario, links: &BTreeMap<Way, Seen>, length: Span) {
    let seconds = length.seconds().max(1e-9);
    let topology = &scenario.topology;
    for (way, seen) in links {
        let link = &topology.links[way.link];
        let [forward, backward] = topology.directions(link);
        let (name, direction) = if way.forward { (forward, &link.forward) } else { (backward, &link.backward) };
        let megabits = seen.bytes as f64 * 8e-6 / seconds;
        let values = [
            ("link_packets", seen.sent as f64),
            ("throughput", megabits),
            ("utilisation", megabits / direction.rate.mbps()),
            ("drops_link_loss", seen.lost as f64),
            ("drops", (seen.lost + seen.overflowed) as f64),
        ];
        for (metric, value) in values {
            outcome.values.insert((metric, Scope::Link(name.clone())), value);
        }
    }
    let sum = |of: fn(&Seen) -> u64| links.values().map(of).sum::<u64>() as f64;
    outcome.values.insert(("link_packets", Scope::Run), sum(|seen| seen.sent));
    outcome.values.insert(("packet_hops", Scope::Run), sum(|seen| seen.arrived));
    outcome.values.insert(("drops_link_loss", Scope::Run), sum(|seen| seen.lost));
    outcome.values.insert(("drops", Scope::Run), sum(|seen| seen.lost + seen.overflowed));
}

/// What forwarders count at their faces: it adds to what their links have counted.
fn put_faces(outcome: &mut Outcome, scenario: &Scenario, layout: &Layout, status: &[Option<Status>]) {
    for (node, status) in layout.nodes.iter().zip(status) {
        let Some(status) = status else { continue };
        for face in &node.faces {
            let remote = uri(face.remote);
            let Some(seen) = status.faces.iter().find(|seen| seen.remote == remote) else { continue };
            let [forward, backward] = scenario.topology.directions(&scenario.topology.links[face.way.link]);
            let name = if face.way.forward { forward } else { backward };
            for scope in [Scope::Link(name), Scope::Run] {
                let mut add = |metric, value: u64| {
                    *outcome.values.entry((metric, scope.clone())).or_default() += value as f64;
                };
                add("drops", seen.dropped);
                add("marks", seen.marked);
                let most = outcome.values.entry(("queue_max", scope.clone())).or_default();
                *most = most.max(seen.queue_peak as f64);
            }
        }
    }
}

/// What forwarders count: those of whole nodes.
fn put_nodes(outcome: &mut Outcome, scenario: &Scenario, status: &[Option<Status>]) {
    for (name, status) in scenario.topology.nodes.iter().zip(status) {
        let Some(status) = status else { continue };
        let values = [
            ("pit_max", status.pit.peak as f64),
            ("cs_hits", status.cs.hits as f64),
            ("cs_misses", status.cs.misses as f64),
        ];
        for (metric, value) in values {
            outcome.values.insert((metric, Scope::Node(name.clone())), value);
        }
    }
    let sum = |of: fn(&Status) -> u64| status.iter().flatten().map(of).sum::<u64>() as f64;
    let most = status.iter().flatten().map(|status| status.pit.peak).max().unwrap_or_default();
    for (metric, value) in [
        ("pit_max", most as f64),
        ("cs_hits", sum(|s| s.cs.hits)),
        ("cs_misses", sum(|s| s.cs.misses)),
        ("loss_notices", sum(|s| s.loss_notices)),
        ("recovered", sum(|s| s.recovered)),
    ] {
        outcome.values.insert((metric, Scope::Run), value);
    }
}
