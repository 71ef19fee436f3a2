//! `weir compare`: every scheme on every network.

mod contenders;
mod grounds;
mod json;
mod markdown;
mod page;
#[cfg(target_os = "linux")]
mod parity;
mod tables;
mod verdicts;

use crate::args::CompareArgs;
use crate::output::print;
use crate::progress::{Bar, STOP, catch_interrupts_once, stopped};
use crate::run::chosen_seeds;
use crate::{Failure, files, report};
use contenders::Contender;
use grounds::Ground;
pub(crate) use grounds::list;
use std::path::Path;
use weir_core::Span;
use weir_lab::{Seeds, Standing, Tries, same_parts};
use weir_results::files::write_atomic;
use weir_scenario::plan::Scenario;

/// Seeds of an ordinary comparison, and of a quick one.
const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];
const QUICK_SEEDS: [u64; 2] = [1, 2];

/// What was compared, and how it went.
struct Comparison {
    /// The networks.
    grounds: Vec<Ground>,
    /// The schemes.
    contenders: Vec<Contender>,
    /// For each network that was done, how each scheme did.
    standings: Vec<Vec<Standing>>,
    /// With these seeds.
    seeds: Vec<u64>,
}

pub(crate) fn compare(args: &CompareArgs) -> Result<(), Failure> {
    if !args.sides.is_empty() {
        return both_ways(args);
    }
    let limit = limit(&args.limit)?;
    let seeds = match chosen_seeds(&args.common)? {
        Some(Seeds::These(seeds)) => seeds,
        _ if args.quick => QUICK_SEEDS.to_vec(),
        _ => SEEDS.to_vec(),
    };
    let contenders = contenders::chosen(&args.schemes)?;
    let grounds = grounds::chosen(&args.scenarios)?;
    let folder = args.common.out.clone().unwrap_or_else(|| Path::new("out").join("compare"));
    files::prepare(&folder)?;
    if let Some(json) = args.json.as_deref().filter(|path| *path != Path::new("-")) {
        files::prepare_for(json)?;
    }
    let report_file = report::place(&args.common, &folder)?;
    let silent = args.common.quiet || args.json.as_deref() == Some(Path::new("-"));
    let mut comparison = Comparison { grounds, contenders, standings: Vec::new(), seeds };
    if args.schemes.is_empty() {
        comparison.drop_doubles(args.quick, limit);
    }
    comparison.run(args, limit, silent)?;
    let interrupted = comparison.standings.len() < comparison.grounds.len();
    comparison.grounds.truncate(comparison.standings.len());
    tables::write(&comparison, &args.common.tables, &folder)?;
    write_atomic(&folder.join("compare.md"), markdown::whole(&comparison).as_bytes())?;
    write_atomic(&folder.join("summary.md"), markdown::summary(&comparison).as_bytes())?;
    match args.json.as_deref() {
        Some(path) if path == Path::new("-") => print(&json::text(&comparison))?,
        Some(path) => write_atomic(path, json::text(&comparison).as_bytes())?,
        None => {}
    }
    if let Some(file) = &report_file {
        page::write(&comparison, args, file)?;
    }
    if !silent {
        let mut text = tables::glance(&comparison);
        text += &format!(
            "tables (compare, runs, ranks, pareto, standings), compare.md and summary.md are in {}\n",
            folder.display()
        );
        if let Some(file) = &report_file {
            text += &format!("the report is {}\n", file.display());
        }
        print(&text)?;
    }
    if interrupted { Err(Failure::Stopped) } else { comparison.defects() }
}

#[cfg(target_os = "linux")]
fn both_ways(args: &CompareArgs) -> Result<(), Failure> {
    parity::parity(args)
}

#[cfg(not(target_os = "linux"))]
fn both_ways(_: &CompareArgs) -> Result<(), Failure> {
    Err(Failure::Other("networks are emulated on Linux only".into()))
}

/// The longest that a run may last, in simulated time.
fn limit(text: &str) -> Result<Span, Failure> {
    let wrong = || Failure::Input(format!("`--limit {text}` is not a time such as `300s`"));
    let limit: Span = text.parse().map_err(|_| wrong())?;
    if limit == Span::ZERO { Err(wrong()) } else { Ok(limit) }
}

impl Comparison {
    /// Every scheme on a network, ready to run.
    fn scenarios(&self, ground: &Ground, quick: bool, limit: Span) -> Vec<Result<Scenario, String>> {
        let scenario = |contender: &Contender| ground.scenario(contender, quick, limit);
        self.contenders.iter().map(scenario).collect()
    }

    /// Leaves out combinations that are what a scheme is already: `plr` is CUBIC with PLR.
    fn drop_doubles(&mut self, quick: bool, limit: Span) {
        let Some(ground) = self.grounds.first() else { return };
        let plans: Vec<Option<_>> =
            self.scenarios(ground, quick, limit).into_iter().map(|s| s.ok().map(|s| s.scheme)).collect();
        let double = |i: usize| {
            let known = |j: &Option<_>| j.as_ref().zip(plans[i].as_ref()).is_some_and(|(a, b)| same_parts(a, b));
            plans[..i].iter().any(known)
        };
        let keep: Vec<bool> = (0..plans.len()).map(|i| !double(i)).collect();
        let mut keep = keep.into_iter();
        self.contenders.retain(|_| keep.next().unwrap_or(true));
    }

    /// Runs network after network, so that what is done stays done.
    fn run(&mut self, args: &CompareArgs, limit: Span, silent: bool) -> Result<(), Failure> {
        catch_interrupts_once();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = args.common.jobs.map_or(cores, |n| n as usize);
        for number in 0..self.grounds.len() {
            if stopped() {
                break;
            }
            let scenarios = self.scenarios(&self.grounds[number], args.quick, limit);
            let runs = scenarios.iter().filter(|s| s.is_ok()).count() * self.seeds.len();
            let ground = &mut self.grounds[number];
            ground.remember(scenarios.iter().find_map(|s| s.as_ref().ok()));
            let bar = Bar::new(&ground.arena.name, runs, args.common.quiet);
            let tries = Tries { seeds: &self.seeds, jobs, stop: &STOP, progress: &bar };
            let standings = tries.run(scenarios);
            bar.clear();
            if standings.contains(&Standing::Stopped) {
                break;
            }
            self.standings.push(standings);
            if !silent {
                print(&tables::after(self, number))?;
            }
        }
        Ok(())
    }

    /// An error that names everything that went wrong although it was checked.
    fn defects(&self) -> Result<(), Failure> {
        let mut texts = Vec::new();
        for (ground, standings) in self.grounds.iter().zip(&self.standings) {
            for (contender, standing) in self.contenders.iter().zip(standings) {
                if let Standing::Failed(why) = standing {
                    texts.push(format!("{} on {} {why}", contender.name, ground.arena.name));
                }
            }
        }
        if texts.is_empty() { Ok(()) } else { Err(Failure::Other(texts.join("\n"))) }
    }
}
