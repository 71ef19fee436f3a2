//! The Forwarding Information Base and the choice of strategies: longest prefix wins in both.

use smallvec::SmallVec;
use std::collections::{BTreeMap, VecDeque};
use weir_core::{FaceId, NextHop, PrefixId};
use weir_wire::{Name, tlv::write_element, types::NAME};

/// So many entries without a route rest before the first is used again.
const RESTING: usize = 1024;

/// A strategy instance of a forwarder, in the order of its registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StrategyId(pub u32);

/// Routes and strategy choices by name prefix.
#[derive(Debug, Default)]
pub struct Fib {
    entries: Vec<FibEntry>,
    /// Encoded prefix -> entry. (Prefix lookups compare bytes, so no name is built.)
    routes: BTreeMap<Box<[u8]>, PrefixId>,
    choices: BTreeMap<Box<[u8]>, StrategyId>,
    /// Strategies that nothing is chosen for any more.
    unused: Vec<StrategyId>,
    /// Entries without a route, the longest so first. A pending Interest may still name one, so they rest for a while.
    resting: VecDeque<PrefixId>,
    /// Changes so far: what was looked up before the last one may be wrong.
    version: u64,
    /// Some prefix ends in a segment number, so the stem alone does not decide.
    segment_prefixes: bool,
}

#[derive(Debug, Default)]
struct FibEntry {
    /// Mostly one, for which no other memory has to be read.
    next_hops: SmallVec<[NextHop; 1]>,
}

/// Result of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// The route; `None`: no prefix matches.
    pub prefix: Option<PrefixId>,
    /// The strategy in charge.
    pub strategy: StrategyId,
}

impl Fib {
    /// Adds or changes a next hop. Next hops stay sorted by cost, then face.
    pub fn add_route(&mut self, prefix: &Name, face: FaceId, cost: u64) -> PrefixId {
        let id = self.entry(prefix);
        let hops = &mut self.entries[id.index()].next_hops;
        hops.retain(|h| h.face != face);
        hops.push(NextHop { face, cost });
        hops.sort_by_key(|h| (h.cost, h.face));
        id
    }

    /// Removes a next hop; the prefix keeps its number.
    pub fn remove_route(&mut self, prefix: &Name, face: FaceId) {
        let id = self.entry(prefix);
        self.entries[id.index()].next_hops.retain(|h| h.face != face);
    }

    /// Puts a strategy in charge of a prefix and what lies below it.
    pub fn choose_strategy(&mut self, prefix: &Name, strategy: StrategyId) {
        self.changed(prefix);
        self.choices.insert(encoded(prefix), strategy);
    }

    /// The strategy that is chosen for this very prefix.
    pub fn choice(&self, prefix: &Name) -> Option<StrategyId> {
        self.choices.get(&encoded(prefix)).copied()
    }

    /// Takes back the choice of a strategy. False if there was none.
    pub fn forget_strategy(&mut self, prefix: &Name) -> bool {
        self.version += 1;
        let chosen = self.choices.remove(&encoded(prefix));
        self.unused.extend(chosen);
        chosen.is_some()
    }

    pub(crate) fn take_unused_strategy(&mut self) -> Option<StrategyId> {
        self.unused.pop()
    }

    /// Removes a prefix with all its next hops. Another prefix may get its number some time.
    pub fn remove(&mut self, prefix: &Name) {
        self.version += 1;
        if let Some(id) = self.routes.remove(&encoded(prefix)) {
            self.entries[id.index()].next_hops.clear();
            self.resting.push_back(id);
        }
    }

    /// Removes all routes over a face.
    pub fn forget_face(&mut self, face: FaceId) {
        self.version += 1;
        self.entries.iter_mut().for_each(|entry| entry.next_hops.retain(|hop| hop.face != face));
    }

    /// All prefixes that have a next hop, and these.
    pub fn routes(&self) -> impl Iterator<Item = (Name, &[NextHop])> {
        let routes = self.routes.iter().map(|(prefix, id)| (decoded(prefix), self.next_hops(*id)));
        routes.filter(|(_, hops)| !hops.is_empty())
    }

    /// Next hops of an entry by ascending cost.
    #[inline]
    pub fn next_hops(&self, prefix: PrefixId) -> &[NextHop] {
        &self.entries[prefix.index()].next_hops
    }

    /// Changes with every change.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// True if all segments of a content have the same answer.
    #[inline]
    pub fn depends_on_stems_only(&self) -> bool {
        !self.segment_prefixes
    }

    /// The longest prefix of `name` that has a next hop, and the strategy of the longest prefix that has a choice.
    pub fn lookup(&self, name: &Name) -> Match {
        let bytes = encoded(name);
        let mut ends = vec![0];
        for component in name.components() {
            let last = ends[ends.len() - 1];
            ends.push(last + Name::from_components([component]).value_len());
        }
        let longest = |end: &usize| {
            let id = *self.routes.get(&bytes[..*end])?;
            (!self.next_hops(id).is_empty()).then_some(id)
        };
        Match {
            prefix: ends.iter().rev().find_map(longest),
            strategy: ends.iter().rev().find_map(|e| self.choices.get(&bytes[..*e]).copied()).unwrap_or(StrategyId(0)),
        }
    }

