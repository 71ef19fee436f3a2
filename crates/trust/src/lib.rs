//! Who signed a packet, and whether that is to be believed.
//!
//! * [`Signer`]: signs Data and Interests by digest, HMAC, ECDSA P-256, Ed25519 or RSA.
//! * [`Verifier`]: one key that signatures are checked with.
//! * [`KeyRing`]: what is accepted: any packet that is undamaged (the default), or only what one of the given keys
//!   signed.
//!
//! Keys come from files: PEM (`openssl genpkey`, `openssl pkey -pubout`), NDN certificates as ndn-cxx and ndnd write
//! them, and base64 text for a secret that is shared (HMAC). The arithmetic is that of the crate `ring`.

mod error;
mod files;
mod ring_of_keys;
mod signer;
mod spki;
mod verifier;

pub use error::{KeyError, SignError, Untrusted};
pub use files::KeyFile;
pub use ring_of_keys::KeyRing;
pub use signer::Signer;
pub use verifier::Verifier;
