//! An Interest rate that grows by a step for each Data and is cut by refusals.

use weir_core::{Bytes, Rate, Reaction, Time};

weir_core::words! {
    /// Which refusals cut a rate.
    pub enum Cut {
        /// Each of them.
        Each = "each",
        /// The first of a round trip.
        Once = "once",
        /// After a cut, those of Interests that left at the new rate (Kato and Bandai).
        Check = "check",
    }
}

/// Rate where no link is known that could say how much it carries.
pub const WITHOUT_LINK: f64 = 1000.0;

/// Interests per second that bring as many Data of `size` as a link carries.
pub fn full_rate(link: Rate, size: Bytes) -> f64 {
    if link == Rate(0) { WITHOUT_LINK } else { link.0 as f64 / (size.0.max(1) * 8) as f64 }
}

/// The numbers of a [`RateLaw`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateRule {
    /// Greatest rate, in Interests per second.
    pub most: f64,
    /// Least rate.
    pub least: f64,
    /// Added for each Data.
    pub step: f64,
    /// A cut multiplies the rate by this.
    pub beta: f64,
    /// Which refusals cut.
    pub cut: Cut,
}

/// Additive increase, multiplicative decrease of a rate.
///
/// Under [`Cut::Check`] it has the three states of Kato and Bandai. A cut leads from *normal* to *congestion*, where
/// nothing that arrives counts: it answers Interests that left before the cut. The next Interest is the first at the
/// new rate and leads to *check*. There only answers to it and to later ones count; the first of these decides: a Data
/// leads back to *normal*, a refusal to another cut.
#[derive(Clone, Debug)]
pub struct RateLaw {
    rule: RateRule,
    rate: f64,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Normal,
    Congestion,
    /// Since the first Interest at the new rate left.
    Check(Time),
}

impl RateLaw {
    /// Begins at `rate`, within the bounds of the rule.
    pub fn new(rate: f64, rule: RateRule) -> RateLaw {
        let rule = RateRule { most: rule.most.max(rule.least), ..rule };
        RateLaw { rate: rate.clamp(rule.least, rule.most), rule, state: State::Normal }
    }

    /// Changes the greatest rate.
    pub fn bound(&mut self, most: f64) {
        self.rule.most = most.max(self.rule.least);
        self.rate = self.rate.min(self.rule.most);
    }

    /// Interests per second.
    #[inline]
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// An Interest leaves.
    #[inline]
    pub fn on_sent(&mut self, now: Time) {
        if self.state == State::Congestion {
            self.state = State::Check(now);
        }
    }

    /// A Data answers an Interest that left at `sent_at`.
    #[inline]
    pub fn on_data(&mut self, sent_at: Time) -> Reaction {
        if self.is_stale(sent_at) {
            return Reaction::Held;
        }
        self.state = State::Normal;
        self.rate = (self.rate + self.rule.step).min(self.rule.most);
        Reaction::None
    }

    /// A refusal answers an Interest that left at `sent_at`; `fresh`: there was no cut yet in this round trip.
    pub fn on_refusal(&mut self, sent_at: Time, fresh: bool) -> Reaction {
        let held = match self.rule.cut {
            Cut::Each => false,
            Cut::Once => !fresh,
            Cut::Check => self.is_stale(sent_at),
        };
        if held {
            return Reaction::Held;
        }
        self.rate = (self.rate * self.rule.beta).max(self.rule.least);
        if self.rule.cut == Cut::Check {
            self.state = State::Congestion;
        }
        Reaction::Decreased
    }

