//! The rules of the consumer controls (A1 to A6 of the collected rules) that only a network shows.

mod common;

use common::{assert_near, at, built, of_flow, of_link, of_node, of_run, outcome, run, run_scenario, scenario, window};
use weir_core::Bytes;
use weir_scenario::plan::Scenario;
use weir_sim::{Built, End, Outcome, Scope, build};

/// One consumer `c`, one router, a bottleneck of 10 Mbit/s in front of the consumer, 40 ms of delay there and back.
fn path(control: &str, rest: &str) -> String {
    format!(
        r#"
[topology]
linear = {{ nodes = ["c", "r", "p"], rate = ["10Mbps", "100Mbps"], delay = "10ms", queue = "1000p" }}
[[workload]]
fetch = {{}}
[scheme]
control = {control}
queue = "droptail"
[run]
duration = "20s"
{rest}
"#
    )
}

/// Data that the bottleneck carries in a second, and the round trip of a lone packet in seconds.
fn pipe() -> (f64, f64) {
    let outcome = run(&path("\"fixed-window\"", ""), 1);
    let round_trip = of_run(&outcome, "full_delay") / 1e3;
    let bytes = of_link(&outcome, "throughput", "r>c") * 20e6 / 8.0 / of_link(&outcome, "link_packets", "r>c");
    (10e6 / (8.0 * bytes), round_trip)
}

/// Readings of `metric` with their times.
fn series(outcome: &Outcome, metric: &str) -> Vec<(f64, f64)> {
    outcome.series.iter().filter(|s| s.metric == metric).map(|s| (s.time, s.value)).collect()
}

/// Windows right before and after each cut, with its time.
fn cuts(outcome: &Outcome) -> Vec<(f64, f64, f64)> {
    let windows = series(outcome, "window");
    let pairs = windows.windows(2).filter(|pair| pair[1].1 < pair[0].1 - 0.5);
    pairs.map(|pair| (pair[1].0, pair[0].1, pair[1].1)).collect()
}

#[test]
fn a_fixed_window_gives_the_rate_and_the_queue_of_the_formula() {
    let (capacity, round_trip) = pipe();
    let product = capacity * round_trip;
    assert!((45.0..50.0).contains(&product), "{product}");
    // With 400, a round trip lasts 350 ms: more than the least timeout, and still nothing is asked for twice.
    for size in [1.0, 7.0, 30.0, 46.0, 60.0, 100.0, 200.0, 400.0] {
        let outcome = run(&path(&format!("{{ name = \"fixed-window\", window = {size} }}"), ""), 1);
        assert_eq!(of_run(&outcome, "retransmissions"), 0.0, "window {size}");
        let rate = of_run(&outcome, "delivered") / 20.0;
        let expected = capacity.min(size / round_trip);
        println!("window {size}: {rate} Data/s, {expected} expected");
        // The first round trip brings nothing.
        assert!((rate / expected - 1.0).abs() < 0.005, "window {size}: {rate} instead of {expected}");
        let queue = of_link(&outcome, "queue_mean", "r>c");
        let over = (size - product).max(0.0);
        assert!((queue - over).abs() < 0.5 + 0.02 * over, "window {size}: {queue} wait instead of {over}");
    }
}

#[test]
fn a_fixed_window_does_not_change_after_timeouts() {
    let lossy = path("{ name = \"fixed-window\", window = 20 }", "sample = \"10ms\"")
        .replace("queue = \"1000p\"", "queue = \"1000p\", loss = 0.05");
    let outcome = run(&lossy, 1);
    assert!(of_run(&outcome, "timeouts") > 100.0);
    assert_eq!(of_run(&outcome, "decreases"), 0.0);
    assert!(series(&outcome, "window").iter().all(|(_, window)| *window == 20.0));
    assert!(series(&outcome, "in_flight").iter().all(|(_, in_flight)| *in_flight <= 20.0));
}

#[test]
fn icp_adds_one_interest_per_round_trip_in_avoidance() {
    let (_, round_trip) = pipe();
    let mut built = built(&path("{ name = \"icp\", slow_start = false }", ""), 1);
    // As long as the window is below what fills the pipe, a round trip has one length.
    built.world.run(End::At(at(10.5 * round_trip)));
    let early = window(&built.world, 0);
    built.world.run(End::At(at(30.5 * round_trip)));
    let growth = (window(&built.world, 0) - early) / 20.0;
    assert!((growth - 1.0).abs() < 0.05, "{growth} per round trip");
}

