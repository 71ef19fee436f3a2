//! `weir forward`: the forwarder daemon.

mod metrics;
mod renewal;

use crate::Failure;
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use weir_live::Clock;
use weir_live::forward::{Config, Daemon, Started};

#[derive(Debug, Args)]
#[command(
    after_help = "SIGUSR1 makes it read the configuration again: faces, routes and schemes change at once, the rest at \
    the next start."
)]
pub(crate) struct ForwardArgs {
    /// The configuration file [default: NFD's socket, UDP and TCP on port 6363, marking queues]
    pub config: Option<PathBuf>,
    /// Read the configuration, say whether it is good, and end
    #[arg(long)]
    pub check: bool,
    /// Seed of the schemes' chance [default: the time]
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,
}

/// Runs until it is stopped.
pub(crate) fn forward(arguments: &ForwardArgs) -> Result<(), Failure> {
    let config = read(arguments)?;
    if arguments.check {
        return Ok(());
    }
    let stop = Arc::new(AtomicBool::new(false));
    let seed = arguments.seed.unwrap_or_else(Clock::unix_millis);
    let address = config.metrics.clone();
    let current = config.clone();
    let (mut driver, mut daemon, started) = Daemon::start(config, seed, stop.clone()).map_err(Failure::Other)?;
    let Started { listening, waker, status, configurations } = started;
    if let Some(path) = arguments.config.clone() {
        renewal::on_signal(path, current, configurations, waker.clone())?;
    }
    let waker_of_signal = waker.clone();
    let stopping = move || {
        stop.store(true, Ordering::Relaxed);
        // If it cannot be woken it looks once a second anyway.
        let _ = waker_of_signal.wake();
    };
    ctrlc::set_handler(stopping).map_err(|e| Failure::Other(format!("cannot listen to signals: {e}")))?;
    if let Some(address) = address {
        let at = metrics::serve(&address, status, waker).map_err(Failure::Other)?;
        println!("metrics on http://{at}/metrics");
    }
    listening.iter().for_each(|at| println!("listening on {at}"));
    // Whoever waits for these lines may be behind a pipe.
    let _ = std::io::stdout().flush();
    let done = driver.run(&mut daemon);
    weir_live::remove_sockets(&listening);
    done.map_err(|e| Failure::Other(format!("the system refuses to wait for packets: {e}")))
}

fn read(arguments: &ForwardArgs) -> Result<Config, Failure> {
    let Some(path) = &arguments.config else { return Ok(Config::default()) };
    read_file(path)
}

fn read_file(path: &Path) -> Result<Config, Failure> {
    let text = std::fs::read_to_string(path).map_err(|e| Failure::Input(format!("{}: {e}", path.display())))?;
    Config::parse(&text, path).map_err(Failure::Input)
}
