//! Everything that was measured, as tables: one row for each run, flow, link, node or sample, and a summary over seeds.

use crate::experiment::Experiment;
use crate::lookup::Means;
use weir_results::stats::{confidence95, mean, standard_deviation};
use weir_results::table::{Cell, Column, Table};
use weir_scenario::Study;
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
    let filled = |table| TableFile { name: table_name(table), table: fill(table, experiment) };
    TABLES.into_iter().map(filled).filter(|file| file.name != "series" || !file.table.rows.is_empty()).collect()
}

/// The columns of every table that the study can have, by the table's name.
pub fn columns(study: &Study) -> Vec<(&'static str, Vec<Column>)> {
    TABLES.into_iter().map(|table| (table_name(table), columns_of(table, study))).collect()
}

/// What a table has a row for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rows {
    Runs,
    /// Flows, links or nodes of a run, by the word of their scope.
    Places(&'static str),
    /// Metrics of a point, over all of its runs.
    Summary,
    Samples,
}

const TABLES: [Rows; 6] =
    [Rows::Summary, Rows::Runs, Rows::Places("flow"), Rows::Places("link"), Rows::Places("node"), Rows::Samples];

fn table_name(rows: Rows) -> &'static str {
    match rows {
        Rows::Runs => "runs",
        Rows::Places("flow") => "flows",
        Rows::Places("link") => "links",
        Rows::Places(_) => "nodes",
        Rows::Summary => "summary",
        Rows::Samples => "series",
    }
}

fn fill(rows: Rows, experiment: &Experiment) -> Table {
    let mut table = Table::new(columns_of(rows, &experiment.study));
    match rows {
        Rows::Runs => scoped(experiment, None, &mut table),
        Rows::Places(place) => scoped(experiment, Some(place), &mut table),
        Rows::Summary => summary(experiment, &mut table),
        Rows::Samples => series(experiment, &mut table),
    }
    table
}

fn columns_of(rows: Rows, study: &Study) -> Vec<Column> {
    let measured = measured_columns(rows);
    let axis = |name: &str| {
        // Whoever calls an axis `seed` still gets a table whose columns can be told apart.
        let taken = measured.iter().any(|c| c.name == name);
        Column::text(if taken { format!("axis_{name}") } else { name.into() }, "Label of this axis")
    };
    study.axes.iter().map(|a| axis(&a.name)).chain(measured.iter().cloned()).collect()
}

fn measured_columns(rows: Rows) -> Vec<Column> {
    let mut columns = Vec::new();
    if rows == Rows::Summary {
        columns.extend([
            Column::text("metric", "What was measured; a column of the same name is in `runs`"),
            Column::text("unit", "Unit of the numbers of this row"),
            Column::integer("n", "runs", "How many runs (seeds) the numbers are of"),
            Column::new("mean", "as in `unit`", "Mean over the runs"),
            Column::new("sd", "as in `unit`", "Standard deviation of a sample (divisor n − 1); none for one run"),
            Column::new("ci95", "as in `unit`", CONFIDENCE),
            Column::new("low", "as in `unit`", "Lower end of the interval: mean − ci95"),
            Column::new("high", "as in `unit`", "Upper end of the interval: mean + ci95"),
        ]);
        return columns;
    }
    columns.push(Column::integer("seed", "", "Seed of the run"));
    match rows {
        Rows::Samples => columns.extend([
            Column::new("time", "s", "Since the start of the run"),
            Column::text("metric", "What was read; units as in the reference of series"),
            Column::text("of", "Flow, link or node"),
            Column::new("value", "", "The reading"),
        ]),
        Rows::Places(place) => {
            columns.push(Column::text(place, "What the row is about"));
            columns.extend(metrics(Some(place)).map(|m| Column::new(m.name, m.unit, m.about)));
        }
        _ => {
            columns.extend(metrics(None).map(|m| Column::new(m.name, m.unit, m.about)));
            columns.push(Column::text("digest", "Hash of every packet's way: equal runs have equal digests"));
        }
    }
    columns
}

