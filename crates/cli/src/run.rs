//! `weir run`

use crate::args::{Common, RunArgs};
use crate::output::{is_terminal, print, width};
use crate::progress::{Bar, STOP, catch_interrupts, stopped};
use crate::{Failure, files, summary};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use weir_lab::{Experiment, Runner, Seeds, claims};
use weir_results::score::print_table;
use weir_scenario::{Folder, Override, Study};
use weir_schemes::bundles;

pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    let study = load(args)?;
    let seeds = chosen_seeds(&args.common)?.unwrap_or(Seeds::Ordinary);
    let folder = args.common.out.clone().unwrap_or_else(|| default_folder(&args.file));
    files::prepare(&folder)?;
    let experiment = execute(study, seeds, &args.common, "run")?;
    files::write_tables(&experiment, &args.common.tables, &folder)?;
    let figures = files::write_figures(&experiment, &folder)?;
    if !args.common.quiet {
        print(&report(&experiment, figures.len(), &folder))?;
    }
    finish(&experiment)
}

fn report(experiment: &Experiment, figures: usize, folder: &Path) -> String {
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

fn load(args: &RunArgs) -> Result<Study, Failure> {
    let mut set: Vec<Override> = args.set.iter().map(Override::new).collect();
    let colour = std::io::stderr().is_terminal();
    let wrong = |problems: weir_scenario::Problems| Failure::Input(problems.render(colour));
    for name in &args.scheme {
        bundles::find(name).map_err(Failure::Input)?;
    }
    if let [one] = &args.scheme[..] {
        set.push(Override::new(format!("scheme={one:?}")));
    }
    if args.scheme.len() < 2 {
        return Study::load(&args.file, &set).map_err(wrong);
    }
    // Several schemes are one more axis.
    let shown = args.file.display().to_string();
    let text = std::fs::read_to_string(&args.file)
        .map_err(|error| Failure::Input(format!("`{shown}` cannot be read: {error}")))?;
    let axis = format!("\n[[vary]]\nname = \"scheme\"\nset = \"scheme\"\nvalues = {:?}\n", args.scheme);
    Study::parse_with(&shown, &(text + &axis), &set, &Folder::of(&args.file)).map_err(wrong)
}

/// Runs a study with a progress bar.
pub(crate) fn execute(study: Study, seeds: Seeds, common: &Common, title: &str) -> Result<Experiment, Failure> {
    catch_interrupts_once();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut runner = Runner { jobs: common.jobs.map_or(cores, |n| n as usize), seeds, stop: &STOP, progress: &() };
    let bar = Bar::new(title, runner.runs(&study), common.quiet);
    runner.progress = &bar;
    let experiment = runner.run(study).map_err(|error| Failure::Other(error.to_string()));
    bar.clear();
    experiment
}

fn catch_interrupts_once() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(catch_interrupts);
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

fn default_folder(file: &Path) -> PathBuf {
    Path::new("out").join(file.file_stem().unwrap_or(file.as_os_str()))
}
