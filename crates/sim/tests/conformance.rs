//! What holds for a network under every control, queue, strategy, recovery and complete scheme of the registry.

mod common;

use common::{assert_balanced, assert_drained, assert_near, at, built, of_flow, of_run, outcome, run};
use weir_schemes::bundles::BUNDLES;
use weir_schemes::registry::{CONTROLS, QUEUES, RECOVERIES, STRATEGIES, TIMEOUTS};
use weir_sim::{Built, End};

/// A `[scheme]` to run, and how it is called when it fails.
struct Case {
    name: String,
    scheme: String,
    /// It looks for the rate that the network has, by itself.
    adaptive: bool,
}

impl Case {
    fn new(name: String, parts: &str) -> Case {
        Case { name, scheme: format!("[scheme]\n{parts}\n"), adaptive: true }
    }
}

/// Window of the fixed-window control: less than the 47 Data that fill the path.
const WINDOW: u64 = 20;

/// Rate of the constant-rate control, in Mbit/s of payload: less than the bottleneck's.
const RATE: f64 = 6.0;

/// A control with settings that make it use some of a link of 10 Mbit/s.
fn control(name: &str) -> (String, bool) {
    match name {
        "fixed-window" => (format!("{{ name = \"fixed-window\", window = {WINDOW} }}"), false),
        "cbr" => (format!("{{ name = \"cbr\", rate = \"{RATE}Mbps\" }}"), false),
        name => (format!("{name:?}"), true),
    }
}

/// The queue that a control is made for.
fn queue_of(control: &str) -> &'static str {
    if control == "pcon-cs" { "pcon" } else { "droptail" }
}

fn controls() -> impl Iterator<Item = Case> {
    CONTROLS.iter().map(|entry| {
        let (settings, adaptive) = control(entry.name);
        let parts = format!("control = {settings}\nqueue = {:?}", queue_of(entry.name));
        Case { adaptive, ..Case::new(format!("control {}", entry.name), &parts) }
    })
}

fn timeouts() -> impl Iterator<Item = Case> {
    TIMEOUTS.iter().map(|entry| {
        let case =
            Case::new(format!("timeout {}", entry.name), &format!("name = \"cubic\"\ntimeout = {:?}", entry.name));
        // ICP's own rule takes every second round trip for a loss: see `laws.rs`.
        Case { adaptive: entry.name != "icp", ..case }
    })
}

fn queues() -> impl Iterator<Item = Case> {
    QUEUES.iter().map(|e| Case::new(format!("queue {}", e.name), &format!("name = \"cubic\"\nqueue = {:?}", e.name)))
}

fn strategies() -> impl Iterator<Item = Case> {
    STRATEGIES
        .iter()
        .map(|e| Case::new(format!("strategy {}", e.name), &format!("name = \"cubic\"\nstrategy = {:?}", e.name)))
}

/// Every recovery under every control, and over every queue.
fn recoveries() -> impl Iterator<Item = Case> {
    RECOVERIES.iter().flat_map(|recovery| {
        let with = move |mut case: Case| {
            case.name = format!("{} with {}", case.name, recovery.name);
            case.scheme += &format!("recovery = {:?}\n", recovery.name);
            case
        };
        controls().chain(queues()).map(with)
    })
}

fn bundles() -> impl Iterator<Item = Case> {
    BUNDLES.iter().map(|bundle| {
        let (settings, adaptive) = control(bundle.control.name);
        let settings = if adaptive { String::new() } else { format!("\ncontrol = {settings}") };
        Case {
            adaptive,
            ..Case::new(format!("scheme {}", bundle.name), &format!("name = {:?}{settings}", bundle.name))
        }
    })
}

fn all() -> impl Iterator<Item = Case> {
    controls().chain(timeouts()).chain(queues()).chain(strategies()).chain(recoveries()).chain(bundles())
}

/// One consumer behind a bottleneck of 10 Mbit/s; a round trip takes 40 ms and what the transmissions take.
const ONE: &str = r#"
[topology]
linear = { nodes = ["c", "r", "p"], rate = ["10Mbps", "100Mbps"], delay = "10ms", queue = "50p" }
"#;

/// Two consumers behind one bottleneck of 10 Mbit/s.
const TWO: &str = r#"
[topology]
dumbbell = { flows = 2, bottleneck = "10Mbps", delay = "10ms", access = "100Mbps", access_delay = "5ms", queue = "50p" }
"#;

/// `network` with fetches that are described by `fetch` and run under the scheme of `case`.
fn text(network: &str, fetch: &str, case: &Case) -> String {
    format!("{network}[[workload]]\nfetch = {{ {fetch} }}\n{}", case.scheme)
}

fn endless(network: &str, fetch: &str, case: &Case) -> String {
    text(network, fetch, case) + "[run]\nduration = \"1s\"\n"
}

/// Data of each flow in each second from `from` to `to`.
fn rates(built: &mut Built, flows: &[&str], from: f64, to: f64) -> Vec<f64> {
    built.world.run(End::At(at(from)));
    let before = outcome(built);
    built.world.run(End::At(at(to)));
    let after = outcome(built);
    let delivered = |flow: &&str| of_flow(&after, "delivered", flow) - of_flow(&before, "delivered", flow);
    flows.iter().map(|flow| delivered(flow) / (to - from)).collect()
}

/// Bits of a Data and of an Interest on the wire, as `built` has sent them.
fn sizes(built: &Built) -> (f64, f64) {
    let bits = |link: usize| {
        let (_, counters, _) = built.world.links().nth(link).unwrap();
        counters.bytes as f64 * 8.0 / counters.packets as f64
    };
    (bits(3), bits(0))
}

