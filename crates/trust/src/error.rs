//! Why a key cannot be used, and why a packet is not believed.

use std::fmt;
use std::path::{Path, PathBuf};
use weir_wire::{DecodeError, SignatureType};

/// A file does not hold the key that was asked for.
#[derive(Debug)]
pub struct KeyError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong, with the nearest right thing.
    pub what: String,
}

impl KeyError {
    pub(crate) fn new(file: &Path, what: impl Into<String>) -> KeyError {
        KeyError { file: file.to_owned(), what: what.into() }
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "key file {}: {}", self.file.display(), self.what)
    }
}

impl std::error::Error for KeyError {}

/// A signature could not be made: the system gave no random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignError;

impl fmt::Display for SignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the system gave no random numbers for a signature")
    }
}

impl std::error::Error for SignError {}

/// Why a packet is not believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untrusted {
    /// The packet has no signature.
    Unsigned,
    /// What the signature says of itself cannot be read.
    Malformed(DecodeError),
    /// Without a key only digests can be checked.
    NoKey(SignatureType),
    /// None of the keys is for signatures of this type.
    NoKeyOfType(SignatureType),
    /// This type cannot be checked here.
    Unsupported(SignatureType),
    /// The signature is not that of any key given, or the packet is damaged.
    Wrong(SignatureType),
}

impl fmt::Display for Untrusted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Untrusted::Unsigned => f.write_str("it is not signed"),
            Untrusted::Malformed(error) => write!(f, "its signature cannot be read: {error}"),
            Untrusted::NoKey(typ) => write!(f, "it is signed by {typ}, and no key was given to check that with"),
            Untrusted::NoKeyOfType(SignatureType::DigestSha256) => {
                f.write_str("it has a SHA-256 digest only, which anybody can make; the keys given ask for a signature")
            }
            Untrusted::NoKeyOfType(typ) => write!(f, "it is signed by {typ}, and none of the keys given is for that"),
            Untrusted::Unsupported(typ) => write!(f, "it is signed by {typ}, which cannot be checked here"),
            Untrusted::Wrong(SignatureType::DigestSha256) => f.write_str("its SHA-256 digest is wrong: it is damaged"),
            Untrusted::Wrong(typ) => {
                write!(f, "its {typ} signature is not that of any key given, or it is damaged")
            }
        }
    }
}

impl std::error::Error for Untrusted {}
