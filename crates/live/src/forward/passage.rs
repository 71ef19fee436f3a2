//! A packet's way through the daemon: what the forwarder does not see, for management or a bound keeps it away.

use super::daemon::Daemon;
use super::guard::Refused;
use super::requests::Request;
use super::scope::{Scope, confine, scope_of};
use weir_core::{Context, FaceId, Machine, Pull, Reading, Span, Time};
use weir_wire::{Kind, Nack, NackReason, Packet};

impl Daemon {
    fn drop_for(&self, reason: &'static str, face: FaceId) {
        self.tally.borrow_mut().drop_for(reason, face);
    }

    /// Lets an Interest in, turns it away, or takes it as a word to management.
    fn on_interest(&mut self, face: FaceId, mut packet: Packet, cx: &mut Context<'_>) -> Option<Packet> {
        let longest = (self.config.limits.lifetime.0 / 1_000_000).min(u64::from(u32::MAX)) as u32;
        let localhop_management = self.config.management.localhop;
        let local = self.held(face)?.local;
        let Kind::Interest(interest) = &packet.kind else { return Some(packet) };
        let scope = scope_of(&interest.name);
        if scope == Scope::Localhost && !local {
            self.drop_for("scope", face);
            return None;
        }
        let managed = scope == Scope::Localhost || scope == Scope::Localhop && localhop_management;
        if managed && Request::is_for_management(&interest.name) {
            self.note_request(face, packet);
            return None;
        }
        let confined = scope == Scope::Localhost || scope == Scope::Localhop && !local;
        if (confined || interest.lifetime_ms > longest)
            && let Kind::Interest(interest) = &mut packet.kind
        {
            interest.lifetime_ms = interest.lifetime_ms.min(longest);
            if confined {
                confine(interest);
            }
        }
        self.admit(face, packet, cx)
    }

    fn admit(&mut self, face: FaceId, packet: Packet, cx: &mut Context<'_>) -> Option<Packet> {
        let Kind::Interest(interest) = &packet.kind else { return Some(packet) };
        let lifetime = Span::from_millis(u64::from(interest.lifetime_ms));
        match self.held_mut(face)?.guard.admit(lifetime, cx.now) {
            Ok(()) => return Some(packet),
            Err(Refused::Rate) => self.drop_for("interest-rate", face),
            Err(Refused::Pending) => {
                // Whoever listens to refusals asks less; the packet costs no more than the Interest did.
                self.drop_for("pit-share", face);
                let mut nack = Packet::from(Nack { reason: NackReason::Congestion, interest: interest.clone() });
                nack.hop_mut().pit_token = packet.hop.pit_token.clone();
                // It answers nothing that was counted.
                if let Some(held) = self.held_mut(face) {
                    held.counted += 1;
                }
                self.forwarder.send_own(face, nack, cx);
            }
        }
        None
    }

    fn note_request(&mut self, face: FaceId, packet: Packet) {
        let Some(held) = self.held(face) else { return };
        let (number, token) = (held.number, packet.hop.pit_token.clone());
        if let Kind::Interest(interest) = packet.into_kind() {
            match self.requests.len() < Request::MOST {
                true => self.requests.push_back(Request { from: number, token, interest }),
                false => self.drop_for("management-busy", face),
            }
        }
    }

    /// Looks at a packet that is about to leave: false if it may not.
    #[inline]
    fn may_leave(&mut self, face: FaceId, packet: &Packet) -> bool {
        let Some(held) = self.held_mut(face) else { return true };
        match &packet.kind {
            Kind::Interest(_) => true,
            kind => {
                match held.counted {
                    0 => held.guard.answered(),
                    _ => held.counted -= 1,
                }
                let leaks = !held.local && matches!(kind, Kind::Data(_)) && scope_of(packet.name()) == Scope::Localhost;
                if leaks {
                    self.drop_for("scope", face);
                }
                !leaks
            }
        }
    }

    /// The same for a packet that is offered to a link.
    #[inline]
    fn check_offer(&mut self, cx: &mut Context<'_>) {
        if let Some((face, packet)) = cx.ready.take_offer()
            && self.may_leave(face, &packet)
        {
            cx.ready.offer(face, packet);
        }
    }
}

impl Machine for Daemon {
    fn receive(&mut self, face: FaceId, packet: Packet, cx: &mut Context<'_>) {
        let packet = match &packet.kind {
            Kind::Interest(_) => self.on_interest(face, packet, cx),
            Kind::Data(data) => {
                let leaks = scope_of(&data.name) == Scope::Localhost && !self.held(face).is_some_and(|h| h.local);
                if leaks {
                    self.drop_for("scope", face);
                }
                Some(packet).filter(|_| !leaks)
            }
            Kind::Nack(_) => Some(packet),
        };
        if let Some(packet) = packet {
            self.forwarder.receive_packet(face, packet, cx);
        }
        self.check_offer(cx);
    }

    fn pull(&mut self, face: FaceId, cx: &mut Context<'_>) -> Pull {
        loop {
            match self.forwarder.pull_packet(face, cx) {
                Pull::Packet(packet) if !self.may_leave(face, &packet) => {}
                other => return other,
            }
        }
    }

    fn keep(&mut self, face: FaceId, packet: Packet) {
        if !matches!(packet.kind, Kind::Interest(_))
            && let Some(held) = self.held_mut(face)
        {
            held.counted += 1;
        }
        self.forwarder.keep_packet(face, packet);
    }

    fn wake(&mut self, cx: &mut Context<'_>) {
        self.forwarder.resume(cx);
        while self.forwarder.next_wake().is_some_and(|at| at <= cx.now) {
            self.forwarder.wake_due(cx);
        }
        if self.rib_expiry.is_some_and(|at| at <= cx.now) {
            self.rib.expire(cx.now, self.forwarder.fib_mut());
            self.rib_expiry = self.rib.next_expiry();
        }
        self.check_offer(cx);
    }

    fn next_wake(&self) -> Option<Time> {
        [self.forwarder.next_wake(), self.rib_expiry, self.keeping.next()].into_iter().flatten().min()
    }

    fn inspect(&self, now: Time, report: &mut dyn FnMut(Reading)) {
        self.forwarder.report(now, report);
    }
}
