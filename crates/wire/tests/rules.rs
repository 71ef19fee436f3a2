//! The rules of the packet format, one by one, on bytes written by hand.

use bytes::Bytes;
use weir_wire::tlv::{write_element, write_number};
use weir_wire::types::*;
use weir_wire::{
    Content, Data, DecodeError, DecodeErrorKind as Why, Feedback, HopFields, Interest, Kind, LpPacket, MAX_PACKET,
    MetaInfo, NackReason, Name, Packet, VirtualData, component_type as ct,
};

fn tlv(typ: u32, value: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    write_element(&mut out, typ, value);
    out
}

fn number(typ: u32, number: u64) -> Vec<u8> {
    let mut out = Vec::new();
    write_number(&mut out, typ, number);
    out
}

/// Name `/a`.
const NAME_A: [u8; 5] = [7, 3, 8, 1, b'a'];
/// Nonce 0x01020304.
const NONCE_1: [u8; 6] = [10, 4, 1, 2, 3, 4];

fn interest(parts: &[&[u8]]) -> Result<Interest, Why> {
    Interest::decode(&tlv(INTEREST, &parts.concat()).into()).map_err(|e| e.kind)
}

fn data(parts: &[&[u8]]) -> Result<Data, Why> {
    Data::decode(&tlv(DATA, &parts.concat()).into()).map_err(|e| e.kind)
}

fn link(parts: &[&[u8]]) -> Result<LpPacket, Why> {
    LpPacket::decode(tlv(LP_PACKET, &parts.concat()).into()).map_err(|e| e.kind)
}

fn packet(parts: &[&[u8]]) -> Result<Packet, Why> {
    Packet::decode(tlv(LP_PACKET, &parts.concat()).into()).map_err(|e| e.kind)
}

fn name(uri: &str) -> Name {
    uri.parse().unwrap()
}

fn virtual_data(uri: &str, payload: u32, freshness_ms: u32, final_segment: Option<u32>) -> Data {
    Data { name: name(uri), content: Content::Virtual(VirtualData { payload, freshness_ms, final_segment }) }
}

#[test]
fn smallest_interest() {
    let found = interest(&[&NAME_A, &NONCE_1]).unwrap();
    assert_eq!(found, Interest::new(name("/a"), 0x01020304));
    assert_eq!(found.encode(), tlv(INTEREST, &[&NAME_A[..], &NONCE_1].concat()));
}

#[test]
fn full_interest_in_bytes() {
    let mut full = Interest::new(name("/a"), 0x01020304);
    full.can_be_prefix = true;
    full.must_be_fresh = true;
    full.hop_limit = Some(7);
    full.lifetime_ms = 1000;
    let parts: [&[u8]; 6] = [&NAME_A, &[33, 0], &[18, 0], &NONCE_1, &[12, 2, 3, 232], &[34, 1, 7]];
    assert_eq!(full.encode(), tlv(INTEREST, &parts.concat()));
    assert_eq!(interest(&parts).unwrap(), full);
}

#[test]
fn an_interest_needs_a_name_with_components_and_a_nonce() {
    assert_eq!(interest(&[]), Err(Why::Missing(NAME)));
    assert_eq!(interest(&[&NONCE_1]), Err(Why::Missing(NAME)));
    assert_eq!(interest(&[&[7, 0], &NONCE_1]), Err(Why::EmptyName));
    assert_eq!(interest(&[&NAME_A]), Err(Why::Missing(NONCE)));
}

