//! The trace of one segment.

mod common;

use common::{BUSY, assert_golden, scenario};
use std::collections::BTreeSet;
use weir_core::{FlowId, Span};
use weir_scenario::plan::Scenario;
use weir_watch::Name;
use weir_watch::trace::{Cause, Follower, Paint, What, delay, delivered, find, follow, steps, summary};

const SEED: u64 = 1;

fn name(text: &str) -> Name {
    text.parse().expect("a name")
}

fn traced(scenario: &Scenario, segment: u64, label: Option<&str>, all: bool) -> Follower {
    follow(scenario, SEED, &name("/video").with_segment(segment), label, all).expect("a checked scenario can be built")
}

fn text(trace: &Follower) -> String {
    let flow = trace.flow().expect("it was asked for");
    let delay = delay(trace.steps(), trace.network(), flow).expect("it was delivered");
    steps(trace, Paint::default()) + "\n" + &summary(&delay, trace.network(), Paint::default())
}

/// One segment of each kind: stored by PLR; refused by a full PIT and lost on the link; joined by a second consumer.
#[test]
fn a_trace_reads_like_this() {
    let scenario = scenario(BUSY);
    for (file, segment, label) in
        [("stored.txt", 48, None), ("lost.txt", 62, None), ("joined.txt", 538, Some("second"))]
    {
        assert_golden(file, &text(&traced(&scenario, segment, label, false)));
    }
    let colours = steps(&traced(&scenario, 62, None, false), Paint { colour: true });
    assert!(colours.contains("\x1b[31m") && colours.contains("\x1b[0m\n"), "{colours}");
}

#[test]
fn json_lines_say_the_same() {
    let scenario = scenario(BUSY);
    let trace = traced(&scenario, 62, None, true);
    let lines: Vec<serde_json::Value> =
        trace.steps().iter().map(|s| serde_json::from_str(&s.json(trace.network())).expect("JSON")).collect();
    let of = |event: &str| lines.iter().filter(|l| l["event"] == event).count();
    assert_eq!((of("asked"), of("delivered"), of("lost")), (6, 2, 4));
    let first = &lines[0];
    assert_eq!((&first["flow"], &first["why"], &first["transmission"]), (&"first".into(), &"new".into(), &1.into()));
    let drop = lines.iter().find(|l| l["reason"] == "pit-full").expect("a full PIT");
    assert_eq!((&drop["node"], &drop["link"], &drop["packet"]), (&"r1".into(), &"c1>r1".into(), &"interest".into()));
    let lost = lines.iter().find(|l| l["event"] == "lost").expect("a timeout");
    assert_eq!((&lost["why"], &lost["before"]["rto_ms"]), (&"timeout".into(), &200.0.into()));
}

/// Whatever happened to it: the parts of a segment's delay add up to it, and none is unexplained.
#[test]
fn delays_are_explained_to_the_nanosecond() {
    let scenario = scenario(BUSY);
    let mut causes = BTreeSet::new();
    for segment in (0..600).step_by(7).chain([48, 62, 538]) {
        let trace = traced(&scenario, segment, None, true);
        assert_eq!(delivered(&trace).len(), 2, "segment {segment}");
        for flow in delivered(&trace) {
            let delay = delay(trace.steps(), trace.network(), flow).expect("it was delivered");
            let told = trace.steps().iter().find_map(|s| match &s.what {
                What::Delivered { id, full_delay, .. } if *id == flow => Some(*full_delay),
                _ => None,
            });
            assert_eq!(Some(delay.total), told, "segment {segment}");
            assert_eq!(delay.sum(|_| true), delay.total, "segment {segment}: {delay:?}");
            assert_eq!(delay.sum(|c| c == Cause::Unknown), Span::ZERO, "segment {segment}: {delay:?}");
            causes.extend(delay.parts.iter().map(|p| format!("{:?}", p.cause)));
        }
    }
    for cause in ["Queueing", "Storage", "Transmission", "Propagation", "Unnoticed(Timeout)", "Withheld", "Joined"] {
        assert!(causes.contains(cause), "no delay has {cause}: {causes:?}");
    }
}

#[test]
fn a_trace_ends_with_the_delivery_unless_all_is_wanted() {
    let scenario = scenario(BUSY);
    let (short, all) = (traced(&scenario, 62, None, false), traced(&scenario, 62, None, true));
    assert_eq!(short.flow(), Some(FlowId(0)));
    assert_eq!(short.steps(), &all.steps()[..short.steps().len()]);
    assert_eq!(short.steps().len() + short.omitted(), all.steps().len());
    assert!(matches!(short.steps().last().map(|s| &s.what), Some(What::Delivered { .. })));
    assert!(short.omitted() > 0 && all.omitted() == 0);
}

/// Forwarding by weights over two ways: the trace says what the strategy could choose from, and why it chose.
#[test]
fn a_strategy_says_why() {
    let two_ways = r#"
routing = "loop-free"
[topology]
nodes = ["c", "r", "a", "b", "p"]
[[topology.link]]
between = ["c", "r"]
rate = "10Mbps"
delay = "1ms"
[[topology.link]]
between = ["r", "a"]
rate = "10Mbps"
delay = "1ms"
[[topology.link]]
between = ["r", "b"]
rate = "10Mbps"
delay = "2ms"
[[topology.link]]
between = ["a", "p"]
rate = "10Mbps"
delay = "1ms"
[[topology.link]]
between = ["b", "p"]
rate = "10Mbps"
delay = "1ms"
[[workload]]
fetch = { consumer = "c", producer = "p", name = "/video", segments = 50, label = "c" }
[scheme]
name = "icp"
strategy = "round-robin"
"#;
    let scenario = scenario(two_ways);
    let trace = traced(&scenario, 5, None, false);
    let decided = trace.steps().iter().find_map(|s| match &s.what {
        What::Decided { offered, chosen, .. } => Some((offered.len(), chosen.len())),
        _ => None,
    });
    assert_eq!(decided, Some((2, 1)));
    let said = steps(&trace, Paint::default());
    assert!(said.contains("its credit of 2 is the most; it pays 2"), "{said}");
}

#[test]
fn what_was_never_asked_for_is_told_with_the_nearest() {
    let scenario = scenario(BUSY);
    let finder = find(&scenario, SEED).expect("a checked scenario can be built");
    let none = traced(&scenario, 600, None, false);
    assert!(none.flow().is_none() && none.steps().is_empty());
    let miss = |text: &str, label| finder.miss(&name(text), label);
    assert_eq!(
        miss("/video/seg=600", None),
        "`/video/seg=600` was never asked for; the nearest segment that was is `/video/seg=599`"
    );
    assert_eq!(
        miss("/vidoe/seg=1", Some("first")),
        "nothing called `/vidoe` was asked for by `first`; did you mean `/video`?"
    );
    assert_eq!(miss("/video", None), "`/video` is no segment; say which one, as in `/video/seg=0`");
    assert_eq!(miss("/video/seg=1", Some("frist")), "there is no flow `frist`; did you mean `first`?");
    assert_eq!(finder.segment("second", 7), Ok(vec![name("/video/seg=7")]));
    assert_eq!(
        finder.segment("second", 1000),
        Err("`second` never asked for segment 1000; the nearest that it did is 599".into())
    );
}
