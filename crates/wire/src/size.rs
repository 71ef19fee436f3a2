//! Lengths of encoded packets, without encoding them. The simulator asks once per hop, so nothing here allocates or
//! depends on the length of a name.

use crate::name::Name;
use crate::packet::{
    Content, Data, Feedback, HopFields, Interest, InterestExtras, Kind, NackReason, Packet, VirtualData,
};
use crate::tlv::{element_len, number_element_len};
use crate::types::*;

/// SignatureInfo of type DigestSha256 and the SignatureValue of 32 bytes.
const DIGEST_SIGNATURE_LEN: usize = 5 + 34;

impl Packet {
    /// Length in bytes of the frame that the encoder makes: the bare network packet, or a link packet around it when
    /// link fields are set.
    #[inline]
    pub fn wire_len(&self) -> usize {
        let inner = self.network_len();
        if self.hop.is_plain() && !matches!(self.kind, Kind::Nack(_)) { inner } else { self.link_len(inner) }
    }

    /// Length with a link header around `inner` bytes, if there is anything to say in it.
    fn link_len(&self, inner: usize) -> usize {
        let header = self.hop.wire_len() + self.nack_reason().map_or(0, NackReason::header_len);
        if header == 0 { inner } else { element_len(LP_PACKET, header + element_len(LP_FRAGMENT, inner)) }
    }

    /// The reason, if the packet is a Nack.
    #[inline]
    pub(crate) fn nack_reason(&self) -> Option<NackReason> {
        match &self.kind {
            Kind::Nack(n) => Some(n.reason),
            _ => None,
        }
    }
}

impl Kind {
    /// Length in bytes of the encoded packet; of a Nack: of its Interest.
    pub(crate) fn wire_len(&self) -> usize {
        match self {
            Kind::Interest(i) => i.wire_len(),
            Kind::Data(d) => d.wire_len(),
            Kind::Nack(n) => n.interest.wire_len(),
        }
    }
}

impl HopFields {
    /// Length in bytes of the link header fields that these take; 0 when all are at their defaults.
    #[inline]
    pub fn wire_len(&self) -> usize {
        if self.is_plain() { 0 } else { self.set_len() }
    }

    /// True if no field is set: the common case, in a handful of instructions.
    #[inline]
    fn is_plain(&self) -> bool {
        let small = u32::from(self.congestion_mark) | u32::from(self.mark_distance) | u32::from(self.loss_notice);
        self.pit_token.is_none() && (self.queue_delay | small) == 0 && matches!(self.feedback, Feedback::None)
    }

    fn set_len(&self) -> usize {
        let number = |typ, n: u64| if n == 0 { 0 } else { number_element_len(typ, n) };
        self.pit_token.as_ref().map_or(0, |t| element_len(LP_PIT_TOKEN, t.len()))
            + number(LP_CONGESTION_MARK, u64::from(self.congestion_mark))
            + number(WEIR_QUEUE_DELAY, u64::from(self.queue_delay))
            + number(WEIR_MARK_DISTANCE, u64::from(self.mark_distance))
            + number(WEIR_FEEDBACK, self.feedback.code())
            + if self.loss_notice { element_len(WEIR_LOSS_NOTICE, 0) } else { 0 }
    }
}

impl Feedback {
    /// The number on the wire; 0 is not sent.
    #[inline]
    pub(crate) const fn code(self) -> u64 {
        match self {
            Feedback::None => 0,
            Feedback::Add => 1,
            Feedback::Reduce => 2,
        }
    }
}

impl NackReason {
    /// Length in bytes of the Nack field of the link header.
    #[inline]
    pub(crate) const fn header_len(self) -> usize {
        element_len(LP_NACK, self.value_len())
    }

    /// Length in bytes of the Nack field's value: nothing for "no reason".
    #[inline]
    pub(crate) const fn value_len(self) -> usize {
        match self.code() {
            0 => 0,
            code => number_element_len(LP_NACK_REASON, code as u64),
        }
    }
}

impl Interest {
    /// Length in bytes of the encoded Interest, without a link header.
    #[inline]
    pub fn wire_len(&self) -> usize {
        element_len(INTEREST, self.value_len())
    }

    /// Length of the Interest's TLV-VALUE.
    #[inline]
    pub(crate) fn value_len(&self) -> usize {
        let lifetime = match self.lifetime_ms {
            Interest::DEFAULT_LIFETIME_MS => 0,
            ms => number_element_len(INTEREST_LIFETIME, u64::from(ms)),
        };
        self.name.wire_len()
            + if self.can_be_prefix { element_len(CAN_BE_PREFIX, 0) } else { 0 }
            + if self.must_be_fresh { element_len(MUST_BE_FRESH, 0) } else { 0 }
            + element_len(NONCE, 4)
            + lifetime
            + if self.hop_limit.is_some() { element_len(HOP_LIMIT, 1) } else { 0 }
            + self.extras.as_deref().map_or(0, InterestExtras::wire_len)
    }
}

impl InterestExtras {
    fn wire_len(&self) -> usize {
        let hint = match self.hint_len() {
            0 => 0,
            len => element_len(FORWARDING_HINT, len),
        };
        let parameters = self.parameters.as_ref().map_or(0, |p| element_len(APPLICATION_PARAMETERS, p.len()));
        hint + parameters + self.trailer.len()
    }

    /// Length of the ForwardingHint's TLV-VALUE.
    pub(crate) fn hint_len(&self) -> usize {
        self.forwarding_hint.iter().map(Name::wire_len).sum()
    }
}

impl Data {
    /// Length in bytes of the encoded Data, without a link header.
    #[inline]
    pub fn wire_len(&self) -> usize {
        match &self.content {
            Content::Virtual(v) => element_len(DATA, v.data_value_len(&self.name)),
            Content::Encoded(e) => e.wire.len(),
        }
    }
}

impl VirtualData {
    /// Length of the TLV-VALUE of the Data with this name.
    #[inline]
    pub(crate) fn data_value_len(&self, name: &Name) -> usize {
        let meta = match self.meta_len() {
            0 => 0,
            len => element_len(META_INFO, len),
        };
        name.wire_len() + meta + element_len(CONTENT, self.payload as usize) + DIGEST_SIGNATURE_LEN
    }

    /// Length of the MetaInfo's TLV-VALUE.
    #[inline]
    pub(crate) fn meta_len(&self) -> usize {
        let freshness = match self.freshness_ms {
            0 => 0,
            ms => number_element_len(FRESHNESS_PERIOD, u64::from(ms)),
        };
        let component = |n| number_element_len(u32::from(crate::component_type::SEGMENT), u64::from(n));
        freshness + self.final_segment.map_or(0, |n| element_len(FINAL_BLOCK_ID, component(n)))
    }
}
