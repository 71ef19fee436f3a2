//! What every generator promises, and hosts that are added to a network.

use proptest::prelude::*;
use std::collections::BTreeSet;
use weir_core::{Rate, Span};
use weir_scenario::Study;
use weir_scenario::layout::places;
use weir_scenario::plan::{Scenario, Topology};

/// The scenario of a file with this network, a fetch that names its ends or leaves them to the network, and nothing else.
fn scenario(topology: &str, ends: &str) -> Scenario {
    let text = format!("[[workload]]\nfetch = {{ size = \"1MB\"{ends} }}\n\n[topology]\n{topology}\n");
    let study = Study::parse("test.toml", &text, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    study.points()[0].scenario.clone()
}

fn ends(topology: &Topology) -> Vec<String> {
    topology.links.iter().map(|l| format!("{}-{}", topology.nodes[l.a], topology.nodes[l.b])).collect()
}

fn pairs(scenario: &Scenario) -> Vec<String> {
    let name = |n: usize| &scenario.topology.nodes[n];
    scenario.workloads.iter().map(|w| format!("{}<{}", name(w.consumer), name(w.producers[0]))).collect()
}

fn connected(topology: &Topology) -> bool {
    let mut seen = BTreeSet::from([0]);
    let mut open = vec![0];
    while let Some(node) = open.pop() {
        for link in &topology.links {
            let other = [(link.a, link.b), (link.b, link.a)].into_iter().find(|(from, _)| *from == node);
            if let Some((_, other)) = other.filter(|(_, other)| seen.insert(*other)) {
                open.push(other);
            }
        }
    }
    seen.len() == topology.nodes.len()
}

/// No link twice, no link from a node to itself, names that are unique and legal.
fn simple(topology: &Topology) -> bool {
    let links: BTreeSet<_> = topology.links.iter().map(|l| (l.a.min(l.b), l.a.max(l.b))).collect();
    let names: BTreeSet<_> = topology.nodes.iter().chain(topology.links.iter().map(|l| &l.name)).collect();
    links.len() == topology.links.len()
        && topology.links.iter().all(|l| l.a != l.b && !l.parallel)
        && names.len() == topology.nodes.len() + topology.links.len()
}

fn degrees(topology: &Topology) -> Vec<usize> {
    (0..topology.nodes.len()).map(|n| topology.links.iter().filter(|l| l.a == n || l.b == n).count()).collect()
}

#[test]
fn a_parking_lot_has_one_long_way_and_a_short_one_for_each_hop() {
    let lot =
        "parking_lot = { hops = 3, rate = [\"10Mbps\", \"5Mbps\", \"20Mbps\"], delay = \"10ms\", queue = \"50p\" }";
    let scenario = scenario(lot, "");
    let topology = &scenario.topology;
    assert_eq!(topology.nodes.join(" "), "c0 c1 c2 c3 r1 r2 r3 r4 p0 p1 p2 p3");
    assert_eq!(ends(topology).join(" "), "c0-r1 c1-r1 c2-r2 c3-r3 r1-r2 r2-r3 r3-r4 r4-p0 r2-p1 r3-p2 r4-p3");
    assert_eq!(pairs(&scenario), ["c0<p0", "c1<p1", "c2<p2", "c3<p3"]);
    let rate = |name: &str| topology.links.iter().find(|l| l.name == name).unwrap().forward.rate;
    assert_eq!((rate("r2-r3"), rate("c0-r1")), (Rate(5_000_000), Rate(200_000_000)), "ten times the fastest hop");
    assert!(simple(topology) && connected(topology));
}

#[test]
fn a_tree_has_its_producer_at_the_root_and_its_consumers_at_the_leaves() {
    let scenario =
        scenario("tree = { depth = 2, branching = 3, rate = [\"100Mbps\", \"10Mbps\"], delay = \"1ms\" }", "");
    let topology = &scenario.topology;
    assert_eq!(topology.nodes.join(" "), "root r1 r2 r3 c1 c2 c3 c4 c5 c6 c7 c8 c9");
    assert_eq!(ends(topology)[..5].join(" "), "r1-root r2-root r3-root c1-r1 c2-r1");
    assert_eq!(pairs(&scenario).join(" "), (1..=9).map(|i| format!("c{i}<root")).collect::<Vec<_>>().join(" "));
    assert_eq!((topology.links[0].forward.rate, topology.links[3].forward.rate), (Rate(100_000_000), Rate(10_000_000)));
    assert!(simple(topology) && connected(topology));
}

#[test]
fn abilene_has_eleven_cities_and_the_delays_of_their_distances() {
    let scenario = scenario("abilene = { rate = \"100Mbps\" }", ", consumer = \"seattle\", producer = \"new_york\"");
    let topology = &scenario.topology;
    assert_eq!((topology.nodes.len(), topology.links.len()), (11, 14));
    assert_eq!(degrees(topology).iter().max(), Some(&3));
    assert!(simple(topology) && connected(topology));
    let delay = |name: &str| topology.links.iter().find(|l| l.name == name).unwrap().forward.delay.seconds() * 1e3;
    // 1136 km from Seattle to Sunnyvale, 329 km from Washington to New York.
    assert!((delay("seattle-sunnyvale") - 5.70).abs() < 0.05, "{}", delay("seattle-sunnyvale"));
    assert!((delay("washington-new_york") - 1.65).abs() < 0.05);
    let fixed = self::scenario(
        "abilene = { rate = \"100Mbps\", delay = \"10ms\" }",
        ", consumer = \"seattle\", producer = \"new_york\"",
    );
    assert!(fixed.topology.links.iter().all(|l| l.forward.delay == Span::from_millis(10)));
}

#[test]
fn a_seed_means_one_network() {
    for generator in [
        "random_geometric = { nodes = 40, side = 100, radius = 20, rate = \"1Gbps\"",
        "barabasi_albert = { nodes = 40, links = 2, rate = \"1Gbps\", delay = \"1ms\"",
    ] {
        let of =
            |seed: &str| scenario(&format!("{generator}{seed} }}"), ", consumer = \"n1\", producer = \"n40\"").topology;
        assert_eq!(of(""), of(", seed = 1"), "the default");
        assert_ne!(ends(&of(", seed = 1")), ends(&of(", seed = 2")));
    }
}

#[test]
fn a_seed_can_be_an_axis() {
    let text = "[topology]\nbarabasi_albert = { nodes = 20, links = 2, rate = \"1Gbps\", delay = \"1ms\" }\n\
        [[workload]]\nfetch = { size = \"1MB\", consumer = \"n1\", producer = \"n20\" }\n\
        [[vary]]\nname = \"network\"\nset = \"topology.barabasi_albert.seed\"\nvalues = [1, 2, 3]\n";
    let study = Study::parse("test.toml", text, &[]).unwrap();
    let networks: BTreeSet<Vec<String>> = study.points().iter().map(|p| ends(&p.scenario.topology)).collect();
    assert_eq!(networks.len(), 3);
}

#[test]
fn new_nodes_prefer_those_with_many_links() {
    let text = "barabasi_albert = { nodes = 3000, links = 2, rate = \"1Gbps\", delay = \"1ms\", seed = 7 }";
    let degrees = degrees(&scenario(text, ", consumer = \"n1\", producer = \"n3000\"").topology);
    // Of a network whose links are drawn evenly the largest degree would be about 2 + log2(3000), say 20.
    assert!(*degrees.iter().max().unwrap() > 60, "{:?}", degrees.iter().max());
    assert_eq!(degrees.iter().min(), Some(&2));
}

#[test]
fn hosts_are_added_to_any_network() {
    let text = "abilene = { rate = \"100Mbps\" }\n\
        [[topology.hosts]]\nat = [\"seattle\", \"denver\"]\nrole = \"consumer\"\ncount = 2\nrate = \"1Gbps\"\ndelay = \"5ms\"\n\
        [[topology.hosts]]\nat = \"atlanta\"\nrole = \"producer\"\nrate = \"10Mbps\"\nqueue = \"20p\"\n\
        [[topology.hosts]]\nat = \"all\"\nname = \"x\"\nrate = \"1Gbps\"\n";
    let scenario = scenario(text, "");
    let topology = &scenario.topology;
    assert_eq!(topology.nodes[11..17].join(" "), "c1 c2 c3 c4 p1 x1");
    assert_eq!(topology.nodes.len(), 11 + 4 + 1 + 11, "hosts are not hung on hosts of other tables");
    assert_eq!(ends(topology)[14..19].join(" "), "c1-seattle c2-seattle c3-denver c4-denver atlanta-p1");
    assert_eq!(pairs(&scenario), ["c1<p1", "c2<p1", "c3<p1", "c4<p1"]);
    assert!(topology.positions.iter().all(Option::is_some) && connected(topology) && simple(topology));
}

#[test]
fn hosts_can_be_drawn_and_leaves_found() {
    let tree = "tree = { depth = 3, branching = 2, rate = \"1Gbps\", delay = \"1ms\" }\n[[topology.hosts]]\nat = \"leaves\"\nrole = \"consumer\"\nname = \"phone\"\nrate = \"1Mbps\"\nchoose = 3\n";
    let of = |seed: &str| scenario(&format!("{tree}{seed}"), "");
    let ends =
        |s: &Scenario| s.topology.links[14..].iter().map(|l| s.topology.nodes[l.b].clone()).collect::<BTreeSet<_>>();
    let (one, two) = (of(""), of("seed = 2"));
    assert_eq!(pairs(&one), ["phone1<root", "phone2<root", "phone3<root"], "the producer of the tree stays");
    assert!(ends(&one).len() == 3 && ends(&one).iter().all(|n| n.starts_with('c')));
    assert_ne!(ends(&one), ends(&two));
}

#[test]
fn parallel_links_have_names_of_their_own() {
    let link = "rate = \"1Mbps\"\ndelay = \"1ms\"\n";
    let text = format!(
        "nodes = [\"c\", \"r\", \"p\"]\n[[topology.link]]\nbetween = [\"c\", \"r\"]\n{link}\
         [[topology.link]]\nbetween = [\"r\", \"p\"]\n{link}\
         [[topology.link]]\nbetween = [\"p\", \"r\"]\nname = \"spare\"\n{link}"
    );
    let scenario = scenario(&text, ", consumer = \"c\", producer = \"p\"");
    let names: Vec<String> = scenario.topology.links.iter().flat_map(|l| scenario.topology.directions(l)).collect();
    assert_eq!(names, ["c>r", "r>c", "r-p:r>p", "r-p:p>r", "spare:p>r", "spare:r>p"]);
}

fn distinct(places: &[(f64, f64)]) -> bool {
    places.iter().enumerate().all(|(i, a)| places[..i].iter().all(|b| (a.0 - b.0).hypot(a.1 - b.1) > 1e-3))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_grid_has_the_links_of_a_grid(rows in 1usize..12, columns in 2usize..12) {
        let text = format!("grid = {{ rows = {rows}, columns = {columns}, rate = \"1Mbps\", delay = \"1ms\" }}");
        let scenario = scenario(&text, "");
        let topology = &scenario.topology;
        prop_assert_eq!(topology.nodes.len(), rows * columns);
        prop_assert_eq!(topology.links.len(), rows * (columns - 1) + columns * (rows - 1));
        prop_assert!(simple(topology) && connected(topology) && distinct(&places(topology)));
        prop_assert_eq!(pairs(&scenario), [format!("n1_1<n{rows}_{columns}")]);
    }

    #[test]
    fn a_random_geometric_network_is_connected_by_near_links(nodes in 2usize..60, radius in 1u32..150, seed in 0u64..1000) {
        let text = format!("random_geometric = {{ nodes = {nodes}, side = 100, radius = {radius}, rate = \"1Mbps\", seed = {seed} }}");
        let topology = scenario(&text, &format!(", consumer = \"n1\", producer = \"n{nodes}\"")).topology;
        prop_assert!(simple(&topology) && connected(&topology));
        let place = |n: usize| topology.positions[n].unwrap();
        let length = |a: usize, b: usize| (place(a).0 - place(b).0).hypot(place(a).1 - place(b).1);
        let linked: BTreeSet<_> = topology.links.iter().map(|l| (l.a, l.b)).collect();
        let near = (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b))).filter(|(a, b)| length(*a, *b) <= f64::from(radius));
        let near: BTreeSet<_> = near.collect();
        prop_assert!(near.is_subset(&linked));
        prop_assert!(linked.len() - near.len() < nodes, "only as many others as join the pieces");
        for link in &topology.links {
            prop_assert_eq!(link.forward.delay.0, (length(link.a, link.b) / (299_792.458 / 1.5) * 1e9).round() as u64);
        }
    }

    #[test]
    fn a_barabasi_albert_network_has_its_links(nodes in 2usize..80, links in 1usize..6, seed in 0u64..1000) {
        let links = links.min(nodes - 1);
        let text = format!("barabasi_albert = {{ nodes = {nodes}, links = {links}, rate = \"1Mbps\", delay = \"1ms\", seed = {seed} }}");
        let topology = scenario(&text, &format!(", consumer = \"n1\", producer = \"n{nodes}\"")).topology;
        prop_assert!(simple(&topology) && connected(&topology));
        prop_assert_eq!(topology.links.len(), links * (links + 1) / 2 + (nodes - links - 1) * links);
        let (first, again) = (places(&topology), places(&topology));
        prop_assert_eq!(&first, &again);
        prop_assert!(first.len() == nodes && first.iter().all(|p| p.0.is_finite() && p.1.is_finite()));
        prop_assert!(distinct(&first), "no two nodes are drawn at one place: {:?}", first);
    }
}
