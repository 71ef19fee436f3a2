//! Link directions by name: what `[[impairment]]` and `[[at]]` are about.

use crate::diagnostic::{Diagnostic, Log};
use crate::generators::Ground;
use crate::plan::Way;
use crate::quantities::text;
use crate::shape::Form;
use crate::tree::Node;
use crate::workloads::matches;

/// What a value can look like.
pub(crate) const EXPECTED: &str =
    "a link such as `\"r1-r2\"`, a direction such as `\"r1>r2\"`, a node, or a list of these";

/// The same for programs.
pub(crate) const FORM: Form = Form::Either(&[Form::Text, Form::List(&Form::Text, 1)]);

/// The directions that `node` names: of links (both), single ones, all of a node, or those that a pattern fits.
pub(crate) fn read(node: &Node, ground: &Ground, log: &Log) -> Option<Vec<Way>> {
    let mut ways: Vec<Way> = Vec::new();
    for element in node.elements() {
        let word = text(element, EXPECTED, log)?;
        let found = named(word, ground);
        if found.is_empty() && ground.whole {
            let topology = &ground.topology;
            let links = topology.links.iter().flat_map(|link| {
                let [forward, backward] = topology.directions(link);
                [link.name.clone(), forward, backward]
            });
            let known: Vec<String> = links.chain(topology.nodes.iter().cloned()).collect();
            let problem = Diagnostic::at(&element.place, format!("there is no link, direction or node `{word}`"));
            log.report(problem.suggest(word, known.iter().map(String::as_str)));
            return None;
        }
        ways.extend(found.into_iter().filter(|way| !ways.contains(way)).collect::<Vec<_>>());
    }
    if node.elements().is_empty() {
        log.report(Diagnostic::at(&node.place, "this list has no link in it"));
        return None;
    }
    Some(ways)
}

fn named(word: &str, ground: &Ground) -> Vec<Way> {
    let topology = &ground.topology;
    let both = |link| [true, false].map(|forward| Way { link, forward });
    let of = |fits: &dyn Fn(&crate::plan::Link) -> bool| -> Vec<Way> {
        topology.links.iter().enumerate().filter(|(_, link)| fits(link)).flat_map(|(i, _)| both(i)).collect()
    };
    let links = of(&|link| matches(word, &link.name));
    if !links.is_empty() {
        return links;
    }
    let directions =
        topology.links.iter().enumerate().flat_map(|(i, link)| both(i).into_iter().zip(topology.directions(link)));
    let single: Vec<Way> = directions.filter(|(_, name)| matches(word, name)).map(|(way, _)| way).collect();
    if !single.is_empty() {
        return single;
    }
    of(&|link| matches(word, &topology.nodes[link.a]) || matches(word, &topology.nodes[link.b]))
}
