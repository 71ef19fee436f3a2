//! `--set path=value`: a change of the file from outside.

use crate::diagnostic::{Diagnostic, Log, Place, Source};
use crate::document;
use crate::paths::Path;
use crate::tree::{Content, Node};
use std::sync::Arc;

/// A change of the file from outside, written `path=value` as `--set` takes it.
///
/// The value is TOML where it can be read as TOML (`0.5`, `true`, `[1, 2]`, `"32p"`), otherwise a string as it stands
/// (`32p`, `pcon`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override(pub String);

impl Override {
    /// From `path=value`; mistakes in it are reported when a study is read with it.
    pub fn new(text: impl Into<String>) -> Override {
        Override(text.into())
    }

    /// Path and value, or reports what is wrong.
    pub(crate) fn read(&self, log: &Log) -> Option<(Path, Node)> {
        let source = Arc::new(Source { name: "--set".into(), text: self.0.clone() });
        let whole = Place { source: Arc::clone(&source), span: 0..self.0.len() };
        let Some(equals) = self.0.find('=') else {
            log.report(
                Diagnostic::at(&whole, "a setting has the form `path=value`")
                    .help("as in `--set scheme.recovery.alpha=0.5`"),
            );
            return None;
        };
        let place = Place { source: Arc::clone(&source), span: 0..equals };
        let path = Path::parse(&self.0[..equals], &place, log)?;
        Some((path, value(&source, equals + 1, log)?))
    }
}

fn value(source: &Arc<Source>, start: usize, log: &Log) -> Option<Node> {
    let text = source.text[start..].trim();
    if text.starts_with(['"', '\'', '[', '{']) {
        return document::parse_value(source, start, log);
    }
    let as_toml = document::parse_value(source, start, &Log::default());
    let place = Place { source: Arc::clone(source), span: start..source.text.len() };
    as_toml.or_else(|| Some(Node { content: Content::Text(text.into()), place }))
}
