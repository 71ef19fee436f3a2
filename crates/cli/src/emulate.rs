//! `weir emulate`: a scenario with real forwarders and real programs, in networks of their own on this host.

use crate::args::{Common, RunArgs};
use crate::output::{print, width};
use crate::progress::{STOP, catch_interrupts_once, stopped};
use crate::run::{chosen_seeds, default_folder, execute, finish, load};
use crate::{Failure, files, summary};
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use weir_emulate::namespace::{become_guarded, prepare};
use weir_emulate::{EmulateError, LinkKind, Setting};
use weir_lab::{Experiment, Seeds};
use weir_scenario::{Point, Study};

/// The word of the hidden command that keeps programs from outliving an emulation.
const GUARD: &str = "emulate-guard";

#[derive(Debug, Args)]
#[command(
    after_help = "Every node is a network namespace with a `weir forward`, every link has its rate, queue, delay and loss, every \
        fetch is a `weir get`, every flow of requests a `weir request`. It takes as \
        long as the scenario says, so by default only the file's first seed is run. \
        Needs Linux, and root or user namespaces.\n\nExamples:\n  \
        weir emulate examples/single-path-window.toml\n  \
        weir emulate mine.toml --scheme pcon,pfecc --seeds 1..5 --beside   the simulated twin beside it"
)]
pub(crate) struct EmulateArgs {
    /// The scenario file
    pub file: PathBuf,
    /// Change a value of the file, such as `scheme.queue=codel`; may be given several times
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Run with this scheme, or compare several: `--scheme icp,cubic,pcon`
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',')]
    pub scheme: Vec<String>,
    /// Simulate the scenario, too, with the same seeds, and print both
    #[arg(long)]
    pub beside: bool,
    /// Who makes the links
    #[arg(long, value_enum, value_name = "WHO", default_value = "tun")]
    pub links: LinkChoice,
    #[command(flatten)]
    pub common: Common,
}

/// Who makes the links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinkChoice {
    /// Threads of this program between two tunnel devices
    Tun,
    /// The kernel: a veth pair with tbf for the rate and netem for delay, loss, jitter and copies
    Kernel,
}

impl From<LinkChoice> for LinkKind {
    fn from(choice: LinkChoice) -> LinkKind {
        match choice {
            LinkChoice::Tun => LinkKind::Tunnel,
            LinkChoice::Kernel => LinkKind::Kernel,
        }
    }
}

/// The words of the hidden command.
#[derive(Debug, Args)]
pub(crate) struct GuardArgs {
    parent: u32,
    program: OsString,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Becomes another program, which ends with the one that asked for it.
pub(crate) fn guard(args: &GuardArgs) -> Result<(), Failure> {
    Err(Failure::Other(become_guarded(args.parent, &args.program, &args.arguments).to_string()))
}

pub(crate) fn emulate(args: &EmulateArgs) -> Result<(), Failure> {
    let links = args.links.into();
    ready(links)?;
    let run = RunArgs::plain(&args.file, &args.set, &args.scheme, &args.common);
    let (study, _) = load(&run)?;
    let seeds = chosen_seeds(&args.common)?;
    let folder = args.common.out.clone().unwrap_or_else(|| default_folder(&args.file).join("emulated"));
    files::prepare(&folder)?;
    let emulated = runs(study.clone(), seeds, links, args.common.quiet)?;
    files::write_tables(&emulated, &args.common.tables, &folder)?;
    files::write_figures(&emulated, &folder)?;
    let mut text = String::new();
    if args.beside && emulated.is_complete() {
        let same = Seeds::These(emulated.common_seeds());
        let simulated = execute(study, same, &args.common, "simulate", None)?;
        files::write_tables(&simulated, &args.common.tables, &folder.join("simulated"))?;
        text += &summary::beside(&[("emulated", &emulated), ("simulated", &simulated)], width());
    } else {
        text += &summary::table(&emulated, width());
    }
    if !args.common.quiet {
        print(&format!("{text}tables and figures are in {}\n", folder.display()))?;
    }
    finish(&emulated)
}

/// Makes this process able to emulate networks; to be called while it has one thread.
pub(crate) fn ready(links: LinkKind) -> Result<(), Failure> {
    prepare(links).map_err(|unable| Failure::Other(unable.to_string()))
}

/// Every point with its seeds, one after the other: they share this host's processors.
pub(crate) fn runs(study: Study, seeds: Option<Seeds>, links: LinkKind, quiet: bool) -> Result<Experiment, Failure> {
    catch_interrupts_once();
    let own = std::env::current_exe().map_err(|error| Failure::Other(format!("this program: {error}")))?;
    let mut outcomes = Vec::new();
    for point in study.points() {
        let all = &point.scenario.run.seeds;
        let chosen = match &seeds {
            Some(seeds) => seeds.of(&point.scenario.run),
            None => &all[..all.len().min(1)],
        };
        let mut of_point = Vec::new();
        for seed in chosen {
            let setting = Setting { own: &own, guard: GUARD, links, seed: *seed, stop: &STOP };
            of_point.push((*seed, if stopped() { None } else { one(point, &setting, &study.file)? }));
            if !quiet {
                eprintln!("emulated {} seed {seed}", point.title());
            }
        }
        outcomes.push(of_point);
    }
    Ok(Experiment { study, outcomes })
}

fn one(point: &Point, setting: &Setting<'_>, file: &str) -> Result<Option<weir_sim::Outcome>, Failure> {
    match weir_emulate::run(&point.scenario, setting) {
        Ok(outcome) => Ok(Some(outcome)),
        Err(EmulateError::Stopped) => Ok(None),
        Err(EmulateError::Unsupported(what)) => Err(Failure::Input(format!("{file} cannot be emulated: {what}"))),
        Err(error) => Err(Failure::Other(error.to_string())),
    }
}
