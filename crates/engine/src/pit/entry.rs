//! Entries of the table, and what they remember of neighbours.

use super::NONE;
use super::expiry::UNLISTED;
use crate::fib::{Match, StrategyId};
use crate::stems::{Key, Segment, StemId, Stems};
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeSet;
use std::sync::Arc;
use weir_core::{FaceId, OutRecord, PrefixId, Span, Time};
use weir_wire::{Interest, InterestExtras, Name, PitToken};

/// One pending Interest.
///
/// Most are asked for by one face and sent to one face; that and all else that a Data needs fits into one line of the
/// processor's cache. Entries with more than that have [`More`].
#[derive(Debug)]
#[repr(align(64))]
pub struct PitEntry {
    segment: Segment,
    /// When it was sent, if it was.
    sent_at: Time,
    /// Kept when the entry has ended, for the next that needs it: empty then.
    more: Option<Box<More>>,
    stem: StemId,
    /// Where it stands in the list by expiry.
    pub(super) position: u32,
    /// Who asked, and where it went, or `NONE`.
    from: u32,
    to: u32,
    /// With this nonce.
    sent_nonce: u32,
    prefix: u32,
    strategy: StrategyId,
    pub(super) list: u16,
    /// An egress queue signalled congestion on the Interest: its Data will carry the mark.
    pub marked: bool,
    /// What downstreams, upstreams and extras there are stands in `more` alone.
    has_more: bool,
    pub(super) can_be_prefix: bool,
    /// May only be answered by Data that is still fresh.
    pub must_be_fresh: bool,
}

const _: () = assert!(size_of::<PitEntry>() == 64, "an entry is to be one line of the cache");

/// What few entries have: several downstreams or upstreams, tokens, refusals, extras.
#[derive(Debug, Default)]
struct More {
    ins: SmallVec<[InRecord; 1]>,
    outs: SmallVec<[Upstream; 1]>,
    extras: Option<Arc<InterestExtras>>,
}

/// The Interest as it was last received, and the times that a Data does not need.
#[derive(Debug)]
pub(super) struct Asked {
    /// When the last downstream stops waiting.
    pub expiry: Time,
    nonce: u32,
    lifetime_ms: u32,
    /// In nanoseconds, for the entry and for the only upstream; at most four seconds.
    suppression: u32,
    sent_suppression: u32,
    hop_limit: Option<u8>,
}

/// Where an Interest was sent.
#[derive(Clone, Copy, Debug)]
pub struct Upstream {
    /// What strategies see of it.
    pub record: OutRecord,
    /// Repetitions within this time are not sent there, if the strategy thins them out for each upstream.
    pub suppression: Span,
}

/// Somebody who waits for the Data.
#[derive(Clone, Debug)]
pub struct InRecord {
    /// Where the Interest came from.
    pub face: FaceId,
    /// Its nonce.
    pub nonce: u32,
    /// When that downstream stops waiting.
    pub expiry: Time,
    /// To be returned with the answer.
    pub token: Option<PitToken>,
}

impl PitEntry {
    pub(super) fn new(key: Key, interest: &Interest, route: Match) -> PitEntry {
        let mut entry = PitEntry {
            segment: key.segment,
            sent_at: Time::ZERO,
            more: None,
            stem: key.stem,
            position: NONE,
            from: NONE,
            to: NONE,
            sent_nonce: 0,
            prefix: NONE,
            strategy: route.strategy,
            list: UNLISTED,
            marked: false,
            has_more: false,
            can_be_prefix: false,
            must_be_fresh: false,
        };
        entry.renew(key, interest, route);
        entry
    }

