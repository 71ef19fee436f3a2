//! `[[figure]]`: what to draw from the points.

use crate::diagnostic::{Diagnostic, Place, list};
use crate::expr::{ExprError, Measure, Places, Type, Vocabulary};
use crate::metrics::{FETCHES, METRICS, MetricInfo, RESERVED_AXES, SERIES};
use crate::reader::TableReader;
use crate::shape::{Field, Form, Shape};
use crate::study::{Axis, Point};
use crate::tree::{Content, Node};

/// One figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Short name, unique in the file.
    pub id: String,
    /// Title; may be empty.
    pub title: String,
    /// What runs along the x axis.
    pub x: FigureX,
    /// What is drawn.
    pub y: Measure,
    /// One curve (or group of bars) for each label of this axis, or for each `flow`, `link` or `node`.
    pub by: Option<String>,
    /// Labels of `by` that are drawn; empty: all.
    pub only: Vec<String>,
    /// How it is drawn.
    pub kind: FigureKind,
    /// Axes (or `flow`, `link`, `node`) held at one label.
    pub fix: Vec<(String, String)>,
    /// Text beside the x axis instead of its name.
    pub x_label: Option<String>,
    /// Text beside the y axis instead of the measure.
    pub y_label: Option<String>,
    /// Unit of the x axis.
    pub x_unit: Option<String>,
    /// Unit of the y axis instead of the metric's.
    pub y_unit: Option<String>,
}

/// What runs along the x axis of a figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FigureX {
    /// The labels of an axis.
    Axis(String),
    /// Time: `y` is made of series ([`SERIES`]).
    Time,
    /// The values of `y` over all of these; the y axis is the share of them at or below.
    Cdf(Over),
}

/// What a distribution is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Runs.
    Runs,
    /// Fetches of all runs: `y` is made of what is known of each ([`FETCHES`]).
    Fetches,
    /// Samples of all runs: `y` is made of series ([`SERIES`]).
    Time,
}

/// How a figure is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureKind {
    /// Points joined by lines.
    Line,
    /// Bars, grouped by curve.
    Bars,
    /// Steps.
    Step,
    /// A cumulative distribution.
    Cdf,
}

/// `[[figure]]`.
pub(crate) static SHAPE: Shape = Shape {
    about: "A figure. Every axis of the study with more than one label must be drawn (`x`), told apart (`by`), held \
            (`fix`), or selected or taken together in `y`. A figure over time needs `run.sample`.",
    example: "[[figure]]\nid = \"1\"\nx = \"cdf\"\ny = \"goodput\"\n",
    keys: &[&[
        Field::of::<String>("id", "A short name, unique in the file.").required(),
        Field::of::<String>("title", "The title.").default("\"\""),
        Field::of::<String>("x", "An axis; or `\"time\"` for time series; or `\"cdf\"` for the distribution of `y`.")
            .otherwise("`\"cdf\"` if that is the `kind`; otherwise it must be there"),
        Field::new(
            "over",
            Form::Words(&[OVERS[0].0, OVERS[1].0, OVERS[2].0]),
            "What a distribution is over: all runs, the fetches of all runs, or the samples of their time series.",
        )
        .default("\"run\""),
        Field::new("y", Form::Measure, "What to draw. Against time it is made of time series.").required(),
        Field::of::<String>(
            "by",
            "One curve for each label of this axis, or for each `\"flow\"`, `\"link\"` or `\"node\"`.",
        )
        .otherwise("one curve"),
        Field::new(
            "only",
            Form::List(&Form::Scalar, 1),
            "Labels of `by` that are drawn, in this order; of `\"link\"` also directions such as `r1>r2`.",
        )
        .otherwise("all of them"),
        Field::new("fix", Form::Map(&Form::Scalar), "Axes (or `flow`, `link`, `node`) that are held at one label."),
        Field::new("kind", Form::Words(&[KINDS[0].0, KINDS[1].0, KINDS[2].0, KINDS[3].0]), "How it is drawn.")
            .otherwise("`\"line\"`, or `\"cdf\"` if that is `x`"),
        Field::of::<String>("x_label", "Text beside the x axis.").otherwise("the axis"),
        Field::of::<String>("y_label", "Text beside the y axis.").otherwise("the measure"),
        Field::of::<String>("x_unit", "Unit of the x axis."),
        Field::of::<String>("y_unit", "Unit of the y axis.").otherwise("the metric's"),
    ]],
    more: None,
    rules: &[],
};

const KINDS: [(&str, FigureKind); 4] =
    [("line", FigureKind::Line), ("bars", FigureKind::Bars), ("step", FigureKind::Step), ("cdf", FigureKind::Cdf)];

