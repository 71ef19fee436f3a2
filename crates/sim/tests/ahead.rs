//! Looking ahead changes nothing: it happens in networks of more than a thousand events at once, and must not show.

mod common;

use common::{of_flow, run};
use std::fmt::Write;

/// So many chains of consumer, router and producer that have nothing to do with each other.
fn chains(number: usize) -> String {
    let nodes: Vec<String> = (0..number).map(|i| format!("\"c{i}\", \"r{i}\", \"p{i}\"")).collect();
    let mut text = format!("[topology]\nnodes = [{}]\n", nodes.join(", "));
    for i in 0..number {
        // A bottleneck behind the router, so that packets wait, marks are set and a queue overflows.
        let (consumer, router, producer) = (format!("c{i}"), format!("r{i}"), format!("p{i}"));
        for (from, to, rate) in [(&consumer, &router, "100Mbps"), (&router, &producer, "20Mbps")] {
            let link = format!("between = [\"{from}\", \"{to}\"]\nrate = \"{rate}\"\ndelay = \"2ms\"\nqueue = \"20p\"");
            writeln!(text, "[[topology.link]]\n{link}").unwrap();
        }
        let fetch =
            format!("consumer = \"{consumer}\", producer = \"{producer}\", name = \"/c/{i:03}\", segments = 80");
        writeln!(text, "[[workload]]\nfetch = {{ {fetch}, start = \"1ms\", label = \"f{i}\" }}").unwrap();
    }
    text + "[scheme]\nname = \"icp\"\n[tables]\ncs = 10\n[run]\nduration = \"2s\"\n"
}

#[test]
fn a_thousand_networks_beside_each_other_do_what_one_does_alone() {
    let metrics = ["delivered", "retransmissions", "timeouts", "completion_time", "full_delay"];
    let alone = run(&chains(1), 1);
    let many = run(&chains(600), 1);
    for metric in metrics {
        let expected = of_flow(&alone, metric, "f0");
        for flow in 0..600 {
            assert_eq!(of_flow(&many, metric, &format!("f{flow}")), expected, "{metric} of {flow}");
        }
    }
    assert_eq!(of_flow(&alone, "delivered", "f0"), 80.0);
}
