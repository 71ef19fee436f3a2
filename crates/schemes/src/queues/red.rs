//! Random Early Detection (Floyd and Jacobson, 1993), in the form of ns-3's queue disc.

use crate::parts::fifo::Fifo;
use crate::parts::marking::{carries_marks, mark};
use crate::parts::red::{Red, RedRule, Spacing};
use weir_core::{Backlog, Bytes, Chance, Context, DropReason, Entry, Limit, Pull, QueueDiscipline, Site, Span, Time};
use weir_wire::Packet;

weir_core::words! {
    /// How RED answers congestion.
    pub enum Action {
        /// Drop the packet that comes.
        Drop = "drop",
        /// Mark it.
        Mark = "mark",
    }
}

weir_core::parameters! {
    /// Parameters of RED.
    pub struct RedParameters {
        /// What happens to the packets that RED picks: they are dropped or marked.
        action: Action = Action::Drop, None, "Floyd and Jacobson 1993; RFC 3168";
        /// Mean queue in packets below which nothing happens.
        min_threshold: f64 = 5.0, Some((0.0, 1e9)), "Floyd and Jacobson 1993; ns-3 RedQueueDisc";
        /// Mean queue in packets at which the probability is greatest.
        max_threshold: f64 = 15.0, Some((0.0, 1e9)), "Floyd and Jacobson 1993; ns-3 RedQueueDisc";
        /// Probability at the upper threshold.
        max_probability: f64 = 0.02, Some((0.0, 1.0)), "ns-3 RedQueueDisc (LInterm 50)";
        /// Weight of the latest queue length in the mean.
        weight: f64 = 0.002, Some((1e-9, 1.0)), "Floyd and Jacobson 1993; ns-3 RedQueueDisc";
        /// Between the upper threshold and twice that, the probability rises to one instead of jumping there.
        gentle: bool = true, None, "ns-3 RedQueueDisc";
        /// How picks are spaced: "wait" leaves at least 1/p packets between them, "uniform" spreads them evenly.
        spacing: Spacing = Spacing::Wait, None, "ns-3 RedQueueDisc; \"uniform\": Floyd and Jacobson 1993";
        /// Size of a packet by which time without packets is counted.
        mean_packet: Bytes = Bytes(500), None, "ns-3 RedQueueDisc";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn QueueDiscipline>> = weir_core::entry!(
    "red",
    "Drops or marks at random, the more the longer the queue is on average",
    RedParameters,
    |p, site| Box::new(RedQueue::new(&p, site)),
    "../../../../docs/schemes/queue-red.md"
);

/// A FIFO that picks packets as they come.
#[derive(Debug)]
struct RedQueue {
    fifo: Fifo,
    red: Red,
    action: Action,
    chance: Chance,
    /// Transmission time of an average packet.
    packet_time: Span,
    /// Since when nothing waits.
    empty_since: Option<Time>,
}

impl RedQueue {
    fn new(p: &RedParameters, site: &Site) -> RedQueue {
        let rule = RedRule {
            min: p.min_threshold,
            max: p.max_threshold.max(p.min_threshold),
            max_probability: p.max_probability,
            weight: p.weight,
            gentle: p.gentle,
            spacing: p.spacing,
        };
        RedQueue {
            fifo: Fifo::new(site.limit),
            red: Red::new(rule),
            action: p.action,
            chance: site.seed.of("red").stream(),
            packet_time: site.link_rate.transmission(p.mean_packet.0 as usize),
            empty_since: Some(Time::ZERO),
        }
    }

    /// Packets that could have been sent while nothing waited.
    fn idle_packets(&mut self, now: Time) -> f64 {
        match self.empty_since.take() {
            Some(since) if self.packet_time > Span::ZERO => now.since(since).seconds() / self.packet_time.seconds(),
            _ => 0.0,
        }
    }
}

impl QueueDiscipline for RedQueue {
    fn enqueue(&mut self, mut packet: Packet, cx: &mut Context<'_>) {
        let waiting = self.fifo.backlog().packets;
        let idle = self.idle_packets(cx.now);
        let picked = self.red.arrival(waiting as f64, idle, &mut self.chance);
        match self.action {
            _ if !picked || waiting <= 1 => {}
            Action::Drop => {
                cx.discard(packet, DropReason::QueueManagement);
                return;
            }
            Action::Mark => {
                if carries_marks(&packet) && self.limit().admits(self.backlog(), &packet) {
                    mark(&mut packet, cx);
                }
            }
        }
        self.fifo.push_or_discard(packet, cx);
    }

    fn dequeue(&mut self, cx: &mut Context<'_>) -> Pull {
        let next = self.fifo.pop();
        if self.fifo.backlog().packets == 0 {
            self.empty_since.get_or_insert(cx.now);
        }
        next.map_or(Pull::Idle, Pull::Packet)
    }

    fn drain(&mut self, _cx: &mut Context<'_>) -> Vec<Packet> {
        self.fifo.drain()
    }

    fn backlog(&self) -> Backlog {
        self.fifo.backlog()
    }

    fn limit(&self) -> Limit {
        self.fifo.limit()
    }
}