#[test]
fn elements_of_an_interest_have_fixed_lengths() {
    assert_eq!(interest(&[&NAME_A, &[10, 3, 1, 2, 3]]), Err(Why::BadLength(NONCE)));
    assert_eq!(interest(&[&NAME_A, &[10, 5, 1, 2, 3, 4, 5]]), Err(Why::BadLength(NONCE)));
    assert_eq!(interest(&[&NAME_A, &NONCE_1, &[34, 2, 0, 1]]), Err(Why::BadLength(HOP_LIMIT)));
    assert_eq!(interest(&[&NAME_A, &NONCE_1, &[34, 0]]), Err(Why::BadLength(HOP_LIMIT)));
    assert_eq!(interest(&[&NAME_A, &[33, 1, 0], &NONCE_1]), Err(Why::BadLength(CAN_BE_PREFIX)));
    assert_eq!(interest(&[&NAME_A, &[18, 1, 0], &NONCE_1]), Err(Why::BadLength(MUST_BE_FRESH)));
    assert_eq!(interest(&[&NAME_A, &NONCE_1, &[12, 3, 0, 0, 1]]), Err(Why::BadLength(INTEREST_LIFETIME)));
}

#[test]
fn critical_elements_keep_their_order() {
    assert_eq!(interest(&[&NAME_A, &NONCE_1, &[33, 0]]), Err(Why::OutOfOrder(CAN_BE_PREFIX)));
    assert_eq!(interest(&[&NAME_A, &NONCE_1, &NONCE_1]), Err(Why::OutOfOrder(NONCE)));
    assert_eq!(interest(&[&NAME_A, &NAME_A, &NONCE_1]), Err(Why::OutOfOrder(NAME)));
    assert_eq!(interest(&[&NAME_A, &[34, 1, 9], &NONCE_1]), Err(Why::OutOfOrder(NONCE)));
    // A HopLimit is not critical: the second one is passed over.
    let found = interest(&[&NAME_A, &NONCE_1, &[34, 1, 9], &[34, 1, 8]]).unwrap();
    assert_eq!((found.hop_limit, found.extras), (Some(9), None));
}

#[test]
fn unknown_elements_of_an_interest() {
    for critical in [1, 9, 13, 31, 35, 65535] {
        assert_eq!(interest(&[&NAME_A, &NONCE_1, &tlv(critical, b"x")]), Err(Why::Critical(critical)));
    }
    let (early, late) = (tlv(200, b"early"), tlv(65534, b"late"));
    let found = interest(&[&NAME_A, &early, &NONCE_1, &late]).unwrap();
    assert_eq!(found.extras.as_ref().unwrap().trailer, [&early[..], &late].concat(), "kept, at the end");
    assert_eq!(found.encode(), tlv(INTEREST, &[&NAME_A[..], &NONCE_1, &early, &late].concat()));
    // One whose length overruns does not make the decoder read on.
    assert_eq!(interest(&[&NAME_A, &NONCE_1, &[200, 9]]), Err(Why::Overrun));
}

#[test]
fn lifetimes_are_cut_to_32_bits() {
    let found = interest(&[&NAME_A, &NONCE_1, &number(INTEREST_LIFETIME, 1 << 32)]).unwrap();
    assert_eq!(found.lifetime_ms, u32::MAX);
    let found = interest(&[&NAME_A, &NONCE_1, &[12, 4, 0, 0, 0, 5]]).unwrap();
    assert_eq!(found.lifetime_ms, 5, "numbers inside elements may be longer than needed");
}

#[test]
fn forwarding_hints() {
    let found = interest(&[&NAME_A, &tlv(FORWARDING_HINT, &[&NAME_A[..], &NAME_A].concat()), &NONCE_1]).unwrap();
    assert_eq!(found.extras.unwrap().forwarding_hint, [name("/a"), name("/a")]);
    let old = tlv(31, &[&number(30, 1)[..], &NAME_A].concat());
    assert_eq!(interest(&[&NAME_A, &tlv(FORWARDING_HINT, &old), &NONCE_1]), Err(Why::Critical(31)));
}

