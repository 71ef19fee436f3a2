//! The calendar: what happens next.

/// A bucket is 2^12 ns wide: about the time of one packet on the fastest links that people simulate.
const WIDTH_BITS: u32 = 12;
/// Buckets in the wheel; with their width they reach about 17 ms ahead, further than most packets fly.
const BUCKETS: u64 = 4096;

/// A priority queue of events, least first. An event is 64 bits of time and 64 bits that break ties and say what it
/// is, packed into one integer, so that order is total and a comparison is two instructions.
///
/// Events of the near future wait unsorted in a wheel of buckets and are sorted when their bucket's turn comes; the few
/// that lie further ahead (timeouts, starts of fetches) wait in a heap. So most events cost the same however many there are.
#[derive(Debug)]
pub struct Calendar {
    /// Events of the bucket whose turn it is, latest first.
    current: Vec<u128>,
    /// That bucket, counted from time 0.
    turn: u64,
    /// Events of the next `BUCKETS - 1` buckets, by bucket modulo `BUCKETS`.
    wheel: Vec<Vec<u128>>,
    /// A bit for each bucket of the wheel that holds something.
    occupied: [u64; (BUCKETS / 64) as usize],
    /// Events that were too far ahead when they came.
    far: Heap,
    len: usize,
}

impl Default for Calendar {
    fn default() -> Calendar {
        Calendar {
            current: Vec::new(),
            turn: 0,
            wheel: vec![Vec::new(); BUCKETS as usize],
            occupied: [0; (BUCKETS / 64) as usize],
            far: Heap::default(),
            len: 0,
        }
    }
}

impl Calendar {
    /// Adds an event.
    #[inline]
    pub fn push(&mut self, time: u64, what: u64) {
        let event = u128::from(time) << 64 | u128::from(what);
        let bucket = time >> WIDTH_BITS;
        self.len += 1;
        if bucket <= self.turn {
            let place = self.current.partition_point(|e| *e > event);
            self.current.insert(place, event);
        } else if bucket - self.turn < BUCKETS {
            let slot = (bucket % BUCKETS) as usize;
            self.wheel[slot].push(event);
            self.occupied[slot / 64] |= 1 << (slot % 64);
        } else {
            self.far.push(event);
        }
    }

    /// Takes out the earliest event.
    #[inline]
    pub fn pop(&mut self) -> Option<(u64, u64)> {
        if self.current.is_empty() {
            self.advance();
        }
        let event = self.current.pop()?;
        self.len -= 1;
        Some(split(event))
    }

    /// Time of the earliest event.
    #[inline]
    pub fn peek_time(&mut self) -> Option<u64> {
        if self.current.is_empty() {
            self.advance();
        }
        self.current.last().map(|e| split(*e).0)
    }

    /// Events waiting.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if nothing will happen.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Turns to the next bucket that holds something, in the wheel or in the heap or in both.
    fn advance(&mut self) {
        let near = self.next_occupied();
        let far = self.far.first().map(bucket_of);
        let Some(turn) = near.into_iter().chain(far).min() else { return };
        self.turn = turn;
        if near == Some(turn) {
            let slot = (turn % BUCKETS) as usize;
            std::mem::swap(&mut self.current, &mut self.wheel[slot]);
            self.occupied[slot / 64] &= !(1 << (slot % 64));
        }
        while self.far.first().map(bucket_of) == Some(turn) {
            self.current.extend(self.far.pop());
        }
        self.current.sort_unstable_by(|a, b| b.cmp(a));
    }

    /// The first bucket after this one that holds something in the wheel.
    fn next_occupied(&self) -> Option<u64> {
        let words = self.occupied.len() as u64;
        let start = (self.turn + 1) % BUCKETS;
        for step in 0..=words {
            let word = (start / 64 + step) % words;
            let mut bits = self.occupied[word as usize];
            if step == 0 {
                bits &= u64::MAX << (start % 64);
            } else if step == words {
                bits &= !(u64::MAX << (start % 64));
            }
            if bits != 0 {
                let slot = word * 64 + u64::from(bits.trailing_zeros());
                return Some(self.turn + 1 + (slot + BUCKETS - start) % BUCKETS);
            }
        }
        None
    }
}

#[inline]
fn split(event: u128) -> (u64, u64) {
    ((event >> 64) as u64, event as u64)
}

#[inline]
fn bucket_of(event: u128) -> u64 {
    split(event).0 >> WIDTH_BITS
}

/// A heap with four children a node: half as deep as a binary one, and the children share a cache line.
#[derive(Debug, Default)]
struct Heap(Vec<u128>);

impl Heap {
    fn first(&self) -> Option<u128> {
        self.0.first().copied()
    }

    fn push(&mut self, event: u128) {
        let mut hole = self.0.len();
        self.0.push(event);
        while hole > 0 {
            let parent = (hole - 1) / 4;
            if self.0[parent] <= event {
                break;
            }
            self.0[hole] = self.0[parent];
            hole = parent;
        }
        self.0[hole] = event;
    }

    fn pop(&mut self) -> Option<u128> {
        let last = self.0.pop()?;
        let Some(first) = self.first() else { return Some(last) };
        let mut hole = 0;
        while let Some((child, least)) = self.least_child(hole)
            && least < last
        {
            self.0[hole] = least;
            hole = child;
        }
        self.0[hole] = last;
        Some(first)
    }

    fn least_child(&self, node: usize) -> Option<(usize, u128)> {
        let start = node * 4 + 1;
        let children = self.0.get(start..(start + 4).min(self.0.len()))?;
        children.iter().enumerate().map(|(i, event)| (start + i, *event)).min_by_key(|(_, event)| *event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use weir_core::Seed;

    /// Draws a delay as they occur: now, on the wire, across a link, a timeout, a start in an hour.
    fn delay(chance: &mut weir_core::Chance) -> u64 {
        let scale = [0, 1 << 10, 1 << 14, 1 << 24, 1 << 31, 3_600_000_000_000][chance.below(6) as usize];
        chance.below(scale + 1)
    }

    #[test]
    fn events_come_in_order_like_from_a_sorted_set() {
        for seed in 0..20 {
            let mut chance = Seed(seed).stream();
            let (mut calendar, mut model) = (Calendar::default(), BTreeSet::new());
            let mut now = 0;
            for what in 0..20_000 {
                if chance.happens(0.52) {
                    let time = now + delay(&mut chance);
                    calendar.push(time, what);
                    model.insert((time, what));
                } else {
                    let next = model.pop_first();
                    assert_eq!(calendar.peek_time(), next.map(|(time, _)| time));
                    assert_eq!(calendar.pop(), next);
                    now = next.map_or(now, |(time, _)| time);
                }
                assert_eq!(calendar.len(), model.len());
            }
            while let Some(next) = model.pop_first() {
                assert_eq!(calendar.pop(), Some(next));
            }
            assert!(calendar.is_empty() && calendar.pop().is_none());
        }
    }

    #[test]
    fn ties_are_broken_by_what_happens() {
        let mut calendar = Calendar::default();
        for what in [3, 1, 2, 0] {
            calendar.push(5_000_000_000, what);
        }
        let order: Vec<u64> = std::iter::from_fn(|| calendar.pop()).map(|(_, what)| what).collect();
        assert_eq!(order, [0, 1, 2, 3]);
    }
}
