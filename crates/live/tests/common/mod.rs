//! Stations for tests: a router that serves a content, and a consumer that wants all of it.
#![allow(dead_code, reason = "each test program uses a part of it")]

pub mod daemon;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use weir_core::{Bytes, Context, FaceId, Machine, NoSink, Pull, Reading, Settings, Site, Span, Time};
use weir_engine::{Forwarder, ForwarderRules, Producer, Router};
use weir_live::{Closing, Driver, Endpoint, FaceCounters, FaceInfo, FaceOptions, Station};
use weir_schemes::registry::{QUEUES, STRATEGIES, find};
use weir_wire::{Interest, Kind, NackReason, Name, Packet};

pub const CONTENT: &str = "/content/v=1";

/// A port of this host that nobody uses at the moment, over UDP and, most likely, over TCP.
pub fn free_port() -> u16 {
    std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A router that serves [`CONTENT`] in segments of `payload` bytes.
pub struct Server {
    router: Router,
    stop: Arc<AtomicBool>,
    counters: Arc<std::sync::Mutex<Vec<FaceCounters>>>,
    open: Vec<FaceId>,
}

pub struct RunningServer {
    pub at: Endpoint,
    pub counters: Arc<std::sync::Mutex<Vec<FaceCounters>>>,
    stop: Arc<AtomicBool>,
    waker: Arc<mio::Waker>,
    thread: Option<JoinHandle<()>>,
}

pub fn serve(at: &str, options: FaceOptions, payload: u64) -> RunningServer {
    let uri: weir_live::FaceUri = at.parse().unwrap();
    let endpoint = uri.resolve().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let counters = Arc::new(std::sync::Mutex::new(Vec::new()));
    let (send, receive) = std::sync::mpsc::channel();
    let (stop_too, counters_too) = (stop.clone(), counters.clone());
    let thread = std::thread::spawn(move || {
        let strategy = (find("strategy", STRATEGIES, "best-route").unwrap().build)(&Settings::new(), &Site::default());
        let mut router = Router::new(Forwarder::new(ForwarderRules::default(), strategy.unwrap()));
        let producer = Producer::new(CONTENT.parse().unwrap(), None, Bytes(payload), Span::ZERO);
        router.attach(Box::new(producer));
        let mut driver = Driver::new(Box::new(NoSink)).unwrap();
        let at = driver.listen(&endpoint, options).unwrap();
        send.send((at, driver.waker())).unwrap();
        let mut station = Server { router, stop: stop_too, counters: counters_too, open: Vec::new() };
        driver.run(&mut station).unwrap();
    });
    let (at, waker) = receive.recv().unwrap();
    RunningServer { at, counters, stop, waker, thread: Some(thread) }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.waker.wake().unwrap();
        let ended = self.thread.take().unwrap().join();
        if !std::thread::panicking() {
            ended.unwrap();
        }
    }
}

impl Machine for Server {
    fn receive(&mut self, face: FaceId, packet: Packet, cx: &mut Context<'_>) {
        self.router.receive(face, packet, cx);
    }
    fn pull(&mut self, face: FaceId, cx: &mut Context<'_>) -> Pull {
        self.router.pull(face, cx)
    }
    fn keep(&mut self, face: FaceId, packet: Packet) {
        self.router.keep(face, packet);
    }
    fn wake(&mut self, cx: &mut Context<'_>) {
        self.router.wake(cx);
    }
    fn next_wake(&self) -> Option<Time> {
        self.router.next_wake()
    }
    fn inspect(&self, now: Time, report: &mut dyn FnMut(Reading)) {
        self.router.inspect(now, report);
    }
}

