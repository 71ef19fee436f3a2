//! BIC, Binary Increase Congestion control, as ndnSIM's `ConsumerPcon` runs it.

use super::laws::{Bic, BicRule};
use super::windowed::{OnMark, OnNotice, Windowed};
use weir_core::{ConsumerControl, Entry};

weir_core::words! {
    /// The search target before the first cut.
    pub enum InitialTarget {
        /// Zero: the first step of the search goes one Interest back, as in the code.
        Zero = "zero",
        /// No bound: no step back.
        Unbounded = "unbounded",
    }
}

impl InitialTarget {
    fn window(self) -> f64 {
        match self {
            InitialTarget::Zero => 0.0,
            InitialTarget::Unbounded => f64::INFINITY,
        }
    }
}

weir_core::parameters! {
    /// Parameters of BIC.
    pub struct BicParameters {
        /// Window at the start; no cut goes below it.
        initial_window: f64 = 1.0, Some((1.0, 1e9)), "ndnSIM, ConsumerWindow Window";
        /// Below this window, BIC grows and shrinks as Reno does.
        low_window: f64 = 14.0, Some((2.0, 1e9)), "ndnSIM, ConsumerPcon BIC_LOW_WINDOW";
        /// Most Interests added in a round trip.
        max_increment: f64 = 16.0, Some((1.0, 1e6)), "ndnSIM, ConsumerPcon BIC_MAX_INCREMENT";
        /// A cut multiplies the window by this.
        beta: f64 = 0.8, Some((0.01, 0.999)), "ndnSIM, ConsumerPcon CubicBeta";
        /// Search target before the first cut: "zero" as in the code (one step back), or "unbounded".
        initial_target: InitialTarget = InitialTarget::Zero, None, "ndnSIM, ConsumerPcon";
        /// Take Data with a congestion mark as any other.
        ignore_marks: bool = false, None, "ndnSIM, ConsumerPcon ReactToCongestionMarks";
        /// What an Explicit Loss Notice does: "decrease" as a loss, or "ignore".
        on_notice: OnNotice = OnNotice::Decrease, None, "choice (Chen et al. leave it open)";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ConsumerControl>> = weir_core::entry!(
    "bic",
    "BIC: a binary search for the window where congestion begins",
    BicParameters,
    |parameters, _site| {
        let on_mark = OnMark::unless_ignored(parameters.ignore_marks);
        Box::new(Windowed::new(law(&parameters, f64::INFINITY), on_mark, parameters.on_notice))
    },
    "../../../../docs/schemes/control-bic.md"
);

/// The law of these parameters, in slow start below `threshold`.
pub(super) fn law(p: &BicParameters, threshold: f64) -> Bic {
    let rule =
        BicRule { low_window: p.low_window, max_increment: p.max_increment, beta: p.beta, floor: p.initial_window };
    Bic::new(p.initial_window, threshold, p.initial_target.window(), rule)
}

#[cfg(test)]
mod tests {
    use super::super::laws::WindowLaw;
    use super::super::testing::{cut, data, fed, signalled};
    use super::*;
    use weir_core::{Loss, Site, Value};

    fn built(settings: &[(&str, Value)]) -> Box<dyn ConsumerControl> {
        let settings = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        (ENTRY.build)(&settings, &Site::default()).unwrap()
    }

    #[test]
    fn defaults_reach_100_after_321_data() {
        let mut control = built(&[]);
        assert!(fed(&mut *control, 320) < 100.0);
        assert!(fed(&mut *control, 1) >= 100.0);
    }

    #[test]
    fn an_unbounded_target_saves_the_step_back() {
        let window_after_14 = |target: InitialTarget| {
            let mut law = law(&BicParameters { initial_target: target, ..Default::default() }, f64::INFINITY);
            (0..14).for_each(|_| law.increase(&data(0)));
            law.window()
        };
        assert_eq!(window_after_14(InitialTarget::Zero), 13.0);
        assert_eq!(window_after_14(InitialTarget::Unbounded), 14.0 + 16.0 / 14.0);
    }

    #[test]
    fn marks_cut_unless_ignored() {
        let mut reacting = built(&[]);
        let before = fed(&mut *reacting, 400);
        assert_eq!(signalled(&mut *reacting), 0.8 * before);
        let mut ignoring = built(&[("ignore_marks", Value::Bool(true))]);
        assert_eq!(fed(&mut *ignoring, 400), before);
        assert!(signalled(&mut *ignoring) > before);
    }

    #[test]
    fn a_loss_leaves_four_fifths() {
        let mut control = built(&[]);
        let before = fed(&mut *control, 400);
        assert_eq!(cut(&mut *control, Loss::Timeout), 0.8 * before);
    }
}
