//! What a run measures, against numbers from elsewhere.

mod common;

use common::{assert_near, at, built, drained, of_flow, of_link, of_node, of_run, outcome, readings, run};
use std::collections::BTreeSet;
use weir_core::{FaceId, Reading};
use weir_scenario::metrics::{METRICS, SERIES, Scope as Kind, Total};
use weir_sim::{End, Outcome, Sample, Scope};

/// Losses of every kind that a fetch can meet, and recovery that saves some.
const LOSSY: &str = r#"
[topology]
linear = { nodes = ["c", "r", "p"], rate = ["10Mbps", "100Mbps"], delay = "10ms", queue = "20p", loss = 0.01 }
[[workload]]
fetch = { segments = 3000 }
[scheme]
name = "pcon"
recovery = "plr"
[tables]
cs = 100
[run]
sample = "100ms"
"#;

/// A choice between two producers of the same content, by a strategy that tells of the capacities of its next hops.
const FORKED: &str = r#"
[topology]
nodes = ["r", "p1", "p2"]
[[topology.link]]
between = ["r", "p1"]
rate = "10Mbps"
delay = "10ms"
queue = "20p"
[[topology.link]]
between = ["r", "p2"]
rate = "5Mbps"
delay = "10ms"
queue = "20p"
[[workload]]
fetch = { consumer = "r", producer = ["p1", "p2"], segments = 5000 }
[scheme]
name = "pcon"
strategy = "fpf"
[run]
sample = "100ms"
"#;

fn has(outcome: &Outcome, metric: &'static str, scope: Scope) -> bool {
    outcome.get(metric, scope).is_some_and(f64::is_finite)
}

#[test]
fn every_metric_has_a_number_for_the_run_and_for_each_place() {
    let outcome = run(LOSSY, 1);
    for metric in METRICS {
        assert!(has(&outcome, metric.name, Scope::Run), "{} of the run", metric.name);
        let place = match metric.scope {
            Kind::Run => Scope::Run,
            Kind::Flow => Scope::Flow("c".into()),
            Kind::Link => Scope::Link("r>c".into()),
            Kind::Node => Scope::Node("r".into()),
            Kind::Congestion => Scope::Congestion(1),
        };
        assert!(has(&outcome, metric.name, place.clone()), "{} of {place:?}", metric.name);
    }
    // Nor is anything measured that the reference does not name.
    for (name, scope) in outcome.values.keys() {
        let metric = METRICS.iter().find(|m| m.name == *name).unwrap_or_else(|| panic!("{name} is not described"));
        let fits = match scope {
            Scope::Run => true,
            Scope::Flow(_) => metric.scope == Kind::Flow,
            Scope::Link(_) => metric.scope == Kind::Link,
            Scope::Node(_) => metric.scope == Kind::Node,
            Scope::Congestion(_) => metric.scope == Kind::Congestion,
        };
        assert!(fits, "{name} of {scope:?}");
    }
}

#[test]
fn what_cannot_be_measured_is_absent() {
    // The run ends before the first Data comes.
    let outcome = run(&(LOSSY.to_owned() + "duration = \"5ms\"\n"), 1);
    let absent: BTreeSet<&str> =
        METRICS.iter().map(|m| m.name).filter(|name| outcome.get(name, Scope::Run).is_none()).collect();
    let expected = [
        "accumulation_time",    // no segment was late
        "completion_time",      // the fetch has not ended
        "congestion_decreases", // nor has anything gone wrong yet
        "congestion_hold",
        "congestion_lowest",
        "congestion_refusals",
        "congestion_start",
        "fetch_time",
        "fetch_time_p50",
        "fetch_time_p95",
        "fetch_time_p99",
        "full_delay", // nothing was delivered
        "full_delay_p50",
        "full_delay_p95",
        "full_delay_p99",
        "jain", // nobody got anything
        "jain_maxmin",
        "last_delay",
        "late_delay",    // no segment was late
        "recovery_time", // nothing was recovered
        "sojourn",       // no Data has left a queue
    ];
    assert_eq!(absent, BTreeSet::from(expected));
    assert_eq!(of_run(&outcome, "goodput"), 0.0);
}

