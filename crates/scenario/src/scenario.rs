//! One scenario from the tree of a file.

use crate::diagnostic::Log;
use crate::files::Loader;
use crate::plan::Scenario;
use crate::reader::TableReader;
use crate::shape::{Field, Form, Shape};
use crate::tree::Node;
use crate::workloads::Scene;
use crate::{
    arenas, axes, claims, editions, feasible, figures, impairments, routing, run, scheme, software, timeline, topology,
    workloads,
};

/// The whole file.
pub(crate) static FILE: Shape = Shape {
    about: "A whole file is one study: a scenario, the axes along which it varies, figures and claims.",
    example: "",
    keys: &[&[
        Field::of::<String>("title", "Title of the study.").otherwise("the file's name"),
        Field::of::<String>("about", "Free text.").default("\"\""),
        Field::new("topology", Form::Table(&topology::SHAPE), "Nodes and links.").required(),
        Field::new("routing", routing::FORM, "How Interests find the producers.").default("\"shortest\""),
        Field::new(
            "impairment",
            Form::Tables(&impairments::SHAPE),
            "What makes links worse than rate, delay and loss.",
        ),
        Field::new("workload", Form::Tables(&workloads::SHAPE), "Who fetches what.").required(),
        Field::new("scheme", scheme::FORM, "The congestion-control schemes in use: a name or a table.")
            .default("\"icp\""),
        Field::new("node", Form::Tables(&software::SHAPE), "Which forwarder nodes have in an emulated network."),
        Field::new("tables", Form::Table(&run::TABLES), "Sizes of the routers' tables."),
        Field::new("consumer", Form::Table(&run::CONSUMER), "Rules for all consumers."),
        Field::new("run", Form::Table(&run::RUN), "Length, seeds and sampling of the runs."),
        Field::new("at", Form::Tables(&timeline::SHAPE), "What happens in the course of the run."),
        Field::new("vary", Form::Tables(&axes::SHAPE), "The axes of the study."),
        Field::new("figure", Form::Tables(&figures::SHAPE), "Figures to draw."),
        Field::new("claim", Form::Tables(&claims::SHAPE), "Claims of a paper to check."),
        Field::new(
            "compare",
            Form::Tables(&arenas::SHAPE),
            "Networks of this study on which `weir compare` lets schemes compete.",
        ),
        Field::new(
            "quick",
            editions::FORM,
            "Paths in this file and the values that they have in a quick look (`weir reproduce --quick`).",
        ),
        Field::new(
            "full",
            editions::FORM,
            "Paths in this file and the values that they have in full (`weir reproduce --full`): the size of a paper \
             that the file itself scales down.",
        ),
    ]],
    more: None,
    rules: &[],
};

/// Keys of the file that belong to the study, not to a scenario.
pub(crate) const STUDY_KEYS: [&str; 8] = ["title", "about", "vary", "figure", "claim", "compare", "quick", "full"];

/// Keys of the file that describe a scenario, and so can be varied.
pub(crate) const SCENARIO_KEYS: [&str; 10] =
    ["topology", "routing", "impairment", "workload", "at", "scheme", "node", "tables", "consumer", "run"];

/// The scenario, if all is well; problems are reported.
pub(crate) fn build(root: &Node, files: &Loader<'_>, log: &Log) -> Option<Scenario> {
    let problems = log.count();
    let table = TableReader::new(root, "", &FILE, log)?;
    table.present(&STUDY_KEYS);
    let ground = network(&table, files);
    let routing = routing::read(&table, ground.as_ref());
    let scheme = scheme::read(table.node("scheme"), log);
    let run = run::run(&table);
    let scene = Scene {
        ground: ground.as_ref(),
        scheme: scheme.as_ref(),
        ends: table.table.get("run").is_some_and(|r| r.get("duration").is_some()),
        files,
    };
    let workloads = workloads::read(&table, &scene);
    let (tables, consumer) = (run::tables(&table), run::consumer(&table));
    let impairments = impairments::read(&table, ground.as_ref());
    let software = software::read(&table, ground.as_ref());
    let timeline = timeline::read(&table, &scene, workloads.as_deref(), run.duration);
    table.finish();
    let scenario = Scenario {
        topology: ground.filter(|g| g.whole)?.topology,
        routing: routing?,
        impairments: impairments?,
        timeline: timeline?,
        workloads: workloads?,
        scheme: scheme?,
        software: software?,
        tables,
        consumer,
        run,
    };
    if log.count() == problems {
        let place = |key: &str| root.get(key).map(|node| &node.place);
        feasible::check(&scenario, place("topology").unwrap_or(&root.place), place("routing"), log);
    }
    (log.count() == problems).then_some(scenario)
}

fn network(table: &TableReader<'_>, files: &Loader<'_>) -> Option<crate::generators::Ground> {
    if table.table.get("topology").is_none() {
        table.node("topology");
        table.missing("there is no network: a scenario needs a `[topology]`", "topology");
    }
    topology::read(table.table("topology")?, files)
}