#[test]
fn parameters_and_their_digest_go_together() {
    let digest = |d: [u8; 32]| tlv(NAME, &[&NAME_A[2..], &tlv(ct::PARAMETERS_DIGEST.into(), &d)].concat());
    let parameters = tlv(APPLICATION_PARAMETERS, b"p");
    assert_eq!(interest(&[&NAME_A, &NONCE_1, &parameters]), Err(Why::ParametersDigestCount));
    assert_eq!(interest(&[&digest([0; 32]), &NONCE_1]), Err(Why::ParametersDigestCount));
    assert_eq!(interest(&[&digest([0; 32]), &NONCE_1, &parameters]), Err(Why::ParametersDigestWrong));
    let good = Interest::new(name("/a"), 1).with_parameters(&b"p"[..]);
    let twice = Interest { name: good.name.child(good.name.components().last().unwrap()), ..good.clone() };
    assert_eq!(Interest::decode(&twice.encode()).unwrap_err().kind, Why::ParametersDigestCount);
    assert_eq!(good.clone().with_parameters(&b"p"[..]), good, "the digest is replaced, not added");
    assert_eq!(Interest::decode(&good.encode()), Ok(good));
}

#[test]
fn what_stands_behind_parameters_is_kept_and_what_stands_before_is_not() {
    let good = Interest::new(name("/a"), 0x01020304).with_parameters(&b"p"[..]);
    let mut wire_name = Vec::new();
    good.name.encode_into(&mut wire_name);
    let found = interest(&[&wire_name, &tlv(200, b"early"), &NONCE_1, &tlv(APPLICATION_PARAMETERS, b"p")]);
    assert_eq!(found, Ok(good));
    let mut signed = Interest::new(name("/a"), 1).with_signed_parameters(&b"p"[..], 2, 3);
    assert!(signed.verify_digest());
    assert_eq!(Interest::decode(&signed.encode()).as_ref(), Ok(&signed));
    signed.name = name("/b").child(signed.name.components().last().unwrap());
    assert!(!signed.verify_digest(), "the name is signed too");
    assert!(!Interest::new(name("/a"), 1).with_parameters(&b"p"[..]).verify_digest(), "not signed");
}

#[test]
fn components_have_types_of_16_bits_and_digests_of_32_bytes() {
    let decode = |components: &[u8]| Name::decode(&tlv(NAME, components)).map_err(|e| e.kind);
    assert_eq!(decode(&tlv(65535, b"x")).unwrap().to_string(), "/65535=x");
    assert_eq!(decode(&tlv(65536, b"x")), Err(Why::BadType));
    assert_eq!(decode(&[0, 1, b'x']), Err(Why::BadType));
    assert_eq!(decode(&tlv(1, &[0; 31])), Err(Why::BadLength(1)));
    assert_eq!(decode(&tlv(2, &[0; 33])), Err(Why::BadLength(2)));
    assert_eq!(decode(&vec![8; MAX_PACKET + 1]), Err(Why::TooLong));
    assert_eq!(Name::decode(&[8, 0]).unwrap_err().kind, Why::Missing(NAME));
    assert_eq!(Name::decode(&[7, 0, 7, 0]).unwrap_err().kind, Why::TrailingBytes);
    // A segment number that is not in its shortest form is another name.
    assert_eq!(decode(&[50, 2, 0, 5]).unwrap().segment(), None);
    assert_eq!(decode(&[50, 1, 5]).unwrap().segment(), Some(5));
}

/// SignatureInfo and SignatureValue of type 200, an empty signature.
const NO_SIGNATURE: [u8; 7] = [22, 3, 27, 1, 200, 23, 0];

#[test]
fn virtual_data_in_bytes() {
    let wire = virtual_data("/a", 3, 10, Some(258)).encode();
    let meta = [20, 9, 25, 1, 10, 26, 4, 50, 2, 1, 2];
    let parts: [&[u8]; 5] = [&NAME_A, &meta, &[21, 3, 0, 0, 0], &[22, 3, 27, 1, 0], &[23, 32]];
    assert_eq!(wire[2..wire.len() - 32], parts.concat());
    assert_eq!((wire[0], usize::from(wire[1])), (6, wire.len() - 2));
    // No MetaInfo when there is nothing to say.
    assert_eq!(virtual_data("/a", 0, 0, None).wire_len(), 2 + 5 + 2 + 5 + 34);
}

