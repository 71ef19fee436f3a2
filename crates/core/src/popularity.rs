//! How often each object of a catalogue is asked for.

use crate::Chance;

/// A law by which requests choose among objects 0, 1, 2, .., of which 0 is the most popular.
#[derive(Clone, Debug, PartialEq)]
pub struct Popularity {
    /// The law's exponent and plateau, for those who show it.
    law: (f64, f64),
    /// The alias method's table (Walker 1977, Vose 1991): one look for each draw, whatever the law.
    columns: Vec<Column>,
}

/// One column of the table: with a chance of `keep / 2^64` its own object, else another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Column {
    keep: u64,
    other: u32,
}

impl Popularity {
    /// Most objects that a table is made for.
    pub const MOST: u64 = 10_000_000;

    /// Zipf-Mandelbrot: the object of rank `i` (from 1 to `objects`) has a probability proportional to
    /// `1 / (i + plateau)^exponent`, as in ndnSIM's `ConsumerZipfMandelbrot` (`q` and `s` there). A plateau of 0 is
    /// Zipf's law, an exponent of 0 is uniform.
    ///
    /// `objects` is cut to [`Popularity::MOST`], and is at least 1.
    pub fn new(objects: u64, exponent: f64, plateau: f64) -> Popularity {
        let objects = objects.clamp(1, Popularity::MOST);
        let weights = (1..=objects).map(|rank| libm::pow(rank as f64 + plateau, -exponent)).collect();
        Popularity { law: (exponent, plateau), columns: columns(weights) }
    }

    /// Number of objects.
    pub fn objects(&self) -> u64 {
        self.columns.len() as u64
    }

    /// Exponent and plateau.
    pub fn law(&self) -> (f64, f64) {
        self.law
    }

    /// Draws an object.
    #[inline]
    pub fn draw(&self, chance: &mut Chance) -> u64 {
        // The high word of the product is a uniform column, the low word a uniform place within it.
        let product = u128::from(chance.bits()) * self.columns.len() as u128;
        let (column, place) = ((product >> 64) as usize, product as u64);
        let Column { keep, other } = self.columns[column];
        if place < keep { column as u64 } else { u64::from(other) }
    }
}

/// Vose's way to build the table: each column too small for its share is filled up from one that has too much.
fn columns(weights: Vec<f64>) -> Vec<Column> {
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    let mut shares: Vec<f64> = weights.into_iter().map(|w| w / mean).collect();
    let mut columns: Vec<Column> = (0..shares.len()).map(|i| Column { keep: u64::MAX, other: i as u32 }).collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..shares.len()).partition(|i| shares[*i] < 1.0);
    while let (Some(poor), Some(rich)) = (small.pop(), large.last().copied()) {
        columns[poor] = Column { keep: (shares[poor] * 18_446_744_073_709_551_616.0) as u64, other: rich as u32 };
        shares[rich] -= 1.0 - shares[poor];
        if shares[rich] < 1.0 {
            large.pop();
            small.push(rich);
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    /// Pearson's statistic of many draws against the law's definition, as its distance from the mean in standard
    /// deviations. Rare objects are put together so that each bin expects 20 at least.
    fn chi_square(objects: u64, exponent: f64, plateau: f64, against: (f64, f64)) -> f64 {
        let draws = 200_000;
        let popularity = Popularity::new(objects, exponent, plateau);
        let mut counts = vec![0u64; objects as usize];
        let mut chance = Seed(11).stream();
        (0..draws).for_each(|_| counts[popularity.draw(&mut chance) as usize] += 1);
        let weight = |i: usize| libm::pow(i as f64 + 1.0 + against.1, -against.0);
        let sum: f64 = (0..counts.len()).map(weight).sum();
        let (mut statistic, mut bins, mut expected, mut seen) = (0.0, 0.0, 0.0, 0u64);
        for (i, count) in counts.iter().enumerate() {
            expected += weight(i) / sum * f64::from(draws);
            seen += count;
            if expected >= 20.0 || i + 1 == counts.len() {
                statistic += (seen as f64 - expected) * (seen as f64 - expected) / expected.max(1.0);
                (bins, expected, seen) = (bins + 1.0, 0.0, 0);
            }
        }
        let freedom: f64 = bins - 1.0;
        (statistic - freedom) / (2.0 * freedom).sqrt()
    }

    #[test]
    fn draws_follow_the_law() {
        for (objects, exponent, plateau) in
            [(1000, 0.8, 0.0), (10_000, 1.0, 0.0), (100, 0.7, 0.7), (50, 0.0, 0.0), (2000, 1.2, 30.0), (2, 3.0, 0.0)]
        {
            let distance = chi_square(objects, exponent, plateau, (exponent, plateau));
            assert!(distance < 5.0, "{objects} objects, s {exponent}, q {plateau}: {distance}");
        }
    }

    #[test]
    fn another_law_would_be_noticed() {
        assert!(chi_square(1000, 0.8, 0.0, (0.83, 0.0)) > 5.0);
        assert!(chi_square(1000, 0.8, 0.0, (0.8, 0.3)) > 5.0);
    }

    #[test]
    fn a_catalogue_of_one_has_one_answer() {
        let popularity = Popularity::new(0, 1.0, 0.0);
        assert_eq!((popularity.objects(), popularity.draw(&mut Seed(1).stream())), (1, 0));
    }
}
