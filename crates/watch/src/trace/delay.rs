//! Where the time between the first Interest and the Data went.

use super::crossing::{Crossing, crossings};
use super::step::{PacketKind, Step, What, Why};
use crate::Network;
use weir_core::{FlowId, NodeId, Span, Time};

/// The full delay of a segment, taken apart. The parts follow each other in time without a gap.
#[derive(Clone, Debug, PartialEq)]
pub struct Delay {
    /// The fetch.
    pub flow: FlowId,
    /// From the first transmission of the Interest to the Data's arrival.
    pub total: Span,
    /// Transmissions of the Interest up to then.
    pub transmissions: u32,
    /// What it is made of, in order of time.
    pub parts: Vec<Part>,
}

/// A part of a delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Where the time passed.
    pub place: Place,
    /// What waited or travelled; `None`: nothing of this segment was on its way to the consumer.
    pub packet: Option<PacketKind>,
    /// What it was spent on.
    pub cause: Cause,
    /// How much.
    pub span: Span,
}

/// Where time passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A link direction and the queue in front of it.
    Link(u32),
    /// A node.
    Node(NodeId),
}

/// What time is spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Waiting in a queue.
    Queueing,
    /// Waiting in a recovery store.
    Storage,
    /// Being put onto a link.
    Transmission,
    /// Flying over a link.
    Propagation,
    /// The consumer did not know yet that a transmission had failed; then it did, in this way.
    Unnoticed(Why),
    /// The consumer knew, but was not allowed to send.
    Withheld,
    /// A router waited for an upstream that then refused.
    Refused,
    /// A router had asked already, for somebody else or for an earlier transmission, and waited for that Data.
    Joined,
    /// Nobody knows.
    Unknown,
}

impl Delay {
    /// The time spent on what `wanted` says.
    pub fn sum(&self, wanted: impl Fn(Cause) -> bool) -> Span {
        let parts = self.parts.iter().filter(|part| wanted(part.cause));
        parts.fold(Span::ZERO, |sum, part| sum + part.span)
    }
}

/// Takes apart the delay of the first delivery to `flow`; `None` if there was none.
pub fn delay(steps: &[Step], network: &Network, flow: FlowId) -> Option<Delay> {
    let (place, transmissions) = steps.iter().enumerate().find_map(|(i, step)| match step.what {
        What::Delivered { id, transmissions, .. } if id == flow => Some((i, transmissions)),
        _ => None,
    })?;
    let delivery = &steps[place];
    let steps = &steps[..place];
    let asked: Vec<Asked> = steps.iter().filter_map(|step| Asked::of(step, flow)).collect();
    let first = asked.first()?.time;
    let story = Story { steps, network, flow, asked, crossings: crossings(steps) };
    let parts = story.parts(delivery.node, delivery.time, first);
    Some(Delay { flow, total: delivery.time.since(first), transmissions, parts })
}

/// A transmission by the consumer.
struct Asked {
    time: Time,
    node: NodeId,
    nonce: u32,
}

impl Asked {
    fn of(step: &Step, flow: FlowId) -> Option<Asked> {
        match step.what {
            What::Asked { id, nonce, .. } if id == flow => Some(Asked { time: step.time, node: step.node, nonce }),
            _ => None,
        }
    }
}

struct Story<'a> {
    steps: &'a [Step],
    network: &'a Network,
    flow: FlowId,
    asked: Vec<Asked>,
    crossings: Vec<Crossing>,
}

