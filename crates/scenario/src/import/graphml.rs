//! GraphML, as the Internet Topology Zoo and NetworkX write it.

use super::{Graph, GraphLink, GraphNode, Mistake, Mistakes, Way, names};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use weir_core::{Bytes, Limit, Rate, Span};

/// Reads the graph of a GraphML file.
///
/// Of a node: `label` (or `name`) and `Latitude` and `Longitude`. Of an edge: the rate from `LinkSpeedRaw` (bit/s) or from
/// `LinkSpeed` and `LinkSpeedUnits`, and as a scenario writes them `rate`, `delay`, `queue`, `loss` and `cost`. Attributes
/// are found by their `attr.name`, upper and lower case being the same; all others are passed over.
///
/// Several edges between two nodes are parallel links. Of a directed graph two edges against each other are one link; an
/// edge alone is a link whose two directions are alike. Edges from a node to itself are left out. Graphs within nodes and
/// edges with more than two ends are refused.
///
/// # Errors
/// With what is wrong.
pub fn graphml(text: &str) -> Result<Graph, Vec<Mistake>> {
    let mut document = Document::default();
    let mut mistakes = Mistakes::default();
    // The reader would pass over a byte order mark, too, but not count it.
    let body = text.trim_start_matches('\u{feff}');
    let mark = text.len() - body.len();
    let mut reader = Reader::from_str(body);
    loop {
        let start = mark + reader.buffer_position() as usize;
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => {
                let at = mark + reader.error_position() as usize;
                let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
                let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
                mistakes.add(Mistake::new(at..end, format!("this is not valid XML: {error}")));
                break;
            }
        };
        let span = start..mark + reader.buffer_position() as usize;
        if matches!(event, Event::Eof) {
            break;
        }
        mistakes.keep(document.event(event, span));
        if mistakes.enough() {
            break;
        }
    }
    if mistakes.0.is_empty() && !document.open.is_empty() {
        let end = text.len();
        let message = format!("the file ends within `<{}>`", document.open.join("><"));
        mistakes.add(Mistake::new(end..end, message));
    }
    if mistakes.0.is_empty() && !document.graph {
        mistakes.add(Mistake::new(0..0, "there is no `<graph>` in this file"));
    }
    let graph = document.graph_of(&mut mistakes);
    mistakes.finish(graph, text)
}

/// Of what an attribute is: a node or an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    Node,
    Edge,
}

/// Values of attributes by their names in lower case, each with its place.
type Data = BTreeMap<String, (String, Range<usize>)>;

#[derive(Default)]
struct Document {
    /// Names of the elements that are open, outermost first.
    open: Vec<String>,
    /// Of each key what it is for, and its name.
    keys: BTreeMap<(Of, String), String>,
    /// What holds for nodes and edges that say nothing else.
    defaults: Vec<(Of, String, (String, Range<usize>))>,
    /// The `<key>` that is open.
    key: Vec<(Of, String)>,
    /// The `<data>` or `<default>` that is open: its key and text so far.
    value: Option<(String, String, Range<usize>)>,
    graph: bool,
    directed: bool,
    nodes: Vec<(String, Data, Range<usize>)>,
    edges: Vec<Edge>,
}

struct Edge {
    ends: [String; 2],
    directed: bool,
    data: Data,
    span: Range<usize>,
}

