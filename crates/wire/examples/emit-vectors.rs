//! Writes packets that Weir encoded, and what it says of them, as JSON for `tools/wire-vectors.py --check`.

use serde_json::{Value, json};
use weir_wire::{
    Content, Data, Feedback, HopFields, Interest, InterestExtras, Kind, LpHeader, LpPacket, MetaInfo, Nack, NackReason,
    Name, Packet, VirtualData,
};

fn name(uri: &str) -> Name {
    uri.parse().expect("the URIs below are good")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn components(name: &Name) -> Value {
    name.components().map(|c| json!([c.typ, hex(&c.value)])).collect()
}

fn say_name(uri: &str) -> Value {
    let mut wire = Vec::new();
    let name = name(uri);
    name.encode_into(&mut wire);
    json!({"kind": "name", "fields": {"wire": hex(&wire), "components": components(&name), "uri": name.to_string()}})
}

fn say_interest(interest: &Interest) -> Value {
    let hint = interest.extras.iter().flat_map(|e| &e.forwarding_hint).map(components);
    json!({"kind": "interest", "fields": {
        "wire": hex(&interest.encode()),
        "name": components(&interest.name),
        "can_be_prefix": interest.can_be_prefix,
        "must_be_fresh": interest.must_be_fresh,
        "nonce": interest.nonce,
        "lifetime_ms": interest.lifetime_ms,
        "hop_limit": interest.hop_limit,
        "forwarding_hint": hint.collect::<Value>(),
        "parameters": interest.parameters().map(|p| hex(p)),
        "digest_signed": interest.verify_digest(),
    }})
}

fn say_data(data: &Data) -> Value {
    let wire = data.encode();
    let decoded = Data::decode(&wire).expect("our own Data");
    let Content::Encoded(content) = decoded.content else { unreachable!("decoded") };
    json!({"kind": "data", "fields": {
        "wire": hex(&wire),
        "name": components(&data.name),
        "content_type": content.content_type,
        "freshness_ms": data.freshness_ms(),
        "final_block": content.final_block.as_ref().map(|n| components(n)[0].clone()),
        "payload": hex(&content.payload),
        "signature_type": data.signature_type(),
        "digest_signed": data.verify_digest(),
        "implicit_digest": hex(&data.implicit_digest()),
    }})
}

fn say_link(link: &LpPacket) -> Value {
    json!({"kind": "link", "fields": {
        "wire": hex(&link.encode()),
        "frag_index": link.header.frag_index,
        "frag_count": link.header.frag_count,
        "pit_token": link.hop.pit_token.as_deref().map(hex),
        "nack": link.nack.map(NackReason::code),
        "incoming_face": link.header.incoming_face,
        "next_hop_face": link.header.next_hop_face,
        "congestion_mark": link.hop.congestion_mark,
        "non_discovery": link.header.non_discovery,
        "fragment": link.fragment.as_deref().map(hex),
    }})
}

fn interests() -> Vec<Interest> {
    let plain = Interest::new(name("/a/v=1/seg=65536"), 1);
    let mut full = Interest::new(name("/a/32=metadata"), u32::MAX);
    full.can_be_prefix = true;
    full.must_be_fresh = true;
    full.lifetime_ms = 70_000;
    full.hop_limit = Some(255);
    let hint = InterestExtras { forwarding_hint: vec![name("/h/1"), name("/h/seg=2")], ..InterestExtras::default() };
    full.extras = Some(hint.into());
    let command = Interest::new(name("/localhost/nfd/rib/register"), 2);
    vec![
        plain.clone(),
        full.clone(),
        plain.clone().with_parameters(&b""[..]),
        full.with_parameters(vec![7; 300]),
        command.with_signed_parameters(&b"parameters"[..], 0xffff_ffff_ffff, 1_700_000_000_000),
    ]
}

fn data() -> Vec<Data> {
    let described = |payload, freshness_ms, final_segment| Data {
        name: name("/a/v=1/seg=3"),
        content: Content::Virtual(VirtualData { payload, freshness_ms, final_segment }),
    };
    let meta = MetaInfo { content_type: 2, freshness_ms: 1 << 33, final_block: Some(name("/end")) };
    vec![
        described(0, 0, None),
        described(8000, 10_000, Some(256)),
        Data::build(name("/"), b"root", &MetaInfo::default()),
        Data::build(name("/key"), b"hello", &meta),
    ]
}

fn links() -> Vec<LpPacket> {
    let hop = HopFields {
        pit_token: weir_wire::PitToken::new(&[9; 6]),
        queue_delay: 1500,
        congestion_mark: 2,
        mark_distance: 3,
        feedback: Feedback::Add,
        loss_notice: true,
        hop_count: 0,
        frames_lost: 0,
    };
    let interest = interests().remove(0);
    let nack = Nack { reason: NackReason::NoRoute, interest: interest.clone() };
    let wrap = |kind| LpPacket::wrap(&Packet::with_hop(hop.clone(), kind));
    let local = LpHeader { incoming_face: Some(300), non_discovery: true, ..LpHeader::default() };
    vec![
        wrap(Kind::Interest(interest.clone())),
        wrap(Kind::Data(data().remove(1))),
        LpPacket::wrap(&nack.into()),
        LpPacket { header: local, ..LpPacket::wrap(&interest.into()) },
        LpPacket::default(),
    ]
}

fn main() {
    let names = ["/", "/a%20b/seg=0", "/seg=1/seg=2", "/v=1/off=65536/t=1/seq=18446744073709551615", "/65535=x"];
    let mut all: Vec<Value> = names.map(say_name).into();
    all.extend(interests().iter().map(say_interest));
    all.extend(data().iter().map(say_data));
    all.extend(links().iter().map(say_link));
    println!("{}", Value::Array(all));
}
