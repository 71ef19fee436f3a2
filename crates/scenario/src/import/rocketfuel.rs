//! Rocketfuel's maps of providers: routers and links (`.cch`), and the backbone's latencies and weights (`.intra`).

use super::lines::{Word, lines};
use super::{Graph, GraphLink, GraphNode, Mistake, Mistakes, Way, names};
use std::collections::{BTreeMap, BTreeSet};
use weir_core::Span;

/// Reads a map of routers. Each line is a router: a number, `@` and its city, `+` or `bb` for routers of the backbone,
/// in parentheses how many neighbours it has, `&` and how many of other networks, `->` and the numbers of its
/// neighbours in `<>` and of those of other networks in `{}`, `=` and its address, and `r` with the distance from the
/// network.
///
/// Routers of other networks (their numbers are negative) and neighbours without a line of their own are left out. Of two
/// neighbours it is enough that one knows the other. The names of the nodes are `n` and the number.
///
/// # Errors
/// With what is wrong.
pub fn rocketfuel_cch(text: &str) -> Result<Graph, Vec<Mistake>> {
    let mut mistakes = Mistakes::default();
    let mut routers: Vec<Router> = Vec::new();
    let mut places: BTreeMap<u64, usize> = BTreeMap::new();
    for line in lines(text).filter(is_data) {
        if mistakes.enough() {
            break;
        }
        let Some(Some(router)) = mistakes.keep(router(line)) else { continue };
        if places.insert(router.number, routers.len()).is_some() {
            mistakes.add(Mistake::new(line.span(), format!("there are two routers {}", router.number)));
        }
        routers.push(router);
    }
    let mut joined: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut links = Vec::new();
    for (a, router) in routers.iter().enumerate() {
        for (neighbour, span) in &router.neighbours {
            let Some(b) = places.get(neighbour).copied().filter(|b| *b != a) else { continue };
            if joined.insert((a.min(b), a.max(b))) {
                links.push(GraphLink { ends: (a, b), there: Way::default(), back: Way::default(), span: span.clone() });
            }
        }
    }
    let nodes = routers.iter().map(|r| GraphNode { name: format!("n{}", r.number), position: None }).collect();
    mistakes.finish(Graph { nodes, links, geographic: false }, text)
}

struct Router {
    number: u64,
    neighbours: Vec<(u64, std::ops::Range<usize>)>,
}

fn is_data(line: &Word<'_>) -> bool {
    !line.text.trim().is_empty() && !line.text.starts_with('#')
}

/// One line; `None` for a router of another network.
fn router(line: Word<'_>) -> Result<Option<Router>, Mistake> {
    let words = line.words();
    let Some((first, rest)) = words.split_first() else { return Ok(None) };
    let wrong = || Mistake::new(first.span(), format!("expected the number of a router, found `{}`", first.text));
    let number: i64 = first.text.parse().map_err(|_| wrong())?;
    let Ok(number) = u64::try_from(number) else { return Ok(None) };
    let mut router = Router { number, neighbours: Vec::new() };
    for word in rest {
        let inner = |open: char, close: char| word.text.strip_prefix(open).and_then(|t| t.strip_suffix(close));
        if let Some(neighbour) = inner('<', '>') {
            let wrong = |_| Mistake::new(word.span(), format!("`{}` is no number of a neighbour", word.text));
            router.neighbours.push((neighbour.parse().map_err(wrong)?, word.span()));
        } else if !(["+", "bb", "->"].contains(&word.text)
            || word.text.starts_with(['@', '&', '=', 'r'])
            || inner('{', '}').is_some()
            || inner('(', ')').is_some())
        {
            let message = format!("`{}` has no meaning in the line of a router", word.text);
            let help = "such a line is `number @city [+] [bb] (neighbours) [&externals] -> <number>.. {-number}.. =address r0`";
            return Err(Mistake::new(word.span(), message).help(help));
        }
    }
    if !rest.iter().any(|w| w.text.starts_with('=') || w.text == "->" || w.text.starts_with('@')) {
        return Err(Mistake::new(line.span(), "this is not the line of a router: it has neither `@`, `->` nor `=`"));
    }
    Ok(Some(router))
}

