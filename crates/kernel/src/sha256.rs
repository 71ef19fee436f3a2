//! SHA-256 of two messages at once.
//!
//! A processor with instructions for SHA-256 (x86's SHA extensions) takes four cycles for two rounds of one message, and each
//! round waits for the one before it; meanwhile it could begin with another message. So two messages that are hashed side by
//! side take little longer than one. No library has a safe form of that.

use sha2::block_api::compress256;

/// What a hash begins with.
const BEGIN: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// A SHA-256 of bytes that come piece by piece.
#[derive(Clone, Debug)]
pub struct Sha256 {
    state: [u32; 8],
    /// The beginning of a block.
    kept: [u8; 64],
    len: u64,
}

impl Default for Sha256 {
    fn default() -> Sha256 {
        Sha256 { state: BEGIN, kept: [0; 64], len: 0 }
    }
}

impl Sha256 {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        let rest = self.fill(bytes);
        let (blocks, tail) = rest.as_chunks();
        compress256(&mut self.state, blocks);
        self.keep(tail, bytes.len());
    }

    /// Adds bytes, and gives the SHA-256 of a message, which takes little longer.
    pub fn update_beside(&mut self, bytes: &[u8], message: &[u8]) -> [u8; 32] {
        let rest = self.fill(bytes);
        let (blocks, tail) = rest.as_chunks();
        let mut other = Sha256::default();
        let (others, end) = message.as_chunks();
        both([&mut self.state, &mut other.state], [blocks, others]);
        self.keep(tail, bytes.len());
        other.keep(end, message.len());
        other.finish()
    }

    /// The hash.
    pub fn finish(mut self) -> [u8; 32] {
        let bits = self.len.wrapping_mul(8);
        let filled = (self.len % 64) as usize;
        let mut last = [[0; 64]; 2];
        last[0][..filled].copy_from_slice(&self.kept[..filled]);
        last[0][filled] = 0x80;
        // The length takes the last eight bytes of a block.
        let count = if filled < 56 { 1 } else { 2 };
        last[count - 1][56..].copy_from_slice(&bits.to_be_bytes());
        compress256(&mut self.state, &last[..count]);
        let mut hash = [0; 32];
        for (bytes, word) in hash.as_chunks_mut::<4>().0.iter_mut().zip(self.state) {
            *bytes = word.to_be_bytes();
        }
        hash
    }

    /// Fills up the block that is begun; gives the bytes behind it. (Without one begun, all.)
    fn fill<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let filled = (self.len % 64) as usize;
        if filled == 0 {
            return bytes;
        }
        let (now, rest) = bytes.split_at(bytes.len().min(64 - filled));
        self.kept[filled..filled + now.len()].copy_from_slice(now);
        if filled + now.len() == 64 {
            compress256(&mut self.state, &[self.kept]);
        }
        rest
    }

    /// Keeps what is no whole block, of so many bytes that have come.
    fn keep(&mut self, tail: &[u8], came: usize) {
        self.len += came as u64;
        // If they have all gone into the block that was begun, nothing is left to be kept.
        self.kept[..tail.len()].copy_from_slice(tail);
    }
}

