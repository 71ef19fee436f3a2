//! From the runs of a study to means, tables, figures and claims.

use std::sync::atomic::AtomicBool;
use weir_lab::{Experiment, Means, Runner, Seeds, charts, claims, tables};
use weir_results::chart::Kind;
use weir_results::score::{Expectation, Verdict, verdict};
use weir_results::stats::{confidence95, mean};
use weir_results::table::{Cell, Table};
use weir_scenario::Study;
use weir_scenario::expr::{Bindings, Lookup};
use weir_scenario::metrics::METRICS;
use weir_sim::Scope;

/// Two axes, three seeds, two consumers; `control=cbr` does not end with its content.
const FILE: &str = r#"
title = "Two consumers"

[topology]
dumbbell = { flows = 2, bottleneck = "5Mbps", delay = "5ms", queue = "10p", loss = 0.01 }

[[workload]]
fetch = { segments = 300, start = "0s..100ms" }

[scheme]
name = "cubic"

[run]
duration = "4s"
seeds = "1..3"
quick_seeds = "7..8"

[[vary]]
name = "control"
set = "scheme.control"
values = { cubic = "cubic", cbr = { name = "cbr", rate = "0.3Mbps" } }

[[vary]]
name = "queue"
set = "topology.dumbbell.queue"
values = { "5" = "5p", "10" = "10p", "20" = "20p" }
"#;

fn study(more: &str) -> Study {
    Study::parse("test.toml", &format!("{FILE}{more}"), &[]).unwrap_or_else(|problems| panic!("{problems}"))
}

fn run_with(study: Study, seeds: Seeds, jobs: usize, stop: bool) -> Experiment {
    let stop = AtomicBool::new(stop);
    Runner { jobs, seeds, stop: &stop, progress: &() }.run(study).expect("a checked study can be run")
}

fn run(more: &str) -> Experiment {
    run_with(study(more), Seeds::Ordinary, 2, false)
}

fn bound(pairs: &[(&str, &str)]) -> Bindings {
    pairs.iter().map(|(axis, label)| (axis.to_string(), label.to_string())).collect()
}

/// Numbers of each seed at the point of `queue` under CUBIC.
fn of_seeds(experiment: &Experiment, queue: &str, metric: &'static str, scope: &Scope) -> Vec<f64> {
    let wanted = |labels: &[(String, String)]| labels[0].1 == "cubic" && labels[1].1 == queue;
    let place = experiment.study.points().iter().position(|p| wanted(&p.labels)).unwrap();
    let runs = &experiment.outcomes[place];
    runs.iter().map(|(_, outcome)| outcome.as_ref().unwrap().get(metric, scope.clone()).unwrap()).collect()
}

fn table<'t>(tables: &'t [weir_lab::TableFile], name: &str) -> &'t Table {
    &tables.iter().find(|t| t.name == name).unwrap_or_else(|| panic!("no table {name}")).table
}

fn text(cell: &Cell) -> String {
    cell.to_csv()
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let [one, two, seven] = [1, 2, 7].map(|jobs| run_with(study(""), Seeds::Ordinary, jobs, false));
    let rows = |e: &Experiment| tables(e).iter().map(|t| t.table.rows.clone()).collect::<Vec<_>>();
    assert_eq!(one.digest(), two.digest());
    assert_eq!(one.digest(), seven.digest());
    assert_eq!(rows(&one), rows(&two));
    assert_eq!(rows(&one), rows(&seven));
}

#[test]
fn a_study_runs_with_the_seeds_that_are_asked_for() {
    let stop = AtomicBool::new(false);
    for (seeds, expected) in
        [(Seeds::Ordinary, vec![1, 2, 3]), (Seeds::Quick, vec![7, 8]), (Seeds::These(vec![5, 2]), vec![5, 2])]
    {
        let runner = Runner { jobs: 2, seeds, stop: &stop, progress: &() };
        assert_eq!(runner.runs(&study("")), 6 * expected.len());
        let experiment = runner.run(study("")).unwrap();
        assert_eq!(experiment.common_seeds(), expected);
        assert!(experiment.is_complete());
        for runs in &experiment.outcomes {
            assert_eq!(runs.iter().map(|(seed, _)| *seed).collect::<Vec<_>>(), expected);
        }
    }
}

