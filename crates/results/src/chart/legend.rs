//! The legend: beside the plot, or below it when its names are long or many. Never on top of the data.

use svg::node::element::{Group, Path, Rectangle};

use super::data::Dots;
use super::font::Font;
use super::frame::text_lines;
use super::marks::Pen;
use super::style::{RADIUS, Style, px};
use super::{Chart, Kind};

/// Size of the names, in pixels.
const SIZE: f64 = 12.5;
/// Distance between the lines of a name, in pixels.
const LINE: f64 = 15.0;
/// Distance between entries, on top of their lines, in pixels.
const GAP: f64 = 6.0;
/// Longest name beside the plot, in pixels; a longer one is broken into lines.
const BESIDE: f64 = 160.0;
/// Longest name below the plot, in pixels.
const BELOW: f64 = 380.0;
/// Distance between columns, in pixels.
const BETWEEN: f64 = 24.0;
/// Greatest height beside the plot, in pixels.
const TALLEST: f64 = 400.0;

/// A name and its place.
struct Entry {
    index: usize,
    lines: Vec<String>,
    x: f64,
    y: f64,
}

/// A legend that is laid out from its own top left corner.
pub(super) struct Legend {
    entries: Vec<Entry>,
    kind: Kind,
    pen: Pen,
    /// Whether it stands beside the plot.
    pub beside: bool,
    pub width: f64,
    pub height: f64,
}

impl Legend {
    /// The legend of a chart, in at most `width` pixels.
    pub fn new(chart: &Chart, dots: &[Dots], font: &Font, width: f64) -> Self {
        let name = |index: usize| {
            let label = chart.series[index].label.trim();
            if dots[index].iter().all(Option::is_none) { format!("{label} (no data)") } else { label.to_owned() }
        };
        let named = (0..chart.series.len()).filter(|index| !chart.series[*index].label.trim().is_empty());
        let names: Vec<_> = named.map(|index| (index, name(index))).collect();
        let pen = Pen::of(chart, dots);
        let beside = Self::columns(chart.kind, pen, &names, font, BESIDE, 1);
        let long = names.iter().any(|(_, name)| font.width(name, SIZE) > 2.0 * BESIDE);
        if !long && beside.height <= TALLEST {
            return Self { beside: true, ..beside };
        }
        let sample = sample_width(chart.kind);
        let widest = font.widest(names.iter().map(|(_, name)| name), SIZE).min(BELOW);
        let columns = ((width + BETWEEN) / (sample + widest + BETWEEN)).floor() as usize;
        let broken_at = if columns > 1 { BELOW } else { width - sample };
        Self::columns(chart.kind, pen, &names, font, broken_at, columns.max(1))
    }

    /// Names broken at `widest` pixels, row by row in a number of columns.
    fn columns(kind: Kind, pen: Pen, names: &[(usize, String)], font: &Font, widest: f64, columns: usize) -> Self {
        let wrapped: Vec<_> = names.iter().map(|(index, name)| (*index, font.wrap(name, SIZE, widest))).collect();
        let width = sample_width(kind) + wrapped.iter().map(|(_, lines)| font.widest(lines, SIZE)).fold(0.0, f64::max);
        let (mut entries, mut y) = (Vec::new(), 0.0);
        for row in wrapped.chunks(columns) {
            for (column, (index, lines)) in row.iter().enumerate() {
                entries.push(Entry { index: *index, lines: lines.clone(), x: column as f64 * (width + BETWEEN), y });
            }
            y += LINE * row.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0) as f64 + GAP;
        }
        let across = columns.min(names.len()) as f64 * (width + BETWEEN) - BETWEEN;
        Self { entries, kind, pen, beside: false, width: across.max(0.0), height: (y - GAP).max(0.0) }
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The legend with its top left corner at (`x`, `y`).
    pub fn draw(&self, x: f64, y: f64) -> Group {
        self.entries.iter().fold(Group::new().set("font-size", SIZE), |group, entry| {
            let (x, y) = (x + entry.x, y + entry.y);
            let text = text_lines(&entry.lines, x + sample_width(self.kind), y + 12.0, LINE);
            group.add(self.sample(Style::new(entry.index), x, y + 7.5)).add(text)
        })
    }

    /// What a series looks like, from `x` and centred on `y`.
    fn sample(&self, style: Style, x: f64, y: f64) -> Group {
        let group = Group::new().set("stroke", style.color());
        if self.kind.is_bars() {
            let bar = Rectangle::new().set("x", px(x)).set("y", px(y - 6.0)).set("width", 20).set("height", 12);
            return group.add(bar.set("fill", format!("url(#{})", style.fill_id())));
        }
        let length = sample_width(self.kind) - 8.0;
        let mut path = String::new();
        style.marker(&mut path, x + 0.5 * length, y, RADIUS);
        let marker = Path::new().set("d", path).set("fill", style.marker_fill()).set("stroke-width", 1.4);
        if self.kind == Kind::Scatter {
            return group.add(marker);
        }
        let line = Path::new().set("d", format!("M{} {}h{length}", px(x), px(y)));
        group.add(self.pen.draw(line, style)).add(marker)
    }
}

/// Room for the sample and the gap to the name, in pixels.
fn sample_width(kind: Kind) -> f64 {
    match kind {
        Kind::Bars | Kind::GroupedBars => 28.0,
        Kind::Scatter => 16.0,
        Kind::Line | Kind::Step | Kind::Cdf => 44.0,
    }
}
