//! Who is better than whom: ranks, and those whom nobody beats in everything.

/// Which way a number is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    More,
    /// Less is better.
    Less,
}

impl Better {
    /// True if `a` is better than `b`.
    pub fn is(self, a: f64, b: f64) -> bool {
        match self {
            Self::More => a > b,
            Self::Less => a < b,
        }
    }
}

/// The rank of each value from 1, the best; equal ones share the better rank, and the next one is as far behind as
/// there are values before it (1, 2, 2, 4). What is missing or not finite has none.
pub fn ranks(values: &[Option<f64>], better: Better) -> Vec<Option<usize>> {
    let finite = |value: &Option<f64>| value.filter(|v| v.is_finite());
    let rank = |own: f64| 1 + values.iter().filter_map(finite).filter(|other| better.is(*other, own)).count();
    values.iter().map(|value| finite(value).map(rank)).collect()
}

/// For each point of a gain (more is better) and a cost (less is better): whether no other point is as good in both and
/// better in one. A point that lacks one of the two is on no front.
pub fn pareto(points: &[Option<(f64, f64)>]) -> Vec<bool> {
    let finite = |point: &Option<(f64, f64)>| point.filter(|(gain, cost)| gain.is_finite() && cost.is_finite());
    let beaten = |(gain, cost): (f64, f64)| {
        let mut others = points.iter().filter_map(finite);
        others.any(|(g, c)| g >= gain && c <= cost && (g > gain || c < cost))
    };
    points.iter().map(|point| finite(point).is_some_and(|point| !beaten(point))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_share_a_rank_and_missing_ones_have_none() {
        let values = [Some(3.0), None, Some(5.0), Some(3.0), Some(1.0), Some(f64::NAN)];
        assert_eq!(ranks(&values, Better::More), [Some(2), None, Some(1), Some(2), Some(4), None]);
        assert_eq!(ranks(&values, Better::Less), [Some(2), None, Some(4), Some(2), Some(1), None]);
        assert_eq!(ranks(&[], Better::Less), []);
    }

    #[test]
    fn a_front_has_those_that_nobody_beats() {
        let points =
            [Some((10.0, 5.0)), Some((9.0, 5.0)), Some((8.0, 2.0)), Some((12.0, 50.0)), None, Some((8.0, 3.0))];
        assert_eq!(pareto(&points), [true, false, true, true, false, false]);
        // Two that are alike do not beat each other.
        assert_eq!(pareto(&[Some((1.0, 1.0)), Some((1.0, 1.0))]), [true, true]);
        assert_eq!(pareto(&[Some((f64::INFINITY, 1.0)), Some((1.0, 2.0))]), [false, true]);
    }
}
