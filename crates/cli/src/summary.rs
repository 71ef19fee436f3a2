//! A glance at an experiment: one line for each point.

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width};
use weir_lab::{Experiment, Means};
use weir_results::stats::{confidence95, mean};
use weir_scenario::metrics::METRICS;
use weir_scenario::{Axis, Point};

/// What most people want to see first, the first things first.
const SHOWN: [&str; 6] = ["goodput", "completion_time", "full_delay", "retransmissions", "drops", "marks"];

/// In place of what was not measured.
const NOTHING: &str = "-";

/// A column of the table, its heading first.
struct Column {
    alignment: CellAlignment,
    cells: Vec<String>,
}

/// Means over seeds with 95 % confidence intervals, a line for each point. Where there is no room for all columns the
/// last are left out.
pub(crate) fn table(experiment: &Experiment, width: usize) -> String {
    let columns = fitting(axes(experiment), metrics(&[experiment]), width);
    drawn(&experiment.study.title, &columns, width)
}

/// The same for several experiments of one study, with a line for each of them at each point.
#[cfg(target_os = "linux")]
pub(crate) fn beside(experiments: &[(&str, &Experiment)], width: usize) -> String {
    let [(_, first), ..] = experiments else { return String::new() };
    let many = experiments.len();
    let mut labels = axes(first);
    for column in &mut labels {
        let cells = std::mem::take(&mut column.cells);
        let again = |(i, cell): (usize, String)| vec![cell; if i == 0 { 1 } else { many }];
        column.cells = cells.into_iter().enumerate().flat_map(again).collect();
    }
    let names = first.study.points().iter().flat_map(|_| experiments.iter().map(|(name, _)| (*name).to_owned()));
    let cells = [String::new()].into_iter().chain(names).collect();
    labels.push(Column { alignment: CellAlignment::Left, cells });
    let all: Vec<&Experiment> = experiments.iter().map(|(_, experiment)| *experiment).collect();
    drawn(&first.study.title, &fitting(labels, metrics(&all), width), width)
}

fn drawn(title: &str, columns: &[Column], width: usize) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width.min(usize::from(u16::MAX)) as u16);
    table.set_header(columns.iter().map(|c| &c.cells[0]));
    for line in 1..columns.first().map_or(1, |column| column.cells.len()) {
        table.add_row(columns.iter().map(|c| &c.cells[line]));
    }
    for (i, Column { alignment, cells }) in columns.iter().enumerate() {
        if let Some(column) = table.column_mut(i) {
            column.set_cell_alignment(*alignment);
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least_width(cells) as u16)));
        }
    }
    format!("{title}\n{table}\n")
}

fn axes(experiment: &Experiment) -> Vec<Column> {
    let study = &experiment.study;
    let column = |(i, axis): (usize, &Axis)| {
        let labels = study.points().iter().map(|p| p.labels[i].1.clone());
        Column { alignment: CellAlignment::Left, cells: [axis.name.clone()].into_iter().chain(labels).collect() }
    };
    study.axes.iter().enumerate().map(column).collect()
}

/// Those of [`SHOWN`] that were measured: fetches without end have no completion time. A cell for each point and each of
/// the experiments, which are of one study.
fn metrics(experiments: &[&Experiment]) -> Vec<Column> {
    let mut columns = Vec::new();
    for metric in SHOWN {
        let points = experiments.first().map_or(&[][..], |experiment| experiment.study.points());
        let values = points.iter().flat_map(|point| experiments.iter().map(|e| cell(e, point, metric)));
        let cells: Vec<String> = [heading(metric)].into_iter().chain(values).collect();
        if cells[1..].iter().any(|cell| cell != NOTHING) {
            columns.push(Column { alignment: CellAlignment::Right, cells });
        }
    }
    columns
}

/// All axes, and as many metrics as there is room for.
fn fitting(axes: Vec<Column>, metrics: Vec<Column>, width: usize) -> Vec<Column> {
    let mut used: usize = axes.iter().map(|c| least_width(&c.cells)).sum();
    let fits = |column: &Column| {
        used += least_width(&column.cells);
        used <= width
    };
    let metrics: Vec<Column> = metrics.into_iter().take_while(fits).collect();
    axes.into_iter().chain(metrics).collect()
}

/// Width of a column whose lines break between words only, with a space at both sides.
fn least_width(cells: &[String]) -> usize {
    cells.iter().flat_map(|cell| cell.split_whitespace()).map(|word| word.chars().count()).max().unwrap_or(0) + 2
}

fn heading(metric: &str) -> String {
    let unit = METRICS.iter().find(|m| m.name == metric).map_or("", |m| m.unit);
    let name = metric.replace('_', " ");
    if unit.is_empty() { name } else { format!("{name}\n({unit})") }
}

fn cell(experiment: &Experiment, point: &Point, metric: &str) -> String {
    let bindings = point.labels.iter().cloned().collect();
    let Some(values) = Means::all(experiment).values(metric, &bindings) else { return NOTHING.into() };
    match (mean(&values), confidence95(&values)) {
        (Some(mean), Some(half)) if half > 0.0 => format!("{} ± {}", short(mean, 4), short(half, 2)),
        (Some(mean), _) => short(mean, 4),
        _ => NOTHING.into(),
    }
}

/// A number with so many digits that count.
fn short(number: f64, significant: i32) -> String {
    let digits = (significant - 1 - number.abs().max(1e-9).log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{number:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
