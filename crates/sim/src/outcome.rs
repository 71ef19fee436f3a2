//! What a run has shown, by metric and scope. Definitions of the metrics: `weir_scenario::metrics`.

use crate::collect::{Collector, Congestion, FaceStats, Fetches, FlowInfo, FlowStats, Holes, Place, WINDOW};
use crate::fetched::Numbers;
use crate::histogram::Histogram;
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use weir_core::{Departed, DropReason, FaceId, FlowId, NodeId, Reading, Span, Time};
use weir_scenario::metrics::{FETCHES, METRICS, SERIES, Scope as Kind, Total};
use weir_scenario::plan::Scenario;

/// What a number is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The whole run.
    Run,
    /// All fetches with this label.
    Flow(String),
    /// A link direction, written `from>to`, and the queue in front of it.
    Link(String),
    /// A node.
    Node(String),
    /// A congestion, counted from 1.
    Congestion(u32),
}

/// One point of a time series.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Seconds since the start.
    pub time: f64,
    /// Which reading.
    pub metric: &'static str,
    /// Of what.
    pub scope: Scope,
    /// In the metric's unit.
    pub value: f64,
}

/// The link direction that a face stands in front of.
type Faces<'a> = BTreeMap<(NodeId, FaceId), &'a String>;

/// A fetch that got all its segments.
#[derive(Clone, Debug, PartialEq)]
pub struct FetchRecord {
    /// Its flow's place in [`Outcome::fetch_flows`].
    flow: usize,
    /// As in [`Numbers`]; what nobody knows is absent.
    numbers: [Option<f64>; FETCHES.len()],
}

impl FetchRecord {
    /// What is known of it by this name (see [`FETCHES`]), in its unit.
    pub fn get(&self, metric: &str) -> Option<f64> {
        FETCHES.iter().position(|m| m.name == metric).and_then(|place| self.numbers[place])
    }
}

/// Everything that is kept of a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Numbers by metric and scope; one that could not be measured is absent.
    pub values: BTreeMap<(&'static str, Scope), f64>,
    /// Time series, in order of time.
    pub series: Vec<Sample>,
    /// Fetches in the order of their ends, if `run.fetches` asks for them.
    pub fetches: Vec<FetchRecord>,
    /// Labels of the flows that fetches belong to.
    pub fetch_flows: Vec<String>,
    /// Hash of every packet's way.
    pub digest: u64,
}

impl Outcome {
    /// The number for a metric and scope.
    pub fn get(&self, metric: &'static str, scope: Scope) -> Option<f64> {
        self.values.get(&(metric, scope)).copied()
    }

    /// The label of the flow of a fetch.
    pub fn flow_of(&self, fetch: &FetchRecord) -> &str {
        &self.fetch_flows[fetch.flow]
    }

    /// Reads a finished world. `nodes` and `links` are names in the order of the world's numbers.
    pub fn of(world: &World, nodes: &[String], links: &[String]) -> Outcome {
        let mut outcome = Outcome { digest: world.digest(), ..Outcome::default() };
        let seconds = world.now().seconds();
        outcome.put("duration", Scope::Run, seconds);
        outcome.put("events", Scope::Run, world.events() as f64);
        outcome.put("packet_hops", Scope::Run, world.packet_hops() as f64);
        outcome.flows(world.collector(), world.now());
        outcome.congestions(&world.collector().congestions);
        let readings: Vec<Vec<Reading>> = (0..nodes.len()).map(|node| readings(world, node as u32)).collect();
        outcome.links(world, links, &readings, seconds);
        let faces: Faces<'_> =
            world.links().zip(links).map(|((spec, ..), name)| ((NodeId(spec.from), spec.from_face), name)).collect();
        outcome.nodes(nodes, &readings, &faces, seconds);
        outcome.totals();
        outcome.take_series(world, nodes, &faces);
        outcome.take_fetches(world.collector());
        outcome
    }

