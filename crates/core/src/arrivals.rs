//! When requests come.

use crate::{Bytes, Chance, Span, Time};
use std::sync::Arc;
use weir_wire::Name;

/// A process by which requests arrive at a consumer. Rates are in requests per second.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// One after each `1 / rate`, the first at the start.
    Constant {
        /// Requests per second.
        rate: f64,
    },
    /// A Poisson process: independent, exponentially distributed gaps, also before the first.
    Poisson {
        /// Requests per second, on average.
        rate: f64,
    },
    /// A source that is silent in turn: it begins with a period of requests.
    OnOff {
        /// Requests per second while it is on.
        rate: f64,
        /// Gaps within an on period are exponential (else equal).
        poisson: bool,
        /// Length of on periods.
        on: Period,
        /// Length of off periods.
        off: Period,
    },
    /// Listed one by one, in the order of their times.
    Trace(Arc<[TraceRequest]>),
}

/// A request of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceRequest {
    /// When, since the start.
    pub time: Span,
    /// For what.
    pub name: Name,
    /// How large it is; `None`: one Data.
    pub size: Option<Bytes>,
}

/// The length of a period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Period {
    /// Always the same.
    Fixed(Span),
    /// Exponentially distributed with this mean.
    Exponential(Span),
}

impl Period {
    fn draw(self, chance: &mut Chance) -> Span {
        match self {
            Period::Fixed(span) => span,
            Period::Exponential(mean) => Span::from_seconds(chance.exponential(mean.seconds())),
        }
    }
}

/// The times of one consumer's requests.
#[derive(Clone, Debug)]
pub struct ArrivalTimes {
    arrivals: Arrivals,
    chance: Chance,
    start: Time,
    /// Requests so far.
    count: u64,
    /// The end of the on period.
    on_until: Time,
    next: Time,
    /// When it began for the first time: a trace is not moved by a pause.
    origin: Time,
}

impl ArrivalTimes {
    /// Arrivals from `start` on.
    pub fn new(arrivals: Arrivals, start: Time, chance: Chance) -> ArrivalTimes {
        let mut times =
            ArrivalTimes { arrivals, chance, start, count: 0, on_until: Time::NEVER, next: start, origin: start };
        times.begin(start);
        times
    }

    /// Begins anew at `start`, as after a pause.
    pub fn begin(&mut self, start: Time) {
        if let Arrivals::Trace(list) = &self.arrivals {
            // Those of a pause are left out.
            self.origin = self.origin.min(start);
            self.count = list.partition_point(|request| self.origin + request.time < start) as u64;
            self.next = self.listed_time();
            return;
        }
        (self.start, self.count, self.next) = (start, 0, start);
        match self.arrivals {
            Arrivals::Constant { .. } | Arrivals::Trace(_) => {}
            Arrivals::Poisson { rate } => self.next = start + self.gap(rate, true),
            Arrivals::OnOff { rate, poisson, on, .. } => {
                self.on_until = start + on.draw(&mut self.chance);
                if poisson {
                    self.next = start + self.gap(rate, true);
                }
                self.skip_silence();
            }
        }
    }

    /// When the next request comes.
    #[inline]
    pub fn next(&self) -> Time {
        self.next
    }

    /// The request of [`ArrivalTimes::next`] has come.
    #[inline]
    pub fn advance(&mut self) {
        self.count += 1;
        match self.arrivals {
            // From the start, so that rounding does not add up.
            Arrivals::Constant { rate } => self.next = self.start + Span::from_seconds(self.count as f64 / rate),
            Arrivals::Poisson { rate } => {
                let gap = self.gap(rate, true);
                self.next += gap;
            }
            Arrivals::OnOff { rate, poisson, .. } => {
                let gap = self.gap(rate, poisson);
                self.next += gap;
                self.skip_silence();
            }
            Arrivals::Trace(_) => self.next = self.listed_time(),
        }
    }

    /// The number of the next request: of a trace its place in the list.
    pub fn number(&self) -> u64 {
        self.count
    }

    /// The list of a trace.
    pub fn trace(&self) -> Option<&[TraceRequest]> {
        if let Arrivals::Trace(list) = &self.arrivals { Some(list) } else { None }
    }

    fn listed_time(&self) -> Time {
        let next = self.trace().and_then(|list| list.get(self.count as usize));
        next.map_or(Time::NEVER, |request| self.origin + request.time)
    }