const OVERS: [(&str, Over); 3] = [("run", Over::Runs), ("fetch", Over::Fetches), ("time", Over::Time)];

/// The words that figures and claims can use.
pub(crate) struct Words<'a> {
    pub(crate) axes: &'a [Axis],
    pub(crate) places: Option<&'a Places>,
    pub(crate) points: Option<&'a [Point]>,
}

impl Words<'_> {
    fn vocabulary(&self, metrics: &'static [MetricInfo]) -> Vocabulary<'_> {
        Vocabulary { metrics, axes: self.axes, places: self.places }
    }

    /// Reads the measure in `node`; problems are reported.
    pub(crate) fn measure(
        &self,
        node: &Node,
        wanted: Type,
        frame: &Frame<'_>,
        table: &TableReader<'_>,
    ) -> Option<Measure> {
        let text = crate::quantities::text(node, "a measure such as `\"goodput\"`", table.log)?;
        let report = |error: &ExprError| table.log.report(error.diagnostic(&node.place, text));
        let mut measure = Measure::parse(text).map_err(|error| report(&error)).ok()?;
        let checked = measure.check_as(wanted, &self.vocabulary(frame.metrics), &frame.bound);
        checked.map_err(|errors| errors.iter().for_each(report)).ok()?;
        if measure.is_along_time() {
            check_sampled(&node.place, table, self);
        }
        if measure.is_along_fetches() {
            check_recorded(&node.place, table, self);
        }
        Some(measure)
    }
}

/// What surrounds a measure.
pub(crate) struct Frame<'a> {
    /// Axes that have one label at a time.
    pub(crate) bound: Vec<&'a str>,
    /// What is known there: of runs, of moments or of fetches.
    pub(crate) metrics: &'static [MetricInfo],
}

impl Default for Frame<'_> {
    fn default() -> Self {
        Frame { bound: Vec::new(), metrics: METRICS }
    }
}

/// All figures; problems are reported.
pub(crate) fn read(root: &TableReader<'_>, words: &Words<'_>) -> Vec<Figure> {
    let mut figures: Vec<Figure> = Vec::new();
    for table in root.tables("figure") {
        let place = table.table.get("id").map_or(table.place, |n| &n.place).clone();
        let Some(figure) = figure(table, words) else { continue };
        if figures.iter().any(|f| f.id == figure.id) {
            root.log.report(Diagnostic::at(&place, format!("there are two figures with the id `{}`", figure.id)));
        }
        figures.push(figure);
    }
    figures
}

fn figure(table: TableReader<'_>, words: &Words<'_>) -> Option<Figure> {
    let id: Option<String> = table.need("id");
    let (kind, x, by) = (kind(&table), x(&table, words), by(&table, words));
    let fix = fix(&table, words);
    let only = only(&table, words, by.as_ref());
    let y = y(&table, words, x.as_ref(), by.as_ref(), fix.as_deref());
    let title = table.get_or("title", String::new());
    let [x_label, y_label, x_unit, y_unit] =
        ["x_label", "y_label", "x_unit", "y_unit"].map(|key| table.get::<String>(key));
    check_kind(&table, kind, x.as_ref());
    table.finish();
    let x = x?;
    let kind = kind?.unwrap_or(if matches!(x, FigureX::Cdf(_)) { FigureKind::Cdf } else { FigureKind::Line });
    Some(Figure { id: id?, title, x, y: y?, by: by?, only: only?, kind, fix: fix?, x_label, y_label, x_unit, y_unit })
}

/// The outer `None` means that it is wrong.
fn kind(table: &TableReader<'_>) -> Option<Option<FigureKind>> {
    let Some(node) = table.node("kind") else { return Some(None) };
    let names = KINDS.map(|(name, _)| name);
    let text = crate::quantities::text(node, &format!("one of {}", list(names)), table.log)?;
    let found = KINDS.iter().find(|(name, _)| *name == text);
    if found.is_none() {
        let problem = Diagnostic::at(&node.place, format!("there is no kind of figure `{text}`"));
        table.log.report(problem.suggest(text, names));
    }
    found.map(|(_, kind)| Some(*kind))
}

fn x(table: &TableReader<'_>, words: &Words<'_>) -> Option<FigureX> {
    if table.key("x").is_none() && table.table.get("kind").and_then(Node::text) == Some("cdf") {
        table.node("x");
        return over(table, words).map(FigureX::Cdf);
    }
    let node = table.need_node("x", "an axis, `\"time\"` or `\"cdf\"`")?;
    match crate::quantities::text(node, "an axis, `\"time\"` or `\"cdf\"`", table.log)? {
        "cdf" => over(table, words).map(FigureX::Cdf),
        "time" => {
            check_sampled(&node.place, table, words);
            Some(FigureX::Time)
        }
        _ => axis(node, table, words, &["time", "cdf"]).map(FigureX::Axis),
    }
}

