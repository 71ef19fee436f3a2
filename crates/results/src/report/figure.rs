//! Figures as data for the script, and in words for those who cannot see them.

use crate::chart::{Axis, Chart, Kind, Point, Scale, Series};
use crate::number::significant;
use serde_json::{Value, json};

/// More points of a line than this cannot be told apart on a screen.
const MOST_POINTS: usize = 2000;

/// Significant digits that are kept: more than a screen can show, and a third of the bytes.
const DIGITS: usize = 6;

/// What the script needs to draw the chart.
pub(super) fn data(chart: &Chart) -> Value {
    let kind = match chart.kind {
        Kind::Line => "line",
        Kind::Step => "step",
        Kind::Bars | Kind::GroupedBars => "bars",
        Kind::Cdf => "cdf",
        Kind::Scatter => "scatter",
    };
    let series = |series: &Series| {
        let points: Vec<Value> = thinned(&series.points).into_iter().map(point).collect();
        json!({ "label": series.label, "p": points })
    };
    let series: Vec<Value> = chart.series.iter().map(series).collect();
    json!({ "title": chart.title, "kind": kind, "x": axis(&chart.x), "y": axis(&chart.y), "series": series })
}

/// True if [`data`] leaves points out.
pub(super) fn is_thinned(chart: &Chart) -> bool {
    chart.series.iter().any(|series| series.points.len() > MOST_POINTS)
}

fn axis(axis: &Axis) -> Value {
    let (scale, names) = match &axis.scale {
        Scale::Linear => ("linear", &[][..]),
        Scale::Log => ("log", &[][..]),
        Scale::Category(names) => ("category", names.as_slice()),
    };
    json!({ "label": axis.label, "unit": axis.unit, "scale": scale, "names": names })
}

/// `[x, y]` or `[x, y, low, high]`; what is no number becomes null and leaves a gap.
fn point(point: &Point) -> Value {
    let mut numbers = vec![number(point.x), number(point.y)];
    if let (Some(low), Some(high)) = (point.low, point.high) {
        numbers.extend([number(low), number(high)]);
    }
    Value::Array(numbers)
}

fn number(value: f64) -> Value {
    let rounded: f64 = format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value);
    // Whole numbers without a fraction are shorter.
    if rounded.fract() == 0.0 && rounded.abs() < 1e15 { json!(rounded as i64) } else { json!(rounded) }
}

/// The least and the greatest of each stretch of a long series, so that no peak is lost.
fn thinned(points: &[Point]) -> Vec<&Point> {
    if points.len() <= MOST_POINTS {
        return points.iter().collect();
    }
    let stretch = points.len().div_ceil(MOST_POINTS / 2);
    let ends = |run: &'_ [Point]| {
        let by_height = |a: &usize, b: &usize| run[*a].y.total_cmp(&run[*b].y);
        let mut kept = [(0..run.len()).min_by(by_height).unwrap_or(0), (0..run.len()).max_by(by_height).unwrap_or(0)];
        kept.sort_unstable();
        if kept[0] == kept[1] { kept[..1].to_vec() } else { kept.to_vec() }
    };
    points.chunks(stretch).flat_map(|run| ends(run).into_iter().map(|i| &run[i])).collect()
}

/// The chart in words: what is on the axes, and of each series where it begins and ends, its least and greatest.
pub(super) fn describe(chart: &Chart) -> String {
    let shape = match chart.kind {
        Kind::Line => "Line chart",
        Kind::Step => "Step chart",
        Kind::Bars | Kind::GroupedBars => "Bar chart",
        Kind::Cdf => "Distribution",
        Kind::Scatter => "Scatter chart",
    };
    let mut text = format!("{shape} of {} against {}.", named(&chart.y), named(&chart.x));
    let shown = chart.series.iter().filter(|s| s.points.iter().any(|p| p.y.is_finite()));
    const MOST: usize = 12;
    for series in shown.clone().take(MOST) {
        text.push_str(&format!(" {}", describe_series(series, chart)));
    }
    let more = shown.count().saturating_sub(MOST);
    if more > 0 {
        text.push_str(&format!(" And {more} more series; the data table has all."));
    }
    if is_thinned(chart) {
        text.push_str(" Of long series the least and greatest values of each stretch are drawn.");
    }
    text
}

fn named(axis: &Axis) -> String {
    let label = if axis.label.is_empty() { "values" } else { &axis.label };
    if axis.unit.is_empty() { label.to_lowercase() } else { format!("{} in {}", label.to_lowercase(), axis.unit) }
}

fn describe_series(series: &Series, chart: &Chart) -> String {
    let known: Vec<&Point> = series.points.iter().filter(|p| p.y.is_finite()).collect();
    let x = |point: &Point| match &chart.x.scale {
        Scale::Category(names) => names.get(point.x as usize).cloned().unwrap_or_default(),
        _ => significant(point.x, 4),
    };
    let y = |point: &Point| significant(point.y, 3);
    let label = if series.label.is_empty() { String::new() } else { format!("{}: ", series.label) };
    let (Some(first), Some(last)) = (known.first(), known.last()) else { return format!("{label}no data.") };
    if known.len() <= 4 {
        let pairs: Vec<String> = known.iter().map(|p| format!("{} at {}", y(p), x(p))).collect();
        return format!("{label}{}.", pairs.join(", "));
    }
    let least = known.iter().min_by(|a, b| a.y.total_cmp(&b.y)).unwrap_or(first);
    let most = known.iter().max_by(|a, b| a.y.total_cmp(&b.y)).unwrap_or(first);
    let (first, last) = (format!("{} at {}", y(first), x(first)), format!("{} at {}", y(last), x(last)));
    format!("{label}from {first} to {last}; least {} at {}, greatest {} at {}.", y(least), x(least), y(most), x(most))
}
