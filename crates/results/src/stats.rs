//! Statistics over the values of repeated runs.
//!
//! One rule for all of them: the answer is `None` where the statistic is not defined, that is with too few values
//! (each function says how many it needs) and whenever any value is NaN or infinite. A missing measurement must not
//! become a good-looking number, so whoever wants to leave values out has to do so before.

use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// `values` when there are at least `least` of them and all are finite.
fn usable(values: &[f64], least: usize) -> Option<&[f64]> {
    (values.len() >= least && values.iter().all(|v| v.is_finite())).then_some(values)
}

/// Arithmetic mean, in the unit of the values. Needs one value.
pub fn mean(values: &[f64]) -> Option<f64> {
    let values = usable(values, 1)?;
    Some(values.iter().sum::<f64>() / values.len() as f64)
}

/// Sample standard deviation (divisor n − 1), in the unit of the values. Needs two values.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    let values = usable(values, 2)?;
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Half the width of the 95 % confidence interval of the mean (Student's t), in the unit of the values: the interval
/// is mean ± this. Needs two values.
pub fn confidence95(values: &[f64]) -> Option<f64> {
    let deviation = standard_deviation(values)?;
    Some(student_t975(values.len() - 1)? * deviation / (values.len() as f64).sqrt())
}

/// The 97.5 % quantile of Student's t with `freedom` degrees of freedom; `None` for none.
fn student_t975(freedom: usize) -> Option<f64> {
    let quantile = StudentsT::new(0.0, 1.0, freedom as f64).ok()?.inverse_cdf(0.975);
    // The logarithms behind the quantile may differ in the last bits between platforms; results must not.
    Some((quantile * 1e8).round() / 1e8)
}

/// Median, in the unit of the values: the middle one, or the mean of the middle two. Needs one value.
pub fn median(values: &[f64]) -> Option<f64> {
    percentile(values, 50.0)
}

/// The `p`-th percentile (0 ≤ `p` ≤ 100), in the unit of the values. Needs one value.
///
/// Of the definitions in use this is the linear interpolation between order statistics: for the sorted values
/// `v[0] … v[n−1]` it is the value at position `p/100 · (n − 1)`, so 0 gives the least, 100 the greatest and 50 the
/// median (the default of NumPy, R's type 7). `None` also for `p` outside 0 … 100.
pub fn percentile(values: &[f64], p: f64) -> Option<f64> {
    let mut sorted = usable(values, 1)?.to_vec();
    if !(0.0..=100.0).contains(&p) {
        return None;
    }
    sorted.sort_by(f64::total_cmp);
    let position = p / 100.0 * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[position.floor() as usize], sorted[position.ceil() as usize]);
    Some(low + (high - low) * (position - position.floor()))
}

/// Jain's fairness index (Σx)² / (n · Σx²) of shares: 1 when all are equal, 1/n when one has everything. No unit.
///
/// Needs one value and no negative one. `None` when all are zero: nobody got anything, which is neither fair nor
/// unfair.
pub fn jain(values: &[f64]) -> Option<f64> {
    let values = usable(values, 1)?;
    let greatest = values.iter().copied().fold(0.0, f64::max);
    if greatest <= 0.0 || values.iter().any(|v| *v < 0.0) {
        return None;
    }
    // The index does not depend on the unit; in shares of the greatest the squares cannot overflow.
    let sum: f64 = values.iter().map(|v| v / greatest).sum();
    let squares: f64 = values.iter().map(|v| (v / greatest) * (v / greatest)).sum();
    Some(sum * sum / (values.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(measured: Option<f64>, expected: f64) {
        let measured = measured.expect("defined");
        assert!((measured - expected).abs() <= 1e-6 * expected.abs().max(1.0), "{measured} is not {expected}");
    }

    #[test]
    fn mean_and_deviation_of_a_textbook_sample() {
        let sample = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        close(mean(&sample), 5.0);
        // The well-known deviation 2 of this sample has divisor n; with n − 1 it is sqrt(32/7).
        close(standard_deviation(&sample), 2.138_089_935);
    }

    #[test]
    fn student_quantiles_are_those_of_the_printed_table() {
        let table = [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (9, 2.262), (10, 2.228), (29, 2.045)];
        for (freedom, expected) in table.into_iter().chain([(30, 2.042), (60, 2.000), (120, 1.980), (9999, 1.960)]) {
            let quantile = student_t975(freedom).unwrap();
            assert!((quantile - expected).abs() < 0.000_6, "{freedom}: {quantile} is not {expected}");
        }
        assert_eq!(student_t975(0), None);
    }

    #[test]
    fn confidence_of_ten_runs() {
        // s = 3.027650354, half width = 2.262157163 · s / sqrt(10)
        let runs = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];
        close(confidence95(&runs), 2.165_850_0);
        close(confidence95(&[3.0, 3.0, 3.0]), 0.0);
        assert_eq!(confidence95(&[3.0]), None);
    }

    #[test]
    fn percentiles_interpolate() {
        let values = [40.0, 15.0, 35.0, 50.0, 20.0];
        close(median(&values), 35.0);
        close(percentile(&values, 40.0), 29.0);
        close(percentile(&values, 0.0), 15.0);
        close(percentile(&values, 100.0), 50.0);
        close(median(&[1.0, 2.0, 3.0, 4.0]), 2.5);
        close(percentile(&[7.0], 99.0), 7.0);
        assert_eq!(percentile(&values, 100.1), None);
        assert_eq!(percentile(&values, f64::NAN), None);
    }

    #[test]
    fn jain_index() {
        close(jain(&[5.0, 5.0, 5.0]), 1.0);
        close(jain(&[1.0, 0.0, 0.0, 0.0]), 0.25);
        close(jain(&[1.0, 2.0, 3.0, 4.0, 5.0]), 225.0 / 275.0);
        close(jain(&[1e200, 1e200]), 1.0);
        assert_eq!(jain(&[0.0, 0.0]), None);
        assert_eq!(jain(&[1.0, -1.0]), None);
    }

    #[test]
    fn nothing_and_nan_have_no_statistic() {
        for values in [&[][..], &[f64::NAN], &[1.0, f64::NAN, 2.0], &[1.0, f64::INFINITY]] {
            for statistic in [mean, standard_deviation, confidence95, median, jain] {
                assert_eq!(statistic(values), None, "{values:?}");
            }
        }
        assert_eq!(standard_deviation(&[1.0]), None);
    }
}
