//! Who wants or serves which content.

use hashbrown::HashTable;
use smallvec::SmallVec;
use weir_wire::Name;

/// Numbers of applications, or of fetches, by content.
#[derive(Default)]
pub(crate) struct Directory(HashTable<Listed>);

struct Listed {
    /// A segment of the content: all segments share its stem.
    segment: Name,
    numbers: SmallVec<[u32; 2]>,
}

impl Directory {
    /// Lists `number` under the content.
    pub fn add(&mut self, content: &Name, number: u32) {
        let segment = content.with_segment(0);
        let hash = segment.stem().hash64();
        match self.0.find_mut(hash, |listed| listed.segment.same_stem(&segment)) {
            Some(listed) => listed.numbers.push(number),
            None => {
                let listed = Listed { segment, numbers: SmallVec::from_elem(number, 1) };
                self.0.insert_unique(hash, listed, |listed| listed.segment.stem().hash64());
            }
        }
    }

    /// Takes `number` off the content.
    pub fn remove(&mut self, content: &Name, number: u32) {
        let segment = content.with_segment(0);
        let same = |listed: &Listed| listed.segment.same_stem(&segment);
        if let Ok(mut found) = self.0.find_entry(segment.stem().hash64(), same) {
            found.get_mut().numbers.retain(|listed| *listed != number);
            if found.get().numbers.is_empty() {
                found.remove();
            }
        }
    }

    /// Those of the very content that `name` is a segment of.
    #[inline]
    pub fn find(&self, name: &Name) -> &[u32] {
        let found = self.0.find(name.stem().hash64(), |listed| listed.segment.same_stem(name));
        found.map_or(&[], |listed| &listed.numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_forgotten_when_nobody_is_left() {
        let (a, b): (Name, Name) = ("/a".parse().unwrap(), "/b".parse().unwrap());
        let mut directory = Directory::default();
        directory.add(&a, 1);
        directory.add(&a, 2);
        directory.add(&b, 3);
        assert_eq!(directory.find(&a.with_segment(7)), [1, 2]);
        directory.remove(&a, 1);
        directory.remove(&a, 9);
        assert_eq!(directory.find(&a.with_segment(7)), [2]);
        directory.remove(&a, 2);
        assert!(directory.find(&a.with_segment(7)).is_empty() && directory.0.len() == 1);
    }
}
