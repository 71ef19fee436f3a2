//! AIMD of RFC 5681 as ndn-tools' `ndnget` runs it.

use super::laws::{Reno, RenoRule};
use super::windowed::{OnMark, OnNotice, Windowed};
use weir_core::{ConsumerControl, Entry};

weir_core::parameters! {
    /// Parameters of AIMD.
    pub struct AimdParameters {
        /// Window at the start.
        initial_window: f64 = 2.0, Some((1.0, 1e9)), "ndn-tools, ndnget --init-cwnd";
        /// Interests added each round trip; also for each Data in slow start.
        step: f64 = 1.0, Some((0.0, 1000.0)), "ndn-tools, ndnget --aimd-step";
        /// A cut multiplies the window by this.
        beta: f64 = 0.5, Some((0.01, 0.999)), "ndn-tools, ndnget --aimd-beta";
        /// No cut sets the slow-start threshold, and with it the window, below this.
        min_window: f64 = 2.0, Some((1.0, 1e9)), "RFC 5681, equation 4; ndn-tools";
        /// Slow start ends at this window.
        initial_ssthresh: f64 = f64::INFINITY, Some((0.0, f64::INFINITY)), "ndn-tools, ndnget --init-ssthresh";
        /// A cut goes back to the initial window and through slow start.
        reset_to_initial: bool = false, None, "ndn-tools, ndnget --reset-cwnd-to-init";
        /// Take Data with a congestion mark as any other.
        ignore_marks: bool = false, None, "ndn-tools, ndnget --ignore-marks";
        /// What an Explicit Loss Notice does: "decrease" as a loss, or "ignore".
        on_notice: OnNotice = OnNotice::Decrease, None, "choice (Chen et al. leave it open)";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ConsumerControl>> = weir_core::entry!(
    "aimd",
    "AIMD of RFC 5681 with reaction to congestion marks, as in ndn-tools",
    AimdParameters,
    |parameters, _site| Box::new(aimd(parameters)),
    "../../../../docs/schemes/control-aimd.md"
);

fn aimd(p: AimdParameters) -> Windowed<Reno> {
    let rule = RenoRule {
        slow_start_step: p.step,
        step: p.step,
        whole_windows: true,
        beta: p.beta,
        floor: p.min_window,
        restart: p.reset_to_initial.then_some(p.initial_window),
    };
    let law = Reno::new(p.initial_window, p.initial_ssthresh, rule);
    Windowed::new(law, OnMark::unless_ignored(p.ignore_marks), p.on_notice)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{cut, fed, signalled};
    use super::*;
    use weir_core::Loss;
    use weir_wire::NackReason;

    fn avoiding(window: f64) -> AimdParameters {
        AimdParameters { initial_window: window, initial_ssthresh: 1.0, ..Default::default() }
    }

    #[test]
    fn avoidance_divides_by_the_whole_part_of_the_window() {
        assert_eq!(fed(&mut aimd(avoiding(4.8)), 1), 5.05);
        assert_eq!(fed(&mut aimd(AimdParameters { step: 3.0, ..avoiding(4.8) }), 1), 5.55);
    }

    #[test]
    fn the_step_counts_in_slow_start_too() {
        assert_eq!(fed(&mut aimd(AimdParameters { step: 3.0, ..Default::default() }), 1), 5.0);
    }

    #[test]
    fn timeouts_congestion_nacks_and_marks_cut_alike() {
        let at_32 = || aimd(avoiding(32.0));
        assert_eq!(cut(&mut at_32(), Loss::Timeout), 16.0);
        assert_eq!(cut(&mut at_32(), Loss::Nack(NackReason::Congestion)), 16.0);
        assert_eq!(signalled(&mut at_32()), 16.0);
    }

    #[test]
    fn marks_can_be_ignored() {
        let mut control = aimd(AimdParameters { ignore_marks: true, ..avoiding(32.0) });
        assert_eq!(signalled(&mut control), 32.0 + 1.0 / 32.0);
    }

    #[test]
    fn no_cut_goes_below_two() {
        assert_eq!(cut(&mut aimd(avoiding(3.0)), Loss::Timeout), 2.0);
    }

    #[test]
    fn a_reset_starts_again_and_slow_starts_to_half() {
        let mut control = aimd(AimdParameters { reset_to_initial: true, ..Default::default() });
        assert_eq!(fed(&mut control, 18), 20.0);
        assert_eq!(cut(&mut control, Loss::Timeout), 2.0);
        assert_eq!(fed(&mut control, 9), 10.1);
    }
}
