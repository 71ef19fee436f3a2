//! SHA-256: the signature type DigestSha256 (which shows damage, not authorship), the digest of an Interest's
//! parameters, and the implicit digest of a Data.

use crate::name::{Component, Name, component_type};
use crate::packet::{Content, Data, Interest, InterestExtras};
use crate::tlv::{Reader, write_element, write_number};
use crate::types::*;
use bytes::Bytes;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// SignatureType of DigestSha256.
const DIGEST_SHA256: u64 = 0;

/// InterestSignatureInfo elements that make each signed Interest different.
const SIGNATURE_NONCE: u32 = 38;
const SIGNATURE_TIME: u32 = 40;

/// Appends SignatureInfo and SignatureValue to a Data whose Name begins at `signed`.
pub(crate) fn write_data_signature(out: &mut Vec<u8>, signed: usize) {
    write_element(out, SIGNATURE_INFO, &[SIGNATURE_TYPE as u8, 1, DIGEST_SHA256 as u8]);
    let digest = Sha256::digest(&out[signed..]);
    write_element(out, SIGNATURE_VALUE, &digest);
}

impl Data {
    /// SignatureType: 0 SHA-256 digest, 1 RSA, 3 ECDSA, 4 HMAC, 5 Ed25519, 200 none.
    pub fn signature_type(&self) -> u64 {
        match &self.content {
            Content::Virtual(_) => DIGEST_SHA256,
            Content::Encoded(e) => Signature::find(&e.wire, SIGNATURE_INFO, SIGNATURE_VALUE).map_or(0, |s| s.typ),
        }
    }

    /// True if the Data is signed by DigestSha256 and the digest is right. (A virtual Data encodes to one that is.)
    pub fn verify_digest(&self) -> bool {
        let Content::Encoded(e) = &self.content else { return true };
        let Some(signature) = Signature::find(&e.wire, SIGNATURE_INFO, SIGNATURE_VALUE) else { return false };
        let signed = &e.wire[signature.value_start..signature.signed_end];
        signature.typ == DIGEST_SHA256 && Sha256::digest(signed)[..] == *signature.value
    }

    /// SHA-256 of the whole encoded Data: the implicit last component of its full name.
    pub fn implicit_digest(&self) -> [u8; 32] {
        Sha256::digest(self.encode()).into()
    }
}

/// Where the signature of an encoded packet lies.
struct Signature<'a> {
    typ: u64,
    /// SignatureValue.
    value: &'a [u8],
    /// Where the packet's own TLV-VALUE begins.
    value_start: usize,
    /// Where SignatureInfo ends.
    signed_end: usize,
}

impl<'a> Signature<'a> {
    /// Looks for the signature with these element types in the bytes of one packet.
    fn find(packet: &'a [u8], info: u32, value: u32) -> Option<Signature<'a>> {
        let packet = Reader::new(packet).read().ok()??;
        let mut reader = packet.reader();
        let mut found = None;
        while let Some(e) = reader.read().ok()? {
            if e.typ == info {
                let typ = e.reader().expect(SIGNATURE_TYPE).ok()?.number().ok()?;
                found = Some((typ, e.end()));
            } else if let Some((typ, signed_end)) = found.filter(|_| e.typ == value) {
                return Some(Signature { typ, value: e.value, value_start: packet.value_start, signed_end });
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
    pub fn with_signed_parameters(mut self, parameters: impl Into<Bytes>, nonce: u64, time_ms: u64) -> Interest {
        let parameters = parameters.into();
        let mut info = vec![SIGNATURE_TYPE as u8, 1, DIGEST_SHA256 as u8];
        write_element(&mut info, SIGNATURE_NONCE, &nonce.to_be_bytes());
        write_number(&mut info, SIGNATURE_TIME, time_ms);
        let mut trailer = Vec::new();
        write_element(&mut trailer, INTEREST_SIGNATURE_INFO, &info);
        let mut signed = InterestExtras { parameters: Some(parameters.clone()), ..InterestExtras::default() };
        signed.trailer = trailer.clone().into();
        write_element(&mut trailer, INTEREST_SIGNATURE_VALUE, &signed_digest(&self.name, &signed));
        self.extras_mut().trailer = trailer.into();
        self.with_parameters(parameters)
    }

    /// True if the Interest is signed by DigestSha256 and the digest is right.
    pub fn verify_digest(&self) -> bool {
        let Some(extras) = self.extras.as_deref() else { return false };
        let mut all = Vec::new();
        write_element(&mut all, INTEREST, &extras.trailer);
        let Some(s) = Signature::find(&all, INTEREST_SIGNATURE_INFO, INTEREST_SIGNATURE_VALUE) else { return false };
        let covered = extras.trailer.slice(..s.signed_end - s.value_start);
        let signed = InterestExtras { trailer: covered, ..extras.clone() };
        extras.parameters.is_some() && s.typ == DIGEST_SHA256 && signed_digest(&self.name, &signed)[..] == *s.value
    }

    /// TLV-VALUE of ApplicationParameters, if present.
    pub fn parameters(&self) -> Option<&Bytes> {
        self.extras.as_ref()?.parameters.as_ref()
    }

    fn extras_mut(&mut self) -> &mut InterestExtras {
        Arc::make_mut(self.extras.get_or_insert_default())
    }
}

/// What DigestSha256 of an Interest covers: the name's components but for the parameters digest, then
/// ApplicationParameters to InterestSignatureInfo.
fn signed_digest(name: &Name, extras: &InterestExtras) -> [u8; 32] {
    let mut signed = Vec::new();
    let components = name.components().filter(|c| c.typ != component_type::PARAMETERS_DIGEST);
    components.for_each(|c| write_element(&mut signed, u32::from(c.typ), &c.value));
    extras.write_parameters(&mut signed);
    Sha256::digest(&signed).into()
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
