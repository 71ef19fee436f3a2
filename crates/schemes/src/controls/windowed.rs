//! When a window grows or is cut: the rules that all window controls share.

use super::laws::WindowLaw;
use weir_core::{Allowance, ConsumerControl, DataSignal, Loss, LossSignal, Reaction, Time};
use weir_wire::NackReason;

weir_core::words! {
    /// What an Explicit Loss Notice does to the window.
    pub enum OnNotice {
        /// The same as a loss.
        Decrease = "decrease",
        /// Nothing.
        Ignore = "ignore",
    }
}

/// What a congestion mark does to the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnMark {
    /// Nothing: the Data counts as any other.
    Ignore,
    /// A cut, unless one was made in this round trip.
    DecreaseOnce,
    /// A cut at every mark.
    DecreaseAlways,
}

impl OnMark {
    /// What a parameter `ignore_marks` asks for.
    pub fn unless_ignored(ignore_marks: bool) -> OnMark {
        if ignore_marks { OnMark::Ignore } else { OnMark::DecreaseOnce }
    }
}

/// A window law under the common rules: timeouts and congestion Nacks cut once in a round trip, notices and marks as
/// asked, and a Data whose mark counts does not add to the window.
pub struct Windowed<L> {
    law: L,
    on_mark: OnMark,
    on_notice: OnNotice,
}

impl<L: WindowLaw> Windowed<L> {
    /// Puts `law` under the rules.
    pub fn new(law: L, on_mark: OnMark, on_notice: OnNotice) -> Windowed<L> {
        Windowed { law, on_mark, on_notice }
    }

    fn cut_once(&mut self, now: Time, fresh: bool) -> Reaction {
        if !fresh {
            return Reaction::None;
        }
        self.law.decrease(now);
        Reaction::Decreased
    }

    fn tells_congestion(&self, loss: Loss) -> bool {
        match loss {
            Loss::Timeout | Loss::Nack(NackReason::Congestion) => true,
            Loss::Nack(_) => false,
            Loss::Notice => self.on_notice == OnNotice::Decrease,
        }
    }
}

impl<L: WindowLaw> ConsumerControl for Windowed<L> {
    fn on_data(&mut self, signal: &DataSignal) -> Reaction {
        match self.on_mark {
            OnMark::DecreaseOnce if signal.marked => self.cut_once(signal.now, signal.fresh),
            OnMark::DecreaseAlways if signal.marked => {
                self.law.decrease(signal.now);
                // A mark that is not guarded guards nothing either: a timeout right after it still cuts.
                Reaction::None
            }
            _ => {
                self.law.increase(signal);
                Reaction::None
            }
        }
    }

    fn on_loss(&mut self, signal: &LossSignal) -> Reaction {
        if self.tells_congestion(signal.kind) { self.cut_once(signal.now, signal.fresh) } else { Reaction::None }
    }

    fn allowance(&self) -> Allowance {
        Allowance::window(self.law.window())
    }

    fn take_over(&mut self, old: Allowance) {
        if old.window.is_finite() {
            self.law.begin_at(old.window);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::laws::{Reno, RenoRule};
    use super::super::testing::{data, loss, marked};
    use super::*;

    fn windowed(on_mark: OnMark, on_notice: OnNotice) -> Windowed<Reno> {
        Windowed::new(Reno::new(16.0, 0.0, RenoRule::plain(0.5, 1.0)), on_mark, on_notice)
    }

    fn after_loss(kind: Loss, on_notice: OnNotice, fresh: bool) -> (f64, Reaction) {
        let mut control = windowed(OnMark::Ignore, on_notice);
        let reaction = control.on_loss(&loss(kind, fresh));
        (control.allowance().window, reaction)
    }

    fn after_mark(on_mark: OnMark, fresh: bool) -> (f64, Reaction) {
        let mut control = windowed(on_mark, OnNotice::Decrease);
        let reaction = control.on_data(&marked(fresh));
        (control.allowance().window, reaction)
    }

    const KEPT: (f64, Reaction) = (16.0, Reaction::None);
    const HALVED: (f64, Reaction) = (8.0, Reaction::Decreased);

    #[test]
    fn congestion_cuts_once_in_a_round_trip() {
        for kind in [Loss::Timeout, Loss::Nack(NackReason::Congestion), Loss::Notice] {
            assert_eq!(after_loss(kind, OnNotice::Decrease, true), HALVED);
            assert_eq!(after_loss(kind, OnNotice::Decrease, false), KEPT);
        }
    }

    #[test]
    fn other_nacks_and_ignored_notices_cut_nothing() {
        for reason in [NackReason::Unspecified, NackReason::Duplicate, NackReason::NoRoute, NackReason::Other(7)] {
            assert_eq!(after_loss(Loss::Nack(reason), OnNotice::Decrease, true), KEPT);
        }
        assert_eq!(after_loss(Loss::Notice, OnNotice::Ignore, true), KEPT);
    }

    #[test]
    fn a_mark_that_counts_never_lets_the_window_grow() {
        assert_eq!(after_mark(OnMark::DecreaseOnce, true), HALVED);
        assert_eq!(after_mark(OnMark::DecreaseOnce, false), KEPT);
    }

    #[test]
    fn an_unguarded_mark_always_cuts_and_shields_nothing() {
        assert_eq!(after_mark(OnMark::DecreaseAlways, true), (8.0, Reaction::None));
        assert_eq!(after_mark(OnMark::DecreaseAlways, false), (8.0, Reaction::None));
    }

    #[test]
    fn an_ignored_mark_counts_as_data() {
        assert_eq!(after_mark(OnMark::Ignore, true), (16.0 + 1.0 / 16.0, Reaction::None));
    }

    #[test]
    fn unmarked_data_lets_the_window_grow() {
        let mut control = windowed(OnMark::DecreaseOnce, OnNotice::Decrease);
        assert_eq!(control.on_data(&data(0)), Reaction::None);
        assert!(control.allowance().window > 16.0);
    }
}
