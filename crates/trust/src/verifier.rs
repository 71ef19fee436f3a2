//! One key that signatures are checked with.

use crate::spki::{self, Key};
use ring::signature::{ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use std::fmt;
use weir_wire::{Name, Signature, SignatureType};

/// A key that signatures are checked with.
#[derive(Clone)]
pub struct Verifier {
    name: Option<Name>,
    key: Kind,
}

#[derive(Clone)]
enum Kind {
    Hmac(ring::hmac::Key),
    Ecdsa(UnparsedPublicKey<Vec<u8>>),
    Ed25519(UnparsedPublicKey<Vec<u8>>),
    Rsa(UnparsedPublicKey<Vec<u8>>),
}

impl Verifier {
    /// A secret that both sides share.
    pub fn hmac(secret: &[u8]) -> Verifier {
        Verifier { name: None, key: Kind::Hmac(ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret)) }
    }

    /// A public key in DER (SubjectPublicKeyInfo).
    ///
    /// # Errors
    /// What the bytes hold instead.
    pub fn public(der: &[u8]) -> Result<Verifier, &'static str> {
        let key = match spki::read(der)? {
            Key::P256(point) => Kind::Ecdsa(UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point.to_vec())),
            Key::Ed25519(key) => Kind::Ed25519(UnparsedPublicKey::new(&ED25519, key.to_vec())),
            Key::Rsa(key) => Kind::Rsa(UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.to_vec())),
        };
        Ok(Verifier { name: None, key })
    }

    /// The same key with the name of its certificate.
    pub fn named(self, name: Name) -> Verifier {
        Verifier { name: Some(name), ..self }
    }

    /// The name of its certificate, if it came with one.
    pub fn name(&self) -> Option<&Name> {
        self.name.as_ref()
    }

    /// What signatures it is for.
    pub fn signature_type(&self) -> SignatureType {
        match self.key {
            Kind::Hmac(_) => SignatureType::Hmac,
            Kind::Ecdsa(_) => SignatureType::Ecdsa,
            Kind::Ed25519(_) => SignatureType::Ed25519,
            Kind::Rsa(_) => SignatureType::Rsa,
        }
    }

    /// True if this key made the signature. What is compared with a secret takes the same time whatever it is.
    pub fn verify(&self, signature: &Signature) -> bool {
        let (signed, value) = (&signature.signed[..], &signature.value[..]);
        signature.info.typ == self.signature_type()
            && match &self.key {
                Kind::Hmac(key) => ring::hmac::verify(key, signed, value).is_ok(),
                Kind::Ecdsa(key) | Kind::Ed25519(key) | Kind::Rsa(key) => key.verify(signed, value).is_ok(),
            }
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A secret is not for logs.
        f.debug_struct("Verifier").field("type", &self.signature_type()).field("name", &self.name).finish()
    }
}
