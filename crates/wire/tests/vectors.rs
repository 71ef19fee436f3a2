//! Packets that python-ndn made (`tools/wire-vectors.py`): each is decoded, compared with what python-ndn says of it,
//! and encoded again.

use bytes::Bytes;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::cell::Cell;
use weir_wire::{
    CachePolicy, Component, Content, Data, Interest, KeyLocator, Kind, LpPacket, MetaInfo, NackReason, Name, Packet,
    Signature, SignatureInfo, VirtualData,
};

/// Calls `test` with each vector of a kind.
fn each(kind: &str, test: impl Fn(&Value, Bytes)) {
    let all: Value = serde_json::from_str(include_str!("vectors.json")).unwrap();
    let list = all[kind].as_array().unwrap();
    assert!(list.len() > 10, "few {kind}");
    list.iter().for_each(|v| test(v, hex(&v["wire"]).into()));
}

fn hex(value: &Value) -> Vec<u8> {
    let text = value.as_str().unwrap();
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

fn optional_hex(value: &Value) -> Option<Vec<u8>> {
    (!value.is_null()).then(|| hex(value))
}

fn component(value: &Value) -> Component<'static> {
    Component { typ: value[0].as_u64().unwrap() as u16, value: hex(&value[1]).into() }
}

fn name(components: &Value) -> Name {
    Name::from_components(components.as_array().unwrap().iter().map(component))
}

#[test]
fn names() {
    each("names", |v, wire| {
        let name = Name::decode(&wire).unwrap();
        let expected: Vec<_> = v["components"].as_array().unwrap().iter().map(component).collect();
        assert_eq!(name.components().collect::<Vec<_>>(), expected);
        assert_eq!(name.len(), expected.len());
        assert_eq!(Name::from_components(expected), name);
        if let Some(uri) = v["uri"].as_str() {
            assert_eq!(name.to_string(), uri);
        }
        assert_eq!(name.to_string().parse::<Name>().unwrap(), name);
        let mut again = Vec::new();
        name.encode_into(&mut again);
        assert_eq!((again.len(), again), (name.wire_len(), wire.to_vec()));
    });
}

#[test]
fn interests() {
    each("interests", |v, wire| {
        let interest = Interest::decode(&wire).unwrap();
        assert_eq!(interest.name, name(&v["name"]));
        assert_eq!(interest.can_be_prefix, v["can_be_prefix"].as_bool().unwrap());
        assert_eq!(interest.must_be_fresh, v["must_be_fresh"].as_bool().unwrap());
        assert_eq!(u64::from(interest.nonce), v["nonce"].as_u64().unwrap());
        assert_eq!(u64::from(interest.lifetime_ms), v["lifetime_ms"].as_u64().unwrap());
        assert_eq!(interest.hop_limit.map(u64::from), v["hop_limit"].as_u64());
        let hint: Vec<_> = v["forwarding_hint"].as_array().unwrap().iter().map(name).collect();
        assert_eq!(interest.extras.as_ref().map_or(&[][..], |e| &e.forwarding_hint[..]), hint);
        assert_eq!(interest.parameters().map(|p| p.to_vec()), optional_hex(&v["parameters"]));
        assert_eq!(interest.verify_digest(), v["digest_signed"].as_bool().unwrap());
        if v["canonical"].as_bool().unwrap() {
            assert_eq!(interest.encode(), wire);
        }
        assert_eq!(interest.encode().len(), interest.wire_len());
        assert_eq!(Interest::decode(&interest.encode()).unwrap(), interest);
    });
}

