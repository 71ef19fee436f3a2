//! The way of a Data and of a loss notice.

use super::Forwarder;
use crate::face::queue_delay;
use crate::pit::{PitEntry, PitId};
use weir_core::{Context, DataOutcome, DropReason, Event, FaceId, OutRecord, Span, Time};
use weir_wire::{Data, HopFields, Kind, Packet, PitToken};

impl Forwarder {
    #[inline(always)]
    pub(super) fn on_data(&mut self, face: FaceId, packet: Packet, cx: &mut Context<'_>) {
        self.counters.data += 1;
        let data = data_in(&packet);
        let more = self.pit.may_have_more();
        let key = self.stems.find(&data.name);
        let Some(id) = self.pit.remove_answered(&data.name, key, &self.stems) else {
            return cx.discard(packet, DropReason::Unsolicited);
        };
        if self.cs.capacity() > 0 {
            // A Data that answers an Interest for a prefix may be the first of its content.
            let key = key.unwrap_or_else(|| self.stems.key(&data.name));
            self.cs.insert(key, data, &self.stems, cx.now);
        }
        let unused = if more { self.satisfy_all(id, face, packet, cx) } else { self.satisfy(id, face, packet, cx) };
        if let Some(packet) = unused
            && self.cs.capacity() == 0
        {
            cx.face = face;
            cx.discard(packet, DropReason::Unsolicited);
        }
    }

    /// Rare: entries for the same name that differ by selectors, or for a prefix of it. `first` has been removed.
    #[inline(never)]
    fn satisfy_all(&mut self, first: PitId, face: FaceId, packet: Packet, cx: &mut Context<'_>) -> Option<Packet> {
        let mut unused = None;
        let mut used = false;
        let mut next = Some(first);
        while let Some(id) = next {
            unused = self.satisfy(id, face, packet.clone(), cx);
            used |= unused.is_none();
            let key = self.stems.find(packet.name());
            next = self.pit.remove_answered(packet.name(), key, &self.stems);
        }
        unused.filter(|_| !used)
    }

    /// Sends the Data that ended an entry to all that wait for it. Gives it back if nobody does any more.
    #[inline(always)]
    fn satisfy(&mut self, id: PitId, face: FaceId, mut packet: Packet, cx: &mut Context<'_>) -> Option<Packet> {
        self.remember_nonces_that_live_on(id, data_in(&packet), cx.now);
        let entry = self.pit.get(id);
        let (strategy, marked) = (entry.strategy().0 as usize, entry.marked);
        if cx.watched {
            self.tell_satisfied(id, face, data_in(&packet), cx);
        }
        if self.learns[strategy] {
            self.tell_strategy(id, face, &packet.hop, cx);
        }
        self.pit_changed(cx);
        let hop = packet.hop_mut();
        hop.congestion_mark = hop.congestion_mark.max(u8::from(marked));
        if hop.mark_distance > 0 {
            hop.mark_distance = hop.mark_distance.saturating_add(1);
        }
        self.send_down(id, face, packet, cx)
    }

    #[cold]
    fn tell_satisfied(&mut self, id: PitId, face: FaceId, data: &Data, cx: &mut Context<'_>) {
        self.copy_sent(id);
        let marked = self.pit.get(id).marked;
        let (rtt, downstreams) = (rtt(&self.sent, face, cx.now), &self.waiting(id));
        cx.tell(|| Event::PitSatisfied { data, rtt, from: face, downstreams, marked });
    }

    #[inline(never)]
    fn tell_strategy(&mut self, id: PitId, face: FaceId, hop: &HopFields, cx: &mut Context<'_>) {
        self.copy_sent(id);
        let entry = self.pit.get(id);
        if let Some(outcome) = outcome(entry, &self.sent, face, hop, cx.now) {
            self.strategies[entry.strategy().0 as usize].on_data(&outcome, cx);
        }
    }

    /// A looping Interest is answered from the Content Store. Where that cannot be, its nonce must be known: a Data that
    /// is soon stale answers a MustBeFresh Interest no longer; and without a store, an Interest that went several ways
    /// may have been answered on one of them and go round in a circle on another.
    #[inline]
    fn remember_nonces_that_live_on(&mut self, id: PitId, data: &Data, now: Time) {
        let entry = self.pit.get(id);
        let soon_stale = entry.must_be_fresh && data.freshness_ms() < 6000;
        if soon_stale || self.cs.capacity() == 0 && entry.has_several_upstreams() {
            self.remember_nonces(id, now);
        }
    }

