//! `[routing]`: how Interests find the producers.

use crate::diagnostic::{Diagnostic, list};
use crate::generators::{Ground, MOST_COST};
use crate::plan::{Routing, StaticRoute, Topology};
use crate::reader::TableReader;
use crate::shape::{Field, Form, Rule, Shape};
use crate::topology::find_node;
use crate::tree::Node;
use weir_wire::Name;

const KINDS: [&str; 6] = ["shortest", "k-shortest", "downhill", "loop-free", "all", "explicit"];

/// More paths than this are surely a mistake: finding them takes longer with each.
const MOST_PATHS: u64 = 1000;

/// What `routing` can be. A word stands for a table with that `kind`.
pub(crate) const FORM: Form =
    Form::Either(&[Form::Words(&[KINDS[0], KINDS[2], KINDS[3], KINDS[4]]), Form::Table(&SHAPE)]);

/// `[routing]`.
static SHAPE: Shape = Shape {
    about: "How Interests find the producers. A word alone stands for a table with that `kind`.",
    example: "[routing]\nkind = \"k-shortest\"\nk = 2\n",
    keys: &[&[
        Field::new("kind", Form::Words(&KINDS), "Which paths are found, or `\"explicit\"` for routes that are given.")
            .required(),
        Field::new("k", Form::Whole(1, MOST_PATHS), "How many paths; for `\"k-shortest\"`, which needs it."),
        Field::new("route", Form::Tables(&ROUTE), "The routes; for `\"explicit\"`, which needs them."),
    ]],
    more: None,
    rules: &[Rule::NotBoth(&["k", "route"])],
};

/// `[[routing.route]]`.
static ROUTE: Shape = Shape {
    about: "A route that one node has.",
    example: "[routing]\nkind = \"explicit\"\n\n\
              [[routing.route]]\nnode = \"consumer\"\nprefix = \"/\"\nvia = \"r1\"\n\n\
              [[routing.route]]\nnode = \"r1\"\nprefix = \"/\"\nvia = \"producer\"\n",
    keys: &[&[
        Field::new("node", Form::Word, "The node that has the route.").required(),
        Field::of::<Name>("prefix", "Names that it is for.").required(),
        Field::new("via", Form::Word, "The neighbour or the link over which it leads.").required(),
        Field::new("cost", Form::Whole(1, MOST_COST), "Its cost.").default("1"),
    ]],
    more: None,
    rules: &[],
};

/// `[routing]`, or the default; problems are reported.
pub(crate) fn read(root: &TableReader<'_>, ground: Option<&Ground>) -> Option<Routing> {
    let Some(node) = root.node("routing") else { return Some(Routing::Shortest) };
    // `routing = "downhill"` stands for a table with that `kind`.
    if node.text().is_some() {
        let needs = |key: &str, word: &str| {
            let problem = Diagnostic::at(&node.place, format!("`{word}` needs `{key}`"));
            root.log.report(problem.help(format!("open it as a table: `[routing]` with `kind` and `{key}`")));
        };
        return match kind(node, root)? {
            word @ "k-shortest" => {
                needs("k", word);
                None
            }
            word @ "explicit" => {
                needs("route", word);
                None
            }
            word => computed(word),
        };
    }
    let table = root.table("routing")?;
    let word = table.need_node("kind", &format!("one of {}", list(KINDS))).and_then(|node| kind(node, &table));
    refuse_idle(&table, word);
    let routing = match word {
        None => None,
        Some("k-shortest") => {
            let k = table.need::<u64>("k").and(table.count("k", 1..=MOST_PATHS));
            k.map(|k| Routing::KShortest(k as usize))
        }
        Some("explicit") => explicit(&table, ground),
        Some(word) => computed(word),
    };
    table.finish();
    routing
}

fn kind<'n>(node: &'n Node, table: &TableReader<'_>) -> Option<&'n str> {
    let word = crate::quantities::text(node, &format!("one of {}", list(KINDS)), table.log)?;
    if !KINDS.contains(&word) {
        let problem = Diagnostic::at(&node.place, format!("there is no routing `{word}`"));
        table.log.report(problem.suggest(word, KINDS));
        return None;
    }
    Some(word)
}

