//! How much of what a face sends may stand in the kernel, where no scheme sees it?
//!
//! A face hands its frames to a socket until the kernel takes no more, and goes on when the kernel says that half of it has
//! left: so the size of the socket's buffer is the bound of what stands unseen, and no packet needs a system call to find
//! out. What size is right nobody knows beforehand. If it is too small, the wire stands idle while this process is on its
//! way; if it is too large, the queue stands in the kernel. So the bound is found as Linux finds it for the rings of
//! network devices (its "byte queue limits"): a face that comes back and finds nothing left was late, and gets more; one
//! that always finds much left gets less. Besides, between two visits without a pause the wire shows its rate, and no
//! more may stand there than it carries in some milliseconds.

use weir_core::{Span, Time};

/// What a face begins with, in bytes.
pub(crate) const USUAL: usize = 64 << 10;
/// More than this stands in the kernel of no face: what 1 Gbit/s carries in 30 ms, as the kernel counts.
const MOST: usize = 4 << 20;
/// Less than the wire carries in this time is not worth a visit.
const SHORTEST: Span = Span::from_millis(2);
/// Who is later than this is not made up for: the same as of a face whose rate is known.
const LONGEST: Span = Span::from_millis(20);
/// How long a face must have found too much before it gets less.
const HOLD: Span = Span::from_millis(1000);
/// The memory of a frame besides its bytes, about, as the kernel counts.
const SLACK: usize = 1024;
/// Part of what was known of the rate that each visit leaves: 7 of 8.
const SHARE: u64 = 8;

/// The bound of one face, as the kernel counts bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backlog {
    bound: usize,
    /// The operator has said it.
    fixed: bool,
    /// Two frames: while one is sent, the next has to be there.
    least: usize,
    /// The system grants no more.
    most: usize,
    /// When the kernel last took no more, and what was there.
    full: Option<(Time, usize)>,
    /// Bytes that have left while some were always left, and how long that took, in nanoseconds; older ones count less.
    drained: u64,
    during: u64,
    /// The least that was found at a visit since then.
    found: usize,
    since: Time,
}

impl Backlog {
    /// `said`: the operator's bound; `frame`: the longest frame.
    pub fn new(said: Option<usize>, frame: usize, now: Time) -> Backlog {
        let least = 2 * (frame.next_power_of_two() + SLACK);
        Backlog {
            bound: said.unwrap_or(USUAL.max(least)),
            fixed: said.is_some(),
            least,
            most: MOST.max(least),
            full: None,
            drained: 0,
            during: 0,
            found: usize::MAX,
            since: now,
        }
    }

    /// What may stand in the kernel.
    pub fn bound(&self) -> usize {
        self.bound
    }

    /// True if nobody has to look.
    pub fn is_fixed(&self) -> bool {
        self.fixed
    }

    /// What the system has made of the bound.
    pub fn granted(&mut self, bytes: usize) {
        if bytes < self.bound {
            self.most = bytes.max(self.least);
        }
        self.bound = bytes;
    }

    /// The kernel takes no more; `unsent` bytes are there.
    pub fn is_full(&mut self, now: Time, unsent: usize) {
        self.full = Some((now, unsent));
    }

    /// The kernel takes more again, and packets are waiting; `unsent` bytes are left. Gives the bound, if it is another now.
    pub fn has_room(&mut self, now: Time, unsent: usize) -> Option<usize> {
        let (at, before) = self.full.take()?;
        if self.fixed {
            return None;
        }
        self.learn(before.saturating_sub(unsent) as u64, now.since(at).0.max(1), unsent == 0);
        self.found = self.found.min(unsent);
        let (least, most) = (self.carried_in(SHORTEST, 0), self.carried_in(LONGEST, usize::MAX));
        let (least, most) = (least.clamp(self.least, self.most), most.clamp(self.least, self.most));
        let bound = if unsent == 0 {
            self.hold(now);
            2 * self.bound
        } else if now.since(self.since) >= HOLD {
            let found = self.found;
            self.hold(now);
            self.bound - (found / 2).min(self.bound)
        } else {
            self.bound
        };
        let bound = bound.clamp(least, most);
        (bound != std::mem::replace(&mut self.bound, bound)).then_some(bound)
    }

    fn hold(&mut self, now: Time) {
        self.found = usize::MAX;
        self.since = now;
    }

    /// A wire that has stood idle is at least as fast as it seems.
    fn learn(&mut self, bytes: u64, nanoseconds: u64, idle: bool) {
        if idle {
            let is_faster =
                u128::from(bytes) * u128::from(self.during) > u128::from(self.drained) * u128::from(nanoseconds);
            if self.during > 0 && is_faster {
                (self.drained, self.during) = (bytes, nanoseconds);
            }
            return;
        }
        self.drained = self.drained - self.drained / SHARE + bytes;
        self.during = self.during - self.during / SHARE + nanoseconds;
    }

