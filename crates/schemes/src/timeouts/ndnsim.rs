//! The timeout of ndnSIM's `RttMeanDeviation`, with the coarse clock of its consumers.

use super::estimate::{Bounds, MeanDeviation};
use weir_core::{Entry, Span, Time, Timeout, TimeoutSignal};

/// Deviations above the smoothed round-trip time (fixed in ndnSIM).
const DEVIATIONS: f64 = 4.0;

weir_core::parameters! {
    /// Parameters of ndnSIM's timeout.
    pub struct NdnsimParameters {
        /// Round-trip time assumed before the first sample, with a deviation of zero.
        initial: Span = Span::from_millis(1000), Some((1e-6, 1e6)), "ndnSIM, RttEstimator InitialEstimation";
        /// Least timeout before the multiplier.
        min: Span = Span::from_millis(200), Some((1e-6, 1e6)), "ndnSIM, RttEstimator MinRTO";
        /// Greatest timeout after the multiplier.
        max: Span = Span::from_millis(200_000), Some((1e-6, 1e6)), "ndnSIM, RttEstimator MaxRTO";
        /// Gain of the smoothed round-trip time.
        alpha: f64 = 0.125, Some((1e-6, 1.0)), "ndnSIM, RttMeanDeviation Gain";
        /// Gain of its deviation.
        beta: f64 = 0.25, Some((1e-6, 1.0)), "ndnSIM, RttMeanDeviation Gain2";
        /// Greatest multiplier; it doubles with every segment that times out.
        max_multiplier: u64 = 64, Some((1.0, 65_535.0)), "ndnSIM, RttEstimator MaxMultiplier";
        /// Look for timeouts only at multiples of this interval; "0s" is at the very moment.
        check: Span = Span::from_millis(50), Some((0.0, 1e6)), "ndnSIM, Consumer RetxTimer";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn Timeout>> = weir_core::entry!(
    "ndnsim",
    "As rfc6298, but doubled for every segment that times out and checked each 50 ms",
    NdnsimParameters,
    |parameters, _site| Box::new(Ndnsim::new(parameters)),
    "../../../../docs/schemes/timeout-ndnsim.md"
);

struct Ndnsim {
    parameters: NdnsimParameters,
    estimate: MeanDeviation,
    multiplier: u64,
}

impl Ndnsim {
    fn new(parameters: NdnsimParameters) -> Ndnsim {
        let estimate = MeanDeviation::new(parameters.alpha, parameters.beta);
        Ndnsim { parameters, estimate, multiplier: 1 }
    }
}

impl Timeout for Ndnsim {
    fn on_sample(&mut self, rtt: Span, _in_flight: usize, _now: Time) {
        self.estimate.sample(rtt, 1.0);
        self.multiplier = 1;
    }

    fn on_timeout(&mut self, _signal: &TimeoutSignal) {
        self.multiplier = (2 * self.multiplier).min(self.parameters.max_multiplier);
    }

    fn timeout(&self) -> Span {
        let p = &self.parameters;
        let upper = self.estimate.upper(DEVIATIONS).map_or(p.initial, Span::from_seconds);
        let bounds = Bounds { min: p.min * self.multiplier, max: p.max };
        bounds.hold(upper * self.multiplier)
    }

    fn check_interval(&self) -> Span {
        self.parameters.check
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_default() -> Ndnsim {
        Ndnsim::new(NdnsimParameters::default())
    }

    fn time_out(timeout: &mut Ndnsim, segments: usize) {
        let signal = TimeoutSignal { now: Time::ZERO, first_of_event: false };
        (0..segments).for_each(|_| timeout.on_timeout(&signal));
    }

    #[test]
    fn it_follows_mean_and_deviation() {
        let mut timeout = by_default();
        assert_eq!(timeout.timeout(), Span::from_millis(1000));
        timeout.on_sample(Span::from_millis(100), 1, Time::ZERO);
        assert_eq!(timeout.timeout(), Span::from_millis(300));
    }

    #[test]
    fn every_segment_doubles_it_up_to_64_times() {
        let mut timeout = by_default();
        timeout.on_sample(Span::from_millis(100), 1, Time::ZERO);
        time_out(&mut timeout, 3);
        assert_eq!(timeout.timeout(), Span::from_millis(2400));
        time_out(&mut timeout, 30);
        assert_eq!(timeout.timeout(), Span::from_millis(64 * 300));
    }

    #[test]
    fn a_mass_loss_on_a_fast_path_means_12_point_8_seconds() {
        let mut timeout = by_default();
        (0..60).for_each(|_| timeout.on_sample(Span::from_millis(40), 1, Time::ZERO));
        time_out(&mut timeout, 40);
        assert_eq!(timeout.timeout(), Span::from_millis(12_800));
    }

    #[test]
    fn a_sample_resets_the_multiplier() {
        let mut timeout = by_default();
        time_out(&mut timeout, 5);
        timeout.on_sample(Span::from_millis(400), 1, Time::ZERO);
        assert_eq!(timeout.timeout(), Span::from_millis(1200));
    }

    #[test]
    fn it_is_checked_each_50_ms() {
        assert_eq!(by_default().check_interval(), Span::from_millis(50));
    }
}
