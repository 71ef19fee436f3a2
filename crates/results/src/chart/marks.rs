//! Lines, steps, points, bands and error bars.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use svg::node::element::{Group, Path};

use super::data::Dots;
use super::layout::Layout;
use super::style::{RADIUS, Style, px};
use super::thin::thin;
use super::{Chart, Kind, Point};

/// Up to this many points of a line are all marked, and intervals are error bars; beyond it the marks would hide the
/// line, so there are a few along it, and intervals are a band.
const FEW: usize = 30;

/// Distance between the marks on a line of many points, in pixels.
const SPACING: f64 = 70.0;

/// From this many points on, lines are thin and solid: dashes do not show on a jagged line.
const DENSE: usize = 300;

/// How the lines of a chart are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pen {
    /// Width of the line, in pixels.
    width: f64,
    dashed: bool,
}

impl Pen {
    /// The pen for all lines of a chart.
    pub fn of(chart: &Chart, dots: &[Dots]) -> Self {
        // A distribution function of many points is smooth.
        let dense = chart.kind != Kind::Cdf && dots.iter().any(|dots| dots.iter().flatten().count() >= DENSE);
        if dense { Self { width: 1.1, dashed: false } } else { Self { width: 1.8, dashed: true } }
    }

    /// The path of the series with this style, without its colour.
    pub fn draw(self, path: Path, style: Style) -> Path {
        let path = path.set("stroke-width", self.width);
        if self.dashed && !style.dashes().is_empty() { path.set("stroke-dasharray", style.dashes()) } else { path }
    }
}

/// All series of a chart that is not made of bars: first the bands, then the lines, on top of all of them the markers.
pub(super) fn draw(chart: &Chart, dots: &[Dots], layout: &Layout) -> Group {
    let each = || dots.iter().enumerate().map(|(index, dots)| (Style::new(index), dots));
    let mut group = Group::new().set("fill", "none").set("stroke-linejoin", "round");
    for band in each().filter_map(|(style, dots)| band(style, dots, layout)) {
        group = group.add(band);
    }
    for (style, dots) in each() {
        group = group.add(line_of(chart.kind, style, dots, layout));
    }
    for (style, dots) in each() {
        if let Some(markers) = markers(chart.kind, style, dots, layout) {
            let markers = markers.set("stroke", style.color()).set("stroke-width", 1.4);
            group = group.add(markers.set("fill", style.marker_fill()));
        }
    }
    group
}

fn few(dots: &Dots) -> bool {
    dots.iter().flatten().count() <= FEW
}

/// The runs of points between gaps.
fn runs(dots: &Dots) -> impl Iterator<Item = Vec<Point>> {
    dots.split(Option::is_none).filter(|run| !run.is_empty()).map(|run| run.iter().copied().flatten().collect())
}

/// The line of a series with its error bars.
fn line_of(kind: Kind, style: Style, dots: &Dots, layout: &Layout) -> Group {
    let mut group = Group::new().set("stroke", style.color());
    if kind != Kind::Scatter {
        let path: String = runs(dots).map(|run| line(kind, &corners(kind, &run, layout))).collect();
        if !path.is_empty() {
            group = group.add(layout.pen.draw(Path::new().set("d", path), style));
        }
    }
    if few(dots) || kind == Kind::Scatter {
        let bars = intervals(dots, layout, |x| layout.x_of(x), 3.5);
        group = bars.into_iter().fold(group, |group, bars| group.add(bars.set("stroke-width", 1.2)));
    }
    group
}

/// The pixels that a line through `run` connects.
fn corners(kind: Kind, run: &[Point], layout: &Layout) -> Vec<(f64, f64)> {
    let mut corners: Vec<_> = run.iter().map(|point| layout.position(point.x, point.y)).collect();
    if kind == Kind::Cdf {
        // A distribution function is 0 before its first step and stays after its last.
        let (first, last) = (corners[0], corners[corners.len() - 1]);
        corners.insert(0, (layout.plot.x, layout.y_of(0.0)));
        corners.insert(1, (first.0, layout.y_of(0.0)));
        corners.push((layout.plot.right(), last.1));
    }
    corners
}

