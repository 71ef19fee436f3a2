//! A leaky bucket used as a meter: it says whether an Interest fits, and holds none back.

use std::fmt;
use weir_core::{Span, Time};

weir_core::words! {
    /// How a bucket leaks.
    pub enum Leak {
        /// All the time.
        Continuous = "continuous",
        /// Drop by drop, as a timer would do it.
        Ticks = "ticks",
    }
}

/// What leaks at a tick (ndnSIM 1.0, `LimitsRate`).
const DROP: f64 = 1.001;

/// Ticks begin at a random moment within this.
pub const PHASE: Span = Span::from_millis(1);

/// Sums of steps that should meet a whole number may miss it by this much.
const DUST: f64 = 1e-9;

/// Level, rate and depth in Interests.
#[derive(Clone, Debug)]
pub struct LeakyBucket {
    leak: Leak,
    rate: f64,
    depth: f64,
    level: f64,
    /// Up to when the level is right; for ticks: the next tick.
    at: Time,
}

impl LeakyBucket {
    /// An empty bucket; ticks begin at `phase`.
    pub fn new(leak: Leak, rate: f64, round_trip: Span, phase: Span) -> LeakyBucket {
        let mut bucket = LeakyBucket { leak, rate: 0.0, depth: 0.0, level: 0.0, at: Time::ZERO + phase };
        bucket.resize(rate, round_trip);
        bucket
    }

    /// Leaks at `rate` from now on and holds what leaks in `round_trip`, but at least one Interest: else none would
    /// ever pass.
    #[inline]
    pub fn resize(&mut self, rate: f64, round_trip: Span) {
        self.rate = rate;
        self.depth = (rate * round_trip.seconds()).max(1.0);
    }

    /// True if another Interest fits.
    #[inline]
    pub fn has_room(&mut self, now: Time) -> bool {
        self.run(now);
        self.depth - self.level >= 1.0 - DUST
    }

    /// Takes an Interest.
    #[inline]
    pub fn take(&mut self) {
        self.level += 1.0;
    }

    fn run(&mut self, now: Time) {
        match self.leak {
            Leak::Continuous => {
                self.level = (self.level - self.rate * now.since(self.at).seconds()).max(0.0);
                self.at = self.at.max(now);
            }
            Leak::Ticks if now >= self.at => {
                let interval = Span::from_seconds(DROP / self.rate).max(Span(1));
                let ticks = now.since(self.at).0 / interval.0 + 1;
                self.level = (self.level - DROP * ticks as f64).max(0.0);
                self.at += interval * ticks;
            }
            Leak::Ticks => {}
        }
    }
}

impl fmt::Display for LeakyBucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} of {:.1} Interests at {:.1}/s", self.level, self.depth, self.rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time(ms * 1_000_000)
    }

    /// Milliseconds of those Interests, one each millisecond, that do not fit.
    fn refused(mut bucket: LeakyBucket, until: u64) -> Vec<u64> {
        let refused = |n: &u64| {
            let fits = bucket.has_room(ms(*n));
            if fits {
                bucket.take();
            }
            !fits
        };
        (0..until).filter(refused).collect()
    }

    #[test]
    fn twice_the_rate_fills_a_bucket_of_60_ms_in_60_ms_and_then_every_second_one_is_refused() {
        let bucket = LeakyBucket::new(Leak::Continuous, 500.0, Span::from_millis(60), Span::ZERO);
        assert_eq!(refused(bucket, 70), [59, 61, 63, 65, 67, 69]);
    }

    #[test]
    fn a_loop_of_20_ms_sees_eleven_refusals() {
        let bucket = LeakyBucket::new(Leak::Continuous, 500.0, Span::from_millis(60), Span::ZERO);
        let refused = refused(bucket, 100);
        let first = refused[0];
        assert_eq!(refused.iter().filter(|at| **at <= first + 20).count(), 11);
    }

    #[test]
    fn ticks_let_as_much_through() {
        for phase in [0, 200, 900] {
            let bucket = LeakyBucket::new(Leak::Ticks, 500.0, Span::from_millis(60), Span::from_micros(phase));
            let refused = refused(bucket, 10_000);
            assert!((58..=61).contains(&refused[0]), "{}", refused[0]);
            // 500 a second, and what the bucket holds.
            let passed = 10_000 - refused.len();
            assert!((5000..=5035).contains(&passed), "{passed}");
        }
    }

    #[test]
    fn a_tick_takes_its_drop_and_no_less() {
        let mut bucket = LeakyBucket::new(Leak::Ticks, 1001.0, Span::from_millis(4), Span::from_micros(500));
        (0..3).for_each(|_| bucket.take());
        assert!(bucket.has_room(Time::ZERO));
        bucket.take();
        assert!(!bucket.has_room(Time(499_999)));
        assert!(bucket.has_room(Time(500_000)), "one tick at the phase, then one each millisecond");
        bucket.take();
        assert!(!bucket.has_room(Time(1_499_999)));
        assert!(bucket.has_room(Time(1_500_000)));
    }

    #[test]
    fn the_depth_follows_the_rate_but_holds_one() {
        let mut bucket = LeakyBucket::new(Leak::Continuous, 1000.0, Span::from_millis(60), Span::ZERO);
        (0..40).for_each(|_| bucket.take());
        assert!(bucket.has_room(Time::ZERO));
        bucket.resize(500.0, Span::from_millis(60));
        assert!(!bucket.has_room(Time::ZERO), "30 fit, 40 are in");
        assert!(bucket.has_room(ms(22)), "29 are left after 22 ms");
        bucket.resize(1.0, Span::from_millis(60));
        assert!(bucket.has_room(ms(30_000)), "an empty bucket takes one, however slow");
        bucket.take();
        assert!(!bucket.has_room(ms(30_500)));
    }
}