#[test]
fn every_series_is_sampled_at_every_interval() {
    let paced = run(&LOSSY.replace("recovery", "control = { name = \"cbr\", rate = \"5Mbps\" }\nrecovery"), 1);
    let window = run(LOSSY, 1);
    // What a strategy makes of its next hops is told where it has a choice.
    let forked = run(FORKED, 1);
    let shared = run(&FORKED.replace("fpf", "pcon-fs"), 1);
    for series in SERIES {
        let outcome = match series.name {
            "rate" => &paced,
            "share" => &shared,
            "capacity" => &forked,
            _ => &window,
        };
        let times: Vec<f64> = outcome.series.iter().filter(|s| s.metric == series.name).map(|s| s.time).collect();
        assert!(times.len() >= 20, "{}", series.name);
        assert!(times.is_sorted(), "{}", series.name);
        assert!(times.iter().all(|time| (time * 10.0 - (time * 10.0).round()).abs() < 1e-9), "{}", series.name);
    }
    for outcome in [&paced, &window, &forked, &shared] {
        assert!(outcome.series.iter().all(|sample| SERIES.iter().any(|s| s.name == sample.metric)));
    }
}

#[test]
fn the_throughput_of_the_samples_adds_up_to_that_of_the_run() {
    let outcome = run(LOSSY, 1);
    for link in ["c>r", "r>c"] {
        let here = |s: &&Sample| s.metric == "throughput" && s.scope == Scope::Link(link.into());
        let samples: Vec<&Sample> = outcome.series.iter().filter(here).collect();
        let last = samples.last().unwrap().time;
        let sampled: f64 = samples.iter().map(|s| s.value * 0.1).sum();
        let whole = of_link(&outcome, "throughput", link) * of_run(&outcome, "duration");
        // What was sent after the last sample is in the run only.
        let rest = (of_run(&outcome, "duration") - last) * 10.0;
        assert!(sampled > 0.1 && sampled <= whole + 1e-9 && sampled >= whole - rest, "{link}: {sampled} of {whole}");
    }
}

/// A fetch at a constant rate of 100 Interests a second over two links, far below what they carry.
const PACED: &str = r#"
[topology]
linear = { nodes = ["c", "r", "p"], rate = ["10Mbps", "20Mbps"], delay = ["7ms", "13ms"], queue = "20p" }
[[workload]]
fetch = { segments = 200, payload = "1000B", start = "300ms" }
[scheme]
control = { name = "cbr", gap = "10ms" }
queue = "droptail"
"#;

