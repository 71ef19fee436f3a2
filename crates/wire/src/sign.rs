//! Signatures of packets: making them, finding them, and the one kind that needs no key, DigestSha256 (which shows
//! damage, not authorship). Also the digest of an Interest's parameters and the implicit digest of a Data.

use crate::encode::MetaInfo;
use crate::error::{DecodeError, DecodeErrorKind};
use crate::name::{Component, Name, component_type};
use crate::packet::{Content, Data, EncodedData, Interest, InterestExtras};
use crate::signature::{Signature, SignatureInfo, SignatureType};
use crate::tlv::{Element, Reader, element_len, write_element, write_header};
use crate::types::*;
use bytes::Bytes;
use sha2::{Digest, Sha256};
use std::convert::Infallible;
use std::sync::Arc;

/// Appends SignatureInfo and SignatureValue to a Data whose Name begins at `signed`.
pub(crate) fn write_data_signature(out: &mut Vec<u8>, signed: usize) {
    SignatureInfo::default().write(out, SIGNATURE_INFO);
    let digest = sha256(&out[signed..]);
    write_element(out, SIGNATURE_VALUE, &digest);
}

/// Room in front of a Data's value for its own type and length.
const HEADER_ROOM: usize = 6;

impl Data {
    /// A Data with these bytes as its content, signed by DigestSha256.
    ///
    /// It may become longer than [`MAX_PACKET`](crate::MAX_PACKET), which peers refuse: ask [`Data::wire_len`].
    pub fn build(name: Name, payload: &[u8], meta: &MetaInfo) -> Data {
        let digest = |signed: &[u8]| Ok::<_, Infallible>(sha256(signed));
        let Ok(data) = Data::build_signed(name, payload, meta, &SignatureInfo::default(), digest);
        data
    }

    /// A Data with these bytes as its content. `sign` gets the bytes that the signature is to cover, and answers with
    /// the signature; `info` says how and by whom it is made.
    ///
    /// It may become longer than [`MAX_PACKET`](crate::MAX_PACKET), which peers refuse: ask [`Data::wire_len`].
    pub fn build_signed<V: AsRef<[u8]>, E>(
        name: Name,
        payload: &[u8],
        meta: &MetaInfo,
        info: &SignatureInfo,
        sign: impl FnOnce(&[u8]) -> Result<V, E>,
    ) -> Result<Data, E> {
        let mut wire = Vec::with_capacity(HEADER_ROOM + name.wire_len() + payload.len() + 192);
        wire.resize(HEADER_ROOM, 0);
        name.encode_into(&mut wire);
        meta.write(&mut wire);
        write_element(&mut wire, CONTENT, payload);
        let payload_end = wire.len();
        info.write(&mut wire, SIGNATURE_INFO);
        let value = sign(&wire[HEADER_ROOM..])?;
        write_element(&mut wire, SIGNATURE_VALUE, value.as_ref());
        // Its own length comes last: that of a signature is not known before.
        let mut header = Vec::with_capacity(HEADER_ROOM);
        write_header(&mut header, DATA, wire.len() - HEADER_ROOM);
        let start = HEADER_ROOM - header.len();
        wire[start..HEADER_ROOM].copy_from_slice(&header);
        let wire = Bytes::from(wire);
        let content = EncodedData {
            payload: wire.slice(payload_end - payload.len()..payload_end),
            wire: wire.slice(start..),
            freshness_ms: meta.freshness_ms,
            content_type: meta.content_type,
            final_block: meta.final_component(),
        };
        Ok(Data { name, content: Content::Encoded(Arc::new(content)) })
    }

    /// SignatureType as a number: 0 SHA-256 digest, 1 RSA, 3 ECDSA, 4 HMAC, 5 Ed25519, 200 none.
    pub fn signature_type(&self) -> u64 {
        match &self.content {
            Content::Virtual(_) => SignatureType::DigestSha256.code(),
            Content::Encoded(e) => Found::read(&e.wire, SIGNATURE_INFO, SIGNATURE_VALUE).map_or(0, |s| s.typ),
        }
    }

