//! Type-length-value elements: the reader that every decoder here uses, and the writers.

use crate::error::{DecodeError, DecodeErrorKind};

/// True if a receiver that does not know the type must refuse the packet.
pub const fn is_critical(typ: u32) -> bool {
    typ <= 31 || typ & 1 == 1
}

/// Walks the elements of a slice, one level deep. It never reads outside the slice and never allocates.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    /// Position of `rest` in the frame.
    at: usize,
}

/// One element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element<'a> {
    /// TLV-TYPE, 1 to 2^32 - 1.
    pub typ: u32,
    /// Position of the type in the frame.
    pub start: usize,
    /// Position of the value in the frame.
    pub value_start: usize,
    /// TLV-VALUE.
    pub value: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A reader from the beginning of `bytes`; positions count from there.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes, at: 0 }
    }

    /// Position of the next element.
    pub fn position(&self) -> usize {
        self.at
    }

    /// An error of this kind at the position of the next element.
    pub fn error(&self, kind: DecodeErrorKind) -> DecodeError {
        DecodeError { kind, at: self.at }
    }

    /// The next element; `None` at the end.
    #[inline]
    pub fn read(&mut self) -> Result<Option<Element<'a>>, DecodeError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let start = self.at;
        let fail = |kind| DecodeError { kind, at: start };
        let (typ, used) = read_var(self.rest).map_err(fail)?;
        let typ = u32::try_from(typ).ok().filter(|t| *t != 0).ok_or(fail(DecodeErrorKind::BadType))?;
        let rest = &self.rest[used..];
        let (len, more) = read_var(rest).map_err(fail)?;
        let rest = &rest[more..];
        let len = usize::try_from(len).ok().filter(|l| *l <= rest.len()).ok_or(fail(DecodeErrorKind::Overrun))?;
        let (value, rest) = rest.split_at(len);
        let value_start = start + used + more;
        *self = Reader { rest, at: value_start + len };
        Ok(Some(Element { typ, start, value_start, value }))
    }

    /// The next element, which must have this type.
    pub fn expect(&mut self, typ: u32) -> Result<Element<'a>, DecodeError> {
        let at = self.at;
        let element = self.read()?.filter(|e| e.typ == typ);
        element.ok_or(DecodeError { kind: DecodeErrorKind::Missing(typ), at })
    }
}

impl<'a> Element<'a> {
    /// Position of the first byte behind the element.
    #[inline]
    pub fn end(&self) -> usize {
        self.value_start + self.value.len()
    }

    /// A reader of the elements inside.
    #[inline]
    pub fn reader(&self) -> Reader<'a> {
        Reader { rest: self.value, at: self.value_start }
    }

    /// An error of this kind at this element.
    pub fn error(&self, kind: DecodeErrorKind) -> DecodeError {
        DecodeError { kind, at: self.start }
    }

    /// The value as a number of 1, 2, 4 or 8 bytes (NonNegativeInteger). Unlike types and lengths it need not be in
    /// its shortest form: peers accept longer ones, and inside a Data they are signed as they stand.
    pub fn number(&self) -> Result<u64, DecodeError> {
        read_number(self.value).ok_or(self.error(DecodeErrorKind::BadLength(self.typ)))
    }

    /// The value as exactly `N` bytes.
    pub fn array<const N: usize>(&self) -> Result<[u8; N], DecodeError> {
        self.value.try_into().map_err(|_| self.error(DecodeErrorKind::BadLength(self.typ)))
    }

    /// Checks that there is no value.
    pub fn empty(&self) -> Result<(), DecodeError> {
        self.array::<0>().map(drop)
    }

    /// What to do about an element that is not known here: nothing, or an error if its type is critical.
    pub fn ignore(&self) -> Result<(), DecodeError> {
        if is_critical(self.typ) { Err(self.error(DecodeErrorKind::Critical(self.typ))) } else { Ok(()) }
    }
}

