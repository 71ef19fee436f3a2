//! The bundled font: how wide a text is, and where to break it.

use skrifa::charmap::Charmap;
use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::{FontRef, MetadataProvider as _};

/// DejaVu Sans, cut down to what figures need; see `font/README.md`.
pub(super) const DATA: &[u8] = include_bytes!("../../font/DejaVuSans-subset.ttf");

/// The families asked for in SVG: the bundled one, then what is likely to be at hand.
pub(super) const FAMILY: &str = "DejaVu Sans, Helvetica, Arial, sans-serif";

/// The distance between lines of text, in sizes of the font.
pub(super) const LINE: f64 = 1.25;

/// Measures text as the renderer sets it.
pub(super) struct Font {
    characters: Charmap<'static>,
    metrics: GlyphMetrics<'static>,
}

impl Font {
    pub fn new() -> Self {
        let font = FontRef::new(DATA).expect("the bundled font is a font");
        // Metrics at size 1 are in units of the font size.
        let metrics = font.glyph_metrics(Size::new(1.0), LocationRef::default());
        Self { characters: font.charmap(), metrics }
    }

    /// Width of `text` in pixels, set in `size` pixels.
    pub fn width(&self, text: &str, size: f64) -> f64 {
        let advance = |character| {
            let glyph = self.characters.map(character).unwrap_or_default();
            f64::from(self.metrics.advance_width(glyph).unwrap_or(0.0))
        };
        size * text.chars().map(advance).sum::<f64>()
    }

    /// Width of the widest of `texts`.
    pub fn widest<'a>(&self, texts: impl IntoIterator<Item = &'a String>, size: f64) -> f64 {
        texts.into_iter().map(|text| self.width(text, size)).fold(0.0, f64::max)
    }

    /// `text` in lines no wider than `width` pixels, broken between words and, where one word is wider, within it.
    pub fn wrap(&self, text: &str, size: f64, width: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace().flat_map(|word| self.pieces(word, size, width)) {
            match lines.last_mut() {
                Some(line) if self.width(line, size) + self.width(" ", size) + self.width(&word, size) <= width => {
                    line.push(' ');
                    line.push_str(&word);
                }
                _ => lines.push(word),
            }
        }
        lines
    }

    /// `word` in pieces no wider than `width` pixels, of at least one character each.
    fn pieces(&self, word: &str, size: f64, width: f64) -> Vec<String> {
        let mut pieces = vec![String::new()];
        for character in word.chars() {
            let last = pieces.last_mut().expect("never empty");
            let fits = self.width(last, size) + self.width(character.encode_utf8(&mut [0; 4]), size) <= width;
            if fits || last.is_empty() { last.push(character) } else { pieces.push(character.to_string()) }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_font() {
        let font = Font::new();
        // DejaVu Sans advances 1303 of 2048 units for a digit.
        assert!((font.width("00", 2048.0) - 2606.0).abs() < 0.01);
        assert_eq!(font.width("", 12.0), 0.0);
        for character in "Δµ×10⁻³ ≤ ½ − … ü é → ✓".chars().filter(|c| !c.is_whitespace()) {
            assert!(font.characters.map(character).is_some(), "{character} is in the font");
        }
    }

    #[test]
    fn wraps_between_and_within_words() {
        let font = Font::new();
        let lines = font.wrap("some words and a_very_long_identifier_indeed", 10.0, 80.0);
        assert!(lines.len() >= 4, "{lines:?}");
        assert_eq!(lines.concat().replace(' ', ""), "somewordsanda_very_long_identifier_indeed");
        assert!(lines.iter().all(|line| font.width(line, 10.0) <= 80.0), "{lines:?}");
        assert_eq!(font.wrap("ab", 10.0, 0.0), ["a", "b"]);
        assert!(font.wrap("  ", 10.0, 80.0).is_empty());
    }
}
