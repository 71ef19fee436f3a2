//! `weir request`: many requests over a real network, as a scenario's workload makes them.

mod traffic;

use crate::get::rules::ConsumerArgs;
use crate::get::{choice, keys};
use crate::put::endpoint;
use crate::stop::Stopper;
use crate::{Failure, orders};
use clap::Args;
use std::path::PathBuf;
use weir_core::{NoSink, Seed};
use weir_files::{Asker, RequestCounts};
use weir_live::{Clock, Driver, FaceUri};
use weir_results::stats::{mean, percentile};
use weir_wire::Name;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        weir request /load 'poisson = { rate = \"100/s\", names = 10_000, zipf = 0.8, payload = \"1000B\" }'\n  \
        weir request /load 'constant = { rate = \"5/s\", size = \"1MB\", count = 100 }' --control pcon-cs\n  \
        weir request /load 'trace = { file = \"requests.csv\" }' --stats load.csv\n\n\
    `weir answer /load` answers them. Ctrl-C ends it; what has been seen is told and written.\n\n\
    Exit codes: 0 all requests have been answered or given up, or it was stopped; 1 the forwarder cannot be reached; \
    2 the arguments are wrong.")]
pub(crate) struct RequestArgs {
    /// What the objects' numbers, or the names of a trace, are put behind
    pub name: Name,
    /// When requests come and what they are for: a kind of `[[workload]]` of scenario files other than `fetch` and `burst`
    pub traffic: String,
    /// The forwarder or the peer to ask [default: NDN_CLIENT_TRANSPORT, client.conf, or NFD's socket]
    #[arg(long, value_name = "URI")]
    pub face: Option<FaceUri>,
    /// What governs the window or rate of objects of several segments: a control of `weir list controls`
    #[arg(long, value_name = "CONTROL", default_value = "cubic")]
    pub control: String,
    /// A parameter of the control; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// When an Interest counts as lost: a timeout of `weir list timeouts`
    #[arg(long, value_name = "TIMEOUT", default_value = "rfc6298")]
    pub timeout: String,
    /// A parameter of the timeout; may be given several times
    #[arg(long = "set-timeout", value_name = "KEY=VALUE")]
    pub set_timeout: Vec<String>,
    /// Take only what this key signed: a file with a PUBLIC KEY or an NDN certificate, or `hmac:FILE` for a shared
    /// secret in base64; may be given several times [default: any undamaged packet with a SHA-256 digest]
    #[arg(long, value_name = "KEY")]
    pub key: Vec<String>,
    /// Chance of times, objects and nonces comes from it [default: the clock]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Sizes of objects come from it and from their names: the same for all who ask for them
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub size_seed: u64,
    /// Write a row for each segment to this CSV file, the control along time to FILE-series.csv, what befell each request
    /// to FILE-events.csv, and fetches of several segments to FILE-fetches.csv
    #[arg(long, value_name = "FILE")]
    pub stats: Option<PathBuf>,
    /// Read orders from standard input, one a line: `pause` (no new requests), `go`, `control NAME KEY=VALUE...`, and
    /// `timeout NAME KEY=VALUE...`
    #[arg(long)]
    pub orders: bool,
    /// Print a summary as JSON to standard output
    #[arg(long)]
    pub json: bool,
    /// No summary
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub consumer: ConsumerArgs,
}

pub(crate) fn request(args: &RequestArgs) -> Result<(), Failure> {
    let clock = || Clock::unix_millis() ^ u64::from(std::process::id()) << 44;
    let seed = Seed(args.seed.unwrap_or_else(clock));
    let parts = (choice(&args.control, &args.set)?, choice(&args.timeout, &args.set_timeout)?);
    let traffic = traffic::read(&args.name, &args.traffic, parts, &args.consumer, (seed, Seed(args.size_seed)))?;
    let recipe = traffic.recipe.clone();
    let keys = keys(&args.key)?;
    let remote = endpoint(args.face.as_ref())?;
    let mut driver = Driver::new(Box::new(NoSink)).map_err(|e| Failure::Other(e.to_string()))?;
    let stopper = Stopper::new(driver.waker())?;
    let mut asker = Asker::new(traffic, remote, keys, stopper.flag()).map_err(Failure::Input)?;
    if args.stats.is_some() {
        asker = asker.with_tables();
    }
    if args.orders {
        asker = asker.with_orders(orders::read(driver.waker(), recipe)?);
    }
    let clock = driver.clock();
    let began = clock.now();
    driver.run(&mut asker).map_err(|e| Failure::Other(e.to_string()))?;
    let seconds = clock.now().since(began).seconds();
    if let Some(path) = &args.stats {
        asker.write_tables(path).map_err(|e| Failure::Other(e.to_string()))?;
    }
    if let Some(why) = asker.failure() {
        return Err(Failure::Other(why.to_owned()));
    }
    tell(args, asker.counts(), seconds)
}

fn tell(args: &RequestArgs, counts: &RequestCounts, seconds: f64) -> Result<(), Failure> {
    let times = |share: f64| percentile(&counts.times_ms, share);
    let (middle, late, mean) = (times(50.0), times(95.0), mean(&counts.times_ms));
    let goodput = counts.bytes as f64 * 8e-6 / seconds.max(1e-9);
    if args.json {
        let json = serde_json::json!({
            "requests": counts.requests,
            "answered": counts.answered,
            "abandoned": counts.abandoned,
            "interests": counts.interests,
            "retransmitted": counts.repeated,
            "timeouts": counts.timeouts,
            "nacks": counts.refusals,
            "marked": counts.marked,
            "untrusted": counts.untrusted,
            "bytes": counts.bytes,
            "seconds": seconds,
            "goodput_mbps": goodput,
            "time_ms": { "mean": mean, "median": middle, "p95": late, "p99": times(99.0) },
        });
        return crate::output::print(&format!("{json}\n"));
    }
    if args.quiet {
        return Ok(());
    }
    let open = counts.requests - counts.answered - counts.abandoned;
    eprintln!(
        "{}: {} requests in {seconds:.2} s, {} answered, {} given up, {open} open; {goodput:.1} Mbit/s\n\
         {} Interests, {} of them sent again ({} timeouts, {} refusals), {} Data marked, {} not believed",
        args.name,
        counts.requests,
        counts.answered,
        counts.abandoned,
        counts.interests,
        counts.repeated,
        counts.timeouts,
        counts.refusals,
        counts.marked,
        counts.untrusted,
    );
    if let (Some(mean), Some(middle), Some(late)) = (mean, middle, late) {
        eprintln!("a request took {mean:.2} ms (mean), {middle:.2} ms (half), {late:.2} ms (95 %)");
    }
    Ok(())
}
