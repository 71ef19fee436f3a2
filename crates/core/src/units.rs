//! Units: time in whole nanoseconds, rates in bits a second, sizes in bytes.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

const SECOND: u64 = 1_000_000_000;

/// A point on the driver's clock, in nanoseconds since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

/// A length of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub u64);

/// A bit rate in bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(pub u64);

/// A size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

impl Time {
    /// The driver's start.
    pub const ZERO: Time = Time(0);
    /// Later than anything that happens.
    pub const NEVER: Time = Time(u64::MAX);

    /// Seconds since the start.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / SECOND as f64
    }

    /// Time since `earlier`; zero if that is not earlier.
    #[inline]
    pub fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);

    /// From milliseconds.
    pub const fn from_millis(ms: u64) -> Span {
        Span(ms * 1_000_000)
    }

    /// From microseconds.
    pub const fn from_micros(us: u64) -> Span {
        Span(us * 1000)
    }

    /// From seconds, to the nearest nanosecond; negative and NaN give zero, too large gives the largest.
    pub fn from_seconds(seconds: f64) -> Span {
        Span(rounded(seconds * SECOND as f64))
    }

    /// In seconds.
    #[inline]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / SECOND as f64
    }

    /// In milliseconds.
    pub fn millis(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// This span times a factor, to the nearest nanosecond.
    pub fn scaled(self, factor: f64) -> Span {
        Span(rounded(self.0 as f64 * factor))
    }

    /// The distance between two spans.
    pub fn abs_diff(self, other: Span) -> Span {
        Span(self.0.abs_diff(other.0))
    }
}

/// `number.round() as u64`, without the call that `round` is on processors of the common denominator.
#[inline]
fn rounded(number: f64) -> u64 {
    let whole = number as u64;
    whole.saturating_add(u64::from(number - whole as f64 >= 0.5))
}

impl Rate {
    /// Time to put `bytes` on a link of this rate, to the nearest nanosecond. A rate of zero never finishes.
    #[inline]
    pub fn transmission(self, bytes: usize) -> Span {
        if self.0 == 0 {
            return Span(u64::MAX / 4);
        }
        let bit_nanos = bytes as u64 * 8 * SECOND;
        Span((bit_nanos + self.0 / 2) / self.0)
    }

    /// Megabits per second.
    pub fn mbps(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl Add<Span> for Time {
    type Output = Time;
    #[inline]
    fn add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Add for Span {
    type Output = Span;
    #[inline]
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Span) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Span;
    #[inline]
    fn sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    fn mul(self, n: u64) -> Span {
        Span(self.0.saturating_mul(n))
    }
}

impl Div<u64> for Span {
    type Output = Span;
    fn div(self, n: u64) -> Span {
        Span(self.0 / n)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09}s", self.0 / SECOND, self.0 % SECOND)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            n if n >= SECOND || n == 0 => (SECOND, "s"),
            n if n >= 1_000_000 => (1_000_000, "ms"),
            n if n >= 1000 => (1000, "us"),
            _ => (1, "ns"),
        };
        write!(f, "{}{name}", self.0 as f64 / unit as f64)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            n if n >= 1_000_000_000 => (1e9, "Gbps"),
            n if n >= 1_000_000 => (1e6, "Mbps"),
            n if n >= 1000 => (1e3, "kbps"),
            _ => (1.0, "bps"),
        };
        write!(f, "{}{name}", self.0 as f64 / unit)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            n if n > 0 && n.is_multiple_of(1_000_000) => (1_000_000, "MB"),
            n if n > 0 && n.is_multiple_of(1000) => (1000, "kB"),
            _ => (1, "B"),
        };
        write!(f, "{}{name}", self.0 / unit)
    }
}

/// Splits `"10 ms"` into its number and its unit; the number must be finite and not negative.
fn quantity<'a>(text: &'a str, example: &str) -> Result<(f64, &'a str), String> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 =
        number.replace('_', "").parse().map_err(|_| format!("expected a number with a unit, such as {example:?}"))?;
    Ok((number, unit.trim()))
}

/// Finds `unit` among known ones; the message of an unknown one names the nearest.
fn scale(unit: &str, known: &[(&'static str, f64)], what: &str) -> Result<f64, String> {
    if let Some((_, factor)) = known.iter().find(|(name, _)| *name == unit) {
        return Ok(*factor);
    }
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let hint =
        crate::nearest(unit, names.iter().copied()).map(|n| format!("; did you mean {n:?}?")).unwrap_or_default();
    let problem = if unit.is_empty() { format!("a {what} needs a unit") } else { format!("unknown unit {unit:?}") };
    Err(format!("{problem} (one of {}){hint}", names.join(", ")))
}

macro_rules! parse_unit {
    ($type:ident, $what:literal, $example:literal, $known:expr) => {
        impl $type {
            /// Units that a text can have, each with how many of the base unit it is.
            pub const UNITS: &'static [(&'static str, f64)] = $known;
        }

        impl std::str::FromStr for $type {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                let (number, unit) = quantity(text, $example)?;
                let value = (number * scale(unit, $type::UNITS, $what)?).round();
                if value >= 1.8e19 {
                    return Err(format!("{text:?} is too large"));
                }
                Ok($type(value as u64))
            }
        }
    };
}

parse_unit!(Span, "time", "10ms", &[("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 6e10), ("h", 3.6e12)]);
parse_unit!(
    Rate,
    "rate",
    "10Mbps",
    &[
        ("bps", 1.0),
        ("kbps", 1e3),
        ("Mbps", 1e6),
        ("Gbps", 1e9),
        ("bit/s", 1.0),
        ("kbit/s", 1e3),
        ("Mbit/s", 1e6),
        ("Gbit/s", 1e9)
    ]
);
parse_unit!(
    Bytes,
    "size",
    "50MB",
    &[
        ("B", 1.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0)
    ]
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transmission_rounds_to_the_nearest_nanosecond() {
        assert_eq!(Rate(20_000_000).transmission(1100), Span(440_000));
        assert_eq!(Rate(3).transmission(1), Span(2_666_666_667));
    }

    #[test]
    fn rounding_is_that_of_the_library() {
        let odd = [0.0, -0.0, 0.3, -0.5, -3.7, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, 1e300];
        let large = [1u64 << 52, 1 << 53, 1 << 63, u64::MAX].map(|n| n as f64);
        let halves = (0..50).flat_map(|n| [f64::from(n) + 0.5, f64::from(1 << (n % 31)) - 0.5]);
        let near = halves.flat_map(|n| [n.next_down(), n, n.next_up()]);
        for number in near.chain(odd).chain(large).chain(large.map(f64::next_down)) {
            assert_eq!(rounded(number), number.round() as u64, "{number}");
        }
    }

    #[test]
    fn quantities_are_read_and_shown() {
        assert_eq!("10ms".parse(), Ok(Span::from_millis(10)));
        assert_eq!("1.5 s".parse(), Ok(Span(1_500_000_000)));
        assert_eq!("20Mbps".parse(), Ok(Rate(20_000_000)));
        assert_eq!("50 MiB".parse(), Ok(Bytes(52_428_800)));
        for text in ["1s", "250ms", "3us", "7ns"] {
            assert_eq!(text.parse::<Span>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn wrong_units_name_the_nearest() {
        let error = "10mbps".parse::<Rate>().unwrap_err();
        assert!(error.contains("did you mean \"Mbps\""), "{error}");
        assert!("10".parse::<Span>().unwrap_err().contains("needs a unit"));
        assert!("fast".parse::<Rate>().unwrap_err().contains("expected a number"));
    }
}
