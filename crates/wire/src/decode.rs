//! Bytes to packets. Each decoder walks the elements once; what it keeps of them are slices of the frame.

use crate::error::{DecodeError, DecodeErrorKind};
use crate::lp::LpPacket;
use crate::name::{Name, component_type};
use crate::packet::{Content, Data, EncodedData, Interest, InterestExtras, Kind, Packet};
use crate::tlv::{Element, Reader, is_critical};
use crate::types::*;
use bytes::Bytes;
use std::sync::Arc;

impl Packet {
    /// Reads a frame: a bare Interest or Data, or a link packet with a whole one inside. What a link header says
    /// beyond [`HopFields`](crate::HopFields) is left out; use [`LpPacket`] where it matters.
    ///
    /// A Data keeps the frame's bytes alive and is sent on verbatim. An Interest without a nonce is refused: one
    /// must be there on every link.
    pub fn decode(frame: Bytes) -> Result<Packet, DecodeError> {
        let element = whole(&frame)?;
        if element.typ == LP_PACKET {
            let link = LpPacket::from_element(&frame, &element)?;
            // The fragment is the last field, so its place follows from its length.
            let start = frame.len() - link.fragment.as_ref().map_or(0, Bytes::len);
            return link.into_packet().map_err(|e| e.behind(start));
        }
        Ok(Packet::new(Kind::from_element(&frame, &element)?))
    }
}

impl Kind {
    /// Reads the bytes of one Interest or Data.
    pub(crate) fn decode(packet: &Bytes) -> Result<Kind, DecodeError> {
        Kind::from_element(packet, &whole(packet)?)
    }

    fn from_element(frame: &Bytes, element: &Element<'_>) -> Result<Kind, DecodeError> {
        match element.typ {
            INTEREST => Interest::from_element(frame, element).map(Kind::Interest),
            DATA => Data::from_element(frame, element).map(Kind::Data),
            other => Err(element.error(DecodeErrorKind::Unexpected(other))),
        }
    }
}

impl Interest {
    /// Reads the bytes of one Interest, without a link header.
    pub fn decode(packet: &Bytes) -> Result<Interest, DecodeError> {
        match Kind::decode(packet)? {
            Kind::Interest(interest) => Ok(interest),
            _ => Err(DecodeError { kind: DecodeErrorKind::Unexpected(DATA), at: 0 }),
        }
    }

    fn from_element(frame: &Bytes, element: &Element<'_>) -> Result<Interest, DecodeError> {
        let mut reader = element.reader();
        let name = reader.expect(NAME)?;
        let interest = Interest::new(Name::from_element(&name)?, 0);
        if interest.name.is_empty() {
            return Err(name.error(DecodeErrorKind::EmptyName));
        }
        let mut fields = InterestFields { interest, nonce: None, extras: InterestExtras::default(), covered: None };
        let mut early = Vec::new();
        let mut order = Order::after_name();
        while let Some(e) = reader.read()? {
            if order.take(&e, interest_place(e.typ))? {
                fields.set(frame, &e)?;
            } else if interest_place(e.typ) == 0 && fields.covered.is_none() {
                early.extend_from_slice(&frame[e.start..e.end()]);
            }
        }
        fields.finish(frame, element, early)
    }
}

/// Places of an Interest's elements in their order; 0 is "unknown". A signature (44, 46) needs no place: it is kept
/// with everything else behind the parameters.
fn interest_place(typ: u32) -> u8 {
    match typ {
        NAME => 1,
        CAN_BE_PREFIX => 2,
        MUST_BE_FRESH => 3,
        FORWARDING_HINT => 4,
        NONCE => 5,
        INTEREST_LIFETIME => 6,
        HOP_LIMIT => 7,
        APPLICATION_PARAMETERS => 8,
        _ => 0,
    }
}

struct InterestFields {
    interest: Interest,
    nonce: Option<u32>,
    extras: InterestExtras,
    /// Where ApplicationParameters begins and ends.
    covered: Option<(usize, usize)>,
}

impl InterestFields {
    fn set(&mut self, frame: &Bytes, e: &Element<'_>) -> Result<(), DecodeError> {
        let interest = &mut self.interest;
        match e.typ {
            CAN_BE_PREFIX => {
                e.empty()?;
                interest.can_be_prefix = true;
            }
            MUST_BE_FRESH => {
                e.empty()?;
                interest.must_be_fresh = true;
            }
            FORWARDING_HINT => self.extras.forwarding_hint = read_hint(e)?,
            NONCE => self.nonce = Some(u32::from_be_bytes(e.array()?)),
            // A longer lifetime than 2^32 - 1 ms (49 days) reads as that.
            INTEREST_LIFETIME => interest.lifetime_ms = u32::try_from(e.number()?).unwrap_or(u32::MAX),
            HOP_LIMIT => interest.hop_limit = Some(u8::from_be_bytes(e.array()?)),
            _ => {
                self.extras.parameters = Some(frame.slice(e.value_start..e.end()));
                self.covered = Some((e.start, e.end()));
            }
        }
        Ok(())
    }

    /// `early`: ignorable elements in front of the parameters. Without parameters they are kept and sent on at the
    /// end; with parameters they are dropped, since they would change the digest there.
    fn finish(mut self, frame: &Bytes, whole: &Element<'_>, early: Vec<u8>) -> Result<Interest, DecodeError> {
        self.interest.nonce = self.nonce.ok_or(whole.error(DecodeErrorKind::Missing(NONCE)))?;
        self.extras.trailer = match self.covered {
            Some((_, end)) => frame.slice(end..whole.end()),
            None => early.into(),
        };
        let digest = self.covered.map(|(start, _)| crate::sign::sha256(&frame[start..whole.end()]));
        check_digest(&self.interest.name, digest).map_err(|kind| whole.error(kind))?;
        if self.extras != InterestExtras::default() {
            self.interest.extras = Some(Arc::new(self.extras));
        }
        Ok(self.interest)
    }
}

