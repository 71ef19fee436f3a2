//! Rate limits at routers and the rates of their consumers, in the network of Kato and Bandai: consumer, three routers and
//! producer in a row, 10 ms and 10 Mbit/s from one to the next but for 5 Mbit/s between the first two routers.

mod common;

use common::{assert_near, of_link, of_run, run};
use weir_sim::{Outcome, Sample};

/// A Data is 1250 bytes on the wire, or one less while its number is small.
fn network(rates: &str, scheme: &str, more: &str) -> String {
    format!(
        r#"
[topology]
linear = {{ nodes = ["c", "r1", "r2", "r3", "p"], rate = {rates}, delay = "10ms", queue = "200p" }}

[[workload]]
fetch = {{ name = "/kato/con1", payload = "1185B" }}

[scheme]
name = "{scheme}"
control = {{ data = "1250B" }}
strategy = {{ data = "1250B", {more} }}
timeout = {{ min = "1s" }}

[run]
duration = "10s"
sample = "1ms"
"#
    )
}

const ONE: &str = r#"["10Mbps", "5Mbps", "10Mbps", "10Mbps"]"#;

const FIXED: &str = r#"adapt = "fixed""#;

fn rates(outcome: &Outcome) -> Vec<(f64, f64)> {
    let rate = |s: &&Sample| s.metric == "rate";
    outcome.series.iter().filter(rate).map(|s| (s.time, s.value)).collect()
}

/// When the rate fell and had not fallen for 0.3 s: the beginnings of congestions.
fn starts(rates: &[(f64, f64)]) -> Vec<f64> {
    let mut starts = Vec::new();
    let mut last = f64::NEG_INFINITY;
    for pair in rates.windows(2).filter(|pair| pair[1].1 < pair[0].1) {
        if pair[1].0 - last > 0.3 {
            starts.push(pair[1].0);
        }
        last = pair[1].0;
    }
    starts
}

/// The bucket holds 30 Interests and fills with 500 a second: 60 ms, and 20 ms to the router and back.
#[test]
fn the_first_congestion_begins_after_80_ms() {
    for scheme in ["stateful-forwarding", "kato"] {
        let rates = rates(&run(&network(ONE, scheme, FIXED), 1));
        assert!((starts(&rates)[0] - 0.08).abs() < 0.002, "{scheme}: {:?}", starts(&rates));
        assert_eq!(rates[10].1, 1000.0, "{scheme}: the rate begins at what the consumer's link carries");
    }
}

/// Every second Interest is refused until the first cut shows, which is the 20 ms to the router and back: 11 of them.
#[test]
fn eleven_refusals_halve_eleven_times_where_none_is_let_pass() {
    let rates = rates(&run(&network(ONE, "stateful-forwarding", FIXED), 1));
    let lowest = rates.iter().take_while(|(time, _)| *time < 1.0).map(|(_, rate)| *rate).fold(f64::INFINITY, f64::min);
    assert!((1.0..2.0).contains(&lowest), "{lowest}");
}

/// A8 (d): frozen for 1/r, a round trip of 80 ms and what waits in the queue.
#[test]
fn after_a_cut_the_rate_stands_still_until_its_effect_is_seen() {
    let rates = rates(&run(&network(ONE, "kato", FIXED), 1));
    let third = starts(&rates)[2];
    let after: Vec<(f64, f64)> = rates.into_iter().filter(|(time, _)| *time >= third).collect();
    let frozen = after.iter().take_while(|(_, rate)| *rate == after[0].1).last().unwrap().0 - third;
    assert!((0.13..0.17).contains(&frozen), "{frozen}");
}

/// The calibration of Kato and Bandai's averages: 274 and 465 Data a second behind one bottleneck of 500.
#[test]
fn waiting_for_the_effect_of_a_cut_fills_the_link_and_cutting_at_each_refusal_half_of_it() {
    let mean = |scheme| of_run(&run(&network(ONE, scheme, FIXED), 1), "delivered") / 10.0;
    let (plain, waiting) = (mean("stateful-forwarding"), mean("kato"));
    assert_near("each", plain, 274.0, 0.1);
    assert_near("check", waiting, 465.0, 0.1);
}

/// Where routers move their limits as well, a refusal cuts at each router that it passes, and the path carries less.
#[test]
fn limits_that_every_router_moves_cost_a_path_with_two_bottlenecks_a_third() {
    let rates = r#"["10Mbps", "5Mbps", "2Mbps", "10Mbps"]"#;
    let mean = |adapt: &str| {
        let more = format!("adapt = {adapt:?}");
        of_run(&run(&network(rates, "stateful-forwarding", &more), 1), "delivered") / 10.0
    };
    let (fixed, adapting) = (mean("fixed"), mean("each"));
    assert_near("fixed", fixed, 102.0, 0.1);
    assert!(adapting < 0.67 * fixed, "{adapting}");
}

#[test]
fn refusals_come_from_the_router_before_the_bottleneck_and_no_data_is_lost() {
    let outcome = run(&network(ONE, "kato", FIXED), 1);
    let nacks = of_link(&outcome, "nacks", "r1>c");
    assert!(nacks > 0.0);
    assert_eq!((of_run(&outcome, "nacks"), of_run(&outcome, "refusals")), (nacks, nacks));
    assert_eq!(
        of_run(&outcome, "retransmissions"),
        nacks,
        "a refused segment is asked for again, once for each refusal"
    );
    assert_eq!((of_run(&outcome, "timeouts"), of_run(&outcome, "data_drops")), (0.0, 0.0));
}

#[test]
fn buckets_that_leak_in_ticks_begin_at_a_random_moment() {
    let rates = |more: &str, seed| rates(&run(&network(ONE, "kato", more), seed));
    let ticks = r#"adapt = "fixed", leak = "ticks""#;
    assert_eq!(rates(FIXED, 1), rates(FIXED, 2), "without ticks there is no chance in it");
    assert_ne!(rates(ticks, 1), rates(ticks, 2));
    assert_eq!(rates(ticks, 1), rates(ticks, 1));
}
