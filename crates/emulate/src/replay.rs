//! What programs have written, told to the simulator's collector as if its own consumers had done it: so flows, congestions and
//! records of fetches have the same definitions.

use crate::outcome::Fetched;
use crate::tables::{Event, FetchRow, Segment};
use weir_core::{Allowance, Delivery, FetchEnd, FlowId, Sink, Span, Time};
use weir_results::stats::mean;
use weir_scenario::plan::{Scenario, Workload};
use weir_sim::{Collector, FlowInfo};
use weir_wire::{NackReason, Name};

/// All that a program has written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Written {
    pub segments: Vec<Segment>,
    pub events: Vec<Event>,
    pub fetches: Vec<FetchRow>,
}

/// One thing that happened.
enum What<'a> {
    Segment(&'a Segment),
    Event(&'a Event),
    Fetch(FetchRow),
}

/// The collector of a run whose programs have written this.
pub(crate) fn replay(scenario: &Scenario, fetched: &[Fetched], written: &[Written]) -> Collector {
    let info = |w: &Workload| FlowInfo { label: w.label.clone(), stop: w.stop, many: w.requests.is_some() };
    let collector = Collector::new(scenario.workloads.iter().map(info).collect(), scenario.topology.nodes.len());
    let mut collector = if scenario.run.fetches { collector.with_fetches() } else { collector };
    // By seconds of the run.
    let mut all: Vec<(f64, usize, What<'_>)> = Vec::new();
    for (program, written) in fetched.iter().zip(written) {
        let (start, flow) = (program.start.seconds(), program.flow);
        let many = scenario.workloads[flow].requests.is_some();
        if written.events.is_empty() && !many {
            // At least it has asked for the version.
            collector.requested(program.start, FlowId(flow as u32), 0, 1);
        }
        all.extend(written.segments.iter().map(|segment| (start + segment.time, flow, What::Segment(segment))));
        all.extend(written.events.iter().map(|event| (start + event.time, flow, What::Event(event))));
        if many {
            let rows = written.fetches.iter().map(|row| FetchRow { start: start + row.start, ..*row });
            all.extend(rows.map(|row| (row.start + row.took * 1e-3, flow, What::Fetch(row))));
        }
    }
    for flow in (0..scenario.workloads.len()).filter(|flow| scenario.workloads[*flow].requests.is_none()) {
        let parts = fetched.iter().zip(written).filter(|(program, _)| program.flow == flow);
        all.extend(whole(&parts.collect::<Vec<_>>()).map(|(end, row)| (end, flow, What::Fetch(row))));
    }
    // What comes at one time stays in the order in which it was written.
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let name = Name::default();
    for (time, flow, what) in all {
        let (now, flow) = (at(time), FlowId(flow as u32));
        match what {
            What::Segment(segment) => collector.delivered(now, flow, &delivery(segment)),
            What::Event(event) => tell(&mut collector, now, flow, event),
            What::Fetch(row) => {
                let FetchRow { start, segments, retransmissions, timeouts, decreases, full_delay, delay_scv, .. } = row;
                let (began, delay) = (at(start), full_delay * 1e-3);
                let end =
                    FetchEnd { name: &name, began, segments, retransmissions, timeouts, decreases, delay, delay_scv };
                collector.fetch_ended(now, flow, &end);
            }
        }
    }
    collector
}

fn at(seconds: f64) -> Time {
    Time::ZERO + Span::from_seconds(seconds)
}

fn delivery(segment: &Segment) -> Delivery {
    let span = |millis: f64| Span::from_seconds(millis * 1e-3);
    Delivery {
        segment: segment.segment,
        payload: segment.payload as usize,
        full_delay: span(segment.full_delay),
        last_delay: span(segment.last_delay),
        transmissions: segment.transmissions as u32,
        hops: 0,
        marked: segment.marked,
    }
}

fn tell(sink: &mut dyn Sink, now: Time, flow: FlowId, event: &Event) {
    let value = event.value.unwrap_or_default();
    match event.what.as_str() {
        "sent" => sink.requested(now, flow, 0, value as u32),
        "timeout" => sink.timed_out(now, flow, 0),
        "refused" => sink.refused(now, flow, 0, NackReason::from_code(value as u16)),
        "decreased" => sink.decreased(now, flow, &Allowance::window(value)),
        "held" => sink.held(now, flow),
        "completed" => sink.completed(now, flow),
        "began" => sink.began(now, flow),
        "fetched" => sink.fetched(now, flow, Span::from_seconds(value * 1e-3)),
        "abandoned" => sink.abandoned(now, flow),
        _ => {}
    }
}

/// The record of a fetch that its last program has completed, and when: those before it were stopped, but it is one fetch.
fn whole(parts: &[(&Fetched, &Written)]) -> Option<(f64, FetchRow)> {
    let mut ends = parts.iter().flat_map(|(program, written)| {
        let ends = written.events.iter().filter(|event| event.what == "completed");
        ends.map(|event| program.start.seconds() + event.time)
    });
    let end = ends.next()?;
    let start = parts.iter().map(|(program, _)| program.start).min()?.seconds();
    let count = |is: fn(&Event) -> bool| {
        parts.iter().map(|(_, written)| written.events.iter().filter(|event| is(event)).count() as u64).sum()
    };
    let delays: Vec<f64> = parts.iter().flat_map(|(_, w)| w.segments.iter().map(|s| s.full_delay)).collect();
    let full_delay = mean(&delays)?;
    let squares: Vec<f64> = delays.iter().map(|delay| (delay - full_delay).powi(2)).collect();
    let row = FetchRow {
        start,
        took: (end - start) * 1e3,
        segments: delays.len() as u64,
        retransmissions: count(|event| event.what == "sent" && event.value.is_some_and(|times| times > 1.0)),
        timeouts: count(|event| event.what == "timeout"),
        decreases: count(|event| event.what == "decreased"),
        full_delay,
        delay_scv: mean(&squares)? / (full_delay * full_delay),
    };
    Some((end, row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_scenario::Study;
    use weir_sim::{Outcome, Scope};

    const TWO: &str = "[topology]\nlinear = { nodes = [\"c\", \"r\", \"p\"], rate = \"10Mbps\", delay = \"10ms\" }\n\
                       [[workload]]\nfetch = { name = \"/file\", label = \"fetch\" }\n\
                       [[workload]]\npoisson = { rate = \"5/s\", name = \"/many\", label = \"many\", consumer = \"c\", \
                       producer = \"p\" }\n[run]\nduration = \"8s\"\nfetches = true\n";

    fn event(time: f64, what: &str, value: Option<f64>) -> Event {
        Event { time, what: what.to_owned(), value }
    }

    fn segment(segment: u64, time: f64, full_delay: f64) -> Segment {
        let (payload, last_delay, transmissions) = (1e6, 100.0, 1.0);
        Segment { segment, time, payload, full_delay, last_delay, transmissions, marked: segment == 1 }
    }

    fn program(flow: usize, start: u64) -> Fetched {
        let start = Time::ZERO + Span::from_millis(start);
        Fetched { flow, start, stats: "x".into() }
    }

    /// What came of programs that have written this.
    fn outcome(fetched: &[Fetched], written: &[Written]) -> Outcome {
        let study = Study::parse("test.toml", TWO, &[]).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
        let scenario = &study.points()[0].scenario;
        let collector = replay(scenario, fetched, written);
        Outcome::of_consumers(&collector, scenario, Time::ZERO + Span::from_millis(8000))
    }

    fn requests() -> Written {
        let events = vec![
            event(1.0, "began", None),
            event(1.0, "sent", Some(1.0)),
            event(1.5, "timeout", None),
            event(1.5, "sent", Some(2.0)),
            event(1.6, "fetched", Some(600.0)),
            event(2.0, "began", None),
            event(2.0, "sent", Some(1.0)),
            event(3.0, "abandoned", None),
        ];
        let (start, took, segments, retransmissions) = (1.0, 600.0, 1, 1);
        let (timeouts, decreases, full_delay, delay_scv) = (1, 0, 600.0, 0.0);
        let row = FetchRow { start, took, segments, retransmissions, timeouts, decreases, full_delay, delay_scv };
        Written { segments: vec![segment(1, 1.6, 600.0)], events, fetches: vec![row] }
    }

    #[test]
    fn requests_count_one_by_one_and_their_time_from_the_first_interest() {
        let outcome = outcome(&[program(1, 2000)], &[requests()]);
        let of = |metric| outcome.get(metric, Scope::Flow("many".into()));
        let expected = [
            ("fetches_started", 2.0),
            ("fetches_completed", 1.0),
            ("fetches_failed", 1.0),
            ("requests", 3.0),
            ("retransmissions", 1.0),
            ("timeouts", 1.0),
            ("decreases", 0.0),
            ("delivered", 1.0),
            ("marked", 1.0),
            ("fetch_time", 600.0),
            // A megabyte in five seconds, from 3 s on.
            ("goodput", 1.6),
        ];
        for (metric, value) in expected {
            assert!(
                of(metric).is_some_and(|found| (found - value).abs() < 1e-6 * value.max(1.0)),
                "{metric} {value}: {:?}",
                of(metric)
            );
        }
        assert_eq!(of("completion_time"), None, "it was cut off");
        let fetch = &outcome.fetches[0];
        assert_eq!((outcome.fetches.len(), outcome.flow_of(fetch)), (1, "many"));
        let known = ["fetch_start", "fetch_time", "segments", "retransmissions", "timeouts"].map(|m| fetch.get(m));
        assert_eq!(known, [Some(3.0), Some(600.0), Some(1.0), Some(1.0), Some(1.0)]);
        assert_eq!(fetch.get("data_drops"), None, "no consumer knows that");
    }

    #[test]
    fn a_fetch_that_was_stopped_is_one_fetch() {
        let first = vec![
            event(0.0, "sent", Some(1.0)),
            event(0.0, "sent", Some(1.0)),
            event(0.4, "timeout", None),
            event(0.4, "decreased", Some(2.0)),
            event(0.4, "sent", Some(2.0)),
        ];
        let second = vec![
            event(0.0, "sent", Some(1.0)),
            event(0.1, "refused", Some(50.0)),
            event(0.1, "decreased", Some(1.0)),
            event(0.3, "completed", None),
        ];
        let (fetched, parts) = ([program(0, 1000), program(0, 4000)], [first, second]);
        let segments = [vec![segment(0, 0.2, 200.0), segment(2, 0.5, 500.0)], vec![segment(1, 0.3, 200.0)]];
        let written: Vec<Written> = parts
            .into_iter()
            .zip(segments)
            .map(|(events, segments)| Written { segments, events, fetches: Vec::new() })
            .collect();
        let outcome = outcome(&fetched, &written);
        let of = |metric| outcome.get(metric, Scope::Flow("fetch".into())).unwrap();
        let counts = ["fetches_started", "fetches_completed", "requests", "timeouts", "refusals", "decreases", "late"];
        assert_eq!(counts.map(of), [1.0, 1.0, 4.0, 1.0, 1.0, 2.0, 1.0]);
        assert!((of("completion_time") - 3.3).abs() < 1e-9, "{}", of("completion_time"));
        let fetch = &outcome.fetches[0];
        let known =
            ["fetch_start", "segments", "retransmissions", "timeouts", "decreases"].map(|m| fetch.get(m).unwrap());
        assert_eq!(known, [1.0, 3.0, 1.0, 1.0, 2.0]);
        assert!((fetch.get("full_delay").unwrap() - 300.0).abs() < 1e-9);
        // 200, 200, 500: a variance of 20000 over 300².
        assert!((fetch.get("delay_scv").unwrap() - 20_000.0 / 90_000.0).abs() < 1e-9);
        // Signals 2.7 s apart are two congestions.
        let run = |metric| outcome.get(metric, Scope::Run).unwrap();
        assert_eq!(run("congestions"), 2.0);
        assert_eq!(outcome.get("congestion_lowest", Scope::Congestion(1)), Some(2.0));
        assert_eq!(outcome.get("congestion_refusals", Scope::Congestion(2)), Some(1.0));
    }

    #[test]
    fn a_program_that_found_nothing_has_begun() {
        let outcome = outcome(&[program(0, 1000)], &[Written::default()]);
        let of = |metric| outcome.get(metric, Scope::Flow("fetch".into()));
        assert_eq!((of("fetches_started"), of("fetches_completed"), of("goodput")), (Some(1.0), Some(0.0), Some(0.0)));
    }
}
