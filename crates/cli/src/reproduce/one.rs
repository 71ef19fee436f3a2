//! `weir reproduce PAPER`

use super::{Reproduction, command, of_report, run, tell, told, wanted};
use crate::args::ReproduceArgs;
use crate::output::print;
use crate::{Failure, files, papers, report};
use std::path::{Path, PathBuf};
use weir_results::files::write_atomic;
use weir_results::score::{Scorecard, markdown_table};

pub(super) fn one(args: &ReproduceArgs) -> Result<(), Failure> {
    let paper = papers::find(&args.paper)?;
    let mut studies = wanted(std::slice::from_ref(&paper), args)?.remove(0);
    // One paper is not worth beginning if what it is told is wrong.
    if let Some(wrong) = studies.iter().position(|(_, study)| study.is_err()) {
        return studies.swap_remove(wrong).1.map(|_| ());
    }
    let folder = args.common.out.clone().unwrap_or_else(|| Path::new("out").join(&paper.key));
    files::prepare(&folder)?;
    if let Some(json) = json_file(args) {
        files::prepare_for(json)?;
    }
    let report_file = report::place(&args.common, &folder)?;
    let Reproduction { score, figures, sections, failures, stopped } = run(&paper, studies, args, &folder)?;
    if stopped {
        return Err(Failure::Stopped);
    }
    if let Some(file) = &report_file {
        let papers = vec![of_report(&paper, &score, &sections)];
        report::write_with(file, &paper.title(), "", papers, sections, command(args))?;
    }
    write(&score, args, &folder)?;
    match json_file(args) {
        Some(path) => score.write_json(path)?,
        None if args.json.is_some() => print(&score.to_json())?,
        None => {}
    }
    tell::one(&score, args, &folder, figures, report_file.as_deref())?;
    told(failures)
}

/// The file that `--json` names, if it is one.
pub(super) fn json_file(args: &ReproduceArgs) -> Option<&PathBuf> {
    args.json.as_ref().filter(|path| path.as_path() != Path::new("-"))
}

/// Writes the score into the folder of the paper. A choice of claims must not overwrite the score of all.
pub(super) fn write(score: &Scorecard, args: &ReproduceArgs, folder: &Path) -> Result<(), Failure> {
    if args.claim.is_empty() {
        score.write_json(&folder.join("claims.json"))?;
        write_atomic(&folder.join("claims.md"), markdown_table(&score.claims).as_bytes())?;
    }
    Ok(())
}
