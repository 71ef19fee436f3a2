//! How large objects are.

use crate::{Bytes, Chance};

/// A distribution of sizes in bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum Sizes {
    /// All the same.
    Fixed(Bytes),
    /// Uniform between two sizes, both included.
    Uniform {
        /// Least.
        min: Bytes,
        /// Greatest.
        max: Bytes,
    },
    /// Exponential.
    Exponential {
        /// Mean.
        mean: Bytes,
    },
    /// Lognormal: the logarithm is normal.
    Lognormal {
        /// Median: the exponential of the logarithm's mean.
        median: Bytes,
        /// Standard deviation of the natural logarithm.
        sigma: f64,
    },
    /// Pareto: larger than `x` with probability `(min / x)^shape`. With `max`, bounded: the law on condition that no
    /// size is larger.
    Pareto {
        /// Least.
        min: Bytes,
        /// Tail index; the mean is finite above 1, the variance above 2.
        shape: f64,
        /// Greatest.
        max: Option<Bytes>,
    },
    /// ProWGen's law (Busari and Williamson 2002): a lognormal body with a heavy tail by Pareto's law.
    LognormalPareto {
        /// Mean of the body.
        mean: Bytes,
        /// Standard deviation of the body.
        deviation: Bytes,
        /// Share of the sizes that belong to the tail.
        tail: f64,
        /// Tail index.
        index: f64,
        /// Least size of the tail.
        start: Bytes,
        /// Greatest size of the tail.
        max: Option<Bytes>,
    },
    /// Sizes with weights.
    Empirical(Vec<(Bytes, f64)>),
}

impl Sizes {
    /// Draws a size; at least a byte.
    pub fn draw(&self, chance: &mut Chance) -> Bytes {
        let bytes = match self {
            Sizes::Fixed(size) => return *size,
            Sizes::Uniform { min, max } => {
                return Bytes(min.0 + chance.below(max.0.saturating_sub(min.0).saturating_add(1)));
            }
            Sizes::Exponential { mean } => chance.exponential(mean.0 as f64),
            Sizes::Lognormal { median, sigma } => median.0 as f64 * libm::exp(sigma * chance.normal()),
            Sizes::Pareto { min, shape, max } => pareto(*min, *shape, *max, chance),
            Sizes::LognormalPareto { tail, index, start, max, .. } if chance.happens(*tail) => {
                pareto(*start, *index, *max, chance)
            }
            Sizes::LognormalPareto { mean, deviation, .. } => {
                let (mean, spread) = (mean.0 as f64, deviation.0 as f64 / mean.0 as f64);
                let variance = libm::log(1.0 + spread * spread);
                mean * libm::exp(libm::sqrt(variance) * chance.normal() - variance / 2.0)
            }
            Sizes::Empirical(sizes) => return empirical(sizes, chance),
        };
        Bytes((bytes.round() as u64).max(1))
    }
}

fn pareto(min: Bytes, shape: f64, max: Option<Bytes>, chance: &mut Chance) -> f64 {
    // The share of the law that lies below the bound.
    let within = max.map_or(1.0, |max| 1.0 - libm::pow(min.0 as f64 / max.0 as f64, shape));
    min.0 as f64 * libm::pow(1.0 - within * chance.unit(), -1.0 / shape)
}

