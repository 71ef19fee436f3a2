//! The calendar: what happens next.

/// Buckets in the wheel.
const BUCKETS: u64 = 1024;
/// Words of the map of occupied buckets.
const WORDS: usize = (BUCKETS / 64) as usize;
/// At first a bucket is 2^12 ns wide: about the time of one packet on the fastest links that people simulate.
const FIRST_WIDTH_BITS: u32 = 12;
/// What an event is takes so many bits of an event in a bucket; the rest is left for its time within the bucket.
const WHAT_BITS: u32 = 35;
/// No event.
const NONE: u64 = u64::MAX;
/// So a bucket is half a second wide at most.
const MOST_WIDTH_BITS: u32 = 64 - WHAT_BITS;
/// Events that a bucket should hold: few enough to sort at once, enough that turning to the next one costs little.
const AIM: u32 = 16;
/// The same where [`SOME_EVENTS`] wait or more: the more of them are put in order together, the fewer come late.
const AIM_OF_SOME: u32 = 32;
/// So many events are more than a small network has.
const SOME_EVENTS: usize = 64;
/// With fewer events than this waiting, so much of what matters is in the processor's caches anyway that looking ahead
/// takes longer than it saves.
pub(crate) const MANY_EVENTS: usize = 1024;
/// After so many buckets it is seen whether their width still fits.
const TURNS: u32 = 512;

/// A priority queue of events, least first. An event is 64 bits of time and 35 bits that break ties and say what it is,
/// so that order is total.
///
/// Events of the near future wait unsorted in a wheel of buckets and are sorted when their bucket's turn comes; the few
/// that lie further ahead (timeouts, starts of fetches) wait in a heap. So most events cost the same however many there
/// are. Within a bucket an event is one word, its time since the bucket's beginning above what it is, and a comparison
/// is one instruction. The width of the buckets follows the events: a chain of four nodes has a packet every 100 us, a
/// dumbbell of a thousand flows one every 20 ns.
#[derive(Debug)]
pub struct Calendar {
    /// Events of the bucket whose turn it is, earliest first; those before `done` have been taken out.
    current: Vec<u64>,
    done: usize,
    /// Events that came during the turn of their bucket, the earliest last. They are few.
    late: Vec<u64>,
    /// The earliest of these, or `NONE`.
    next_late: u64,
    /// When that bucket begins.
    start: u64,
    /// That bucket, counted from time 0.
    turn: u64,
    /// A bucket is 2^`width_bits` ns wide.
    width_bits: u32,
    /// Events of the next `BUCKETS - 1` buckets, by bucket modulo `BUCKETS`.
    wheel: Box<[Vec<u64>; BUCKETS as usize]>,
    /// How many these are.
    on_wheel: usize,
    /// A bit for each bucket of the wheel that holds something.
    occupied: [u64; WORDS],
    /// A bit for each word of `occupied` that is not 0.
    occupied_words: u16,
    /// Events that were too far ahead when they came: time, and what.
    far: Heap,
    /// Turns, and events taken out, since the width was looked at.
    turns: u32,
    taken: u32,
}

impl Default for Calendar {
    fn default() -> Calendar {
        Calendar {
            current: Vec::new(),
            done: 0,
            late: Vec::new(),
            next_late: NONE,
            start: 0,
            turn: 0,
            width_bits: FIRST_WIDTH_BITS,
            wheel: Box::new([const { Vec::new() }; BUCKETS as usize]),
            on_wheel: 0,
            occupied: [0; WORDS],
            occupied_words: 0,
            far: Heap::default(),
            turns: 0,
            taken: 0,
        }
    }
}

impl Calendar {
    /// Adds an event. `what` has 35 bits.
    #[inline]
    pub fn push(&mut self, time: u64, what: u64) {
        debug_assert!(what >> WHAT_BITS == 0, "{what} has more than {WHAT_BITS} bits");
        let bucket = time >> self.width_bits;
        // In no event's time has the calendar turned past it, so the difference is seldom below zero.
        let ahead = bucket.wrapping_sub(self.turn);
        if ahead.wrapping_sub(1) < BUCKETS - 1 {
            self.put_on_wheel(bucket, time, what);
        } else {
            self.put_elsewhere(time, what);
        }
    }

