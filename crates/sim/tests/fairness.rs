//! Fair shares against calculations by hand.

mod common;

use common::{assert_near, of_flow, of_run, run};
use weir_sim::Scope;

fn dumbbell(flows: &str) -> String {
    format!(
        r#"
[topology]
dumbbell = {{ flows = 2, bottleneck = "10Mbps", access = "100Mbps", delay = "5ms", queue = "40p" }}
{flows}
[scheme]
name = "pcon"
"#
    )
}

#[test]
fn two_that_are_always_active_have_half_of_the_payload_that_fits() {
    let flows = "[[workload]]\nfetch = { payload = \"1040B\" }\n[run]\nduration = \"20s\"\n";
    let outcome = run(&dumbbell(flows), 1);
    let (a, b) = (of_flow(&outcome, "fair_share", "c1"), of_flow(&outcome, "fair_share", "c2"));
    // Names, signature and headers of a Data take 4 to 12 % of a link.
    assert!((a - b).abs() < 1e-9 && (4.4..4.8).contains(&a), "{a} and {b}");
    let ratios = ["c1", "c2"].map(|flow| of_flow(&outcome, "maxmin_ratio", flow));
    for (flow, ratio) in ["c1", "c2"].iter().zip(ratios) {
        assert_near("ratio", ratio, of_flow(&outcome, "goodput", flow) / a, 1e-9);
    }
    // No link carries more than fits.
    assert!(of_run(&outcome, "goodput") <= of_run(&outcome, "fair_share") * (1.0 + 1e-9));
    assert_eq!(of_run(&outcome, "maxmin_ratio"), ratios[0].min(ratios[1]));
    assert!(of_run(&outcome, "maxmin_ratio") > 0.8 && of_run(&outcome, "jain") > 0.98, "{ratios:?}");
    let squares = ratios[0] * ratios[0] + ratios[1] * ratios[1];
    assert_near("index", of_run(&outcome, "jain_maxmin"), (ratios[0] + ratios[1]).powi(2) / (2.0 * squares), 1e-12);
}

#[test]
fn the_wire_is_filled_exactly_by_the_fair_shares() {
    // One fetch at a constant rate far below the link: the link's own counters give the sizes on the wire.
    let text = r#"
[topology]
linear = { nodes = ["c", "r", "p"], rate = "10Mbps", delay = "1ms", queue = "20p" }
[[workload]]
fetch = { segments = 400, payload = "1000B" }
[scheme]
control = { name = "cbr", gap = "10ms" }
queue = "droptail"
"#;
    let outcome = run(text, 1);
    let bits = |link: &str| outcome.get("throughput", Scope::Link(link.into())).unwrap() * of_run(&outcome, "duration");
    let payload = 400.0 * 1000.0 * 8.0 / 1e6;
    // The fair share of a single fetch sends Data at the full rate of the link.
    assert_near("share", of_run(&outcome, "fair_share") * bits("p>r") / payload, 10.0, 1e-6);
    assert!(of_run(&outcome, "maxmin_ratio") < 0.1, "it does not ask for its share");
}

#[test]
fn shares_follow_those_who_come_and_go() {
    let flows = r#"
[[workload]]
fetch = { consumer = "c1", payload = "1040B" }
[[workload]]
fetch = { consumer = "c2", payload = "1040B", start = "10s", stop = "15s" }
[run]
duration = "20s"
"#;
    let outcome = run(&dumbbell(flows), 1);
    let (first, second) = (of_flow(&outcome, "fair_share", "c1"), of_flow(&outcome, "fair_share", "c2"));
    // Alone for 15 of 20 seconds, with the other for 5.
    assert_near("the one that stays", first, second * 2.0 * (15.0 + 0.5 * 5.0) / 20.0, 1e-3);
}

/// Three links in a row; one flow over all, one on each.
#[test]
fn a_long_path_gets_what_the_narrowest_link_gives() {
    let text = r#"
[topology]
nodes = ["l", "a", "b", "c", "d", "p", "x1", "y1", "x2", "y2"]
link = [
  { between = ["l", "a"], rate = "100Mbps", delay = "1ms", queue = "50p" },
  { between = ["a", "b"], rate = "10Mbps", delay = "1ms", queue = "50p" },
  { between = ["b", "c"], rate = "6Mbps", delay = "1ms", queue = "50p" },
  { between = ["c", "p"], rate = "100Mbps", delay = "1ms", queue = "50p" },
  { between = ["x1", "a"], rate = "100Mbps", delay = "1ms", queue = "50p" },
  { between = ["b", "y1"], rate = "100Mbps", delay = "1ms", queue = "50p" },
  { between = ["x2", "b"], rate = "100Mbps", delay = "1ms", queue = "50p" },
  { between = ["c", "y2"], rate = "100Mbps", delay = "1ms", queue = "50p" },
  { between = ["d", "c"], rate = "100Mbps", delay = "1ms", queue = "50p" },
]
[[workload]]
fetch = { consumer = "l", producer = "p", label = "long" }
[[workload]]
fetch = { consumer = "x1", producer = "y1", label = "wide" }
[[workload]]
fetch = { consumer = "x2", producer = "y2", label = "narrow" }
[run]
duration = "5s"
"#;
    let outcome = run(text, 1);
    let [long, wide, narrow] = ["long", "wide", "narrow"].map(|f| of_flow(&outcome, "fair_share", f));
    assert_near("on the narrow link", long, narrow, 1e-9);
    assert_near("what the long one leaves", (wide + long) / (narrow + long), 10.0 / 6.0, 0.005);
}

const TWO_WAYS: &str = r#"
[topology]
nodes = ["c", "r", "u", "v", "s", "p"]
link = [
  { between = ["c", "r"], rate = "100Mbps", delay = "1ms", queue = "50p" },
  { between = ["r", "u"], rate = "10Mbps", delay = "1ms", queue = "50p" },
  { between = ["r", "v"], rate = "5Mbps", delay = "1ms", queue = "50p" },
  { between = ["u", "s"], rate = "100Mbps", delay = "1ms", queue = "50p" },
  { between = ["v", "s"], rate = "100Mbps", delay = "1ms", queue = "50p" },
  { between = ["s", "p"], rate = "100Mbps", delay = "1ms", queue = "50p" },
]
[routing]
ROUTING
[[workload]]
fetch = { consumer = "c", producer = "p" }
[scheme]
strategy = "STRATEGY"
[run]
duration = "5s"
"#;

#[test]
fn several_paths_count_together_where_the_strategy_may_use_them() {
    let share = |routing: &str, strategy: &str| {
        let text = TWO_WAYS.replace("ROUTING", routing).replace("STRATEGY", strategy);
        of_run(&run(&text, 1), "fair_share")
    };
    let one = share("kind = \"shortest\"", "round-robin");
    let both = share("kind = \"downhill\"", "round-robin");
    assert_near("both ways", both, 1.5 * one, 1e-4);
    assert_near("best route takes one", share("kind = \"downhill\"", "best-route"), one, 1e-4);
}

#[test]
fn one_content_for_two_has_no_fair_shares() {
    let fetch =
        |c: &str| format!("[[workload]]\nfetch = {{ consumer = \"{c}\", name = \"/film\", producer = \"p1\" }}\n");
    let flows = &(fetch("c1") + &fetch("c2") + "[run]\nduration = \"2s\"\n");
    let outcome = run(&dumbbell(flows), 1);
    assert!(outcome.get("fair_share", Scope::Run).is_none() && outcome.get("maxmin_ratio", Scope::Run).is_none());
    assert!(of_run(&outcome, "jain") > 0.4);
}
