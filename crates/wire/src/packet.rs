//! Packets as machines see them.

use crate::name::Name;
use bytes::Bytes;
use std::cell::Cell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A network-layer packet with the hop-by-hop fields that travel in its link header.
///
/// A packet is a piece of memory of its own, and a value of this type leads there: queues and links pass on one
/// pointer, and a packet in the air takes no more room than it needs. What it consists of are the fields of [`Parts`].
#[derive(Clone)]
pub struct Packet(Box<Parts>);

/// What a [`Packet`] consists of.
#[derive(Clone)]
pub struct Parts {
    /// Fields of the link header.
    pub hop: HopFields,
    /// The packet itself.
    pub kind: Kind,
    /// When the packet entered the queue it stands in, in nanoseconds of the driver's clock. Never on the wire:
    /// the engine writes it, queues read it.
    pub queued_at: u64,
    /// Length in bytes without the link header, once somebody has asked; 0: not known. It is asked for at every hop and
    /// hardly ever changes on the way.
    len: Cell<u32>,
}

// Memory is what a simulation of many flows waits for, and most of it is packets in the air.
const _: () = assert!(size_of::<Parts>() <= 80, "a packet has grown");

/// What a packet is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A request for a named Data.
    Interest(Interest),
    /// Named content.
    Data(Data),
    /// A refusal of an Interest, travelling back. They are rare, and no packet is to be larger for their sake.
    Nack(Box<Nack>),
}

/// A peer's opaque mark that must be returned with the answer (NDNLPv2 PitToken). Peers refuse any but 1 to 32 bytes.
///
/// One pointer wide: a packet without a token, as every simulated one is, pays eight bytes for the possibility.
#[derive(Clone, PartialEq, Eq)]
pub struct PitToken(Box<TokenBytes>);

#[derive(Clone, PartialEq, Eq)]
struct TokenBytes {
    len: u8,
    bytes: [u8; 32],
}

impl PitToken {
    /// A token of these bytes; `None` unless there are 1 to 32.
    pub fn new(token: &[u8]) -> Option<PitToken> {
        if !(1..=32).contains(&token.len()) {
            return None;
        }
        let mut bytes = [0; 32];
        bytes[..token.len()].copy_from_slice(token);
        Some(PitToken(Box::new(TokenBytes { len: token.len() as u8, bytes })))
    }
}

impl Deref for PitToken {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0.bytes[..usize::from(self.0.len)]
    }
}

impl fmt::Debug for PitToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PitToken({:02x?})", &**self)
    }
}

/// Hop-by-hop fields. The first is NDNLPv2's; the rest are Weir's own, in the ignorable range.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HopFields {
    /// Returned with the answer; valid on one link only.
    pub pit_token: Option<PitToken>,
    /// Sojourn time in the egress queue last left, in microseconds, overwritten hop by hop (PFECC-MF).
    pub queue_delay: u32,
    /// NDNLPv2 CongestionMark; 0 is "not marked". Larger marks than 255 read as 255.
    pub congestion_mark: u8,
    /// Hops from the congested link to here (PCON-FS in the lineage of Thibaud et al.).
    pub mark_distance: u8,
    /// One-bit precise feedback (PFECC).
    pub feedback: Feedback,
    /// True for PLR's Explicit Loss Notice: a Data without content that announces a stored or lost Data.
    pub loss_notice: bool,
    /// Links that this packet has crossed so far. Never on the wire: machines count, as `queued_at` is written, so that
    /// measuring costs no bytes; across live links it starts again at each hop.
    pub hop_count: u8,
    /// Frames of this packet that found no room in the queue of its link: the others cross it in vain. Never on the wire.
    pub frames_lost: u16,
}

impl HopFields {
    /// Counts a link that the packet has crossed.
    #[inline]
    pub fn count_link(&mut self) {
        self.hop_count = self.hop_count.saturating_add(1);
    }
}

/// PFECC's per-packet feedback.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Feedback {
    /// Not in use.
    #[default]
    None,
    /// "Add one."
    Add,
    /// "Take one off."
    Reduce,
}

/// An Interest.
#[derive(Debug, PartialEq)]
pub struct Interest {
    /// What is asked for.
    pub name: Name,
    /// Marks this very transmission; loops show by it. On the wire: 4 bytes, the highest first.
    pub nonce: u32,
    /// InterestLifetime in milliseconds: 4000 when absent on the wire, 2^32 - 1 (49 days) when longer.
    pub lifetime_ms: u32,
    /// Links left to cross; `None`: no limit.
    pub hop_limit: Option<u8>,
    /// May be answered by Data with a longer name.
    pub can_be_prefix: bool,
    /// May only be answered by Data that is still fresh.
    pub must_be_fresh: bool,
    /// What few Interests have.
    pub extras: Option<Arc<InterestExtras>>,
}