/// What a distribution is over.
fn over(table: &TableReader<'_>, words: &Words<'_>) -> Option<Over> {
    let Some(node) = table.node("over") else { return Some(Over::Runs) };
    let names = OVERS.map(|(name, _)| name);
    let text = crate::quantities::text(node, &format!("one of {}", list(names)), table.log)?;
    let found = OVERS.iter().find(|(name, _)| *name == text).map(|(_, over)| *over);
    match found {
        None => {
            let problem = Diagnostic::at(&node.place, format!("a distribution cannot be over `{text}`"));
            table.log.report(problem.suggest(text, names));
        }
        Some(Over::Time) => check_sampled(&node.place, table, words),
        Some(Over::Fetches) => check_recorded(&node.place, table, words),
        Some(Over::Runs) => {}
    }
    found
}

/// The name of an axis of the study, or one of `others`.
fn axis(node: &Node, table: &TableReader<'_>, words: &Words<'_>, others: &[&str]) -> Option<String> {
    let name = crate::quantities::text(node, "the name of an axis", table.log)?;
    if others.contains(&name) || words.axes.iter().any(|a| a.name == name) {
        return Some(name.into());
    }
    let known = words.axes.iter().map(|a| a.name.as_str()).chain(others.iter().copied());
    table.log.report(Diagnostic::at(&node.place, format!("there is no axis `{name}`")).suggest(name, known));
    None
}

/// The outer `None` means that it is wrong.
fn by(table: &TableReader<'_>, words: &Words<'_>) -> Option<Option<String>> {
    let Some(node) = table.node("by") else { return Some(None) };
    axis(node, table, words, &RESERVED_AXES[..3]).map(Some)
}

/// What goes along time needs samples.
fn check_sampled(place: &Place, table: &TableReader<'_>, words: &Words<'_>) {
    let unsampled = |p: &Point| p.scenario.run.sample.is_none();
    if words.points.is_some_and(|points| points.iter().any(unsampled)) {
        let what = if table.table.get("x").is_some() { "a figure over time" } else { "a measure along time" };
        let problem = Diagnostic::at(place, format!("{what} needs samples, but none are taken"));
        table.log.report(problem.help("add `sample = \"100ms\"` to `[run]`"));
    }
}

/// What goes along fetches needs records of them.
fn check_recorded(place: &Place, table: &TableReader<'_>, words: &Words<'_>) {
    let unrecorded = |p: &Point| !p.scenario.run.fetches;
    if words.points.is_some_and(|points| points.iter().any(unrecorded)) {
        let problem = Diagnostic::at(place, "a measure of fetches needs records of them, but none are kept");
        table.log.report(problem.help("add `fetches = true` to `[run]`"));
    }
}

fn fix(table: &TableReader<'_>, words: &Words<'_>) -> Option<Vec<(String, String)>> {
    let Some(inner) = table.table("fix") else { return if table.key("fix").is_some() { None } else { Some(vec![]) } };
    let mut fix = Vec::new();
    let mut whole = true;
    for (key, node) in &inner.table.entries {
        match fixed(key, node, table, words) {
            Some(label) => fix.push((key.text.clone(), label)),
            None => whole = false,
        }
    }
    whole.then_some(fix)
}

/// The label at which `fix` holds one axis.
fn fixed(key: &crate::tree::Key, node: &Node, table: &TableReader<'_>, words: &Words<'_>) -> Option<String> {
    let known: Vec<&str> =
        words.axes.iter().map(|a| a.name.as_str()).chain(RESERVED_AXES[..3].iter().copied()).collect();
    if !known.contains(&&*key.text) {
        let problem = Diagnostic::at(&key.place, format!("there is no axis `{}`", key.text));
        table.log.report(problem.suggest(&key.text, known));
        return None;
    }
    let Some(label) = node.word() else {
        crate::reader::refuse(node, "one label", table.log);
        return None;
    };
    known_label(&key.text, label, node, table, words)
}

/// The label of an axis that is meant; reports one that is not there.
fn known_label(axis: &str, label: String, node: &Node, table: &TableReader<'_>, words: &Words<'_>) -> Option<String> {
    let places = words.places.map(|p| match axis {
        "flow" => vec![&p.flows],
        "link" => vec![&p.links, &p.directions],
        "node" => vec![&p.nodes],
        _ => vec![],
    });
    let labels: Vec<String> = match (words.axes.iter().find(|a| a.name == axis), places) {
        (Some(axis), _) => axis.labels.clone(),
        (None, Some(places)) => places.into_iter().flatten().cloned().collect(),
        (None, None) => return Some(label),
    };
    let found = crate::expr::find_label(&labels, &label);
    if found.is_none() {
        let problem = Diagnostic::at(&node.place, format!("`{axis}` has no label `{label}`"));
        table.log.report(problem.suggest(&label, labels.iter().map(String::as_str)));
    }
    found.map(String::from)
}