    /// Makes a new entry of an old one.
    #[inline(always)]
    pub(super) fn renew(&mut self, key: Key, interest: &Interest, route: Match) {
        (self.stem, self.segment) = (key.stem, key.segment);
        (self.from, self.to) = (NONE, NONE);
        (self.prefix, self.strategy) = (route.prefix.map_or(NONE, |prefix| prefix.0), route.strategy);
        (self.list, self.marked) = (UNLISTED, false);
        (self.can_be_prefix, self.must_be_fresh) = (interest.can_be_prefix, interest.must_be_fresh);
        if self.has_more {
            self.forget_more();
        }
        if interest.extras.is_some() {
            self.more().extras.clone_from(&interest.extras);
        }
    }

    #[cold]
    fn forget_more(&mut self) {
        self.has_more = false;
        if let Some(more) = &mut self.more {
            more.extras = None;
            more.ins.clear();
            more.outs.clear();
        }
    }

    #[inline]
    pub(super) fn is_called(&self, key: Key) -> bool {
        self.segment == key.segment && self.stem == key.stem
    }

    #[inline]
    pub(super) fn has_selectors_of(&self, interest: &Interest) -> bool {
        self.can_be_prefix == interest.can_be_prefix && self.must_be_fresh == interest.must_be_fresh
    }

    pub(super) fn stem(&self) -> StemId {
        self.stem
    }

    /// [`Name::hash64`] of what is asked for.
    #[inline]
    pub fn hash(&self, stems: &Stems) -> u64 {
        stems.hash(self.stem, self.segment)
    }

    /// What is asked for.
    pub fn name(&self, stems: &Stems) -> Name {
        stems.name(self.stem, self.segment)
    }

    /// The route that it took; `None`: there was none.
    #[inline]
    pub fn prefix(&self) -> Option<PrefixId> {
        (self.prefix != NONE).then_some(PrefixId(self.prefix))
    }

    /// The strategy in charge.
    #[inline]
    pub fn strategy(&self) -> StrategyId {
        self.strategy
    }

    /// True if it was sent anywhere.
    #[inline]
    pub fn is_sent(&self) -> bool {
        match &self.more {
            Some(more) if self.has_more => !more.outs.is_empty(),
            _ => self.to != NONE,
        }
    }

    /// The only transmission, if there was one only and it was not refused.
    #[inline]
    pub fn only_upstream(&self) -> Option<OutRecord> {
        let only = !self.has_more && self.to != NONE;
        only.then_some(OutRecord { face: FaceId(self.to), sent_at: self.sent_at, nonce: self.sent_nonce, nacked: None })
    }

    /// True if it was sent to more than one face.
    #[inline]
    pub fn has_several_upstreams(&self) -> bool {
        self.has_more && self.more.as_ref().is_some_and(|more| more.outs.len() > 1)
    }

    #[inline]
    pub(super) fn only_downstream(&self) -> Option<FaceId> {
        (!self.has_more && self.from != NONE).then_some(FaceId(self.from))
    }

    #[cold]
    fn more(&mut self) -> &mut More {
        self.has_more = true;
        self.more.get_or_insert_default()
    }

    /// Moves everything into `more`, where there is room for any number of everything.
    #[cold]
    fn spread(&mut self, asked: &Asked) -> &mut More {
        if !self.has_more {
            let (ins, outs) = (self.downstreams(asked), self.upstreams(asked));
            let more = self.more();
            (more.ins, more.outs) = (ins, outs);
        }
        self.more()
    }

    #[inline]
    pub(super) fn downstreams(&self, asked: &Asked) -> SmallVec<[InRecord; 1]> {
        match &self.more {
            Some(more) if self.has_more => more.ins.clone(),
            _ if self.from == NONE => SmallVec::new(),
            _ => smallvec![InRecord { face: FaceId(self.from), nonce: asked.nonce, expiry: asked.expiry, token: None }],
        }
    }

    #[inline]
    pub(super) fn upstreams(&self, asked: &Asked) -> SmallVec<[Upstream; 1]> {
        match (&self.more, self.only_upstream()) {
            (Some(more), _) if self.has_more => more.outs.clone(),
            (_, Some(record)) => {
                smallvec![Upstream { record, suppression: Span(u64::from(asked.sent_suppression)) }]
            }
            _ => SmallVec::new(),
        }
    }

