//! The way of a Data and of a loss notice.

use super::Forwarder;
use crate::face::queue_delay;
use crate::pit::{InRecord, PitEntry, PitId};
use smallvec::SmallVec;
use weir_core::{Context, DataOutcome, DropReason, Event, FaceId, Time};
use weir_wire::{Data, HopFields, Kind, Packet};

impl Forwarder {
    pub(super) fn on_data(&mut self, face: FaceId, data: Data, hop: HopFields, cx: &mut Context<'_>) {
        self.counters.data += 1;
        let hash = data.name.hash64();
        let Some(id) = self.pit.answered_by(&data.name, hash) else {
            return unsolicited(Packet { hop, kind: Kind::Data(data), queued_at: 0 }, cx);
        };
        self.cs.insert(&data, hash, cx.now);
        let unused = if self.pit.may_have_more() {
            self.satisfy_all(face, &data, &hop, cx)
        } else {
            self.satisfy(id, face, data, hop, cx)
        };
        if let Some(packet) = unused
            && self.cs.capacity() == 0
        {
            cx.face = face;
            unsolicited(packet, cx);
        }
    }

    /// Rare: entries for the same name that differ by selectors, or for a prefix of it.
    fn satisfy_all(&mut self, face: FaceId, data: &Data, hop: &HopFields, cx: &mut Context<'_>) -> Option<Packet> {
        let mut unused = None;
        let mut used = false;
        while let Some(id) = self.pit.answered_by(&data.name, data.name.hash64()) {
            unused = self.satisfy(id, face, data.clone(), hop.clone(), cx);
            used |= unused.is_none();
        }
        unused.filter(|_| !used)
    }

    /// Ends an entry and sends the Data to all that wait for it. Gives it back if nobody does any more.
    #[inline]
    fn satisfy(&mut self, id: PitId, face: FaceId, data: Data, hop: HopFields, cx: &mut Context<'_>) -> Option<Packet> {
        let entry = self.pit.get_mut(id);
        let downstreams = std::mem::take(&mut entry.ins);
        let marked = entry.marked;
        let outcome = outcome(entry, face, &hop, cx.now);
        let strategy = entry.strategy;
        cx.tell(|| {
            let rtt = outcome.and_then(|o| o.rtt);
            Event::PitSatisfied { data: &data, rtt, downstreams: downstreams.len(), marked }
        });
        self.remember_fresh_nonces(id, &data, cx.now);
        self.pit.remove(id);
        if let Some(outcome) = outcome {
            self.strategies[strategy.0 as usize].on_data(&outcome, cx);
        }
        self.pit_changed(cx);
        let hop = HopFields { pit_token: None, congestion_mark: hop.congestion_mark.max(u8::from(marked)), ..hop };
        self.send_down(face, downstreams, Packet { hop, kind: Kind::Data(data), queued_at: 0 }, cx)
    }

    /// A Data that is soon stale answers a looping MustBeFresh Interest no longer: its nonce must.
    fn remember_fresh_nonces(&mut self, id: PitId, data: &Data, now: Time) {
        if self.pit.get(id).interest.must_be_fresh && data.freshness_ms() < 6000 {
            self.remember_nonces(id, now);
        }
    }

    pub(super) fn answer_from_cs(&mut self, face: FaceId, data: Data, hop: HopFields, cx: &mut Context<'_>) {
        let mut packet = Packet::from(data);
        packet.hop.congestion_mark = hop.congestion_mark;
        let record = InRecord { face, nonce: 0, expiry: Time::NEVER, token: hop.pit_token };
        self.send_copy(record, packet, true, cx);
    }

    /// Sends a copy to every downstream but the face that the packet came from. Gives it back if there is none.
    #[inline]
    fn send_down(
        &mut self,
        from: FaceId,
        downstreams: SmallVec<[InRecord; 1]>,
        packet: Packet,
        cx: &mut Context<'_>,
    ) -> Option<Packet> {
        let now = cx.now;
        let mut waiting = downstreams.into_iter().filter(|r| r.face != from && r.expiry > now);
        let Some(mut record) = waiting.next() else { return Some(packet) };
        // All but the last get a copy.
        for next in waiting {
            self.send_copy(record, packet.clone(), false, cx);
            record = next;
        }
        self.send_copy(record, packet, false, cx);
        None
    }

    #[inline]
    fn send_copy(&mut self, record: InRecord, mut packet: Packet, cached: bool, cx: &mut Context<'_>) {
        packet.hop.pit_token = record.token;
        if let Some(monitor) = &mut self.monitor
            && packet.is_content()
            && monitor.marks(record.face, cached, cx)
            && packet.hop.congestion_mark == 0
        {
            packet.hop.congestion_mark = 1;
            cx.face = record.face;
            cx.sink.marked(cx.now, cx.node, record.face);
            cx.tell(|| Event::Marked { packet: &packet });
        }
        self.send(record.face, packet, cx);
    }

    /// A loss notice follows the pending Interests downstream and leaves them pending; it is never cached.
    pub(super) fn on_loss_notice(&mut self, face: FaceId, data: Data, hop: HopFields, cx: &mut Context<'_>) {
        let notice = Packet { hop, kind: Kind::Data(data), queued_at: 0 };
        let mut used = false;
        for id in self.pit.all_answered_by(notice.name()) {
            let downstreams = self.pit.get(id).ins.clone();
            used |= self.send_down(face, downstreams, notice.clone(), cx).is_none();
        }
        if !used {
            unsolicited(notice, cx);
        }
    }
}

fn unsolicited(packet: Packet, cx: &mut Context<'_>) {
    cx.discard(packet, DropReason::Unsolicited);
}

fn outcome(entry: &PitEntry, face: FaceId, hop: &HopFields, now: Time) -> Option<DataOutcome> {
    Some(DataOutcome {
        prefix: entry.prefix?,
        face,
        rtt: entry.outs.iter().find(|u| u.record.face == face).map(|u| now.since(u.record.sent_at)),
        marked: hop.congestion_mark > 0,
        mark_distance: hop.mark_distance,
        queue_delay: queue_delay(hop.queue_delay),
        upstreams: entry.outs.len(),
    })
}
