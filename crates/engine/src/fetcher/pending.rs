//! Segments of a fetch: which are out since when, which are to be sent again, which are there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use weir_core::Time;
use weir_core::ahead::ask_for;

/// Segments between the lowest that is missing and the next new one, in a ring; memory does not grow with the content.
///
/// With many flows the ring is what a fetch keeps most of, and a segment is written and read a round trip apart: so what
/// there is to say of a segment that was sent once and has run no timer but its first is kept in 16 bytes, four to a line
/// of the processor's cache, and the rest apart.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// Segment of `slots[0]`: all below have been received.
    base: u64,
    slots: VecDeque<Kept>,
    /// Of segments that are not `plain`.
    rest: BTreeMap<u64, Rest>,
    /// Timers in the order they were started; an entry is stale unless the slot's timer still says the same.
    timers: VecDeque<(Time, u64)>,
    /// Lost segments, lowest first.
    lost: BTreeSet<u64>,
    /// Segments further on that were there before the fetch began: ranges from the first to behind the last, which do not
    /// touch.
    there: BTreeMap<u64, u64>,
}

/// What is kept of every segment.
#[derive(Clone, Copy, Debug)]
struct Kept {
    last_sent: Time,
    nonce: u32,
    state: State,
    /// It was sent once, and its timer is the one that was started then.
    plain: bool,
}

const _: () = assert!(size_of::<Kept>() == 16, "four are to fit into a line of the cache");

/// What is kept of a segment that was sent again, or whose timer was stopped or started again.
#[derive(Clone, Copy, Debug)]
struct Rest {
    transmissions: u32,
    first_sent: Time,
    /// When the running timer was started; `NEVER`: it is stopped.
    timer: Time,
}

/// One segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub state: State,
    pub transmissions: u32,
    pub first_sent: Time,
    pub last_sent: Time,
    /// Of the last transmission.
    pub nonce: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    InFlight,
    Lost,
    Received,
}

impl Kept {
    /// The segment, if there is nothing else to say of it.
    #[inline]
    fn as_plain(&self) -> Slot {
        let Kept { last_sent: sent, nonce, state, .. } = *self;
        Slot { state, transmissions: 1, first_sent: sent, last_sent: sent, nonce }
    }
}

impl Pending {
    /// Segments from `range.start` to before `range.end` are there already: they are not asked for. Only for segments
    /// from `next` on.
    pub fn add_there(&mut self, range: Range<u64>) {
        let mut range = range.start.max(self.next())..range.end;
        if range.is_empty() {
            return;
        }
        // Those that overlap with it or touch it become one with it.
        while let Some((start, end)) = self.there.range(..=range.end).next_back().map(|(s, e)| (*s, *e))
            && end >= range.start
        {
            self.there.remove(&start);
            range = start.min(range.start)..end.max(range.end);
        }
        self.there.insert(range.start, range.end);
        self.skip_there();
    }

    /// Passes over segments that are there already.
    #[inline]
    fn skip_there(&mut self) {
        if !self.there.is_empty() {
            self.skip_one();
        }
    }

    /// Ranges do not touch, so there is one at most.
    fn skip_one(&mut self) {
        let Some(end) = self.there.remove(&self.next()) else { return };
        if self.slots.is_empty() {
            self.base = end;
            return;
        }
        let there = Kept { last_sent: Time::ZERO, nonce: 0, state: State::Received, plain: true };
        let len = end - self.next();
        self.slots.extend(std::iter::repeat_n(there, usize::try_from(len).unwrap_or(usize::MAX)));
    }

    /// The next new segment.
    pub fn next(&self) -> u64 {
        self.base + self.slots.len() as u64
    }

    /// The lowest lost segment, else the next new one below `total`.
    #[inline]
    pub fn next_to_send(&self, total: Option<u64>) -> Option<u64> {
        let new = || Some(self.next()).filter(|s| total.is_none_or(|n| *s < n));
        if self.lost.is_empty() { new() } else { self.lost.first().copied() }
    }

    /// Notes a transmission; returns how many there have been.
    pub fn sent(&mut self, segment: u64, nonce: u32, now: Time) -> u32 {
        self.timers.push_back((now, segment));
        if segment == self.next() {
            self.slots.push_back(Kept { last_sent: now, nonce, state: State::InFlight, plain: true });
            self.skip_there();
            return 1;
        }
        self.lost.remove(&segment);
        let rest = self.rest_of(segment);
        rest.transmissions += 1;
        rest.timer = now;
        let transmissions = rest.transmissions;
        let kept = self.kept_mut(segment);
        (kept.last_sent, kept.nonce, kept.state) = (now, nonce, State::InFlight);
        transmissions
    }

