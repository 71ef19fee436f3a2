//! Topology generators: one file each, one word in [`GENERATORS`].

mod dumbbell;
mod linear;

use crate::diagnostic::Diagnostic;
use crate::plan::{Direction, Link, Topology};
use crate::quantities::Both;
use crate::reader::TableReader;
use weir_core::{Limit, Rate, Span};

/// A kind of network that one key of `[topology]` describes.
pub(crate) struct Generator {
    /// Its key in `[topology]`.
    pub(crate) name: &'static str,
    /// Reads its table; the caller refuses unknown keys.
    pub(crate) build: fn(&TableReader<'_>) -> Option<Ground>,
}

/// All generators.
pub(crate) static GENERATORS: &[Generator] = &[linear::GENERATOR, dumbbell::GENERATOR];

/// A network, and which hosts in it belong together.
pub(crate) struct Ground {
    /// The network.
    pub(crate) topology: Topology,
    /// Consumer and producer of each fetch that does not name its own.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// False if some links are wrong and left out: good for checking names, not for more.
    pub(crate) whole: bool,
}

/// Capacity of a queue that a file says nothing about: ns-3's default.
pub(crate) const DEFAULT_QUEUE: Limit = Limit::Packets(100);

/// What a link is like, apart from its ends.
#[derive(Clone, Copy)]
pub(crate) struct LinkShape {
    pub(crate) rate: Both<Rate>,
    pub(crate) delay: Both<Span>,
    pub(crate) loss: Both<f64>,
    pub(crate) queue: Both<Limit>,
    pub(crate) cost: u64,
}

impl LinkShape {
    /// A link of this shape.
    pub(crate) fn between(&self, name: String, a: usize, b: usize) -> Link {
        let LinkShape { rate, delay, loss, queue, cost } = *self;
        let forward = Direction { rate: rate.0, delay: delay.0, loss: loss.0, limit: queue.0 };
        let backward = Direction { rate: rate.1, delay: delay.1, loss: loss.1, limit: queue.1 };
        Link { name, a, b, forward, backward, cost }
    }
}

/// Characters of a node's or link's name: those that need no quotes in a measure.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c))
}

/// Refuses names that are empty, strange or there twice.
pub(crate) fn check_names<'n>(
    what: &str,
    nodes: impl IntoIterator<Item = &'n crate::tree::Node>,
    log: &crate::diagnostic::Log,
) {
    let mut seen: Vec<(&str, &crate::tree::Node)> = Vec::new();
    for node in nodes {
        let Some(text) = node.text() else { continue };
        if !is_name(text) {
            let problem = Diagnostic::at(&node.place, format!("`{text}` cannot be the name of a {what}"));
            log.report(problem.note("names have letters, digits, `_`, `-` and `.`"));
        }
        if let Some((_, first)) = seen.iter().find(|(name, _)| *name == text) {
            let problem = Diagnostic::at(&node.place, format!("there are two {what}s called `{text}`"));
            log.report(problem.also(&first.place, "the first one"));
        }
        seen.push((text, node));
    }
}
