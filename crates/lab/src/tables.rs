//! Everything that was measured, as tables: one row for each run, flow, link, node or sample.

use crate::experiment::Experiment;
use weir_results::table::{Cell, Column, Table};
use weir_scenario::metrics::{METRICS, MetricInfo};
use weir_sim::{Outcome, Scope};

/// A table and the name of its file, without ending.
#[derive(Debug)]
pub struct TableFile {
    /// Such as `flows`.
    pub name: &'static str,
    /// The table.
    pub table: Table,
}

/// The tables of an experiment; the time series only if the study samples.
pub fn tables(experiment: &Experiment) -> Vec<TableFile> {
    let mut files = vec![
        scoped(experiment, "runs", None),
        scoped(experiment, "flows", Some("flow")),
        scoped(experiment, "links", Some("link")),
        scoped(experiment, "nodes", Some("node")),
    ];
    let series = series(experiment);
    if !series.rows.is_empty() {
        files.push(TableFile { name: "series", table: series });
    }
    files
}

fn key_columns(experiment: &Experiment) -> Vec<Column> {
    let axes = experiment.study.axes.iter().map(|a| Column::new(&a.name, "", "Axis of the study"));
    axes.chain([Column::new("seed", "", "Seed of the run")]).collect()
}

/// A row for each run with everything, or for each `place` of it with what is measured there.
fn scoped(experiment: &Experiment, name: &'static str, place: Option<&'static str>) -> TableFile {
    let metrics: Vec<&MetricInfo> = METRICS.iter().filter(|m| place.is_none() || m.scope.axis() == place).collect();
    let mut columns = key_columns(experiment);
    columns.extend(place.map(|p| Column::new(p, "", "What the row is about")));
    columns.extend(metrics.iter().map(|m| Column::new(m.name, m.unit, m.about)));
    if place.is_none() {
        columns.push(Column::new("digest", "", "Hash of every packet's way: equal runs have equal digests"));
    }
    let mut table = Table::new(columns);
    for_each_run(experiment, |key, outcome| {
        for (label, scope) in places(outcome, place) {
            let cells = metrics.iter().map(|m| Cell::from(outcome.get(m.name, scope.clone())));
            let label = label.map(|l| Cell::from(l.as_str()));
            let digest = place.is_none().then(|| Cell::from(format!("{:016x}", outcome.digest).as_str()));
            table.push(key.iter().cloned().chain(label).chain(cells).chain(digest));
        }
    });
    TableFile { name, table }
}

/// The rows that a run has in a table: itself, or each of its flows, links or nodes.
fn places(outcome: &Outcome, place: Option<&str>) -> Vec<(Option<String>, Scope)> {
    if place.is_none() {
        return vec![(None, Scope::Run)];
    }
    let mut scopes: Vec<&Scope> = outcome.values.keys().map(|(_, scope)| scope).collect();
    scopes.sort();
    scopes.dedup();
    let label = |scope: &Scope| match (place, scope) {
        (Some("flow"), Scope::Flow(name)) | (Some("link"), Scope::Link(name)) | (Some("node"), Scope::Node(name)) => {
            Some((Some(name.clone()), scope.clone()))
        }
        _ => None,
    };
    scopes.into_iter().filter_map(label).collect()
}

fn series(experiment: &Experiment) -> Table {
    let mut columns = key_columns(experiment);
    columns.extend([
        Column::new("time", "s", "Since the start of the run"),
        Column::new("metric", "", "What was read; units as in the reference of series"),
        Column::new("of", "", "Flow, link or node"),
        Column::new("value", "", "The reading"),
    ]);
    let mut table = Table::new(columns);
    for_each_run(experiment, |key, outcome| {
        for sample in &outcome.series {
            let of = match &sample.scope {
                Scope::Run => "",
                Scope::Flow(name) | Scope::Link(name) | Scope::Node(name) => name,
            };
            let cells = [sample.time.into(), sample.metric.into(), of.into(), sample.value.into()];
            table.push(key.iter().cloned().chain(cells));
        }
    });
    table
}

fn for_each_run(experiment: &Experiment, mut row: impl FnMut(&[Cell], &Outcome)) {
    for (point, runs) in experiment.study.points().iter().zip(&experiment.outcomes) {
        for (seed, outcome) in runs {
            let Some(outcome) = outcome else { continue };
            let labels = point.labels.iter().map(|(_, label)| Cell::from(label.as_str()));
            let key: Vec<Cell> = labels.chain([Cell::from(*seed)]).collect();
            row(&key, outcome);
        }
    }
}
