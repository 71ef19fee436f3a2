//! A glance at an experiment: one line for each point.

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{CellAlignment, ContentArrangement, Table};
use weir_lab::{Experiment, Means};
use weir_results::stats::{confidence95, mean};
use weir_scenario::Point;
use weir_scenario::metrics::METRICS;

/// What most people want to see first.
const SHOWN: [&str; 6] = ["goodput", "completion_time", "full_delay", "retransmissions", "drops", "marks"];

/// In place of what was not measured.
const NOTHING: &str = "-";

/// Means over seeds with 95 % confidence intervals, a line for each point.
pub(crate) fn table(experiment: &Experiment, width: usize) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width.min(usize::from(u16::MAX)) as u16);
    let shown = measured(experiment);
    let axes = experiment.study.axes.iter().map(|a| a.name.clone());
    table.set_header(axes.chain(shown.iter().map(|m| heading(m))));
    for point in experiment.study.points() {
        let labels = point.labels.iter().map(|(_, label)| label.clone());
        table.add_row(labels.chain(shown.iter().map(|m| cell(experiment, point, m))));
    }
    for i in experiment.study.axes.len()..experiment.study.axes.len() + shown.len() {
        if let Some(column) = table.column_mut(i) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    format!("{}\n{table}\n", experiment.study.title)
}

/// Those of [`SHOWN`] that were measured anywhere: fetches without end have no completion time.
fn measured(experiment: &Experiment) -> Vec<&'static str> {
    let found = |point: &Point, metric| cell(experiment, point, metric) != NOTHING;
    SHOWN.into_iter().filter(|metric| experiment.study.points().iter().any(|point| found(point, metric))).collect()
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
