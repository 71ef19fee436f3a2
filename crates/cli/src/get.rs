//! `weir get`: fetches a content by its name.

pub(crate) mod rules;

use crate::put::endpoint;
use crate::stop::Stopper;
use crate::{Failure, orders};
use clap::Args;
use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use rules::ConsumerArgs;
use std::io::IsTerminal;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::Duration;
use weir_core::{Bytes, NoSink, Seed};
use weir_files::{
    Choice, Client, GetError, GetProgress, GetRules, Getter, Output, Part, Pipe, Recipe, Summary, Watcher, setting,
};
use weir_live::{Clock, Driver, FaceUri};
use weir_trust::{KeyFile, KeyRing};
use weir_wire::Name;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        weir get /home/film -o film.mp4              fetch the newest version; again: go on where it was cut off\n  \
        weir get /home/src | tar x                   in order, into a pipe\n  \
        weir get /f -o f --face udp://192.0.2.1      from this peer, without a forwarder\n  \
        weir get /f -o f --control pfecc --set omega=0.5 --stats f.csv\n\n\
    Exit codes: 0 the content is there; 1 it could not be fetched; 2 the arguments are wrong; \
    5 a packet was refused, for its signature or its digest is wrong; 130 stopped (`-o`: what is there stays, and the \
    same command goes on).")]
pub(crate) struct GetArgs {
    /// The content: its newest version, unless the name ends in a version
    pub name: Name,
    /// The file to write; `-`, or nothing if standard output is no terminal: standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace the file if it is there
    #[arg(long)]
    pub force: bool,
    /// The forwarder or the peer to fetch from [default: NDN_CLIENT_TRANSPORT, client.conf, or NFD's socket]
    #[arg(long, value_name = "URI")]
    pub face: Option<FaceUri>,
    /// What governs the window or rate: a control of `weir list controls` [default: cubic, with
    /// `hystart=true`, `css_rounds=0` and `tcp_friendly=true`]
    #[arg(long, value_name = "CONTROL")]
    pub control: Option<String>,
    /// A parameter of the control; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// When an Interest counts as lost: a timeout of `weir list timeouts`
    #[arg(long, value_name = "TIMEOUT", default_value = "rfc6298")]
    pub timeout: String,
    /// A parameter of the timeout; may be given several times
    #[arg(long = "set-timeout", value_name = "KEY=VALUE")]
    pub set_timeout: Vec<String>,
    /// How often to ask for one segment before giving up
    #[arg(long, value_name = "TIMES", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    pub attempts: u32,
    /// Take only what this key signed: a file with a PUBLIC KEY or an NDN certificate, or `hmac:FILE` for a shared
    /// secret in base64; may be given several times [default: any undamaged packet with a SHA-256 digest]
    #[arg(long, value_name = "KEY")]
    pub key: Vec<String>,
    /// Bytes of content that a packet is expected to have, for controls that compute with it
    #[arg(long, value_name = "BYTES", default_value = "8000B")]
    pub payload: Bytes,
    /// The name is complete: do not look for a version
    #[arg(long)]
    pub exact: bool,
    /// Write a row for each segment to this CSV file, and to its neighbours the window along time (FILE-series.csv), what befell
    /// the fetch (FILE-events.csv) and the fetch itself (FILE-fetches.csv)
    #[arg(long, value_name = "FILE")]
    pub stats: Option<PathBuf>,
    /// Read orders from standard input, one a line: `control NAME KEY=VALUE...` and `timeout NAME KEY=VALUE...` take over what
    /// is under way
    #[arg(long)]
    pub orders: bool,
    /// Print a summary as JSON: to standard output, or to standard error if the content goes there
    #[arg(long)]
    pub json: bool,
    /// No progress and no summary
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub consumer: ConsumerArgs,
}

/// The control of a fetch that names none. Between programs of one machine, and before a router that knows no NDN, nothing but
/// losses would end slow start: it ends when round trips rise. Cubic growth is made for round trips of many milliseconds;
/// where they are shorter the window follows Reno's. Five more rounds of growth would fill a queue that is four times as long
/// as the path: 64 packets before 50 Mbit/s and 20 ms.
const CONTROL: (&str, &[(&str, &str)]) =
    ("cubic", &[("hystart", "true"), ("css_rounds", "0"), ("tcp_friendly", "true")]);