/// Share of the bottleneck's Data that an adaptive control must get.
fn least_share(case: &Case) -> f64 {
    match case.name.as_str() {
        // A window that is halved while hardly anything waits falls to half of what fills the path and grows back from
        // there: three quarters in the mean, and a little more for what did wait.
        "scheme aimd" => 0.75,
        // At most 0.95 by its target; with some 45 packets in flight the random bits leave gaps (with tokens: 0.97).
        "scheme pfecc" | "scheme pfecc-mf" => 0.85,
        _ => 0.9,
    }
}

#[test]
fn one_flow_fills_a_link_or_takes_what_it_is_told_to() {
    for case in all() {
        let mut built = built(&endless(ONE, "", &case), 1);
        let rate = rates(&mut built, &["c"], 5.0, 20.0)[0];
        let (data, interest) = sizes(&built);
        let full = 10e6 / data;
        println!("{}: {:.3} of the link", case.name, rate / full);
        // The rule of a fixed window (A1): the whole window in each round trip, as long as nothing waits.
        let round_trip = 0.04 + (interest + data) / 10e6 + (interest + data) / 100e6;
        match &case.name {
            name if name.contains("fixed-window") => assert_near(name, rate, WINDOW as f64 / round_trip, 0.01),
            name if name.contains("cbr") => assert_near(name, rate, RATE * 1e6 / (1040.0 * 8.0), 0.01),
            name if case.adaptive => assert!(rate >= least_share(&case) * full, "{name} leaves the link idle"),
            _ => assert!(rate > 0.0),
        }
        assert!(rate <= full * 1.001, "more than the link can carry");
    }
}

/// Fails unless two flows that begin within one second share the bottleneck, in the mean over some seeds. CUBIC without
/// fast convergence gives up its lead slowly (Jain's index of the first half minute is about 0.85), so that does not
/// count.
fn check_share(cases: impl Iterator<Item = Case>) {
    const SEEDS: u64 = 4;
    for case in cases.filter(|case| case.adaptive) {
        let jain = |seed| {
            let mut built = built(&endless(TWO, "start = \"0s..1s\"", &case), seed);
            let rates = rates(&mut built, &["c1", "c2"], 30.0, 90.0);
            (rates[0] + rates[1]).powi(2) / (2.0 * (rates[0].powi(2) + rates[1].powi(2)))
        };
        let indices: Vec<f64> = (1..=SEEDS).map(jain).collect();
        println!("{}: Jain's index {indices:.3?}", case.name);
        assert!(indices.iter().sum::<f64>() / SEEDS as f64 >= 0.9, "{} is unfair", case.name);
        assert!(indices.iter().all(|index| *index >= 0.7), "{} can starve a flow", case.name);
    }
}

#[test]
fn two_equal_flows_share_a_link_under_every_control_and_timeout() {
    check_share(controls().chain(timeouts()));
}

#[test]
fn two_equal_flows_share_a_link_over_every_queue() {
    check_share(queues());
}

#[test]
fn two_equal_flows_share_a_link_with_every_recovery() {
    check_share(recoveries());
}

#[test]
fn every_fetch_completes_and_the_books_balance() {
    const SEGMENTS: f64 = 2500.0;
    for case in all() {
        for (network, flows) in [(ONE, 1.0), (TWO, 2.0)] {
            let mut built = built(&text(network, &format!("segments = {SEGMENTS}, start = \"0s..1s\""), &case), 3);
            built.world.run(End::Quiet);
            assert_drained(&built.world);
            let outcome = outcome(&built);
            assert_eq!(of_run(&outcome, "delivered"), SEGMENTS * flows, "{}", case.name);
            let fresh = of_run(&outcome, "requests") - of_run(&outcome, "retransmissions");
            assert_eq!(fresh, SEGMENTS * flows, "{}", case.name);
            assert!(of_run(&outcome, "completion_time") > 0.0);
            assert_balanced(&case.name, &built, &outcome);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_digest_and_another_seed_another() {
    for case in all() {
        let text = text(TWO, "segments = 400, start = \"0s..100ms\"", &case);
        let [first, again, other] = [5, 5, 6].map(|seed| run(&text, seed));
        assert_eq!(first.digest, again.digest, "{}", case.name);
        assert_eq!(first.values, again.values, "{}", case.name);
        assert_ne!(first.digest, other.digest, "{}", case.name);
    }
}

#[test]
fn another_scheme_leaves_the_random_starts_of_the_workload_alone() {
    let starts = |case: &Case| {
        let text = text(TWO, "segments = 50, start = \"0s..1s\"", case) + "[run]\nsample = \"100us\"\n";
        let outcome = run(&text, 9);
        let start = |flow: &str| {
            let scope = weir_sim::Scope::Flow(flow.into());
            outcome.series.iter().find(|s| s.metric == "in_flight" && s.scope == scope).unwrap().time
        };
        [start("c1"), start("c2")]
    };
    let mut all = all().map(|case| (starts(&case), case.name));
    let (first, _) = all.next().unwrap();
    assert!(first[0] != first[1]);
    for (starts, name) in all {
        assert_eq!(starts, first, "{name}");
    }
}

#[test]
fn where_there_is_one_way_every_strategy_takes_it() {
    let digests = strategies().map(|case| run(&text(ONE, "segments = 2000", &case), 1).digest);
    let digests: Vec<u64> = digests.collect();
    assert!(digests.iter().all(|digest| *digest == digests[0]), "{digests:x?}");
}
