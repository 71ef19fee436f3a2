//! What the programs of a node are told: the forwarder's file, and the words of `weir put` and `weir get`.

use crate::layout::{Content, FaceLayout, NodeLayout, RouteLayout};
use std::ffi::OsString;
use std::fmt::Write;
use std::net::Ipv4Addr;
use std::path::Path;
use weir_core::{Lifetime, Limit, Seed, Value};
use weir_scenario::plan::{
    ConsumerRules, NoticeTimer, Outage, PartPlan, RateChange, Scenario, SchemePlan, Tables, Workload,
};
use weir_wire::Name;

/// The port of every face.
pub(crate) const PORT: u16 = 6363;
/// Entries of a Pending Interest Table without a bound.
const PIT: usize = 1 << 20;
/// How often a consumer asks for a segment before it gives up. Simulated consumers never do.
const ATTEMPTS: u32 = 1_000_000;

/// The configuration of a node's forwarder, whose programs find it at `socket`.
pub(crate) fn forwarder(node: &NodeLayout, scheme: &SchemePlan, tables: Tables, payload: u64, socket: &Path) -> String {
    let none = || "\"none\"".to_owned();
    let optional = |plan: &Option<PartPlan>| plan.as_ref().map_or_else(none, part);
    // In the simulator a host has no forwarder: here it only passes packets on.
    let (queue, strategy, recovery, monitor, cs, pit) = match node.is_host {
        true => (&scheme.host_queue, "\"best-route\"".to_owned(), none(), none(), 0, PIT),
        false => (
            &scheme.queue,
            part(&scheme.strategy),
            optional(&scheme.recovery),
            optional(&scheme.monitor),
            tables.cs,
            tables.pit.unwrap_or(PIT),
        ),
    };
    let mut text = format!(
        "[tables]\ncontent-store = {cs}\npit = {pit}\n\n[limits]\npit-share = 1.0\n\n[schemes]\nqueue = {}\n\
         strategy = {strategy}\nrecovery = {recovery}\nmonitor = {monitor}\npayload = \"{payload}B\"\n",
        part(queue),
    );
    let listen = |text: &mut String, uri: &str| writeln!(text, "\n[[listen]]\nuri = \"{uri}\"");
    let _ = listen(&mut text, &format!("unix://{}", socket.display()));
    let _ = listen(&mut text, &format!("udp4://0.0.0.0:{PORT}"));
    for (number, face) in node.faces.iter().enumerate() {
        let down = match face.down {
            Some(Outage::Wait) => "down = \"wait\"\n",
            Some(Outage::Drop) => "down = \"drop\"\n",
            // The node does not know.
            Some(Outage::Silent) | None => "",
        };
        let _ = writeln!(
            text,
            "\n[[face]]\n{down}uri = \"{}\"\nrate = \"{}bps\"\noverhead = 0\ndelay = \"{}ns\"\nmtu = {}\n{}\nroutes = [{}]",
            uri(face.remote),
            face.rate.0,
            face.delay.0,
            mtu(face),
            limit(face.limit),
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

fn limit(limit: Limit) -> String {
    match limit {
        Limit::Packets(packets) => format!("queue-packets = {packets}"),
        Limit::Frames { most, .. } => format!("queue-frames = {most}"),
        Limit::Bytes(bytes) => format!("queue-bytes = \"{}B\"", bytes.0),
    }
}

fn routes(node: &NodeLayout, face: usize) -> String {
    let routes = node.routes.iter().filter(|route| route.face == face);
    let routes = routes.map(|RouteLayout { prefix, cost, round_trip, .. }| {
        format!("{{ prefix = \"{prefix}\", cost = {cost}, round-trip = \"{}ns\" }}", round_trip.0)
    });
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

/// The words of `weir put`, or of `weir answer` for contents without end, of which there is no `file`.
pub(crate) fn put(content: &Content, file: &Path, socket: &Path) -> Vec<OsString> {
    let mut words: Vec<OsString> = match content.segments {
        Some(_) => vec!["put".into(), file.into()],
        None => vec!["answer".into()],
    };
    words.extend([name(&content.name), "--face".into(), face(socket)]);
    words.extend(["--segment-size".into(), content.payload.to_string().into()]);
    words.extend(["--freshness".into(), (content.freshness.0 / 1_000_000).to_string().into()]);
    words
}

/// The words of `weir get`. `files`: where the content goes, and what it saw.
pub(crate) fn get(
    workload: &Workload,
    scenario: &Scenario,
    node: &NodeLayout,
    socket: &Path,
    files: (&Path, &Path),
) -> Vec<OsString> {
    let (output, stats) = files;
    let mut words: Vec<OsString> = vec!["get".into(), name(&workload.name), "-o".into(), output.into()];
    words.extend([
        "--attempts".into(),
        ATTEMPTS.to_string().into(),
        format!("--payload={}B", workload.payload.0).into(),
    ]);
    words.extend(consumer(workload, scenario, node, socket, stats));
    words
}

/// The words of `weir request`. `traffic`: what its names begin with, and its text. `seeds`: of the flow, and of sizes.
pub(crate) fn request(
    workload: &Workload,
    scenario: &Scenario,
    node: &NodeLayout,
    socket: &Path,
    (content, traffic): (Name, String),
    seeds: (Seed, Seed),
    stats: &Path,
) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["request".into(), name(&content), traffic.into()];
    words.extend([format!("--seed={}", seeds.0.0).into(), format!("--size-seed={}", seeds.1.0).into()]);
    words.extend(consumer(workload, scenario, node, socket, stats));
    words
}

/// What all consumers are told.
fn consumer(workload: &Workload, scenario: &Scenario, node: &NodeLayout, socket: &Path, stats: &Path) -> Vec<OsString> {
    let scheme = &scenario.scheme;
    let control = workload.control.as_ref().unwrap_or(&scheme.control);
    let timeout = workload.timeout.as_ref().unwrap_or(&scheme.timeout);
    let mut words: Vec<OsString> = vec!["--quiet".into(), "--json".into(), "--face".into(), face(socket)];
    words.extend(["--orders".into(), "--stats".into(), stats.into()]);
    for (word, set, part) in [("--control", "--set", control), ("--timeout", "--set-timeout", timeout)] {
        words.extend([word.into(), part.name.clone().into()]);
        for (key, value) in &part.settings {
            words.extend([set.into(), format!("{key}={}", plain(value)).into()]);
        }
    }
    words.extend(rules(&scenario.consumer).into_iter().map(OsString::from));
    if let Some(link) = node.first_face(&workload.name) {
        words.push(format!("--link-rate={}bps", link.rate.0).into());
        words.push(format!("--link-delay={}ns", link.delay.0).into());
    }
    words
}

/// The order that exchanges a part of a consumer at work: `control` or `timeout`.
pub(crate) fn order(what: &str, part: &PartPlan) -> String {
    let settings = part.settings.iter().map(|(key, value)| format!(" {key}={}", plain(value)));
    format!("{what} {}{}", part.name, settings.collect::<String>())
}

/// `[consumer]` as words.
fn rules(rules: &ConsumerRules) -> [String; 7] {
    let lifetime = match rules.lifetime {
        Lifetime::Timeout => "timeout".to_owned(),
        Lifetime::Fixed(span) => format!("{}ns", span.0),
    };
    let notice_timer = match rules.notice_timer {
        NoticeTimer::Keep => "keep",
        NoticeTimer::Restart => "restart",
        NoticeTimer::Stop => "stop",
    };
    let rate_change = match rules.rate_change {
        RateChange::Next => "next",
        RateChange::Now => "now",
        RateChange::Cut => "cut",
    };
    [
        format!("--lifetime={lifetime}"),
        format!("--guard={}", rules.guard),
        format!("--notice-timer={notice_timer}"),
        format!("--jitter={}", rules.jitter),
        format!("--rate-change={rate_change}"),
        format!("--nack-pause={}ns", rules.nack_pause.0),
        format!("--learn-from-late={}", rules.learn_from_late),
    ]
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

#[cfg(test)]
mod tests {
    use super::*;
    use weir_scenario::Study;

    /// What the simulated twin does, the program is told.
    #[test]
    fn the_rules_of_the_consumer_are_those_of_the_scenario() {
        let rules_of = |more: &str| {
            let text = format!(
                "[topology]\nlinear = {{ nodes = [\"c\", \"p\"], rate = \"1Mbps\", delay = \"1ms\" }}\n\
                 [[workload]]\nfetch = {{ segments = 3 }}\n{more}"
            );
            let study = Study::parse("t.toml", &text, &[]).unwrap_or_else(|wrong| panic!("{}", wrong.render(false)));
            rules(&study.points()[0].scenario.consumer)
        };
        let plain = rules_of("");
        assert!(plain.contains(&"--learn-from-late=false".to_owned()), "{plain:?}");
        assert!(plain.contains(&"--notice-timer=keep".to_owned()), "{plain:?}");
        let other = rules_of("[consumer]\nlearn_from_late = true\nnack_pause = \"3ms\"\nlifetime = \"timeout\"\n");
        for word in ["--learn-from-late=true", "--nack-pause=3000000ns", "--lifetime=timeout"] {
            assert!(other.contains(&word.to_owned()), "{word}: {other:?}");
        }
    }
}
