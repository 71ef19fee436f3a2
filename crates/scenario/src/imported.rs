//! `[topology.import]`: a network from another tool's file.

use crate::diagnostic::{Diagnostic, Log, Place, Source, list};
use crate::files::{Imported, Loader};
use crate::generators::{Ground, LinkShape};
use crate::geography::{Coordinates, delay};
use crate::import::{self, Graph, GraphLink, Mistake, Way};
use crate::plan::{Link, Topology};
use crate::quantities::{Both, Share};
use crate::reader::TableReader;
use crate::shape::{Field, Form, Shape};
use crate::tree::Node;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use weir_core::{Limit, Rate, Span};

/// `[topology.import]`.
pub(crate) static SHAPE: Shape = Shape {
    about: "A network from a file of ndnSIM, GraphML or Rocketfuel. Values beside the file are for links of which it says \
            nothing; what neither says is asked for. Add hosts, or name the nodes that fetch and answer.",
    example: "[topology.import]\nfile = \"core.txt\"\nrate = \"1Gbps\"\ndelay = \"5ms\"\nqueue = \"100p\"\n\n\
              [[workload]]\nfetch = { consumer = \"west\", producer = \"east\", size = \"5MB\" }\n",
    keys: &[&[
        Field::new("file", Form::Text, "The file; its path is relative to the folder of the scenario file.").required(),
        Field::new("format", Form::Words(&NAMES), "Its format.").otherwise("what its name or its text shows"),
        Field::of::<Both<Rate>>("rate", "Rate of links that have none in the file."),
        Field::of::<Both<Span>>(
            "delay",
            "Propagation delay of links that have none in the file, nor coordinates at both ends.",
        ),
        Field::of::<Both<Limit>>("queue", "Capacity of queues of which the file says nothing."),
        Field::of::<Both<Share>>("loss", "Loss of links that have none in the file.").default("0"),
        crate::generators::COST_OF_OTHERS,
        Field::new("weights", Form::Text, "With latencies of Rocketfuel: the file of the links' weights."),
    ]],
    more: None,
    rules: &[],
};

/// Names of the formats.
const NAMES: [&str; 5] = ["ndnsim", "graphml", "rocketfuel-cch", "rocketfuel-latencies", "rocketfuel-weights"];

/// A format: its name in a scenario, and how it is read.
struct Format {
    name: &'static str,
    import: fn(&str) -> Result<Graph, Vec<Mistake>>,
}

const WEIGHTS: Format = Format { name: NAMES[4], import: import::rocketfuel_weights };

static FORMATS: &[Format] = &[
    Format { name: NAMES[0], import: import::ndnsim },
    Format { name: NAMES[1], import: import::graphml },
    Format { name: NAMES[2], import: import::rocketfuel_cch },
    Format { name: NAMES[3], import: import::rocketfuel_latencies },
    WEIGHTS,
];

/// What links have that the file says nothing about.
struct Defaults {
    rate: Option<Both<Rate>>,
    delay: Option<Both<Span>>,
    queue: Option<Both<Limit>>,
    loss: Both<f64>,
    cost: Option<Both<u64>>,
}

/// The network; problems are reported.
pub(crate) fn read(table: TableReader<'_>, files: &Loader<'_>) -> Option<Ground> {
    let ground = ground(&table, files);
    table.finish();
    ground
}

fn ground(table: &TableReader<'_>, files: &Loader<'_>) -> Option<Ground> {
    let problems = table.log.count();
    let format = table.node("format").map(|node| format_named(node, table.log));
    let Both(there, back) = table.get_or("loss", Both(Share(0.0), Share(0.0)));
    let defaults = Defaults {
        rate: table.get("rate"),
        delay: table.get("delay"),
        queue: table.get("queue"),
        loss: Both(there.0, back.0),
        cost: table.table.get("cost").is_some().then(|| crate::generators::cost(table)),
    };
    table.present(&["cost"]);
    let weights = table.node("weights");
    let source = files.source(table.need_node("file", "the path of a file")?, table.log)?;
    let format = match format {
        Some(format) => format?,
        None => format_of(&source).or_else(|| {
            let message = format!("the format of `{}` shows neither in its name nor in its text", source.name);
            let place = table.table.get("file").map_or(table.place, |n| &n.place);
            let names = list(FORMATS.iter().map(|f| f.name));
            table.log.report(Diagnostic::at(place, message).help(format!("give `format`: one of {names}")));
            None
        })?,
    };
    let imported = files.graph(&source, format.name, format.import);
    let graph = graph(&imported, &source, table.log)?;
    let costs = match weights {
        Some(node) => Some(weights_of(node, format, table, files)?),
        None => None,
    };
    let links = Links { graph, source: &source, defaults: &defaults, costs: costs.as_ref() }.build(table.log);
    if table.log.count() > problems {
        return None;
    }
    let nodes = graph.nodes.iter().map(|n| n.name.clone()).collect();
    let positions = graph.nodes.iter().map(|n| n.position).collect();
    let topology = Topology { positions, ..Topology::new(nodes, links) };
    Some(Ground::new(topology, vec![], true))
}

