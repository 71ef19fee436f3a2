//! Names: a shared stem and, for segmented content, the number of the last component.
//!
//! All packets of one content share one [`Stem`] behind an `Arc`, so copying, hashing and comparing the name of a
//! segment costs a few instructions whatever the length of the name.

use crate::error::{DecodeError, DecodeErrorKind};
use crate::tlv::{
    Element, Reader, element_len, number_element_len, number_len, read_number, write_element, write_header,
    write_number,
};
use crate::types;
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
        Component { typ, value: Cow::Owned(number.to_be_bytes()[8 - number_len(number)..].to_vec()) }
    }

    /// The number inside, if the value is one in its shortest form.
    pub fn as_number(&self) -> Option<u64> {
        shortest_number(&self.value)
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
    /// True if the last component is itself a segment number that would be kept apart from the stem.
    ends_in_segment: bool,
    bytes: Box<[u8]>,
}

impl Stem {
    fn new(bytes: &[u8], count: u16, ends_in_segment: bool) -> Arc<Stem> {
        Arc::new(Stem { hash: hash_bytes(bytes), count, ends_in_segment, bytes: bytes.into() })
    }

    /// The TLVs of the components, one behind the other, without the Name's own type and length.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A hash of the bytes, equal on every machine.
    pub fn hash64(&self) -> u64 {
        self.hash
    }

    /// [`Name::hash64`] of the name that has this stem and this segment number.
    #[inline]
    pub fn hash_with(&self, segment: Option<u64>) -> u64 {
        fold(self.hash ^ segment.unwrap_or(NO_SEGMENT), 0x9e37_79b9_7f4a_7c15)
    }

    /// The name that has this stem and this segment number.
    pub fn name(self: &Arc<Stem>, segment: Option<u64>) -> Name {
        let stem = Name { stem: Arc::clone(self), segment: NO_SEGMENT };
        match segment {
            Some(number) => stem.with_segment(number),
            // Its last component is a segment, so this stem would be cut elsewhere.
            None if self.ends_in_segment => Name::from_components(stem.components()),
            None => stem,
        }
    }

    /// True if both are the same object, or have equal bytes.
    #[inline]
    pub fn is_same(self: &Arc<Stem>, other: &Arc<Stem>) -> bool {
        Arc::ptr_eq(self, other) || (self.hash == other.hash && self.bytes == other.bytes)
    }
}

const NO_SEGMENT: u64 = u64::MAX;

/// An NDN name. Cheap to clone; equal names have equal [`Name::hash64`].
///
/// When the last component is a segment number (type 50, shortest form) it is kept as a number and all segments of
/// one content share the stem. The split is canonical, so equality of parts is equality of names. (The number
/// 2^64 - 1 stays in the stem.)
pub struct Name {
    stem: Arc<Stem>,
    segment: u64,
}

impl Name {
    /// The name without components, `/`.
    pub fn root() -> Name {
        Name::assemble(&[], Tail::default())
    }

    /// From components that were walked over and found good.
    fn assemble(components: &[u8], tail: Tail) -> Name {
        let (stem, before) = components.split_at(tail.last);
        match segment_of(before) {
            Some(n) => {
                let ends_in_segment = segment_of(&stem[tail.before..]).is_some();
                Name { stem: Stem::new(stem, tail.count - 1, ends_in_segment), segment: n }
            }
            None => Name { stem: Stem::new(components, tail.count, false), segment: NO_SEGMENT },
        }
    }

    /// From a Name element.
    pub fn from_element(element: &Element<'_>) -> Result<Name, DecodeError> {
        if element.typ != types::NAME {
            return Err(element.error(DecodeErrorKind::Unexpected(element.typ)));
        }
        Name::from_value(element)
    }

    /// From an element whose value is components.
    pub(crate) fn from_value(element: &Element<'_>) -> Result<Name, DecodeError> {
        if element.value.len() > crate::MAX_PACKET {
            return Err(element.error(DecodeErrorKind::TooLong));
        }
        let mut reader = element.reader();
        let mut tail = Tail::default();
        while let Some(component) = reader.read()? {
            check_component(&component)?;
            tail.note(component.start - element.value_start);
        }
        Ok(Name::assemble(element.value, tail))
    }

    /// From the bytes of one Name element.
    pub fn decode(bytes: &[u8]) -> Result<Name, DecodeError> {
        let mut reader = Reader::new(bytes);
        let name = Name::from_element(&reader.expect(types::NAME)?)?;
        match reader.read()? {
            None => Ok(name),
            Some(more) => Err(more.error(DecodeErrorKind::TrailingBytes)),
        }
    }