/// Length in bytes of the first element of a stream; `None` if more bytes are needed to know it. An error means that
/// the stream cannot go on: it does not speak NDN, or sends what is longer than a packet may be.
pub fn frame_len(stream: &[u8]) -> Result<Option<usize>, DecodeError> {
    let mut at = 0;
    let mut number = 0;
    for _ in 0..2 {
        number = match read_var(&stream[at..]) {
            Ok((n, used)) => {
                at += used;
                n
            }
            Err(DecodeErrorKind::Overrun) => return Ok(None),
            Err(kind) => return Err(DecodeError { kind, at }),
        };
    }
    let len = number.saturating_add(at as u64);
    match usize::try_from(len) {
        Ok(len) if len <= crate::MAX_PACKET => Ok(Some(len)),
        _ => Err(DecodeError { kind: DecodeErrorKind::TooLong, at: 0 }),
    }
}

/// Reads a type or length; also says how many bytes it takes.
#[inline]
fn read_var(bytes: &[u8]) -> Result<(u64, usize), DecodeErrorKind> {
    match bytes.first() {
        None => Err(DecodeErrorKind::Overrun),
        Some(small @ 0..=252) => Ok((u64::from(*small), 1)),
        Some(mark) => read_long_var(bytes, 1 << (mark - 252)),
    }
}

fn read_long_var(bytes: &[u8], width: usize) -> Result<(u64, usize), DecodeErrorKind> {
    let digits = bytes.get(1..=width).ok_or(DecodeErrorKind::Overrun)?;
    let number = digits.iter().fold(0u64, |sum, b| sum << 8 | u64::from(*b));
    if var_len(number) == width + 1 { Ok((number, width + 1)) } else { Err(DecodeErrorKind::NotShortest) }
}

/// The number in 1, 2, 4 or 8 bytes.
pub(crate) fn read_number(value: &[u8]) -> Option<u64> {
    matches!(value.len(), 1 | 2 | 4 | 8).then(|| value.iter().fold(0, |sum, b| sum << 8 | u64::from(*b)))
}

/// Bytes that a type or length takes.
#[inline]
pub(crate) const fn var_len(number: u64) -> usize {
    // Sums instead of a match: no branch to miss on the simulator's hot path.
    1 + 2 * (number > 252) as usize + 2 * (number > 0xffff) as usize + 4 * (number > 0xffff_ffff) as usize
}

/// Bytes of a number's shortest form.
#[inline]
pub(crate) const fn number_len(number: u64) -> usize {
    1 + (number > 0xff) as usize + 2 * (number > 0xffff) as usize + 4 * (number > 0xffff_ffff) as usize
}

/// Length of a whole element: type, length and value.
#[inline]
pub const fn element_len(typ: u32, value: usize) -> usize {
    var_len(typ as u64) + var_len(value as u64) + value
}

/// Length of an element whose value is a number in its shortest form.
#[inline]
pub const fn number_element_len(typ: u32, number: u64) -> usize {
    // The value has 8 bytes at most, so its length takes one.
    var_len(typ as u64) + 1 + number_len(number)
}

/// Appends a type or length in its shortest form.
fn write_var(out: &mut Vec<u8>, number: u64) {
    let bytes = number.to_be_bytes();
    match number {
        0..=252 => return out.push(number as u8),
        253..=0xffff => out.push(253),
        0x1_0000..=0xffff_ffff => out.push(254),
        _ => out.push(255),
    }
    out.extend_from_slice(&bytes[9 - var_len(number)..]);
}

/// Appends the type and length of an element; the value is to follow.
pub fn write_header(out: &mut Vec<u8>, typ: u32, value: usize) {
    write_var(out, u64::from(typ));
    write_var(out, value as u64);
}

/// Appends an element.
pub fn write_element(out: &mut Vec<u8>, typ: u32, value: &[u8]) {
    write_header(out, typ, value.len());
    out.extend_from_slice(value);
}