#[test]
fn losses_of_one_round_trip_halve_the_window_once() {
    // Slow start overshoots by a whole window: many losses, within one round trip of each other.
    let text = path("\"icp\"", "sample = \"1ms\"").replace("1000p", "50p");
    let outcome = run(&text, 1);
    let cuts = cuts(&outcome);
    let (time, before, after) = cuts[0];
    let timeouts = {
        let mut built = built(&text, 1);
        built.world.run(End::At(at(time + 0.1)));
        of_run(&common::outcome(&built), "timeouts")
    };
    assert!(timeouts > 30.0, "{timeouts}");
    assert!((after / before - 0.5).abs() < 0.02, "{before} -> {after}");
    assert!(cuts.get(1).is_none_or(|(second, ..)| *second > time + 0.1), "{cuts:?}");
    // From there on each cut halves, and there is one for each that the consumer counts.
    for (_, before, after) in &cuts {
        assert!((after / before - 0.5).abs() < 0.03, "{before} -> {after}");
    }
    assert_eq!(cuts.len() as f64, of_run(&outcome, "decreases"));
}

#[test]
fn the_window_never_falls_below_one() {
    for control in ["icp", "bic", "cubic", "pcon-cs", "aimd"] {
        let text = path(&format!("{control:?}"), "sample = \"10ms\"");
        let outcome = run(&text.replace("queue = \"1000p\"", "queue = \"1000p\", loss = 0.1"), 1);
        let least = series(&outcome, "window").into_iter().map(|(_, window)| window).fold(f64::INFINITY, f64::min);
        assert!(least >= 1.0, "{control}: {least}");
        assert!(of_run(&outcome, "decreases") > 20.0 && of_run(&outcome, "delivered") > 100.0, "{control}");
    }
}

#[test]
fn the_original_timeout_of_icp_is_the_round_trip_itself_and_so_takes_growth_for_loss() {
    // A constant round trip: the timeout is that round trip, to the nanosecond.
    let text = path("{ name = \"fixed-window\", window = 10 }", "sample = \"100ms\"");
    let icp = text.replace("[run]", "timeout = { name = \"icp\", slack = 0.1 }\n[run]");
    let (rto, delay) = {
        let outcome = run(&icp, 1);
        (series(&outcome, "rto").last().unwrap().1, of_run(&outcome, "full_delay_p50"))
    };
    assert!((rto / (1.1 * delay) - 1.0).abs() < 0.02, "{rto} ms after round trips of {delay} ms");
    // A window that grows makes a queue that grows, and every round trip longer than the last ones.
    let goodput = |timeout: &str| {
        let text = path("{ name = \"icp\", slow_start = false }", "");
        of_run(&run(&text.replace("[run]", &format!("timeout = {timeout}\n[run]")), 1), "goodput")
    };
    let (original, slack, modern) =
        (goodput("\"icp\""), goodput("{ name = \"icp\", slack = 0.5 }"), goodput("\"rfc6298\""));
    println!("goodput: {original} as published, {slack} with slack, {modern} with RFC 6298");
    assert!(original < 0.5 * modern, "{original} of {modern}");
    assert!(slack > original);
}

#[test]
fn bic_reaches_a_window_of_100_with_321_data() {
    // In a wide network nothing is lost; the window is read as the Data come in.
    let text = path("\"bic\"", "").replace("10Mbps", "1Gbps").replace("100Mbps", "1Gbps");
    let mut built = built(&text, 1);
    let mut last = 0.0;
    for step in 0.. {
        built.world.run(End::At(at(f64::from(step) * 1e-5)));
        let delivered = of_run(&outcome(&built), "delivered");
        if delivered >= 321.0 {
            break;
        }
        last = window(&built.world, 0);
    }
    let reached = window(&built.world, 0);
    assert!(reached >= 100.0 && last < 101.0, "{last}, then {reached}");
}

#[test]
fn cubic_follows_its_curve_after_a_cut() {
    let text = path("\"cubic\"", "sample = \"10ms\"").replace("1000p", "50p").replace("20s", "60s");
    let outcome = run(&text, 1);
    let (cuts, windows) = (cuts(&outcome), series(&outcome, "window"));
    let mut checked = 0;
    for (i, (time, most, low)) in cuts.iter().enumerate() {
        assert!((low / most - 0.8).abs() < 0.02, "{most} -> {low}");
        // The curve of the cut comes back to the old window after K.
        let k = libm::cbrt(most * 0.2 / 0.4);
        let end = cuts.get(i + 1).map_or(60.0, |(next, ..)| *next);
        for t in [0.5, 1.0, 2.0, k, k + 1.0].into_iter().filter(|t| time + t < end - 0.02) {
            let expected = 0.4 * (t - k).powi(3) + most;
            let window = windows.iter().find(|(at, _)| *at >= time + t).unwrap().1;
            // The window goes for the curve within a round trip, so it is a little behind.
            assert_near(&format!("{t} s after a cut at {most}"), window, expected, 0.02);
            checked += 1;
        }
    }
    assert!(checked >= 30, "{checked}");
}

