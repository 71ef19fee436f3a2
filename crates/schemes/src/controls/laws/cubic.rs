//! Cubic growth: time, not the arrival of Data, moves the window back to where congestion was and beyond.

use super::WindowLaw;
use weir_core::{DataSignal, Span, Time};

/// With fast convergence, a cut this much below the last one means that others want a share (ndnSIM `ConsumerPcon`:
/// one per cent; ndn-tools: none).
const SHARE_WANTED: f64 = 0.99;

/// The numbers of a [`Cubic`] window.
#[derive(Clone, Debug)]
pub struct CubicRule {
    /// Steepness of the curve in Interests per cubic second.
    pub c: f64,
    /// A cut multiplies the window by this.
    pub beta: f64,
    /// Never slower than a Reno flow would be.
    pub tcp_friendly: bool,
    /// Release bandwidth when congestion comes earlier than the last time.
    pub fast_convergence: bool,
    /// No cut goes below this.
    pub floor: f64,
}

/// A window of CUBIC (RFC 8312 in the form of ndnSIM's `ConsumerPcon`).
pub struct Cubic {
    rule: CubicRule,
    window: f64,
    threshold: f64,
    /// Window before the last cut.
    last_maximum: f64,
    epoch: Option<Epoch>,
}

/// One stretch of congestion avoidance.
struct Epoch {
    start: Time,
    /// Height of the plateau.
    maximum: f64,
    /// Seconds from the start to the plateau.
    delay: f64,
    /// Where a Reno flow would begin.
    reno_base: f64,
}

impl Cubic {
    /// Begins with `window`, in slow start if that is below `threshold`.
    pub fn new(window: f64, threshold: f64, rule: CubicRule) -> Cubic {
        Cubic { rule, window, threshold, last_maximum: 0.0, epoch: None }
    }

    /// Where the curves want the window now.
    fn goal(&mut self, signal: &DataSignal) -> f64 {
        let window = self.window;
        // Slow start may end without a cut; then the plateau is here (RFC 9438, section 4.10).
        let epoch = self.epoch.get_or_insert(Epoch::at_plateau(signal.now, window));
        let elapsed = signal.now.since(epoch.start).seconds();
        let cubic = epoch.cubic(self.rule.c, elapsed);
        if self.rule.tcp_friendly && signal.smoothed_rtt > Span::ZERO {
            cubic.max(epoch.reno(self.rule.beta, elapsed / signal.smoothed_rtt.seconds()))
        } else {
            cubic
        }
    }

    /// The plateau of the epoch that a cut begins.
    fn next_maximum(&mut self) -> f64 {
        let others_want_a_share = self.window < SHARE_WANTED * self.last_maximum;
        self.last_maximum = self.window;
        if self.rule.fast_convergence && others_want_a_share {
            self.window * (1.0 + self.rule.beta) / 2.0
        } else {
            self.window
        }
    }
}

impl WindowLaw for Cubic {
    fn increase(&mut self, signal: &DataSignal) {
        if self.window < self.threshold {
            self.window += 1.0;
        } else {
            let goal = self.goal(signal);
            self.window += (goal - self.window).max(0.0) / self.window;
        }
    }

    fn decrease(&mut self, now: Time) {
        let maximum = self.next_maximum();
        self.epoch = Some(Epoch::after_cut(now, maximum, &self.rule));
        self.threshold = (self.rule.beta * self.window).max(self.rule.floor);
        self.window = self.threshold;
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
        (self.window, self.threshold, self.epoch) = (window.max(1.0), window, None);
    }
}

impl Epoch {
    fn after_cut(start: Time, maximum: f64, rule: &CubicRule) -> Epoch {
        let delay = libm::cbrt(maximum * (1.0 - rule.beta) / rule.c);
        Epoch { start, maximum, delay, reno_base: maximum * rule.beta }
    }

    fn at_plateau(start: Time, window: f64) -> Epoch {
        Epoch { start, maximum: window, delay: 0.0, reno_base: window }
    }

    /// RFC 8312, equation 1.
    fn cubic(&self, c: f64, elapsed: f64) -> f64 {
        let distance = elapsed - self.delay;
        c * distance * distance * distance + self.maximum
    }

    /// RFC 8312, equation 4.
    fn reno(&self, beta: f64, round_trips: f64) -> f64 {
        self.reno_base + 3.0 * (1.0 - beta) / (1.0 + beta) * round_trips
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controls::testing::data;

    const RULE: CubicRule = CubicRule { c: 0.4, beta: 0.8, tcp_friendly: false, fast_convergence: false, floor: 1.0 };

    fn cut_at_100(rule: CubicRule) -> Cubic {
        let mut cubic = Cubic::new(100.0, f64::INFINITY, rule);
        cubic.decrease(Time::ZERO);
        cubic
    }

    fn curve(beta: f64) -> (f64, f64, f64) {
        let epoch = Epoch::after_cut(Time::ZERO, 100.0, &CubicRule { beta, ..RULE });
        (epoch.delay, epoch.cubic(0.4, 0.0), epoch.cubic(0.4, epoch.delay))
    }

    #[test]
    fn the_curve_starts_at_the_cut_and_returns_after_k() {
        for (beta, k, start) in [(0.8, 3.684, 80.0), (0.7, 4.217, 70.0)] {
            let (delay, at_start, at_plateau) = curve(beta);
            assert!((delay - k).abs() < 5e-4, "{delay}");
            assert!((at_start - start).abs() < 1e-9, "{at_start}");
            assert_eq!(at_plateau, 100.0);
        }
    }

    #[test]
    fn the_window_follows_the_curve_and_never_shrinks() {
        let mut cubic = cut_at_100(RULE);
        for ms in 0..6000 {
            let before = cubic.window();
            cubic.increase(&data(ms));
            assert!(cubic.window() >= before);
            if ms == 3684 {
                assert!((99.5..=100.0).contains(&cubic.window()), "{}", cubic.window());
            }
        }
        assert!(cubic.window() > 104.0);
    }

    #[test]
    fn the_friendly_region_grows_like_reno() {
        let mut cubic = cut_at_100(CubicRule { tcp_friendly: true, ..RULE });
        let slope = 3.0 * 0.2 / 1.8;
        let mut at_round_40 = 0.0;
        for round in 0..100_u64 {
            for _ in 0..cubic.window() as usize {
                cubic.increase(&DataSignal { smoothed_rtt: Span::from_millis(5), ..data(5 * round) });
            }
            if round == 40 {
                at_round_40 = cubic.window();
            }
        }
        let measured = (cubic.window() - at_round_40) / 59.0;
        assert!((measured - slope).abs() < 0.01, "{measured}");
    }

    #[test]
    fn fast_convergence_lowers_the_plateau_of_a_shrinking_flow() {
        let plateaus = |rule: CubicRule| {
            let mut cubic = cut_at_100(rule);
            cubic.decrease(Time::ZERO);
            cubic.epoch.map(|e| e.maximum)
        };
        assert_eq!(plateaus(RULE), Some(80.0));
        assert_eq!(plateaus(CubicRule { fast_convergence: true, ..RULE }), Some(72.0));
    }

    #[test]
    fn without_a_cut_the_curve_starts_at_its_plateau() {
        let mut cubic = Cubic::new(10.0, 0.0, RULE);
        cubic.increase(&data(1000));
        assert_eq!(cubic.window(), 10.0);
        (1001..3000).for_each(|ms| cubic.increase(&data(ms)));
        assert!((12.9..13.2).contains(&cubic.window()), "{}", cubic.window());
    }
}
