//! The contents that a forwarder deals with, each listed once.
//!
//! Its tables name a content by its number here: four bytes, compared in one instruction. A name of their own would
//! count references for each packet, which is as slow as a dozen loads, and in memory that belongs to whatever content
//! the place was used for before.

use crate::fib::{Fib, Match, StrategyId};
use crate::index::Index;
use std::sync::Arc;
use weir_core::PrefixId;
use weir_wire::{Name, Stem};

/// So many contents are listed before it is seen which are still in use.
const FIRST_SWEEP: usize = 1024;

/// A content's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StemId(u32);

/// What tables know a name by.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The content.
    pub stem: StemId,
    /// Of no segment, for a name without.
    pub segment: Segment,
    /// [`Name::hash64`].
    pub hash: u64,
}

/// A segment number, or none, in eight bytes. No name has the greatest number of all as its segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment(u64);

impl Segment {
    #[inline]
    fn of(name: &Name) -> Segment {
        Segment(name.segment().unwrap_or(u64::MAX))
    }

    #[inline]
    fn number(self) -> Option<u64> {
        (self.0 != u64::MAX).then_some(self.0)
    }
}

/// All contents whose names stand in the tables of a forwarder.
#[derive(Debug)]
pub struct Stems {
    /// By number; free numbers have none.
    list: Vec<Listed>,
    free: Vec<u32>,
    table: Index,
    /// How many more are listed before the next sweep.
    until_sweep: usize,
}

#[derive(Debug)]
struct Listed {
    stem: Option<Arc<Stem>>,
    /// The route, as the FIB of this version has it; with the version of an empty FIB, it has none.
    version: u64,
    route: Match,
    /// Found in a table during a sweep.
    used: bool,
}

impl Default for Stems {
    fn default() -> Stems {
        Stems { list: Vec::new(), free: Vec::new(), table: Index::default(), until_sweep: FIRST_SWEEP }
    }
}

impl Stems {
    /// The key of a name whose content is listed.
    #[inline(always)]
    pub fn find(&self, name: &Name) -> Option<Key> {
        let number = self.table.find(name.stem().hash64(), |number| self.holds(number, name.stem()))?;
        Some(Key { stem: StemId(number), segment: Segment::of(name), hash: name.hash64() })
    }

    /// The key of a name, whose content is listed from now on.
    #[inline(always)]
    pub fn key(&mut self, name: &Name) -> Key {
        match self.find(name) {
            Some(key) => key,
            None => self.add(name),
        }
    }

    #[inline]
    fn holds(&self, number: u32, stem: &Arc<Stem>) -> bool {
        self.list[number as usize].stem.as_ref().is_some_and(|listed| listed.is_same(stem))
    }

    #[cold]
    fn add(&mut self, name: &Name) -> Key {
        let route = Match { prefix: None, strategy: StrategyId(0) };
        let listed = Listed { stem: Some(Arc::clone(name.stem())), version: 0, route, used: false };
        let number = match self.free.pop() {
            Some(number) => {
                self.list[number as usize] = listed;
                number
            }
            None => {
                self.list.push(listed);
                self.list.len() as u32 - 1
            }
        };
        self.table.insert(name.stem().hash64(), number);
        self.until_sweep = self.until_sweep.saturating_sub(1);
        Key { stem: StemId(number), segment: Segment::of(name), hash: name.hash64() }
    }

    /// The name that a table knows by these.
    pub fn name(&self, stem: StemId, segment: Segment) -> Name {
        self.stem(stem).map_or_else(Name::root, |stem| stem.name(segment.number()))
    }

    /// Its hash.
    #[inline]
    pub fn hash(&self, stem: StemId, segment: Segment) -> u64 {
        self.stem(stem).map_or(0, |stem| stem.hash_with(segment.number()))
    }

    #[inline]
    fn stem(&self, stem: StemId) -> Option<&Arc<Stem>> {
        self.list[stem.0 as usize].stem.as_ref()
    }

    /// What the FIB says of a name.
    #[inline]
    pub fn route(&mut self, key: Key, name: &Name, fib: &Fib) -> Match {
        let listed = &mut self.list[key.stem.0 as usize];
        if listed.version == fib.version() && fib.depends_on_stems_only() {
            return listed.route;
        }
        let found = fib.lookup(name);
        (listed.version, listed.route) = (fib.version(), found);
        found
    }

    /// The route that `route` will probably say: nobody has looked whether it is still right.
    pub fn probable_route(&self, name: &Name) -> Option<PrefixId> {
        self.list[self.find(name)?.stem.0 as usize].route.prefix
    }

    /// True if so many contents have come that some may have gone.
    #[inline]
    pub fn is_sweep_due(&self) -> bool {
        self.until_sweep == 0
    }

    /// Forgets the contents that are not among those in use. What that costs is spread over all that came since.
    pub fn sweep(&mut self, in_use: impl Iterator<Item = StemId>) {
        let mut names = 0;
        for stem in in_use {
            names += 1;
            self.list[stem.0 as usize].used = true;
        }
        for (number, listed) in self.list.iter_mut().enumerate() {
            if !std::mem::take(&mut listed.used)
                && let Some(stem) = listed.stem.take()
            {
                self.table.remove(stem.hash64(), number as u32);
                self.free.push(number as u32);
            }
        }
        self.until_sweep = FIRST_SWEEP.max(self.table.len()).max(names / 4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::FaceId;

    fn name(uri: &str) -> Name {
        uri.parse().unwrap()
    }

    #[test]
    fn a_content_has_one_number_whoever_made_its_name() {
        let mut stems = Stems::default();
        let (one, two) = (stems.key(&name("/a/seg=1")), stems.key(&name("/a/seg=2")));
        assert!(one.stem == two.stem && one.segment != two.segment);
        assert_ne!(stems.key(&name("/b")).stem, one.stem);
        assert!(stems.find(&name("/c")).is_none());
        for uri in ["/a/seg=2", "/a", "/", "/a/seg=1/seg=2"] {
            let key = stems.key(&name(uri));
            assert_eq!(stems.name(key.stem, key.segment), name(uri));
            assert_eq!(stems.hash(key.stem, key.segment), name(uri).hash64());
        }
    }

    #[test]
    fn routes_are_looked_up_again_when_they_change() {
        let (mut stems, mut fib) = (Stems::default(), Fib::default());
        let (content, segment) = (name("/a/seg=1"), name("/a/seg=2"));
        let key = stems.key(&content);
        assert_eq!(stems.route(key, &content, &fib).prefix, None);
        let a = fib.add_route(&name("/a"), FaceId(0), 1);
        assert_eq!(stems.route(key, &content, &fib).prefix, Some(a));
        let own = fib.add_route(&segment, FaceId(1), 1);
        let other = stems.key(&segment);
        assert_eq!(stems.route(key, &content, &fib).prefix, Some(a));
        assert_eq!(stems.route(other, &segment, &fib).prefix, Some(own));
    }

    #[test]
    fn a_sweep_forgets_what_is_not_in_use() {
        let mut stems = Stems::default();
        let kept = stems.key(&name("/kept/seg=1"));
        for i in 0.. {
            if stems.is_sweep_due() {
                break;
            }
            stems.key(&name(&format!("/{i}")));
        }
        stems.sweep([kept.stem].into_iter());
        assert!(!stems.is_sweep_due() && stems.table.len() == 1 && stems.find(&name("/1")).is_none());
        assert_eq!(stems.find(&name("/kept/seg=2")).unwrap().stem, kept.stem);
        let size = stems.list.len();
        stems.key(&name("/again"));
        assert_eq!(stems.list.len(), size);
    }
}
