//! Progress on the terminal, and stopping.

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use weir_sim::Progress;

/// What lasts less long needs no bar.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often the remaining time is written anew.
const TICK: Duration = Duration::from_millis(500);

/// Set once the user has asked to stop.
pub(crate) static STOP: AtomicBool = AtomicBool::new(false);

/// A bar that appears once two seconds have passed, on a terminal only.
pub(crate) struct Bar {
    bar: ProgressBar,
    /// Shows the bar when its time has come; hanging up calls it off.
    shower: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Bar {
    /// A bar for `total` runs.
    pub fn new(title: &str, total: usize, quiet: bool) -> Bar {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{prefix:>12} [{bar:32}] {pos}/{len} runs, {left} left");
        if let Ok(style) = style {
            bar.set_style(style.with_key("left", left).progress_chars("=> "));
        }
        bar.set_prefix(title.to_owned());
        let shower = (!quiet).then(|| show_later(bar.clone()));
        Bar { bar, shower }
    }

    /// Takes the bar off the screen.
    pub fn clear(self) {
        if let Some((sender, shower)) = self.shower {
            drop(sender);
            // It cannot panic; if it did, the bar would be all that is missing.
            let _ = shower.join();
        }
        self.bar.finish_and_clear();
    }
}

/// The first run may last longer than two seconds, so the bar needs a clock of its own.
fn show_later(bar: ProgressBar) -> (Sender<()>, JoinHandle<()>) {
    let (sender, hung_up) = channel();
    let show = move || {
        if hung_up.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            // Not a terminal: the target stays hidden by itself.
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(TICK);
        }
    };
    (sender, std::thread::spawn(show))
}

/// The remaining time; before the first run has finished nobody knows.
fn left(state: &ProgressState, text: &mut dyn Write) {
    let written = match state.pos() {
        0 => text.write_str("unknown time"),
        _ => write!(text, "{:#}", HumanDuration(state.eta())),
    };
    debug_assert!(written.is_ok(), "the style's text takes everything");
}

impl Progress for Bar {
    fn finished(&self, _done: usize, _total: usize) {
        self.bar.inc(1);
    }
}

/// Calls [`catch_interrupts`] the first time.
pub(crate) fn catch_interrupts_once() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(catch_interrupts);
}

/// From now on Ctrl-C lets the runs under way finish and keeps what is done; a second one ends at once.
fn catch_interrupts() {
    let caught = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        eprintln!("\nstopping after the runs under way (again: at once)");
    });
    if let Err(error) = caught {
        eprintln!("warning: Ctrl-C will end the program at once: {error}");
    }
}

/// True once the user has asked to stop.
pub(crate) fn stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}
