//! What the programs of a node are told: the forwarder's file, and the words of `weir put` and `weir get`.

use crate::layout::{Content, FaceLayout, NodeLayout};
use std::ffi::OsString;
use std::fmt::Write;
use std::net::Ipv4Addr;
use std::path::Path;
use weir_core::{Limit, Value};
use weir_scenario::plan::{PartPlan, SchemePlan, Tables, Workload};
use weir_wire::Name;

/// The port of every face.
const PORT: u16 = 6363;
/// Entries of a Pending Interest Table without a bound.
const PIT: usize = 1 << 20;
/// How often a consumer asks for a segment before it gives up. Simulated consumers never do.
const ATTEMPTS: u32 = 1_000_000;

/// The configuration of a node's forwarder, whose programs find it at `socket`.
pub(crate) fn forwarder(node: &NodeLayout, scheme: &SchemePlan, tables: Tables, payload: u64, socket: &Path) -> String {
    let queue = if node.is_host { &scheme.host_queue } else { &scheme.queue };
    let recovery = scheme.recovery.as_ref().filter(|_| !node.is_host);
    let packets = node.faces.iter().filter_map(|face| packets(face.limit)).max();
    let none = || "\"none\"".to_owned();
    let mut text = format!(
        "[tables]\ncontent-store = {}\npit = {}\n\n[limits]\npit-share = 1.0\n\n[schemes]\nqueue = {}\nstrategy = {}\n\
         recovery = {}\nmonitor = {}\npayload = \"{payload}B\"\n",
        tables.cs,
        tables.pit.unwrap_or(PIT),
        part(queue),
        part(&scheme.strategy),
        recovery.map_or_else(none, part),
        scheme.monitor.as_ref().map_or_else(none, part),
    );
    if let Some(packets) = packets {
        let _ = writeln!(text, "queue-packets = {packets}");
    }
    let listen = |text: &mut String, uri: &str| writeln!(text, "\n[[listen]]\nuri = \"{uri}\"");
    let _ = listen(&mut text, &format!("unix://{}", socket.display()));
    let _ = listen(&mut text, &format!("udp4://0.0.0.0:{PORT}"));
    for (number, face) in node.faces.iter().enumerate() {
        let _ = writeln!(
            text,
            "\n[[face]]\nuri = \"{}\"\nrate = \"{}bps\"\nmtu = {}\nroutes = [{}]",
            uri(face.remote),
            face.rate.0,
            mtu(face),
            routes(node, number)
        );
    }
    text
}

/// The face that leads to an address, as forwarders write it.
pub(crate) fn uri(remote: Ipv4Addr) -> String {
    format!("udp4://{remote}:{PORT}")
}

fn mtu(face: &FaceLayout) -> usize {
    // Without a longest frame a packet crosses in one.
    face.mtu.map_or(9000, |mtu| mtu.bytes())
}

fn packets(limit: Limit) -> Option<usize> {
    match limit {
        Limit::Packets(packets) => Some(packets),
        Limit::Frames { most, .. } => Some(most),
        Limit::Bytes(_) => None,
    }
}

fn routes(node: &NodeLayout, face: usize) -> String {
    let routes = node.routes.iter().filter(|route| route.face == face);
    let routes = routes.map(|route| format!("{{ prefix = \"{}\", cost = {} }}", route.prefix, route.cost));
    routes.collect::<Vec<_>>().join(", ")
}

/// A part with its settings, as TOML.
fn part(part: &PartPlan) -> String {
    let mut text = format!("{{ name = \"{}\"", part.name);
    for (key, value) in &part.settings {
        let _ = match value {
            Value::Text(word) => write!(text, ", {key} = \"{word}\""),
            other => write!(text, ", {key} = {other}"),
        };
    }
    text + " }"
}

/// The words of `weir put`.
pub(crate) fn put(content: &Content, file: &Path, socket: &Path) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["put".into(), file.into(), name(&content.name), "--face".into(), face(socket)];
    words.extend(["--segment-size".into(), content.payload.to_string().into()]);
    words
}

/// The words of `weir get`, which writes what it saw to `stats`.
pub(crate) fn get(workload: &Workload, scheme: &SchemePlan, socket: &Path, stats: &Path) -> Vec<OsString> {
    let control = workload.control.as_ref().unwrap_or(&scheme.control);
    let timeout = workload.timeout.as_ref().unwrap_or(&scheme.timeout);
    let mut words: Vec<OsString> = vec!["get".into(), name(&workload.name), "-o".into(), "-".into()];
    words.extend(["--quiet".into(), "--json".into(), "--face".into(), face(socket)]);
    words.extend(["--stats".into(), stats.into(), "--attempts".into(), ATTEMPTS.to_string().into()]);
    for (word, set, part) in [("--control", "--set", control), ("--timeout", "--set-timeout", timeout)] {
        words.extend([word.into(), part.name.clone().into()]);
        for (key, value) in &part.settings {
            words.extend([set.into(), format!("{key}={}", plain(value)).into()]);
        }
    }
    words
}

/// A value as a word of a command.
fn plain(value: &Value) -> String {
    match value {
        Value::Text(word) => word.clone(),
        other => other.to_string(),
    }
}

fn name(name: &Name) -> OsString {
    name.to_string().into()
}

fn face(socket: &Path) -> OsString {
    let mut uri = OsString::from("unix://");
    uri.push(socket);
    uri
}
