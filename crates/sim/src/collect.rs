//! Watches a run and folds what it sees.

use crate::fetched::Fetched;
use crate::histogram::Histogram;
use std::collections::BTreeMap;
use weir_core::ahead::ask_for;
use weir_core::{
    Allowance, Delivery, DropReason, FaceId, FetchEnd, FlowId, HopReading, Limit, NodeId, Reading, Sink, Span, Time,
};
use weir_wire::{Kind, NackReason, Packet};

/// What is known of a fetch before the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowInfo {
    /// Label in tables; bursts of one consumer share one.
    pub label: String,
    /// When its consumer gives up.
    pub stop: Option<Time>,
    /// It is many requests, each of which begins and ends by itself.
    pub many: bool,
}

/// What a fetch has done. What each segment changes comes first and fills three lines of the processor's cache: with many
/// flows, each has to be read from memory.
#[derive(Clone, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct FlowStats {
    pub first_request: Option<Time>,
    pub last_delivery: Option<Time>,
    pub requests: u64,
    pub retransmissions: u64,
    pub delivered: u64,
    pub payload: u64,
    pub marked: u64,
    pub windows: Windows,
    /// Delays of segments that were asked for once: full and last delay are one there.
    pub delay: Histogram,
    /// `None` for many requests, whose segments have no common order.
    pub holes: Option<Holes>,
    pub completed: Option<Time>,
    pub timeouts: u64,
    pub refusals: u64,
    pub decreases: u64,
    pub last_cut: Option<Time>,
    /// Delays of segments that were asked for again.
    pub full_delay: Histogram,
    pub last_delay: Histogram,
    /// Of many requests.
    pub fetches: Fetches,
    /// Payload at the last sample.
    sampled_payload: u64,
}

impl FlowStats {
    fn new(info: &FlowInfo) -> FlowStats {
        FlowStats { holes: (!info.many).then(Holes::default), ..FlowStats::default() }
    }
}

/// Requests of one flow, counted; no memory is spent on each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fetches {
    pub began: u64,
    pub fetched: u64,
    pub abandoned: u64,
    pub time: Histogram,
}

impl Fetches {
    /// Counts all that another has counted.
    pub fn add(&mut self, other: &Fetches) {
        self.began += other.began;
        self.fetched += other.fetched;
        self.abandoned += other.abandoned;
        self.time.merge(&other.time);
    }
}

/// Payload within each of the 100 ms windows that follow each other; windows without any are left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Windows(pub Vec<(u64, u64)>);

/// Length of one of [`Windows`].
pub(crate) const WINDOW: Span = Span::from_millis(100);

impl Windows {
    #[inline]
    fn delivered(&mut self, now: Time, payload: u64) {
        let window = now.0 / WINDOW.0;
        match self.0.last_mut() {
            Some((last, sum)) if *last == window => *sum += payload,
            _ => self.0.push((window, payload)),
        }
    }
}

/// Segments that are late: overtaken by a later one. The receiver has to keep what overtook them (Chen et al., PLR,
/// section V: accumulation time).
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct Holes {
    next: u64,
    open: BTreeMap<u64, Time>,
    pub late: u64,
    pub accumulation: Span,
    pub late_delay: Span,
}

impl Holes {
    #[inline]
    fn delivered(&mut self, now: Time, delivery: &Delivery) {
        if delivery.segment >= self.next {
            for missing in self.next..delivery.segment {
                self.open.insert(missing, now);
            }
            self.next = delivery.segment + 1;
        } else if let Some(since) = self.open.remove(&delivery.segment) {
            self.late += 1;
            self.accumulation += now.since(since);
            self.late_delay += delivery.full_delay;
        }
    }
}

/// What an egress face has seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaceStats {
    /// Of packets that were dropped after they had waited like those that left.
    pub dropped_sojourn: u128,
    pub drops: [u64; DropReason::ALL.len()],
    pub data_drops: u64,
    pub marks: u64,
    pub nacks: u64,
    pub loss_notices: u64,
    pub recovered: u64,
    pub stored: u128,
}

