//! Packets to bytes. Every encoder appends exactly as many bytes as the `wire_len` of what it encodes.

use crate::lp::{LpHeader, write_link};
use crate::packet::{Content, Data, Interest, InterestExtras, Kind, Packet};
use crate::tlv::{write_element, write_header, write_number};
use crate::types::*;
use bytes::Bytes;

impl Packet {
    /// The frame: the bare network packet, or a link packet around it when link fields are set.
    ///
    /// It may be longer than [`MAX_PACKET`](crate::MAX_PACKET), which peers refuse: ask [`Packet::wire_len`] first.
    pub fn encode(&self) -> Bytes {
        match &self.kind {
            Kind::Data(Data { content: Content::Encoded(e), .. }) if self.hop.wire_len() == 0 => e.wire.clone(),
            _ => {
                let mut out = Vec::with_capacity(self.wire_len());
                self.encode_into(&mut out);
                out.into()
            }
        }
    }

    /// Appends the frame to `out`.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        out.reserve(self.wire_len());
        write_link(out, &LpHeader::default(), &self.hop, self.nack_reason(), Some(self.network_len()));
        match &self.kind {
            Kind::Interest(i) => i.encode_into(out),
            Kind::Data(d) => d.encode_into(out),
            Kind::Nack(n) => n.interest.encode_into(out),
        }
    }

    /// The network packet alone (of a Nack: the Interest), without link fields. A Data in bytes is not copied.
    pub fn encode_network(&self) -> Bytes {
        match &self.kind {
            Kind::Interest(i) => i.encode(),
            Kind::Data(d) => d.encode(),
            Kind::Nack(n) => n.interest.encode(),
        }
    }
}

impl Interest {
    /// The encoded Interest, without a link header.
    pub fn encode(&self) -> Bytes {
        let mut out = Vec::with_capacity(self.wire_len());
        self.encode_into(&mut out);
        out.into()
    }

    /// Appends the encoded Interest to `out`.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        write_header(out, INTEREST, self.value_len());
        self.name.encode_into(out);
        if self.can_be_prefix {
            write_header(out, CAN_BE_PREFIX, 0);
        }
        if self.must_be_fresh {
            write_header(out, MUST_BE_FRESH, 0);
        }
        let extras = self.extras.as_deref();
        extras.inspect(|e| e.write_hint(out));
        write_element(out, NONCE, &self.nonce.to_be_bytes());
        if self.lifetime_ms != Interest::DEFAULT_LIFETIME_MS {
            write_number(out, INTEREST_LIFETIME, u64::from(self.lifetime_ms));
        }
        if let Some(hops) = self.hop_limit {
            write_element(out, HOP_LIMIT, &[hops]);
        }
        extras.inspect(|e| e.write_parameters(out));
    }
}

impl InterestExtras {
    fn write_hint(&self, out: &mut Vec<u8>) {
        if !self.forwarding_hint.is_empty() {
            write_header(out, FORWARDING_HINT, self.hint_len());
            self.forwarding_hint.iter().for_each(|n| n.encode_into(out));
        }
    }

    /// Appends what the parameters digest covers: ApplicationParameters to the end of the Interest.
    pub(crate) fn write_parameters(&self, out: &mut Vec<u8>) {
        if let Some(p) = &self.parameters {
            write_element(out, APPLICATION_PARAMETERS, p);
        }
        out.extend_from_slice(&self.trailer);
    }
}

impl Data {
    /// The encoded Data, without a link header. One that is in bytes already is not copied.
    pub fn encode(&self) -> Bytes {
        if let Content::Encoded(e) = &self.content {
            return e.wire.clone();
        }
        let mut out = Vec::with_capacity(self.wire_len());
        self.encode_into(&mut out);
        out.into()
    }

    /// Appends the encoded Data to `out`. A virtual one gets a payload of zeros and a good signature.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        match &self.content {
            Content::Encoded(e) => out.extend_from_slice(&e.wire),
            Content::Virtual(v) => {
                let payload = v.payload as usize;
                write_header(out, DATA, v.data_value_len(&self.name));
                let signed = out.len();
                self.name.encode_into(out);
                v.write_meta(out);
                write_header(out, CONTENT, payload);
                out.resize(out.len() + payload, 0);
                crate::sign::write_data_signature(out, signed);
            }
        }
    }
}

impl crate::packet::VirtualData {
    fn write_meta(&self, out: &mut Vec<u8>) {
        let segment = u32::from(crate::component_type::SEGMENT);
        match self.meta_len() {
            0 => return,
            len => write_header(out, META_INFO, len),
        }
        if self.freshness_ms != 0 {
            write_number(out, FRESHNESS_PERIOD, u64::from(self.freshness_ms));
        }
        if let Some(n) = self.final_segment.map(u64::from) {
            write_header(out, FINAL_BLOCK_ID, crate::tlv::number_element_len(segment, n));
            write_number(out, segment, n);
        }
    }
}

/// What a Data says about its content.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetaInfo {
    /// ContentType; 0 (BLOB) is not sent.
    pub content_type: u64,
    /// FreshnessPeriod in milliseconds; 0 is not sent.
    pub freshness_ms: u64,
    /// FinalBlockId: one component, as a name of length one. Of a longer name the first component counts; the name
    /// without components is not sent.
    pub final_block: Option<crate::Name>,
}

impl MetaInfo {
    /// Appends the MetaInfo element, if there is anything to say.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let mut value = Vec::new();
        if self.content_type != 0 {
            write_number(&mut value, CONTENT_TYPE, self.content_type);
        }
        if self.freshness_ms != 0 {
            write_number(&mut value, FRESHNESS_PERIOD, self.freshness_ms);
        }
        if let Some(last) = self.final_component() {
            write_header(&mut value, FINAL_BLOCK_ID, last.value_len());
            last.write_components(&mut value);
        }
        if !value.is_empty() {
            write_element(out, META_INFO, &value);
        }
    }

    /// FinalBlockId as it is sent.
    pub(crate) fn final_component(&self) -> Option<crate::Name> {
        self.final_block.as_ref().filter(|n| !n.is_empty()).map(|n| n.prefix(1))
    }
}
