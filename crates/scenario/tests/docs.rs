//! `docs/scenarios.md` and `docs/topologies.md` say the truth: their examples are right, the tables complete; and the reference is that of this
//! version. `WEIR_BLESS=1` rewrites the tables and the reference.

use std::path::PathBuf;
use weir_scenario::Study;
use weir_scenario::metrics::{FETCHES, METRICS, MetricInfo, SERIES, Scope, Total};

fn page() -> (PathBuf, String) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenarios.md");
    let text = std::fs::read_to_string(&path).unwrap();
    (path, text)
}

/// An example with the sections that it leaves out.
fn completed(example: &str) -> String {
    let mut text = example.to_string();
    let mut add = |unless: &str, section: &str| {
        if !example.contains(unless) {
            text += section;
        }
    };
    add("[topology", "\n[topology]\nlinear = { routers = 1, rate = \"20Mbps\", delay = \"10ms\" }\n");
    add("[[workload]]", "\n[[workload]]\nfetch = { size = \"5MB\" }\n");
    add("[run]", "\n[run]\nduration = \"60s\"\nsample = \"100ms\"\n");
    if example.contains("control") && !example.contains("[[vary]]") {
        add("[scheme]", "\n[scheme]\nrecovery = \"plr\"\n");
        add("[[vary]]", "\n[[vary]]\nname = \"control\"\nset = \"scheme\"\nvalues = [\"icp\", \"bic\", \"cubic\"]\n");
        add("[[vary]]", "\n[[vary]]\nname = \"alpha\"\nset = \"scheme.recovery.alpha\"\nvalues = [0, 0.5]\n");
    }
    text
}

/// One test, so that no part of a page is read while another is rewritten.
#[test]
fn the_pages_are_right() {
    the_tables_of_metrics_are_complete();
    every_example_is_right();
}

fn every_example_is_right() {
    let (path, scenarios) = page();
    let topologies = std::fs::read_to_string(path.with_file_name("topologies.md")).unwrap();
    let of = |page: &str| -> Vec<String> {
        page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap().into()).collect()
    };
    let (scenarios, topologies) = (of(&scenarios), of(&topologies));
    assert!(scenarios.len() > 10 && topologies.len() > 4);
    for example in scenarios.iter().chain(&topologies) {
        let text = completed(example);
        Study::parse("docs", &text, &[]).unwrap_or_else(|problems| panic!("{text}\n{problems}"));
    }
}

fn table(metrics: &[MetricInfo]) -> String {
    let row = |m: &MetricInfo| {
        let scope = m.scope.axis().unwrap_or("run");
        let whole = match (m.scope, m.total) {
            (Scope::Run, _) => "",
            (_, Total::Min) => "least",
            (Scope::Flow, _) => "as one flow",
            (_, Total::Sum) => "sum",
            (_, Total::Mean) => "mean",
            (_, Total::Max) => "greatest",
        };
        format!("| `{}` | {} | {scope} | {whole} | {} |\n", m.name, m.unit, m.about)
    };
    let rows: String = metrics.iter().map(row).collect();
    format!("| name | unit | for each | for the run | what it is |\n|---|---|---|---|---|\n{rows}")
}

fn the_tables_of_metrics_are_complete() {
    let (path, page) = page();
    let mut new = page.clone();
    for (mark, metrics) in
        [("<!-- metrics -->\n", METRICS), ("<!-- series -->\n", SERIES), ("<!-- fetches -->\n", FETCHES)]
    {
        let start = new.find(mark).unwrap() + mark.len();
        let end = start + new[start..].find("<!-- end -->").unwrap();
        new.replace_range(start..end, &table(metrics));
    }
    if std::env::var_os("WEIR_BLESS").is_some() {
        std::fs::write(path, new).unwrap();
    } else {
        assert!(new == page, "the tables in docs/scenarios.md are old; WEIR_BLESS=1 rewrites them");
    }
}

#[test]
fn the_reference_is_complete() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenario-reference.md");
    let new = weir_scenario::reference();
    if std::env::var_os("WEIR_BLESS").is_some() {
        std::fs::write(path, new).unwrap();
    } else {
        let old = std::fs::read_to_string(path).unwrap_or_default();
        assert!(new == old, "docs/scenario-reference.md is old; WEIR_BLESS=1 rewrites it");
    }
}
