//! The receiver of Abu, Bensaou and Abdelmoniem: gentle cuts at marks that tell a full Pending Interest Table.

use weir_core::{Allowance, ConsumerControl, DataSignal, Entry, Loss, LossSignal, Reaction};
use weir_wire::NackReason;

weir_core::words! {
    /// Which timeouts cut the window.
    pub enum TimeoutCuts {
        /// The first of a round trip.
        Once = "once",
        /// Each of them.
        Each = "each",
    }
}

weir_core::parameters! {
    /// Parameters of the receiver.
    pub struct AbuParameters {
        /// Window at the start.
        initial_window: f64 = 1.0, Some((1.0, 1e9)), "Abu et al., Algorithm 3";
        /// Slow start ends at this window.
        initial_ssthresh: f64 = f64::INFINITY, Some((0.0, f64::INFINITY)), "choice (\"similar to TCP\")";
        /// A mark takes this share off the window.
        beta: f64 = 0.1, Some((0.0, 0.99)), "Abu et al., section IV-F";
        /// A timeout multiplies the window by this.
        timeout_beta: f64 = 0.5, Some((0.01, 0.999)), "Abu et al., Algorithm 3";
        /// Which timeouts cut: the first of a round trip ("once"), as with marks, or "each" one.
        timeout_cuts: TimeoutCuts = TimeoutCuts::Once, None, "choice (Algorithm 3 names no limit)";
        /// Take marked Data as any other: the paper's TCP.
        ignore_marks: bool = false, None, "Abu et al., footnote on the TCP baseline";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ConsumerControl>> = weir_core::entry!(
    "abu",
    "AIMD that gives up a tenth at a mark and half at a timeout",
    AbuParameters,
    |parameters, _site| Box::new(Abu::new(parameters)),
    "../../../../docs/schemes/control-abu.md"
);

struct Abu {
    window: f64,
    threshold: f64,
    parameters: AbuParameters,
}

impl Abu {
    fn new(parameters: AbuParameters) -> Abu {
        Abu { window: parameters.initial_window, threshold: parameters.initial_ssthresh, parameters }
    }

    fn cut(&mut self, factor: f64, fresh: bool) -> Reaction {
        if !fresh {
            return Reaction::None;
        }
        self.window = (self.window * factor).max(1.0);
        // Without this, slow start would double the window right after a mark.
        self.threshold = self.window;
        Reaction::Decreased
    }
}

impl ConsumerControl for Abu {
    fn on_data(&mut self, signal: &DataSignal) -> Reaction {
        if signal.marked && !self.parameters.ignore_marks {
            return self.cut(1.0 - self.parameters.beta, signal.fresh);
        }
        self.window += if self.window < self.threshold { 1.0 } else { 1.0 / self.window };
        Reaction::None
    }

    fn on_loss(&mut self, signal: &LossSignal) -> Reaction {
        match signal.kind {
            Loss::Timeout | Loss::Nack(NackReason::Congestion) => {
                let counts = signal.fresh || self.parameters.timeout_cuts == TimeoutCuts::Each;
                self.cut(self.parameters.timeout_beta, counts)
            }
            Loss::Nack(_) | Loss::Notice => Reaction::None,
        }
    }

    fn allowance(&self) -> Allowance {
        Allowance::window(self.window)
    }

    fn take_over(&mut self, old: Allowance) {
        if old.window.is_finite() {
            (self.window, self.threshold) = (old.window.max(1.0), old.window);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{cut, data, fed, loss, marked, signalled};
    use super::*;

    fn avoiding(window: f64) -> Abu {
        let parameters = AbuParameters { initial_window: window, initial_ssthresh: 1.0, ..Default::default() };
        Abu::new(parameters)
    }

    #[test]
    fn a_mark_takes_a_tenth_once_in_a_round_trip() {
        let mut control = avoiding(100.0);
        assert_eq!(signalled(&mut control), 90.0);
        (0..9).for_each(|_| {
            control.on_data(&marked(false));
        });
        assert_eq!(control.window, 90.0);
    }

    #[test]
    fn a_mark_ends_slow_start() {
        let mut control = Abu::new(AbuParameters { initial_window: 64.0, ..Default::default() });
        control.on_data(&data(0));
        assert_eq!(control.window, 65.0);
        control.on_data(&marked(true));
        assert_eq!(fed(&mut control, 1), 58.5 + 1.0 / 58.5);
    }

    #[test]
    fn each_timeout_may_halve_and_a_mark_still_takes_its_share_once() {
        let mut control = avoiding(64.0);
        assert_eq!(control.on_loss(&loss(Loss::Timeout, false)), Reaction::None);
        assert_eq!(control.window, 64.0);
        control.parameters.timeout_cuts = TimeoutCuts::Each;
        for left in [32.0, 16.0, 8.0] {
            assert_eq!(control.on_loss(&loss(Loss::Timeout, false)), Reaction::Decreased);
            assert_eq!(control.window, left);
        }
        control.on_data(&marked(false));
        assert_eq!(control.window, 8.0);
    }

    #[test]
    fn a_timeout_halves_down_to_one() {
        let mut control = avoiding(3.0);
        assert_eq!(cut(&mut control, Loss::Timeout), 1.5);
        assert_eq!(cut(&mut control, Loss::Timeout), 1.0);
    }

    #[test]
    fn the_baseline_takes_marks_for_data() {
        let mut tcp = Abu::new(AbuParameters { ignore_marks: true, ..Default::default() });
        assert_eq!(signalled(&mut tcp), 2.0);
    }
}
