//! One face: a socket, its link service, and what waits to be written.

mod sending;

use crate::backlog::Backlog;
use crate::datagrams;
use crate::framer::Framer;
use crate::link::{Ends, Link};
use crate::pace::Pace;
use crate::socket::Transport;
use crate::station::FaceOptions;
use weir_core::{Rate, Time};
use weir_wire::{Kind, Mtu, Packet};

/// What has crossed a face, and what has not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaceCounters {
    /// Interests that came.
    pub in_interests: u64,
    /// Data that came.
    pub in_data: u64,
    /// Nacks that came.
    pub in_nacks: u64,
    /// Bytes of the frames that came.
    pub in_bytes: u64,
    /// Interests that left.
    pub out_interests: u64,
    /// Data that left.
    pub out_data: u64,
    /// Nacks that left.
    pub out_nacks: u64,
    /// Bytes of the frames that left.
    pub out_bytes: u64,
    /// Data that left with a congestion mark.
    pub out_marked: u64,
    /// Frames that came and are not NDN.
    pub malformed: u64,
    /// Fragments whose packet did not become whole.
    pub incomplete: u64,
    /// Frames that the system did not take (no route, no buffer, refused).
    pub unsent: u64,
}

/// What a face does with packets that are to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    /// It sends them.
    Open,
    /// They wait.
    Shut,
    /// They are lost.
    Void,
}

/// A face of the driver.
pub(crate) struct Face {
    pub transport: Transport,
    pub link: Link,
    pub framer: Framer,
    pub pace: Pace,
    /// Bytes of lower headers for each frame.
    overhead: usize,
    pub counters: FaceCounters,
    /// When something last came.
    pub heard: Time,
    /// The machine has something to send that waits until the face is free.
    pub waiting: bool,
    /// The system has said that the peer ends the stream; it will not say so again.
    pub ending: bool,
    pub gate: Gate,
    /// The kernel takes no more; it will say when it does.
    blocked: bool,
    /// The driver has asked it to say so.
    pub awaited: bool,
    backlog: Backlog,
    /// Bytes that are not written yet, from `start` on; of datagrams also where each ends.
    out: Vec<u8>,
    ends: Ends,
    start: usize,
    /// Datagrams of one length go together.
    runs: bool,
}

/// What became of a packet that was handed to a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// It is written, or will be.
    Yes,
    /// Bytes of it wait for a `flush`.
    Later,
    /// The system did not want it.
    Lost,
}

impl Face {
    pub fn new(transport: Transport, mtu: Mtu, options: &FaceOptions, now: Time) -> Face {
        let said = options.backlog.or(transport.usual_backlog());
        let mut face = Face {
            overhead: options.overhead.unwrap_or(transport.overhead()),
            transport,
            // Time goes on, so a face that is opened again begins with other numbers.
            link: Link::new(mtu, now.0),
            framer: Framer::default(),
            pace: Pace::new(options.rate),
            counters: FaceCounters::default(),
            heard: now,
            waiting: false,
            ending: false,
            gate: Gate::Open,
            blocked: false,
            awaited: false,
            backlog: Backlog::new(said, mtu.bytes(), now),
            out: Vec::new(),
            ends: Ends::new(),
            start: 0,
            runs: true,
        };
        if let Transport::Udp { socket, .. } = &face.transport {
            datagrams::join(socket);
        }
        face.bound_backlog();
        face
    }

    /// Tells the kernel how much it may hold. If it does not want to hear it, all stays as the system has it.
    fn bound_backlog(&mut self) {
        if let Ok(granted) = self.transport.set_backlog(self.backlog.bound()) {
            self.backlog.granted(granted);
        }
    }

    /// True if the next packet can be handed over.
    #[inline]
    pub fn is_free(&self, now: Time) -> bool {
        match self.gate {
            Gate::Open => !self.blocked && self.pace.is_free(now),
            Gate::Shut => false,
            Gate::Void => true,
        }
    }

    /// Cuts packets into frames no longer than this.
    pub fn set_mtu(&mut self, mtu: Mtu) {
        self.link.set_mtu(mtu);
        // Frames of another length may go together again.
        self.runs = true;
    }

    /// Has another rate from the next frame on.
    pub fn set_rate(&mut self, rate: Option<Rate>, overhead: Option<usize>) {
        self.pace = self.pace.with(rate);
        self.overhead = overhead.unwrap_or(self.transport.overhead());
    }

    /// Has another bound of what the kernel may hold.
    pub fn set_backlog(&mut self, bytes: Option<usize>, now: Time) {
        let said = bytes.or(self.transport.usual_backlog());
        self.backlog = Backlog::new(said, self.link.mtu().bytes(), now);
        self.bound_backlog();
    }

    /// What the kernel may hold, and whether that is fixed.
    pub fn backlog(&self) -> (usize, bool) {
        (self.backlog.bound(), self.backlog.is_fixed())
    }

    /// True if the kernel takes no more for the moment.
    pub fn is_blocked(&self) -> bool {
        self.blocked
    }

    /// Nothing can be written any more.
    pub fn block(&mut self) {
        self.blocked = true;
    }

    /// The kernel has just said that it takes no more.
    pub fn note_full(&mut self, now: Time) {
        if !self.backlog.is_fixed()
            && let Ok(unsent) = self.transport.unsent()
        {
            self.backlog.is_full(now, unsent);
        }
    }

    /// The kernel takes more again.
    pub fn unblock(&mut self, now: Time) {
        self.blocked = false;
        if !self.backlog.is_fixed()
            && let Ok(unsent) = self.transport.unsent()
            && self.backlog.has_room(now, unsent).is_some()
        {
            self.bound_backlog();
        }
    }

    /// True if everything has been written.
    pub fn is_flushed(&self) -> bool {
        self.start == self.out.len()
    }

    /// Counts a packet that came.
    pub fn count_in(&mut self, packet: &Packet) {
        match &packet.kind {
            Kind::Interest(_) => self.counters.in_interests += 1,
            Kind::Data(_) => self.counters.in_data += 1,
            Kind::Nack(_) => self.counters.in_nacks += 1,
        }
    }
}
