//! What was seen of an emulated network, as the simulator's [`Outcome`]: the same tables and figures come of it. What only a
//! simulator can see (the way of each packet, series of links and nodes) is absent.

use crate::config::uri;
use crate::layout::Layout;
use crate::replay::{Written, replay};
use crate::tables::{Segment, events, fetches, readings, segments};
use crate::tunnel::Counters;
use std::collections::BTreeMap;
use std::io;
use std::ops::{Add, Sub};
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use weir_core::{DropReason, Span, Time};
use weir_live::forward::{FaceStatus, Status};
use weir_scenario::metrics::SERIES;
use weir_scenario::plan::{Scenario, Way};
use weir_sim::{Outcome, Sample, Scope, drop_metric};

/// The end of one program that fetched: all of a fetch, or the part between two stops.
pub(crate) struct Fetched {
    /// Place of its workload.
    pub flow: usize,
    /// When its program was started.
    pub start: Time,
    /// What the program wrote; absent if it saw no Data.
    pub stats: PathBuf,
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
    let read = |fetch: &Fetched| match fetch.stats.exists() {
        true => Ok(Written {
            segments: segments(&fetch.stats)?,
            events: events(&fetch.stats)?,
            fetches: fetches(&fetch.stats)?,
        }),
        false => Ok(Written::default()),
    };
    let written = fetched.iter().map(read).collect::<io::Result<Vec<_>>>()?;
    let collector = replay(scenario, fetched, &written);
    let mut outcome = Outcome::of_consumers(&collector, scenario, Time::ZERO + length);
    for (fetch, written) in fetched.iter().zip(&written) {
        series(&mut outcome, scenario, fetch, &written.segments)?;
    }
    outcome.series.sort_by(|a, b| a.time.total_cmp(&b.time));
    put_links(&mut outcome, scenario, links, length);
    put_faces(&mut outcome, scenario, layout, status, length);
    put_nodes(&mut outcome, scenario, status, length);
    outcome.totals();
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
        let direction = if way.forward { &link.forward } else { &link.backward };
        let megabits = seen.bytes as f64 * 8e-6 / seconds;
        let values = [
            ("link_packets", seen.sent as f64),
            ("throughput", megabits),
            ("utilisation", megabits / direction.rate.mbps()),
            ("drops_link_loss", seen.lost as f64),
            ("drops_queue_full", seen.overflowed as f64),
            ("drops", (seen.lost + seen.overflowed) as f64),
        ];
        for (metric, value) in values {
            outcome.values.insert((metric, Scope::Link(name_of(scenario, *way))), value);
        }
    }
    let sum = |of: fn(&Seen) -> u64| links.values().map(of).sum::<u64>() as f64;
    for (metric, value) in [
        ("link_packets", sum(|seen| seen.sent)),
        ("packet_hops", sum(|seen| seen.arrived)),
        ("drops_link_loss", sum(|seen| seen.lost)),
        ("drops_queue_full", sum(|seen| seen.overflowed)),
        ("drops", sum(|seen| seen.lost + seen.overflowed)),
    ] {
        outcome.values.insert((metric, Scope::Run), value);
    }
}

/// What a link direction is called.
fn name_of(scenario: &Scenario, way: Way) -> String {
    let [forward, backward] = scenario.topology.directions(&scenario.topology.links[way.link]);
    if way.forward { forward } else { backward }
}

/// Reasons for drops, with their metrics.
fn reasons() -> impl Iterator<Item = (DropReason, &'static str)> {
    DropReason::ALL.into_iter().map(|reason| (reason, drop_metric(reason)))
}

