//! The driver: one thread that moves a station's packets between sockets.
//!
//! Each round it asks the system what is ready, takes a bounded number of packets from each socket that is, lets the
//! machine do what is due, and writes what it has to send. `reading.rs` takes what has come, `moving.rs` follows the machine's
//! contract, `opening.rs` lets faces come and go.

mod moving;
mod opening;
mod reading;

use crate::clock::{Clock, duration};
use crate::face::{Face, FaceCounters, Gate};
use crate::station::{Closing, Station};
use crate::timer::Timer;
use bytes::Bytes;
use mio::{Events, Poll, Token, Waker};
use opening::{Connecting, Listener};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use weir_core::{Context, FaceId, NodeId, Rate, Ready, Sink, Span, Time};
use weir_wire::Mtu;

/// What tokens stand for: two bits, then a generation for faces, then a number.
const FACE: usize = 0;
const LISTENER: usize = 1;
const CONNECTING: usize = 2;
const OWN: usize = 3;
const TIMER: Token = token(OWN, 0, 0);
const WAKER: Token = token(OWN, 0, 1);

/// Waits shorter than this are timed to the microsecond.
const PRECISE: Span = Span::from_millis(50);
/// How often somebody looks after connections that are on their way and frames whose end does not come.
const HOUSEKEEPING: Span = Span::from_millis(1000);
/// Bytes that are read at once.
const SCRATCH: usize = 256 << 10;

/// Moves a [`Station`].
pub struct Driver {
    poll: Poll,
    timer: Timer,
    waker: Arc<Waker>,
    clock: Clock,
    now: Time,
    ready: Ready,
    sink: Box<dyn Sink>,
    /// By [`FaceId`].
    faces: Vec<Option<Face>>,
    /// How many faces have had each number: events of a face that has closed are not the next one's.
    generations: Vec<u32>,
    listeners: Vec<Listener>,
    connecting: Vec<Option<Connecting>>,
    /// Faces of UDP peers by the listener that they came to.
    peers: BTreeMap<(usize, SocketAddr), FaceId>,
    /// Sockets that have more to read.
    readable: Vec<FaceId>,
    acceptable: Vec<usize>,
    /// Faces with bytes to be written.
    dirty: Vec<FaceId>,
    /// When waiting faces become free.
    timers: BinaryHeap<Reverse<(Time, FaceId)>>,
    closing: Vec<(FaceId, Closing)>,
    housekeeping: Time,
    /// The time for which the timer is set.
    armed: Time,
    scratch: Vec<u8>,
    frames: Vec<Bytes>,
}

const fn token(kind: usize, generation: u32, number: usize) -> Token {
    Token(kind << 62 | (generation as usize & 0x3fff_ffff) << 32 | number)
}

impl Driver {
    /// A driver without faces. `sink` is told what the machine's plug-ins do.
    pub fn new(sink: Box<dyn Sink>) -> io::Result<Driver> {
        let poll = Poll::new()?;
        let waker = Arc::new(Waker::new(poll.registry(), WAKER)?);
        let clock = Clock::start();
        Ok(Driver {
            timer: Timer::new(poll.registry(), TIMER)?,
            poll,
            waker,
            now: clock.now(),
            clock,
            ready: Ready::default(),
            sink,
            faces: Vec::new(),
            generations: Vec::new(),
            listeners: Vec::new(),
            connecting: Vec::new(),
            peers: BTreeMap::new(),
            readable: Vec::new(),
            acceptable: Vec::new(),
            dirty: Vec::new(),
            timers: BinaryHeap::new(),
            closing: Vec::new(),
            housekeeping: Time::ZERO,
            armed: Time::NEVER,
            scratch: vec![0; SCRATCH],
            frames: Vec::new(),
        })
    }

