//! The language of measures: arithmetic over the metrics of runs.
//!
//! ```text
//! 100 * max(alpha: 1 - completion_time[icp] / completion_time[icp, alpha=0])
//! ```
//!
//! A text is parsed ([`Measure::parse`]), then checked against the axes, flows and metrics that exist ([`Measure::check`]),
//! then evaluated as often as one likes ([`Measure::evaluate`]).

mod check;
mod evaluate;
mod lexer;
mod parser;

pub(crate) use check::find_label;
pub use check::{Places, Vocabulary};
pub use evaluate::{Bindings, Lookup, Missing, Outcome};

use crate::diagnostic::{Diagnostic, Place};
use crate::metrics::Scope;
use std::ops::Range;

/// A mistake in a measure, at bytes of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExprError {
    /// Where.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// A word that was meant, or what to do.
    pub help: Option<String>,
    /// What else is worth knowing.
    pub note: Option<String>,
}

impl ExprError {
    fn new(span: Range<usize>, message: impl Into<String>) -> ExprError {
        ExprError { span, message: message.into(), help: None, note: None }
    }

    fn help(mut self, help: impl Into<String>) -> ExprError {
        self.help = Some(help.into());
        self
    }

    fn note(mut self, note: impl Into<String>) -> ExprError {
        self.note = Some(note.into());
        self
    }

    /// The nearest of the known words as help, or all of them as a note.
    fn suggest<'a>(mut self, word: &str, known: impl IntoIterator<Item = &'a str>) -> ExprError {
        let found = Diagnostic::new("").suggest(word, known);
        self.help = found.help.or(self.help);
        self.note = found.notes.into_iter().next().or(self.note);
        self
    }

    /// As a problem of the file in which the measure is the string `text` at `place`.
    pub(crate) fn diagnostic(&self, place: &Place, text: &str) -> Diagnostic {
        let mut diagnostic = Diagnostic::at(&place.inside(text, self.span.clone()), self.message.clone());
        diagnostic.help = self.help.clone();
        diagnostic.notes.extend(self.note.clone());
        diagnostic
    }
}

/// A measure as a file gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// Its text.
    pub text: String,
    root: Expr,
}

/// What a measure yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A number.
    Number,
    /// True or false.
    Truth,
}

#[derive(Clone, Debug, PartialEq)]
struct Expr {
    kind: ExprKind,
    span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
enum ExprKind {
    Number(f64),
    Truth(bool),
    /// The check fills in the scope: which of flow, link and node can be selected.
    Metric {
        name: String,
        selectors: Vec<Selector>,
        scope: Scope,
    },
    Negate(Box<Expr>),
    Not(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    Call(Function, Vec<Expr>),
    Over {
        fold: Fold,
        axis: Word,
        labels: Option<Vec<Word>>,
        body: Box<Expr>,
    },
    /// Along the samples of a stretch of time whose ends are measured.
    During {
        fold: Fold,
        axis: Word,
        from: Box<Expr>,
        to: Box<Expr>,
        body: Box<Expr>,
    },
}

/// `label` or `axis=label`. The check fills in the axis and writes the label as the axis has it.
#[derive(Clone, Debug, PartialEq)]
struct Selector {
    axis: Option<Word>,
    label: Word,
}

/// A word of the text.
#[derive(Clone, Debug, PartialEq)]
struct Word {
    text: String,
    span: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

/// Functions of the values given to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Abs,
    Min,
    Max,
    Mean,
    Sum,
    Count,
}

/// Ways to make one value of those along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fold {
    Min,
    Max,
    Mean,
    Sum,
    All,
    Any,
    Count,
    Rising,
    Falling,
    Share,
}

/// Words that are called as `word(a, b)`.
const FUNCTIONS: [(&str, Function); 6] = [
    ("abs", Function::Abs),
    ("min", Function::Min),
    ("max", Function::Max),
    ("mean", Function::Mean),
    ("sum", Function::Sum),
    ("count", Function::Count),
];

/// Words that are called as `word(axis: expression)`.
const FOLDS: [(&str, Fold); 10] = [
    ("min", Fold::Min),
    ("max", Fold::Max),
    ("mean", Fold::Mean),
    ("sum", Fold::Sum),
    ("all", Fold::All),
    ("any", Fold::Any),
    ("count", Fold::Count),
    ("rising", Fold::Rising),
    ("falling", Fold::Falling),
    ("share", Fold::Share),
];

impl Measure {
    /// Reads a text; it is yet to be checked.
    ///
    /// # Errors
    /// At the first mistake.
    pub fn parse(text: &str) -> Result<Measure, ExprError> {
        let root = parser::parse(text)?;
        Ok(Measure { text: text.into(), root })
    }

    /// The metric's name, if the measure is a metric and nothing else.
    pub fn metric(&self) -> Option<&str> {
        match &self.root.kind {
            ExprKind::Metric { name, .. } => Some(name),
            _ => None,
        }
    }

    /// True if some of it is taken along time, for which samples are needed.
    pub fn is_along_time(&self) -> bool {
        self.is_along("time")
    }

    /// True if some of it is taken along fetches, for which records are needed.
    pub fn is_along_fetches(&self) -> bool {
        self.is_along(FETCH)
    }

    fn is_along(&self, what: &str) -> bool {
        let mut found = false;
        self.root.visit(&mut |kind| {
            found |= match kind {
                ExprKind::Over { axis, .. } => axis.text == what,
                ExprKind::During { .. } => what == "time",
                _ => false,
            };
        });
        found
    }

    /// Names of all metrics in it, in the order of the text.
    pub fn metrics(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.root.visit(&mut |kind| {
            if let ExprKind::Metric { name, .. } = kind {
                names.push(name.as_str());
            }
        });
        names
    }
}

/// The axis of the fetches of a run.
pub const FETCH: &str = "fetch";

/// The axis of the runs of a point.
pub const SEED: &str = "seed";

/// Axes of places: a selector of one does not concern a metric that is measured for others.
const PLACES: [&str; 4] = ["flow", "link", "node", "congestion"];

/// A stretch of time, `from..to` in seconds.
fn stretch(text: &str) -> Option<(f64, f64)> {
    let (from, to) = text.split_once("..")?;
    let (from, to): (f64, f64) = (from.parse().ok()?, to.parse().ok()?);
    (from >= 0.0 && from < to && to.is_finite()).then_some((from, to))
}

impl std::fmt::Display for Measure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl Expr {
    /// What the metrics in it select.
    fn selections(&self) -> Vec<(&[Selector], Scope)> {
        let mut found = Vec::new();
        self.visit(&mut |kind| {
            if let ExprKind::Metric { selectors, scope, .. } = kind {
                found.push((&selectors[..], *scope));
            }
        });
        found
    }

    fn visit<'e>(&'e self, see: &mut impl FnMut(&'e ExprKind)) {
        see(&self.kind);
        match &self.kind {
            ExprKind::Number(_) | ExprKind::Truth(_) | ExprKind::Metric { .. } => {}
            ExprKind::Negate(inner) | ExprKind::Not(inner) | ExprKind::Over { body: inner, .. } => inner.visit(see),
            ExprKind::Binary(_, left, right) => {
                left.visit(see);
                right.visit(see);
            }
            ExprKind::Call(_, arguments) => arguments.iter().for_each(|a| a.visit(see)),
            ExprKind::During { from, to, body, .. } => [from, to, body].iter().for_each(|part| part.visit(see)),
        }
    }
}
