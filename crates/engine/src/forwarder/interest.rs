//! The way of an Interest.

use super::{Forwarder, SUPPRESSION};
use crate::pit::{InRecord, PitId, Upstream};
use weir_core::{Cause, Choice, Context, DropReason, Event, FaceId, OutRecord, Query, Span, Suppression, Time};
use weir_wire::{Interest, Kind, Nack, NackReason, Packet};

impl Forwarder {
    #[inline(always)]
    pub(super) fn on_interest(&mut self, face: FaceId, mut packet: Packet, cx: &mut Context<'_>) {
        self.counters.interests += 1;
        if !packet.take_hop() {
            return cx.discard(packet, DropReason::HopLimit);
        }
        if self.stems.is_sweep_due() {
            self.sweep_stems();
        }
        let interest = interest_in(&packet);
        let key = self.stems.key(&interest.name);
        if self.dead_nonces.contains(key.hash, interest.nonce, cx.now) {
            cx.tell(|| Event::Looped { interest, dead: true });
            return self.refuse_loop(face, packet, cx);
        }
        let id = match self.pit.find(key, interest) {
            Some(id) if self.is_loop(id, face, interest.nonce) => {
                cx.tell(|| Event::Looped { interest, dead: false });
                return self.refuse_loop(face, packet, cx);
            }
            Some(id) => {
                self.counters.aggregated += 1;
                self.pit.ask_again(id, face, interest);
                cx.tell(|| {
                    let ins = self.pit.downstreams(id);
                    let again = ins.iter().any(|r| r.face == face);
                    Event::PitJoined { interest, again, downstreams: ins.len() + usize::from(!again) }
                });
                id
            }
            None => {
                if let Some(data) = self.cs.find(key, interest, &self.stems, cx.now) {
                    cx.tell(|| Event::CsHit { interest });
                    return self.answer_from_cs(face, data, packet, cx);
                }
                if self.cs.capacity() > 0 {
                    cx.tell(|| Event::CsMiss { interest });
                }
                self.interest_missed(face, cx);
                if self.pit.is_full() {
                    return cx.discard(packet, DropReason::PitFull);
                }
                let route = self.stems.route(key, &interest.name, &self.fib);
                let id = self.pit.insert(key, interest, route, SUPPRESSION.0);
                cx.tell(|| Event::PitInserted { interest, entries: self.pit.len() });
                self.pit_changed(cx);
                id
            }
        };
        self.wait(id, face, &mut packet, cx.now);
        self.forward(id, face, packet, cx);
    }

    /// Notes who asks. The link header has done its service then: the Interest goes on without it.
    #[inline(always)]
    fn wait(&mut self, id: PitId, face: FaceId, packet: &mut Packet, now: Time) {
        let hop = std::mem::take(packet.hop_mut());
        let interest = interest_in(packet);
        let lifetime_ms = interest.lifetime_ms.max(1);
        let expiry = now + Span::from_millis(u64::from(lifetime_ms));
        self.pit.wait(id, InRecord { face, nonce: interest.nonce, expiry, token: hop.pit_token }, lifetime_ms);
        // A mark set upstream of the consumer travels back with the Data, not on with the Interest.
        self.pit.mark(id, hop.congestion_mark > 0);
    }

    /// The same nonce from another downstream, or one that this node itself sent on, has gone in a circle. (Links are
    /// point-to-point: from the same downstream it is a repetition.)
    #[inline(never)]
    fn is_loop(&self, id: PitId, face: FaceId, nonce: u32) -> bool {
        let (ins, outs) = (self.pit.downstreams(id), self.pit.upstreams(id));
        let asked_by = |same: bool| ins.iter().any(|r| r.nonce == nonce && (r.face == face) == same);
        asked_by(false) || !asked_by(true) && outs.iter().any(|u| u.record.nonce == nonce)
    }

    #[cold]
    fn refuse_loop(&mut self, face: FaceId, packet: Packet, cx: &mut Context<'_>) {
        let (interest, token) = (interest_in(&packet).clone(), packet.hop.pit_token.clone());
        cx.sink.nacked(cx.now, cx.node, face);
        self.send_nack(face, NackReason::Duplicate, interest, token, cx);
        cx.discard(packet, DropReason::DuplicateNonce);
    }

    pub(super) fn send_nack(
        &mut self,
        face: FaceId,
        reason: NackReason,
        interest: Interest,
        token: Option<weir_wire::PitToken>,
        cx: &mut Context<'_>,
    ) {
        let nack = Nack { reason, interest };
        cx.face = face;
        cx.tell(|| Event::NackSent { nack: &nack });
        let mut nack: Packet = nack.into();
        nack.hop.pit_token = token;
        self.send(face, nack, cx);
    }

    /// Asks the strategy where a new or repeated Interest goes, and sends it there.
    #[inline(always)]
    fn forward(&mut self, id: PitId, from: FaceId, packet: Packet, cx: &mut Context<'_>) {
        let entry = self.pit.get(id);
        let interest = interest_in(&packet);
        let (strategy, Some(prefix)) = (entry.strategy(), entry.prefix()) else {
            let (cause, choice) = (Cause::New, Choice::Nack(NackReason::NoRoute));
            cx.tell(|| Event::Decided { name: &interest.name, cause, next_hops: &[], sent: &[], choice: &choice });
            return self.act(id, choice, Some(packet), cx);
        };
        let is_new = !entry.is_sent();
        self.find_eligible(id, Some(from), interest.hop_limit == Some(0));
        if is_new {
            self.sent.clear();
        } else if self.pass_suppression(id, cx.now) {
            self.copy_sent(id);
        } else {
            self.tell_suppression(id, interest, cx);
            return cx.discard(packet, DropReason::Suppressed);
        }
        let query = Query { interest, from, prefix, next_hops: &self.eligible, sent: &self.sent };
        let choice = self.strategies[strategy.0 as usize].choose(&query, cx);
        cx.tell(|| Event::Decided {
            name: &interest.name,
            cause: if is_new { Cause::New } else { Cause::Repeated },
            next_hops: &self.eligible,
            sent: &self.sent,
            choice: &choice,
        });
        match choice {
            Choice::To(face) => self.send_interest(id, face, Some(packet), cx),
            other => self.act(id, other, Some(packet), cx),
        }
    }

