//! Who wants or serves which content.

use crate::index::Index;
use smallvec::SmallVec;
use weir_core::ahead::ask_for_element;
use weir_wire::Name;

/// So many contents are looked through one by one: the right one shows by its address.
const FEW: usize = 4;

/// Numbers of applications, or of fetches, by content.
#[derive(Default)]
pub(crate) struct Directory {
    contents: Vec<Listed>,
    /// Places in `contents` by the hash of the stem.
    places: Index,
}

struct Listed {
    /// A segment of the content: all segments share its stem.
    segment: Name,
    numbers: SmallVec<[u32; 2]>,
}

impl Directory {
    /// Lists `number` under the content.
    pub fn add(&mut self, content: &Name, number: u32) {
        let segment = content.with_segment(0);
        match self.place(&segment) {
            Some(place) => self.contents[place].numbers.push(number),
            None => {
                self.places.insert(segment.stem().hash64(), self.contents.len() as u32);
                self.contents.push(Listed { segment, numbers: SmallVec::from_elem(number, 1) });
            }
        }
    }

    /// Takes `number` off the content.
    pub fn remove(&mut self, content: &Name, number: u32) {
        let segment = content.with_segment(0);
        let Some(place) = self.place(&segment) else { return };
        let listed = &mut self.contents[place];
        listed.numbers.retain(|listed| *listed != number);
        if listed.numbers.is_empty() {
            self.contents.swap_remove(place);
            self.places.remove(segment.stem().hash64(), place as u32);
            if let Some(moved) = self.contents.get(place) {
                let hash = moved.segment.stem().hash64();
                self.places.remove(hash, self.contents.len() as u32);
                self.places.insert(hash, place as u32);
            }
        }
    }

    /// Asks for what `only` reads.
    #[inline]
    pub fn foresee(&self) {
        ask_for_element(&self.contents, 0);
    }

    /// Those of the very content that `name` is a segment of.
    #[inline]
    pub fn find(&self, name: &Name) -> &[u32] {
        self.place(name).map_or(&[], |place| &self.contents[place].numbers)
    }

    /// The only one listed, if its content is the only one listed: the common case, in which no index is asked.
    #[inline(always)]
    pub fn only(&self, name: &Name) -> Option<u32> {
        let [listed] = &self.contents[..] else { return None };
        let [only] = listed.numbers[..] else { return None };
        listed.segment.same_stem(name).then_some(only)
    }

    #[inline]
    fn place(&self, name: &Name) -> Option<usize> {
        if self.contents.len() <= FEW {
            return self.contents.iter().position(|listed| listed.segment.same_stem(name));
        }
        let same = |place| self.contents[place as usize].segment.same_stem(name);
        self.places.find(name.stem().hash64(), same).map(|place| place as usize)
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
        assert!(directory.find(&a.with_segment(7)).is_empty() && directory.contents.len() == 1);
    }

    #[test]
    fn many_contents_are_kept_apart() {
        let contents: Vec<Name> = (0..50).map(|i| format!("/{i}").parse().unwrap()).collect();
        let mut directory = Directory::default();
        for (i, content) in contents.iter().enumerate() {
            directory.add(content, i as u32);
        }
        // From the first on, so that others move into the places that become free.
        for (i, content) in contents.iter().enumerate() {
            assert_eq!(directory.find(&content.with_segment(3)), [i as u32]);
            directory.remove(content, i as u32);
            assert!(directory.find(&content.with_segment(3)).is_empty());
            let left = contents.iter().filter(|content| !directory.find(&content.with_segment(1)).is_empty());
            assert_eq!(left.count(), contents.len() - i - 1);
        }
        assert_eq!(directory.places.len(), 0);
    }
}
