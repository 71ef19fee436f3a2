//! The forwarder daemon over actual sockets: routes, management, configurations.

mod common;

use bytes::Bytes;
use common::daemon::*;
use common::{CONTENT, Consumer, free_port, serve};
use std::net::UdpSocket;
use std::path::Path;
use std::time::Duration;
use weir_live::forward::{Config, ControlParameters, Status};
use weir_live::{Clock, Endpoint, FaceOptions, fetch_dataset};
use weir_wire::{Component, Interest, Kind, NackReason, Name, Packet};

#[test]
fn an_application_registers_and_is_asked() {
    let forwarder = forwarder("");
    let (mut producer, mut consumer) = (forwarder.app(), forwarder.app());
    let registered = producer.register("/a");
    assert_eq!((registered.code, registered.body.as_ref().unwrap().face), (200, Some(256)), "{registered:?}");
    let token = weir_wire::PitToken::new(&[1, 2, 3, 4, 5, 6]);
    let mut asking = Packet::from(interest("/a/b", 5));
    asking.hop.pit_token = token.clone();
    consumer.send(asking);
    assert_eq!(producer.receive().unwrap().name().to_string(), "/a/b");
    producer.send(answer("/a/b"));
    let got = consumer.receive().unwrap();
    assert_eq!((got.name().to_string().as_str(), &got.hop.pit_token), ("/a/b", &token), "the token comes back");
    // The Content Store answers the next one.
    consumer.send(interest("/a/b", 6));
    consumer.data();
    let unregistered = producer.command("rib/unregister", &named("/a"));
    assert_eq!(unregistered.code, 200);
    consumer.send(interest("/a/c", 7));
    match consumer.receive().unwrap().into_kind() {
        Kind::Nack(nack) => assert_eq!(nack.reason, NackReason::NoRoute),
        other => panic!("{other:?}"),
    }
    let status = forwarder.status();
    assert_eq!((status.cs.hits, status.routes.len(), status.drops.get("no-route")), (1, 0, Some(&1)));
}

#[test]
fn commands_of_the_old_form_are_taken_and_unsigned_ones_are_not() {
    let forwarder = forwarder("");
    let mut app = forwarder.app();
    app.send(command_name("rib/register", &named("/old")).into_digest_command(9, Clock::unix_millis()));
    assert_eq!(response(&app.data()).code, 200);
    app.send(command_name("rib/register", &named("/new")));
    assert_eq!(response(&app.data()).code, 403);
    app.send(command_name("rib/register", &named("/late")).with_signed_parameters(vec![], 4, 1_000_000));
    assert_eq!(response(&app.data()).code, 403);
    let routes: Vec<String> = forwarder.status().routes.into_iter().map(|route| route.prefix).collect();
    assert_eq!(routes, ["/old"]);
}

#[test]
fn routes_go_with_their_face_and_with_time() {
    let forwarder = forwarder("");
    let mut app = forwarder.app();
    app.register("/a");
    let brief = ControlParameters { expiration_ms: Some(50), ..named("/brief") };
    assert_eq!(app.command("rib/register", &brief).code, 200);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(forwarder.status().routes.len(), 1);
    drop(app);
    let gone = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        forwarder.status().routes.is_empty()
    });
    assert!(gone);
}