/// The path along the corners; in steps where the kind has them.
fn line(kind: Kind, corners: &[(f64, f64)]) -> String {
    let steps = matches!(kind, Kind::Step | Kind::Cdf);
    let mut path = String::new();
    for (index, (x, y)) in thin(corners).into_iter().enumerate() {
        let (x, y) = (px(x), px(y));
        match (index, steps) {
            (0, _) => write!(path, "M{x} {y}"),
            (_, true) => write!(path, "H{x}V{y}"),
            (_, false) => write!(path, "L{x} {y}"),
        }
        .expect("writing to a string");
    }
    path
}

/// The markers of a series as one path, `None` when there are none.
fn markers(kind: Kind, style: Style, dots: &Dots, layout: &Layout) -> Option<Path> {
    let positions: Vec<_> = dots.iter().flatten().map(|dot| layout.position(dot.x, dot.y)).collect();
    let (shown, radius) = match kind {
        Kind::Scatter if positions.len() > 1000 => (distinct(&positions), 0.6 * RADIUS),
        Kind::Scatter => (distinct(&positions), RADIUS),
        _ if few(dots) => (positions, RADIUS),
        _ => ([spaced(&positions, style), lonely(dots, layout)].concat(), RADIUS),
    };
    let mut path = String::new();
    for (x, y) in shown {
        style.marker(&mut path, x, y, radius);
    }
    (!path.is_empty()).then(|| Path::new().set("d", path))
}

/// The points between two gaps, which no line makes visible.
fn lonely(dots: &Dots, layout: &Layout) -> Vec<(f64, f64)> {
    let alone = runs(dots).filter(|run| run.len() == 1);
    alone.flatten().map(|point| layout.position(point.x, point.y)).collect()
}

/// The positions without those that cover another to within half a pixel.
fn distinct(positions: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut seen = BTreeSet::new();
    let cell = |(x, y): &(f64, f64)| ((2.0 * x).round() as i64, (2.0 * y).round() as i64);
    positions.iter().copied().filter(|position| seen.insert(cell(position))).collect()
}

/// Positions at equal distances along the horizontal axis; every series begins elsewhere, so that lines which cover
/// each other can still be told apart.
fn spaced(positions: &[(f64, f64)], style: Style) -> Vec<(f64, f64)> {
    let slot = |x: f64| ((x - style.phase() * SPACING) / SPACING).floor();
    let enters = |pair: &&[(f64, f64)]| slot(pair[0].0) != slot(pair[1].0);
    positions.windows(2).filter(enters).map(|pair| pair[1]).collect()
}

/// Error bars with caps that reach `cap` pixels to each side, at the horizontal pixel that `x_of` gives.
pub(super) fn intervals(dots: &Dots, layout: &Layout, x_of: impl Fn(f64) -> f64, cap: f64) -> Option<Path> {
    let mut path = String::new();
    for dot in dots.iter().flatten().filter(|dot| dot.low.is_some() || dot.high.is_some()) {
        let x = x_of(dot.x);
        let (low, high) = (layout.y_of(dot.low.unwrap_or(dot.y)), layout.y_of(dot.high.unwrap_or(dot.y)));
        write!(path, "M{} {}V{}", px(x), px(low), px(high)).expect("writing to a string");
        for end in [dot.low.map(|_| low), dot.high.map(|_| high)].into_iter().flatten() {
            write!(path, "M{} {}H{}", px(x - cap), px(end), px(x + cap)).expect("writing to a string");
        }
    }
    (!path.is_empty()).then(|| Path::new().set("d", path))
}

/// The intervals of a series of many points as a band behind it.
fn band(style: Style, dots: &Dots, layout: &Layout) -> Option<Path> {
    if few(dots) {
        return None;
    }
    let edged: Dots = dots.iter().map(|dot| dot.filter(|dot| dot.low.is_some() && dot.high.is_some())).collect();
    let outline = |run: Vec<Point>| {
        let edge = |end: fn(&Point) -> Option<f64>| {
            let position = |point: &Point| layout.position(point.x, end(point).unwrap_or(point.y));
            thin(&run.iter().map(position).collect::<Vec<_>>())
        };
        let back = edge(|point| point.low).into_iter().rev();
        let around: Vec<_> = edge(|point| point.high).into_iter().chain(back).collect();
        format!("M{}z", around.iter().map(|(x, y)| format!("{} {}", px(*x), px(*y))).collect::<Vec<_>>().join("L"))
    };
    let path: String = runs(&edged).map(outline).collect();
    (!path.is_empty()).then(|| Path::new().set("d", path).set("fill", style.color()).set("fill-opacity", 0.2))
}
