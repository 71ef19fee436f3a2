//! One HTML file that shows a whole experiment: figures that answer, tables that sort, the network, the scenario, and
//! what is needed to repeat it.
//!
//! The file has no links to the outside; style, script and data are in it. Whoever has results describes them in the
//! types here; templates, style and script are files of their own in `crates/results/report`. Without script the page
//! still has all its words, tables and networks, and every figure is described in words.

mod drawing;
mod figure;
mod layout;
mod notes;
mod prose;
mod view;

use crate::chart::Chart;
use crate::files::{FileError, write_atomic};
use crate::score::Claim;
use std::path::Path;

pub use drawing::{Edge, Network, Role, Vertex};

/// Everything that a report shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Heading of the page.
    pub title: String,
    /// What it is about, in a few sentences; may be empty.
    pub about: String,
    /// The papers that the experiments belong to, in the order of their sections; none where they belong to none.
    pub papers: Vec<Paper>,
    /// Experiments, one section each.
    pub studies: Vec<Study>,
    /// Pages about what was used, such as schemes: in Markdown.
    pub pages: Vec<Page>,
    /// How to get the same again.
    pub provenance: Vec<Fact>,
    /// The command that makes the same results.
    pub command: String,
}

/// A paper that experiments belong to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paper {
    /// What [`Study::paper`] calls it.
    pub key: String,
    /// Heading.
    pub title: String,
    /// How it was read and where results deviate, in Markdown. What it says of a claim by its id (`K-17`, `K-20 to
    /// K-25`) in a paragraph or a point of a list is shown beside the claim, if that was not reproduced.
    pub page: String,
    /// Claims that belong to no experiment.
    pub others: Vec<Claim>,
}

/// A name and a value, to be shown side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fact {
    /// What it is.
    pub name: String,
    /// What it amounts to.
    pub value: String,
    /// The [`Page::id`] that says more; empty: none.
    pub page: String,
}

impl Fact {
    /// A fact without a page.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into(), page: String::new() }
    }
}

/// A page of documentation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Unique among the pages: letters, digits, `-`.
    pub id: String,
    /// Heading.
    pub title: String,
    /// Its text, in Markdown.
    pub markdown: String,
}

/// One experiment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Study {
    /// Heading.
    pub title: String,
    /// What it is about; may be empty.
    pub about: String,
    /// The paper it belongs to; empty: none.
    pub paper: String,
    /// Some facts for the head: seeds, digest.
    pub facts: Vec<Fact>,
    /// Tables, the most telling first.
    pub tables: Vec<Grid>,
    /// Figures with their names for files.
    pub figures: Vec<(String, Chart)>,
    /// What was claimed, and what came out.
    pub claims: Vec<Claim>,
    /// The networks in which it took place.
    pub networks: Vec<Network>,
    /// What was set, defaults included.
    pub settings: Vec<Fact>,
    /// Name of the file that describes it.
    pub file: String,
    /// The text of that file, in TOML.
    pub source: String,
}

/// A table for readers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// What it shows.
    pub title: String,
    /// Names and units of the columns.
    pub columns: Vec<(String, String)>,
    /// The rows, a value for each column.
    pub rows: Vec<Vec<Value>>,
    /// Folded away until somebody asks for it.
    pub folded: bool,
}

/// One value of a [`Grid`].
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Words.
    Text(String),
    /// A mean in the unit of the column, and half its 95 % confidence interval.
    Number(f64, Option<f64>),
    /// Not measured.
    Missing,
}

/// The report as HTML. The same report gives the same bytes.
///
/// # Errors
///
/// When the template cannot be filled, which would be a defect here.
pub fn html(report: &Report) -> Result<String, String> {
    view::render(report).map_err(|error| format!("the template of the report: {error:#}"))
}

/// Writes [`html`] to a file, in one step.
///
/// # Errors
///
/// [`FileError`] naming `path` when it cannot be made or written.
pub fn write_html(report: &Report, path: &Path) -> Result<(), FileError> {
    let text = html(report).map_err(|cause| FileError::new(path, cause))?;
    write_atomic(path, text.as_bytes())
}

#[cfg(test)]
mod tests;
