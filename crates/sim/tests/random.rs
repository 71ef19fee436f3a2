//! Random small scenarios: whatever they are made of, they complete, balance and can be repeated.

mod common;

use common::{assert_balanced, assert_drained, at, built, of_link, of_run, outcome};
use proptest::prelude::*;
use std::fmt::Write as _;
use weir_schemes::registry::{CONTROLS, QUEUES, STRATEGIES, TIMEOUTS};
use weir_sim::{Built, End, Outcome};

/// Of each kind. (90 000 have passed, in two minutes.)
const CASES: u32 = 150;

fn one_of(words: &[&'static str]) -> impl Strategy<Value = &'static str> + use<> {
    proptest::sample::select(words.to_vec())
}

fn names<B>(entries: &[weir_core::Entry<B>]) -> Vec<&'static str> {
    entries.iter().map(|e| e.name).collect()
}

/// Settings without which a control would be too slow for a test.
fn control() -> impl Strategy<Value = String> {
    (one_of(&names(CONTROLS)), 1..80u64, 1..40u64).prop_map(|(name, window, mbps)| match name {
        "fixed-window" => format!("{{ name = \"fixed-window\", window = {window} }}"),
        "cbr" => format!("{{ name = \"cbr\", rate = \"{mbps}Mbps\" }}"),
        name => format!("{name:?}"),
    })
}

fn recovery() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("\"none\"".to_string()),
        (0..40u32, 1..20u32, any::<bool>()).prop_map(|(twentieths, interval, cap)| format!(
            "{{ name = \"plr\", alpha = {}, interval = \"{interval}ms\", cap_r = {cap} }}",
            f64::from(twentieths) / 20.0
        )),
    ]
}

fn rate() -> impl Strategy<Value = &'static str> {
    one_of(&["1Mbps", "3Mbps", "10Mbps", "40Mbps", "1Gbps"])
}

fn queue() -> impl Strategy<Value = String> {
    prop_oneof![(1..80u32).prop_map(|n| format!("{n}p")), (10..90u32).prop_map(|kb| format!("{kb}kB"))]
}

fn loss() -> impl Strategy<Value = f64> {
    prop_oneof![2 => Just(0.0), 1 => (1..60u32).prop_map(|n| f64::from(n) / 1000.0)]
}