/// A train of signals that tell consumers of congestion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Congestion {
    pub start: Time,
    last: Time,
    pub refusals: u64,
    pub decreases: u64,
    pub lowest: f64,
    pub hold: Span,
}

/// Without a signal for so long, a congestion is over.
const OVER: Span = Span::from_millis(300);

/// One point of a time series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RawSample {
    pub time: Time,
    pub what: &'static str,
    pub place: Place,
    pub value: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Flow(FlowId),
    Face(NodeId, FaceId),
    Node(NodeId),
}

/// Folds events into counters, sums and histograms; keeps time series only of the readings it is shown.
#[derive(Debug, Default)]
pub struct Collector {
    pub(crate) infos: Vec<FlowInfo>,
    pub(crate) flows: Vec<FlowStats>,
    /// By node, then face.
    pub(crate) faces: Vec<Vec<FaceStats>>,
    pub(crate) samples: Vec<RawSample>,
    pub(crate) congestions: Vec<Congestion>,
    /// Of fetches that were completed, if they are wanted.
    pub(crate) fetches: Option<Fetched>,
    last_sample: Time,
    /// Bytes sent at the last sample, by link direction.
    sampled_bytes: Vec<u64>,
    last_link_sample: Time,
    /// Data that had left each queue at the last sample.
    sampled_data: BTreeMap<(NodeId, FaceId), u64>,
    open: usize,
}

impl Collector {
    /// Asks for what a segment of this flow will change.
    #[inline]
    pub(crate) fn foresee(&self, flow: FlowId) {
        if let Some(stats) = self.flows.get(flow.0 as usize) {
            ask_for(stats);
            ask_for(&stats.windows);
            ask_for(&stats.holes);
        }
    }

    /// Watches `nodes` nodes and these fetches.
    pub fn new(infos: Vec<FlowInfo>, nodes: usize) -> Collector {
        Collector {
            flows: infos.iter().map(FlowStats::new).collect(),
            open: infos.len(),
            faces: vec![Vec::new(); nodes],
            infos,
            ..Collector::default()
        }
    }

    /// The same, which keeps a record of each fetch.
    pub fn with_fetches(self) -> Collector {
        Collector { fetches: Some(Fetched::default()), ..self }
    }

