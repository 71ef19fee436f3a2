//! The comparison as tables for files, and at a glance.

use super::Comparison;
use crate::args::TableFormat;
use crate::{Failure, files};
use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{CellAlignment, Table as Drawn};
use std::path::Path;
use weir_lab::{MEASURES, Standing};
use weir_results::table::{Cell, Column, Table};

/// The measures that a glance has room for.
pub(super) const GLANCED: [&str; 8] =
    ["goodput", "completion_time", "delay", "delay_p95", "loss", "retransmissions", "maxmin_ratio", "utilisation"];

pub(super) fn write(comparison: &Comparison, formats: &[TableFormat], folder: &Path) -> Result<(), Failure> {
    let all = [
        ("compare", compared(comparison)),
        ("runs", runs(comparison)),
        ("ranks", ranks(comparison)),
        ("pareto", front(comparison)),
        ("standings", standings(comparison)),
    ];
    files::write_all(&all, formats, folder)
}

fn key() -> Vec<Column> {
    vec![Column::text("scenario", "The network"), Column::text("scheme", "The scheme; `+plr`: with PLR in its routers")]
}

fn names(comparison: &Comparison, ground: usize, contender: usize) -> [Cell; 2] {
    [&comparison.grounds[ground].arena.name, &comparison.contenders[contender].name].map(|name| name.as_str().into())
}

/// Every pair of a network that was done and a scheme.
fn pairs(comparison: &Comparison) -> impl Iterator<Item = (usize, usize)> {
    let schemes = comparison.contenders.len();
    (0..comparison.standings.len()).flat_map(move |ground| (0..schemes).map(move |contender| (ground, contender)))
}

fn compared(comparison: &Comparison) -> Table {
    let mut table = Table::new(
        [
            key(),
            vec![
                Column::text("metric", "What was measured"),
                Column::text("unit", "Unit of the numbers of this row"),
                Column::integer("n", "runs", "Number of seeds"),
                Column::new("mean", "as in `unit`", "Mean over the seeds"),
                Column::new(
                    "ci95",
                    "as in `unit`",
                    "Half the width of the 95 % confidence interval of the mean; none for one seed",
                ),
                Column::integer("rank", "", "Place among the schemes on this network, from 1; equal ones share it"),
                Column::integer("leads", "", "1 if it is the best, or its interval reaches that of the best"),
            ],
        ]
        .concat(),
    );
    for (m, measure) in MEASURES.iter().enumerate() {
        for ground in 0..comparison.standings.len() {
            for (contender, figure) in comparison.figures(ground, m).into_iter().enumerate() {
                let Some(figure) = figure else { continue };
                let cells = [
                    measure.name.into(),
                    measure.unit.into(),
                    Cell::from(comparison.seeds.len() as u64),
                    figure.mean.into(),
                    Cell::from(figure.half),
                    Cell::from(figure.rank as u64),
                    Cell::from(u64::from(figure.leads)),
                ];
                table.push(names(comparison, ground, contender).into_iter().chain(cells));
            }
        }
    }
    table
}

fn runs(comparison: &Comparison) -> Table {
    let measured = MEASURES.iter().map(|m| Column::new(m.name, m.unit, m.about));
    let more = [
        Column::integer(
            "unfinished",
            "fetches",
            "Fetches of a given size that had not got everything when the run ended",
        ),
        Column::new("duration", "s", "Length of the run"),
        Column::text("digest", "Hash of every packet's way"),
    ];
    let seed = Column::integer("seed", "", "Seed of the run");
    let mut table = Table::new(key().into_iter().chain([seed]).chain(measured).chain(more).collect());
    for (ground, contender) in pairs(comparison) {
        let Standing::Ran(trials) = &comparison.standings[ground][contender] else { continue };
        for trial in trials {
            let values = trial.values.iter().map(|v| Cell::from(*v));
            let more = [
                Cell::from(trial.unfinished as u64),
                trial.duration.into(),
                Cell::from(format!("{:016x}", trial.digest)),
            ];
            let names = names(comparison, ground, contender).into_iter().chain([Cell::from(trial.seed)]);
            table.push(names.chain(values).chain(more));
        }
    }
    table
}

