//! From metrics to the value of a measure.

use super::{Expr, ExprKind, Fold, Function, Measure, Operator, Selector, Word};
use crate::metrics::Scope;
use std::collections::BTreeMap;
use std::fmt;

/// One label for each axis, and for `flow`, `link` or `node` if one is selected.
pub type Bindings = BTreeMap<String, String>;

/// Where measured values come from.
pub trait Lookup {
    /// The value of a metric at the point that `bindings` name (all axes of the study are in it); without `flow`,
    /// `link` or `node` the value for the whole run. `None` if it was not measured.
    fn value(&self, metric: &str, bindings: &Bindings) -> Option<f64>;
    /// The times after `from` and up to `to`, in seconds, at which there are samples of points that agree with
    /// `bindings`. With one of them as the label of `time`, [`Lookup::value`] is that of a series.
    fn moments(&self, _from: f64, _to: f64, _bindings: &Bindings) -> Vec<f64> {
        Vec::new()
    }
    /// Labels of the fetches at the point that `bindings` name, of all its runs. With one of them as the label of
    /// `fetch`, [`Lookup::value`] is that of this fetch; `None` if it is of another flow than `bindings` say.
    fn fetches(&self, _bindings: &Bindings) -> Vec<String> {
        Vec::new()
    }
    /// Labels of the runs at that point. With one of them as the label of `seed`, [`Lookup::value`] and
    /// [`Lookup::moments`] are those of this run.
    fn seeds(&self, _bindings: &Bindings) -> Vec<String> {
        Vec::new()
    }
}

/// What a measure yielded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// A finite number.
    Number(f64),
    /// A truth.
    Truth(bool),
}

/// Why a measure has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// In one sentence.
    pub reason: String,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Missing {}

impl Outcome {
    /// The number; a truth counts as 1 or 0.
    pub fn number(self) -> f64 {
        match self {
            Outcome::Number(n) => n,
            Outcome::Truth(t) => f64::from(u8::from(t)),
        }
    }
}

impl Measure {
    /// The value of a checked measure; `outer` holds a label for each axis that was bound in the check.
    ///
    /// # Errors
    /// If a value it needs was not measured, or it divides by zero.
    pub fn evaluate(&self, lookup: &dyn Lookup, outer: &Bindings) -> Result<Outcome, Missing> {
        let evaluator = Evaluator { lookup, text: &self.text };
        evaluator.value(&self.root, outer)
    }
}

struct Evaluator<'a> {
    lookup: &'a dyn Lookup,
    text: &'a str,
}