    fn entry(&mut self, prefix: &Name) -> PrefixId {
        self.changed(prefix);
        let key = encoded(prefix);
        if let Some(id) = self.routes.get(&key) {
            return *id;
        }
        let rested = if self.resting.len() > RESTING { self.resting.pop_front() } else { None };
        let id = rested.unwrap_or_else(|| {
            self.entries.push(FibEntry::default());
            PrefixId(self.entries.len() as u32 - 1)
        });
        self.routes.insert(key, id);
        id
    }

    fn changed(&mut self, prefix: &Name) {
        self.version += 1;
        self.segment_prefixes |= prefix.segment().is_some();
    }
}

/// The prefix that was encoded.
fn decoded(prefix: &[u8]) -> Name {
    let mut whole = Vec::with_capacity(prefix.len() + 4);
    write_element(&mut whole, NAME, prefix);
    Name::decode(&whole).unwrap_or_else(|_| unreachable!("what was a name is one"))
}

fn encoded(name: &Name) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(name.value_len());
    name.write_components(&mut bytes);
    bytes.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(uri: &str) -> Name {
        uri.parse().unwrap()
    }

    #[test]
    fn the_longest_prefix_wins() {
        let mut fib = Fib::default();
        let root = fib.add_route(&name("/"), FaceId(0), 1);
        let a = fib.add_route(&name("/a"), FaceId(1), 1);
        let ab = fib.add_route(&name("/a/b"), FaceId(2), 1);
        for (uri, want) in [("/a/b/seg=3", ab), ("/a/b", ab), ("/a/bb", a), ("/ab", root), ("/", root)] {
            assert_eq!(fib.lookup(&name(uri)).prefix, Some(want), "{uri}");
        }
        fib.remove_route(&name("/a/b"), FaceId(2));
        assert_eq!(fib.lookup(&name("/a/b/c")).prefix, Some(a));
    }

    #[test]
    fn next_hops_are_sorted_by_cost() {
        let mut fib = Fib::default();
        for (face, cost) in [(1, 20), (2, 10), (3, 10), (1, 5)] {
            fib.add_route(&name("/a"), FaceId(face), cost);
        }
        let id = fib.lookup(&name("/a")).prefix.unwrap();
        let faces: Vec<u32> = fib.next_hops(id).iter().map(|h| h.face.0).collect();
        assert_eq!(faces, [1, 2, 3]);
    }

    #[test]
    fn strategies_are_chosen_by_prefix_too() {
        let mut fib = Fib::default();
        fib.choose_strategy(&name("/a/b"), StrategyId(1));
        assert_eq!(fib.lookup(&name("/a/b/c")), Match { prefix: None, strategy: StrategyId(1) });
        assert_eq!(fib.lookup(&name("/a/c")).strategy, StrategyId(0));
    }

    #[test]
    fn what_is_forgotten_makes_room_after_a_while() {
        let mut fib = Fib::default();
        for i in 0..10 * RESTING {
            let prefix = name(&format!("/{i}"));
            fib.add_route(&prefix, FaceId(0), 1);
            fib.remove(&prefix);
            assert_eq!(fib.lookup(&prefix).prefix, None);
        }
        assert!(fib.entries.len() <= RESTING + 1, "{} entries", fib.entries.len());
        fib.add_route(&name("/a/b"), FaceId(3), 1);
        fib.add_route(&name("/a/b"), FaceId(4), 1);
        fib.add_route(&name("/c"), FaceId(3), 1);
        fib.forget_face(FaceId(3));
        let left: Vec<_> = fib.routes().map(|(prefix, hops)| (prefix.to_string(), hops.len())).collect();
        assert_eq!(left, [("/a/b".to_owned(), 1)]);
    }

    #[test]
    fn a_choice_is_taken_back() {
        let mut fib = Fib::default();
        fib.choose_strategy(&name("/a"), StrategyId(1));
        assert!(fib.forget_strategy(&name("/a")) && !fib.forget_strategy(&name("/a")));
        assert_eq!(
            (fib.lookup(&name("/a/b")).strategy, fib.take_unused_strategy()),
            (StrategyId(0), Some(StrategyId(1)))
        );
    }

    #[test]
    fn a_prefix_may_end_in_a_segment() {
        let mut fib = Fib::default();
        fib.add_route(&name("/a"), FaceId(1), 1);
        let one = fib.add_route(&name("/a/seg=7"), FaceId(2), 1);
        assert_eq!(fib.lookup(&name("/a/seg=7")).prefix, Some(one));
        assert_eq!(fib.lookup(&name("/a/seg=7/x")).prefix, Some(one));
        assert_ne!(fib.lookup(&name("/a/seg=8")).prefix, Some(one));
    }
}
