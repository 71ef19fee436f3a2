//! Packets that are longer than the frames of their link.

mod common;

use common::{assert_balanced, assert_near, built, drained, of_flow, of_link, of_run, outcome, run};
use weir_sim::End;

/// One consumer asks for 8400 bytes in each Data; `mtu` and more for `[topology]`.
fn path(topology: &str, window: u32, rest: &str) -> String {
    format!(
        r#"
[topology]
linear = {{ nodes = ["c", "r", "p"], rate = ["10Mbps", "1Gbps"], delay = "10ms", queue = "120p" }}
{topology}
[[workload]]
fetch = {{ name = "/c", payload = "8400B", segments = 2000 }}
[scheme]
control = {{ name = "fixed-window", window = {window} }}
{rest}
"#
    )
}

/// Bytes of each packet over a link.
fn bytes_each(text: &str, link: &str) -> f64 {
    let outcome = run(text, 1);
    let duration = of_run(&outcome, "duration");
    of_link(&outcome, "throughput", link) * duration * 1e6 / 8.0 / of_link(&outcome, "link_packets", link)
}

#[test]
fn headers_of_fragments_take_time_on_the_link() {
    let (whole, cut) = (path("", 3, ""), path("mtu = \"1500B\"", 3, ""));
    // Six frames with a header of 24 bytes each; an Interest is short enough for one without.
    assert_near("bytes of a Data", bytes_each(&cut, "r>c") - bytes_each(&whole, "r>c"), 144.0, 1e-6);
    assert_eq!(bytes_each(&cut, "c>r"), bytes_each(&whole, "c>r"));
    let delay = |text: &str| of_run(&run(text, 1), "full_delay");
    let lone = |topology| path(topology, 1, "");
    // 144 bytes at 10 Mbit/s, and again at 1 Gbit/s.
    assert_near("extra delay in ms", delay(&lone("mtu = \"1500B\"")) - delay(&lone("")), 0.1152 * 1.01, 1e-3);
}

#[test]
fn a_queue_counts_frames() {
    // 120 frames are 20 Data of 6 frames. Of a window of 40, about one packet and a bit are elsewhere.
    let dropped = |topology: &str, window| of_link(&run(&path(topology, window, ""), 1), "drops_queue_full", "r>c");
    let longest = |topology: &str, window| of_link(&run(&path(topology, window, ""), 1), "queue_max", "r>c");
    assert_eq!((dropped("", 40), dropped("mtu = \"1500B\"", 20)), (0.0, 0.0));
    assert!(dropped("mtu = \"1500B\"", 60) > 0.0);
    assert_eq!(longest("mtu = \"1500B\"", 60), 20.0);
    assert!(longest("", 60) > 30.0);
    // With frames that are long enough, frames are packets.
    assert_eq!(dropped("mtu = \"9000B\"", 60), 0.0);
}

#[test]
fn frames_that_are_taken_singly_cross_the_link_in_vain() {
    let of = |frames: &str| {
        let scheme = format!("[scheme]\nqueue = {{ name = \"droptail\", frames = \"{frames}\" }}");
        run(&path("mtu = \"1500B\"", 60, "").replace("[scheme]", &scheme), 1)
    };
    let (together, singly) = (of("together"), of("singly"));
    let over = |outcome, metric| of_link(outcome, metric, "r>c");
    assert!(over(&together, "drops_queue_full") > 0.0 && over(&singly, "drops_queue_full") > 0.0);
    // What is not whole is lost where it is sent, and was sent.
    assert_eq!(over(&together, "drops_link_loss"), 0.0);
    assert!(over(&singly, "drops_link_loss") > 0.0);
    let sent = |outcome| over(outcome, "link_packets");
    assert_eq!(sent(&singly) - over(&singly, "drops_link_loss"), sent(&together));
    // All is delivered in the end.
    assert_eq!((of_run(&singly, "delivered"), of_run(&together, "delivered")), (2000.0, 2000.0));
}

#[test]
fn a_packet_is_lost_with_any_of_its_frames() {
    let lossy = |mtu: &str| {
        let text =
            path(mtu, 20, "[run]\nseeds = 1").replace("queue = ", "loss = { forward = 0, backward = 0.01 }, queue = ");
        let outcome = run(&text, 3);
        of_link(&outcome, "drops_link_loss", "r>c") / of_link(&outcome, "link_packets", "r>c")
    };
    assert_near("whole", lossy(""), 0.01, 0.3);
    assert_near("six frames", lossy("mtu = \"1500B\""), 1.0 - 0.99_f64.powi(6), 0.15);
}

#[test]
fn bursts_of_loss_go_by_frames() {
    // A chain that changes its state at every step and loses in the bad one: every second frame is lost, so no packet of
    // two frames or more survives.
    let impaired = "[[impairment]]\nlink = \"r>c\"\nbursts = { p = 1, r = 1 }\n[run]\nduration = \"20s\"";
    let delivered = |mtu: &str| of_run(&run(&path(mtu, 5, impaired), 1), "delivered");
    assert!(delivered("") > 10.0);
    assert_eq!(delivered("mtu = \"1500B\""), 0.0);
}

#[test]
fn every_queue_and_recovery_keeps_its_books_in_frames() {
    for queue in weir_schemes::registry::QUEUES {
        for recovery in ["none", "plr"] {
            let what = format!("{}, recovery {recovery}", queue.name);
            let scheme = format!("control = \"icp\"\nqueue = \"{}\"\nrecovery = \"{recovery}\"", queue.name);
            let text =
                path("mtu = \"1500B\"", 40, "").replace("control = { name = \"fixed-window\", window = 40 }", &scheme);
            let mut built = built(&text, 1);
            built.world.run(End::Quiet);
            common::assert_drained(&built.world);
            let outcome = outcome(&built);
            assert_balanced(&what, &built, &outcome);
            assert_eq!(of_flow(&outcome, "delivered", "c"), 2000.0, "{what}");
            // Loss notices wait beside the queue.
            let most = 20.0 + of_link(&outcome, "loss_notices", "r>c");
            assert!(of_link(&outcome, "queue_max", "r>c") <= most, "{what}");
        }
    }
}

#[test]
fn a_new_queue_counts_frames_too() {
    let change = "[[at]]\ntime = \"2s\"\nlink = { name = \"r>c\", queue = \"30p\" }";
    let outcome = drained(&path("mtu = \"1500B\"", 20, change), 1);
    // Twenty wait at most, until only five may.
    assert!(of_link(&outcome, "drops_queue_full", "r>c") > 10.0);
    assert_eq!(of_link(&run(&path("mtu = \"1500B\"", 20, ""), 1), "drops", "r>c"), 0.0);
}
