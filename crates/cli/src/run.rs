//! `weir run`

use crate::args::{Common, RunArgs};
use crate::output::{is_terminal, print, width};
use crate::progress::{Bar, STOP, catch_interrupts_once, stopped};
use crate::watch::{RunFiles, Watching};
use crate::{Failure, files, report, summary};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use weir_lab::{Experiment, Runner, Seeds, claims};
use weir_results::score::print_table;
use weir_scenario::{Folder, Override, Study};
use weir_schemes::bundles;
use weir_sim::Progress;

pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    let (study, source) = load(args)?;
    let seeds = chosen_seeds(&args.common)?.unwrap_or(Seeds::Ordinary);
    let folder = args.common.out.clone().unwrap_or_else(|| default_folder(&args.file));
    let run_files = RunFiles::new(args, &study, &seeds, &folder)?;
    files::prepare(&folder)?;
    let report_file = report::place(&args.common, &folder)?;
    let experiment = execute(study, seeds, &args.common, "run", Some(&run_files))?;
    files::write_tables(&experiment, &args.common.tables, &folder)?;
    let figures = files::write_figures(&experiment, &folder)?;
    if let Some(file) = &report_file {
        let section = report::section(&experiment, "", &source);
        let (title, about) = (section.0.title.clone(), section.0.about.clone());
        report::write(file, &title, &about, vec![section], command(args, &experiment))?;
    }
    if !args.common.quiet {
        print(&glance(&experiment, figures.len(), &folder))?;
        if let Some(file) = &report_file {
            print(&format!("the report is {}\n", file.display()))?;
        }
        if let Some(what) = run_files.what() {
            print(&format!("{what} of each run are in {}\n", folder.join("runs").display()))?;
        }
    }
    finish(&experiment)
}

fn glance(experiment: &Experiment, figures: usize, folder: &Path) -> String {
    let mut text = summary::table(experiment, width());
    let scored = claims(experiment);
    if !scored.is_empty() {
        text += &print_table(&scored, width(), is_terminal());
    }
    // Of a part of the runs a digest would say nothing.
    let digest =
        if experiment.is_complete() { format!("digest {:016x}; ", experiment.digest()) } else { String::new() };
    let written = if figures > 0 { "tables and figures" } else { "tables" };
    text + &format!("{digest}{written} are in {}\n", folder.display())
}

/// An error if the user stopped it.
pub(crate) fn finish(experiment: &Experiment) -> Result<(), Failure> {
    if stopped() && !experiment.is_complete() { Err(Failure::Stopped) } else { Ok(()) }
}

/// What would give the same results.
fn command(args: &RunArgs, experiment: &Experiment) -> String {
    let file = args.file.display().to_string();
    let mut more = Vec::new();
    if !args.scheme.is_empty() {
        more.extend(["--scheme".to_owned(), args.scheme.join(",")]);
    }
    if let Some(seeds) = seeds_of(&args.common, experiment) {
        more.extend(["--seeds".to_owned(), seeds]);
    }
    report::command(&["run", &file], &args.set, &more)
}

/// The seeds as they were given, or as the file has them where they are the same at every point.
fn seeds_of(common: &Common, experiment: &Experiment) -> Option<String> {
    let of_all = || {
        let seeds = experiment.common_seeds();
        let everywhere = experiment.outcomes.iter().all(|runs| runs.len() == seeds.len());
        (everywhere && !seeds.is_empty()).then(|| seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(","))
    };
    common.seeds.clone().or_else(of_all)
}

/// The study and the text of its file.
pub(crate) fn load(args: &RunArgs) -> Result<(Study, String), Failure> {
    let mut set: Vec<Override> = args.set.iter().map(Override::new).collect();
    let colour = std::io::stderr().is_terminal();
    let wrong = |problems: weir_scenario::Problems| Failure::Input(problems.render(colour));
    for name in &args.scheme {
        bundles::find(name).map_err(Failure::Input)?;
    }
    if let [one] = &args.scheme[..] {
        set.push(Override::new(format!("scheme={one:?}")));
    }
    // A file that cannot be read or is no text is told by the reader of studies.
    let shown = args.file.display().to_string();
    let text = std::fs::read_to_string(&args.file).unwrap_or_default();
    if args.scheme.len() < 2 {
        return Study::load(&args.file, &set).map_err(wrong).map(|study| (study, text));
    }
    // Several schemes are one more axis.
    let text = std::fs::read_to_string(&args.file)
        .map_err(|error| Failure::Input(format!("`{shown}` cannot be read: {error}")))?;
    let axis = format!("\n[[vary]]\nname = \"scheme\"\nset = \"scheme\"\nvalues = {:?}\n", args.scheme);
    let text = text + &axis;
    let folder = Folder::of(&args.file);
    Study::parse_with(&shown, &text, &set, &folder).map_err(wrong).map(|study| (study, text))
}

/// Runs a study with a progress bar, and watches its runs for the files that somebody asked for.
pub(crate) fn execute(
    study: Study,
    seeds: Seeds,
    common: &Common,
    title: &str,
    files: Option<&RunFiles>,
) -> Result<Experiment, Failure> {
    catch_interrupts_once();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut runner = Runner { jobs: common.jobs.map_or(cores, |n| n as usize), seeds, stop: &STOP, progress: &() };
    let bar = Bar::new(title, runner.runs(&study), common.quiet);
    let watching = files.map(|files| Watching { bar: &bar, files });
    runner.progress = watching.as_ref().map_or(&bar as &dyn Progress, |w| w);
    let experiment = runner.run(study).map_err(|error| Failure::Other(error.to_string()));
    bar.clear();
    experiment
}

/// The seeds that `--seeds` names.
pub(crate) fn chosen_seeds(common: &Common) -> Result<Option<Seeds>, Failure> {
    let seeds = common.seeds.as_deref().map(seeds).transpose().map_err(Failure::Input)?;
    Ok(seeds.map(Seeds::These))
}

/// More seeds are surely a mistake.
const MOST_SEEDS: u64 = 100_000;

fn seeds(text: &str) -> Result<Vec<u64>, String> {
    let wrong = || format!("`--seeds {text}` is not a range such as 1..20, a list such as 1,5,9 or a number");
    let number = |s: &str| s.trim().parse::<u64>().map_err(|_| wrong());
    if let Some((first, last)) = text.split_once("..") {
        let (first, last) = (number(first)?, number(last)?);
        return match last.checked_sub(first) {
            None => Err(format!("`--seeds {text}` ends before it begins")),
            Some(more) if more >= MOST_SEEDS => Err(format!("`--seeds {text}` are more than {MOST_SEEDS} seeds")),
            Some(_) => Ok((first..=last).collect()),
        };
    }
    let mut seeds = Vec::new();
    for seed in text.split(',').map(number) {
        let seed = seed?;
        if seeds.contains(&seed) {
            return Err(format!("`--seeds {text}` has the seed {seed} twice"));
        }
        seeds.push(seed);
    }
    Ok(seeds)
}

pub(crate) fn default_folder(file: &Path) -> PathBuf {
    Path::new("out").join(file.file_stem().unwrap_or(file.as_os_str()))
}
