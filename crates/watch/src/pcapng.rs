//! The file format pcapng (draft-ietf-opsawg-pcapng), as much of it as a capture needs.

use std::io::{self, Write};

/// LINKTYPE_ETHERNET.
const ETHERNET: u16 = 1;
/// Options, by their numbers in the format.
const END: u16 = 0;
const COMMENT: u16 = 1;
const APPLICATION: u16 = 4;
const IF_NAME: u16 = 2;
const IF_SPEED: u16 = 8;
const IF_TSRESOL: u16 = 9;
/// Time stamps count units of 10^-9 s.
const NANOSECONDS: u8 = 9;

/// Writes blocks, in little-endian order.
#[derive(Debug)]
pub(crate) struct Blocks<W> {
    out: W,
    snaplen: Option<u32>,
}

/// A packet as it was seen.
pub(crate) struct Seen<'a> {
    /// Number of the interface, in the order of `interface`.
    pub interface: u32,
    /// Nanoseconds since the beginning.
    pub nanos: u64,
    /// The frame.
    pub frame: &'a [u8],
    /// What is to be said about it.
    pub comment: Option<&'a str>,
}

impl<W: Write> Blocks<W> {
    /// Begins a file; of each packet at most `snaplen` bytes are kept.
    pub fn new(mut out: W, snaplen: Option<u32>, comment: &str) -> io::Result<Blocks<W>> {
        let mut body = Vec::new();
        body.extend(0x1a2b_3c4d_u32.to_le_bytes());
        body.extend(1u16.to_le_bytes());
        body.extend(0u16.to_le_bytes());
        // The length of the section is not known.
        body.extend(u64::MAX.to_le_bytes());
        option(&mut body, COMMENT, comment.as_bytes());
        option(&mut body, APPLICATION, concat!("weir ", env!("CARGO_PKG_VERSION")).as_bytes());
        option(&mut body, END, &[]);
        block(&mut out, 0x0a0d_0d0a, &body)?;
        Ok(Blocks { out, snaplen })
    }

    /// Describes the next interface; the first is number 0.
    pub fn interface(&mut self, name: &str, bits_per_second: u64) -> io::Result<()> {
        let mut body = Vec::new();
        body.extend(ETHERNET.to_le_bytes());
        body.extend(0u16.to_le_bytes());
        // 0: no limit.
        body.extend(self.snaplen.unwrap_or(0).to_le_bytes());
        option(&mut body, IF_NAME, name.as_bytes());
        option(&mut body, IF_SPEED, &bits_per_second.to_le_bytes());
        option(&mut body, IF_TSRESOL, &[NANOSECONDS]);
        option(&mut body, END, &[]);
        block(&mut self.out, 1, &body)
    }

    /// Adds a packet.
    pub fn packet(&mut self, seen: &Seen<'_>) -> io::Result<()> {
        let kept = self.snaplen.map_or(seen.frame.len(), |most| seen.frame.len().min(most as usize));
        let mut body = Vec::with_capacity(kept + 64);
        body.extend(seen.interface.to_le_bytes());
        body.extend(((seen.nanos >> 32) as u32).to_le_bytes());
        body.extend((seen.nanos as u32).to_le_bytes());
        body.extend((kept as u32).to_le_bytes());
        body.extend((seen.frame.len() as u32).to_le_bytes());
        body.extend(&seen.frame[..kept]);
        pad(&mut body);
        if let Some(comment) = seen.comment {
            option(&mut body, COMMENT, comment.as_bytes());
            option(&mut body, END, &[]);
        }
        block(&mut self.out, 6, &body)
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }
}

/// A block: its type, its length, the body, the length again.
fn block(out: &mut impl Write, typ: u32, body: &[u8]) -> io::Result<()> {
    let length = (body.len() as u32 + 12).to_le_bytes();
    out.write_all(&typ.to_le_bytes())?;
    out.write_all(&length)?;
    out.write_all(body)?;
    out.write_all(&length)
}

/// An option: its number, the length of its value without padding, the value. A value that is too long is cut.
fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    let value = &value[..value.len().min(usize::from(u16::MAX))];
    body.extend(code.to_le_bytes());
    body.extend((value.len() as u16).to_le_bytes());
    body.extend(value);
    pad(body);
}

/// Everything stands at multiples of 32 bits.
fn pad(body: &mut Vec<u8>) {
    body.resize(body.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_as_the_format_says() {
        let mut blocks = Blocks::new(Vec::new(), Some(3), "run").unwrap();
        blocks.interface("a>b", 1_000_000).unwrap();
        let (nanos, frame) = (0x1_0000_0002, [1, 2, 3, 4, 5]);
        blocks.packet(&Seen { interface: 0, nanos, frame: &frame, comment: Some("lost") }).unwrap();
        let bytes = blocks.into_inner();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!((word(0), word(8)), (0x0a0d_0d0a, 0x1a2b_3c4d));
        let second = word(4) as usize;
        assert_eq!(word(second - 4) as usize, second, "the length stands at both ends");
        assert_eq!((word(second), word(second + 12)), (1, 3));
        let third = second + word(second + 4) as usize;
        assert_eq!([word(third), word(third + 12), word(third + 16)], [6, 1, 2]);
        assert_eq!([word(third + 20), word(third + 24), word(third + 28)], [3, 5, 0x0003_0201]);
        assert_eq!(&bytes[third + 36..third + 40], b"lost");
        assert_eq!(third + word(third + 4) as usize, bytes.len());
    }
}
