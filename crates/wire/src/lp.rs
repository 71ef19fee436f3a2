//! NDNLPv2: the link header around a network packet.

use crate::decode::whole;
use crate::error::{DecodeError, DecodeErrorKind};
use crate::packet::{Feedback, HopFields, Kind, Nack, NackReason, Packet, PitToken};
use crate::tlv::{Element, element_len, number_element_len, write_element, write_header, write_number};
use crate::types::*;
use bytes::Bytes;

/// A link frame: header fields and a network packet, or a part of one, or none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LpPacket {
    /// Fields that concern this link or this host only.
    pub header: LpHeader,
    /// Fields that a [`Packet`] carries along.
    pub hop: HopFields,
    /// Set if the fragment is an Interest that the peer refuses.
    pub nack: Option<NackReason>,
    /// The network packet, or a part of one when [`LpHeader::frag_count`] is above 1.
    pub fragment: Option<Bytes>,
}

/// Fields of the link header that are not part of a [`Packet`].
#[derive(Clone, Debug, PartialEq)]
pub struct LpHeader {
    /// Number of the frame; the fragments of one packet have consecutive ones.
    pub sequence: Option<u64>,
    /// Place of the fragment, from 0.
    pub frag_index: u16,
    /// Number of fragments of the packet; 1 for a whole one. At most [`MAX_PACKET`](crate::MAX_PACKET).
    pub frag_count: u16,
    /// The face that the packet came in by (forwarder to application).
    pub incoming_face: Option<u64>,
    /// The face to send by (application to forwarder).
    pub next_hop_face: Option<u64>,
    /// Whether to cache the Data.
    pub cache_policy: Option<CachePolicy>,
    /// TxSequences that have arrived.
    pub acks: Vec<u64>,
    /// Number under which the peer shall acknowledge the frame.
    pub tx_sequence: Option<u64>,
    /// The Interest must not start self-learning.
    pub non_discovery: bool,
    /// The Data that announces a prefix, encoded.
    pub prefix_announcement: Option<Bytes>,
}

/// What the sender asks of caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CachePolicy {
    /// Do not cache (1).
    NoCache,
    /// A code that the specification does not list.
    Other(u64),
}

impl CachePolicy {
    fn code(self) -> u64 {
        match self {
            CachePolicy::NoCache => 1,
            CachePolicy::Other(code) => code,
        }
    }
}

impl Default for LpHeader {
    /// No fields: a whole packet.
    fn default() -> LpHeader {
        LpHeader {
            sequence: None,
            frag_index: 0,
            frag_count: 1,
            incoming_face: None,
            next_hop_face: None,
            cache_policy: None,
            acks: Vec::new(),
            tx_sequence: None,
            non_discovery: false,
            prefix_announcement: None,
        }
    }
}

impl LpPacket {
    /// A link packet around a network packet. A Data in bytes is not copied.
    pub fn wrap(packet: &Packet) -> LpPacket {
        LpPacket {
            header: LpHeader::default(),
            hop: packet.hop.clone(),
            nack: packet.nack_reason(),
            fragment: Some(packet.encode_network()),
        }
    }

    /// Reads a frame. A bare Interest or Data is the fragment of a link packet without fields. The fragment itself
    /// is not read: see [`LpPacket::into_packet`].
    ///
    /// Header fields that are not known here are passed over if they are in the ignorable range.
    pub fn decode(frame: Bytes) -> Result<LpPacket, DecodeError> {
        let element = whole(&frame)?;
        match element.typ {
            LP_PACKET => LpPacket::from_element(&frame, &element),
            INTEREST | DATA => Ok(LpPacket { fragment: Some(frame), ..LpPacket::default() }),
            other => Err(element.error(DecodeErrorKind::Unexpected(other))),
        }
    }

