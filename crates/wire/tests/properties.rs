//! What must hold for every packet, every name, and every sequence of bytes.

use bytes::Bytes;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use std::sync::Arc;
use weir_wire::tlv::write_element;
use weir_wire::{
    CachePolicy, Component, Content, Data, Feedback, HopFields, Interest, InterestExtras, KeyLocator, Kind, LpHeader,
    LpPacket, MAX_PACKET, MetaInfo, Nack, NackReason, Name, Packet, PitToken, Signature, SignatureInfo, SignatureType,
    SignedCommand, VirtualData, component_type as ct,
};

// ---- arbitrary things ----

fn any_bytes(max: usize) -> impl Strategy<Value = Bytes> {
    vec(any::<u8>(), 0..max).prop_map(Bytes::from)
}

/// Numbers of every encoded length, and the edges between them.
fn any_number() -> impl Strategy<Value = u64> {
    prop_oneof![
        0..3u64,
        Just(252),
        Just(253),
        Just(255),
        Just(256),
        Just(65535),
        Just(65536),
        (0..64u32).prop_map(|bits| u64::MAX >> bits),
        any::<u64>(),
    ]
}

fn any_component() -> impl Strategy<Value = Component<'static>> {
    let digest = |typ| vec(any::<u8>(), 32).prop_map(move |value| Component { typ, value: value.into() });
    prop_oneof![
        4 => vec(any::<u8>(), 0..6).prop_map(Component::generic),
        2 => "[a-c.]{0,3}".prop_map(|text| Component::generic(text.into_bytes())),
        3 => any_number().prop_map(|n| Component::number(ct::SEGMENT, n)),
        1 => any_number().prop_map(|n| Component::number(ct::VERSION, n)),
        1 => (3..=u16::MAX, vec(any::<u8>(), 0..10)).prop_map(|(typ, v)| Component { typ, value: v.into() }),
        // Looks like a segment, but not in the shortest form.
        1 => vec(any::<u8>(), 0..10).prop_map(|v| Component { typ: ct::SEGMENT, value: v.into() }),
        1 => digest(ct::IMPLICIT_DIGEST),
    ]
}

fn any_components() -> impl Strategy<Value = Vec<Component<'static>>> {
    vec(any_component(), 0..5)
}

fn any_name() -> impl Strategy<Value = Name> {
    any_components().prop_map(Name::from_components)
}

/// A name that an Interest may have.
fn any_request() -> impl Strategy<Value = Name> {
    vec(any_component(), 1..6).prop_map(Name::from_components)
}

/// Ignorable elements.
fn any_trailer() -> impl Strategy<Value = Bytes> {
    let typ = prop_oneof![Just(44u32), Just(46), (16u32..40_000).prop_map(|t| 2 * t)];
    vec((typ, vec(any::<u8>(), 0..6)), 0..3).prop_map(|elements| {
        let mut out = Vec::new();
        elements.iter().filter(|(t, _)| ![34, 36].contains(t)).for_each(|(t, v)| write_element(&mut out, *t, v));
        out.into()
    })
}

fn any_interest() -> impl Strategy<Value = Interest> {
    let plain = (
        any_request(),
        any::<u32>(),
        prop_oneof![Just(4000), any_number().prop_map(|n| n as u32)],
        any::<Option<u8>>(),
        any::<[bool; 2]>(),
    );
    let extras = (vec(any_name(), 0..3), option::of(any_bytes(300)), any_trailer());
    (plain, extras).prop_map(|((name, nonce, lifetime_ms, hop_limit, [can_be_prefix, must_be_fresh]), extras)| {
        let (forwarding_hint, parameters, trailer) = extras;
        let extras = InterestExtras { forwarding_hint, parameters: None, trailer };
        let extras = (extras != InterestExtras::default()).then(|| Arc::new(extras));
        let interest = Interest { name, nonce, lifetime_ms, hop_limit, can_be_prefix, must_be_fresh, extras };
        match parameters {
            Some(p) => interest.with_parameters(p),
            None => interest,
        }
    })
}

fn any_meta() -> impl Strategy<Value = MetaInfo> {
    let last = option::of(any_component().prop_map(|c| Name::from_components([c])));
    (any_number(), any_number(), last).prop_map(|(content_type, freshness_ms, final_block)| MetaInfo {
        content_type,
        freshness_ms,
        final_block,
    })
}

