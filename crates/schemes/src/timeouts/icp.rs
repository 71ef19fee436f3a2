//! ICP's timeout: between the extremes of the latest round trips.

use super::estimate::Bounds;
use std::collections::VecDeque;
use weir_core::{Entry, Span, Time, Timeout, TimeoutSignal};

weir_core::parameters! {
    /// Parameters of ICP's timeout.
    pub struct IcpTimeoutParameters {
        /// Timeout before the first sample.
        initial: Span = Span::from_millis(1000), Some((1e-6, 1e6)), "choice (papers are silent)";
        /// Number of latest samples that count.
        history: u64 = 20, Some((1.0, 10_000.0)), "Chen et al. (PLR); Thibaud et al. 2019";
        /// Where the timeout lies from the least (0) to the greatest (1) of them.
        delta: f64 = 0.5, Some((0.0, 1.0)), "Chen et al. (PLR); Thibaud et al. 2019";
        /// Share of the timeout that is added to it.
        slack: f64 = 0.0, Some((0.0, 1000.0)), "choice (the papers have none)";
        /// Least timeout.
        min: Span = Span::from_millis(1), Some((1e-6, 1e6)), "choice (papers are silent)";
        /// Greatest timeout.
        max: Span = Span::from_millis(60_000), Some((1e-6, 1e6)), "choice (papers are silent)";
        /// Look for timeouts only at multiples of this interval; "0s" is at the very moment.
        check: Span = Span::ZERO, Some((0.0, 1e6)), "choice";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn Timeout>> = weir_core::entry!(
    "icp",
    "Mean of the least and the greatest of the last 20 round trips",
    IcpTimeoutParameters,
    |parameters, _site| Box::new(IcpTimeout::new(parameters)),
    "../../../../docs/schemes/timeout-icp.md"
);

struct IcpTimeout {
    parameters: IcpTimeoutParameters,
    samples: VecDeque<Span>,
    timeout: Span,
}

impl IcpTimeout {
    fn new(parameters: IcpTimeoutParameters) -> IcpTimeout {
        let mut timeout = IcpTimeout { parameters, samples: VecDeque::new(), timeout: Span::ZERO };
        timeout.timeout = timeout.between_extremes();
        timeout
    }

    fn between_extremes(&self) -> Span {
        let p = &self.parameters;
        let bounds = Bounds { min: p.min, max: p.max };
        match (self.samples.iter().min(), self.samples.iter().max()) {
            (Some(&least), Some(&greatest)) => {
                let between = least + (greatest - least).scaled(p.delta);
                bounds.hold(between.scaled(1.0 + p.slack))
            }
            _ => bounds.hold(p.initial),
        }
    }
}

impl Timeout for IcpTimeout {
    fn on_sample(&mut self, rtt: Span, _in_flight: usize, _now: Time) {
        if self.samples.len() as u64 >= self.parameters.history {
            self.samples.pop_front();
        }
        self.samples.push_back(rtt);
        self.timeout = self.between_extremes();
    }

    fn on_timeout(&mut self, _signal: &TimeoutSignal) {}

    fn timeout(&self) -> Span {
        self.timeout
    }

    fn check_interval(&self) -> Span {
        self.parameters.check
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(parameters: IcpTimeoutParameters, samples_ms: impl IntoIterator<Item = u64>) -> Span {
        let mut timeout = IcpTimeout::new(parameters);
        samples_ms.into_iter().for_each(|ms| timeout.on_sample(Span::from_millis(ms), 1, Time::ZERO));
        timeout.timeout()
    }

    fn by_default(samples_ms: impl IntoIterator<Item = u64>) -> Span {
        sampled(IcpTimeoutParameters::default(), samples_ms)
    }

    #[test]
    fn it_is_the_mean_of_the_extremes() {
        assert_eq!(by_default([]), Span::from_millis(1000));
        assert_eq!(by_default([40]), Span::from_millis(40));
        assert_eq!(by_default([40, 100, 60]), Span::from_millis(70));
    }

    #[test]
    fn only_the_last_twenty_count() {
        assert_eq!(by_default([500].into_iter().chain([40; 19])), Span::from_millis(270));
        assert_eq!(by_default([500].into_iter().chain([40; 20])), Span::from_millis(40));
    }

    #[test]
    fn a_constant_round_trip_is_its_own_timeout() {
        assert_eq!(by_default([62; 50]), Span::from_millis(62));
    }

    #[test]
    fn on_any_rising_ramp_the_next_round_trip_exceeds_it() {
        for step in 1..20 {
            let ramp = |n: u64| 60 + step * n;
            for n in 1..60 {
                assert!(by_default((0..n).map(ramp)) < Span::from_millis(ramp(n)));
            }
        }
    }

    #[test]
    fn slack_and_delta_soften_it() {
        let softened = IcpTimeoutParameters { slack: 0.5, delta: 1.0, ..Default::default() };
        assert_eq!(sampled(softened, [40, 100]), Span::from_millis(150));
    }

    #[test]
    fn it_does_not_back_off() {
        let mut timeout = IcpTimeout::new(IcpTimeoutParameters::default());
        timeout.on_timeout(&TimeoutSignal { now: Time::ZERO, first_of_event: true });
        assert_eq!(timeout.timeout(), Span::from_millis(1000));
    }
}
