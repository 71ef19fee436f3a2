//! The driver over actual sockets of this host.

mod common;

use common::{Consumer, free_port, serve};
use std::io::{ErrorKind, Write};
use std::os::unix::net::UnixStream;
use weir_core::Rate;
use weir_live::{Endpoint, FaceOptions};
use weir_wire::Mtu;

fn mtu(bytes: usize) -> FaceOptions {
    FaceOptions { mtu: Mtu::new(bytes), ..FaceOptions::default() }
}

fn fetches_all(uri: &str, options: FaceOptions) -> Consumer {
    let server = serve(uri, options, 8000);
    let consumer = Consumer::new(2000, 50).fetch(&server.at, options);
    assert_eq!((consumer.got, &consumer.closed), (2000, &None), "{uri}");
    assert_eq!(consumer.bytes, 16_000_000);
    consumer
}

#[test]
fn content_comes_over_every_transport() {
    let folder = tempfile::tempdir().unwrap();
    fetches_all(&format!("unix://{}/run/weir.sock", folder.path().display()), FaceOptions::default());
    let usual = FaceOptions::default();
    for host in ["tcp4://127.0.0.1", "udp4://127.0.0.1", "tcp6://[::1]", "udp6://[::1]"] {
        fetches_all(&format!("{host}:{}", free_port()), usual);
    }
}

#[test]
fn content_comes_in_fragments() {
    let consumer = fetches_all(&format!("udp4://127.0.0.1:{}", free_port()), mtu(1400));
    assert_eq!(consumer.counters.malformed, 0);
    // Each packet took six frames, whose headers count.
    assert!(consumer.counters.in_bytes > 2000 * (8000 + 6 * 20), "{:?}", consumer.counters);
}

#[test]
fn a_rate_is_kept() {
    let rate = FaceOptions { rate: Some(Rate(40_000_000)), ..FaceOptions::default() };
    let server = serve(&format!("udp4://127.0.0.1:{}", free_port()), rate, 8000);
    let consumer = Consumer::new(600, 20).fetch(&server.at, FaceOptions::default());
    let seconds = consumer.ended.seconds();
    let least = consumer.counters.in_bytes as f64 * 8.0 / 40e6;
    assert!(consumer.got == 600 && seconds > least, "{seconds} s for what takes {least} s");
    // Other programs may want this processor, too.
    assert!(seconds < least * 3.0 + 0.5, "{seconds} s for what takes {least} s");
}

#[test]
fn nobody_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let socket = Endpoint::Unix(folder.path().join("none"));
    let nobody = Consumer::new(1, 1).fetch(&socket, FaceOptions::default());
    assert_eq!(nobody.refused, Some(ErrorKind::NotFound));
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = Consumer::new(1, 1).fetch(&Endpoint::Tcp(port), FaceOptions::default());
    assert_eq!(nobody.refused, Some(ErrorKind::ConnectionRefused));
}

#[test]
fn a_udp_peer_may_come_later() {
    // Until somebody listens there, the system answers every datagram with an error.
    let port = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let later = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(700));
        serve(&format!("udp4://{port}"), FaceOptions::default(), 100)
    });
    let consumer = Consumer::new(10, 3).fetch(&Endpoint::Udp(port), FaceOptions::default());
    assert_eq!((consumer.got, consumer.closed), (10, None));
    assert!(consumer.repeated > 0 && consumer.counters.unsent > 0);
    drop(later.join().unwrap());
}

#[test]
fn frames_longer_than_the_system_sends_are_cut() {
    // 65507 bytes are the longest datagram over IPv4; with this mtu the driver tries what the system refuses.
    let server = serve(&format!("udp4://127.0.0.1:{}", free_port()), mtu(65_535), 8000);
    let consumer = Consumer::new(50, 5).fetch(&server.at, mtu(65_535));
    assert_eq!(consumer.got, 50);
}

#[test]
fn streams_that_do_not_speak_ndn_are_closed_and_others_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weir.sock");
    let server = serve(&format!("unix://{}", path.display()), FaceOptions::default(), 1000);
    let mut bad = UnixStream::connect(&path).unwrap();
    let mut half_open = UnixStream::connect(&path).unwrap();
    half_open.write_all(&[6, 0xfd, 0x20]).unwrap();
    // A Data that says it has 2 GB.
    bad.write_all(&[6, 0xfe, 0x7f, 0xff, 0xff, 0xff, 0]).unwrap();
    bad.set_read_timeout(Some(std::time::Duration::from_secs(10))).unwrap();
    let mut rest = Vec::new();
    std::io::Read::read_to_end(&mut bad, &mut rest).expect("the server closes it");
    let consumer = Consumer::new(100, 10).fetch(&server.at, FaceOptions::default());
    assert_eq!(consumer.got, 100);
    let left = || server.counters.lock().unwrap().len();
    let begin = std::time::Duration::from_millis(50);
    let noticed = (0..100).any(|_| {
        left() == 1 || {
            std::thread::sleep(begin);
            false
        }
    });
    assert!(noticed, "{} faces, but only the half-open one is left", left());
}

#[test]
fn a_socket_left_by_the_dead_is_taken_over_and_one_in_use_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weir.sock");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    let _server = serve(&format!("unix://{}", path.display()), FaceOptions::default(), 1000);
    let mut driver = weir_live::Driver::new(Box::new(weir_core::NoSink)).unwrap();
    let second = driver.listen(&Endpoint::Unix(path), FaceOptions::default());
    assert_eq!(second.unwrap_err().kind(), ErrorKind::AddrInUse);
}
