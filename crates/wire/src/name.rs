//! Names: a shared stem and, for segmented content, the number of the last component.
//!
//! All packets of one content share one [`Stem`] behind an `Arc`, so copying, hashing and comparing the name of a
//! segment costs a few instructions whatever the length of the name.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// TLV types of name components that have a meaning of their own (NDN naming conventions, revision 3).
pub mod component_type {
    /// SHA-256 digest of a whole Data packet.
    pub const IMPLICIT_DIGEST: u16 = 1;
    /// SHA-256 digest of an Interest's parameters.
    pub const PARAMETERS_DIGEST: u16 = 2;
    /// An ordinary component.
    pub const GENERIC: u16 = 8;
    /// A well-known word, such as `32=metadata`.
    pub const KEYWORD: u16 = 32;
    /// A segment number.
    pub const SEGMENT: u16 = 50;
    /// A byte offset.
    pub const BYTE_OFFSET: u16 = 52;
    /// A version.
    pub const VERSION: u16 = 54;
    /// A time stamp in microseconds since the Unix epoch.
    pub const TIMESTAMP: u16 = 56;
    /// A sequence number.
    pub const SEQUENCE: u16 = 58;
}

/// One component of a name: its TLV type and its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Component<'a> {
    /// TLV type, 1 to 65535.
    pub typ: u16,
    /// TLV value.
    pub value: Cow<'a, [u8]>,
}

impl<'a> Component<'a> {
    /// A component of type 8.
    pub fn generic(value: impl Into<Cow<'a, [u8]>>) -> Self {
        Component { typ: component_type::GENERIC, value: value.into() }
    }

    /// A component that holds a number in its shortest form (1, 2, 4 or 8 bytes).
    pub fn number(typ: u16, number: u64) -> Component<'static> {
        Component { typ, value: Cow::Owned(shortest(number).to_vec()) }
    }

    /// The number inside, if the value is one in its shortest form.
    pub fn as_number(&self) -> Option<u64> {
        read_shortest(&self.value)
    }

    /// The same component with bytes of its own.
    pub fn into_owned(self) -> Component<'static> {
        Component { typ: self.typ, value: Cow::Owned(self.value.into_owned()) }
    }
}

/// Canonical order: type, then length, then bytes (packet format, "Canonical Order").
impl Ord for Component<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.typ, self.value.len(), &*self.value).cmp(&(other.typ, other.value.len(), &*other.value))
    }
}

impl PartialOrd for Component<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The components before the segment number, encoded once and shared.
#[derive(Debug)]
pub struct Stem {
    hash: u64,
    count: u16,
    bytes: Box<[u8]>,
}

impl Stem {
    /// The TLVs of the components, one behind the other, without the Name's own type and length.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A hash of the bytes, equal on every machine.
    pub fn hash64(&self) -> u64 {
        self.hash
    }
}

const NO_SEGMENT: u64 = u64::MAX;

/// An NDN name. Cheap to clone; equal names have equal [`Name::hash64`].
///
/// When the last component is a segment number (type 50, shortest form) it is kept as a number and all segments of
/// one content share the stem. The split is canonical, so equality of parts is equality of names. (The number
/// 2^64 - 1 stays in the stem.)
#[derive(Clone)]
pub struct Name {
    stem: Arc<Stem>,
    segment: u64,
}

impl Name {
    /// The name without components, `/`.
    pub fn root() -> Name {
        Name::from_encoded(&[], 0)
    }

    /// From valid component TLVs; the caller vouches for them and their number.
    pub(crate) fn from_encoded(components: &[u8], count: u16) -> Name {
        let (bytes, count, segment) = split_segment(components, count);
        Name { stem: Arc::new(Stem { hash: hash_bytes(bytes), count, bytes: bytes.into() }), segment }
    }

