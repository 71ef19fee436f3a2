//! Two namespaces and a link between them, on a machine that allows it. (Root or user namespaces, and tunnel devices.)

#![cfg(target_os = "linux")]

use std::net::{Ipv4Addr, UdpSocket};
use std::process::Command;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use weir_core::{Limit, Rate, Seed, Span};
use weir_emulate::namespace::Namespace;
use weir_emulate::shaper::Shaper;
use weir_emulate::tunnel::Tunnel;
use weir_live::Clock;
use weir_scenario::plan::Direction;

const A: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const B: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);
/// With headers 1250 bytes, which take a millisecond each at 10 Mbit/s.
const BYTES: usize = 1250;

fn shaper(limit: usize, loss: f64) -> Shaper {
    let limit = Limit::Packets(limit);
    let direction = Direction { rate: Rate(10_000_000), delay: Span::from_millis(20), loss, limit };
    Shaper::new(&direction, limit, None, Seed(1))
}

/// Sockets in another network are out of reach of those who may not make one.
fn possible() -> bool {
    let tun = std::fs::OpenOptions::new().read(true).write(true).open("/dev/net/tun");
    let unshared = Command::new("unshare").args(["-n", "true"]).status();
    let possible = nix::unistd::geteuid().is_root() && tun.is_ok() && unshared.is_ok_and(|status| status.success());
    if !possible {
        eprintln!("skipped: networks cannot be emulated here");
    }
    possible
}

#[test]
fn datagrams_cross_at_the_rate_and_the_delay_of_the_link() {
    if !possible() {
        return;
    }
    let (a, b) = (Namespace::new("a").unwrap(), Namespace::new("b").unwrap());
    let (to_a, to_b) = (a.device("link0", A).unwrap(), b.device("link0", B).unwrap());
    let clock = Clock::start();
    let forth = Tunnel::start(to_a.clone(), to_b.clone(), shaper(50, 0.0), clock).unwrap();
    let back = Tunnel::start(to_b, to_a, shaper(50, 0.0), clock).unwrap();
    let here = a.inside(|| UdpSocket::bind((A, 6363)).unwrap()).unwrap();
    let there = b.inside(|| UdpSocket::bind((B, 6363)).unwrap()).unwrap();
    for socket in [&here, &there] {
        socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    }
    let mut buffer = [0; 2000];
    // There and back: twice a millisecond and 20.
    #[expect(clippy::disallowed_methods, reason = "a test of real time")]
    let started = Instant::now();
    here.send_to(&[7; BYTES], (B, 6363)).unwrap();
    let (len, from) = there.recv_from(&mut buffer).unwrap();
    assert_eq!((len, from.ip()), (BYTES, A.into()));
    there.send_to(&buffer[..len], from).unwrap();
    here.recv_from(&mut buffer).unwrap();
    let took = started.elapsed().as_secs_f64() * 1e3;
    assert!((42.0..80.0).contains(&took), "{took} ms");
    // One is sent and 50 wait, when 80 come at once; some have left before the last one comes.
    for _ in 0..80 {
        here.send_to(&[7; BYTES], (B, 6363)).unwrap();
    }
    there.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let mut arrived = 0;
    while there.recv_from(&mut buffer).is_ok() {
        arrived += 1;
    }
    assert!((51..80).contains(&arrived), "{arrived} arrived");
    let counters = forth.counters();
    assert_eq!(counters.sent.load(Relaxed), 81);
    assert_eq!(counters.bytes.load(Relaxed), 81 * BYTES as u64);
    assert_eq!(counters.overflowed.load(Relaxed), 80 - arrived);
    assert_eq!(counters.arrived.load(Relaxed), 1 + arrived);
    assert_eq!(back.counters().arrived.load(Relaxed), 1);
}

#[test]
fn nothing_reaches_a_network_without_a_link() {
    if !possible() {
        return;
    }
    let alone = Namespace::new("alone").unwrap();
    let sent = alone.inside(|| UdpSocket::bind("0.0.0.0:0").unwrap().send_to(b"x", (B, 6363)).is_err()).unwrap();
    assert!(sent);
}
