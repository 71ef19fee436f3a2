//! Fragments of NDNLPv2 become packets again. Bounded in packets, bytes and time, for fragments get lost, and anybody can
//! send the first of many.

use bytes::Bytes;
use std::collections::BTreeMap;
use weir_core::{Span, Time};
use weir_wire::{LpHeader, LpPacket, MAX_PACKET};

/// Packets of one face that may be incomplete at once.
const MOST_PACKETS: usize = 64;
/// Bytes of fragments that one face may keep.
const MOST_BYTES: usize = MOST_PACKETS * MAX_PACKET;
/// How long the fragments of a packet are waited for after the first (NFD's reassembler).
const PATIENCE: Span = Span::from_millis(500);

/// The incomplete packets of one face.
#[derive(Debug, Default)]
pub(crate) struct Reassembly {
    /// By the sequence number that the first fragment has or will have.
    packets: BTreeMap<u64, Partial>,
    bytes: usize,
    /// Incomplete packets that were given up.
    pub given_up: u64,
}

#[derive(Debug)]
struct Partial {
    parts: Vec<Option<Bytes>>,
    missing: usize,
    bytes: usize,
    /// The first fragment's fields count for the whole packet, but for the mark, which any may carry.
    first: Option<LpPacket>,
    mark: u8,
    since: Time,
}

impl Reassembly {
    /// Takes a fragment. The packet, if it was the last that was missing.
    pub fn add(&mut self, mut frame: LpPacket, now: Time) -> Option<LpPacket> {
        let header = &frame.header;
        let (index, count) = (usize::from(header.frag_index), usize::from(header.frag_count));
        let (Some(sequence), Some(bytes)) = (header.sequence, frame.fragment.take()) else {
            self.given_up += 1;
            return None;
        };
        let key = sequence.wrapping_sub(index as u64);
        self.expire(now);
        self.make_room(key, bytes.len());
        let partial = self.packets.entry(key).or_insert_with(|| Partial::new(count, now));
        // Another packet under the same number, or the same fragment again.
        if partial.parts.len() != count || partial.parts[index].is_some() {
            return None;
        }
        partial.missing -= 1;
        partial.bytes += bytes.len();
        partial.mark = partial.mark.max(frame.hop.congestion_mark);
        self.bytes += bytes.len();
        partial.parts[index] = Some(bytes);
        if index == 0 {
            partial.first = Some(frame);
        }
        if partial.bytes > MAX_PACKET {
            self.give_up(key);
            return None;
        }
        if partial.missing > 0 {
            return None;
        }
        let partial = self.packets.remove(&key)?;
        self.bytes -= partial.bytes;
        partial.whole()
    }

    fn expire(&mut self, now: Time) {
        while let Some((key, _)) = self.oldest().filter(|(_, since)| now.since(*since) > PATIENCE) {
            self.give_up(key);
        }
    }

    fn make_room(&mut self, key: u64, bytes: usize) {
        let full = |this: &Reassembly| {
            this.bytes + bytes > MOST_BYTES || this.packets.len() >= MOST_PACKETS && !this.packets.contains_key(&key)
        };
        while full(self)
            && let Some((oldest, _)) = self.oldest()
        {
            self.give_up(oldest);
        }
    }

    fn oldest(&self) -> Option<(u64, Time)> {
        self.packets.iter().map(|(key, partial)| (*key, partial.since)).min_by_key(|(_, since)| *since)
    }

    fn give_up(&mut self, key: u64) {
        if let Some(partial) = self.packets.remove(&key) {
            self.bytes -= partial.bytes;
            self.given_up += 1;
        }
    }
}

impl Partial {
    fn new(count: usize, since: Time) -> Partial {
        Partial { parts: vec![None; count], missing: count, bytes: 0, first: None, mark: 0, since }
    }

    fn whole(self) -> Option<LpPacket> {
        let mut packet = self.first?;
        let mut bytes = Vec::with_capacity(self.bytes);
        self.parts.iter().flatten().for_each(|part| bytes.extend_from_slice(part));
        packet.header = LpHeader::default();
        packet.hop.congestion_mark = self.mark;
        packet.fragment = Some(bytes.into());
        Some(packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_wire::{Data, MetaInfo, Mtu, Packet};

    fn fragments(sequence: u64, mark: u8) -> (Packet, Vec<LpPacket>) {
        let mut packet = Packet::from(Data::build("/a/seg=1".parse().unwrap(), &[7; 5000], &MetaInfo::default()));
        packet.hop.congestion_mark = mark;
        let frames = LpPacket::fragments(&packet, Mtu::new(1400).unwrap(), sequence);
        (packet, frames)
    }

    #[test]
    fn any_order_and_repetitions_give_the_packet_once() {
        let (packet, mut frames) = fragments(u64::MAX - 1, 1);
        frames.reverse();
        let mut reassembly = Reassembly::default();
        let again: Vec<_> = frames.iter().flat_map(|frame| [frame.clone(), frame.clone()]).collect();
        let whole: Vec<_> = again.into_iter().filter_map(|frame| reassembly.add(frame, Time(1))).collect();
        // The second copy of the fragment that came last begins a packet anew, which is never complete.
        assert_eq!(whole.len(), 1);
        assert_eq!(whole.into_iter().next().unwrap().into_packet().unwrap(), packet);
    }

    #[test]
    fn a_mark_on_any_fragment_counts() {
        let (_, mut frames) = fragments(10, 0);
        frames[2].hop.congestion_mark = 1;
        let mut reassembly = Reassembly::default();
        let whole = frames.into_iter().find_map(|frame| reassembly.add(frame, Time(1))).unwrap();
        assert_eq!(whole.hop.congestion_mark, 1);
    }

    #[test]
    fn first_fragments_alone_fill_nothing() {
        let mut reassembly = Reassembly::default();
        for n in 0..10_000u64 {
            let (_, frames) = fragments(n * 100, 0);
            assert!(reassembly.add(frames.into_iter().next().unwrap(), Time(n)).is_none());
            assert!(reassembly.packets.len() <= MOST_PACKETS && reassembly.bytes <= MOST_BYTES);
        }
        assert_eq!(reassembly.given_up, 10_000 - MOST_PACKETS as u64);
    }

    #[test]
    fn patience_ends() {
        let mut reassembly = Reassembly::default();
        let (_, frames) = fragments(0, 0);
        let late = frames.len() - 1;
        for (i, frame) in frames.into_iter().enumerate() {
            let now = if i < late { Time(0) } else { Time(0) + PATIENCE + Span(1) };
            assert!(reassembly.add(frame, now).is_none());
        }
        assert_eq!(reassembly.given_up, 1);
    }

    #[test]
    fn fragments_of_more_than_a_packet_are_given_up() {
        let mut reassembly = Reassembly::default();
        let long = |index: u16| LpPacket {
            header: LpHeader {
                sequence: Some(index.into()),
                frag_index: index,
                frag_count: 8800,
                ..LpHeader::default()
            },
            fragment: Some(Bytes::from(vec![0; 3000])),
            ..LpPacket::default()
        };
        (0..3).for_each(|i| assert!(reassembly.add(long(i), Time(1)).is_none()));
        assert_eq!((reassembly.bytes, reassembly.given_up), (0, 1));
    }
}