    /// From components, in order. A name of more than 65535 components cannot be encoded; the rest is left out.
    pub fn from_components<'a>(components: impl IntoIterator<Item = Component<'a>>) -> Name {
        let mut bytes = Vec::new();
        let mut count = 0u16;
        for c in components.into_iter().take(usize::from(u16::MAX)) {
            push_component(&mut bytes, c.typ, &c.value);
            count += 1;
        }
        Name::from_encoded(&bytes, count)
    }

    /// The name of segment `number` under this one. A name that already ends in a segment keeps it inside.
    pub fn with_segment(&self, number: u64) -> Name {
        if self.segment == NO_SEGMENT && number != NO_SEGMENT {
            return Name { stem: Arc::clone(&self.stem), segment: number };
        }
        Name::from_components(self.components().chain([Component::number(component_type::SEGMENT, number)]))
    }

    /// This name with one more component.
    pub fn child(&self, component: Component<'_>) -> Name {
        Name::from_components(self.components().chain([component]))
    }

    /// The number of the last component, if it is a segment.
    #[inline]
    pub fn segment(&self) -> Option<u64> {
        (self.segment != NO_SEGMENT).then_some(self.segment)
    }

    /// What all segments of this content share.
    #[inline]
    pub fn stem(&self) -> &Arc<Stem> {
        &self.stem
    }

    /// The name without its segment number.
    pub fn without_segment(&self) -> Name {
        Name { stem: Arc::clone(&self.stem), segment: NO_SEGMENT }
    }

    /// True if both have the same stem: the same object, or equal bytes.
    #[inline]
    pub fn same_stem(&self, other: &Name) -> bool {
        Arc::ptr_eq(&self.stem, &other.stem)
            || (self.stem.hash == other.stem.hash && self.stem.bytes == other.stem.bytes)
    }

    /// A 64-bit hash, equal on every machine and in every run.
    #[inline]
    pub fn hash64(&self) -> u64 {
        fold(self.stem.hash ^ self.segment, 0x9e37_79b9_7f4a_7c15)
    }

    /// Number of components.
    pub fn len(&self) -> usize {
        usize::from(self.stem.count) + usize::from(self.segment != NO_SEGMENT)
    }

    /// True for `/`.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The components in order.
    pub fn components(&self) -> impl Iterator<Item = Component<'_>> {
        let tail = self.segment().map(|n| Component::number(component_type::SEGMENT, n));
        Components { rest: &self.stem.bytes }.chain(tail)
    }

    /// The first `n` components (all of them if there are fewer).
    pub fn prefix(&self, n: usize) -> Name {
        if n >= self.len() {
            return self.clone();
        }
        let mut components = Components { rest: &self.stem.bytes };
        components.by_ref().take(n).for_each(drop);
        let used = self.stem.bytes.len() - components.rest.len();
        Name::from_encoded(&self.stem.bytes[..used], n as u16)
    }

    /// True if this name's components are the first components of `other` (or all of them).
    pub fn is_prefix_of(&self, other: &Name) -> bool {
        if self.segment == NO_SEGMENT {
            return match other.stem.bytes.strip_prefix(&*self.stem.bytes) {
                Some(_) => true,
                // The other's stem may be shorter only by its segment.
                None => self.len() == other.len() && self == other,
            };
        }
        self.len() <= other.len() && self.components().eq(other.components().take(self.len()))
    }

    /// Length in bytes of the Name's TLV-VALUE.
    #[inline]
    pub fn value_len(&self) -> usize {
        let tail = if self.segment == NO_SEGMENT { 0 } else { 2 + number_len(self.segment) };
        self.stem.bytes.len() + tail
    }

    /// Appends the components' TLVs to `out` (without the Name's own type and length).
    pub fn write_components(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.stem.bytes);
        if let Some(n) = self.segment() {
            push_component(out, component_type::SEGMENT, &shortest(n));
        }
    }
}

impl Default for Name {
    fn default() -> Self {
        Name::root()
    }
}

