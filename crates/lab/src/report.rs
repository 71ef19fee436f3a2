//! A study and its results as a section of a report.

use crate::experiment::Experiment;
use crate::lookup::Means;
use crate::{charts, claims};
use weir_results::report::{Edge, Fact, Grid, Network, Role, Study, Value, Vertex};
use weir_results::stats::{confidence95, mean};
use weir_scenario::expr::Bindings;
use weir_scenario::metrics::{METRICS, MetricInfo};
use weir_scenario::plan::{Direction, Link, NoticeTimer, PartPlan, Routing, Scenario, Topology};

/// What the first table shows of each point, the first things first; those that were measured and are not all zero.
const SHOWN: [&str; 13] = [
    "goodput",
    "completion_time",
    "full_delay",
    "full_delay_p99",
    "retransmissions",
    "timeouts",
    "drops",
    "marks",
    "loss_notices",
    "recovered",
    "jain",
    "maxmin_ratio",
    "cs_hits",
];

/// What tables by flow and by link show.
const OF_FLOWS: [&str; 8] = [
    "goodput",
    "fair_share",
    "maxmin_ratio",
    "completion_time",
    "full_delay",
    "full_delay_p99",
    "retransmissions",
    "decreases",
];
const OF_LINKS: [&str; 7] = ["utilisation", "throughput", "queue_mean", "queue_max", "sojourn", "drops", "marks"];

/// Longer tables make a page heavy and are read by nobody: they are in the files of results.
const MOST_ROWS: usize = 400;

/// More different networks are not drawn.
const MOST_NETWORKS: usize = 4;

/// The section; paper, file and its text are for the caller to fill in.
pub fn report(experiment: &Experiment) -> Study {
    let study = &experiment.study;
    let runs = experiment.outcomes.iter().flatten().filter(|(_, outcome)| outcome.is_some()).count();
    let mut facts = vec![
        Fact::new("points", study.points().len().to_string()),
        Fact::new("runs", runs.to_string()),
        Fact::new("seeds", seeds(&experiment.common_seeds())),
    ];
    if experiment.is_complete() {
        facts.push(Fact::new("digest", format!("{:016x}", experiment.digest())));
    }
    Study {
        title: study.title.clone(),
        about: study.about.trim().to_owned(),
        facts,
        tables: tables(experiment),
        figures: charts(experiment),
        claims: claims(experiment),
        networks: networks(experiment),
        settings: settings(experiment),
        file: study.file.clone(),
        ..Study::default()
    }
}

/// Seeds as `--seeds` takes them: `1..5` or `1,7,9`.
fn seeds(seeds: &[u64]) -> String {
    match seeds {
        [first, .., last] if seeds.windows(2).all(|pair| pair[1] == pair[0] + 1) => format!("{first}..{last}"),
        _ => seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(","),
    }
}

