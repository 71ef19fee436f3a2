//! TOML text to a tree of nodes.

use crate::diagnostic::{Diagnostic, Log, Place, Source};
use crate::tree::{Content, Key, Node, Table};
use std::ops::Range;
use std::sync::Arc;
use toml::de::{DeTable, DeValue, Error};

/// Keys with more parts are refused: each part is a table in a table, and the parser's stack has an end.
const MOST_PARTS: usize = 500;

/// Of syntax errors only the first are told; the others are likely to follow from them.
const MOST_ERRORS: usize = 20;

/// The whole document; `None` if it is not TOML.
pub(crate) fn parse(source: &Arc<Source>, log: &Log) -> Option<Node> {
    let reader = Reader { source, offset: 0, log };
    if let Some(span) = endless_key(&source.text) {
        let message = format!("this has more than {MOST_PARTS} parts with dots between");
        log.report(Diagnostic::at(&reader.place(span), message));
        return None;
    }
    let (table, errors) = DeTable::parse_recoverable(&source.text);
    errors.iter().take(MOST_ERRORS).for_each(|error| reader.syntax(error));
    let whole = reader.place(0..0);
    let table = reader.table(table.get_ref());
    errors.is_empty().then_some(Node { content: Content::Table(table), place: whole })
}

/// A piece of the text that may be a key with too many parts.
fn endless_key(text: &str) -> Option<Range<usize>> {
    let mut start = 0;
    for piece in text.split(['\n', '=', ',', '[', ']', '{', '}', '#']) {
        if piece.matches('.').count() > MOST_PARTS {
            return Some(start..start + piece.len());
        }
        start += piece.len() + 1;
    }
    None
}

/// One value that stands in `source` from byte `offset` to its end; `None` if that is not a TOML value.
pub(crate) fn parse_value(source: &Arc<Source>, offset: usize, log: &Log) -> Option<Node> {
    let (value, errors) = DeValue::parse_recoverable(&source.text[offset..]);
    let reader = Reader { source, offset, log };
    errors.iter().for_each(|error| reader.syntax(error));
    errors.is_empty().then(|| reader.node(value.get_ref(), value.span()))
}

/// Turns the parser's tree into ours.
struct Reader<'a> {
    source: &'a Arc<Source>,
    offset: usize,
    log: &'a Log,
}

impl Reader<'_> {
    fn place(&self, span: Range<usize>) -> Place {
        Place { source: Arc::clone(self.source), span: span.start + self.offset..span.end + self.offset }
    }

    fn table(&self, table: &DeTable<'_>) -> Table {
        let mut entries: Vec<(Key, Node)> = table
            .iter()
            .map(|(key, value)| {
                let text = key.get_ref().to_string();
                (Key { text, place: self.place(key.span()) }, self.node(value.get_ref(), value.span()))
            })
            .collect();
        // The parser sorts by name; the order of the file is what people mean.
        entries.sort_by_key(|(key, _)| key.place.span.start);
        Table { entries }
    }

    fn node(&self, value: &DeValue<'_>, span: Range<usize>) -> Node {
        let place = self.place(span);
        let content = match value {
            DeValue::String(text) => Content::Text(text.to_string()),
            DeValue::Boolean(b) => Content::Bool(*b),
            DeValue::Integer(i) => self.integer(i.as_str(), i.radix(), &place),
            DeValue::Float(f) => Content::Number(f.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Datetime(date) => Content::Date(date.to_string()),
            DeValue::Array(list) => Content::List(list.iter().map(|v| self.node(v.get_ref(), v.span())).collect()),
            DeValue::Table(table) => Content::Table(self.table(table)),
        };
        Node { content, place }
    }

    fn integer(&self, digits: &str, radix: u32, place: &Place) -> Content {
        let integer = i64::from_str_radix(digits, radix).unwrap_or_else(|_| {
            self.log.report(Diagnostic::at(place, "this number is too large").note("whole numbers have up to 63 bits"));
            0
        });
        Content::Integer(integer)
    }

    fn syntax(&self, error: &Error) {
        let end = self.source.text.len() - self.offset;
        let place = self.place(error.span().unwrap_or(end..end));
        self.log.report(match (unquoted(&place), error.message()) {
            (Some(word), _) => {
                let problem = Diagnostic::at(&word, format!("`{}` is neither a number nor a string", word.text()));
                problem.help(format!("quantities and words stand in quotes: \"{}\"", word.text()))
            }
            (None, "duplicate key") => Diagnostic::at(&place, format!("`{}` is defined twice", place.text())),
            (None, "invalid basic string, expected `\"`") => {
                Diagnostic::at(&place, "this string has no quote at its end")
            }
            (None, message) => Diagnostic::at(&place, format!("this is not valid TOML: {message}")),
        });
    }
}

/// The word around `place`, if it is the value of a key and a pair of quotes would make it a string.
fn unquoted(place: &Place) -> Option<Place> {
    let text = &place.source.text;
    let before = text.get(..place.span.start)?;
    let start = before.rfind(['=', '\n', ',', '[']).filter(|i| before[*i..].starts_with('='))? + 1;
    let rest = text[start..].lines().next()?.split(['#', ',', ']', '}']).next()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/% ".contains(c);
    let word = rest.trim();
    let first = start + rest.len() - rest.trim_start().len();
    let place = Place { source: Arc::clone(&place.source), span: first..first + word.len() };
    (!word.is_empty() && word.chars().all(plain)).then_some(place)
}
