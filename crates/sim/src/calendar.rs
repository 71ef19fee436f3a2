//! The calendar: what happens next.

/// Buckets in the wheel.
const BUCKETS: u64 = 1024;
/// Words of the map of occupied buckets.
const WORDS: usize = (BUCKETS / 64) as usize;
/// At first a bucket is 2^12 ns wide: about the time of one packet on the fastest links that people simulate.
const FIRST_WIDTH_BITS: u32 = 12;
/// Events that a bucket should hold: few enough to sort at once, enough that turning to the next one costs little.
const AIM: u32 = 32;
/// After so many buckets it is seen whether their width still fits.
const TURNS: u32 = 512;

/// A priority queue of events, least first. An event is 64 bits of time and 64 bits that break ties and say what it
/// is, packed into one integer, so that order is total and a comparison is two instructions.
///
/// Events of the near future wait unsorted in a wheel of buckets and are sorted when their bucket's turn comes; the few
/// that lie further ahead (timeouts, starts of fetches) wait in a heap. So most events cost the same however many there
/// are. The width of the buckets follows the events: a chain of four nodes has a packet every 100 us, a dumbbell of a
/// thousand flows one every 20 ns.
#[derive(Debug)]
pub struct Calendar {
    /// Events of the bucket whose turn it is, earliest first; those before `done` have been taken out.
    current: Vec<u128>,
    done: usize,
    /// That bucket, counted from time 0.
    turn: u64,
    /// A bucket is 2^`width_bits` ns wide.
    width_bits: u32,
    /// Events of the next `BUCKETS - 1` buckets, by bucket modulo `BUCKETS`.
    wheel: Vec<Vec<u128>>,
    /// A bit for each bucket of the wheel that holds something.
    occupied: [u64; WORDS],
    /// A bit for each word of `occupied` that is not 0.
    occupied_words: u16,
    /// Events that were too far ahead when they came.
    far: Heap,
    len: usize,
    /// Turns, and events taken out, since the width was looked at.
    turns: u32,
    taken: u32,
}

impl Default for Calendar {
    fn default() -> Calendar {
        Calendar {
            current: Vec::new(),
            done: 0,
            turn: 0,
            width_bits: FIRST_WIDTH_BITS,
            wheel: vec![Vec::new(); BUCKETS as usize],
            occupied: [0; WORDS],
            occupied_words: 0,
            far: Heap::default(),
            len: 0,
            turns: 0,
            taken: 0,
        }
    }
}

impl Calendar {
    /// Adds an event.
    #[inline]
    pub fn push(&mut self, time: u64, what: u64) {
        self.len += 1;
        self.place(u128::from(time) << 64 | u128::from(what));
    }

    #[inline]
    fn place(&mut self, event: u128) {
        let bucket = self.bucket_of(event);
        if bucket <= self.turn {
            self.put_in_order(event);
        } else if bucket - self.turn < BUCKETS {
            self.put_on_wheel(bucket, event);
        } else {
            self.far.push(event);
        }
    }

    fn put_on_wheel(&mut self, bucket: u64, event: u128) {
        let slot = (bucket % BUCKETS) as usize;
        self.wheel[slot].push(event);
        self.occupied[slot / 64] |= 1 << (slot % 64);
        self.occupied_words |= 1 << (slot / 64);
    }

    /// Most events that come during their bucket's turn are among its last, so the way to their place is short.
    fn put_in_order(&mut self, event: u128) {
        self.current.push(event);
        let waiting = &mut self.current[self.done..];
        let mut place = waiting.len() - 1;
        while place > 0 && waiting[place - 1] > event {
            waiting[place] = waiting[place - 1];
            place -= 1;
        }
        waiting[place] = event;
    }

    /// Takes out the earliest event.
    pub fn pop(&mut self) -> Option<(u64, u64)> {
        self.pop_until(u64::MAX)
    }

    /// True if the next event opens a new bucket.
    #[inline]
    pub fn is_at_turn(&self) -> bool {
        self.done == self.current.len()
    }

    /// What the next bucket holds, in no order that matters: most of what happens next.
    #[inline]
    pub fn turn(&mut self) -> impl Iterator<Item = u64> + Clone {
        if self.is_at_turn() {
            self.advance();
        }
        self.current[self.done..].iter().map(|event| split(*event).1)
    }

