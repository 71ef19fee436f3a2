//! Controls that pace: a [`RateLaw`] under the signals that a consumer gets.

use super::windowed::{OnMark, OnNotice};
use crate::parts::rate_law::{RateLaw, full_rate};
use weir_core::{Allowance, Bytes, ConsumerControl, DataSignal, Loss, LossSignal, Reaction, SentSignal, Site};
use weir_wire::NackReason;

/// The rate in Interests per second that a parameter asks for; 0: the most that the consumer's link carries of Data of
/// `data` bytes (0: those of its workload).
pub fn rate_or_full(given: f64, data: Bytes, site: &Site) -> f64 {
    if given > 0.0 {
        return given;
    }
    full_rate(site.link_rate, if data > Bytes(0) { data } else { site.data_size })
}

/// A paced control: what counts as a refusal beside congestion Nacks and timeouts is for the scheme to say.
pub struct RateBased {
    law: RateLaw,
    on_mark: OnMark,
    on_notice: OnNotice,
}

impl RateBased {
    /// Puts `law` under the signals.
    pub fn new(law: RateLaw, on_mark: OnMark, on_notice: OnNotice) -> RateBased {
        RateBased { law, on_mark, on_notice }
    }

    fn tells_congestion(&self, loss: Loss) -> bool {
        match loss {
            Loss::Timeout | Loss::Nack(NackReason::Congestion) => true,
            Loss::Nack(_) => false,
            Loss::Notice => self.on_notice == OnNotice::Decrease,
        }
    }
}

impl ConsumerControl for RateBased {
    fn on_sent(&mut self, signal: &SentSignal) {
        self.law.on_sent(signal.now);
    }

    fn on_data(&mut self, signal: &DataSignal) -> Reaction {
        if signal.marked && self.on_mark != OnMark::Ignore {
            return self.law.on_refusal(signal.sent_at, signal.fresh);
        }
        self.law.on_data(signal.sent_at)
    }

    fn on_loss(&mut self, signal: &LossSignal) -> Reaction {
        match self.tells_congestion(signal.kind) {
            true => self.law.on_refusal(signal.sent_at, signal.fresh),
            false => Reaction::None,
        }
    }

    fn allowance(&self) -> Allowance {
        Allowance::rate(self.law.rate())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{data, loss, marked};
    use super::*;
    use crate::parts::rate_law::{Cut, RateRule, WITHOUT_LINK};
    use weir_core::{Rate, Span};

    fn control(on_mark: OnMark, on_notice: OnNotice) -> RateBased {
        let rule = RateRule { most: 1000.0, least: 1.0, step: 1.0, beta: 0.5, cut: Cut::Each };
        RateBased::new(RateLaw::new(500.0, rule), on_mark, on_notice)
    }

    fn rate(control: &RateBased) -> f64 {
        1.0 / control.allowance().gap.unwrap().seconds()
    }

    #[test]
    fn congestion_and_timeouts_cut_and_other_refusals_do_not() {
        for (kind, left) in [
            (Loss::Timeout, 250.0),
            (Loss::Nack(NackReason::Congestion), 250.0),
            (Loss::Nack(NackReason::NoRoute), 500.0),
            (Loss::Nack(NackReason::Duplicate), 500.0),
            (Loss::Notice, 250.0),
        ] {
            let mut control = control(OnMark::Ignore, OnNotice::Decrease);
            control.on_loss(&loss(kind, false));
            assert_eq!(rate(&control), left, "{kind:?}");
        }
        let mut control = control(OnMark::Ignore, OnNotice::Ignore);
        assert_eq!(control.on_loss(&loss(Loss::Notice, true)), Reaction::None);
        assert_eq!(rate(&control), 500.0);
    }

    #[test]
    fn marks_count_where_they_are_asked_for() {
        let mut control = control(OnMark::Ignore, OnNotice::Decrease);
        control.on_data(&marked(true));
        control.on_data(&data(0));
        assert!((rate(&control) - 502.0).abs() < 1e-3);
        let mut control = super::tests::control(OnMark::DecreaseOnce, OnNotice::Decrease);
        assert_eq!(control.on_data(&marked(true)), Reaction::Decreased);
        assert_eq!(rate(&control), 250.0);
    }

    #[test]
    fn a_link_says_how_many_data_it_carries() {
        let site = Site { link_rate: Rate(10_000_000), data_size: Bytes(1250), ..Site::default() };
        assert_eq!(rate_or_full(0.0, Bytes(0), &site), 1000.0);
        assert_eq!(rate_or_full(0.0, Bytes(625), &site), 2000.0);
        assert_eq!(rate_or_full(7.0, Bytes(625), &site), 7.0);
        assert_eq!(rate_or_full(0.0, Bytes(0), &Site { link_rate: Rate(0), ..site }), WITHOUT_LINK);
    }

    #[test]
    fn the_window_is_open() {
        let allowance = control(OnMark::Ignore, OnNotice::Decrease).allowance();
        assert_eq!((allowance.window, allowance.gap), (f64::INFINITY, Some(Span::from_millis(2))));
    }
}
