//! Packets that are longer than a frame of their link: NDNLPv2's fragmentation.
//!
//! A packet that fits crosses the link as it is. A longer one is cut; each part travels in a link packet with a number of
//! its own, and the first one carries the fields of the whole. [`Packet::frames`] knows what that takes without cutting
//! anything, [`LpPacket::fragments`] does it.

use crate::lp::{LpHeader, LpPacket};
use crate::packet::{NackReason, Packet};
use crate::tlv::{element_len, number_element_len};
use crate::types::*;
use std::fmt;

/// Length of the longest frame that a link carries, in bytes: its maximum transmission unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mtu(u16);

/// What a packet becomes on its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frames {
    /// How many frames.
    pub count: usize,
    /// Their bytes, headers included.
    pub bytes: usize,
}

impl Mtu {
    /// With fewer bytes there is no room for the fields that a first fragment may have to carry.
    pub const LEAST: usize = 128;
    /// The most that there is.
    pub const MOST: usize = u16::MAX as usize;

    /// Frames of this length, if there are such.
    pub fn new(bytes: usize) -> Option<Mtu> {
        (Mtu::LEAST..=Mtu::MOST).contains(&bytes).then_some(Mtu(bytes as u16))
    }

    /// Length in bytes.
    #[inline]
    pub fn bytes(self) -> usize {
        usize::from(self.0)
    }

    /// How many frames a packet of `len` bytes takes that has no link header of its own.
    pub fn frames_of(self, len: usize) -> usize {
        if len <= self.bytes() { 1 } else { Cut::of(len, 0, self).count }
    }

    /// Length of the longest packet without a link header that `frames` frames can carry.
    pub fn longest(self, frames: usize) -> usize {
        match frames {
            0 => 0,
            1 => self.bytes(),
            // A count that takes two bytes leaves less room: some counts above 255 carry no more than 255 frames do.
            _ => (frames * room(self, frames)).max(frames.min(255) * room(self, 255)),
        }
    }
}

impl fmt::Display for Mtu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}B", self.0)
    }
}

/// Bytes of a packet that fit in a frame, if it is one of `count`: the mtu without the link packet's header, its number
/// and place, and the fragment's header.
fn room(mtu: Mtu, count: usize) -> usize {
    let places = 2 * number_element_len(LP_FRAG_COUNT, count as u64);
    let headers = 2 * (element_len(LP_PACKET, mtu.bytes()) - mtu.bytes());
    mtu.bytes() - headers - element_len(LP_SEQUENCE, 8) - places
}

/// How a packet is cut.
#[derive(Clone, Copy, Debug)]
struct Cut {
    len: usize,
    /// Bytes of the fields that the first frame carries for the whole packet.
    fields: usize,
    room: usize,
    count: usize,
}

impl Cut {
    /// The cut of a packet of `len` bytes whose fields take `fields` more.
    fn of(len: usize, fields: usize, mtu: Mtu) -> Cut {
        let counted = |guess| (len + fields).div_ceil(room(mtu, guess));
        // The room depends on the length of the count, which takes a byte for up to 255 frames.
        let count = counted(counted(1)).max(2);
        Cut { len, fields, room: room(mtu, count), count }
    }

    /// Where a part begins in the packet.
    fn start(&self, index: usize) -> usize {
        (index * self.room).saturating_sub(self.fields).min(self.len)
    }

    fn part(&self, index: usize) -> std::ops::Range<usize> {
        self.start(index)..self.start(index + 1)
    }

    fn header(&self, index: usize, sequence: u64) -> LpHeader {
        let sequence = Some(sequence.wrapping_add(index as u64));
        LpHeader { sequence, frag_index: index as u16, frag_count: self.count as u16, ..LpHeader::default() }
    }

    /// Length of the frame of a part.
    fn frame_len(&self, index: usize) -> usize {
        let number = |typ, n: usize| number_element_len(typ, n as u64);
        let places = number(LP_FRAG_INDEX, index) + number(LP_FRAG_COUNT, self.count);
        let fields = if index == 0 { self.fields } else { 0 };
        let fragment = element_len(LP_FRAGMENT, self.part(index).len());
        element_len(LP_PACKET, element_len(LP_SEQUENCE, 8) + places + fields + fragment)
    }
}

impl Packet {
    /// The frames in which the packet crosses a link with this longest frame.
    pub fn frames(&self, mtu: Mtu) -> Frames {
        self.frames_but(mtu, 0)
    }

    /// These without the last so many.
    pub fn frames_but(&self, mtu: Mtu, last: usize) -> Frames {
        let Some(cut) = self.cut(mtu) else { return Frames { count: 1, bytes: self.wire_len() } };
        let count = cut.count.saturating_sub(last);
        Frames { count, bytes: (0..count).map(|i| cut.frame_len(i)).sum() }
    }

    /// How many they are.
    #[inline]
    pub fn frame_count(&self, mtu: Mtu) -> usize {
        self.cut(mtu).map_or(1, |cut| cut.count)
    }

    fn cut(&self, mtu: Mtu) -> Option<Cut> {
        if self.wire_len() <= mtu.bytes() {
            return None;
        }
        let fields = self.hop.wire_len() + self.nack_reason().map_or(0, NackReason::header_len);
        Some(Cut::of(self.network_len(), fields, mtu))
    }
}