    /// It answers an Interest that left before the last cut could show.
    fn is_stale(&self, sent_at: Time) -> bool {
        match self.state {
            State::Normal => false,
            State::Congestion => true,
            State::Check(first) => sent_at < first,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(cut: Cut) -> RateLaw {
        RateLaw::new(1000.0, RateRule { most: 1000.0, least: 1.0, step: 1.0, beta: 0.5, cut })
    }

    fn at(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    #[test]
    fn refusals_of_interests_that_left_before_the_cut_halve_once() {
        let mut law = law(Cut::Check);
        assert_eq!(law.on_refusal(at(60), true), Reaction::Decreased);
        for ms in 61..75 {
            assert_eq!(law.on_refusal(at(ms), true), Reaction::Held);
        }
        assert_eq!(law.rate(), 500.0);
    }

    #[test]
    fn a_refusal_of_the_first_interest_at_the_new_rate_halves_again() {
        let mut law = law(Cut::Check);
        law.on_refusal(at(60), true);
        law.on_sent(at(80));
        law.on_sent(at(82));
        assert_eq!(law.on_refusal(at(79), true), Reaction::Held);
        assert_eq!(law.on_refusal(at(80), false), Reaction::Decreased);
        assert_eq!(law.rate(), 250.0);
        assert_eq!(law.on_refusal(at(82), true), Reaction::Held, "it left at the rate before");
    }

    #[test]
    fn a_data_of_an_old_interest_changes_nothing_while_a_cut_is_checked() {
        let mut law = law(Cut::Check);
        law.on_refusal(at(60), true);
        assert_eq!(law.on_data(at(50)), Reaction::Held);
        law.on_sent(at(80));
        assert_eq!(law.on_data(at(79)), Reaction::Held);
        assert_eq!(law.rate(), 500.0);
        assert_eq!(law.on_data(at(80)), Reaction::None);
        assert_eq!(law.on_data(at(70)), Reaction::None, "back to normal, every Data counts");
        assert_eq!(law.rate(), 502.0);
    }

    #[test]
    fn four_refusals_in_turn_lead_from_1000_to_62_5() {
        let mut law = law(Cut::Check);
        let rates: Vec<f64> = (1..=4)
            .map(|n| {
                law.on_sent(at(n * 100));
                law.on_refusal(at(n * 100), true);
                law.rate()
            })
            .collect();
        assert_eq!(rates, [500.0, 250.0, 125.0, 62.5]);
    }

    #[test]
    fn without_states_every_refusal_halves() {
        let mut law = law(Cut::Each);
        for _ in 0..4 {
            assert_eq!(law.on_refusal(at(0), false), Reaction::Decreased);
        }
        assert_eq!(law.rate(), 62.5);
        for _ in 0..20 {
            law.on_refusal(at(0), false);
        }
        assert_eq!(law.rate(), 1.0);
    }

    #[test]
    fn eleven_refusals_with_data_between_leave_hardly_anything_and_four_a_sixteenth() {
        // Every second Interest is refused, so a Data stands between two refusals.
        let after = |rate: f64, refusals: usize| {
            let rule = RateRule { most: 1000.0, least: 1.0, step: 1.0, beta: 0.5, cut: Cut::Each };
            let mut law = RateLaw::new(rate, rule);
            for n in 0..refusals {
                if n > 0 {
                    law.on_data(at(0));
                }
                law.on_refusal(at(0), false);
            }
            law.rate()
        };
        assert!((after(1000.0, 11) - 1.5).abs() < 0.1, "{}", after(1000.0, 11));
        assert!((after(710.0, 4) - 45.0).abs() < 1.0, "{}", after(710.0, 4));
    }

    #[test]
    fn once_in_a_round_trip_means_fresh_refusals_only() {
        let mut law = law(Cut::Once);
        assert_eq!(law.on_refusal(at(0), true), Reaction::Decreased);
        assert_eq!(law.on_refusal(at(0), false), Reaction::Held);
        assert_eq!(law.on_data(at(0)), Reaction::None);
        assert_eq!(law.rate(), 501.0);
    }

    #[test]
    fn the_rate_keeps_its_bounds() {
        let mut law = law(Cut::Check);
        law.on_data(at(0));
        assert_eq!(law.rate(), 1000.0);
        let rule = RateRule { most: 0.5, least: 1.0, step: 1.0, beta: 0.5, cut: Cut::Each };
        assert_eq!(RateLaw::new(7.0, rule).rate(), 1.0, "a greatest rate below the least is the least");
    }
}
