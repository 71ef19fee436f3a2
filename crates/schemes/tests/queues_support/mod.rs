//! A bench for queues: plays the engine and counts.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod entries;

use weir_core::{Context, DropReason, FaceId, NodeId, Pull, QueueDiscipline, Ready, Sink, Site, Span, Time, Value};
use weir_schemes::registry::{self, QUEUES, RECOVERIES};
use weir_wire::{Component, Content, Data, Interest, Kind, Nack, NackReason, Name, Packet, VirtualData};

/// What a queue told its sink.
#[derive(Default)]
pub struct Tally {
    pub marked: usize,
    pub notices: usize,
    pub recovered: usize,
    pub dropped: Vec<(Option<u64>, DropReason)>,
}

impl Sink for Tally {
    fn dropped(&mut self, _: Time, _: NodeId, _: FaceId, packet: &Packet, reason: DropReason) {
        self.dropped.push((packet.name().segment(), reason));
    }
    fn marked(&mut self, _: Time, _: NodeId, _: FaceId) {
        self.marked += 1;
    }
    fn loss_notice(&mut self, _: Time, _: NodeId, _: FaceId) {
        self.notices += 1;
    }
    fn recovered(&mut self, _: Time, _: NodeId, _: FaceId, _: Span) {
        self.recovered += 1;
    }
}

/// A queue on the bench.
pub struct Bench {
    pub queue: Box<dyn QueueDiscipline>,
    pub now: Time,
    pub tally: Tally,
    name: Name,
}

impl Bench {
    pub fn new(queue: Box<dyn QueueDiscipline>) -> Bench {
        let name = Name::from_components([Component::generic(b"v".as_slice())]);
        Bench { queue, now: Time::ZERO, tally: Tally::default(), name }
    }

    pub fn call<R>(&mut self, f: impl FnOnce(&mut dyn QueueDiscipline, &mut Context<'_>) -> R) -> R {
        let (now, mut ready) = (self.now, Ready::default());
        let mut cx =
            Context { now, node: NodeId(0), face: FaceId(0), sink: &mut self.tally, watched: false, ready: &mut ready };
        f(self.queue.as_mut(), &mut cx)
    }

    /// Goes to `to`, waking the queue whenever it wants, at `to` as well.
    pub fn go(&mut self, to: Time) {
        while let Some(wake) = self.queue.next_wake().filter(|wake| *wake <= to) {
            assert!(wake >= self.now, "a wake in the past");
            self.now = wake;
            self.call(|queue, cx| queue.wake(cx));
            assert!(self.queue.next_wake().is_none_or(|next| next > wake), "a wake that does not go away");
        }
        self.now = to;
    }

    pub fn go_ms(&mut self, to: f64) {
        self.go(at_ms(to));
    }

    pub fn data(&self, segment: u64) -> Packet {
        let content = Content::Virtual(VirtualData { payload: 1040, freshness_ms: 0, final_segment: None });
        Packet::from(Data { name: self.name.with_segment(segment), content })
    }

    pub fn interest(&self, segment: u64) -> Packet {
        Packet::from(Interest::new(self.name.with_segment(segment), 7))
    }

    pub fn nack(&self, segment: u64) -> Packet {
        let interest = Interest::new(self.name.with_segment(segment), 7);
        Packet::from(Nack { reason: NackReason::Congestion, interest })
    }

    pub fn put(&mut self, mut packet: Packet) {
        packet.queued_at = self.now.0;
        self.call(|queue, cx| queue.enqueue(packet, cx));
    }

    pub fn put_data(&mut self, segments: impl IntoIterator<Item = u64>) {
        for segment in segments {
            self.put(self.data(segment));
        }
    }

    pub fn take(&mut self) -> Option<Packet> {
        match self.call(|queue, cx| queue.dequeue(cx)) {
            Pull::Packet(packet) => Some(packet),
            Pull::Idle => None,
            Pull::Later(time) => {
                assert!(time > self.now, "later must be later than now");
                None
            }
        }
    }

    pub fn take_segment(&mut self) -> Option<u64> {
        self.take().and_then(|packet| packet.name().segment())
    }

    pub fn drops(&self, reason: DropReason) -> usize {
        self.tally.dropped.iter().filter(|(_, why)| *why == reason).count()
    }
}

/// Milliseconds since the start, to the nearest nanosecond.
pub fn at_ms(ms: f64) -> Time {
    Time::ZERO + Span::from_seconds(ms / 1000.0)
}

pub fn is_notice(packet: &Packet) -> bool {
    packet.hop.loss_notice && matches!(packet.kind, Kind::Data(_))
}

/// A queue of the registry.
pub fn queue(name: &str, settings: &[(&str, Value)], site: &Site) -> Box<dyn QueueDiscipline> {
    let settings = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
    (registry::find("queue", QUEUES, name).unwrap().build)(&settings, site).unwrap()
}

/// A queue of the registry with a recovery of the registry around it.
pub fn recovered(name: &str, settings: &[(&str, Value)], inner: Box<dyn QueueDiscipline>) -> Box<dyn QueueDiscipline> {
    let settings = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
    (registry::find("recovery", RECOVERIES, name).unwrap().build)(&settings, &Site::default()).unwrap()(inner)
}

pub fn text(text: &str) -> Value {
    Value::Text(text.into())
}