/// python-ndn's reading of a signature and ours, whatever the type.
fn same_signature(said: &Value, found: Option<Signature>) {
    let Some(found) = found else { return assert!(said.is_null()) };
    let SignatureInfo { typ, key_locator, nonce, time_ms, seq_num } = found.info;
    assert_eq!(typ.code(), said["type"].as_u64().unwrap());
    let key = (!said["key_name"].is_null()).then(|| KeyLocator::Name(name(&said["key_name"])));
    assert_eq!(key_locator, key);
    assert_eq!(nonce.map(|n| n.to_vec()), optional_hex(&said["nonce"]));
    assert_eq!((time_ms, seq_num), (said["time_ms"].as_u64(), said["seq_num"].as_u64()));
    assert_eq!(found.value, hex(&said["value"]));
    assert_eq!(Sha256::digest(&found.signed).to_vec(), hex(&said["covered"]));
}

#[test]
fn signatures() {
    each("interests", |v, wire| same_signature(&v["signature"], Interest::decode(&wire).unwrap().signature().unwrap()));
    each("data", |v, wire| same_signature(&v["signature"], Some(Data::decode(&wire).unwrap().signature().unwrap())));
}

/// Command Interests of the old form, signed in their names, both ways.
#[test]
fn commands_signed_in_their_names() {
    let all: Value = serde_json::from_str(include_str!("vectors.json")).unwrap();
    let commands = all["commands"].as_array().unwrap();
    assert!(commands.len() > 1);
    for v in commands {
        let interest = Interest::decode(&hex(&v["wire"]).into()).unwrap();
        let command = interest.signed_command().unwrap();
        assert_eq!((&command.name, command.time_ms), (&name(&v["name"]), v["time_ms"].as_u64().unwrap()));
        assert_eq!((command.nonce.to_vec(), command.signature.value.to_vec()), (hex(&v["nonce"]), hex(&v["value"])));
        assert_eq!(Sha256::digest(&command.signature.signed).to_vec(), hex(&v["covered"]));
        assert!(command.signature.verify_digest());
        let ours = Interest { name: command.name, ..interest.clone() };
        assert_eq!(ours.into_digest_command(0x0123_4567_89ab_cdef, command.time_ms), interest);
    }
}

/// The signature of python-ndn's command Interest comes out the same when we make it.
#[test]
fn signed_interest() {
    each("interests", |v, wire| {
        let interest = Interest::decode(&wire).unwrap();
        if v["digest_signed"].as_bool().unwrap() {
            let mut ours = interest.clone();
            ours.name = interest.name.prefix(interest.name.len() - 1);
            let parameters = interest.parameters().unwrap().clone();
            let ours = ours.with_signed_parameters(parameters, 0x1122_3344_5566_7788, 1_700_000_000_123);
            assert_eq!(ours, interest);
        }
    });
}

#[test]
fn data() {
    each("data", |v, wire| {
        let data = Data::decode(&wire).unwrap();
        let Content::Encoded(content) = &data.content else { panic!("virtual") };
        assert_eq!(data.name, name(&v["name"]));
        assert_eq!(content.content_type, v["content_type"].as_u64().unwrap());
        assert_eq!(data.freshness_ms(), v["freshness_ms"].as_u64().unwrap());
        let last = v["final_block"].as_array().map(|_| Name::from_components([component(&v["final_block"])]));
        assert_eq!(content.final_block, last);
        assert_eq!(content.payload, hex(&v["payload"]));
        assert_eq!(data.payload_len(), content.payload.len());
        assert_eq!(data.signature_type(), v["signature_type"].as_u64().unwrap());
        assert_eq!(data.verify_digest(), v["digest_signed"].as_bool().unwrap());
        assert_eq!(data.implicit_digest().to_vec(), hex(&v["implicit_digest"]));
        assert_eq!((data.encode(), data.wire_len()), (wire.clone(), wire.len()));
    });
}

