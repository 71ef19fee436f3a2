//! `[[claim]]`: what a paper says, and how to measure it.

use crate::diagnostic::Diagnostic;
use crate::expr::{Measure, Type};
use crate::figures::{Frame, Words};
use crate::reader::{Read as _, TableReader, refuse};
use crate::shape::{Field, Form, Rule, Shape};
use crate::tree::{Content, Node};

/// One claim of a paper.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Short name, unique in the file.
    pub id: String,
    /// The claim in the paper's words or close to them.
    pub says: String,
    /// Where the paper says it (`where` in the file); may be empty.
    pub at: String,
    /// The author's note; may be empty.
    pub why: String,
    /// The tolerance of the parts that have none of their own, in the file's words.
    pub tolerance: Option<String>,
    /// Its numbers and statements; at least one.
    pub parts: Vec<Part>,
}

/// One number or statement of a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its name; may be empty in a claim of one part.
    pub label: String,
    /// What the paper says.
    pub expectation: Expectation,
    /// How to measure it: a number, or for [`Expectation::Holds`] a truth.
    pub measure: Measure,
}

/// What a paper says about one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expectation {
    /// It is this number, within the tolerance.
    Near {
        /// The number in the paper.
        expected: f64,
        /// How far from it still agrees.
        tolerance: Tolerance,
    },
    /// It is this or more.
    AtLeast(f64),
    /// It is this or less.
    AtMost(f64),
    /// A statement that is true or false.
    Holds,
}

/// How far a measurement may be from the number in the paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// A share of the number: 0.1 for `"10 %"`.
    Relative(f64),
    /// Percentage points: 3 for `"3 points"`.
    Points(f64),
    /// A distance in the unit of the number: 3 for `3`.
    Absolute(f64),
}

/// `[[claim]]`.
pub(crate) static SHAPE: Shape = Shape {
    about: "What a paper says, and how to find out whether it holds here. A claim of several numbers or statements has \
            a `[[claim.part]]` for each.",
    example: "[[claim]]\nid = \"1\"\nsays = \"It goes through\"\nat_least = 1\nmeasure = \"goodput\"\n",
    keys: &[
        &[
            Field::of::<String>("id", "A short name, unique in the file.").required(),
            Field::of::<String>("says", "The claim in the paper's words or close to them.").required(),
            Field::of::<String>("where", "Where the paper says it.").default("\"\""),
            Field::of::<String>("why", "How the claim was read, and the reason of the tolerance.").default("\"\""),
            Field::new("part", Form::Tables(&PART), "The numbers and statements of the claim."),
        ],
        EXPECTED,
    ],
    more: None,
    rules: &[
        Rule::Any(&["part", "expected", "at_least", "at_most", "holds"]),
        Rule::NotBoth(&["part", "expected"]),
        Rule::NotBoth(&["part", "at_least"]),
        Rule::NotBoth(&["part", "at_most"]),
        Rule::NotBoth(&["part", "holds"]),
        Rule::NotBoth(&["part", "measure"]),
        Rule::NotBoth(&["part", "label"]),
        Rule::NotBoth(&EXPECTATIONS),
        Rule::NotBoth(&["holds", "measure"]),
        Rule::Needs("expected", "tolerance"),
        Rule::Needs("expected", "measure"),
        Rule::Needs("at_least", "measure"),
        Rule::Needs("at_most", "measure"),
    ],
};

/// `[[claim.part]]`.
static PART: Shape = Shape {
    about: "One number or statement of a claim.",
    example: "[[claim]]\nid = \"1\"\nsays = \"It goes through, but not too fast\"\n\n\
              [[claim.part]]\nlabel = \"least\"\nat_least = 1\nmeasure = \"goodput\"\n\n\
              [[claim.part]]\nlabel = \"most\"\nat_most = 100\nmeasure = \"goodput\"\n",
    keys: &[EXPECTED],
    more: None,
    rules: &[
        Rule::Any(&EXPECTATIONS),
        Rule::NotBoth(&EXPECTATIONS),
        Rule::NotBoth(&["holds", "measure"]),
        Rule::Needs("expected", "measure"),
        Rule::Needs("at_least", "measure"),
        Rule::Needs("at_most", "measure"),
    ],
};