    /// The signature, with the bytes that it covers. Fails if what it says of itself cannot be read.
    pub fn signature(&self) -> Result<Signature, DecodeError> {
        let wire = self.encode();
        let missing = DecodeError { kind: DecodeErrorKind::Missing(SIGNATURE_INFO), at: 0 };
        let found = Found::read(&wire, SIGNATURE_INFO, SIGNATURE_VALUE).ok_or(missing)?;
        Ok(Signature {
            info: SignatureInfo::read(&found.info)?,
            value: wire.slice_ref(found.value),
            signed: wire.slice(found.value_start..found.info.end()),
        })
    }

    /// True if the Data is signed by DigestSha256 and the digest is right. (A virtual Data encodes to one that is.)
    pub fn verify_digest(&self) -> bool {
        let Content::Encoded(_) = &self.content else { return true };
        self.digest_parts().is_some_and(|(signed, digest)| sha256(signed)[..] == *digest)
    }

    /// The bytes that DigestSha256 covers, and the digest that is said to be theirs. `None` if it is signed otherwise, or is
    /// virtual.
    pub fn digest_parts(&self) -> Option<(&[u8], &[u8])> {
        let Content::Encoded(e) = &self.content else { return None };
        let signature = Found::read(&e.wire, SIGNATURE_INFO, SIGNATURE_VALUE)?;
        let signed = &e.wire[signature.value_start..signature.info.end()];
        (signature.typ == SignatureType::DigestSha256.code()).then_some((signed, signature.value))
    }

    /// SHA-256 of the whole encoded Data: the implicit last component of its full name.
    pub fn implicit_digest(&self) -> [u8; 32] {
        sha256(&self.encode())
    }
}

/// Where the signature of an encoded packet lies.
struct Found<'a> {
    typ: u64,
    /// SignatureInfo.
    info: Element<'a>,
    /// SignatureValue.
    value: &'a [u8],
    /// Where the packet's own TLV-VALUE begins.
    value_start: usize,
}

impl<'a> Found<'a> {
    /// Looks for the signature with these element types in the bytes of one packet.
    fn read(packet: &'a [u8], info: u32, value: u32) -> Option<Found<'a>> {
        let packet = Reader::new(packet).read().ok()??;
        let mut reader = packet.reader();
        let mut found = None;
        while let Some(e) = reader.read().ok()? {
            if e.typ == info {
                let typ = e.reader().expect(SIGNATURE_TYPE).ok()?.number().ok()?;
                found = Some((typ, e));
            } else if let Some((typ, info)) = found.filter(|_| e.typ == value) {
                return Some(Found { typ, info, value: e.value, value_start: packet.value_start });
            }
        }
        None
    }
}

impl Interest {
    /// The same Interest with ApplicationParameters, and their digest in its name (at the end, or in place of the
    /// digest that is there).
    pub fn with_parameters(mut self, parameters: impl Into<Bytes>) -> Interest {
        let extras = self.extras_mut();
        extras.parameters = Some(parameters.into());
        self.name = with_digest(&self.name, extras_digest(self.extras.as_deref()));
        self
    }

    /// The same Interest with ApplicationParameters, signed by DigestSha256: a command as forwarders accept it on
    /// local faces. `nonce` and `time_ms` (milliseconds since the Unix epoch) make it different from every other.
    /// A signature or unknown elements that the Interest had are replaced.
    pub fn with_signed_parameters(self, parameters: impl Into<Bytes>, nonce: u64, time_ms: u64) -> Interest {
        let nonce = Some(Bytes::copy_from_slice(&nonce.to_be_bytes()));
        let info = SignatureInfo { nonce, time_ms: Some(time_ms), ..SignatureInfo::default() };
        let digest = |signed: &[u8]| Ok::<_, Infallible>(sha256(signed));
        let Ok(interest) = self.sign(parameters, &info, digest);
        interest
    }