#[test]
fn a_data_needs_a_name_and_a_signature() {
    assert_eq!(data(&[&NO_SIGNATURE]), Err(Why::Missing(NAME)));
    assert_eq!(data(&[&NAME_A, &NO_SIGNATURE[5..]]), Err(Why::Missing(SIGNATURE_INFO)));
    assert_eq!(data(&[&NAME_A, &NO_SIGNATURE[..5]]), Err(Why::Missing(SIGNATURE_VALUE)));
    assert_eq!(data(&[&NAME_A, &[22, 0], &[23, 0]]), Err(Why::Missing(SIGNATURE_TYPE)));
    let least = data(&[&NAME_A, &NO_SIGNATURE]).unwrap();
    assert_eq!((least.payload_len(), least.freshness_ms(), least.final_segment()), (0, 0, None));
    assert_eq!((least.signature_type(), least.verify_digest()), (200, false));
    assert!(data(&[&[7, 0], &NO_SIGNATURE]).is_ok(), "a Data may have the name /");
}

#[test]
fn unknown_elements_of_a_data() {
    let wire = tlv(DATA, &[&NAME_A[..], &tlv(200, b"x"), &NO_SIGNATURE, &tlv(202, b"y")].concat());
    assert_eq!(Data::decode(&wire.clone().into()).unwrap().encode(), wire, "kept where it is");
    assert_eq!(data(&[&NAME_A, &tlv(201, b"x"), &NO_SIGNATURE]), Err(Why::Critical(201)));
    assert_eq!(data(&[&NAME_A, &[21, 0], &[20, 0], &NO_SIGNATURE]), Err(Why::OutOfOrder(META_INFO)));
    assert_eq!(data(&[&NAME_A, &[21, 0], &[21, 0], &NO_SIGNATURE]), Err(Why::OutOfOrder(CONTENT)));
}

#[test]
fn meta_info() {
    let meta = |parts: &[&[u8]]| data(&[&NAME_A, &tlv(META_INFO, &parts.concat()), &NO_SIGNATURE]);
    let last = |components: &[u8]| meta(&[&tlv(FINAL_BLOCK_ID, components)]);
    assert_eq!(last(&[50, 1, 9]).unwrap().final_segment(), Some(9));
    assert_eq!(last(&[8, 1, 9]).unwrap().final_segment(), None);
    assert_eq!(last(&[]), Err(Why::BadLength(FINAL_BLOCK_ID)));
    assert_eq!(last(&[50, 1, 9, 50, 1, 9]), Err(Why::BadLength(FINAL_BLOCK_ID)));
    assert_eq!(meta(&[&[25, 1, 1], &[24, 1, 1]]), Err(Why::OutOfOrder(CONTENT_TYPE)));
    assert_eq!(meta(&[&[29, 0]]), Err(Why::Critical(29)));
    assert_eq!(meta(&[&[200, 0], &[25, 2, 1, 0]]).unwrap().freshness_ms(), 256);
}

#[test]
fn built_data_says_what_it_was_given() {
    let final_block = Some(name("/seg=4/too/long"));
    let built = Data::build(name("/a/seg=4"), b"hello", &MetaInfo { content_type: 2, freshness_ms: 7, final_block });
    let Content::Encoded(content) = &built.content else { panic!("no bytes") };
    assert_eq!((&content.payload[..], content.content_type, content.freshness_ms), (&b"hello"[..], 2, 7));
    assert_eq!(built.final_segment(), Some(4));
    assert!(built.verify_digest());
    assert_eq!(Data::decode(&built.encode()), Ok(built));
}

/// Wraps fields around a good Interest.
fn with_interest(fields: &[&[u8]]) -> Result<Packet, Why> {
    let fragment = tlv(LP_FRAGMENT, &tlv(INTEREST, &[&NAME_A[..], &NONCE_1].concat()));
    packet(&[&fields.concat(), &fragment])
}

