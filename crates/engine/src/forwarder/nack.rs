//! The way of a Nack.

use super::Forwarder;
use weir_core::{Cause, Context, DropReason, Event, FaceId, Failure, FailureKind};
use weir_wire::{Kind, Packet};

impl Forwarder {
    /// Only a Nack for the very Interest that was sent to `face` counts; the strategy tries another next hop or passes
    /// the refusal on.
    pub(super) fn on_nack(&mut self, face: FaceId, packet: Packet, cx: &mut Context<'_>) {
        self.counters.nacks += 1;
        let Kind::Nack(nack) = &packet.kind else { unreachable!("no other packet takes a Nack's way") };
        let id = self.pit.find(&nack.interest, nack.interest.name.hash64());
        let record = id.and_then(|id| {
            let upstreams = self.pit.get_mut(id).outs.iter_mut();
            upstreams.map(|u| &mut u.record).find(|r| r.face == face && r.nonce == nack.interest.nonce)
        });
        cx.tell(|| Event::NackReceived { nack, expected: record.is_some() });
        let (Some(id), Some(record)) = (id, record) else {
            return cx.discard(packet, DropReason::Unsolicited);
        };
        record.nacked = Some(nack.reason);
        let entry = self.pit.get(id);
        let Some(prefix) = entry.prefix else { unreachable!("an Interest was sent on without a route") };
        // The Interest last received is the one that would go on.
        let from = entry.ins.iter().find(|r| r.nonce == entry.interest.nonce).map(|r| r.face);
        self.find_eligible(id, from, entry.interest.hop_limit == Some(0));
        self.copy_sent(id);
        let entry = self.pit.get(id);
        let failure = Failure {
            prefix,
            name: &entry.interest.name,
            kind: FailureKind::Nack(nack.reason),
            face,
            sent: &self.sent,
            next_hops: &self.eligible,
        };
        let choice = self.strategies[entry.strategy.0 as usize].on_failure(&failure, cx);
        cx.tell(|| Event::Decided {
            name: &nack.interest.name,
            cause: Cause::Nack(nack.reason),
            next_hops: &self.eligible,
            sent: &self.sent,
            choice: &choice,
        });
        self.act(id, choice, None, cx);
    }
}