    /// What consumers have told a collector until `now`, without a world around them: flows, congestions, fairness and records
    /// of fetches. What the network has lost, consumers do not know.
    pub fn of_consumers(collector: &Collector, scenario: &Scenario, now: Time) -> Outcome {
        let mut outcome = Outcome::default();
        outcome.put("duration", Scope::Run, now.seconds());
        outcome.flows(collector, now);
        outcome.congestions(&collector.congestions);
        outcome.take_fetches(collector);
        if let Some(place) = FETCHES.iter().position(|m| m.name == "data_drops") {
            outcome.fetches.iter_mut().for_each(|fetch| fetch.numbers[place] = None);
        }
        outcome.judge(scenario, collector, now);
        outcome
    }

    pub(crate) fn put(&mut self, metric: &'static str, scope: Scope, value: f64) {
        self.values.insert((metric, scope), value);
    }

    fn flows(&mut self, collector: &Collector, now: Time) {
        let all: Vec<Fetch<'_>> = collector.infos.iter().zip(&collector.flows).collect();
        let mut groups: BTreeMap<&str, Vec<Fetch<'_>>> = BTreeMap::new();
        for (info, stats) in &all {
            groups.entry(&info.label).or_default().push((info, stats));
        }
        for (label, group) in &groups {
            self.flow_group(Scope::Flow((*label).into()), group, now);
        }
        self.flow_group(Scope::Run, &all, now);
    }

