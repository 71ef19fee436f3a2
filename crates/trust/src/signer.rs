//! Signing.

use crate::error::SignError;
use crate::{spki, verifier::Verifier};
use bytes::Bytes;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use std::convert::Infallible;
use std::fmt;
use weir_wire::{Data, Interest, KeyLocator, MetaInfo, Name, SignatureInfo, SignatureType};

/// Signs packets with one key, or by digest alone.
pub struct Signer {
    info: SignatureInfo,
    key: Kind,
}

enum Kind {
    Digest,
    Hmac(ring::hmac::Key),
    Ecdsa(Box<EcdsaKeyPair>, SystemRandom),
    Ed25519(Box<Ed25519KeyPair>),
    Rsa(Box<RsaKeyPair>, SystemRandom),
}

impl Default for Signer {
    fn default() -> Signer {
        Signer::digest()
    }
}

impl Signer {
    /// DigestSha256: no key.
    pub fn digest() -> Signer {
        Signer { info: SignatureInfo::default(), key: Kind::Digest }
    }

    /// A secret that both sides share.
    pub fn hmac(secret: &[u8]) -> Signer {
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret);
        Signer { info: SignatureInfo::new(SignatureType::Hmac), key: Kind::Hmac(key) }
    }

    /// A private key of ECDSA P-256, Ed25519 or RSA in DER (PKCS #8). Until it gets a name, its packets name it by the
    /// SHA-256 of its public key.
    pub fn private(der: &[u8]) -> Option<Signer> {
        let random = SystemRandom::new();
        if let Ok(pair) = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, der, &random) {
            let public = spki::p256(pair.public_key().as_ref());
            return Some(Signer::with(SignatureType::Ecdsa, &public, Kind::Ecdsa(Box::new(pair), random)));
        }
        if let Ok(pair) = RsaKeyPair::from_pkcs8(der) {
            let public = spki::rsa(pair.public().as_ref());
            return Some(Signer::with(SignatureType::Rsa, &public, Kind::Rsa(Box::new(pair), random)));
        }
        // OpenSSL writes Ed25519 keys without their public half.
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).ok()?;
        let public = spki::ed25519(pair.public_key().as_ref());
        Some(Signer::with(SignatureType::Ed25519, &public, Kind::Ed25519(Box::new(pair))))
    }

    fn with(typ: SignatureType, public: &[u8], key: Kind) -> Signer {
        let digest = ring::digest::digest(&ring::digest::SHA256, public);
        let locator = KeyLocator::Digest(Bytes::copy_from_slice(digest.as_ref()));
        Signer { info: SignatureInfo { key_locator: Some(locator), ..SignatureInfo::new(typ) }, key }
    }

    /// The same key, named so in the packets that it signs (KeyLocator). A digest has no key to name.
    pub fn named(mut self, name: Name) -> Signer {
        if !matches!(self.key, Kind::Digest) {
            self.info.key_locator = Some(KeyLocator::Name(name));
        }
        self
    }

    /// What its signatures say of themselves.
    pub fn info(&self) -> &SignatureInfo {
        &self.info
    }

    /// Bytes of its longest signature.
    pub fn signature_len(&self) -> usize {
        match &self.key {
            Kind::Digest | Kind::Hmac(_) => 32,
            // Two numbers of 32 bytes in DER.
            Kind::Ecdsa(..) => 72,
            Kind::Ed25519(_) => 64,
            Kind::Rsa(pair, _) => pair.public().modulus_len(),
        }
    }

    /// The key that its signatures can be checked with, if it is a public one.
    pub fn verifier(&self) -> Option<Verifier> {
        let public = match &self.key {
            Kind::Digest | Kind::Hmac(_) => return None,
            Kind::Ecdsa(pair, _) => spki::p256(pair.public_key().as_ref()),
            Kind::Ed25519(pair) => spki::ed25519(pair.public_key().as_ref()),
            Kind::Rsa(pair, _) => spki::rsa(pair.public().as_ref()),
        };
        Verifier::public(&public).ok()
    }

    /// The signature of these bytes.
    ///
    /// # Errors
    /// If ECDSA or RSA gets no random numbers from the system.
    pub fn sign(&self, signed: &[u8]) -> Result<Bytes, SignError> {
        Ok(match &self.key {
            Kind::Digest => copy(ring::digest::digest(&ring::digest::SHA256, signed)),
            Kind::Hmac(key) => copy(ring::hmac::sign(key, signed)),
            Kind::Ecdsa(pair, random) => copy(pair.sign(random, signed).map_err(|_| SignError)?),
            Kind::Ed25519(pair) => copy(pair.sign(signed)),
            Kind::Rsa(pair, random) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, random, signed, &mut signature).map_err(|_| SignError)?;
                signature.into()
            }
        })
    }

    /// A signed Data.
    ///
    /// # Errors
    /// As [`Signer::sign`].
    pub fn data(&self, name: Name, payload: &[u8], meta: &MetaInfo) -> Result<Data, SignError> {
        match &self.key {
            // Here the digest needs no memory of its own.
            Kind::Digest => Ok(Data::build(name, payload, meta)),
            _ => Data::build_signed(name, payload, meta, &self.info, |signed| self.sign(signed)),
        }
    }

    /// A Data that was signed before: the signature is what [`Signer::data`] made of the same name, content and MetaInfo.
    pub fn data_again(&self, name: Name, payload: &[u8], meta: &MetaInfo, signature: &[u8]) -> Data {
        let again = |_: &[u8]| Ok::<_, Infallible>(signature);
        let Ok(data) = Data::build_signed(name, payload, meta, &self.info, again);
        data
    }

    /// True if a signature takes no longer than reading what it covers.
    pub fn is_quick(&self) -> bool {
        matches!(self.key, Kind::Digest | Kind::Hmac(_))
    }

    /// A signed Interest with these parameters. `nonce` and `time_ms` (milliseconds since the Unix epoch) make it
    /// different from every other.
    ///
    /// # Errors
    /// As [`Signer::sign`].
    pub fn interest(
        &self,
        interest: Interest,
        parameters: impl Into<Bytes>,
        nonce: u64,
        time_ms: u64,
    ) -> Result<Interest, SignError> {
        let nonce = Some(Bytes::copy_from_slice(&nonce.to_be_bytes()));
        let info = SignatureInfo { nonce, time_ms: Some(time_ms), ..self.info.clone() };
        interest.sign(parameters, &info, |signed| self.sign(signed))
    }
}

fn copy(bytes: impl AsRef<[u8]>) -> Bytes {
    Bytes::copy_from_slice(bytes.as_ref())
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A secret is not for logs.
        f.debug_struct("Signer").field("info", &self.info).finish_non_exhaustive()
    }
}