#[test]
fn link_fields_in_bytes() {
    let hop = HopFields {
        pit_token: weir_wire::PitToken::new(&[1, 2]),
        queue_delay: 1000,
        congestion_mark: 1,
        mark_distance: 2,
        feedback: Feedback::Reduce,
        loss_notice: true,
        hop_count: 3,   // never on the wire
        frames_lost: 2, // nor this
    };
    let fields: [&[u8]; 6] = [
        &[98, 2, 1, 2],
        &[253, 3, 64, 1, 1],
        &[253, 3, 172, 2, 3, 232],
        &[253, 3, 176, 1, 2],
        &[253, 3, 180, 1, 2],
        &[253, 3, 184, 0],
    ];
    let packet = Packet::with_hop(hop.clone(), Kind::Interest(Interest::new(name("/a"), 0x01020304)));
    let fragment = tlv(LP_FRAGMENT, &tlv(INTEREST, &[&NAME_A[..], &NONCE_1].concat()));
    assert_eq!(packet.encode(), tlv(LP_PACKET, &[fields.concat(), fragment].concat()));
    let arrived = with_interest(&fields).unwrap();
    assert_eq!(
        (&arrived.kind, &arrived.hop),
        (&packet.kind, &HopFields { hop_count: 0, frames_lost: 0, ..hop.clone() })
    );
    assert_eq!(hop.wire_len(), fields.concat().len());
}

#[test]
fn tokens_have_1_to_32_bytes() {
    for len in [0, 33] {
        assert_eq!(weir_wire::PitToken::new(&vec![0; len]), None);
        assert_eq!(with_interest(&[&tlv(LP_PIT_TOKEN, &vec![0; len])]), Err(Why::BadLength(LP_PIT_TOKEN)));
    }
}

#[test]
fn numbers_in_link_fields_are_cut_to_what_we_keep() {
    let hop = |typ, n| with_interest(&[&number(typ, n)]).unwrap().into_parts().0;
    assert_eq!(hop(LP_CONGESTION_MARK, 256).congestion_mark, 255);
    assert_eq!(hop(LP_CONGESTION_MARK, 0), HopFields::default());
    assert_eq!(hop(WEIR_QUEUE_DELAY, 1 << 32).queue_delay, u32::MAX);
    assert_eq!(hop(WEIR_MARK_DISTANCE, 1 << 20).mark_distance, 255);
    let nack = with_interest(&[&tlv(LP_NACK, &number(LP_NACK_REASON, 1 << 20))]).unwrap();
    assert!(matches!(&nack.kind, Kind::Nack(n) if n.reason == NackReason::Other(u16::MAX)));
}

#[test]
fn unknown_link_fields() {
    for ignorable in [804, 808, 824, 936, 900] {
        assert_eq!(with_interest(&[&tlv(ignorable, b"anything")]).unwrap().hop, HopFields::default());
    }
    for critical in [79, 84, 99, 799, 801, 802, 803, 958, 960, 964, 65535] {
        assert_eq!(with_interest(&[&tlv(critical, b"")]), Err(Why::Critical(critical)));
    }
    // Our own numbers used by somebody else for something else.
    for ours in [WEIR_QUEUE_DELAY, WEIR_MARK_DISTANCE, WEIR_FEEDBACK, WEIR_LOSS_NOTICE] {
        assert_eq!(with_interest(&[&tlv(ours, b"other")]).unwrap().hop, HopFields::default());
    }
    assert_eq!(with_interest(&[&number(WEIR_FEEDBACK, 3)]).unwrap().hop.feedback, Feedback::None);
    assert_eq!(with_interest(&[&tlv(LP_CONGESTION_MARK, b"abc")]), Err(Why::BadLength(LP_CONGESTION_MARK)));
}

