//! The timeout of ndn-cxx's `RttEstimator`, as ndn-tools drives it.

use super::estimate::{BackOffRule, BackedOff, Bounds, MeanDeviation};
use weir_core::{Entry, Span, Time, Timeout, TimeoutSignal};

weir_core::parameters! {
    /// Parameters of ndn-cxx's timeout.
    pub struct NdnCxxParameters {
        /// Timeout before the first sample.
        initial: Span = Span::from_millis(1000), Some((1e-6, 1e6)), "ndn-cxx, RttEstimator initialRto";
        /// Least timeout.
        min: Span = Span::from_millis(200), Some((1e-6, 1e6)), "ndn-cxx, RttEstimator minRto";
        /// Greatest timeout (20 s in older versions).
        max: Span = Span::from_millis(60_000), Some((1e-6, 1e6)), "ndn-cxx, RttEstimator maxRto";
        /// Gain of the smoothed round-trip time over a whole round trip.
        alpha: f64 = 0.125, Some((1e-6, 1.0)), "ndn-cxx, RttEstimator alpha";
        /// Gain of its deviation over a whole round trip.
        beta: f64 = 0.25, Some((1e-6, 1.0)), "ndn-cxx, RttEstimator beta";
        /// Deviations that the timeout lies above the smoothed round-trip time (8 in ndn-tools).
        k: f64 = 4.0, Some((0.0, 1000.0)), "ndn-cxx, RttEstimator k";
        /// A loss event multiplies the timeout by this.
        backoff_factor: f64 = 2.0, Some((1.0, 1000.0)), "ndn-cxx, RttEstimator rtoBackoffMultiplier";
        /// Look for timeouts only at multiples of this interval; "0s" is at the very moment (10 ms in ndn-tools).
        check: Span = Span::ZERO, Some((0.0, 1e6)), "choice";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn Timeout>> = weir_core::entry!(
    "ndn-cxx",
    "As rfc6298, with gains divided by the samples expected in a round trip",
    NdnCxxParameters,
    |parameters, _site| Box::new(NdnCxx::new(&parameters)),
    "../../../../docs/schemes/timeout-ndn-cxx.md"
);

struct NdnCxx {
    rto: BackedOff,
    check: Span,
}

impl NdnCxx {
    fn new(p: &NdnCxxParameters) -> NdnCxx {
        let bounds = Bounds { min: p.min, max: p.max };
        // The library has no granularity; `check` is what keeps its timers off a steady round trip.
        let (granularity, factor) = (Span::ZERO, p.backoff_factor);
        let rule = BackOffRule { initial: p.initial, k: p.k, granularity, factor, bounds };
        NdnCxx { rto: BackedOff::new(MeanDeviation::new(p.alpha, p.beta), rule), check: p.check }
    }
}

/// Half of what is in flight, at least one (RFC 7323, appendix G, which counts on delayed acknowledgements). ndn-tools
/// rounds up what is left when the sampled Interest is taken out, which is rounding down what was out with it.
fn expected_samples(in_flight: usize) -> f64 {
    (in_flight / 2).max(1) as f64
}

impl Timeout for NdnCxx {
    fn on_sample(&mut self, rtt: Span, in_flight: usize, _now: Time) {
        self.rto.sample(rtt, expected_samples(in_flight));
    }

    fn on_timeout(&mut self, signal: &TimeoutSignal) {
        if signal.first_of_event {
            self.rto.back_off();
        }
    }

    fn timeout(&self) -> Span {
        self.rto.timeout()
    }

    fn check_interval(&self) -> Span {
        self.check
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(samples: &[(u64, usize)]) -> NdnCxx {
        let mut timeout = NdnCxx::new(&NdnCxxParameters::default());
        samples.iter().for_each(|(ms, out)| timeout.on_sample(Span::from_millis(*ms), *out, Time::ZERO));
        timeout
    }

    #[test]
    fn half_of_the_flight_is_expected() {
        assert_eq!([0, 1, 2, 3, 4, 30].map(expected_samples), [1.0, 1.0, 1.0, 1.0, 2.0, 15.0]);
    }

    #[test]
    fn a_sample_of_many_moves_the_estimate_less() {
        assert_eq!(sampled(&[(100, 20), (180, 1)]).timeout(), Span::from_millis(340));
        // Ten expected: mean 101 ms, deviation 50.75 ms.
        assert_eq!(sampled(&[(100, 20), (180, 20)]).timeout(), Span::from_millis(304));
    }

    #[test]
    fn it_backs_off_once_in_a_loss_event() {
        let mut timeout = sampled(&[(100, 20)]);
        for first_of_event in [true, false, false, true] {
            timeout.on_timeout(&TimeoutSignal { now: Time::ZERO, first_of_event });
        }
        assert_eq!(timeout.timeout(), Span::from_millis(1200));
    }
}
