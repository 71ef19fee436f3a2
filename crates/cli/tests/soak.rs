//! A forwarder among enemies: `make soak`, which takes ten minutes (`SECONDS=n`).
//!
//! For all that time strangers flood it with Interests, come and go, and send changed packets, forged Data, Nacks and loss
//! notices. Meanwhile a file is fetched through it again and again, and its memory must stay what it is.
#![cfg(target_os = "linux")]

mod common;

use common::{folder, weir};
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use weir_core::{Chance, Seed};
use weir_wire::{Data, Interest, MetaInfo, Mtu, Nack, NackReason, Packet};

/// A program that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Interests a second of the flood: as many as 10 Mbit/s of whole Data would answer, ten times over.
const FLOOD: u64 = 1_500;
/// The content that is fetched.
const BYTES: usize = 2_000_000;
/// How long one fetch of it may take, on a machine that has other work.
const PATIENCE: Duration = Duration::from_secs(60);

#[expect(clippy::disallowed_methods, reason = "a soak lasts for some time")]
fn now() -> Instant {
    Instant::now()
}

/// Resident memory of a process in bytes.
fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line of memory");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().expect("a number") * 1024
}

/// Something that is done again and again in a thread of its own until the end.
fn again(stop: &Arc<AtomicBool>, done: &Arc<AtomicU64>, mut work: impl FnMut() + Send + 'static) -> JoinHandle<()> {
    let (stop, done) = (stop.clone(), done.clone());
    thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            work();
            done.fetch_add(1, Ordering::Relaxed);
        }
    })
}

fn interest(prefix: &str, chance: &mut Chance) -> Interest {
    let uri = format!("{prefix}/{:x}/seg={}", chance.bits(), chance.bits() % 1000);
    Interest::new(uri.parse().expect("a name"), chance.bits() as u32)
}

/// Packets of every kind, some of them in fragments, as frames.
fn frames(chance: &mut Chance) -> Vec<Vec<u8>> {
    let asked = interest("/flood", chance);
    let data = Data::build(asked.name.clone(), &[7; 3000], &MetaInfo::default());
    let reasons = [NackReason::Congestion, NackReason::Duplicate, NackReason::NoRoute];
    let nack = Nack { reason: reasons[chance.bits() as usize % 3], interest: asked.clone() };
    let mut notice = Packet::from(data.clone());
    notice.hop_mut().loss_notice = true;
    let packets = [Packet::from(asked), data.clone().into(), nack.into(), notice];
    let mut frames: Vec<Vec<u8>> = packets.iter().map(|packet| packet.encode().to_vec()).collect();
    let mtu = Mtu::new(500).expect("a length of frames");
    let cut = weir_wire::LpPacket::fragments(&Packet::from(data), mtu, chance.bits());
    frames.extend(cut.iter().map(|frame| frame.encode().to_vec()));
    frames
}

fn changed(mut frame: Vec<u8>, chance: &mut Chance) -> Vec<u8> {
    for _ in 0..chance.bits() % 4 {
        let at = chance.bits() as usize % frame.len();
        frame[at] = chance.bits() as u8;
    }
    if chance.happens(0.1) {
        frame.truncate(chance.bits() as usize % frame.len());
    }
    frame
}

fn stranger(to: SocketAddr) -> UdpSocket {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    socket.connect(to).expect("an address of this host");
    socket
}

/// The enemies, each in its thread, with what each has done.
fn enemies(
    udp: SocketAddr,
    tcp: SocketAddr,
    unix: &Path,
    stop: &Arc<AtomicBool>,
) -> Vec<(&'static str, Arc<AtomicU64>, JoinHandle<()>)> {
    let mut all = Vec::new();
    let mut add = |name: &'static str, work: Box<dyn FnMut() + Send>| {
        let done = Arc::default();
        let thread = again(stop, &done, work);
        all.push((name, done, thread));
    };
    let (mut chance, socket) = (Seed(1).stream(), stranger(udp));
    add(
        "Interests of a flood",
        Box::new(move || {
            let _ = socket.send(&interest("/flood", &mut chance).encode());
            thread::sleep(Duration::from_micros(1_000_000 / FLOOD));
        }),
    );
    let (mut chance, socket) = (Seed(2).stream(), stranger(udp));
    add(
        "bursts of changed and forged packets",
        Box::new(move || {
            for frame in frames(&mut chance) {
                let _ = socket.send(&changed(frame, &mut chance));
            }
            thread::sleep(Duration::from_millis(2));
        }),
    );
    let mut chance = Seed(3).stream();
    add(
        "peers that come over UDP and go",
        Box::new(move || {
            let _ = stranger(udp).send(&interest("/flood", &mut chance).encode());
            thread::sleep(Duration::from_millis(5));
        }),
    );
    let (mut chance, unix) = (Seed(4).stream(), unix.to_owned());
    add(
        "streams that break off",
        Box::new(move || {
            let frame = frames(&mut chance).swap_remove(1);
            let half = &frame[..chance.bits() as usize % frame.len()];
            if let Ok(mut stream) = TcpStream::connect(tcp) {
                let _ = stream.write_all(half);
            }
            if let Ok(mut stream) = UnixStream::connect(&unix) {
                let _ = stream.write_all(&changed(half.iter().copied().chain([0]).collect(), &mut chance));
            }
            thread::sleep(Duration::from_millis(5));
        }),
    );
    all
}