#[test]
fn link_fields_keep_their_order() {
    let (mark, token) = (number(LP_CONGESTION_MARK, 1), tlv(LP_PIT_TOKEN, b"t"));
    let fragment = tlv(LP_FRAGMENT, b"");
    assert_eq!(link(&[&mark, &token]), Err(Why::OutOfOrder(LP_PIT_TOKEN)));
    assert_eq!(link(&[&mark, &mark]), Err(Why::OutOfOrder(LP_CONGESTION_MARK)));
    assert_eq!(link(&[&fragment, &mark]), Err(Why::OutOfOrder(LP_CONGESTION_MARK)));
    assert_eq!(link(&[&fragment, &fragment]), Err(Why::OutOfOrder(LP_FRAGMENT)));
    assert_eq!(link(&[&fragment, &tlv(804, b"")]), Err(Why::OutOfOrder(804)));
    let ack = tlv(LP_ACK, &[0, 0, 0, 0, 0, 0, 0, 9]);
    assert_eq!(link(&[&ack, &ack]).unwrap().header.acks, [9, 9]);
    assert_eq!(link(&[&number(LP_ACK, 9)]), Err(Why::BadLength(LP_ACK)), "always 8 bytes");
}

#[test]
fn fragments() {
    let count = |index: u64, count: u64| {
        let fields = [number(LP_FRAG_INDEX, index), number(LP_FRAG_COUNT, count), tlv(LP_FRAGMENT, b"part")];
        link(&[&fields.concat()])
    };
    assert_eq!(count(1, 2).unwrap().into_packet().unwrap_err().kind, Why::Fragmented);
    assert_eq!(count(2, 2), Err(Why::BadFragment));
    assert_eq!(count(0, 0), Err(Why::BadFragment));
    assert_eq!(count(0, 8801), Err(Why::BadFragment));
    assert_eq!(count(0, u64::MAX), Err(Why::BadFragment));
    assert_eq!(link(&[&number(LP_FRAG_INDEX, 1)]), Err(Why::BadFragment));
    assert_eq!(packet(&[]), Err(Why::NoFragment));
    assert!(link(&[]).unwrap().fragment.is_none());
}

#[test]
fn a_nack_carries_an_interest() {
    let nack = tlv(LP_NACK, &number(LP_NACK_REASON, 50));
    assert!(
        matches!(with_interest(&[&nack]).unwrap().into_kind(), Kind::Nack(n) if n.reason == NackReason::Congestion)
    );
    let fragment = tlv(LP_FRAGMENT, &tlv(DATA, &[&NAME_A[..], &NO_SIGNATURE].concat()));
    assert_eq!(packet(&[&nack, &fragment]), Err(Why::Unexpected(DATA)));
    assert_eq!(link(&[&tlv(LP_NACK, &[29, 0])]), Err(Why::Critical(29)));
    assert_eq!(link(&[&tlv(LP_CACHE_POLICY, b"")]), Err(Why::Missing(LP_CACHE_POLICY_TYPE)));
}

#[test]
fn frames_are_one_packet_of_at_most_8800_bytes() {
    let decode = |frame: Vec<u8>| Packet::decode(frame.into()).map_err(|e| e.kind);
    let fill = |payload| virtual_data("/a", payload, 0, None);
    let payload = (MAX_PACKET - fill(1000).wire_len() + 1000) as u32;
    assert_eq!(fill(payload).wire_len(), MAX_PACKET);
    assert!(decode(fill(payload).encode().to_vec()).is_ok());
    assert_eq!(decode(fill(payload + 1).encode().to_vec()), Err(Why::TooLong));
    assert_eq!(decode(vec![]), Err(Why::Overrun));
    let mut two = Interest::new(name("/a"), 1).encode().to_vec();
    two.push(0);
    assert_eq!(decode(two), Err(Why::TrailingBytes));
    assert_eq!(decode(tlv(7, b"")), Err(Why::Unexpected(7)));
    assert_eq!(LpPacket::decode(tlv(7, b"").into()).map_err(|e| e.kind), Err(Why::Unexpected(7)));
}

