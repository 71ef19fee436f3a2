//! When may the next frame leave a face whose rate the operator knows?

use weir_core::{Rate, Span, Time};

/// How far a face may lag behind its rate and still make up for it. Timers come late by some ten microseconds; without
/// this the rate would fall short by as much at every packet.
const LAG: Span = Span::from_millis(1);
/// The same while packets wait: then it is not the face that was idle but this process that was not woken, and on a host with
/// other work that takes some milliseconds, in which several packets would have left.
const LATE: Span = Span::from_millis(20);

/// The wire of a face: it is busy while a frame crosses it. Without a rate it is always free, and the kernel says when
/// there is room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    rate: Option<Rate>,
    free_at: Time,
    /// Packets have been waiting since the wire was last free.
    behind: bool,
}

impl Pace {
    pub fn new(rate: Option<Rate>) -> Pace {
        Pace { rate, free_at: Time::ZERO, behind: false }
    }

    /// The same with another rate, once what is on the wire has left it.
    pub fn with(self, rate: Option<Rate>) -> Pace {
        Pace { rate, ..self }
    }

    #[inline]
    pub fn is_free(&self, now: Time) -> bool {
        self.free_at <= now
    }

    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// Something waits until the wire is free.
    #[inline]
    pub fn wait(&mut self) {
        self.behind = true;
    }

    /// Nothing waits any more.
    #[inline]
    pub fn rest(&mut self) {
        self.behind = false;
    }

    /// A frame of `bytes` leaves at `now`.
    #[inline]
    pub fn charge(&mut self, now: Time, bytes: usize) {
        if let Some(rate) = self.rate {
            let lag = if self.behind { LATE } else { LAG };
            let earliest = Time(now.0.saturating_sub(lag.0));
            self.free_at = self.free_at.max(earliest) + rate.transmission(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_kept_though_timers_are_late() {
        let mut pace = Pace::new(Some(Rate(8_000_000)));
        let mut now = Time(1_000_000_000);
        let begin = now;
        let mut bytes = 0;
        while now < begin + Span::from_millis(1000) {
            while pace.is_free(now) {
                pace.charge(now, 1000);
                bytes += 1000;
            }
            now = pace.free_at() + Span::from_micros(70);
        }
        assert!((999_000..=1_003_000).contains(&bytes), "{bytes} bytes in a second");
    }

    #[test]
    fn a_process_that_was_woken_late_makes_up_for_it_if_packets_waited() {
        let sent_in_a_second = |waits: bool| {
            let mut pace = Pace::new(Some(Rate(8_000_000)));
            let mut now = Time(1_000_000_000);
            let mut bytes = 0;
            while now < Time(2_000_000_000) {
                while pace.is_free(now) {
                    pace.charge(now, 1000);
                    bytes += 1000;
                }
                if waits {
                    pace.wait();
                }
                now = pace.free_at() + Span::from_millis(7);
            }
            bytes
        };
        assert!((992_000..=1_010_000).contains(&sent_in_a_second(true)), "{}", sent_in_a_second(true));
        assert!(sent_in_a_second(false) < 500_000, "{}", sent_in_a_second(false));
        let mut pace = Pace::new(Some(Rate(8_000_000)));
        pace.charge(Time(1_000_000_000), 1000);
        pace.wait();
        pace.rest();
        let burst =
            std::iter::from_fn(|| pace.is_free(Time(5_000_000_000)).then(|| pace.charge(Time(5_000_000_000), 1000)));
        assert!(burst.count() <= 2, "nothing waited");
    }

    #[test]
    fn another_rate_counts_from_the_next_frame_on() {
        let now = Time(5_000_000_000);
        let mut pace = Pace::new(Some(Rate(8_000_000)));
        // A millisecond each; the first two make up for the pause.
        (0..3).for_each(|_| pace.charge(now, 1000));
        let mut faster = pace.with(Some(Rate(16_000_000)));
        assert_eq!(faster.free_at(), pace.free_at());
        faster.charge(pace.free_at(), 1000);
        assert_eq!(faster.free_at().since(pace.free_at()), Span::from_micros(500));
    }

    #[test]
    fn what_was_not_used_is_lost() {
        let mut pace = Pace::new(Some(Rate(8_000_000)));
        let now = Time(5_000_000_000);
        let burst = std::iter::from_fn(|| pace.is_free(now).then(|| pace.charge(now, 1000))).count();
        assert!(burst <= 2, "a burst of {burst} ms after a pause");
        let mut free = Pace::new(None);
        free.charge(now, 1_000_000);
        assert!(free.is_free(now));
    }
}
