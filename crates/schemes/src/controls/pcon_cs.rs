//! PCON's consumer: a window law that is cut by congestion marks as well as by losses.

use super::laws::{Reno, RenoRule, WindowLaw, watched};
use super::windowed::{OnMark, OnNotice, Windowed};
use super::{bic, cubic};
use bic::BicParameters;
use cubic::CubicParameters;
use weir_core::{ConsumerControl, Entry, Parameter, Value, ValueForm};

weir_core::words! {
    /// The window law under PCON's signals.
    pub enum Law {
        /// CUBIC.
        Cubic = "cubic",
        /// Additive increase, multiplicative decrease.
        Aimd = "aimd",
        /// BIC.
        Bic = "bic",
    }
}

/// What a cut leaves of the window: a number, or `"law"` for the law's own default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Beta {
    /// The default of the law.
    OfLaw,
    /// This.
    Is(f64),
}

impl Beta {
    fn or(self, default: f64) -> f64 {
        match self {
            Beta::OfLaw => default,
            Beta::Is(beta) => beta,
        }
    }
}

impl Parameter for Beta {
    fn read(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(word) if word == "law" => Ok(Beta::OfLaw),
            Value::Text(_) => Err(format!("expected a number or \"law\", found {value}")),
            number => f64::read(number).map(Beta::Is),
        }
    }

    fn show(&self) -> String {
        match self {
            Beta::OfLaw => "\"law\"".into(),
            Beta::Is(beta) => beta.show(),
        }
    }

    fn kind() -> String {
        "number or \"law\"".into()
    }

    fn form() -> ValueForm {
        ValueForm::Either(vec![ValueForm::Number, ValueForm::Words(vec!["law"])])
    }

    fn measure(&self) -> Option<f64> {
        match self {
            Beta::OfLaw => None,
            Beta::Is(beta) => Some(*beta),
        }
    }
}