    /// The clock from which the machine is told the time.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// What a machine is lent for one call from [`Station::turn`].
    pub fn context(&mut self) -> Context<'_> {
        Context {
            now: self.now,
            node: NodeId(0),
            face: FaceId(0),
            sink: &mut *self.sink,
            watched: false,
            ready: &mut self.ready,
        }
    }

    /// Wakes the driver from another thread: it then calls [`Station::turn`].
    pub fn waker(&self) -> Arc<Waker> {
        self.waker.clone()
    }

    /// What has crossed a face.
    pub fn counters(&self, face: FaceId) -> Option<FaceCounters> {
        let face = self.face(face)?;
        Some(FaceCounters { incomplete: face.link.given_up(), ..face.counters })
    }

    /// When something last came over a face.
    pub fn heard(&self, face: FaceId) -> Option<Time> {
        self.face(face).map(|face| face.heard)
    }

    /// The longest frame of a face now; shorter than it was, if the system has refused longer ones.
    pub fn mtu(&self, face: FaceId) -> Option<Mtu> {
        self.face(face).map(|face| face.link.mtu())
    }

    /// Changes the longest frame of a face.
    pub fn set_mtu(&mut self, face: FaceId, mtu: Mtu) {
        if let Some(open) = self.face_mut(face) {
            open.set_mtu(mtu);
        }
    }

    /// Changes the rate of a face, and what it has to carry with each frame.
    pub fn set_rate(&mut self, face: FaceId, rate: Option<Rate>, overhead: Option<usize>) {
        if let Some(open) = self.face_mut(face) {
            open.set_rate(rate, overhead);
        }
    }

    /// Changes how much of what a face sends the kernel may hold; `None`: what keeps the link busy.
    pub fn set_backlog(&mut self, face: FaceId, bytes: Option<usize>) {
        let now = self.now;
        if let Some(open) = self.face_mut(face) {
            open.set_backlog(bytes, now);
        }
    }

    /// How many bytes of what a face sends the kernel may hold, and whether somebody has said so.
    pub fn backlog(&self, face: FaceId) -> Option<(usize, bool)> {
        self.face(face).map(Face::backlog)
    }

    /// Opens or shuts a face for what is to leave.
    pub(crate) fn set_gate(&mut self, face: FaceId, gate: Gate) {
        let now = self.now;
        if let Some(open) = self.face_mut(face) {
            open.gate = gate;
            // What has waited may leave, or be dropped.
            self.timers.push(Reverse((now, face)));
        }
    }

    /// Closes a face, once what it has to write has been tried.
    pub fn close(&mut self, face: FaceId) {
        if let Some(open) = self.face_mut(face) {
            let _ = open.flush();
            self.closing.push((face, Closing::Asked));
        }
    }

    /// Works until the station is done.
    pub fn run(&mut self, station: &mut dyn Station) -> io::Result<()> {
        let mut events = Events::with_capacity(256);
        loop {
            self.round(station);
            if station.is_done() && self.faces.iter().flatten().all(|face| face.is_flushed() || face.is_blocked()) {
                return Ok(());
            }
            self.await_events(&mut events, station)?;
        }
    }

    /// One round of work with all that is known to be ready.
    fn round(&mut self, station: &mut dyn Station) {
        self.tick();
        self.accept_ready(station);
        self.read_ready(station);
        self.pull_due(station);
        if station.next_wake().is_some_and(|at| at <= self.now) {
            station.wake(&mut self.context());
            self.settle(station);
        }
        if self.housekeeping <= self.now {
            self.keep_house(station);
        }
        self.flush_dirty(station);
        station.turn(self);
        self.settle(station);
        self.flush_dirty(station);
        self.close_closing(station);
    }

    /// Waits until something is to be done, and notes what.
    fn await_events(&mut self, events: &mut Events, station: &dyn Station) -> io::Result<()> {
        let timeout = self.timeout(station);
        match self.poll.poll(events, timeout) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => return Ok(()),
            other => other?,
        }
        self.tick();
        for event in events.iter() {
            let number = event.token().0 & 0xffff_ffff;
            match event.token().0 >> 62 {
                FACE => self.face_is_ready(event),
                LISTENER => self.acceptable.push(number),
                CONNECTING => self.connecting_is_ready(number),
                _ => self.armed = Time::NEVER,
            }
        }
        Ok(())
    }

    fn face_is_ready(&mut self, event: &mio::event::Event) {
        let id = FaceId(event.token().0 as u32);
        let generation = self.generations.get(id.index()).copied().unwrap_or_default();
        if token(FACE, generation, id.index()) != event.token() {
            return;
        }
        let now = self.now;
        let Some(face) = self.face_mut(id) else { return };
        face.ending |= event.is_read_closed();
        let writable = event.is_writable() && face.is_blocked();
        if writable {
            face.unblock(now);
            self.dirty.push(id);
        }
        // What has failed or ended says so when it is read.
        if event.is_readable() || event.is_error() || event.is_read_closed() {
            self.readable.push(id);
        }
        if writable {
            self.await_room(id);
        }
    }

    /// How long to wait for events; `None`: for ever.
    fn timeout(&mut self, station: &dyn Station) -> Option<Duration> {
        let busy = !self.readable.is_empty() || !self.acceptable.is_empty() || !self.closing.is_empty();
        if busy {
            return Some(Duration::ZERO);
        }
        let free = self.timers.peek().map(|Reverse((at, _))| *at);
        let at = [free, station.next_wake(), Some(self.housekeeping)].into_iter().flatten().min()?;
        let now = self.clock.now();
        if at <= now {
            return Some(Duration::ZERO);
        }
        let wait = at.since(now);
        // Rounding up to milliseconds does no harm to what is far.
        if wait > PRECISE {
            return Some(duration(wait));
        }
        if self.armed != at {
            self.armed = if self.timer.arm(duration(wait)) { at } else { Time::NEVER };
        }
        (self.armed == Time::NEVER).then(|| duration(wait)).or(Some(duration(HOUSEKEEPING)))
    }

    fn tick(&mut self) {
        self.now = self.clock.now();
    }

    fn face(&self, face: FaceId) -> Option<&Face> {
        self.faces.get(face.index())?.as_ref()
    }

    fn face_mut(&mut self, face: FaceId) -> Option<&mut Face> {
        self.faces.get_mut(face.index())?.as_mut()
    }
}

impl std::fmt::Debug for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let faces = self.faces.iter().flatten().count();
        f.debug_struct("Driver").field("now", &self.now).field("faces", &faces).finish_non_exhaustive()
    }
}