fn any_info() -> impl Strategy<Value = SignatureInfo> {
    let key =
        option::of(prop_oneof![any_name().prop_map(KeyLocator::Name), any_bytes(33).prop_map(KeyLocator::Digest)]);
    let nonce = option::of(vec(any::<u8>(), 1..10).prop_map(Bytes::from));
    let numbers = [option::of(any_number()), option::of(any_number())];
    (any_number(), key, nonce, numbers).prop_map(|(typ, key_locator, nonce, [time_ms, seq_num])| SignatureInfo {
        typ: SignatureType::from_code(typ),
        key_locator,
        nonce,
        time_ms,
        seq_num,
    })
}

fn any_real_data() -> impl Strategy<Value = Data> {
    (any_name(), any_bytes(600), any_meta()).prop_map(|(name, payload, meta)| Data::build(name, &payload, &meta))
}

fn any_virtual_data() -> impl Strategy<Value = Data> {
    let payload = prop_oneof![0..300u32, 0..8500u32];
    (any_name(), payload, any_number(), option::of(any_number())).prop_map(|(name, payload, freshness, last)| {
        let (freshness_ms, final_segment) = (freshness as u32, last.map(|n| n as u32));
        Data { name, content: Content::Virtual(VirtualData { payload, freshness_ms, final_segment }) }
    })
}

fn any_reason() -> impl Strategy<Value = NackReason> {
    prop_oneof![Just(0), Just(50), Just(100), Just(150), any::<u16>()].prop_map(NackReason::from_code)
}

fn any_kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        any_interest().prop_map(Kind::Interest),
        any_real_data().prop_map(Kind::Data),
        (any_reason(), any_interest()).prop_map(|(reason, interest)| Kind::Nack(Box::new(Nack { reason, interest }))),
    ]
}

fn any_hop() -> impl Strategy<Value = HopFields> {
    let token = vec(any::<u8>(), 0..=32).prop_map(|bytes| PitToken::new(&bytes));
    let feedback = prop_oneof![Just(Feedback::None), Just(Feedback::Add), Just(Feedback::Reduce)];
    let small = || prop_oneof![Just(0u8), any::<u8>()];
    let fields = (token, prop_oneof![Just(0), any::<u32>()], small(), small(), feedback, any::<bool>());
    let set =
        fields.prop_map(|(pit_token, queue_delay, congestion_mark, mark_distance, feedback, loss_notice)| HopFields {
            pit_token,
            queue_delay,
            congestion_mark,
            mark_distance,
            feedback,
            loss_notice,
            hop_count: 0,
            frames_lost: 0,
        });
    prop_oneof![Just(HopFields::default()), set]
}

fn any_packet() -> impl Strategy<Value = Packet> {
    (any_hop(), any_kind()).prop_map(|(hop, kind)| Packet::with_hop(hop, kind))
}

fn any_header() -> impl Strategy<Value = LpHeader> {
    let fragment = prop_oneof![Just((0, 1)), (1..=MAX_PACKET as u16).prop_flat_map(|count| (0..count, Just(count)))];
    let policy = prop_oneof![Just(1), any_number()].prop_map(|n| match n {
        1 => CachePolicy::NoCache,
        other => CachePolicy::Other(other),
    });
    let faces = (option::of(any_number()), option::of(any_number()), option::of(policy));
    let numbers = (any::<Option<u64>>(), vec(any::<u64>(), 0..3), any::<Option<u64>>());
    (fragment, faces, numbers, any::<bool>(), option::of(any_bytes(20))).prop_map(
        |((frag_index, frag_count), faces, (sequence, acks, tx_sequence), non_discovery, prefix_announcement)| {
            let (incoming_face, next_hop_face, cache_policy) = faces;
            LpHeader {
                sequence,
                frag_index,
                frag_count,
                incoming_face,
                next_hop_face,
                cache_policy,
                acks,
                tx_sequence,
                non_discovery,
                prefix_announcement,
            }
        },
    )
}

/// Damage: at a place, write a byte, take some out, or put one in.
type Damage = (usize, u8, u8);

