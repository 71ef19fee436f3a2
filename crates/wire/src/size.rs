//! Lengths of encoded packets, without encoding them. The simulator asks once per hop, so nothing here allocates or
//! depends on the length of a name.

use crate::name::{Name, number_len, var_len};
use crate::packet::{
    Content, Data, Feedback, HopFields, Interest, InterestExtras, Kind, Nack, NackReason, Packet, VirtualData,
};

/// Length of a whole TLV: type, length and value.
#[inline]
pub(crate) const fn tlv_len(typ: u32, value: usize) -> usize {
    var_len(typ as u64) + var_len(value as u64) + value
}

/// Length of a TLV whose value is a number in its shortest form.
#[inline]
pub(crate) const fn number_tlv_len(typ: u32, number: u64) -> usize {
    tlv_len(typ, number_len(number))
}

/// SignatureInfo of type DigestSha256 and the SignatureValue of 32 bytes.
const DIGEST_SIGNATURE_LEN: usize = 5 + 34;

impl Packet {
    /// Length in bytes of the frame that the encoder makes: the bare network packet, or a link packet around it when
    /// link fields are set.
    #[inline]
    pub fn wire_len(&self) -> usize {
        let (inner, nack) = match &self.kind {
            Kind::Interest(i) => (i.wire_len(), 0),
            Kind::Data(d) => (d.wire_len(), 0),
            Kind::Nack(n) => (n.interest.wire_len(), n.header_len()),
        };
        let header = self.hop.wire_len() + nack;
        if header == 0 { inner } else { lp_len(header, inner) }
    }
}

/// Length of a link packet with `header` bytes of header fields and a fragment of `inner` bytes.
#[inline]
pub(crate) const fn lp_len(header: usize, inner: usize) -> usize {
    tlv_len(crate::types::LP_PACKET, header + tlv_len(crate::types::LP_FRAGMENT, inner))
}

impl HopFields {
    /// Length in bytes of the link header fields that these take; 0 when all are at their defaults.
    #[inline]
    pub fn wire_len(&self) -> usize {
        use crate::types::*;
        let number = |typ, n: u64| if n == 0 { 0 } else { number_tlv_len(typ, n) };
        self.sendable_token().map_or(0, |t| tlv_len(LP_PIT_TOKEN, t.len()))
            + number(LP_CONGESTION_MARK, u64::from(self.congestion_mark))
            + number(WEIR_QUEUE_DELAY, u64::from(self.queue_delay))
            + number(WEIR_MARK_DISTANCE, u64::from(self.mark_distance))
            + number(WEIR_FEEDBACK, self.feedback.code())
            + if self.loss_notice { tlv_len(WEIR_LOSS_NOTICE, 0) } else { 0 }
            + number(WEIR_HOP_COUNT, u64::from(self.hop_count))
    }

    /// The PIT token, if it has a length that may be sent (1 to 32 bytes). Peers refuse frames with any other.
    #[inline]
    pub(crate) fn sendable_token(&self) -> Option<&[u8]> {
        self.pit_token.as_deref().filter(|t| (1..=32).contains(&t.len()))
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

impl Nack {
    /// Length in bytes of the Nack field of the link header.
    #[inline]
    pub(crate) fn header_len(&self) -> usize {
        tlv_len(crate::types::LP_NACK, self.reason.value_len())
    }
}

impl NackReason {
    /// Length in bytes of the Nack field's value: nothing for "no reason".
    #[inline]
    pub(crate) const fn value_len(self) -> usize {
        match self.code() {
            0 => 0,
            code => number_tlv_len(crate::types::LP_NACK_REASON, code as u64),
        }
    }
}

impl Interest {
    /// Length in bytes of the encoded Interest, without a link header.
    #[inline]
    pub fn wire_len(&self) -> usize {
        tlv_len(crate::types::INTEREST, self.value_len())
    }

    /// Length of the Interest's TLV-VALUE.
    #[inline]
    pub(crate) fn value_len(&self) -> usize {
        use crate::types::*;
        let lifetime = match self.lifetime_ms {
            Interest::DEFAULT_LIFETIME_MS => 0,
            ms => number_tlv_len(INTEREST_LIFETIME, u64::from(ms)),
        };
        self.name.wire_len()
            + if self.can_be_prefix { tlv_len(CAN_BE_PREFIX, 0) } else { 0 }
            + if self.must_be_fresh { tlv_len(MUST_BE_FRESH, 0) } else { 0 }
            + tlv_len(NONCE, 4)
            + lifetime
            + if self.hop_limit.is_some() { tlv_len(HOP_LIMIT, 1) } else { 0 }
            + self.extras.as_deref().map_or(0, InterestExtras::wire_len)
    }
}

impl InterestExtras {
    fn wire_len(&self) -> usize {
        use crate::types::*;
        let hint = match self.hint_len() {
            0 => 0,
            len => tlv_len(FORWARDING_HINT, len),
        };
        let parameters = self.parameters.as_ref().map_or(0, |p| tlv_len(APPLICATION_PARAMETERS, p.len()));
        hint + parameters + self.trailer.len()
    }

    /// Length of the ForwardingHint's TLV-VALUE.
    pub(crate) fn hint_len(&self) -> usize {
        self.forwarding_hint.iter().map(Name::wire_len).sum()
    }
}

impl Name {
    /// Length in bytes of the encoded Name: its type, its length and its components.
    #[inline]
    pub fn wire_len(&self) -> usize {
        tlv_len(crate::types::NAME, self.value_len())
    }
}

impl Data {
    /// Length in bytes of the encoded Data, without a link header.
    #[inline]
    pub fn wire_len(&self) -> usize {
        match &self.content {
            Content::Virtual(v) => tlv_len(crate::types::DATA, v.data_value_len(&self.name)),
            Content::Encoded(e) => e.wire.len(),
        }
    }
}

impl VirtualData {
    /// Length of the TLV-VALUE of the Data with this name.
    #[inline]
    pub(crate) fn data_value_len(&self, name: &Name) -> usize {
        use crate::types::*;
        let meta = match self.meta_len() {
            0 => 0,
            len => tlv_len(META_INFO, len),
        };
        name.wire_len() + meta + tlv_len(CONTENT, self.payload as usize) + DIGEST_SIGNATURE_LEN
    }

    /// Length of the MetaInfo's TLV-VALUE.
    #[inline]
    fn meta_len(&self) -> usize {
        use crate::types::*;
        let freshness = match self.freshness_ms {
            0 => 0,
            ms => number_tlv_len(FRESHNESS_PERIOD, u64::from(ms)),
        };
        let component = |n| number_tlv_len(u32::from(crate::component_type::SEGMENT), u64::from(n));
        freshness + self.final_segment.map_or(0, |n| tlv_len(FINAL_BLOCK_ID, component(n)))
    }
}