impl PartialEq for Name {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.segment == other.segment && self.same_stem(other)
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash64());
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.same_stem(other) && self.segment().is_some() == other.segment().is_some() {
            return self.segment.cmp(&other.segment);
        }
        self.components().cmp(other.components())
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Walks TLVs that are known to be well formed.
struct Components<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Components<'a> {
    type Item = Component<'a>;

    fn next(&mut self) -> Option<Component<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let (typ, rest) = read_var(self.rest);
        let (len, rest) = read_var(rest);
        let (value, rest) = rest.split_at(len as usize);
        self.rest = rest;
        Some(Component { typ: typ as u16, value: Cow::Borrowed(value) })
    }
}

/// Takes a segment number off the end of well-formed component TLVs.
fn split_segment(bytes: &[u8], count: u16) -> (&[u8], u16, u64) {
    let mut rest = bytes;
    let mut last = None;
    while !rest.is_empty() {
        let start = bytes.len() - rest.len();
        let mut one = Components { rest };
        let Some(component) = one.next() else { break };
        last = Some((start, component));
        rest = one.rest;
    }
    match last {
        Some((start, c)) if c.typ == component_type::SEGMENT => match c.as_number() {
            Some(n) if n != NO_SEGMENT => (&bytes[..start], count - 1, n),
            _ => (bytes, count, NO_SEGMENT),
        },
        _ => (bytes, count, NO_SEGMENT),
    }
}

fn push_component(out: &mut Vec<u8>, typ: u16, value: &[u8]) {
    push_var(out, u64::from(typ));
    push_var(out, value.len() as u64);
    out.extend_from_slice(value);
}

/// Appends a TLV type or length in its shortest form.
pub(crate) fn push_var(out: &mut Vec<u8>, number: u64) {
    match number {
        0..=252 => out.push(number as u8),
        253..=0xffff => {
            out.push(253);
            out.extend_from_slice(&(number as u16).to_be_bytes());
        }
        0x1_0000..=0xffff_ffff => {
            out.push(254);
            out.extend_from_slice(&(number as u32).to_be_bytes());
        }
        _ => {
            out.push(255);
            out.extend_from_slice(&number.to_be_bytes());
        }
    }
}

/// Bytes that [`push_var`] appends.
#[inline]
pub(crate) const fn var_len(number: u64) -> usize {
    match number {
        0..=252 => 1,
        253..=0xffff => 3,
        0x1_0000..=0xffff_ffff => 5,
        _ => 9,
    }
}

/// Bytes of a number's shortest form.
#[inline]
pub(crate) const fn number_len(number: u64) -> usize {
    match number {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    }
}

/// A number in its shortest form of 1, 2, 4 or 8 bytes (NonNegativeInteger).
pub(crate) fn shortest(number: u64) -> smallvec::SmallVec<[u8; 8]> {
    smallvec::SmallVec::from_slice(&number.to_be_bytes()[8 - number_len(number)..])
}

fn read_shortest(value: &[u8]) -> Option<u64> {
    let number = match value.len() {
        1 => u64::from(value[0]),
        2 => u64::from(u16::from_be_bytes(value.try_into().ok()?)),
        4 => u64::from(u32::from_be_bytes(value.try_into().ok()?)),
        8 => u64::from_be_bytes(value.try_into().ok()?),
        _ => return None,
    };
    (number_len(number) == value.len()).then_some(number)
}

/// Reads a TLV type or length from bytes known to be well formed.
fn read_var(bytes: &[u8]) -> (u64, &[u8]) {
    let wide = |n: usize| bytes[1..=n].iter().fold(0u64, |sum, b| sum << 8 | u64::from(*b));
    match bytes[0] {
        253 => (wide(2), &bytes[3..]),
        254 => (wide(4), &bytes[5..]),
        255 => (wide(8), &bytes[9..]),
        small => (u64::from(small), &bytes[1..]),
    }
}

/// Multiply and fold: every input bit reaches every output bit.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let wide = u128::from(a ^ 0x2545_f491_4f6c_dd1d) * u128::from(b);
    (wide as u64) ^ ((wide >> 64) as u64)
}

fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hash = fold(bytes.len() as u64, 0xff51_afd7_ed55_8ccd);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = fold(hash ^ u64::from_le_bytes(word), 0xc4ce_b9fe_1a85_ec53);
    }
    hash
}
