//! What a signature says of itself: SignatureInfo of a Data and InterestSignatureInfo of an Interest.

use crate::error::{DecodeError, DecodeErrorKind};
use crate::name::Name;
use crate::tlv::{Element, element_len, number_element_len, write_element, write_header, write_number};
use crate::types::*;
use bytes::Bytes;
use std::fmt;

/// How a packet is signed (SignatureType).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SignatureType {
    /// SHA-256 of what is covered: shows damage, not authorship (0).
    #[default]
    DigestSha256,
    /// RSA with SHA-256 (1).
    Rsa,
    /// ECDSA with SHA-256, in DER (3).
    Ecdsa,
    /// HMAC with SHA-256 (4).
    Hmac,
    /// Ed25519 (5).
    Ed25519,
    /// Not signed at all (200).
    Null,
    /// A number without a name here.
    Other(u64),
}

impl SignatureType {
    /// The number on the wire.
    pub const fn code(self) -> u64 {
        match self {
            SignatureType::DigestSha256 => 0,
            SignatureType::Rsa => 1,
            SignatureType::Ecdsa => 3,
            SignatureType::Hmac => 4,
            SignatureType::Ed25519 => 5,
            SignatureType::Null => 200,
            SignatureType::Other(code) => code,
        }
    }

    /// The type with this number.
    pub const fn from_code(code: u64) -> SignatureType {
        match code {
            0 => SignatureType::DigestSha256,
            1 => SignatureType::Rsa,
            3 => SignatureType::Ecdsa,
            4 => SignatureType::Hmac,
            5 => SignatureType::Ed25519,
            200 => SignatureType::Null,
            other => SignatureType::Other(other),
        }
    }
}

impl fmt::Display for SignatureType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SignatureType::DigestSha256 => "SHA-256 digest",
            SignatureType::Rsa => "RSA",
            SignatureType::Ecdsa => "ECDSA",
            SignatureType::Hmac => "HMAC",
            SignatureType::Ed25519 => "Ed25519",
            SignatureType::Null => "no signature",
            SignatureType::Other(code) => return write!(f, "signature type {code}"),
        })
    }
}

/// Which key made a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyLocator {
    /// The name of the key or of a certificate of it.
    Name(Name),
    /// SHA-256 of the key.
    Digest(Bytes),
}

impl KeyLocator {
    fn value_len(&self) -> usize {
        match self {
            KeyLocator::Name(name) => name.wire_len(),
            KeyLocator::Digest(digest) => element_len(KEY_DIGEST, digest.len()),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        write_header(out, KEY_LOCATOR, self.value_len());
        match self {
            KeyLocator::Name(name) => name.encode_into(out),
            KeyLocator::Digest(digest) => write_element(out, KEY_DIGEST, digest),
        }
    }

    fn read(element: &Element<'_>) -> Result<Option<KeyLocator>, DecodeError> {
        let mut reader = element.reader();
        while let Some(e) = reader.read()? {
            match e.typ {
                NAME => return Name::from_element(&e).map(|name| Some(KeyLocator::Name(name))),
                KEY_DIGEST => return Ok(Some(KeyLocator::Digest(Bytes::copy_from_slice(e.value)))),
                _ => e.ignore()?,
            }
        }
        Ok(None)
    }
}

/// How a packet is signed, by which key, and what makes a signed Interest different from every other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignatureInfo {
    /// How.
    pub typ: SignatureType,
    /// Which key, if it says so.
    pub key_locator: Option<KeyLocator>,
    /// SignatureNonce: random bytes (Interests only).
    pub nonce: Option<Bytes>,
    /// SignatureTime in milliseconds since the Unix epoch (Interests only).
    pub time_ms: Option<u64>,
    /// SignatureSeqNum: one more than the last (Interests only).
    pub seq_num: Option<u64>,
}

impl SignatureInfo {
    /// A signature of this type, without a key's name.
    pub fn new(typ: SignatureType) -> SignatureInfo {
        SignatureInfo { typ, ..SignatureInfo::default() }
    }

    /// Length of the element's TLV-VALUE.
    fn value_len(&self) -> usize {
        number_element_len(SIGNATURE_TYPE, self.typ.code())
            + self.key_locator.as_ref().map_or(0, |k| element_len(KEY_LOCATOR, k.value_len()))
            + self.nonce.as_ref().map_or(0, |n| element_len(SIGNATURE_NONCE, n.len()))
            + self.time_ms.map_or(0, |ms| number_element_len(SIGNATURE_TIME, ms))
            + self.seq_num.map_or(0, |n| number_element_len(SIGNATURE_SEQ_NUM, n))
    }

    /// Appends the element with this type: [`SIGNATURE_INFO`] or [`INTEREST_SIGNATURE_INFO`].
    pub(crate) fn write(&self, out: &mut Vec<u8>, element: u32) {
        write_header(out, element, self.value_len());
        write_number(out, SIGNATURE_TYPE, self.typ.code());
        if let Some(key) = &self.key_locator {
            key.write(out);
        }
        if let Some(nonce) = &self.nonce {
            write_element(out, SIGNATURE_NONCE, nonce);
        }
        if let Some(ms) = self.time_ms {
            write_number(out, SIGNATURE_TIME, ms);
        }
        if let Some(n) = self.seq_num {
            write_number(out, SIGNATURE_SEQ_NUM, n);
        }
    }

    /// From a SignatureInfo or InterestSignatureInfo element. A certificate's ValidityPeriod is passed over.
    pub(crate) fn read(element: &Element<'_>) -> Result<SignatureInfo, DecodeError> {
        let mut reader = element.reader();
        let mut info = SignatureInfo::new(SignatureType::from_code(reader.expect(SIGNATURE_TYPE)?.number()?));
        while let Some(e) = reader.read()? {
            match e.typ {
                KEY_LOCATOR => info.key_locator = KeyLocator::read(&e)?,
                SIGNATURE_NONCE if e.value.is_empty() => return Err(e.error(DecodeErrorKind::BadLength(e.typ))),
                SIGNATURE_NONCE => info.nonce = Some(Bytes::copy_from_slice(e.value)),
                SIGNATURE_TIME => info.time_ms = Some(e.number()?),
                SIGNATURE_SEQ_NUM => info.seq_num = Some(e.number()?),
                VALIDITY_PERIOD => {}
                _ => e.ignore()?,
            }
        }
        Ok(info)
    }
}

/// The signature of a packet, with all that is needed to verify it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// How it was made.
    pub info: SignatureInfo,
    /// SignatureValue.
    pub value: Bytes,
    /// The bytes that it covers.
    pub signed: Bytes,
}

impl Signature {
    /// True if it is a DigestSha256 and right.
    pub fn verify_digest(&self) -> bool {
        self.info.typ == SignatureType::DigestSha256 && crate::sign::sha256(&self.signed)[..] == *self.value
    }
}
