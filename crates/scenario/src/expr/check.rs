//! Does a measure fit the study: known metrics, axes and labels, nothing left open, numbers where numbers belong?

use super::{Expr, ExprError, ExprKind, Fold, Function, Measure, Operator, Selector, Type, Word};
use crate::metrics::{FETCHES, METRICS, MetricInfo, SERIES, Scope};
use crate::study::Axis;
use std::ops::Range;

/// The words that a measure can use.
#[derive(Clone, Debug)]
pub struct Vocabulary<'a> {
    /// Known metrics.
    pub metrics: &'a [MetricInfo],
    /// Axes of the study.
    pub axes: &'a [Axis],
    /// What selectors can name; `None`: not known, anything goes.
    pub places: Option<&'a Places>,
}

/// Names of what a scenario consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Labels of the workloads.
    pub flows: Vec<String>,
    /// Names of the links.
    pub links: Vec<String>,
    /// Directions of links, as `from>to`.
    pub directions: Vec<String>,
    /// Names of the nodes.
    pub nodes: Vec<String>,
}

impl Places {
    /// What can be selected of a scope, without the directions of links.
    fn of(&self, scope: Scope) -> &[String] {
        match scope {
            Scope::Run | Scope::Congestion => &[],
            Scope::Flow => &self.flows,
            Scope::Link => &self.links,
            Scope::Node => &self.nodes,
        }
    }
}

impl Measure {
    /// Checks the words, fills in what they mean, and says what the measure yields. `bound` are the axes (or `flow`,
    /// `link`, `node`) of which the caller will choose one label at a time.
    ///
    /// # Errors
    /// With everything that is wrong.
    pub fn check(&mut self, vocabulary: &Vocabulary<'_>, bound: &[&str]) -> Result<Type, Vec<ExprError>> {
        let bound = bound.iter().map(|axis| axis.to_string()).collect();
        let metrics = vocabulary.metrics;
        let mut checker = Checker { vocabulary, metrics, bound, errors: vec![], lenient: false };
        let found = checker.check(&mut self.root);
        match found {
            Some(found) if checker.errors.is_empty() => Ok(found),
            _ => Err(checker.errors),
        }
    }

    /// As [`Measure::check`], but it must yield `wanted`.
    pub(crate) fn check_as(
        &mut self,
        wanted: Type,
        vocabulary: &Vocabulary<'_>,
        bound: &[&str],
    ) -> Result<(), Vec<ExprError>> {
        match (self.check(vocabulary, bound)?, wanted) {
            (Type::Truth, Type::Number) => {
                Err(vec![ExprError::new(self.root.span.clone(), "this is true or false, but a number is wanted here")])
            }
            (Type::Number, Type::Truth) => {
                let error = ExprError::new(self.root.span.clone(), "this is a number, but a comparison is wanted here");
                Err(vec![error.help("compare it with something, as in `a > b`")])
            }
            _ => Ok(()),
        }
    }
}

struct Checker<'a> {
    vocabulary: &'a Vocabulary<'a>,
    /// Those of the vocabulary; along time, the series.
    metrics: &'a [MetricInfo],
    bound: Vec<String>,
    errors: Vec<ExprError>,
    /// Inside an aggregation along an unknown axis: it may bind what seems open.
    lenient: bool,
}

