//! Lines and words of a text, with their places.

use std::ops::Range;

/// A piece of a text and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    pub(super) start: usize,
}

impl<'t> Word<'t> {
    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// The words of a line.
    pub(super) fn words(&self) -> Vec<Word<'t>> {
        let mut words = Vec::new();
        let mut at = 0;
        for piece in self.text.split(|c: char| c.is_whitespace()) {
            if !piece.is_empty() {
                words.push(Word { text: piece, start: self.start + at });
            }
            at += piece.len() + self.text[at + piece.len()..].chars().next().map_or(0, char::len_utf8);
        }
        words
    }
}

/// The lines of a text without their ends, whether these are LF or CR LF. A byte order mark is no part of the first.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut start = mark;
    text[mark..].split('\n').map(move |line| {
        let word = Word { text: line.strip_suffix('\r').unwrap_or(line), start };
        start += line.len() + 1;
        word
    })
}