weir_core::parameters! {
    /// Parameters of PCON's consumer.
    pub struct PconCsParameters {
        /// Window law: "cubic", "aimd" or "bic".
        law: Law = Law::Cubic, None, "Chen et al. (PLR), section VI";
        /// Window at the start; no cut goes below it.
        initial_window: f64 = 1.0, Some((1.0, 1e9)), "ndnSIM, ConsumerWindow Window";
        /// A cut multiplies the window by this; "law" is 0.8 for "cubic" and "bic", 0.5 for "aimd".
        beta: Beta = Beta::OfLaw, Some((0.01, 0.999)), "ndnSIM, ConsumerPcon Beta and CubicBeta";
        /// Begin in slow start; otherwise in congestion avoidance, as Thibaud et al. do.
        slow_start: bool = true, None, "ndnSIM, ConsumerPcon";
        /// End slow start when round trips rise, before anything is lost or marked (HyStart++).
        hystart: bool = false, None, "RFC 9406";
        /// Rounds in which slow start goes on at a quarter of its speed before "hystart" ends it; 0: none.
        css_rounds: u64 = 5, Some((0.0, 1e6)), "RFC 9406, section 4.3: CSS_ROUNDS";
        /// Cut at most once in a round trip for marks; otherwise every mark cuts (PCON 2016).
        guard_marks: bool = true, None, "ndnSIM, ConsumerPcon UseCwa; Chen et al. (PLR)";
        /// What an Explicit Loss Notice does: "decrease" as a loss, or "ignore".
        on_notice: OnNotice = OnNotice::Decrease, None, "choice (Chen et al. leave it open)";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ConsumerControl>> = weir_core::entry!(
    "pcon-cs",
    "PCON's consumer: CUBIC, AIMD or BIC, cut by congestion marks and losses",
    PconCsParameters,
    |parameters, _site| {
        let on_mark = if parameters.guard_marks { OnMark::DecreaseOnce } else { OnMark::DecreaseAlways };
        let law = watched(law(&parameters), parameters.hystart, parameters.css_rounds);
        Box::new(Windowed::new(law, on_mark, parameters.on_notice))
    },
    "../../../../docs/schemes/control-pcon-cs.md"
);

fn law(p: &PconCsParameters) -> Box<dyn WindowLaw> {
    let initial_window = p.initial_window;
    let threshold = if p.slow_start { f64::INFINITY } else { 0.0 };
    match p.law {
        Law::Aimd => Box::new(Reno::new(initial_window, threshold, RenoRule::plain(p.beta.or(0.5), initial_window))),
        Law::Cubic => {
            let own = CubicParameters::default();
            Box::new(cubic::law(&CubicParameters { initial_window, beta: p.beta.or(own.beta), ..own }, threshold))
        }
        Law::Bic => {
            let own = BicParameters::default();
            Box::new(bic::law(&BicParameters { initial_window, beta: p.beta.or(own.beta), ..own }, threshold))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fed, loss, marked, signalled};
    use super::*;
    use weir_core::{Loss, Reaction, Site};

    fn text(word: &str) -> Value {
        Value::Text(word.into())
    }

    fn built(settings: &[(&str, Value)]) -> Box<dyn ConsumerControl> {
        let settings = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        (ENTRY.build)(&settings, &Site::default()).unwrap()
    }

    /// What a fresh mark leaves of a window that slow start took to 14 or above.
    fn left_by_a_mark(settings: &[(&str, Value)]) -> f64 {
        let mut control = built(settings);
        let before = fed(&mut *control, 100);
        signalled(&mut *control) / before
    }

    #[test]
    fn each_law_has_a_beta_of_its_own() {
        for (word, beta) in [("cubic", 0.8), ("bic", 0.8), ("aimd", 0.5)] {
            assert!((left_by_a_mark(&[("law", text(word))]) - beta).abs() < 1e-12, "{word}");
            let given = [("law", text(word)), ("beta", Value::Number(0.6))];
            assert!((left_by_a_mark(&given) - 0.6).abs() < 1e-12, "{word}");
        }
    }

    #[test]
    fn beta_is_a_number_in_range_or_the_word_law() {
        assert_eq!(left_by_a_mark(&[("beta", text("law"))]), left_by_a_mark(&[]));
        for wrong in [Value::Number(0.0), Value::Number(1.5), text("lwa"), Value::Bool(true)] {
            assert!((ENTRY.build)(&vec![("beta".into(), wrong)], &Site::default()).is_err());
        }
    }

    /// Several marks of one round trip; the engine's guard is played by `fresh`.
    fn after_marks(control: &mut dyn ConsumerControl, count: usize) -> f64 {
        let mut fresh = true;
        for _ in 0..count {
            fresh &= control.on_data(&marked(fresh)) == Reaction::None;
        }
        control.allowance().window
    }

    #[test]
    fn marks_of_one_round_trip_cut_once_under_the_guard() {
        let mut guarded = built(&[]);
        fed(&mut *guarded, 99);
        assert_eq!(after_marks(&mut *guarded, 5), 80.0);
    }

    #[test]
    fn without_the_guard_every_mark_cuts_and_a_timeout_still_counts() {
        let settings = [("guard_marks", Value::Bool(false)), ("law", text("aimd"))];
        let mut control = built(&settings);
        fed(&mut *control, 63);
        assert_eq!(after_marks(&mut *control, 3), 8.0);
        assert_eq!(control.on_loss(&loss(Loss::Timeout, true)), Reaction::Decreased);
        assert_eq!(control.on_loss(&loss(Loss::Timeout, false)), Reaction::None);
        assert_eq!(control.allowance().window, 4.0);
    }

    #[test]
    fn no_slow_start_means_one_interest_in_a_round_trip() {
        let mut control =
            built(&[("law", text("aimd")), ("slow_start", Value::Bool(false)), ("initial_window", Value::Number(4.0))]);
        assert_eq!(fed(&mut *control, 1), 4.25);
    }
}