/// Forwarding hints and parameters of an Interest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InterestExtras {
    /// Delegation names, in order.
    pub forwarding_hint: Vec<Name>,
    /// TLV-VALUE of ApplicationParameters, if present.
    pub parameters: Option<Bytes>,
    /// The TLVs from ApplicationParameters' end to the Interest's end (signature and ignorable elements), verbatim.
    /// Without parameters: the ignorable elements that stood anywhere in the Interest. With parameters, such elements
    /// in front of them are not kept: here they would change the digest.
    pub trailer: Bytes,
}

/// A Data.
#[derive(Debug, PartialEq)]
pub struct Data {
    /// Its full name, without the implicit digest.
    pub name: Name,
    /// Everything else.
    pub content: Content,
}

/// A Data's body: only described (simulator) or in bytes (live).
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Sizes without bytes.
    Virtual(VirtualData),
    /// A Data as it came, or as it was made, kept verbatim so that its signature stays valid.
    Encoded(Arc<EncodedData>),
}

/// The description of a Data signed by DigestSha256 with a payload of no particular bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VirtualData {
    /// Payload length in bytes.
    pub payload: u32,
    /// FreshnessPeriod in milliseconds; 0 is "absent".
    pub freshness_ms: u32,
    /// FinalBlockId as a segment number.
    pub final_segment: Option<u32>,
}

/// A Data in its encoded form, and where its parts lie.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedData {
    /// The whole Data TLV.
    pub wire: Bytes,
    /// TLV-VALUE of Content (empty when absent).
    pub payload: Bytes,
    /// FreshnessPeriod in milliseconds; 0 when absent.
    pub freshness_ms: u64,
    /// ContentType; 0 (BLOB) when absent.
    pub content_type: u64,
    /// FinalBlockId: one component, as a name of length one.
    pub final_block: Option<Name>,
}

/// A Nack: the refused Interest and the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Nack {
    /// Why.
    pub reason: NackReason,
    /// The Interest as it was sent.
    pub interest: Interest,
}

/// NackReason of NDNLPv2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NackReason {
    /// No reason given (0).
    Unspecified,
    /// The link or the node is overloaded (50).
    Congestion,
    /// The nonce was seen before (100).
    Duplicate,
    /// No next hop (150).
    NoRoute,
    /// A code that the specification does not list.
    Other(u16),
}

impl Packet {
    /// A packet without hop-by-hop fields.
    #[inline]
    pub fn new(kind: Kind) -> Packet {
        Packet::with_hop(HopFields::default(), kind)
    }

    /// A packet with these hop-by-hop fields.
    #[inline]
    pub fn with_hop(hop: HopFields, kind: Kind) -> Packet {
        Packet(Box::new(Parts { hop, kind, queued_at: 0, len: Cell::new(0) }))
    }

    /// Another packet in this one's memory.
    #[inline]
    pub fn renewed(mut self, hop: HopFields, kind: Kind) -> Packet {
        *self.0 = Parts { hop, kind, queued_at: 0, len: Cell::new(0) };
        self
    }

    /// Another packet in this one's memory, made with this one's name: so no references are counted.
    #[inline]
    pub fn renewed_with_name(mut self, hop: HopFields, make: impl FnOnce(Name) -> Kind) -> Packet {
        let name = match self.0.kind {
            Kind::Interest(interest) => interest.name,
            Kind::Data(data) => data.name,
            Kind::Nack(nack) => nack.interest.name,
        };
        *self.0 = Parts { hop, kind: make(name), queued_at: 0, len: Cell::new(0) };
        self
    }

    /// Link header and packet, apart.
    pub fn into_parts(self) -> (HopFields, Kind) {
        (self.0.hop, self.0.kind)
    }

    /// The packet without its link header.
    pub fn into_kind(self) -> Kind {
        self.0.kind
    }

    /// The fields of the link header, to change.
    #[inline]
    pub fn hop_mut(&mut self) -> &mut HopFields {
        &mut self.0.hop
    }

    /// Writes down when the packet enters a queue.
    #[inline]
    pub fn set_queued_at(&mut self, nanos: u64) {
        self.0.queued_at = nanos;
    }

    /// Uses up one hop of an Interest's limit; false if none was left.
    #[inline]
    pub fn take_hop(&mut self) -> bool {
        // A limit keeps its length, so the length that is known stays right.
        match &mut self.0.kind {
            Kind::Interest(Interest { hop_limit: Some(0), .. }) => false,
            Kind::Interest(Interest { hop_limit: Some(left), .. }) => {
                *left -= 1;
                true
            }
            _ => true,
        }
    }

    /// Length of the packet without its link header.
    #[inline]
    pub(crate) fn network_len(&self) -> usize {
        let known = self.0.len.get();
        if known != 0 {
            return known as usize;
        }
        let len = self.kind.wire_len();
        self.0.len.set(len as u32);
        len
    }

