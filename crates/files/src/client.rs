//! The program that fetches: a getter behind one face.

use crate::getter::{GetError, GetProgress, Getter};
use crate::lines::Lines;
use crate::orders::{ConsumerOrder, Recipe};
use crate::retry::Retry;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use weir_core::{Context, DropReason, FaceId, Machine, Pull, Reading, Span, Time};
use weir_engine::Outbox;
use weir_live::{Closing, Driver, Endpoint, FaceInfo, FaceOptions, Station};
use weir_results::files::FileError;
use weir_wire::{Kind, Packet};

/// How often its user hears of a fetch.
const REPORT: Span = Span::from_millis(100);

/// How long it is tried to reach a forwarder that has gone away.
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
    /// Since when a forwarder that was there has been away, and why it went.
    away: Option<(Time, String)>,
    retry: Retry,
    now: Time,
    stop: Arc<AtomicBool>,
    watch: Watcher,
    reported: Time,
    orders: Option<(Receiver<ConsumerOrder>, Recipe)>,
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
            away: None,
            retry: Retry::default(),
            now: Time::ZERO,
            stop,
            watch,
            reported: Time::ZERO,
            orders: None,
        }
    }

    /// The same, which takes orders from there (the driver is to be woken for each); `recipe` is that of its plug-ins.
    #[must_use]
    pub fn with_orders(self, orders: Receiver<ConsumerOrder>, recipe: Recipe) -> Client {
        Client { orders: Some((orders, recipe)), ..self }
    }

    fn obey(&mut self, driver: &mut Driver) {
        while let Some((orders, recipe)) = &mut self.orders
            && let Ok(order) = orders.try_recv()
        {
            let Some(next) = recipe.after(&order) else { continue };
            *recipe = next.clone();
            let control = matches!(order, ConsumerOrder::Control(_));
            self.getter.adopt(next, control, &mut self.outbox, &mut driver.context());
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
            None => self.retry.next(),
        }
    }

    fn inspect(&self, _now: Time, _report: &mut dyn FnMut(Reading)) {}
}

impl Station for Client {
    fn opened(&mut self, _about: &FaceInfo, cx: &mut Context<'_>) -> Option<FaceId> {
        let face = self.lines.open();
        self.face = Some(face);
        self.away = None;
        self.retry.reached();
        cx.face = face;
        self.getter.wake(&mut self.outbox, cx);
        // The driver does not know the face yet: what is to be sent waits for the next turn.
        Some(face)
    }

    fn closed(&mut self, face: FaceId, why: &Closing, cx: &mut Context<'_>) {
        self.lines.close(face, cx);
        self.face = None;
        self.away = Some((cx.now, why.to_string()));
        self.retry.lost(cx.now);
    }

    fn refused(&mut self, _tag: u64, error: &io::Error) {
        match &self.away {
            None => self.getter.give_up(GetError::Face(format!("cannot reach {}: {error}", self.remote))),
            Some(_) => self.retry.refused(),
        }
    }

    fn turn(&mut self, driver: &mut Driver) {
        let now = driver.clock().now();
        if self.retry.is_due(now) {
            driver.connect(&self.remote, FaceOptions::default(), 0);
        }
        if let Some((_, why)) = self.away.as_ref().filter(|(since, _)| now.since(*since) >= PATIENCE) {
            let seconds = PATIENCE.seconds();
            let told = format!("{} is gone ({why}), and has not come back in {seconds:.0} s", self.remote);
            self.getter.give_up(GetError::Face(told));
        }
        if self.stop.load(Ordering::Relaxed) {
            self.getter.give_up(GetError::Interrupted);
        }
        self.obey(driver);
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