/// What a claim and a part of one have in common.
static EXPECTED: &[Field] = &[
    Field::of::<String>("label", "The part's name.").default("\"\""),
    Field::of::<f64>("expected", "The measure is this number, within the tolerance."),
    Field::of::<f64>("at_least", "The measure is this or more."),
    Field::of::<f64>("at_most", "The measure is this or less."),
    Field::new("holds", Form::Measure, "This comparison is true."),
    Field::new("measure", Form::Measure, "What is compared with the number."),
    Field::new(
        "tolerance",
        Form::Either(&[
            Form::Number(0.0, f64::INFINITY),
            Form::Pattern("^\\s*(order|[0-9.]+\\s*(%|points?)?)\\s*$", "`\"10 %\"`, `\"3 points\"` or `\"order\"`"),
        ]),
        "How far from the expected number still agrees: a share of it, percentage points (for numbers that are \
         percentages), a distance in the unit of the measure, or only the order (for `holds`).",
    )
    .otherwise("that of the claim"),
];

/// What makes an expectation.
const EXPECTATIONS: [&str; 4] = ["expected", "at_least", "at_most", "holds"];

/// A tolerance as the file gives it.
#[derive(Clone, Copy)]
enum Given<'a> {
    /// None, or one that is wrong and reported.
    Nothing {
        wrong: bool,
    },
    Distance(Tolerance),
    /// `"order"`: only which is more and which is less counts.
    Order(&'a Node),
}

/// All claims; problems are reported.
pub(crate) fn read(root: &TableReader<'_>, words: &Words<'_>) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    for table in root.tables("claim") {
        let place = table.table.get("id").map_or(table.place, |n| &n.place).clone();
        let Some(claim) = claim(table, words) else { continue };
        if claims.iter().any(|c| c.id == claim.id) {
            root.log.report(Diagnostic::at(&place, format!("there are two claims with the id `{}`", claim.id)));
        }
        claims.push(claim);
    }
    claims
}

fn claim(table: TableReader<'_>, words: &Words<'_>) -> Option<Claim> {
    let (id, says): (Option<String>, Option<String>) = (table.need("id"), table.need("says"));
    let (at, why) = (table.get_or("where", String::new()), table.get_or("why", String::new()));
    let tolerance = tolerance(&table);
    let text = table.table.get("tolerance").and_then(Node::word);
    let parts = if table.node("part").is_some() {
        refuse_loose(&table);
        let tables = table.tables("part");
        check_labels(&tables);
        let parts: Vec<_> = tables.into_iter().map(|part| read_part(part, tolerance, words)).collect();
        parts.into_iter().collect::<Option<Vec<Part>>>()
    } else {
        part(&table, tolerance, words).map(|part| vec![part])
    };
    table.finish();
    Some(Claim { id: id?, says: says?, at, why, tolerance: text, parts: parts? })
}

/// In a claim with parts, everything measured belongs to one of them.
fn refuse_loose(table: &TableReader<'_>) {
    for key in table.present(&["expected", "at_least", "at_most", "holds", "measure", "label"]) {
        let place = table.key(key).map_or(table.place, |k| &k.place);
        let problem = Diagnostic::at(place, format!("this claim has parts, so its `{key}` belongs into one of them"));
        table.log.report(problem);
    }
}