    pub(crate) fn from_element(frame: &Bytes, element: &Element<'_>) -> Result<LpPacket, DecodeError> {
        let mut reader = element.reader();
        let mut link = LpPacket::default();
        let mut last = 0;
        while let Some(e) = reader.read()? {
            let fragment_is_there = link.fragment.is_some();
            if link.set(frame, &e)? {
                // Fields come in the order of their types, the fragment last; only acknowledgements may repeat.
                let in_order = e.typ > last || e.typ == LP_FRAGMENT || (e.typ == last && e.typ == LP_ACK);
                if !in_order || fragment_is_there {
                    return Err(e.error(DecodeErrorKind::OutOfOrder(e.typ)));
                }
                last = e.typ;
            } else if fragment_is_there {
                return Err(e.error(DecodeErrorKind::OutOfOrder(e.typ)));
            }
        }
        if link.header.frag_index >= link.header.frag_count {
            return Err(element.error(DecodeErrorKind::BadFragment));
        }
        Ok(link)
    }

    /// Takes over one field; false if it is unknown but ignorable.
    fn set(&mut self, frame: &Bytes, e: &Element<'_>) -> Result<bool, DecodeError> {
        let bytes = || frame.slice(e.value_start..e.end());
        let header = &mut self.header;
        match e.typ {
            LP_FRAGMENT => self.fragment = Some(bytes()),
            LP_SEQUENCE => header.sequence = Some(u64::from_be_bytes(e.array()?)),
            LP_FRAG_INDEX => header.frag_index = fragment_number(e)?,
            LP_FRAG_COUNT => header.frag_count = fragment_number(e)?,
            LP_NACK => self.nack = Some(read_nack(e)?),
            LP_INCOMING_FACE_ID => header.incoming_face = Some(e.number()?),
            LP_NEXT_HOP_FACE_ID => header.next_hop_face = Some(e.number()?),
            LP_CACHE_POLICY => header.cache_policy = Some(read_cache_policy(e)?),
            LP_ACK => header.acks.push(u64::from_be_bytes(e.array()?)),
            LP_TX_SEQUENCE => header.tx_sequence = Some(u64::from_be_bytes(e.array()?)),
            LP_NON_DISCOVERY => header.non_discovery = e.empty().map(|()| true)?,
            LP_PREFIX_ANNOUNCEMENT => header.prefix_announcement = Some(bytes()),
            _ => return self.hop.set(e),
        }
        Ok(true)
    }

    /// The packet inside. Fails if there is none, or only a part of one. Positions in errors count from the
    /// fragment's first byte. What the header says beyond [`HopFields`] is left out.
    pub fn into_packet(self) -> Result<Packet, DecodeError> {
        let fail = |kind| Err(DecodeError { kind, at: 0 });
        let Some(fragment) = self.fragment else { return fail(DecodeErrorKind::NoFragment) };
        if self.header.frag_count > 1 {
            return fail(DecodeErrorKind::Fragmented);
        }
        let kind = match (Kind::decode(&fragment), self.nack) {
            (Err(DecodeError { kind: DecodeErrorKind::Unexpected(LP_PACKET), .. }), _) => {
                return fail(DecodeErrorKind::NestedLink);
            }
            (Ok(Kind::Interest(interest)), Some(reason)) => Kind::Nack(Box::new(Nack { reason, interest })),
            (Ok(_), Some(_)) => return fail(DecodeErrorKind::Unexpected(DATA)),
            (kind, _) => kind?,
        };
        Ok(Packet::with_hop(self.hop, kind))
    }

    /// Length in bytes of the frame.
    pub fn wire_len(&self) -> usize {
        let header = self.header.wire_len() + self.hop.wire_len() + self.nack.map_or(0, NackReason::header_len);
        match &self.fragment {
            Some(fragment) if header == 0 => fragment.len(),
            Some(fragment) => element_len(LP_PACKET, header + element_len(LP_FRAGMENT, fragment.len())),
            None => element_len(LP_PACKET, header),
        }
    }

    /// The frame; the bare fragment if no field is set.
    pub fn encode(&self) -> Bytes {
        let mut out = Vec::with_capacity(self.wire_len());
        self.encode_into(&mut out);
        out.into()
    }

