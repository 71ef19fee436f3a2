//! `weir reproduce`

mod all;
mod one;
mod tell;

use crate::args::ReproduceArgs;
use crate::papers::Paper;
use crate::progress::stopped;
use crate::report::Section;
use crate::run::{chosen_seeds, execute};
use crate::{Failure, files, report};
use std::path::Path;
use weir_core::nearest;
use weir_lab::{Experiment, Seeds, claims};
use weir_results::score::{Claim, Scorecard};
use weir_scenario::{Edition, Override, Study};

/// What stands for every paper.
pub(crate) const ALL: &str = "all";

pub(crate) fn reproduce(args: &ReproduceArgs) -> Result<(), Failure> {
    if args.paper == ALL { all::all(args) } else { one::one(args) }
}

/// A paper's studies, each by its short name: checked, or what is wrong with it.
type Studies = Vec<(String, Result<Study, Failure>)>;

/// A paper whose studies have been run.
struct Reproduction {
    score: Scorecard,
    /// Number of figures that were drawn.
    figures: usize,
    /// For the report, if one is wanted.
    sections: Vec<Section>,
    /// Studies that went wrong.
    failures: Vec<(String, Failure)>,
    /// The user stopped it before its end.
    stopped: bool,
}

/// Runs the studies of a paper one after another. What goes wrong in one study leaves the others alone.
fn run(paper: &Paper, studies: Studies, args: &ReproduceArgs, folder: &Path) -> Result<Reproduction, Failure> {
    let (seeds, wants_report) = (seeds(args)?, args.common.report.is_some());
    let (mut scored, mut figures, mut sections, mut failures) = (Vec::new(), 0, Vec::new(), Vec::new());
    let mut halted = false;
    for (name, study) in studies {
        if stopped() {
            halted = true;
            break;
        }
        let file = format!("papers/{}/{name}.toml", paper.key);
        let outcome = study.and_then(|study| {
            let unmeasured = unmeasured(&study);
            match execute(study, seeds.clone(), &args.common, &format!("{} {name}", paper.key), None) {
                Ok(experiment) => Ok(experiment),
                Err(failure) => {
                    scored.extend(unmeasured.into_iter().filter(|claim| is_chosen(claim, args)));
                    Err(failure)
                }
            }
        });
        let experiment = match outcome {
            Ok(experiment) => experiment,
            Err(failure) => {
                failures.push((file, failure));
                continue;
            }
        };
        files::write_tables(&experiment, &args.common.tables, &folder.join(&name))?;
        if !experiment.is_complete() {
            halted = true;
            break;
        }
        figures += files::write_figures(&experiment, folder)?.len();
        let of_study = || claims(&experiment).into_iter().filter(|claim| is_chosen(claim, args));
        scored.extend(of_study());
        if wants_report {
            let mut section = report::section(&experiment, &paper.key, paper.source(&name));
            section.0.claims.retain(|claim| is_chosen(claim, args));
            sections.push(section);
        }
    }
    add_missing(paper, args, &mut scored)?;
    scored.sort_by(|a, b| a.id.cmp(&b.id));
    let score = Scorecard { paper: paper.key.clone(), claims: scored };
    Ok(Reproduction { score, figures, sections, failures, stopped: halted })
}

fn is_chosen(claim: &Claim, args: &ReproduceArgs) -> bool {
    args.claim.is_empty() || args.claim.contains(&claim.id)
}

/// The claims of a study that could not be run.
fn unmeasured(study: &Study) -> Vec<Claim> {
    let outcomes = study.points().iter().map(|_| Vec::new()).collect();
    claims(&Experiment { study: study.clone(), outcomes })
}

/// What the paper claims and no study has measured goes into the score as well.
fn add_missing(paper: &Paper, args: &ReproduceArgs, scored: &mut Vec<Claim>) -> Result<(), Failure> {
    for id in paper.ids()? {
        if scored.iter().all(|claim| claim.id != id) {
            let says = "in the paper's list of claims, but measured by none of the studies that were run".to_owned();
            scored.push(Claim { id, says, ..Claim::default() });
        }
    }
    scored.retain(|claim| is_chosen(claim, args));
    Ok(())
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

/// The studies of each paper that the chosen claims need; all of them if none is chosen.
fn wanted(papers: &[Paper], args: &ReproduceArgs) -> Result<Vec<Studies>, Failure> {
    let set: Vec<Override> = args.set.iter().map(Override::new).collect();
    let known = std::cell::RefCell::new(Vec::new());
    let needed = |study: &Study| {
        known.borrow_mut().extend(study.claims.iter().map(|c| c.id.clone()));
        args.claim.is_empty() || study.claims.iter().any(|c| args.claim.contains(&c.id))
    };
    let studies = papers.iter().map(|paper| paper.studies(edition(args), &set, needed)).collect();
    let known = known.into_inner();
    match args.claim.iter().find(|id| !known.contains(id)) {
        None => Ok(studies),
        Some(unknown) => {
            let near = nearest(unknown, known.iter().map(String::as_str));
            let hint = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
            let place = if papers.len() == 1 { "in this paper" } else { "in any paper" };
            Err(Failure::Input(format!("there is no claim `{unknown}` {place}{hint}")))
        }
    }
}

/// The paper for a report; what none of its sections shows is added.
fn of_report(paper: &Paper, score: &Scorecard, sections: &[Section]) -> weir_results::report::Paper {
    let shown = |claim: &&Claim| sections.iter().any(|(study, _)| study.claims.iter().any(|c| c.id == claim.id));
    weir_results::report::Paper {
        key: paper.key.clone(),
        title: paper.title(),
        page: paper.page().to_owned(),
        others: score.claims.iter().filter(|claim| !shown(claim)).cloned().collect(),
    }
}

/// What would give the same results.
fn command(args: &ReproduceArgs) -> String {
    let claims = args.claim.iter().flat_map(|id| ["--claim".to_owned(), id.clone()]);
    let seeds = args.common.seeds.iter().flat_map(|seeds| ["--seeds".to_owned(), seeds.clone()]);
    let speed = [("--quick", args.quick), ("--full", args.full)].into_iter().filter(|(_, on)| *on);
    let more: Vec<String> = speed.map(|(word, _)| word.to_owned()).chain(claims).chain(seeds).collect();
    report::command(&["reproduce", &args.paper], &args.set, &more)
}

/// An error that names all studies that went wrong, if any did.
fn told(failures: Vec<(String, Failure)>) -> Result<(), Failure> {
    let input = failures.iter().all(|(_, failure)| matches!(failure, Failure::Input(_)));
    let texts: Vec<String> = failures.into_iter().map(|(study, failure)| why(&study, &failure)).collect();
    match (texts.len(), input) {
        (0, _) => Ok(()),
        (_, true) => Err(Failure::Input(texts.join("\n"))),
        (_, false) => Err(Failure::Other(texts.join("\n"))),
    }
}

/// What went wrong with a study.
fn why(study: &str, failure: &Failure) -> String {
    match failure {
        // Problems of a file name it.
        Failure::Input(text) | Failure::Other(text) | Failure::Code(text, _) if text.contains(study) => {
            text.trim_end().to_owned()
        }
        Failure::Input(text) | Failure::Other(text) | Failure::Code(text, _) => format!("{study}: {}", text.trim_end()),
        Failure::Stopped => format!("{study}: stopped"),
    }
}