/// Appends an element whose value is a number, in its shortest form.
pub fn write_number(out: &mut Vec<u8>, typ: u32, number: u64) {
    write_element(out, typ, &number.to_be_bytes()[8 - number_len(number)..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(bytes: &[u8]) -> Result<Option<Element<'_>>, DecodeErrorKind> {
        Reader::new(bytes).read().map_err(|e| e.kind)
    }

    #[test]
    fn numbers_of_every_width_come_back() {
        for n in [0u64, 1, 252, 253, 254, 255, 256, 65535, 65536, u32::MAX.into(), 1 << 32, u64::MAX] {
            let mut out = Vec::new();
            write_var(&mut out, n);
            assert_eq!((read_var(&out), out.len()), (Ok((n, out.len())), var_len(n)));
            out.clear();
            write_number(&mut out, 50, n);
            assert_eq!(out.len(), number_element_len(50, n));
            assert_eq!(first(&out).unwrap().unwrap().number(), Ok(n));
        }
    }

    #[test]
    fn refuses_what_is_not_shortest() {
        assert_eq!(first(&[253, 0, 8, 0]), Err(DecodeErrorKind::NotShortest));
        assert_eq!(first(&[8, 253, 0, 0]), Err(DecodeErrorKind::NotShortest));
        assert_eq!(first(&[8, 254, 0, 0, 255, 255]), Err(DecodeErrorKind::NotShortest));
        assert_eq!(first(&[8, 255, 0, 0, 0, 0, 255, 255, 255, 255]), Err(DecodeErrorKind::NotShortest));
    }

    #[test]
    fn refuses_overruns_and_types_out_of_range() {
        assert_eq!(first(&[8]), Err(DecodeErrorKind::Overrun));
        assert_eq!(first(&[8, 1]), Err(DecodeErrorKind::Overrun));
        assert_eq!(first(&[253, 1]), Err(DecodeErrorKind::Overrun));
        assert_eq!(first(&[8, 255, 255, 255, 255, 255, 255, 255, 255, 255]), Err(DecodeErrorKind::Overrun));
        assert_eq!(first(&[0, 0]), Err(DecodeErrorKind::BadType));
        assert_eq!(first(&[255, 0, 0, 0, 1, 0, 0, 0, 0, 0]), Err(DecodeErrorKind::BadType));
        assert_eq!(first(&[]), Ok(None));
    }

    #[test]
    fn errors_name_the_place() {
        let mut reader = Reader::new(&[7, 2, 8, 0, 7, 3, 8, 5, 1]);
        assert_eq!(reader.read().unwrap().unwrap().start, 0);
        let inner = reader.read().unwrap().unwrap().reader().read();
        assert_eq!(inner, Err(DecodeError { kind: DecodeErrorKind::Overrun, at: 6 }));
    }

    #[test]
    fn frames_of_a_stream() {
        assert_eq!(frame_len(&[]), Ok(None));
        assert_eq!(frame_len(&[5]), Ok(None));
        assert_eq!(frame_len(&[5, 253, 1]), Ok(None));
        assert_eq!(frame_len(&[5, 253, 1, 0]), Ok(Some(260)));
        assert_eq!(frame_len(&[5, 253, 0x22, 0x5c]), Ok(Some(8800)));
        assert!(frame_len(&[5, 253, 0x22, 0x5d]).is_err());
        assert!(frame_len(&[5, 255, 255, 255, 255, 255, 255, 255, 255, 255]).is_err());
        assert!(frame_len(&[253, 0, 5]).is_err());
    }

    #[test]
    fn numbers_have_four_widths() {
        let number = |bytes: &[u8]| first(bytes).unwrap().unwrap().number().ok();
        assert_eq!(number(&[12, 2, 0, 5]), Some(5), "longer than needed, but of a width that exists");
        assert_eq!(number(&[12, 0]), None);
        assert_eq!(number(&[12, 3, 0, 0, 5]), None);
        assert_eq!(number(&[12, 9, 0, 0, 0, 0, 0, 0, 0, 0, 5]), None);
    }
}
