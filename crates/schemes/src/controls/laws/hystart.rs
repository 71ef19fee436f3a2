//! An end of slow start that round trips announce, before anything is lost: HyStart++ (RFC 9406).

use super::WindowLaw;
use weir_core::{DataSignal, Span, Time};

/// Round trips of a round that are looked at before it is believed (RFC 9406, section 4.3: N_RTT_SAMPLE).
const SAMPLES: u32 = 8;
/// Bounds of the rise that counts (MIN_RTT_THRESH, MAX_RTT_THRESH), and the part of the round trip that lies between
/// them (MIN_RTT_DIVISOR).
const LEAST_RISE: Span = Span::from_millis(4);
const GREATEST_RISE: Span = Span::from_millis(16);
const RISE_PART: f64 = 1.0 / 8.0;
/// In Conservative Slow Start one Data in so many lets the window grow (CSS_GROWTH_DIVISOR).
const SLOWER: u32 = 4;

/// A law whose slow start ends when the least round trip of a round has risen, and has not come down again in some rounds
/// of slower growth.
#[derive(Debug)]
pub struct HyStart<L> {
    law: L,
    /// Rounds of Conservative Slow Start (CSS_ROUNDS).
    rounds: u64,
    round: Round,
    /// The least round trip of the round before.
    last: Option<Span>,
    conservative: Option<Conservative>,
}

/// Data whose Interests were sent since `since`, until one answers an Interest of the next round.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    since: Time,
    least: Option<Span>,
    samples: u32,
}

/// Conservative Slow Start.
#[derive(Clone, Copy, Debug)]
struct Conservative {
    /// The round trip that announced the queue: below it there was none.
    baseline: Span,
    rounds: u64,
    data: u32,
}

impl<L: WindowLaw> HyStart<L> {
    /// Watches over the slow start of `law`, with so many `rounds` of Conservative Slow Start; 0: it ends at once.
    pub fn new(law: L, rounds: u64) -> HyStart<L> {
        HyStart { law, rounds, round: Round::default(), last: None, conservative: None }
    }

    fn observe(&mut self, signal: &DataSignal) {
        if signal.sent_at >= self.round.since {
            self.last = self.round.least.or(self.last);
            self.round = Round { since: signal.now, least: None, samples: 0 };
            if let Some(slower) = &mut self.conservative {
                slower.rounds += 1;
            }
        }
        // Karn: which Interest a Data answers is known if there was one.
        if signal.retransmitted {
            return;
        }
        self.round.samples += 1;
        self.round.least = Some(self.round.least.map_or(signal.rtt, |least| least.min(signal.rtt)));
        if self.round.samples >= SAMPLES {
            self.judge();
        }
    }

    fn judge(&mut self) {
        let Some(least) = self.round.least else { return };
        match self.conservative {
            // The rise was none.
            Some(slower) if least < slower.baseline => self.conservative = None,
            Some(slower) if slower.rounds >= self.rounds => {
                self.conservative = None;
                self.law.leave_slow_start();
            }
            Some(_) => {}
            None => {
                let risen = self.last.is_some_and(|last| {
                    let rise = last.scaled(RISE_PART).max(LEAST_RISE).min(GREATEST_RISE);
                    least >= last + rise
                });
                match risen {
                    true if self.rounds == 0 => self.law.leave_slow_start(),
                    true => self.conservative = Some(Conservative { baseline: least, rounds: 0, data: 0 }),
                    false => {}
                }
            }
        }
    }
}

impl<L: WindowLaw> WindowLaw for HyStart<L> {
    fn increase(&mut self, signal: &DataSignal) {
        if !self.law.in_slow_start() {
            return self.law.increase(signal);
        }
        self.observe(signal);
        if let Some(slower) = &mut self.conservative {
            slower.data += 1;
            if !slower.data.is_multiple_of(SLOWER) {
                return;
            }
        }
        self.law.increase(signal);
    }

    fn decrease(&mut self, now: Time) {
        self.conservative = None;
        self.law.decrease(now);
    }

    fn window(&self) -> f64 {
        self.law.window()
    }

    fn in_slow_start(&self) -> bool {
        self.law.in_slow_start()
    }