/// Our own Data is byte for byte what python-ndn makes of the same fields.
#[test]
fn data_made_here() {
    let (same, described) = (Cell::new(0), Cell::new(0));
    each("data", |v, wire| {
        let data = Data::decode(&wire).unwrap();
        let Content::Encoded(content) = &data.content else { panic!("virtual") };
        let (content_type, freshness_ms) = (content.content_type, content.freshness_ms);
        let meta = MetaInfo { content_type, freshness_ms, final_block: content.final_block.clone() };
        let built = Data::build(data.name.clone(), &content.payload, &meta);
        assert!(built.verify_digest());
        assert_eq!(Data::decode(&built.encode()).unwrap(), built);
        // python-ndn may write a ContentType of 0, and leave Content out.
        if v["digest_signed"].as_bool().unwrap() && built.wire_len() == data.wire_len() {
            assert_eq!(built, data);
            same.set(same.get() + 1);
            if let Some(virtual_data) = describe(&data) {
                assert_eq!(virtual_data.encode(), wire);
                described.set(described.get() + 1);
            }
        }
    });
    assert!(same.get() >= 5 && described.get() >= 2, "{same:?} {described:?}");
}

/// The same Data without its bytes, if they are zeros and all else fits.
fn describe(data: &Data) -> Option<Data> {
    let Content::Encoded(e) = &data.content else { return None };
    let freshness_ms = u32::try_from(e.freshness_ms).ok()?;
    let final_segment = data.final_segment().map(|n| n as u32);
    let fits =
        e.content_type == 0 && e.payload.iter().all(|b| *b == 0) && e.final_block.is_some() == final_segment.is_some();
    let payload = e.payload.len() as u32;
    let content = Content::Virtual(VirtualData { payload, freshness_ms, final_segment });
    fits.then(|| Data { name: data.name.clone(), content })
}

#[test]
fn links() {
    each("links", |v, wire| {
        let link = LpPacket::decode(wire.clone()).unwrap();
        assert_eq!(u64::from(link.header.frag_index), v["frag_index"].as_u64().unwrap());
        assert_eq!(u64::from(link.header.frag_count), v["frag_count"].as_u64().unwrap());
        assert_eq!(link.hop.pit_token.as_deref().map(<[u8]>::to_vec), optional_hex(&v["pit_token"]));
        assert_eq!(link.nack.map(|n| u64::from(n.code())), v["nack"].as_u64());
        assert_eq!(link.header.incoming_face, v["incoming_face"].as_u64());
        assert_eq!(link.header.next_hop_face, v["next_hop_face"].as_u64());
        let policy = v["cache_policy"].as_u64().map(|_| CachePolicy::NoCache);
        assert_eq!(link.header.cache_policy, policy);
        assert_eq!(u64::from(link.hop.congestion_mark), v["congestion_mark"].as_u64().unwrap().min(255));
        assert_eq!(link.header.non_discovery, v["non_discovery"].as_bool().unwrap());
        assert_eq!(link.fragment.as_deref().map(<[u8]>::to_vec), optional_hex(&v["fragment"]));
        if v["canonical"].as_bool().unwrap() {
            assert_eq!((link.wire_len(), link.encode()), (wire.len(), wire.clone()));
        }
        compare_packet(v, &link, Packet::decode(wire));
    });
}

fn compare_packet(v: &Value, link: &LpPacket, packet: Result<Packet, weir_wire::DecodeError>) {
    let Ok(packet) = packet else {
        assert!(link.fragment.is_none() || link.header.frag_count > 1);
        return;
    };
    assert_eq!(packet.hop, link.hop);
    let fragment: Bytes = hex(&v["fragment"]).into();
    assert_eq!(packet.encode_network(), fragment);
    match packet.into_kind() {
        Kind::Nack(nack) => {
            assert_eq!(nack.reason, NackReason::from_code(v["nack"].as_u64().unwrap() as u16));
            assert_eq!(nack.interest, Interest::decode(&fragment).unwrap());
        }
        Kind::Interest(interest) => assert_eq!(interest, Interest::decode(&fragment).unwrap()),
        Kind::Data(data) => assert_eq!(data, Data::decode(&fragment).unwrap()),
    }
}
