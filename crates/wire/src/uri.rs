//! Names in URI form (`/a/b/seg=3`), after NDN's URI scheme and the naming conventions, revision 3.

use crate::name::{Component, Name, component_type as ct};
use std::fmt;
use std::str::FromStr;

/// Component types whose value is written as a decimal number.
const NUMBERS: [(u16, &str); 5] =
    [(ct::SEGMENT, "seg"), (ct::BYTE_OFFSET, "off"), (ct::VERSION, "v"), (ct::TIMESTAMP, "t"), (ct::SEQUENCE, "seq")];

/// Component types whose value is 32 bytes, written in hexadecimal.
const DIGESTS: [(u16, &str); 2] = [(ct::IMPLICIT_DIGEST, "sha256digest"), (ct::PARAMETERS_DIGEST, "params-sha256")];

const DIGEST_LEN: usize = 32;

/// Why a text is not a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseNameError {
    /// What is wrong.
    pub kind: ParseNameErrorKind,
    /// Where, as a byte position in the text.
    pub at: usize,
}

/// What can be wrong with the text of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseNameErrorKind {
    /// The text (after `ndn:`, if it stands there) does not begin with `/`.
    NoLeadingSlash,
    /// An empty component, or one of fewer than three periods only (an empty value is written `...`).
    TooFewPeriods,
    /// `%` without two hexadecimal digits behind it.
    BadEscape,
    /// The part before `=` is neither a number from 1 to 65535 nor a known word.
    UnknownType,
    /// A decimal number was expected that fits 64 bits.
    BadNumber,
    /// A digest of 32 bytes was expected (64 hexadecimal digits, or 32 bytes behind `1=` and `2=`).
    BadDigest,
    /// The name is longer than a packet can be.
    TooLong,
}

impl fmt::Display for ParseNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ParseNameErrorKind::*;
        let what = match self.kind {
            NoLeadingSlash => "a name begins with '/'",
            TooFewPeriods => "a component is empty or only one or two periods (write '...' for an empty one)",
            BadEscape => "'%' needs two hexadecimal digits behind it",
            UnknownType => {
                "unknown component type before '=' (a number from 1 to 65535 or a known word; write %3D for '=')"
            }
            BadNumber => "a decimal number is expected",
            BadDigest => "a digest of 32 bytes is expected",
            TooLong => "the name is longer than a packet can be",
        };
        write!(f, "at byte {}: {what}", self.at)
    }
}

impl std::error::Error for ParseNameError {}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("/");
        }
        self.components().try_for_each(|c| write!(f, "/{c}"))
    }
}

impl fmt::Display for Component<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((_, word)) = DIGESTS.iter().find(|(t, _)| *t == self.typ && self.value.len() == DIGEST_LEN) {
            write!(f, "{word}=")?;
            return self.value.iter().try_for_each(|b| write!(f, "{b:02x}"));
        }
        if let (Some((_, word)), Some(n)) = (NUMBERS.iter().find(|(t, _)| *t == self.typ), self.as_number()) {
            return write!(f, "{word}={n}");
        }
        if self.typ != ct::GENERIC {
            write!(f, "{}=", self.typ)?;
        }
        write_escaped(f, &self.value)
    }
}

fn write_escaped(f: &mut fmt::Formatter<'_>, value: &[u8]) -> fmt::Result {
    if value.iter().all(|b| *b == b'.') {
        f.write_str("...")?;
    }
    value.iter().try_for_each(|b| match b {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => fmt::Write::write_char(f, *b as char),
        other => write!(f, "%{other:02X}"),
    })
}

/// Accepts `/a/b` and `ndn:/a/b`, with or without a `/` at the end. Characters that the canonical form escapes are
/// also taken as they stand, except `%` and `=`.
impl FromStr for Name {
    type Err = ParseNameError;