impl Document {
    fn event(&mut self, event: Event<'_>, span: Range<usize>) -> Result<(), Mistake> {
        match event {
            Event::Start(element) => {
                let name = element.local_name().as_ref().to_string();
                let result = self.start(&name, &element, span);
                self.open.push(name);
                return result;
            }
            Event::Empty(element) => {
                let name = element.local_name().as_ref().to_string();
                self.start(&name, &element, span)?;
                self.end(&name);
            }
            Event::End(element) => {
                self.open.pop();
                self.end(element.local_name().as_ref());
            }
            Event::Text(words) => self.text(&words.xml10_content(), &span),
            Event::CData(words) => self.text(&words.xml10_content(), &span),
            Event::GeneralRef(reference) => {
                if let Some(c) = reference.resolve_char_ref().ok().flatten() {
                    self.text(c.encode_utf8(&mut [0; 4]), &span);
                } else if let Some(known) = quick_xml::escape::resolve_predefined_entity(&reference) {
                    self.text(known, &span);
                } else {
                    return Err(Mistake::new(span, "this reference stands for nothing that is known"));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, name: &str, element: &BytesStart<'_>, span: Range<usize>) -> Result<(), Mistake> {
        let attributes = attributes(element, &span)?;
        let get = |key: &str| attributes.iter().find(|(k, _)| k == key).map(|(_, v)| v.clone());
        let need = |key: &str| get(key).ok_or_else(|| Mistake::new(span.clone(), format!("`<{name}>` needs `{key}`")));
        match name {
            "key" => {
                self.key.clear();
                let id = need("id")?;
                let all = [("node", Of::Node), ("edge", Of::Edge)];
                let of = get("for").unwrap_or_else(|| "all".into());
                for (_, of) in all.into_iter().filter(|(word, _)| of == *word || of == "all") {
                    let name = get("attr.name").unwrap_or_else(|| id.clone());
                    self.keys.insert((of, id.clone()), name.to_lowercase());
                    self.key.push((of, name.to_lowercase()));
                }
            }
            "default" if self.within("key") => self.value = Some((String::new(), String::new(), span)),
            "graph" if self.graph => {
                let message = if self.within("node") {
                    "a graph within a node cannot be read"
                } else {
                    "there is a second graph in this file"
                };
                return Err(Mistake::new(span, message));
            }
            "graph" => {
                self.graph = true;
                self.directed = get("edgedefault").as_deref() == Some("directed");
            }
            "hyperedge" => return Err(Mistake::new(span, "an edge with more than two ends cannot be a link")),
            "node" => self.nodes.push((need("id")?, Data::new(), span)),
            "edge" => {
                let ends = [need("source")?, need("target")?];
                let directed = get("directed").map_or(self.directed, |word| word == "true");
                self.edges.push(Edge { ends, directed, data: Data::new(), span });
            }
            "data" if self.within("node") || self.within("edge") => {
                self.value = Some((need("key")?, String::new(), span))
            }
            _ => {}
        }
        Ok(())
    }

    fn within(&self, name: &str) -> bool {
        self.open.last().is_some_and(|open| open == name)
    }

    fn text(&mut self, words: &str, span: &Range<usize>) {
        if let Some((_, text, place)) = &mut self.value {
            text.push_str(words);
            place.end = span.end;
        }
    }

    fn end(&mut self, name: &str) {
        if !["data", "default"].contains(&name) {
            return;
        }
        let Some((key, text, place)) = self.value.take() else { return };
        let value = (text.trim().to_string(), place);
        if name == "default" {
            self.defaults.extend(self.key.iter().map(|(of, name)| (*of, name.clone(), value.clone())));
            return;
        }
        let (of, data) = match self.open.last().map(String::as_str) {
            Some("node") => (Of::Node, self.nodes.last_mut().map(|(_, data, _)| data)),
            Some("edge") => (Of::Edge, self.edges.last_mut().map(|e| &mut e.data)),
            _ => return,
        };
        if let (Some(name), Some(data)) = (self.keys.get(&(of, key)), data) {
            data.insert(name.clone(), value);
        }
    }

    /// What the elements mean.
    fn graph_of(mut self, mistakes: &mut Mistakes) -> Graph {
        for (of, name, value) in &self.defaults {
            let nodes = self.nodes.iter_mut().map(|(_, data, _)| data).filter(|_| *of == Of::Node);
            let edges = self.edges.iter_mut().map(|e| &mut e.data).filter(|_| *of == Of::Edge);
            for data in nodes.chain(edges) {
                data.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        let mut places = BTreeMap::new();
        for (i, (id, _, span)) in self.nodes.iter().enumerate() {
            if places.insert(id.as_str(), i).is_some() {
                mistakes.add(Mistake::new(span.clone(), format!("there are two nodes with the id `{id}`")));
            }
        }
        let label = |(id, data, _): &(String, Data, Range<usize>)| {
            let label = ["label", "name"].iter().find_map(|key| data.get(*key)).map_or("", |(text, _)| text);
            // What tools write for a label that is not known.
            let label = if ["None", "?"].contains(&label) { "" } else { label };
            (label.to_string(), id.clone())
        };
        let names = names::unique(&self.nodes.iter().map(label).collect::<Vec<_>>());
        let nodes = names.into_iter().zip(&self.nodes).map(|(name, (_, data, _))| {
            let position = mistakes.keep(position(data)).flatten();
            GraphNode { name, position }
        });
        let nodes = nodes.collect();
        let links = links(&self.edges, &places, mistakes);
        Graph { nodes, links, geographic: true }
    }
}

fn attributes(element: &BytesStart<'_>, span: &Range<usize>) -> Result<Vec<(String, String)>, Mistake> {
    let wrong = |error: &dyn std::fmt::Display| Mistake::new(span.clone(), format!("this is not valid XML: {error}"));
    let mut attributes = Vec::new();
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|error| wrong(&error))?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| wrong(&error))?;
        attributes.push((attribute.key.as_ref().to_string(), value.into_owned()));
    }
    Ok(attributes)
}

/// A number, if the attribute is there and not empty.
fn number(data: &Data, key: &str) -> Result<Option<f64>, Mistake> {
    let Some((text, span)) = data.get(key).filter(|(text, _)| !text.is_empty()) else { return Ok(None) };
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(Some(number)),
        _ => Err(Mistake::new(span.clone(), format!("`{key}` must be a number, found `{text}`"))),
    }
}

fn position(data: &Data) -> Result<Option<(f64, f64)>, Mistake> {
    let (latitude, longitude) = (number(data, "latitude")?, number(data, "longitude")?);
    let bounds = [("latitude", latitude, 90.0), ("longitude", longitude, 180.0)];
    for (key, value, most) in bounds {
        if let Some(value) = value.filter(|v| v.abs() > most) {
            let span = data.get(key).map_or(0..0, |(_, span)| span.clone());
            return Err(Mistake::new(span, format!("a {key} is from -{most} to {most} degrees, found {value}")));
        }
    }
    Ok(longitude.zip(latitude))
}

fn links(edges: &[Edge], places: &BTreeMap<&str, usize>, mistakes: &mut Mistakes) -> Vec<GraphLink> {
    let mut links: Vec<GraphLink> = Vec::new();
    // Directed edges whose other direction has not come yet.
    let mut single: BTreeMap<(usize, usize), VecDeque<usize>> = BTreeMap::new();
    for edge in edges {
        let place = |id: &String| {
            places.get(id.as_str()).copied().ok_or_else(|| {
                let message = format!("there is no node with the id `{id}`");
                Mistake::unknown(edge.span.clone(), message, id, places.keys().copied())
            })
        };
        let [a, b] = edge.ends.each_ref().map(place);
        let (Some(a), Some(b)) = (mistakes.keep(a), mistakes.keep(b)) else { continue };
        let Some(way) = mistakes.keep(way(&edge.data)) else { continue };
        if a == b {
            continue;
        }
        if edge.directed {
            if let Some(link) = single.get_mut(&(b, a)).and_then(VecDeque::pop_front) {
                let there = links[link].there;
                links[link].there = there.or(way);
                links[link].back = way.or(there);
                continue;
            }
            single.entry((a, b)).or_default().push_back(links.len());
        }
        links.push(GraphLink { ends: (a, b), there: way, back: way, span: edge.span.clone() });
    }
    links
}

fn way(data: &Data) -> Result<Way, Mistake> {
    Ok(Way {
        rate: rate(data)?,
        delay: quantity::<Span>(data, "delay", "a time such as `10ms`")?,
        queue: queue(data)?,
        loss: within(data, "loss", 0.0..=1.0)?,
        cost: match within(data, "cost", 1.0..=crate::generators::MOST_COST as f64)? {
            Some(cost) if cost.fract() != 0.0 => {
                let span = data.get("cost").map_or(0..0, |(_, span)| span.clone());
                return Err(Mistake::new(span, format!("`cost` must be a whole number, found {cost}")));
            }
            cost => cost.map(|c| c as u64),
        },
    })
}

/// `rate`, or else `LinkSpeedRaw`, or else `LinkSpeed` and `LinkSpeedUnits`; speeds of 0 are not known.
fn rate(data: &Data) -> Result<Option<Rate>, Mistake> {
    if let Some(rate) = quantity::<Rate>(data, "rate", "a rate such as `10Mbps`")? {
        return Ok(Some(rate).filter(|r| r.0 > 0));
    }
    let raw = number(data, "linkspeedraw")?.filter(|r| *r > 0.0);
    let units = [("", 1.0), ("k", 1e3), ("K", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12)];
    let factor =
        data.get("linkspeedunits").and_then(|(unit, _)| units.iter().find(|(u, _)| u == unit)).map(|(_, f)| *f);
    // `LinkSpeed` is text in the Zoo, such as "<2.5": what is no number says nothing exact.
    let speed =
        data.get("linkspeed").and_then(|(text, _)| text.parse::<f64>().ok()).filter(|s| s.is_finite() && *s > 0.0);
    let rate = raw.or_else(|| Some(speed? * factor?)).map(f64::round);
    Ok(rate.filter(|r| (1.0..=1e18).contains(r)).map(|r| Rate(r as u64)))
}

fn quantity<T: std::str::FromStr<Err = String>>(data: &Data, key: &str, expected: &str) -> Result<Option<T>, Mistake> {
    let Some((text, span)) = data.get(key).filter(|(text, _)| !text.is_empty()) else { return Ok(None) };
    let wrong = |_| Mistake::new(span.clone(), format!("`{key}` must be {expected}, found `{text}`"));
    text.parse().map(Some).map_err(wrong)
}

fn queue(data: &Data) -> Result<Option<Limit>, Mistake> {
    let packets = data.get("queue").and_then(|(text, _)| text.strip_suffix('p')?.parse().ok());
    let limit = match packets {
        Some(packets) => Some(Limit::Packets(packets)),
        None => quantity::<Bytes>(data, "queue", "packets such as `64p` or a size such as `64kB`")?.map(Limit::Bytes),
    };
    if matches!(limit, Some(Limit::Packets(0) | Limit::Bytes(Bytes(0)))) {
        let span = data.get("queue").map_or(0..0, |(_, span)| span.clone());
        return Err(Mistake::new(span, "a queue of 0 could never hold a packet"));
    }
    Ok(limit)
}

fn within(data: &Data, key: &str, bounds: std::ops::RangeInclusive<f64>) -> Result<Option<f64>, Mistake> {
    let number = number(data, key)?;
    match number.filter(|n| !bounds.contains(n)) {
        Some(n) => {
            let span = data.get(key).map_or(0..0, |(_, span)| span.clone());
            Err(Mistake::new(span, format!("`{key}` must be from {} to {}, found {n}", bounds.start(), bounds.end())))
        }
        None => Ok(number),
    }
}
