//! Who asks whom: the keys `consumer` and `producer`.

use super::Scene;
use crate::diagnostic::Diagnostic;
use crate::generators::Ground;
use crate::quantities::text;
use crate::reader::TableReader;
use crate::shape::{Field, Form};
use crate::topology::{find_node, find_nodes};
use crate::tree::{Content, Node};

/// All nodes with one link.
const LEAVES: &str = "@leaves";

/// A node, or a pattern of nodes.
const NODES: Form =
    Form::Pattern("^(@leaves|[\\p{Alphabetic}\\p{N}_.*\\-]+)$", "node, pattern such as `\"c*\"`, or `\"@leaves\"`");

/// The key of the consumers.
pub(super) const CONSUMER: Field = Field::new(
    "consumer",
    Form::Either(&[NODES, Form::List(&NODES, 1)]),
    "The node that fetches; or several, each of which does.",
)
.otherwise("the generator's consumers");

/// The key of the producers.
pub(super) const PRODUCER: Field = Field::new(
    "producer",
    Form::Either(&[Form::Word, Form::List(&Form::Word, 1)]),
    "The node that answers; or several that have the same content.",
)
.otherwise("the generator's producers");

/// Consumer and producers of one fetch, and its number if the file describes several at once.
#[derive(Clone)]
pub(super) struct Ends {
    pub(super) consumer: usize,
    pub(super) producers: Vec<usize>,
    pub(super) number: Option<usize>,
}

/// Who fetches from whom. With a generator, what the file leaves out is filled in from its pairs.
pub(super) fn read(table: &TableReader<'_>, scene: &Scene<'_>) -> Option<Vec<Ends>> {
    let (consumer, producers) = (table.node("consumer"), table.node("producer"));
    let ground = scene.ground?;
    let pairs = &ground.pairs;
    let producers = producers.map(|node| find_nodes(node, &ground.topology.nodes, table.log));
    let Some(node) = consumer else {
        let one = |consumer, producers| vec![Ends { consumer, producers, number: None }];
        let ends = match producers {
            None if pairs.len() > 1 => {
                let ends = |(&(consumer, producer), n)| Ends { consumer, producers: vec![producer], number: Some(n) };
                return Some(pairs.iter().zip(1..).map(ends).collect());
            }
            None => pairs.first().map(|(c, p)| one(*c, vec![*p])),
            Some(producers) => {
                let producers = producers?;
                pairs.iter().find(|(_, p)| producers.contains(p)).map(|(c, _)| one(*c, producers))
            }
        };
        return reach(table, ground, ends.or_else(|| incomplete(table, "consumer"))?);
    };
    let (consumers, several) = consumers(node, producers.as_ref().and_then(Option::as_deref), ground, table)?;
    let mut ends = Vec::with_capacity(consumers.len());
    for (consumer, n) in consumers.into_iter().zip(1..) {
        let own = || pairs.iter().find(|(a, _)| *a == consumer).map(|(_, b)| vec![*b]);
        let producers = match &producers {
            Some(producers) => producers.clone()?,
            None => own().or_else(|| incomplete(table, "producer"))?,
        };
        ends.push(Ends { consumer, producers, number: several.then_some(n) });
    }
    reach(table, ground, ends)
}

/// Ends of consumers that something else has named; the workload may name their producers.
pub(super) fn with_consumers(table: &TableReader<'_>, scene: &Scene<'_>, consumers: &[usize]) -> Option<Vec<Ends>> {
    let ground = scene.ground?;
    let producers = match table.node("producer") {
        Some(node) => Some(find_nodes(node, &ground.topology.nodes, table.log)?),
        None => None,
    };
    let mut ends = Vec::with_capacity(consumers.len());
    for consumer in consumers.iter().copied() {
        let own = || ground.pairs.iter().find(|(a, _)| *a == consumer).map(|(_, b)| vec![*b]);
        let producers = producers.clone().or_else(own).or_else(|| incomplete(table, "producer"))?;
        ends.push(Ends { consumer, producers, number: None });
    }
    reach(table, ground, ends)
}

