//! Which entry expires first: a queue of entries for each class of lifetimes.

use super::NONE;
use super::entry::{Asked, PitEntry};
use std::collections::VecDeque;
use weir_core::Time;

/// Classes of lifetimes: 32 for each power of two of their milliseconds.
const CLASSES: usize = 32 * 32;
/// No list: a class that has not come up yet, an entry that nobody waits for yet.
pub(super) const UNLISTED: u16 = u16::MAX;
/// A queue may have so many gaps whatever its length.
const FEW_GAPS: usize = 1024;

/// What is pending, by when it expires.
///
/// An entry that is answered leaves a gap in its queue, and the gaps before the first that waits are closed. Interests are
/// answered in about the order in which they came, so all this happens at two places of each queue, which the
/// processor's cache holds; links from entry to entry would lead to two others that it does not hold, for each answer.
#[derive(Debug)]
pub(super) struct Expiry {
    /// One for each class of lifetimes that has come up.
    lists: Vec<List>,
    /// The list of each class.
    list_of: Box<[u16; CLASSES]>,
    /// No entry expires before this (it may be too early).
    next: Time,
}

/// Entries whose lifetimes differ by a thirty-second at most, by expiry.
#[derive(Debug, Default)]
struct List {
    /// Slots, or `NONE`; the first is a slot.
    slots: VecDeque<u32>,
    /// Position of the first, of all that ever were; an entry knows its own.
    first: u32,
    /// Those that are `NONE`.
    gaps: usize,
    /// When the last slot's entry expires, if it still waits.
    latest: Time,
}

impl List {
    /// Takes an entry out.
    #[inline(always)]
    fn take(&mut self, position: u32) {
        if position != self.first {
            self.slots[position.wrapping_sub(self.first) as usize] = NONE;
            self.gaps += 1;
            return;
        }
        self.pop();
        while self.gaps > 0 && self.slots.front() == Some(&NONE) {
            self.gaps -= 1;
            self.pop();
        }
    }

    #[inline(always)]
    fn pop(&mut self) {
        self.slots.pop_front();
        self.first = self.first.wrapping_add(1);
    }

    /// Makes the entries know their positions from this one on.
    fn number_from(&self, place: usize, entries: &mut [PitEntry]) {
        for (place, slot) in self.slots.iter().enumerate().skip(place).filter(|(_, slot)| **slot != NONE) {
            entries[*slot as usize].position = self.first.wrapping_add(place as u32);
        }
    }

    /// Closes all gaps: an entry that is not answered for long would keep those behind it.
    #[cold]
    fn close_gaps(&mut self, entries: &mut [PitEntry]) {
        self.slots.retain(|slot| *slot != NONE);
        self.gaps = 0;
        self.number_from(0, entries);
    }

    /// Puts an entry where it belongs that expires before others that came before it.
    #[cold]
    fn insert(&mut self, slot: u32, expiry: Time, entries: &mut [PitEntry], asked: &[Asked]) {
        let before = |other: &u32| *other != NONE && asked[*other as usize].expiry <= expiry;
        let place = self.slots.iter().rposition(before).map_or(0, |before| before + 1);
        self.slots.insert(place, slot);
        self.number_from(place, entries);
    }
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
        let heads = self.lists.iter().filter_map(|list| list.slots.front().copied());
        let first = heads.min_by_key(|head| asked[*head as usize].expiry);
        self.next = first.map_or(Time::NEVER, |head| asked[head as usize].expiry);
        first.filter(|_| self.next <= now)
    }

    /// No entry expires before this time; it may be too early, never too late.
    #[inline(always)]
    pub fn next(&self) -> Time {
        self.next
    }

    /// What the lists take, gaps included.
    #[cfg(test)]
    pub fn places(&self) -> usize {
        self.lists.iter().map(|list| list.slots.len()).sum()
    }

    #[inline]
    fn list_for(&mut self, lifetime_ms: u32) -> u16 {
        let list = &mut self.list_of[class_of(lifetime_ms)];
        if *list == UNLISTED {
            *list = self.lists.len() as u16;
            self.lists.push(List::default());
        }
        *list
    }

    /// Puts an entry into a list, by expiry: at its end, or near it.
    #[inline(always)]
    pub fn link(&mut self, slot: u32, lifetime_ms: u32, slots: &mut [PitEntry], asked: &[Asked]) {
        let number = self.list_for(lifetime_ms);
        let list = &mut self.lists[number as usize];
        let (entry, expiry) = (&mut slots[slot as usize], asked[slot as usize].expiry);
        entry.list = number;
        if list.slots.is_empty() || list.latest <= expiry {
            entry.position = list.first.wrapping_add(list.slots.len() as u32);
            list.slots.push_back(slot);
            list.latest = expiry;
        } else {
            list.insert(slot, expiry, slots, asked);
        }
        self.next = self.next.min(expiry);
    }

    #[inline(always)]
    pub fn unlink(&mut self, slot: u32, slots: &mut [PitEntry]) {
        let entry = &slots[slot as usize];
        if entry.list == UNLISTED {
            return;
        }
        let list = &mut self.lists[entry.list as usize];
        list.take(entry.position);
        if list.gaps > FEW_GAPS && list.gaps > list.slots.len() / 2 {
            list.close_gaps(slots);
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