    /// The same Interest with ApplicationParameters and a signature. `sign` gets the bytes that the signature is to
    /// cover; `info` says how and by whom it is made. A signature or unknown elements that the Interest had are
    /// replaced.
    pub fn sign<V: AsRef<[u8]>, E>(
        mut self,
        parameters: impl Into<Bytes>,
        info: &SignatureInfo,
        sign: impl FnOnce(&[u8]) -> Result<V, E>,
    ) -> Result<Interest, E> {
        let parameters = parameters.into();
        let mut trailer = Vec::new();
        info.write(&mut trailer, INTEREST_SIGNATURE_INFO);
        let covered = Bytes::copy_from_slice(&trailer);
        let value = sign(&signed_portion(&self.name, Some(&parameters), &covered))?;
        write_element(&mut trailer, INTEREST_SIGNATURE_VALUE, value.as_ref());
        self.extras_mut().trailer = trailer.into();
        Ok(self.with_parameters(parameters))
    }

    /// The signature, with the bytes that it covers; `None` if the Interest has none. Fails if what it says of itself
    /// cannot be read.
    pub fn signature(&self) -> Result<Option<Signature>, DecodeError> {
        let Some(extras) = self.extras.as_deref().filter(|e| e.parameters.is_some()) else { return Ok(None) };
        let mut all = Vec::with_capacity(element_len(INTEREST, extras.trailer.len()));
        write_element(&mut all, INTEREST, &extras.trailer);
        let Some(found) = Found::read(&all, INTEREST_SIGNATURE_INFO, INTEREST_SIGNATURE_VALUE) else {
            return Ok(None);
        };
        let covered = &extras.trailer[..found.info.end() - found.value_start];
        Ok(Some(Signature {
            info: SignatureInfo::read(&found.info)?,
            value: Bytes::copy_from_slice(found.value),
            signed: signed_portion(&self.name, extras.parameters.as_ref(), covered).into(),
        }))
    }

    /// True if the Interest is signed by DigestSha256 and the digest is right.
    pub fn verify_digest(&self) -> bool {
        self.signature().is_ok_and(|signature| signature.is_some_and(|s| s.verify_digest()))
    }

    /// TLV-VALUE of ApplicationParameters, if present.
    pub fn parameters(&self) -> Option<&Bytes> {
        self.extras.as_ref()?.parameters.as_ref()
    }

    fn extras_mut(&mut self) -> &mut InterestExtras {
        Arc::make_mut(self.extras.get_or_insert_default())
    }
}

/// What the signature of an Interest covers: the name's components but for the parameters digest, then
/// ApplicationParameters to InterestSignatureInfo.
fn signed_portion(name: &Name, parameters: Option<&Bytes>, behind: &[u8]) -> Vec<u8> {
    let mut signed = Vec::new();
    let components = name.components().filter(|c| c.typ != component_type::PARAMETERS_DIGEST);
    components.for_each(|c| write_element(&mut signed, u32::from(c.typ), &c.value));
    if let Some(parameters) = parameters {
        write_element(&mut signed, APPLICATION_PARAMETERS, parameters);
    }
    signed.extend_from_slice(behind);
    signed
}

fn extras_digest(extras: Option<&InterestExtras>) -> [u8; 32] {
    let mut covered = Vec::new();
    extras.inspect(|e| e.write_parameters(&mut covered));
    sha256(&covered)
}

/// SHA-256 of `bytes`.
pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The name with this parameters digest in place of the one it has, or at its end.
fn with_digest(name: &Name, digest: [u8; 32]) -> Name {
    let typ = component_type::PARAMETERS_DIGEST;
    let new = || Component { typ, value: digest.to_vec().into() };
    if name.components().any(|c| c.typ == typ) {
        return Name::from_components(name.components().map(|c| if c.typ == typ { new() } else { c }));
    }
    name.child(new())
}
