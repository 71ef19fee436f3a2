//! Reads a table key by key, and remembers which keys it was asked for, so that the others can be refused.
//!
//! A table has a [`Shape`], and only keys that it describes are taken: what is not in the schema cannot be read.

use crate::diagnostic::{Diagnostic, Log, Place};
use crate::shape::{Form, Shape};
use crate::tree::{Key, Node, Table};
use std::cell::RefCell;
use std::ops::RangeInclusive;

/// A type that a value in a file can have.
pub(crate) trait Read: Sized {
    /// What a right value looks like, with an example.
    const EXPECTED: &'static str;
    /// The same for programs.
    const FORM: Form;
    /// The value, or reports what is wrong with it.
    fn read(node: &Node, log: &Log) -> Option<Self>;
}

/// Reports that a value is of the wrong kind.
pub(crate) fn refuse(node: &Node, expected: &str, log: &Log) {
    log.report(Diagnostic::at(&node.place, format!("expected {expected}, found {}", node.kind())));
}

/// One table while it is read.
pub(crate) struct TableReader<'a> {
    /// The table.
    pub(crate) table: &'a Table,
    /// Where it stands: its header or its braces.
    pub(crate) place: &'a Place,
    /// Where problems go.
    pub(crate) log: &'a Log,
    title: String,
    shape: Option<&'static Shape>,
    asked: RefCell<Vec<&'static str>>,
    absent: RefCell<Vec<(String, Diagnostic)>>,
}

impl<'a> TableReader<'a> {
    /// A reader of `node`, which messages call `title`; reports it if it is not a table.
    pub(crate) fn new(node: &'a Node, title: &str, shape: &'static Shape, log: &'a Log) -> Option<TableReader<'a>> {
        TableReader::with(node, title, Some(shape), log)
    }

    /// A reader of a table that is one form of a value (as [`Form::Both`] and [`Form::Map`] are) and has no shape.
    pub(crate) fn of_value(node: &'a Node, title: &str, log: &'a Log) -> Option<TableReader<'a>> {
        TableReader::with(node, title, None, log)
    }