    /// Answers the Interest in `asked` with Data of the Content Store.
    #[inline(never)]
    pub(super) fn answer_from_cs(&mut self, face: FaceId, data: Data, mut asked: Packet, cx: &mut Context<'_>) {
        let HopFields { pit_token, congestion_mark, .. } = std::mem::take(asked.hop_mut());
        let answer = asked.renewed(HopFields { congestion_mark, ..HopFields::default() }, Kind::Data(data));
        self.send_copy(face, pit_token, answer, true, cx);
    }

    /// Sends a copy to every downstream of an entry but the face that the packet came from. Gives it back if there is
    /// none. (The entry may have just been removed: it stays readable.)
    #[inline(always)]
    fn send_down(&mut self, id: PitId, from: FaceId, packet: Packet, cx: &mut Context<'_>) -> Option<Packet> {
        match self.pit.only_downstream(id) {
            Some(face) if face == from => Some(packet),
            Some(face) => {
                self.send_copy(face, None, packet, false, cx);
                None
            }
            None => self.send_down_to_all(id, from, packet, cx),
        }
    }

    #[inline(never)]
    fn send_down_to_all(&mut self, id: PitId, from: FaceId, packet: Packet, cx: &mut Context<'_>) -> Option<Packet> {
        let mut last = None;
        for record in self.pit.downstreams(id) {
            if record.face == from || record.expiry <= cx.now {
                continue;
            }
            // The last gets the packet itself.
            if let Some((face, token)) = last.replace((record.face, record.token)) {
                self.send_copy(face, token, packet.clone(), false, cx);
            }
        }
        let Some((face, token)) = last else { return Some(packet) };
        self.send_copy(face, token, packet, false, cx);
        None
    }

    #[inline(always)]
    fn send_copy(
        &mut self,
        face: FaceId,
        token: Option<PitToken>,
        mut packet: Packet,
        cached: bool,
        cx: &mut Context<'_>,
    ) {
        packet.hop_mut().pit_token = token;
        if self.monitor.is_some() {
            self.ask_monitor(face, &mut packet, cached, cx);
        }
        self.send(face, packet, cx);
    }

    #[inline(never)]
    fn ask_monitor(&mut self, face: FaceId, packet: &mut Packet, cached: bool, cx: &mut Context<'_>) {
        if let Some(monitor) = &mut self.monitor
            && packet.is_content()
            && monitor.marks(face, cached, cx)
            && packet.hop.congestion_mark == 0
        {
            packet.hop_mut().congestion_mark = 1;
            cx.face = face;
            cx.sink.marked(cx.now, cx.node, face);
            cx.tell(|| Event::Marked { packet });
        }
    }

    /// A loss notice follows the pending Interests downstream and leaves them pending; it is never cached.
    #[inline(never)]
    pub(super) fn on_loss_notice(&mut self, face: FaceId, notice: Packet, cx: &mut Context<'_>) {
        let mut used = false;
        for id in self.pit.all_answered_by(notice.name(), &self.stems) {
            used |= self.send_down(id, face, notice.clone(), cx).is_none();
        }
        if !used {
            cx.discard(notice, DropReason::Unsolicited);
        }
    }
}

/// The Data that this way is about.
#[inline]
fn data_in(packet: &Packet) -> &Data {
    match &packet.kind {
        Kind::Data(data) => data,
        _ => unreachable!("no other packet takes a Data's way"),
    }
}

/// Since the Interest was last sent to `face`, if it was.
fn rtt(sent: &[OutRecord], face: FaceId, now: Time) -> Option<Span> {
    sent.iter().find(|record| record.face == face).map(|record| now.since(record.sent_at))
}

fn outcome<'a>(
    entry: &PitEntry,
    sent: &'a [OutRecord],
    face: FaceId,
    hop: &HopFields,
    now: Time,
) -> Option<DataOutcome<'a>> {
    Some(DataOutcome {
        prefix: entry.prefix()?,
        face,
        rtt: rtt(sent, face, now),
        marked: hop.congestion_mark > 0 || entry.marked,
        mark_distance: hop.mark_distance,
        queue_delay: queue_delay(hop.queue_delay),
        sent,
    })
}
