//! The Content Store: Data by name, least recently used first out.

use crate::index::Index;
use crate::stems::{Key, Segment, StemId, Stems};
use std::collections::BTreeMap;
use weir_core::{Span, Time};
use weir_wire::{Content, Data, Interest, Name};

const NONE: u32 = u32::MAX;

/// A cache of Data with least-recently-used replacement. A capacity of 0 switches it off.
///
/// Names are numbers of [`Stems`], which a forwarder lends to whatever has to do with names.
#[derive(Debug)]
pub struct ContentStore {
    capacity: usize,
    table: Index,
    slots: Vec<Slot>,
    /// Ends of the list by last use.
    newest: u32,
    oldest: u32,
    /// Names in canonical order, built when the first prefix is asked for and kept from then on.
    order: Option<BTreeMap<Name, u32>>,
    hits: u64,
    misses: u64,
}

#[derive(Debug)]
struct Slot {
    segment: Segment,
    stem: StemId,
    content: Content,
    fresh_until: Time,
    newer: u32,
    older: u32,
}

impl Slot {
    #[inline]
    fn is_called(&self, key: Key) -> bool {
        self.segment == key.segment && self.stem == key.stem
    }

    #[inline]
    fn hash(&self, stems: &Stems) -> u64 {
        stems.hash(self.stem, self.segment)
    }
}

impl ContentStore {
    /// A store of `capacity` Data packets.
    pub fn new(capacity: usize) -> ContentStore {
        ContentStore {
            capacity: capacity.min(NONE as usize - 1),
            table: Index::default(),
            slots: Vec::new(),
            newest: NONE,
            oldest: NONE,
            order: None,
            hits: 0,
            misses: 0,
        }
    }

    /// Packets stored.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// True if nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Most packets stored.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Interests answered and not answered.
    pub fn hits_and_misses(&self) -> (u64, u64) {
        (self.hits, self.misses)
    }

    /// Data that answers `interest`: of its very name, or below it if it says CanBePrefix (the first in canonical
    /// order); fresh if it says MustBeFresh.
    pub fn find(&mut self, key: Key, interest: &Interest, stems: &Stems, now: Time) -> Option<Data> {
        if self.capacity == 0 {
            return None;
        }
        match self.position(key, interest, stems, now) {
            Some(slot) => {
                self.hits += 1;
                self.touch(slot);
                let Slot { stem, segment, content, .. } = &self.slots[slot as usize];
                Some(Data { name: stems.name(*stem, *segment), content: content.clone() })
            }
            None => {
                self.misses += 1;
                None
            }
        }
    }

    fn position(&mut self, key: Key, interest: &Interest, stems: &Stems, now: Time) -> Option<u32> {
        let fits = |slot: &Slot| !interest.must_be_fresh || now < slot.fresh_until;
        let exact = self.exact(key).filter(|s| fits(&self.slots[*s as usize]));
        if exact.is_some() || !interest.can_be_prefix {
            return exact;
        }
        self.index_names(stems);
        let below = self.order.as_ref()?.range(&interest.name..);
        below
            .take_while(|(name, _)| interest.name.is_prefix_of(name))
            .map(|(_, slot)| *slot)
            .find(|slot| fits(&self.slots[*slot as usize]))
    }

    #[inline]
    fn exact(&self, key: Key) -> Option<u32> {
        self.table.find(key.hash, |slot| self.slots[slot as usize].is_called(key))
    }

    fn index_names(&mut self, stems: &Stems) {
        if self.order.is_none() {
            let slots = self.slots.iter().enumerate();
            self.order = Some(slots.map(|(i, slot)| (stems.name(slot.stem, slot.segment), i as u32)).collect());
        }
    }

