//! Parameters of plug-ins: typed structs whose defaults are the paper's table.
//!
//! [`parameters!`](crate::parameters) writes the struct, its `Default`, and the table that scenario files, `weir show`
//! and the doc pages are checked against.

use crate::{Bytes, Rate, Span};
use std::cmp::Reverse;
use std::fmt;

/// A value as a scenario file gives it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Another number.
    Number(f64),
    /// A string: a quantity with its unit, or a word.
    Text(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "{b}"),
            Value::Integer(i) => write!(f, "{i}"),
            Value::Number(n) => write!(f, "{n}"),
            Value::Text(t) => write!(f, "{t:?}"),
        }
    }
}

/// Settings of one plug-in, in the order of the file.
pub type Settings = Vec<(String, Value)>;

/// What is wrong with a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterError {
    /// The setting's name.
    pub name: String,
    /// What is wrong, with the nearest right thing.
    pub message: String,
    /// True if the name itself is wrong, false if its value is.
    pub unknown: bool,
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)
    }
}

impl std::error::Error for ParameterError {}

/// What values a parameter takes, for programs that check or complete scenario files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueForm {
    /// `true` or `false`.
    Flag,
    /// A whole number, not below 0.
    Whole,
    /// A number.
    Number,
    /// A string of a number and one of these units.
    Quantity(Vec<&'static str>),
    /// One of these strings.
    Words(Vec<&'static str>),
    /// A string that this regular expression matches (ECMA-262).
    Pattern(&'static str),
    /// Any of several forms.
    Either(Vec<ValueForm>),
}

impl ValueForm {
    /// A quantity whose units are in a table such as [`Span::UNITS`].
    pub fn quantity(units: &[(&'static str, f64)]) -> ValueForm {
        ValueForm::Quantity(units.iter().map(|(unit, _)| *unit).collect())
    }
}

/// One row of a parameter table.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterSpec {
    /// Name in scenario files.
    pub name: &'static str,
    /// What a value looks like, such as `number` or `time ("10ms")`.
    pub kind: String,
    /// The same for programs.
    pub form: ValueForm,
    /// The default, as a scenario file would give it.
    pub default: String,
    /// Least and greatest value, in the parameter's base unit (seconds, bit/s, bytes).
    pub range: Option<(f64, f64)>,
    /// What it does.
    pub about: String,
    /// Paper and section, or program, that the default comes from.
    pub source: &'static str,
}

/// A struct of parameters.
pub trait Parameters: Default {
    /// The table.
    fn specs() -> Vec<ParameterSpec>;
    /// Sets one parameter.
    ///
    /// # Errors
    /// If there is none of that name, or the value does not fit.
    fn set(&mut self, name: &str, value: &Value) -> Result<(), ParameterError>;

    /// The defaults with `settings` on top.
    ///
    /// # Errors
    /// At the first setting that does not fit.
    fn with(settings: &Settings) -> Result<Self, ParameterError> {
        let mut parameters = Self::default();
        for (name, value) in settings {
            parameters.set(name, value)?;
        }
        Ok(parameters)
    }
}

/// A type that a parameter can have.
pub trait Parameter: Sized {
    /// Reads a value.
    ///
    /// # Errors
    /// A message that says what was expected.
    fn read(value: &Value) -> Result<Self, String>;
    /// As a scenario file would give it.
    fn show(&self) -> String;
    /// What a value looks like.
    fn kind() -> String;
    /// The same for programs.
    fn form() -> ValueForm;
    /// The value in its base unit, where a range can be checked.
    fn measure(&self) -> Option<f64> {
        None
    }
}

impl Parameter for f64 {
    fn read(value: &Value) -> Result<Self, String> {
        match value {
            Value::Integer(i) => Ok(*i as f64),
            Value::Number(n) if !n.is_nan() => Ok(*n),
            other => Err(format!("expected a number, found {other}")),
        }
    }
    fn show(&self) -> String {
        if self.is_infinite() { "inf".into() } else { format!("{self}") }
    }
    fn kind() -> String {
        "number".into()
    }
    fn form() -> ValueForm {
        ValueForm::Number
    }
    fn measure(&self) -> Option<f64> {
        Some(*self)
    }
}

impl Parameter for u64 {
    fn read(value: &Value) -> Result<Self, String> {
        match value {
            Value::Integer(i) => u64::try_from(*i).map_err(|_| format!("expected a number not below 0, found {i}")),
            other => Err(format!("expected a whole number, found {other}")),
        }
    }
    fn show(&self) -> String {
        self.to_string()
    }
    fn kind() -> String {
        "whole number".into()
    }
    fn form() -> ValueForm {
        ValueForm::Whole
    }
    fn measure(&self) -> Option<f64> {
        Some(*self as f64)
    }
}

impl Parameter for bool {
    fn read(value: &Value) -> Result<Self, String> {
        match value {
            Value::Bool(b) => Ok(*b),
            other => Err(format!("expected true or false, found {other}")),
        }
    }
    fn show(&self) -> String {
        self.to_string()
    }
    fn kind() -> String {
        "true or false".into()
    }
    fn form() -> ValueForm {
        ValueForm::Flag
    }
}

macro_rules! quantity_parameter {
    ($type:ty, $kind:literal, $measure:expr) => {
        impl Parameter for $type {
            fn read(value: &Value) -> Result<Self, String> {
                match value {
                    Value::Text(text) => text.parse(),
                    other => Err(format!("expected a {}, found {other}", $kind)),
                }
            }
            fn show(&self) -> String {
                format!("{:?}", self.to_string())
            }
            fn kind() -> String {
                $kind.into()
            }
            fn form() -> ValueForm {
                ValueForm::quantity(<$type>::UNITS)
            }
            fn measure(&self) -> Option<f64> {
                Some($measure(*self))
            }
        }
    };
}

quantity_parameter!(Span, "time such as \"10ms\"", Span::seconds);
quantity_parameter!(Rate, "rate such as \"10Mbps\"", |r: Rate| r.0 as f64);
quantity_parameter!(Bytes, "size such as \"1500B\"", |b: Bytes| b.0 as f64);

/// The name among `known` that is nearest to `word` by edit distance, if one is near enough to be meant. Among equally
/// near ones the one that begins most like it: words are more often cut short than begun wrong.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let rank = |name: &'a str| (distance(word, name), Reverse(common_prefix(word, name)), name);
    let (distance, _, name) = known.into_iter().map(rank).min()?;
    (distance <= 1 + word.len().max(name.len()) / 3).then_some(name)
}

/// How many letters two words have in common from their beginning, whatever their case.
fn common_prefix(a: &str, b: &str) -> usize {
    let letters = |word: &str| word.chars().flat_map(char::to_lowercase).collect::<Vec<char>>();
    letters(a).iter().zip(letters(b)).take_while(|(a, b)| **a == *b).count()
}

/// Edit distance with transpositions; a change of letter case counts as nothing.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// What both [`parameters!`](crate::parameters) arms share; not for direct use.
#[doc(hidden)]
pub fn read_parameter<P: Parameter>(name: &str, value: &Value, range: Option<(f64, f64)>) -> Result<P, ParameterError> {
    let fail = |message: String| ParameterError { name: name.into(), message, unknown: false };
    let parameter = P::read(value).map_err(fail)?;
    if let (Some((low, high)), Some(measured)) = (range, parameter.measure())
        && !(low..=high).contains(&measured)
    {
        return Err(fail(format!("{name} must be between {low} and {high}, found {value}")));
    }
    Ok(parameter)
}

/// What both [`parameters!`](crate::parameters) arms share; not for direct use.
#[doc(hidden)]
pub fn unknown_parameter(name: &str, specs: &[ParameterSpec]) -> ParameterError {
    let hint = match nearest(name, specs.iter().map(|s| s.name)) {
        Some(near) => format!("; did you mean {near:?}?"),
        None if specs.is_empty() => " (it has none)".into(),
        None => format!("; known are {}", specs.iter().map(|s| s.name).collect::<Vec<_>>().join(", ")),
    };
    ParameterError { name: name.into(), message: format!("unknown parameter {name:?}{hint}"), unknown: true }
}

/// Declares a struct of parameters: doc comment, `name: type = default, range, source`.
///
/// ```
/// weir_core::parameters! {
///     /// Parameters of an additive-increase law.
///     pub struct Law {
///         /// Interests added each round trip.
///         step: f64 = 1.0, Some((0.0, 100.0)), "RFC 5681, section 3.1";
///         /// Ignore congestion marks.
///         ignore_marks: bool = false, None, "ndn-tools";
///     }
/// }
/// # use weir_core::{Parameters, Value};
/// let law = Law::with(&vec![("step".into(), Value::Integer(2))]).unwrap();
/// assert_eq!(law.step, 2.0);
/// assert!(Law::with(&vec![("stpe".into(), Value::Integer(2))]).unwrap_err().message.contains("\"step\""));
/// ```
#[macro_export]
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        pub struct $struct:ident {
            $( $(#[doc = $about:expr])+ $name:ident : $type:ty = $default:expr, $range:expr, $source:literal; )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $struct {
            $( $(#[doc = $about])+ pub $name: $type, )*
        }

        impl Default for $struct {
            fn default() -> Self {
                $struct { $( $name: $default, )* }
            }
        }

        impl $crate::Parameters for $struct {
            fn specs() -> Vec<$crate::ParameterSpec> {
                vec![$( $crate::ParameterSpec {
                    name: stringify!($name),
                    kind: <$type as $crate::Parameter>::kind(),
                    form: <$type as $crate::Parameter>::form(),
                    default: $crate::Parameter::show(&{ let default: $type = $default; default }),
                    range: $range,
                    about: concat!($($about),+).trim().to_string(),
                    source: $source,
                }, )*]
            }

            #[allow(unused_variables, reason = "a struct without parameters reads no value")]
            fn set(&mut self, name: &str, value: &$crate::Value) -> Result<(), $crate::ParameterError> {
                match name {
                    $( stringify!($name) => {
                        self.$name = $crate::read_parameter::<$type>(name, value, $range)?;
                        Ok(())
                    } )*
                    _ => Err($crate::unknown_parameter(name, &<Self as $crate::Parameters>::specs())),
                }
            }
        }
    };
}

/// Declares an enum whose variants are words in scenario files.
///
/// ```
/// weir_core::words! {
///     /// How a face is picked.
///     pub enum Pick {
///         /// At random.
///         Random = "random",
///         /// In turn.
///         Turn = "turn",
///     }
/// }
/// # use weir_core::{Parameter, Value};
/// assert_eq!(Pick::read(&Value::Text("turn".into())), Ok(Pick::Turn));
/// ```
#[macro_export]
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $enum:ident { $( $(#[$vmeta:meta])* $variant:ident = $word:literal, )+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $enum { $( $(#[$vmeta])* $variant, )+ }

        impl $crate::Parameter for $enum {
            fn read(value: &$crate::Value) -> Result<Self, String> {
                let words = [$($word),+];
                match value {
                    $( $crate::Value::Text(word) if word == $word => Ok($enum::$variant), )+
                    other => {
                        let hint = match other {
                            $crate::Value::Text(word) => $crate::nearest(word, words),
                            _ => None,
                        };
                        let hint = hint.map(|w| format!("; did you mean {w:?}?")).unwrap_or_default();
                        Err(format!("expected one of {}, found {other}{hint}", words.map(|w| format!("{w:?}")).join(", ")))
                    }
                }
            }
            fn show(&self) -> String {
                match self { $( $enum::$variant => format!("{:?}", $word), )+ }
            }
            fn kind() -> String {
                [$($word),+].map(|w| format!("{w:?}")).join(" or ")
            }
            fn form() -> $crate::ValueForm {
                $crate::ValueForm::Words(vec![$($word),+])
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_forgives_typing_errors_only() {
        let known = ["window", "delay", "droptail"];
        assert_eq!(nearest("widnow", known), Some("window"));
        assert_eq!(nearest("DropTail", known), Some("droptail"));
        assert_eq!(nearest("banana", known), None);
    }

    #[test]
    fn of_equally_near_words_the_one_with_the_same_beginning_is_meant() {
        assert_eq!(nearest("m", ["h", "min", "ms", "s", "us"]), Some("ms"));
        assert_eq!(nearest("rate", ["date", "fate", "rat"]), Some("rat"));
        assert_eq!(nearest("M", ["h", "ms"]), Some("ms"));
    }

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("", "abc"), 3);
    }
}
