//! Problems of a file, shown as a compiler shows them: file, line, the text underlined, and the nearest right word.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::cell::RefCell;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A text that something was read from: a file, or one `--set`.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// The file's name as the user gave it.
    pub name: String,
    /// What stands in it.
    pub text: String,
}

/// A piece of a source.
#[derive(Clone, PartialEq, Eq)]
pub struct Place {
    /// The source.
    pub source: Arc<Source>,
    /// Bytes of its text.
    pub span: Range<usize>,
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where it is; `None`: nowhere in a text (a file that cannot be read).
    pub place: Option<Place>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// A few words beside the underlined text; may be empty.
    pub label: String,
    /// Other places that matter, each with a few words.
    pub also: Vec<(Place, String)>,
    /// What to do about it.
    pub help: Option<String>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
    /// True if something is absent, rather than there and wrong.
    pub(crate) missing: bool,
}

/// All problems of a file; never empty when returned as an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(pub Vec<Diagnostic>);

impl Place {
    /// Number of the first line, from 1.
    pub fn line(&self) -> usize {
        self.before().matches('\n').count() + 1
    }

    /// Number of the first character in its line, from 1.
    pub fn column(&self) -> usize {
        self.before().chars().rev().take_while(|c| *c != '\n').count() + 1
    }

    /// The underlined text.
    pub fn text(&self) -> &str {
        self.source.text.get(self.span.clone()).unwrap_or_default()
    }

    /// The piece of a TOML string or key here, given by bytes of its `value`.
    pub(crate) fn inside(&self, value: &str, part: Range<usize>) -> Place {
        match crate::strings::positions(self.text(), value) {
            Some(positions) if part.end < positions.len() => {
                let at = |i: usize| self.span.start + positions[i];
                Place { source: Arc::clone(&self.source), span: at(part.start)..at(part.end) }
            }
            _ => self.clone(),
        }
    }

    fn before(&self) -> &str {
        self.source.text.get(..self.span.start).unwrap_or(&self.source.text)
    }

    /// The span as it can be drawn: inside the text, between characters, on one line.
    fn drawn(&self) -> Range<usize> {
        let text = &self.source.text;
        let boundary = |at: usize| (0..=at.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        let start = boundary(self.span.start);
        let end = boundary(self.span.end).max(start);
        let line = text[start..end].find(['\n', '\r']).unwrap_or(end - start);
        start..start + line
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{} {:?}", self.source.name, self.line(), self.column(), self.text())
    }
}

impl Diagnostic {
    /// A problem at a place.
    pub fn at(place: &Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic { place: Some(place.clone()), ..Diagnostic::new(message) }
    }

    /// A problem of no place in particular.
    pub fn new(message: impl Into<String>) -> Diagnostic {
        let message = message.into();
        Diagnostic {
            place: None,
            message,
            label: String::new(),
            also: vec![],
            help: None,
            notes: vec![],
            missing: false,
        }
    }

    /// The name of the source; empty if there is none.
    pub fn file(&self) -> &str {
        self.place.as_ref().map_or("", |p| &p.source.name)
    }

    pub(crate) fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    pub(crate) fn also(mut self, place: &Place, label: impl Into<String>) -> Diagnostic {
        self.also.push((place.clone(), label.into()));
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// Help with the nearest of the right words, or a note with all of them (if they are few enough to read).
    pub(crate) fn suggest<'a>(self, word: &str, known: impl IntoIterator<Item = &'a str>) -> Diagnostic {
        let known: Vec<&str> = known.into_iter().collect();
        match weir_core::nearest(word, known.iter().copied()) {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None if known.is_empty() => self,
            None if known.len() <= 24 => self.note(format!("known here: {}", list(known))),
            None => {
                self.note(format!("known here: {}, and {} more", list(known[..20].iter().copied()), known.len() - 20))
            }
        }
    }

    /// A message of `weir-core`, which carries its hint in one sentence, taken apart.
    pub(crate) fn parse(place: &Place, message: &str) -> Diagnostic {
        let (rest, near) = message.split_once("; did you mean ").unwrap_or((message, ""));
        let (rest, all) = rest.split_once(" (one of ").unwrap_or((rest, ""));
        let unknown = rest.starts_with("unknown");
        let mut diagnostic = Diagnostic::at(place, if unknown { rest.replace('"', "`") } else { rest.into() });
        // Of "a time needs a unit" no word is near to what was meant.
        if !near.is_empty() && !rest.ends_with("needs a unit") {
            diagnostic = diagnostic.help(format!("did you mean {}?", near.trim_end_matches('?').replace('"', "`")));
        }
        if !all.is_empty() {
            diagnostic = diagnostic.note(format!("known here: {}", list(all.trim_end_matches(')').split(", "))));
        }
        diagnostic
    }

    /// As a compiler shows it, without a line break at the end.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let mut group = Group::with_title(Level::ERROR.primary_title(printable(&self.message)));
        if let Some(place) = &self.place {
            let near = self.also.iter().filter(|(other, _)| Arc::ptr_eq(&other.source, &place.source));
            let also = near.map(|(other, label)| AnnotationKind::Context.span(other.drawn()).label(printable(label)));
            let label = (!self.label.is_empty()).then(|| printable(&self.label));
            let snippet = Snippet::source(&*place.source.text).path(printable(&place.source.name));
            let primary = AnnotationKind::Primary.span(place.drawn()).label(label);
            group = group.element(snippet.annotation(primary).annotations(also));
        }
        let help = self.help.iter().map(|help| Level::HELP.message(printable(help)));
        let notes = self.notes.iter().map(|note| Level::NOTE.message(printable(note)));
        renderer.render(&[group.elements(help).elements(notes)])
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl Problems {
    /// All of them as a compiler shows them, a blank line between.
    pub fn render(&self, colour: bool) -> String {
        self.0.iter().map(|d| d.render(colour)).collect::<Vec<_>>().join("\n\n")
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Problems {}

/// Where readers put the problems they find while they go on reading.
#[derive(Debug, Default)]
pub(crate) struct Log(RefCell<Vec<Diagnostic>>);

impl Log {
    pub(crate) fn report(&self, problem: Diagnostic) {
        let mut all = self.0.borrow_mut();
        if !all.contains(&problem) {
            all.push(problem);
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.0.borrow().len()
    }

    pub(crate) fn take(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.0.borrow_mut())
    }

    /// `value` if nothing was reported, otherwise everything, in the order of the file.
    pub(crate) fn finish<T>(self, value: T) -> Result<T, Problems> {
        let mut all = self.0.into_inner();
        if all.is_empty() {
            return Ok(value);
        }
        all.sort_by_key(|d| d.place.as_ref().map(|p| (p.source.name.starts_with("--"), p.span.start)));
        Err(Problems(all))
    }
}

/// Words for a sentence: `a`, `b`, `c`.
pub(crate) fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Control characters would break the drawing.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() }).collect()
}
