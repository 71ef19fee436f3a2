//! What `weir reproduce` prints.

use super::all::words;
use crate::Failure;
use crate::args::{ReproduceArgs, TableFormat};
use crate::output::{is_terminal, print, width};
use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{CellAlignment, Table};
use std::path::Path;
use std::time::Duration;
use weir_results::score::{Claim, Scorecard, Summary, Total, Verdict, print_table, verdict};

/// True if standard output is for something else, or for nothing.
fn is_silent(args: &ReproduceArgs) -> bool {
    args.common.quiet || args.json.as_deref() == Some(Path::new("-"))
}

/// The score of one paper.
pub(super) fn one(
    score: &Scorecard,
    args: &ReproduceArgs,
    folder: &Path,
    figures: usize,
    report: Option<&Path>,
) -> Result<(), Failure> {
    if is_silent(args) {
        return Ok(());
    }
    let mut text = print_table(&score.claims, width(), is_terminal());
    let mut written =
        vec![format!("{figures} figures (SVG, PNG)"), format!("tables ({})", formats(&args.common.tables))];
    if args.claim.is_empty() {
        written.push("claims.json".into());
    } else {
        text += &details(&score.claims);
    }
    text += &format!("{} are in {}\n", list(&written), folder.display());
    print(&(text + &ending(args, report)))
}

/// One of several papers is done.
pub(super) fn after(score: &Scorecard, time: Duration, args: &ReproduceArgs) -> Result<(), Failure> {
    if is_silent(args) {
        return Ok(());
    }
    print(&format!("{}: {} ({})\n", score.paper, Summary::of(&score.claims), words(time)))
}

/// The score of all papers: how many of each verdict, and which claims were not reproduced.
pub(super) fn all(
    total: &Total,
    times: &[Duration],
    args: &ReproduceArgs,
    folder: &Path,
    report: Option<&Path>,
) -> Result<(), Failure> {
    if is_silent(args) {
        return Ok(());
    }
    let mut table = Table::new();
    table.load_style(UTF8_HORIZONTAL_ONLY);
    table.set_header(["paper", "claims", "reproduced", "partly", "not", "missing", "time"]);
    let row = |name: &str, of: Summary, time: Duration| {
        let counts = [of.claims, of.reproduced, of.partly, of.not, of.missing].map(|n| n.to_string());
        [name.to_owned()].into_iter().chain(counts).chain([words(time)]).collect::<Vec<_>>()
    };
    for (score, time) in total.papers.iter().zip(times) {
        table.add_row(row(&score.paper, Summary::of(&score.claims), *time));
    }
    table.add_row(row("all", total.summary(), times.iter().sum()));
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    let mut text = format!("{table}\n");
    for wanted in [Verdict::Partly, Verdict::Not, Verdict::Missing] {
        let claims = total.papers.iter().flat_map(|paper| &paper.claims);
        let ids: Vec<&str> = claims.filter(|c| verdict(c) == wanted).map(|c| c.id.as_str()).collect();
        if !ids.is_empty() {
            text += &format!("{wanted}: {}\n", ids.join(", "));
        }
    }
    if !args.claim.is_empty() {
        total.papers.iter().for_each(|paper| text += &details(&paper.claims));
    }
    text += &format!("figures, tables and scores are in {}\n", folder.display());
    print(&(text + &ending(args, report)))
}

fn ending(args: &ReproduceArgs, report: Option<&Path>) -> String {
    let mut text = report.map(|file| format!("the report is {}\n", file.display())).unwrap_or_default();
    if !args.set.is_empty() {
        text += "note: --set was given, so this is not the score of the paper's own setting\n";
    }
    text
}

fn formats(formats: &[TableFormat]) -> &'static str {
    match (formats.contains(&TableFormat::Csv), formats.contains(&TableFormat::Parquet)) {
        (true, true) => "CSV, Parquet",
        (false, true) => "Parquet",
        _ => "CSV",
    }
}

/// `a, b and c`.
fn list(words: &[String]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => words.concat(),
    }
}

/// How each number of the chosen claims was measured.
fn details(claims: &[Claim]) -> String {
    let mut text = String::new();
    for part in claims.iter().flat_map(|c| &c.parts) {
        let label = if part.label.is_empty() { String::new() } else { format!("{}: ", part.label) };
        let spread = part.spread.map(|s| format!(" ± {s:.3} (95 % confidence over seeds)")).unwrap_or_default();
        let value = part.measured.map_or("not measured".into(), |v| format!("{v:.4}"));
        text += &format!("  {label}{} = {value}{spread}\n", part.measure_text);
    }
    text
}