#[test]
fn what_was_not_run_is_missing_everywhere() {
    let experiment = run_with(study(""), Seeds::Ordinary, 2, true);
    assert!(!experiment.is_complete());
    assert!(experiment.outcomes.iter().flatten().all(|(_, outcome)| outcome.is_none()));
    assert!(tables(&experiment).iter().all(|t| t.table.rows.is_empty()));
    let point = bound(&[("control", "cubic"), ("queue", "5")]);
    assert_eq!(Means::all(&experiment).value("goodput", &point), None);
}

#[test]
fn a_measure_is_the_mean_over_the_seeds() {
    let experiment = run("");
    let point = bound(&[("control", "cubic"), ("queue", "5")]);
    for metric in ["goodput", "full_delay", "drops", "pit_max", "duration"] {
        let values = of_seeds(&experiment, "5", metric, &Scope::Run);
        assert_eq!(Means::all(&experiment).value(metric, &point), mean(&values), "{metric}");
        assert_eq!(Means::all(&experiment).values(metric, &point), Some(values.clone()), "{metric}");
        for (seed, value) in [1, 2, 3].into_iter().zip(values) {
            assert_eq!(Means::of_seed(&experiment, seed).value(metric, &point), Some(value), "{metric}");
        }
    }
    assert_eq!(Means::all(&experiment).value("no_such_metric", &point), None);
    assert_eq!(Means::all(&experiment).value("goodput", &bound(&[("control", "cubic")])), None, "which queue?");
}

#[test]
fn a_measure_selects_a_flow_a_node_a_link_or_one_direction_of_it() {
    let experiment = run("");
    let value = |metric: &str, axis: &str, label: &str| {
        Means::all(&experiment).value(metric, &bound(&[("control", "cubic"), ("queue", "10"), (axis, label)])).unwrap()
    };
    let of = |metric, scope| mean(&of_seeds(&experiment, "10", metric, &scope)).unwrap();
    let link = |direction: &str| Scope::Link(direction.into());
    assert_eq!(value("goodput", "flow", "c2"), of("goodput", Scope::Flow("c2".into())));
    assert_eq!(value("pit_max", "node", "r2"), of("pit_max", Scope::Node("r2".into())));
    assert_eq!(value("drops", "link", "r2>r1"), of("drops", link("r2>r1")));
    // Both directions of a link: the sum, the greater, the mean.
    let both = |metric| [of(metric, link("r1>r2")), of(metric, link("r2>r1"))];
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} is not {b}");
    near(value("link_packets", "link", "bottleneck"), both("link_packets").iter().sum());
    near(value("utilisation", "link", "bottleneck"), both("utilisation").iter().sum::<f64>() / 2.0);
    near(value("queue_max", "link", "bottleneck"), both("queue_max")[1]);
    // A flow does not narrow what is measured for links.
    assert_eq!(value("drops", "flow", "c1"), of("drops", Scope::Run));
}

#[test]
fn a_value_that_one_seed_lacks_is_lacking() {
    // Four seconds at 0.3 Mbit/s are 144 of 300 segments: no fetch ends, so there is no completion time.
    let experiment = run("");
    let cbr = bound(&[("control", "cbr"), ("queue", "5")]);
    assert_eq!(Means::all(&experiment).value("completion_time", &cbr), None);
    assert!(Means::all(&experiment).value("goodput", &cbr).is_some());
    let cubic = bound(&[("control", "cubic"), ("queue", "5")]);
    assert!(Means::all(&experiment).value("completion_time", &cubic).is_some());
    // Nor is there a number for a link if neither of its directions has one.
    let link = bound(&[("control", "cubic"), ("queue", "5"), ("link", "bottleneck")]);
    assert_eq!(Means::all(&experiment).value("recovery_time", &link), None);
}

