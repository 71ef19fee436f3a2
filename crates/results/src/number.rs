//! Numbers as people read them.

/// `value` to `digits` significant digits, without trailing zeros: `0.9312`, `12`, `1.5e-7`.
pub(crate) fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return value.to_string();
    }
    let last = digits.max(1) - 1;
    let scientific = format!("{value:.last$e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("the form has an exponent");
    let exponent: i32 = exponent.parse().expect("the exponent is an integer");
    if (-4..7).contains(&exponent) {
        let decimals = usize::try_from(last as i32 - exponent).unwrap_or(0);
        // The rounded value, so that 1234.5 to three digits is 1230 and not 1234.
        let rounded: f64 = scientific.parse().expect("a number that was just printed");
        return trimmed(&format!("{rounded:.decimals$}")).to_owned();
    }
    format!("{}e{exponent}", trimmed(mantissa))
}

/// `number` without the zeros that end its fraction.
pub(crate) fn trimmed(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::significant;

    #[test]
    fn significant_digits() {
        for (value, text) in [
            (0.0, "0"),
            (0.93125, "0.9313"),
            (12.0, "12"),
            (1234.5, "1234"),
            (12_346.0, "12350"),
            (-0.5, "-0.5"),
            (9.99996, "10"),
            (0.000_123_456, "0.0001235"),
            (1.5e-7, "1.5e-7"),
            (2e9, "2e9"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(significant(value, 4), text);
        }
    }
}
