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
            What::Duplicated { packet } => {
                // The copy crosses by itself: either may be the one that counts.
                let copied = |c: &&Crossing| c.link == link && c.sent == step.time && c.packet.is_same(packet);
                if let Some(copy) = self.crossings.iter().rev().find(copied).cloned() {
                    self.crossings.push(copy);
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
            What::Dropped { reason: reason @ (DropReason::LinkLoss | DropReason::LinkDown), packet } => {
                let lost = |c: &Crossing| {
                    // A link that goes down loses what has been on its way for a while, too.
                    let then = c.sent == step.time || *reason == DropReason::LinkDown;
                    c.link == link && c.arrived.is_none() && then && c.packet.is_same(packet)
                };
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

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: Shown = Shown { packet: PacketKind::Data, nonce: None, bytes: 1000, mark: false };

    fn step(time: u64, what: What) -> Step {
        Step { time: Time(time), node: NodeId(0), link: Some(7), what }
    }

    /// A Data leaves the queue and is sent within one unit of time.
    fn sent(time: u64) -> [Step; 2] {
        let left = What::Dequeued { packet: DATA, sojourn: Span::ZERO, packets_behind: 0, bytes_behind: 0 };
        [step(time, left), step(time, What::Sent { packet: DATA, transmission: Span(1) })]
    }

    fn arrived(time: u64) -> Step {
        step(time, What::Arrived { packet: DATA })
    }

    /// When each crossing was sent and when it arrived.
    fn ways(steps: &[Step]) -> Vec<(u64, Option<u64>)> {
        crossings(steps).iter().map(|c| (c.sent.0, c.arrived.map(|time| time.0))).collect()
    }

    #[test]
    fn a_copy_does_not_take_the_arrival_of_the_next_data() {
        let mut steps = sent(0).to_vec();
        steps.push(step(0, What::Duplicated { packet: DATA }));
        steps.extend(sent(2));
        steps.extend([arrived(10), arrived(11), arrived(15)]);
        assert_eq!(ways(&steps), [(0, Some(10)), (0, Some(11)), (2, Some(15))]);
    }

    #[test]
    fn what_a_failing_link_loses_does_not_take_the_arrival_of_the_next_data() {
        let mut steps = sent(0).to_vec();
        steps.push(step(5, What::Dropped { packet: DATA, reason: DropReason::LinkDown }));
        steps.extend(sent(6));
        steps.push(arrived(12));
        assert_eq!(ways(&steps), [(6, Some(12))]);
    }
}
