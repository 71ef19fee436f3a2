//! Nonces of Interests whose PIT entries are gone: a loop that takes longer than the entry lives still shows.

use hashbrown::HashTable;
use std::collections::VecDeque;
use weir_core::{Span, Time};

/// NFD keeps dead nonces for 6 s.
const LIFETIME: Span = Span(6_000_000_000);
/// Bound on memory, as in NFD's largest dead-nonce list.
const CAPACITY: usize = 1 << 17;

/// A list of (name, nonce) pairs seen in the last six seconds; the oldest leave first when it is full.
#[derive(Debug, Default)]
pub(crate) struct DeadNonces {
    queue: VecDeque<(Time, u64)>,
    table: HashTable<u64>,
}

impl DeadNonces {
    /// Notes a nonce of a name with this [`Name::hash64`](weir_wire::Name::hash64).
    pub fn insert(&mut self, name: u64, nonce: u32, now: Time) {
        self.expire(now);
        let key = key(name, nonce);
        if self.table.find(key, |k| *k == key).is_some() {
            return;
        }
        if self.queue.len() >= CAPACITY {
            self.remove_oldest();
        }
        self.queue.push_back((now, key));
        self.table.insert_unique(key, key, |k| *k);
    }

    /// True if the pair was noted less than six seconds ago.
    #[inline]
    pub fn contains(&mut self, name: u64, nonce: u32, now: Time) -> bool {
        if self.queue.is_empty() {
            return false;
        }
        self.expire(now);
        let key = key(name, nonce);
        self.table.find(key, |k| *k == key).is_some()
    }

    fn expire(&mut self, now: Time) {
        while self.queue.front().is_some_and(|(noted, _)| *noted + LIFETIME <= now) {
            self.remove_oldest();
        }
    }

    fn remove_oldest(&mut self) {
        if let Some((_, key)) = self.queue.pop_front()
            && let Ok(found) = self.table.find_entry(key, |k| *k == key)
        {
            found.remove();
        }
    }
}

/// 64 bits for the pair, as NFD does: a false match is as good as impossible.
fn key(name: u64, nonce: u32) -> u64 {
    (name ^ u64::from(nonce)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonces_die_after_six_seconds() {
        let mut dead = DeadNonces::default();
        let name = 0x5eed;
        dead.insert(name, 7, Time(0));
        assert!(dead.contains(name, 7, Time(5_999_999_999)));
        assert!(!dead.contains(name, 8, Time(1)));
        assert!(!dead.contains(name, 7, Time(6_000_000_000)));
        assert!(dead.queue.is_empty() && dead.table.is_empty());
    }

    #[test]
    fn the_list_is_bounded() {
        let mut dead = DeadNonces::default();
        let name = 1;
        for nonce in 0..=CAPACITY as u32 {
            dead.insert(name, nonce, Time(0));
        }
        assert_eq!(dead.queue.len(), CAPACITY);
        assert!(!dead.contains(name, 0, Time(0)) && dead.contains(name, 1, Time(0)));
    }
}