/// Goes on with two hashes, each over blocks of its own.
fn both(states: [&mut [u32; 8]; 2], blocks: [&[[u8; 64]]; 2]) {
    let [one, other] = states;
    let together = blocks[0].len().min(blocks[1].len());
    let (mut first, mut second) = (blocks[0], blocks[1]);
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("sha") && is_x86_feature_detected!("ssse3") && is_x86_feature_detected!("sse4.1") {
        let (a, b) = (first.split_at(together), second.split_at(together));
        // SAFETY: This function is safe but for the instructions it is compiled to, and the processor has just been asked
        // whether it has them.
        #[expect(unsafe_code, reason = "a function with instructions that not every processor has")]
        unsafe {
            x86::side_by_side(one, other, a.0, b.0);
        }
        (first, second) = (a.1, b.1);
    }
    let _ = together;
    compress256(one, first);
    compress256(other, second);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// The constants of SHA-256 (FIPS 180-4, section 4.2.2).
    const K: [u32; 64] = [
        0x428a_2f98,
        0x7137_4491,
        0xb5c0_fbcf,
        0xe9b5_dba5,
        0x3956_c25b,
        0x59f1_11f1,
        0x923f_82a4,
        0xab1c_5ed5,
        0xd807_aa98,
        0x1283_5b01,
        0x2431_85be,
        0x550c_7dc3,
        0x72be_5d74,
        0x80de_b1fe,
        0x9bdc_06a7,
        0xc19b_f174,
        0xe49b_69c1,
        0xefbe_4786,
        0x0fc1_9dc6,
        0x240c_a1cc,
        0x2de9_2c6f,
        0x4a74_84aa,
        0x5cb0_a9dc,
        0x76f9_88da,
        0x983e_5152,
        0xa831_c66d,
        0xb003_27c8,
        0xbf59_7fc7,
        0xc6e0_0bf3,
        0xd5a7_9147,
        0x06ca_6351,
        0x1429_2967,
        0x27b7_0a85,
        0x2e1b_2138,
        0x4d2c_6dfc,
        0x5338_0d13,
        0x650a_7354,
        0x766a_0abb,
        0x81c2_c92e,
        0x9272_2c85,
        0xa2bf_e8a1,
        0xa81a_664b,
        0xc24b_8b70,
        0xc76c_51a3,
        0xd192_e819,
        0xd699_0624,
        0xf40e_3585,
        0x106a_a070,
        0x19a4_c116,
        0x1e37_6c08,
        0x2748_774c,
        0x34b0_bcb5,
        0x391c_0cb3,
        0x4ed8_aa4a,
        0x5b9c_ca4f,
        0x682e_6ff3,
        0x748f_82ee,
        0x78a5_636f,
        0x84c8_7814,
        0x8cc7_0208,
        0x90be_fffa,
        0xa450_6ceb,
        0xbef9_a3f7,
        0xc671_78f2,
    ];

    /// Goes on with two hashes, over as many blocks as both have.
    #[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
    pub fn side_by_side(one: &mut [u32; 8], other: &mut [u32; 8], first: &[[u8; 64]], second: &[[u8; 64]]) {
        let ((mut ab0, mut cd0), (mut ab1, mut cd1)) = (load(one), load(other));
        for (block0, block1) in first.iter().zip(second) {
            let before = [ab0, cd0, ab1, cd1];
            let (mut w0, mut w1) = (words(block0), words(block1));
            // Written out, so that the words of each round stand in a register of their own.
            macro_rules! lane {
                ($r:literal, $w:ident, $ab:ident, $cd:ident, $k:ident) => {
                    if $r >= 4 {
                        let mixed = _mm_sha256msg1_epu32($w[$r % 4], $w[($r + 1) % 4]);
                        let mixed = _mm_add_epi32(mixed, _mm_alignr_epi8($w[($r + 3) % 4], $w[($r + 2) % 4], 4));
                        $w[$r % 4] = _mm_sha256msg2_epu32(mixed, $w[($r + 3) % 4]);
                    }
                    let sum = _mm_add_epi32($w[$r % 4], $k);
                    $cd = _mm_sha256rnds2_epu32($cd, $ab, sum);
                    $ab = _mm_sha256rnds2_epu32($ab, $cd, _mm_shuffle_epi32(sum, 0x0e));
                };
            }
            macro_rules! rounds {
                ($($r:literal)*) => {$({
                    let k = four(K[4 * $r], K[4 * $r + 1], K[4 * $r + 2], K[4 * $r + 3]);
                    lane!($r, w0, ab0, cd0, k);
                    lane!($r, w1, ab1, cd1, k);
                })*};
            }
            rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            (ab0, cd0) = (_mm_add_epi32(ab0, before[0]), _mm_add_epi32(cd0, before[1]));
            (ab1, cd1) = (_mm_add_epi32(ab1, before[2]), _mm_add_epi32(cd1, before[3]));
        }
        *one = store(ab0, cd0);
        *other = store(ab1, cd1);
    }

    #[target_feature(enable = "sse2")]
    fn four(a: u32, b: u32, c: u32, d: u32) -> __m128i {
        _mm_set_epi32(d.cast_signed(), c.cast_signed(), b.cast_signed(), a.cast_signed())
    }

    /// The sixteen words of a block.
    #[target_feature(enable = "sse2,ssse3")]
    fn words(block: &[u8; 64]) -> [__m128i; 4] {
        let order = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
        let halves = block.as_chunks::<8>().0;
        let half = |place: usize| i64::from_le_bytes(halves[place]);
        [0, 2, 4, 6].map(|place| _mm_shuffle_epi8(_mm_set_epi64x(half(place + 1), half(place)), order))
    }

    /// The state as the instructions have it: words a, b, e, f and words c, d, g, h.
    #[target_feature(enable = "sse2,ssse3,sse4.1")]
    fn load(s: &[u32; 8]) -> (__m128i, __m128i) {
        (four(s[5], s[4], s[1], s[0]), four(s[7], s[6], s[3], s[2]))
    }

    #[target_feature(enable = "sse2,sse4.1")]
    fn store(ab: __m128i, cd: __m128i) -> [u32; 8] {
        let word = |value: i32| value.cast_unsigned();
        [
            word(_mm_extract_epi32(ab, 3)),
            word(_mm_extract_epi32(ab, 2)),
            word(_mm_extract_epi32(cd, 3)),
            word(_mm_extract_epi32(cd, 2)),
            word(_mm_extract_epi32(ab, 1)),
            word(_mm_extract_epi32(ab, 0)),
            word(_mm_extract_epi32(cd, 1)),
            word(_mm_extract_epi32(cd, 0)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::Digest;

    fn bytes(len: usize, seed: u8) -> Vec<u8> {
        (0..len).map(|i| (i as u8).wrapping_mul(31).wrapping_add(seed)).collect()
    }

    fn right(bytes: &[u8]) -> [u8; 32] {
        sha2::Sha256::digest(bytes).into()
    }

    #[test]
    fn two_at_once_are_what_each_is_alone() {
        let lens = [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1000, 8000, 8107];
        for piece in lens {
            for message in lens {
                let (mut whole, mut all) = (Sha256::default(), Vec::new());
                // Three pieces, so that blocks begin and end anywhere.
                for n in 0..3 {
                    let (piece, message) = (bytes(piece, n), bytes(message, 7 * n));
                    assert_eq!(whole.update_beside(&piece, &message), right(&message), "{} bytes", message.len());
                    all.extend(piece);
                }
                assert_eq!(whole.finish(), right(&all), "three pieces of {piece} bytes");
            }
        }
    }

    #[test]
    fn pieces_of_any_length_are_one_message() {
        for lens in [vec![3, 61, 1], vec![64, 64], vec![1, 200, 5], vec![63, 1, 63, 1, 70], vec![]] {
            let (mut whole, mut all) = (Sha256::default(), Vec::new());
            for len in lens {
                let piece = bytes(len, len as u8);
                whole.update(&piece);
                all.extend(piece);
            }
            assert_eq!(whole.finish(), right(&all));
        }
    }
}
