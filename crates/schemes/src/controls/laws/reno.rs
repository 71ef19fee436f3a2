//! Slow start, additive increase, multiplicative decrease.

use super::WindowLaw;
use weir_core::{DataSignal, Time};

/// The numbers of a [`Reno`] window.
#[derive(Clone, Debug)]
pub struct RenoRule {
    /// Added for each Data in slow start.
    pub slow_start_step: f64,
    /// Added for each round trip in congestion avoidance.
    pub step: f64,
    /// The round trip is taken to have as many Data as the whole part of the window.
    pub whole_windows: bool,
    /// A cut multiplies the window by this.
    pub beta: f64,
    /// No cut goes below this.
    pub floor: f64,
    /// A cut leads here instead, and slow start leads back.
    pub restart: Option<f64>,
}

impl RenoRule {
    /// The textbook form, which ndnSIM's consumers use: +1 for each Data in slow start, +1 for each round trip later.
    pub fn plain(beta: f64, floor: f64) -> RenoRule {
        RenoRule { slow_start_step: 1.0, step: 1.0, whole_windows: false, beta, floor, restart: None }
    }
}

/// A window with slow start, additive increase and multiplicative decrease (RFC 5681, section 3.1).
pub struct Reno {
    rule: RenoRule,
    window: f64,
    threshold: f64,
}

impl Reno {
    /// Begins with `window`, in slow start if that is below `threshold`.
    pub fn new(window: f64, threshold: f64, rule: RenoRule) -> Reno {
        Reno { rule, window, threshold }
    }

    fn data_in_a_round_trip(&self) -> f64 {
        if self.rule.whole_windows { self.window as u64 as f64 } else { self.window }
    }
}

impl WindowLaw for Reno {
    fn increase(&mut self, _signal: &DataSignal) {
        self.window += if self.window < self.threshold {
            self.rule.slow_start_step
        } else {
            self.rule.step / self.data_in_a_round_trip()
        };
    }

    fn decrease(&mut self, _now: Time) {
        self.threshold = (self.rule.beta * self.window).max(self.rule.floor);
        self.window = self.rule.restart.unwrap_or(self.threshold);
    }

    fn window(&self) -> f64 {
        self.window
    }

    fn in_slow_start(&self) -> bool {
        self.window < self.threshold
    }

    fn leave_slow_start(&mut self) {
        self.threshold = self.threshold.min(self.window);
    }

    fn begin_at(&mut self, window: f64) {
        (self.window, self.threshold) = (window.max(1.0), window);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controls::testing::data;

    fn avoiding(window: f64, rule: RenoRule) -> Reno {
        Reno::new(window, 0.0, rule)
    }

    #[test]
    fn slow_start_doubles_a_window_in_a_round_trip() {
        let mut reno = Reno::new(8.0, 16.0, RenoRule::plain(0.5, 1.0));
        (0..8).for_each(|_| reno.increase(&data(0)));
        assert_eq!(reno.window(), 16.0);
        reno.increase(&data(0));
        assert_eq!(reno.window(), 16.0 + 1.0 / 16.0);
    }

    #[test]
    fn avoidance_adds_one_in_a_round_trip() {
        let mut reno = avoiding(10.0, RenoRule::plain(0.5, 1.0));
        for round in 1..=50 {
            let data_now = reno.window().round() as usize;
            (0..data_now).for_each(|_| reno.increase(&data(0)));
            assert!((reno.window() - (10.0 + f64::from(round))).abs() < 0.05 * f64::from(round), "{}", reno.window());
        }
    }

    #[test]
    fn whole_windows_make_the_step_exact() {
        let mut reno = avoiding(10.0, RenoRule { whole_windows: true, ..RenoRule::plain(0.5, 1.0) });
        (0..10).for_each(|_| reno.increase(&data(0)));
        assert!((reno.window() - 11.0).abs() < 1e-12);
    }

    #[test]
    fn a_cut_ends_slow_start_and_stops_at_the_floor() {
        let mut reno = Reno::new(64.0, f64::INFINITY, RenoRule::plain(0.5, 3.0));
        reno.decrease(Time::ZERO);
        assert_eq!((reno.window(), reno.threshold), (32.0, 32.0));
        (0..9).for_each(|_| reno.decrease(Time::ZERO));
        assert_eq!(reno.window(), 3.0);
    }

    #[test]
    fn a_restart_leads_back_through_slow_start() {
        let mut reno = avoiding(20.0, RenoRule { restart: Some(2.0), ..RenoRule::plain(0.5, 1.0) });
        reno.decrease(Time::ZERO);
        (0..8).for_each(|_| reno.increase(&data(0)));
        assert_eq!(reno.window(), 10.0);
        reno.increase(&data(0));
        assert_eq!(reno.window(), 10.1);
    }
}
