//! The program that fetches: a getter behind one face.

use crate::getter::{GetError, GetProgress, Getter};
use crate::lines::Lines;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use weir_core::{Context, DropReason, FaceId, Machine, Pull, Reading, Span, Time};
use weir_engine::Outbox;
use weir_live::{Closing, Driver, Endpoint, FaceInfo, FaceOptions, Station};
use weir_results::files::FileError;
use weir_wire::{Kind, Packet};

/// How often its user hears of a fetch.
const REPORT: Span = Span::from_millis(100);

/// How long to wait before the next try to reach a forwarder that has gone away.
const RETRY: Span = Span::from_millis(500);
/// How long it is tried.
const PATIENCE: Span = Span::from_millis(60_000);

/// Told how far a fetch is.
pub type Watcher = Box<dyn FnMut(&GetProgress)>;

/// Fetches what a [`Getter`] wants over one face.
pub struct Client {
    getter: Getter,
    remote: Endpoint,
    lines: Lines,
    outbox: Outbox,
    face: Option<FaceId>,
    /// When to connect; `None`: it is connected, or about to be. `NEVER`: the next turn says when.
    connect_at: Option<Time>,
    /// Since when a forwarder that was there has been away, and why it went.
    away: Option<(Time, String)>,
    now: Time,
    stop: Arc<AtomicBool>,
    watch: Watcher,
    reported: Time,
}

impl Client {
    /// A client that connects to `remote`: a forwarder, or the producer itself, and connects again for a minute if that
    /// goes away meanwhile. It ends when the getter does, or when `stop` is true (and the driver is woken).
    pub fn new(getter: Getter, remote: Endpoint, stop: Arc<AtomicBool>, watch: Watcher) -> Client {
        Client {
            getter,
            remote,
            lines: Lines::default(),
            outbox: Outbox::new(),
            face: None,
            connect_at: Some(Time::ZERO),
            away: None,
            now: Time::ZERO,
            stop,
            watch,
            reported: Time::ZERO,
        }
    }

    /// What it fetches.
    pub fn getter(&self) -> &Getter {
        &self.getter
    }

    /// Writes the tables that were collected: a row for each segment into `path`, the series of the window into its
    /// neighbour, whose name it returns.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write_tables(&self, path: &Path) -> Result<Option<PathBuf>, FileError> {
        self.getter.recorder().write(path)
    }

    fn send(&mut self, cx: &mut Context<'_>) {
        let Some(face) = self.face else { return self.outbox.clear() };
        for packet in self.outbox.drain(..) {
            self.lines.send(face, packet, cx);
        }
    }
}

impl Machine for Client {
    fn receive(&mut self, face: FaceId, mut packet: Packet, cx: &mut Context<'_>) {
        (cx.face, self.now) = (face, cx.now);
        if matches!(packet.kind, Kind::Interest(_)) {
            return cx.discard(packet, DropReason::Unwanted);
        }
        packet.hop_mut().count_link();
        self.getter.receive(packet, &mut self.outbox, cx);
        self.send(cx);
    }

    fn pull(&mut self, face: FaceId, cx: &mut Context<'_>) -> Pull {
        self.lines.pull(face, cx)
    }

    fn keep(&mut self, face: FaceId, packet: Packet) {
        self.lines.keep(face, packet);
    }

    fn wake(&mut self, cx: &mut Context<'_>) {
        self.now = cx.now;
        if self.face.is_some() {
            self.getter.wake(&mut self.outbox, cx);
            self.send(cx);
        }
    }

    fn next_wake(&self) -> Option<Time> {
        match self.face {
            Some(_) => self.getter.next_wake(self.now),
            None => self.connect_at,
        }
    }

    fn inspect(&self, _now: Time, _report: &mut dyn FnMut(Reading)) {}
}

impl Station for Client {
    fn opened(&mut self, _about: &FaceInfo, cx: &mut Context<'_>) -> Option<FaceId> {
        let face = self.lines.open();
        self.face = Some(face);
        self.away = None;
        cx.face = face;
        self.getter.wake(&mut self.outbox, cx);
        // The driver does not know the face yet: what is to be sent waits for the next turn.
        Some(face)
    }

    fn closed(&mut self, face: FaceId, why: &Closing, cx: &mut Context<'_>) {
        self.lines.close(face, cx);
        self.face = None;
        self.away = Some((cx.now, why.to_string()));
        self.connect_at = Some(cx.now + RETRY);
    }

    fn refused(&mut self, _tag: u64, error: &io::Error) {
        match &self.away {
            None => self.getter.give_up(GetError::Face(format!("cannot reach {}: {error}", self.remote))),
            Some(_) => self.connect_at = Some(Time::NEVER),
        }
    }

    fn turn(&mut self, driver: &mut Driver) {
        let now = driver.clock().now();
        match self.connect_at {
            Some(Time::NEVER) => self.connect_at = Some(now + RETRY),
            Some(at) if at <= now => {
                self.connect_at = None;
                driver.connect(&self.remote, FaceOptions::default(), 0);
            }
            _ => {}
        }
        if let Some((_, why)) = self.away.as_ref().filter(|(since, _)| now.since(*since) >= PATIENCE) {
            let seconds = PATIENCE.seconds();
            let told = format!("{} is gone ({why}), and has not come back in {seconds:.0} s", self.remote);
            self.getter.give_up(GetError::Face(told));
        }
        if self.stop.load(Ordering::Relaxed) {
            self.getter.give_up(GetError::Interrupted);
        }
        if !self.outbox.is_empty() {
            self.send(&mut driver.context());
        }
        if now.since(self.reported) >= REPORT {
            self.reported = now;
            (self.watch)(&GetProgress { away: self.away.is_some(), ..self.getter.progress() });
        }
    }

    fn is_done(&self) -> bool {
        self.getter.outcome().is_some()
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("getter", &self.getter).field("remote", &self.remote).finish_non_exhaustive()
    }
}
