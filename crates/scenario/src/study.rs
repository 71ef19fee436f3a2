//! A whole file: a scenario, the axes along which it varies, figures and claims.

use crate::arenas::{self, Arena};
use crate::axes::{self, Variation};
use crate::diagnostic::{Diagnostic, Log, Place, Problems, Source};
use crate::editions::Edition;
use crate::expr::{Bindings, Places};
use crate::files::{Files, Folder, Loader, NoFiles};
use crate::overrides::Override;
use crate::plan::Scenario;
use crate::reader::TableReader;
use crate::tree::Node;
use crate::{claims, document, editions, figures, paths, points};
use std::sync::Arc;

pub use crate::claims::{Claim, Expectation, Part, Tolerance};
pub use crate::figures::{Figure, FigureKind, FigureX, Over};

/// A file that has been read and found right.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// The file's name as the user gave it.
    pub file: String,
    /// Its title; the file's name if it has none.
    pub title: String,
    /// Free text; may be empty.
    pub about: String,
    /// The axes, in the order of the file.
    pub axes: Vec<Axis>,
    /// The figures, in the order of the file.
    pub figures: Vec<Figure>,
    /// The claims, in the order of the file.
    pub claims: Vec<Claim>,
    /// Networks for comparisons of schemes, in the order of the file.
    pub arenas: Vec<Arena>,
    /// The editions that the file has besides the ordinary one.
    pub editions: Vec<Edition>,
    points: Vec<Point>,
    places: Places,
}

/// One direction in which a study varies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Its name in measures and figures.
    pub name: String,
    /// Its values' labels, in the order of the file.
    pub labels: Vec<String>,
}

/// One combination of labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// A label for each axis, in the order of the axes.
    pub labels: Vec<(String, String)>,
    /// What is run there.
    pub scenario: Scenario,
}

impl Study {
    /// Reads a file and checks everything in it.
    ///
    /// # Errors
    /// With all problems that were found.
    pub fn load(path: &std::path::Path, overrides: &[Override]) -> Result<Study, Problems> {
        Study::load_edition(path, Edition::Ordinary, overrides)
    }

    /// Reads a file in one of its editions and checks everything in it.
    ///
    /// # Errors
    /// With all problems that were found.
    pub fn load_edition(path: &std::path::Path, edition: Edition, overrides: &[Override]) -> Result<Study, Problems> {
        let name = path.display().to_string();
        let fail = |message: String| Problems(vec![Diagnostic::new(message)]);
        let bytes = std::fs::read(path).map_err(|error| fail(format!("`{name}` cannot be read: {error}")))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at].iter().filter(|b| **b == b'\n').count() + 1;
            fail(format!("`{name}` is not a text in UTF-8: line {line} has a byte that is none"))
        })?;
        Study::parse_edition(&name, &text, edition, overrides, &Folder::of(path))
    }

    /// Reads a file's text and checks everything in it. `file` is its name for messages. Other files that it names do
    /// not exist; where they do, see [`Study::parse_with`].
    ///
    /// # Errors
    /// With all problems that were found.
    pub fn parse(file: &str, text: &str, overrides: &[Override]) -> Result<Study, Problems> {
        Study::parse_with(file, text, overrides, &NoFiles)
    }

    /// Reads a file's text and checks everything in it, with other files from `files`.
    ///
    /// # Errors
    /// With all problems that were found.
    pub fn parse_with(file: &str, text: &str, overrides: &[Override], files: &dyn Files) -> Result<Study, Problems> {
        Study::parse_edition(file, text, Edition::Ordinary, overrides, files)
    }

    /// Reads a file's text in one of its editions and checks everything in it. `overrides` come after the changes of
    /// the edition. An edition that the file does not have is the ordinary one.
    ///
    /// # Errors
    /// With all problems that were found.
    pub fn parse_edition(
        file: &str,
        text: &str,
        edition: Edition,
        overrides: &[Override],
        files: &dyn Files,
    ) -> Result<Study, Problems> {
        let log = Log::default();
        let source = Arc::new(Source { name: file.into(), text: text.into() });
        match read(&source, edition, overrides, &Loader::new(files), &log) {
            Some(study) => log.finish(study),
            None => Err(log.finish(()).err().unwrap_or_else(|| Problems(vec![defect(&source)]))),
        }
    }

    /// Everything that is run: the product of the axes in the order of the file, the first axis changing slowest.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The point with these labels; axes with a single label may be left out.
    pub fn point(&self, bindings: &Bindings) -> Option<&Point> {
        let single = |axis: &str| self.axes.iter().any(|a| a.name == axis && a.labels.len() == 1);
        let fits = |(axis, label): &(String, String)| bindings.get(axis).map_or(single(axis), |bound| bound == label);
        self.points.iter().find(|point| point.labels.iter().all(fits))
    }

    /// Flows, links and nodes of all points.
    pub fn places(&self) -> &Places {
        &self.places
    }
}

