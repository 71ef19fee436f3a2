//! Links that packets of a trace crossed, put together from its steps.

use super::step::{PacketKind, Shown, Step, What};
use weir_core::{DropReason, NodeId, Span, Time};

/// One packet's way over one link, from the moment it was handed to the queue.
#[derive(Clone, Debug)]
pub(super) struct Crossing {
    pub link: u32,
    pub from: NodeId,
    pub packet: Shown,
    /// In a recovery store before it came to the queue.
    pub stored: Span,
    pub sojourn: Span,
    pub sent: Time,
    pub transmission: Span,
    /// `None`: lost, or still on its way.
    pub arrived: Option<Time>,
}

impl Crossing {
    /// When the node handed it to the queue or store.
    pub fn handed(&self) -> Time {
        Time(self.sent.0 - self.sojourn.0 - self.stored.0)
    }

    /// From the last bit's leaving to the arrival.
    pub fn propagation(&self, arrived: Time) -> Span {
        arrived.since(self.sent + self.transmission)
    }

    pub fn is(&self, kind: PacketKind, nonce: Option<u32>) -> bool {
        self.packet.packet == kind && (nonce.is_none() || nonce == self.packet.nonce)
    }
}

/// All crossings, in the order in which the packets were sent.
pub(super) fn crossings(steps: &[Step]) -> Vec<Crossing> {
    let mut found = Found::default();
    for step in steps {
        if let Some(link) = step.link {
            found.take(step, link);
        }
    }
    found.crossings
}

#[derive(Default)]
struct Found {
    crossings: Vec<Crossing>,
    /// Packets that a recovery moved into a queue that they have not left yet.
    recovered: Vec<(u32, Shown, Span)>,
}

impl Found {
    fn take(&mut self, step: &Step, link: u32) {
        match &step.what {
            What::Recovered { packet, stored } => self.recovered.push((link, *packet, *stored)),
            What::Dequeued { packet, sojourn, .. } => {
                let stored = self.stored(link, packet);
                let (from, packet, sojourn) = (step.node, *packet, *sojourn);
                let (sent, transmission) = (step.time, Span::ZERO);
                self.crossings.push(Crossing {
                    link,
                    from,
                    packet,
                    stored,
                    sojourn,
                    sent,
                    transmission,
                    arrived: None,
                });
            }
            What::Sent { transmission, .. } => {
                if let Some(last) = self.crossings.last_mut().filter(|c| c.link == link && c.sent == step.time) {
                    last.transmission = *transmission;
                }
            }
            What::Arrived { packet } => {
                let on_its_way = |c: &&mut Crossing| {
                    let there = c.sent + c.transmission <= step.time;
                    c.link == link && c.arrived.is_none() && c.packet.is_same(packet) && there
                };
                if let Some(crossing) = self.crossings.iter_mut().find(on_its_way) {
                    crossing.arrived = Some(step.time);
                }
            }
            What::Dropped { reason: DropReason::LinkLoss, packet } => {
                let lost = |c: &Crossing| c.link == link && c.sent == step.time && c.packet.is_same(packet);
                if let Some(place) = self.crossings.iter().rposition(lost) {
                    self.crossings.remove(place);
                }
            }
            _ => {}
        }
    }

    fn stored(&mut self, link: u32, packet: &Shown) -> Span {
        let place = self.recovered.iter().position(|(l, p, _)| *l == link && p.is_same(packet));
        place.map_or(Span::ZERO, |place| self.recovered.remove(place).2)
    }
}
