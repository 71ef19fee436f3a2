//! Where everything goes: the plot gets what titles, labels and the legend leave.

use super::data::{self, Dots};
use super::font::{Font, LINE};
use super::legend::Legend;
use super::marks::Pen;
use super::ruler::{Ruler, Tick, times_ten};
use super::{Axis, Chart, Scale};

/// Width of a figure, and its height where nothing in it needs more, in pixels.
const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 560.0;
/// Least height of the plot, in pixels.
const LEAST: f64 = 300.0;
/// Space around the figure, in pixels.
const MARGIN: f64 = 16.0;

/// Sizes of text, in pixels.
pub(super) const TITLE: f64 = 17.0;
pub(super) const NAME: f64 = 14.0;
pub(super) const TICK: f64 = 12.5;
pub(super) const NOTE: f64 = 11.0;

/// Length of the ticks, and the space between them and their labels, in pixels.
pub(super) const TICK_LENGTH: f64 = 5.0;
pub(super) const TICK_GAP: f64 = 4.0;

/// A rectangle, in pixels from the top left of the figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }
}

/// The labels at the ticks of the horizontal axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Labels {
    /// The lines of each label, in the order of the ticks; none for a tick that stays without.
    pub lines: Vec<Vec<String>>,
    /// By how many degrees they are turned, so that they rise to the right.
    pub angle: f64,
    /// Height of the tallest, in pixels.
    pub height: f64,
}

/// A figure of which every measure is settled.
pub(super) struct Layout {
    pub width: f64,
    pub height: f64,
    pub plot: Rect,
    pub x: Ruler,
    pub y: Ruler,
    pub title: Vec<String>,
    pub note: Vec<String>,
    pub x_name: Vec<String>,
    pub y_name: Vec<String>,
    pub x_labels: Labels,
    pub y_labels: Vec<Vec<String>>,
    pub legend: Legend,
    pub pen: Pen,
    /// Where the middle of the title is: over the plot, unless the title is too wide for that.
    pub title_middle: f64,
}

impl Layout {
    pub fn new(chart: &Chart, dots: &[Dots]) -> Self {
        let font = Font::new();
        let inner = WIDTH - 2.0 * MARGIN;
        let title = font.wrap(&chart.title, TITLE, inner);
        let note = font.wrap(chart.note.as_deref().unwrap_or_default(), NOTE, inner);
        let legend = Legend::new(chart, dots, &font, inner);

        let y = data::y_ruler(chart, dots, 6);
        let y_labels: Vec<_> = y.ticks.iter().map(|tick| font.wrap(&tick.label, TICK, 150.0)).collect();
        let y_name = font.wrap(&name(&chart.y, y.exponent), NAME, LEAST);
        let labels = font.widest(y_labels.iter().flatten(), TICK);
        let left = MARGIN + lines(&y_name, NAME) + 8.0 + labels + TICK_GAP + TICK_LENGTH;
        let beside = if legend.beside && !legend.is_empty() { legend.width + 18.0 } else { 12.0 };
        let width = (WIDTH - MARGIN - left - beside).floor();

        let x = x_ruler(chart, dots, &font, width);
        let x_labels = x_labels(chart, &x, &font, left, width);
        let x_name = font.wrap(&name(&chart.x, x.exponent), NAME, width);
        let top = MARGIN + if title.is_empty() { 0.0 } else { lines(&title, TITLE) + 12.0 };
        let below = if legend.beside || legend.is_empty() { 0.0 } else { legend.height + 14.0 };
        let foot = if note.is_empty() { 0.0 } else { lines(&note, NOTE) + 10.0 };
        let name_height = if x_name.is_empty() { 0.0 } else { lines(&x_name, NAME) + 6.0 };
        let bottom = TICK_LENGTH + TICK_GAP + x_labels.height + name_height + below + foot + MARGIN;
        let beside_height = if legend.beside { legend.height } else { 0.0 };
        let height = (HEIGHT - top - bottom).max(LEAST).max(beside_height).floor();
        let plot = Rect { x: left.floor(), y: top.floor(), width, height };
        let height = (plot.bottom() + bottom).ceil().max(HEIGHT);
        let half_title = 0.5 * font.widest(&title, TITLE).min(inner);
        let title_middle = (plot.x + 0.5 * width).clamp(MARGIN + half_title, WIDTH - MARGIN - half_title);
        let pen = Pen::of(chart, dots);
        Self {
            width: WIDTH,
            height,
            plot,
            x,
            y,
            title,
            note,
            x_name,
            y_name,
            x_labels,
            y_labels,
            legend,
            pen,
            title_middle,
        }
    }