/// Rate, delay in milliseconds, queue and loss.
type Link = (&'static str, u32, String, f64);

/// A network, and how many consumers there are in it.
fn network() -> impl Strategy<Value = (String, u64)> {
    let link = || (rate(), 0..40u32, queue(), loss());
    let chain = proptest::collection::vec(link(), 2..5).prop_map(|links| {
        let list = |of: &dyn Fn(&Link) -> String| links.iter().map(of).collect::<Vec<_>>().join(", ");
        let text = format!(
            "linear = {{ routers = {}, rate = [{}], delay = [{}], queue = [{}], loss = [{}] }}",
            links.len() - 1,
            list(&|l| format!("{:?}", l.0)),
            list(&|l| format!("\"{}ms\"", l.1)),
            list(&|l| format!("{:?}", l.2)),
            list(&|l| format!("{:?}", l.3)),
        );
        (text, 1)
    });
    let dumbbell = (2..5u64, link(), link()).prop_map(|(flows, bottleneck, access)| {
        let text = format!(
            "dumbbell = {{ flows = {flows}, bottleneck = {:?}, delay = \"{}ms\", queue = {:?}, loss = {:?}, \
             access = {:?}, access_delay = \"{}ms\", access_queue = {:?}, access_loss = {:?} }}",
            bottleneck.0, bottleneck.1, bottleneck.2, bottleneck.3, access.0, access.1, access.2, access.3
        );
        (text, flows)
    });
    prop_oneof![chain, dumbbell]
}

/// What a random scenario is to be like.
#[derive(Clone)]
struct Wanted {
    /// InterestLifetime in milliseconds. A fetch may never end where Interests live for less time than a Data may have
    /// to wait.
    lifetime: std::ops::Range<u32>,
    /// When the consumers give up, as in a file.
    stop: &'static str,
    /// All consumers fetch one content.
    shared: bool,
}

/// Interests that live for longer than any queue can hold a Data.
const PATIENT: Wanted = Wanted { lifetime: 20_000..60_000, stop: "", shared: false };

/// A scenario file, its consumers, and the segments of each.
fn scenario(kind: Wanted) -> impl Strategy<Value = (String, u64, u64)> {
    let scheme = (
        control(),
        one_of(&names(TIMEOUTS)),
        one_of(&names(QUEUES)),
        one_of(&names(QUEUES)),
        one_of(&names(STRATEGIES)),
        recovery(),
    );
    let consumer = (kind.lifetime.clone(), one_of(&["keep", "restart", "stop"]), one_of(&["0", "0.5"]), 0..2u32);
    let tables = (prop_oneof![Just(0u32), 1..200u32], prop_oneof![Just(None), (1..100u32).prop_map(Some)]);
    (network(), scheme, consumer, tables, 1..300u64, 1..1100u32, 1..8001u32).prop_map(
        move |((network, flows), scheme, consumer, (cs, pit), segments, spread, payload)| {
            let (control, timeout, queue, host_queue, strategy, recovery) = scheme;
            let (lifetime, notice_timer, guard, jitter) = consumer;
            let mut text = format!("[topology]\n{network}\n");
            let fetch =
                format!("segments = {segments}, payload = \"{payload}B\", start = \"0s..{spread}ms\"{}", kind.stop);
            match kind.shared && flows > 1 {
                true => (1..=flows).for_each(|n| {
                    let ends = format!("consumer = \"c{n}\", producer = \"p1\", name = \"/shared\"");
                    let _ = writeln!(text, "[[workload]]\nfetch = {{ {ends}, {fetch} }}");
                }),
                false => {
                    let _ = writeln!(text, "[[workload]]\nfetch = {{ {fetch} }}");
                }
            }
            let _ = writeln!(
                text,
                "[scheme]\ncontrol = {control}\ntimeout = {timeout:?}\nqueue = {queue:?}\nhost_queue = {host_queue:?}\n\
                 strategy = {strategy:?}\nrecovery = {recovery}"
            );
            let _ = writeln!(text, "[tables]\ncs = {cs}");
            if let Some(pit) = pit {
                let _ = writeln!(text, "pit = {pit}");
            }
            let _ = writeln!(
                text,
                "[consumer]\nlifetime = \"{lifetime}ms\"\nnotice_timer = {notice_timer:?}\nguard = {guard}\njitter = {jitter}"
            );
            (text, flows, segments)
        },
    )
}

/// Runs until nothing happens any more, when everything is empty; and again, with stops on the way.
fn run_twice(text: &str, seed: u64) -> (Built, Outcome) {
    println!("seed {seed}\n{text}");
    let [mut first, mut again] = [(); 2].map(|()| built(text, seed));
    first.world.run(End::Quiet);
    for stop in [0.001, 0.1, 0.73, 3.0] {
        again.world.run(End::At(at(stop)));
        for (spec, counters, flying) in again.world.links() {
            let seen = counters.arrived + counters.lost + flying as u64;
            assert_eq!(counters.packets, seen, "from {} to {} at {stop} s", spec.from, spec.to);
        }
    }
    again.world.run(End::Quiet);
    assert_drained(&first.world);
    let result = outcome(&first);
    for link in &first.links {
        assert!((0.0..=1.0).contains(&of_link(&result, "utilisation", link)), "{link}");
    }
    assert_eq!(first.world.digest(), again.world.digest(), "the run cannot be repeated");
    assert_eq!(of_run(&result, "delivered"), of_run(&outcome(&again), "delivered"));
    (first, result)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(CASES) })]

    #[test]
    fn random_scenarios_complete_balance_and_repeat(
        (text, flows, segments) in scenario(PATIENT), seed in 0..1000u64
    ) {
        let (built, result) = run_twice(&text, seed);
        assert_balanced("a random scenario", &built, &result);
        let segments = (flows * segments) as f64;
        prop_assert_eq!(of_run(&result, "delivered"), segments, "a fetch has not ended");
        prop_assert_eq!(of_run(&result, "requests") - of_run(&result, "retransmissions"), segments);
    }

    #[test]
    fn random_scenarios_that_are_given_up_balance_and_repeat(
        (text, flows, segments) in scenario(Wanted { lifetime: 1..3000, stop: ", stop = \"4s\"", ..PATIENT }),
        seed in 0..1000u64
    ) {
        let (built, result) = run_twice(&text, seed);
        assert_balanced("a random scenario", &built, &result);
        prop_assert!(of_run(&result, "delivered") <= (flows * segments) as f64);
    }

    #[test]
    fn random_scenarios_with_one_content_for_all_complete_and_repeat(
        (text, flows, segments) in scenario(Wanted { shared: true, ..PATIENT }), seed in 0..1000u64
    ) {
        let (_, result) = run_twice(&text, seed);
        prop_assert_eq!(of_run(&result, "delivered"), (flows * segments) as f64, "a fetch has not ended");
    }
}