#[test]
fn faces_strategies_and_the_content_store_are_managed() {
    let forwarder = forwarder("");
    let mut app = forwarder.app();
    let peer = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let uri = ControlParameters { uri: Some(format!("udp4://{peer}")), mtu: Some(1400), ..Default::default() };
    let created = app.command("faces/create", &uri);
    let face = created.body.as_ref().unwrap().face;
    assert_eq!((created.code, created.body.as_ref().unwrap().mtu), (200, Some(1400)), "{created:?}");
    let again = app.command("faces/create", &uri);
    assert_eq!((again.code, again.body.unwrap().face), (409, face));
    let shorter = ControlParameters { face, mtu: Some(1000), ..Default::default() };
    assert_eq!(app.command("faces/update", &shorter).body.unwrap().mtu, Some(1000));
    let hop = ControlParameters { face, cost: Some(3), ..named("/far") };
    assert_eq!(app.command("fib/add-nexthop", &hop).code, 200);
    assert_eq!(forwarder.status().routes[0].cost, 3);
    assert_eq!(app.command("faces/destroy", &ControlParameters { face, ..Default::default() }).code, 200);
    assert_eq!(app.command("fib/add-nexthop", &hop).code, 410);
    for (uri, code) in [("udp4://no.such.host", 400), ("ws://x", 400), ("unix:///tmp/x", 406)] {
        let uri = ControlParameters { uri: Some(uri.into()), ..Default::default() };
        assert_eq!(app.command("faces/create", &uri).code, code);
    }
    let strategy = |name: &str| ControlParameters { strategy: Some(name.parse().unwrap()), ..named("/s") };
    let set = app.command("strategy-choice/set", &strategy("/localhost/nfd/strategy/multicast/v=5"));
    assert_eq!(set.code, 200);
    assert_eq!(forwarder.status().strategies["/s"], "multicast");
    let unknown = app.command("strategy-choice/set", &strategy("/localhost/nfd/strategy/multicats"));
    assert!(unknown.code == 404 && unknown.text.contains("did you mean \"multicast\""), "{unknown:?}");
    assert_eq!(app.command("strategy-choice/unset", &named("/s")).code, 200);
    assert_eq!(forwarder.status().strategies.len(), 1);
    let small = ControlParameters { capacity: Some(5), ..Default::default() };
    assert_eq!(app.command("cs/config", &small).body.unwrap().capacity, Some(5));
    assert_eq!(app.command("cs/erase", &named("/")).body.unwrap().count, Some(0));
    assert_eq!(app.command("rib/dance", &named("/")).code, 501);
}

#[test]
fn datasets_are_those_of_nfd() {
    let forwarder = forwarder("[[strategy]]\nprefix = \"/m\"\nstrategy = \"multicast\"\n");
    let mut app = forwarder.app();
    (0..300).for_each(|i| assert_eq!(app.register(&format!("/a/long/prefix/that/fills/segments/{i}")).code, 200));
    let uri = format!("unix://{}", forwarder.socket.display()).parse().unwrap();
    let items = |dataset: &str| {
        let name = format!("/localhost/nfd/{dataset}").parse().unwrap();
        let content = fetch_dataset(&uri, &name).unwrap();
        let mut reader = weir_wire::tlv::Reader::new(&content);
        std::iter::from_fn(|| reader.read().unwrap().map(|e| e.typ)).collect::<Vec<u32>>()
    };
    assert_eq!(items("rib/list"), [128; 300]);
    assert_eq!(items("fib/list"), [128; 300]);
    assert_eq!(items("strategy-choice/list"), [128; 2]);
    assert_eq!(items("cs/info"), [128]);
    assert_eq!(items("faces/channels"), [130; 2]);
    assert_eq!(items("faces/list")[0], 128);
    assert_eq!(items("status/general")[..8], [128, 129, 130, 131, 132, 133, 134, 135]);
}

#[test]
fn names_of_this_host_stay_here() {
    let forwarder = forwarder("[schemes]\nstrategy = \"multicast\"\n");
    let (mut app, stranger) = (forwarder.app(), forwarder.stranger());
    let mut buffer = [0; 9000];
    // A stranger gets no answer from management, and none of this host's Data.
    let command = command_name("rib/register", &named("/")).with_signed_parameters(vec![], 1, Clock::unix_millis());
    stranger.send(&command.encode()).unwrap();
    stranger.send(&interest("/localhost/weir/status", 4).encode()).unwrap();
    assert!(stranger.recv(&mut buffer).is_err());
    assert_eq!(app.register("/localhop/near").code, 200);
    // Within one hop the stranger is heard, and by an application only.
    stranger.send(&interest("/localhop/near/x", 4).encode()).unwrap();
    assert_eq!(app.receive().unwrap().name().to_string(), "/localhop/near/x");
    let far = forwarder.status().faces.into_iter().find(|face| !face.is_local).unwrap().face;
    app.command("rib/register", &ControlParameters { face: Some(far), ..named("/localhop/far") });
    app.command("rib/register", &ControlParameters { face: Some(far), ..named("/localhost/far") });
    app.send(interest("/localhost/far/x", 5));
    assert!(stranger.recv(&mut buffer).is_err(), "it does not leave this host");
    app.send(interest("/localhop/far/x", 5));
    assert!(stranger.recv(&mut buffer).is_ok(), "one hop is allowed");
    let other = forwarder.stranger();
    other.send(&interest("/localhop/far/y", 6).encode()).unwrap();
    assert!(stranger.recv(&mut buffer).is_err(), "two are not");
    // Data of this host that the cache holds, asked for by its shortest prefix.
    assert_eq!(app.register("/localhost/app").code, 200);
    let mut consumer = forwarder.app();
    consumer.send(interest("/localhost/app/secret", 8));
    let asked = std::iter::from_fn(|| app.receive()).find(|p| p.name().to_string() == "/localhost/app/secret");
    assert!(asked.is_some());
    app.send(answer("/localhost/app/secret"));
    consumer.data();
    let mut anything = Interest::new(Name::from_components([Component::generic(&b"localhost"[..])]), 9);
    anything.can_be_prefix = true;
    other.send(&anything.encode()).unwrap();
    while let Ok(len) = other.recv(&mut buffer) {
        let got = Packet::decode(Bytes::copy_from_slice(&buffer[..len])).unwrap();
        assert!(!matches!(got.kind, Kind::Data(_)), "{got:?}");
    }
    assert!(forwarder.status().drops["scope"] >= 3);
}

