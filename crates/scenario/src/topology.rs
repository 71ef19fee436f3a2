//! `[topology]`: a generator, or nodes and links one by one.

use crate::diagnostic::Diagnostic;
use crate::files::Loader;
use crate::generators::{GENERATORS, Ground, LinkShape, check_names, cost, loss, queue};
use crate::plan::{Link, Topology};
use crate::quantities::text;
use crate::reader::{Read as _, TableReader, refuse};
use crate::shape::{Field, Form, Rule, Shape};
use crate::tree::{Content, Node};
use weir_wire::Mtu;

/// `[topology]`.
pub(crate) static SHAPE: Shape = Shape {
    about: "A network comes from a generator or from another tool's file, or is given node by node. Only one of the ways \
            can be used at a time.",
    example: "[topology]\nnodes = [\"consumer\", \"producer\"]\n\n\
              [[topology.link]]\nbetween = [\"consumer\", \"producer\"]\nrate = \"10Mbps\"\ndelay = \"10ms\"\n\n\
              [[workload]]\nfetch = { consumer = \"consumer\", producer = \"producer\", size = \"5MB\" }\n",
    keys: &[&[
        Field::new("nodes", Form::List(&Form::Word, 0), "Names of the nodes."),
        Field::new("link", Form::Tables(&LINK), "The links between them."),
        Field::new("import", Form::Table(&crate::imported::SHAPE), "A network from another tool's file."),
        Field::new("hosts", Form::Tables(&crate::hosts::SHAPE), "Hosts that are added to the network."),
        Field::of::<Mtu>(
            "mtu",
            "The longest frame of all links. Longer packets cross in fragments, and queues count frames, not packets.",
        )
        .otherwise("packets of any length cross as they are"),
    ]],
    more: Some(crate::generators::keys),
    rules: &[Rule::One(&["nodes", "import"]), Rule::Needs("nodes", "link"), Rule::Needs("link", "nodes")],
};

/// `[[topology.link]]`.
static LINK: Shape = Shape {
    about: "A link between two nodes. `forward` is from the first to the second.",
    example: SHAPE.example,
    keys: &[
        &[Field::new(
            "between",
            Form::Pair(&Form::Word),
            "The two nodes. The second of two links between the same nodes needs a `name`.",
        )
        .required()],
        crate::generators::LINK,
        &[
            Field::new("name", Form::Word, "Its name in measures.").otherwise("the two nodes with `-` between"),
            Field::of::<Mtu>("mtu", "Its longest frame.").otherwise("that of `topology`"),
        ],
    ],
    more: None,
    rules: &[],
};

/// The network; problems are reported.
pub(crate) fn read(table: TableReader<'_>, files: &Loader<'_>) -> Option<Ground> {
    let names: Vec<&'static str> = GENERATORS.iter().map(|g| g.name).collect();
    let present = table.present(&names);
    let inline = table.present(&["nodes", "link"]);
    let import = table.present(&["import"]);
    let ways: Vec<&str> = present.iter().copied().chain(inline.first().copied()).chain(import).collect();
    let ground = match ways.as_slice() {
        [] => {
            let message = format!(
                "`topology` needs one of {}, or `nodes` and `[[topology.link]]`",
                crate::diagnostic::list(names.into_iter().chain(["import"]))
            );
            table.missing(&message, "nodes");
            None
        }
        ["import"] => table.table("import").and_then(|inner| crate::imported::read(inner, files)),
        [_] if present.is_empty() => self::inline(&table),
        [name] => generated(&table, name),
        [first, second, ..] => {
            let place = table.key(second).map_or(table.place, |k| &k.place);
            let problem =
                Diagnostic::at(place, format!("`{first}` and `{second}` are two descriptions of the network"));
            table.log.report(problem.help("keep one of them"));
            None
        }
    };
    let mut ground = crate::hosts::add(&table, ground);
    let mtu = table.get("mtu");
    table.finish();
    let Ground { topology, .. } = ground.as_mut()?;
    if let Some(mtu) = mtu {
        topology.links.iter_mut().filter(|link| link.mtu.is_none()).for_each(|link| link.set_mtu(mtu));
    }
    ground
}

fn generated(table: &TableReader<'_>, name: &str) -> Option<Ground> {
    let generator = GENERATORS.iter().find(|g| g.name == name)?;
    let inner = table.table(generator.name)?;
    let ground = (generator.build)(&inner);
    inner.finish();
    ground
}

