//! Binary increase: search between the window of the last cut and the window after it.

use super::WindowLaw;
use weir_core::{DataSignal, Time};

/// A window nearer to its maximum than this has reached it (ndnSIM `ConsumerPcon`).
const REACHED: f64 = 1e-5;

/// The numbers of a [`Bic`] window.
#[derive(Clone, Debug)]
pub struct BicRule {
    /// Below this window, grow and shrink as Reno does. At least 2, or a step towards target 0 could leave no window.
    pub low_window: f64,
    /// Largest step in a round trip.
    pub max_increment: f64,
    /// A cut multiplies the window by this.
    pub beta: f64,
    /// No cut goes below this.
    pub floor: f64,
}

/// A window of Binary Increase Congestion control as ndnSIM's `ConsumerPcon` computes it.
pub struct Bic {
    rule: BicRule,
    window: f64,
    /// Slow-start threshold of the Reno part.
    threshold: f64,
    /// Where congestion is expected.
    maximum: f64,
    /// Midpoint of the search.
    target: f64,
    probe: Option<Probe>,
}

/// Growth beyond the old maximum: slow at first, then twice as fast each time a goal is met.
struct Probe {
    step: f64,
    goal: f64,
}

impl Bic {
    /// Begins with `window`, in slow start if that is below `threshold`; `target` counts until the first search step.
    pub fn new(window: f64, threshold: f64, target: f64, rule: BicRule) -> Bic {
        Bic { rule, window, threshold, maximum: f64::INFINITY, target, probe: None }
    }

    fn grow_as_reno(&mut self) {
        self.window += if self.window < self.threshold { 1.0 } else { 1.0 / self.window };
    }

    fn search(&mut self) {
        self.window += (self.target - self.window).min(self.rule.max_increment) / self.window;
        if self.window + REACHED < self.maximum {
            self.target = f64::midpoint(self.maximum, self.window);
        } else {
            self.probe = Some(Probe { step: 1.0, goal: self.window + 1.0 });
            self.maximum = f64::INFINITY;
        }
    }

    fn explore(&mut self, mut probe: Probe) {
        self.window += probe.step / self.window;
        if self.window >= probe.goal {
            probe.step *= 2.0;
            probe.goal = self.window + probe.step;
        }
        self.probe = (probe.step < self.rule.max_increment).then_some(probe);
    }

    /// Remembers where congestion was met. Meeting it below the old maximum means that others want a share.
    fn remember(&mut self, met: f64, after: f64) {
        let others_want_a_share = self.maximum > met;
        self.maximum = if others_want_a_share { f64::midpoint(met, after) } else { met };
        self.target = f64::midpoint(self.maximum, after);
    }
}

impl WindowLaw for Bic {
    fn increase(&mut self, _signal: &DataSignal) {
        if self.window < self.rule.low_window {
            self.grow_as_reno();
        } else if let Some(probe) = self.probe.take() {
            self.explore(probe);
        } else {
            self.search();
        }
    }

    fn decrease(&mut self, _now: Time) {
        let after = self.rule.beta * self.window;
        if self.window < self.rule.low_window {
            self.threshold = after;
        } else {
            self.remember(self.window, after);
        }
        self.window = after.max(self.rule.floor);
    }

    fn window(&self) -> f64 {
        self.window
    }

    /// Only the Reno part below the low window has one.
    fn in_slow_start(&self) -> bool {
        self.window < self.rule.low_window.min(self.threshold)
    }

    fn leave_slow_start(&mut self) {
        self.threshold = self.threshold.min(self.window);
    }

