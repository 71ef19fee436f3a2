//! Where the bars stand, and the bars.

use std::fmt::Write as _;

use svg::node::element::{Definitions, Group, Path, Pattern, Rectangle};

use super::data::Dots;
use super::layout::Layout;
use super::marks::intervals;
use super::ruler::Extent;
use super::style::{HATCHES, Style, px};
use super::{Chart, Kind, Scale};

/// The share of the distance between places that bars fill.
const FILL: f64 = 0.78;

/// How the bars share the horizontal axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Places {
    /// Distance between neighbouring places, in units (decades on a logarithmic axis).
    distance: f64,
    /// How many bars stand at one place.
    abreast: usize,
    /// Which of them a series has.
    turn: Vec<usize>,
    log: bool,
}

impl Places {
    pub fn of(chart: &Chart, dots: &[Dots]) -> Self {
        let log = chart.x.scale == Scale::Log;
        let position = |x: f64| if log { libm::log10(x) } else { x };
        let mut places: Vec<f64> = dots.iter().flatten().flatten().map(|dot| position(dot.x)).collect();
        let all = places.len();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let nearest = places.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        let distance = match chart.x.scale {
            Scale::Category(_) => 1.0,
            _ if nearest.is_finite() => nearest,
            _ => 1.0,
        };
        let grouped = chart.kind == Kind::GroupedBars || places.len() < all;
        let abreast = if grouped { dots.iter().filter(|dots| has_any(dots)).count().max(1) } else { 1 };
        let before = |index: usize| dots[..index].iter().filter(|dots| has_any(dots)).count();
        let turn = (0..dots.len()).map(|index| if grouped { before(index) } else { 0 }).collect();
        Self { distance, abreast, turn, log }
    }

    /// The extent with room for the bars at its ends.
    pub fn widen(&self, extent: Option<Extent>) -> Option<Extent> {
        let Extent { low, high } = extent?;
        let half = 0.5 * self.distance;
        Some(if self.log {
            let factor = libm::pow(10.0, half);
            Extent { low: low / factor, high: high * factor }
        } else {
            Extent { low: low - half, high: high + half }
        })
    }
}

fn has_any(dots: &Dots) -> bool {
    dots.iter().any(Option::is_some)
}

/// The fillings of the bars, to be defined once in the document.
pub(super) fn fillings(series: usize) -> Definitions {
    (0..series).fold(Definitions::new(), |definitions, index| {
        let style = Style::new(index);
        let ground = Rectangle::new().set("width", 8).set("height", 8).set("fill", style.color());
        let strokes = Path::new().set("d", HATCHES[style.hatch()]).set("stroke", "#ffffff").set("stroke-width", 1.3);
        let pattern = Pattern::new().set("id", style.fill_id()).set("width", 8).set("height", 8);
        let pattern = pattern.set("patternUnits", "userSpaceOnUse").add(ground);
        definitions.add(if style.hatch() == 0 { pattern } else { pattern.add(strokes) })
    })
}

/// The bars of all series, with their intervals.
pub(super) fn draw(chart: &Chart, dots: &[Dots], layout: &Layout) -> Group {
    let places = Places::of(chart, dots);
    let width = FILL * places.distance * layout.x.unit() * layout.plot.width / places.abreast as f64;
    let mut group = Group::new().set("stroke-width", 1);
    for (index, dots) in dots.iter().enumerate().filter(|(_, dots)| has_any(dots)) {
        let style = Style::new(index);
        let offset = (places.turn[index] as f64 - 0.5 * (places.abreast - 1) as f64) * width;
        // Neighbours in a group have a thin gap between them.
        let drawn = if places.abreast > 1 { (width - 1.5).max(0.5 * width) } else { width };
        let bars = outlines(dots, layout, offset - 0.5 * drawn, drawn);
        let fill = format!("url(#{})", style.fill_id());
        group = group.add(Path::new().set("d", bars).set("fill", fill).set("stroke", style.color()));
        let shifted = |x: f64| layout.x_of(x) + offset;
        if let Some(intervals) = intervals(dots, layout, shifted, (0.3 * drawn).min(4.0)) {
            group = group.add(intervals.set("stroke", super::style::INK).set("stroke-width", 1.2));
        }
    }
    group
}

/// The outlines of bars that begin `left` pixels beside their places and are `width` pixels wide.
fn outlines(dots: &Dots, layout: &Layout, left: f64, width: f64) -> String {
    let mut path = String::new();
    let foot = px(layout.y_of(0.0));
    for dot in dots.iter().flatten() {
        let (x, top) = (layout.x_of(dot.x) + left, layout.y_of(dot.y));
        write!(path, "M{} {foot}V{}H{}V{foot}z", px(x), px(top), px(x + width)).expect("writing to a string");
    }
    path
}

#[cfg(test)]
mod tests {
    use super::super::data::dots;
    use super::super::{Axis, Series};
    use super::*;

    fn places(kind: Kind, x: Axis, series: &[&[f64]]) -> Places {
        let series = series.iter().map(|xs| Series::new("s", xs.iter().map(|x| (*x, 1.0)))).collect();
        let chart = Chart { title: String::new(), x, y: Axis::default(), series, kind, note: None };
        Places::of(&chart, &dots(&chart))
    }

    #[test]
    fn bars_alone_have_their_place_to_themselves() {
        let alone = places(Kind::Bars, Axis::category("", ["a", "b"]), &[&[0.0], &[1.0]]);
        assert_eq!((alone.distance, alone.abreast, alone.turn), (1.0, 1, vec![0, 0]));
        let shared = places(Kind::Bars, Axis::category("", ["a", "b"]), &[&[0.0, 1.0], &[1.0]]);
        assert_eq!((shared.abreast, shared.turn), (2, vec![0, 1]));
    }

    #[test]
    fn series_without_bars_take_no_room() {
        let places = places(Kind::GroupedBars, Axis::linear("", ""), &[&[2.0, 4.0, 10.0], &[f64::NAN], &[4.0]]);
        assert_eq!((places.distance, places.abreast, places.turn[2]), (2.0, 2, 1));
        assert_eq!(places.widen(Some(Extent { low: 2.0, high: 10.0 })), Some(Extent { low: 1.0, high: 11.0 }));
    }

    #[test]
    fn distances_on_a_logarithmic_axis_are_ratios() {
        let places = places(Kind::Bars, Axis::log("", ""), &[&[1.0, 100.0, 10_000.0]]);
        assert_eq!(places.widen(Some(Extent { low: 1.0, high: 10_000.0 })), Some(Extent { low: 0.1, high: 100_000.0 }));
    }
}