fn read_hint(element: &Element<'_>) -> Result<Vec<Name>, DecodeError> {
    let mut reader = element.reader();
    let mut names = Vec::new();
    while let Some(e) = reader.read()? {
        match e.typ {
            NAME => names.push(Name::from_element(&e)?),
            _ => e.ignore()?,
        }
    }
    Ok(names)
}

/// A name has exactly one parameters digest if there are parameters, and then the right one; else none.
fn check_digest(name: &Name, digest: Option<[u8; 32]>) -> Result<(), DecodeErrorKind> {
    let mut found = name.components().filter(|c| c.typ == component_type::PARAMETERS_DIGEST);
    match (found.next(), found.next(), digest) {
        (None, None, None) => Ok(()),
        (Some(c), None, Some(digest)) if *c.value == digest => Ok(()),
        (Some(_), None, Some(_)) => Err(DecodeErrorKind::ParametersDigestWrong),
        _ => Err(DecodeErrorKind::ParametersDigestCount),
    }
}

impl Data {
    /// Reads the bytes of one Data, without a link header.
    pub fn decode(packet: &Bytes) -> Result<Data, DecodeError> {
        match Kind::decode(packet)? {
            Kind::Data(data) => Ok(data),
            _ => Err(DecodeError { kind: DecodeErrorKind::Unexpected(INTEREST), at: 0 }),
        }
    }

    fn from_element(frame: &Bytes, element: &Element<'_>) -> Result<Data, DecodeError> {
        let mut reader = element.reader();
        let name = Name::from_element(&reader.expect(NAME)?)?;
        let wire = frame.slice(element.start..element.end());
        let mut data = EncodedData { wire, payload: Bytes::new(), freshness_ms: 0, content_type: 0, final_block: None };
        let mut order = Order::after_name();
        while let Some(e) = reader.read()? {
            if order.take(&e, data_place(e.typ))? {
                match e.typ {
                    META_INFO => data.read_meta(&e)?,
                    CONTENT => data.payload = frame.slice(e.value_start..e.end()),
                    SIGNATURE_INFO => drop(e.reader().expect(SIGNATURE_TYPE)?.number()?),
                    _ => {}
                }
            }
        }
        for (place, typ) in [(4, SIGNATURE_INFO), (5, SIGNATURE_VALUE)] {
            if !order.seen(place) {
                return Err(element.error(DecodeErrorKind::Missing(typ)));
            }
        }
        Ok(Data { name, content: Content::Encoded(Arc::new(data)) })
    }
}

fn data_place(typ: u32) -> u8 {
    match typ {
        NAME => 1,
        META_INFO => 2,
        CONTENT => 3,
        SIGNATURE_INFO => 4,
        SIGNATURE_VALUE => 5,
        _ => 0,
    }
}

impl EncodedData {
    fn read_meta(&mut self, meta: &Element<'_>) -> Result<(), DecodeError> {
        let mut reader = meta.reader();
        let mut order = Order::default();
        while let Some(e) = reader.read()? {
            match e.typ {
                CONTENT_TYPE if order.take(&e, 1)? => self.content_type = e.number()?,
                FRESHNESS_PERIOD if order.take(&e, 2)? => self.freshness_ms = e.number()?,
                FINAL_BLOCK_ID if order.take(&e, 3)? => self.final_block = Some(one_component(&e)?),
                _ => e.ignore()?,
            }
        }
        Ok(())
    }
}

fn one_component(element: &Element<'_>) -> Result<Name, DecodeError> {
    let name = Name::from_value(element)?;
    if name.len() == 1 { Ok(name) } else { Err(element.error(DecodeErrorKind::BadLength(element.typ))) }
}

/// Checks that the known elements of a packet come in order, each once.
#[derive(Default)]
struct Order {
    last: u8,
    seen: u16,
}

impl Order {
    /// Expects the elements behind the Name, whose place is 1.
    fn after_name() -> Order {
        Order { last: 1, seen: 0 }
    }

    /// True if the element is known and in its place (`place` is 0 for unknown types). False if it is to be passed
    /// over; an error if it may not be.
    #[inline]
    fn take(&mut self, e: &Element<'_>, place: u8) -> Result<bool, DecodeError> {
        if place > self.last {
            self.last = place;
            self.seen |= 1 << place;
            return Ok(true);
        }
        match place {
            0 => e.ignore()?,
            _ if is_critical(e.typ) => return Err(e.error(DecodeErrorKind::OutOfOrder(e.typ))),
            _ => {}
        }
        Ok(false)
    }

    fn seen(&self, place: u8) -> bool {
        self.seen & 1 << place != 0
    }
}

/// The one element that all the bytes are.
pub(crate) fn whole(frame: &[u8]) -> Result<Element<'_>, DecodeError> {
    let mut reader = Reader::new(frame);
    if frame.len() > crate::MAX_PACKET {
        return Err(reader.error(DecodeErrorKind::TooLong));
    }
    let element = reader.read()?.ok_or(reader.error(DecodeErrorKind::Overrun))?;
    if element.end() < frame.len() {
        return Err(reader.error(DecodeErrorKind::TrailingBytes));
    }
    Ok(element)
}
