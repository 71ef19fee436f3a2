//! NDN packet format v0.3 and NDNLPv2: bytes to packets and back. No clock, no sockets.
//!
//! A [`Packet`] is what travels between machines: a network-layer Interest, Data or Nack plus the hop-by-hop fields
//! of the link header ([`HopFields`]). Payloads may be *virtual* (only a length), so that a simulator moves no bytes;
//! [`Packet::wire_len`] is the length the encoder would produce, without encoding.

mod decode;
mod encode;
mod error;
mod lp;
mod name;
mod packet;
mod sign;
mod size;
pub mod tlv;
pub mod types;
mod uri;

pub use encode::MetaInfo;
pub use error::{DecodeError, DecodeErrorKind};
pub use lp::{CachePolicy, LpHeader, LpPacket};
pub use name::{Component, Name, Stem, component_type};
pub use packet::{
    Content, Data, EncodedData, Feedback, HopFields, Interest, InterestExtras, Kind, Nack, NackReason, Packet,
    PitToken, VirtualData,
};
pub use uri::{ParseNameError, ParseNameErrorKind};

/// Largest NDN packet that peers accept, in bytes (NFD `MAX_NDN_PACKET_SIZE`).
pub const MAX_PACKET: usize = 8800;
