//! Networks of other tools: every format on a small file of our own with the traps of that format in it, through the
//! scenario that imports it; round trips of random networks; texts that are no networks.

use proptest::prelude::*;
use std::path::{Path, PathBuf};
use weir_core::{Limit, Rate, Span};
use weir_scenario::import::{
    Graph, Mistake, graphml, ndnsim, rocketfuel_cch, rocketfuel_latencies, rocketfuel_weights,
};
use weir_scenario::plan::{Link, Topology};
use weir_scenario::{Folder, Problems, Study};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/import")
}

fn imported(topology: &str, consumer: &str, producer: &str) -> Result<Topology, Problems> {
    let text = format!(
        "[topology.import]\n{topology}\n[[workload]]\nfetch = {{ size = \"1MB\", consumer = \"{consumer}\", producer = \"{producer}\" }}\n"
    );
    let study = Study::parse_with("test.toml", &text, &[], &Folder(folder()))?;
    Ok(study.points()[0].scenario.topology.clone())
}

fn topology(topology: &str, consumer: &str, producer: &str) -> Topology {
    imported(topology, consumer, producer).unwrap_or_else(|problems| panic!("{problems}"))
}

fn link<'t>(topology: &'t Topology, name: &str) -> &'t Link {
    topology.links.iter().find(|l| l.name == name).unwrap_or_else(|| panic!("no {name} in {:?}", topology.links))
}

