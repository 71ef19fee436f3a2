//! Command Interests as they were before packet format v0.3: the signature stands in the name.
//!
//! `<name>/<time>/<nonce>/<SignatureInfo>/<SignatureValue>`, all generic components. Forwarders take them still.

use crate::error::DecodeError;
use crate::name::{Component, Name, component_type};
use crate::packet::Interest;
use crate::signature::{Signature, SignatureInfo};
use crate::tlv::{Reader, write_element};
use crate::types::*;
use bytes::Bytes;
use std::convert::Infallible;

/// Components that the signature adds.
const ADDED: usize = 4;

/// An Interest signed in its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedCommand {
    /// The name without the four components of the signature.
    pub name: Name,
    /// When it was made, in milliseconds since the Unix epoch.
    pub time_ms: u64,
    /// Random bytes.
    pub nonce: Bytes,
    /// The signature; it covers all components but the last.
    pub signature: Signature,
}

impl Interest {
    /// The signature that the name's last four components are; `None` if they are not one.
    pub fn signed_command(&self) -> Option<SignedCommand> {
        let count = self.name.len().checked_sub(ADDED)?;
        let tail: Vec<Component<'_>> = self.name.components().skip(count).collect();
        let [time, nonce, info, value] = &tail[..] else { return None };
        if tail.iter().any(|c| c.typ != component_type::GENERIC) {
            return None;
        }
        let time_ms = u64::from_be_bytes(time.value[..].try_into().ok()?);
        let info = only(&info.value, SIGNATURE_INFO).and_then(|e| SignatureInfo::read(&e)).ok()?;
        let value = only(&value.value, SIGNATURE_VALUE).ok()?.value;
        let mut signed = Vec::new();
        self.name.prefix(self.name.len() - 1).write_components(&mut signed);
        Some(SignedCommand {
            name: self.name.prefix(count),
            time_ms,
            nonce: Bytes::copy_from_slice(&nonce.value),
            signature: Signature { info, value: Bytes::copy_from_slice(value), signed: signed.into() },
        })
    }

    /// The same Interest as a signed command of the old form. `info`'s own nonce and time are not used. `sign` gets the
    /// bytes that the signature is to cover.
    pub fn into_signed_command<V: AsRef<[u8]>, E>(
        mut self,
        nonce: u64,
        time_ms: u64,
        info: &SignatureInfo,
        sign: impl FnOnce(&[u8]) -> Result<V, E>,
    ) -> Result<Interest, E> {
        let plain = SignatureInfo { nonce: None, time_ms: None, seq_num: None, ..info.clone() };
        let mut info = Vec::new();
        plain.write(&mut info, SIGNATURE_INFO);
        let added = [time_ms.to_be_bytes().to_vec(), nonce.to_be_bytes().to_vec(), info];
        let name = Name::from_components(self.name.components().chain(added.into_iter().map(Component::generic)));
        let mut signed = Vec::new();
        name.write_components(&mut signed);
        let mut value = Vec::new();
        write_element(&mut value, SIGNATURE_VALUE, sign(&signed)?.as_ref());
        self.name = name.child(Component::generic(value));
        Ok(self)
    }

    /// The same Interest as a signed command of the old form, signed by DigestSha256.
    pub fn into_digest_command(self, nonce: u64, time_ms: u64) -> Interest {
        let digest = |signed: &[u8]| Ok::<_, Infallible>(crate::sign::sha256(signed));
        let Ok(interest) = self.into_signed_command(nonce, time_ms, &SignatureInfo::default(), digest);
        interest
    }
}

/// The element of this type that the bytes begin with.
fn only(bytes: &[u8], typ: u32) -> Result<crate::tlv::Element<'_>, DecodeError> {
    Reader::new(bytes).expect(typ)
}