impl Station for Server {
    fn opened(&mut self, _: &FaceInfo, _: &mut Context<'_>) -> Option<FaceId> {
        let queue = (find("queue", QUEUES, "droptail").unwrap().build)(&Settings::new(), &Site::default()).unwrap();
        let face = self.router.forwarder_mut().add_face(queue);
        self.open.push(face);
        Some(face)
    }
    fn closed(&mut self, face: FaceId, _: &Closing, _: &mut Context<'_>) {
        self.open.retain(|open| *open != face);
        self.router.forwarder_mut().set_up(face, false);
    }
    fn refused(&mut self, _: u64, error: &io::Error) {
        panic!("{error}");
    }
    fn turn(&mut self, driver: &mut Driver) {
        *self.counters.lock().unwrap() = self.open.iter().filter_map(|face| driver.counters(*face)).collect();
    }
    fn is_done(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Wants the segments of [`CONTENT`] up to `segments`, at most `window` at once.
pub struct Consumer {
    segments: u64,
    window: usize,
    next: u64,
    pending: BTreeMap<u64, Time>,
    out: VecDeque<Packet>,
    nonce: u32,
    pub face: Option<FaceId>,
    pub got: u64,
    pub bytes: u64,
    pub marked: u64,
    pub repeated: u64,
    pub nacks: Vec<NackReason>,
    pub closed: Option<String>,
    pub refused: Option<io::ErrorKind>,
    pub until: Time,
    pub counters: FaceCounters,
    pub mtu: usize,
    pub ended: Time,
}

const PATIENCE: Span = Span::from_millis(300);

impl Consumer {
    pub fn new(segments: u64, window: usize) -> Consumer {
        Consumer {
            segments,
            window,
            next: 0,
            pending: BTreeMap::new(),
            out: VecDeque::new(),
            nonce: 1,
            face: None,
            got: 0,
            bytes: 0,
            marked: 0,
            repeated: 0,
            nacks: Vec::new(),
            closed: None,
            refused: None,
            until: Time(20_000_000_000),
            counters: FaceCounters::default(),
            mtu: 0,
            ended: Time::ZERO,
        }
    }

    /// Fetches from `at` in this thread.
    pub fn fetch(mut self, at: &Endpoint, options: FaceOptions) -> Consumer {
        let mut driver = Driver::new(Box::new(NoSink)).unwrap();
        driver.connect(at, options, 7);
        driver.run(&mut self).unwrap();
        self
    }

    fn ask(&mut self, segment: u64, cx: &mut Context<'_>) {
        let name: Name = CONTENT.parse().unwrap();
        self.nonce = self.nonce.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.out.push_back(Interest::new(name.with_segment(segment), self.nonce).into());
        self.pending.insert(segment, cx.now);
        cx.ready.add(self.face.unwrap());
    }

    fn ask_more(&mut self, cx: &mut Context<'_>) {
        while self.face.is_some() && self.pending.len() < self.window && self.next < self.segments {
            self.ask(self.next, cx);
            self.next += 1;
        }
    }
}

impl Machine for Consumer {
    fn receive(&mut self, _: FaceId, packet: Packet, cx: &mut Context<'_>) {
        match &packet.kind {
            Kind::Data(data) => {
                assert!(data.verify_digest(), "a Data was damaged");
                if let Some(segment) = data.name.segment()
                    && self.pending.remove(&segment).is_some()
                {
                    self.got += 1;
                    self.bytes += data.payload_len() as u64;
                    self.marked += u64::from(packet.hop.congestion_mark > 0);
                    self.ended = cx.now;
                }
            }
            Kind::Nack(nack) => self.nacks.push(nack.reason),
            Kind::Interest(_) => {}
        }
        self.ask_more(cx);
    }
    fn pull(&mut self, _: FaceId, cx: &mut Context<'_>) -> Pull {
        let Some(packet) = self.out.pop_front() else { return Pull::Idle };
        if !self.out.is_empty() {
            cx.ready.more();
        }
        Pull::Packet(packet)
    }
    fn keep(&mut self, _: FaceId, packet: Packet) {
        self.out.push_front(packet);
    }
    fn wake(&mut self, cx: &mut Context<'_>) {
        let late: Vec<u64> =
            self.pending.iter().filter(|(_, at)| **at + PATIENCE <= cx.now).map(|(segment, _)| *segment).collect();
        self.repeated += late.len() as u64;
        late.into_iter().for_each(|segment| self.ask(segment, cx));
    }
    fn next_wake(&self) -> Option<Time> {
        self.pending.values().min().map(|at| (*at + PATIENCE).min(self.until)).or(Some(self.until))
    }
    fn inspect(&self, _: Time, _: &mut dyn FnMut(Reading)) {}
}

impl Station for Consumer {
    fn opened(&mut self, about: &FaceInfo, cx: &mut Context<'_>) -> Option<FaceId> {
        assert_eq!(about.origin, weir_live::Origin::Connected(7));
        self.face = Some(FaceId(0));
        self.ask_more(cx);
        self.face
    }
    fn closed(&mut self, _: FaceId, why: &Closing, _: &mut Context<'_>) {
        self.closed = Some(why.to_string());
    }
    fn refused(&mut self, tag: u64, error: &io::Error) {
        assert_eq!(tag, 7);
        self.refused = Some(error.kind());
    }
    fn turn(&mut self, driver: &mut Driver) {
        if let Some(face) = self.face
            && let Some(counters) = driver.counters(face)
        {
            self.counters = counters;
            self.mtu = driver.mtu(face).unwrap().bytes();
        }
        if driver.clock().now() > self.until {
            self.closed.get_or_insert("time is up".to_owned());
        }
    }
    fn is_done(&self) -> bool {
        self.got == self.segments || self.closed.is_some() || self.refused.is_some()
    }
}