/// What forwarders count at their faces: it adds to what their links have counted.
fn put_faces(outcome: &mut Outcome, scenario: &Scenario, layout: &Layout, status: &[Option<Status>], length: Span) {
    let mut data = (0, 0);
    for (node, status) in layout.nodes.iter().zip(status) {
        let Some(status) = status else { continue };
        for face in &node.faces {
            let remote = uri(face.remote);
            let Some(seen) = status.faces.iter().find(|seen| seen.remote == remote) else { continue };
            data = (data.0 + seen.queued_data, data.1 + seen.data_sojourn_ns);
            put_face(outcome, &Scope::Link(name_of(scenario, face.way)), seen, length);
            // What was turned away on arrival had come over the other direction of the link.
            let back = Scope::Link(name_of(scenario, Way { forward: !face.way.forward, ..face.way }));
            for (reason, metric) in reasons() {
                let count = seen.drops.get(reason.name()).copied().unwrap_or_default();
                let scope = if reason.is_on_arrival() { &back } else { &Scope::Link(name_of(scenario, face.way)) };
                *outcome.values.entry((metric, scope.clone())).or_default() += count as f64;
                if reason.is_loss() {
                    *outcome.values.entry(("drops", scope.clone())).or_default() += count as f64;
                }
            }
        }
    }
    if data.0 > 0 {
        outcome.values.insert(("sojourn", Scope::Run), data.1 as f64 / data.0 as f64 * 1e-6);
    }
}

/// The queue and the recovery of a face.
fn put_face(outcome: &mut Outcome, scope: &Scope, seen: &FaceStatus, length: Span) {
    let seconds = length.seconds().max(1e-9);
    let mean = |sum: u64, count: u64| (count > 0).then(|| sum as f64 / count as f64 * 1e-6);
    // As the simulator has it: what waited, weighted by how long, over the time there was.
    let waited = (seen.sojourn_ns + seen.dropped_sojourn_ns) as f64 * 1e-9;
    let values = [
        ("queue_mean", Some(waited / seconds)),
        ("queue_max", Some(seen.queue_peak as f64)),
        ("sojourn", mean(seen.data_sojourn_ns, seen.queued_data)),
        ("data_drops", Some(seen.data_lost as f64)),
        ("marks", Some(seen.marked as f64)),
        ("nacks", Some(seen.nacked as f64)),
        ("loss_notices", Some(seen.loss_notices as f64)),
        ("recovered", Some(seen.recovered as f64)),
        ("recovery_time", mean(seen.stored_ns, seen.recovered)),
    ];
    for (metric, value) in values {
        outcome.values.extend(value.map(|value| ((metric, scope.clone()), value)));
    }
}

/// What forwarders count: those of whole nodes.
fn put_nodes(outcome: &mut Outcome, scenario: &Scenario, status: &[Option<Status>], length: Span) {
    for (name, status) in scenario.topology.nodes.iter().zip(status) {
        let Some(status) = status else { continue };
        let values = [
            ("pit_mean", status.pit.area / length.seconds().max(1e-9)),
            ("pit_max", status.pit.peak as f64),
            ("cs_hits", status.cs.hits as f64),
            ("cs_misses", status.cs.misses as f64),
        ];
        for (metric, value) in values {
            outcome.values.insert((metric, Scope::Node(name.clone())), value);
        }
    }
    let sum = |of: fn(&Status) -> u64| status.iter().flatten().map(of).sum::<u64>() as f64;
    for (metric, value) in [
        ("loss_notices", sum(|s| s.loss_notices)),
        ("recovered", sum(|s| s.recovered)),
        ("nacks", sum(|s| s.nacked)),
        ("data_drops", sum(|s| s.data_lost)),
    ] {
        outcome.values.insert((metric, Scope::Run), value);
    }
    // The run counts local faces too, which stand in front of no link, and those that have closed.
    for (reason, metric) in reasons() {
        let count = status.iter().flatten().filter_map(|s| s.drops.get(reason.name())).sum::<u64>() as f64;
        *outcome.values.entry((metric, Scope::Run)).or_default() += count;
        if reason.is_loss() {
            *outcome.values.entry(("drops", Scope::Run)).or_default() += count;
        }
    }
}