impl LpPacket {
    /// The frames in which `packet` crosses a link: itself if it fits, else its fragments, numbered from `sequence` on.
    pub fn fragments(packet: &Packet, mtu: Mtu, sequence: u64) -> Vec<LpPacket> {
        let whole = LpPacket::wrap(packet);
        let (Some(cut), Some(bytes)) = (packet.cut(mtu), &whole.fragment) else { return vec![whole] };
        let part = |index: usize| {
            let fields = if index == 0 { LpPacket { fragment: None, ..whole.clone() } } else { LpPacket::default() };
            LpPacket { header: cut.header(index, sequence), fragment: Some(bytes.slice(cut.part(index))), ..fields }
        };
        (0..cut.count).map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Content, Data, Interest, Nack, Name, VirtualData};

    fn data(payload: u32) -> Packet {
        let name: Name = "/video/seg=7".parse().unwrap();
        Packet::from(Data {
            name,
            content: Content::Virtual(VirtualData { payload, freshness_ms: 0, final_segment: None }),
        })
    }

    fn mtu(bytes: usize) -> Mtu {
        Mtu::new(bytes).unwrap()
    }

    /// The frames as an actual sender would make them, put together again.
    fn checked(packet: &Packet, mtu: Mtu) -> Frames {
        let frames = LpPacket::fragments(packet, mtu, u64::MAX - 1);
        let bytes: Vec<_> = frames.iter().map(LpPacket::encode).collect();
        assert!(bytes.iter().all(|frame| frame.len() <= mtu.bytes()), "a frame is too long");
        let found = Frames { count: bytes.len(), bytes: bytes.iter().map(bytes::Bytes::len).sum() };
        assert_eq!((packet.frames(mtu), packet.frame_count(mtu)), (found, found.count));
        let read: Vec<LpPacket> = bytes.into_iter().map(|frame| LpPacket::decode(frame).unwrap()).collect();
        let whole: Vec<u8> = read.iter().flat_map(|frame| frame.fragment.as_deref().unwrap()).copied().collect();
        let first = LpPacket { header: LpHeader::default(), fragment: Some(whole.into()), ..read[0].clone() };
        assert_eq!(first.into_packet().unwrap().encode(), packet.encode());
        if read.len() > 1 {
            for (i, frame) in read.iter().enumerate() {
                let header = &frame.header;
                assert_eq!((usize::from(header.frag_index), usize::from(header.frag_count)), (i, read.len()));
                assert_eq!(header.sequence, Some((u64::MAX - 1).wrapping_add(i as u64)));
            }
        }
        found
    }

    #[test]
    fn what_fits_crosses_as_it_is() {
        let fitting = (1300..1500).map(data).take_while(|packet| packet.wire_len() <= 1500).last().unwrap();
        assert_eq!(fitting.wire_len(), 1500);
        assert_eq!(checked(&fitting, mtu(1500)), Frames { count: 1, bytes: 1500 });
        assert_eq!(LpPacket::fragments(&fitting, mtu(1500), 3)[0].header, LpHeader::default());
    }

    #[test]
    fn a_long_packet_becomes_frames_with_headers() {
        // By hand: a frame of 1500 bytes has a header of 4, a number of 10, a place and a count of 3 each and a header of
        // the fragment of 4; 1476 are left.
        let packet = data(8400);
        let len = packet.wire_len();
        assert!((5 * 1476 + 1..6 * 1476).contains(&len), "{len}");
        assert_eq!(checked(&packet, mtu(1500)), Frames { count: 6, bytes: len + 6 * 24 });
        assert_eq!((mtu(1500).frames_of(len), mtu(1500).longest(6)), (6, 6 * 1476));
    }

    #[test]
    fn fields_of_the_whole_are_in_the_first_frame() {
        let mut packet = data(8400);
        packet.hop_mut().congestion_mark = 1;
        packet.hop_mut().queue_delay = 70_000;
        let (marked, plain) = (checked(&packet, mtu(1500)), data(8400).frames(mtu(1500)));
        assert_eq!(marked.bytes - plain.bytes, packet.hop.wire_len());
        let frames = LpPacket::fragments(&packet, mtu(1500), 0);
        assert_eq!(frames[0].hop, packet.hop);
        assert!(frames[1..].iter().all(|frame| frame.hop == Default::default()));
    }

    #[test]
    fn frames_are_what_a_sender_makes_for_any_length() {
        for bytes in [128, 130, 253, 256, 257, 260, 576, 1500, 9000] {
            for payload in (0..8700).step_by(37) {
                checked(&data(payload), mtu(bytes));
            }
        }
        // So many frames that their count takes two bytes.
        for payload in [28_000, 60_000] {
            let frames = data(payload).frames(mtu(128));
            assert!(frames.count > 255);
            assert!(frames.bytes <= frames.count * 128);
        }
    }

    #[test]
    fn the_longest_packet_fits_and_one_byte_more_does_not() {
        for bytes in [128, 300, 1500] {
            for frames in 1..300 {
                let longest = mtu(bytes).longest(frames);
                assert!(mtu(bytes).frames_of(longest) <= frames, "{bytes}, {frames}");
                assert!(mtu(bytes).frames_of(longest + 1) > frames, "{bytes}, {frames}");
            }
        }
    }

    #[test]
    fn a_refusal_crosses_too() {
        let long = format!("/{}", "x".repeat(400));
        let interest = Interest::new(long.parse().unwrap(), 9);
        let nack = Packet::from(Nack { reason: NackReason::Congestion, interest });
        assert!(checked(&nack, mtu(128)).count > 3);
    }

    #[test]
    fn an_mtu_has_bounds() {
        assert_eq!([127, 128, 65_535, 65_536].map(|n| Mtu::new(n).is_some()), [false, true, true, false]);
    }
}