    /// The horizontal pixel of a coordinate.
    pub fn x_of(&self, x: f64) -> f64 {
        self.plot.x + self.x.fraction(x) * self.plot.width
    }

    /// The vertical pixel of a coordinate; the foot of the plot for 0 on a logarithmic axis.
    pub fn y_of(&self, y: f64) -> f64 {
        self.plot.bottom() - self.y.fraction(y) * self.plot.height
    }

    /// The pixel of a point.
    pub fn position(&self, x: f64, y: f64) -> (f64, f64) {
        (self.x_of(x), self.y_of(y))
    }

    /// The top of the names below the horizontal axis, in pixels.
    pub fn x_name_top(&self) -> f64 {
        self.plot.bottom() + TICK_LENGTH + TICK_GAP + self.x_labels.height + 6.0
    }

    /// The top of a legend below the plot, in pixels.
    pub fn legend_top(&self) -> f64 {
        self.x_name_top() + lines(&self.x_name, NAME) + if self.x_name.is_empty() { 8.0 } else { 14.0 }
    }

    /// The top of the note, in pixels.
    pub fn note_top(&self) -> f64 {
        self.height - MARGIN - lines(&self.note, NOTE)
    }
}

/// Height of lines of text of a size, in pixels.
fn lines(lines: &[String], size: f64) -> f64 {
    LINE * size * lines.len() as f64
}

/// The name of an axis with its unit, `Full delay (ms)`, and the power of ten of its numbers, `Size (×10³ bytes)`.
fn name(axis: &Axis, exponent: i32) -> String {
    let factor = if exponent == 0 { String::new() } else { times_ten(exponent) };
    let unit = [factor.as_str(), axis.unit.trim()].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>();
    match (axis.label.trim(), unit.join(" ")) {
        (label, unit) if unit.is_empty() => label.to_owned(),
        (label, unit) => format!("{label} ({unit})").trim().to_owned(),
    }
}

/// The horizontal ruler with as many ticks as have room for their labels.
fn x_ruler(chart: &Chart, dots: &[Dots], font: &Font, width: f64) -> Ruler {
    let counted = (1..=9).rev().map(|count| data::x_ruler(chart, dots, count));
    let rulers = data::ruler_of_bars(chart, dots).into_iter().chain(counted);
    let fits = |ruler: &Ruler| {
        let reach = |tick: &Tick| (ruler.fraction(tick.at) * width, 0.5 * font.width(&tick.label, TICK));
        let apart = |pair: &[Tick]| {
            let ((a, half_a), (b, half_b)) = (reach(&pair[0]), reach(&pair[1]));
            b - a >= half_a + half_b + 14.0
        };
        ruler.ticks.windows(2).all(apart)
    };
    let mut rulers = rulers.peekable();
    while let Some(ruler) = rulers.next() {
        if rulers.peek().is_none() || matches!(chart.x.scale, Scale::Category(_)) || fits(&ruler) {
            return ruler;
        }
    }
    unreachable!("the last ruler is always taken")
}

/// The labels of the horizontal axis: level where they fit, else turned.
fn x_labels(chart: &Chart, ruler: &Ruler, font: &Font, left: f64, width: f64) -> Labels {
    let level = |lines: Vec<Vec<String>>| {
        let most = lines.iter().map(Vec::len).max().unwrap_or(0);
        Labels { lines, angle: 0.0, height: LINE * TICK * most as f64 }
    };
    if !matches!(chart.x.scale, Scale::Category(_)) {
        return level(ruler.ticks.iter().map(|tick| vec![tick.label.clone()]).collect());
    }
    let room = width / ruler.ticks.len().max(1) as f64 - 10.0;
    let words = ruler.ticks.iter().flat_map(|tick| tick.label.split_whitespace());
    let wrapped: Vec<_> = ruler.ticks.iter().map(|tick| font.wrap(&tick.label, TICK, room)).collect();
    let fit = words.map(|word| font.width(word, TICK)).all(|word| word <= room);
    if fit && wrapped.iter().all(|lines| lines.len() <= 3) {
        return level(wrapped);
    }
    turned(ruler, font, left, width)
}

