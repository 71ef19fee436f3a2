//! The state machine of CoDel (RFC 8289, section 5), apart from what is done to the packets that it picks.

use weir_core::{Backlog, Bytes, MarkLaw, Span, Time};

/// When is a standing queue to be answered, and how often?
#[derive(Debug)]
pub struct Codel {
    target: Span,
    interval: Span,
    mtu: Bytes,
    /// Congestion is taken for real from here on, if the sojourn time stays above the target.
    real_from: Option<Time>,
    dropping: bool,
    next: Time,
    count: u32,
    last_count: u32,
}

impl Codel {
    /// No congestion so far.
    pub fn new(target: Span, interval: Span, mtu: Bytes) -> Codel {
        Codel { target, interval, mtu, real_from: None, dropping: false, next: Time::ZERO, count: 0, last_count: 0 }
    }

    /// Has the sojourn time been at or above the target for a whole interval? To be asked for each packet once.
    #[inline]
    pub fn is_late(&mut self, sojourn: Span, backlog: Backlog, now: Time) -> bool {
        if sojourn < self.target || backlog.bytes as u64 <= self.mtu.0 {
            self.real_from = None;
            return false;
        }
        now >= *self.real_from.get_or_insert(now + self.interval)
    }

    /// True between the first action and the end of congestion.
    #[inline]
    pub fn is_dropping(&self) -> bool {
        self.dropping
    }

    /// Is another action due?
    #[inline]
    pub fn is_due(&self, now: Time) -> bool {
        self.dropping && now >= self.next
    }

    /// The first action was taken. Congestion that comes back soon is met with the rate that was needed last time.
    pub fn enter(&mut self, now: Time) {
        let delta = self.count.saturating_sub(self.last_count);
        let recent = now.since(self.next) < self.interval * 16;
        self.count = if delta > 1 && recent { delta } else { 1 };
        self.last_count = self.count;
        self.dropping = true;
        self.next = now + self.gap();
    }

    /// Another action was taken.
    pub fn count(&mut self) {
        self.count += 1;
    }

    /// Congestion goes on: the next action follows after the shorter gap that goes with the count.
    pub fn go_on(&mut self) {
        self.next += self.gap();
    }

    /// Congestion is over.
    #[inline]
    pub fn leave(&mut self) {
        self.dropping = false;
    }

    fn gap(&self) -> Span {
        self.interval.scaled(1.0 / f64::from(self.count).sqrt())
    }
}

/// One mark for each dequeue at most, as Linux does with ECN.
impl MarkLaw for Codel {
    fn signal(&mut self, sojourn: Span, backlog: Backlog, now: Time) -> bool {
        let late = self.is_late(sojourn, backlog, now);
        let due = self.is_due(now);
        match (late, self.dropping) {
            (false, _) => self.leave(),
            (true, false) => self.enter(now),
            (true, true) if due => {
                self.count();
                self.go_on();
            }
            (true, true) => return false,
        }
        late
    }

    fn persists(&self) -> bool {
        self.dropping
    }
}