#[test]
fn tables_have_a_row_for_each_run_flow_link_direction_and_router() {
    let experiment = run("");
    let tables = tables(&experiment);
    let rows = |name| table(&tables, name).rows.len();
    let runs = 6 * 3;
    assert_eq!(["runs", "flows", "links", "nodes"].map(rows), [runs, runs * 2, runs * 10, runs * 2]);
    assert_eq!(tables.len(), 5, "no series without samples");
    let runs = table(&tables, "runs");
    let column = |name: &str| runs.columns.iter().position(|c| c.name == name).unwrap_or_else(|| panic!("no {name}"));
    for metric in METRICS {
        let place = column(metric.name);
        assert_eq!(runs.columns[place].unit, metric.unit);
        assert!(!runs.columns[place].about.is_empty());
        assert_eq!(
            // The run of row 9 neither ends its fetch nor cuts a window.
            ["completion_time", "congestion_lowest"].contains(&metric.name) || metric.name.starts_with("fetch_time"),
            runs.rows[9][place] == Cell::Missing && runs.rows[0][place] != Cell::Missing,
            "{}",
            metric.name
        );
    }
    assert!(runs.columns.iter().all(|c| !c.about.is_empty()));
    assert_eq!(["control", "queue", "seed"].map(|name| text(&runs.rows[4][column(name)])), ["cubic", "10", "2"]);
    let digest = text(&runs.rows[0][column("digest")]);
    assert_eq!(digest, format!("{:016x}", experiment.outcomes[0][0].1.as_ref().unwrap().digest));
    for table in &tables {
        assert!(table.table.rows.iter().all(|row| row.len() == table.table.columns.len()), "{}", table.name);
    }
}

#[test]
fn samples_go_into_a_table_of_their_own() {
    let text = FILE.replace("duration = \"4s\"", "duration = \"500ms\"\nsample = \"100ms\"");
    let study = Study::parse("test.toml", &text, &[]).unwrap();
    let experiment = run_with(study, Seeds::These(vec![1]), 2, false);
    let tables = tables(&experiment);
    let series = table(&tables, "series");
    let names: Vec<&str> = series.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["control", "queue", "seed", "time", "metric", "of", "value"]);
    // At each of the 6 times and 6 points: 10 queues, 2 tables of pending Interests, and the flows that have begun.
    let of = |metric: &str| series.rows.iter().filter(|row| row[4] == Cell::from(metric)).count();
    assert_eq!((of("queue"), of("pit")), (360, 72));
    assert!(of("in_flight") > 40);
}

