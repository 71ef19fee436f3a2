//! What happens to a network in the midst of a run: links fail and change, nodes are restarted, schemes are exchanged.

use crate::conditions::LinkState;
use crate::world::World;
use weir_core::{DropReason, NodeId, Order, Rate, Span, Time};

/// One change.
#[derive(Debug)]
pub enum Change {
    /// A link direction goes down, or up again.
    State {
        /// Place of the direction, in the order of [`World::add_link`].
        link: u32,
        /// What it does from now on.
        state: LinkState,
    },
    /// A link direction gets other properties; `None`: as before.
    Link {
        /// Place of the direction.
        link: u32,
        /// Bit rate, for the packets that are sent from now on.
        rate: Option<Rate>,
        /// Propagation delay, for the same. Packets stay in order if it gets shorter.
        delay: Option<Span>,
        /// Probability that a packet is lost.
        loss: Option<f64>,
    },
    /// A node gets an order.
    Node {
        /// The node.
        node: u32,
        /// What it has to do.
        order: Order,
    },
}

impl World {
    /// Adds changes that will happen during the run. Those of one instant happen in the order in which they were added,
    /// before everything else of that instant.
    pub fn schedule(&mut self, changes: impl IntoIterator<Item = (Time, Change)>) {
        self.timeline.extend(changes);
        self.timeline.make_contiguous().sort_by_key(|(time, _)| *time);
    }

    /// Makes the changes that are due.
    pub(crate) fn change(&mut self) {
        let now = self.now();
        while self.timeline.front().is_some_and(|(time, _)| *time <= now) {
            let Some((_, change)) = self.timeline.pop_front() else { break };
            match change {
                Change::State { link, state } => self.set_state(link as usize, state),
                Change::Link { link, rate, delay, loss } => self.link_mut(link as usize).change(rate, delay, loss),
                Change::Node { node, order } => self.call(node as usize, |machine, cx| machine.obey(order, cx)),
            }
        }
        self.await_change();
    }

    fn set_state(&mut self, place: usize, state: LinkState) {
        let now = self.now();
        let link = self.link_mut(place);
        let old = link.state();
        if old == state {
            return;
        }
        let (node, face) = (link.spec.from, link.spec.from_face);
        let lost = if state == LinkState::Up { Vec::new() } else { link.cut(now) };
        link.set_state(state, now);
        for packet in lost {
            self.sink().dropped(now, NodeId(node), face, &packet, DropReason::LinkDown);
        }
        let is_known = |state| matches!(state, LinkState::Waiting | LinkState::Dropping);
        if is_known(old) != is_known(state) {
            let order = Order::Face { face, up: !is_known(state) };
            self.call(node as usize, |machine, cx| machine.obey(order, cx));
        }
        // What has waited, or is to be dropped now.
        self.offer(place);
    }
}