fn inline(table: &TableReader<'_>) -> Option<Ground> {
    let nodes = nodes(table);
    let links = table.tables("link");
    if table.key("link").is_none() {
        table.missing("`topology` has nodes but no link: give each one a `[[topology.link]]`", "link");
    }
    let names = nodes.as_deref().unwrap_or_default();
    check_names("link", links.iter().filter_map(|l| l.table.get("name")), table.log);
    let count = links.len();
    let mut built: Vec<Link> = Vec::new();
    for reader in links {
        if let Some(link) = link(reader, names, nodes.is_some(), &built) {
            built.push(link);
        }
    }
    let whole = built.len() == count && table.key("link").is_some();
    Some(Ground::new(Topology::new(nodes?, built), vec![], whole))
}

fn nodes(table: &TableReader<'_>) -> Option<Vec<String>> {
    let node = table.need_node("nodes", "a list of names")?;
    let Content::List(list) = &node.content else {
        refuse(node, "a list of names", table.log);
        return None;
    };
    check_names("node", list, table.log);
    list.iter().map(|n| text(n, "the name of a node", table.log).map(String::from)).collect()
}

fn link(table: TableReader<'_>, nodes: &[String], nodes_known: bool, others: &[Link]) -> Option<Link> {
    let ends = ends(&table, nodes, nodes_known);
    let (rate, delay) = (table.need("rate"), table.need("delay"));
    let (loss, queue, cost) = (loss(&table, "loss"), queue(&table, "queue"), cost(&table));
    let (name, mtu): (Option<String>, Option<Mtu>) = (table.get("name"), table.get("mtu"));
    let place = table.key("between").map_or(table.place, |k| &k.place);
    let log = table.log;
    table.finish();
    let (a, b) = ends?;
    let given = name.is_some();
    if !given && others.iter().any(|l| (l.a, l.b) == (a, b) || (l.a, l.b) == (b, a)) {
        let problem = Diagnostic::at(place, format!("`{}` and `{}` have a link already", nodes[a], nodes[b]));
        log.report(problem.help("if there are to be two, give this one a `name` of its own"));
        return None;
    }
    let name = name.unwrap_or_else(|| format!("{}-{}", nodes[a], nodes[b]));
    if !given && others.iter().any(|l| l.name == name) {
        let problem = Diagnostic::at(place, format!("there are two links called `{name}`"));
        log.report(problem.help("give one of them a `name` of its own"));
    }
    let shape = LinkShape { rate: rate?, delay: delay?, loss, queue, cost };
    let mut link = shape.between(name, a, b);
    mtu.into_iter().for_each(|mtu| link.set_mtu(mtu));
    Some(link)
}

/// The two ends of a link.
fn ends(table: &TableReader<'_>, nodes: &[String], nodes_known: bool) -> Option<(usize, usize)> {
    let expected = "two nodes such as `[\"r1\", \"r2\"]`";
    let node = table.need_node("between", expected)?;
    let Content::List(list) = &node.content else {
        refuse(node, expected, table.log);
        return None;
    };
    let [a, b] = list.as_slice() else {
        table.log.report(Diagnostic::at(&node.place, format!("a link is between two nodes, not {}", list.len())));
        return None;
    };
    if !nodes_known {
        return None;
    }
    let (first, second) = (find_node(a, nodes, table.log), find_node(b, nodes, table.log));
    let ends = (first?, second?);
    if ends.0 == ends.1 {
        table.log.report(Diagnostic::at(&node.place, "a link is between two different nodes"));
        return None;
    }
    Some(ends)
}

/// The place of a node in the list, by its name; reports a name that is not there.
pub(crate) fn find_node(node: &Node, nodes: &[String], log: &crate::diagnostic::Log) -> Option<usize> {
    let name = String::read(node, log)?;
    let found = nodes.iter().position(|n| *n == name);
    if found.is_none() {
        let problem = Diagnostic::at(&node.place, format!("there is no node `{name}`"));
        log.report(problem.suggest(&name, nodes.iter().map(String::as_str)));
    }
    found
}

/// The places of one node or of several in the list.
pub(crate) fn find_nodes(node: &Node, nodes: &[String], log: &crate::diagnostic::Log) -> Option<Vec<usize>> {
    let names = node.elements();
    if names.is_empty() {
        log.report(Diagnostic::at(&node.place, "this list has no node in it"));
        return None;
    }
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        let place = find_node(name, nodes, log)?;
        if found.contains(&place) {
            log.report(Diagnostic::at(&name.place, format!("`{}` is in this list twice", nodes[place])));
            return None;
        }
        found.push(place);
    }
    Some(found)
}
