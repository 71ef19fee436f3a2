//! The program that serves: a publisher behind faces, and a prefix kept registered at a forwarder.

use crate::desk::Desk;
use crate::lines::Lines;
use crate::plugins::Choice;
use crate::publisher::Publisher;
use crate::registration::{Answer, Registration};
use crate::retry::Retry;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use weir_core::{Context, DropReason, FaceId, Machine, Pull, Reading, Seed, Time};
use weir_live::{Clock, Closing, Driver, Endpoint, FaceInfo, FaceOptions, Origin, Station};
use weir_trust::Signer;
use weir_wire::{HopFields, Interest, Kind, Packet};

/// After so many commands without an answer the user is told.
const SILENCE: u32 = 3;

/// What happens to a server, for its user.
#[derive(Debug)]
pub enum ServerEvent<'a> {
    /// The forwarder knows the prefix; Interests can come.
    Registered,
    /// The forwarder is not there; it is tried again.
    Away(&'a str),
    /// The forwarder does not answer commands; they are repeated.
    Silent,
    /// An Interest could not be answered.
    Failed(&'a str),
}

/// Told of [`ServerEvent`]s.
pub type Reporter = Box<dyn FnMut(&ServerEvent<'_>)>;

/// Data that are made for a face before others and the sockets get their turn again, so that what comes meanwhile stands in
/// the desk's queue and not in the kernel: some tenths of a millisecond.
const AT_ONCE: usize = 32;

/// A forwarder where the prefix is registered.
#[derive(Debug)]
struct Upstream {
    endpoint: Endpoint,
    registration: Registration,
    face: Option<FaceId>,
    retry: Retry,
    registered: bool,
}

/// Serves what a [`Publisher`] has, over the faces that come to it and over one to a forwarder.
pub struct Server {
    publisher: Publisher,
    upstream: Option<Upstream>,
    /// What is sent of our own.
    lines: Lines,
    desk: Desk,
    /// The face that was served last in this round, and Data that were made for it.
    made: (FaceId, usize),
    /// There are Interests that can be answered in the next round.
    due: bool,
    /// There is something to sign before somebody asks for it.
    ahead: bool,
    report: Reporter,
    stop: Arc<AtomicBool>,
    failure: Option<String>,
}

impl Server {
    /// A server without a forwarder, for peers that come to the driver's listeners. Interests wait in a `queue` of the
    /// registry for each face. It ends when `stop` is true (and the driver is woken).
    ///
    /// # Errors
    /// If there is no such queue, with the nearest right thing.
    pub fn new(publisher: Publisher, queue: Choice, stop: Arc<AtomicBool>, report: Reporter) -> Result<Server, String> {
        let desk = Desk::new(queue, Seed(u64::from(std::process::id())))?;
        let lines = Lines::default();
        Ok(Server {
            publisher,
            upstream: None,
            lines,
            desk,
            made: (FaceId(0), 0),
            due: false,
            ahead: true,
            report,
            stop,
            failure: None,
        })
    }

    /// The same at a forwarder, whom it asks for the prefix's Interests with commands that `signer` signs, as long as it
    /// runs. `seed` makes their nonces.
    pub fn at(mut self, forwarder: Endpoint, signer: Signer, seed: Seed) -> Server {
        let prefix = self.publisher.prefix().clone();
        let registration = Registration::new(prefix, forwarder.is_local(), signer, seed.stream());
        let retry = Retry::default();
        self.upstream = Some(Upstream { endpoint: forwarder, registration, face: None, retry, registered: false });
        self
    }

    /// What it serves.
    pub fn publisher(&self) -> &Publisher {
        &self.publisher
    }

    /// Why it ended before it was told to.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// The Data that answers an Interest, if there is one.
    fn answer(&mut self, packet: Packet, cx: &mut Context<'_>) -> Option<Packet> {
        let Kind::Interest(interest) = &packet.kind else { return None };
        let answer = self.publisher.answer(interest, Clock::unix_millis() * 1000);
        match answer {
            Ok(Some(data)) => {
                // A queue on the way here was congested: its mark returns with the Data.
                let HopFields { pit_token, congestion_mark, .. } = packet.hop.clone();
                let hop = HopFields { pit_token, congestion_mark, ..HopFields::default() };
                return Some(packet.renewed(hop, Kind::Data(data)));
            }
            Ok(None) => cx.discard(packet, DropReason::Unwanted),
            Err(error) => {
                (self.report)(&ServerEvent::Failed(&error.to_string()));
                cx.discard(packet, DropReason::Unwanted);
            }
        }
        None
    }

    /// The next Data for a face, made now.
    fn next_answer(&mut self, face: FaceId, cx: &mut Context<'_>) -> Pull {
        if self.made.0 != face {
            self.made = (face, 0);
        }
        while self.made.1 < AT_ONCE {
            let Some(interest) = self.desk.next(face, cx) else { return Pull::Idle };
            self.made.1 += 1;
            if let Some(data) = self.answer(interest, cx) {
                if self.desk.waits(face) {
                    cx.ready.more();
                }
                return Pull::Packet(data);
            }
        }
        self.due |= self.desk.waits(face);
        Pull::Idle
    }

    fn on_data(&mut self, face: FaceId, packet: Packet, cx: &mut Context<'_>) {
        let Kind::Data(data) = &packet.kind else { return };
        let upstream = self.upstream.as_mut().filter(|upstream| upstream.face == Some(face));
        match upstream.and_then(|upstream| Some((upstream.registration.answer(data)?, upstream))) {
            Some((Answer::Registered, upstream)) => {
                upstream.registered = true;
                (self.report)(&ServerEvent::Registered);
            }
            Some((Answer::Refused { code, text }, _)) => {
                let prefix = self.publisher.prefix();
                self.failure = Some(format!("the forwarder does not register {prefix}: {code} {text}"));
            }
            None => cx.discard(packet, DropReason::Unwanted),
        }
    }

    /// Asks for the prefix if it is time.
    fn register(&mut self, cx: &mut Context<'_>) {
        let Some(upstream) = &mut self.upstream else { return };
        let Some(face) = upstream.face else { return };
        let asked: Result<Option<Interest>, _> = upstream.registration.ask(cx.now, Clock::unix_millis());
        if upstream.registration.unanswered() == SILENCE && matches!(asked, Ok(Some(_))) {
            (self.report)(&ServerEvent::Silent);
        }
        match asked {
            Ok(Some(command)) => self.lines.send(face, command.into(), cx),
            Ok(None) => {}
            Err(error) => self.failure = Some(error.to_string()),
        }
    }
}

impl Machine for Server {
    fn receive(&mut self, face: FaceId, packet: Packet, cx: &mut Context<'_>) {
        cx.face = face;
        match &packet.kind {
            Kind::Interest(_) => {
                self.desk.add(face, packet, cx);
                self.due = true;
            }
            Kind::Data(_) => self.on_data(face, packet, cx),
            Kind::Nack(_) => cx.discard(packet, DropReason::Unwanted),
        }
    }

    fn pull(&mut self, face: FaceId, cx: &mut Context<'_>) -> Pull {
        match self.lines.pull(face, cx) {
            Pull::Idle => self.next_answer(face, cx),
            own => {
                if self.desk.waits(face) {
                    cx.ready.more();
                }
                own
            }
        }
    }

    fn keep(&mut self, face: FaceId, packet: Packet) {
        self.lines.keep(face, packet);
    }

    fn wake(&mut self, cx: &mut Context<'_>) {
        self.register(cx);
        if std::mem::take(&mut self.due) {
            // Of a face that takes nothing now, the driver remembers that something waits.
            self.desk.waiting().for_each(|face| cx.ready.add(face));
        } else if self.ahead {
            self.ahead = self.publisher.sign_ahead();
        }
    }

    fn next_wake(&self) -> Option<Time> {
        if self.due || self.ahead {
            return Some(Time::ZERO);
        }
        let upstream = self.upstream.as_ref()?;
        upstream.retry.next().or(upstream.registration.due().filter(|_| upstream.face.is_some()))
    }

    fn inspect(&self, _now: Time, _report: &mut dyn FnMut(Reading)) {}
}

impl Station for Server {
    fn opened(&mut self, about: &FaceInfo, cx: &mut Context<'_>) -> Option<FaceId> {
        let face = self.lines.open();
        self.desk.open(face);
        if let (Origin::Connected(_), Some(upstream)) = (about.origin, &mut self.upstream) {
            upstream.face = Some(face);
            upstream.retry.reached();
            upstream.registration.begin(cx.now);
        }
        Some(face)
    }

    fn closed(&mut self, face: FaceId, why: &Closing, cx: &mut Context<'_>) {
        self.lines.close(face, cx);
        self.desk.close(face, cx);
        if let Some(upstream) = self.upstream.as_mut().filter(|upstream| upstream.face == Some(face)) {
            (upstream.face, upstream.registered) = (None, false);
            upstream.registration.end();
            upstream.retry.lost(cx.now);
            (self.report)(&ServerEvent::Away(&why.to_string()));
        }
    }

    fn refused(&mut self, _tag: u64, error: &io::Error) {
        if let Some(upstream) = &mut self.upstream {
            upstream.retry.refused();
            (self.report)(&ServerEvent::Away(&error.to_string()));
        }
    }

    fn turn(&mut self, driver: &mut Driver) {
        self.made.1 = 0;
        let Some(upstream) = &mut self.upstream else { return };
        if upstream.retry.is_due(driver.clock().now()) {
            driver.connect(&upstream.endpoint, FaceOptions::default(), 0);
        }
    }

    fn is_done(&self) -> bool {
        self.failure.is_some() || self.stop.load(Ordering::Relaxed)
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("publisher", &self.publisher)
            .field("faces", &self.lines.open_faces())
            .finish_non_exhaustive()
    }
}