    /// Stores `data`, replacing an older copy; the least recently used Data leaves if there is no room.
    pub fn insert(&mut self, key: Key, data: &Data, stems: &Stems, now: Time) {
        if self.capacity == 0 {
            return;
        }
        let fresh_until = now + Span::from_millis(data.freshness_ms().min(u64::from(u32::MAX)));
        if let Some(slot) = self.exact(key) {
            let stored = &mut self.slots[slot as usize];
            stored.content.clone_from(&data.content);
            stored.fresh_until = fresh_until;
            self.touch(slot);
            return;
        }
        let slot = if self.slots.len() < self.capacity {
            let (Key { stem, segment, .. }, content) = (key, data.content.clone());
            self.slots.push(Slot { segment, stem, content, fresh_until, newer: NONE, older: NONE });
            (self.slots.len() - 1) as u32
        } else {
            let slot = self.evict_oldest(stems);
            let stored = &mut self.slots[slot as usize];
            (stored.stem, stored.segment, stored.fresh_until) = (key.stem, key.segment, fresh_until);
            stored.content.clone_from(&data.content);
            slot
        };
        self.link_newest(slot);
        self.table.insert(key.hash, slot);
        if let Some(order) = &mut self.order {
            order.insert(data.name.clone(), slot);
        }
    }

    /// Changes how many Data may be stored; the least recently used leave.
    pub fn set_capacity(&mut self, capacity: usize, stems: &Stems) {
        self.capacity = capacity.min(NONE as usize - 1);
        let excess = self.slots.len().saturating_sub(self.capacity);
        if excess > 0 {
            let mut gone = 0;
            self.retain(stems, |_| {
                gone += 1;
                gone > excess
            });
        }
    }

    /// Takes out Data below `prefix`, at most `most` of them, the least recently used first; says how many.
    pub fn erase(&mut self, prefix: &Name, most: usize, stems: &Stems) -> usize {
        let mut gone = 0;
        self.retain(stems, |name| {
            let goes = gone < most && prefix.is_prefix_of(name);
            gone += usize::from(goes);
            !goes
        });
        gone
    }

    /// Keeps what `keeps` says, which is asked about the least recently used first.
    fn retain(&mut self, stems: &Stems, mut keeps: impl FnMut(&Name) -> bool) {
        let mut place = self.oldest;
        let mut by_use = Vec::with_capacity(self.slots.len());
        while place != NONE {
            by_use.push(place);
            place = self.slots[place as usize].newer;
        }
        let mut old: Vec<Option<Slot>> = std::mem::take(&mut self.slots).into_iter().map(Some).collect();
        (self.table, self.newest, self.oldest, self.order) = (Index::default(), NONE, NONE, None);
        for slot in by_use.into_iter().filter_map(|place| old[place as usize].take()) {
            if keeps(&stems.name(slot.stem, slot.segment)) {
                let (hash, place) = (slot.hash(stems), self.slots.len() as u32);
                self.slots.push(slot);
                self.link_newest(place);
                self.table.insert(hash, place);
            }
        }
    }

    /// The contents of which something is stored.
    pub fn stems(&self) -> impl Iterator<Item = StemId> {
        self.slots.iter().map(|slot| slot.stem)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = ContentStore { hits: self.hits, misses: self.misses, ..ContentStore::new(self.capacity) };
    }

    /// Takes the oldest Data out of all indexes; its slot is free for another.
    fn evict_oldest(&mut self, stems: &Stems) -> u32 {
        let slot = self.oldest;
        self.unlink(slot);
        let hash = self.slots[slot as usize].hash(stems);
        self.table.remove(hash, slot);
        if let Some(order) = &mut self.order {
            let Slot { stem, segment, .. } = self.slots[slot as usize];
            order.remove(&stems.name(stem, segment));
        }
        slot
    }

    #[inline]
    fn touch(&mut self, slot: u32) {
        if self.newest != slot {
            self.unlink(slot);
            self.link_newest(slot);
        }
    }