    /// False if a repeated Interest comes too soon after its last transmission. May take next hops out of
    /// `self.eligible` instead, if the strategy wants to decide for each upstream.
    #[inline(never)]
    fn pass_suppression(&mut self, id: PitId, now: Time) -> bool {
        let upstreams = self.pit.upstreams(id);
        let Some(last) = upstreams.iter().map(|u| u.record.sent_at).max() else { return true };
        let interval = self.pit.suppression(id);
        match self.strategies[self.pit.get(id).strategy().0 as usize].suppression() {
            Suppression::PerEntry if now.since(last) < interval => false,
            Suppression::PerEntry => {
                self.pit.set_suppression(id, doubled(interval));
                true
            }
            Suppression::PerUpstream => {
                let recent = |u: &Upstream| now.since(u.record.sent_at) < u.suppression;
                let is_recent = |face| upstreams.iter().any(|u| u.record.face == face && recent(u));
                self.eligible.retain(|hop| !is_recent(hop.face));
                !self.eligible.is_empty()
            }
        }
    }

    /// Says how much too soon a repeated Interest came, to the upstream that it was sent to last.
    #[cold]
    fn tell_suppression(&self, id: PitId, interest: &Interest, cx: &mut Context<'_>) {
        let upstreams = self.pit.upstreams(id);
        let Some(last) = upstreams.iter().max_by_key(|u| u.record.sent_at) else { return };
        let interval = match self.strategies[self.pit.get(id).strategy().0 as usize].suppression() {
            Suppression::PerEntry => self.pit.suppression(id),
            Suppression::PerUpstream => last.suppression,
        };
        let since = cx.now.since(last.record.sent_at);
        cx.tell(|| Event::Suppressed { interest, since, interval });
    }

    /// Does what a strategy has chosen for an entry. `packet`: the Interest at hand, come in over `cx.face`; else the
    /// one last received.
    #[inline(never)]
    pub(super) fn act(&mut self, id: PitId, choice: Choice, packet: Option<Packet>, cx: &mut Context<'_>) {
        match choice {
            Choice::To(face) => self.send_interest(id, face, packet, cx),
            Choice::Each(faces) if !faces.is_empty() => {
                for face in faces {
                    self.send_interest(id, face, packet.clone(), cx);
                }
            }
            Choice::Nack(reason) => {
                let no_route = reason == NackReason::NoRoute;
                let own = packet.is_some();
                end(packet, if no_route { DropReason::NoRoute } else { DropReason::Strategy }, cx);
                self.reject(id, reason, own, cx);
            }
            Choice::Each(_) | Choice::Drop => end(packet, DropReason::Strategy, cx),
        }
    }

    #[inline(always)]
    fn send_interest(&mut self, id: PitId, face: FaceId, packet: Option<Packet>, cx: &mut Context<'_>) {
        let allowed = self.eligible.iter().any(|hop| hop.face == face);
        assert!(allowed, "a strategy chose face {} that was not offered", face.0);
        let packet = packet.unwrap_or_else(|| self.repeated(id));
        let nonce = interest_in(&packet).nonce;
        let record = OutRecord { face, sent_at: cx.now, nonce, nacked: None };
        self.pit.sent(id, record, SUPPRESSION.0, doubled);
        self.send(face, packet, cx);
    }

    /// The Interest of an entry, as it is sent again.
    #[inline(never)]
    fn repeated(&self, id: PitId) -> Packet {
        self.pit.interest(id, &self.stems).into()
    }

    /// Refuses an entry to all its downstreams and ends it; `own`: for no upstream's sake.
    fn reject(&mut self, id: PitId, reason: NackReason, own: bool, cx: &mut Context<'_>) {
        self.remember_nonces(id, cx.now);
        let (interest, ins) = (self.pit.interest(id, &self.stems), self.pit.downstreams(id));
        self.pit.remove(id, &self.stems);
        self.pit_changed(cx);
        for record in ins {
            if own {
                cx.sink.nacked(cx.now, cx.node, record.face);
            }
            let refused = Interest { nonce: record.nonce, ..interest.clone() };
            self.send_nack(record.face, reason, refused, record.token, cx);
        }
    }
}

/// The interval after the next repetition.
fn doubled(suppression: Span) -> Span {
    (suppression * 2).min(SUPPRESSION.1)
}

/// Discards the Interest at hand, if there is one.
fn end(packet: Option<Packet>, reason: DropReason, cx: &mut Context<'_>) {
    if let Some(packet) = packet {
        cx.discard(packet, reason);
    }
}

/// The Interest that this way is about.
#[inline]
fn interest_in(packet: &Packet) -> &Interest {
    match &packet.kind {
        Kind::Interest(interest) => interest,
        _ => unreachable!("no other packet takes an Interest's way"),
    }
}