    /// Appends the frame to `out`.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        out.reserve(self.wire_len());
        let fragment = self.fragment.as_deref();
        write_link(out, &self.header, &self.hop, self.nack, fragment.map(<[u8]>::len));
        out.extend_from_slice(fragment.unwrap_or_default());
    }
}

impl HopFields {
    /// Takes over one field; false if it is unknown but ignorable. Weir's own fields have numbers that nobody has
    /// assigned, so what does not look like one of them is passed over.
    fn set(&mut self, e: &Element<'_>) -> Result<bool, DecodeError> {
        let own = e.number();
        match (e.typ, own) {
            (LP_PIT_TOKEN, _) if (1..=32).contains(&e.value.len()) => self.pit_token = PitToken::new(e.value),
            (LP_PIT_TOKEN, _) => return Err(e.error(DecodeErrorKind::BadLength(e.typ))),
            (LP_CONGESTION_MARK, mark) => self.congestion_mark = u8::try_from(mark?).unwrap_or(u8::MAX),
            (WEIR_QUEUE_DELAY, Ok(us)) => self.queue_delay = u32::try_from(us).unwrap_or(u32::MAX),
            (WEIR_MARK_DISTANCE, Ok(hops)) => self.mark_distance = u8::try_from(hops).unwrap_or(u8::MAX),
            (WEIR_FEEDBACK, Ok(1)) => self.feedback = Feedback::Add,
            (WEIR_FEEDBACK, Ok(2)) => self.feedback = Feedback::Reduce,
            (WEIR_LOSS_NOTICE, _) if e.value.is_empty() => self.loss_notice = true,
            (800..960, _) if e.typ & 3 == 0 => return Ok(false),
            _ => return Err(e.error(DecodeErrorKind::Critical(e.typ))),
        }
        Ok(true)
    }
}

/// A fragment's index or count. No packet has more fragments than bytes.
fn fragment_number(e: &Element<'_>) -> Result<u16, DecodeError> {
    let number = usize::try_from(e.number()?).ok().filter(|n| *n <= crate::MAX_PACKET);
    number.map(|n| n as u16).ok_or(e.error(DecodeErrorKind::BadFragment))
}

/// The reason of a Nack. A code that does not fit 16 bits reads as 65535.
fn read_nack(field: &Element<'_>) -> Result<NackReason, DecodeError> {
    let code = inner_number(field, LP_NACK_REASON)?.unwrap_or(0);
    Ok(NackReason::from_code(u16::try_from(code).unwrap_or(u16::MAX)))
}

fn read_cache_policy(field: &Element<'_>) -> Result<CachePolicy, DecodeError> {
    match inner_number(field, LP_CACHE_POLICY_TYPE)? {
        Some(1) => Ok(CachePolicy::NoCache),
        Some(code) => Ok(CachePolicy::Other(code)),
        None => Err(field.error(DecodeErrorKind::Missing(LP_CACHE_POLICY_TYPE))),
    }
}

/// The number in the element of this type inside a field.
fn inner_number(field: &Element<'_>, typ: u32) -> Result<Option<u64>, DecodeError> {
    let mut reader = field.reader();
    let mut number = None;
    while let Some(e) = reader.read()? {
        match e.typ == typ && number.is_none() {
            true => number = Some(e.number()?),
            false => e.ignore()?,
        }
    }
    Ok(number)
}

impl LpHeader {
    /// Length in bytes of the fields that are set.
    fn wire_len(&self) -> usize {
        let number = |typ, n: Option<u64>| n.map_or(0, |n| number_element_len(typ, n));
        let eight = |typ, n: usize| n * element_len(typ, 8);
        let fragment = |typ, n: u16| if self.frag_count == 1 { 0 } else { number_element_len(typ, n.into()) };
        eight(LP_SEQUENCE, self.sequence.iter().len())
            + fragment(LP_FRAG_INDEX, self.frag_index)
            + fragment(LP_FRAG_COUNT, self.frag_count)
            + number(LP_INCOMING_FACE_ID, self.incoming_face)
            + number(LP_NEXT_HOP_FACE_ID, self.next_hop_face)
            + self
                .cache_policy
                .map_or(0, |p| element_len(LP_CACHE_POLICY, number_element_len(LP_CACHE_POLICY_TYPE, p.code())))
            + eight(LP_ACK, self.acks.len())
            + eight(LP_TX_SEQUENCE, self.tx_sequence.iter().len())
            + if self.non_discovery { element_len(LP_NON_DISCOVERY, 0) } else { 0 }
            + self.prefix_announcement.as_ref().map_or(0, |d| element_len(LP_PREFIX_ANNOUNCEMENT, d.len()))
    }