#[test]
#[ignore = "takes ten minutes; make soak"]
fn a_forwarder_among_enemies_serves_and_stays_small() {
    let seconds: u64 = std::env::var("WEIR_SOAK_SECONDS").map_or(600, |text| text.parse().expect("seconds"));
    let here = folder("soak");
    let socket = std::env::temp_dir().join(format!("weir-soak-{}", std::process::id()));
    let port = || UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|free| free.local_addr()).expect("a port");
    // Where nobody answers: what is asked for there stays pending.
    let (udp, tcp, silent) = (port(), port(), UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port"));
    let uri = format!("unix://{}", socket.display());
    let config = format!(
        "[tables]\npit = 8192\ncontent-store = 1000\n[limits]\nfaces = 256\nidle = \"10s\"\n\
         [[listen]]\nuri = {uri:?}\n[[listen]]\nuri = \"udp4://{udp}\"\n[[listen]]\nuri = \"tcp4://{tcp}\"\n\
         [[face]]\nuri = \"udp4://{}\"\nroutes = [\"/flood\"]\n",
        silent.local_addr().expect("an address")
    );
    std::fs::write(here.join("forward.toml"), config).expect("it can be written");
    let mut chance = Seed(9).stream();
    let content: Vec<u8> = (0..BYTES).map(|_| chance.bits() as u8).collect();
    std::fs::write(here.join("f"), &content).expect("it can be written");
    let start = |args: &[&str]| {
        let child = weir(&here).args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Running(child.expect("the program starts"))
    };
    let mut forwarder = start(&["forward", "forward.toml"]);
    while UnixStream::connect(&socket).is_err() {
        thread::sleep(Duration::from_millis(20));
    }
    let _put = start(&["put", "f", "/p", "--face", &uri, "--freshness", "0"]);
    let stop = Arc::new(AtomicBool::new(false));
    let enemies = enemies(udp, tcp, &socket, &stop);
    let (began, length) = (now(), Duration::from_secs(seconds));
    let (mut fetched, mut slowest, mut sizes) = (0u64, Duration::ZERO, Vec::new());
    while began.elapsed() < length {
        let before = now();
        let args = ["get", "/p", "-o", "g", "--force", "--quiet", "--face", &uri];
        let got = weir(&here).args(args).output().expect("the program starts");
        assert!(got.status.success(), "after {:?}: {}", began.elapsed(), String::from_utf8_lossy(&got.stderr));
        assert!(std::fs::read(here.join("g")).expect("it was fetched") == content);
        (fetched, slowest) = (fetched + 1, slowest.max(before.elapsed()));
        assert!(slowest < PATIENCE, "a fetch took {slowest:?}");
        sizes.push((began.elapsed(), memory(forwarder.0.id())));
        thread::sleep(Duration::from_millis(200));
    }
    stop.store(true, Ordering::Relaxed);
    for (name, done, thread) in enemies {
        thread.join().expect("an enemy that does not die");
        println!("{} {name}", done.load(Ordering::Relaxed));
    }
    assert!(forwarder.0.try_wait().expect("it can be asked").is_none(), "it has died");
    let status = weir(&here).args(["status", "--json", "--socket", &uri]).output().expect("the program starts");
    assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stderr));
    // Tables fill at first; from then on nothing may grow.
    let most = |from: u32, to: u32| {
        let within = sizes.iter().filter(|(at, _)| *at >= length * from / 5 && *at < length * to / 5);
        within.map(|(_, size)| *size).max().expect("a fetch in every fifth of the time")
    };
    let (early, late) = (most(1, 2), most(4, 5));
    println!("{fetched} fetches of {BYTES} bytes, the slowest in {slowest:?}");
    println!("memory: {early} bytes at most in the second fifth of the time, {late} in the last");
    assert!(late as f64 <= early as f64 * 1.1 + 2e6, "it grows: {early} bytes, later {late}");
}
