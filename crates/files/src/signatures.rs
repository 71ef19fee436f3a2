//! Signatures of a content's segments, so that no segment is signed twice, and none that could be signed while nobody asked is
//! signed while somebody waits.

/// Bytes of signatures that are kept of a content: digests of two gigabytes in segments of 8000 bytes.
const MOST: usize = 8 << 20;

/// The signatures that are known.
#[derive(Debug, Default)]
pub(crate) struct Signatures {
    /// Room for each.
    longest: usize,
    values: Vec<u8>,
    /// Their lengths; 0: not known.
    lens: Vec<u16>,
    /// All before this one are known.
    next: usize,
}

impl Signatures {
    /// None yet, of a content of so many segments, whose signatures are not longer than `longest`.
    pub fn new(segments: u64, longest: usize) -> Signatures {
        let longest = longest.clamp(1, u16::MAX.into());
        let room = usize::try_from(segments).unwrap_or(usize::MAX).min(MOST / longest);
        // Memory of which nothing has been written costs nothing.
        Signatures { longest, values: vec![0; room * longest], lens: vec![0; room], next: 0 }
    }

    /// That of a segment, if it is known.
    pub fn get(&self, segment: u64) -> Option<&[u8]> {
        let segment = usize::try_from(segment).ok()?;
        let len = usize::from(*self.lens.get(segment)?);
        (len > 0).then(|| &self.values[segment * self.longest..][..len])
    }

    /// Keeps that of a segment, if there is room.
    pub fn keep(&mut self, segment: u64, signature: &[u8]) {
        let Ok(segment) = usize::try_from(segment) else { return };
        let Some(len) = self.lens.get_mut(segment).filter(|_| signature.len() <= self.longest) else { return };
        *len = signature.len() as u16;
        self.values[segment * self.longest..][..signature.len()].copy_from_slice(signature);
    }

    /// The first segment that there is room for and whose signature is not known.
    pub fn missing(&mut self) -> Option<u64> {
        self.next += self.lens[self.next..].iter().take_while(|len| **len > 0).count();
        (self.next < self.lens.len()).then_some(self.next as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_kept_and_the_missing_ones_found() {
        let mut known = Signatures::new(3, 4);
        assert_eq!((known.missing(), known.get(0)), (Some(0), None));
        known.keep(1, b"one");
        known.keep(0, b"zero");
        assert_eq!((known.missing(), known.get(0), known.get(1)), (Some(2), Some(&b"zero"[..]), Some(&b"one"[..])));
        known.keep(2, b"too long");
        assert_eq!((known.missing(), known.get(2)), (Some(2), None));
        known.keep(2, b"two");
        known.keep(3, b"gone");
        assert_eq!((known.missing(), known.get(3), known.get(u64::MAX)), (None, None, None));
    }

    #[test]
    fn a_long_content_has_signatures_for_its_beginning_only() {
        let mut known = Signatures::new(u64::MAX, 32);
        known.keep(MOST as u64 / 32, b"x");
        assert_eq!(known.get(MOST as u64 / 32), None);
        known.keep(MOST as u64 / 32 - 1, b"x");
        assert_eq!(known.get(MOST as u64 / 32 - 1), Some(&b"x"[..]));
    }
}
