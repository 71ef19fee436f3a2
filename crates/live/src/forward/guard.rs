//! What one face may ask of all: so many Interests a second, and so much of the PIT.

use weir_core::{Span, Time};

/// The time after which it is looked how many pending Interests have expired.
const SLOT: Span = Span::from_millis(500);
/// So many such times are told apart; longer lifetimes count as the longest.
const SLOTS: usize = 16;

/// Bounds of each face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Interests per second; 0: any number.
    pub rate: u64,
    /// Interests that may be pending at once.
    pub pending: usize,
}

/// Keeps watch over one face.
///
/// The PIT knows who waits for an entry, not how many entries somebody has; so the guard counts Interests that came and
/// answers that left, and takes an Interest for expired when its lifetime is over. The count is a little too high at worst.
#[derive(Debug)]
pub(crate) struct Guard {
    bounds: Bounds,
    /// Interests that may come at once, and when that was so.
    credit: f64,
    at: Time,
    pending: usize,
    expiring: [u32; SLOTS],
    /// The slot of `expiring` that stands for now.
    slot: u64,
}

/// Why an Interest is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The face sends too many Interests a second.
    Rate,
    /// Too many Interests of the face are pending.
    Pending,
}

impl Guard {
    pub fn new(bounds: Bounds, now: Time) -> Guard {
        // A tenth of a second's worth may come at once.
        let credit = bounds.rate as f64 / 10.0;
        Guard { bounds, credit, at: now, pending: 0, expiring: [0; SLOTS], slot: now.0 / SLOT.0 }
    }

    /// Interests of this face that are pending.
    pub fn pending(&self) -> usize {
        self.pending
    }

    /// An Interest has come that lives for `lifetime`.
    pub fn admit(&mut self, lifetime: Span, now: Time) -> Result<(), Refused> {
        if self.bounds.rate > 0 {
            let most = (self.bounds.rate as f64 / 10.0).max(1.0);
            self.credit = (self.credit + now.since(self.at).seconds() * self.bounds.rate as f64).min(most);
            self.at = now;
            if self.credit < 1.0 {
                return Err(Refused::Rate);
            }
            self.credit -= 1.0;
        }
        self.expire(now);
        if self.pending >= self.bounds.pending {
            return Err(Refused::Pending);
        }
        let ahead = (lifetime.0 / SLOT.0 + 1).min(SLOTS as u64 - 1);
        self.expiring[((self.slot + ahead) % SLOTS as u64) as usize] += 1;
        self.pending += 1;
        Ok(())
    }

    /// An answer leaves: one that would have expired soon is meant.
    pub fn answered(&mut self) {
        if self.pending == 0 {
            return;
        }
        let slots = (0..SLOTS as u64).map(|ahead| ((self.slot + ahead) % SLOTS as u64) as usize);
        if let Some(slot) = slots.into_iter().find(|slot| self.expiring[*slot] > 0) {
            self.expiring[slot] -= 1;
            self.pending -= 1;
        }
    }

    fn expire(&mut self, now: Time) {
        let slot = now.0 / SLOT.0;
        let passed = slot.saturating_sub(self.slot).min(SLOTS as u64);
        for i in 0..passed {
            let gone = &mut self.expiring[((self.slot + i) % SLOTS as u64) as usize];
            self.pending -= std::mem::take(gone) as usize;
        }
        self.slot = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn a_rate_is_held_and_bursts_are_short() {
        let mut guard = Guard::new(Bounds { rate: 1000, pending: usize::MAX }, Time(0));
        let mut admit = |at: u64| guard.admit(Span::from_millis(100), Time(at)).is_ok();
        assert_eq!((0..500).filter(|_| admit(SECOND)).count(), 100);
        let later = (0..10_000).filter(|i| admit(SECOND + i * SECOND / 5000)).count();
        assert!((1995..=2005).contains(&later), "{later} in two seconds");
    }

    #[test]
    fn pending_interests_are_bounded_answered_and_expire() {
        let mut guard = Guard::new(Bounds { rate: 0, pending: 100 }, Time(0));
        let admit = |guard: &mut Guard, at| guard.admit(Span::from_millis(4000), Time(at));
        assert_eq!((0..200).filter(|_| admit(&mut guard, SECOND).is_ok()).count(), 100);
        assert_eq!(admit(&mut guard, SECOND), Err(Refused::Pending));
        (0..30).for_each(|_| guard.answered());
        assert_eq!(guard.pending(), 70);
        assert_eq!((0..200).filter(|_| admit(&mut guard, 4 * SECOND).is_ok()).count(), 30);
        assert!(admit(&mut guard, 4 * SECOND + SECOND / 2).is_err(), "the first still live");
        assert_eq!((0..200).filter(|_| admit(&mut guard, 7 * SECOND).is_ok()).count(), 70);
        assert!(admit(&mut guard, 60 * SECOND).is_ok());
        assert_eq!(guard.pending(), 1);
        (0..5).for_each(|_| guard.answered());
        assert_eq!(guard.pending(), 0);
    }
}