#[test]
fn aimd_halves_for_losses_and_never_goes_below_two() {
    let outcome = run(&path("\"aimd\"", "sample = \"1ms\"").replace("1000p", "50p"), 1);
    let cuts = cuts(&outcome);
    assert!(cuts.len() >= 3);
    for (_, before, after) in cuts {
        assert!((after / before - 0.5).abs() < 0.03, "{before} -> {after}");
    }
    let lossy = path("\"aimd\"", "sample = \"10ms\"").replace("queue = \"1000p\"", "queue = \"1000p\", loss = 0.3");
    let least = series(&run(&lossy, 1), "window").into_iter().map(|(_, w)| w).fold(f64::INFINITY, f64::min);
    assert_eq!(least, 2.0);
}

#[test]
fn marks_of_one_round_trip_cut_once_and_nothing_is_asked_for_again() {
    // PCON's queue with a target so low that all that waits is marked, at first every interval.
    let pcon = "{ name = \"pcon-cs\", law = \"aimd\" }";
    let text = path(pcon, "sample = \"1ms\"").replace("\"droptail\"", "{ name = \"pcon\", interval = \"5ms\" }");
    let outcome = run(&text, 1);
    let (marks, marked, decreases) =
        (of_link(&outcome, "marks", "r>c"), of_run(&outcome, "marked"), of_run(&outcome, "decreases"));
    println!("{marks} marks, {marked} came, {decreases} cuts");
    assert!(marked <= marks && marks - marked <= 1.0, "marks travel to the consumer");
    assert!(decreases < marked / 2.0, "several marks in a round trip");
    assert_eq!(of_run(&outcome, "retransmissions") + of_run(&outcome, "drops"), 0.0);
    let cuts = cuts(&outcome);
    assert_eq!(cuts.len() as f64, decreases);
    assert!(cuts.windows(2).all(|pair| pair[1].0 - pair[0].0 > 0.04), "at most one cut in a round trip");
}

/// The single path of Thibaud et al. (2019): 50 Mbit/s between r1 and r3, 60 ms there and back, queues of 21 Data of
/// 8400 bytes (more than a scenario file may ask for).
fn thibaud(scheme: &str) -> Scenario {
    let mut scenario = scenario(&format!(
        r#"
[topology]
linear = {{ nodes = ["u", "r1", "r3", "pa"], rate = ["100Mbps", "50Mbps", "1Gbps"], delay = "10ms", queue = "21p" }}
[[workload]]
fetch = {{ segments = 47_619, payload = "8000B" }}
[scheme]
{scheme}
[run]
sample = "10ms"
"#
    ));
    scenario.workloads[0].payload = Bytes(8400);
    scenario
}

#[test]
fn icp_on_the_path_of_thibaud_et_al() {
    let scenario = thibaud("control = { name = \"icp\", slow_start = false }\nqueue = \"droptail\"");
    // The state at the first loss: window 65, pending Interests 50 at r1 and 15 at r3, a full queue of 21 (Fig. 3).
    let mut world: Built = build(&scenario, 1).unwrap();
    let mut step = 0;
    while of_run(&outcome(&world), "drops") == 0.0 {
        step += 1;
        world.world.run(End::At(at(f64::from(step) * 0.005)));
    }
    let window = window(&world.world, 0);
    let pending = |node| of_node(&outcome(&world), "pit_max", node);
    println!("window {window}, pending at r1 {}, at r3 {}", pending("r1"), pending("r3"));
    assert!((window - 65.0).abs() <= 3.0, "{window}");
    assert!((pending("r1") - 50.0).abs() <= 2.0 && (pending("r3") - 15.0).abs() <= 2.0);
    assert_eq!(of_link(&outcome(&world), "queue_max", "r3>r1"), 21.0);
    // Table II: 42 Mbit/s, 72.9 ms, 10.3 ms in the queue.
    let outcome = run_scenario(&scenario, 1);
    assert_near("goodput", of_run(&outcome, "goodput"), 42.0, 0.03);
    assert_near("delay", of_run(&outcome, "full_delay"), 72.9, 0.03);
    assert_near("sojourn", of_link(&outcome, "sojourn", "r3>r1"), 10.3, 0.10);
}

#[test]
fn pcon_on_the_path_of_thibaud_et_al() {
    let control = "{ name = \"pcon-cs\", law = \"aimd\", slow_start = false }";
    let outcome = run_scenario(&thibaud(&format!("control = {control}\nqueue = \"pcon\"")), 1);
    // Table II: 40.2 Mbit/s, 64.3 ms, 2.1 ms in the queue, and no loss.
    assert_near("goodput", of_flow(&outcome, "goodput", "u"), 40.2, 0.03);
    assert_near("delay", of_flow(&outcome, "full_delay", "u"), 64.3, 0.03);
    assert_near("sojourn", of_link(&outcome, "sojourn", "r3>r1"), 2.1, 0.10);
    assert_eq!(of_run(&outcome, "drops") + of_run(&outcome, "retransmissions"), 0.0);
    assert!(outcome.get("marks", Scope::Run).is_some_and(|marks| marks > 10.0));
}
