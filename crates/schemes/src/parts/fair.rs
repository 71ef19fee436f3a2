//! A queue for each flow, served in turn.

use super::flow_rates::FlowKey;
use std::collections::{BTreeMap, VecDeque};
use weir_core::{Backlog, Context, DropReason, Limit};
use weir_wire::{Kind, Packet};

/// Deficit round robin (Shreedhar and Varghese, 1995) over the flows of Interests and the flows of Data, up to a limit on
/// all of them together. What a flow may send in a turn is the longest packet that ever came.
#[derive(Debug)]
pub struct Fair {
    /// Flows that wait.
    flows: BTreeMap<Key, Flow>,
    /// The same flows, whose turn it is first.
    round: VecDeque<Key>,
    backlog: Backlog,
    limit: Limit,
    quantum: usize,
}

/// A flow, and whether its packets are Interests.
type Key = (FlowKey, bool);

#[derive(Debug, Default)]
struct Flow {
    /// Each with its length and frames as it came.
    packets: VecDeque<(Packet, u32, u32)>,
    /// Bytes that it may still send in this turn.
    deficit: usize,
    /// Its turn has begun.
    at_turn: bool,
}

impl Fair {
    /// An empty queue.
    pub fn new(limit: Limit) -> Fair {
        let backlog = Backlog::default();
        Fair { flows: BTreeMap::new(), round: VecDeque::new(), backlog, limit, quantum: 0 }
    }

    /// What waits.
    pub fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// How much may wait.
    pub fn limit(&self) -> Limit {
        self.limit
    }

    /// Takes a packet of a flow if it fits, else discards it.
    pub fn push_or_discard(&mut self, packet: Packet, flow: FlowKey, cx: &mut Context<'_>) {
        let bytes = packet.wire_len();
        if !self.limit.admits(self.backlog, &packet) {
            return cx.discard(packet, DropReason::QueueFull);
        }
        self.quantum = self.quantum.max(bytes);
        self.backlog.packets += 1;
        self.backlog.bytes += bytes;
        let frames = if let Limit::Frames { mtu, .. } = self.limit { packet.frame_count(mtu) } else { 1 };
        self.backlog.frames += frames;
        let key = (flow, matches!(packet.kind, Kind::Interest(_)));
        let round = &mut self.round;
        let queue = self.flows.entry(key).or_insert_with(|| {
            round.push_back(key);
            Flow::default()
        });
        queue.packets.push_back((packet, bytes as u32, frames as u32));
    }

    /// Takes the next packet out, with the length that it came with.
    pub fn pop(&mut self) -> Option<(Packet, usize)> {
        loop {
            let key = *self.round.front()?;
            let flow = self.flows.get_mut(&key)?;
            if !std::mem::replace(&mut flow.at_turn, true) {
                flow.deficit += self.quantum;
            }
            let length = flow.packets.front().map_or(0, |(_, bytes, _)| *bytes as usize);
            if length > flow.deficit {
                flow.at_turn = false;
                self.round.rotate_left(1);
                continue;
            }
            let (packet, _, frames) = flow.packets.pop_front()?;
            flow.deficit -= length;
            if flow.packets.is_empty() {
                self.flows.remove(&key);
                self.round.pop_front();
            }
            self.backlog.packets -= 1;
            self.backlog.bytes -= length;
            self.backlog.frames -= frames as usize;
            return Some((packet, length));
        }
    }

    /// Takes all packets out, oldest first.
    pub fn drain(&mut self) -> Vec<Packet> {
        let mut packets: Vec<Packet> = std::iter::from_fn(|| self.pop()).map(|(packet, _)| packet).collect();
        packets.sort_by_key(|packet| packet.queued_at);
        packets
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::{FaceId, NoSink, NodeId, Ready, Time};
    use weir_wire::{Content, Data, Interest, Name, VirtualData};

    struct Bench {
        queue: Fair,
        refused: usize,
    }

    impl Bench {
        fn new(packets: usize) -> Bench {
            Bench { queue: Fair::new(Limit::Packets(packets)), refused: 0 }
        }

        fn push(&mut self, flow: u64, packet: Packet) {
            let before = self.queue.backlog().packets;
            let (mut sink, mut ready) = (NoSink, Ready::default());
            let mut cx = Context {
                now: Time::ZERO,
                node: NodeId(0),
                face: FaceId(0),
                sink: &mut sink,
                ready: &mut ready,
                watched: false,
            };
            self.queue.push_or_discard(packet, FlowKey(flow), &mut cx);
            self.refused += usize::from(self.queue.backlog().packets == before);
        }

        /// Names of what leaves.
        fn order(&mut self) -> Vec<String> {
            std::iter::from_fn(|| self.queue.pop()).map(|(packet, _)| packet.name().to_string()).collect()
        }
    }

    fn data(name: &str, payload: u32) -> Packet {
        let content = Content::Virtual(VirtualData { payload, freshness_ms: 0, final_segment: None });
        Packet::from(Data { name: name.parse::<Name>().unwrap(), content })
    }

    fn interest(name: &str) -> Packet {
        Packet::from(Interest::new(name.parse::<Name>().unwrap(), 1))
    }

    #[test]
    fn flows_of_equal_packets_take_turns() {
        let mut bench = Bench::new(100);
        (0..4).for_each(|_| bench.push(1, data("/a", 1000)));
        (0..2).for_each(|_| bench.push(2, data("/b", 1000)));
        assert_eq!(bench.order(), ["/a", "/b", "/a", "/b", "/a", "/a"]);
        assert_eq!(bench.queue.backlog(), Backlog::default());
    }

    #[test]
    fn interests_of_a_flow_do_not_wait_behind_its_data() {
        let mut bench = Bench::new(100);
        (0..3).for_each(|_| bench.push(1, data("/data", 1000)));
        (0..3).for_each(|_| bench.push(1, interest("/interest")));
        assert_eq!(bench.order()[..5], ["/data", "/interest", "/interest", "/interest", "/data"]);
    }

    #[test]
    fn bytes_are_shared_not_packets() {
        let mut bench = Bench::new(1000);
        (0..100).for_each(|_| bench.push(1, data("/large", 2000)));
        (0..400).for_each(|_| bench.push(2, data("/small", 450)));
        let first = bench.order().into_iter().take(250).filter(|name| name == "/large").count();
        assert!((45..=55).contains(&first), "{first} large ones among 250");
    }

    #[test]
    fn the_limit_is_for_all_flows_together() {
        let mut bench = Bench::new(3);
        (0..5).for_each(|flow| bench.push(flow, data("/a", 10)));
        assert_eq!((bench.queue.backlog().packets, bench.refused), (3, 2));
        assert_eq!(bench.queue.drain().len(), 3);
    }
}