    fn leave_slow_start(&mut self) {
        self.law.leave_slow_start();
    }

    fn begin_at(&mut self, window: f64) {
        self.law.begin_at(window);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controls::laws::{Cubic, CubicRule, Reno, RenoRule};
    use crate::controls::testing::data;

    const CUBIC: CubicRule = CubicRule { c: 0.4, beta: 0.8, tcp_friendly: false, fast_convergence: false, floor: 1.0 };

    fn cubic() -> HyStart<Cubic> {
        HyStart::new(Cubic::new(1.0, f64::INFINITY, CUBIC), 5)
    }

    /// Fetches window by window over a path that holds one Data for each of its `base_ms` milliseconds; what is more than
    /// that waits in a queue. Tells the window after each of `rounds` round trips.
    fn fetch(law: &mut dyn WindowLaw, base_ms: u64, rounds: usize) -> Vec<f64> {
        let mut sent_ms = 1000;
        let mut round = || {
            let count = law.window() as u64;
            let rtt = Span::from_millis(base_ms.max(count));
            let sent_at = Time(sent_ms * 1_000_000);
            (0..count).for_each(|_| law.increase(&DataSignal { now: sent_at + rtt, sent_at, rtt, ..data(0) }));
            sent_ms += base_ms.max(count);
            law.window()
        };
        (0..rounds).map(|_| round()).collect()
    }

    #[test]
    fn slow_start_ends_before_the_queue_is_long() {
        let mut law = cubic();
        let windows = fetch(&mut law, 40, 20);
        assert_eq!(windows[..5], [2.0, 4.0, 8.0, 16.0, 32.0], "as without it, while there is no queue");
        assert!(!law.in_slow_start());
        // The round of 64 Data shows the queue; five rounds follow that add a quarter each at most.
        assert!(law.window() > 64.0 && law.window() < 64.0 * 1.25f64.powi(7), "{windows:?}");
        let mut without = Reno::new(1.0, f64::INFINITY, RenoRule::plain(0.5, 1.0));
        assert!(fetch(&mut without, 40, 12)[11] > 4000.0);
    }

    #[test]
    fn without_slower_rounds_it_ends_at_the_first_rise() {
        let mut law = HyStart::new(Cubic::new(1.0, f64::INFINITY, CUBIC), 0);
        let windows = fetch(&mut law, 40, 20);
        assert_eq!(windows[..5], [2.0, 4.0, 8.0, 16.0, 32.0]);
        assert!(!law.in_slow_start() && law.window() < 75.0, "{windows:?}");
    }

    #[test]
    fn a_rise_that_passes_is_no_queue() {
        let mut law = cubic();
        let round = |law: &mut HyStart<Cubic>, begin_ms: u64, rtt_ms: u64| {
            for _ in 0..16 {
                let (sent_at, rtt) = (Time(begin_ms * 1_000_000), Span::from_millis(rtt_ms));
                law.increase(&DataSignal { now: sent_at + rtt, sent_at, rtt, ..data(0) });
            }
        };
        for (begin, rtt, grown) in [(100, 40, 16.0), (200, 60, 9.0), (300, 40, 11.0), (400, 40, 16.0)] {
            let before = law.window();
            round(&mut law, begin, rtt);
            assert_eq!(law.window() - before, grown, "at {begin} ms");
        }
        assert!(law.in_slow_start() && law.conservative.is_none());
    }

    #[test]
    fn round_trips_of_repeated_interests_tell_nothing() {
        let mut law = cubic();
        for begin in 1..30 {
            for _ in 0..10 {
                let (sent_at, rtt) = (Time(begin * 100_000_000), Span::from_millis(3 * begin));
                law.increase(&DataSignal { now: sent_at + rtt, sent_at, rtt, retransmitted: true, ..data(0) });
            }
        }
        assert_eq!(law.window(), 291.0);
    }

    #[test]
    fn a_cut_ends_it() {
        let mut law = cubic();
        fetch(&mut law, 40, 7);
        assert!(law.conservative.is_some());
        law.decrease(Time(0));
        assert!(!law.in_slow_start() && law.conservative.is_none());
    }
}
