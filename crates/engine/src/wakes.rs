//! Who wants to be woken when, for many sleepers of which few change at a time.

use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use weir_core::Time;

/// Wake times of sleepers numbered from 0.
///
/// A sleeper whose time moves later is woken once too early and then asked again; that is cheaper than moving it in the
/// heap at every packet, and waking early is harmless by the contract of `wake`.
#[derive(Debug)]
pub(crate) struct Wakes {
    /// Those of a host, which has few sleepers, need no other memory.
    scheduled: SmallVec<[Time; 2]>,
    heap: BinaryHeap<Reverse<(Time, u32)>>,
    /// The first of the heap, which is asked for at each packet: the heap is seldom read.
    earliest: Time,
}

impl Default for Wakes {
    fn default() -> Wakes {
        Wakes { scheduled: SmallVec::new(), heap: BinaryHeap::new(), earliest: Time::NEVER }
    }
}

impl Wakes {
    /// Notes when `sleeper` wants to be woken.
    #[inline(always)]
    pub fn set(&mut self, sleeper: usize, at: Option<Time>) {
        let Some(at) = at else { return };
        if self.scheduled.get(sleeper).is_none_or(|scheduled| at < *scheduled) {
            self.schedule(sleeper, at);
        }
    }

    #[inline(never)]
    fn schedule(&mut self, sleeper: usize, at: Time) {
        if sleeper >= self.scheduled.len() {
            self.scheduled.resize(sleeper + 1, Time::NEVER);
        }
        self.scheduled[sleeper] = at;
        self.heap.push(Reverse((at, sleeper as u32)));
        self.earliest = self.earliest.min(at);
    }

    /// The same as `earliest`, `NEVER` for none.
    #[inline(always)]
    pub fn next(&self) -> Time {
        self.earliest
    }

    /// The earliest wake time (it may be too early, never too late).
    #[inline]
    pub fn earliest(&self) -> Option<Time> {
        (self.earliest != Time::NEVER).then_some(self.earliest)
    }

    /// The next sleeper that is due at `now`; it must be `set` again after it has been woken.
    pub fn pop_due(&mut self, now: Time) -> Option<usize> {
        while let Some(Reverse((at, sleeper))) = self.heap.peek().copied() {
            if at > now {
                return None;
            }
            self.heap.pop();
            self.earliest = self.heap.peek().map_or(Time::NEVER, |Reverse((at, _))| *at);
            let scheduled = &mut self.scheduled[sleeper as usize];
            // A stale entry: the sleeper was moved to an earlier time and has been woken since.
            if *scheduled == at {
                *scheduled = Time::NEVER;
                return Some(sleeper as usize);
            }
        }
        None
    }
}

/// The earlier of two times, either of which may never come.
#[inline]
pub(crate) fn earlier(a: Option<Time>, b: Option<Time>) -> Option<Time> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleepers_are_woken_in_time_and_once() {
        let mut wakes = Wakes::default();
        wakes.set(3, Some(Time(30)));
        wakes.set(1, Some(Time(20)));
        wakes.set(3, Some(Time(10)));
        wakes.set(1, Some(Time(25)));
        assert_eq!(wakes.earliest(), Some(Time(10)));
        assert_eq!(wakes.pop_due(Time(9)), None);
        assert_eq!(wakes.pop_due(Time(10)), Some(3));
        assert_eq!(wakes.pop_due(Time(20)), Some(1));
        assert_eq!(wakes.pop_due(Time(99)), None);
        assert_eq!(wakes.earliest(), None);
    }
}
