//! The Pending Interest Table.

use crate::fib::{Match, StrategyId};
use crate::index::Index;
use smallvec::SmallVec;
use weir_core::{FaceId, OutRecord, PrefixId, Span, Time};
use weir_wire::{Interest, Name, PitToken};

const NONE: u32 = u32::MAX;
/// Classes of lifetimes: 32 for each power of two of their milliseconds.
const CLASSES: usize = 32 * 32;
/// No list: a class that has not come up yet, an entry that nobody waits for yet.
const UNLISTED: u16 = u16::MAX;

/// An entry's place in the table; valid until the entry is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PitId(u32);

/// Pending Interests by name and selectors.
#[derive(Debug)]
pub struct Pit {
    capacity: usize,
    table: Index,
    slots: Vec<PitEntry>,
    free: Vec<u32>,
    /// Heads and tails of the expiry lists: one for each class of lifetimes that has come up.
    lists: Vec<(u32, u32)>,
    /// The list of each class.
    list_of: Box<[u16; CLASSES]>,
    /// No entry expires before this (it may be too early).
    next_expiry: Time,
    /// Entries with CanBePrefix.
    prefix_entries: usize,
    /// Entries with MustBeFresh or CanBePrefix: while there are none, a name has one entry at most.
    selector_entries: usize,
}

/// One pending Interest.
#[derive(Debug)]
pub struct PitEntry {
    hash: u64,
    /// The Interest as it was last received, and as it is sent on.
    pub interest: Interest,
    /// Who asked.
    pub ins: SmallVec<[InRecord; 1]>,
    /// Where it went.
    pub outs: SmallVec<[Upstream; 1]>,
    /// The route that it took; `None` until it is sent.
    pub prefix: Option<PrefixId>,
    /// The strategy in charge.
    pub strategy: StrategyId,
    /// An egress queue signalled congestion on the Interest: its Data will carry the mark.
    pub marked: bool,
    /// Repetitions within this time are not sent on, if the strategy thins them out for the entry.
    pub suppression: Span,
    /// When the last downstream stops waiting.
    expiry: Time,
    list: u16,
    earlier: u32,
    later: u32,
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
    fn new(interest: Interest, hash: u64, route: Match, suppression: Span) -> PitEntry {
        PitEntry {
            hash,
            interest,
            ins: SmallVec::new(),
            outs: SmallVec::new(),
            prefix: route.prefix,
            strategy: route.strategy,
            marked: false,
            suppression,
            expiry: Time::ZERO,
            list: UNLISTED,
            earlier: NONE,
            later: NONE,
        }
    }

    /// Makes a new entry of an old one.
    fn renew(&mut self, interest: &Interest, hash: u64, route: Match, suppression: Span) {
        self.hash = hash;
        self.interest.clone_from(interest);
        self.ins.clear();
        self.outs.clear();
        (self.prefix, self.strategy) = (route.prefix, route.strategy);
        self.marked = false;
        self.suppression = suppression;
        self.expiry = Time::ZERO;
        self.list = UNLISTED;
    }
}