/// Parts are told apart by their labels.
fn check_labels(parts: &[TableReader<'_>]) {
    let labels: Vec<&Node> = parts.iter().filter_map(|part| part.table.get("label")).collect();
    for (i, label) in labels.iter().enumerate() {
        if let Some(first) = labels[..i].iter().find(|other| other.text() == label.text()) {
            let message = format!("two parts of this claim are called `{}`", label.word().unwrap_or_default());
            parts[0].log.report(Diagnostic::at(&label.place, message).also(&first.place, "the first one"));
        }
    }
}

fn read_part(table: TableReader<'_>, inherited: Given<'_>, words: &Words<'_>) -> Option<Part> {
    let own = match tolerance(&table) {
        Given::Nothing { wrong: false } => inherited,
        given => given,
    };
    let part = part(&table, own, words);
    table.finish();
    part
}

/// The expectation and the measure in a claim or a part of one.
fn part(table: &TableReader<'_>, tolerance: Given<'_>, words: &Words<'_>) -> Option<Part> {
    let label = table.get_or("label", String::new());
    let frame = Frame::default();
    let keys = table.present(&EXPECTATIONS);
    let measure = table.node("measure").map(|node| words.measure(node, Type::Number, &frame, table));
    match keys.as_slice() {
        [] => {
            let message = format!("`{}` needs one of `expected`, `at_least`, `at_most` and `holds`", table.title());
            table.missing(&message, "expected");
            None
        }
        ["holds"] => {
            table.exclude("holds", "measure", "a statement is its own measure");
            let measure = words.measure(table.node("holds")?, Type::Truth, &frame, table)?;
            Some(Part { label, expectation: Expectation::Holds, measure })
        }
        [key] => {
            let expectation = expectation(table, key, tolerance);
            if measure.is_none() {
                table.missing(&format!("`{}` needs a `measure` to compare `{key}` with", table.title()), "measure");
            }
            Some(Part { label, expectation: expectation?, measure: measure?? })
        }
        [first, second, ..] => {
            table.exclude(first, second, "write a part for each");
            None
        }
    }
}

fn expectation(table: &TableReader<'_>, key: &'static str, tolerance: Given<'_>) -> Option<Expectation> {
    let number = table.get::<f64>(key);
    match (key, tolerance) {
        ("at_least", _) => number.map(Expectation::AtLeast),
        ("at_most", _) => number.map(Expectation::AtMost),
        (_, Given::Distance(tolerance)) => number.map(|expected| Expectation::Near { expected, tolerance }),
        (_, Given::Order(node)) => {
            let problem =
                Diagnostic::at(&node.place, "the tolerance `order` is for statements, but here a number is expected");
            table.log.report(problem.help("use `holds` with a comparison, or a tolerance such as `\"10 %\"`"));
            None
        }
        (_, Given::Nothing { wrong: true }) => None,
        (_, Given::Nothing { wrong: false }) => {
            table.missing(
                "an `expected` number needs a `tolerance` such as `\"10 %\"`, `\"3 points\"` or a plain number",
                "tolerance",
            );
            None
        }
    }
}

fn tolerance<'a>(table: &TableReader<'a>) -> Given<'a> {
    const EXPECTED: &str = "a tolerance: `\"10 %\"`, `\"3 points\"`, `\"order\"`, or a number in the measure's unit";
    let wrong = Given::Nothing { wrong: true };
    let Some(node) = table.node("tolerance") else { return Given::Nothing { wrong: false } };
    let found = match &node.content {
        Content::Integer(_) | Content::Number(_) => f64::read(node, table.log).map(Tolerance::Absolute),
        Content::Text(text) if text.trim() == "order" => return Given::Order(node),
        Content::Text(text) => distance(text.trim()).or_else(|| {
            table.log.report(Diagnostic::at(&node.place, format!("expected {EXPECTED}, found `{text}`")));
            None
        }),
        _ => {
            refuse(node, EXPECTED, table.log);
            None
        }
    };
    let Some(tolerance) = found else { return wrong };
    if matches!(tolerance, Tolerance::Absolute(size) if size < 0.0) {
        table.log.report(Diagnostic::at(&node.place, "a tolerance cannot be negative"));
        return wrong;
    }
    Given::Distance(tolerance)
}

/// `10 %`, `3 points` or `3`.
fn distance(text: &str) -> Option<Tolerance> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let size: f64 = text[..end].parse().ok().filter(|size: &f64| size.is_finite())?;
    match text[end..].trim() {
        "" => Some(Tolerance::Absolute(size)),
        "%" => Some(Tolerance::Relative(size / 100.0)),
        "point" | "points" => Some(Tolerance::Points(size)),
        _ => None,
    }
}