    fn unlink(&mut self, slot: u32) {
        let (newer, older) = (self.slots[slot as usize].newer, self.slots[slot as usize].older);
        match newer {
            NONE => self.newest = older,
            n => self.slots[n as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            o => self.slots[o as usize].newer = newer,
        }
    }

    fn link_newest(&mut self, slot: u32) {
        let previous = std::mem::replace(&mut self.newest, slot);
        self.slots[slot as usize].newer = NONE;
        self.slots[slot as usize].older = previous;
        match previous {
            NONE => self.oldest = slot,
            p => self.slots[p as usize].newer = slot,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_wire::VirtualData;

    /// A store with its names.
    struct Cs(ContentStore, Stems);

    impl Cs {
        fn new(capacity: usize) -> Cs {
            Cs(ContentStore::new(capacity), Stems::default())
        }
    }

    fn data(uri: &str, freshness_ms: u32) -> Data {
        let content = Content::Virtual(VirtualData { payload: 1, freshness_ms, final_segment: None });
        Data { name: uri.parse().unwrap(), content }
    }

    fn put(cs: &mut Cs, uri: &str, freshness_ms: u32, now: Time) {
        let data = data(uri, freshness_ms);
        let key = cs.1.key(&data.name);
        cs.0.insert(key, &data, &cs.1, now);
    }

    fn get(cs: &mut Cs, interest: &Interest, now: Time) -> Option<String> {
        let key = cs.1.key(&interest.name);
        cs.0.find(key, interest, &cs.1, now).map(|d| d.name.to_string())
    }

    fn interest(uri: &str) -> Interest {
        Interest::new(uri.parse().unwrap(), 1)
    }

    #[test]
    fn the_least_recently_used_leaves_first() {
        let mut cs = Cs::new(2);
        put(&mut cs, "/a", 0, Time(0));
        put(&mut cs, "/b", 0, Time(0));
        assert!(get(&mut cs, &interest("/a"), Time(0)).is_some());
        put(&mut cs, "/c", 0, Time(0));
        assert!(get(&mut cs, &interest("/b"), Time(0)).is_none());
        assert!(get(&mut cs, &interest("/a"), Time(0)).is_some());
        assert!(get(&mut cs, &interest("/c"), Time(0)).is_some());
        assert_eq!((cs.0.len(), cs.0.hits_and_misses()), (2, (3, 1)));
    }

    #[test]
    fn must_be_fresh_wants_fresh_data() {
        let mut cs = Cs::new(2);
        put(&mut cs, "/a", 10, Time(0));
        let fresh = Interest { must_be_fresh: true, ..interest("/a") };
        assert!(get(&mut cs, &fresh, Time(9_999_999)).is_some());
        assert!(get(&mut cs, &fresh, Time(10_000_000)).is_none());
        assert!(get(&mut cs, &interest("/a"), Time(10_000_000)).is_some());
        put(&mut cs, "/n", 0, Time(0));
        assert!(get(&mut cs, &Interest { must_be_fresh: true, ..interest("/n") }, Time(0)).is_none());
    }

    #[test]
    fn a_prefix_finds_the_first_name_below_it() {
        let mut cs = Cs::new(3);
        for uri in ["/a/c", "/a/b/seg=2", "/a/b/seg=1"] {
            put(&mut cs, uri, 0, Time(0));
        }
        assert!(get(&mut cs, &interest("/a"), Time(0)).is_none());
        let prefix = |uri| Interest { can_be_prefix: true, ..interest(uri) };
        assert_eq!(get(&mut cs, &prefix("/a/b"), Time(0)).as_deref(), Some("/a/b/seg=1"));
        put(&mut cs, "/a/a", 0, Time(0)); // /a/c is the oldest and leaves the index too
        assert_eq!(get(&mut cs, &prefix("/a"), Time(0)).as_deref(), Some("/a/a"));
        assert_eq!(get(&mut cs, &prefix("/a/c"), Time(0)), None);
    }

    #[test]
    fn off_means_off() {
        let mut cs = Cs::new(0);
        put(&mut cs, "/a", 0, Time(0));
        assert!(get(&mut cs, &interest("/a"), Time(0)).is_none());
        assert!(cs.0.is_empty());
    }
}
