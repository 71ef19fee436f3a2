//! From numbers to positions along an axis, and the numbers that are printed at it.

use super::Scale;
use crate::number::{significant, trimmed};

/// The magnitudes that are drawn: beyond them, differences and powers of ten leave the range of an `f64`.
const LEAST: f64 = 1e-300;
const GREATEST: f64 = 1e300;

/// `value` if `scale` has a position for it.
pub(super) fn drawable(scale: &Scale, value: f64) -> Option<f64> {
    let value = if value.abs() < LEAST { 0.0 } else { value };
    let fits = value.abs() <= GREATEST
        && match scale {
            Scale::Linear => true,
            Scale::Log => value > 0.0,
            Scale::Category(names) => value > -0.5 && value < names.len() as f64 - 0.5,
        };
    fits.then_some(value)
}

/// The least and the greatest of some numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    pub low: f64,
    pub high: f64,
}

impl Extent {
    /// The extent of `values`, `None` without any.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        values.into_iter().fold(None, |extent: Option<Self>, value| {
            let Self { low, high } = extent.unwrap_or(Self { low: value, high: value });
            Some(Self { low: low.min(value), high: high.max(value) })
        })
    }
}

/// How far an axis reaches beyond its data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reach {
    /// From 0 to 1, whatever the data.
    Unit,
    /// To the next tick, and to 0 in any case.
    Zero,
    /// To the next tick, and to 0 when that is not far from the data.
    Tick,
    /// To the next tick when that is near, else it ends with the data.
    Snug,
}

/// A printed number (or name) at an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    /// The coordinate it stands for.
    pub at: f64,
    pub label: String,
}

/// An axis of which the ends and the ticks are settled.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ruler {
    pub ticks: Vec<Tick>,
    /// Lines between the ticks, without numbers.
    pub minor: Vec<f64>,
    /// The printed numbers are to be multiplied by this power of ten.
    pub exponent: i32,
    log: bool,
    /// The ends, as numbers on the axis (their logarithms on a logarithmic one).
    ends: Extent,
}

impl Ruler {
    /// The ruler for data of an extent with about `count` ticks.
    pub fn new(scale: &Scale, data: Option<Extent>, reach: Reach, count: usize) -> Self {
        match scale {
            Scale::Linear => linear(data, reach, count),
            Scale::Log => logarithmic(data.unwrap_or(Extent { low: 1.0, high: 10.0 }), count),
            Scale::Category(names) => category(names),
        }
    }

    /// The same axis with ticks at `places` and nowhere else.
    pub fn with_ticks_at(self, places: &[f64]) -> Self {
        let ticks = places.iter().map(|at| Tick { at: *at, label: with_minus(&significant(*at, 4)) });
        Self { ticks: ticks.collect(), minor: Vec::new(), exponent: 0, ..self }
    }

    /// Where `value` is, as a fraction of the length of the axis; the nearer end for what is beyond an end.
    pub fn fraction(&self, value: f64) -> f64 {
        let on_axis = if self.log { libm::log10(value.max(LEAST)) } else { value };
        ((on_axis - self.ends.low) / (self.ends.high - self.ends.low)).clamp(0.0, 1.0)
    }

    /// The length of one unit (one decade on a logarithmic axis) as a fraction of the length of the axis.
    pub fn unit(&self) -> f64 {
        1.0 / (self.ends.high - self.ends.low)
    }

    /// Whether 0 is between the ends.
    pub fn crosses_zero(&self) -> bool {
        !self.log && self.ends.low < 0.0 && self.ends.high > 0.0
    }
}

fn category(names: &[String]) -> Ruler {
    let ticks = names.iter().enumerate().map(|(index, name)| Tick { at: index as f64, label: name.clone() });
    let high = names.len().max(1) as f64 - 0.5;
    Ruler { ticks: ticks.collect(), minor: Vec::new(), exponent: 0, log: false, ends: Extent { low: -0.5, high } }
}

/// `10^exponent`, correctly rounded on every platform.
fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().expect("a number in scientific form")
}

