//! The part of a chart's data that can be drawn, and the rulers it needs.

use super::bars::Places;
use super::ruler::{Extent, Reach, Ruler, drawable};
use super::{Chart, Kind, Point};

/// The points of one series that have a position; `None` where one of the chart has not.
pub(super) type Dots = Vec<Option<Point>>;

/// What can be drawn of each series.
pub(super) fn dots(chart: &Chart) -> Vec<Dots> {
    let dot = |point: &Point| {
        let end = |end: Option<f64>| end.filter(|end| end.is_finite());
        Some(Point {
            x: drawable(&chart.x.scale, point.x)?,
            y: drawable(&chart.y.scale, point.y)?,
            low: end(point.low),
            high: end(point.high),
        })
    };
    chart.series.iter().map(|series| series.points.iter().map(dot).collect()).collect()
}

/// The ruler of the horizontal axis, with about `count` ticks.
pub(super) fn x_ruler(chart: &Chart, dots: &[Dots], count: usize) -> Ruler {
    let reach = if chart.kind == Kind::Scatter { Reach::Tick } else { Reach::Snug };
    let extent = Extent::of(dots.iter().flatten().flatten().map(|dot| dot.x));
    let extent = if chart.kind.is_bars() { Places::of(chart, dots).widen(extent) } else { extent };
    Ruler::new(&chart.x.scale, extent, reach, count)
}

/// The ruler of the vertical axis, with about `count` ticks.
pub(super) fn y_ruler(chart: &Chart, dots: &[Dots], count: usize) -> Ruler {
    let reach = match chart.kind {
        Kind::Cdf => Reach::Unit,
        Kind::Bars | Kind::GroupedBars => Reach::Zero,
        Kind::Line | Kind::Step | Kind::Scatter => Reach::Tick,
    };
    let heights = |dot: &Point| [Some(dot.y), dot.low, dot.high];
    let heights = dots.iter().flatten().flatten().flat_map(heights).flatten();
    let extent = Extent::of(heights.filter_map(|height| drawable(&chart.y.scale, height)));
    Ruler::new(&chart.y.scale, extent, reach, count)
}