    /// Bytes that leave in `span`, if that is known.
    fn carried_in(&self, span: Span, unknown: usize) -> usize {
        let bytes = u128::from(self.drained) * u128::from(span.0);
        bytes.checked_div(self.during.into()).map_or(unknown, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wire of this many bytes a second before a kernel, and a process that is late: by `late` whenever there is room.
    struct Wire {
        rate: u64,
        now: Time,
        unsent: usize,
        idle: Span,
    }

    impl Wire {
        fn pass(&mut self, span: Span) {
            let sent = (self.rate * span.0 / 1_000_000_000) as usize;
            if sent > self.unsent {
                self.idle = Span(self.idle.0 + (sent - self.unsent) as u64 * 1_000_000_000 / self.rate);
            }
            self.unsent = self.unsent.saturating_sub(sent);
            self.now += span;
        }

        /// The packets never end. Gives the share of the time in which the wire was idle.
        fn run(&mut self, backlog: &mut Backlog, seconds: u64, mut late: impl FnMut() -> Span) -> f64 {
            let (begin, idle) = (self.now, self.idle);
            while self.now < begin + Span::from_millis(1000 * seconds) {
                self.unsent = backlog.bound();
                backlog.is_full(self.now, self.unsent);
                let half = Span((self.unsent / 2) as u64 * 1_000_000_000 / self.rate);
                self.pass(half);
                self.pass(late());
                backlog.has_room(self.now, self.unsent);
            }
            (self.idle.0 - idle.0) as f64 / self.now.since(begin).0 as f64
        }

        fn milliseconds(&self, bytes: usize) -> f64 {
            bytes as f64 / self.rate as f64 * 1e3
        }
    }

    fn wire(megabits: u64) -> (Wire, Backlog) {
        let wire = Wire { rate: megabits * 125_000, now: Time(5_000_000_000), unsent: 0, idle: Span::ZERO };
        (wire, Backlog::new(None, 1400, Time(5_000_000_000)))
    }

    #[test]
    fn the_wire_is_kept_busy_and_little_stands_before_it() {
        for megabits in [1, 20, 100, 1000] {
            for late in [30, 300, 3000] {
                let (mut wire, mut backlog) = wire(megabits);
                let mut turn = 0u64;
                // Now and then much later than usual.
                let mut lateness = || {
                    turn += 1;
                    Span::from_micros(if turn.is_multiple_of(100) { 3 * late } else { late })
                };
                wire.run(&mut backlog, 10, &mut lateness);
                let idle = wire.run(&mut backlog, 10, &mut lateness);
                assert!(idle < 0.02, "{megabits} Mbit/s, {late} us: idle for {idle} of the time");
                let stands = wire.milliseconds(backlog.bound());
                let two_frames = wire.milliseconds(backlog.least);
                let most = (2.0f64).max(0.012 * late as f64).max(two_frames) * 1.1;
                assert!(stands <= most, "{megabits} Mbit/s, {late} us: {stands} ms stand in the kernel");
            }
        }
    }

    #[test]
    fn a_process_that_sleeps_long_is_not_made_up_for() {
        let (mut wire, mut backlog) = wire(20);
        wire.run(&mut backlog, 5, || Span::from_micros(100));
        wire.run(&mut backlog, 5, || Span::from_millis(100));
        assert!(wire.milliseconds(backlog.bound()) < 25.0, "{} ms", wire.milliseconds(backlog.bound()));
    }

    #[test]
    fn a_wire_that_becomes_faster_is_kept_busy_again() {
        let (mut wire, mut backlog) = wire(5);
        wire.run(&mut backlog, 5, || Span::from_micros(500));
        wire.rate = 125_000_000;
        wire.run(&mut backlog, 2, || Span::from_micros(500));
        let idle = wire.run(&mut backlog, 5, || Span::from_micros(500));
        assert!(idle < 0.02, "idle for {idle} of the time");
    }

    #[test]
    fn what_the_operator_says_holds() {
        let mut wire = wire(20).0;
        let mut backlog = Backlog::new(Some(10_000), 8800, wire.now);
        wire.run(&mut backlog, 3, || Span::from_millis(30));
        assert_eq!(backlog.bound(), 10_000);
    }

    #[test]
    fn no_more_is_asked_for_than_the_system_grants() {
        let (mut wire, mut backlog) = wire(1000);
        backlog.granted(50_000);
        wire.run(&mut backlog, 3, || Span::from_millis(10));
        assert_eq!(backlog.bound(), 50_000);
    }
}
