//! ndnSIM's annotated topologies (`AnnotatedTopologyReader`).
//!
//! Two sections of lines with words between blanks. Everything before the line `router` is a preamble; nodes follow, one
//! in a line, up to the line `link`; then links. `#` in the first column begins a comment.

use super::lines::{Word, lines};
use super::{Graph, GraphLink, GraphNode, Mistake, Mistakes, Way, names, ns3};
use std::collections::{BTreeMap, BTreeSet};
use weir_core::Limit;

/// Latitudes nearer to zero than this mean that the node has no position.
const NO_POSITION: f64 = 0.001;

/// Reads an annotated topology.
///
/// A link that was there already in the other direction is left out, as ndnSIM does; one that was there in the same
/// direction is a parallel link.
///
/// # Errors
/// With what is wrong.
pub fn ndnsim(text: &str) -> Result<Graph, Vec<Mistake>> {
    let mut mistakes = Mistakes::default();
    let mut reader = Reader::default();
    let mut section = Section::Preamble;
    for line in lines(text) {
        if mistakes.enough() {
            break;
        }
        section = match (section, line.text.trim_end()) {
            (Section::Preamble, "router") => Section::Nodes,
            (Section::Nodes, "link") => Section::Links,
            (section, _) => {
                let read = line.text.trim().is_empty() || line.text.starts_with('#');
                match section {
                    _ if read => {}
                    Section::Preamble => {}
                    Section::Nodes => drop(mistakes.keep(reader.node(line))),
                    Section::Links => drop(mistakes.keep(reader.link(line))),
                }
                section
            }
        };
    }
    match section {
        Section::Preamble => mistakes.add(Mistake::new(0..0, "no line says `router`: there the nodes begin")),
        Section::Nodes => mistakes.add(Mistake::new(0..0, "no line says `link`: there the links begin")),
        Section::Links => {}
    }
    let own: Vec<(String, String)> = reader.nodes.iter().map(|(n, _)| (n.clone(), n.clone())).collect();
    let nodes = names::unique(&own).into_iter().zip(reader.nodes);
    let nodes = nodes.map(|(name, (_, position))| GraphNode { name, position }).collect();
    mistakes.finish(Graph { nodes, links: reader.links, geographic: false }, text)
}

#[derive(Clone, Copy)]
enum Section {
    Preamble,
    Nodes,
    Links,
}

#[derive(Default)]
struct Reader {
    nodes: Vec<(String, Option<(f64, f64)>)>,
    places: BTreeMap<String, usize>,
    links: Vec<GraphLink>,
    joined: BTreeSet<(usize, usize)>,
}

impl Reader {
    /// `name city latitude longitude [partition]`; the latitude is to the north, the longitude to the east.
    fn node(&mut self, line: Word<'_>) -> Result<(), Mistake> {
        let words = line.words();
        let [name, _, latitude, longitude, ..] = words.as_slice() else {
            let message = format!(
                "a node has a name, a city or comment, a latitude and a longitude; here are {} words",
                words.len()
            );
            return Err(Mistake::new(line.span(), message));
        };
        let number = |word: &Word<'_>| {
            let number = word.text.parse::<f64>().ok().filter(|n| n.is_finite() && n.abs() < 1e12);
            number.ok_or_else(|| {
                Mistake::new(word.span(), format!("expected a number of degrees, found `{}`", word.text))
            })
        };
        let (latitude, longitude) = (number(latitude)?, number(longitude)?);
        if self.places.insert(name.text.into(), self.nodes.len()).is_some() {
            return Err(Mistake::new(name.span(), format!("there are two nodes called `{}`", name.text)));
        }
        let position = (latitude.abs() > NO_POSITION).then_some((longitude, latitude));
        self.nodes.push((name.text.into(), position));
        Ok(())
    }

    /// `from to [bandwidth [metric [delay [queue [error]]]]]`.
    fn link(&mut self, line: Word<'_>) -> Result<(), Mistake> {
        let words = line.words();
        let [from, to, rest @ ..] = words.as_slice() else {
            return Err(Mistake::new(line.span(), "a link has two ends; here is one word"));
        };
        let (a, b) = (self.place(from)?, self.place(to)?);
        if a == b {
            return Err(Mistake::new(line.span(), "a link is between two different nodes"));
        }
        let way = Way {
            rate: rest.first().map(|w| ns3::rate(w.text).map_err(|m| Mistake::new(w.span(), m))).transpose()?,
            cost: rest.get(1).map(metric).transpose()?,
            delay: rest.get(2).map(|w| ns3::time(w.text).map_err(|m| Mistake::new(w.span(), m))).transpose()?,
            queue: rest.get(3).map(queue).transpose()?.flatten(),
            loss: rest.get(4).map(error_model).transpose()?,
        };
        if self.joined.contains(&(b, a)) {
            return Ok(());
        }
        self.joined.insert((a, b));
        self.links.push(GraphLink { ends: (a, b), there: way, back: way, span: line.span() });
        Ok(())
    }

    fn place(&self, name: &Word<'_>) -> Result<usize, Mistake> {
        self.places.get(name.text).copied().ok_or_else(|| {
            let message = format!("there is no node `{}`", name.text);
            Mistake::unknown(name.span(), message, name.text, self.places.keys().map(String::as_str))
        })
    }
}