impl Pit {
    /// A table of at most `capacity` entries.
    pub fn new(capacity: usize) -> Pit {
        Pit {
            capacity: capacity.min(NONE as usize - 1),
            table: Index::default(),
            slots: Vec::new(),
            free: Vec::new(),
            lists: Vec::new(),
            list_of: Box::new([UNLISTED; CLASSES]),
            next_expiry: Time::NEVER,
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
    pub fn find(&self, interest: &Interest, hash: u64) -> Option<PitId> {
        self.table.find(hash, |slot| same(&self.slots[slot as usize].interest, interest)).map(PitId)
    }

    /// Adds an entry; there must be none for the same name and selectors, and room for one.
    pub fn insert(&mut self, interest: &Interest, hash: u64, route: Match, suppression: Span) -> PitId {
        assert!(!self.is_full(), "a full PIT takes no entry");
        self.prefix_entries += usize::from(interest.can_be_prefix);
        self.selector_entries += usize::from(interest.can_be_prefix || interest.must_be_fresh);
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize].renew(interest, hash, route, suppression);
                slot
            }
            None => {
                self.slots.push(PitEntry::new(interest.clone(), hash, route, suppression));
                (self.slots.len() - 1) as u32
            }
        };
        self.table.insert(hash, slot);
        PitId(slot)
    }

    /// An entry.
    #[inline]
    pub fn get(&self, id: PitId) -> &PitEntry {
        &self.slots[id.0 as usize]
    }

    /// An entry, to change.
    #[inline]
    pub fn get_mut(&mut self, id: PitId) -> &mut PitEntry {
        &mut self.slots[id.0 as usize]
    }

    /// Notes that `face` waits (still, or anew) until `now` + `lifetime`; the entry lives as long as its last
    /// downstream waits.
    pub fn wait(&mut self, id: PitId, record: InRecord, lifetime_ms: u32) {
        let expiry = record.expiry;
        let entry = &mut self.slots[id.0 as usize];
        match entry.ins.iter_mut().find(|r| r.face == record.face) {
            // Its earlier Interest may have had the longer life.
            Some(known) => *known = InRecord { expiry: expiry.max(known.expiry), ..record },
            None => entry.ins.push(record),
        }
        if expiry > entry.expiry {
            self.unlink(id.0);
            self.slots[id.0 as usize].expiry = expiry;
            let list = self.list_for(lifetime_ms);
            self.link(id.0, list);
        }
    }

    /// Takes an entry out. Its contents stay readable through `get` until the next `insert`.
    pub fn remove(&mut self, id: PitId) {
        let hash = self.slots[id.0 as usize].hash;
        assert!(self.table.remove(hash, id.0), "an entry that is not in the table was removed");
        self.forget(id);
    }

    /// Takes out the entry that `answered_by` would find, as `remove` does, with one look into the table.
    #[inline]
    pub fn remove_answered(&mut self, name: &Name, hash: u64) -> Option<PitId> {
        match self.table.take(hash, |slot| self.slots[slot as usize].interest.name == *name) {
            Some(slot) => {
                self.forget(PitId(slot));
                Some(PitId(slot))
            }
            None => {
                let id = self.answered_by(name, hash)?;
                self.remove(id);
                Some(id)
            }
        }
    }

    /// Everything but the table forgets an entry.
    #[inline]
    fn forget(&mut self, id: PitId) {
        self.unlink(id.0);
        let slot = &self.slots[id.0 as usize];
        let Interest { can_be_prefix, must_be_fresh, .. } = slot.interest;
        self.prefix_entries -= usize::from(can_be_prefix);
        self.selector_entries -= usize::from(can_be_prefix || must_be_fresh);
        self.free.push(id.0);
    }

    /// The entry of exactly this name, if the Data is all it waits for (the common case), else any entry that a Data of
    /// this name answers. Call until there is none.
    #[inline]
    pub fn answered_by(&self, name: &Name, hash: u64) -> Option<PitId> {
        let exact = self.table.find(hash, |slot| self.slots[slot as usize].interest.name == *name);
        match exact {
            Some(slot) => Some(PitId(slot)),
            None if self.prefix_entries > 0 => self.answered_below(name),
            None => None,
        }
    }

    /// Every entry that a Data of this name answers.
    pub fn all_answered_by(&self, name: &Name) -> Vec<PitId> {
        let shortest = if self.prefix_entries > 0 { 0 } else { name.len() };
        let prefixes = (shortest..=name.len()).map(|n| name.prefix(n));
        prefixes.flat_map(|prefix| self.entries_at(&prefix, prefix.len() < name.len())).collect()
    }

    fn entries_at(&self, name: &Name, as_prefix: bool) -> Vec<PitId> {
        let fits = |interest: &Interest| interest.name == *name && (interest.can_be_prefix || !as_prefix);
        let entries = self.table.all(name.hash64());
        entries.filter(|slot| fits(&self.slots[*slot as usize].interest)).map(PitId).collect()
    }

    /// False while a name can have only one entry: no need to look for a second.
    #[inline]
    pub fn may_have_more(&self) -> bool {
        self.selector_entries > 0
    }

    fn answered_below(&self, name: &Name) -> Option<PitId> {
        (0..name.len()).rev().find_map(|n| {
            let prefix = name.prefix(n);
            let fits = |slot| {
                let interest: &Interest = &self.slots[slot as usize].interest;
                interest.can_be_prefix && interest.name == prefix
            };
            self.table.find(prefix.hash64(), fits).map(PitId)
        })
    }

    /// The entry that expires first, if it is due.
    #[inline]
    pub fn expired(&mut self, now: Time) -> Option<PitId> {
        if now < self.next_expiry { None } else { self.first_expired(now) }
    }

    fn first_expired(&mut self, now: Time) -> Option<PitId> {
        let heads = self.lists.iter().map(|(head, _)| *head).filter(|head| *head != NONE);
        let first = heads.min_by_key(|head| self.slots[*head as usize].expiry);
        self.next_expiry = first.map_or(Time::NEVER, |head| self.slots[head as usize].expiry);
        first.filter(|_| self.next_expiry <= now).map(PitId)
    }

    /// No entry expires before this time; it may be too early, never too late.
    #[inline]
    pub fn next_expiry(&self) -> Option<Time> {
        (self.next_expiry != Time::NEVER).then_some(self.next_expiry)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Pit::new(self.capacity);
    }

    #[inline]
    fn list_for(&mut self, lifetime_ms: u32) -> u16 {
        let list = &mut self.list_of[class_of(lifetime_ms)];
        if *list == UNLISTED {
            *list = self.lists.len() as u16;
            self.lists.push((NONE, NONE));
        }
        *list
    }

    /// Puts an entry into a list, by expiry. Lifetimes within a list differ by a thirty-second at most, so the place is
    /// at or near the tail.
    fn link(&mut self, slot: u32, list: u16) {
        let expiry = self.slots[slot as usize].expiry;
        let mut earlier = self.lists[list as usize].1;
        while earlier != NONE && self.slots[earlier as usize].expiry > expiry {
            earlier = self.slots[earlier as usize].earlier;
        }
        let later = match earlier {
            NONE => std::mem::replace(&mut self.lists[list as usize].0, slot),
            e => std::mem::replace(&mut self.slots[e as usize].later, slot),
        };
        match later {
            NONE => self.lists[list as usize].1 = slot,
            l => self.slots[l as usize].earlier = slot,
        }
        let entry = &mut self.slots[slot as usize];
        (entry.list, entry.earlier, entry.later) = (list, earlier, later);
        self.next_expiry = self.next_expiry.min(expiry);
    }

    fn unlink(&mut self, slot: u32) {
        let entry = &self.slots[slot as usize];
        if entry.list == UNLISTED {
            return;
        }
        let (list, earlier, later) = (entry.list as usize, entry.earlier, entry.later);
        match earlier {
            NONE => self.lists[list].0 = later,
            e => self.slots[e as usize].later = later,
        }
        match later {
            NONE => self.lists[list].1 = earlier,
            l => self.slots[l as usize].earlier = earlier,
        }
    }
}