    /// From components, in order. Components of a type outside 1 to 65535, and digests of a length other than 32,
    /// make a name that peers refuse. A name of more than 65535 components cannot be encoded; the rest is left out.
    pub fn from_components<'a>(components: impl IntoIterator<Item = Component<'a>>) -> Name {
        let mut bytes = Vec::new();
        let mut tail = Tail::default();
        for c in components.into_iter().take(usize::from(u16::MAX)) {
            tail.note(bytes.len());
            write_element(&mut bytes, u32::from(c.typ), &c.value);
        }
        Name::assemble(&bytes, tail)
    }

    /// The name of segment `number` under this one. A name that already ends in a segment keeps it inside.
    pub fn with_segment(&self, number: u64) -> Name {
        if self.segment == NO_SEGMENT && number != NO_SEGMENT {
            return Name { stem: Arc::clone(&self.stem), segment: number };
        }
        Name::from_components(self.components().chain([Component::number(component_type::SEGMENT, number)]))
    }

    /// The same as [`with_segment`](Name::with_segment) of `content`, in the place of a name that is not needed any more.
    /// If that is one of the content's segments, no references are counted.
    #[inline]
    pub fn become_segment(&mut self, content: &Name, number: u64) {
        if content.segment == NO_SEGMENT && number != NO_SEGMENT && Arc::ptr_eq(&self.stem, &content.stem) {
            self.segment = number;
        } else {
            *self = content.with_segment(number);
        }
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

    /// The name without its segment number (itself, if it has none).
    pub fn without_segment(&self) -> Name {
        self.prefix(usize::from(self.stem.count))
    }

    /// True if both have the same stem: the same object, or equal bytes.
    #[inline]
    pub fn same_stem(&self, other: &Name) -> bool {
        self.stem.is_same(&other.stem)
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
        let tail = self.segment().into_iter().map(|n| Component::number(component_type::SEGMENT, n));
        self.stem_components().chain(tail)
    }

    fn stem_components(&self) -> Components<'_> {
        Components(Reader::new(&self.stem.bytes))
    }

    /// The first `n` components (all of them if there are fewer).
    pub fn prefix(&self, n: usize) -> Name {
        if n >= self.len() {
            return self.clone();
        }
        if n == usize::from(self.stem.count) && !self.stem.ends_in_segment {
            return Name { stem: Arc::clone(&self.stem), segment: NO_SEGMENT };
        }
        let mut components = self.stem_components();
        let mut tail = Tail::default();
        for _ in 0..n {
            tail.note(components.0.position());
            components.next();
        }
        Name::assemble(&self.stem.bytes[..components.0.position()], tail)
    }

    /// True if this name's components are the first components of `other` (or all of them).
    pub fn is_prefix_of(&self, other: &Name) -> bool {
        if self.segment == NO_SEGMENT {
            // Elements say their own length, so a prefix of the bytes is a prefix of the components. (The other's
            // segment cannot matter: this stem does not end in one.)
            return other.stem.bytes.starts_with(&self.stem.bytes);
        }
        self.len() <= other.len() && self.components().eq(other.components().take(self.len()))
    }

    /// Length in bytes of the Name's TLV-VALUE.
    #[inline]
    pub fn value_len(&self) -> usize {
        let tail = match self.segment {
            NO_SEGMENT => 0,
            n => number_element_len(u32::from(component_type::SEGMENT), n),
        };
        self.stem.bytes.len() + tail
    }

    /// Length in bytes of the encoded Name: its type, its length and its components.
    #[inline]
    pub fn wire_len(&self) -> usize {
        element_len(types::NAME, self.value_len())
    }

    /// Appends the Name element to `out`.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        write_header(out, types::NAME, self.value_len());
        self.write_components(out);
    }

    /// Appends the components' TLVs to `out` (without the Name's own type and length).
    pub fn write_components(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.stem.bytes);
        if let Some(n) = self.segment() {
            write_number(out, u32::from(component_type::SEGMENT), n);
        }
    }
}

impl Clone for Name {
    #[inline]
    fn clone(&self) -> Name {
        Name { stem: Arc::clone(&self.stem), segment: self.segment }
    }

    /// Over a name with the same stem this counts no references, which costs more than all the rest.
    #[inline]
    fn clone_from(&mut self, source: &Name) {
        if !Arc::ptr_eq(&self.stem, &source.stem) {
            self.stem = Arc::clone(&source.stem);
        }
        self.segment = source.segment;
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

/// Walks components that were checked when the stem was made.
struct Components<'a>(Reader<'a>);

impl<'a> Iterator for Components<'a> {
    type Item = Component<'a>;

    fn next(&mut self) -> Option<Component<'a>> {
        let c = self.0.read().ok()??;
        Some(Component { typ: c.typ as u16, value: Cow::Borrowed(c.value) })
    }
}

/// Where the last two components begin, noted while walking over all of them.
#[derive(Clone, Copy, Default)]
struct Tail {
    count: u16,
    last: usize,
    before: usize,
}

impl Tail {
    fn note(&mut self, start: usize) {
        *self = Tail { count: self.count + 1, last: start, before: self.last };
    }
}

/// The number of a component that is kept apart from the stem: a segment in its shortest form.
fn segment_of(component: &[u8]) -> Option<u64> {
    match component {
        [typ, _, value @ ..] if u16::from(*typ) == component_type::SEGMENT => {
            shortest_number(value).filter(|n| *n != NO_SEGMENT)
        }
        _ => None,
    }
}

fn shortest_number(value: &[u8]) -> Option<u64> {
    read_number(value).filter(|n| number_len(*n) == value.len())
}

fn check_component(c: &Element<'_>) -> Result<(), DecodeError> {
    match u16::try_from(c.typ) {
        Err(_) => Err(c.error(DecodeErrorKind::BadType)),
        Ok(component_type::IMPLICIT_DIGEST | component_type::PARAMETERS_DIGEST) => c.array::<32>().map(drop),
        Ok(_) => Ok(()),
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
