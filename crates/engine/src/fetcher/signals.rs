//! What comes back to a consumer, and what does not: Data, loss notices, Nacks and timeouts.

use super::pending::{Slot, State};
use super::{Fetcher, NoticeTimer};
use crate::wakes::earlier;
use weir_core::{
    Context, DataSignal, Delivery, FetchEnd, Loss, LossSignal, Reaction, Signal, Span, Standing, Time, TimeoutSignal,
};
use weir_wire::{Data, HopFields, Nack, NackReason, Name};

impl Fetcher {
    pub(super) fn on_data(&mut self, data: &Data, hop: &HopFields, cx: &mut Context<'_>) -> bool {
        let Some(segment) = data.name.segment() else { return false };
        let Some(slot) = self.pending.take(segment) else { return false };
        let before = self.watched_standing(cx);
        let were_out = self.in_flight.max(1);
        if slot.state == State::InFlight {
            self.in_flight -= 1;
        }
        if let Some(refused) = &mut self.refused {
            refused.forget(segment);
        }
        if let (None, Some(last)) = (self.what.segments, data.final_segment()) {
            self.what.segments = Some(last + 1);
            self.in_flight -= self.pending.end_at(last + 1);
            if let Some(refused) = &mut self.refused {
                refused.end_at(last + 1);
            }
        }
        self.highest = self.highest.max(segment);
        self.counters.received += 1;
        let rtt = cx.now.since(slot.last_sent);
        if slot.transmissions == 1 {
            self.timeout.on_sample(rtt, were_out, cx.now);
            self.smooth(rtt);
        } else if self.rules.learn_from_late && slot.transmissions == 2 && rtt < Span(self.smoothed_rtt.0 / 2) {
            let late = cx.now.since(slot.first_sent);
            self.timeout.on_sample(late, were_out, cx.now);
            self.smooth(late);
        }
        self.delays.add(cx.now.since(slot.first_sent));
        cx.sink.delivered(
            cx.now,
            self.what.flow,
            &Delivery {
                segment,
                payload: data.payload_len(),
                full_delay: cx.now.since(slot.first_sent),
                last_delay: rtt,
                transmissions: slot.transmissions,
                hops: hop.hop_count,
                marked: hop.congestion_mark > 0,
            },
        );
        let fresh = self.is_fresh();
        let reaction = self.control.on_data(&DataSignal {
            now: cx.now,
            flow: self.what.flow,
            segment,
            payload: data.payload_len(),
            rtt,
            sent_at: slot.last_sent,
            retransmitted: slot.transmissions > 1,
            marked: hop.congestion_mark > 0,
            fresh,
            feedback: hop.feedback,
            hops: hop.hop_count,
            in_flight: self.in_flight,
            smoothed_rtt: self.smoothed_rtt,
            app_limited: !self.window_limited,
        });
        let (transmissions, marked) = (slot.transmissions, hop.congestion_mark > 0);
        self.tell_signal(segment, Signal::Data { rtt, transmissions, marked, fresh }, before, reaction, cx);
        self.react(reaction, cx);
        self.note_completion(cx);
        true
    }

    pub(super) fn note_completion(&mut self, cx: &mut Context<'_>) {
        if self.what.segments.is_some_and(|n| self.pending.all_received(n)) && !self.done {
            self.done = true;
            self.tell_end(cx);
            if !self.one_of_many {
                cx.sink.completed(cx.now, self.what.flow);
            }
        }
    }

    fn tell_end(&self, cx: &mut Context<'_>) {
        let counters = &self.counters;
        let (delay, delay_scv) = self.delays.moments(counters.received);
        let end = FetchEnd {
            name: &self.what.name,
            began: self.what.start,
            segments: counters.received,
            retransmissions: counters.retransmitted,
            timeouts: counters.timeouts,
            decreases: counters.decreases,
            delay,
            delay_scv,
        };
        cx.sink.fetch_ended(cx.now, self.what.flow, &end);
    }

    /// RFC 6298's smoothing, for controls that want a round-trip time.
    fn smooth(&mut self, rtt: Span) {
        let old = self.smoothed_rtt.0;
        self.smoothed_rtt = if old == 0 { rtt } else { Span(old - old / 8 + rtt.0 / 8) };
    }

    /// No cut has been made for this round trip yet.
    fn is_fresh(&self) -> bool {
        self.highest as f64 > self.recovery_point
    }

    fn react(&mut self, reaction: Reaction, cx: &mut Context<'_>) {
        match reaction {
            Reaction::None => {}
            Reaction::Held => cx.sink.held(cx.now, self.what.flow),
            Reaction::Decreased => {
                let next = self.pending.next() as f64;
                self.recovery_point = next + self.rules.guard * (next - self.highest as f64);
                self.counters.decreases += 1;
                cx.sink.decreased(cx.now, self.what.flow, &self.control.allowance());
            }
        }
    }

    /// Tells the control of a loss; `before` is the consumer before anything was done about it.
    fn lose(&mut self, lost: &Slot, segment: u64, kind: Loss, before: Option<Standing>, cx: &mut Context<'_>) {
        let sent_at = lost.last_sent;
        let fresh = self.is_fresh();
        let signal = LossSignal { now: cx.now, kind, segment, sent_at, fresh, in_flight: self.in_flight };
        let reaction = self.control.on_loss(&signal);
        self.tell_signal(segment, Signal::Loss { kind, since: cx.now.since(sent_at), fresh }, before, reaction, cx);
        self.react(reaction, cx);
    }