impl Checker<'_> {
    fn fail<T>(&mut self, error: ExprError) -> Option<T> {
        self.errors.push(error);
        None
    }

    fn check(&mut self, expr: &mut Expr) -> Option<Type> {
        match &mut expr.kind {
            ExprKind::Number(_) => Some(Type::Number),
            ExprKind::Truth(_) => Some(Type::Truth),
            ExprKind::Negate(inner) => self.want(inner, Type::Number, "`-`"),
            ExprKind::Not(inner) => self.want(inner, Type::Truth, "`not`"),
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right),
            ExprKind::Call(function, arguments) => {
                let takes = if *function == Function::Count { Type::Truth } else { Type::Number };
                let found: Vec<_> = arguments.iter_mut().map(|a| self.want(a, takes, "a function")).collect();
                found.into_iter().collect::<Option<Vec<_>>>().map(|_| Type::Number)
            }
            ExprKind::Metric { .. } => self.metric(expr),
            ExprKind::Over { .. } => self.over(expr),
            ExprKind::During { fold, axis, from, to, body } => {
                if axis.text != "time" {
                    let error =
                        ExprError::new(axis.span.clone(), "only along `time` a stretch goes from here to there");
                    return self.fail(error.help(format!("list labels of `{}`, as in `in [a, b]`", axis.text)));
                }
                let ends = [from, to].map(|end| self.want(end, Type::Number, "an end of a stretch of time"));
                let body = self.along_time(*fold, axis, body);
                ends.into_iter().collect::<Option<Vec<_>>>().and(body)
            }
        }
    }

    /// Checks `expr`, which `user` takes.
    fn want(&mut self, expr: &mut Expr, wanted: Type, user: &str) -> Option<Type> {
        let found = self.check(expr)?;
        if found == wanted {
            return Some(found);
        }
        let message = match wanted {
            Type::Number => format!("{user} takes numbers, but this is true or false"),
            Type::Truth => format!("{user} takes comparisons, but this is a number"),
        };
        self.fail(ExprError::new(expr.span.clone(), message))
    }

    fn binary(&mut self, operator: Operator, left: &mut Expr, right: &mut Expr) -> Option<Type> {
        use Operator::{Add, And, Divide, Multiply, Or, Power, Subtract};
        let (takes, yields, user) = match operator {
            Add | Subtract | Multiply | Divide | Power => (Type::Number, Type::Number, "arithmetic"),
            And | Or => (Type::Truth, Type::Truth, "`and` and `or`"),
            _ => (Type::Number, Type::Truth, "a comparison"),
        };
        let (left, right) = (self.want(left, takes, user), self.want(right, takes, user));
        left.and(right).and(Some(yields))
    }

    fn metric(&mut self, expr: &mut Expr) -> Option<Type> {
        let span = expr.span.clone();
        let ExprKind::Metric { name, selectors, scope } = &mut expr.kind else { return None };
        let Some(info) = self.metrics.iter().find(|m| m.name == *name) else {
            let end = span.start + name.len();
            return self.unknown_metric(name, span.start..end);
        };
        *scope = info.scope;
        let before = self.errors.len();
        for i in 0..selectors.len() {
            let (earlier, rest) = selectors.split_at_mut(i);
            self.selector(&mut rest[0], earlier, info);
        }
        if self.errors.len() > before {
            return None;
        }
        self.close(selectors, info, span)?;
        Some(Type::Number)
    }

    fn unknown_metric<T>(&mut self, name: &str, span: Range<usize>) -> Option<T> {
        let knows = |table: &[MetricInfo]| table.iter().any(|m| m.name == name);
        let known: Vec<&str> = self.metrics.iter().map(|m| m.name).collect();
        self.fail(if std::ptr::eq(self.metrics, FETCHES) && (knows(SERIES) || knows(METRICS)) {
            let error = ExprError::new(span, format!("`{name}` is not known of each fetch"));
            error.note(format!("known of each fetch: {}", crate::diagnostic::list(known)))
        } else if knows(SERIES) {
            let error =
                ExprError::new(span, format!("`{name}` is a time series, but a number for the whole run is wanted"));
            let along = format!("take it along time, as in `mean(time in [3..8]: {name})`");
            error.help(along).note("it can be drawn in a figure with `x = \"time\"`")
        } else if knows(FETCHES) && !knows(METRICS) {
            let error = ExprError::new(span, format!("`{name}` is known of each fetch, not of the run as a whole"));
            error.help(format!("take it along fetches, as in `mean(fetch: {name})`"))
        } else if knows(METRICS) {
            let error = ExprError::new(span, format!("`{name}` is a number for the whole run, not a time series"));
            error.note(format!("time series: {}", crate::diagnostic::list(known)))
        } else {
            let error = ExprError::new(span, format!("there is no metric `{name}`")).suggest(name, known);
            if error.help.is_none() && error.note.is_some() {
                error.note("`weir list metrics` shows them all")
            } else {
                error
            }
        })
    }

    /// Finds the axis and the label that a selector means.
    fn selector(&mut self, selector: &mut Selector, earlier: &[Selector], info: &MetricInfo) {
        let found = match &selector.axis {
            Some(axis) => self.explicit(axis, &selector.label, info),
            None => self.bare(&selector.label, info),
        };
        let Some((axis, label)) = found else { return };
        let span = selector.axis.as_ref().map_or(selector.label.span.clone(), |axis| axis.span.clone());
        if earlier.iter().any(|s| s.axis.as_ref().is_some_and(|a| a.text == axis)) {
            self.errors.push(ExprError::new(span.clone(), format!("`{axis}` is selected twice")));
        }
        selector.label.text = label;
        selector.axis = Some(Word { text: axis, span });
    }

    /// `axis=label`.
    fn explicit(&mut self, axis: &Word, label: &Word, info: &MetricInfo) -> Option<(String, String)> {
        let own = info.scope.axis();
        if let Some(found) = self.vocabulary.axes.iter().find(|a| a.name == axis.text) {
            let label = self.label(&found.name, &found.labels, label)?;
            return Some((axis.text.clone(), label));
        }
        if own == Some(&axis.text) {
            return Some((axis.text.clone(), self.place(info.scope, label)?));
        }
        if let Some(other) = scope_of(&axis.text) {
            let what = other.axis().unwrap_or_default();
            let error = ExprError::new(axis.span.clone(), format!("`{}` is not measured for each {what}", info.name));
            return self.fail(match own {
                Some(own) => error.note(format!("it is measured for each {own}")),
                None => error.note("it is measured for the run as a whole"),
            });
        }
        let known = self.vocabulary.axes.iter().map(|a| a.name.as_str()).chain(own);
        let error = ExprError::new(axis.span.clone(), format!("there is no axis `{}`", axis.text));
        self.fail(error.suggest(&axis.text, known))
    }

    /// A label by itself must belong to one axis.
    fn bare(&mut self, label: &Word, info: &MetricInfo) -> Option<(String, String)> {
        let axes = self.vocabulary.axes;
        let owners: Vec<(&str, &str)> =
            axes.iter().filter_map(|a| Some((a.name.as_str(), find_label(&a.labels, &label.text)?))).collect();
        match owners.as_slice() {
            [(axis, label)] => return Some((axis.to_string(), label.to_string())),
            [] => {}
            several => {
                let names = crate::diagnostic::list(several.iter().map(|(axis, _)| *axis));
                let error =
                    ExprError::new(label.span.clone(), format!("`{}` is a label of several axes: {names}", label.text));
                return self.fail(error.help(format!("write `{}={}`", several[0].0, label.text)));
            }
        }
        if let (Some(axis), Some(places)) = (info.scope.axis(), self.vocabulary.places)
            && let Some(found) = find_place(places, info.scope, &label.text)
        {
            return Some((axis.into(), found.into()));
        }
        let own = self.vocabulary.places.map_or(&[][..], |p| p.of(info.scope));
        let known = axes.iter().flat_map(|a| &a.labels).chain(own).map(String::as_str);
        let error = ExprError::new(label.span.clone(), format!("no axis has a label `{}`", label.text));
        self.fail(error.suggest(&label.text, known))
    }

    /// A label of an axis, written as the axis has it.
    fn label(&mut self, axis: &str, labels: &[String], label: &Word) -> Option<String> {
        if let Some(found) = find_label(labels, &label.text) {
            return Some(found.into());
        }
        let error = ExprError::new(label.span.clone(), format!("the axis `{axis}` has no label `{}`", label.text));
        self.fail(error.suggest(&label.text, labels.iter().map(String::as_str)))
    }

    /// The name of a flow, link or node.
    fn place(&mut self, scope: Scope, label: &Word) -> Option<String> {
        if scope == Scope::Congestion {
            return self.congestion(label);
        }
        let Some(places) = self.vocabulary.places else { return Some(label.text.clone()) };
        if let Some(found) = find_place(places, scope, &label.text) {
            return Some(found.into());
        }
        let what = scope.axis().unwrap_or_default();
        let error = ExprError::new(label.span.clone(), format!("there is no {what} `{}`", label.text));
        let directions = if scope == Scope::Link { &places.directions[..] } else { &[] };
        self.fail(error.suggest(&label.text, places.of(scope).iter().chain(directions).map(String::as_str)))
    }

    /// The number of a congestion; how many there are is seen in the run.
    fn congestion(&mut self, label: &Word) -> Option<String> {
        match label.text.parse::<u32>() {
            Ok(n) if n > 0 => Some(n.to_string()),
            _ => {
                let message = format!("`{}` is no number of a congestion: they are counted from 1", label.text);
                self.fail(ExprError::new(label.span.clone(), message))
            }
        }
    }

    /// Nothing may be left open: an axis with one label means that one, any other must be selected or bound.
    fn close(&mut self, selectors: &mut Vec<Selector>, info: &MetricInfo, span: Range<usize>) -> Option<()> {
        let chosen = |selectors: &[Selector], axis: &str| {
            selectors.iter().any(|s| s.axis.as_ref().is_some_and(|a| a.text == axis))
        };
        let axes = self.vocabulary.axes.iter();
        let open: Vec<&Axis> = axes.filter(|a| !chosen(selectors, &a.name) && !self.bound.contains(&a.name)).collect();
        for axis in open {
            let word = |text: &str| Word { text: text.into(), span: span.clone() };
            if let [label] = axis.labels.as_slice() {
                selectors.push(Selector { axis: Some(word(&axis.name)), label: word(label) });
                continue;
            }
            if self.lenient {
                continue;
            }
            let (name, first) = (&axis.name, axis.labels.first().map_or("..", |l| l));
            let message =
                format!("`{}` has {} values here, one for each label of `{name}`", info.name, axis.labels.len());
            let error = ExprError::new(span.clone(), message);
            return self.fail(error.help(format!(
                "select one, as in `{}[{name}={first}]`, or take them together, as in `max({name}: ...)`",
                info.name
            )));
        }
        Some(())
    }

    fn over(&mut self, expr: &mut Expr) -> Option<Type> {
        let ExprKind::Over { fold, axis, labels, body } = &mut expr.kind else { return None };
        if axis.text == "time" {
            return self.over_time(*fold, axis, labels.as_deref(), body);
        }
        if axis.text == super::FETCH {
            return self.over_fetches(*fold, axis, labels.as_deref(), body);
        }
        if axis.text == Scope::Congestion.axis().unwrap_or_default() {
            return self.over_congestions(*fold, axis, labels, body);
        }
        if axis.text == super::SEED {
            return self.over_runs(*fold, axis, labels.as_deref(), body);
        }
        let known = self.axis_labels(axis, body);
        let before = self.lenient;
        self.lenient |= known.is_none();
        self.bound.push(axis.text.clone());
        let found = self.folded(*fold, body);
        self.bound.pop();
        self.lenient = before;
        let known = known?;
        let chosen = match labels.take() {
            None => known.into_iter().map(|text| Word { text, span: axis.span.clone() }).collect(),
            Some(words) => {
                let found: Vec<_> = words
                    .iter()
                    .map(|w| Some(Word { text: self.label(&axis.text, &known, w)?, span: w.span.clone() }))
                    .collect();
                found.into_iter().collect::<Option<Vec<_>>>()?
            }
        };
        *labels = Some(chosen);
        found
    }

    /// What an aggregation of `body` yields.
    fn folded(&mut self, fold: Fold, body: &mut Expr) -> Option<Type> {
        let truths = matches!(fold, Fold::All | Fold::Any | Fold::Share | Fold::Count);
        let takes = if truths { Type::Truth } else { Type::Number };
        let name = super::FOLDS.iter().find(|(_, f)| *f == fold).map_or("", |(name, _)| name);
        self.want(body, takes, &format!("`{name}`"))?;
        let truth = matches!(fold, Fold::All | Fold::Any | Fold::Rising | Fold::Falling);
        Some(if truth { Type::Truth } else { Type::Number })
    }

    /// Along the samples of a stretch of time the metrics are those of time series.
    fn over_time(&mut self, fold: Fold, axis: &Word, labels: Option<&[Word]>, body: &mut Expr) -> Option<Type> {
        let range = match labels {
            Some([one]) => super::stretch(&one.text),
            _ => None,
        };
        if range.is_none() {
            let span = labels.and_then(|l| l.first()).map_or(&axis.span, |word| &word.span).clone();
            let error = ExprError::new(span, "along time an aggregation needs a stretch of it, in seconds");
            return self.fail(error.help("write `time in [3..8]`"));
        }
        self.along_time(fold, axis, body)
    }

    /// An aggregation of samples.
    fn along_time(&mut self, fold: Fold, axis: &Word, body: &mut Expr) -> Option<Type> {
        self.check_one_level(axis)?;
        let outside = std::mem::replace(&mut self.metrics, SERIES);
        let found = self.folded(fold, body);
        self.metrics = outside;
        let found = found?;
        // A share is one of samples, which differ from run to run.
        if fold == Fold::Share {
            self.check_one_point(axis, body)?;
        }
        Some(found)
    }

    fn check_one_level(&mut self, axis: &Word) -> Option<()> {
        let here = if std::ptr::eq(self.metrics, SERIES) {
            "time"
        } else if std::ptr::eq(self.metrics, FETCHES) {
            "fetches"
        } else {
            return Some(());
        };
        self.fail(ExprError::new(axis.span.clone(), format!("this is along {here} already")))
    }

    /// Along the fetches of a point's runs the metrics are those of single fetches.
    fn over_fetches(&mut self, fold: Fold, axis: &Word, labels: Option<&[Word]>, body: &mut Expr) -> Option<Type> {
        if let Some(word) = labels.and_then(|labels| labels.first()) {
            let error = ExprError::new(word.span.clone(), "fetches have no labels: an aggregation takes all of them");
            return self
                .fail(error.help("write `fetch:`; a flow is selected in the metrics, as in `segments[flow=c1]`"));
        }
        if matches!(fold, Fold::Rising | Fold::Falling) {
            let error = ExprError::new(axis.span.clone(), "the fetches of a run have no order");
            return self.fail(error);
        }
        self.check_one_level(axis)?;
        let outside = std::mem::replace(&mut self.metrics, FETCHES);
        let found = self.folded(fold, body);
        self.metrics = outside;
        let found = found?;
        self.check_one_point(axis, body)?;
        Some(found)
    }

    /// Along the runs of a point each metric is that of one run.
    fn over_runs(&mut self, fold: Fold, axis: &Word, labels: Option<&[Word]>, body: &mut Expr) -> Option<Type> {
        if let Some(word) = labels.and_then(|labels| labels.first()) {
            let error = ExprError::new(word.span.clone(), "an aggregation along the seeds takes all that were run");
            return self.fail(error.help("write `seed:`"));
        }
        if matches!(fold, Fold::Rising | Fold::Falling) {
            return self.fail(ExprError::new(axis.span.clone(), "the runs of a point have no order"));
        }
        if self.bound.contains(&axis.text) {
            return self.fail(ExprError::new(axis.span.clone(), "this is along the seeds already"));
        }
        self.check_one_level(axis)?;
        self.bound.push(axis.text.clone());
        let found = self.folded(fold, body);
        self.bound.pop();
        let found = found?;
        self.check_one_point(axis, body)?;
        Some(found)
    }

    /// What is counted must be the same for all metrics.
    fn check_one_point(&mut self, axis: &Word, body: &Expr) -> Option<()> {
        let of = |selectors: &[Selector]| {
            let known = |s: &Selector| Some((s.axis.as_ref()?.text.clone(), s.label.text.clone()));
            let mut all: Vec<_> = selectors.iter().filter_map(known).collect();
            // Places may differ along time and seeds: a queue is compared with another.
            all.retain(|(name, _)| axis.text == super::FETCH || !super::PLACES.contains(&name.as_str()));
            all.sort_unstable();
            all
        };
        let selections: Vec<_> = body.selections().into_iter().map(|(selectors, _)| of(selectors)).collect();
        let Some((first, others)) = selections.split_first() else {
            let error = ExprError::new(body.span.clone(), format!("nothing here is measured along `{}`", axis.text));
            return self.fail(error);
        };
        if others.iter().any(|other| other != first) {
            let error = ExprError::new(body.span.clone(), "all metrics in here must select the same");
            let fold =
                if axis.text == super::SEED { "mean(seed: ..) > mean(seed: ..)" } else { "share(..) > share(..)" };
            return self.fail(error.help(format!("compare the aggregations themselves, as in `{fold}`")));
        }
        Some(())
    }

    fn over_congestions(
        &mut self,
        fold: Fold,
        axis: &Word,
        labels: &mut Option<Vec<Word>>,
        body: &mut Expr,
    ) -> Option<Type> {
        let Some(words) = labels else {
            let error = ExprError::new(axis.span.clone(), "how many congestions there are is not known before the run");
            return self.fail(error.help("list them, as in `congestion in [1, 2, 3]`"));
        };
        for word in words.iter_mut() {
            word.text = self.congestion(word)?;
        }
        self.axis_labels(axis, body)?;
        self.bound.push(axis.text.clone());
        let found = self.folded(fold, body);
        self.bound.pop();
        found
    }

    /// The labels of the axis of an aggregation.
    fn axis_labels(&mut self, axis: &Word, body: &Expr) -> Option<Vec<String>> {
        if let Some(found) = self.vocabulary.axes.iter().find(|a| a.name == axis.text) {
            return Some(found.labels.clone());
        }
        let Some(scope) = scope_of(&axis.text) else {
            let known = self.vocabulary.axes.iter().map(|a| a.name.as_str()).chain(["flow", "link", "node"]);
            let error = ExprError::new(axis.span.clone(), format!("there is no axis `{}`", axis.text));
            return self.fail(error.suggest(&axis.text, known));
        };
        let mut used = false;
        body.visit(&mut |kind| {
            if let ExprKind::Metric { name, .. } = kind {
                used |= self.metrics.iter().any(|m| m.name == *name && m.scope == scope);
            }
        });
        if !used {
            let message = format!("nothing in this aggregation is measured for each {}", axis.text);
            return self.fail(ExprError::new(axis.span.clone(), message));
        }
        Some(self.vocabulary.places.map_or(vec![], |places| places.of(scope).to_vec()))
    }
}

fn scope_of(axis: &str) -> Option<Scope> {
    [Scope::Flow, Scope::Link, Scope::Node, Scope::Congestion].into_iter().find(|s| s.axis() == Some(axis))
}

/// The label that is meant; numbers are compared as numbers, so that `0.50` finds `0.5`.
pub(crate) fn find_label<'l>(labels: &'l [String], text: &str) -> Option<&'l str> {
    let number = |s: &str| s.parse::<f64>().ok().filter(|n| n.is_finite());
    let same = |label: &&String| number(text).is_some() && number(label) == number(text);
    labels.iter().find(|l| *l == text).or_else(|| labels.iter().find(same)).map(String::as_str)
}

fn find_place<'p>(places: &'p Places, scope: Scope, name: &str) -> Option<&'p str> {
    let directions = if scope == Scope::Link { &places.directions[..] } else { &[] };
    places.of(scope).iter().chain(directions).find(|p| *p == name).map(String::as_str)
}
