//! Networks of other tools' files. Each format has a function from text to a [`Graph`] or to all that is wrong with the
//! text; none of them panics, whatever the text. What a graph leaves open, the scenario must say.

mod graphml;
mod lines;
mod names;
mod ndnsim;
mod ns3;
mod rocketfuel;

pub use graphml::graphml;
pub(crate) use names::free;
pub use ndnsim::ndnsim;
pub use rocketfuel::{rocketfuel_cch, rocketfuel_latencies, rocketfuel_weights};

use std::ops::Range;
use weir_core::{Limit, Rate, Span};

/// A network as a file describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// Its nodes; no two have the same name.
    pub nodes: Vec<GraphNode>,
    /// Its links, parallel ones among them; none leads from a node to itself.
    pub links: Vec<GraphLink>,
    /// Positions are longitudes and latitudes in degrees, so that distances on the Earth follow from them.
    pub geographic: bool,
}

/// A node of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphNode {
    /// What the file calls it, in characters that a name may have.
    pub name: String,
    /// To the east and to the north, if the file says.
    pub position: Option<(f64, f64)>,
}

/// A link of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphLink {
    /// Its ends, as places in [`Graph::nodes`].
    pub ends: (usize, usize),
    /// From the first end to the second.
    pub there: Way,
    /// From the second end to the first.
    pub back: Way,
    /// Where it stands: bytes of the text.
    pub span: Range<usize>,
}

/// What a file says of one direction of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Way {
    /// Bit rate.
    pub rate: Option<Rate>,
    /// Propagation delay.
    pub delay: Option<Span>,
    /// Capacity of the queue in front of it.
    pub queue: Option<Limit>,
    /// Probability that a packet is lost.
    pub loss: Option<f64>,
    /// Routing cost, at least 1.
    pub cost: Option<u64>,
}

impl Way {
    /// What this one leaves open, from the other one.
    fn or(self, other: Way) -> Way {
        Way {
            rate: self.rate.or(other.rate),
            delay: self.delay.or(other.delay),
            queue: self.queue.or(other.queue),
            loss: self.loss.or(other.loss),
            cost: self.cost.or(other.cost),
        }
    }
}

/// Something that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where: bytes of the text.
    pub span: Range<usize>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Mistake {
    fn new(span: Range<usize>, message: impl Into<String>) -> Mistake {
        Mistake { span, message: message.into(), help: None }
    }

    fn help(mut self, help: impl Into<String>) -> Mistake {
        self.help = Some(help.into());
        self
    }

    /// An unknown word, with the nearest of the known ones.
    fn unknown<'k>(
        span: Range<usize>,
        message: impl Into<String>,
        word: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) -> Mistake {
        let mistake = Mistake::new(span, message);
        match weir_core::nearest(word, known) {
            Some(near) => mistake.help(format!("did you mean `{near}`?")),
            None => mistake,
        }
    }
}

/// Larger files are surely no network: more nodes or links than a simulation can hold.
const MOST_ITEMS: usize = 1_000_000;

/// After so many mistakes the rest of a file is left unread.
const MOST_MISTAKES: usize = 20;

/// Collects the mistakes of a file.
#[derive(Default)]
struct Mistakes(Vec<Mistake>);

impl Mistakes {
    fn add(&mut self, mistake: Mistake) {
        if !self.enough() {
            self.0.push(mistake);
        }
    }

    /// The value, or `None` after taking down what is wrong.
    fn keep<T>(&mut self, result: Result<T, Mistake>) -> Option<T> {
        result.map_err(|mistake| self.add(mistake)).ok()
    }

    fn enough(&self) -> bool {
        self.0.len() >= MOST_MISTAKES
    }

    /// The graph, if nothing is wrong with it.
    fn finish(mut self, graph: Graph, text: &str) -> Result<Graph, Vec<Mistake>> {
        if self.0.is_empty() && graph.nodes.is_empty() {
            self.add(Mistake::new(0..0, "there is no node in this file"));
        } else if self.0.is_empty() && graph.links.is_empty() {
            self.add(Mistake::new(0..0, "there is no link in this file"));
        }
        if self.0.is_empty() && graph.nodes.len().max(graph.links.len()) > MOST_ITEMS {
            self.add(Mistake::new(0..0, format!("this network has more than {MOST_ITEMS} nodes or links")));
        }
        if self.0.is_empty() {
            return Ok(graph);
        }
        let end = text.len();
        self.0.iter_mut().for_each(|m| m.span = m.span.start.min(end)..m.span.end.min(end));
        self.0.sort_by_key(|m| m.span.start);
        Err(self.0)
    }
}
