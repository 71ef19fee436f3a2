//! In which order the packets of a queue leave.

use super::fair::Fair;
use super::fifo::Fifo;
use super::flow_rates::FlowKey;
use weir_core::{Backlog, Context, Limit};
use weir_wire::Packet;

weir_core::words! {
    /// In which order packets leave.
    pub enum Service {
        /// That in which they came.
        Fifo = "fifo",
        /// Flow by flow in turn: deficit round robin over flows of Interests and flows of Data.
        Flows = "flows",
    }
}

/// The packets that wait.
#[derive(Debug)]
pub enum Store {
    /// In one line.
    Fifo(Fifo),
    /// By flows.
    Flows(Fair),
}

impl Store {
    /// An empty one.
    pub fn new(service: Service, limit: Limit) -> Store {
        match service {
            Service::Fifo => Store::Fifo(Fifo::new(limit)),
            Service::Flows => Store::Flows(Fair::new(limit)),
        }
    }

    /// Takes a packet if it fits, else discards it; `flow` says whose it is, if it matters.
    pub fn push_or_discard(&mut self, packet: Packet, flow: impl FnOnce(&Packet) -> FlowKey, cx: &mut Context<'_>) {
        match self {
            Store::Fifo(fifo) => fifo.push_or_discard(packet, cx),
            Store::Flows(fair) => {
                let flow = flow(&packet);
                fair.push_or_discard(packet, flow, cx);
            }
        }
    }

    /// The next packet to leave, and the length that it came with.
    pub fn pop(&mut self) -> Option<(Packet, usize)> {
        match self {
            Store::Fifo(fifo) => {
                let before = fifo.backlog().bytes;
                let packet = fifo.pop()?;
                Some((packet, before - fifo.backlog().bytes))
            }
            Store::Flows(fair) => fair.pop(),
        }
    }

    /// Takes all packets out, oldest first.
    pub fn drain(&mut self) -> Vec<Packet> {
        match self {
            Store::Fifo(fifo) => fifo.drain(),
            Store::Flows(fair) => fair.drain(),
        }
    }

    /// What waits.
    pub fn backlog(&self) -> Backlog {
        match self {
            Store::Fifo(fifo) => fifo.backlog(),
            Store::Flows(fair) => fair.backlog(),
        }
    }

    /// How much may wait.
    pub fn limit(&self) -> Limit {
        match self {
            Store::Fifo(fifo) => fifo.limit(),
            Store::Flows(fair) => fair.limit(),
        }
    }
}
