//! What several timeouts share: the smoothed round trip, bounds, and a timeout that backs off.

use weir_core::Span;

/// Smoothed round-trip time and its mean deviation, in seconds (RFC 6298, section 2).
#[derive(Clone, Debug)]
pub struct MeanDeviation {
    alpha: f64,
    beta: f64,
    state: Option<State>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    smoothed: f64,
    deviation: f64,
}

impl MeanDeviation {
    /// With gain `alpha` for the mean and `beta` for the deviation.
    pub fn new(alpha: f64, beta: f64) -> MeanDeviation {
        MeanDeviation { alpha, beta, state: None }
    }

    /// Takes one sample of the `expected` that a round trip brings.
    pub fn sample(&mut self, rtt: Span, expected: f64) {
        let rtt = rtt.seconds();
        let next = match self.state {
            None => State { smoothed: rtt, deviation: rtt / 2.0 },
            Some(last) => last.moved(rtt, self.alpha / expected, self.beta / expected),
        };
        self.state = Some(next);
    }

    /// Smoothed round-trip time plus `k` deviations, in seconds; nothing before the first sample.
    pub fn upper(&self, k: f64) -> Option<f64> {
        self.upper_at_least(k, 0.0)
    }

    /// As `upper`, but at least `granularity` (in seconds) above the smoothed round-trip time.
    pub fn upper_at_least(&self, k: f64, granularity: f64) -> Option<f64> {
        self.state.map(|s| s.smoothed + granularity.max(k * s.deviation))
    }
}

impl State {
    /// The deviation is from the old mean.
    fn moved(self, rtt: f64, alpha: f64, beta: f64) -> State {
        State {
            smoothed: self.smoothed + alpha * (rtt - self.smoothed),
            deviation: self.deviation + beta * ((rtt - self.smoothed).abs() - self.deviation),
        }
    }
}

/// Least and greatest timeout.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Least; gives way to the greatest where they cross.
    pub min: Span,
    /// Greatest.
    pub max: Span,
}

impl Bounds {
    /// The span nearest to `span` that is within the bounds.
    pub fn hold(&self, span: Span) -> Span {
        span.max(self.min).min(self.max)
    }
}

/// The numbers of a [`BackedOff`] timeout.
#[derive(Clone, Debug)]
pub struct BackOffRule {
    /// Timeout before the first sample.
    pub initial: Span,
    /// Deviations that the timeout lies above the smoothed round-trip time.
    pub k: f64,
    /// Least distance of the timeout from the smoothed round-trip time (G in RFC 6298).
    pub granularity: Span,
    /// A loss event multiplies the timeout by this.
    pub factor: f64,
    /// Bounds.
    pub bounds: Bounds,
}

/// A timeout that follows the mean and deviation of the round-trip time, and backs off until the next sample.
#[derive(Clone, Debug)]
pub struct BackedOff {
    rule: BackOffRule,
    estimate: MeanDeviation,
    timeout: Span,
}

impl BackedOff {
    /// Before the first sample.
    pub fn new(estimate: MeanDeviation, rule: BackOffRule) -> BackedOff {
        let timeout = rule.bounds.hold(rule.initial);
        BackedOff { rule, estimate, timeout }
    }

    /// Takes one sample of the `expected` that a round trip brings; ends any back-off.
    pub fn sample(&mut self, rtt: Span, expected: f64) {
        self.estimate.sample(rtt, expected);
        let upper = self.estimate.upper_at_least(self.rule.k, self.rule.granularity.seconds());
        let upper = upper.map_or(self.rule.initial, Span::from_seconds);
        self.timeout = self.rule.bounds.hold(upper);
    }

    /// A loss event.
    pub fn back_off(&mut self) {
        self.timeout = self.rule.bounds.hold(self.timeout.scaled(self.rule.factor));
    }

    /// The timeout now.
    pub fn timeout(&self) -> Span {
        self.timeout
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: Option<f64>, b: f64) -> bool {
        a.is_some_and(|a| (a - b).abs() < 1e-12)
    }

    #[test]
    fn the_deviation_is_taken_from_the_old_mean() {
        let mut estimate = MeanDeviation::new(0.125, 0.25);
        assert_eq!(estimate.upper(4.0), None);
        estimate.sample(Span::from_millis(100), 1.0);
        assert!(close(estimate.upper(0.0), 0.1));
        assert!(close(estimate.upper(4.0), 0.3));
        estimate.sample(Span::from_millis(180), 1.0);
        assert!(close(estimate.upper(0.0), 0.11));
        assert!(close(estimate.upper(4.0), 0.11 + 4.0 * 0.0575));
    }

    #[test]
    fn the_granularity_replaces_a_smaller_deviation() {
        let mut estimate = MeanDeviation::new(0.125, 0.25);
        estimate.sample(Span::from_millis(100), 1.0);
        assert!(close(estimate.upper_at_least(4.0, 0.25), 0.35));
        assert!(close(estimate.upper_at_least(4.0, 0.15), 0.3));
    }

    #[test]
    fn gains_are_shared_by_the_samples_of_a_round_trip() {
        let mut estimate = MeanDeviation::new(0.125, 0.25);
        estimate.sample(Span::from_millis(100), 10.0);
        estimate.sample(Span::from_millis(180), 10.0);
        assert!(close(estimate.upper(0.0), 0.101));
    }

    #[test]
    fn the_greatest_bound_wins() {
        let crossed = Bounds { min: Span::from_millis(9), max: Span::from_millis(5) };
        assert_eq!(crossed.hold(Span::from_millis(7)), Span::from_millis(5));
    }
}