    fn with(node: &'a Node, title: &str, shape: Option<&'static Shape>, log: &'a Log) -> Option<TableReader<'a>> {
        let Some(table) = node.table() else {
            refuse(node, &format!("a table for `{title}`"), log);
            return None;
        };
        let (asked, absent) = Default::default();
        Some(TableReader { table, place: &node.place, log, title: title.into(), shape, asked, absent })
    }

    /// The name of this table in messages.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// The value of `key`, if it is there.
    pub(crate) fn node(&self, key: &'static str) -> Option<&'a Node> {
        self.described(key)?;
        self.asked.borrow_mut().push(key);
        self.table.get(key)
    }

    /// The form of `key` in the shape of this table. `None`, and an alarm in tests, if it has none: then the key is
    /// unknown, whoever asks for it.
    fn described(&self, key: &'static str) -> Option<Form> {
        let Some(shape) = self.shape else { return Some(Form::Anything) };
        let found = shape.key(key).map(|key| key.form);
        debug_assert!(found.is_some(), "`{key}` of `{}` is read but not described in the shape of it", self.title);
        found
    }

    /// Sees to it that `key` is described as what it is read as.
    fn same_form(&self, key: &'static str, read: Form) {
        if !cfg!(debug_assertions) {
            return;
        }
        let form = self.described(key);
        let same = form.is_none_or(|form| self.shape.is_none() || form.admits(&read));
        debug_assert!(same, "`{key}` of `{}` is described as {form:?} but read as {read:?}", self.title);
    }

    /// The key itself, if it is there, for messages about it.
    pub(crate) fn key(&self, key: &str) -> Option<&'a Key> {
        self.table.entries.iter().map(|(k, _)| k).find(|k| k.text == key)
    }

    /// The value of `key`, read; `None` also if it is wrong, which is then reported.
    pub(crate) fn get<T: Read>(&self, key: &'static str) -> Option<T> {
        self.same_form(key, T::FORM);
        T::read(self.node(key)?, self.log)
    }

    /// The value of `key`, read, or its default.
    pub(crate) fn get_or<T: Read>(&self, key: &'static str, default: T) -> T {
        self.get(key).unwrap_or(default)
    }

    /// The value of `key`, read; it must be there.
    pub(crate) fn need<T: Read>(&self, key: &'static str) -> Option<T> {
        self.same_form(key, T::FORM);
        let node = self.need_node(key, T::EXPECTED)?;
        T::read(node, self.log)
    }

    /// The value of `key`; it must be there.
    pub(crate) fn need_node(&self, key: &'static str, expected: &str) -> Option<&'a Node> {
        let found = self.node(key);
        if found.is_none() {
            self.missing(&format!("`{}` needs `{key}`: {expected}", self.title), key);
        }
        found
    }

    /// A whole number within bounds.
    pub(crate) fn count(&self, key: &'static str, bounds: RangeInclusive<u64>) -> Option<u64> {
        let exact =
            |form| !matches!(form, Form::Whole(least, most) if (least, most) != (*bounds.start(), *bounds.end()));
        debug_assert!(self.described(key).is_none_or(exact), "`{key}` of `{}` is read with other bounds", self.title);
        let node = self.node(key)?;
        count(node, &bounds, self.log)
    }

    /// A number within bounds.
    pub(crate) fn number(&self, key: &'static str, bounds: RangeInclusive<f64>) -> Option<f64> {
        let exact =
            |form| !matches!(form, Form::Number(least, most) if (least, most) != (*bounds.start(), *bounds.end()));
        debug_assert!(self.described(key).is_none_or(exact), "`{key}` of `{}` is read with other bounds", self.title);
        let node = self.node(key)?;
        let number = f64::read(node, self.log)?;
        if !bounds.contains(&number) {
            let message = format!("`{key}` must be from {} to {}, found {number}", bounds.start(), bounds.end());
            self.log.report(Diagnostic::at(&node.place, message));
            return None;
        }
        Some(number)
    }

    /// A reader of the table at `key`, if it is there.
    pub(crate) fn table(&self, key: &'static str) -> Option<TableReader<'a>> {
        TableReader::with(self.node(key)?, key, self.inner(key), self.log)
    }

    /// The elements of the list of tables at `key`.
    pub(crate) fn tables(&self, key: &'static str) -> Vec<TableReader<'a>> {
        let elements = self.node(key).map_or(&[][..], |node| node.tables(key, self.log));
        let shape = self.inner(key);
        let reader = |node: &'a Node| node.table().and_then(|_| TableReader::with(node, key, shape, self.log));
        elements.iter().filter_map(reader).collect()
    }

    /// The shape of the table or tables at `key`.
    fn inner(&self, key: &'static str) -> Option<&'static Shape> {
        let form = self.described(key)?;
        let tables = |form: &Form| match form {
            Form::Table(shape) | Form::Tables(shape) => Some(*shape),
            _ => None,
        };
        let found = match &form {
            Form::Either(forms) => forms.iter().find_map(tables),
            form => tables(form),
        };
        if found.is_some() {
            return found;
        }
        let free = matches!(form, Form::Map(_)) || self.shape.is_none();
        debug_assert!(free, "`{key}` of `{}` is described as {form:?} but read as a table", self.title);
        None
    }

    /// Of `keys`, those that are there; all of them count as known.
    pub(crate) fn present(&self, keys: &[&'static str]) -> Vec<&'static str> {
        keys.iter().copied().filter(|key| self.node(key).is_some()).collect()
    }

    /// Reports that two keys are there which exclude each other.
    pub(crate) fn exclude(&self, one: &'static str, other: &'static str, why: &str) {
        let known = self.shape.is_none_or(|shape| shape.excludes(one, other));
        debug_assert!(known, "that `{one}` and `{other}` of `{}` exclude each other is not in its shape", self.title);
        if let (Some(first), Some(second)) = (self.key(one), self.key(other)) {
            let problem = Diagnostic::at(&second.place, format!("`{one}` and `{other}` exclude each other"));
            self.log.report(problem.label(why).also(&first.place, "the other one"));
        }
    }

    /// Reports that `key`, which must be there, is not. (At the end: most often it is there but misspelt.)
    pub(crate) fn missing(&self, message: &str, key: &str) {
        let mut problem = Diagnostic::at(self.place, message);
        problem.missing = true;
        self.absent.borrow_mut().push((key.into(), problem));
    }

    /// Refuses every key that was not asked for, and reports what is missing.
    pub(crate) fn finish(self) {
        let asked = self.asked.into_inner();
        let unknown: Vec<&Key> =
            self.table.entries.iter().map(|(k, _)| k).filter(|k| !asked.contains(&&*k.text)).collect();
        for key in &unknown {
            let place = if self.title.is_empty() { "at the top level".into() } else { format!("in `{}`", self.title) };
            let problem = Diagnostic::at(&key.place, format!("unknown key `{}` {place}", key.text));
            // Keys that are there already are not meant again.
            let free = asked.iter().copied().filter(|k| self.table.get(k).is_none());
            self.log.report(match weir_core::nearest(&key.text, free) {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => problem.suggest(&key.text, asked.iter().copied()),
            });
        }
        for (key, problem) in self.absent.into_inner() {
            if !unknown.iter().any(|k| weir_core::nearest(&k.text, [&*key]).is_some()) {
                self.log.report(problem);
            }
        }
    }
}

/// A whole number within bounds.
pub(crate) fn count(node: &Node, bounds: &RangeInclusive<u64>, log: &Log) -> Option<u64> {
    let number = u64::read(node, log)?;
    if !bounds.contains(&number) {
        let message = match bounds.end() {
            end if *end >= u64::from(u32::MAX) => format!("expected at least {}, found {number}", bounds.start()),
            end => format!("expected {} to {end}, found {number}", bounds.start()),
        };
        log.report(Diagnostic::at(&node.place, message));
        return None;
    }
    Some(number)
}
