//! What is accepted.

use crate::error::Untrusted;
use crate::verifier::Verifier;
use weir_wire::{Data, Interest, Signature, SignatureType};

/// The keys of those who are believed. Without a key every packet with a right SHA-256 digest is accepted: it is not
/// damaged, but anybody can have made it. With keys, only what one of them signed.
#[derive(Clone, Debug, Default)]
pub struct KeyRing {
    keys: Vec<Verifier>,
}

impl KeyRing {
    /// Accepts what is undamaged.
    pub fn new() -> KeyRing {
        KeyRing::default()
    }

    /// Adds a key.
    pub fn add(&mut self, key: Verifier) {
        self.keys.push(key);
    }

    /// The keys.
    pub fn keys(&self) -> &[Verifier] {
        &self.keys
    }

    /// Checks a Data.
    ///
    /// # Errors
    /// Why it is not believed.
    pub fn verify_data(&self, data: &Data) -> Result<(), Untrusted> {
        // The common case without keys, and it takes no copy.
        if self.keys.is_empty() && data.verify_digest() {
            return Ok(());
        }
        self.verify(&data.signature().map_err(Untrusted::Malformed)?)
    }

    /// Checks an Interest that is signed by the rules of packet format v0.3, or in its name as before them.
    ///
    /// # Errors
    /// Why it is not believed.
    pub fn verify_interest(&self, interest: &Interest) -> Result<(), Untrusted> {
        let signature = interest.signature().map_err(Untrusted::Malformed)?;
        let signature = signature.or_else(|| interest.signed_command().map(|command| command.signature));
        self.verify(&signature.ok_or(Untrusted::Unsigned)?)
    }

    /// Checks a signature.
    ///
    /// # Errors
    /// Why it is not believed.
    pub fn verify(&self, signature: &Signature) -> Result<(), Untrusted> {
        let typ = signature.info.typ;
        let mut fitting = self.keys.iter().filter(|key| key.signature_type() == typ).peekable();
        match typ {
            SignatureType::DigestSha256 if self.keys.is_empty() => match signature.verify_digest() {
                true => Ok(()),
                false => Err(Untrusted::Wrong(typ)),
            },
            SignatureType::Null | SignatureType::Other(_) => Err(Untrusted::Unsupported(typ)),
            _ if self.keys.is_empty() => Err(Untrusted::NoKey(typ)),
            _ if fitting.peek().is_none() => Err(Untrusted::NoKeyOfType(typ)),
            _ if fitting.any(|key| key.verify(signature)) => Ok(()),
            _ => Err(Untrusted::Wrong(typ)),
        }
    }
}

impl FromIterator<Verifier> for KeyRing {
    fn from_iter<I: IntoIterator<Item = Verifier>>(keys: I) -> KeyRing {
        KeyRing { keys: keys.into_iter().collect() }
    }
}