#[test]
fn the_status_tells_how_much_the_kernel_may_hold() {
    let ((_said, said), (_found, found)) = (peer("backlog = \"100kB\""), peer(""));
    let forwarder = forwarder(&format!("{said}{found}"));
    forwarder.becomes("two faces", |status| status.faces.iter().filter(|face| !face.is_local).count() == 2);
    let read = Status::from_json(&forwarder.status().to_json()).unwrap();
    let bound = |fixed: bool| {
        let mut faces = read.faces.iter().filter(|face| !face.is_local && face.backlog_fixed == fixed);
        (faces.next().map(|face| face.backlog), faces.next().is_none())
    };
    assert_eq!(bound(true), (Some(100_000), true));
    // What a face begins with: no packet has been sent.
    assert_eq!(bound(false), (Some(65_536), true));
}

#[test]
fn routes_and_faces_of_a_configuration_that_is_read_again_count_at_once() {
    let routes = "routes = [{ prefix = \"/a\", round-trip = \"40ms\" }]";
    let (one, text) = peer(routes);
    let forwarder = forwarder(&text);
    let mut app = forwarder.app();
    let leads_to = |to: &UdpSocket| {
        let remote = format!("udp4://{}", to.local_addr().unwrap());
        move |status: &Status| status.routes.len() == 1 && status.faces.iter().any(|face| face.remote == remote)
    };
    forwarder.becomes("a route", leads_to(&one));
    app.send(interest("/a/1", 1));
    assert_eq!(next_name(&one), "/a/1");
    let (other, text) = peer(routes);
    forwarder.renew(&text);
    forwarder.becomes("a route elsewhere", |status| {
        leads_to(&other)(status) && status.faces.iter().filter(|face| !face.is_local).count() == 1
    });
    app.send(interest("/a/2", 2));
    assert_eq!(next_name(&other), "/a/2");
    let strategy = "[[strategy]]\nprefix = \"/s\"\nstrategy = \"multicast\"\n[schemes]\nstrategy = \"drf\"\n";
    forwarder.renew(&format!("{strategy}{text}"));
    forwarder.becomes("strategies", |status| {
        let of = |prefix: &str| status.strategies.get(prefix).map(String::as_str);
        (of("/"), of("/s")) == (Some("drf"), Some("multicast"))
    });
    forwarder.renew(&text);
    forwarder.becomes("strategies", |status| status.strategies.len() == 1);
}

#[test]
fn a_link_that_the_configuration_says_is_down_keeps_or_loses_what_waits() {
    let (far, text) = peer("routes = [\"/a\"]");
    let forwarder = forwarder(&text);
    let (mut producer, mut consumer) = (forwarder.app(), forwarder.app());
    assert_eq!(producer.register("/b").code, 200);
    forwarder.becomes("a route", |status| status.routes.len() == 2);
    // (state, segment, whether its Data leaves while the link is down, and once it is up)
    for (down, number, later) in [("wait", 1, true), ("drop", 2, false)] {
        let name = format!("/b/{number}");
        far.send_to(&interest(&name, number).encode(), forwarder.udp()).unwrap();
        assert_eq!(producer.receive().unwrap().name().to_string(), name);
        forwarder.renew(&face_to(&far, &format!("routes = [\"/a\"]\ndown = \"{down}\"")));
        // It is no next hop any more.
        let refused = (0..100).any(|i| {
            consumer.send(interest(&format!("/a/{down}/{i}"), 100 + i));
            far.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
            while far.recv(&mut [0; 9000]).is_ok() {}
            let answer = consumer.stream.set_read_timeout(Some(Duration::from_millis(50))).map(|()| consumer.receive());
            matches!(answer.unwrap().map(Packet::into_kind), Some(Kind::Nack(nack)) if nack.reason == NackReason::NoRoute)
        });
        assert!(refused, "{down}");
        producer.send(answer(&name));
        assert!(far.recv(&mut [0; 9000]).is_err(), "{down}");
        forwarder.renew(&text);
        far.set_read_timeout(Some(Duration::from_millis(if later { 5000 } else { 500 }))).unwrap();
        match later {
            true => assert_eq!(next_name(&far), name),
            false => assert!(far.recv(&mut [0; 9000]).is_err()),
        }
    }
    consumer.send(interest("/a/again", 7));
    far.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    assert_eq!(next_name(&far), "/a/again");
}