    fn begin_at(&mut self, window: f64) {
        (self.window, self.threshold, self.maximum) = (window.max(1.0), window, f64::INFINITY);
        self.probe = Some(Probe { step: 1.0, goal: self.window + 1.0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controls::testing::data;

    const RULE: BicRule = BicRule { low_window: 14.0, max_increment: 16.0, beta: 0.8, floor: 1.0 };

    fn feed(bic: &mut Bic, data_count: usize) {
        (0..data_count).for_each(|_| bic.increase(&data(0)));
    }

    /// A window of 100 that expects congestion at `maximum`.
    fn at_100(maximum: f64) -> Bic {
        Bic { maximum, ..Bic::new(100.0, f64::INFINITY, 0.0, RULE) }
    }

    fn after_a_cut(maximum: f64) -> (f64, f64, f64) {
        let mut bic = at_100(maximum);
        bic.decrease(Time::ZERO);
        (bic.window, bic.maximum, bic.target)
    }

    #[test]
    fn a_fresh_flow_reaches_100_after_321_data() {
        let mut bic = Bic::new(1.0, f64::INFINITY, 0.0, RULE);
        feed(&mut bic, 320);
        assert!(bic.window < 100.0, "{}", bic.window);
        feed(&mut bic, 1);
        assert!(bic.window >= 100.0, "{}", bic.window);
    }

    #[test]
    fn target_zero_costs_one_packet_at_the_low_window() {
        let mut as_coded = Bic::new(14.0, f64::INFINITY, 0.0, RULE);
        let mut without_dip = Bic::new(14.0, f64::INFINITY, f64::INFINITY, RULE);
        feed(&mut as_coded, 1);
        feed(&mut without_dip, 1);
        assert_eq!((as_coded.window, without_dip.window), (13.0, 14.0 + 16.0 / 14.0));
    }

    #[test]
    fn a_cut_sets_maximum_and_target() {
        assert_eq!(after_a_cut(100.0), (80.0, 100.0, 90.0));
        assert_eq!(after_a_cut(70.0), (80.0, 100.0, 90.0));
        assert_eq!(after_a_cut(f64::INFINITY), (80.0, 90.0, 85.0));
        assert_eq!(after_a_cut(100.1), (80.0, 90.0, 85.0));
    }

    #[test]
    fn the_search_approaches_the_old_maximum() {
        let mut bic = at_100(100.0);
        bic.decrease(Time::ZERO);
        let mut seen = 0;
        for (count, expected) in
            [(80, 87.591), (160, 92.055), (240, 94.826), (400, 97.747), (800, 99.703), (1200, 99.960)]
        {
            feed(&mut bic, count - seen);
            seen = count;
            assert!((bic.window - expected).abs() < 5e-4, "{} after {count} Data", bic.window);
        }
    }

    #[test]
    fn exploration_begins_once_the_maximum_is_reached() {
        let mut bic = at_100(100.0);
        bic.decrease(Time::ZERO);
        feed(&mut bic, 2854);
        assert!(bic.probe.is_none());
        feed(&mut bic, 1);
        assert!(bic.probe.is_some());
    }

    #[test]
    fn exploration_speeds_up_and_ends_at_the_largest_step() {
        let mut bic = at_100(100.0);
        bic.probe = Some(Probe { step: 1.0, goal: 101.0 });
        bic.maximum = f64::INFINITY;
        let mut steps = vec![1.0];
        while let Some(probe) = &bic.probe {
            if steps.last() != Some(&probe.step) {
                steps.push(probe.step);
            }
            feed(&mut bic, 1);
        }
        assert_eq!(steps, [1.0, 2.0, 4.0, 8.0]);
        assert!((bic.window - 115.0).abs() < 0.5, "{}", bic.window);
    }

    #[test]
    fn a_cut_does_not_end_exploration() {
        let mut bic = at_100(f64::INFINITY);
        bic.probe = Some(Probe { step: 4.0, goal: 104.0 });
        bic.decrease(Time::ZERO);
        feed(&mut bic, 1);
        assert_eq!(bic.window, 80.05);
    }

    #[test]
    fn below_the_low_window_it_is_reno() {
        let mut bic = Bic::new(10.0, f64::INFINITY, 0.0, RULE);
        bic.decrease(Time::ZERO);
        assert_eq!((bic.window, bic.threshold), (8.0, 8.0));
        feed(&mut bic, 1);
        assert_eq!(bic.window, 8.125);
        (0..40).for_each(|_| bic.decrease(Time::ZERO));
        assert_eq!(bic.window, 1.0);
    }
}
