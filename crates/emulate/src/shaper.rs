//! What a link direction does to the datagrams that enter it: a queue, a rate, a delay, and what the scenario says of loss,
//! jitter, reordering and copies. No clock and no sockets: [`crate::tunnel`] has those.

use std::collections::VecDeque;
use weir_core::{Backlog, Chance, Limit, Rate, Seed, Span, Time};
use weir_scenario::plan::{Direction, Impairment};
use weir_sim::{Conditions, Lateness};

/// One direction of a link at work.
#[derive(Debug)]
pub struct Shaper {
    rate: Rate,
    delay: Span,
    loss: f64,
    limit: Limit,
    chance: Chance,
    conditions: Option<Conditions>,
    /// When the last datagram taken will have been sent.
    free_at: Time,
    /// When each datagram that waits begins to be sent, and its bytes.
    waiting: VecDeque<(Time, usize)>,
    /// Bytes of those.
    bytes: usize,
    /// The latest arrival among the datagrams that keep their order.
    ordered: Time,
    /// Nothing arrives.
    down: bool,
}

/// What becomes of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The queue was full.
    Overflowed,
    /// It was sent, and lost on the way.
    Lost,
    /// It arrives at this time, and a copy of it perhaps at another.
    Arrives(Time, Option<Time>),
}

impl Shaper {
    /// A link direction as the scenario has it. `limit` is the queue in front of it. `seed` is that of the direction.
    pub fn new(direction: &Direction, limit: Limit, impairment: Option<Impairment>, seed: Seed) -> Shaper {
        Shaper {
            rate: direction.rate,
            delay: direction.delay,
            loss: direction.loss,
            limit,
            chance: seed.of("loss").stream(),
            conditions: impairment.map(|impairment| Conditions::new(impairment, seed)),
            free_at: Time::ZERO,
            waiting: VecDeque::new(),
            bytes: 0,
            ordered: Time::ZERO,
            down: false,
        }
    }

    /// Has other properties from now on; `None`: as before. Nothing overtakes what is on its way.
    pub fn change(&mut self, rate: Option<Rate>, delay: Option<Span>, loss: Option<f64>) {
        self.rate = rate.unwrap_or(self.rate);
        self.delay = delay.unwrap_or(self.delay);
        self.loss = loss.unwrap_or(self.loss);
    }

    /// Loses everything from now on, or carries it again.
    pub fn set_down(&mut self, down: bool) {
        self.down = down;
    }

    /// Takes a datagram of so many bytes. `now` never goes back.
    pub fn take(&mut self, now: Time, bytes: usize) -> Fate {
        while let Some((_, bytes)) = self.waiting.front().copied().filter(|(start, _)| *start <= now) {
            self.bytes -= bytes;
            self.waiting.pop_front();
        }
        let start = self.free_at.max(now);
        if start > now {
            if !self.has_room(bytes) {
                return Fate::Overflowed;
            }
            self.waiting.push_back((start, bytes));
            self.bytes += bytes;
        }
        self.free_at = start + self.rate.transmission(bytes);
        if self.chance.happens(self.loss) || self.down {
            return Fate::Lost;
        }
        let arrival = self.free_at + self.delay;
        let Some(conditions) = &mut self.conditions else {
            self.ordered = arrival.max(self.ordered);
            return Fate::Arrives(self.ordered, None);
        };
        if conditions.loses() {
            return Fate::Lost;
        }
        let own = conditions.lateness(self.delay);
        let copy = conditions.duplicates().then(|| conditions.lateness(self.delay));
        let own = self.arrival(arrival, own);
        Fate::Arrives(own, copy.map(|late| self.arrival(arrival, late)))
    }

    /// Datagrams that wait to be sent.
    pub fn backlog(&self) -> Backlog {
        Backlog { packets: self.waiting.len(), frames: self.waiting.len(), bytes: self.bytes }
    }

    fn has_room(&self, bytes: usize) -> bool {
        match self.limit {
            // A datagram is a frame.
            Limit::Packets(most) | Limit::Frames { most, .. } => self.waiting.len() < most,
            Limit::Bytes(most) => (self.bytes + bytes) as u64 <= most.0,
        }
    }