fn any_damage() -> impl Strategy<Value = Vec<Damage>> {
    let byte = prop_oneof![any::<u8>(), 0..40u8, Just(100), Just(252), Just(253), Just(254), Just(255)];
    vec((any::<usize>(), 0..4u8, byte), 1..4)
}

fn damage(frame: &[u8], all: &[Damage]) -> Bytes {
    let mut frame = frame.to_vec();
    for (at, what, byte) in all {
        let at = at % frame.len().max(1);
        match what {
            0 => frame.insert(at, *byte),
            1 if !frame.is_empty() => drop(frame.remove(at)),
            2 => frame.truncate(at),
            _ if !frame.is_empty() => frame[at] = *byte,
            _ => {}
        }
    }
    frame.into()
}

// ---- names ----

proptest! {
    #[test]
    fn name_is_its_components(components in any_components()) {
        let name = Name::from_components(components.clone());
        prop_assert_eq!(name.components().collect::<Vec<_>>(), components.clone());
        prop_assert_eq!(name.len(), components.len());
        let mut wire = Vec::new();
        name.encode_into(&mut wire);
        prop_assert_eq!(wire.len(), name.wire_len());
        prop_assert_eq!(Name::decode(&wire).unwrap(), name);
    }

    #[test]
    fn name_in_text_comes_back(name in any_name()) {
        let text = name.to_string();
        prop_assert_eq!(text.parse::<Name>().unwrap(), name.clone(), "{}", text);
        prop_assert_eq!(format!("ndn:{text}").parse::<Name>().unwrap(), name);
    }

    #[test]
    fn order_and_equality_are_those_of_the_components(a in any_components(), b in any_components(), n in any_number()) {
        let (x, y) = (Name::from_components(a.clone()), Name::from_components(b.clone()));
        prop_assert_eq!(x.cmp(&y), a.cmp(&b));
        prop_assert_eq!(x == y, a == b);
        let (x, y) = (x.with_segment(n), x.with_segment(7));
        prop_assert_eq!(x.cmp(&y), n.cmp(&7));
        prop_assert_eq!(x == y, n == 7);
    }

    /// However a name came about, it is equal and has the same hash.
    #[test]
    fn equal_names_have_equal_hashes(components in any_components(), n in any_number()) {
        let name = Name::from_components(components);
        let segment = name.with_segment(n);
        let ways = [
            name.child(Component::number(ct::SEGMENT, n)),
            segment.to_string().parse().unwrap(),
            segment.child(Component::generic(&b"x"[..])).prefix(segment.len()),
            segment.with_segment(3).without_segment(),
            segment.with_segment(3).prefix(segment.len()),
        ];
        for other in ways {
            prop_assert_eq!(&other, &segment);
            prop_assert_eq!(other.hash64(), segment.hash64());
            prop_assert_eq!(other.segment(), segment.segment());
            prop_assert_eq!(other.cmp(&segment), std::cmp::Ordering::Equal);
        }
        if n != u64::MAX {
            prop_assert_eq!(segment.segment(), Some(n));
            prop_assert_eq!(segment.without_segment(), name);
        }
    }

    #[test]
    fn prefixes_are_those_of_the_components(a in any_components(), b in any_components(), n in 0..6usize) {
        let (x, y) = (Name::from_components(a.clone()), Name::from_components(b.clone()));
        prop_assert_eq!(x.is_prefix_of(&y), b.starts_with(&a));
        let start = x.prefix(n);
        prop_assert_eq!(start.components().collect::<Vec<_>>(), &a[..n.min(a.len())]);
        prop_assert!(start.is_prefix_of(&x));
        prop_assert_eq!(&start, &Name::from_components(a.into_iter().take(n)));
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in prop_oneof![".*", "(ndn:)?(/([a-c.%=0-9]|seg|v|sha256digest|%2[eE]){0,4}){0,3}/?"]) {
        match text.parse::<Name>() {
            Ok(name) => prop_assert_eq!(name.to_string().parse::<Name>().unwrap(), name),
            Err(e) => prop_assert!(e.at <= text.len(), "{}", e),
        }
    }
}

// ---- packets ----

