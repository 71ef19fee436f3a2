//! Public keys in DER (SubjectPublicKeyInfo, RFC 5280, section 4.1): the two kinds that are in use here each have one
//! form, so their frames are compared as they stand.

/// In front of the 65 bytes of a P-256 point (RFC 5480, section 2.1.1).
const P256: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce,
    0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];
/// In front of the 32 bytes of an Ed25519 key (RFC 8410, section 4).
const ED25519: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
/// Object identifiers: RSA, and elliptic curves of any kind.
const RSA: [u8; 11] = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
const ELLIPTIC: [u8; 9] = [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];

/// The key inside.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Key<'a> {
    /// A point, uncompressed.
    P256(&'a [u8]),
    Ed25519(&'a [u8]),
}

/// Reads a public key; else says what it is.
pub(crate) fn read(der: &[u8]) -> Result<Key<'_>, &'static str> {
    if let Some(point) = der.strip_prefix(&P256).filter(|p| p.len() == 65 && p[0] == 4) {
        return Ok(Key::P256(point));
    }
    if let Some(key) = der.strip_prefix(&ED25519).filter(|k| k.len() == 32) {
        return Ok(Key::Ed25519(key));
    }
    let holds = |oid: &[u8]| der.windows(oid.len()).take(32).any(|part| part == oid);
    Err(match () {
        () if holds(&RSA) => "it holds an RSA key, which is not supported; use ECDSA P-256 or Ed25519",
        () if holds(&ELLIPTIC) => "its curve is not P-256 by name (prime256v1), or its point is compressed",
        () => "it holds no public key of ECDSA P-256 or Ed25519",
    })
}

/// The DER form of a P-256 point.
pub(crate) fn p256(point: &[u8]) -> Vec<u8> {
    [&P256, point].concat()
}

/// The DER form of an Ed25519 key.
pub(crate) fn ed25519(key: &[u8]) -> Vec<u8> {
    [&ED25519, key].concat()
}
