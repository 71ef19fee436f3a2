//! Which entry expires first: lists of entries by class of lifetime, linked through the entries themselves.

use super::NONE;
use super::entry::{Asked, PitEntry};
use weir_core::Time;

/// Classes of lifetimes: 32 for each power of two of their milliseconds.
const CLASSES: usize = 32 * 32;
/// No list: a class that has not come up yet, an entry that nobody waits for yet.
pub(super) const UNLISTED: u16 = u16::MAX;

#[derive(Debug)]
pub(super) struct Expiry {
    /// Heads and tails of the lists: one for each class of lifetimes that has come up.
    lists: Vec<(u32, u32)>,
    /// The list of each class.
    list_of: Box<[u16; CLASSES]>,
    /// No entry expires before this (it may be too early).
    next: Time,
}

impl Default for Expiry {
    fn default() -> Expiry {
        Expiry { lists: Vec::new(), list_of: Box::new([UNLISTED; CLASSES]), next: Time::NEVER }
    }
}

impl Expiry {
    /// False as long as no entry is due.
    #[inline(always)]
    pub fn may_be_due(&self, now: Time) -> bool {
        now >= self.next
    }

    /// The entry that expires first, if it is due.
    #[inline]
    pub fn due(&mut self, now: Time, asked: &[Asked]) -> Option<u32> {
        if now < self.next { None } else { self.first(now, asked) }
    }

    fn first(&mut self, now: Time, asked: &[Asked]) -> Option<u32> {
        let heads = self.lists.iter().map(|(head, _)| *head).filter(|head| *head != NONE);
        let first = heads.min_by_key(|head| asked[*head as usize].expiry);
        self.next = first.map_or(Time::NEVER, |head| asked[head as usize].expiry);
        first.filter(|_| self.next <= now)
    }

    /// No entry expires before this time; it may be too early, never too late.
    #[inline(always)]
    pub fn next(&self) -> Time {
        self.next
    }

    #[inline]
    fn list_for(&mut self, lifetime_ms: u32) -> u16 {
        let list = &mut self.list_of[class_of(lifetime_ms)];
        if *list == UNLISTED {
            *list = self.lists.len() as u16;
            self.lists.push((NONE, NONE));
        }
        *list
    }

    /// Puts an entry into a list, by expiry. Lifetimes within a list differ by a thirty-second at most, so the place is
    /// at or near the tail.
    pub fn link(&mut self, slot: u32, lifetime_ms: u32, slots: &mut [PitEntry], asked: &[Asked]) {
        let list = self.list_for(lifetime_ms);
        let expiry = asked[slot as usize].expiry;
        let mut earlier = self.lists[list as usize].1;
        while earlier != NONE && asked[earlier as usize].expiry > expiry {
            earlier = slots[earlier as usize].earlier;
        }
        let later = match earlier {
            NONE => std::mem::replace(&mut self.lists[list as usize].0, slot),
            e => std::mem::replace(&mut slots[e as usize].later, slot),
        };
        match later {
            NONE => self.lists[list as usize].1 = slot,
            l => slots[l as usize].earlier = slot,
        }
        let entry = &mut slots[slot as usize];
        (entry.list, entry.earlier, entry.later) = (list, earlier, later);
        self.next = self.next.min(expiry);
    }

    #[inline(always)]
    pub fn unlink(&mut self, slot: u32, slots: &mut [PitEntry]) {
        let entry = &slots[slot as usize];
        if entry.list == UNLISTED {
            return;
        }
        let (list, earlier, later) = (entry.list as usize, entry.earlier, entry.later);
        match earlier {
            NONE => self.lists[list].0 = later,
            e => slots[e as usize].later = later,
        }
        match later {
            NONE => self.lists[list].1 = earlier,
            l => slots[l as usize].earlier = earlier,
        }
    }
}

/// The power of two, and the five bits below it.
#[inline]
pub(super) fn class_of(lifetime_ms: u32) -> usize {
    let zeros = lifetime_ms.max(1).leading_zeros();
    let fine = (lifetime_ms << zeros) >> 26 & 31;
    ((31 - zeros) * 32 + fine) as usize
}