    /// Several fetches as one flow.
    fn flow_group(&mut self, scope: Scope, group: &[Fetch<'_>], now: Time) {
        let sum = |count: fn(&FlowStats) -> u64| group.iter().map(|(_, f)| count(f)).sum::<u64>() as f64;
        self.put("delivered", scope.clone(), sum(|f| f.delivered));
        self.put("requests", scope.clone(), sum(|f| f.requests));
        self.put("retransmissions", scope.clone(), sum(|f| f.retransmissions));
        self.put("timeouts", scope.clone(), sum(|f| f.timeouts));
        self.put("refusals", scope.clone(), sum(|f| f.refusals));
        self.put("decreases", scope.clone(), sum(|f| f.decreases));
        self.put("marked", scope.clone(), sum(|f| f.marked));
        let first = group.iter().filter_map(|(_, f)| f.first_request).min();
        let ends: Option<Vec<Time>> = group.iter().map(|(_, f)| f.completed).collect();
        if let (Some(first), Some(end)) = (first, ends.and_then(|e| e.into_iter().max())) {
            self.put("completion_time", scope.clone(), end.since(first).seconds());
        }
        // Goodput counts from the first request to the end of the last fetch, or of the run.
        let until = group.iter().map(|fetch| end_of(*fetch, now)).max();
        let active = until.zip(first).map_or(Span::ZERO, |(until, first)| until.since(first));
        if active > Span::ZERO {
            self.put("goodput", scope.clone(), sum(|f| f.payload) * 8.0 / active.seconds() / 1e6);
        }
        self.put("goodput_peak", scope.clone(), peak(group) as f64 * 8.0 / WINDOW.seconds() / 1e6);
        self.late(&scope, group);
        self.fetches(&scope, group);
        self.delays(scope, group);
    }

    /// Segments that others overtook, of fetches whose segments have an order.
    fn late(&mut self, scope: &Scope, group: &[Fetch<'_>]) {
        let holes: Vec<&Holes> = group.iter().filter_map(|(_, f)| f.holes.as_ref()).collect();
        if holes.is_empty() {
            return;
        }
        let late = holes.iter().map(|h| h.late).sum::<u64>() as f64;
        self.put("late", scope.clone(), late);
        if late > 0.0 {
            let millis = |span: fn(&Holes) -> Span| holes.iter().map(|h| span(h).millis()).sum::<f64>() / late;
            self.put("accumulation_time", scope.clone(), millis(|h| h.accumulation));
            self.put("late_delay", scope.clone(), millis(|h| h.late_delay));
        }
    }

    /// Fetches begun and ended; one that is a flow of its own counts as one.
    fn fetches(&mut self, scope: &Scope, group: &[Fetch<'_>]) {
        let mut all = Fetches::default();
        for (info, stats) in group {
            if info.many {
                all.add(&stats.fetches);
            } else if let Some(first) = stats.first_request {
                all.began += 1;
                if let Some(end) = stats.completed {
                    all.fetched += 1;
                    all.time.add(end.since(first));
                }
            }
        }
        self.put("fetches_started", scope.clone(), all.began as f64);
        self.put("fetches_completed", scope.clone(), all.fetched as f64);
        self.put("fetches_failed", scope.clone(), all.abandoned as f64);
        let spans = [
            ("fetch_time", all.time.mean()),
            ("fetch_time_p50", all.time.percentile(0.50)),
            ("fetch_time_p95", all.time.percentile(0.95)),
            ("fetch_time_p99", all.time.percentile(0.99)),
        ];
        for (metric, value) in spans {
            if let Some(value) = value {
                self.put(metric, scope.clone(), value * 1e3);
            }
        }
    }

    fn delays(&mut self, scope: Scope, group: &[Fetch<'_>]) {
        let (mut full, mut last) = (Histogram::default(), Histogram::default());
        for (_, flow) in group {
            full.merge(&flow.delay);
            full.merge(&flow.full_delay);
            last.merge(&flow.delay);
            last.merge(&flow.last_delay);
        }
        let millis = [
            ("full_delay", full.mean()),
            ("last_delay", last.mean()),
            ("full_delay_p50", full.percentile(0.50)),
            ("full_delay_p95", full.percentile(0.95)),
            ("full_delay_p99", full.percentile(0.99)),
        ];
        for (metric, value) in millis {
            if let Some(value) = value {
                self.put(metric, scope.clone(), value * 1e3);
            }
        }
    }

    fn congestions(&mut self, congestions: &[Congestion]) {
        self.put("congestions", Scope::Run, congestions.len() as f64);
        for (congestion, n) in congestions.iter().zip(1..) {
            let scope = Scope::Congestion(n);
            self.put("congestion_start", scope.clone(), congestion.start.seconds());
            self.put("congestion_refusals", scope.clone(), congestion.refusals as f64);
            self.put("congestion_decreases", scope.clone(), congestion.decreases as f64);
            if congestion.lowest.is_finite() {
                self.put("congestion_lowest", scope.clone(), congestion.lowest);
            }
            self.put("congestion_hold", scope, congestion.hold.millis());
        }
    }

    fn links(&mut self, world: &World, names: &[String], readings: &[Vec<Reading>], seconds: f64) {
        let collector = world.collector();
        let departed = departed(readings);
        for (name, (spec, counters, _)) in names.iter().zip(world.links()) {
            let scope = Scope::Link(name.clone());
            let stats = |node: u32, face: FaceId| collector.faces[node as usize].get(face.index());
            let mut face = stats(spec.from, spec.from_face).cloned().unwrap_or_default();
            let departed = departed.get(&(spec.from, spec.from_face)).copied().unwrap_or_default();
            // What was turned away on arrival had come over the link; what this node turned away had come the other way.
            for reason in DropReason::ALL.into_iter().filter(|reason| reason.is_on_arrival()) {
                face.drops[reason as usize] = stats(spec.to, spec.to_face).map_or(0, |f| f.drops[reason as usize]);
            }
            self.put("link_packets", scope.clone(), counters.packets as f64);
            if seconds > 0.0 {
                self.put("throughput", scope.clone(), counters.bytes as f64 * 8.0 / seconds / 1e6);
                self.put("utilisation", scope.clone(), counters.busy.seconds() / seconds);
                // Little's law: what waited, weighted by how long, over the time there was.
                let waited = (departed.sojourn + face.dropped_sojourn) as f64 / 1e9;
                self.put("queue_mean", scope.clone(), waited / seconds);
            }
            self.sojourn(scope.clone(), &departed);
            self.face(scope, &face);
        }
        // The run counts local faces too, which stand in front of no link.
        let mut total = FaceStats::default();
        collector.faces.iter().flatten().for_each(|face| add(&mut total, face));
        self.face(Scope::Run, &total);
        let all = departed.values().fold(Departed::default(), |all, of| Departed {
            data: all.data + of.data,
            data_sojourn: all.data_sojourn + of.data_sojourn,
            sojourn: all.sojourn + of.sojourn,
        });
        self.sojourn(Scope::Run, &all);
    }

    fn sojourn(&mut self, scope: Scope, departed: &Departed) {
        if departed.data > 0 {
            self.put("sojourn", scope, departed.data_sojourn as f64 / departed.data as f64 / 1e6);
        }
    }

    fn face(&mut self, scope: Scope, face: &FaceStats) {
        let losses = DropReason::ALL.iter().filter(|r| r.is_loss()).map(|r| face.drops[*r as usize]).sum::<u64>();
        self.put("drops", scope.clone(), losses as f64);
        for reason in DropReason::ALL {
            self.put(drop_metric(reason), scope.clone(), face.drops[reason as usize] as f64);
        }
        self.put("data_drops", scope.clone(), face.data_drops as f64);
        self.put("marks", scope.clone(), face.marks as f64);
        self.put("nacks", scope.clone(), face.nacks as f64);
        self.put("loss_notices", scope.clone(), face.loss_notices as f64);
        self.put("recovered", scope.clone(), face.recovered as f64);
        if face.recovered > 0 {
            self.put("recovery_time", scope, face.stored as f64 / face.recovered as f64 / 1e6);
        }
    }

    fn nodes(&mut self, names: &[String], readings: &[Vec<Reading>], faces: &Faces<'_>, seconds: f64) {
        for (i, (name, readings)) in names.iter().zip(readings).enumerate() {
            let scope = || Scope::Node(name.clone());
            for reading in readings {
                match *reading {
                    Reading::Pit { peak, area, .. } => {
                        self.put("pit_max", scope(), peak as f64);
                        if seconds > 0.0 {
                            self.put("pit_mean", scope(), area / seconds);
                        }
                    }
                    Reading::Cs { hits, misses, .. } => {
                        self.put("cs_hits", scope(), hits as f64);
                        self.put("cs_misses", scope(), misses as f64);
                    }
                    Reading::Queue { face, peak, .. } => {
                        if let Some(link) = faces.get(&(NodeId(i as u32), face)) {
                            self.put("queue_max", Scope::Link((*link).clone()), peak as f64);
                        }
                    }
                    Reading::Hop { .. } | Reading::Flow { .. } => {}
                }
            }
        }
    }

    /// Adds the numbers of the run of what is measured for each link, node or congestion, where there are none yet.
    pub fn totals(&mut self) {
        for metric in METRICS.iter().filter(|m| matches!(m.scope, Kind::Link | Kind::Node | Kind::Congestion)) {
            if self.get(metric.name, Scope::Run).is_some() {
                continue;
            }
            let places =
                self.values.range((metric.name, Scope::Run)..).take_while(|((name, _), _)| *name == metric.name);
            let values: Vec<f64> = places.map(|(_, value)| *value).collect();
            if let Some(value) = combined(metric.total, &values) {
                self.put(metric.name, Scope::Run, value);
            }
        }
    }

    fn take_fetches(&mut self, collector: &Collector) {
        if let Some(fetched) = &collector.fetches {
            self.fetch_flows = collector.labels().map(String::from).collect();
            let record =
                |(flow, numbers): &(FlowId, Numbers)| FetchRecord { flow: flow.0 as usize, numbers: numbers.map(Some) };
            self.fetches = fetched.records.iter().map(record).collect();
        }
    }

    fn take_series(&mut self, world: &World, nodes: &[String], faces: &Faces<'_>) {
        let collector = world.collector();
        let label = |flow: FlowId| collector.infos[flow.0 as usize].label.clone();
        let series = collector.samples.iter().filter_map(|s| {
            let scope = match s.place {
                Place::Flow(flow) => Scope::Flow(label(flow)),
                Place::Face(node, face) => Scope::Link((*faces.get(&(node, face))?).clone()),
                Place::Node(node) => Scope::Node(nodes[node.0 as usize].clone()),
            };
            Some(Sample { time: s.time.seconds(), metric: s.what, scope, value: s.value })
        });
        self.series = if has_shared_labels(&collector.infos) { merged(series) } else { series.collect() };
    }
}

/// A fetch: what was known before, and what it did.
pub(crate) type Fetch<'a> = (&'a FlowInfo, &'a FlowStats);

/// When a fetch has got everything or its consumer gave up; else now.
pub(crate) fn end_of((info, stats): Fetch<'_>, now: Time) -> Time {
    stats.completed.unwrap_or_else(|| info.stop.map_or(now, |stop| stop.min(now)))
}

/// Most payload within one window, of all fetches together.
fn peak(group: &[Fetch<'_>]) -> u64 {
    let mut sums: BTreeMap<u64, u64> = BTreeMap::new();
    for (window, payload) in group.iter().flat_map(|(_, f)| &f.windows.0) {
        *sums.entry(*window).or_default() += payload;
    }
    sums.into_values().max().unwrap_or(0)
}

fn has_shared_labels(infos: &[FlowInfo]) -> bool {
    let labels: BTreeSet<&str> = infos.iter().map(|i| i.label.as_str()).collect();
    labels.len() < infos.len()
}

/// Fetches with one label are one flow: their samples of one time become one.
fn merged(series: impl Iterator<Item = Sample>) -> Vec<Sample> {
    let mut groups: Vec<(Sample, Vec<f64>)> = Vec::new();
    let mut places: BTreeMap<(&'static str, Scope), usize> = BTreeMap::new();
    for sample in series {
        if groups.last().is_some_and(|(last, _)| last.time != sample.time) {
            places.clear();
        }
        match places.get(&(sample.metric, sample.scope.clone())) {
            Some(i) => groups[*i].1.push(sample.value),
            None => {
                places.insert((sample.metric, sample.scope.clone()), groups.len());
                groups.push((sample.clone(), vec![sample.value]));
            }
        }
    }
    let one = |(sample, values): (Sample, Vec<f64>)| {
        let total = SERIES.iter().find(|m| m.name == sample.metric).map_or(Total::Sum, |m| m.total);
        Sample { value: combined(total, &values).unwrap_or(sample.value), ..sample }
    };
    groups.into_iter().map(one).collect()
}

/// One number for several places.
fn combined(total: Total, values: &[f64]) -> Option<f64> {
    match total {
        _ if values.is_empty() => None,
        Total::Sum => Some(values.iter().sum()),
        Total::Mean => Some(values.iter().sum::<f64>() / values.len() as f64),
        Total::Max => values.iter().copied().reduce(f64::max),
        Total::Min => values.iter().copied().reduce(f64::min),
    }
}

/// What a node says of itself at the end.
fn readings(world: &World, node: u32) -> Vec<Reading> {
    let mut readings = Vec::new();
    world.machine(node).inspect(world.now(), &mut |reading| readings.push(reading));
    readings
}

/// What has left each queue, by node and face.
fn departed(readings: &[Vec<Reading>]) -> BTreeMap<(u32, FaceId), Departed> {
    let of = |(node, readings)| {
        let readings: &Vec<Reading> = readings;
        readings.iter().filter_map(move |reading| match reading {
            Reading::Queue { face, departed, .. } => Some(((node as u32, *face), *departed)),
            _ => None,
        })
    };
    readings.iter().enumerate().flat_map(of).collect()
}

fn add(total: &mut FaceStats, face: &FaceStats) {
    total.data_drops += face.data_drops;
    total.marks += face.marks;
    total.nacks += face.nacks;
    total.loss_notices += face.loss_notices;
    total.recovered += face.recovered;
    total.stored += face.stored;
    for (sum, n) in total.drops.iter_mut().zip(face.drops) {
        *sum += n;
    }
}

/// The metric that counts drops for one reason.
pub fn drop_metric(reason: DropReason) -> &'static str {
    match reason {
        DropReason::QueueFull => "drops_queue_full",
        DropReason::QueueManagement => "drops_queue_management",
        DropReason::LinkLoss => "drops_link_loss",
        DropReason::LinkDown => "drops_link_down",
        DropReason::HopLimit => "drops_hop_limit",
        DropReason::DuplicateNonce => "drops_duplicate_nonce",
        DropReason::Suppressed => "drops_suppressed",
        DropReason::NoRoute => "drops_no_route",
        DropReason::Strategy => "drops_strategy",
        DropReason::PitFull => "drops_pit_full",
        DropReason::Unsolicited => "drops_unsolicited",
        DropReason::Unwanted => "drops_unwanted",
        DropReason::StoreFull => "drops_store_full",
        DropReason::StoreExpired => "drops_store_expired",
        DropReason::NodeRestart => "drops_node_restart",
        _ => "drops_other",
    }
}
