//! Networks in the formats of other programs.

use crate::{Target, text};
use std::collections::BTreeSet;
use weir_scenario::import::{self, Graph, Mistake};

/// A format: its name, its reader, its files among the tests, and words of it.
macro_rules! format {
    ($const:ident, $name:literal, $reader:path, $seeds:expr, $words:expr) => {
        pub(crate) const $const: Target =
            Target { name: $name, run: |bytes| read($reader, bytes), seeds: $seeds, words: $words };
    };
}

const FILES: &str = "crates/scenario/tests/import";

format!(
    NDNSIM,
    "ndnsim",
    import::ndnsim,
    &[(FILES, "txt")],
    &[
        "router\n",
        "link\n",
        "\t",
        "NA",
        "10Mbps",
        "5ms",
        "100",
        "ns3::RateErrorModel,",
        "ErrorRate=",
        "#",
        "-0.0",
        "inf",
    ]
);
format!(
    GRAPHML,
    "graphml",
    import::graphml,
    &[(FILES, "graphml")],
    &[
        "<node id=\"",
        "<edge source=\"",
        " target=\"",
        "<data key=\"",
        "</data>",
        "<key id=\"",
        "attr.name=\"Latitude\"",
        "/>",
        "&amp;",
        "&#x41;",
        "<![CDATA[",
        "<!--",
        "-->",
        "<graph>",
        "</graph>",
        "<hyperedge>",
        "<port/>",
        "NaN",
    ]
);
format!(
    ROCKETFUEL_CCH,
    "rocketfuel-cch",
    import::rocketfuel_cch,
    &[(FILES, "cch")],
    &["@", "+", "bb", "(2)", "&1", "->", "<1>", "{-2}", "=name", "!", "r0", "r1", "\n", "-1", "<99999999999999999999>",]
);
format!(
    ROCKETFUEL_LATENCIES,
    "rocketfuel-latencies",
    import::rocketfuel_latencies,
    &[(FILES, "intra")],
    &[",", "+", " ", "\n", "3.5", "-1", "1e308", "nan", "inf", "#",]
);
format!(
    ROCKETFUEL_WEIGHTS,
    "rocketfuel-weights",
    import::rocketfuel_weights,
    &[(FILES, "intra")],
    &[",", "+", " ", "\n", "3.5", "-1", "1e308", "nan", "inf", "#",]
);

/// A network whose links join nodes that there are and whose names differ, or mistakes with places that are in the text.
fn read(reader: fn(&str) -> Result<Graph, Vec<Mistake>>, bytes: &[u8]) {
    let text = text(bytes);
    match reader(&text) {
        Ok(graph) => {
            let names: BTreeSet<&str> = graph.nodes.iter().map(|node| node.name.as_str()).collect();
            assert_eq!(names.len(), graph.nodes.len(), "two nodes of one name");
            for link in &graph.links {
                let (a, b) = link.ends;
                assert!(a != b && a.max(b) < graph.nodes.len(), "{link:?}");
                assert!(text.get(link.span.clone()).is_some(), "{link:?}");
                for way in [&link.there, &link.back] {
                    assert!(way.loss.is_none_or(|loss| (0.0..=1.0).contains(&loss)), "{way:?}");
                    assert!(way.cost.is_none_or(|cost| cost >= 1), "{way:?}");
                }
            }
            let finite = |(x, y): (f64, f64)| x.is_finite() && y.is_finite();
            assert!(graph.nodes.iter().all(|node| node.position.is_none_or(finite)), "a place that is nowhere");
        }
        Err(mistakes) => {
            assert!(!mistakes.is_empty(), "an error without a mistake");
            for mistake in mistakes {
                assert!(text.get(mistake.span.clone()).is_some() && !mistake.message.is_empty(), "{mistake:?}");
            }
        }
    }
}
