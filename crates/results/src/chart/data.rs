//! The part of a chart's data that can be drawn, and the rulers it needs.

use super::bars::Places;
use super::ruler::{Extent, Reach, Ruler, drawable};
use super::{Chart, Kind, Point, Scale};

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
    let reach = if matches!(chart.kind, Kind::Scatter | Kind::Cdf) { Reach::Tick } else { Reach::Snug };
    let extent = Extent::of(dots.iter().flatten().flatten().map(|dot| dot.x));
    let extent = if chart.kind.is_bars() { Places::of(chart, dots).widen(extent) } else { extent };
    Ruler::new(&chart.x.scale, extent, reach, count)
}

/// The ruler of the horizontal axis of a bar chart that has a number below each place, unless these have names or are
/// too many.
pub(super) fn ruler_of_bars(chart: &Chart, dots: &[Dots]) -> Option<Ruler> {
    if !chart.kind.is_bars() || matches!(chart.x.scale, Scale::Category(_)) {
        return None;
    }
    let mut places: Vec<f64> = dots.iter().flatten().flatten().map(|dot| dot.x).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    (1..=30).contains(&places.len()).then(|| x_ruler(chart, dots, 9).with_ticks_at(&places))
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
    let on_log = chart.kind.is_bars() && chart.y.scale == Scale::Log;
    // A logarithmic axis has no zero for bars to stand on: even the shortest one is to be seen.
    let extent = extent.map(|Extent { low, high }| Extent { low: if on_log { 0.5 * low } else { low }, high });
    Ruler::new(&chart.y.scale, extent, reach, count)
}