fn tables(experiment: &Experiment) -> Vec<Grid> {
    let places = experiment.study.places();
    let links: Vec<String> = places.directions.clone();
    let mut tables = vec![grid("Means over seeds with 95 % confidence intervals", experiment, &SHOWN, None)];
    for (title, metrics, axis, labels) in [
        ("Flow by flow", &OF_FLOWS[..], "flow", &places.flows),
        ("Link direction by link direction", &OF_LINKS[..], "link", &links),
    ] {
        let rows = labels.len() * experiment.study.points().len();
        if labels.len() > 1 && rows <= MOST_ROWS {
            let mut table = grid(title, experiment, metrics, Some((axis, labels)));
            table.folded = true;
            tables.push(table);
        }
    }
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// A row for each point, or for each point and place; columns in which nothing was measured are left out.
fn grid(title: &str, experiment: &Experiment, metrics: &[&str], by: Option<(&str, &[String])>) -> Grid {
    let study = &experiment.study;
    let metrics: Vec<&MetricInfo> =
        metrics.iter().filter_map(|name| METRICS.iter().find(|m| m.name == *name)).collect();
    let mut rows: Vec<(Vec<Value>, Vec<Value>)> = Vec::new();
    for point in study.points() {
        let labels: Vec<Value> = point.labels.iter().map(|(_, label)| Value::Text(label.clone())).collect();
        let base: Bindings = point.labels.iter().cloned().collect();
        let places = by.map_or(vec![None], |(_, places)| places.iter().map(Some).collect());
        for place in places {
            let mut bindings = base.clone();
            if let (Some((axis, _)), Some(place)) = (by, place) {
                bindings.insert(axis.to_owned(), place.clone());
            }
            let measured: Vec<Value> = metrics.iter().map(|m| measured(experiment, m, &bindings)).collect();
            if measured.iter().any(|value| *value != Value::Missing) {
                let key = labels.iter().cloned().chain(place.map(|p| Value::Text(p.clone()))).collect();
                rows.push((key, measured));
            }
        }
    }
    let tells = |column: &usize| {
        let nothing = |value: &Value| matches!(value, Value::Missing) || *value == Value::Number(0.0, Some(0.0));
        rows.iter().any(|(_, row)| !nothing(&row[*column]) && row[*column] != Value::Number(0.0, None))
    };
    let kept: Vec<usize> = (0..metrics.len()).filter(tells).collect();
    let axes = study.axes.iter().map(|axis| (axis.name.clone(), String::new()));
    let place = by.map(|(axis, _)| (axis.to_owned(), String::new()));
    let names = kept.iter().map(|i| (metrics[*i].name.replace('_', " "), metrics[*i].unit.to_owned()));
    let row = |(key, values): (Vec<Value>, Vec<Value>)| {
        key.into_iter().chain(kept.iter().map(|i| values[*i].clone())).collect()
    };
    Grid {
        title: title.to_owned(),
        columns: axes.chain(place).chain(names).collect(),
        rows: rows.into_iter().map(row).collect(),
        folded: false,
    }
}

fn measured(experiment: &Experiment, metric: &MetricInfo, bindings: &Bindings) -> Value {
    let values = Means::all(experiment).values(metric.name, bindings);
    match values.as_deref().and_then(mean).zip(values) {
        Some((mean, values)) => Value::Number(mean, confidence95(&values)),
        None => Value::Missing,
    }
}

/// The different networks of the points: those that differ in rates or queues alone are one, shown as the first is.
fn networks(experiment: &Experiment) -> Vec<Network> {
    let all: Vec<&Scenario> = experiment.study.points().iter().map(|p| &p.scenario).collect();
    let mut known: Vec<&Topology> = Vec::new();
    let mut networks = Vec::new();
    for point in experiment.study.points() {
        let topology = &point.scenario.topology;
        let ends = |t: &Topology| t.links.iter().map(|l| (l.a, l.b)).collect::<Vec<_>>();
        let same = |other: &&Topology| other.nodes == topology.nodes && ends(other) == ends(topology);
        if networks.len() >= MOST_NETWORKS || known.iter().any(same) {
            continue;
        }
        known.push(topology);
        networks.push(network(&all, &point.scenario));
    }
    // A name is needed only where there are several.
    if let ([_, _, ..], points) = (&networks[..], experiment.study.points()) {
        for (network, topology) in networks.iter_mut().zip(known) {
            let first = points.iter().find(|p| std::ptr::eq(&raw const p.scenario.topology, topology));
            network.title = first.map(weir_scenario::Point::title).unwrap_or_default();
        }
    }
    networks
}

/// The network of a scenario. Where it stands for several, what their links have, from least to most.
pub fn network(all: &[&Scenario], scenario: &Scenario) -> Network {
    let topology = &scenario.topology;
    let role = |node: usize| {
        let asks = scenario.workloads.iter().any(|w| w.consumer == node);
        match (asks, scenario.workloads.iter().any(|w| w.producers.contains(&node))) {
            (true, true) => Role::Both,
            (true, false) => Role::Consumer,
            (false, true) => Role::Producer,
            (false, false) => Role::Router,
        }
    };
    let vertex = |(node, name): (usize, &String)| Vertex {
        name: name.clone(),
        role: role(node),
        position: topology.positions.get(node).copied().flatten(),
    };
    let fastest = topology.links.iter().map(|l| l.forward.rate.0.max(l.backward.rate.0)).max().unwrap_or(1).max(1);
    let edge = |(number, link): (usize, &Link)| Edge {
        name: link.name.clone(),
        ends: (link.a, link.b),
        label: varied(all, number, scenario),
        about: about(topology, link),
        // Rates differ by orders of magnitude: the eye gets their logarithm.
        weight: 1.0 + libm::log10(link.forward.rate.0.max(1) as f64 / fastest as f64) / 3.0,
    };
    Network {
        title: String::new(),
        vertices: topology.nodes.iter().enumerate().map(vertex).collect(),
        edges: topology.links.iter().enumerate().map(edge).collect(),
    }
}

/// Rate and delay of a link, and how far they reach where they differ between points.
fn varied(all: &[&Scenario], number: usize, scenario: &Scenario) -> String {
    let alike = |other: &&Scenario| other.topology.links.len() == scenario.topology.links.len();
    let links: Vec<&Link> = all.iter().copied().filter(alike).map(|s| &s.topology.links[number]).collect();
    let mut rates: Vec<_> = links.iter().flat_map(|l| [l.forward.rate, l.backward.rate]).collect();
    let mut delays: Vec<_> = links.iter().flat_map(|l| [l.forward.delay, l.backward.delay]).collect();
    rates.sort();
    delays.sort();
    let span = |words: Vec<String>| match (words.first(), words.last()) {
        (Some(least), Some(most)) if least != most => format!("{least} – {most}"),
        (Some(only), _) => only.clone(),
        _ => String::new(),
    };
    let rates = span(rates.iter().map(|r| spaced(&r.to_string())).collect());
    format!("{rates}, {}", span(delays.iter().map(|d| spaced(&d.to_string())).collect()))
}

/// A quantity as people write it: `10Mbps` as `10 Mbit/s`, `5ms` as `5 ms`.
fn spaced(quantity: &str) -> String {
    let end = quantity.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(quantity.len());
    let (number, unit) = quantity.split_at(end);
    format!("{number} {}", unit.replace("bps", "bit/s"))
}

fn about(topology: &Topology, link: &Link) -> String {
    let [forward, backward] = topology.directions(link);
    let side = |d: &Direction| {
        let loss = if d.loss > 0.0 { format!(", loss {}", d.loss) } else { String::new() };
        format!("{}, {}{loss}, queue {}", spaced(&d.rate.to_string()), spaced(&d.delay.to_string()), queue(d))
    };
    if link.forward == link.backward {
        return format!("{}: {} each way", link.name, side(&link.forward));
    }
    format!("{}: {forward} {}; {backward} {}", link.name, side(&link.forward), side(&link.backward))
}

fn queue(direction: &Direction) -> String {
    let text = format!("{:?}", direction.limit);
    // `Packets(100)`, `Bytes(65536)`.
    match text.split_once('(') {
        Some((unit, number)) => format!("{} {}", number.trim_end_matches(')'), unit.to_lowercase()),
        None => text.to_lowercase(),
    }
}

/// What was set at the points, defaults included: one value where it is the same everywhere, else all of them.
fn settings(experiment: &Experiment) -> Vec<Fact> {
    let mut facts: Vec<(String, Vec<String>)> = Vec::new();
    for axis in &experiment.study.axes {
        facts.push((format!("axis {}", axis.name), vec![axis.labels.join(", ")]));
    }
    for point in experiment.study.points() {
        for (name, value) in of_scenario(&point.scenario) {
            match facts.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) if values.contains(&value) => {}
                Some((_, values)) => values.push(value),
                None => facts.push((name, vec![value])),
            }
        }
    }
    facts.into_iter().map(|(name, values)| Fact::new(name, values.join(" | "))).collect()
}