/// The consumers that `node` speaks of, in the order of the file, and whether it may speak of several.
fn consumers(
    node: &Node,
    producers: Option<&[usize]>,
    ground: &Ground,
    table: &TableReader<'_>,
) -> Option<(Vec<usize>, bool)> {
    let nodes = &ground.topology.nodes;
    let mut found: Vec<usize> = Vec::new();
    for element in node.elements() {
        let word = text(element, "the name of a node, or a pattern such as `\"c*\"`", table.log)?;
        if word != LEAVES && !word.contains('*') {
            let consumer = find_node(element, nodes, table.log)?;
            if found.contains(&consumer) {
                let problem = Diagnostic::at(&element.place, format!("`{word}` is in this list twice"));
                table.log.report(problem.help("a second `[[workload]]` gives a consumer more to do"));
                return None;
            }
            found.push(consumer);
            continue;
        }
        let links = |i: usize| ground.topology.links.iter().filter(|l| l.a == i || l.b == i).count();
        let fits = |i: &usize| if word == LEAVES { links(*i) == 1 } else { matches(word, &nodes[*i]) };
        let before = found.len();
        let chosen: Vec<usize> =
            (0..nodes.len()).filter(fits).filter(|i| !producers.is_some_and(|p| p.contains(i))).collect();
        found.extend(chosen.iter().filter(|i| !found.contains(i)).copied().collect::<Vec<_>>());
        if before == found.len() && chosen.is_empty() && ground.whole {
            let what = if word == LEAVES { "has a single link".into() } else { format!("is called like `{word}`") };
            let problem = Diagnostic::at(&element.place, format!("no node other than the producer {what}"));
            let plain = word.replace('*', "");
            table.log.report(problem.suggest(&plain, nodes.iter().map(String::as_str)));
            return None;
        }
    }
    if found.is_empty() {
        if ground.whole {
            table.log.report(Diagnostic::at(&node.place, "this list has no consumers in it"));
        }
        return None;
    }
    let several =
        matches!(node.content, Content::List(_)) || node.text().is_some_and(|t| t == LEAVES || t.contains('*'));
    Some((found, several))
}

/// True if `name` is `pattern` with anything in the place of each `*`.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(start) else { return false };
    let (middle, end) = rest.rsplit_once('*').map_or(("", rest), |(middle, end)| (middle, end));
    for piece in middle.split('*') {
        match left.find(piece) {
            Some(at) => left = &left[at + piece.len()..],
            None => return false,
        }
    }
    left.ends_with(end)
}

fn incomplete<T>(table: &TableReader<'_>, key: &str) -> Option<T> {
    table.missing(&format!("`{}` needs `{key}`: the name of a node", table.title()), key);
    None
}

/// Reports a fetch that could never work.
fn reach(table: &TableReader<'_>, ground: &Ground, ends: Vec<Ends>) -> Option<Vec<Ends>> {
    let place = table.table.get("producer").or_else(|| table.table.get("consumer")).map_or(table.place, |n| &n.place);
    let name = |i: usize| &ground.topology.nodes[i];
    for (consumer, producer) in ends.iter().flat_map(|e| e.producers.iter().map(|p| (e.consumer, *p))) {
        if consumer == producer {
            let message = format!("`{}` is both consumer and producer", name(consumer));
            table.log.report(Diagnostic::at(place, message).help("a fetch goes over at least one link"));
            return None;
        }
        if ground.whole && !ground.joins(consumer, producer) {
            let message = format!("no path of links leads from `{}` to `{}`", name(consumer), name(producer));
            table.log.report(Diagnostic::at(place, message).label("this producer cannot be reached"));
            return None;
        }
    }
    Some(ends)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, name) in [
            ("c*", "c1"),
            ("c*", "c"),
            ("*", "x"),
            ("*1", "c11"),
            ("a*c", "abc"),
            ("a*b*c", "axbxc"),
            ("**", "q"),
            ("c1", "c1"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("c*", "d1"), ("*1", "c2"), ("a*a", "a"), ("a*b*c", "axc"), ("c1", "c11"), ("", "c")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