    /// A segment that was sent and has not been received.
    #[inline]
    pub fn get(&self, segment: u64) -> Option<Slot> {
        let kept = self.slots.get(usize::try_from(segment.checked_sub(self.base)?).ok()?)?;
        match (kept.state, kept.plain) {
            (State::Received, _) => None,
            (_, true) => Some(kept.as_plain()),
            (_, false) => self.with_rest(segment, *kept),
        }
    }

    #[inline(never)]
    fn with_rest(&self, segment: u64, kept: Kept) -> Option<Slot> {
        let Rest { transmissions, first_sent, .. } = *self.rest.get(&segment)?;
        Some(Slot { transmissions, first_sent, ..kept.as_plain() })
    }

    fn kept_mut(&mut self, segment: u64) -> &mut Kept {
        &mut self.slots[(segment - self.base) as usize]
    }

    /// What is to be changed of a segment that is not plain any more.
    fn rest_of(&mut self, segment: u64) -> &mut Rest {
        let kept = self.kept_mut(segment);
        kept.plain = false;
        let sent = kept.last_sent;
        self.rest.entry(segment).or_insert(Rest { transmissions: 1, first_sent: sent, timer: sent })
    }

    /// Asks for what the arrival of a segment and the transmission of a new one need.
    #[inline]
    pub fn foresee(&self, segment: Option<u64>) {
        let slot = segment.and_then(|segment| self.slots.get(segment.wrapping_sub(self.base) as usize));
        slot.into_iter().chain(self.slots.front()).chain(self.slots.back()).for_each(ask_for);
        self.timers.front().into_iter().chain(self.timers.back()).for_each(ask_for);
    }

    /// Marks a segment as received; `None` if it was not sent or is there already.
    pub fn take(&mut self, segment: u64) -> Option<Slot> {
        let slot = self.get(segment)?;
        if slot.state == State::Lost {
            self.lost.remove(&segment);
        }
        let kept = self.kept_mut(segment);
        kept.state = State::Received;
        if !kept.plain {
            self.rest.remove(&segment);
        }
        while self.slots.front().is_some_and(|s| s.state == State::Received) {
            self.slots.pop_front();
            self.base += 1;
        }
        self.drop_stale_timers();
        Some(slot)
    }

    /// A segment is lost and will be sent again.
    pub fn lost(&mut self, segment: u64) {
        self.kept_mut(segment).state = State::Lost;
        self.lost.insert(segment);
        self.drop_stale_timers();
    }

    /// A segment in flight is lost, and is to be sent again once `lost` says so.
    pub fn hold(&mut self, segment: u64) {
        self.kept_mut(segment).state = State::Lost;
        self.drop_stale_timers();
    }

    /// Forgets the segments from `total` on; returns how many of them were in flight.
    pub fn end_at(&mut self, total: u64) -> usize {
        let left = usize::try_from(total.saturating_sub(self.base)).unwrap_or(usize::MAX).min(self.slots.len());
        let in_flight = self.slots.drain(left..).filter(|s| s.state == State::InFlight).count();
        self.rest.split_off(&total);
        self.lost.split_off(&total);
        self.there.split_off(&total);
        self.drop_stale_timers();
        in_flight
    }

    /// The timer of a segment in flight starts again.
    pub fn restart_timer(&mut self, segment: u64, now: Time) {
        self.rest_of(segment).timer = now;
        self.timers.push_back((now, segment));
        self.drop_stale_timers();
    }

    /// The timer of a segment in flight stops.
    pub fn stop_timer(&mut self, segment: u64) {
        self.rest_of(segment).timer = Time::NEVER;
        self.drop_stale_timers();
    }

    /// The running timer that was started first.
    #[inline]
    pub fn oldest(&self) -> Option<(Time, u64)> {
        self.timers.front().copied()
    }

    /// All segments below are there.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// True if segments 0..n are there.
    pub fn all_received(&self, n: u64) -> bool {
        self.base >= n
    }

    /// True if the timer of the segment is the one that was started then.
    #[inline]
    fn is_running(&self, segment: u64, started: Time) -> bool {
        let Some(kept) = self.slots.get(segment.wrapping_sub(self.base) as usize) else { return false };
        kept.state == State::InFlight
            && if kept.plain {
                kept.last_sent == started
            } else {
                self.rest.get(&segment).is_some_and(|rest| rest.timer == started)
            }
    }