fn computed(word: &str) -> Option<Routing> {
    match word {
        "shortest" => Some(Routing::Shortest),
        "downhill" => Some(Routing::Downhill),
        "loop-free" => Some(Routing::LoopFree),
        "all" => Some(Routing::All),
        _ => None,
    }
}

/// Refuses keys that another kind has.
fn refuse_idle(table: &TableReader<'_>, word: Option<&str>) {
    for (name, owner) in [("k", "k-shortest"), ("route", "explicit")] {
        let there = !table.present(&[name]).is_empty();
        if let (true, Some(key), Some(word)) = (there, table.key(name), word.filter(|w| *w != owner)) {
            let problem = Diagnostic::at(&key.place, format!("`{name}` means nothing to the routing `{word}`"));
            table.log.report(problem.help(format!("it belongs to `kind = \"{owner}\"`")));
        }
    }
}

/// `[[routing.route]]`.
fn explicit(table: &TableReader<'_>, ground: Option<&Ground>) -> Option<Routing> {
    let routes = table.tables("route");
    if table.key("route").is_none() {
        table.missing("`kind = \"explicit\"` needs routes: one `[[routing.route]]` for each", "route");
        return None;
    }
    let count = routes.len();
    let mut read: Vec<StaticRoute> = Vec::with_capacity(count);
    for table in routes {
        let (place, log) = (table.place, table.log);
        let Some(route) = route(table, ground.map(|g| &g.topology)) else { continue };
        let same = |r: &StaticRoute| (r.node, r.link, &r.prefix) == (route.node, route.link, &route.prefix);
        if read.iter().any(same) {
            log.report(Diagnostic::at(place, "this route is there already").help("keep the one with the right cost"));
        }
        read.push(route);
    }
    (read.len() == count).then_some(Routing::Explicit(read))
}

fn route(table: TableReader<'_>, topology: Option<&Topology>) -> Option<StaticRoute> {
    let node = table.need_node("node", "the node that has the route");
    let prefix = table.need::<Name>("prefix");
    let via = table.need_node("via", "the neighbour or the link over which it leads");
    let cost = table.count("cost", 1..=MOST_COST).unwrap_or(1);
    let log = table.log;
    table.finish();
    let topology = topology?;
    let node = find_node(node?, &topology.nodes, log)?;
    let link = via_link(via?, node, topology, log)?;
    Some(StaticRoute { node, prefix: prefix?, link, cost })
}

/// The link that `via` names: by a neighbour, if only one link leads there, or by the link's own name.
fn via_link(via: &Node, node: usize, topology: &Topology, log: &crate::diagnostic::Log) -> Option<usize> {
    let word = crate::quantities::text(via, "the name of a neighbour or of a link", log)?;
    let links = topology.links.iter().enumerate();
    let own: Vec<(usize, &str, &str)> = links
        .filter(|(_, l)| l.a == node || l.b == node)
        .map(|(i, l)| (i, l.name.as_str(), topology.nodes[if l.a == node { l.b } else { l.a }].as_str()))
        .collect();
    let to: Vec<&(usize, &str, &str)> = own.iter().filter(|(_, _, neighbour)| *neighbour == word).collect();
    let from = &topology.nodes[node];
    match to.as_slice() {
        [(link, ..)] => return Some(*link),
        [] => {
            if let Some((link, ..)) = own.iter().find(|(_, name, _)| *name == word) {
                return Some(*link);
            }
            let problem = if topology.nodes.iter().any(|n| n == word) {
                Diagnostic::at(&via.place, format!("`{from}` and `{word}` have no link"))
            } else {
                Diagnostic::at(&via.place, format!("`{from}` has no neighbour and no link `{word}`"))
            };
            log.report(problem.suggest(word, own.iter().map(|(_, _, neighbour)| *neighbour)));
        }
        several => {
            let problem = Diagnostic::at(&via.place, format!("`{from}` and `{word}` have {} links", several.len()));
            let names = list(several.iter().map(|(_, name, _)| *name));
            log.report(problem.help(format!("name the link: {names}")));
        }
    }
    None
}
