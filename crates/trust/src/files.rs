//! Keys in files.

use crate::error::KeyError;
use crate::signer::Signer;
use crate::verifier::Verifier;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use weir_wire::{Content, Data, Name};

/// ContentType of a Data that carries a key.
const KEY: u64 = 2;

/// Where a key stands, as a user writes it: `FILE`, or `hmac:FILE` for a shared secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFile {
    /// The file.
    pub path: PathBuf,
    /// It holds a shared secret.
    pub hmac: bool,
}

impl FromStr for KeyFile {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<KeyFile, Self::Err> {
        Ok(match text.strip_prefix("hmac:") {
            Some(path) => KeyFile { path: path.into(), hmac: true },
            None => KeyFile { path: text.into(), hmac: false },
        })
    }
}

/// What a file without a shared secret holds.
enum Found {
    /// SubjectPublicKeyInfo, and the name of its certificate.
    Public(Vec<u8>, Option<Name>),
    /// PKCS #8.
    Private(Vec<u8>),
}

impl KeyFile {
    /// The key, to check signatures with. A private key will do too: its public half is taken.
    ///
    /// # Errors
    /// If the file cannot be read, or holds something else.
    pub fn verifier(&self) -> Result<Verifier, KeyError> {
        if self.hmac {
            return Ok(Verifier::hmac(&self.secret()?));
        }
        let (der, name) = match self.found()? {
            Found::Public(der, name) => (der, name),
            Found::Private(der) => {
                let verifier = self.pair(&der)?.verifier();
                return verifier.ok_or_else(|| self.error("its public half cannot be made"));
            }
        };
        let verifier = Verifier::public(&der).map_err(|what| self.error(what))?;
        Ok(name.map_or(verifier.clone(), |name| verifier.named(name)))
    }

    /// The key, to sign with.
    ///
    /// # Errors
    /// If the file cannot be read, or holds something else.
    pub fn signer(&self) -> Result<Signer, KeyError> {
        if self.hmac {
            return Ok(Signer::hmac(&self.secret()?));
        }
        match self.found()? {
            Found::Private(der) => self.pair(&der),
            Found::Public(..) => Err(self.error("it holds a public key, which cannot sign; a private one is needed")),
        }
    }

    fn pair(&self, der: &[u8]) -> Result<Signer, KeyError> {
        let what =
            "it holds no private key of ECDSA P-256, Ed25519 or RSA (`openssl genpkey -algorithm ed25519` makes one)";
        Signer::private(der).ok_or_else(|| self.error(what))
    }

    fn error(&self, what: impl Into<String>) -> KeyError {
        KeyError::new(&self.path, what)
    }

    fn text(&self) -> Result<String, KeyError> {
        let bytes = std::fs::read(&self.path).map_err(|e| self.error(e.to_string()))?;
        String::from_utf8(bytes).map_err(|_| self.error("it is not text: keys are PEM or base64"))
    }

    /// The secret in base64.
    fn secret(&self) -> Result<Vec<u8>, KeyError> {
        let text = self.text()?;
        let secret = base64(&text).map_err(|place| self.error(format!("a secret is base64, but {place}")))?;
        match secret.is_empty() {
            true => Err(self.error("it is empty")),
            false => Ok(secret),
        }
    }

    fn found(&self) -> Result<Found, KeyError> {
        let text = self.text()?;
        if text.contains("-----BEGIN ") {
            return self.found_in_pem(&text);
        }
        let hint = "a shared secret is given as hmac:FILE";
        let bytes = base64(&text).map_err(|place| self.error(format!("it is not PEM, nor base64: {place}")))?;
        certificate(bytes).map_err(|what| self.error(format!("it is base64, but no NDN certificate: {what}; {hint}")))
    }

    fn found_in_pem(&self, text: &str) -> Result<Found, KeyError> {
        let blocks = pem::parse_many(text).map_err(|e| self.error(format!("its PEM is damaged: {e}")))?;
        let mut tags = Vec::new();
        for block in blocks {
            match block.tag() {
                "PUBLIC KEY" => return Ok(Found::Public(block.into_contents(), None)),
                "PRIVATE KEY" => return Ok(Found::Private(block.into_contents())),
                "NDN CERT" => return certificate(block.into_contents()).map_err(|what| self.error(what)),
                other => tags.push(other.to_owned()),
            }
        }
        let hint = match tags.iter().map(String::as_str).find(|tag| tag.contains("PRIVATE")) {
            Some("ENCRYPTED PRIVATE KEY") => "; `openssl pkey -in FILE` takes the encryption off",
            Some(_) => "; `openssl pkcs8 -topk8 -nocrypt -in FILE` turns it into a PRIVATE KEY",
            None => "",
        };
        let tags = if tags.is_empty() { "nothing".to_owned() } else { tags.join(", ") };
        Err(self.error(format!("expected PUBLIC KEY, PRIVATE KEY or NDN CERT, found {tags}{hint}")))
    }
}

/// A certificate: a Data whose content is a public key.
fn certificate(bytes: Vec<u8>) -> Result<Found, String> {
    let data = Data::decode(&bytes.into()).map_err(|e| e.to_string())?;
    match &data.content {
        Content::Encoded(e) if e.content_type == KEY => Ok(Found::Public(e.payload.to_vec(), Some(data.name.clone()))),
        Content::Encoded(e) => Err(format!("its ContentType is {}, that of a key is {KEY}", e.content_type)),
        Content::Virtual(_) => Err("it has no bytes".to_owned()),
    }
}

/// Decodes base64 that may have spaces and line ends anywhere; else says where it is none.
fn base64(text: &str) -> Result<Vec<u8>, String> {
    let packed: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    STANDARD.decode(packed).map_err(|e| e.to_string())
}

impl AsRef<Path> for KeyFile {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}