fn metric(word: &Word<'_>) -> Result<u64, Mistake> {
    let metric = word.text.parse::<u16>().ok().filter(|m| *m > 0);
    metric.map(u64::from).ok_or_else(|| {
        Mistake::new(word.span(), format!("a metric is a whole number from 1 to {}, found `{}`", u16::MAX, word.text))
    })
}

/// A number of packets, or a class of ns-3 with its attributes. The class is left to the scheme; `None` if it says
/// nothing about its capacity.
fn queue(word: &Word<'_>) -> Result<Option<Limit>, Mistake> {
    if let Some(packets) = packets(word.text) {
        return positive(packets, word).map(Some);
    }
    let Some(attributes) = attributes(word.text) else {
        let message =
            format!("expected a number of packets or a class such as `ns3::DropTailQueue`, found `{}`", word.text);
        return Err(Mistake::new(word.span(), message));
    };
    let size = attributes.iter().find(|(name, _)| ["MaxSize", "MaxPackets", "QueueLimit"].contains(name));
    match size.map(|(_, value)| packets(value)) {
        Some(Some(packets)) => positive(packets, word).map(Some),
        Some(None) => Err(Mistake::new(word.span(), "the size of this queue is not a number of packets")),
        None => Ok(None),
    }
}

fn packets(text: &str) -> Option<usize> {
    text.strip_suffix('p').unwrap_or(text).parse().ok()
}

fn positive(packets: usize, word: &Word<'_>) -> Result<Limit, Mistake> {
    match packets {
        0 => Err(Mistake::new(word.span(), "a queue of 0 could never hold a packet")),
        n => Ok(Limit::Packets(n)),
    }
}

/// `ns3::Class,Name=value,..`.
fn attributes(text: &str) -> Option<Vec<(&str, &str)>> {
    let mut pieces = text.split(',');
    pieces.next().filter(|class| class.starts_with("ns3::"))?;
    pieces.map(|piece| piece.split_once('=')).collect()
}

/// Only errors of whole packets: what loses bytes or bits loses long packets more often than short ones.
fn error_model(word: &Word<'_>) -> Result<f64, Mistake> {
    let wrong = |message: &str| Err(Mistake::new(word.span(), message));
    let Some(attributes) = attributes(word.text).filter(|_| word.text.starts_with("ns3::RateErrorModel")) else {
        return wrong(
            "only `ns3::RateErrorModel` can be read here, with `ErrorUnit=ERROR_UNIT_PACKET` and an `ErrorRate`",
        );
    };
    let get = |name: &str| attributes.iter().find(|(n, _)| *n == name).map(|(_, value)| *value);
    if get("ErrorUnit") != Some("ERROR_UNIT_PACKET") {
        return wrong(
            "only errors of whole packets are known: `ErrorUnit=ERROR_UNIT_PACKET` (ns-3's default is bytes)",
        );
    }
    match get("ErrorRate").map(str::parse::<f64>) {
        Some(Ok(share)) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => wrong("this error model needs an `ErrorRate` from 0 to 1"),
    }
}
