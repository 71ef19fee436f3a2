//! The forwarder daemon among strangers who mean no good: each is bounded, and others are served.

mod common;

use bytes::Bytes;
use common::daemon::*;
use common::free_port;
use std::io::Write;
use std::net::UdpSocket;
use std::os::unix::net::UnixStream;
use std::time::Duration;
use weir_wire::{Kind, NackReason, Packet};

#[test]
fn a_flood_of_interests_fills_its_own_share_only() {
    let forwarder = forwarder("[tables]\npit = 1000\ncontent-store = 0\n[limits]\npit-share = 0.5\n");
    let mut producer = forwarder.app();
    producer.register("/a");
    let flood = forwarder.stranger();
    for i in 0..5000u32 {
        flood.send(&interest(&format!("/a/flood/{i}"), i).encode()).unwrap();
        if i % 50 == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    let status = forwarder.status();
    assert!(status.pit.peak <= 500 && status.drops["pit-share"] > 0, "{status:?}");
    let mut consumer = forwarder.app();
    consumer.send(interest("/a/good", 1));
    let asked = std::iter::from_fn(|| producer.receive()).find(|p| p.name().to_string() == "/a/good");
    assert!(asked.is_some());
    producer.send(answer("/a/good"));
    assert_eq!(consumer.data().name.to_string(), "/a/good");
}

#[test]
fn a_rate_of_interests_is_held() {
    let forwarder = forwarder("[limits]\ninterest-rate = 100\n");
    let flood = forwarder.stranger();
    (0..500).for_each(|i| drop(flood.send(&interest(&format!("/x/{i}"), i).encode())));
    let held = (0..50).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        forwarder.status().drops.get("interest-rate").is_some_and(|dropped| *dropped >= 400)
    });
    assert!(held, "{:?}", forwarder.status().drops);
}

#[test]
fn nonsense_from_strangers_harms_nobody() {
    let forwarder = forwarder("[limits]\nfaces = 40\n");
    let mut producer = forwarder.app();
    producer.register("/a");
    let whole = Packet::from(answer("/a/x")).encode();
    let mut seed = 1u64;
    let mut chance = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    // Many strangers: each port is a peer.
    let strangers: Vec<UdpSocket> = (0..60).map(|_| forwarder.stranger()).collect();
    for round in 0..4000usize {
        let stranger = &strangers[chance() % strangers.len()];
        let mut bytes = whole.to_vec();
        match round % 4 {
            // Data that nobody asked for.
            0 => {}
            // The same with damage.
            1 => (0..4).for_each(|_| {
                let at = chance() % bytes.len();
                bytes[at] = chance() as u8;
            }),
            // Anything.
            2 => bytes = (0..chance() % 200).map(|_| chance() as u8).collect(),
            // A refusal of what was never asked, or a loss notice.
            _ => {
                let mut forged = match chance() % 2 {
                    0 => Packet::from(weir_wire::Nack {
                        reason: NackReason::Congestion,
                        interest: interest("/a/x", chance() as u32),
                    }),
                    _ => Packet::from(answer("/a/y")),
                };
                forged.hop.loss_notice = matches!(forged.kind, Kind::Data(_));
                bytes = forged.encode().to_vec();
            }
        }
        let _ = stranger.send(&bytes);
        if round % 50 == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    let mut consumer = forwarder.app();
    consumer.send(interest("/a/good", 1));
    let asked = std::iter::from_fn(|| producer.receive()).find(|p| p.name().to_string() == "/a/good");
    assert!(asked.is_some());
    producer.send(answer("/a/good"));
    assert_eq!(consumer.data().name.to_string(), "/a/good");
    let status = forwarder.status();
    assert!(status.faces.len() <= 40 && status.cs.entries <= 1, "{status:?}");
    assert!(status.drops["unsolicited"] > 0 && status.drops["too-many-faces"] > 0, "{:?}", status.drops);
    assert!(status.faces.iter().any(|face| face.malformed > 0));
}

/// The end of a stream may come together with its last bytes, and the system tells of both once.
#[test]
fn streams_that_end_with_their_first_word_leave_no_face() {
    let forwarder = forwarder("");
    let frame = interest("/nowhere/x", 7).encode();
    for number in 0..200 {
        let mut stream = UnixStream::connect(&forwarder.socket).unwrap();
        stream.write_all(&frame[..if number % 2 == 0 { frame.len() } else { 5 }]).unwrap();
    }
    // Sooner than a frame that does not go on is given up.
    let few = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        forwarder.status().faces.len() <= 3
    });
    assert!(few, "{} faces are left", forwarder.status().faces.len());
}

#[test]
fn an_interest_that_loops_ends() {
    // Two faces of one forwarder that lead to each other: what leaves by one comes back by the other.
    let (left, right) = (free_port(), free_port());
    let relay = |from: u16, to: u16| {
        let socket = UdpSocket::bind(("127.0.0.1", from)).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(3))).unwrap();
        let out = socket.try_clone().unwrap();
        (socket, out, to)
    };
    let (a, b) = (relay(left, right), relay(right, left));
    let peers = format!(
        "[tables]\ncontent-store = 0\n[[face]]\nuri = \"udp4://127.0.0.1:{left}\"\nroutes = [\"/l\"]\n\
         [[face]]\nuri = \"udp4://127.0.0.1:{right}\"\n"
    );
    let forwarder = forwarder(&peers);
    let home = forwarder.udp();
    std::thread::sleep(Duration::from_millis(300));
    let mut app = forwarder.app();
    let mut small = interest("/l/x", 99);
    small.hop_limit = Some(200);
    app.send(small);
    let mut buffer = [0; 9000];
    let (len, from) = a.0.recv_from(&mut buffer).unwrap();
    assert_eq!(from, home, "faces use the port that the forwarder listens on");
    // It comes back by the other face.
    b.1.send_to(&buffer[..len], home).unwrap();
    b.0.set_read_timeout(Some(Duration::from_secs(3))).unwrap();
    let (len, _) = b.0.recv_from(&mut buffer).unwrap();
    let answer = Packet::decode(Bytes::copy_from_slice(&buffer[..len])).unwrap();
    assert!(matches!(&answer.kind, Kind::Nack(nack) if nack.reason == NackReason::Duplicate), "{answer:?}");
    assert_eq!(forwarder.status().drops["duplicate-nonce"], 1);
}
