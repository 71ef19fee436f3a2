//! Why bytes are not a packet.

use std::fmt;

/// Why bytes are not a packet, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// What is wrong.
    pub kind: DecodeErrorKind,
    /// Byte position in the frame (or in whatever was given to the decoder) of the element that is wrong.
    pub at: usize,
}

/// What can be wrong with an encoded packet. The numbers are TLV types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// An element, or its type or length, goes on behind the end of what holds it.
    Overrun,
    /// A type or length is not written in its shortest form.
    NotShortest,
    /// A type is 0 or does not fit 32 bits, or that of a name component does not fit 16 bits.
    BadType,
    /// The frame, the packet or the name is longer than [`MAX_PACKET`](crate::MAX_PACKET).
    TooLong,
    /// Bytes follow behind the packet.
    TrailingBytes,
    /// An element of this type cannot stand here.
    Unexpected(u32),
    /// An unknown element of a critical type (or, in a link header, outside the ignorable range).
    Critical(u32),
    /// A critical element (in a link header: any) stands behind one that it must precede, or stands there twice.
    OutOfOrder(u32),
    /// A required element is missing.
    Missing(u32),
    /// The value of this element has a length that its type does not allow.
    BadLength(u32),
    /// The name of an Interest has no components.
    EmptyName,
    /// An Interest with parameters has no digest of them in its name, or the other way round, or more than one.
    ParametersDigestCount,
    /// The digest in an Interest's name is not that of its parameters.
    ParametersDigestWrong,
    /// The fragment's index is not below the number of fragments, or there are more than a packet has bytes.
    BadFragment,
    /// The link packet carries only a part of a packet: it must be reassembled first.
    Fragmented,
    /// The link packet carries no packet (an idle frame, or only acknowledgements).
    NoFragment,
    /// A link packet inside a link packet.
    NestedLink,
}

impl DecodeError {
    /// The same error, for bytes that begin `start` bytes further on.
    pub(crate) fn behind(self, start: usize) -> DecodeError {
        DecodeError { kind: self.kind, at: self.at + start }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.at, self.kind)
    }
}

impl fmt::Display for DecodeErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use DecodeErrorKind::*;
        match self {
            Overrun => f.write_str("an element goes on behind the end"),
            NotShortest => f.write_str("a type or length is not in its shortest form"),
            BadType => f.write_str("an element's type is out of range"),
            TooLong => write!(f, "more than {} bytes", crate::MAX_PACKET),
            TrailingBytes => f.write_str("bytes behind the packet"),
            Unexpected(typ) => write!(f, "unexpected element of type {typ}"),
            Critical(typ) => write!(f, "unknown critical element of type {typ}"),
            OutOfOrder(typ) => write!(f, "element of type {typ} out of order or repeated"),
            Missing(typ) => write!(f, "no element of type {typ}"),
            BadLength(typ) => write!(f, "bad length of an element of type {typ}"),
            EmptyName => f.write_str("an Interest's name has no components"),
            ParametersDigestCount => {
                f.write_str("an Interest needs one parameters digest if it has parameters, else none")
            }
            ParametersDigestWrong => f.write_str("the parameters digest is wrong"),
            BadFragment => f.write_str("bad fragment index or count"),
            Fragmented => f.write_str("only a fragment of a packet"),
            NoFragment => f.write_str("a link packet without a packet"),
            NestedLink => f.write_str("a link packet inside a link packet"),
        }
    }
}

impl std::error::Error for DecodeError {}