    fn from_str(text: &str) -> Result<Name, ParseNameError> {
        let start = if text.starts_with("ndn:") { 4 } else { 0 };
        let path = text[start..].strip_prefix('/').ok_or(Failure { kind: ParseNameErrorKind::NoLeadingSlash, at: 0 });
        let path = path.map_err(|e| e.behind(start))?;
        let mut components = Vec::new();
        let (mut at, mut wire_len) = (start + 1, 0);
        for part in path.strip_suffix('/').unwrap_or(path).split('/') {
            if part.is_empty() && path.is_empty() {
                break;
            }
            let component = parse_component(part).map_err(|e| e.behind(at))?;
            wire_len += crate::tlv::element_len(u32::from(component.typ), component.value.len());
            if wire_len > crate::MAX_PACKET {
                return Err(ParseNameError { kind: ParseNameErrorKind::TooLong, at });
            }
            components.push(component);
            at += part.len() + 1;
        }
        Ok(Name::from_components(components))
    }
}

/// An error at a place that is counted from the beginning of a part.
type Failure = ParseNameError;

impl Failure {
    fn behind(self, start: usize) -> ParseNameError {
        ParseNameError { kind: self.kind, at: self.at + start }
    }
}

fn fail<T>(kind: ParseNameErrorKind, at: usize) -> Result<T, Failure> {
    Err(Failure { kind, at })
}

fn parse_component(part: &str) -> Result<Component<'static>, Failure> {
    let Some((word, value)) = part.split_once('=') else {
        return Ok(Component::generic(unescape(part)?));
    };
    let at = word.len() + 1;
    if let Some((typ, _)) = NUMBERS.iter().find(|(_, w)| *w == word) {
        return parse_number(value).map(|n| Component::number(*typ, n)).map_err(|e| e.behind(at));
    }
    if let Some((typ, _)) = DIGESTS.iter().find(|(_, w)| *w == word) {
        let digest = parse_hex(value.as_bytes()).map_err(|e| e.behind(at))?;
        return Ok(Component { typ: *typ, value: digest.into() });
    }
    let Some(typ) = parse_type(word) else { return fail(ParseNameErrorKind::UnknownType, 0) };
    let value = unescape(value).map_err(|e| e.behind(at))?;
    if matches!(typ, ct::IMPLICIT_DIGEST | ct::PARAMETERS_DIGEST) && value.len() != DIGEST_LEN {
        return fail(ParseNameErrorKind::BadDigest, at);
    }
    Ok(Component { typ, value: value.into() })
}

/// A type from 1 to 65535, in decimal digits without leading zeros.
fn parse_type(word: &str) -> Option<u16> {
    let plain = word.bytes().all(|b| b.is_ascii_digit()) && !word.starts_with('0');
    if plain { word.parse().ok() } else { None }
}

fn parse_number(value: &str) -> Result<u64, Failure> {
    let number = if value.bytes().all(|b| b.is_ascii_digit()) { value.parse().ok() } else { None };
    number.map_or_else(|| fail(ParseNameErrorKind::BadNumber, 0), Ok)
}

fn parse_hex(value: &[u8]) -> Result<Vec<u8>, Failure> {
    if value.len() != 2 * DIGEST_LEN {
        return fail(ParseNameErrorKind::BadDigest, 0);
    }
    let bytes: Option<Vec<u8>> = value.chunks_exact(2).map(|pair| hex_byte(pair[0], pair[1])).collect();
    bytes.map_or_else(|| fail(ParseNameErrorKind::BadDigest, 0), Ok)
}

fn hex_byte(high: u8, low: u8) -> Option<u8> {
    let digit = |b: u8| char::from(b).to_digit(16);
    Some((digit(high)? << 4 | digit(low)?) as u8)
}

fn unescape(text: &str) -> Result<Vec<u8>, Failure> {
    let bytes = text.as_bytes();
    let mut value = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] == b'%' {
            let escaped = bytes.get(i + 1).zip(bytes.get(i + 2)).and_then(|(h, l)| hex_byte(*h, *l));
            value.push(escaped.map_or_else(|| fail(ParseNameErrorKind::BadEscape, i), Ok)?);
            i += 3;
        } else {
            value.push(bytes[i]);
            i += 1;
        }
    }
    strip_periods(value)
}

