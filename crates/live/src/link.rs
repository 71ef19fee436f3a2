//! The link service of a face: packets to frames and back (NDNLPv2).

use crate::reassembly::Reassembly;
use bytes::Bytes;
use weir_core::Time;
use weir_wire::{DecodeError, LpPacket, MAX_PACKET, Mtu, Packet};

/// Bytes that the CongestionMark field may add to a fragment: its own five, and two for each of the lengths around it, which
/// may need a longer form then.
const MARK_LEN: usize = 9;

/// What a face knows of its link.
#[derive(Debug)]
pub(crate) struct Link {
    mtu: Mtu,
    next_sequence: u64,
    reassembly: Reassembly,
}

/// Where frames end in the bytes that they were appended to.
pub(crate) type Ends = Vec<usize>;

impl Link {
    /// `sequence`: the number of the first fragment. A face that is opened again must not begin with numbers that its peer
    /// still remembers.
    pub fn new(mtu: Mtu, sequence: u64) -> Link {
        Link { mtu, next_sequence: sequence, reassembly: Reassembly::default() }
    }

    pub fn mtu(&self) -> Mtu {
        self.mtu
    }

    pub fn set_mtu(&mut self, mtu: Mtu) {
        self.mtu = mtu;
    }

    /// Incomplete packets that were given up so far.
    pub fn given_up(&self) -> u64 {
        self.reassembly.given_up
    }

    /// Appends the frames of `packet` to `out` and notes where each ends.
    pub fn encode(&mut self, packet: &Packet, out: &mut Vec<u8>, ends: &mut Ends) {
        if packet.wire_len() <= self.mtu.bytes().min(MAX_PACKET) {
            packet.encode_into(out);
            ends.push(out.len());
            return;
        }
        for frame in self.cut(packet) {
            frame.encode_into(out);
            ends.push(out.len());
        }
    }

    /// Some peers look for the mark on the first fragment and some on the last to come: all carry it.
    fn cut(&mut self, packet: &Packet) -> Vec<LpPacket> {
        let mark = packet.hop.congestion_mark;
        let longest = self.mtu.bytes().min(MAX_PACKET);
        let longest = if mark == 0 { longest } else { longest - MARK_LEN };
        let mtu = Mtu::new(longest).unwrap_or(self.mtu);
        let mut frames = LpPacket::fragments(packet, mtu, self.next_sequence);
        frames.iter_mut().for_each(|frame| frame.hop.congestion_mark = mark);
        self.next_sequence = self.next_sequence.wrapping_add(frames.len() as u64);
        frames
    }

    /// Takes a frame. `None`: no packet yet (a fragment, an idle frame, an acknowledgement).
    pub fn decode(&mut self, frame: Bytes, now: Time) -> Result<Option<Packet>, DecodeError> {
        let link = LpPacket::decode(frame)?;
        if link.fragment.is_none() {
            return Ok(None);
        }
        let whole = if link.header.frag_count > 1 { self.reassembly.add(link, now) } else { Some(link) };
        whole.map(LpPacket::into_packet).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_wire::{Data, Interest, MetaInfo, Nack, NackReason, PitToken};

    fn cross(packet: &Packet, mtu: usize) -> (usize, Packet) {
        let mut sender = Link::new(Mtu::new(mtu).unwrap(), u64::MAX - 2);
        let (mut bytes, mut ends) = (Vec::new(), Ends::new());
        sender.encode(packet, &mut bytes, &mut ends);
        let mut receiver = Link::new(Mtu::new(mtu).unwrap(), 0);
        let mut start = 0;
        let mut got = None;
        for end in &ends {
            assert!(end - start <= mtu, "a frame of {} bytes", end - start);
            let frame = Bytes::copy_from_slice(&bytes[start..*end]);
            let mark = LpPacket::decode(frame.clone()).unwrap().hop.congestion_mark;
            assert_eq!(mark, packet.hop.congestion_mark, "the mark stands on every fragment");
            got = got.or(receiver.decode(frame, Time(1)).unwrap());
            start = *end;
        }
        (ends.len(), got.unwrap())
    }

    #[test]
    fn packets_cross_links_of_any_mtu() {
        let name: weir_wire::Name = "/video/v=3/seg=7".parse().unwrap();
        let mut data = Packet::from(Data::build(name.clone(), &[9; 8000], &MetaInfo::default()));
        data.hop.pit_token = PitToken::new(&[1, 2, 3, 4, 5, 6]);
        data.hop.congestion_mark = 1;
        data.hop.queue_delay = 70_000;
        let interest = Interest::new(name, 77);
        let nack = Packet::from(Nack { reason: NackReason::Congestion, interest: interest.clone() });
        for packet in [data, interest.into(), nack] {
            for mtu in [253, 256, 259, 576, 1280, 1400, 8800, 65_535] {
                let (frames, got) = cross(&packet, mtu);
                assert_eq!(got, packet, "mtu {mtu}");
                assert_eq!(frames == 1, packet.wire_len() <= mtu, "mtu {mtu}");
            }
        }
    }
}