/// The labels of `by` that are drawn; `None`: they are wrong.
fn only(table: &TableReader<'_>, words: &Words<'_>, by: Option<&Option<String>>) -> Option<Vec<String>> {
    let Some(node) = table.node("only") else { return Some(vec![]) };
    let Some(by) = by? else {
        let problem = Diagnostic::at(&node.place, "`only` chooses among the labels of `by`, but there is no `by`");
        table.log.report(problem.help("say of what these are the labels, as in `by = \"link\"`"));
        return None;
    };
    let Content::List(list) = &node.content else {
        crate::reader::refuse(node, "a list of labels", table.log);
        return None;
    };
    if list.is_empty() {
        table.log.report(Diagnostic::at(&node.place, "with no label nothing would be drawn"));
        return None;
    }
    let label = |node: &Node| {
        let Some(label) = node.word() else {
            crate::reader::refuse(node, "a label", table.log);
            return None;
        };
        known_label(by, label, node, table, words)
    };
    // All of them, so that every wrong one is reported.
    let labels: Vec<Option<String>> = list.iter().map(label).collect();
    labels.into_iter().collect()
}

fn y(
    table: &TableReader<'_>,
    words: &Words<'_>,
    x: Option<&FigureX>,
    by: Option<&Option<String>>,
    fix: Option<&[(String, String)]>,
) -> Option<Measure> {
    let node = table.need_node("y", "a measure such as `\"goodput\"`")?;
    // If the frame is wrong, what is left open in the measure would be reported for nothing.
    let (x, by, fix) = (x?, by?, fix?);
    let mut bound: Vec<&str> = fix.iter().map(|(axis, _)| axis.as_str()).chain(by.as_deref()).collect();
    if let FigureX::Axis(axis) = x {
        bound.push(axis);
    }
    check_bound(&bound, table);
    let metrics = match x {
        FigureX::Time | FigureX::Cdf(Over::Time) => SERIES,
        FigureX::Cdf(Over::Fetches) => FETCHES,
        FigureX::Axis(_) | FigureX::Cdf(Over::Runs) => METRICS,
    };
    let measure = words.measure(node, Type::Number, &Frame { bound: bound.clone(), metrics }, table)?;
    check_scopes(&measure, &bound, metrics, node, table);
    Some(measure)
}

/// An axis has one part in a figure.
fn check_bound(bound: &[&str], table: &TableReader<'_>) {
    for (i, axis) in bound.iter().enumerate() {
        if bound[..i].contains(axis) {
            let message = format!("`{axis}` has two parts in this figure: an axis can be one of `x`, `by` and `fix`");
            table.log.report(Diagnostic::at(table.place, message));
        }
    }
}

/// A figure by flow needs something that is measured for each flow.
fn check_scopes(measure: &Measure, bound: &[&str], known: &[MetricInfo], node: &Node, table: &TableReader<'_>) {
    let scopes: Vec<&str> =
        measure.metrics().iter().filter_map(|name| known.iter().find(|m| m.name == *name)?.scope.axis()).collect();
    for scope in bound.iter().filter(|axis| RESERVED_AXES[..3].contains(axis) && !scopes.contains(axis)) {
        let problem = Diagnostic::at(&node.place, format!("nothing in this measure is measured for each {scope}"));
        table.log.report(problem.label(format!("but `{scope}` is an axis of this figure")));
    }
}

/// `kind = "cdf"` and `x = "cdf"` go together.
fn check_kind(table: &TableReader<'_>, kind: Option<Option<FigureKind>>, x: Option<&FigureX>) {
    if let (Some(key), Some(FigureX::Axis(_) | FigureX::Time)) = (table.key("over"), x) {
        let problem = Diagnostic::at(&key.place, "`over` is for distributions");
        table.node("over");
        table.log.report(problem.help("write `x = \"cdf\"`, or leave it out"));
    }
    let (Some(Some(kind)), Some(x)) = (kind, x) else { return };
    if (kind == FigureKind::Cdf) != matches!(x, FigureX::Cdf(_)) {
        let place = table.table.get("kind").map_or(table.place, |n| &n.place);
        let problem = Diagnostic::at(place, "`kind = \"cdf\"` and `x = \"cdf\"` go together");
        table.log.report(problem.help("leave one of the two out"));
    }
}