/// What a packet that is not believed ends with (as ndncatchunks).
const UNTRUSTED: u8 = 5;

pub(crate) fn get(args: &GetArgs) -> Result<(), Failure> {
    let keys = keys(&args.key)?;
    let seed = Seed(Clock::unix_millis() ^ u64::from(std::process::id()) << 44);
    let control = with_default(args.control.as_deref(), &args.set, CONTROL)?;
    let timeout = choice(&args.timeout, &args.set_timeout)?;
    let recipe = Recipe { control, timeout, known: args.consumer.known(args.payload), seed: seed.of("plugins") };
    let plugins = recipe.plugins().map_err(Failure::Input)?;
    let remote = endpoint(args.face.as_ref())?;
    let (output, piped) = output(args)?;
    let rules = GetRules {
        keys,
        attempts: args.attempts,
        tables: args.stats.is_some(),
        exact: args.exact,
        consumer: args.consumer.rules(),
        seed,
    };
    let getter = Getter::new(args.name.clone(), output, plugins, rules);
    let mut driver = Driver::new(Box::new(NoSink)).map_err(|e| Failure::Other(e.to_string()))?;
    let stopper = Stopper::new(driver.waker())?;
    let bar = bar(args.quiet);
    let mut client = Client::new(getter, remote, stopper.flag(), watcher(bar.clone()));
    if args.orders {
        client = client.with_orders(orders::read(driver.waker(), recipe.clone())?, recipe);
    }
    driver.run(&mut client).map_err(|e| Failure::Other(e.to_string()))?;
    bar.finish_and_clear();
    if let Some(path) = &args.stats {
        client.write_tables(path).map_err(|e| Failure::Other(e.to_string()))?;
    }
    match client.getter().outcome() {
        Some(Ok(summary)) => tell(args, piped, summary, client.getter().resumed().outdated),
        Some(Err(GetError::Interrupted)) | None => Err(Failure::Stopped),
        Some(Err(error @ GetError::Untrusted { .. })) => Err(Failure::Code(error.to_string(), UNTRUSTED)),
        Some(Err(error)) => Err(Failure::Other(error.to_string())),
    }
}

pub(crate) fn keys(files: &[String]) -> Result<KeyRing, Failure> {
    let read = |key: &String| {
        let Ok(file) = key.parse::<KeyFile>();
        file.verifier().map_err(|e| Failure::Input(e.to_string()))
    };
    files.iter().map(read).collect()
}

/// The part that is named, as the registry has it, or else `default` with settings of its own; each with the user's.
pub(crate) fn with_default(
    name: Option<&str>,
    settings: &[String],
    default: (&str, &[(&str, &str)]),
) -> Result<Choice, Failure> {
    let Some(name) = name else {
        let own = default.1.iter().map(|(key, value)| format!("{key}={value}"));
        let said = |own: &String| settings.iter().any(|text| text.split('=').next() == own.split('=').next());
        let all: Vec<String> = own.filter(|own| !said(own)).chain(settings.iter().cloned()).collect();
        return choice(default.0, &all);
    };
    choice(name, settings)
}

pub(crate) fn choice(name: &str, settings: &[String]) -> Result<Choice, Failure> {
    let settings = settings.iter().map(|text| setting(text)).collect::<Result<_, _>>().map_err(Failure::Input)?;
    Ok(Choice { name: name.to_owned(), settings })
}

