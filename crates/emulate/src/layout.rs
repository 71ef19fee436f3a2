//! A scenario as an emulated network: addresses of faces, routes, and which programs run where.

use std::fmt;
use std::net::Ipv4Addr;
use weir_core::{Limit, Rate, Span};
use weir_scenario::plan::{Link, Outage, Scenario, Software, Way};
use weir_scenario::routes::tables;
use weir_wire::{Mtu, Name};

/// Links that an emulated network can have: their addresses are those of 10.0.0.0/8, four for each.
const MOST_LINKS: usize = 1 << 22;

/// What the emulation needs to know of a scenario besides its parts of schemes.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// By the places of [`Topology::nodes`](weir_scenario::plan::Topology::nodes).
    pub nodes: Vec<NodeLayout>,
    /// What is published, each content once.
    pub contents: Vec<Content>,
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeLayout {
    /// Its name.
    pub name: String,
    /// The ends of its links, in the order of the file.
    pub faces: Vec<FaceLayout>,
    /// Next hops, in the order of prefixes, then by cost.
    pub routes: Vec<RouteLayout>,
    /// It has one link and is the end of a workload: in the simulator it has no forwarder. Its queue is `host_queue`.
    pub is_host: bool,
    /// Its forwarder.
    pub software: Software,
}

/// One end of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct FaceLayout {
    /// The link, and the direction that leaves this node.
    pub way: Way,
    /// This end.
    pub local: Ipv4Addr,
    /// The other end.
    pub remote: Ipv4Addr,
    /// Rate of the direction that leaves.
    pub rate: Rate,
    /// Propagation delay of that direction.
    pub delay: Span,
    /// The queue in front of it.
    pub limit: Limit,
    /// The longest frame, where the scenario has one.
    pub mtu: Option<Mtu>,
    /// It is down, and this is what becomes of packets.
    pub down: Option<Outage>,
}

/// A next hop.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteLayout {
    /// For what.
    pub prefix: Name,
    /// Place in [`NodeLayout::faces`].
    pub face: usize,
    /// Its cost.
    pub cost: u64,
    /// Propagation delay to the producer and back.
    pub round_trip: Span,
}

/// A content and where it is published.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    /// Its name, without version and segment.
    pub name: Name,
    /// Nodes that have it.
    pub producers: Vec<usize>,
    /// Segments; `None`: every content below the name is there, and none has an end.
    pub segments: Option<u64>,
    /// Bytes of a segment's payload.
    pub payload: u64,
    /// FreshnessPeriod of the Data; zero: none.
    pub freshness: Span,
}

impl NodeLayout {
    /// The end of the link over which Interests for this name leave first.
    pub fn first_face(&self, name: &Name) -> Option<&FaceLayout> {
        let matching = self.routes.iter().filter(|route| route.prefix.is_prefix_of(name));
        let longest = matching.max_by_key(|route| (route.prefix.len(), std::cmp::Reverse(route.cost)))?;
        self.faces.get(longest.face)
    }
}

/// What an emulated network cannot do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub String);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unsupported {}

impl Layout {
    /// The layout of a scenario.
    ///
    /// # Errors
    /// If the scenario has something that real programs cannot be made to do, with the nearest thing that they can.
    pub fn of(scenario: &Scenario) -> Result<Layout, Unsupported> {
        let topology = &scenario.topology;
        supported(scenario)?;
        let contents = contents(scenario)?;
        let mut nodes: Vec<NodeLayout> = (topology.nodes.iter().enumerate())
            .map(|(node, name)| NodeLayout {
                name: name.clone(),
                faces: faces(&topology.links, node),
                routes: Vec::new(),
                is_host: false,
                software: Software::Weir,
            })
            .collect();
        for (node, software) in &scenario.software {
            nodes[*node].software = *software;
        }
        shorten_frames(&topology.links, &mut nodes);
        for workload in &scenario.workloads {
            for end in workload.producers.iter().chain([&workload.consumer]) {
                nodes[*end].is_host = nodes[*end].faces.len() == 1;
            }
        }
        let known: Vec<(Name, Vec<usize>)> = contents.iter().map(|c| (c.name.clone(), c.producers.clone())).collect();
        for (prefix, routes) in tables(topology, &scenario.routing, &known) {
            for (number, node) in nodes.iter_mut().enumerate() {
                for hop in routes.of(number) {
                    let face = node.faces.iter().position(|face| face.way.link == hop.link);
                    let (prefix, cost, round_trip) = (prefix.clone(), hop.cost, routes.round_trip(topology, *hop));
                    node.routes.extend(face.map(|face| RouteLayout { prefix, face, cost, round_trip }));
                }
            }
        }
        Ok(Layout { nodes, contents })
    }
}

