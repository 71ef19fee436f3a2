//! A timeout slightly above the longest round trip of late (Abu, Bensaou and Abdelmoniem).

use super::estimate::Bounds;
use weir_core::{Entry, Span, Time, Timeout, TimeoutSignal};

weir_core::parameters! {
    /// Parameters of the timeout by the longest round trip.
    pub struct MaxRttParameters {
        /// Timeout before the first sample.
        initial: Span = Span::from_millis(1000), Some((1e-6, 1e6)), "choice (the paper refers to another one)";
        /// The longest round trip is multiplied by this.
        factor: f64 = 1.1, Some((1.0, 100.0)), "choice (\"slightly larger\": Abu et al.)";
        /// Length of an epoch; the longest round trip of this one and the last counts.
        epoch: Span = Span::from_millis(1000), Some((1e-6, 1e6)), "choice (the paper refers to another one)";
        /// An epoch has at least so many samples.
        samples: u64 = 64, Some((1.0, 1e6)), "choice (the paper refers to another one)";
        /// A loss event multiplies the timeout by this until the next sample.
        backoff: f64 = 2.0, Some((1.0, 100.0)), "choice (RFC 6298, section 5.5)";
        /// Least timeout.
        min: Span = Span::from_millis(200), Some((1e-6, 1e6)), "choice";
        /// Greatest timeout.
        max: Span = Span::from_millis(60_000), Some((1e-6, 1e6)), "RFC 6298, section 2.4";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn Timeout>> = weir_core::entry!(
    "max-rtt",
    "Slightly above the longest round trip of the last two epochs",
    MaxRttParameters,
    |parameters, _site| Box::new(MaxRtt::new(parameters)),
    "../../../../docs/schemes/timeout-max-rtt.md"
);

struct MaxRtt {
    parameters: MaxRttParameters,
    /// Longest round trips of the last epoch and of this one.
    longest: [Span; 2],
    began: Time,
    samples: u64,
    backed_off: f64,
}

impl MaxRtt {
    fn new(parameters: MaxRttParameters) -> MaxRtt {
        MaxRtt { parameters, longest: [Span::ZERO; 2], began: Time::ZERO, samples: 0, backed_off: 1.0 }
    }
}

impl Timeout for MaxRtt {
    fn on_sample(&mut self, rtt: Span, _in_flight: usize, now: Time) {
        if self.samples >= self.parameters.samples && now.since(self.began) >= self.parameters.epoch {
            self.longest = [self.longest[1], Span::ZERO];
            self.began = now;
            self.samples = 0;
        }
        self.samples += 1;
        self.longest[1] = self.longest[1].max(rtt);
        self.backed_off = 1.0;
    }

    fn on_timeout(&mut self, signal: &TimeoutSignal) {
        if signal.first_of_event {
            // Past the greatest timeout a larger factor changes nothing.
            self.backed_off = (self.backed_off * self.parameters.backoff).min(1e9);
        }
    }

    fn timeout(&self) -> Span {
        let p = &self.parameters;
        let longest = self.longest[0].max(self.longest[1]);
        let calm = if longest == Span::ZERO { p.initial } else { longest.scaled(p.factor).max(p.min) };
        Bounds { min: p.min, max: p.max }.hold(calm.scaled(self.backed_off))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    fn sample(timeout: &mut MaxRtt, rtt_ms: u64, now_ms: u64) -> f64 {
        timeout.on_sample(Span::from_millis(rtt_ms), 1, at(now_ms));
        timeout.timeout().millis()
    }

    fn quick() -> MaxRtt {
        MaxRtt::new(MaxRttParameters { samples: 2, ..Default::default() })
    }

    #[test]
    fn it_follows_the_longest_round_trip() {
        let mut timeout = quick();
        assert_eq!(timeout.timeout().millis(), 1000.0);
        assert_eq!(sample(&mut timeout, 300, 0), 330.0);
        assert_eq!(sample(&mut timeout, 500, 10), 550.0);
        assert_eq!(sample(&mut timeout, 200, 20), 550.0);
    }

    #[test]
    fn two_epochs_later_a_long_round_trip_is_forgotten() {
        let mut timeout = quick();
        sample(&mut timeout, 500, 0);
        sample(&mut timeout, 300, 10);
        assert_eq!(sample(&mut timeout, 300, 1000), 550.0);
        assert_eq!(sample(&mut timeout, 300, 1500), 550.0);
        assert_eq!(sample(&mut timeout, 300, 2000), 330.0);
    }

    #[test]
    fn an_epoch_waits_for_its_samples() {
        let mut timeout = MaxRtt::new(MaxRttParameters::default());
        sample(&mut timeout, 500, 0);
        assert_eq!(sample(&mut timeout, 300, 60_000), 550.0);
    }

    #[test]
    fn it_backs_off_once_in_a_loss_event_until_a_sample_comes() {
        let mut timeout = quick();
        sample(&mut timeout, 300, 0);
        for first_of_event in [true, false, true] {
            timeout.on_timeout(&TimeoutSignal { now: at(400), first_of_event });
        }
        assert_eq!(timeout.timeout().millis(), 1320.0);
        (0..100).for_each(|_| timeout.on_timeout(&TimeoutSignal { now: at(500), first_of_event: true }));
        assert_eq!(timeout.timeout().millis(), 60_000.0);
        assert_eq!(sample(&mut timeout, 300, 700), 330.0);
    }

    #[test]
    fn short_round_trips_leave_the_least_timeout() {
        assert_eq!(sample(&mut quick(), 20, 0), 200.0);
    }
}