/// The graph, or its mistakes reported.
fn graph<'i>(imported: &'i Imported, source: &Arc<Source>, log: &Log) -> Option<&'i Graph> {
    let mistakes = match &**imported {
        Ok(graph) => return Some(graph),
        Err(mistakes) => mistakes,
    };
    for mistake in mistakes {
        let place = Place { source: Arc::clone(source), span: mistake.span.clone() };
        let problem = Diagnostic::at(&place, mistake.message.clone());
        log.report(match &mistake.help {
            Some(help) => problem.help(help.clone()),
            None => problem,
        });
    }
    None
}

fn format_named(node: &Node, log: &Log) -> Option<&'static Format> {
    let names = || FORMATS.iter().map(|f| f.name);
    let word = crate::quantities::text(node, &format!("one of {}", list(names())), log)?;
    let found = FORMATS.iter().find(|f| f.name == word);
    if found.is_none() {
        let problem = Diagnostic::at(&node.place, format!("there is no format `{word}`"));
        log.report(problem.suggest(word, names()));
    }
    found
}

/// The format of a file by its name, or else by what stands in it.
fn format_of(source: &Source) -> Option<&'static Format> {
    let path = std::path::Path::new(&source.name);
    let part = |part: Option<&std::ffi::OsStr>| part.map_or(String::new(), |p| p.to_string_lossy().to_lowercase());
    let (stem, extension) = (part(path.file_stem()), part(path.extension()));
    let text = source.text.trim_start_matches('\u{feff}').trim_start();
    let has = |line: &str| text.lines().any(|l| l.trim_end() == line);
    let name = match extension.as_str() {
        "graphml" | "xml" => "graphml",
        "cch" => "rocketfuel-cch",
        "intra" if stem.contains("weight") => "rocketfuel-weights",
        "intra" if stem.contains("latenc") => "rocketfuel-latencies",
        "intra" => return None,
        _ if text.starts_with('<') => "graphml",
        _ if has("router") && has("link") => "ndnsim",
        _ => return None,
    };
    FORMATS.iter().find(|f| f.name == name)
}

/// Routing costs by the names of the two nodes.
type Costs = BTreeMap<(String, String), u64>;

/// `weights = ..`, which goes with latencies.
fn weights_of(node: &Node, format: &Format, table: &TableReader<'_>, files: &Loader<'_>) -> Option<Costs> {
    if format.name != "rocketfuel-latencies" {
        let place = table.key("weights").map_or(table.place, |k| &k.place);
        let message = format!("`weights` belong to latencies of Rocketfuel; this file is `{}`", format.name);
        table.log.report(Diagnostic::at(place, message));
        return None;
    }
    let source = files.source(node, table.log)?;
    let imported = files.graph(&source, WEIGHTS.name, WEIGHTS.import);
    let graph = graph(&imported, &source, table.log)?;
    let mut costs = Costs::new();
    for link in &graph.links {
        let name = |place: usize| graph.nodes[place].name.clone();
        let (a, b) = (name(link.ends.0), name(link.ends.1));
        costs.extend(link.there.cost.map(|cost| ((a.clone(), b.clone()), cost)));
        costs.extend(link.back.cost.map(|cost| ((b, a), cost)));
    }
    Some(costs)
}

/// Links of the plan from links of a file.
struct Links<'a> {
    graph: &'a Graph,
    source: &'a Arc<Source>,
    defaults: &'a Defaults,
    costs: Option<&'a Costs>,
}