/// A value of periods only stands for one with three fewer, so that `.` and `..` keep their meaning in URIs.
fn strip_periods(mut value: Vec<u8>) -> Result<Vec<u8>, Failure> {
    if value.iter().all(|b| *b == b'.') {
        if value.len() < 3 {
            return fail(ParseNameErrorKind::TooFewPeriods, 0);
        }
        value.truncate(value.len() - 3);
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text reads as these components and is written as `canonical`.
    fn same(text: &str, components: &[(u16, &[u8])], canonical: &str) {
        let name: Name = text.parse().unwrap();
        let expected: Vec<_> = components.iter().map(|(typ, v)| Component { typ: *typ, value: (*v).into() }).collect();
        assert_eq!(name.components().collect::<Vec<_>>(), expected, "{text}");
        assert_eq!(name.to_string(), canonical);
    }

    #[test]
    fn canonical_form() {
        same("/", &[], "/");
        same("ndn:/", &[], "/");
        same("/a/", &[(8, b"a")], "/a");
        same("ndn:/a/b", &[(8, b"a"), (8, b"b")], "/a/b");
        same("/8=a", &[(8, b"a")], "/a");
        same("/a%3db%2f%ff", &[(8, b"a=b/\xff")], "/a%3Db%2F%FF");
        same("/a b", &[(8, b"a b")], "/a%20b");
        same("/-._~", &[(8, b"-._~")], "/-._~");
        same("/32=metadata/v=5/seg=0", &[(32, b"metadata"), (54, &[5]), (50, &[0])], "/32=metadata/v=5/seg=0");
        same("/off=256/t=1/seq=2", &[(52, &[1, 0]), (56, &[1]), (58, &[2])], "/off=256/t=1/seq=2");
        same("/54=%05", &[(54, &[5])], "/v=5");
        same("/54=%00%05", &[(54, &[0, 5])], "/54=%00%05");
    }

    #[test]
    fn periods() {
        same("/...", &[(8, b"")], "/...");
        same("/....", &[(8, b".")], "/....");
        same("/......", &[(8, b"...")], "/......");
        same("/32=...", &[(32, b"")], "/32=...");
        same("/%2E%2e.", &[(8, b"")], "/...");
        same("/.a", &[(8, b".a")], "/.a");
    }

    #[test]
    fn digests() {
        let hex = "0123456789abcdef".repeat(4);
        let name: Name = format!("/a/sha256digest={}", hex.to_uppercase()).parse().unwrap();
        assert_eq!(name.to_string(), format!("/a/sha256digest={hex}"));
        let name: Name = format!("/params-sha256={hex}").parse().unwrap();
        assert_eq!(name.components().next().unwrap().typ, ct::PARAMETERS_DIGEST);
    }

    #[test]
    fn errors_name_the_place() {
        use ParseNameErrorKind::*;
        let hex = "ab".repeat(31);
        let long = format!("/a/{}", "x".repeat(9000));
        let (short_digest, no_hex) = (format!("/a/sha256digest={hex}"), format!("/a/sha256digest={hex}g0"));
        let cases = [
            ("", NoLeadingSlash, 0),
            ("a/b", NoLeadingSlash, 0),
            ("ndn:a", NoLeadingSlash, 4),
            ("//", TooFewPeriods, 1),
            ("/a//b", TooFewPeriods, 3),
            ("/a/..", TooFewPeriods, 3),
            ("/a/32=", TooFewPeriods, 6),
            ("/a/b%", BadEscape, 4),
            ("/a/b%f", BadEscape, 4),
            ("/a/b%+1", BadEscape, 4),
            ("/a/b%\u{e9}", BadEscape, 4),
            ("/a/9=%zz", BadEscape, 5),
            ("/a/99999999=x", UnknownType, 3),
            ("/a/0=x", UnknownType, 3),
            ("/a/65536=x", UnknownType, 3),
            ("/a/08=x", UnknownType, 3),
            ("/a/+8=x", UnknownType, 3),
            ("/a/=x", UnknownType, 3),
            ("/a/foo=x", UnknownType, 3),
            ("/a/seg=", BadNumber, 7),
            ("/a/seg=-1", BadNumber, 7),
            ("/a/seg=18446744073709551616", BadNumber, 7),
            (&short_digest, BadDigest, 16),
            (&no_hex, BadDigest, 16),
            ("/a/1=x", BadDigest, 5),
            (&long, TooLong, 3),
        ];
        for (text, kind, at) in cases {
            assert_eq!(text.parse::<Name>(), Err(ParseNameError { kind, at }), "{text}");
        }
        assert_eq!(
            "/a/b%".parse::<Name>().unwrap_err().to_string(),
            "at byte 4: '%' needs two hexadecimal digits behind it"
        );
    }
}