fn supported(scenario: &Scenario) -> Result<(), Unsupported> {
    let no = |text: String| Err(Unsupported(text));
    if scenario.topology.links.len() > MOST_LINKS {
        return no(format!("an emulated network has {MOST_LINKS} links at most"));
    }
    Ok(())
}

/// Frames on links of forwarders that do not take every length are short.
fn shorten_frames(links: &[Link], nodes: &mut [NodeLayout]) {
    for (number, link) in links.iter().enumerate() {
        if [link.a, link.b].iter().all(|end| nodes[*end].software == Software::Weir) {
            continue;
        }
        for end in [link.a, link.b] {
            for face in nodes[end].faces.iter_mut().filter(|face| face.way.link == number) {
                face.mtu = Mtu::new(crate::others::mtu(face));
            }
        }
    }
}

fn contents(scenario: &Scenario) -> Result<Vec<Content>, Unsupported> {
    let mut contents: Vec<Content> = Vec::new();
    for workload in &scenario.workloads {
        let (payload, freshness) = (workload.payload.0, workload.freshness);
        let segments = match (&workload.requests, workload.segments) {
            (Some(_), _) => None,
            (None, Some(segments)) => Some(segments),
            (None, None) => Some(endless(scenario, payload, &workload.label)?),
        };
        let (name, producers) = (workload.name.clone(), workload.producers.clone());
        let Some(known) = contents.iter_mut().find(|c| c.name == name && c.producers == producers) else {
            contents.push(Content { name, producers, segments, payload, freshness });
            continue;
        };
        if known.segments.is_some() != segments.is_some() {
            return Err(Unsupported(format!(
                "`{name}` is fetched as one content and requested as many; give one a `name`"
            )));
        }
        if known.payload != payload {
            return Err(Unsupported(format!("`{name}` has payloads of {} and of {payload} bytes", known.payload)));
        }
        known.segments = known.segments.max(segments);
    }
    Ok(contents)
}

/// Segments of a content that no consumer can come to the end of before the run does.
fn endless(scenario: &Scenario, payload: u64, label: &str) -> Result<u64, Unsupported> {
    let Some(duration) = scenario.run.duration else {
        return Err(Unsupported(format!("flow `{label}` has no end, and the run has no `duration`")));
    };
    let fastest = scenario.topology.links.iter().map(|l| l.forward.rate.0.max(l.backward.rate.0)).max().unwrap_or(0);
    let bytes = fastest as f64 / 8.0 * duration.seconds();
    Ok((bytes / payload.max(1) as f64) as u64 + 1)
}

