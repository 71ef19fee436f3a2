//! `weir check`

use crate::Failure;
use crate::args::CheckArgs;
use crate::output::print;
use std::io::IsTerminal;
use std::path::Path;
use weir_scenario::{Override, Problems, Study};

pub(crate) fn check(args: &CheckArgs) -> Result<(), Failure> {
    let set: Vec<Override> = args.set.iter().map(Override::new).collect();
    let mut wrong = Vec::new();
    for file in &args.files {
        match all_editions(file, &set) {
            Ok(study) => print(&format!("{}: right, {}\n", file.display(), contents(&study)))?,
            Err(problems) => wrong.push(problems.render(std::io::stderr().is_terminal())),
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Input(wrong.join("\n"))) }
}

/// The file as it stands, if its other editions are right, too.
fn all_editions(file: &Path, set: &[Override]) -> Result<Study, Problems> {
    let study = Study::load(file, set)?;
    for edition in &study.editions {
        Study::load_edition(file, *edition, set)?;
    }
    Ok(study)
}

fn contents(study: &Study) -> String {
    let count = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
    let runs: usize = study.points().iter().map(|p| p.scenario.run.seeds.len()).sum();
    let parts = [
        count(study.points().len(), "point"),
        count(runs, "run"),
        count(study.figures.len(), "figure"),
        count(study.claims.len(), "claim"),
    ];
    parts.join(", ")
}
