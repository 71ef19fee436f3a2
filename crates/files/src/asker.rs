//! The program that makes many requests: a consumer behind one face.

use crate::lines::Lines;
use crate::orders::ConsumerOrder;
use crate::request_log::{RequestCounts, RequestLog};
use crate::requests::Traffic;
use crate::retry::Retry;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};
use weir_core::{Context, DropReason, FaceId, Machine, Pull, Reading, Time};
use weir_engine::{Application, Outbox};
use weir_live::{Closing, Driver, Endpoint, FaceInfo, FaceOptions, Station};
use weir_results::files::FileError;
use weir_trust::KeyRing;
use weir_wire::{Kind, Packet};

/// Makes the requests of a [`Traffic`] over one face.
///
/// Requests come when they are due, whether there is a forwarder or not: the Interests that find none are lost, and their
/// timeouts repeat them.
pub struct Asker {
    traffic: Traffic,
    application: Option<Box<dyn Application>>,
    log: RequestLog,
    tables: bool,
    keys: KeyRing,
    remote: Endpoint,
    lines: Lines,
    outbox: Outbox,
    face: Option<FaceId>,
    retry: Retry,
    orders: Option<Receiver<ConsumerOrder>>,
    paused: bool,
    stop: Arc<AtomicBool>,
    failure: Option<String>,
}

impl Asker {
    /// A consumer that connects to `remote`, a forwarder or the producer itself, and begins when it is there. It ends when
    /// all requests have been answered or given up, or when `stop` is true (and the driver is woken). What `keys` do not
    /// believe counts as lost.
    ///
    /// # Errors
    /// If the control or the timeout cannot be built ([`Traffic::check`]).
    pub fn new(traffic: Traffic, remote: Endpoint, keys: KeyRing, stop: Arc<AtomicBool>) -> Result<Asker, String> {
        traffic.check()?;
        Ok(Asker {
            traffic,
            application: None,
            log: RequestLog::new(Time::ZERO, false),
            tables: false,
            keys,
            remote,
            lines: Lines::default(),
            outbox: Outbox::new(),
            face: None,
            retry: Retry::default(),
            orders: None,
            paused: false,
            stop,
            failure: None,
        })
    }

    /// The same, which collects tables.
    #[must_use]
    pub fn with_tables(self) -> Asker {
        Asker { tables: true, ..self }
    }

    /// The same, which takes orders from there (the driver is to be woken for each). Paused, it does not end before the
    /// other end is gone.
    #[must_use]
    pub fn with_orders(self, orders: Receiver<ConsumerOrder>) -> Asker {
        Asker { orders: Some(orders), ..self }
    }

    /// What has happened so far.
    pub fn counts(&self) -> &RequestCounts {
        &self.log.counts
    }

    /// Why it ended before it was told to.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Writes the tables that were collected: a row for each segment into `path`, `FILE-series.csv` along time,
    /// `FILE-events.csv` with what befell each request, and `FILE-fetches.csv`.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write_tables(&self, path: &Path) -> Result<(), FileError> {
        self.log.write(path)
    }

    /// Lets the application do something, and sends what it has to send.
    fn work(&mut self, cx: &mut Context<'_>, work: impl FnOnce(&mut dyn Application, &mut Outbox, &mut Context<'_>)) {
        let Some(application) = &mut self.application else { return };
        let (now, log) = (cx.now, &mut self.log);
        let mut inner =
            Context { now, node: cx.node, face: cx.face, sink: &mut *log, watched: false, ready: &mut *cx.ready };
        work(&mut **application, &mut self.outbox, &mut inner);
        if self.log.wants_sample(now) {
            application.inspect(&mut |reading| self.log.sample(now, &reading));
        }
        self.send(cx);
    }

    fn send(&mut self, cx: &mut Context<'_>) {
        match self.face {
            Some(face) => self.outbox.drain(..).for_each(|packet| self.lines.send(face, packet, cx)),
            None => self.outbox.drain(..).for_each(|packet| cx.discard(packet, DropReason::LinkDown)),
        }
    }

    /// True if a Data may be taken.
    fn believes(&self, packet: &Packet) -> bool {
        match &packet.kind {
            Kind::Data(data) => packet.hop.loss_notice || self.keys.verify_data(data).is_ok(),
            Kind::Nack(_) => true,
            Kind::Interest(_) => false,
        }
    }

    fn carry_out(&mut self, order: &ConsumerOrder, cx: &mut Context<'_>) {
        if let Some(recipe) = self.traffic.recipe.after(order) {
            self.traffic.recipe = recipe.clone();
            let control = matches!(order, ConsumerOrder::Control(_));
            return self.work(cx, |application, _, cx| application.adopt(recipe.parts(), control, !control, cx));
        }
        if matches!(order, ConsumerOrder::Pause | ConsumerOrder::GoOn) {
            self.paused = *order == ConsumerOrder::Pause;
            let run = !self.paused;
            self.work(cx, |application, _, cx| application.set_running(run, cx));
        }
    }

    fn obey(&mut self, driver: &mut Driver) {
        loop {
            match self.orders.as_ref().map(Receiver::try_recv) {
                Some(Ok(order)) => self.carry_out(&order, &mut driver.context()),
                Some(Err(TryRecvError::Disconnected)) => self.orders = None,
                Some(Err(TryRecvError::Empty)) | None => return,
            }
        }
    }
}

