//! The router queue of PFECC (Li, 2021): precise feedback on every Data, fair targets for every flow.

use crate::parts::fifo::sojourn;
use crate::parts::flow_rates::{FlowKey, Flows};
use crate::parts::service::{Service, Store};
use std::collections::BTreeMap;
use weir_core::{Backlog, Chance, Context, Entry, Limit, Needs, Pull, QueueDiscipline, Rate, Site, Span, Time};
use weir_wire::{Feedback, Kind, Name, Packet};

weir_core::words! {
    /// How a share f of "add" is turned into single bits.
    pub enum Marker {
        /// Each Data keeps "add" with probability f.
        Random = "random",
        /// A bucket gains f with each Data; a Data that takes a token keeps "add".
        Token = "token",
    }
}

weir_core::parameters! {
    /// Parameters of PFECC's queue.
    pub struct PfeccQueueParameters {
        /// Share of the link that flows may use together.
        alpha: f64 = 0.95, Some((0.01, 1.0)), "Li 2021, section 4";
        /// Queueing delay that is not answered.
        target: Span = Span::from_millis(5), Some((0.0, 10.0)), "Li 2021, section 4 (d_t)";
        /// Weight of the latest sample in the mean time from Interest to Data.
        theta: f64 = 0.125, Some((1e-6, 1.0)), "choice (Li is silent)";
        /// That mean before the first sample.
        initial_rtt: Span = Span::from_millis(100), Some((1e-6, 100.0)), "choice (Li is silent)";
        /// That mean is taken for no less than this: cache hits would bring it to nothing.
        min_rtt: Span = Span::from_millis(10), Some((1e-6, 100.0)), "choice (Li is silent)";
        /// A flow that sent nothing for so long counts no more.
        activity: Span = Span::from_millis(100), Some((1e-6, 100.0)), "choice (Li is silent)";
        /// Time over which a flow's rate is measured, though over ten packets at least.
        window: Span = Span::from_millis(20), Some((1e-6, 100.0)), "choice, by the stability of the loop (Li is silent)";
        /// How the share of "add" becomes bits.
        marker: Marker = Marker::Random, None, "Li 2021, section 3.2; \"token\": ABC's Linux code";
        /// In which order packets leave: "fifo", or the "flows" of Interests and of Data in turn.
        service: Service = Service::Fifo, None, "choice (Li 2021, figure 2, draws a queue for each flow, and names no order)";
        /// Count the flows whose Interests take from the same direction.
        count_interests: bool = true, None, "Li 2021, section 3.2 (off: his comparison in section 4.1)";
        /// Write into each packet that leaves how long it waited here, for strategies that ask.
        tell_delay: bool = false, None, "choice (Li 2021, section 3.4, names no format)";
        /// Components of a name that make a flow; 0: all but the segment.
        prefix: u64 = 0, Some((0.0, 1e4)), "Li 2021, section 3.2: the FIB entry's; set where a prefix has many contents";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn QueueDiscipline>> = weir_core::entry!(
    "pfecc",
    "Tells every Data whether its flow may grow: fair targets from measured rates",
    PfeccQueueParameters,
    |p, site| Box::new(PfeccQueue::new(p, site)),
    "../../../../docs/schemes/queue-pfecc.md"
);

/// Tokens that a bucket holds at most (ABC's Linux code).
const TOKENS: f64 = 5.0;
/// Weight of the latest packet in the mean sizes of Interests and Data.
const SIZE_WEIGHT: f64 = 0.125;
/// Interests whose answers are awaited; the oldest gives way. More than any papers' router has pending on one face.
const MOST_AWAITED: usize = 1 << 16;

#[derive(Debug)]
struct PfeccQueue {
    parameters: PfeccQueueParameters,
    store: Store,
    rate: Rate,
    chance: Chance,
    /// Flows whose Data left here, with the state that marks them.
    data: Flows<DataFlow>,
    /// Flows whose Interests left here.
    interests: Flows<()>,
    /// When an Interest that came over this link came, by the hash of its name.
    awaited: BTreeMap<u64, Time>,
    sizes: Sizes,
}

/// What is kept of a flow of Data.
#[derive(Debug)]
struct DataFlow {
    /// Mean time from Interest to Data.
    rtt: f64,
    tokens: f64,
}

/// Mean sizes on the wire, in bytes; zero before the first packet.
#[derive(Debug, Default)]
struct Sizes {
    interest: f64,
    data: f64,
}

impl Sizes {
    fn learn(mean: &mut f64, bytes: usize) {
        let bytes = bytes as f64;
        *mean = if *mean == 0.0 { bytes } else { *mean + SIZE_WEIGHT * (bytes - *mean) };
    }

    /// Interest to Data.
    fn ratio(&self) -> f64 {
        if self.data > 0.0 { self.interest / self.data } else { 0.0 }
    }
}

impl PfeccQueue {
    fn new(parameters: PfeccQueueParameters, site: &Site) -> PfeccQueue {
        PfeccQueue {
            store: Store::new(parameters.service, site.limit),
            rate: site.link_rate,
            chance: site.seed.of("pfecc").stream(),
            data: Flows::new(parameters.activity, parameters.window),
            interests: Flows::new(parameters.activity, parameters.window),
            awaited: BTreeMap::new(),
            sizes: Sizes::default(),
            parameters,
        }
    }

    fn key(&self, name: &Name) -> FlowKey {
        FlowKey::of(name, self.parameters.prefix as usize)
    }

    fn new_flow(&self) -> DataFlow {
        DataFlow { rtt: self.parameters.initial_rtt.seconds(), tokens: 0.0 }
    }

    /// Rate in bit/s that each flow of Data may have when a packet has waited for `waited` (Li 2021, section 3.2).
    fn target(&self, waited: Span, rtt: f64, now: Time) -> f64 {
        let p = &self.parameters;
        let capacity = self.rate.0 as f64;
        let excess = (waited - p.target).seconds();
        let room = p.alpha * capacity - capacity * excess / rtt.max(p.min_rtt.seconds());
        let interests = if p.count_interests { self.interests.active(now) as f64 } else { 0.0 };
        let shares = self.data.active(now).max(1) as f64 + interests * self.sizes.ratio();
        room.max(0.0) / shares
    }

    /// A Data leaves: sets its feedback bit.
    fn feed_back(&mut self, packet: &mut Packet, bytes: usize, now: Time) {
        Sizes::learn(&mut self.sizes.data, bytes);
        let waited = sojourn(packet, now);
        let key = self.key(packet.name());
        let fresh = self.new_flow();
        self.data.sent(key, bytes, now, || fresh);
        if packet.hop.feedback == Feedback::Reduce {
            return;
        }
        let rate = self.data.rate(key);
        let rtt = self.data.state(key).map_or(self.parameters.initial_rtt.seconds(), |flow| flow.rtt);
        let target = self.target(waited, rtt, now);
        let share = if rate > 0.0 { (target / (2.0 * rate)).min(1.0) } else { 1.0 };
        let adds = match (self.parameters.marker, self.data.state(key)) {
            (Marker::Token, Some(flow)) => {
                flow.tokens = (flow.tokens + share).min(TOKENS);
                let takes = flow.tokens > 1.0;
                flow.tokens -= f64::from(u8::from(takes));
                takes
            }
            _ => self.chance.happens(share),
        };
        packet.hop_mut().feedback = if adds { Feedback::Add } else { Feedback::Reduce };
    }

    /// The answer of an Interest that came over this link goes back over it.
    fn answered(&mut self, name: &Name, now: Time) {
        let Some(asked) = self.awaited.remove(&name.hash64()) else { return };
        let key = self.key(name);
        let theta = self.parameters.theta;
        if let Some(flow) = self.data.state(key) {
            flow.rtt += theta * (now.since(asked).seconds() - flow.rtt);
        }
    }
}

impl QueueDiscipline for PfeccQueue {
    fn enqueue(&mut self, packet: Packet, cx: &mut Context<'_>) {
        if packet.is_content() {
            self.answered(packet.name(), cx.now);
        }
        let prefix = self.parameters.prefix as usize;
        self.store.push_or_discard(packet, |packet| FlowKey::of(packet.name(), prefix), cx);
    }

    fn dequeue(&mut self, cx: &mut Context<'_>) -> Pull {
        let Some((mut packet, bytes)) = self.store.pop() else { return Pull::Idle };
        match packet.kind {
            Kind::Interest(_) => {
                Sizes::learn(&mut self.sizes.interest, bytes);
                let key = self.key(packet.name());
                self.interests.sent(key, bytes, cx.now, || ());
            }
            Kind::Data(_) if packet.is_content() => self.feed_back(&mut packet, bytes, cx.now),
            Kind::Data(_) | Kind::Nack(_) => {}
        }
        if self.parameters.tell_delay && packet.is_content() {
            let micros = sojourn(&packet, cx.now).0 / 1000;
            packet.hop_mut().queue_delay = u32::try_from(micros).unwrap_or(u32::MAX);
        }
        Pull::Packet(packet)
    }

    fn observe(&mut self, arrived: &Packet, cx: &mut Context<'_>) {
        if let Kind::Interest(interest) = &arrived.kind {
            if self.awaited.len() >= MOST_AWAITED {
                let oldest = self.awaited.iter().min_by_key(|(_, asked)| **asked).map(|(hash, _)| *hash);
                oldest.map(|hash| self.awaited.remove(&hash));
            }
            self.awaited.insert(interest.name.hash64(), cx.now);
        }
    }

    fn needs(&self) -> Needs {
        Needs { observe: true, ..Needs::default() }
    }

    fn drain(&mut self, _cx: &mut Context<'_>) -> Vec<Packet> {
        self.store.drain()
    }

    fn backlog(&self) -> Backlog {
        self.store.backlog()
    }

    fn limit(&self) -> Limit {
        self.store.limit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::Seed;

    const LINK: Rate = Rate(10_000_000);

    fn queue() -> PfeccQueue {
        let site = Site { seed: Seed(3), link_rate: LINK, limit: Limit::Packets(1000), ..Site::default() };
        PfeccQueue::new(PfeccQueueParameters::default(), &site)
    }

    fn send(queue: &mut PfeccQueue, flow: u64, now: Time) {
        let fresh = queue.new_flow();
        queue.data.sent(FlowKey(flow), 1000, now, || fresh);
    }

    #[test]
    fn flows_of_data_share_the_target() {
        for flows in 1..=4 {
            let mut queue = queue();
            (0..flows).for_each(|flow| send(&mut queue, flow, Time::ZERO));
            let target = queue.target(Span::ZERO, 0.1, Time::ZERO);
            assert!((target - 0.95e7 / flows as f64).abs() < 1e-6, "{target}");
        }
    }

    #[test]
    fn a_flow_of_interests_counts_for_its_size() {
        let mut queue = queue();
        send(&mut queue, 1, Time::ZERO);
        queue.interests.sent(FlowKey(2), 40, Time::ZERO, || ());
        queue.sizes = Sizes { interest: 40.0, data: 1000.0 };
        let target = queue.target(Span::ZERO, 0.1, Time::ZERO);
        assert!((target - 0.95e7 / 1.04).abs() < 1e-6, "{target}");
        queue.parameters.count_interests = false;
        assert!((queue.target(Span::ZERO, 0.1, Time::ZERO) - 0.95e7).abs() < 1e-6);
    }

    #[test]
    fn a_delay_of_a_round_trip_leaves_nothing() {
        let mut queue = queue();
        send(&mut queue, 1, Time::ZERO);
        let half = queue.target(Span::from_millis(5 + 50), 0.1, Time::ZERO);
        assert!((half - 0.45e7).abs() < 1.0, "{half}");
        assert_eq!(queue.target(Span::from_millis(5 + 100), 0.1, Time::ZERO), 0.0);
    }

    #[test]
    fn tokens_turn_a_share_into_as_many_adds() {
        let mut queue = queue();
        queue.parameters.marker = Marker::Token;
        // 5 Mbit/s of a target of 9.5: f = 0.95; at 10 Mbit/s 0.475.
        for (gap_us, expected) in [(1600, 0.95), (800, 0.475)] {
            let name: Name = "/v".parse().unwrap_or_else(|_| Name::root());
            let mut adds = 0;
            for i in 0..2000_u64 {
                let now = Time::ZERO + Span::from_micros(gap_us * (i + 1));
                let content = weir_wire::Content::Virtual(weir_wire::VirtualData {
                    payload: 900,
                    freshness_ms: 0,
                    final_segment: None,
                });
                let mut packet = Packet::from(weir_wire::Data { name: name.with_segment(i), content });
                packet.queued_at = now.0;
                queue.feed_back(&mut packet, 1000, now);
                adds += u64::from(packet.hop.feedback == Feedback::Add);
            }
            let share = adds as f64 / 2000.0;
            assert!((share - expected).abs() < 0.02, "{share} at a gap of {gap_us}");
            queue = self::queue();
            queue.parameters.marker = Marker::Token;
        }
    }

    #[test]
    fn what_was_reduced_stays_reduced() {
        let mut queue = queue();
        let content =
            weir_wire::Content::Virtual(weir_wire::VirtualData { payload: 900, freshness_ms: 0, final_segment: None });
        let mut packet = Packet::from(weir_wire::Data { name: Name::root().with_segment(0), content });
        packet.hop_mut().feedback = Feedback::Reduce;
        queue.feed_back(&mut packet, 1000, Time::ZERO);
        assert_eq!(packet.hop.feedback, Feedback::Reduce);
    }
}
