//! The collector, and whoever else watches a run.

use crate::collect::Collector;
use weir_core::{Allowance, Delivery, DropReason, Event, FaceId, FetchEnd, FlowId, NodeId, Sink, Span, Time};
use weir_wire::{NackReason, Packet};

/// Those who are told what happens. The collector always is; others cost time only in a run that has some.
#[derive(Default)]
pub(crate) struct Watch {
    pub collector: Collector,
    watchers: Vec<Box<dyn Sink>>,
}

impl Watch {
    pub fn new(collector: Collector) -> Watch {
        Watch { collector, watchers: Vec::new() }
    }

    pub fn add(&mut self, watcher: Box<dyn Sink>) {
        self.watchers.push(watcher);
    }

    /// True if anybody but the collector watches: then the sink is the whole `Watch`.
    #[inline]
    pub fn is_watched(&self) -> bool {
        !self.watchers.is_empty()
    }

    /// Whom a machine has to tell.
    #[inline]
    pub fn sink(&mut self) -> &mut dyn Sink {
        if self.is_watched() { self } else { &mut self.collector }
    }

    /// Tells the watchers of an event, which is not even made if there are none.
    #[inline]
    pub fn tell<'e>(&mut self, now: Time, node: u32, face: FaceId, event: impl FnOnce() -> Event<'e>) {
        if self.is_watched() {
            self.detail(now, NodeId(node), face, &event());
        }
    }
}

/// Passes each call on to the collector and the watchers.
macro_rules! pass_on {
    ($($method:ident($($argument:ident: $type:ty),*);)*) => {
        impl Sink for Watch {
            $(fn $method(&mut self, $($argument: $type),*) {
                self.collector.$method($($argument),*);
                for watcher in &mut self.watchers {
                    watcher.$method($($argument),*);
                }
            })*
        }
    };
}

pass_on! {
    dropped(now: Time, node: NodeId, face: FaceId, packet: &Packet, reason: DropReason);
    marked(now: Time, node: NodeId, face: FaceId);
    loss_notice(now: Time, node: NodeId, face: FaceId);
    recovered(now: Time, node: NodeId, face: FaceId, stored: Span);
    requested(now: Time, flow: FlowId, segment: u64, transmission: u32);
    delivered(now: Time, flow: FlowId, delivery: &Delivery);
    timed_out(now: Time, flow: FlowId, segment: u64);
    refused(now: Time, flow: FlowId, segment: u64, reason: NackReason);
    decreased(now: Time, flow: FlowId, left: &Allowance);
    held(now: Time, flow: FlowId);
    nacked(now: Time, node: NodeId, face: FaceId);
    completed(now: Time, flow: FlowId);
    began(now: Time, flow: FlowId);
    fetched(now: Time, flow: FlowId, took: Span);
    fetch_ended(now: Time, flow: FlowId, fetch: &FetchEnd<'_>);
    abandoned(now: Time, flow: FlowId);
    detail(now: Time, node: NodeId, face: FaceId, event: &Event<'_>);
}