#[test]
fn figures_have_means_with_confidence_intervals() {
    let experiment = run(r#"
[[figure]]
id = "lines"
x = "queue"
y = "full_delay"
by = "control"

[[figure]]
id = "bars"
x = "control"
y = "goodput"
by = "flow"
fix = { queue = "10" }
kind = "bars"

[[figure]]
id = "cdf"
kind = "cdf"
y = "full_delay"
by = "queue"
fix = { control = "cubic" }
"#);
    let charts = charts(&experiment);
    let [(_, lines), (_, bars), (_, cdf)] = &charts[..] else { panic!("three figures") };
    let labels = |chart: &weir_results::chart::Chart| chart.series.iter().map(|s| s.label.clone()).collect::<Vec<_>>();
    assert_eq!(labels(lines), ["cubic", "cbr"]);
    assert_eq!((lines.kind, bars.kind, cdf.kind), (Kind::Line, Kind::GroupedBars, Kind::Cdf));
    for (point, queue) in lines.series[0].points.iter().zip(["5", "10", "20"]) {
        let values = of_seeds(&experiment, queue, "full_delay", &Scope::Run);
        assert_eq!(point.x, queue.parse::<f64>().unwrap());
        assert_eq!(Some(point.y), mean(&values));
        let half = confidence95(&values).unwrap();
        let (low, high) = (point.low.unwrap(), point.high.unwrap());
        assert!((low - (point.y - half)).abs() < 1e-9 && (high - (point.y + half)).abs() < 1e-9);
    }
    assert_eq!(labels(bars), ["c1", "c2"]);
    assert_eq!(bars.series[0].points.len(), 2);
    assert_eq!(labels(cdf), ["5", "10", "20"]);
    assert!(cdf.series.iter().all(|s| s.points.len() >= 3));
}

#[test]
fn claims_are_measured_on_means_and_scored() {
    let experiment = run(r#"
[[claim]]
id = "A"
says = "CUBIC is faster than 0.3 Mbit/s for each"
where = "somewhere"
why = "Because."
expected = 1
tolerance = 0.5
measure = "goodput[cubic, queue=10] / goodput[cubic, queue=10]"

[[claim]]
id = "B"
says = "of two statements one is true"
tolerance = "order"

[[claim.part]]
label = "true"
holds = "goodput[cubic, queue=5] > goodput[cbr, queue=5]"

[[claim.part]]
label = "false"
holds = "goodput[cubic, queue=5] < goodput[cbr, queue=5]"

[[claim]]
id = "C"
says = "what does not end has no completion time"
at_least = 1
measure = "completion_time[cbr, queue=5]"

[[claim]]
id = "D"
says = "a mean has a spread"
at_most = 1e9
measure = "full_delay[cubic, queue=20]"
"#);
    let claims = claims(&experiment);
    let verdicts: Vec<Verdict> = claims.iter().map(verdict).collect();
    assert_eq!(verdicts, [Verdict::Reproduced, Verdict::Partly, Verdict::Missing, Verdict::Reproduced]);
    let [a, b, c, d] = &claims[..] else { panic!("four claims") };
    assert_eq!((a.id.as_str(), a.at.as_str(), a.why.as_str()), ("A", "somewhere", "Because."));
    assert_eq!(a.parts[0].measured, Some(1.0));
    assert_eq!(b.parts.iter().map(|p| p.measured).collect::<Vec<_>>(), [Some(1.0), Some(0.0)]);
    assert!(b.parts.iter().all(|p| p.expectation == Expectation::Holds && p.spread.is_none()));
    assert_eq!((c.parts[0].measured, c.parts[0].spread), (None, None));
    assert!(c.why.contains("completion_time"), "{:?} does not say what is missing", c.why);
    let values = of_seeds(&experiment, "20", "full_delay", &Scope::Run);
    assert_eq!((d.parts[0].measured, d.parts[0].spread), (mean(&values), confidence95(&values)));
}

#[test]
fn the_summary_has_means_deviations_and_intervals() {
    let experiment = run("");
    let tables = tables(&experiment);
    let summary = table(&tables, "summary");
    let place = |name: &str| summary.columns.iter().position(|c| c.name == name).unwrap();
    let row = summary.rows.iter().find(|row| {
        [("control", "cubic"), ("queue", "10"), ("metric", "drops")].iter().all(|(c, v)| text(&row[place(c)]) == *v)
    });
    let row = row.expect("a row for each point and metric");
    let number = |name: &str| match row[place(name)] {
        Cell::Number(number) => number,
        ref other => panic!("{name}: {other:?}"),
    };
    let drops = of_seeds(&experiment, "10", "drops", &Scope::Run);
    let (mean, half) = (mean(&drops).unwrap(), confidence95(&drops).unwrap());
    assert_eq!((text(&row[place("n")]).as_str(), text(&row[place("unit")]).as_str()), ("3", "packets"));
    assert_eq!((number("mean"), number("ci95")), (mean, half));
    assert_eq!((number("low"), number("high")), (mean - half, mean + half));
    // Of three runs: t = 4.303 with two degrees of freedom.
    assert!((number("ci95") / number("sd") - 4.303 / 3f64.sqrt()).abs() < 1e-3);
    // Under `cbr` no fetch ends, so no point of it has a completion time.
    let unfinished =
        |row: &&Vec<Cell>| text(&row[place("control")]) == "cbr" && text(&row[place("metric")]) == "completion_time";
    assert!(!summary.rows.iter().any(|row| unfinished(&row)));
}

#[test]
fn one_run_has_a_mean_and_no_interval() {
    let experiment = run_with(study(""), Seeds::These(vec![4]), 2, false);
    let tables = tables(&experiment);
    let summary = table(&tables, "summary");
    let missing = |name: &str| {
        let place = summary.columns.iter().position(|c| c.name == name).unwrap();
        summary.rows.iter().all(|row| row[place] == Cell::Missing)
    };
    assert!(["sd", "ci95", "low", "high"].into_iter().all(missing) && !missing("mean") && !missing("n"));
}

#[test]
fn every_table_fits_its_columns() {
    let text = FILE.replace("[run]", "[run]\nsample = \"500ms\"");
    let mut study = Study::parse("test.toml", &text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    study.axes[0].name = "seed".into();
    let experiment = run_with(study, Seeds::Quick, 2, false);
    for file in tables(&experiment) {
        let bytes = file.table.to_parquet().unwrap_or_else(|cause| panic!("{}: {cause}", file.name));
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
        let names: std::collections::BTreeSet<&str> = file.table.columns.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names.len(), file.table.columns.len(), "{}", file.name);
    }
}
