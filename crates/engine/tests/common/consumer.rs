//! A fetcher on the bench.

use super::{Control, Log, Shared, Timer, ms, name, span_ms};
use weir_core::{ConsumerControl, Context, DropReason, FaceId, FlowId, NodeId, Ready, Seed, Span, Time, Timeout};
use weir_engine::{Application, Fetcher, FetcherRules, NoticeTimer, Outbox, RateChange, What};
use weir_wire::{Content, Data, Interest, Kind, Nack, NackReason, Packet, VirtualData};

/// A fetcher, and the network that the test plays.
pub struct Consumer {
    pub fetcher: Fetcher,
    pub now: Time,
    pub log: Log,
    pub control: Shared<Control>,
    pub timer: Shared<Timer>,
    /// Interests sent so far, when.
    pub sent: Vec<(Time, Interest)>,
    seen: usize,
    ready: Ready,
}

/// What and how; `..Setup::default()` fills in the rest.
pub struct Setup {
    pub segments: Option<u64>,
    pub start: Time,
    pub stop: Option<Time>,
    pub control: Shared<Control>,
    pub timer: Shared<Timer>,
    pub rules: FetcherRules,
}

impl Default for Setup {
    /// 100 segments from the start, a window of 4, a timeout of 100 ms, a lifetime of 400 ms.
    fn default() -> Setup {
        Setup {
            segments: Some(100),
            start: Time::ZERO,
            stop: None,
            control: Control::window(4.0),
            timer: Timer::of_ms(100.0),
            rules: rules(),
        }
    }
}

pub fn rules() -> FetcherRules {
    FetcherRules {
        lifetime: span_ms(400.0).into(),
        guard: 0.0,
        notice_timer: NoticeTimer::Keep,
        jitter: 0.0,
        rate_change: RateChange::Next,
        nack_pause: Span::from_millis(1),
        learn_from_late: false,
    }
}

impl Setup {
    pub fn window(window: f64) -> Setup {
        Setup { control: Control::window(window), ..Setup::default() }
    }
}

pub fn what(setup: &Setup) -> What {
    let Setup { segments, start, stop, .. } = *setup;
    What { flow: FlowId(0), name: name("/a"), segments, start, stop }
}

impl Consumer {
    pub fn new(setup: Setup) -> Consumer {
        let (control, timer) = (Box::new(setup.control.clone()), Box::new(setup.timer.clone()));
        Self::with(setup, control, timer)
    }

    pub fn with(setup: Setup, control: Box<dyn ConsumerControl>, timeout: Box<dyn Timeout>) -> Consumer {
        let fetcher = Fetcher::new(what(&setup), setup.rules, control, timeout, Seed(1).stream());
        Consumer {
            fetcher,
            now: Time::ZERO,
            log: Log::default(),
            control: setup.control,
            timer: setup.timer,
            sent: Vec::new(),
            seen: 0,
            ready: Ready::default(),
        }
    }

    fn call(&mut self, work: impl FnOnce(&mut Fetcher, &mut Outbox, &mut Context<'_>)) {
        let mut out = Outbox::new();
        let (node, face) = (NodeId(0), FaceId(0));
        let mut cx = Context { now: self.now, node, face, sink: &mut self.log, watched: false, ready: &mut self.ready };
        work(&mut self.fetcher, &mut out, &mut cx);
        for packet in out {
            let Kind::Interest(interest) = packet.into_kind() else { panic!("a fetcher sent no Interest") };
            self.sent.push((self.now, interest));
        }
    }

    pub fn receive(&mut self, packet: impl Into<Packet>) {
        let packet = packet.into();
        self.call(|fetcher, out, cx| fetcher.receive(packet, out, cx));
    }

    fn data_of(segment: u64) -> Packet {
        let content = Content::Virtual(VirtualData { payload: 1000, freshness_ms: 0, final_segment: None });
        Data { name: name("/a").with_segment(segment), content }.into()
    }

    pub fn data(&mut self, segment: u64) {
        self.receive(Self::data_of(segment));
    }

    pub fn marked_data(&mut self, segment: u64) {
        self.receive(super::marked(Self::data_of(segment)));
    }

    pub fn notice(&mut self, segment: u64) {
        let mut packet = Self::data_of(segment);
        packet.hop.loss_notice = true;
        self.receive(packet);
    }

    /// A Nack of the last Interest for `segment`.
    pub fn nack(&mut self, segment: u64, reason: NackReason) {
        let of_segment = |(_, i): &&(Time, Interest)| i.name.segment() == Some(segment);
        let interest = self.sent.iter().rev().find(of_segment).expect("nothing was sent").1.clone();
        self.receive(Nack { reason, interest });
    }

    /// Wakes the fetcher; afterwards nothing may be due still.
    pub fn wake(&mut self) {
        self.call(|fetcher, out, cx| fetcher.wake(out, cx));
        let next = self.fetcher.next_wake();
        assert!(next.is_none_or(|next| next > self.now), "woken at {}, it wants to be woken at {next:?}", self.now);
    }

    /// Goes to `to`, waking the fetcher whenever it wants, at `to` as well.
    pub fn go(&mut self, to: Time) {
        while let Some(at) = self.fetcher.next_wake().filter(|at| *at <= to) {
            self.now = at.max(self.now);
            self.wake();
        }
        self.now = to;
    }

    pub fn go_ms(&mut self, to: f64) {
        self.go(ms(to));
    }

    /// Segments asked for since the last call.
    pub fn asked(&mut self) -> Vec<u64> {
        let new = self.sent[self.seen..].iter().filter_map(|(_, i)| i.name.segment()).collect();
        self.seen = self.sent.len();
        new
    }

    /// Milliseconds at which the segments timed out.
    pub fn timed_out(&self) -> Vec<(f64, u64)> {
        self.log.timed_out.iter().map(|(at, segment)| (at.seconds() * 1000.0, *segment)).collect()
    }

    pub fn drops(&self, reason: DropReason) -> usize {
        self.log.drops(reason)
    }

    /// Were the losses so far fresh?
    pub fn freshness(&self) -> Vec<bool> {
        self.control.get().losses().iter().map(|loss| loss.fresh).collect()
    }

    pub fn rto(&mut self, rto: Span) {
        self.timer.get().rto = rto;
    }
}