impl Links<'_> {
    fn build(&self, log: &Log) -> Vec<Link> {
        let mut taken = BTreeSet::new();
        let mut links = Vec::with_capacity(self.graph.links.len());
        // Of each thing that is missing the first link without it, and how many there are.
        let mut missing: BTreeMap<&'static str, (&GraphLink, usize)> = BTreeMap::new();
        for link in &self.graph.links {
            match self.shape(link) {
                Ok(shape) => {
                    let name = |place: usize| &self.graph.nodes[place].name;
                    let (a, b) = link.ends;
                    let name = import::free(format!("{}-{}", name(a), name(b)), &mut taken);
                    links.push(shape.between(name, a, b));
                }
                Err(absent) => {
                    for key in absent {
                        missing.entry(key).or_insert((link, 0)).1 += 1;
                    }
                }
            }
        }
        for (key, (link, count)) in missing {
            self.report(key, link, count, log);
        }
        links
    }

    /// What a link is like, or which keys would have to say it.
    fn shape(&self, link: &GraphLink) -> Result<LinkShape, Vec<&'static str>> {
        let Defaults { rate, delay, queue, loss, cost } = self.defaults;
        let (distance, weights) = (self.distance(link), self.weights(link));
        let both = |of: fn(&Way) -> Option<u64>, default: Option<(u64, u64)>| {
            let there = of(&link.there).or(default.map(|d| d.0));
            there.zip(of(&link.back).or(default.map(|d| d.1)))
        };
        let rates = both(|w| w.rate.map(|r| r.0), rate.map(|Both(there, back)| (there.0, back.0)));
        let by_distance = distance.map(|d| (d.0, d.0));
        let delays = both(|w| w.delay.map(|d| d.0), by_distance.or(delay.map(|Both(there, back)| (there.0, back.0))));
        let costs = match (self.costs, cost) {
            (Some(_), None) => weights,
            (Some(_), Some(Both(there, back))) => weights.or(Some((*there, *back))),
            (None, cost) => both(|w| w.cost, Some(cost.map_or((1, 1), |Both(there, back)| (there, back)))),
        };
        let queues = link.there.queue.or(queue.map(|q| q.0)).zip(link.back.queue.or(queue.map(|q| q.1)));
        let loss = Both(link.there.loss.unwrap_or(loss.0), link.back.loss.unwrap_or(loss.1));
        match (rates, delays, queues, costs) {
            (Some(rate), Some(delay), Some(queue), Some(cost)) => Ok(LinkShape {
                rate: Both(Rate(rate.0), Rate(rate.1)),
                delay: Both(Span(delay.0), Span(delay.1)),
                loss,
                queue: Both(queue.0, queue.1),
                cost: Both(cost.0, cost.1),
            }),
            (rate, delay, queue, cost) => {
                let absent = [("rate", rate.is_none()), ("delay", delay.is_none())];
                let absent = absent.into_iter().chain([("queue", queue.is_none()), ("cost", cost.is_none())]);
                Err(absent.filter(|(_, absent)| *absent).map(|(key, _)| key).collect())
            }
        }
    }

    /// Delay of the way along the Earth, if the file says where both ends are.
    fn distance(&self, link: &GraphLink) -> Option<Span> {
        let at = |place: usize| {
            let (longitude, latitude) = self.graph.nodes[place].position.filter(|_| self.graph.geographic)?;
            Some(Coordinates { latitude, longitude })
        };
        Some(delay(at(link.ends.0)?, at(link.ends.1)?))
    }

    fn weights(&self, link: &GraphLink) -> Option<(u64, u64)> {
        let name = |place: usize| self.graph.nodes[place].name.clone();
        let (a, b) = (name(link.ends.0), name(link.ends.1));
        let there = self.costs?.get(&(a.clone(), b.clone())).copied();
        let back = self.costs?.get(&(b, a)).copied();
        there.or(back).zip(back.or(there))
    }

    fn report(&self, key: &str, link: &GraphLink, count: usize, log: &Log) {
        let place = Place { source: Arc::clone(self.source), span: link.span.clone() };
        let more = match count {
            1 => String::new(),
            2 => ", and another one has none either".into(),
            n => format!(", and {} others have none either", n - 1),
        };
        let unknown = |place: usize| self.graph.nodes[place].position.is_none();
        let (problem, value) = match key {
            "delay" if self.graph.geographic && (unknown(link.ends.0) || unknown(link.ends.1)) => {
                ("this link has no delay, and no distance because an end has no coordinates", "\"5ms\"")
            }
            "delay" => ("this link has no delay", "\"5ms\""),
            "rate" => ("this link has no rate", "\"1Gbps\""),
            "queue" => ("this link says nothing about its queues", "\"100p\""),
            _ => ("this link has no weight", "1"),
        };
        let problem = Diagnostic::at(&place, format!("{problem}{more}"));
        log.report(problem.help(format!("say beside `file` what such links have, such as `{key} = {value}`")));
    }
}
