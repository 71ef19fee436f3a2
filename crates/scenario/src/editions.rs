//! `[quick]` and `[full]`: what a study changes of itself for a quick look, or to have its paper's own size.

use crate::diagnostic::{Diagnostic, Log};
use crate::paths::{self, Path};
use crate::reader::{TableReader, refuse};
use crate::scenario::FILE;
use crate::shape::Form;
use crate::tree::{Content, Node};

/// Which edition of a study is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edition {
    /// As the file stands.
    #[default]
    Ordinary,
    /// Changed by what its table `[quick]` says.
    Quick,
    /// Changed by what its table `[full]` says.
    Full,
}

/// What both tables hold.
pub(crate) const FORM: Form = Form::Map(&Form::Anything);

/// Keys of a file that an edition cannot change: words for readers, and the editions themselves.
const FIXED: [&str; 4] = ["title", "about", "quick", "full"];

impl Edition {
    /// The table in which it stands; an ordinary one has none.
    pub(crate) fn key(self) -> Option<&'static str> {
        match self {
            Edition::Ordinary => None,
            Edition::Quick => Some("quick"),
            Edition::Full => Some("full"),
        }
    }
}

/// The editions that a file has besides the ordinary one; mistakes in their tables are reported.
pub(crate) fn read(root: &TableReader<'_>) -> Vec<Edition> {
    let found = |edition: &Edition| {
        let Some(node) = edition.key().and_then(|key| root.node(key)) else { return false };
        settings(node, root.log);
        true
    };
    [Edition::Quick, Edition::Full].into_iter().filter(found).collect()
}

/// Makes the changes of an edition to the tree of a file, and answers with what they were.
pub(crate) fn apply(root: &mut Node, edition: Edition, log: &Log) -> Vec<(Path, Node)> {
    let node = edition.key().and_then(|key| root.get(key)).cloned();
    // What is wrong in the table itself is told when the file is read.
    let changes = node.map(|node| settings(&node, &Log::default())).unwrap_or_default();
    changes.iter().for_each(|(path, value)| paths::assign(root, path, value, log));
    changes
}

/// Paths and values; what is wrong is reported.
fn settings(node: &Node, log: &Log) -> Vec<(Path, Node)> {
    let Some(table) = node.table() else {
        refuse(node, "a table of paths and values", log);
        return vec![];
    };
    let one = |(key, value): &(crate::tree::Key, Node)| {
        let path = Path::parse(&key.text, &key.place, log)?;
        let first = path.steps.first()?;
        let known = || FILE.keys.iter().copied().flatten().map(|field| field.name).filter(|k| !FIXED.contains(k));
        if !known().any(|k| k == first.text) {
            let problem = Diagnostic::at(&first.place, format!("an edition cannot set `{}`", first.text));
            log.report(problem.suggest(&first.text, known()));
            return None;
        }
        let whole = path.steps.len() == 1 && first.text != "scheme" && matches!(value.content, Content::Table(_));
        if whole {
            let message = format!("this would replace the whole of `{}`", first.text);
            let problem = Diagnostic::at(&key.place, message);
            log.report(problem.help(format!("write the path in quotes, as in `\"{}.key\" = value`", first.text)));
            return None;
        }
        Some((path, value.clone()))
    };
    table.entries.iter().filter_map(one).collect()
}