impl Evaluator<'_> {
    fn value(&self, expr: &Expr, bindings: &Bindings) -> Result<Outcome, Missing> {
        match &expr.kind {
            ExprKind::Number(n) => Ok(Outcome::Number(*n)),
            ExprKind::Truth(t) => Ok(Outcome::Truth(*t)),
            ExprKind::Negate(inner) => self.finite(-self.number(inner, bindings)?, expr),
            ExprKind::Not(inner) => Ok(Outcome::Truth(!self.truth(inner, bindings)?)),
            ExprKind::Binary(operator, left, right) => self.binary(*operator, [left, right, expr], bindings),
            ExprKind::Call(function, arguments) => {
                let values: Result<Vec<f64>, Missing> = arguments.iter().map(|a| self.number(a, bindings)).collect();
                self.finite(call(*function, &values?), expr)
            }
            ExprKind::Metric { name, selectors, scope } => self.metric(name, selectors, *scope, bindings),
            ExprKind::Over { fold, axis, labels, body } => {
                let labels = labels.as_deref().unwrap_or_default();
                self.over(*fold, (axis, labels), body, bindings)
            }
            ExprKind::During { fold, axis, from, to, body } => {
                let (from, to) = (self.number(from, bindings)?, self.number(to, bindings)?);
                self.along(*fold, axis, &self.samples(from, to, bindings)?, body, bindings)
            }
        }
    }

    fn number(&self, expr: &Expr, bindings: &Bindings) -> Result<f64, Missing> {
        Ok(self.value(expr, bindings)?.number())
    }

    fn truth(&self, expr: &Expr, bindings: &Bindings) -> Result<bool, Missing> {
        Ok(self.number(expr, bindings)? != 0.0)
    }

    fn finite(&self, value: f64, expr: &Expr) -> Result<Outcome, Missing> {
        if value.is_finite() {
            return Ok(Outcome::Number(value));
        }
        let text = self.text.get(expr.span.clone()).unwrap_or_default();
        Err(Missing { reason: format!("`{text}` is not a finite number") })
    }

    fn binary(&self, operator: Operator, exprs: [&Expr; 3], bindings: &Bindings) -> Result<Outcome, Missing> {
        let [left, right, whole] = exprs;
        match operator {
            Operator::And => return Ok(Outcome::Truth(self.truth(left, bindings)? && self.truth(right, bindings)?)),
            Operator::Or => return Ok(Outcome::Truth(self.truth(left, bindings)? || self.truth(right, bindings)?)),
            _ => {}
        }
        let (a, b) = (self.number(left, bindings)?, self.number(right, bindings)?);
        match operator {
            Operator::Add => self.finite(a + b, whole),
            Operator::Subtract => self.finite(a - b, whole),
            Operator::Multiply => self.finite(a * b, whole),
            Operator::Divide if b == 0.0 => {
                let text = self.text.get(right.span.clone()).unwrap_or_default();
                Err(Missing { reason: format!("`{text}` is 0, and something is divided by it") })
            }
            Operator::Divide => self.finite(a / b, whole),
            Operator::Power => self.finite(libm::pow(a, b), whole),
            Operator::Less => Ok(Outcome::Truth(a < b)),
            Operator::LessOrEqual => Ok(Outcome::Truth(a <= b)),
            Operator::Greater => Ok(Outcome::Truth(a > b)),
            Operator::GreaterOrEqual => Ok(Outcome::Truth(a >= b)),
            Operator::Equal => Ok(Outcome::Truth(a == b)),
            Operator::NotEqual | Operator::And | Operator::Or => Ok(Outcome::Truth(a != b)),
        }
    }

    fn metric(&self, name: &str, selectors: &[Selector], scope: Scope, outer: &Bindings) -> Result<Outcome, Missing> {
        let bindings = selected(selectors, scope, outer);
        match self.lookup.value(name, &bindings).filter(|v| v.is_finite()) {
            Some(value) => Ok(Outcome::Number(value)),
            None => {
                let at: Vec<String> = bindings.iter().map(|(axis, label)| format!("{axis}={label}")).collect();
                Err(Missing { reason: format!("`{name}` was not measured at [{}]", at.join(", ")) })
            }
        }
    }

    fn over(
        &self,
        fold: Fold,
        (axis, labels): (&Word, &[Word]),
        body: &Expr,
        outer: &Bindings,
    ) -> Result<Outcome, Missing> {
        if axis.text == super::FETCH {
            return self.over_fetches(fold, axis, body, outer);
        }
        if axis.text == super::SEED {
            return self.over_runs(fold, body, outer);
        }
        if fold == Fold::Share && axis.text == "time" && !outer.contains_key(super::SEED) {
            return self.share_of_time((axis, labels), body, outer);
        }
        let moments = match labels {
            [one] if axis.text == "time" => super::stretch(&one.text),
            _ => None,
        };
        let labels: Vec<String> = match moments {
            Some((from, to)) if fold == Fold::Share => self.samples(from, to, &first_selected(body, outer))?,
            Some((from, to)) => self.samples(from, to, outer)?,
            None => labels.iter().map(|label| label.text.clone()).collect(),
        };
        self.along(fold, axis, &labels, body, outer)
    }

    /// The samples after `from` and up to `to`, in seconds, as labels of `time`.
    fn samples(&self, from: f64, to: f64, outer: &Bindings) -> Result<Vec<String>, Missing> {
        let moments: Vec<String> = self.lookup.moments(from, to, outer).iter().map(f64::to_string).collect();
        if moments.is_empty() {
            return Err(Missing { reason: format!("there is no sample from {from} to {to} s") });
        }
        Ok(moments)
    }

    /// One value of those at these labels.
    fn along(
        &self,
        fold: Fold,
        axis: &Word,
        labels: &[String],
        body: &Expr,
        outer: &Bindings,
    ) -> Result<Outcome, Missing> {
        let mut bindings = outer.clone();
        let mut values = Vec::with_capacity(labels.len());
        for label in labels {
            bindings.insert(axis.text.clone(), label.clone());
            values.push(self.number(body, &bindings)?);
        }
        if values.is_empty() {
            return Err(Missing { reason: format!("there is no label along `{}`", axis.text) });
        }
        self.folded(fold, &values, body)
    }

    /// Along all fetches of all runs; those of other flows than the metrics select do not count.
    fn over_fetches(&self, fold: Fold, axis: &Word, body: &Expr, outer: &Bindings) -> Result<Outcome, Missing> {
        let selected = first_selected(body, outer);
        let mut bindings = outer.clone();
        let mut values = Vec::new();
        for label in self.lookup.fetches(&selected) {
            bindings.insert(axis.text.clone(), label);
            values.push(self.number(body, &bindings)?);
        }
        if values.is_empty() {
            return Err(Missing { reason: "no fetch was completed there".into() });
        }
        self.folded(fold, &values, body)
    }

    /// The mean over the runs of the share of their samples.
    fn share_of_time(
        &self,
        (axis, labels): (&Word, &[Word]),
        body: &Expr,
        outer: &Bindings,
    ) -> Result<Outcome, Missing> {
        let of_run = |bindings: &Bindings| self.over(Fold::Share, (axis, labels), body, bindings);
        self.folded(Fold::Mean, &self.of_each_run(body, outer, of_run)?, body)
    }

    /// Along the runs of the point that the metrics select.
    fn over_runs(&self, fold: Fold, body: &Expr, outer: &Bindings) -> Result<Outcome, Missing> {
        let values = self.of_each_run(body, outer, |bindings| self.value(body, bindings))?;
        self.folded(fold, &values, body)
    }

    /// What `of_run` yields for each run of the point that `body` is about.
    fn of_each_run(
        &self,
        body: &Expr,
        outer: &Bindings,
        of_run: impl Fn(&Bindings) -> Result<Outcome, Missing>,
    ) -> Result<Vec<f64>, Missing> {
        let mut bindings = outer.clone();
        let mut values = Vec::new();
        for seed in self.lookup.seeds(&first_selected(body, outer)) {
            bindings.insert(super::SEED.into(), seed);
            values.push(of_run(&bindings)?.number());
        }
        if values.is_empty() {
            return Err(Missing { reason: "nothing was run there".into() });
        }
        Ok(values)
    }

    fn folded(&self, fold: Fold, values: &[f64], body: &Expr) -> Result<Outcome, Missing> {
        Ok(match fold {
            Fold::Min => Outcome::Number(call(Function::Min, values)),
            Fold::Max => Outcome::Number(call(Function::Max, values)),
            // Of truths, which count as 1 and 0, the mean is a share.
            Fold::Mean | Fold::Share => return self.finite(call(Function::Mean, values), body),
            Fold::Sum => return self.finite(call(Function::Sum, values), body),
            Fold::All => Outcome::Truth(values.iter().all(|v| *v != 0.0)),
            Fold::Any => Outcome::Truth(values.iter().any(|v| *v != 0.0)),
            Fold::Count => Outcome::Number(call(Function::Count, values)),
            Fold::Rising => Outcome::Truth(values.windows(2).all(|pair| pair[0] <= pair[1])),
            Fold::Falling => Outcome::Truth(values.windows(2).all(|pair| pair[0] >= pair[1])),
        })
    }
}

/// What a metric is asked about.
fn selected(selectors: &[Selector], scope: Scope, outer: &Bindings) -> Bindings {
    let mut bindings = outer.clone();
    for selector in selectors {
        if let Some(axis) = &selector.axis {
            bindings.insert(axis.text.clone(), selector.label.text.clone());
        }
    }
    // A flow that someone else was asked about does not concern a metric of links.
    bindings.retain(|axis, _| !super::PLACES.contains(&axis.as_str()) || scope.axis() == Some(axis));
    bindings
}

/// What the first metric is asked about; the check has seen that all are asked about the same point.
fn first_selected(body: &Expr, outer: &Bindings) -> Bindings {
    body.selections().first().map_or_else(|| outer.clone(), |(selectors, scope)| selected(selectors, *scope, outer))
}

fn call(function: Function, values: &[f64]) -> f64 {
    let sum = || values.iter().sum::<f64>();
    match function {
        Function::Abs => values.iter().copied().map(f64::abs).sum(),
        Function::Min => values.iter().copied().fold(f64::INFINITY, f64::min),
        Function::Max => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        Function::Mean => sum() / values.len() as f64,
        Function::Sum => sum(),
        Function::Count => values.iter().filter(|v| **v != 0.0).count() as f64,
    }
}
