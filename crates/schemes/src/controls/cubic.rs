//! CUBIC as ndnSIM's `ConsumerPcon` runs it.

use super::laws::{Cubic, CubicRule, watched};
use super::windowed::{OnMark, OnNotice, Windowed};
use weir_core::{ConsumerControl, Entry};

weir_core::parameters! {
    /// Parameters of CUBIC.
    pub struct CubicParameters {
        /// Window at the start; no cut goes below it.
        initial_window: f64 = 1.0, Some((1.0, 1e9)), "ndnSIM, ConsumerWindow Window";
        /// Steepness of the curve, in Interests per cubic second.
        c: f64 = 0.4, Some((1e-6, 1e6)), "RFC 8312, section 5; ndnSIM, ConsumerPcon";
        /// A cut multiplies the window by this (0.7 in RFC 8312, RFC 9438 and ndn-tools).
        beta: f64 = 0.8, Some((0.01, 0.999)), "ndnSIM, ConsumerPcon CubicBeta";
        /// Grow at least as fast as a Reno flow would (RFC 8312, section 4.2; on in ndn-tools).
        tcp_friendly: bool = false, None, "ndnSIM, ConsumerPcon";
        /// Aim lower when congestion came earlier than the last time (RFC 8312, section 4.6).
        fast_convergence: bool = false, None, "ndnSIM, ConsumerPcon UseCubicFastConvergence";
        /// End slow start when round trips rise, before anything is lost (HyStart++).
        hystart: bool = false, None, "RFC 9406; RFC 9438, section 4.10";
        /// Rounds in which slow start goes on at a quarter of its speed before "hystart" ends it; 0: none.
        css_rounds: u64 = 5, Some((0.0, 1e6)), "RFC 9406, section 4.3: CSS_ROUNDS";
        /// Take Data with a congestion mark as any other.
        ignore_marks: bool = false, None, "ndnSIM, ConsumerPcon ReactToCongestionMarks";
        /// What an Explicit Loss Notice does: "decrease" as a loss, or "ignore".
        on_notice: OnNotice = OnNotice::Decrease, None, "choice (Chen et al. leave it open)";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ConsumerControl>> = weir_core::entry!(
    "cubic",
    "CUBIC: a window that is a cubic function of the time since the last cut",
    CubicParameters,
    |parameters, _site| {
        let on_mark = OnMark::unless_ignored(parameters.ignore_marks);
        let law = watched(law(&parameters, f64::INFINITY), parameters.hystart, parameters.css_rounds);
        Box::new(Windowed::new(law, on_mark, parameters.on_notice))
    },
    "../../../../docs/schemes/control-cubic.md"
);

/// The law of these parameters, in slow start below `threshold`.
pub(super) fn law(p: &CubicParameters, threshold: f64) -> Cubic {
    let rule = CubicRule {
        c: p.c,
        beta: p.beta,
        tcp_friendly: p.tcp_friendly,
        fast_convergence: p.fast_convergence,
        floor: p.initial_window,
    };
    Cubic::new(p.initial_window, threshold, rule)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{cut, data, fed, signalled};
    use super::*;
    use weir_core::{Loss, Site, Value};

    fn at_100(settings: &[(&str, Value)]) -> Box<dyn ConsumerControl> {
        let settings = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        let mut control = (ENTRY.build)(&settings, &Site::default()).unwrap();
        assert_eq!(fed(&mut *control, 99), 100.0);
        control
    }

    #[test]
    fn losses_and_marks_leave_four_fifths() {
        assert_eq!(cut(&mut *at_100(&[]), Loss::Timeout), 80.0);
        assert_eq!(signalled(&mut *at_100(&[])), 80.0);
    }

    #[test]
    fn beta_is_a_parameter() {
        assert_eq!(cut(&mut *at_100(&[("beta", Value::Number(0.7))]), Loss::Timeout), 70.0);
    }

    #[test]
    fn it_is_back_after_k_seconds() {
        let mut control = at_100(&[]);
        cut(&mut *control, Loss::Timeout);
        for ms in 0..3684 {
            control.on_data(&data(ms));
        }
        let window = control.allowance().window;
        assert!((99.5..100.0).contains(&window), "{window}");
    }

    #[test]
    fn ignored_marks_count_as_data() {
        assert_eq!(signalled(&mut *at_100(&[("ignore_marks", Value::Bool(true))])), 101.0);
    }
}