    /// An event as it stands in its bucket.
    #[inline]
    fn word(&self, time: u64, what: u64) -> u64 {
        (time & ((1 << self.width_bits) - 1)) << WHAT_BITS | what
    }

    #[inline]
    fn put_on_wheel(&mut self, bucket: u64, time: u64, what: u64) {
        let word = self.word(time, what);
        let slot = (bucket % BUCKETS) as usize;
        let events = &mut self.wheel[slot];
        if events.is_empty() {
            self.occupied[slot / 64] |= 1 << (slot % 64);
            self.occupied_words |= 1 << (slot / 64);
        }
        events.push(word);
        self.on_wheel += 1;
    }

    /// Puts an event among those that came during their bucket's turn.
    #[inline]
    fn put_in_order(&mut self, word: u64) {
        self.taken += 1;
        let place = self.late.iter().rposition(|other| *other > word).map_or(0, |before| before + 1);
        self.late.insert(place, word);
        self.next_late = self.next_late.min(word);
    }

    /// In the bucket whose turn it is, too far ahead for the wheel, or in a bucket that has been passed over because it was
    /// empty.
    #[inline(never)]
    fn put_elsewhere(&mut self, time: u64, what: u64) {
        if time >> self.width_bits == self.turn {
            self.put_in_order(self.word(time, what));
        } else if time < self.start {
            self.go_back(time);
            self.push(time, what);
        } else {
            self.far.push(u128::from(time) << 64 | u128::from(what));
        }
    }

    /// Takes out the earliest event.
    pub fn pop(&mut self) -> Option<(u64, u64)> {
        loop {
            if let Some(event) = self.take_until(u64::MAX) {
                return Some(event);
            }
            if !self.turn() {
                return None;
            }
            self.sort_turn();
        }
    }

    /// Takes the earliest event out of the bucket whose turn it is, if there is one and its time is not after `limit`.
    #[inline]
    pub fn take_until(&mut self, limit: u64) -> Option<(u64, u64)> {
        let next = self.current.get(self.done).copied().unwrap_or(NONE);
        let word = next.min(self.next_late);
        let time = self.start + (word >> WHAT_BITS);
        if word == NONE || time > limit {
            return None;
        }
        if word == next {
            self.done += 1;
        } else {
            self.late.pop();
            self.next_late = self.late.last().copied().unwrap_or(NONE);
        }
        Some((time, word & ((1 << WHAT_BITS) - 1)))
    }

    /// Turns to the next bucket that holds something if nothing is left of this one; false if something is, or if there
    /// is no other. Until it has been sorted ([`sort_turn`](Calendar::sort_turn)) nothing may be taken from it or pushed.
    #[inline]
    pub fn turn(&mut self) -> bool {
        self.done == self.current.len() && self.late.is_empty() && self.advance()
    }

    /// When the bucket ends whose turn it is.
    #[inline]
    pub fn turn_end(&self) -> u64 {
        self.start.saturating_add(1 << self.width_bits)
    }

    /// How many events the bucket holds that has just been turned to.
    #[inline]
    pub fn turn_len(&self) -> usize {
        self.current.len()
    }

    /// One of these events, by a number that holds until they are sorted: what it is.
    #[inline]
    pub fn in_turn(&self, number: usize) -> u64 {
        self.current[number] & ((1 << WHAT_BITS) - 1)
    }

    /// Adds an event that lies within the bucket that has just been turned to.
    #[inline]
    pub fn add_to_turn(&mut self, time: u64, what: u64) {
        let word = self.word(time, what);
        self.current.push(word);
    }