proptest! {
    #[test]
    fn packet_comes_back(packet in any_packet()) {
        let frame = packet.encode();
        prop_assert_eq!(packet.wire_len(), frame.len());
        prop_assert_eq!(Packet::decode(frame.clone()).unwrap(), packet.clone());
        let mut appended = vec![1, 2, 3];
        packet.encode_into(&mut appended);
        prop_assert_eq!(&appended[3..], &frame[..]);
        let link = LpPacket::wrap(&packet);
        prop_assert_eq!((link.wire_len(), link.encode()), (frame.len(), frame));
        prop_assert_eq!(link.into_packet().unwrap(), packet);
    }

    #[test]
    fn data_keeps_its_bytes(data in any_real_data(), hop in any_hop()) {
        let packet = Packet::with_hop(hop, Kind::Data(data.clone()));
        let Kind::Data(received) = Packet::decode(packet.encode()).unwrap().into_kind() else { panic!("no Data") };
        prop_assert_eq!(received.encode(), data.encode());
        prop_assert!(received.verify_digest());
    }

    #[test]
    fn virtual_data_encodes_to_what_it_describes(data in any_virtual_data(), hop in any_hop()) {
        let Content::Virtual(described) = data.content else { panic!("no description") };
        let packet = Packet::with_hop(hop, Kind::Data(data.clone()));
        let frame = packet.encode();
        prop_assert_eq!(packet.wire_len(), frame.len());
        let decoded = Packet::decode(frame).unwrap();
        prop_assert_eq!(&decoded.hop, &packet.hop);
        prop_assert_eq!(decoded.wire_len(), packet.wire_len());
        let Kind::Data(real) = decoded.into_kind() else { panic!("no Data") };
        prop_assert_eq!(&real.name, &data.name);
        prop_assert_eq!(real.payload_len(), described.payload as usize);
        prop_assert_eq!(real.freshness_ms(), u64::from(described.freshness_ms));
        prop_assert_eq!(real.final_segment(), described.final_segment.map(u64::from));
        prop_assert!(real.verify_digest());
    }

    #[test]
    fn link_packet_comes_back(
        header in any_header(), hop in any_hop(), nack in option::of(any_reason()), fragment in option::of(any_bytes(40))
    ) {
        // A frame without any field is the bare fragment, which must then be a packet.
        prop_assume!(header != LpHeader::default() || hop != HopFields::default() || nack.is_some() || fragment.is_none());
        let link = LpPacket { header, hop, nack, fragment };
        let frame = link.encode();
        prop_assert_eq!(link.wire_len(), frame.len());
        prop_assert_eq!(LpPacket::decode(frame).unwrap(), link);
    }

    #[test]
    fn changed_parameters_are_noticed(interest in any_interest(), params in any_bytes(40), at in any::<usize>()) {
        let interest = interest.with_parameters(params);
        let mut wire = interest.encode().to_vec();
        let extras = interest.extras.unwrap();
        let covered = extras.parameters.as_ref().unwrap().len() + extras.trailer.len();
        prop_assume!(covered > 0);
        let len = wire.len();
        wire[len - 1 - at % covered] ^= 1;
        prop_assert!(Interest::decode(&wire.into()).is_err());
    }

    #[test]
    fn signed_data_says_what_was_signed(
        name in any_name(), payload in any_bytes(600), meta in any_meta(), info in any_info(), value in any_bytes(100)
    ) {
        let mut covered = Bytes::new();
        let data = Data::build_signed(name, &payload, &meta, &info, |signed| {
            covered = Bytes::copy_from_slice(signed);
            Ok::<_, ()>(&value)
        }).unwrap();
        let received = Data::decode(&data.encode()).unwrap();
        prop_assert_eq!(&received, &data);
        prop_assert_eq!(data.encode().len(), data.wire_len());
        prop_assert_eq!(received.signature().unwrap(), Signature { info, value, signed: covered });
    }

    #[test]
    fn signed_interest_says_what_was_signed(
        interest in any_interest(), parameters in any_bytes(100), info in any_info(), value in any_bytes(100)
    ) {
        let mut covered = Bytes::new();
        let sign = |signed: &[u8]| {
            covered = Bytes::copy_from_slice(signed);
            Ok::<_, ()>(value.clone())
        };
        let signed = interest.sign(parameters, &info, sign).unwrap();
        let received = Interest::decode(&signed.encode()).unwrap();
        prop_assert_eq!(&received, &signed);
        prop_assert_eq!(received.signature().unwrap(), Some(Signature { info, value, signed: covered }));
    }

    #[test]
    fn signed_command_says_what_was_signed(
        interest in any_interest(), nonce in any::<u64>(), time_ms in any::<u64>(), info in any_info(), value in any_bytes(100)
    ) {
        let interest = Interest { extras: None, ..interest };
        prop_assume!(interest.name.components().all(|c| c.typ != ct::PARAMETERS_DIGEST));
        let mut covered = Bytes::new();
        let sign = |signed: &[u8]| {
            covered = Bytes::copy_from_slice(signed);
            Ok::<_, ()>(value.clone())
        };
        let signed = interest.clone().into_signed_command(nonce, time_ms, &info, sign).unwrap();
        let found = Interest::decode(&signed.encode()).unwrap().signed_command().unwrap();
        let info = SignatureInfo { nonce: None, time_ms: None, seq_num: None, ..info };
        prop_assert_eq!(found, SignedCommand {
            name: interest.name, time_ms, nonce: nonce.to_be_bytes().to_vec().into(),
            signature: Signature { info, value, signed: covered },
        });
    }

    #[test]
    fn changed_data_is_noticed(data in any_real_data(), at in any::<usize>()) {
        let mut wire = data.encode().to_vec();
        let at = at % wire.len();
        wire[at] ^= 1;
        prop_assert!(Data::decode(&wire.into()).map_or(true, |d| !d.verify_digest()));
    }
}

