//! The Pending Interest Table.

mod entry;
mod expiry;
#[cfg(test)]
mod tests;

pub use entry::{InRecord, PitEntry, Upstream};

use crate::fib::Match;
use crate::index::Index;
use crate::stems::{Key, StemId, Stems};
use entry::Asked;
use expiry::Expiry;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use weir_core::ahead::ask_for_element;
use weir_core::{FaceId, OutRecord, Span, Time};
use weir_wire::{Interest, Name};

const NONE: u32 = u32::MAX;

/// An entry's place in the table; valid until the entry is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PitId(u32);

/// Pending Interests by name and selectors.
///
/// What a Data needs of an entry is one line of memory; what only a repeated Interest or the end of its life needs
/// stands apart. Names are numbers of [`Stems`], which a forwarder lends to whatever has to do with names.
#[derive(Debug)]
pub struct Pit {
    capacity: usize,
    table: Index,
    slots: Vec<PitEntry>,
    /// The rest of each slot.
    asked: Vec<Asked>,
    free: Vec<u32>,
    expiry: Expiry,
    /// Entries with CanBePrefix.
    prefix_entries: usize,
    /// Entries with MustBeFresh or CanBePrefix: while there are none, a name has one entry at most.
    selector_entries: usize,
}

impl Pit {
    /// A table of at most `capacity` entries.
    pub fn new(capacity: usize) -> Pit {
        Pit {
            capacity: capacity.min(NONE as usize - 1),
            table: Index::default(),
            slots: Vec::new(),
            asked: Vec::new(),
            free: Vec::new(),
            expiry: Expiry::default(),
            prefix_entries: 0,
            selector_entries: 0,
        }
    }