const CONFIDENCE: &str = "Half the width of the 95 % confidence interval of the mean (Student's t); none for one run";

/// What is measured for each flow, link or node; everything for the run.
fn metrics(place: Option<&'static str>) -> impl Iterator<Item = &'static MetricInfo> {
    METRICS.iter().filter(move |m| place.is_none() || m.scope.axis() == place)
}

/// A row for each run with everything, or for each `place` of it with what is measured there.
fn scoped(experiment: &Experiment, place: Option<&'static str>, table: &mut Table) {
    for_each_run(experiment, |key, outcome| match place {
        None => {
            let cells = metrics(None).map(|m| Cell::from(outcome.get(m.name, Scope::Run)));
            let digest = Cell::from(format!("{:016x}", outcome.digest));
            table.push(key.iter().cloned().chain(cells).chain([digest]));
        }
        Some(place) => {
            for (label, cells) in places(outcome, place) {
                table.push(key.iter().cloned().chain([Cell::from(label)]).chain(cells));
            }
        }
    });
}

/// Flows, links or nodes of a run by their labels, each with what was measured there.
///
/// The values of a run are in order of metric and label. So are these, and each metric is merged into those before it in
/// one pass: a network of many links has millions of values.
fn places<'o>(outcome: &'o Outcome, place: &'static str) -> Vec<(&'o str, Vec<Cell>)> {
    let columns: Vec<&MetricInfo> = metrics(Some(place)).collect();
    let mut rows: Vec<(&str, Vec<Cell>)> = Vec::new();
    for (column, metric) in columns.iter().enumerate() {
        let mut merged = Vec::with_capacity(rows.len());
        let mut known = rows.into_iter().peekable();
        let measured = outcome.values.range((metric.name, Scope::Run)..);
        for ((_, scope), value) in measured.take_while(|((name, _), _)| *name == metric.name) {
            let Some(label) = label_of(place, scope) else { continue };
            while let Some(other) = known.next_if(|(other, _)| *other < label) {
                merged.push(other);
            }
            let own = known.next_if(|(own, _)| *own == label);
            let (label, mut cells) = own.unwrap_or_else(|| (label, vec![Cell::Missing; columns.len()]));
            cells[column] = Cell::from(*value);
            merged.push((label, cells));
        }
        merged.extend(known);
        rows = merged;
    }
    rows
}

/// What a scope is called, if it is a `place`.
fn label_of<'s>(place: &str, scope: &'s Scope) -> Option<&'s str> {
    match (place, scope) {
        ("flow", Scope::Flow(name)) | ("link", Scope::Link(name)) | ("node", Scope::Node(name)) => Some(name),
        _ => None,
    }
}

/// A row for each point and metric of the whole run; one that some run could not measure has none.
fn summary(experiment: &Experiment, table: &mut Table) {
    for point in experiment.study.points() {
        let bindings = point.labels.iter().cloned().collect();
        for metric in METRICS {
            let Some(values) = Means::all(experiment).values(metric.name, &bindings) else { continue };
            let Some(mean) = mean(&values) else { continue };
            let half = confidence95(&values);
            let numbers =
                [Some(mean), standard_deviation(&values), half, half.map(|h| mean - h), half.map(|h| mean + h)];
            let words = [Cell::from(metric.name), metric.unit.into(), Cell::from(values.len() as u64)];
            let labels = point.labels.iter().map(|(_, label)| Cell::from(label.as_str()));
            table.push(labels.chain(words).chain(numbers.map(Cell::from)));
        }
    }
}

fn series(experiment: &Experiment, table: &mut Table) {
    for_each_run(experiment, |key, outcome| {
        for sample in &outcome.series {
            let of = match &sample.scope {
                Scope::Run | Scope::Congestion(_) => "",
                Scope::Flow(name) | Scope::Link(name) | Scope::Node(name) => name,
            };
            let cells = [sample.time.into(), sample.metric.into(), of.into(), sample.value.into()];
            table.push(key.iter().cloned().chain(cells));
        }
    });
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
