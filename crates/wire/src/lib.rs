//! NDN packet format v0.3 and NDNLPv2: bytes to packets and back. No clock, no sockets.
//!
//! A [`Packet`] is what travels between machines: a network-layer Interest, Data or Nack plus the hop-by-hop fields
//! of the link header ([`HopFields`]). Payloads may be *virtual* (only a length), so that a simulator moves no bytes;
//! [`Packet::wire_len`] is the length the encoder would produce, without encoding.
//!
//! ```
//! use weir_wire::{Data, Interest, Kind, MetaInfo, Name, Packet};
//!
//! let name: Name = "/video/v=3".parse()?;
//! let mut packet = Packet::from(Interest::new(name.with_segment(7), 0x1234));
//! packet.hop.congestion_mark = 1;
//! assert_eq!(packet.encode().len(), packet.wire_len());
//! assert_eq!(Packet::decode(packet.encode())?, packet);
//!
//! let answer = Data::build(packet.name().clone(), b"seven", &MetaInfo::default());
//! let Kind::Data(received) = Packet::decode(answer.encode())?.into_kind() else { unreachable!() };
//! assert!(received.verify_digest());
//! assert_eq!(received.name.to_string(), "/video/v=3/seg=7");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What the decoder refuses, always with a [`DecodeError`] that names the place: elements that overrun what holds
//! them, types and lengths that are not in their shortest form, unknown critical elements (type up to 31, or odd),
//! critical elements out of order or repeated, values of a length that their type does not allow, parameters without
//! their digest, frames longer than [`MAX_PACKET`]. It does not recurse, and allocates only for what it has read.
//! Unknown elements that are not critical are passed over; a Data keeps its bytes as they came, an Interest keeps such
//! elements in [`InterestExtras::trailer`].
//!
//! Weir's own link header fields ([`types`], 940 to 952) lie in the range that other forwarders ignore.

mod command;
mod decode;
mod encode;
mod error;
mod fragment;
mod lp;
mod name;
mod packet;
mod sign;
mod signature;
mod size;
pub mod tlv;
pub mod types;
mod uri;

pub use command::SignedCommand;
pub use encode::MetaInfo;
pub use error::{DecodeError, DecodeErrorKind};
pub use fragment::{Frames, Mtu};
pub use lp::{CachePolicy, LpHeader, LpPacket};
pub use name::{Component, Name, Stem, component_type};
pub use packet::{
    Content, Data, EncodedData, Feedback, HopFields, Interest, InterestExtras, Kind, Nack, NackReason, Packet, Parts,
    PitToken, VirtualData,
};
pub use signature::{KeyLocator, Signature, SignatureInfo, SignatureType};
pub use uri::{ParseNameError, ParseNameErrorKind};

/// Largest NDN packet that peers accept, in bytes (NFD `MAX_NDN_PACKET_SIZE`).
pub const MAX_PACKET: usize = 8800;