fn ranks(comparison: &Comparison) -> Table {
    let mut table = Table::new(vec![
        Column::text("scheme", "The scheme"),
        Column::text("metric", "What it is ranked by"),
        Column::new(
            "standing",
            "",
            "Mean over the networks of its relative rank: 0 is the best everywhere, 1 the last everywhere",
        ),
        Column::integer("scenarios", "", "Number of networks that this is the mean of"),
    ]);
    for (contender, of) in comparison.contenders.iter().enumerate() {
        for (m, measure) in MEASURES.iter().enumerate() {
            if let Some((mean, count)) = comparison.standing(contender, m) {
                table.push([of.name.as_str().into(), measure.name.into(), mean.into(), Cell::from(count as u64)]);
            }
        }
    }
    table
}

fn front(comparison: &Comparison) -> Table {
    let more = [
        Column::new("goodput", "Mbit/s", "Mean over the seeds"),
        Column::new("delay", "ms", "Mean over the seeds"),
        Column::integer("front", "", "1 if no other scheme has as much goodput and as little delay, and more of one"),
    ];
    let mut table = Table::new(key().into_iter().chain(more).collect());
    let of = |ground, name| weir_lab::measure_named(name).map(|m| comparison.figures(ground, m)).unwrap_or_default();
    for ground in 0..comparison.standings.len() {
        let (goodput, delay, front) = (of(ground, "goodput"), of(ground, "delay"), comparison.front(ground));
        for (contender, on) in front.into_iter().enumerate() {
            let numbers = [goodput[contender], delay[contender]].map(|f| Cell::from(f.map(|f| f.mean)));
            let cells = numbers.into_iter().chain([Cell::from(u64::from(on))]);
            table.push(names(comparison, ground, contender).into_iter().chain(cells));
        }
    }
    table
}

fn standings(comparison: &Comparison) -> Table {
    let more = [
        Column::text("state", "`ran`, `refused` (it cannot run here) or `failed` (a defect)"),
        Column::text("remark", "Why, or which fetches did not end"),
    ];
    let mut table = Table::new(key().into_iter().chain(more).collect());
    for (ground, contender) in pairs(comparison) {
        let state = state(&comparison.standings[ground][contender]);
        let remark = comparison.remark(ground, contender).unwrap_or_default();
        table.push(names(comparison, ground, contender).into_iter().chain([state.into(), remark.into()]));
    }
    table
}

pub(super) fn state(standing: &Standing) -> &'static str {
    match standing {
        Standing::Ran(_) => "ran",
        Standing::Refused(_) => "refused",
        Standing::Failed(_) => "failed",
        Standing::Stopped => "stopped",
    }
}

/// A network is done.
pub(super) fn after(comparison: &Comparison, ground: usize) -> String {
    let count = |wanted: &str| comparison.standings[ground].iter().filter(|s| state(s) == wanted).count();
    let mut text = format!("{}: {} schemes", comparison.grounds[ground].arena.name, count("ran"));
    for (state, words) in [("refused", "cannot run here"), ("failed", "went wrong")] {
        if count(state) > 0 {
            text += &format!(", {} {words}", count(state));
        }
    }
    text + &format!("; front: {}\n", comparison.front_names(ground).join(", "))
}

/// The standing of each scheme over all networks.
pub(super) fn glance(comparison: &Comparison) -> String {
    let mut table = Drawn::new();
    table.load_style(UTF8_HORIZONTAL_ONLY);
    let shown: Vec<usize> = GLANCED.iter().filter_map(|name| weir_lab::measure_named(name)).collect();
    table.set_header(["scheme"].into_iter().chain(shown.iter().map(|m| MEASURES[*m].label)));
    for (contender, of) in comparison.contenders.iter().enumerate() {
        let cell = |m: &usize| comparison.standing(contender, *m).map_or("-".into(), |(mean, _)| format!("{mean:.2}"));
        table.add_row([of.name.clone()].into_iter().chain(shown.iter().map(cell)));
    }
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    let count = comparison.standings.len();
    let scenarios = if count == 1 { "one scenario".into() } else { format!("{count} scenarios") };
    format!("relative rank over {scenarios}: 0 is the best of all schemes, 1 the last\n{table}\n")
}