    /// Fields in front of the PIT token.
    fn write_first(&self, out: &mut Vec<u8>) {
        if let Some(n) = self.sequence {
            write_element(out, LP_SEQUENCE, &n.to_be_bytes());
        }
        if self.frag_count != 1 {
            write_number(out, LP_FRAG_INDEX, self.frag_index.into());
            write_number(out, LP_FRAG_COUNT, self.frag_count.into());
        }
    }

    /// Fields between the Nack and the congestion mark.
    fn write_middle(&self, out: &mut Vec<u8>) {
        if let Some(face) = self.incoming_face {
            write_number(out, LP_INCOMING_FACE_ID, face);
        }
        if let Some(face) = self.next_hop_face {
            write_number(out, LP_NEXT_HOP_FACE_ID, face);
        }
        if let Some(policy) = self.cache_policy {
            write_header(out, LP_CACHE_POLICY, number_element_len(LP_CACHE_POLICY_TYPE, policy.code()));
            write_number(out, LP_CACHE_POLICY_TYPE, policy.code());
        }
    }

    /// Fields behind the congestion mark.
    fn write_last(&self, out: &mut Vec<u8>) {
        for ack in &self.acks {
            write_element(out, LP_ACK, &ack.to_be_bytes());
        }
        if let Some(n) = self.tx_sequence {
            write_element(out, LP_TX_SEQUENCE, &n.to_be_bytes());
        }
        if self.non_discovery {
            write_header(out, LP_NON_DISCOVERY, 0);
        }
        if let Some(data) = &self.prefix_announcement {
            write_element(out, LP_PREFIX_ANNOUNCEMENT, data);
        }
    }
}

/// Appends the header of a link packet up to its fragment's first byte, or nothing if a bare packet will do. Fields
/// stand in the order of their types, as some peers insist.
pub(crate) fn write_link(
    out: &mut Vec<u8>,
    header: &LpHeader,
    hop: &HopFields,
    nack: Option<NackReason>,
    fragment: Option<usize>,
) {
    let fields = header.wire_len() + hop.wire_len() + nack.map_or(0, NackReason::header_len);
    match fragment {
        Some(_) if fields == 0 => return,
        Some(len) => write_header(out, LP_PACKET, fields + element_len(LP_FRAGMENT, len)),
        None => write_header(out, LP_PACKET, fields),
    }
    header.write_first(out);
    if let Some(token) = &hop.pit_token {
        write_element(out, LP_PIT_TOKEN, token);
    }
    if let Some(reason) = nack {
        write_header(out, LP_NACK, reason.value_len());
        if reason.code() != 0 {
            write_number(out, LP_NACK_REASON, reason.code().into());
        }
    }
    header.write_middle(out);
    if hop.congestion_mark != 0 {
        write_number(out, LP_CONGESTION_MARK, hop.congestion_mark.into());
    }
    header.write_last(out);
    hop.write_own(out);
    if let Some(len) = fragment {
        write_header(out, LP_FRAGMENT, len);
    }
}

impl HopFields {
    /// Weir's own fields.
    fn write_own(&self, out: &mut Vec<u8>) {
        let mut number = |typ, n: u64| {
            if n != 0 {
                write_number(out, typ, n);
            }
        };
        number(WEIR_QUEUE_DELAY, self.queue_delay.into());
        number(WEIR_MARK_DISTANCE, self.mark_distance.into());
        number(WEIR_FEEDBACK, self.feedback.code());
        if self.loss_notice {
            write_header(out, WEIR_LOSS_NOTICE, 0);
        }
    }
}