    /// Labels of the fetches, by number.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.infos.iter().map(|info| info.label.as_str())
    }

    /// True once every fetch has all its segments.
    pub fn all_complete(&self) -> bool {
        self.open == 0
    }

    /// The congestion that a signal belongs to.
    fn congestion(&mut self, now: Time) -> &mut Congestion {
        if self.congestions.last().is_none_or(|c| now.since(c.last) >= OVER) {
            let new = Congestion {
                start: now,
                last: now,
                refusals: 0,
                decreases: 0,
                lowest: f64::INFINITY,
                hold: Span::ZERO,
            };
            self.congestions.push(new);
        }
        let Some(congestion) = self.congestions.last_mut() else { unreachable!("there is one now") };
        congestion.last = now;
        congestion
    }

    fn face(&mut self, node: NodeId, face: FaceId) -> &mut FaceStats {
        let faces = &mut self.faces[node.0 as usize];
        if face.index() >= faces.len() {
            faces.resize(face.index() + 1, FaceStats::default());
        }
        &mut faces[face.index()]
    }

    /// Takes a reading into the time series.
    pub(crate) fn sample(&mut self, now: Time, node: NodeId, reading: Reading) {
        let mut put = |what, place, value| self.samples.push(RawSample { time: now, what, place, value });
        match reading {
            Reading::Pit { entries, capacity, .. } => {
                put("pit", Place::Node(node), entries as f64);
                put("pit_fill", Place::Node(node), entries as f64 / capacity as f64);
            }
            Reading::Cs { .. } => {}
            Reading::Queue { face, packets, bytes, frames, limit, departed, .. } => {
                put("queue", Place::Face(node, face), packets as f64);
                let fill = match limit {
                    Limit::Packets(most) => packets as f64 / most.max(1) as f64,
                    Limit::Bytes(most) => bytes as f64 / most.0.max(1) as f64,
                    Limit::Frames { most, .. } => frames as f64 / most as f64,
                };
                put("queue_fill", Place::Face(node, face), fill);
                let before = self.sampled_data.insert((node, face), departed.data).unwrap_or(0);
                let span = now.since(self.last_sample).seconds();
                if span > 0.0 {
                    put("data", Place::Face(node, face), (departed.data - before) as f64 / span);
                }
            }
            Reading::Hop { face, reading: HopReading::Share(share) } => put("share", Place::Face(node, face), share),
            Reading::Hop { face, reading: HopReading::Capacity(most) } => {
                put("capacity", Place::Face(node, face), most)
            }
            Reading::Flow { flow, window, rate, in_flight, rto } => {
                let stats = &self.flows[flow.0 as usize];
                if stats.first_request.is_none() || stats.completed.is_some() {
                    return;
                }
                put("in_flight", Place::Flow(flow), in_flight as f64);
                put("rto", Place::Flow(flow), rto.millis());
                if window.is_finite() {
                    put("window", Place::Flow(flow), window);
                }
                if let Some(rate) = rate {
                    put("rate", Place::Flow(flow), rate);
                }
            }
        }
    }

    /// Packets in the air of the link of a face.
    pub(crate) fn sample_link(&mut self, now: Time, node: NodeId, face: FaceId, in_air: usize) {
        let place = Place::Face(node, face);
        self.samples.push(RawSample { time: now, what: "in_air", place, value: in_air as f64 });
    }

    /// Goodput of each fetch since the last sample; ends the sample.
    pub(crate) fn sample_flows(&mut self, now: Time) {
        let span = now.since(self.last_sample).seconds();
        self.last_sample = now;
        for (i, flow) in self.flows.iter_mut().enumerate() {
            let new = flow.payload - std::mem::replace(&mut flow.sampled_payload, flow.payload);
            if span > 0.0 && flow.first_request.is_some() {
                let value = new as f64 * 8.0 / span / 1e6;
                self.samples.push(RawSample {
                    time: now,
                    what: "goodput",
                    place: Place::Flow(FlowId(i as u32)),
                    value,
                });
            }
        }
    }
}

impl Collector {
    /// Throughput of each link direction since the last sample, from the bytes that each has sent until now.
    pub(crate) fn sample_links(&mut self, now: Time, sent: impl Iterator<Item = (NodeId, FaceId, u64)>) {
        let span = now.since(std::mem::replace(&mut self.last_link_sample, now)).seconds();
        for (i, (node, face, bytes)) in sent.enumerate() {
            if i == self.sampled_bytes.len() {
                self.sampled_bytes.push(0);
            }
            let new = bytes - std::mem::replace(&mut self.sampled_bytes[i], bytes);
            if span > 0.0 {
                let value = new as f64 * 8.0 / span / 1e6;
                self.samples.push(RawSample { time: now, what: "throughput", place: Place::Face(node, face), value });
            }
        }
    }
}

impl Sink for Collector {
    fn dropped(&mut self, now: Time, node: NodeId, face: FaceId, packet: &Packet, reason: DropReason) {
        let stats = self.face(node, face);
        stats.drops[reason as usize] += 1;
        if reason == DropReason::QueueManagement {
            stats.dropped_sojourn += u128::from(now.since(Time(packet.queued_at)).0);
        }
        let data_lost = reason.is_loss() && matches!(packet.kind, Kind::Data(_));
        stats.data_drops += u64::from(data_lost);
        if data_lost && let Some(fetches) = &mut self.fetches {
            fetches.lost(now, packet.name());
        }
    }

