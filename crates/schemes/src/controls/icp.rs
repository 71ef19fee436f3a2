//! ICP, the Interest Control Protocol: additive increase, multiplicative decrease, driven by losses alone.

use super::laws::{Reno, RenoRule};
use super::windowed::{OnMark, OnNotice, Windowed};
use weir_core::{ConsumerControl, Entry};

weir_core::parameters! {
    /// Parameters of ICP.
    pub struct IcpParameters {
        /// Window at the start.
        initial_window: f64 = 1.0, Some((1.0, 1e9)), "ndnSIM, ConsumerWindow Window";
        /// Interests added each round trip in congestion avoidance.
        eta: f64 = 1.0, Some((0.0, 1000.0)), "ndnSIM, ConsumerPcon (AIMD)";
        /// A cut multiplies the window by this.
        beta: f64 = 0.5, Some((0.01, 0.999)), "Thibaud et al. 2019; ndnSIM, ConsumerPcon Beta";
        /// No cut goes below this window.
        min_window: f64 = 1.0, Some((1.0, 1e9)), "ndnSIM, ConsumerPcon (its initial window)";
        /// Begin in slow start; otherwise in congestion avoidance, as Thibaud et al. do.
        slow_start: bool = true, None, "ndnSIM, ConsumerPcon";
        /// Slow start ends at this window.
        initial_ssthresh: f64 = f64::INFINITY, Some((0.0, f64::INFINITY)), "ndnSIM, ConsumerPcon";
        /// What an Explicit Loss Notice does: "decrease" as a loss, or "ignore".
        on_notice: OnNotice = OnNotice::Decrease, None, "choice (Chen et al. leave it open)";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ConsumerControl>> = weir_core::entry!(
    "icp",
    "ICP: additive increase, multiplicative decrease, driven by losses alone",
    IcpParameters,
    |parameters, _site| Box::new(icp(parameters)),
    "../../../../docs/schemes/control-icp.md"
);

fn icp(p: IcpParameters) -> Windowed<Reno> {
    let threshold = if p.slow_start { p.initial_ssthresh } else { 0.0 };
    let rule = RenoRule { step: p.eta, ..RenoRule::plain(p.beta, p.min_window) };
    Windowed::new(Reno::new(p.initial_window, threshold, rule), OnMark::Ignore, p.on_notice)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{cut, fed, loss, signalled};
    use super::*;
    use weir_core::{Loss, Reaction};

    fn at_64() -> Windowed<Reno> {
        icp(IcpParameters { initial_window: 64.0, ..Default::default() })
    }

    #[test]
    fn one_loss_halves_once() {
        assert_eq!(cut(&mut at_64(), Loss::Timeout), 32.0);
    }

    #[test]
    fn several_losses_of_a_round_trip_halve_once() {
        let mut control = at_64();
        assert_eq!(control.on_loss(&loss(Loss::Timeout, true)), Reaction::Decreased);
        for _ in 0..20 {
            assert_eq!(control.on_loss(&loss(Loss::Timeout, false)), Reaction::None);
        }
        assert_eq!(control.allowance().window, 32.0);
    }

    #[test]
    fn a_cut_ends_slow_start() {
        let mut control = at_64();
        assert_eq!(fed(&mut control, 1), 65.0);
        assert_eq!(cut(&mut control, Loss::Timeout), 32.5);
        assert_eq!(fed(&mut control, 1), 32.5 + 1.0 / 32.5);
    }

    #[test]
    fn without_slow_start_growth_is_additive_from_the_start() {
        let p = IcpParameters { slow_start: false, eta: 2.0, initial_window: 10.0, ..Default::default() };
        assert_eq!(fed(&mut icp(p), 1), 10.2);
    }

    #[test]
    fn slow_start_ends_at_its_threshold() {
        let mut control = icp(IcpParameters { initial_ssthresh: 3.0, ..Default::default() });
        assert_eq!(fed(&mut control, 2), 3.0);
        assert_eq!(fed(&mut control, 1), 3.0 + 1.0 / 3.0);
    }

    #[test]
    fn marks_count_as_ordinary_data() {
        assert_eq!(signalled(&mut at_64()), 65.0);
    }

    #[test]
    fn the_window_stays_at_or_above_its_least() {
        let mut control = icp(IcpParameters { min_window: 2.0, initial_window: 9.0, ..Default::default() });
        for window in [4.5, 2.25, 2.0, 2.0] {
            assert_eq!(cut(&mut control, Loss::Timeout), window);
        }
    }
}