/// Labels that are turned, shortened to what is left of them, and left out where there are too many.
fn turned(ruler: &Ruler, font: &Font, left: f64, width: f64) -> Labels {
    let slot = width / ruler.ticks.len().max(1) as f64;
    // Lines of turned text need their height over the sine of the angle.
    let angle: f64 = if slot >= 28.0 { 35.0 } else { 90.0 };
    let every = if angle < 90.0 { 1 } else { (1.1 * TICK / slot).ceil() as usize };
    let (sine, cosine) = (libm::sin(angle.to_radians()), libm::cos(angle.to_radians()));
    let shortened = |tick: &Tick| {
        // A label must not leave the figure to the left.
        let most = ((left + ruler.fraction(tick.at) * width - 4.0) / cosine.max(0.01)).min(170.0);
        shorten(font, &tick.label, most)
    };
    let label = |(index, tick)| if index % every == 0 { vec![shortened(tick)] } else { Vec::new() };
    let lines: Vec<_> = ruler.ticks.iter().enumerate().map(label).collect();
    let height = font.widest(lines.iter().flatten(), TICK) * sine + TICK * cosine;
    Labels { lines, angle, height }
}

/// `text`, with an ellipsis for its middle where it is wider than `width` pixels: names often differ at their end.
fn shorten(font: &Font, text: &str, width: f64) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if font.width(&text, TICK) <= width {
        return text;
    }
    let characters: Vec<char> = text.chars().collect();
    let cut = |kept: usize| {
        let (head, tail) = (&characters[..kept.div_ceil(2)], &characters[characters.len() - kept / 2..]);
        format!("{}…{}", String::from_iter(head).trim_end(), String::from_iter(tail).trim_start())
    };
    let cuts = (1..characters.len()).rev().map(cut);
    cuts.into_iter().find(|cut| font.width(cut, TICK) <= width).unwrap_or_else(|| "…".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Series};
    use super::*;

    /// A chart of lines with names of this many characters.
    fn layout(count: usize, characters: usize) -> Layout {
        let series = |index: usize| Series::new(format!("{index:0characters$}"), [(0.0, 1.0), (1.0, index as f64)]);
        let series = (0..count).map(series).collect();
        let [x, y] = ["x", "y"].map(|label| Axis::linear(label, "s"));
        let chart = Chart { title: String::new(), x, y, series, kind: Kind::Line, note: None };
        Layout::new(&chart, &data::dots(&chart))
    }

    #[test]
    fn the_legend_is_in_the_figure_and_not_on_the_plot() {
        for (count, characters, beside) in [(1, 5, true), (6, 30, true), (3, 60, false), (6, 300, false)] {
            let layout = layout(count, characters);
            let (plot, legend) = (layout.plot, &layout.legend);
            assert_eq!(legend.beside, beside);
            assert!(plot.width > 400.0 && plot.height >= LEAST && plot.right() <= WIDTH - MARGIN + 4.0);
            if beside {
                assert!(plot.right() + legend.width <= WIDTH - MARGIN && plot.y + legend.height <= plot.bottom());
            } else {
                assert!(layout.legend_top() > layout.x_name_top() && legend.width <= WIDTH - 2.0 * MARGIN);
                assert!(layout.legend_top() + legend.height <= layout.height);
            }
        }
    }

    #[test]
    fn an_axis_is_named_with_its_unit() {
        for (label, unit, exponent, text) in [
            ("Full delay", "ms", 0, "Full delay (ms)"),
            ("Packets", "", 3, "Packets (×10³)"),
            ("Rate", "bit/s", 6, "Rate (×10⁶ bit/s)"),
            ("Share", "", 0, "Share"),
            ("", "s", 0, "(s)"),
        ] {
            assert_eq!(name(&Axis::linear(label, unit), exponent), text);
        }
    }

    #[test]
    fn long_labels_are_shortened() {
        let font = Font::new();
        let short = shorten(&font, "a label that is far too long", 80.0);
        assert_eq!(short, "a labe…long");
        assert!(font.width(&short, TICK) <= 80.0, "{short}");
        assert_eq!(shorten(&font, "short", 80.0), "short");
        assert_eq!(shorten(&font, "short", 0.0), "…");
    }
}
