//! `[[node]]`: what is said of single nodes. So far: which forwarder they have in an emulated network.

use crate::diagnostic::Diagnostic;
use crate::generators::Ground;
use crate::plan::Software;
use crate::reader::TableReader;
use crate::shape::{Field, Form, Shape};
use crate::topology::find_nodes;
use crate::tree::Node;

const FORWARDERS: [(&str, Software); 3] = [("weir", Software::Weir), ("ndnd", Software::Ndnd), ("nfd", Software::Nfd)];

/// `[[node]]`.
pub(crate) static SHAPE: Shape = Shape {
    about: "What is said of single nodes. The simulator knows one forwarder; `weir emulate` can run others at some nodes.",
    example: "[[node]]\nname = \"r1\"\nforwarder = \"ndnd\"\n",
    keys: &[&[
        Field::new("name", Form::Either(&[Form::Word, Form::List(&Form::Word, 1)]), "A node, or a list of nodes.")
            .required(),
        Field::new(
            "forwarder",
            Form::Words(&["weir", "ndnd", "nfd"]),
            "The forwarder that `weir emulate` runs there. Others than Weir's know nothing of queues, strategies and \
             recoveries of this file.",
        )
        .required(),
    ]],
    more: None,
    rules: &[],
};

/// The forwarders of nodes, each node at most once; problems are reported.
pub(crate) fn read(root: &TableReader<'_>, ground: Option<&Ground>) -> Option<Vec<(usize, Software)>> {
    let mut all: Vec<(usize, Software, &Node)> = Vec::new();
    let mut complete = true;
    for table in root.tables("node") {
        let name = table.need_node("name", "a node, or a list of nodes");
        let found = name.zip(ground).and_then(|(node, g)| find_nodes(node, &g.topology.nodes, table.log));
        let software = crate::run::word(&table, "forwarder", "no forwarder that is known here", &FORWARDERS);
        if table.key("forwarder").is_none() {
            table.missing("a `node` needs a `forwarder`: weir, ndnd or nfd", "forwarder");
        }
        let log = table.log;
        table.finish();
        let (Some(name), Some(found), Some(software)) = (name, found, software) else {
            complete = false;
            continue;
        };
        if let Some((.., first)) = all.iter().find(|(node, ..)| found.contains(node)) {
            let problem = Diagnostic::at(&name.place, "the forwarder of this node is said already");
            log.report(problem.also(&first.place, "here"));
            complete = false;
            continue;
        }
        all.extend(found.into_iter().map(|node| (node, software, name)));
    }
    complete.then(|| all.into_iter().map(|(node, software, _)| (node, software)).collect())
}