fn of_scenario(scenario: &Scenario) -> Vec<(String, String)> {
    let none = || "none".to_owned();
    let part = |part: &PartPlan| {
        let settings: Vec<String> = part.settings.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        if settings.is_empty() { part.name.clone() } else { format!("{} ({})", part.name, settings.join(", ")) }
    };
    let (scheme, rules, run) = (&scenario.scheme, &scenario.consumer, &scenario.run);
    let routing = match &scenario.routing {
        Routing::Shortest => "shortest".to_owned(),
        Routing::KShortest(k) => format!("k-shortest, k = {k}"),
        Routing::Downhill => "downhill".to_owned(),
        Routing::LoopFree => "loop-free".to_owned(),
        Routing::All => "all".to_owned(),
        Routing::Explicit(routes) => format!("explicit, {} routes", routes.len()),
    };
    let timer = match rules.notice_timer {
        NoticeTimer::Keep => "keep",
        NoticeTimer::Restart => "restart",
        NoticeTimer::Stop => "stop",
    };
    let pairs = [
        ("scheme.name", scheme.name.clone()),
        ("scheme.control", part(&scheme.control)),
        ("scheme.timeout", part(&scheme.timeout)),
        ("scheme.queue", part(&scheme.queue)),
        ("scheme.host_queue", part(&scheme.host_queue)),
        ("scheme.strategy", part(&scheme.strategy)),
        ("scheme.recovery", scheme.recovery.as_ref().map_or_else(none, part)),
        ("scheme.monitor", scheme.monitor.as_ref().map_or_else(none, part)),
        ("routing", routing),
        ("consumer.lifetime", rules.lifetime.to_string()),
        ("consumer.guard", rules.guard.to_string()),
        ("consumer.notice_timer", timer.to_owned()),
        ("consumer.jitter", rules.jitter.to_string()),
        ("consumer.nack_pause", rules.nack_pause.to_string()),
        ("consumer.learn_from_late", rules.learn_from_late.to_string()),
        ("tables.cs", if scenario.tables.cs == 0 { "off".into() } else { format!("{} packets", scenario.tables.cs) }),
        ("tables.pit", scenario.tables.pit.map_or_else(|| "unbounded".into(), |n| format!("{n} entries"))),
        ("run.duration", run.duration.map_or_else(|| "until all fetches end".into(), |d| d.to_string())),
        ("run.limit", run.limit.map_or_else(none, |d| d.to_string())),
        ("run.sample", run.sample.map_or_else(none, |s| s.to_string())),
        ("nodes", scenario.topology.nodes.len().to_string()),
        ("links", scenario.topology.links.len().to_string()),
        ("workloads", scenario.workloads.len().to_string()),
    ];
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
