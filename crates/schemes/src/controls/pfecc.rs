//! The consumer of PFECC (Li, 2021): every Data says whether to add an Interest or to take one off.

use weir_core::{Allowance, ConsumerControl, DataSignal, Entry, Loss, LossSignal, Reaction};
use weir_wire::{Feedback, NackReason};

weir_core::parameters! {
    /// Parameters of PFECC's window.
    pub struct PfeccParameters {
        /// Window at the start.
        initial_window: f64 = 2.0, Some((1.0, 1e9)), "choice (Li is silent)";
        /// The window never falls below this.
        min_window: f64 = 2.0, Some((1.0, 1e9)), "ABC's Linux code (Li is silent)";
        /// Interests added each round trip whatever the feedback says, so that shares become equal.
        increase: f64 = 1.0, Some((0.0, 1000.0)), "Li 2021, section 3.3 (ABC's fairness term)";
        /// A timeout or congestion Nack multiplies the window by this, once in a round trip.
        beta: f64 = 0.5, Some((0.01, 0.999)), "choice (Li is silent; ABC keeps a reaction to loss)";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ConsumerControl>> = weir_core::entry!(
    "pfecc",
    "Each Data adds one Interest to the window or takes one off, as the routers say",
    PfeccParameters,
    |parameters, _site| Box::new(Pfecc { window: parameters.initial_window, parameters }),
    "../../../../docs/schemes/control-pfecc.md"
);

struct Pfecc {
    parameters: PfeccParameters,
    window: f64,
}

impl ConsumerControl for Pfecc {
    fn on_data(&mut self, signal: &DataSignal) -> Reaction {
        // Producers say "add" and routers may only turn that into "reduce", so no feedback at all is "add".
        let step = if signal.feedback == Feedback::Reduce { -1.0 } else { 1.0 };
        let window = self.window + step + self.parameters.increase / self.window;
        self.window = window.max(self.parameters.min_window);
        Reaction::None
    }

    fn on_loss(&mut self, signal: &LossSignal) -> Reaction {
        let congestion = matches!(signal.kind, Loss::Timeout | Loss::Nack(NackReason::Congestion));
        if !congestion || !signal.fresh {
            return Reaction::None;
        }
        self.window = (self.parameters.beta * self.window).max(self.parameters.min_window);
        Reaction::Decreased
    }

    fn allowance(&self) -> Allowance {
        Allowance::window(self.window)
    }

    fn take_over(&mut self, old: Allowance) {
        if old.window.is_finite() {
            self.window = old.window.max(self.parameters.min_window);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{cut, data, loss};
    use super::*;

    fn pfecc(window: f64, increase: f64) -> Pfecc {
        let parameters = PfeccParameters { increase, ..Default::default() };
        Pfecc { parameters, window }
    }

    fn feed(control: &mut Pfecc, feedback: Feedback, count: usize) -> f64 {
        for _ in 0..count {
            control.on_data(&DataSignal { feedback, ..data(0) });
        }
        control.window
    }

    #[test]
    fn a_round_trip_of_adds_doubles_the_window() {
        assert_eq!(feed(&mut pfecc(40.0, 0.0), Feedback::Add, 40), 80.0);
        assert_eq!(feed(&mut pfecc(40.0, 0.0), Feedback::None, 40), 80.0);
    }

    #[test]
    fn a_round_trip_of_reduces_empties_it_down_to_the_floor() {
        assert_eq!(feed(&mut pfecc(40.0, 0.0), Feedback::Reduce, 40), 2.0);
    }

    #[test]
    fn half_and_half_leaves_the_fairness_term_alone() {
        let mut control = pfecc(40.0, 1.0);
        for _ in 0..20 {
            feed(&mut control, Feedback::Add, 1);
            feed(&mut control, Feedback::Reduce, 1);
        }
        assert!((control.window - 41.0).abs() < 0.03, "{}", control.window);
    }

    #[test]
    fn a_timeout_halves_once_in_a_round_trip() {
        let mut control = pfecc(40.0, 1.0);
        assert_eq!(cut(&mut control, Loss::Timeout), 20.0);
        control.on_loss(&loss(Loss::Timeout, false));
        assert_eq!(control.window, 20.0);
        control.on_loss(&loss(Loss::Notice, true));
        assert_eq!(control.window, 20.0);
    }
}
