//! Public keys in DER (SubjectPublicKeyInfo, RFC 5280, section 4.1). The two elliptic kinds each have one form, so their
//! frames are compared as they stand; an RSA key has lengths in it, which are read.

/// In front of the 65 bytes of a P-256 point (RFC 5480, section 2.1.1).
const P256: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce,
    0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];
/// In front of the 32 bytes of an Ed25519 key (RFC 8410, section 4).
const ED25519: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
/// The algorithm of an RSA key: its identifier, and no parameters (RFC 3279, section 2.3.1).
const RSA_ALGORITHM: [u8; 15] =
    [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];
/// Bits of RSA keys that are taken: what `ring` checks with SHA-256.
const RSA_BITS: std::ops::RangeInclusive<usize> = 2048..=8192;
/// Object identifiers: RSA, and elliptic curves of any kind.
const RSA: [u8; 11] = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
const ELLIPTIC: [u8; 9] = [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];

/// The key inside.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Key<'a> {
    /// A point, uncompressed.
    P256(&'a [u8]),
    Ed25519(&'a [u8]),
    /// RSAPublicKey in DER (RFC 8017, appendix A.1.1).
    Rsa(&'a [u8]),
}

/// Reads a public key; else says what it is.
pub(crate) fn read(der: &[u8]) -> Result<Key<'_>, &'static str> {
    if let Some(point) = der.strip_prefix(&P256).filter(|p| p.len() == 65 && p[0] == 4) {
        return Ok(Key::P256(point));
    }
    if let Some(key) = der.strip_prefix(&ED25519).filter(|k| k.len() == 32) {
        return Ok(Key::Ed25519(key));
    }
    if let Some(key) = read_rsa(der) {
        return match bits(key) {
            Some(bits) if RSA_BITS.contains(&bits) => Ok(Key::Rsa(key)),
            Some(_) => Err("its RSA key is not of 2048 to 8192 bits"),
            None => Err("its RSA key is damaged"),
        };
    }
    let holds = |oid: &[u8]| der.windows(oid.len()).take(32).any(|part| part == oid);
    Err(match () {
        () if holds(&RSA) => "its RSA key is damaged",
        () if holds(&ELLIPTIC) => "its curve is not P-256 by name (prime256v1), or its point is compressed",
        () => "it holds no public key of ECDSA P-256, Ed25519 or RSA",
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

/// The DER form of an RSAPublicKey.
pub(crate) fn rsa(key: &[u8]) -> Vec<u8> {
    let bits = element(BIT_STRING, &[&[0][..], key].concat());
    element(SEQUENCE, &[&RSA_ALGORITHM[..], &bits].concat())
}

const SEQUENCE: u8 = 0x30;
const BIT_STRING: u8 = 0x03;
const INTEGER: u8 = 0x02;

/// The RSAPublicKey in a SubjectPublicKeyInfo of RSA.
fn read_rsa(der: &[u8]) -> Option<&[u8]> {
    let (inside, []) = split(SEQUENCE, der)? else { return None };
    let (bits, []) = split(BIT_STRING, inside.strip_prefix(&RSA_ALGORITHM)?)? else { return None };
    bits.strip_prefix(&[0])
}

/// Bits of the modulus.
fn bits(key: &[u8]) -> Option<usize> {
    let (inside, []) = split(SEQUENCE, key)? else { return None };
    let (modulus, _) = split(INTEGER, inside)?;
    let significant = modulus.strip_prefix(&[0]).unwrap_or(modulus);
    Some(significant.len() * 8 - significant.first()?.leading_zeros() as usize)
}

/// The content of an element of this type, and what follows it.
fn split(tag: u8, der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = match der.strip_prefix(&[tag])? {
        [len @ 0..=0x7f, rest @ ..] => (usize::from(*len), rest),
        [0x81, len, rest @ ..] => (usize::from(*len), rest),
        [0x82, high, low, rest @ ..] => (usize::from(*high) << 8 | usize::from(*low), rest),
        _ => return None,
    };
    rest.split_at_checked(len)
}

/// An element of this type, of less than 64 kB.
fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let [high, low] = (content.len() as u16).to_be_bytes();
    let header: &[u8] = match content.len() {
        0..0x80 => &[tag, low],
        0x80..0x100 => &[tag, 0x81, low],
        _ => &[tag, 0x82, high, low],
    };
    [header, content].concat()
}