/// The exponent of the decade that `value` is in.
fn decade(value: f64) -> i32 {
    let scientific = format!("{:e}", value.abs());
    scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

/// A distance between ticks: `digit` · 10^`exponent`, with a digit of 1, 2 or 5.
#[derive(Clone, Copy, Debug)]
struct Step {
    digit: i32,
    exponent: i32,
}

impl Step {
    /// The least step of which `count` reach over `range` (> 0).
    fn new(range: f64, count: usize) -> Self {
        let least = range / count as f64;
        let exponent = decade(least);
        let digit = least / power_of_ten(exponent);
        // What is a step up to rounding is that step.
        match [1, 2, 5].into_iter().find(|step| digit <= f64::from(*step) * (1.0 + 1e-9)) {
            Some(digit) => Self { digit, exponent },
            None => Self { digit: 1, exponent: exponent + 1 },
        }
    }

    fn value(self) -> f64 {
        f64::from(self.digit) * power_of_ten(self.exponent)
    }

    /// The ticks with numbers `first` to `last`, counted in steps from 0, printed in units of 10^`unit`.
    fn ticks(self, first: f64, last: f64, unit: i32) -> Vec<Tick> {
        let decimals = usize::try_from(unit - self.exponent).unwrap_or(0);
        let scale = power_of_ten(self.exponent - unit);
        let tick = |index: i64| {
            let number = (first + index as f64) * f64::from(self.digit);
            // + 0.0 makes a zero of a negative zero.
            let at = number * power_of_ten(self.exponent) + 0.0;
            Tick { at, label: with_minus(&format!("{:.decimals$}", number * scale + 0.0)) }
        };
        (0..=(last - first) as i64).map(tick).collect()
    }
}

/// The printed form of a number has a real minus sign.
fn with_minus(number: &str) -> String {
    number.replace('-', "−")
}

fn linear(data: Option<Extent>, reach: Reach, count: usize) -> Ruler {
    let Extent { low, high } = reached(data, reach);
    let step = Step::new(high - low, count);
    let size = step.value();
    // A little less than the whole, so that rounding does not add a step.
    let (before, after) = ((low / size + 1e-6).floor(), (high / size - 1e-6).ceil());
    let near = |gap: f64| reach != Reach::Snug || gap * size <= 0.06 * (high - low);
    let (low, first) = if near(low / size - before) { (before * size, before) } else { (low, before + 1.0) };
    let (high, last) = if near(after - high / size) { (after * size, after) } else { (high, after - 1.0) };
    let exponent = shared_exponent(low.abs().max(high.abs()));
    let ticks = step.ticks(first, last, exponent);
    Ruler { ticks, minor: Vec::new(), exponent, log: false, ends: Extent { low, high } }
}

/// The extent that the ticks have to cover; never empty.
fn reached(data: Option<Extent>, reach: Reach) -> Extent {
    let Some(Extent { mut low, mut high }) = data.filter(|_| reach != Reach::Unit) else {
        return Extent { low: 0.0, high: 1.0 };
    };
    let spans = |low: f64, high: f64| high - low > 1e-9 * low.abs().max(high.abs());
    // Zero is not far when the data fill at least half of what is then shown.
    let near_zero = low.abs().min(high.abs()) <= 0.5 * low.abs().max(high.abs());
    if reach == Reach::Zero || (reach == Reach::Tick && near_zero) {
        (low, high) = (low.min(0.0), high.max(0.0));
    }
    if !spans(low, high) {
        let margin = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
        (low, high) = (if low == 0.0 { 0.0 } else { low - margin }, high + margin);
    }
    Extent { low, high }
}

/// The power of ten (a multiple of 3) that long numbers up to `greatest` are printed in units of; 0 for short ones.
fn shared_exponent(greatest: f64) -> i32 {
    if greatest == 0.0 || (0.01..1e5).contains(&greatest) { 0 } else { decade(greatest).div_euclid(3) * 3 }
}

fn logarithmic(data: Extent, count: usize) -> Ruler {
    let (first, last) = (one_two_five(data.low, false), one_two_five(data.high, true));
    let ends = Extent { low: libm::log10(first), high: libm::log10(last) };
    let ends = if ends.high > ends.low { ends } else { Extent { low: ends.low - 0.5, high: ends.high + 0.5 } };
    let (low, high) = (libm::floor(ends.low + 1e-9) as i32, libm::floor(ends.high + 1e-9) as i32);
    let within = |value: f64| {
        let at = libm::log10(value);
        at > ends.low - 1e-9 && at < ends.high + 1e-9
    };
    let plain = low >= -3 && high <= 4;
    let stride = usize::try_from(high - low).unwrap_or(0) / (count + 2) + 1;
    let digits: &[i32] = if ends.high - ends.low <= 2.8 { &[1, 2, 5] } else { &[1] };
    let decades = (low..=high).step_by(stride);
    let marks = decades.flat_map(|exponent| digits.iter().map(move |digit| Step { digit: *digit, exponent }));
    let ticks = marks.filter(|mark| within(mark.value())).map(|mark| log_tick(mark, plain)).collect();
    let between = (low..=high).flat_map(|exponent| (2..10).map(move |digit| Step { digit, exponent }.value()));
    let minor = if high - low <= 4 { between.filter(|value| within(*value)).collect() } else { Vec::new() };
    Ruler { ticks, minor, exponent: 0, log: true, ends }
}

/// The nearest 1, 2 or 5 times a power of ten that is not less (`up`) or not greater than `value` (> 0).
fn one_two_five(value: f64, up: bool) -> f64 {
    let exponent = decade(value);
    let candidates = [1, 2, 5, 10].map(|digit| Step { digit, exponent }.value());
    let slack = 1e-9 * value;
    if up {
        candidates.into_iter().find(|candidate| *candidate >= value - slack).unwrap_or(value)
    } else {
        candidates.into_iter().rev().find(|candidate| *candidate <= value + slack).unwrap_or(value)
    }
}

fn log_tick(mark: Step, plain: bool) -> Tick {
    let label = match (plain, mark.digit) {
        (true, _) => {
            let decimals = usize::try_from(-mark.exponent).unwrap_or(0);
            trimmed(&format!("{:.decimals$}", mark.value())).to_owned()
        }
        (false, 1) => format!("10{}", raised(mark.exponent)),
        (false, digit) => format!("{digit}{}", times_ten(mark.exponent)),
    };
    Tick { at: mark.value(), label }
}

/// `×10⁶` and the like.
pub(super) fn times_ten(exponent: i32) -> String {
    format!("×10{}", raised(exponent))
}

/// A number in superscript.
fn raised(number: i32) -> String {
    let raise = |character: char| match character {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        // The others are in one block of Unicode.
        digit => digit.to_digit(10).and_then(|digit| char::from_u32('⁰' as u32 + digit)).unwrap_or(digit),
    };
    number.to_string().chars().map(raise).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruler(scale: &Scale, low: f64, high: f64, reach: Reach) -> (Vec<String>, [f64; 2], i32) {
        let ruler = Ruler::new(scale, Some(Extent { low, high }), reach, 6);
        (ruler.ticks.iter().map(|tick| tick.label.clone()).collect(), [ruler.ends.low, ruler.ends.high], ruler.exponent)
    }

    #[track_caller]
    fn check(low: f64, high: f64, reach: Reach, labels: &[&str], exponent: i32) {
        let (found, ends, found_exponent) = ruler(&Scale::Linear, low, high, reach);
        assert_eq!((found, found_exponent), (labels.iter().map(|l| (*l).to_owned()).collect(), exponent), "{ends:?}");
        assert!(ends[0] < ends[1] && (reach == Reach::Unit || (ends[0] <= low && ends[1] >= high)), "{ends:?}");
    }

    #[test]
    fn ticks_are_round_numbers() {
        check(3.0, 97.0, Reach::Tick, &["0", "20", "40", "60", "80", "100"], 0);
        check(90.0, 97.0, Reach::Tick, &["90", "92", "94", "96", "98"], 0);
        check(90.0, 97.0, Reach::Zero, &["0", "20", "40", "60", "80", "100"], 0);
        check(-0.11, 0.3, Reach::Tick, &["−0.2", "−0.1", "0.0", "0.1", "0.2", "0.3"], 0);
        check(0.0, 5e6, Reach::Tick, &["0", "1", "2", "3", "4", "5"], 6);
        check(0.0, 0.0021, Reach::Tick, &["0.0", "0.5", "1.0", "1.5", "2.0", "2.5"], -3);
        check(7.0, 9.0, Reach::Unit, &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"], 0);
    }

    #[test]
    fn a_snug_axis_ends_with_its_data_unless_a_tick_is_near() {
        check(0.2, 59.5, Reach::Snug, &["0", "10", "20", "30", "40", "50", "60"], 0);
        let (labels, ends, _) = ruler(&Scale::Linear, 4.0, 55.0, Reach::Snug);
        assert_eq!((labels.len(), ends), (5, [4.0, 55.0]));
    }

    #[test]
    fn a_single_number_and_none_have_an_axis() {
        check(5.0, 5.0, Reach::Snug, &["4.6", "4.8", "5.0", "5.2", "5.4"], 0);
        check(0.0, 0.0, Reach::Tick, &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"], 0);
        check(5.0, 5.0, Reach::Zero, &["0", "1", "2", "3", "4", "5"], 0);
        for scale in [Scale::Linear, Scale::Log, Scale::Category(Vec::new())] {
            let ruler = Ruler::new(&scale, None, Reach::Tick, 6);
            assert!(ruler.ends.low < ruler.ends.high, "{ruler:?}");
        }
    }

    #[test]
    fn extreme_numbers_have_finite_axes() {
        for (low, high) in [(-1e300, 1e300), (1e-300, 2e-300), (1e9, 1e9 + 1e-3), (-1e-300, 0.0), (1e300, 1e300)] {
            for reach in [Reach::Tick, Reach::Zero, Reach::Snug] {
                let (labels, ends, _) = ruler(&Scale::Linear, low, high, reach);
                assert!(ends.iter().all(|end| end.is_finite()) && ends[0] < ends[1], "{low} {high}: {ends:?}");
                assert!((1..=12).contains(&labels.len()), "{low} {high} {reach:?}: {labels:?}");
            }
        }
        let (labels, ..) = ruler(&Scale::Log, 1e-300, 1e300, Reach::Tick);
        assert!((4..=8).contains(&labels.len()), "{labels:?}");
    }

    #[test]
    fn logarithmic_ticks() {
        let labels = |low, high| ruler(&Scale::Log, low, high, Reach::Tick).0;
        assert_eq!(labels(0.02, 900.0), ["0.1", "1", "10", "100", "1000"]);
        assert_eq!(labels(3.0, 70.0), ["2", "5", "10", "20", "50", "100"]);
        assert_eq!(labels(1e-7, 2e-2), ["10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²"]);
        assert_eq!(labels(2e6, 9e6), ["2×10⁶", "5×10⁶", "10⁷"]);
        assert_eq!(labels(10.0, 10.0), ["5", "10", "20"]);
    }

    #[test]
    fn fractions_of_the_axis() {
        let log = Ruler::new(&Scale::Log, Some(Extent { low: 1.0, high: 100.0 }), Reach::Tick, 6);
        for (value, fraction) in [(1.0, 0.0), (10.0, 0.5), (100.0, 1.0), (0.0, 0.0), (1e9, 1.0)] {
            assert!((log.fraction(value) - fraction).abs() < 1e-12, "{value}");
        }
        let names = Scale::Category(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(Ruler::new(&names, None, Reach::Tick, 6).fraction(0.0), 0.25);
    }

    #[test]
    fn what_has_no_position_is_not_drawable() {
        for (scale, value) in [(Scale::Linear, f64::NAN), (Scale::Linear, 1e301), (Scale::Log, 0.0), (Scale::Log, -1.0)]
        {
            assert_eq!(drawable(&scale, value), None);
        }
        assert_eq!(drawable(&Scale::Category(vec!["a".to_owned()]), 1.0), None);
        assert_eq!(drawable(&Scale::Linear, 1e-310), Some(0.0));
        assert_eq!(times_ten(-12), "×10⁻¹²");
    }
}
