//! Packets, made and shown in a few words.

use weir_wire::{Content, Data, Interest, Kind, Nack, NackReason, Name, Packet, VirtualData};

pub fn name(uri: &str) -> Name {
    uri.parse().unwrap()
}

pub fn interest(uri: &str, nonce: u32) -> Interest {
    Interest::new(name(uri), nonce)
}

/// An Interest with a lifetime of so many milliseconds.
pub fn short_interest(uri: &str, nonce: u32, lifetime_ms: u32) -> Interest {
    Interest { lifetime_ms, ..interest(uri, nonce) }
}

pub fn limited(uri: &str, nonce: u32, hop_limit: u8) -> Interest {
    Interest { hop_limit: Some(hop_limit), ..interest(uri, nonce) }
}

pub fn fresh(uri: &str, nonce: u32) -> Interest {
    Interest { must_be_fresh: true, ..interest(uri, nonce) }
}

pub fn prefix(uri: &str, nonce: u32) -> Interest {
    Interest { can_be_prefix: true, ..interest(uri, nonce) }
}

pub fn data(uri: &str) -> Data {
    data_of(name(uri), 0)
}

/// Data that is fresh for so many milliseconds.
pub fn fresh_data(uri: &str, freshness_ms: u32) -> Data {
    data_of(name(uri), freshness_ms)
}

fn data_of(name: Name, freshness_ms: u32) -> Data {
    let content = Content::Virtual(VirtualData { payload: 1000, freshness_ms, final_segment: None });
    Data { name, content }
}

pub fn final_data(name: Name, last: u32) -> Data {
    let content = Content::Virtual(VirtualData { payload: 1000, freshness_ms: 0, final_segment: Some(last) });
    Data { name, content }
}

pub fn marked(packet: impl Into<Packet>) -> Packet {
    let mut packet = packet.into();
    packet.hop.congestion_mark = 1;
    packet
}

pub fn with_token(packet: impl Into<Packet>, token: &[u8]) -> Packet {
    let mut packet = packet.into();
    packet.hop.pit_token = weir_wire::PitToken::new(token);
    packet
}

pub fn notice(uri: &str) -> Packet {
    let mut packet = Packet::from(data(uri));
    packet.hop.loss_notice = true;
    packet
}

pub fn nack(uri: &str, nonce: u32, reason: NackReason) -> Nack {
    Nack { reason, interest: interest(uri, nonce) }
}

/// `I /a #7`, `D /a`, `L /a` (a loss notice), `N /a #7 Congestion`; `!` follows a congestion mark.
pub fn text(packet: &Packet) -> String {
    let mark = if packet.hop.congestion_mark > 0 { " !" } else { "" };
    match &packet.kind {
        Kind::Interest(i) => format!("I {} #{}{mark}", i.name, i.nonce),
        Kind::Data(d) if packet.hop.loss_notice => format!("L {}{mark}", d.name),
        Kind::Data(d) => format!("D {}{mark}", d.name),
        Kind::Nack(n) => format!("N {} #{} {:?}{mark}", n.interest.name, n.interest.nonce, n.reason),
    }
}