    #[inline]
    fn gap(&mut self, rate: f64, poisson: bool) -> Span {
        let mean = 1.0 / rate;
        // Two requests never come at one instant of one consumer: a nanosecond at least lies between.
        Span::from_seconds(if poisson { self.chance.exponential(mean) } else { mean }).max(Span(1))
    }

    /// Moves a request that would fall into silence to the first on period that has one.
    fn skip_silence(&mut self) {
        let Arrivals::OnOff { rate, poisson, on, off } = self.arrivals else { return };
        while self.next >= self.on_until && self.next < Time::NEVER {
            let begin = self.on_until + off.draw(&mut self.chance);
            // A nanosecond at least, so that periods drawn as zero come to an end.
            self.on_until = begin + on.draw(&mut self.chance).max(Span(1));
            self.next = if poisson { begin + self.gap(rate, true) } else { begin };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    fn times(arrivals: Arrivals, n: usize) -> Vec<f64> {
        let mut times = ArrivalTimes::new(arrivals, Time(2_000_000_000), Seed(5).stream());
        let mut next = || {
            let at = times.next();
            times.advance();
            at.seconds() - 2.0
        };
        (0..n).map(|_| next()).collect()
    }

    #[test]
    fn constant_arrivals_do_not_drift() {
        let at = times(Arrivals::Constant { rate: 3.0 }, 30_001);
        assert_eq!((at[0], at[30_000]), (0.0, 10_000.0));
        assert!((at[1] - 1.0 / 3.0).abs() < 2e-9);
    }

    #[test]
    fn poisson_counts_have_the_mean_and_the_variance_of_their_rate() {
        let at = times(Arrivals::Poisson { rate: 50.0 }, 100_000);
        let seconds = at[at.len() - 1].floor() as usize;
        let mut counts = vec![0.0f64; seconds];
        at.iter().filter(|t| **t < seconds as f64).for_each(|t| counts[*t as usize] += 1.0);
        let n = seconds as f64;
        let mean = counts.iter().sum::<f64>() / n;
        let variance = counts.iter().map(|c| (c - mean) * (c - mean)).sum::<f64>() / (n - 1.0);
        // Of 2000 counts the mean is within 3 standard errors, 0.5; the variance within 3 of its own, 4.8.
        assert!((mean - 50.0).abs() < 0.5, "{mean}");
        assert!((variance - 50.0).abs() < 4.8, "{variance}");
        // The gaps are exponential: a share 1/e of them is longer than the mean.
        let long = at.windows(2).filter(|w| w[1] - w[0] > 0.02).count() as f64 / (at.len() - 1) as f64;
        assert!((long - libm::exp(-1.0)).abs() < 0.005, "{long}");
    }

    #[test]
    fn fixed_periods_alternate_to_the_nanosecond() {
        let (on, off) = (Period::Fixed(Span::from_millis(100)), Period::Fixed(Span::from_millis(900)));
        let at = times(Arrivals::OnOff { rate: 40.0, poisson: false, on, off }, 9);
        let expected = [0.0, 0.025, 0.05, 0.075, 1.0, 1.025, 1.05, 1.075, 2.0];
        assert!(at.iter().zip(expected).all(|(a, e)| (a - e).abs() < 1e-9), "{at:?}");
    }

    #[test]
    fn exponential_periods_give_the_share_of_time_that_they_should() {
        let (on, off) = (Period::Exponential(Span::from_millis(200)), Period::Exponential(Span::from_millis(600)));
        let at = times(Arrivals::OnOff { rate: 100.0, poisson: true, on, off }, 100_000);
        let rate = at.len() as f64 / at[at.len() - 1];
        // On for a quarter of the time; about 5000 periods: 3 standard errors are 6 %.
        assert!((rate / 25.0 - 1.0).abs() < 0.06, "{rate}");
        assert!(at.windows(2).all(|w| w[0] < w[1]));
    }

    #[test]
    fn a_source_that_is_never_on_for_long_comes_to_an_end_of_its_search() {
        let (on, off) = (Period::Fixed(Span(1)), Period::Fixed(Span::from_millis(1)));
        let at = times(Arrivals::OnOff { rate: 1e9, poisson: false, on, off }, 3);
        assert!(at[2] > at[1], "{at:?}");
    }
}