#[test]
fn a_file_comes_through_two_forwarders_in_fragments() {
    let server = serve(&format!("udp4://127.0.0.1:{}", free_port()), FaceOptions::default(), 8000);
    let far = forwarder(&format!("[[face]]\nuri = \"{}\"\nmtu = 1400\nroutes = [\"{CONTENT}\"]\n", server.at));
    let near = forwarder(&format!(
        "[[face]]\nuri = \"udp4://{}\"\nmtu = 1400\nqueue = {{ name = \"codel\", target = \"20ms\" }}\n\
         routes = [{{ prefix = \"/content\", cost = 10 }}]\n",
        far.udp()
    ));
    std::thread::sleep(Duration::from_millis(300));
    let consumer = Consumer::new(1500, 30).fetch(&Endpoint::Unix(near.socket.clone()), FaceOptions::default());
    assert_eq!((consumer.got, &consumer.closed), (1500, &None), "{:?} {:?}", near.status(), far.status());
    assert!(far.status().faces.iter().any(|face| face.in_data >= 1500));
}

#[test]
fn a_configuration_that_is_wrong_says_where() {
    let error = |text: &str| Config::parse(text, Path::new("weir.toml")).unwrap_err();
    for (text, wanted) in [
        ("[tabels]\n", "unknown field `tabels`"),
        ("[tables]\npit = -3\n", "line 2"),
        ("[tables]\npit = 0\n", "tables.pit must be at least 1"),
        ("[schemes]\nqueue = \"codell\"\n", "did you mean \"codel\""),
        ("[schemes]\nqueue = { name = \"codel\", targt = \"5ms\" }\n", "did you mean \"target\""),
        ("[[listen]]\nuri = \"udp4//x\"\n", "no face URI"),
        ("[[face]]\nuri = \"udp4://10.0.0.1\"\nrate = \"fast\"\n", "line 3"),
        ("[[face]]\nuri = \"udp4://10.0.0.1\"\nmtu = 50\n", "from 256"),
        ("[[face]]\nuri = \"udp4://10.0.0.1\"\nroutes = [3]\n", "a route is a prefix"),
        ("[[strategy]]\nprefix = \"/a\"\nstrategy = \"best\"\n", "there is no strategy \"best\""),
        ("[limits]\nidle = \"10 parsecs\"\n", "line 2"),
        ("[management]\nsignatures = [\"sha\"]\n", "unknown variant `sha`"),
    ] {
        let error = error(text);
        assert!(error.starts_with("weir.toml: ") && error.contains(wanted), "{text} -> {error}");
    }
}

#[test]
fn every_scheme_of_the_registry_can_be_switched_on() {
    use weir_schemes::registry::{MONITORS, QUEUES, RECOVERIES, STRATEGIES};
    let lists: [(&str, Vec<&str>); 4] = [
        ("queue", QUEUES.iter().map(|e| e.name).collect()),
        ("strategy", STRATEGIES.iter().map(|e| e.name).collect()),
        ("recovery", RECOVERIES.iter().map(|e| e.name).collect()),
        ("monitor", MONITORS.iter().map(|e| e.name).collect()),
    ];
    let server = serve(&format!("udp4://127.0.0.1:{}", free_port()), FaceOptions::default(), 1000);
    for (key, names) in lists {
        for name in names {
            let face = format!("[[face]]\nuri = \"{}\"\nrate = \"500Mbps\"\nroutes = [\"{CONTENT}\"]\n", server.at);
            let forwarder = forwarder(&format!("[schemes]\n{key} = \"{name}\"\n{face}"));
            std::thread::sleep(Duration::from_millis(100));
            let socket = Endpoint::Unix(forwarder.socket.clone());
            let consumer = Consumer::new(100, 10).fetch(&socket, FaceOptions::default());
            assert_eq!((consumer.got, &consumer.closed), (100, &None), "{key} {name}");
        }
    }
}