// ---- bytes ----

/// Whatever decodes must encode to something that decodes to the same, and that is no longer than it was.
fn decodes_steadily(frame: Bytes) {
    if let Ok(packet) = Packet::decode(frame.clone()) {
        let again = packet.encode();
        assert_eq!(packet.wire_len(), again.len());
        assert!(again.len() <= frame.len());
        assert_eq!(Packet::decode(again).unwrap(), packet);
    }
    if let Ok(link) = LpPacket::decode(frame.clone()) {
        assert_eq!(link.wire_len(), link.encode().len());
    }
    for (at, _) in frame.iter().enumerate().take(20) {
        let _ = Name::decode(&frame[at..]);
        let _ = weir_wire::tlv::frame_len(&frame[at..]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes_are_decoded_or_refused(bytes in any_bytes(120)) {
        decodes_steadily(bytes);
    }

    /// Bytes that begin like a packet get further.
    #[test]
    fn any_bytes_in_a_packet(typ in prop_oneof![Just(5u32), Just(6), Just(100)], value in any_bytes(80)) {
        let mut frame = Vec::new();
        write_element(&mut frame, typ, &value);
        decodes_steadily(frame.into());
    }

    #[test]
    fn damaged_packets_are_decoded_or_refused(packet in any_packet(), all in any_damage()) {
        decodes_steadily(damage(&packet.encode(), &all));
    }

    #[test]
    fn damaged_links_are_decoded_or_refused(header in any_header(), packet in any_packet(), all in any_damage()) {
        let link = LpPacket { header, ..LpPacket::wrap(&packet) };
        decodes_steadily(damage(&link.encode(), &all));
    }

    /// Elements of known types in any order and number.
    #[test]
    fn shuffled_elements_are_decoded_or_refused(
        outer in prop_oneof![Just(5u32), Just(6), Just(100)],
        elements in vec((prop::sample::select(TYPES), prop_oneof![any_bytes(10), any_name().prop_map(name_value)]), 0..8)
    ) {
        let mut value = Vec::new();
        elements.iter().for_each(|(typ, v)| write_element(&mut value, *typ, v));
        let mut frame = Vec::new();
        write_element(&mut frame, outer, &value);
        decodes_steadily(frame.into());
    }
}

const TYPES: &[u32] = &[
    5, 6, 7, 8, 10, 12, 18, 20, 21, 22, 23, 24, 25, 26, 27, 30, 33, 34, 36, 44, 46, 80, 81, 82, 83, 98, 100, 800, 801,
    812, 816, 820, 832, 836, 840, 844, 848, 940, 944, 948, 952, 956, 1000,
];

fn name_value(name: Name) -> Bytes {
    let mut out = Vec::new();
    name.write_components(&mut out);
    out.into()
}