fn names(topology: &Topology) -> String {
    topology.links.iter().map(|l| l.name.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn ndnsim_with_its_traps() {
    let t = topology("file = \"small.txt\"\nqueue = \"7p\"\nloss = 0.5", "west", "east");
    assert_eq!(t.nodes, ["core-1", "west", "east"]);
    assert_eq!(t.positions, [None, Some((-4.0, -2.5)), Some((4.0, 2.0))], "north is up, and near zero is nowhere");
    assert_eq!(names(&t), "west-core-1 west-core-1.2 core-1-east west-east", "the other way round is the same link");
    let first = link(&t, "west-core-1");
    assert_eq!((first.forward, first.costs), (first.backward, (2, 2)));
    assert_eq!((first.forward.rate, first.forward.delay), (Rate(10_000_000), Span::from_millis(5)));
    assert_eq!((first.forward.limit, first.forward.loss, first.parallel), (Limit::Packets(40), 0.5, true));
    let second = link(&t, "west-core-1.2");
    assert_eq!((second.forward.limit, second.backward.loss), (Limit::Packets(25), 0.25));
    let red = link(&t, "core-1-east");
    assert_eq!((red.forward.rate, red.forward.delay), (Rate(12_000_000), Span::from_millis(2)), "bytes; bare seconds");
    assert_eq!(red.forward.limit, Limit::Packets(60));
    assert_eq!(link(&t, "west-east").forward.limit, Limit::Packets(7), "a class that says no size");
}

#[test]
fn graphml_with_its_traps() {
    let t = topology("file = \"zoo.graphml\"\nrate = \"1Gbps\"\ndelay = \"8ms\"\nqueue = \"50p\"", "n3", "Genève");
    assert_eq!(t.nodes, ["Bern.0", "St._Gallen", "Genève", "n3", "Bern.x_y"]);
    assert_eq!(t.positions[2], Some((6.14, 46.2)));
    assert_eq!((t.positions[3], t.positions[4]), (None, None));
    assert_eq!(names(&t), "Bern.0-St._Gallen Bern.0-Genève Genève-Bern.0 n3-Bern.0 St._Gallen-Bern.x_y");
    let rates: Vec<u64> = t.links.iter().map(|l| l.forward.rate.0).collect();
    assert_eq!(rates, [2_500_000_000, 155_000_000, 1_000_000_000, 1_000_000_000, 1_000_000_000]);
    // Bern and St. Gallen lie 155 km apart: 0.78 ms of fibre.
    let delay = |name| link(&t, name).forward.delay.seconds() * 1e3;
    assert!((delay("Bern.0-St._Gallen") - 0.775).abs() < 0.01, "{}", delay("Bern.0-St._Gallen"));
    assert_eq!(delay("n3-Bern.0"), 8.0, "no coordinates");
    assert_eq!(delay("St._Gallen-Bern.x_y"), 3.0, "the file's own");
    assert_eq!(t.directions(&t.links[2])[0], "Genève-Bern.0:Genève>Bern.0");
}

#[test]
fn opposite_edges_of_a_directed_graph_are_one_link() {
    let t = topology("file = \"directed.graphml\"\ndelay = \"1ms\"\nqueue = \"50p\"", "a", "c");
    assert_eq!(names(&t), "a-b b-c");
    assert_eq!((t.links[0].forward.rate, t.links[0].backward.rate), (Rate(1_000_000), Rate(2_000_000)));
    assert_eq!((t.links[0].costs, t.links[1].costs), ((4, 7), (4, 4)), "the default of the key; alone both ways alike");
}

#[test]
fn rocketfuel_maps_with_their_traps() {
    let t = topology(
        "file = \"sample.cch\"\nrate = \"1Gbps\"\ndelay = { forward = \"1ms\", backward = \"2ms\" }\nqueue = \"50p\"",
        "n12",
        "n14",
    );
    assert_eq!(t.nodes, ["n11", "n12", "n13", "n14"], "no routers of other networks");
    assert_eq!(names(&t), "n11-n12 n11-n13 n14-n13", "each link once, though only one end may know it");
    assert_eq!((t.links[0].forward.delay, t.links[0].backward.delay), (Span::from_millis(1), Span::from_millis(2)));
}

#[test]
fn rocketfuel_backbones_with_their_traps() {
    let both = "file = \"latencies.intra\"\nweights = \"weights.intra\"\nrate = \"1Gbps\"\nqueue = \"50p\"";
    let t = topology(both, "Basel_Switzerland2", "Bern_Germany3");
    assert_eq!(t.nodes, ["Bern_Switzerland1", "Basel_Switzerland2", "Bern_Germany3"]);
    assert_eq!(t.links.len(), 2);
    let first = &t.links[0];
    assert_eq!((first.forward.delay, first.backward.delay), (Span::from_millis(3), Span::from_micros(4500)));
    assert_eq!((t.links[0].costs, t.links[1].costs), ((25, 25), (100, 100)), "halves became whole, by one factor");
    assert_eq!(t.links[1].backward.delay, Span::from_millis(6), "one direction stands for both");
    let weights = topology(
        "file = \"weights.intra\"\nrate = \"1Gbps\"\nqueue = \"50p\"\ndelay = \"1ms\"",
        "Bern_Germany3",
        "Basel_Switzerland2",
    );
    assert_eq!(weights.links[0].costs, (25, 25));
}

#[test]
fn what_a_file_leaves_open_is_demanded_with_its_place() {
    let told = |t: &str| imported(t, "n3", "Genève").unwrap_err().to_string();
    let text = told("file = \"zoo.graphml\"");
    assert!(text.contains("this link has no rate, and 2 others have none either"), "{text}");
    assert!(text.contains("zoo.graphml:23:5"), "{text}");
    assert!(
        text.contains("no distance because an end has no coordinates") && text.contains("`queue = \"100p\"`"),
        "{text}"
    );
    let text = told("file = \"zoo.graphml\"\nformat = \"ndnsim\"");
    assert!(text.contains("no line says `router`"), "{text}");
    let text = told("file = \"weights.intra\"\nweights = \"latencies.intra\"");
    assert!(text.contains("`weights` belong to latencies of Rocketfuel; this file is `rocketfuel-weights`"), "{text}");
    let text = told("file = \"missing.graphml\"");
    assert!(text.contains("missing.graphml` cannot be read") && text.contains("test.toml:2:8"), "{text}");
    let text = told("file = \"small.txt\"\nformat = \"ndnsmi\"");
    assert!(text.contains("did you mean `ndnsim`?"), "{text}");
    let alone = Study::parse(
        "test.toml",
        "[topology.import]\nfile = \"small.txt\"\n[[workload]]\nfetch = { size = \"1MB\" }\n",
        &[],
    );
    assert!(alone.unwrap_err().to_string().contains("this scenario is no file"));
}

#[test]
fn a_file_of_a_study_is_found_beside_it() {
    let path = folder().join("study.toml");
    let study = Study::load(&path, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(study.points().len(), 2);
    assert_eq!(study.points()[1].scenario.topology.links[0].forward.limit, Limit::Packets(40));
}

/// The mistakes of a text: line and message of each.
fn mistakes(text: &str, import: fn(&str) -> Result<Graph, Vec<Mistake>>) -> Vec<String> {
    let line = |m: &Mistake| text[..m.span.start].matches('\n').count() + 1;
    let one = |m: &Mistake| {
        format!("{}: {}{}", line(m), m.message, m.help.as_ref().map(|h| format!("; {h}")).unwrap_or_default())
    };
    import(text).unwrap_err().iter().map(one).collect()
}

#[test]
fn mistakes_name_their_line() {
    let text = "router\na x 1 2\na x 1 2\nb x one 2\nc x\nlink\na d\na a\na\nc a 10mbps\na b\n";
    let told = [
        "3: there are two nodes called `a`",
        "4: expected a number of degrees, found `one`",
        "5: a node has a name, a city or comment, a latitude and a longitude; here are 2 words",
        "7: there is no node `d`; did you mean `a`?",
        "8: a link is between two different nodes",
        "9: a link has two ends; here is one word",
        "10: there is no node `c`; did you mean `a`?",
        "11: there is no node `b`; did you mean `a`?",
    ];
    assert_eq!(mistakes(text, ndnsim), told);
    let link = |rest: &str| mistakes(&format!("router\na x 1 2\nb x 1 2\nlink\na b {rest}\n"), ndnsim).join("");
    for (rest, told) in [
        ("10mbps", "5: `10mbps` has the unknown unit `mbps`; did you mean `Mbps`?"),
        ("1Mbps 0", "5: a metric is a whole number from 1 to 65535, found `0`"),
        ("1Mbps 1 5", ""),
        ("1Mbps 1 5m", "5: `5m` has the unknown unit `m`; did you mean `ms`?"),
        ("1Mbps 1 5ms zwei", "5: expected a number of packets or a class such as `ns3::DropTailQueue`, found `zwei`"),
        ("1Mbps 1 5ms 0", "5: a queue of 0 could never hold a packet"),
        ("1Mbps 1 5ms ns3::DropTailQueue,MaxSize=1MB", "5: the size of this queue is not a number of packets"),
        (
            "1Mbps 1 5ms 5 ns3::BurstErrorModel",
            "5: only `ns3::RateErrorModel` can be read here, with `ErrorUnit=ERROR_UNIT_PACKET` and an `ErrorRate`",
        ),
        (
            "1Mbps 1 5ms 5 ns3::RateErrorModel,ErrorRate=0.5",
            "5: only errors of whole packets are known: `ErrorUnit=ERROR_UNIT_PACKET` (ns-3's default is bytes)",
        ),
        (
            "1Mbps 1 5ms 5 ns3::RateErrorModel,ErrorUnit=ERROR_UNIT_PACKET,ErrorRate=5",
            "5: this error model needs an `ErrorRate` from 0 to 1",
        ),
    ] {
        if told.is_empty() {
            assert!(ndnsim(&format!("router\na x 1 2\nb x 1 2\nlink\na b {rest}\n")).is_ok());
        } else {
            assert_eq!(link(rest), told);
        }
    }
    assert_eq!(mistakes("router\na x 1 2\n", ndnsim), ["1: no line says `link`: there the links begin"]);
    assert_eq!(
        mistakes("1 @A -> <x> =a r0\nzwei @A\n3 bb\n4 @B wrong -> =b r0\n", rocketfuel_cch),
        [
            "1: `<x>` is no number of a neighbour",
            "2: expected the number of a router, found `zwei`",
            "3: this is not the line of a router: it has neither `@`, `->` nor `=`",
            "4: `wrong` has no meaning in the line of a router; such a line is `number @city [+] [bb] (neighbours) [&externals] -> <number>.. {-number}.. =address r0`",
        ]
    );
    assert_eq!(
        mistakes("a b\na b -1\na b x\n", rocketfuel_latencies),
        [
            "1: a line has a node, another node and a latency in milliseconds; here are 2 words",
            "2: expected a latency in milliseconds, found `-1`",
            "3: expected a latency in milliseconds, found `x`",
        ]
    );
}

#[test]
fn xml_that_is_no_graph_is_told() {
    let in_graph = |inner: &str| {
        format!(
            "<graphml><key id='d' for='node' attr.name='Latitude'/><key id='s' for='edge' attr.name='LinkSpeedRaw'/><key id='c' for='edge' attr.name='cost'/>\n<graph>\n{inner}\n</graph></graphml>"
        )
    };
    let two = "<node id='a'/><node id='b'/>";
    for (text, told) in [
        ("".to_string(), "1: there is no `<graph>` in this file"),
        ("<graphml>".into(), "1: the file ends within `<graphml>`"),
        (
            "<graphml></graph>".into(),
            "1: this is not valid XML: ill-formed document: expected `</graphml>`, but `</graph>` was found",
        ),
        (in_graph(""), "1: there is no node in this file"),
        (in_graph(two), "1: there is no link in this file"),
        (in_graph("<node id='a'/><node id='a'/>"), "3: there are two nodes with the id `a`"),
        (in_graph("<node/>"), "3: `<node>` needs `id`"),
        (
            in_graph("<node id='n1'/><edge source='n1' target='n2'/>"),
            "3: there is no node with the id `n2`; did you mean `n1`?",
        ),
        (in_graph("<node id='a'><graph/></node>"), "3: a graph within a node cannot be read"),
        (in_graph("<hyperedge/>"), "3: an edge with more than two ends cannot be a link"),
        (in_graph("<node id='a'><data key='d'>north</data></node>"), "3: `latitude` must be a number, found `north`"),
        (in_graph("<node id='a'><data key='d'>91</data></node>"), "3: a latitude is from -90 to 90 degrees, found 91"),
        (
            in_graph(&format!("{two}<edge source='a' target='b'><data key='c'>1.5</data></edge>")),
            "3: `cost` must be a whole number, found 1.5",
        ),
        (
            in_graph(&format!("{two}<edge source='a' target='b'><data key='s'>&fast;</data></edge>")),
            "3: this reference stands for nothing that is known",
        ),
    ] {
        assert_eq!(mistakes(&text, graphml).join(" | "), told, "{text}");
    }
}

/// A network whose file says everything of every link.
fn full() -> impl Strategy<Value = Vec<(usize, usize, u64, u64, usize, u64, u32)>> {
    let link = (0usize..8, 1usize..8, 1u64..=10_000, 0u64..=1_000_000, 1usize..1000, 1u64..=65_535, 0u32..=100);
    prop::collection::vec(
        link.prop_map(|(a, d, rate, delay, queue, cost, loss)| (a, (a + d) % 8, rate, delay, queue, cost, loss)),
        1..20,
    )
}

proptest! {
    #[test]
    fn ndnsim_there_and_back(links in full()) {
        let mut text = String::from("router\n");
        for n in 0..8 {
            text += &format!("n{n} x {}.5 -{n}\n", n + 1);
        }
        text += "link\n";
        for (a, b, rate, delay, queue, cost, loss) in &links {
            text += &format!("n{a}\tn{b}\t{rate}kbps\t{cost}\t{delay}us\t{queue}\tns3::RateErrorModel,ErrorUnit=ERROR_UNIT_PACKET,ErrorRate={}\n", f64::from(*loss) / 100.0);
        }
        let graph = ndnsim(&text).unwrap();
        let mut seen: Vec<(usize, usize)> = Vec::new();
        let kept: Vec<_> = links.iter().filter(|l| {
            let new = !seen.contains(&(l.1, l.0));
            if new { seen.push((l.0, l.1)); }
            new
        }).collect();
        prop_assert_eq!(graph.links.len(), kept.len());
        for (found, (a, b, rate, delay, queue, cost, loss)) in graph.links.iter().zip(kept) {
            prop_assert_eq!(found.ends, (*a, *b));
            prop_assert_eq!(found.there, found.back);
            prop_assert_eq!(found.there.rate, Some(Rate(rate * 1000)));
            prop_assert_eq!(found.there.delay, Some(Span(delay * 1000)));
            prop_assert_eq!((found.there.queue, found.there.cost), (Some(Limit::Packets(*queue)), Some(*cost)));
            prop_assert_eq!(found.there.loss, Some(f64::from(*loss) / 100.0));
        }
        prop_assert!(graph.nodes.iter().enumerate().all(|(n, node)| node.position == Some((-(n as f64), n as f64 + 1.5))));
    }

    #[test]
    fn graphml_there_and_back(links in full()) {
        let keys = ["rate", "delay", "queue", "loss", "cost"];
        let mut text = String::from("<graphml>");
        keys.iter().for_each(|k| text += &format!("<key id='{}' for='edge' attr.name='{k}'/>", k.len()));
        text = text.replace("id='4' for='edge' attr.name='loss'", "id='l' for='edge' attr.name='loss'")
            .replace("id='4' for='edge' attr.name='cost'", "id='c' for='edge' attr.name='cost'")
            .replace("id='5' for='edge' attr.name='queue'", "id='q' for='edge' attr.name='queue'");
        text += "<graph>";
        (0..8).for_each(|n| text += &format!("<node id='{n}'/>"));
        for (a, b, rate, delay, queue, cost, loss) in &links {
            text += &format!("<edge source='{a}' target='{b}'><data key='4'>{rate}kbps</data><data key='5'>{delay}us</data><data key='q'>{queue}p</data><data key='l'>{}</data><data key='c'>{cost}</data></edge>", f64::from(*loss) / 100.0);
        }
        text += "</graph></graphml>";
        let graph = graphml(&text).unwrap();
        prop_assert_eq!(graph.links.len(), links.len());
        for (found, (a, b, rate, delay, queue, cost, loss)) in graph.links.iter().zip(&links) {
            prop_assert_eq!((found.ends, found.there), ((*a, *b), found.back));
            prop_assert_eq!((found.there.rate, found.there.delay), (Some(Rate(rate * 1000)), Some(Span(delay * 1000))));
            prop_assert_eq!((found.there.queue, found.there.cost), (Some(Limit::Packets(*queue)), Some(*cost)));
            prop_assert_eq!(found.there.loss, Some(f64::from(*loss) / 100.0));
            prop_assert!(text[found.span.clone()].starts_with("<edge"));
        }
    }

    #[test]
    fn no_text_makes_an_importer_panic(text in any::<String>(), cut in 0usize..2000, at in 0usize..2000, with in "[ -~\\n]{0,4}") {
        let all = [ndnsim, graphml, rocketfuel_cch, rocketfuel_latencies, rocketfuel_weights];
        let whole = |text: &str| all.iter().for_each(|import| match import(text) {
            Ok(graph) => {
                let names: std::collections::BTreeSet<_> = graph.nodes.iter().map(|n| &n.name).collect();
                assert_eq!(names.len(), graph.nodes.len());
                assert!(graph.links.iter().all(|l| l.ends.0 != l.ends.1 && l.ends.0.max(l.ends.1) < graph.nodes.len()));
            }
            Err(mistakes) => assert!(!mistakes.is_empty() && mistakes.iter().all(|m| text.get(..m.span.start).is_some())),
        });
        whole(&text);
        for sample in ["small.txt", "zoo.graphml", "directed.graphml", "sample.cch", "latencies.intra"] {
            let mut bytes = std::fs::read(folder().join(sample)).unwrap();
            let at = at % bytes.len();
            bytes.splice(at..at, with.bytes());
            bytes.truncate(bytes.len().min(cut.max(1)));
            whole(&String::from_utf8_lossy(&bytes));
        }
    }
}
