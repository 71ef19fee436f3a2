//! Captures: tshark reads them, and what is in them is what the links carried. `tools/debian.sh tshark` installs it.

mod common;

use common::{BUSY, scenario};
use std::cell::RefCell;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use weir_sim::{Built, LinkCounters, build};
use weir_watch::Capture;
use weir_wire::{Kind, Packet};

const BOTH: [&str; 2] = ["r1>r2", "r2>r1"];

/// What tshark says of a frame.
#[derive(Debug)]
struct Frame {
    interface: String,
    nanos: u64,
    length: u64,
    kept: u64,
    source: String,
    goal: String,
    comment: String,
    payload: Vec<u8>,
}

/// Runs the scenario with a capture; the counters of the captured directions.
fn captured(path: &Path, links: &[&str], snaplen: Option<u32>) -> Vec<LinkCounters> {
    captured_of(BUSY, path, links, snaplen)
}

fn captured_of(text: &str, path: &Path, links: &[&str], snaplen: Option<u32>) -> Vec<LinkCounters> {
    let mut built: Built = build(&scenario(text), 3).expect("a checked scenario can be built");
    let names: Vec<String> = links.iter().map(|name| (*name).to_owned()).collect();
    let capture = Capture::new(&built, &names, path, snaplen, "a test").expect("the file can be begun");
    let capture = Rc::new(RefCell::new(capture));
    built.world.watch(Box::new(Rc::clone(&capture)));
    built.world.run(built.end);
    let all: Vec<LinkCounters> = built.world.links().map(|(_, counters, _)| counters).collect();
    let counters = built.links.iter().zip(all).filter(|(name, _)| names.contains(name)).map(|(_, c)| c).collect();
    drop(built);
    assert!(!path.exists(), "nobody sees half a file");
    let capture = Rc::into_inner(capture).expect("the world is gone").into_inner();
    capture.finish().expect("the file can be written");
    counters
}

fn tshark(path: &Path, args: &[&str]) -> String {
    let called = Command::new("tshark").arg("-n").arg("-r").arg(path).args(args).output();
    let output = called.unwrap_or_else(|error| panic!("this test needs tshark (tools/debian.sh tshark): {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn frames(path: &Path) -> Vec<Frame> {
    let fields = [
        "frame.interface_name",
        "frame.time_epoch",
        "frame.len",
        "frame.cap_len",
        "eth.src",
        "eth.dst",
        "eth.type",
        "frame.comment",
        "data.data",
    ];
    let mut args = vec!["-T", "fields", "-E", "separator=/t"];
    fields.iter().for_each(|field| args.extend(["-e", field]));
    tshark(path, &args).lines().map(frame).collect()
}

fn frame(line: &str) -> Frame {
    let cells: Vec<&str> = line.split('\t').collect();
    let [interface, time, length, kept, source, goal, typ, comment, data] = cells[..] else {
        panic!("{} cells: {line}", cells.len())
    };
    assert_eq!(typ, "0x8624", "{line}");
    let (seconds, nanos) = time.split_once('.').expect("a time with its fraction");
    assert_eq!(nanos.len(), 9, "nanoseconds: {time}");
    let number = |text: &str| text.parse::<u64>().unwrap_or_else(|error| panic!("{text}: {error}"));
    let byte = |at: usize| u8::from_str_radix(&data[at..at + 2], 16).expect("hexadecimal digits");
    Frame {
        interface: interface.into(),
        nanos: number(seconds) * 1_000_000_000 + number(nanos),
        length: number(length),
        kept: number(kept),
        source: source.into(),
        goal: goal.into(),
        comment: comment.into(),
        payload: (0..data.len()).step_by(2).map(byte).collect(),
    }
}

#[test]
fn tshark_sees_what_the_links_carried() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a/capture.pcapng");
    let counters = captured(&path, &BOTH, None);
    let frames = frames(&path);
    assert_eq!(tshark(&path, &["-Y", "_ws.malformed || _ws.expert.severity == error"]), "");
    for (name, counters) in BOTH.iter().zip(&counters) {
        let here: Vec<&Frame> = frames.iter().filter(|frame| frame.interface == *name).collect();
        assert_eq!(here.len() as u64, counters.packets, "{name}");
        assert_eq!(here.iter().map(|frame| frame.length - 14).sum::<u64>(), counters.bytes, "{name}");
        let lost = here.iter().filter(|frame| frame.comment == "lost on the link").count() as u64;
        assert_eq!(lost, counters.lost, "{name}");
        assert!(counters.lost > 0, "{name} loses nothing");
    }
    assert!(frames.is_sorted_by_key(|frame| frame.nanos));
    assert!(frames.iter().all(|frame| frame.kept == frame.length));
    let (there, back) = (&frames[0], frames.iter().find(|f| f.interface == "r2>r1").expect("an answer"));
    assert_eq!((&there.source, &there.goal), (&back.goal, &back.source));
    assert_ne!(there.source, there.goal);
}

#[test]
fn frames_hold_packets_that_can_be_decoded() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("capture.pcapng");
    captured(&path, &BOTH, None);
    let (mut interests, mut data, mut notices, mut marked) = (0, 0, 0, 0);
    for frame in frames(&path) {
        let length = frame.payload.len();
        let packet = Packet::decode(frame.payload.into()).expect("a packet");
        assert_eq!(packet.wire_len(), length);
        assert!(packet.name().to_string().starts_with("/video/seg="), "{packet:?}");
        marked += u32::from(packet.hop.congestion_mark > 0);
        match &packet.kind {
            Kind::Interest(_) => interests += 1,
            Kind::Data(_) if packet.hop.loss_notice => notices += 1,
            Kind::Data(content) => {
                data += 1;
                assert_eq!(content.payload_len(), 1040);
                assert!(content.verify_digest());
            }
            Kind::Nack(_) => {}
        }
    }
    assert!(interests > 500 && data > 500 && notices > 0 && marked > 0, "{interests} {data} {notices} {marked}");
}