impl Machine for Asker {
    fn receive(&mut self, face: FaceId, mut packet: Packet, cx: &mut Context<'_>) {
        cx.face = face;
        if !self.believes(&packet) {
            self.log.counts.untrusted += u64::from(matches!(packet.kind, Kind::Data(_)));
            return cx.discard(packet, DropReason::Unwanted);
        }
        packet.hop_mut().count_link();
        self.work(cx, |application, out, cx| application.receive(packet, out, cx));
    }

    fn pull(&mut self, face: FaceId, cx: &mut Context<'_>) -> Pull {
        self.lines.pull(face, cx)
    }

    fn keep(&mut self, face: FaceId, packet: Packet) {
        self.lines.keep(face, packet);
    }

    fn wake(&mut self, cx: &mut Context<'_>) {
        self.work(cx, |application, out, cx| application.wake(out, cx));
    }

    fn next_wake(&self) -> Option<Time> {
        let next = self.application.as_ref().and_then(|application| application.next_wake());
        [next, self.retry.next()].into_iter().flatten().min()
    }

    fn inspect(&self, _now: Time, _report: &mut dyn FnMut(Reading)) {}
}

impl Station for Asker {
    fn opened(&mut self, _about: &FaceInfo, cx: &mut Context<'_>) -> Option<FaceId> {
        let face = self.lines.open();
        self.face = Some(face);
        self.retry.reached();
        if self.application.is_none() {
            self.log = RequestLog::new(cx.now, self.tables);
            match self.traffic.begin(cx.now) {
                Ok(application) => self.application = Some(application),
                Err(why) => self.failure = Some(why),
            }
        }
        Some(face)
    }

    fn closed(&mut self, face: FaceId, _why: &Closing, cx: &mut Context<'_>) {
        self.lines.close(face, cx);
        self.face = None;
        self.retry.lost(cx.now);
    }

    fn refused(&mut self, _tag: u64, error: &io::Error) {
        match &self.application {
            None => self.failure = Some(format!("cannot reach {}: {error}", self.remote)),
            Some(_) => self.retry.refused(),
        }
    }

    fn turn(&mut self, driver: &mut Driver) {
        if self.retry.is_due(driver.clock().now()) {
            driver.connect(&self.remote, FaceOptions::default(), 0);
        }
        self.obey(driver);
    }

    fn is_done(&self) -> bool {
        // While something is out, its timeout is ahead.
        let idle = self.application.as_ref().is_some_and(|application| application.next_wake().is_none());
        let waits = self.paused && self.orders.is_some();
        self.failure.is_some() || self.stop.load(Ordering::Relaxed) || idle && !waits
    }
}

impl std::fmt::Debug for Asker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asker").field("remote", &self.remote).field("counts", &self.log.counts).finish_non_exhaustive()
    }
}