    #[inline(always)]
    pub(super) fn add_downstream(&mut self, record: InRecord, asked: &Asked) {
        // The nonce and the expiry of the only downstream are those of the entry.
        let is_only = self.from == NONE || self.from == record.face.0;
        if !self.has_more && is_only && record.token.is_none() {
            self.from = record.face.0;
            return;
        }
        let ins = &mut self.spread(asked).ins;
        match ins.iter_mut().find(|r| r.face == record.face) {
            // Its earlier Interest may have had the longer life.
            Some(known) => *known = InRecord { expiry: record.expiry.max(known.expiry), ..record },
            None => ins.push(record),
        }
    }

    pub(super) fn forget_faces(&mut self, faces: &BTreeSet<FaceId>) {
        for known in [&mut self.from, &mut self.to] {
            if faces.contains(&FaceId(*known)) {
                *known = NONE;
            }
        }
        if let Some(more) = &mut self.more {
            more.ins.retain(|record| !faces.contains(&record.face));
            more.outs.retain(|sent| !faces.contains(&sent.record.face));
        }
    }

    #[inline(always)]
    pub(super) fn sent(&mut self, record: OutRecord, asked: &mut Asked, first: Span, next: impl FnOnce(Span) -> Span) {
        if !self.has_more && (self.to == NONE || self.to == record.face.0) {
            let suppression = match self.to {
                NONE => first,
                _ => next(Span(u64::from(asked.sent_suppression))),
            };
            asked.sent_suppression = nanos(suppression);
            (self.to, self.sent_at, self.sent_nonce) = (record.face.0, record.sent_at, record.nonce);
            return;
        }
        let outs = &mut self.spread(asked).outs;
        match outs.iter_mut().find(|u| u.record.face == record.face) {
            Some(known) => *known = Upstream { record, suppression: next(known.suppression) },
            None => outs.push(Upstream { record, suppression: first }),
        }
    }

    pub(super) fn upstream_mut(&mut self, face: FaceId, nonce: u32, asked: &Asked) -> Option<&mut OutRecord> {
        let mut upstreams = self.spread(asked).outs.iter_mut().map(|u| &mut u.record);
        upstreams.find(|r| r.face == face && r.nonce == nonce)
    }

    /// Another Interest for the entry has come from `face`.
    pub(super) fn ask_again(&mut self, face: FaceId, interest: &Interest, asked: &mut Asked) {
        // Before the nonce of whoever asked before is gone.
        if self.has_more || interest.extras.is_some() || self.from != face.0 {
            self.spread(asked).extras.clone_from(&interest.extras);
        }
        (asked.nonce, asked.lifetime_ms, asked.hop_limit) = (interest.nonce, interest.lifetime_ms, interest.hop_limit);
    }
}

impl Asked {
    pub(super) fn new(interest: &Interest, suppression: Span) -> Asked {
        Asked {
            expiry: Time::ZERO,
            nonce: interest.nonce,
            lifetime_ms: interest.lifetime_ms,
            suppression: nanos(suppression),
            sent_suppression: 0,
            hop_limit: interest.hop_limit,
        }
    }

    pub(super) fn suppression(&self) -> Span {
        Span(u64::from(self.suppression))
    }

    pub(super) fn set_suppression(&mut self, suppression: Span) {
        self.suppression = nanos(suppression);
    }

    pub(super) fn interest(&self, slot: &PitEntry, name: Name) -> Interest {
        let more = slot.more.as_ref().filter(|_| slot.has_more);
        Interest {
            name,
            nonce: self.nonce,
            lifetime_ms: self.lifetime_ms,
            hop_limit: self.hop_limit,
            can_be_prefix: slot.can_be_prefix,
            must_be_fresh: slot.must_be_fresh,
            extras: more.and_then(|more| more.extras.clone()),
        }
    }
}

fn nanos(suppression: Span) -> u32 {
    u32::try_from(suppression.0).unwrap_or(u32::MAX)
}
