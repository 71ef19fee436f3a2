//! Figures over time draw what their measure says: one flow, one queue, or all of them taken together.

use std::sync::atomic::AtomicBool;
use weir_lab::{Experiment, Runner, Seeds, charts};
use weir_results::chart::Series;
use weir_scenario::Study;

const FILE: &str = r#"
[topology]
dumbbell = { flows = 2, bottleneck = "5Mbps", delay = "10ms", queue = "20p" }

[[workload]]
fetch = { size = "200kB" }

[run]
duration = "1s"
sample = "50ms"

[[vary]]
name = "scheme"
set = "scheme"
values = ["icp", "pcon"]
"#;

/// What a figure of `FILE` with these lines draws.
fn curves(lines: &str) -> Vec<Series> {
    let text = format!("{FILE}\n[[figure]]\nid = \"f\"\nx = \"time\"\n{lines}\n");
    let study = Study::parse("test.toml", &text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    let runner = Runner { jobs: 1, seeds: Seeds::Ordinary, stop: &AtomicBool::new(false), progress: &() };
    let experiment: Experiment = runner.run(study).expect("a checked study can be built");
    charts(&experiment).remove(0).1.series
}

fn heights(series: &Series) -> Vec<f64> {
    series.points.iter().map(|p| p.y).collect()
}

#[test]
fn a_selector_in_the_measure_is_the_same_as_a_fixed_label() {
    let selected = curves("y = \"queue[link='r2>r1']\"\nby = \"scheme\"");
    let fixed = curves("y = \"queue\"\nfix = { link = \"r2>r1\" }\nby = \"scheme\"");
    assert_eq!(selected, fixed);
    assert_eq!(selected.len(), 2);
    assert!(heights(&selected[0]).iter().any(|y| *y > 0.0), "the bottleneck's queue is never empty");
}

#[test]
fn every_moment_is_drawn_once() {
    for lines in
        ["y = \"window\"\nby = \"scheme\"", "y = \"queue[icp]\"\nby = \"link\"", "y = \"pit[pcon]\"\nby = \"node\""]
    {
        for series in curves(lines) {
            assert!(series.points.is_sorted_by(|a, b| a.x < b.x), "{lines}: {}", series.label);
        }
    }
}

#[test]
fn without_a_flow_the_windows_are_added_up() {
    let all = &curves("y = \"window[icp]\"")[0];
    let added = &curves("y = \"window[icp, flow=c1] + window[icp, flow=c2]\"")[0];
    let common = all.points.iter().filter(|p| added.points.iter().any(|q| q.x == p.x));
    assert!(added.points.len() > 3);
    assert_eq!(common.map(|p| p.y).collect::<Vec<_>>(), heights(added));
}

#[test]
fn a_link_means_both_of_its_directions() {
    let link = &curves("y = \"queue[icp, link=bottleneck]\"")[0];
    let directions = &curves("y = \"queue[icp, link='r1>r2'] + queue[icp, link='r2>r1']\"")[0];
    assert_eq!(heights(link), heights(directions));
    let by = curves("y = \"queue[icp]\"\nby = \"link\"");
    let found = by.iter().find(|s| s.label == "bottleneck").expect("one curve for each link");
    assert_eq!(heights(found), heights(link));
}
