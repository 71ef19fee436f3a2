//! Where in a slab something lies, by the hash of its name.

use weir_core::ahead::ask_for_element;

/// An empty entry.
const EMPTY: u64 = u64::MAX;
/// Entries of an index that has just been made; a power of two.
const LEAST: usize = 8;

/// Places in a slab by hash: open addressing, eight bytes an entry.
///
/// A packet needs half a dozen looks at a node, most of them for something that is not there. Here each is one
/// cache line and some ten instructions, a third of what a table that knows nothing of its keys takes. An entry is
/// the upper half of the hash, which also says where the entry belongs, above the place; whether a name with that half
/// is the right one, the caller sees in the slab.
#[derive(Debug)]
pub(crate) struct Index {
    entries: Box<[u64]>,
    len: usize,
}

impl Default for Index {
    fn default() -> Index {
        Index::with_room(LEAST)
    }
}

impl Index {
    fn with_room(room: usize) -> Index {
        Index { entries: vec![EMPTY; room].into(), len: 0 }
    }

    /// Places listed.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The first place under `hash` that is the one looked for.
    #[inline]
    pub fn find(&self, hash: u64, is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        self.position(hash, is_it).map(|(_, place)| place)
    }

    /// Asks for the line where the chain of `hash` begins.
    #[inline]
    pub fn foresee(&self, hash: u64) {
        ask_for_element(&self.entries, self.home(hash));
    }

    /// All places under `hash`.
    pub fn all(&self, hash: u64) -> impl Iterator<Item = u32> {
        let mask = self.entries.len() - 1;
        let chain = (0..self.entries.len()).map(move |step| self.entries[(self.home(hash) + step) & mask]);
        chain.take_while(|entry| *entry != EMPTY).filter(move |entry| entry >> 32 == hash >> 32).map(place_of)
    }

    /// All places listed.
    pub fn places(&self) -> impl Iterator<Item = u32> {
        self.entries.iter().copied().filter(|entry| *entry != EMPTY).map(place_of)
    }

    /// Lists a place that is not listed.
    #[inline]
    pub fn insert(&mut self, hash: u64, place: u32) {
        // At most five eighths full, so that chains stay short.
        if self.len * 8 >= self.entries.len() * 5 {
            self.grow();
        }
        self.len += 1;
        self.put(hash & !0xffff_ffff | u64::from(place));
    }

    /// Takes a place off the list; false if it is not there.
    #[inline]
    pub fn remove(&mut self, hash: u64, place: u32) -> bool {
        self.take(hash, |listed| listed == place).is_some()
    }

    /// Takes the first place off the list that `find` would find.
    #[inline(always)]
    pub fn take(&mut self, hash: u64, is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let (at, place) = self.position(hash, is_it)?;
        self.len -= 1;
        self.close(at);
        Some(place)
    }

    #[inline(always)]
    fn position(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Option<(usize, u32)> {
        let mask = self.entries.len() - 1;
        let mut at = self.home(hash);
        loop {
            let entry = self.entries[at];
            if entry == EMPTY {
                return None;
            }
            if (entry ^ hash) >> 32 == 0 && is_it(place_of(entry)) {
                return Some((at, place_of(entry)));
            }
            at = (at + 1) & mask;
        }
    }

    /// Where an entry belongs: the lowest bits of the upper half of its hash.
    #[inline(always)]
    fn home(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.entries.len() - 1)
    }

    #[inline]
    fn put(&mut self, entry: u64) {
        let mask = self.entries.len() - 1;
        let mut at = self.home(entry);
        while self.entries[at] != EMPTY {
            at = (at + 1) & mask;
        }
        self.entries[at] = entry;
    }

    /// Empties an entry. What lies behind it in the same chain moves up, so that no chain has a gap.
    #[inline]
    fn close(&mut self, mut hole: usize) {
        let mask = self.entries.len() - 1;
        let mut next = (hole + 1) & mask;
        while self.entries[next] != EMPTY {
            let entry = self.entries[next];
            // It may move if it belongs to the hole or before it.
            let way = next.wrapping_sub(self.home(entry)) & mask;
            if way >= (next.wrapping_sub(hole) & mask) {
                self.entries[hole] = entry;
                hole = next;
            }
            next = (next + 1) & mask;
        }
        self.entries[hole] = EMPTY;
    }

    #[cold]
    fn grow(&mut self) {
        let old = std::mem::replace(self, Index::with_room(self.entries.len() * 2));
        self.len = old.len;
        old.entries.iter().filter(|entry| **entry != EMPTY).for_each(|entry| self.put(*entry));
    }
}

#[inline]
fn place_of(entry: u64) -> u32 {
    entry as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use weir_core::Seed;

    #[test]
    fn it_lists_what_a_set_would() {
        for seed in 0..20 {
            let mut chance = Seed(seed).stream();
            let (mut index, mut model) = (Index::default(), BTreeSet::new());
            // Few hashes, all of them near the end of a table of any size, so that chains collide and go around.
            let hash = |place: u32| u64::from(u32::MAX - place % 11 * 3) << 32;
            for _ in 0..4000 {
                let place = chance.below(200) as u32;
                if model.insert(place) {
                    assert!(!index.remove(hash(place), place));
                    index.insert(hash(place), place);
                } else {
                    model.remove(&place);
                    assert_eq!(index.take(hash(place), |listed| listed == place), Some(place));
                }
                assert_eq!(index.len(), model.len());
                let place = chance.below(200) as u32;
                let found = index.find(hash(place), |listed| listed == place);
                assert_eq!(found, model.get(&place).copied());
                assert!(index.places().collect::<BTreeSet<u32>>() == model);
                let all: BTreeSet<u32> = index.all(hash(place)).collect();
                let alike = model.iter().copied().filter(|other| hash(*other) == hash(place));
                assert_eq!(all, alike.collect());
            }
        }
    }
}