    /// Keeps the front of `timers` true, so that `oldest` is a look at one element.
    #[inline]
    fn drop_stale_timers(&mut self) {
        while let Some((started, segment)) = self.timers.front() {
            if self.is_running(*segment, *started) {
                break;
            }
            self.timers.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retransmissions_come_first_and_lowest_first() {
        let mut pending = Pending::default();
        for segment in 0..4 {
            assert_eq!(pending.next_to_send(Some(5)), Some(segment));
            assert_eq!(pending.sent(segment, 0, Time(segment)), 1);
        }
        pending.lost(2);
        pending.lost(1);
        assert_eq!(pending.next_to_send(Some(5)), Some(1));
        assert_eq!(pending.sent(1, 0, Time(10)), 2);
        assert_eq!(pending.next_to_send(Some(5)), Some(2));
        pending.sent(2, 0, Time(11));
        assert_eq!(pending.next_to_send(Some(5)), Some(4));
        pending.sent(4, 0, Time(12));
        assert_eq!(pending.next_to_send(Some(5)), None);
    }

    #[test]
    fn a_late_data_spares_the_retransmission() {
        let mut pending = Pending::default();
        pending.sent(0, 0, Time(0));
        pending.lost(0);
        assert_eq!(pending.take(0).unwrap().state, State::Lost);
        assert_eq!(pending.next_to_send(Some(1)), None);
        assert!(pending.all_received(1) && pending.take(0).is_none());
    }

    #[test]
    fn what_lies_behind_the_end_is_forgotten() {
        let mut pending = Pending::default();
        for segment in 0..6 {
            pending.sent(segment, 0, Time(segment));
        }
        pending.take(1);
        pending.lost(4);
        assert_eq!(pending.end_at(3), 2, "3 and 5 were in flight");
        assert!(pending.get(3).is_none() && pending.get(4).is_none());
        assert_eq!((pending.next_to_send(Some(3)), pending.oldest()), (None, Some((Time(0), 0))));
        pending.take(0);
        pending.take(2);
        assert!(pending.all_received(3) && pending.oldest().is_none());
        assert_eq!(pending.end_at(1), 0, "fewer than have been received");
    }

    #[test]
    fn the_oldest_timer_is_one_that_runs() {
        let mut pending = Pending::default();
        for segment in 0..4 {
            pending.sent(segment, 0, Time(segment));
        }
        pending.take(0);
        assert_eq!(pending.oldest(), Some((Time(1), 1)));
        pending.restart_timer(1, Time(9));
        pending.stop_timer(2);
        assert_eq!(pending.oldest(), Some((Time(3), 3)));
        pending.take(3);
        assert_eq!(pending.oldest(), Some((Time(9), 1)));
        pending.lost(1);
        assert_eq!(pending.oldest(), None);
    }

    #[test]
    fn what_is_there_is_not_asked_for() {
        let mut pending = Pending::default();
        for range in [5..7, 0..2, 3..4, 6..9, 9..10, 20..20] {
            pending.add_there(range);
        }
        assert_eq!(pending.there.len(), 2, "what overlaps or touches is one, and 0 to 1 are passed over at once");
        assert_eq!((pending.base(), pending.next_to_send(None)), (2, Some(2)));
        assert_eq!(pending.sent(2, 0, Time(1)), 1);
        assert_eq!(pending.next_to_send(None), Some(4), "3 is there");
        assert!(pending.get(3).is_none() && pending.take(3).is_none());
        pending.sent(4, 0, Time(2));
        assert_eq!(pending.next_to_send(Some(10)), None);
        pending.take(2);
        assert_eq!(pending.base(), 4);
        pending.take(4);
        assert!(pending.all_received(10) && pending.slots.is_empty());
        assert_eq!(pending.next_to_send(None), Some(10));
    }

    #[test]
    fn all_ranges_come_to_the_same() {
        // Every set of ten segments, given one by one in two orders, and each other one fetched.
        for set in 0u32..1 << 10 {
            let has = |segment: &u64| set >> segment & 1 == 1;
            let (mut up, mut down) = (Pending::default(), Pending::default());
            (0..10).filter(has).for_each(|s| up.add_there(s..s + 1));
            (0..10).rev().filter(has).for_each(|s| down.add_there(s..s + 1));
            for pending in [&mut up, &mut down] {
                for segment in (0..10).filter(|s| !has(s)) {
                    assert_eq!(pending.next_to_send(Some(10)), Some(segment));
                    pending.sent(segment, 0, Time(segment));
                    pending.take(segment);
                }
                assert_eq!(pending.next_to_send(Some(10)), None);
                assert!(pending.all_received(10) && pending.slots.is_empty());
            }
        }
    }

    #[test]
    fn memory_follows_what_is_missing() {
        let mut pending = Pending::default();
        for segment in 0..10_000 {
            pending.sent(segment, 0, Time(segment));
            if segment % 3 == 0 {
                pending.lost(segment);
                pending.sent(segment, 1, Time(segment + 1));
            }
            let slot = pending.take(segment).unwrap();
            assert_eq!(slot.transmissions, if segment % 3 == 0 { 2 } else { 1 });
            assert_eq!(slot.first_sent, Time(segment));
            assert!(pending.slots.is_empty() && pending.timers.is_empty() && pending.rest.is_empty());
        }
    }
}