    /// The name that the packet is about.
    #[inline]
    pub fn name(&self) -> &Name {
        match &self.kind {
            Kind::Interest(i) => &i.name,
            Kind::Data(d) => &d.name,
            Kind::Nack(n) => &n.interest.name,
        }
    }

    /// True for a Data that carries content (a loss notice does not).
    #[inline]
    pub fn is_content(&self) -> bool {
        matches!(self.kind, Kind::Data(_)) && !self.hop.loss_notice
    }
}

impl Deref for Packet {
    type Target = Parts;

    #[inline]
    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl DerefMut for Packet {
    /// Whoever may change everything may change the length.
    #[inline]
    fn deref_mut(&mut self) -> &mut Parts {
        self.0.len.set(0);
        &mut self.0
    }
}

impl PartialEq for Packet {
    fn eq(&self, other: &Packet) -> bool {
        (self.queued_at, &self.hop, &self.kind) == (other.queued_at, &other.hop, &other.kind)
    }
}

impl fmt::Debug for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { hop, kind, queued_at, .. } = &**self;
        let mut text = f.debug_struct("Packet");
        text.field("hop", hop).field("kind", kind).field("queued_at", queued_at).finish()
    }
}

impl NackReason {
    /// The number on the wire.
    #[inline]
    pub const fn code(self) -> u16 {
        match self {
            NackReason::Unspecified => 0,
            NackReason::Congestion => 50,
            NackReason::Duplicate => 100,
            NackReason::NoRoute => 150,
            NackReason::Other(code) => code,
        }
    }

    /// The reason with this number.
    pub const fn from_code(code: u16) -> NackReason {
        match code {
            0 => NackReason::Unspecified,
            50 => NackReason::Congestion,
            100 => NackReason::Duplicate,
            150 => NackReason::NoRoute,
            other => NackReason::Other(other),
        }
    }
}

impl Interest {
    /// InterestLifetime of an Interest that does not say, in milliseconds.
    pub const DEFAULT_LIFETIME_MS: u32 = 4000;

    /// An Interest with the defaults of the packet format: lifetime 4 s, no selectors, no hop limit.
    pub fn new(name: Name, nonce: u32) -> Interest {
        Interest {
            name,
            nonce,
            lifetime_ms: Interest::DEFAULT_LIFETIME_MS,
            hop_limit: None,
            can_be_prefix: false,
            must_be_fresh: false,
            extras: None,
        }
    }
}

impl Clone for Interest {
    #[inline]
    fn clone(&self) -> Interest {
        Interest { name: self.name.clone(), extras: self.extras.clone(), ..*self }
    }

    /// Over an Interest for the same content this counts no references.
    #[inline]
    fn clone_from(&mut self, source: &Interest) {
        let Interest { name, nonce, lifetime_ms, hop_limit, can_be_prefix, must_be_fresh, extras } = source;
        self.name.clone_from(name);
        (self.nonce, self.lifetime_ms, self.hop_limit) = (*nonce, *lifetime_ms, *hop_limit);
        (self.can_be_prefix, self.must_be_fresh) = (*can_be_prefix, *must_be_fresh);
        self.extras.clone_from(extras);
    }
}

impl Clone for Data {
    #[inline]
    fn clone(&self) -> Data {
        Data { name: self.name.clone(), content: self.content.clone() }
    }

    /// Over a Data of the same content this counts no references.
    #[inline]
    fn clone_from(&mut self, source: &Data) {
        self.name.clone_from(&source.name);
        self.content.clone_from(&source.content);
    }
}

impl From<Interest> for Packet {
    fn from(i: Interest) -> Packet {
        Packet::new(Kind::Interest(i))
    }
}

impl From<Data> for Packet {
    fn from(d: Data) -> Packet {
        Packet::new(Kind::Data(d))
    }
}

impl From<Nack> for Packet {
    fn from(n: Nack) -> Packet {
        Packet::new(Kind::Nack(Box::new(n)))
    }
}

impl Data {
    /// Payload length in bytes.
    #[inline]
    pub fn payload_len(&self) -> usize {
        match &self.content {
            Content::Virtual(v) => v.payload as usize,
            Content::Encoded(e) => e.payload.len(),
        }
    }

    /// FreshnessPeriod in milliseconds; 0 when absent.
    #[inline]
    pub fn freshness_ms(&self) -> u64 {
        match &self.content {
            Content::Virtual(v) => u64::from(v.freshness_ms),
            Content::Encoded(e) => e.freshness_ms,
        }
    }

    /// FinalBlockId, if it is a segment number.
    #[inline]
    pub fn final_segment(&self) -> Option<u64> {
        match &self.content {
            Content::Virtual(v) => v.final_segment.map(u64::from),
            Content::Encoded(e) => e.final_block.as_ref().and_then(Name::segment),
        }
    }
}
