//! Progress on the terminal, and stopping.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use weir_sim::Progress;

/// What lasts less long needs no bar.
const PATIENCE: Duration = Duration::from_secs(2);

/// Set once the user has asked to stop.
pub(crate) static STOP: AtomicBool = AtomicBool::new(false);

/// A bar that appears once two seconds have passed, on a terminal only.
pub(crate) struct Bar {
    bar: ProgressBar,
    wanted: bool,
}

impl Bar {
    /// A bar for `total` runs.
    pub fn new(title: &str, total: usize, quiet: bool) -> Bar {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{prefix:>12} [{bar:32}] {pos}/{len} runs, {eta} left");
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_prefix(title.to_owned());
        Bar { bar, wanted: !quiet }
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn finished(&self, _done: usize, _total: usize) {
        if self.wanted && self.bar.is_hidden() && self.bar.elapsed() > PATIENCE {
            // Not a terminal: the target stays hidden by itself.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(1);
    }
}

/// From now on Ctrl-C lets the runs under way finish and keeps what is done; a second one ends at once.
pub(crate) fn catch_interrupts() {
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
