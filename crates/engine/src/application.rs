//! What sits at the end of a packet's way.

use weir_core::{Context, FlowId, Parts, Reading, Time};
use weir_wire::{Name, Packet};

/// Packets that an application hands to its node.
pub type Outbox = Vec<Packet>;

/// A program on a node: a consumer or a producer. Like a machine, it is told the time and keeps no clock.
pub trait Application {
    /// Takes a packet; answers go to `out`.
    fn receive(&mut self, packet: Packet, out: &mut Outbox, cx: &mut Context<'_>);
    /// Does what is due; being woken early must be harmless.
    fn wake(&mut self, out: &mut Outbox, cx: &mut Context<'_>);
    /// A packet is about to come: asks for what `receive` will need, in two steps, the second of which may read what the
    /// first has asked for; see [`weir_core::ahead`].
    fn foresee(&self, _step: u32, _packet: &Packet) {}
    /// When `wake` wants to be called.
    fn next_wake(&self) -> Option<Time>;
    /// What it serves, or whose Data it wants.
    fn name(&self) -> &Name;
    /// True if it answers Interests.
    fn serves(&self) -> bool;
    /// As a consumer, it wants all Data below its name, not only the segments of one content.
    fn wants_below(&self) -> bool {
        false
    }
    /// The flow that it makes, if it is a consumer.
    fn flow(&self) -> Option<FlowId> {
        None
    }
    /// Sends new Interests from now on, or does not any more. What is out is still waited for.
    fn set_running(&mut self, _run: bool, _cx: &mut Context<'_>) {}
    /// Gets other plug-ins; see [`weir_core::Order::Parts`].
    fn adopt(&mut self, _parts: Parts, _control: bool, _timeout: bool, _cx: &mut Context<'_>) {}
    /// Tells `report` its readings.
    fn inspect(&self, _report: &mut dyn FnMut(Reading)) {}
}