    fn marked(&mut self, _now: Time, node: NodeId, face: FaceId) {
        self.face(node, face).marks += 1;
    }

    fn nacked(&mut self, _now: Time, node: NodeId, face: FaceId) {
        self.face(node, face).nacks += 1;
    }

    fn loss_notice(&mut self, _now: Time, node: NodeId, face: FaceId) {
        self.face(node, face).loss_notices += 1;
    }

    fn recovered(&mut self, _now: Time, node: NodeId, face: FaceId, stored: Span) {
        let stats = self.face(node, face);
        stats.recovered += 1;
        stats.stored += u128::from(stored.0);
    }

    #[inline]
    fn requested(&mut self, now: Time, flow: FlowId, _segment: u64, transmission: u32) {
        let stats = &mut self.flows[flow.0 as usize];
        stats.first_request.get_or_insert(now);
        stats.requests += 1;
        stats.retransmissions += u64::from(transmission > 1);
    }

    #[inline]
    fn delivered(&mut self, now: Time, flow: FlowId, delivery: &Delivery) {
        let stats = &mut self.flows[flow.0 as usize];
        stats.delivered += 1;
        stats.payload += delivery.payload as u64;
        stats.last_delivery = Some(now);
        stats.marked += u64::from(delivery.marked);
        if let Some(holes) = &mut stats.holes {
            holes.delivered(now, delivery);
        }
        stats.windows.delivered(now, delivery.payload as u64);
        if delivery.full_delay == delivery.last_delay {
            stats.delay.add(delivery.full_delay);
        } else {
            stats.full_delay.add(delivery.full_delay);
            stats.last_delay.add(delivery.last_delay);
        }
    }

    fn timed_out(&mut self, now: Time, flow: FlowId, _segment: u64) {
        self.flows[flow.0 as usize].timeouts += 1;
        self.congestion(now);
    }

    fn refused(&mut self, now: Time, flow: FlowId, _segment: u64, reason: NackReason) {
        self.flows[flow.0 as usize].refusals += 1;
        if reason == NackReason::Congestion {
            self.congestion(now).refusals += 1;
        }
    }

    fn held(&mut self, now: Time, flow: FlowId) {
        if let (Some(congestion), Some(cut)) = (self.congestions.last_mut(), self.flows[flow.0 as usize].last_cut) {
            congestion.hold = congestion.hold.max(now.since(cut));
        }
    }

    fn decreased(&mut self, now: Time, flow: FlowId, left: &Allowance) {
        let stats = &mut self.flows[flow.0 as usize];
        stats.decreases += 1;
        stats.last_cut = Some(now);
        let congestion = self.congestion(now);
        congestion.decreases += 1;
        congestion.lowest = congestion.lowest.min(left.gap.map_or(left.window, |gap| 1.0 / gap.seconds()));
    }

    fn completed(&mut self, now: Time, flow: FlowId) {
        let stats = &mut self.flows[flow.0 as usize];
        if stats.completed.replace(now).is_none() {
            self.open -= 1;
        }
    }

    #[inline]
    fn began(&mut self, _now: Time, flow: FlowId) {
        self.flows[flow.0 as usize].fetches.began += 1;
    }

    #[inline]
    fn fetched(&mut self, _now: Time, flow: FlowId, took: Span) {
        let fetches = &mut self.flows[flow.0 as usize].fetches;
        fetches.fetched += 1;
        fetches.time.add(took);
    }

    fn fetch_ended(&mut self, now: Time, flow: FlowId, fetch: &FetchEnd<'_>) {
        if let Some(fetches) = &mut self.fetches {
            fetches.ended(now, flow, fetch);
        }
    }

    fn abandoned(&mut self, _now: Time, flow: FlowId) {
        self.flows[flow.0 as usize].fetches.abandoned += 1;
    }
}
