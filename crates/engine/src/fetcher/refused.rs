//! Segments that were refused for congestion, until they may be asked for again.

use std::collections::{BTreeMap, BTreeSet};
use weir_core::{Span, Time};

/// No pause is longer (ndn-tools).
const LONGEST: Span = Span::from_millis(10_000);

/// The first refusal of a segment costs a pause, each further one twice the pause before.
#[derive(Debug, Default)]
pub(super) struct Refused {
    /// By the end of their pause.
    ends: BTreeSet<(Time, u64)>,
    /// How often each segment that is missing was refused, and when its last pause ends.
    times: BTreeMap<u64, (u32, Time)>,
}

impl Refused {
    /// Segments that pause.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// A segment is refused, and pauses: for `first` if it is the first time.
    pub fn refuse(&mut self, segment: u64, first: Span, now: Time) {
        let (times, end) = self.times.entry(segment).or_insert((0, now));
        let pause = Span(first.0.saturating_mul(1_u64.checked_shl(*times).unwrap_or(u64::MAX)));
        *times = times.saturating_add(1).min(63);
        *end = now + pause.min(LONGEST.max(first));
        self.ends.insert((*end, segment));
    }

    /// When the next pause ends.
    pub fn next(&self) -> Option<Time> {
        self.ends.first().map(|(end, _)| *end)
    }

    /// Takes out a segment whose pause has ended; how often it was refused is remembered.
    pub fn ended(&mut self, now: Time) -> Option<u64> {
        self.next().filter(|end| *end <= now)?;
        self.ends.pop_first().map(|(_, segment)| segment)
    }

    /// A segment is there.
    pub fn forget(&mut self, segment: u64) {
        if let Some((_, end)) = self.times.remove(&segment) {
            self.ends.remove(&(end, segment));
        }
    }

    /// Forgets the segments from `total` on.
    pub fn end_at(&mut self, total: u64) {
        self.times.split_off(&total);
        self.ends.retain(|(_, segment)| *segment < total);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Span = Span::from_millis(1);

    #[test]
    fn each_refusal_doubles_the_pause_up_to_ten_seconds() {
        let (mut refused, mut now, mut pauses) = (Refused::default(), Time::ZERO, Vec::new());
        for _ in 0..100 {
            refused.refuse(7, MS, now);
            let end = refused.next().unwrap();
            pauses.push(end.since(now).0 / MS.0);
            assert_eq!(refused.ended(Time(end.0 - 1)), None);
            assert_eq!((refused.ended(end), refused.len()), (Some(7), 0));
            now = end;
        }
        assert_eq!(pauses[..15], [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 10_000]);
        assert!(pauses[15..].iter().all(|pause| *pause == 10_000));
    }

    #[test]
    fn a_segment_that_comes_during_its_pause_or_lies_behind_the_end_is_forgotten() {
        let mut refused = Refused::default();
        for segment in 0..6 {
            refused.refuse(segment, MS, Time(segment));
        }
        refused.forget(0);
        refused.end_at(4);
        let ended: Vec<u64> = std::iter::from_fn(|| refused.ended(Time::NEVER)).collect();
        assert_eq!(ended, [1, 2, 3]);
        refused.refuse(0, MS, Time::ZERO);
        assert_eq!(refused.next(), Some(Time::ZERO + MS), "its refusals are forgotten, too");
    }

    #[test]
    fn a_first_pause_of_more_than_ten_seconds_is_as_long_as_it_says() {
        let mut refused = Refused::default();
        for _ in 0..3 {
            refused.refuse(0, MS * 20_000, Time::ZERO);
            assert_eq!(refused.ended(Time::ZERO + MS * 20_000), Some(0));
        }
    }
}
