//! `[quick]` and `[full]`: what a study changes of itself for a quick look, or to have its paper's own size.

use crate::diagnostic::Log;
use crate::paths::{self, Path};
use crate::reader::TableReader;
use crate::scenario::FILE;
use crate::shape::Form;
use crate::tree::Node;

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

/// Keys of a file that an edition cannot change: words for readers, and what makes variants of the file itself.
const FIXED: [&str; 5] = ["title", "about", "compare", "quick", "full"];

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
        paths::settings(node, "an edition", &changeable(), root.log);
        true
    };
    [Edition::Quick, Edition::Full].into_iter().filter(found).collect()
}

/// Makes the changes of an edition to the tree of a file, and answers with what they were.
pub(crate) fn apply(root: &mut Node, edition: Edition, log: &Log) -> Vec<(Path, Node)> {
    let node = edition.key().and_then(|key| root.get(key)).cloned();
    // What is wrong in the table itself is told when the file is read.
    let changes =
        node.map(|node| paths::settings(&node, "an edition", &changeable(), &Log::default())).unwrap_or_default();
    changes.iter().for_each(|(path, value)| paths::assign(root, path, value, log));
    changes
}

/// Keys of a file that an edition can change.
fn changeable() -> Vec<&'static str> {
    FILE.keys.iter().copied().flatten().map(|field| field.name).filter(|key| !FIXED.contains(key)).collect()
}
