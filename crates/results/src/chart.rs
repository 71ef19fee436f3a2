//! Figures: a neutral description of a chart, and its picture as SVG and PNG.
//!
//! The chart is drawn once, as SVG; the PNG is a rendering of that SVG with the font that comes with this crate, so
//! both are the same picture. The drawing is our own because the chart libraries at hand round to whole pixels (which
//! shows in print), keep the legend on top of the data, or cannot tell series apart without colour.

mod bars;
mod data;
mod font;
mod frame;
mod layout;
mod legend;
mod marks;
mod png;
mod ruler;
mod style;
mod thin;

use std::path::Path;

use crate::files::{FileError, write_atomic};

/// A figure: what is on its axes and the series drawn in it.
///
/// Anything that cannot be drawn is left out without an error: NaN and infinite numbers, numbers beyond ±10³⁰⁰, and on
/// a logarithmic axis what is not positive. A point left out of a line leaves a gap in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Heading of the figure; may be empty.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, in the order of the legend.
    pub series: Vec<Series>,
    /// How the series are drawn.
    pub kind: Kind,
    /// A line in small print below the figure.
    pub note: Option<String>,
}

/// One axis of a [`Chart`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Axis {
    /// What is on the axis, for example `Full delay`.
    pub label: String,
    /// Unit of the numbers, for example `ms`; empty where there is none.
    pub unit: String,
    /// How numbers become positions.
    pub scale: Scale,
}

impl Axis {
    /// A linear axis.
    pub fn linear(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { label: label.into(), unit: unit.into(), scale: Scale::Linear }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { label: label.into(), unit: unit.into(), scale: Scale::Log }
    }

    /// An axis of names: the coordinate 0 is the first.
    pub fn category(label: impl Into<String>, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Self { label: label.into(), unit: String::new(), scale: Scale::Category(names) }
    }
}

/// How the numbers of an axis become positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equal distances.
    #[default]
    Linear,
    /// Equal ratios are equal distances.
    Log,
    /// Names in a row: the coordinate is the index of the name.
    Category(Vec<String>),
}

/// How the series of a chart are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Straight lines from point to point.
    Line,
    /// A value that holds until the next point.
    Step,
    /// A bar for each point. Series with bars at the same place share it, as in [`Kind::GroupedBars`].
    Bars,
    /// A group of bars at each place, one bar for each series.
    GroupedBars,
    /// Distribution functions: steps from 0 to 1 (see [`Series::cdf`]).
    Cdf,
    /// Points that are not connected.
    Scatter,
}

impl Kind {
    fn is_bars(self) -> bool {
        matches!(self, Self::Bars | Self::GroupedBars)
    }
}

/// A named row of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Name in the legend; a series without a name is not in the legend.
    pub label: String,
    /// The points, in the order in which a line connects them.
    pub points: Vec<Point>,
}

impl Series {
    /// A series of points without intervals, given as (x, y).
    pub fn new(label: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self { label: label.into(), points: points.into_iter().map(|(x, y)| Point::new(x, y)).collect() }
    }

    /// The empirical distribution function of `samples`: at each distinct value the share (0 to 1) of samples that are
    /// not greater. Samples which are not finite are left out.
    pub fn cdf(label: impl Into<String>, samples: &[f64]) -> Self {
        let mut sorted: Vec<f64> = samples.iter().copied().filter(|sample| sample.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let last_of_its_kind = |index: usize| sorted.get(index + 1) != Some(&sorted[index]);
        let ends = (0..sorted.len()).filter(|index| last_of_its_kind(*index));
        Self::new(label, ends.map(|index| (sorted[index], (index + 1) as f64 / sorted.len() as f64)))
    }
}

/// A point of a series, in the units of the axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Horizontal coordinate; on a category axis the index of the name.
    pub x: f64,
    /// Vertical coordinate.
    pub y: f64,
    /// Lower end of an interval around `y`, for example of its confidence interval.
    pub low: Option<f64>,
    /// Upper end of that interval.
    pub high: Option<f64>,
}

impl Point {
    /// A point without an interval.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, low: None, high: None }
    }

    /// A point with the interval `y` ± `half`; without one where `half` is `None`.
    pub fn with_interval(x: f64, y: f64, half: Option<f64>) -> Self {
        Self { x, y, low: half.map(|half| y - half), high: half.map(|half| y + half) }
    }
}

/// The chart as an SVG document.
pub fn svg(chart: &Chart) -> String {
    frame::document(chart)
}

/// The chart as a PNG image: [`svg()`] at two pixels to the unit.
///
/// # Errors
///
/// When the renderer rejects the document, which would be a defect here.
pub fn png(chart: &Chart) -> Result<Vec<u8>, String> {
    png::render(&svg(chart))
}

/// Writes [`svg()`] to a file, in one step.
///
/// # Errors
///
/// [`FileError`] naming `path` when it cannot be written.
pub fn write_svg(chart: &Chart, path: &Path) -> Result<(), FileError> {
    write_atomic(path, svg(chart).as_bytes())
}

/// Writes [`png()`] to a file, in one step.
///
/// # Errors
///
/// [`FileError`] naming `path` when the picture cannot be rendered or written.
pub fn write_png(chart: &Chart, path: &Path) -> Result<(), FileError> {
    let bytes = png(chart).map_err(|cause| FileError::new(path, cause))?;
    write_atomic(path, &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_function_counts_equal_samples_once() {
        let series = Series::cdf("d", &[3.0, 1.0, f64::NAN, 2.0, 1.0]);
        assert_eq!(series, Series::new("d", [(1.0, 0.5), (2.0, 0.75), (3.0, 1.0)]));
        assert!(Series::cdf("none", &[]).points.is_empty());
    }

    #[test]
    fn intervals() {
        let point = Point::with_interval(1.0, 5.0, Some(2.0));
        assert_eq!((point.low, point.high), (Some(3.0), Some(7.0)));
        assert_eq!(Point::with_interval(1.0, 5.0, None), Point::new(1.0, 5.0));
    }
}