    /// Puts the events in order of the bucket that has just been turned to.
    #[inline]
    pub fn sort_turn(&mut self) {
        self.current.sort_unstable();
    }

    /// Time of the earliest event.
    pub fn peek_time(&mut self) -> Option<u64> {
        if self.turn() {
            self.sort_turn();
        }
        let next = self.current.get(self.done).copied().unwrap_or(NONE).min(self.next_late);
        (next != NONE).then(|| self.start + (next >> WHAT_BITS))
    }

    /// Events waiting.
    pub fn len(&self) -> usize {
        self.current.len() - self.done + self.late.len() + self.on_wheel + self.far.0.len()
    }

    /// True if nothing will happen.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Turns to the next bucket that holds something, in the wheel or in the heap or in both.
    fn advance(&mut self) -> bool {
        self.taken += self.current.len() as u32;
        self.current.clear();
        self.done = 0;
        self.turns += 1;
        if self.turns >= TURNS {
            self.fit_width();
            if !self.late.is_empty() {
                return true;
            }
        }
        let near = self.next_occupied();
        let far = self.far.first().map(|event| self.bucket_of(event));
        let turn = match (near, far) {
            (Some(near), Some(far)) => near.min(far),
            (near, far) => match near.or(far) {
                Some(turn) => turn,
                None => return false,
            },
        };
        (self.turn, self.start) = (turn, turn << self.width_bits);
        if near == Some(turn) {
            self.open((turn % BUCKETS) as usize);
        }
        if far.is_some_and(|far| far <= turn) {
            self.fetch_far();
        }
        true
    }

    /// Takes what belongs to the bucket out of the heap.
    #[cold]
    fn fetch_far(&mut self) {
        while let Some(event) = self.far.first().filter(|event| self.bucket_of(*event) <= self.turn) {
            self.far.pop();
            let (time, what) = split(event);
            self.add_to_turn(time, what);
        }
    }

    /// Makes a bucket's events the current ones, of which there are none.
    #[inline]
    fn open(&mut self, slot: usize) {
        std::mem::swap(&mut self.current, &mut self.wheel[slot]);
        self.on_wheel -= self.current.len();
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
        let aim = turns * if self.len() >= SOME_EVENTS { AIM_OF_SOME } else { AIM };
        let width_bits = if taken < aim / 2 {
            (self.width_bits + (aim / taken).ilog2()).min(MOST_WIDTH_BITS)
        } else if taken > aim * 2 {
            self.width_bits.saturating_sub((taken / aim).ilog2())
        } else {
            return;
        };
        if width_bits != self.width_bits {
            self.rearrange(self.start, width_bits);
        }
    }

    /// Something is to happen before the bucket whose turn it is, which comes when a run has been stopped in between.
    #[cold]
    fn go_back(&mut self, time: u64) {
        self.rearrange(time, self.width_bits);
    }

    /// Puts all events in their places anew, for buckets of this width and the turn of the one that holds `time`.
    #[cold]
    fn rearrange(&mut self, time: u64, width_bits: u32) {
        let mut events: Vec<(u64, u64)> = Vec::with_capacity(self.len());
        let mut collect = |start: u64, words: &mut Vec<u64>| {
            events.extend(words.drain(..).map(|word| (start + (word >> WHAT_BITS), word & ((1 << WHAT_BITS) - 1))));
        };
        self.current.drain(..self.done);
        collect(self.start, &mut self.current);
        collect(self.start, &mut self.late);
        for ahead in 1..BUCKETS {
            let bucket = self.turn + ahead;
            collect(bucket << self.width_bits, &mut self.wheel[(bucket % BUCKETS) as usize]);
        }
        (self.done, self.next_late, self.on_wheel) = (0, NONE, 0);
        (self.occupied, self.occupied_words) = ([0; WORDS], 0);
        self.width_bits = width_bits;
        self.turn = time >> width_bits;
        self.start = self.turn << width_bits;
        for (time, what) in events {
            self.push(time, what);
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
