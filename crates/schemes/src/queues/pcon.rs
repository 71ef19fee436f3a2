//! The marking queue of PCON (Schneider, Yi, Zhang and Zhang, 2016), after the authors' own queue.

use crate::parts::fifo::Taken;
use crate::parts::marking::{MarkPlace, Marking};
use weir_core::{Backlog, Entry, MarkLaw, QueueDiscipline, Span, Time};

weir_core::parameters! {
    /// Parameters of PCON's queue.
    pub struct PconParameters {
        /// Sojourn time that a standing queue may have.
        target: Span = Span::from_millis(5), Some((0.0, 10.0)), "PCON authors' code (CoDel's default)";
        /// Sojourn times must exceed the target for longer than this.
        interval: Span = Span::from_millis(100), Some((0.0, 100.0)), "PCON authors' code (CoDel's default)";
        /// Marks keep a distance of spacing x interval / sqrt(marks so far).
        spacing: f64 = 1.1, Some((0.0, 100.0)), "PCON authors' code";
        /// Which packet carries the mark: the next one handed to the queue, or the one being dequeued.
        mark: MarkPlace = MarkPlace::Next, None, "PCON authors' code";
        /// Marks on Data tell how many hops they have come, for strategies that ask.
        distance: bool = false, None, "the code that Thibaud et al. 2019 build on";
        /// Frames of a packet that is longer than one are taken "together", all or none, or "singly", those that fit.
        frames: Taken = Taken::Together, None, "choice; \"singly\": as network devices do";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn QueueDiscipline>> = weir_core::entry!(
    "pcon",
    "Marks, at a growing rate, while every packet waits longer than 5 ms",
    PconParameters,
    |p, site| {
        let queue = Marking::new(site.limit, PconLaw::new(&p), p.mark).telling_distance(p.distance);
        Box::new(queue.taking_frames(p.frames, site.link_rate))
    },
    "../../../../docs/schemes/queue-pcon.md"
);

/// When is a packet to be marked?
#[derive(Debug)]
pub struct PconLaw {
    target: Span,
    interval: Span,
    /// Longest distance between two marks.
    gap: Span,
    above_since: Option<Time>,
    congested: bool,
    /// Survives the end of congestion.
    next_mark: Time,
    marks: u32,
}

impl PconLaw {
    /// No congestion so far.
    pub fn new(p: &PconParameters) -> PconLaw {
        PconLaw {
            target: p.target,
            interval: p.interval,
            gap: p.interval.scaled(p.spacing),
            above_since: None,
            congested: false,
            next_mark: Time::ZERO,
            marks: 0,
        }
    }

    /// Has each packet, for longer than an interval, waited longer than the target?
    fn is_congested(&mut self, sojourn: Span, now: Time) -> bool {
        if sojourn <= self.target {
            self.above_since = None;
            return false;
        }
        now > *self.above_since.get_or_insert(now) + self.interval
    }
}

impl MarkLaw for PconLaw {
    fn signal(&mut self, sojourn: Span, _backlog: Backlog, now: Time) -> bool {
        self.congested = self.is_congested(sojourn, now);
        if !self.congested {
            self.marks = 0;
            return false;
        }
        let due = now >= self.next_mark;
        if due {
            self.marks += 1;
            self.next_mark = now + self.gap.scaled(1.0 / f64::from(self.marks).sqrt());
        }
        due
    }

    fn persists(&self) -> bool {
        self.congested
    }
}