/// Reads latencies between cities in milliseconds: `City,+Country from City,+Country to latency` in each line.
///
/// Each line is a direction; a direction that the file leaves out is like the other one. Of several lines for one
/// direction the smallest latency counts.
///
/// # Errors
/// With what is wrong.
pub fn rocketfuel_latencies(text: &str) -> Result<Graph, Vec<Mistake>> {
    intra(text, "latency in milliseconds", |values| {
        values.iter().map(|v| Way { delay: Some(Span((v * 1e6).round() as u64)), ..Way::default() }).collect()
    })
}

/// Reads link weights: `City,+Country from City,+Country to weight` in each line; directions as in
/// [`rocketfuel_latencies`].
///
/// Weights are often fractions, costs are whole: all are multiplied by the smallest power of ten that makes them whole
/// (1000 at most; beyond that they are rounded), which changes no path.
///
/// # Errors
/// With what is wrong.
pub fn rocketfuel_weights(text: &str) -> Result<Graph, Vec<Mistake>> {
    intra(text, "weight", |values| {
        let whole = |factor: &f64| values.iter().all(|v| ((v * factor).round() - v * factor).abs() < 1e-6);
        let factor = [1.0, 10.0, 100.0].into_iter().find(whole).unwrap_or(1000.0);
        let cost = |v: &f64| Some(((v * factor).round() as u64).clamp(1, crate::generators::MOST_COST));
        values.iter().map(|v| Way { cost: cost(v), ..Way::default() }).collect()
    })
}

/// Lines of two nodes and a number; `ways` makes what they mean of all numbers.
fn intra(text: &str, what: &str, ways: impl Fn(&[f64]) -> Vec<Way>) -> Result<Graph, Vec<Mistake>> {
    let mut mistakes = Mistakes::default();
    let mut nodes: Vec<String> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    // Directions in the order of the file.
    let mut lines_read: Vec<((usize, usize), f64, std::ops::Range<usize>)> = Vec::new();
    let mut known: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for line in lines(text).filter(is_data) {
        if mistakes.enough() {
            break;
        }
        let Some((from, to, value)) = mistakes.keep(direction(line, what)) else { continue };
        let mut place = |name: &str| {
            *places.entry(name.into()).or_insert_with(|| {
                nodes.push(name.into());
                nodes.len() - 1
            })
        };
        let ends = (place(from), place(to));
        // A link of a city with itself carries nothing from one node to another.
        if ends.0 == ends.1 {
            continue;
        }
        match known.get(&ends) {
            Some(i) => lines_read[*i].1 = lines_read[*i].1.min(value),
            None => {
                known.insert(ends, lines_read.len());
                lines_read.push((ends, value, line.span()));
            }
        }
    }
    let values: Vec<f64> = lines_read.iter().map(|(_, value, _)| *value).collect();
    let ways = ways(&values);
    let mut links = Vec::new();
    for (i, ((a, b), _, span)) in lines_read.iter().enumerate() {
        let back = known.get(&(*b, *a)).copied();
        if back.is_none_or(|back| back > i) {
            let back = back.map_or(ways[i], |back| ways[back]);
            links.push(GraphLink { ends: (*a, *b), there: ways[i], back, span: span.clone() });
        }
    }
    let own: Vec<(String, String)> = nodes.iter().map(|n| (n.clone(), n.clone())).collect();
    let nodes = names::unique(&own).into_iter().map(|name| GraphNode { name, position: None }).collect();
    mistakes.finish(Graph { nodes, links, geographic: false }, text)
}

fn direction<'t>(line: Word<'t>, what: &str) -> Result<(&'t str, &'t str, f64), Mistake> {
    let words = line.words();
    let [from, to, value] = words.as_slice() else {
        let message = format!("a line has a node, another node and a {what}; here are {} words", words.len());
        return Err(Mistake::new(line.span(), message));
    };
    match value.text.parse::<f64>() {
        Ok(number) if (0.0..=1e9).contains(&number) => Ok((from.text, to.text, number)),
        _ => Err(Mistake::new(value.span(), format!("expected a {what}, found `{}`", value.text))),
    }
}
