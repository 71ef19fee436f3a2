//! How series are told apart: by colour, and without colour by dashes, markers and hatching.

use std::fmt::Write as _;

/// Colours of text, axes and grid.
pub(super) const INK: &str = "#222222";
pub(super) const AXIS: &str = "#444444";
pub(super) const GRID: &str = "#e4e4e4";
pub(super) const MINOR: &str = "#f2f2f2";
pub(super) const QUIET: &str = "#666666";

/// The palette of Okabe and Ito, which colour-blind readers can tell apart; its yellow is last as it is hard to see on
/// white.
const COLORS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#f0e442"];

/// Dash patterns; their number has no factor in common with most counts of colours, so pairs repeat late.
const DASHES: [&str; 7] = ["", "8 3", "2 2.5", "9 3 2 3", "14 4", "9 3 2 3 2 3", "5 2"];

/// Shapes of markers, drawn by [`Style::marker`].
const MARKERS: usize = 8;

/// Radius of a marker, in pixels.
pub(super) const RADIUS: f64 = 4.0;

/// What the hatching of a bar repeats: white strokes in a square of 8 pixels. The first has none.
pub(super) const HATCHES: [&str; 8] = [
    "",
    "M-2 2L2 -2M-2 10L10 -2M6 10L10 6",
    "M-2 6L2 10M-2 -2L10 10M6 -2L10 2",
    "M0 4H8",
    "M4 0V8",
    "M0 0L8 8M0 8L8 0",
    "M0 4H8M4 0V8",
    "M2 2h1.6M6 6h1.6",
];

/// The look of one series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    index: usize,
}

impl Style {
    /// The look of the series with this index in the chart.
    pub fn new(index: usize) -> Self {
        Self { index }
    }

    pub fn color(self) -> &'static str {
        COLORS[self.index % COLORS.len()]
    }

    /// The dash pattern of lines (`stroke-dasharray`); empty for a solid line.
    pub fn dashes(self) -> &'static str {
        DASHES[self.index % DASHES.len()]
    }

    /// Every second series has hollow markers.
    pub fn marker_fill(self) -> &'static str {
        if self.index.is_multiple_of(2) { self.color() } else { "#ffffff" }
    }

    /// Where the marks along a line begin, as a fraction of their distance: elsewhere for each series.
    pub fn phase(self) -> f64 {
        // Multiples of the golden section spread evenly, however many there are.
        (0.5 + 0.618 * self.index as f64).fract()
    }

    /// Which of [`HATCHES`] fills the bars.
    pub fn hatch(self) -> usize {
        self.index % HATCHES.len()
    }

    /// The name by which a bar refers to its filling.
    pub fn fill_id(self) -> String {
        format!("bar-{}", self.index)
    }

    /// Appends a marker at (`x`, `y`) with radius `r` to the data of a path.
    pub fn marker(self, path: &mut String, x: f64, y: f64, r: f64) {
        // Another round of colours has other shapes.
        match (self.index + self.index / COLORS.len()) % MARKERS {
            0 => {
                let (left, across) = (px(x - r), px(2.0 * r));
                write!(path, "M{left} {}a{r} {r} 0 1 0 {across} 0a{r} {r} 0 1 0 -{across} 0z", px(y))
                    .expect("writing to a string");
            }
            1 => polygon(path, x, y, 0.9 * r, &[(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]),
            2 => polygon(path, x, y, 1.15 * r, &[(0.0, -1.0), (0.95, 0.75), (-0.95, 0.75)]),
            3 => polygon(path, x, y, 1.25 * r, &[(0.0, -1.0), (0.8, 0.0), (0.0, 1.0), (-0.8, 0.0)]),
            4 => polygon(path, x, y, 1.15 * r, &[(0.0, 1.0), (0.95, -0.75), (-0.95, -0.75)]),
            5 => {
                polygon(path, x, y, 1.1 * r, &[(0.0, -1.0), (0.95, -0.31), (0.59, 0.81), (-0.59, 0.81), (-0.95, -0.31)])
            }
            6 => polygon(path, x, y, 1.2 * r, &star()),
            _ => polygon(path, x, y, 1.1 * r, &[(-1.0, -0.5), (1.0, -0.5), (1.0, 0.5), (-1.0, 0.5)]),
        }
    }
}

/// Four spikes.
fn star() -> [(f64, f64); 8] {
    let notch = 0.32;
    [
        (0.0, -1.0),
        (notch, -notch),
        (1.0, 0.0),
        (notch, notch),
        (0.0, 1.0),
        (-notch, notch),
        (-1.0, 0.0),
        (-notch, -notch),
    ]
}

/// Appends a closed outline around (`x`, `y`): the corners in units of `r`.
fn polygon(path: &mut String, x: f64, y: f64, r: f64, corners: &[(f64, f64)]) {
    for (index, (dx, dy)) in corners.iter().enumerate() {
        let command = if index == 0 { 'M' } else { 'L' };
        write!(path, "{command}{} {}", px(x + r * dx), px(y + r * dy)).expect("writing to a string");
    }
    path.push('z');
}

/// A coordinate in the document: hundredths of a pixel are enough, and keep it short.
pub(super) fn px(value: f64) -> f64 {
    // + 0.0 makes a zero of a negative zero.
    (value * 100.0).round() / 100.0 + 0.0
}
