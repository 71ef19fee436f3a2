//! PLR in a network (the rules T6, T8, T9 and what follows from them).

mod common;

use common::{built, drained, of_flow, of_link, of_run, outcome, run};
use weir_sim::{End, Outcome};

/// A first window of Data meets the bottleneck `r2>r1` at once: 60 Data for a queue of 20. The Data that recovery
/// keeps there are asked for by `r1`, too.
fn burst(recovery: &str, window: u64) -> String {
    format!(
        r#"
[topology]
linear = {{ nodes = ["c", "r1", "r2", "p"], rate = ["100Mbps", "10Mbps", "100Mbps"], delay = "5ms", queue = ["200p", {{ forward = "200p", backward = "20p" }}, "200p"] }}
[[workload]]
fetch = {{ segments = {window} }}
[scheme]
control = {{ name = "fixed-window", window = {window} }}
queue = "droptail"
recovery = {recovery}
"#
    )
}

const AT: &str = "r2>r1";

/// Drops of Data for want of room, in the queue and in the store.
fn lost(outcome: &Outcome) -> f64 {
    of_link(outcome, "drops_queue_full", AT) + of_link(outcome, "drops_store_full", AT)
}

/// The burst has passed, and nothing has timed out yet.
fn after_the_burst(recovery: &str) -> Outcome {
    let mut built = built(&burst(recovery, 60), 1);
    built.world.run(End::At(common::at(0.1)));
    outcome(&built)
}

#[test]
fn pending_interests_survive_loss_notices() {
    // All that overflows fits the store, is announced over r1 to the consumer, and comes later. Had a notice taken the
    // entry at r1, the Data behind it would find nobody there, and the consumer would have to ask again.
    let outcome = drained(&burst("{ name = \"plr\", alpha = 3 }", 60), 1);
    let [notices, recovered] = ["loss_notices", "recovered"].map(|metric| of_link(&outcome, metric, AT));
    assert!(notices >= 30.0, "{notices}");
    assert_eq!(recovered, notices);
    for metric in ["retransmissions", "timeouts", "drops", "drops_unsolicited", "drops_unwanted"] {
        assert_eq!(of_run(&outcome, metric), 0.0, "{metric}");
    }
    assert_eq!(of_run(&outcome, "delivered"), 60.0);
    // A drop-tail queue loses the very Data that PLR keeps, and the consumer has to wait for its timeouts.
    let plain = drained(&burst("\"none\"", 60), 1);
    let lost = lost(&after_the_burst("\"none\""));
    assert!((notices - lost).abs() <= 2.0, "{lost} lost, {notices} kept: notices take some of the link");
    assert!(of_run(&plain, "completion_time") > 5.0 * of_run(&outcome, "completion_time"));
}

#[test]
fn there_are_as_many_notices_as_the_store_has_places() {
    for (alpha, places) in [(0.1, 2.0), (0.5, 10.0), (1.0, 20.0)] {
        let outcome = after_the_burst(&format!("{{ name = \"plr\", alpha = {alpha} }}"));
        let notices = of_link(&outcome, "loss_notices", AT);
        // While the burst lasts, the queue is full and nothing leaves the store.
        assert_eq!(notices, places, "alpha = {alpha}");
        assert_eq!(of_link(&outcome, "recovered", AT), places, "alpha = {alpha}");
        assert_eq!(of_link(&outcome, "drops_queue_full", AT), 0.0);
        assert!(of_link(&outcome, "drops_store_full", AT) > 0.0);
    }
}

#[test]
fn what_the_store_held_for_too_long_is_dropped() {
    let recovery = "{ name = \"plr\", alpha = 3, residence = \"5ms\" }";
    let outcome = drained(&burst(recovery, 60), 1);
    let [notices, recovered, expired] =
        ["loss_notices", "recovered", "drops_store_expired"].map(|metric| of_link(&outcome, metric, AT));
    assert!(expired > 0.0);
    assert_eq!(notices, recovered + expired);
    assert_eq!(of_run(&outcome, "delivered"), 60.0);
}

#[test]
fn what_was_kept_follows_at_no_less_than_half_the_rate_of_the_link() {
    let outcome = drained(&burst("{ name = \"plr\", alpha = 3 }", 60), 1);
    let roomy = drained(&burst("\"none\"", 60).replace("\"20p\"", "\"200p\""), 1);
    let [kept, queued] = [&outcome, &roomy].map(|o| of_run(o, "completion_time"));
    // Once the queue is empty, Algorithm 1 adds half of what the link took in its last busy round of 1 ms, here one
    // packet: each packet waits for two rounds instead of the 0.9 ms that it takes to send.
    let notices = of_link(&outcome, "loss_notices", AT);
    assert!(queued < kept && kept < queued + notices * 0.002, "{kept} s, {queued} s if all had been queued");
    assert!(of_link(&outcome, "recovery_time", AT) > 1.0);
    assert!(of_run(&outcome, "late") >= 1.0, "Data that were kept are overtaken");
}

/// The paper's single path (E1a): 20 Mbit/s and 10 ms, then 100 Mbit/s and 10 ms, queues of 32 packets.
fn path(control: &str, recovery: &str) -> String {
    format!(
        r#"
[topology]
linear = {{ nodes = ["c", "r", "p"], rate = ["20Mbps", "100Mbps"], delay = "10ms", queue = "32p" }}
[[workload]]
fetch = {{ segments = 60_000, payload = "1040B", start = "0s..10ms" }}
[scheme]
name = "{control}"
recovery = {recovery}
timeout = "ndnsim"
[consumer]
lifetime = "2s"
"#
    )
}

#[test]
fn a_store_of_no_size_is_drop_tail() {
    for control in ["icp", "bic", "cubic", "pcon"] {
        let [plain, empty] =
            ["\"none\"", "{ name = \"plr\", alpha = 0 }"].map(|recovery| run(&path(control, recovery), 1));
        assert_eq!(plain.digest, empty.digest, "{control}");
        assert_eq!(plain.values, empty.values, "{control}");
        assert!(of_run(&plain, "drops_queue_full") > 0.0, "{control} must have something to lose");
    }
}

#[test]
fn recovery_saves_four_of_five_retransmissions() {
    for control in ["icp", "bic", "cubic"] {
        let retransmissions = |recovery: &str| {
            let of_seed = |seed| of_flow(&run(&path(control, recovery), seed), "retransmissions", "c");
            (1..=3).map(of_seed).sum::<f64>()
        };
        let (with, without) = (retransmissions("{ name = \"plr\", alpha = 0.5 }"), retransmissions("\"none\""));
        println!("{control}: {with} with recovery, {without} without");
        assert!(without >= 1000.0, "{control} must have something to save");
        assert!(with <= 0.2 * without, "{control}: {with} of {without}");
    }
}

#[test]
fn what_was_announced_is_recovered_or_given_up() {
    for control in ["icp", "bic", "cubic"] {
        let outcome = drained(&path(control, "{ name = \"plr\", alpha = 16 }"), 1);
        let [notices, recovered, expired] =
            ["loss_notices", "recovered", "drops_store_expired"].map(|metric| of_run(&outcome, metric));
        println!("{control}: {notices} announced, {recovered} recovered, {expired} given up");
        assert!(recovered > 0.0);
        assert_eq!(notices, recovered + expired);
        // The consumer asks again only for what was given up, or took too long.
        assert!(of_run(&outcome, "retransmissions") >= expired);
        assert_eq!(of_run(&outcome, "drops_queue_full") + of_run(&outcome, "drops_store_full"), 0.0);
    }
}
