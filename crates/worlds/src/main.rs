//! `weir-worlds`: draws worlds from a seed and checks what must hold in each.

use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use weir_worlds::{Document, Failure, Limits, Report, check, draw, shrink, text};

/// Draws random worlds and checks in each what must hold in all
#[derive(Parser)]
#[command(name = "weir-worlds", version)]
struct Arguments {
    /// How many worlds
    #[arg(long, default_value_t = 300)]
    worlds: u64,
    /// Number of the first world; each world has the next number, which is also the seed of its run
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where files of worlds that fail go
    #[arg(long, value_name = "FOLDER", default_value = "out/worlds")]
    out: PathBuf,
    /// Threads [default: all cores]
    #[arg(short, long, value_name = "N")]
    jobs: Option<usize>,
    /// Events that one run may have before it counts as endless
    #[arg(long, value_name = "N", default_value_t = Limits::default().events)]
    events: u64,
    /// Attempts to make a world that fails smaller
    #[arg(long, value_name = "N", default_value_t = 3000)]
    shrink: usize,
    /// Print the file of world `--seed` and run nothing
    #[arg(long)]
    show: bool,
    /// Check this file with the seed instead of drawing worlds
    #[arg(long, value_name = "FILE")]
    repeat: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let limits = Limits { events: arguments.events };
    if arguments.show {
        print!("{}", text(&draw(arguments.seed)));
        return ExitCode::SUCCESS;
    }
    // A panic is a finding, told with the world that it comes from.
    std::panic::set_hook(Box::new(|_| {}));
    match &arguments.repeat {
        Some(file) => repeat(file, arguments.seed, &limits),
        None => search(&arguments, &limits),
    }
}

fn repeat(file: &std::path::Path, seed: u64, limits: &Limits) -> ExitCode {
    let found = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()));
    match found.and_then(|text| check(&text, seed, limits).map_err(|failure| failure.to_string())) {
        Ok(report) => {
            println!("holds: {report:?}");
            ExitCode::SUCCESS
        }
        Err(what) => {
            println!("{what}");
            ExitCode::FAILURE
        }
    }
}

fn search(arguments: &Arguments, limits: &Limits) -> ExitCode {
    let jobs = arguments.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let (next, end) = (AtomicU64::new(arguments.seed), arguments.seed + arguments.worlds);
    let (tell, told) = mpsc::channel::<(u64, Document, Result<Report, Failure>)>();
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            let (tell, next) = (tell.clone(), &next);
            scope.spawn(move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        return;
                    }
                    let world = draw(seed);
                    let found = check(&text(&world), seed, limits);
                    let (world, found) = match found {
                        Err(failure) => {
                            let (world, failure) = shrink(world, seed, limits, failure, arguments.shrink);
                            (world, Err(failure))
                        }
                        found => (world, found),
                    };
                    if tell.send((seed, world, found)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(tell);
        for (seed, world, found) in told {
            match found {
                Ok(report) => tally.add(&report),
                Err(failure) => {
                    tally.failed += 1;
                    write(arguments, seed, &world, &failure);
                }
            }
        }
    });
    println!(
        "{} worlds, {} failed: {} segments, {} events, {:.0} s of simulated time",
        tally.held + tally.failed,
        tally.failed,
        tally.delivered,
        tally.events,
        tally.seconds
    );
    if tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[derive(Default)]
struct Tally {
    held: u64,
    failed: u64,
    delivered: u64,
    events: u64,
    seconds: f64,
}

impl Tally {
    fn add(&mut self, report: &Report) {
        self.held += 1;
        self.delivered += report.delivered;
        self.events += report.events;
        self.seconds += report.time.seconds();
    }
}

/// Writes a world that fails, with what is wrong and how to repeat it.
fn write(arguments: &Arguments, seed: u64, world: &Document, failure: &Failure) {
    let file = arguments.out.join(format!("{seed}.toml"));
    let command = format!("cargo run -p weir-worlds -- --seed {seed} --repeat {}", file.display());
    let told = failure.to_string();
    let head: String = told.lines().map(|line| format!("# {line}\n")).collect();
    let whole = format!("{head}# {command}\n{}", text(world));
    println!("world {seed}\n{whole}");
    if let Err(error) = std::fs::create_dir_all(&arguments.out).and_then(|()| std::fs::write(&file, whole)) {
        eprintln!("{}: {error}", file.display());
    }
}
