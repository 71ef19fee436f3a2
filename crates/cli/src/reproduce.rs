//! `weir reproduce`

use crate::args::{ReproduceArgs, TableFormat};
use crate::output::{is_terminal, print, width};
use crate::papers::{self, Paper};
use crate::progress::stopped;
use crate::run::{chosen_seeds, execute, finish};
use crate::{Failure, files, report};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use weir_core::nearest;
use weir_lab::{Experiment, Seeds, claims};
use weir_results::files::write_atomic;
use weir_results::score::{Claim, Scorecard, markdown_table, print_table};
use weir_scenario::{Edition, Override, Study};

pub(crate) fn reproduce(args: &ReproduceArgs) -> Result<(), Failure> {
    let paper = papers::find(&args.paper)?;
    let set: Vec<Override> = args.set.iter().map(Override::new).collect();
    let studies = wanted(&paper, edition(args), &set, &args.claim)?;
    let seeds = seeds(args)?;
    let folder = args.common.out.clone().unwrap_or_else(|| Path::new("out").join(&paper.key));
    files::prepare(&folder)?;
    if let Some(json) = args.json.as_deref().filter(|path| *path != Path::new("-")) {
        files::prepare_for(json)?;
    }
    let report_file = report::place(&args.common, &folder)?;
    let (mut scored, mut figures, mut sections) = (Vec::new(), Vec::new(), Vec::new());
    for (name, study) in studies {
        if stopped() {
            return Err(Failure::Stopped);
        }
        let experiment = execute(study, seeds.clone(), &args.common, &name, None)?;
        files::write_tables(&experiment, &args.common.tables, &folder.join(&name))?;
        finish(&experiment)?;
        figures.extend(files::write_figures(&experiment, &folder)?);
        scored.extend(chosen_claims(&experiment, &args.claim));
        if report_file.is_some() {
            let mut section = report::section(&experiment, &paper.key, paper.source(&name));
            section.0.claims.retain(|c| args.claim.is_empty() || args.claim.contains(&c.id));
            sections.push(section);
        }
    }
    if let Some(file) = &report_file {
        report::write(file, &paper.title(), "", sections, command(args))?;
    }
    scored.sort_by(|a, b| a.id.cmp(&b.id));
    let score = Scorecard { paper: paper.key.clone(), claims: scored };
    write(&score, args, &folder)?;
    tell(&score, args, &folder, &figures, report_file.as_deref())
}

/// What would give the same results.
fn command(args: &ReproduceArgs) -> String {
    let claims = args.claim.iter().flat_map(|id| ["--claim".to_owned(), id.clone()]);
    let seeds = args.common.seeds.iter().flat_map(|seeds| ["--seeds".to_owned(), seeds.clone()]);
    let speed = [("--quick", args.quick), ("--full", args.full)].into_iter().filter(|(_, on)| *on);
    let more: Vec<String> = speed.map(|(word, _)| word.to_owned()).chain(claims).chain(seeds).collect();
    report::command(&["reproduce", &args.paper], &args.set, &more)
}

fn seeds(args: &ReproduceArgs) -> Result<Seeds, Failure> {
    Ok(match chosen_seeds(&args.common)? {
        Some(seeds) => seeds,
        None if args.quick => Seeds::Quick,
        None if args.full => Seeds::Full,
        None => Seeds::Ordinary,
    })
}

/// How large the studies are: what each says in its own tables.
fn edition(args: &ReproduceArgs) -> Edition {
    match (args.quick, args.full) {
        (true, _) => Edition::Quick,
        (_, true) => Edition::Full,
        _ => Edition::Ordinary,
    }
}

/// The studies that the chosen claims need; all of them if none is chosen.
fn wanted(paper: &Paper, edition: Edition, set: &[Override], ids: &[String]) -> Result<Vec<(String, Study)>, Failure> {
    let known = RefCell::new(Vec::new());
    let needed = |study: &Study| {
        known.borrow_mut().extend(study.claims.iter().map(|c| c.id.clone()));
        ids.is_empty() || study.claims.iter().any(|c| ids.contains(&c.id))
    };
    let studies = paper.studies(edition, set, needed)?;
    let known = known.into_inner();
    match ids.iter().find(|id| !known.contains(id)) {
        None => Ok(studies),
        Some(unknown) => {
            let near = nearest(unknown, known.iter().map(String::as_str));
            let hint = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
            Err(Failure::Input(format!("there is no claim `{unknown}` in this paper{hint}")))
        }
    }
}

fn chosen_claims(experiment: &Experiment, ids: &[String]) -> impl Iterator<Item = Claim> {
    claims(experiment).into_iter().filter(move |c| ids.is_empty() || ids.contains(&c.id))
}

fn write(score: &Scorecard, args: &ReproduceArgs, folder: &Path) -> Result<(), Failure> {
    // A choice of claims must not overwrite the score of all.
    if args.claim.is_empty() {
        score.write_json(&folder.join("claims.json"))?;
        write_atomic(&folder.join("claims.md"), markdown_table(&score.claims).as_bytes())?;
    }
    match &args.json {
        Some(path) if path == &PathBuf::from("-") => print(&score.to_json()),
        Some(path) => Ok(score.write_json(path)?),
        None => Ok(()),
    }
}

fn tell(
    score: &Scorecard,
    args: &ReproduceArgs,
    folder: &Path,
    figures: &[String],
    report: Option<&Path>,
) -> Result<(), Failure> {
    if args.common.quiet || args.json.as_deref() == Some(Path::new("-")) {
        return Ok(());
    }
    let mut text = print_table(&score.claims, width(), is_terminal());
    let mut written =
        vec![format!("{} figures (SVG, PNG)", figures.len()), format!("tables ({})", formats(&args.common.tables))];
    if args.claim.is_empty() {
        written.push("claims.json".into());
    } else {
        text += &details(&score.claims);
    }
    text += &format!("{} are in {}\n", list(&written), folder.display());
    if let Some(file) = report {
        text += &format!("the report is {}\n", file.display());
    }
    if !args.set.is_empty() {
        text += "note: --set was given, so this is not the score of the paper's own setting\n";
    }
    print(&text)
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