/// Where the content goes; true if to standard output.
fn output(args: &GetArgs) -> Result<(Output, bool), Failure> {
    let path = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let Some(path) = path else {
        if std::io::stdout().is_terminal() && args.output.is_none() {
            let what = "standard output is a terminal: name a file with `-o FILE`, or say `-o -`";
            return Err(Failure::Input(what.into()));
        }
        // Not by way of the library's buffer, which looks for ends of lines.
        let stdout = std::io::stdout().as_fd().try_clone_to_owned();
        let stdout = stdout.map_err(|e| Failure::Other(format!("standard output: {e}")))?;
        return Ok((Output::Pipe(Pipe::new(Box::new(std::fs::File::from(stdout)))), true));
    };
    if path.is_dir() {
        return Err(Failure::Input(format!("{} is a folder", path.display())));
    }
    if path.exists() && !args.force {
        return Err(Failure::Input(format!("{} is there already; `--force` replaces it", path.display())));
    }
    let part = Part::open(path).map_err(|e| Failure::Other(e.to_string()))?;
    Ok((Output::File(Box::new(part)), false))
}

fn bar(quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(None, target);
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

/// Shows how far the fetch is: share, rate, window, round trip, and the time that is left.
fn watcher(bar: ProgressBar) -> Watcher {
    let mut styled = false;
    Box::new(move |now: &GetProgress| {
        if !styled && let Some(total) = now.total {
            styled = true;
            bar.set_length(total);
            let style = "[{bar:30}] {bytes}/{total_bytes} {binary_bytes_per_sec}, {eta} left{msg}";
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style.progress_chars("=> "));
            }
            // What an earlier fetch had left is no speed.
            bar.reset_eta();
        }
        bar.set_position(now.bytes);
        if now.away {
            return bar.set_message(", the forwarder is away; trying again");
        }
        let window = if now.window.is_finite() { format!("{:.0}", now.window) } else { "-".into() };
        bar.set_message(format!(", window {window}, {} in flight, {:.1} ms", now.in_flight, now.rtt.millis()));
    })
}

fn tell(args: &GetArgs, piped: bool, summary: &Summary, outdated: bool) -> Result<(), Failure> {
    if args.json {
        let text = json(summary).to_string() + "\n";
        if piped {
            eprint!("{text}");
            return Ok(());
        }
        return crate::output::print(&text);
    }
    if args.quiet {
        return Ok(());
    }
    if outdated {
        eprintln!("what was there of an older version has been thrown away");
    }
    if summary.resumed_bytes > 0 {
        eprintln!("{} were there from an earlier fetch", HumanBytes(summary.resumed_bytes));
    }
    let rtts = &summary.round_trips;
    eprintln!(
        "{}: {} bytes, {} segments in {}: {:.1} Mbit/s\n\
         retransmitted {:.2} % ({} timeouts, {} refusals), marked {}, window cut {} times\n\
         round trips of {:.2} ms (half), {:.2} ms (95 %), {:.2} ms (longest)\n\
         sha256 {}",
        summary.name,
        summary.bytes,
        summary.segments,
        match summary.elapsed.seconds() {
            short if short < 60.0 => format!("{short:.2} s"),
            long => HumanDuration(Duration::from_secs_f64(long)).to_string(),
        },
        summary.goodput() * 1e-6,
        summary.retransmitted_share() * 100.0,
        summary.timeouts,
        summary.nacks,
        summary.marked,
        summary.decreases,
        rtts.median,
        rtts.p95,
        rtts.max,
        summary.sha256_hex(),
    );
    Ok(())
}

pub(crate) fn json(summary: &Summary) -> serde_json::Value {
    let rtts = &summary.round_trips;
    serde_json::json!({
        "name": summary.name.to_string(),
        "bytes": summary.bytes,
        "segments": summary.segments,
        "sha256": summary.sha256_hex(),
        "seconds": summary.elapsed.seconds(),
        "goodput_mbps": summary.goodput() * 1e-6,
        "resumed_bytes": summary.resumed_bytes,
        "fetched_bytes": summary.fetched_bytes,
        "fetched_segments": summary.fetched,
        "interests": summary.interests,
        "retransmitted": summary.retransmitted,
        "retransmitted_share": summary.retransmitted_share(),
        "timeouts": summary.timeouts,
        "nacks": summary.nacks,
        "marked": summary.marked,
        "decreases": summary.decreases,
        "rtt_ms": {
            "count": rtts.count, "min": rtts.min, "median": rtts.median, "p95": rtts.p95, "p99": rtts.p99,
            "max": rtts.max,
        },
    })
}