/// The ends of the links of a node.
fn faces(links: &[Link], node: usize) -> Vec<FaceLayout> {
    let end = |link: usize, forward: bool| {
        let (plan, base) = (&links[link], 0x0a00_0000 + 4 * link as u32);
        let [a, b] = [Ipv4Addr::from(base + 1), Ipv4Addr::from(base + 2)];
        let (local, remote) = if forward { (a, b) } else { (b, a) };
        let direction = if forward { &plan.forward } else { &plan.backward };
        let way = Way { link, forward };
        FaceLayout {
            way,
            local,
            remote,
            rate: direction.rate,
            delay: direction.delay,
            limit: direction.limit,
            mtu: plan.mtu,
            down: None,
        }
    };
    let of_link = |(number, link): (usize, &Link)| {
        [(link.a == node).then(|| end(number, true)), (link.b == node).then(|| end(number, false))]
    };
    links.iter().enumerate().flat_map(of_link).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_scenario::Study;

    fn layout(text: &str) -> Result<Layout, Unsupported> {
        let study =
            Study::parse("test.toml", text, &[]).unwrap_or_else(|problems| panic!("{}", problems.render(false)));
        Layout::of(&study.points()[0].scenario)
    }

    const CHAIN: &str = r#"
[topology]
linear = { nodes = ["c", "r", "p"], rate = ["10Mbps", "100Mbps"], delay = "10ms", queue = "20p" }
[[workload]]
fetch = { segments = 3000, payload = "1000B", name = "/file" }
"#;

    #[test]
    fn a_chain_has_two_links_of_four_addresses_each() {
        let layout = layout(CHAIN).unwrap();
        let names: Vec<&str> = layout.nodes.iter().map(|node| node.name.as_str()).collect();
        assert_eq!(names, ["c", "r", "p"]);
        let ends: Vec<String> =
            layout.nodes.iter().flat_map(|n| &n.faces).map(|f| format!("{}-{}", f.local, f.remote)).collect();
        assert_eq!(ends, ["10.0.0.1-10.0.0.2", "10.0.0.2-10.0.0.1", "10.0.0.5-10.0.0.6", "10.0.0.6-10.0.0.5"]);
        assert_eq!(layout.nodes[1].faces[1].rate, Rate(100_000_000));
        assert_eq!(layout.nodes.iter().map(|node| node.is_host).collect::<Vec<_>>(), [true, false, true]);
        let routes: Vec<(usize, usize)> =
            layout.nodes.iter().map(|node| (node.routes.len(), node.routes.first().map_or(9, |r| r.face))).collect();
        assert_eq!(routes, [(1, 0), (1, 1), (0, 9)]);
        assert_eq!(layout.nodes[0].routes[0].round_trip, Span::from_millis(40), "two links, there and back");
        assert_eq!(layout.nodes[1].routes[0].round_trip, Span::from_millis(20));
        let content = &layout.contents[..];
        assert_eq!((content.len(), content[0].segments, content[0].payload), (1, Some(3000), 1000));
        assert_eq!(content[0].producers, [2]);
    }

    #[test]
    fn frames_to_other_forwarders_are_short() {
        let text = CHAIN.to_owned() + "[[node]]\nname = \"r\"\nforwarder = \"ndnd\"\n";
        let layout = layout(&text).unwrap();
        assert_eq!(layout.nodes[1].software, Software::Ndnd);
        let mtus: Vec<Option<usize>> =
            layout.nodes.iter().flat_map(|n| &n.faces).map(|f| f.mtu.map(Mtu::bytes)).collect();
        assert_eq!(mtus, [Some(crate::others::MTU); 4]);
    }

    #[test]
    fn a_fetch_without_end_has_more_than_the_links_can_carry() {
        let text = CHAIN.replace("segments = 3000, ", "") + "[run]\nduration = \"8s\"\n";
        assert_eq!(layout(&text).unwrap().contents[0].segments, Some(100_001));
    }

    #[test]
    fn what_programs_cannot_do_is_refused_by_name() {
        let both = CHAIN.replace("segments = 3000, ", "")
            + "[[workload]]\npoisson = { rate = \"100/s\", count = 5, name = \"/file\", label = \"x\", payload = \"1000B\" }\n\
               [run]\nduration = \"8s\"\n";
        let error = layout(&both).unwrap_err();
        assert!(error.0.contains("`/file`") && error.0.contains("as one content"), "{error}");
    }
}