#[test]
fn a_snaplen_cuts_what_is_kept_and_not_what_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("capture.pcapng");
    let counters = captured(&path, &["r2>r1"], Some(64));
    let frames = frames(&path);
    assert_eq!(frames.iter().map(|frame| frame.length - 14).sum::<u64>(), counters[0].bytes);
    assert!(frames.iter().all(|frame| frame.kept == frame.length.min(64) && frame.interface == "r2>r1"));
}

/// A link makes copies and lets them overtake each other: each packet and each copy is there once, in the order in which
/// they were sent.
#[test]
fn a_copy_that_a_link_makes_is_there_once() {
    let impaired = format!(
        "{BUSY}\n[[impairment]]\nlink = \"r1-r2\"\njitter = \"4ms\"\novertaking = true\nduplicate = \"10%\"\n\
         reorder = {{ share = \"10%\", delay = \"15ms\" }}\n"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("capture.pcapng");
    let counters = captured_of(&impaired, &path, &BOTH, None);
    let frames = frames(&path);
    for (name, counters) in BOTH.iter().zip(&counters) {
        let here: Vec<&Frame> = frames.iter().filter(|frame| frame.interface == *name).collect();
        assert_eq!(here.len() as u64, counters.packets + counters.duplicated, "{name}");
        let copies = here.windows(2).filter(|pair| pair[1].comment == "duplicated on the link");
        let (mut count, mut bytes) = (0, 0);
        for pair in copies {
            assert_eq!((pair[0].nanos, &pair[0].payload), (pair[1].nanos, &pair[1].payload), "{name}");
            assert_eq!(pair[0].comment, "", "{name}: what is lost leaves no copy");
            (count, bytes) = (count + 1, bytes + pair[1].length - 14);
        }
        assert_eq!(count, counters.duplicated, "{name}");
        assert!(count > 10, "{name}: {count} copies");
        assert_eq!(here.iter().map(|frame| frame.length - 14).sum::<u64>(), counters.bytes + bytes, "{name}");
    }
    assert!(frames.is_sorted_by_key(|frame| frame.nanos));
}