#[test]
fn nesting_is_not_followed() {
    // Each element inside the one before it, as deep as a packet allows; `types` from the inside out.
    let nest = |types: &[u32]| {
        let mut bomb = Vec::new();
        while bomb.len() + 16 < MAX_PACKET {
            bomb = types.iter().fold(bomb, |inner, typ| tlv(*typ, &inner));
        }
        Packet::decode(bomb.into()).map_err(|e| e.kind)
    };
    assert_eq!(nest(&[LP_FRAGMENT, LP_PACKET]), Err(Why::NestedLink));
    assert_eq!(nest(&[INTEREST]), Err(Why::Missing(NAME)));
    assert_eq!(nest(&[DATA]), Err(Why::Missing(NAME)));
    assert!(nest(&[LP_PACKET]).is_err());
    let names = (0..2000).fold(Vec::new(), |inner, _| tlv(NAME, &inner));
    // A component may have type 7; what is inside is only bytes.
    assert_eq!(Name::decode(&names).unwrap().len(), 1);
}

#[test]
fn errors_name_the_place() {
    let bare = tlv(INTEREST, &[&NAME_A[..], &NONCE_1, &[35, 0]].concat());
    let error = Packet::decode(bare.clone().into()).unwrap_err();
    assert_eq!(error, DecodeError { kind: Why::Critical(35), at: 13 });
    assert_eq!(error.to_string(), "at byte 13: unknown critical element of type 35");
    let wrapped = tlv(LP_PACKET, &[number(LP_CONGESTION_MARK, 1), tlv(LP_FRAGMENT, &bare)].concat());
    let error = Packet::decode(wrapped.clone().into()).unwrap_err();
    assert_eq!(wrapped[error.at..], [35, 0]);
}

#[test]
fn data_is_not_copied() {
    let frame = Bytes::from(virtual_data("/a", 100, 0, None).encode().to_vec());
    let Kind::Data(data) = Packet::decode(frame.clone()).unwrap().into_kind() else { panic!("no Data") };
    let Content::Encoded(content) = &data.content else { panic!("no bytes") };
    assert_eq!(content.wire.as_ptr(), frame.as_ptr());
    assert_eq!(data.encode().as_ptr(), frame.as_ptr());
    assert_eq!(Packet::from(data.clone()).encode().as_ptr(), frame.as_ptr());
    assert!(frame.as_ptr_range().contains(&content.payload.as_ptr()));
}

#[test]
fn a_renewed_packet_keeps_its_name_and_nothing_else() {
    let content: Name = "/a".parse().unwrap();
    let mut asked: Packet = Interest::new(content.with_segment(3), 7).into();
    asked.hop.congestion_mark = 1;
    let asked_len = asked.wire_len();
    let data = virtual_data("/a/seg=3", 100, 0, None);
    let answer = asked.renewed_with_name(HopFields::default(), |name| Kind::Data(Data { name, ..data.clone() }));
    assert_eq!(answer, Packet::from(data.clone()));
    assert!(answer.wire_len() == data.wire_len() && answer.wire_len() != asked_len);
    let next = answer.renewed_with_name(HopFields::default(), |mut name| {
        name.become_segment(&content, 4);
        Kind::Interest(Interest::new(name, 8))
    });
    assert_eq!(next, Interest::new("/a/seg=4".parse().unwrap(), 8).into());
}

#[test]
fn a_name_becomes_a_segment_of_any_content() {
    for (from, content) in [("/a/seg=1", "/a"), ("/b/seg=1", "/a"), ("/a", "/a/seg=7"), ("/", "/")] {
        let (mut name, content): (Name, Name) = (from.parse().unwrap(), content.parse().unwrap());
        for number in [0, 5, u64::MAX] {
            name.become_segment(&content, number);
            assert_eq!(name, content.with_segment(number), "{from}");
        }
    }
}