impl Story<'_> {
    fn parts(&self, consumer: NodeId, delivered: Time, first: Time) -> Vec<Part> {
        let data = self.way_back(consumer, delivered);
        let (node, time) = data.last().map_or((consumer, delivered), |c| (c.from, c.handed()));
        if let Some((asked, mut way)) = self.interest_way_back(node, time) {
            way.extend(data.iter().rev().flat_map(|c| legs(c)));
            return self.recovery(asked, way);
        }
        self.asked.iter().rev().find_map(|asked| self.joined(asked, &data, consumer, delivered)).unwrap_or_else(|| {
            let (place, span) = (Place::Node(consumer), delivered.since(first));
            vec![Part { place, packet: None, cause: Cause::Unknown, span }]
        })
    }

    /// The links that a Data crossed to be at `node` at `time`, the last one first.
    fn way_back(&self, mut node: NodeId, mut time: Time) -> Vec<&Crossing> {
        let mut way = Vec::new();
        while let Some(crossing) = self.arrival(node, time, PacketKind::Data, None) {
            (node, time) = (crossing.from, crossing.handed());
            way.push(crossing);
        }
        way
    }

    fn arrival(&self, node: NodeId, time: Time, kind: PacketKind, nonce: Option<u32>) -> Option<&Crossing> {
        let here = |c: &&Crossing| self.network.end(c.link) == Some(node) && c.is(kind, nonce);
        self.crossings.iter().filter(here).find(|c| c.arrived == Some(time))
    }

    /// From the place and time where the Data came into being, back to the transmission of this fetch that called for
    /// it. `None` if another one's Interest did.
    fn interest_way_back(&self, mut node: NodeId, mut time: Time) -> Option<(&Asked, Vec<Part>)> {
        let mut nonce = None;
        let mut back: Vec<Part> = Vec::new();
        loop {
            let mine = |a: &&Asked| a.node == node && a.time == time && nonce.is_none_or(|n| n == a.nonce);
            if let Some(asked) = self.asked.iter().find(mine) {
                back.reverse();
                return Some((asked, back));
            }
            let crossing = match self.arrival(node, time, PacketKind::Interest, nonce) {
                Some(crossing) => crossing,
                None => {
                    let (crossing, refused) = self.earlier(node, time, nonce?)?;
                    back.push(Part { place: Place::Node(node), packet: None, cause: Cause::Refused, span: refused });
                    crossing
                }
            };
            back.extend(legs(crossing).into_iter().rev());
            (node, time, nonce) = (crossing.from, crossing.handed(), crossing.packet.nonce);
        }
    }

    /// The Interest with this nonce that came before: it went elsewhere first and was refused there.
    fn earlier(&self, node: NodeId, time: Time, nonce: u32) -> Option<(&Crossing, Span)> {
        let came = |c: &&Crossing| self.network.end(c.link) == Some(node) && c.is(PacketKind::Interest, Some(nonce));
        let before = self.crossings.iter().filter(came).filter(|c| c.arrived.is_some_and(|at| at < time));
        let latest = before.max_by_key(|c| c.arrived)?;
        Some((latest, time.since(latest.arrived?)))
    }

    /// The way of a transmission up to where it met the Data that another one had called for, and on with that.
    fn joined(&self, asked: &Asked, data: &[&Crossing], consumer: NodeId, delivered: Time) -> Option<Vec<Part>> {
        let (mut node, mut time) = (asked.node, asked.time);
        let mut way = Vec::new();
        let mine = |c: &&Crossing| c.is(PacketKind::Interest, Some(asked.nonce));
        // Where the Data that came passed by later, how much of its way was left then, and when; the last such place.
        // (A repetition may go on from there, but what it fetches comes too late to count.)
        let meets = |node, time| data.iter().position(|c| c.from == node && c.handed() >= time).map(|place| place + 1);
        let mut met = (node == consumer).then_some((node, time, 0, 0));
        loop {
            if let Some(left) = meets(node, time) {
                met = Some((node, time, left, way.len()));
            }
            let next = self.crossings.iter().filter(mine).find(|c| c.from == node && c.handed() >= time);
            let Some((next, arrived)) = next.and_then(|c| Some((c, c.arrived?))) else { break };
            way.extend(legs(next));
            (node, time) = (self.network.end(next.link)?, arrived);
        }
        let (node, time, left, legs_up) = met?;
        way.truncate(legs_up);
        let rest = &data[..left];
        let passed = rest.last().map_or(delivered, |c| c.handed());
        way.push(Part { place: Place::Node(node), packet: None, cause: Cause::Joined, span: passed.since(time) });
        way.extend(rest.iter().rev().flat_map(|c| legs(c)));
        Some(self.recovery(asked, way))
    }

    /// Puts the time before the transmission that counted in front of its way.
    fn recovery(&self, counted: &Asked, way: Vec<Part>) -> Vec<Part> {
        let mut parts = Vec::new();
        let place = Place::Node(counted.node);
        let mut put = |cause, span| parts.push(Part { place, packet: None, cause, span });
        for pair in self.asked.windows(2).take_while(|pair| pair[1].time <= counted.time) {
            let (sent, again) = (pair[0].time, pair[1].time);
            match self.noticed(sent, again) {
                Some((noticed, why)) => {
                    put(Cause::Unnoticed(why), noticed.since(sent));
                    put(Cause::Withheld, again.since(noticed));
                }
                None => put(Cause::Unknown, again.since(sent)),
            }
        }
        parts.extend(way);
        parts.retain(|part| part.span > Span::ZERO || part.cause == Cause::Propagation);
        parts
    }

    /// When and how the consumer learned, between two transmissions, that the first had failed. (Of a loss notice
    /// nothing follows.)
    fn noticed(&self, sent: Time, again: Time) -> Option<(Time, Why)> {
        let between = self.steps.iter().filter(|step| (sent..=again).contains(&step.time));
        let mut losses = between.filter_map(|step| match step.what {
            What::Lost { id, why, .. } if id == self.flow && why != Why::LossNotice => Some((step.time, why)),
            _ => None,
        });
        losses.next_back()
    }
}

/// The parts of one crossing, in order of time.
fn legs(crossing: &Crossing) -> Vec<Part> {
    let (place, packet) = (Place::Link(crossing.link), Some(crossing.packet.packet));
    let part = |cause, span| Part { place, packet, cause, span };
    let arrived = crossing.arrived.unwrap_or(crossing.sent + crossing.transmission);
    let all = [
        part(Cause::Storage, crossing.stored),
        part(Cause::Queueing, crossing.sojourn),
        part(Cause::Transmission, crossing.transmission),
        part(Cause::Propagation, crossing.propagation(arrived)),
    ];
    all.into_iter().filter(|p| p.span > Span::ZERO || p.cause == Cause::Propagation).collect()
}
