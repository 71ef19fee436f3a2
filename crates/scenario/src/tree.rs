//! A TOML document as an owned tree in which everything knows its place.

use crate::diagnostic::{Log, Place};
use std::ops::Range;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) content: Content,
    pub(crate) place: Place,
}

/// What a value can be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    Bool(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    Date(String),
    List(Vec<Node>),
    Table(Table),
}

/// Keys and values in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    pub(crate) entries: Vec<(Key, Node)>,
}

/// A key, without its quotes, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    pub(crate) text: String,
    pub(crate) place: Place,
}

impl Node {
    /// A short name of its kind for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self.content {
            Content::Bool(_) => "true or false",
            Content::Integer(_) => "a whole number",
            Content::Number(_) => "a number",
            Content::Text(_) => "a string",
            Content::Date(_) => "a date",
            Content::List(_) => "a list",
            Content::Table(_) => "a table",
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn table(&self) -> Option<&Table> {
        match &self.content {
            Content::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The value of a key, if this is a table that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.table()?.get(key)
    }

    /// A list's elements; anything else is its own only element.
    pub(crate) fn elements(&self) -> &[Node] {
        match &self.content {
            Content::List(list) => list,
            _ => std::slice::from_ref(self),
        }
    }

    /// A single value as a person would write it: the label of an axis, the text of a selector.
    pub(crate) fn word(&self) -> Option<String> {
        match &self.content {
            Content::Bool(b) => Some(b.to_string()),
            Content::Integer(i) => Some(i.to_string()),
            Content::Number(n) => Some(n.to_string()),
            Content::Text(text) => Some(text.clone()),
            Content::Date(date) => Some(date.clone()),
            Content::List(_) | Content::Table(_) => None,
        }
    }

    /// Bytes `part` of the text of this node.
    pub(crate) fn inside(&self, part: Range<usize>) -> Place {
        match &self.content {
            Content::Text(text) => self.place.inside(text, part),
            _ => self.place.clone(),
        }
    }

    /// Elements of a list of tables such as `[[workload]]`; reports anything else.
    pub(crate) fn tables(&self, header: &str, log: &Log) -> &[Node] {
        let wrong = |node: &Node| {
            let message = format!("expected tables headed `[[{header}]]`, found {}", node.kind());
            log.report(crate::Diagnostic::at(&node.place, message));
        };
        match &self.content {
            Content::List(list) => {
                list.iter().filter(|n| n.table().is_none()).for_each(wrong);
                list
            }
            Content::Table(_) => {
                let message = format!("expected a list of tables headed `[[{header}]]`, found a single table");
                log.report(crate::Diagnostic::at(&self.place, message).help("write the name in double brackets"));
                &[]
            }
            _ => {
                wrong(self);
                &[]
            }
        }
    }
}

impl Table {
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|(k, _)| k.text == key).map(|(_, node)| node)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries.iter_mut().find(|(k, _)| k.text == key).map(|(_, node)| node)
    }
}
