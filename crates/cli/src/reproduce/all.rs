//! `weir reproduce all`

use super::one::{json_file, write};
use super::{Reproduction, command, of_report, run, tell, told, wanted, why};
use crate::args::ReproduceArgs;
use crate::output::print;
use crate::{Failure, files, papers, report};
use std::path::Path;
use std::time::{Duration, Instant};
use weir_results::score::Total;

pub(super) fn all(args: &ReproduceArgs) -> Result<(), Failure> {
    let papers = papers::papers();
    let wanted = wanted(&papers, args)?;
    let folder = args.common.out.clone().unwrap_or_else(|| Path::new("out").join(super::ALL));
    files::prepare(&folder)?;
    if let Some(json) = json_file(args) {
        files::prepare_for(json)?;
    }
    let report_file = report::place(&args.common, &folder)?;
    let (mut total, mut times, mut sections, mut failures) = (Total::default(), Vec::new(), Vec::new(), Vec::new());
    let (mut interrupted, mut of_papers) = (false, Vec::new());
    for (paper, studies) in papers.iter().zip(wanted) {
        // With chosen claims most papers have nothing to do.
        if studies.is_empty() && !args.claim.is_empty() {
            continue;
        }
        let started = now();
        let own = folder.join(&paper.key);
        let Reproduction { score, sections: new, failures: wrong, stopped, .. } = run(paper, studies, args, &own)?;
        of_papers.push(of_report(paper, &score, &new));
        sections.extend(new);
        total.failures.extend(wrong.iter().map(|(study, failure)| (study.clone(), why(study, failure))));
        failures.extend(wrong);
        if stopped {
            interrupted = true;
            break;
        }
        write(&score, args, &own)?;
        times.push(started.elapsed());
        tell::after(&score, times.last().copied().unwrap_or_default(), args)?;
        total.papers.push(score);
    }
    if let Some(file) = &report_file {
        report::write_with(file, &title(&total), "", of_papers, sections, command(args))?;
    }
    // What a part of the papers scored is told, but it is not the score of all.
    if !interrupted {
        if args.claim.is_empty() {
            total.write_json(&folder.join("claims.json"))?;
        }
        match json_file(args) {
            Some(path) => total.write_json(path)?,
            None if args.json.is_some() => print(&total.to_json())?,
            None => {}
        }
    }
    tell::all(&total, &times, args, &folder, report_file.as_deref())?;
    if interrupted { Err(Failure::Stopped) } else { told(failures) }
}

fn title(total: &Total) -> String {
    match total.papers.len() {
        1 => "Reproduction of one paper".into(),
        n => format!("Reproduction of {n} papers"),
    }
}

#[expect(clippy::disallowed_methods, reason = "how long a paper takes is told to the user, and nothing depends on it")]
fn now() -> Instant {
    Instant::now()
}

/// `45 s`, `3 min 5 s`, `1 h 2 min`.
pub(super) fn words(time: Duration) -> String {
    let seconds = time.as_secs_f64().round() as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_words() {
        let words = |seconds| words(Duration::from_secs_f64(seconds));
        assert_eq!(words(0.4), "0 s");
        assert_eq!(words(59.6), "1 min 0 s");
        assert_eq!(words(3599.0), "59 min 59 s");
        assert_eq!(words(3725.0), "1 h 2 min");
    }
}
