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
        let key = self.stems.find(&nack.interest.name);
        let id = key.and_then(|key| self.pit.find(key, &nack.interest));
        let record = id.and_then(|id| self.pit.upstream_mut(id, face, nack.interest.nonce));
        cx.tell(|| Event::NackReceived { nack, expected: record.is_some() });
        let (Some(id), Some(record)) = (id, record) else {
            return cx.discard(packet, DropReason::Unsolicited);
        };
        record.nacked = Some(nack.reason);
        let entry = self.pit.get(id);
        let (strategy, interest) = (entry.strategy(), self.pit.interest(id, &self.stems));
        let Some(prefix) = entry.prefix() else { unreachable!("an Interest was sent on without a route") };
        // The Interest last received is the one that would go on.
        let from = self.pit.downstreams(id).iter().find(|r| r.nonce == interest.nonce).map(|r| r.face);
        self.find_eligible(id, from, interest.hop_limit == Some(0));
        self.copy_sent(id);
        let failure = Failure {
            prefix,
            name: &interest.name,
            kind: FailureKind::Nack(nack.reason),
            face,
            sent: &self.sent,
            next_hops: &self.eligible,
        };
        let choice = self.strategies[strategy.0 as usize].on_failure(&failure, cx);
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