#[test]
fn a_paced_fetch_without_losses_has_the_numbers_of_a_calculation_by_hand() {
    let mut built = built(PACED, 1);
    built.world.run(End::Complete);
    let outcome = outcome(&built);
    // Bytes of an Interest and of a Data: all are alike, because the number of each segment takes one byte.
    let bytes: Vec<u64> = built.world.links().map(|(_, counters, _)| counters.bytes).collect();
    let [interest, data] = [bytes[0], bytes[3]].map(|bytes| bytes as f64 / 200.0);
    assert!(interest.fract() == 0.0 && data.fract() == 0.0 && data > 1000.0);
    let way = |bytes: f64| 0.007 + 0.013 + bytes * 8.0 / 10e6 + bytes * 8.0 / 20e6;
    let delay = way(interest) + way(data);
    let near = |what: &'static str, value: f64, expected: f64| {
        assert!((value / expected - 1.0).abs() < 1e-6, "{what}: {value} is not {expected}");
    };
    for flow in [Scope::Run, Scope::Flow("c".into())] {
        let get = |metric: &'static str| outcome.get(metric, flow.clone()).unwrap();
        near("full delay", get("full_delay"), delay * 1e3);
        near("last delay", get("last_delay"), delay * 1e3);
        for percentile in ["full_delay_p50", "full_delay_p95", "full_delay_p99"] {
            assert!((get(percentile) / (delay * 1e3) - 1.0).abs() < 1.0 / 64.0);
        }
        let time = 199.0 * 0.01 + delay;
        near("completion", get("completion_time"), time);
        near("goodput", get("goodput"), 200.0 * 8000.0 / time / 1e6);
        near("peak", get("goodput_peak"), 10.0 * 8000.0 / 0.1 / 1e6);
        let counts = ["delivered", "requests", "retransmissions", "timeouts", "decreases", "marked", "late"];
        assert_eq!(counts.map(get), [200.0, 200.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }
    let duration = 0.3 + 199.0 * 0.01 + delay;
    near("duration", of_run(&outcome, "duration"), duration);
    for (link, bytes, rate) in
        [("c>r", interest, 10e6), ("r>p", interest, 20e6), ("p>r", data, 20e6), ("r>c", data, 10e6)]
    {
        assert_eq!(of_link(&outcome, "link_packets", link), 200.0);
        near("throughput", of_link(&outcome, "throughput", link), 200.0 * bytes * 8.0 / duration / 1e6);
        near("utilisation", of_link(&outcome, "utilisation", link), 200.0 * bytes * 8.0 / rate / duration);
        assert_eq!(of_link(&outcome, "queue_mean", link), 0.0);
        assert_eq!(of_link(&outcome, "drops", link), 0.0);
    }
    assert_eq!(of_link(&outcome, "sojourn", "r>c"), 0.0);
    // An Interest is pending at the router from its arrival to that of its Data: Little's law.
    let pending = 2.0 * 0.013 + (interest + data) * 8.0 / 20e6;
    near("pending", of_node(&outcome, "pit_mean", "r"), 200.0 * pending / duration);
    assert_eq!(of_node(&outcome, "pit_max", "r"), 3.0);
    assert_eq!(of_run(&outcome, "packet_hops"), 800.0);
}

#[test]
fn percentiles_are_those_of_the_delays() {
    // A first window of 101 Data leaves the bottleneck one by one: delays that grow in equal steps.
    let text = PACED.replace("segments = 200", "segments = 101").replace("20p", "200p");
    let outcome =
        run(&text.replace("{ name = \"cbr\", gap = \"10ms\" }", "{ name = \"fixed-window\", window = 101 }"), 1);
    let mean = of_run(&outcome, "full_delay");
    let completion = of_run(&outcome, "completion_time") * 1e3;
    // The last Data has the greatest delay, the one in the middle the mean.
    let step = (completion - mean) / 50.0;
    assert!((0.8..0.95).contains(&step), "{step} ms for one Data at 10 Mbit/s");
    for (metric, rank) in [("full_delay_p50", 51.0), ("full_delay_p95", 96.0), ("full_delay_p99", 100.0)] {
        let expected = mean + (rank - 51.0) * step;
        assert_near(metric, of_run(&outcome, metric), expected, 1.0 / 64.0);
    }
}

#[test]
fn the_mean_queue_is_that_of_the_samples() {
    for (queue, recovery) in
        [("droptail", "none"), ("codel", "none"), ("pcon", "none"), ("droptail", "plr"), ("codel", "plr")]
    {
        let text = format!(
            r#"
[topology]
linear = {{ nodes = ["c", "r", "p"], rate = ["10Mbps", "100Mbps"], delay = "10ms", queue = "50p" }}
[[workload]]
fetch = {{ }}
[scheme]
control = {{ name = "cbr", rate = "11Mbps" }}
queue = "{queue}"
recovery = "{recovery}"
[run]
sample = "900us"
duration = "20s"
"#
        );
        for text in [text.replace("{ name = \"cbr\", rate = \"11Mbps\" }", "\"cubic\""), text] {
            let outcome = run(&text, 1);
            let here = Scope::Link("r>c".into());
            let samples: Vec<f64> =
                outcome.series.iter().filter(|s| s.metric == "queue" && s.scope == here).map(|s| s.value).collect();
            let sampled = samples.iter().sum::<f64>() / samples.len() as f64;
            let mean = of_link(&outcome, "queue_mean", "r>c");
            println!("{queue} with {recovery}: {mean} by waiting times, {sampled} by samples");
            assert!((mean - sampled).abs() < 0.05 + 0.02 * sampled, "{queue} with {recovery}: {mean} and {sampled}");
            let most = samples.iter().copied().fold(0.0, f64::max);
            assert!(of_link(&outcome, "queue_max", "r>c") >= most);
        }
    }
}

#[test]
fn late_segments_wait_as_long_as_a_calculation_says() {
    // 23 Data meet a queue of 20 and an idle link: segments 21 and 22 are lost. Segment 23, asked for when the first
    // Data comes, overtakes them. The first is asked for again after the least timeout of 200 ms; that doubles the
    // timeout, so the second is asked for after 400 ms.
    let text = r#"
[topology]
linear = { nodes = ["c", "r", "p"], rate = ["10Mbps", "1Gbps"], delay = "10ms", queue = ["20p", "100p"] }
[[workload]]
fetch = { segments = 24 }
[scheme]
control = { name = "fixed-window", window = 23 }
queue = "droptail"
host_queue = "droptail"
"#;
    let text = text.replace("\"20p\"", "{ forward = \"100p\", backward = \"20p\" }");
    let outcome = run(&text, 1);
    assert_eq!(of_link(&outcome, "drops_queue_full", "r>c"), 2.0);
    assert_eq!(of_run(&outcome, "late"), 2.0);
    let bytes = of_link(&outcome, "throughput", "r>c") * of_run(&outcome, "duration") * 1e6 / 8.0 / 24.0;
    let round_trip = 40.0 + (bytes + 40.0) * 8.0 / 10e3;
    let late = 300.0 + round_trip;
    assert!(
        (of_run(&outcome, "late_delay") - late).abs() < 0.2,
        "{} instead of {late}",
        of_run(&outcome, "late_delay")
    );
    let accumulation = late - 2.0 * round_trip;
    let measured = of_run(&outcome, "accumulation_time");
    assert!((measured - accumulation).abs() < 0.2, "{measured} instead of {accumulation}");
    // What comes again counts for the full delay from the first Interest, for the last delay from the second.
    let mean = |metric| of_run(&outcome, metric);
    let again = (200.0 + 400.0) / 24.0;
    assert!((mean("full_delay") - mean("last_delay") - again).abs() < 0.01);
}

/// Two links that drop, two consumers.
const SHARED: &str = r#"
[topology]
dumbbell = { flows = 2, bottleneck = "10Mbps", delay = "10ms", queue = "20p", loss = 0.02, access_loss = 0.01 }
[[workload]]
fetch = { segments = 2000 }
[scheme]
name = "cubic"
recovery = "plr"
"#;

#[test]
fn numbers_of_the_run_are_made_of_those_of_its_parts() {
    let outcome = run(SHARED, 1);
    for metric in METRICS.iter().filter(|m| matches!(m.scope, Kind::Link | Kind::Node)) {
        let parts = outcome.values.iter().filter(|((name, scope), _)| *name == metric.name && *scope != Scope::Run);
        let parts: Vec<f64> = parts.map(|(_, value)| *value).collect();
        let whole = of_run(&outcome, metric.name);
        let [least, most] = [f64::min, f64::max].map(|f| parts.iter().copied().reduce(f).unwrap());
        match metric.total {
            Total::Sum => assert!((whole - parts.iter().sum::<f64>()).abs() < 1e-9 * (1.0 + whole), "{}", metric.name),
            Total::Max => assert_eq!(whole, most, "{}", metric.name),
            // Of waiting times it is the mean over all packets, not over the links.
            Total::Min => assert_eq!(whole, least, "{}", metric.name),
            Total::Mean => assert!((least..=most).contains(&whole), "{}", metric.name),
        }
    }
    let counted = ["delivered", "requests", "retransmissions", "timeouts", "decreases", "marked", "late"];
    for metric in counted {
        let parts: f64 = ["c1", "c2"].map(|flow| of_flow(&outcome, metric, flow)).iter().sum();
        assert_eq!(of_run(&outcome, metric), parts, "{metric}");
    }
    // All flows as one: from the first Interest of any to the last Data of all.
    let longest = ["c1", "c2"].map(|flow| of_flow(&outcome, "completion_time", flow));
    assert_eq!(of_run(&outcome, "completion_time"), longest[0].max(longest[1]));
    let goodput = 4000.0 * 1040.0 * 8.0 / of_run(&outcome, "completion_time") / 1e6;
    assert_near("goodput", of_run(&outcome, "goodput"), goodput, 1e-9);
}

#[test]
fn drops_are_losses_and_say_why() {
    let outcome = drained(SHARED, 2);
    let of = |metric: &'static str| of_run(&outcome, metric);
    let losses = of("drops_queue_full")
        + of("drops_link_loss")
        + of("drops_store_full")
        + of("drops_store_expired")
        + of("drops_queue_management");
    assert_eq!(of("drops"), losses);
    assert!(of("drops_link_loss") > 100.0 && of("drops_store_full") + of("drops_store_expired") > 0.0);
    assert!(of("data_drops") < of("drops"), "Interests are lost, too");
    let lost_on_links: f64 = {
        let mut built = built(SHARED, 2);
        built.world.run(End::Quiet);
        built.world.links().map(|(_, counters, _)| counters.lost as f64).sum()
    };
    assert_eq!(of("drops_link_loss"), lost_on_links);
}

#[test]
fn a_link_is_never_busier_than_the_time_there_is() {
    let text = PACED.replace("gap = \"10ms\"", "rate = \"30Mbps\"").replace("segments = 200, ", "");
    let text = text + "[run]\nduration = \"10s\"\n";
    let mut world = built(&text, 1);
    for step in 1..400 {
        world.world.run(End::At(at(0.3 + f64::from(step) * 0.001_77)));
        let outcome = outcome(&world);
        for link in ["c>r", "r>p", "p>r", "r>c"] {
            let share = of_link(&outcome, "utilisation", link);
            assert!((0.0..=1.0).contains(&share), "{link}: {share}");
        }
    }
    // Once it is full it stays busy: what is missing is the time before.
    let before = 0.3 + 0.007 + 2.0 * 0.013;
    let busy = of_link(&outcome(&world), "utilisation", "r>c") * world.world.now().seconds();
    assert!((world.world.now().seconds() - busy - before).abs() < 0.01, "{busy}");
}

#[test]
fn a_fetch_that_is_given_up_counts_until_then() {
    let text = PACED.replace("segments = 200, ", "stop = \"2300ms\", ") + "[run]\nduration = \"60s\"\n";
    let outcome = run(&text, 1);
    // The last Interest leaves at 2290 ms.
    assert_eq!(of_run(&outcome, "delivered"), 200.0);
    assert_near("goodput", of_run(&outcome, "goodput"), 200.0 * 8000.0 / 2.0 / 1e6, 1e-9);
    assert_eq!(outcome.get("completion_time", Scope::Run), None);
    assert_eq!(of_run(&outcome, "duration"), 60.0);
}

#[test]
fn bursts_with_one_label_are_one_flow() {
    let text = r#"
[topology]
linear = { nodes = ["c", "r", "p"], rate = "100Mbps", delay = "10ms" }
[[workload]]
burst = { rate = "8Mbps", duration = "0.5s", at = ["1s", "1s", "3s"], payload = "1000B", label = "bursts" }
[scheme]
queue = "droptail"
[run]
sample = "100ms"
"#;
    let outcome = run(text, 1);
    assert_eq!(of_flow(&outcome, "delivered", "bursts"), 1500.0);
    // Two bursts come together: 16 Mbit/s.
    assert_near("peak", of_flow(&outcome, "goodput_peak", "bursts"), 16.0, 0.02);
    assert_near("peak", of_run(&outcome, "goodput_peak"), 16.0, 0.02);
    let whole = 1500.0 * 8000.0 / of_flow(&outcome, "completion_time", "bursts") / 1e6;
    assert_near("goodput", of_flow(&outcome, "goodput", "bursts"), whole, 1e-9);
    // One sample for each time.
    let goodput: Vec<(f64, f64)> =
        outcome.series.iter().filter(|s| s.metric == "goodput").map(|s| (s.time, s.value)).collect();
    assert!(goodput.windows(2).all(|pair| pair[0].0 < pair[1].0), "{goodput:?}");
    assert!(goodput[0].0 >= 1.0, "a flow is not sampled before it begins");
    let at = |time: f64| goodput.iter().find(|(t, _)| (t - time).abs() < 1e-9).unwrap().1;
    assert_near("together", at(1.3), 16.0, 0.02);
    assert_near("alone", at(3.3), 8.0, 0.02);
}

#[test]
fn a_content_store_counts_its_hits() {
    let text = r#"
[topology]
dumbbell = { flows = 2, bottleneck = "10Mbps", delay = "10ms" }
[[workload]]
fetch = { consumer = "c1", producer = "p1", name = "/video", segments = 100, label = "first" }
[[workload]]
fetch = { consumer = "c2", producer = "p1", name = "/video", segments = 100, start = "10s", label = "second" }
[scheme]
queue = "droptail"
[tables]
cs = 1000
"#;
    let outcome = drained(text, 1);
    assert_eq!((of_node(&outcome, "cs_hits", "r1"), of_node(&outcome, "cs_misses", "r1")), (100.0, 100.0));
    assert_eq!((of_node(&outcome, "cs_hits", "r2"), of_node(&outcome, "cs_misses", "r2")), (0.0, 100.0));
    assert!(of_flow(&outcome, "full_delay", "second") < 0.2 * of_flow(&outcome, "full_delay", "first"));
}

#[test]
fn every_fetch_is_paced_by_its_own_payload() {
    let text = r#"
[topology]
dumbbell = { flows = 2, bottleneck = "10Mbps", delay = "10ms" }
[[workload]]
fetch = { consumer = "c1", payload = "500B" }
[[workload]]
fetch = { consumer = "c2", payload = "4000B" }
[scheme]
control = { name = "cbr", rate = "1Mbps" }
queue = "droptail"
[run]
duration = "20s"
"#;
    let outcome = run(text, 1);
    assert_near("small Data", of_flow(&outcome, "goodput", "c1"), 1.0, 0.01);
    assert_near("large Data", of_flow(&outcome, "goodput", "c2"), 1.0, 0.01);
}

#[test]
fn every_link_loses_packets_of_its_own() {
    // Six consumers send the same packets at the same times; what their links lose differs.
    let text = r#"
[topology]
dumbbell = { flows = 6, bottleneck = "1Gbps", delay = "10ms", access = "10Mbps", access_loss = 0.2 }
[[workload]]
fetch = { stop = "2s" }
[scheme]
control = { name = "cbr", rate = "1Mbps" }
queue = "droptail"
[run]
duration = "500ms"
"#;
    let outcome = run(text, 1);
    let lost: Vec<f64> = (1..=6).map(|n| of_link(&outcome, "drops_link_loss", &format!("c{n}>r1"))).collect();
    assert!(lost.iter().all(|n| *n > 0.0), "{lost:?}");
    assert!(lost.iter().any(|n| *n != lost[0]), "{lost:?}");
}

#[test]
fn what_is_turned_away_on_arrival_counts_for_the_link_that_it_came_over() {
    // The router has room for one pending Interest; more of them come in over the consumer's link.
    let text = PACED.replace("gap = \"10ms\"", "gap = \"5ms\"") + "[tables]\npit = 1\n[run]\nduration = \"1s\"\n";
    let outcome = run(&text, 1);
    let refused = of_link(&outcome, "drops_pit_full", "c>r");
    assert!(refused > 50.0, "{refused}");
    assert_eq!(refused, of_run(&outcome, "drops_pit_full"));
    assert_eq!(refused, of_link(&outcome, "drops", "c>r"));
    for link in ["r>c", "r>p", "p>r"] {
        assert_eq!(of_link(&outcome, "drops", link), 0.0, "{link}");
    }
}

#[test]
fn a_burst_into_an_idle_link_has_one_place_more_than_the_queue() {
    let fetch = |window: u32| {
        let control = format!("{{ name = \"fixed-window\", window = {window} }}");
        run(&PACED.replace("{ name = \"cbr\", gap = \"10ms\" }", &control), 1)
    };
    let outcome = fetch(21);
    let seen = [of_link(&outcome, "drops", "c>r"), of_link(&outcome, "queue_max", "c>r")];
    assert_eq!((seen, of_run(&outcome, "retransmissions")), ([0.0, 20.0], 0.0));
    assert!(of_link(&fetch(22), "drops_queue_full", "c>r") > 0.0);
}

/// CoDel drops as it hands out: the queue is at its longest before that.
#[test]
fn the_longest_queue_of_codel_is_read_before_it_drops() {
    let text = PACED.replace("{ name = \"cbr\", gap = \"10ms\" }", "{ name = \"fixed-window\", window = 40 }");
    let text = text.replace("\"20p\"", "\"100p\"").replace("\"droptail\"", "{ name = \"codel\", interval = \"1ms\" }");
    let mut built = built(&text, 1);
    let mut longest = 0;
    for step in 0..200_000 {
        built.world.run(End::At(at(0.3 + f64::from(step) * 1e-5)));
        let queue = |(node, reading)| match reading {
            Reading::Queue { face: FaceId(0), packets, .. } if node == 1 => Some(packets),
            _ => None,
        };
        longest = readings(&built.world).into_iter().find_map(queue).map_or(longest, |now| longest.max(now));
    }
    let outcome = outcome(&built);
    assert!(of_link(&outcome, "drops_queue_management", "r>c") > 10.0);
    // One that came as the link was asking has been seen by nobody else.
    assert!(of_link(&outcome, "queue_max", "r>c") >= longest as f64, "{longest}");
}
