//! Quantities as ns-3 writes them.

use weir_core::{Rate, Span};

/// Bit rates: bits or bytes a second, by powers of 1000 or 1024.
const RATES: [(&str, f64); 30] = [
    ("bps", 1.0),
    ("b/s", 1.0),
    ("Bps", 8.0),
    ("B/s", 8.0),
    ("kbps", 1e3),
    ("kb/s", 1e3),
    ("Kbps", 1e3),
    ("Kb/s", 1e3),
    ("kBps", 8e3),
    ("kB/s", 8e3),
    ("KBps", 8e3),
    ("KB/s", 8e3),
    ("Kib/s", 1024.0),
    ("KiB/s", 8192.0),
    ("Mbps", 1e6),
    ("Mb/s", 1e6),
    ("MBps", 8e6),
    ("MB/s", 8e6),
    ("Mib/s", 1_048_576.0),
    ("MiB/s", 8_388_608.0),
    ("Gbps", 1e9),
    ("Gb/s", 1e9),
    ("GBps", 8e9),
    ("GB/s", 8e9),
    ("Gib/s", 1_073_741_824.0),
    ("GiB/s", 8_589_934_592.0),
    ("Tbps", 1e12),
    ("Tb/s", 1e12),
    ("TBps", 8e12),
    ("TB/s", 8e12),
];

/// Times, in nanoseconds. A number without a unit is in seconds.
const TIMES: [(&str, f64); 9] = [
    ("s", 1e9),
    ("ms", 1e6),
    ("us", 1e3),
    ("ns", 1.0),
    ("ps", 1e-3),
    ("fs", 1e-6),
    ("min", 60e9),
    ("h", 3600e9),
    ("d", 86_400e9),
];

/// A `DataRate`.
pub(super) fn rate(text: &str) -> Result<Rate, String> {
    let (number, unit) = split(text)?;
    let Some((_, factor)) = RATES.iter().find(|(name, _)| *name == unit) else {
        return Err(unknown("rate", text, unit, RATES.iter().map(|(name, _)| *name)));
    };
    let rate = (number * factor).round();
    if !(1.0..=1e18).contains(&rate) {
        return Err(format!("the rate `{text}` is not from 1 bit/s to 10^18 bit/s"));
    }
    Ok(Rate(rate as u64))
}

/// A `Time`.
pub(super) fn time(text: &str) -> Result<Span, String> {
    let (number, unit) = split(text)?;
    let unit = if unit.is_empty() { "s" } else { unit };
    let Some((_, factor)) = TIMES.iter().find(|(name, _)| *name == unit) else {
        return Err(unknown("time", text, unit, TIMES.iter().map(|(name, _)| *name)));
    };
    let nanoseconds = (number * factor).round();
    if !(0.0..=1e18).contains(&nanoseconds) {
        return Err(format!("the time `{text}` is not from 0 to 30 years"));
    }
    Ok(Span(nanoseconds as u64))
}

fn split(text: &str) -> Result<(f64, &str), String> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    let end = digits.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(digits.len());
    let number = digits[..end].parse().map_err(|_| format!("expected a number with a unit, found `{text}`"))?;
    Ok((number, &digits[end..]))
}

fn unknown<'k>(what: &str, text: &str, unit: &str, known: impl Iterator<Item = &'k str> + Clone) -> String {
    if unit.is_empty() {
        return format!("the {what} `{text}` has no unit");
    }
    // Bits come before bytes: `mbps` is nearly always meant as `Mbps`.
    let same = known.clone().find(|k| k.eq_ignore_ascii_case(unit));
    match same.or_else(|| weir_core::nearest(unit, known)) {
        Some(near) => format!("`{text}` has the unknown unit `{unit}`; did you mean `{near}`?"),
        None => format!("`{text}` has the unknown unit `{unit}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_in_bits_or_bytes() {
        assert_eq!(rate("10Mbps"), Ok(Rate(10_000_000)));
        assert_eq!(rate("1.5MB/s"), Ok(Rate(12_000_000)));
        assert_eq!(rate("1Kib/s"), Ok(Rate(1024)));
        assert!(rate("10mbps").unwrap_err().contains("did you mean `Mbps`"));
        assert!(rate("10").unwrap_err().contains("no unit") && rate("0bps").is_err() && rate("").is_err());
    }

    #[test]
    fn times_without_a_unit_are_seconds() {
        assert_eq!(time("10ms"), Ok(Span::from_millis(10)));
        assert_eq!(time("0.5"), Ok(Span::from_millis(500)));
        assert_eq!(time("+2us"), Ok(Span(2000)));
        assert!(time("10m").is_err() && time("-1s").is_err() && time("1e400s").is_err() && time("..s").is_err());
    }
}
