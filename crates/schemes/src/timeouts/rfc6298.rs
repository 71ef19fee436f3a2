//! The timeout of RFC 6298 with a least value of 0.2 s.

use super::estimate::{BackOffRule, BackedOff, Bounds, MeanDeviation};
use weir_core::{Entry, Span, Time, Timeout, TimeoutSignal};

weir_core::parameters! {
    /// Parameters of the timeout of RFC 6298.
    pub struct Rfc6298Parameters {
        /// Timeout before the first sample.
        initial: Span = Span::from_millis(1000), Some((1e-6, 1e6)), "RFC 6298, section 2";
        /// Least timeout (1 s in RFC 6298).
        min: Span = Span::from_millis(200), Some((1e-6, 1e6)), "ndn-cxx, RttEstimator; ndnSIM; Linux";
        /// Greatest timeout.
        max: Span = Span::from_millis(60_000), Some((1e-6, 1e6)), "RFC 6298, section 2";
        /// Gain of the smoothed round-trip time.
        alpha: f64 = 0.125, Some((1e-6, 1.0)), "RFC 6298, section 2";
        /// Gain of its deviation.
        beta: f64 = 0.25, Some((1e-6, 1.0)), "RFC 6298, section 2";
        /// Deviations that the timeout lies above the smoothed round-trip time.
        k: f64 = 4.0, Some((0.0, 1000.0)), "RFC 6298, section 2";
        /// Least distance of the timeout from the smoothed round-trip time: the RFC's G.
        granularity: Span = Span::from_millis(1), Some((0.0, 1e6)), "RFC 6298, section 2; ns-3, TcpSocketBase";
        /// A loss event multiplies the timeout by this.
        backoff_factor: f64 = 2.0, Some((1.0, 1000.0)), "RFC 6298, section 5";
        /// Look for timeouts only at multiples of this interval; "0s" is at the very moment.
        check: Span = Span::ZERO, Some((0.0, 1e6)), "choice";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn Timeout>> = weir_core::entry!(
    "rfc6298",
    "Smoothed round-trip time plus four deviations, doubled once per loss event",
    Rfc6298Parameters,
    |parameters, _site| Box::new(Rfc6298::new(&parameters)),
    "../../../../docs/schemes/timeout-rfc6298.md"
);

struct Rfc6298 {
    rto: BackedOff,
    check: Span,
}

impl Rfc6298 {
    fn new(p: &Rfc6298Parameters) -> Rfc6298 {
        let bounds = Bounds { min: p.min, max: p.max };
        let (granularity, factor) = (p.granularity, p.backoff_factor);
        let rule = BackOffRule { initial: p.initial, k: p.k, granularity, factor, bounds };
        Rfc6298 { rto: BackedOff::new(MeanDeviation::new(p.alpha, p.beta), rule), check: p.check }
    }
}

impl Timeout for Rfc6298 {
    fn on_sample(&mut self, rtt: Span, _in_flight: usize, _now: Time) {
        self.rto.sample(rtt, 1.0);
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

    fn timed_out(first_of_event: bool) -> TimeoutSignal {
        TimeoutSignal { now: Time::ZERO, first_of_event }
    }

    fn sampled(samples_ms: &[u64]) -> Rfc6298 {
        let mut timeout = Rfc6298::new(&Rfc6298Parameters::default());
        samples_ms.iter().for_each(|ms| timeout.on_sample(Span::from_millis(*ms), 30, Time::ZERO));
        timeout
    }

    #[test]
    fn it_follows_mean_and_deviation() {
        assert_eq!(sampled(&[]).timeout(), Span::from_millis(1000));
        assert_eq!(sampled(&[100]).timeout(), Span::from_millis(300));
        assert_eq!(sampled(&[100, 180]).timeout(), Span::from_millis(340));
    }

    #[test]
    fn a_steady_path_ends_at_the_least_timeout() {
        assert_eq!(sampled(&[62; 40]).timeout(), Span::from_millis(200));
    }

    /// On a path whose round trip does not vary, the deviation dies out: without the granularity the timer would fire as
    /// the Data arrives.
    #[test]
    fn a_long_steady_path_ends_a_granularity_above_its_round_trip() {
        assert_eq!(sampled(&[400; 400]).timeout(), Span::from_millis(401));
        let exact = Rfc6298Parameters { granularity: Span::ZERO, ..Rfc6298Parameters::default() };
        let mut timeout = Rfc6298::new(&exact);
        (0..400).for_each(|_| timeout.on_sample(Span::from_millis(400), 30, Time::ZERO));
        assert_eq!(timeout.timeout(), Span::from_millis(400));
    }

    #[test]
    fn a_loss_event_doubles_it_once() {
        let mut timeout = sampled(&[100]);
        timeout.on_timeout(&timed_out(true));
        (0..9).for_each(|_| timeout.on_timeout(&timed_out(false)));
        assert_eq!(timeout.timeout(), Span::from_millis(600));
        (0..9).for_each(|_| timeout.on_timeout(&timed_out(true)));
        assert_eq!(timeout.timeout(), Span::from_millis(60_000));
    }

    #[test]
    fn a_sample_ends_the_back_off() {
        let mut timeout = sampled(&[100]);
        timeout.on_timeout(&timed_out(true));
        timeout.on_sample(Span::from_millis(100), 1, Time::ZERO);
        assert_eq!(timeout.timeout(), Span::from_millis(250));
    }
}