impl Point {
    /// The labels as `axis=label, axis=label`; empty without axes.
    pub fn title(&self) -> String {
        let pairs: Vec<String> = self.labels.iter().map(|(axis, label)| format!("{axis}={label}")).collect();
        pairs.join(", ")
    }
}

fn read(
    source: &Arc<Source>,
    edition: Edition,
    overrides: &[Override],
    files: &Loader<'_>,
    log: &Log,
) -> Option<Study> {
    let mut root = document::parse(source, log)?;
    let mut changes = editions::apply(&mut root, edition, log);
    let set: Vec<(paths::Path, Node)> = overrides.iter().filter_map(|o| o.read(log)).collect();
    set.iter().for_each(|(path, value)| paths::assign(&mut root, path, value, log));
    changes.extend(set);
    of_tree(source, &root, &changes, files, log)
}

/// The study in a tree to which `changes` have been made.
pub(crate) fn of_tree(
    source: &Arc<Source>,
    root: &Node,
    changes: &[(paths::Path, Node)],
    files: &Loader<'_>,
    log: &Log,
) -> Option<Study> {
    let table = TableReader::new(root, "", &crate::scenario::FILE, log)?;
    let variations = axes::read(&table);
    refuse_idle(source, changes, &variations, log);
    let editions = editions::read(&table);
    let complete = log.count() == 0;
    let points = points::build(root, &variations, complete, files, log);
    // They are made of the same parts: what is wrong with those has been told.
    let arenas = match &points {
        Some(_) => arenas::read(&table, root, &variations, files, log),
        None => vec![],
    };
    let axes: Vec<Axis> = variations.into_iter().map(|v| v.axis).collect();
    let places = points.as_deref().map(points::places);
    let words = figures::Words { axes: &axes, places: places.as_ref(), points: points.as_deref() };
    let (figures, claims) = (figures::read(&table, &words), claims::read(&table, &words));
    let title = table.get("title").unwrap_or_else(|| source.name.clone());
    let about = table.get("about").unwrap_or_default();
    Some(Study {
        file: source.name.clone(),
        title,
        about,
        axes,
        figures,
        claims,
        arenas,
        editions,
        points: points?,
        places: places?,
    })
}

/// Refuses changes (by `--set`, or by an edition of the file) of a path that an axis sets again at every point.
fn refuse_idle(file: &Arc<Source>, changes: &[(paths::Path, Node)], variations: &[Variation], log: &Log) {
    for (path, value) in changes {
        let mut undoing = variations.iter().filter_map(|v| Some((&v.axis.name, v.undoes(path, value)?)));
        let (Some((name, own)), Some(first)) = (undoing.next(), path.steps.first()) else { continue };
        let inside = Arc::ptr_eq(&first.place.source, file);
        let all = Place { source: Arc::clone(&first.place.source), span: 0..first.place.source.text.len() };
        let place = if inside { first.place.clone() } else { all };
        let problem =
            Diagnostic::at(&place, format!("this has no effect: the axis `{name}` sets `{own}` at every point"));
        log.report(problem.help(match inside {
            true => format!("change the axis, as in `\"vary.{name}.values\" = [..]`"),
            false => format!("change the axis, as in `--set vary.{name}.values=[..]`"),
        }));
    }
}

/// For the case that must not happen: nothing was read, and nobody said why.
fn defect(source: &Arc<Source>) -> Diagnostic {
    let place = Place { source: Arc::clone(source), span: 0..0 };
    Diagnostic::at(&place, "this file could not be read, for no known reason")
        .note("this is a defect of Weir; please report it with the file")
}