    /// Pending Interests.
    #[inline]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// True if nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Most entries allowed.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// True if there is no room for another entry.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.len() >= self.capacity
    }

    /// The entry for the same name and selectors.
    #[inline]
    pub fn find(&self, key: Key, interest: &Interest) -> Option<PitId> {
        let same = |slot| {
            let slot: &PitEntry = &self.slots[slot as usize];
            slot.is_called(key) && slot.has_selectors_of(interest)
        };
        self.table.find(key.hash, same).map(PitId)
    }

    /// Adds an entry; there must be none for the same name and selectors, and room for one.
    #[inline(always)]
    pub fn insert(&mut self, key: Key, interest: &Interest, route: Match, suppression: Span) -> PitId {
        assert!(!self.is_full(), "a full PIT takes no entry");
        self.prefix_entries += usize::from(interest.can_be_prefix);
        self.selector_entries += usize::from(interest.can_be_prefix || interest.must_be_fresh);
        let asked = Asked::new(interest, suppression);
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize].renew(key, interest, route);
                self.asked[slot as usize] = asked;
                slot
            }
            None => {
                self.slots.push(PitEntry::new(key, interest, route));
                self.asked.push(asked);
                (self.slots.len() - 1) as u32
            }
        };
        self.table.insert(key.hash, slot);
        PitId(slot)
    }

    /// An entry.
    #[inline]
    pub fn get(&self, id: PitId) -> &PitEntry {
        &self.slots[id.0 as usize]
    }

    /// The entry's congestion mark, to set: its Data will carry it.
    #[inline]
    pub fn mark(&mut self, id: PitId, marked: bool) {
        self.slots[id.0 as usize].marked |= marked;
    }

    /// The Interest as it was last received, and as it is sent on.
    pub fn interest(&self, id: PitId, stems: &Stems) -> Interest {
        let (slot, asked) = (self.get(id), &self.asked[id.0 as usize]);
        asked.interest(slot, slot.name(stems))
    }

    /// Another Interest for the entry has been received over `face`; `wait` follows.
    pub fn ask_again(&mut self, id: PitId, face: FaceId, interest: &Interest) {
        let (slot, asked) = (&mut self.slots[id.0 as usize], &mut self.asked[id.0 as usize]);
        slot.ask_again(face, interest, asked);
    }

    /// Notes that `face` waits (still, or anew) until `now` + `lifetime`; the entry lives as long as its last
    /// downstream waits.
    #[inline(always)]
    pub fn wait(&mut self, id: PitId, record: InRecord, lifetime_ms: u32) {
        let (slot, asked) = (&mut self.slots[id.0 as usize], &mut self.asked[id.0 as usize]);
        let expiry = record.expiry;
        slot.add_downstream(record, asked);
        if expiry > asked.expiry {
            asked.expiry = expiry;
            self.expiry.unlink(id.0, &mut self.slots);
            self.expiry.link(id.0, lifetime_ms, &mut self.slots, &self.asked);
        }
    }

    /// The only one who waits, without a token, if that is how it is: the common case. (It has not stopped waiting, or
    /// the entry would have expired.)
    #[inline]
    pub fn only_downstream(&self, id: PitId) -> Option<FaceId> {
        self.get(id).only_downstream()
    }

    /// All who wait.
    pub fn downstreams(&self, id: PitId) -> SmallVec<[InRecord; 1]> {
        self.get(id).downstreams(&self.asked[id.0 as usize])
    }

    /// Where the Interest went.
    #[inline]
    pub fn upstreams(&self, id: PitId) -> SmallVec<[Upstream; 1]> {
        self.get(id).upstreams(&self.asked[id.0 as usize])
    }

    /// Notes a transmission. Repetitions within `first` are not sent on to that upstream, and within `next` of the
    /// interval that it had if it was sent there before.
    #[inline(always)]
    pub fn sent(&mut self, id: PitId, record: OutRecord, first: Span, next: impl FnOnce(Span) -> Span) {
        let (slot, asked) = (&mut self.slots[id.0 as usize], &mut self.asked[id.0 as usize]);
        slot.sent(record, asked, first, next);
    }

    /// The transmission to an upstream, to note that it was refused.
    pub fn upstream_mut(&mut self, id: PitId, face: FaceId, nonce: u32) -> Option<&mut OutRecord> {
        let (slot, asked) = (&mut self.slots[id.0 as usize], &self.asked[id.0 as usize]);
        slot.upstream_mut(face, nonce, asked)
    }

    /// Repetitions within this time are not sent on, if the strategy thins them out for the entry.
    pub fn suppression(&self, id: PitId) -> Span {
        self.asked[id.0 as usize].suppression()
    }

    /// Changes that time.
    pub fn set_suppression(&mut self, id: PitId, suppression: Span) {
        self.asked[id.0 as usize].set_suppression(suppression);
    }

    /// Takes an entry out. Its contents stay readable until the next `insert`.
    pub fn remove(&mut self, id: PitId, stems: &Stems) {
        let hash = self.slots[id.0 as usize].hash(stems);
        assert!(self.table.remove(hash, id.0), "an entry that is not in the table was removed");
        self.forget(id);
    }

    /// Takes out the entry that `answered_by` would find, as `remove` does, with one look into the table. `key`: that of
    /// the name, if its content is known.
    #[inline(always)]
    pub fn remove_answered(&mut self, name: &Name, key: Option<Key>, stems: &Stems) -> Option<PitId> {
        if let Some(key) = key
            && let Some(slot) = self.table.take(key.hash, |slot| self.slots[slot as usize].is_called(key))
        {
            self.forget(PitId(slot));
            return Some(PitId(slot));
        }
        self.remove_answered_below(name, stems)
    }

    /// As `remove_answered`, where no entry has that very name.
    #[inline(never)]
    fn remove_answered_below(&mut self, name: &Name, stems: &Stems) -> Option<PitId> {
        if self.prefix_entries == 0 {
            return None;
        }
        let id = self.answered_below(name, stems)?;
        self.remove(id, stems);
        Some(id)
    }

    /// Everything but the table forgets an entry.
    #[inline(always)]
    fn forget(&mut self, id: PitId) {
        self.expiry.unlink(id.0, &mut self.slots);
        let slot = &self.slots[id.0 as usize];
        self.prefix_entries -= usize::from(slot.can_be_prefix);
        self.selector_entries -= usize::from(slot.can_be_prefix || slot.must_be_fresh);
        self.free.push(id.0);
    }

    /// The entry of exactly this name, if the Data is all it waits for (the common case), else any entry that a Data of
    /// this name answers. Call until there is none.
    #[inline]
    pub fn answered_by(&self, name: &Name, key: Option<Key>, stems: &Stems) -> Option<PitId> {
        let exact = key.and_then(|key| self.table.find(key.hash, |slot| self.slots[slot as usize].is_called(key)));
        match exact {
            Some(slot) => Some(PitId(slot)),
            None if self.prefix_entries > 0 => self.answered_below(name, stems),
            None => None,
        }
    }

    /// Every entry that a Data of this name answers.
    pub fn all_answered_by(&self, name: &Name, stems: &Stems) -> Vec<PitId> {
        let shortest = if self.prefix_entries > 0 { 0 } else { name.len() };
        let prefixes = (shortest..=name.len()).map(|n| name.prefix(n));
        prefixes.flat_map(|prefix| self.entries_at(&prefix, prefix.len() < name.len(), stems)).collect()
    }

    fn entries_at(&self, name: &Name, as_prefix: bool, stems: &Stems) -> Vec<PitId> {
        let Some(key) = stems.find(name) else { return Vec::new() };
        let fits = |slot: &PitEntry| slot.is_called(key) && (slot.can_be_prefix || !as_prefix);
        let entries = self.table.all(key.hash);
        entries.filter(|slot| fits(&self.slots[*slot as usize])).map(PitId).collect()
    }

    /// Asks for the line of the table where a name with this hash stands.
    #[inline]
    pub fn foresee(&self, hash: u64) {
        self.table.foresee(hash);
    }

    /// Asks for the entry that a name with this hash probably has, of which nobody has looked at the name; says where it is.
    #[inline]
    pub fn foresee_probable(&self, hash: u64) -> Option<u32> {
        let slot = self.table.find(hash, |_| true)?;
        ask_for_element(&self.slots, slot as usize);
        ask_for_element(&self.asked, slot as usize);
        Some(slot)
    }

    /// Who waits for the entry at this place.
    #[inline]
    pub fn foresee_downstream(&self, place: u32) -> Option<FaceId> {
        self.slots.get(place as usize)?.only_downstream()
    }

    /// False while a name can have only one entry: no need to look for a second.
    #[inline]
    pub fn may_have_more(&self) -> bool {
        self.selector_entries > 0
    }

    fn answered_below(&self, name: &Name, stems: &Stems) -> Option<PitId> {
        (0..name.len()).rev().find_map(|n| {
            let key = stems.find(&name.prefix(n))?;
            let fits = |slot| {
                let slot: &PitEntry = &self.slots[slot as usize];
                slot.can_be_prefix && slot.is_called(key)
            };
            self.table.find(key.hash, fits).map(PitId)
        })
    }

    /// True if an entry may be due; mostly none is.
    #[inline(always)]
    pub fn may_expire(&self, now: Time) -> bool {
        self.expiry.may_be_due(now)
    }

    /// The entry that expires first, if it is due.
    #[inline]
    pub fn expired(&mut self, now: Time) -> Option<PitId> {
        self.expiry.due(now, &self.asked).map(PitId)
    }

    /// No entry expires before this time (`NEVER`: there is none); it may be too early, never too late.
    #[inline(always)]
    pub fn next_expiry(&self) -> Time {
        self.expiry.next()
    }

    /// The contents that are asked for.
    pub fn stems(&self) -> impl Iterator<Item = StemId> {
        self.table.places().map(|slot| self.slots[slot as usize].stem())
    }

    /// Nobody waits at these faces any more, and nothing was sent there. An entry that nobody waits for at all lives on
    /// until it expires. Looks at every entry.
    pub fn forget_faces(&mut self, faces: &BTreeSet<FaceId>) {
        let Pit { table, slots, .. } = self;
        table.places().for_each(|place| slots[place as usize].forget_faces(faces));
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Pit::new(self.capacity);
    }
}
