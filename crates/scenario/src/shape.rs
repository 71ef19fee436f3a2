//! What each table of a scenario file can hold: the one description that readers, the JSON Schema and the reference
//! page share.
//!
//! A [`Shape`] stands beside the reader of its table. [`TableReader`](crate::reader::TableReader) looks up each key it
//! is asked for there, and takes no key that is not described.

use crate::parts::Kind;
use crate::reader::Read;

/// One table of a scenario file.
#[derive(Debug)]
pub(crate) struct Shape {
    /// What it is for, in a sentence or two.
    pub(crate) about: &'static str,
    /// Sections of a file in which every required key is there. Sections that a whole file needs are filled in by
    /// whoever wants one.
    pub(crate) example: &'static str,
    /// The keys, in the order of the reference page; in groups, so that tables can share some.
    pub(crate) keys: &'static [&'static [Field]],
    /// Keys that a registry adds: the generators of a topology, the kinds of a workload.
    pub(crate) more: Option<fn() -> Vec<Field>>,
    /// What holds between keys.
    pub(crate) rules: &'static [Rule],
}

/// What holds between the keys of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Not two of these.
    NotBoth(&'static [&'static str]),
    /// At least one.
    Any(&'static [&'static str]),
    /// With the first key goes the second.
    Needs(&'static str, &'static str),
    /// Just one of these and those in [`Shape::more`].
    One(&'static [&'static str]),
}

/// One key of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    pub(crate) presence: Presence,
    pub(crate) about: &'static str,
}

/// What it means that a key is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It must be there.
    Required,
    /// It has this value, in TOML.
    Default(&'static str),
    /// What happens then, in words; may be empty.
    Otherwise(&'static str),
}

/// What a value looks like.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// `true` or `false`.
    Flag,
    /// A whole number within bounds.
    Whole(u64, u64),
    /// A number within bounds.
    Number(f64, f64),
    /// Any string.
    Text,
    /// A time with its unit.
    Time,
    /// A rate with its unit.
    Rate,
    /// Events per time.
    Frequency,
    /// A size with its unit.
    Size,
    /// Packets (`"64p"`) or a size.
    Queue,
    /// A number from 0 to 1, or a percentage.
    Share,
    /// A time, or a range of times.
    Times,
    /// Seeds: a range, a list or one number.
    Seeds,
    /// An NDN name.
    Name,
    /// The name of a node or link.
    Word,
    /// A measure (see `docs/scenarios.md`).
    Measure,
    /// One of these words.
    Words(&'static [&'static str]),
    /// A string that this regular expression matches (ECMA-262), and what to call it.
    Pattern(&'static str, &'static str),
    /// A number, string, or true or false.
    Scalar,
    /// Anything.
    Anything,
    /// A list, of at least so many.
    List(&'static Form, u64),
    /// A list of two.
    Pair(&'static Form),
    /// Any of these.
    Either(&'static [Form]),
    /// One value, or one for each direction of a link.
    Both(&'static Form),
    /// A table.
    Table(&'static Shape),
    /// A list of tables.
    Tables(&'static Shape),
    /// A table whose keys are not ours to know.
    Map(&'static Form),
    /// The name of a bundle of schemes.
    Bundle,
    /// A part of a scheme: its name, or a table of settings. True if it can be `"none"`.
    Part(Kind, bool),
}

impl Field {
    /// A key with the form of the type that its reader reads.
    pub(crate) const fn of<T: Read>(name: &'static str, about: &'static str) -> Field {
        Field::new(name, T::FORM, about)
    }

    /// A key.
    pub(crate) const fn new(name: &'static str, form: Form, about: &'static str) -> Field {
        Field { name, form, presence: Presence::Otherwise(""), about }
    }

    /// It must be there.
    pub(crate) const fn required(self) -> Field {
        Field { presence: Presence::Required, ..self }
    }

    /// What stands for it if it is not there, in TOML.
    pub(crate) const fn default(self, value: &'static str) -> Field {
        Field { presence: Presence::Default(value), ..self }
    }

    /// What happens if it is not there.
    pub(crate) const fn otherwise(self, what: &'static str) -> Field {
        Field { presence: Presence::Otherwise(what), ..self }
    }
}

impl Shape {
    /// All keys.
    pub(crate) fn all(&self) -> Vec<Field> {
        let more = self.more.map(|more| more()).unwrap_or_default();
        self.keys.iter().copied().flatten().copied().chain(more).collect()
    }

    /// The key called `name`.
    pub(crate) fn key(&self, name: &str) -> Option<Field> {
        let own = self.keys.iter().copied().flatten().find(|k| k.name == name).copied();
        own.or_else(|| self.more?().into_iter().find(|k| k.name == name))
    }

    /// True if some rule says that two keys are not there together.
    pub(crate) fn excludes(&self, one: &str, other: &str) -> bool {
        let kinds = || self.more.map(|more| more()).unwrap_or_default();
        self.rules.iter().any(|rule| match rule {
            Rule::NotBoth(keys) => keys.contains(&one) && keys.contains(&other),
            Rule::One(more) => [one, other].iter().all(|w| more.contains(w) || kinds().iter().any(|k| k.name == *w)),
            Rule::Any(_) | Rule::Needs(..) => false,
        })
    }
}

impl Form {
    /// True if a reader may read a value of this form as `other`.
    pub(crate) fn admits(&self, other: &Form) -> bool {
        match (self, other) {
            // Bounds are the reader's second step.
            (Form::Whole(..) | Form::Number(..), Form::Whole(..)) | (Form::Number(..), Form::Number(..)) => true,
            (Form::Both(a), Form::Both(b)) => a.admits(b),
            (Form::List(a, _), Form::List(b, _)) => a.admits(b),
            (Form::Words(_) | Form::Pattern(..) | Form::Word | Form::Measure | Form::Bundle, Form::Text) => true,
            (Form::Either(forms), other) => forms.iter().any(|form| form.admits(other)),
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

#[cfg(test)]
mod tests;