/// The power of two, and the five bits below it.
#[inline]
fn class_of(lifetime_ms: u32) -> usize {
    let zeros = lifetime_ms.max(1).leading_zeros();
    let fine = (lifetime_ms << zeros) >> 26 & 31;
    ((31 - zeros) * 32 + fine) as usize
}

#[inline]
fn same(a: &Interest, b: &Interest) -> bool {
    a.name == b.name && a.can_be_prefix == b.can_be_prefix && a.must_be_fresh == b.must_be_fresh
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interest(uri: &str) -> Interest {
        Interest::new(uri.parse().unwrap(), 1)
    }

    fn add(pit: &mut Pit, interest: &Interest, now: u64, lifetime_ms: u32) -> PitId {
        let hash = interest.name.hash64();
        let route = Match { prefix: None, strategy: StrategyId(0) };
        let id = pit.find(interest, hash).unwrap_or_else(|| pit.insert(interest, hash, route, Span::ZERO));
        let expiry = Time(now) + Span::from_millis(u64::from(lifetime_ms));
        pit.wait(id, InRecord { face: FaceId(0), nonce: 1, expiry, token: None }, lifetime_ms);
        id
    }

    fn expire_all(pit: &mut Pit, now: Time) -> Vec<String> {
        let mut gone = Vec::new();
        while let Some(id) = pit.expired(now) {
            gone.push(pit.get(id).interest.name.to_string());
            pit.remove(id);
        }
        gone
    }

    #[test]
    fn entries_differ_by_selectors() {
        let mut pit = Pit::new(10);
        let plain = interest("/a");
        let fresh = Interest { must_be_fresh: true, ..plain.clone() };
        assert_ne!(add(&mut pit, &plain, 0, 100), add(&mut pit, &fresh, 0, 100));
        assert_eq!(pit.len(), 2);
        let name = plain.name.clone();
        for left in [1, 0] {
            let id = pit.answered_by(&name, name.hash64()).unwrap();
            pit.remove(id);
            assert_eq!(pit.len(), left);
        }
        assert!(!pit.may_have_more());
    }

    #[test]
    fn data_answers_prefixes_that_allow_it() {
        let mut pit = Pit::new(10);
        add(&mut pit, &interest("/a"), 0, 100);
        add(&mut pit, &Interest { can_be_prefix: true, ..interest("/a/b") }, 0, 100);
        let data: Name = "/a/b/c/seg=4".parse().unwrap();
        let id = pit.answered_by(&data, data.hash64()).unwrap();
        assert_eq!(pit.get(id).interest.name.to_string(), "/a/b");
        pit.remove(id);
        assert_eq!(pit.answered_by(&data, data.hash64()), None);
    }

    #[test]
    fn entries_expire_in_order_whatever_their_lifetimes() {
        let mut pit = Pit::new(10);
        for (uri, now, lifetime) in [("/a", 0, 4000), ("/b", 1, 100), ("/c", 2, 120), ("/d", 3, 101)] {
            add(&mut pit, &interest(uri), now, lifetime);
        }
        add(&mut pit, &interest("/b"), 5, 130); // asked again: waits longer
        add(&mut pit, &interest("/a"), 5, 10); // asked again for a shorter time: waits as long as before
        assert_eq!(expire_all(&mut pit, Time(100_000_000)), [""; 0]);
        assert_eq!(expire_all(&mut pit, Time(200_000_000)), ["/d", "/c", "/b"]);
        assert_eq!(pit.next_expiry(), Some(Time(4_000_000_000)));
        assert_eq!(expire_all(&mut pit, Time(4_000_000_000)), ["/a"]);
        assert!(pit.is_empty() && pit.next_expiry().is_none());
    }

    #[test]
    fn lifetimes_of_a_class_differ_little() {
        let classes: Vec<usize> = [0, 1, 2, 3, 63, 64, 65, 66, 2047, 2048, 2111, 2112, u32::MAX].map(class_of).into();
        assert_eq!(classes, [0, 0, 32, 48, 191, 192, 192, 193, 351, 352, 352, 353, 1023]);
        assert!((1..100_000).all(|lifetime| class_of(lifetime) <= class_of(lifetime + 1)));
    }

    #[test]
    fn slots_are_used_again() {
        let mut pit = Pit::new(2);
        for round in 0..100 {
            let a = add(&mut pit, &interest("/a"), round, 10);
            let b = add(&mut pit, &interest("/b"), round, 10);
            assert!(pit.is_full());
            pit.remove(a);
            pit.remove(b);
        }
        assert_eq!((pit.len(), pit.slots.len()), (0, 2));
    }
}