    fn arrival(&mut self, ordinary: Time, (late, in_order): (Lateness, bool)) -> Time {
        let arrival = Time(ordinary.0.saturating_add_signed(late.0));
        if !in_order {
            return arrival;
        }
        self.ordered = arrival.max(self.ordered);
        self.ordered
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::Bytes;
    use weir_scenario::plan::Jitter;

    const BYTES: usize = 1250;

    /// 10 Mbit/s, 20 ms: a datagram of 1250 bytes takes a millisecond.
    fn shaper(limit: Limit, loss: f64, impairment: Option<Impairment>) -> Shaper {
        let direction = Direction { rate: Rate(10_000_000), delay: Span::from_millis(20), loss, limit };
        Shaper::new(&direction, limit, impairment, Seed(3))
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    #[test]
    fn datagrams_leave_at_the_rate_and_arrive_after_the_delay() {
        let mut shaper = shaper(Limit::Packets(10), 0.0, None);
        let fates: Vec<Fate> = (0..3).map(|_| shaper.take(ms(5), BYTES)).collect();
        assert_eq!(fates, [26, 27, 28].map(|at| Fate::Arrives(ms(at), None)));
        assert_eq!(shaper.backlog().packets, 2);
        // Idle again.
        assert_eq!(shaper.take(ms(100), BYTES), Fate::Arrives(ms(121), None));
        assert_eq!(shaper.backlog().packets, 0);
    }

    #[test]
    fn a_full_queue_overflows_behind_the_one_that_is_being_sent() {
        let mut by_packets = shaper(Limit::Packets(3), 0.0, None);
        let fates: Vec<bool> = (0..6).map(|_| by_packets.take(ms(0), BYTES) == Fate::Overflowed).collect();
        assert_eq!(fates, [false, false, false, false, true, true]);
        // One has left the queue since.
        assert_ne!(by_packets.take(ms(1), BYTES), Fate::Overflowed);
        let mut by_bytes = shaper(Limit::Bytes(Bytes(2 * BYTES as u64 + 10)), 0.0, None);
        let fates: Vec<bool> = (0..4).map(|_| by_bytes.take(ms(0), BYTES) == Fate::Overflowed).collect();
        assert_eq!(fates, [false, false, false, true]);
        assert_ne!(by_bytes.take(ms(0), 10), Fate::Overflowed);
    }

    #[test]
    fn a_link_changes_and_fails() {
        let mut shaper = shaper(Limit::Packets(10), 0.0, None);
        assert_eq!(shaper.take(ms(0), BYTES), Fate::Arrives(ms(21), None));
        shaper.change(Some(Rate(5_000_000)), Some(Span::from_millis(5)), None);
        assert_eq!(shaper.take(ms(10), BYTES), Fate::Arrives(ms(21), None), "it does not overtake");
        assert_eq!(shaper.take(ms(30), BYTES), Fate::Arrives(ms(37), None));
        shaper.set_down(true);
        assert_eq!(shaper.take(ms(40), BYTES), Fate::Lost);
        shaper.set_down(false);
        assert_eq!(shaper.take(ms(50), BYTES), Fate::Arrives(ms(57), None));
        shaper.change(None, None, Some(1.0));
        assert_eq!(shaper.take(ms(60), BYTES), Fate::Lost);
    }

    #[test]
    fn losses_have_their_share_and_cost_their_time() {
        let mut shaper = shaper(Limit::Packets(10), 0.2, None);
        let n = 20_000;
        let lost = (0..n).filter(|i| shaper.take(ms(2 * i), BYTES) == Fate::Lost).count() as f64 / n as f64;
        assert!((lost - 0.2).abs() < 0.01, "{lost}");
        assert_eq!(shaper.take(ms(0), 0), shaper.take(ms(0), 0), "nothing is sent in no time");
    }

    #[test]
    fn jitter_keeps_the_order_unless_told_otherwise_and_copies_arrive_too() {
        let jitter = Some(Jitter::Uniform(Span::from_millis(30)));
        let order = |overtaking| {
            let impairment = Impairment { jitter, overtaking, duplicate: 0.1, ..Impairment::default() };
            let mut shaper = shaper(Limit::Packets(10), 0.0, Some(impairment));
            let mut copies = 0;
            let times: Vec<Time> = (0..1000)
                .map(|i| match shaper.take(ms(i), BYTES) {
                    Fate::Arrives(at, copy) => {
                        copies += usize::from(copy.is_some());
                        at
                    }
                    other => panic!("{other:?}"),
                })
                .collect();
            assert!((50..150).contains(&copies), "{copies} copies");
            assert!(times.iter().zip(0..).all(|(at, i)| *at >= ms(i + 21)), "nobody is early");
            times.is_sorted()
        };
        assert!(order(false));
        assert!(!order(true));
    }
}