fn empirical(sizes: &[(Bytes, f64)], chance: &mut Chance) -> Bytes {
    let total: f64 = sizes.iter().map(|(_, weight)| weight).sum();
    let mut left = chance.unit() * total;
    for (size, weight) in sizes {
        if left < *weight {
            return *size;
        }
        left -= weight;
    }
    // Rounding may leave a little behind the last.
    sizes.iter().rev().find(|(_, weight)| *weight > 0.0).map_or(Bytes(1), |(size, _)| *size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    fn draws(sizes: &Sizes) -> Vec<f64> {
        let mut chance = Seed(21).stream();
        let mut draws: Vec<f64> = (0..100_000).map(|_| sizes.draw(&mut chance).0 as f64).collect();
        draws.sort_by(f64::total_cmp);
        draws
    }

    /// Greatest distance between the draws' distribution and `law` (Kolmogorov and Smirnov).
    fn distance(sizes: &Sizes, law: impl Fn(f64) -> f64) -> f64 {
        let draws = draws(sizes);
        let n = draws.len() as f64;
        draws.iter().enumerate().map(|(i, x)| ((i as f64 + 0.5) / n - law(*x)).abs()).fold(0.0, f64::max)
    }

    /// What the distance exceeds with a chance of one in a thousand, and a little for the rounding to whole bytes.
    const BOUND: f64 = 1.95 / 316.0 + 1e-4;

    #[test]
    fn continuous_laws_are_followed() {
        let (k, m) = (Bytes(10_000), Bytes(1_000_000));
        let exponential = |x: f64| 1.0 - libm::exp(-x / 1e6);
        assert!(distance(&Sizes::Exponential { mean: m }, exponential) < BOUND);
        assert!(
            distance(&Sizes::Exponential { mean: Bytes(1_030_000) }, exponential) > BOUND,
            "another mean is noticed"
        );
        let uniform = |x: f64| (x - 1e4) / 990_000.0;
        assert!(distance(&Sizes::Uniform { min: k, max: m }, uniform) < BOUND);
        let pareto = |x: f64| 1.0 - libm::pow(1e4 / x, 1.3);
        assert!(distance(&Sizes::Pareto { min: k, shape: 1.3, max: None }, pareto) < BOUND);
        let share = 1.0 - libm::pow(0.01, 1.3);
        assert!(distance(&Sizes::Pareto { min: k, shape: 1.3, max: Some(m) }, |x| pareto(x) / share) < BOUND);
        let normal = |x: f64| 0.5 * (1.0 + libm::erf(libm::log(x / 1e6) / (1.5 * 2f64.sqrt())));
        assert!(distance(&Sizes::Lognormal { median: m, sigma: 1.5 }, normal) < BOUND);
    }

    #[test]
    fn a_body_has_its_mean_and_deviation_and_a_tail_its_share_and_index() {
        let (mean, start) = (Bytes(700_000), Bytes(1_000_000));
        let law =
            |tail| Sizes::LognormalPareto { mean, deviation: Bytes(1_100_000), tail, index: 1.3, start, max: None };
        // Log-normal with this mean and deviation: the logarithm has the variance ln(1 + (11/7)²).
        let sigma = libm::sqrt(libm::log(1.0 + 121.0 / 49.0));
        let median = 7e5 * libm::exp(-sigma * sigma / 2.0);
        let body = |x: f64| 0.5 * (1.0 + libm::erf(libm::log(x / median) / (sigma * 2f64.sqrt())));
        assert!(distance(&law(0.0), body) < BOUND);
        let pareto = |x: f64| if x < 1e6 { 0.0 } else { 1.0 - libm::pow(1e6 / x, 1.3) };
        assert!(distance(&law(1.0), pareto) < BOUND);
        assert!(distance(&law(0.07), |x| 0.93 * body(x) + 0.07 * pareto(x)) < BOUND);
        assert!(distance(&law(0.09), |x| 0.93 * body(x) + 0.07 * pareto(x)) > BOUND, "another share is noticed");
        // Hill's estimate of the tail index, from the largest 2000 of 100 000, which all belong to the tail.
        let draws = draws(&law(0.5));
        let (top, least) = (&draws[98_000..], draws[97_999]);
        let hill = 2000.0 / top.iter().map(|x| libm::log(x / least)).sum::<f64>();
        assert!((hill / 1.3 - 1.0).abs() < 0.1, "{hill}");
    }

    #[test]
    fn bounds_hold() {
        let (k, m) = (Bytes(10_000), Bytes(1_000_000));
        for sizes in [Sizes::Uniform { min: k, max: m }, Sizes::Pareto { min: k, shape: 0.5, max: Some(m) }] {
            let draws = draws(&sizes);
            assert!(draws[0] >= 1e4 && draws[draws.len() - 1] <= 1e6, "{sizes:?}");
        }
        assert!(draws(&Sizes::Exponential { mean: Bytes(1) })[0] >= 1.0);
        assert_eq!(draws(&Sizes::Fixed(k))[7], 1e4);
    }

    #[test]
    fn weights_are_shares() {
        let sizes = Sizes::Empirical(vec![(Bytes(1), 5.0), (Bytes(2), 0.0), (Bytes(3), 3.0), (Bytes(4), 2.0)]);
        let draws = draws(&sizes);
        for (size, share) in [(1.0, 0.5), (2.0, 0.0), (3.0, 0.3), (4.0, 0.2)] {
            let seen = draws.iter().filter(|d| **d == size).count() as f64 / draws.len() as f64;
            assert!((seen - share).abs() < 0.006, "{size}: {seen}");
        }
    }
}
