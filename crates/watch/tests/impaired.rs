//! Traces over links that duplicate packets and let them overtake each other.

mod common;

use common::{BUSY, scenario};
use weir_core::{DropReason, Span};
use weir_scenario::plan::Scenario;
use weir_watch::Name;
use weir_watch::trace::{Cause, Follower, PacketKind, Paint, What, delay, delivered, follow, steps};

/// A link that loses, duplicates, holds back and shuffles what it carries, in both directions.
const SHUFFLED: &str = r#"
[[impairment]]
link = "r1-r2"
jitter = "4ms"
overtaking = true
reorder = { share = "20%", delay = "15ms" }
duplicate = "20%"
"#;

fn impaired() -> Scenario {
    scenario(&format!("{BUSY}{SHUFFLED}"))
}

fn traced(scenario: &Scenario, segment: u64, all: bool) -> Follower {
    let name: Name = "/video".parse().expect("a name");
    follow(scenario, 1, &name.with_segment(segment), None, all).expect("a checked scenario can be built")
}

/// Data packets of a trace to which something happened on `r2>r1`.
fn data_back(trace: &Follower, happened: impl Fn(&What) -> Option<PacketKind>) -> usize {
    let here = |link: Option<u32>| link.is_some_and(|link| trace.network().link(link) == "r2>r1");
    trace.steps().iter().filter(|s| here(s.link) && happened(&s.what) == Some(PacketKind::Data)).count()
}

fn copies(trace: &Follower) -> usize {
    data_back(trace, |what| match what {
        What::Duplicated { packet } => Some(packet.packet),
        _ => None,
    })
}

#[test]
fn a_trace_says_that_the_data_was_duplicated_and_ends() {
    let scenario = impaired();
    let mut seen = 0;
    for segment in (100..400).step_by(23) {
        let (short, all) = (traced(&scenario, segment, false), traced(&scenario, segment, true));
        assert!(matches!(short.steps().last().map(|s| &s.what), Some(What::Delivered { .. })), "segment {segment}");
        assert_eq!(short.steps(), &all.steps()[..short.steps().len()], "segment {segment}");
        if copies(&short) == 0 {
            continue;
        }
        seen += 1;
        let lines = steps(&short, Paint::default());
        let said = lines.lines().filter(|line| line.contains("r2>r1") && line.contains(" is duplicated on the link"));
        assert_eq!(said.count(), copies(&short), "segment {segment}:\n{lines}");
        // Every copy arrives, and so does everything else that was not lost.
        let sent = data_back(&all, |what| match what {
            What::Sent { packet, .. } => Some(packet.packet),
            _ => None,
        });
        let arrived = data_back(&all, |what| match what {
            What::Arrived { packet } => Some(packet.packet),
            _ => None,
        });
        let lost = data_back(&all, |what| match what {
            What::Dropped { packet, reason: DropReason::LinkLoss } => Some(packet.packet),
            _ => None,
        });
        assert_eq!(arrived, sent - lost + copies(&all), "segment {segment}");
    }
    assert!(seen >= 2, "only {seen} segments of those traced were duplicated");
}

/// Whichever copy came first, and whatever overtook it: the parts add up, and none is unexplained.
#[test]
fn delays_over_such_a_link_are_explained_to_the_nanosecond() {
    let scenario = impaired();
    let mut duplicated = 0;
    for segment in (0..600).step_by(13) {
        let trace = traced(&scenario, segment, true);
        assert_eq!(delivered(&trace).len(), 2, "segment {segment}");
        duplicated += copies(&trace);
        for flow in delivered(&trace) {
            let delay = delay(trace.steps(), trace.network(), flow).expect("it was delivered");
            let told = trace.steps().iter().find_map(|s| match &s.what {
                What::Delivered { id, full_delay, .. } if *id == flow => Some(*full_delay),
                _ => None,
            });
            assert_eq!(Some(delay.total), told, "segment {segment}");
            assert_eq!(delay.sum(|_| true), delay.total, "segment {segment}: {delay:?}");
            assert_eq!(delay.sum(|c| c == Cause::Unknown), Span::ZERO, "segment {segment}: {delay:?}");
        }
    }
    assert!(duplicated > 5, "{duplicated} copies");
}