    /// A router has stored (or lost) the Data and says so. The segment stays pending; it is not sent again.
    pub(super) fn on_notice(&mut self, name: &Name, cx: &mut Context<'_>) -> bool {
        let Some(segment) = name.segment() else { return false };
        let Some(slot) = self.pending.get(segment).filter(|s| s.state == State::InFlight) else {
            return false;
        };
        let before = self.watched_standing(cx);
        self.counters.notices += 1;
        match self.rules.notice_timer {
            NoticeTimer::Keep => {}
            NoticeTimer::Restart => self.pending.restart_timer(segment, cx.now),
            NoticeTimer::Stop => {
                self.pending.stop_timer(segment);
                let lifetime = self.rules.lifetime.span(self.timeout.timeout());
                self.stopped.insert((slot.last_sent + lifetime, segment, slot.last_sent));
            }
        }
        self.lose(&slot, segment, Loss::Notice, before, cx);
        true
    }

    pub(super) fn on_nack(&mut self, nack: &Nack, cx: &mut Context<'_>) -> bool {
        let Some(segment) = nack.interest.name.segment() else { return false };
        let refused = |s: &Slot| s.state == State::InFlight && s.nonce == nack.interest.nonce;
        let Some(slot) = self.pending.get(segment).filter(refused) else { return false };
        let before = self.watched_standing(cx);
        cx.sink.refused(cx.now, self.what.flow, segment, nack.reason);
        // Only congestion passes soon; other refusals are tried again when the timeout says so.
        if nack.reason == NackReason::Congestion {
            self.in_flight -= 1;
            self.refuse(segment, slot.last_sent, cx.now);
        }
        self.lose(&slot, segment, Loss::Nack(nack.reason), before, cx);
        true
    }

    /// A segment was refused for congestion. Who paces leaves its repetition to the pace; who does not would send it at
    /// the very moment of the refusal, to be refused again, and over a short link that is a storm.
    fn refuse(&mut self, segment: u64, sent_at: Time, now: Time) {
        let pause = self.rules.nack_pause;
        if pause > Span::ZERO && self.control.allowance().gap.is_none() {
            self.pending.hold(segment);
            self.refused.get_or_insert_default().refuse(segment, pause, now);
            return;
        }
        self.pending.lost(segment);
        if sent_at == now {
            // Refused by this very node: without a pause the same instant would repeat for ever.
            self.next_send = self.next_send.max(now + Span::from_millis(1));
            self.paced = None;
        }
    }

    /// Segments that pause after a refusal.
    #[inline]
    pub(super) fn pausing(&self) -> usize {
        self.refused.as_ref().map_or(0, |refused| refused.len())
    }

    /// When the next pause ends.
    #[inline]
    pub(super) fn next_pause_end(&self) -> Option<Time> {
        self.refused.as_ref()?.next()
    }

    /// What has paused for long enough is to be sent again.
    #[inline]
    pub(super) fn end_pauses(&mut self, now: Time) {
        if let Some(refused) = &mut self.refused {
            while let Some(segment) = refused.ended(now) {
                self.pending.lost(segment);
            }
        }
    }

    pub(super) fn expire(&mut self, cx: &mut Context<'_>) {
        let check = self.check;
        if check > Span::ZERO {
            if cx.now < self.next_check {
                return;
            }
            self.next_check = Time::NEVER;
        }
        // With a check interval the timeout is read once a check, as ndnSIM does; otherwise at each segment.
        let at_check = self.timeout.timeout();
        loop {
            let rto = if check > Span::ZERO { at_check } else { self.timeout.timeout() };
            let Some(segment) = self.pending.oldest().filter(|(sent, _)| *sent + rto <= cx.now).map(|(_, s)| s) else {
                break;
            };
            self.time_out(segment, cx);
        }
        while let Some((_, segment, sent)) = self.stopped.first().copied().filter(|(end, ..)| *end <= cx.now) {
            self.stopped.pop_first();
            let slot = self.pending.get(segment);
            let waiting = slot.is_some_and(|s| s.state == State::InFlight && s.last_sent == sent);
            if waiting {
                self.time_out(segment, cx);
            }
        }
    }

    fn time_out(&mut self, segment: u64, cx: &mut Context<'_>) {
        let Some(slot) = self.pending.get(segment) else { return };
        let before = self.watched_standing(cx);
        self.in_flight -= 1;
        self.pending.lost(segment);
        self.counters.timeouts += 1;
        cx.sink.timed_out(cx.now, self.what.flow, segment);
        let first_of_event = slot.last_sent >= self.timeout_event;
        if first_of_event {
            self.timeout_event = cx.now;
        }
        self.timeout.on_timeout(&TimeoutSignal { now: cx.now, first_of_event });
        self.lose(&slot, segment, Loss::Timeout, before, cx);
    }

    /// When the first Interest times out.
    pub(super) fn next_timeout(&self) -> Option<Time> {
        let oldest = self.pending.oldest().map(|(sent, _)| sent + self.timeout.timeout());
        let stopped = self.stopped.first().map(|(end, ..)| *end);
        earlier(oldest, stopped)
    }

    /// With a check interval: the first check from now on that will find a timeout. One whose time has come already
    /// waits for the driver to wake us, be it late.
    pub(super) fn plan_check(&mut self, now: Time) {
        if self.check > Span::ZERO && self.next_check > now {
            let start = self.what.start;
            let passed = now.since(start).0 / self.check.0;
            let checks = |due: Time| due.since(start).0.div_ceil(self.check.0).max(passed + 1);
            self.next_check = self.next_timeout().map_or(Time::NEVER, |due| start + self.check * checks(due));
        }
    }
}
