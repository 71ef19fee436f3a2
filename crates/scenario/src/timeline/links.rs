//! Links that fail and change.

use crate::diagnostic::{Diagnostic, Log, list};
use crate::generators::Ground;
use crate::plan::{Action, Outage};
use crate::quantities::{Share, text};
use crate::reader::TableReader;
use crate::shape::{Field, Form, Rule, Shape};
use crate::tree::Node;
use crate::ways;
use weir_core::{Limit, Rate, Span};

const OUTAGES: [(&str, Outage); 3] = [("wait", Outage::Wait), ("drop", Outage::Drop), ("vanish", Outage::Silent)];

/// `down` as a table.
pub(super) static DOWN: Shape = Shape {
    about: "Links that go down, and what becomes of the packets that are sent over them then.",
    example: "[[at]]\ntime = \"10s\"\ndown = { link = \"r1-producer\", packets = \"drop\" }\n",
    keys: &[&[
        Field::new("link", ways::FORM, "Links, directions such as `r1>r2`, or nodes; `*` stands for anything.")
            .required(),
        Field::new(
            "packets",
            Form::Words(&[OUTAGES[0].0, OUTAGES[1].0, OUTAGES[2].0]),
            "Packets wait in the queue, are dropped with what waits there, or vanish without the node's knowing.",
        )
        .default("\"wait\""),
    ]],
    more: None,
    rules: &[],
};

/// `link`.
pub(super) static LINK: Shape = Shape {
    about: "Links that change.",
    example: "[[at]]\ntime = \"10s\"\nlink = { name = \"r1-producer\", rate = \"5Mbps\" }\n",
    keys: &[&[
        Field::new("name", ways::FORM, "Links, directions such as `r1>r2`, or nodes; `*` stands for anything.")
            .required(),
        Field::of::<Rate>("rate", "Their new rate.").otherwise("as before"),
        Field::of::<Span>("delay", "Their new delay.").otherwise("as before"),
        Field::of::<Share>("loss", "Their new loss.").otherwise("as before"),
        Field::of::<Limit>("queue", "New capacity of the queues in front of them.").otherwise("as before"),
    ]],
    more: None,
    rules: &[Rule::Any(&["rate", "delay", "loss", "queue"])],
};

/// `down`: links, or a table with links and what becomes of the packets.
pub(super) fn down(node: &Node, ground: &Ground, log: &Log) -> Option<Action> {
    if node.table().is_none() {
        return ways::read(node, ground, log).map(|ways| Action::Down { ways, outage: Outage::Wait });
    }
    let table = TableReader::new(node, "down", &DOWN, log)?;
    let ways = table.need_node("link", ways::EXPECTED).and_then(|node| ways::read(node, ground, log));
    let outage = outage(&table);
    table.finish();
    Some(Action::Down { ways: ways?, outage: outage? })
}

fn outage(table: &TableReader<'_>) -> Option<Outage> {
    let Some(node) = table.node("packets") else { return Some(Outage::Wait) };
    let names = OUTAGES.map(|(word, _)| word);
    let word = text(node, &format!("one of {}", list(names)), table.log)?;
    let found = OUTAGES.iter().find(|(known, _)| *known == word);
    if found.is_none() {
        let problem = Diagnostic::at(&node.place, format!("packets for a link that is down cannot `{word}`"));
        table.log.report(problem.suggest(word, names));
    }
    found.map(|(_, outage)| *outage)
}

/// `link`: other properties.
pub(super) fn change(node: &Node, ground: &Ground, log: &Log) -> Option<Action> {
    let table = TableReader::new(node, "link", &LINK, log)?;
    let ways = table.need_node("name", ways::EXPECTED).and_then(|node| ways::read(node, ground, log));
    let problems = log.count();
    let (rate, delay, limit) = (table.get::<Rate>("rate"), table.get::<Span>("delay"), table.get::<Limit>("queue"));
    let loss = table.get::<Share>("loss").map(|share| share.0);
    let wrong = log.count() > problems;
    if table.present(&["rate", "delay", "loss", "queue"]).is_empty() {
        table.missing("nothing of this link changes: give it a `rate`, `delay`, `loss` or `queue`", "rate");
    }
    table.finish();
    (!wrong).then_some(Action::Link { ways: ways?, rate, delay, loss, limit })
}
