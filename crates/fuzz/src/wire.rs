//! Packets and names.

use crate::{Target, text};
use bytes::Bytes;
use weir_wire::{LpPacket, Name, Packet};

pub(crate) const PACKET: Target = Target {
    name: "packet",
    run: packet,
    seeds: &[],
    words: &["\x05", "\x06", "\x07", "\x08", "\x15", "\x64", "\x50", "\x14", "\x24", "\x16"],
};

pub(crate) const NAME: Target = Target {
    name: "name",
    run: name,
    seeds: &[],
    words: &["/", "%", "seg=", "v=", "sha256digest=", "params-sha256=", "ndn:", "...", "%2E", "=", "65535", "8="],
};

/// What decodes must encode to something no longer that decodes to the same, and again to the same bytes.
fn packet(bytes: &[u8]) {
    let frame = Bytes::copy_from_slice(bytes);
    if let Ok(packet) = Packet::decode(frame.clone()) {
        let again = packet.encode();
        assert_eq!(packet.wire_len(), again.len());
        assert!(again.len() <= frame.len(), "{} bytes from {}", again.len(), frame.len());
        let decoded = Packet::decode(again.clone()).expect("what was encoded can be decoded");
        assert_eq!(decoded, packet);
        assert_eq!(decoded.encode(), again);
    }
    if let Ok(link) = LpPacket::decode(frame.clone()) {
        let again = link.encode();
        assert_eq!(link.wire_len(), again.len());
        if let Ok(decoded) = LpPacket::decode(again.clone()) {
            assert_eq!(decoded.encode(), again);
        }
        let _ = link.into_packet();
    }
    if let Ok(name) = Name::decode(bytes) {
        let mut again = Vec::new();
        name.encode_into(&mut again);
        assert_eq!(again.len(), name.wire_len());
        assert_eq!(Name::decode(&again).expect("what was encoded can be decoded"), name);
        same_as_uri(&name);
    }
    let _ = weir_wire::tlv::frame_len(bytes);
}

fn name(bytes: &[u8]) {
    let text = text(bytes);
    match text.parse::<Name>() {
        Ok(name) => same_as_uri(&name),
        Err(error) => assert!(error.at <= text.len() && !error.to_string().is_empty()),
    }
}

fn same_as_uri(name: &Name) {
    let uri = name.to_string();
    let read: Name = uri.parse().expect("a name as it is shown can be read");
    assert_eq!((&read, read.hash64(), read.to_string()), (name, name.hash64(), uri));
}