    /// When the bucket of `turn` ends.
    #[inline]
    pub fn turn_end(&mut self) -> u64 {
        if self.is_at_turn() {
            self.advance();
        }
        (self.turn + 1) << self.width_bits
    }

    /// Takes out the earliest event, if its time is not after `limit`.
    #[inline]
    pub fn pop_until(&mut self, limit: u64) -> Option<(u64, u64)> {
        if self.is_at_turn() {
            self.advance();
        }
        let (time, what) = split(*self.current.get(self.done)?);
        if time > limit {
            return None;
        }
        self.done += 1;
        self.len -= 1;
        self.taken += 1;
        Some((time, what))
    }

    /// Time of the earliest event.
    pub fn peek_time(&mut self) -> Option<u64> {
        if self.is_at_turn() {
            self.advance();
        }
        self.current.get(self.done).map(|e| split(*e).0)
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
        self.current.clear();
        self.done = 0;
        self.turns += 1;
        if self.turns >= TURNS {
            self.fit_width();
            if !self.current.is_empty() {
                return;
            }
        }
        let near = self.next_occupied();
        let far = self.far.first().map(|event| self.bucket_of(event));
        let turn = match (near, far) {
            (Some(near), Some(far)) => near.min(far),
            (near, far) => match near.or(far) {
                Some(turn) => turn,
                None => return,
            },
        };
        self.turn = turn;
        if near == Some(turn) {
            self.open((turn % BUCKETS) as usize);
        }
        while far.is_some_and(|far| far <= turn) && self.far.first().is_some_and(|event| self.bucket_of(event) <= turn)
        {
            self.current.extend(self.far.pop());
        }
        if self.current.len() > 1 {
            self.current.sort_unstable();
        }
    }

    /// Makes a bucket's events the current ones, of which there are none.
    #[inline]
    fn open(&mut self, slot: usize) {
        std::mem::swap(&mut self.current, &mut self.wheel[slot]);
        let word = &mut self.occupied[slot / 64];
        *word &= !(1 << (slot % 64));
        if *word == 0 {
            self.occupied_words &= !(1 << (slot / 64));
        }
    }

    /// The first bucket after this one that holds something in the wheel.
    #[inline]
    fn next_occupied(&self) -> Option<u64> {
        let start = (self.turn + 1) % BUCKETS;
        let first = (start / 64) as usize;
        let rest = self.occupied[first] & u64::MAX << (start % 64);
        let (word, bits) = match rest {
            0 => {
                // Around the wheel; of the first word only the bits before `start` are left, and it comes last.
                let next = self.occupied_words.rotate_right(first as u32 + 1);
                if next == 0 {
                    return None;
                }
                let word = (first + 1 + next.trailing_zeros() as usize) % WORDS;
                (word, self.occupied[word])
            }
            bits => (first, bits),
        };
        let slot = word as u64 * 64 + u64::from(bits.trailing_zeros());
        Some(self.turn + 1 + (slot + BUCKETS - start) % BUCKETS)
    }

    /// Makes buckets wider or narrower if they have held too few or too many events lately.
    fn fit_width(&mut self) {
        let (turns, taken) = (self.turns, self.taken.max(1));
        (self.turns, self.taken) = (0, 0);
        let aim = AIM * turns;
        let width_bits = if taken < aim / 2 {
            (self.width_bits + (aim / taken).ilog2()).min(40)
        } else if taken > aim * 2 {
            self.width_bits.saturating_sub((taken / aim).ilog2())
        } else {
            return;
        };
        if width_bits != self.width_bits {
            self.change_width(width_bits);
        }
    }

    #[cold]
    fn change_width(&mut self, width_bits: u32) {
        let mut events = std::mem::take(&mut self.current);
        for bucket in &mut self.wheel {
            events.append(bucket);
        }
        (self.occupied, self.occupied_words) = ([0; WORDS], 0);
        let start = self.turn << self.width_bits;
        self.width_bits = width_bits;
        self.turn = start >> width_bits;
        for event in events {
            self.place(event);
        }
    }

    #[inline]
    fn bucket_of(&self, event: u128) -> u64 {
        split(event).0 >> self.width_bits
    }
}

#[inline]
fn split(event: u128) -> (u64, u64) {
    ((event >> 64) as u64, event as u64)
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
