//! `weir run`

use crate::args::{Common, RunArgs};
use crate::progress::{Bar, STOP, catch_interrupts, stopped};
use crate::{Failure, files, summary};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use weir_lab::{Experiment, Runner, Seeds, claims};
use weir_results::score::print_table;
use weir_scenario::{Override, Study};

pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    let study = load(args)?;
    let seeds = chosen_seeds(&args.common)?.unwrap_or(Seeds::Ordinary);
    let folder = args.common.out.clone().unwrap_or_else(|| default_folder(&args.file));
    let experiment = execute(study, seeds, &args.common, "run")?;
    files::write_tables(&experiment, &folder)?;
    let figures = files::write_figures(&experiment, &folder)?;
    if !args.common.quiet {
        print!("{}", summary::table(&experiment, width()));
        let scored = claims(&experiment);
        if !scored.is_empty() {
            print!("{}", print_table(&scored, width(), std::io::stdout().is_terminal()));
        }
        println!("digest {:016x}; {} figures and the tables are in {}", experiment.digest(), figures.len(), folder.display());
    }
    finish(&experiment)
}

/// An error if the user stopped it.
pub(crate) fn finish(experiment: &Experiment) -> Result<(), Failure> {
    if stopped() && !experiment.is_complete() { Err(Failure::Stopped) } else { Ok(()) }
}

fn load(args: &RunArgs) -> Result<Study, Failure> {
    let mut set: Vec<Override> = args.set.iter().map(Override::new).collect();
    let colour = std::io::stderr().is_terminal();
    let wrong = |problems: weir_scenario::Problems| Failure::Input(problems.render(colour));
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
    Study::parse(&shown, &(text + &axis), &set).map_err(wrong)
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
    let Some(text) = &common.seeds else { return Ok(None) };
    let wrong = || Failure::Input(format!("`--seeds {text}` is not a range such as 1..20, a list such as 1,5,9 or a number"));
    let number = |s: &str| s.trim().parse::<u64>().map_err(|_| wrong());
    let seeds = match text.split_once("..") {
        Some((first, last)) => (number(first)?..=number(last)?).collect(),
        None => text.split(',').map(number).collect::<Result<Vec<u64>, _>>()?,
    };
    if seeds.is_empty() { Err(wrong()) } else { Ok(Some(Seeds::These(seeds))) }
}

fn default_folder(file: &Path) -> PathBuf {
    Path::new("out").join(file.file_stem().unwrap_or(file.as_os_str()))
}

/// Width of the terminal; 100 where there is none.
pub(crate) fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    columns.or_else(terminal_width).unwrap_or(100)
}

fn terminal_width() -> Option<usize> {
    console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns))
}
