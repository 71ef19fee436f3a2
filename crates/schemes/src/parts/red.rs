//! The law of Random Early Detection: a mean that lags, a probability that rises with it, picks that keep apart
//! (Floyd and Jacobson 1993; the forms of ns-3's `RedQueueDisc`).

use weir_core::Chance;

weir_core::words! {
    /// How picks keep apart from each other.
    pub enum Spacing {
        /// At least 1/p packets, at most 2/p.
        Wait = "wait",
        /// Fewer than 1/p packets, each number with the same probability.
        Uniform = "uniform",
    }
}

/// The numbers of a [`Red`] law.
#[derive(Clone, Debug)]
pub struct RedRule {
    /// Mean below which nothing is picked.
    pub min: f64,
    /// Mean at which the probability is `max_probability`.
    pub max: f64,
    /// Probability at `max`.
    pub max_probability: f64,
    /// Weight of the latest value in the mean.
    pub weight: f64,
    /// Beyond `max` the probability rises to one at twice `max`, instead of jumping there.
    pub gentle: bool,
    /// How picks keep apart.
    pub spacing: Spacing,
}

impl RedRule {
    /// Probability of a pick at a mean, before picks are spaced.
    pub fn probability(&self, mean: f64) -> f64 {
        if mean < self.min {
            0.0
        } else if mean < self.max {
            self.max_probability * (mean - self.min) / (self.max - self.min)
        } else if self.gentle && mean < 2.0 * self.max {
            self.max_probability + (1.0 - self.max_probability) * (mean - self.max) / self.max
        } else {
            1.0
        }
    }

    /// Probability of a pick when `count` arrivals in a row have gone unpicked.
    pub fn spaced(&self, p: f64, count: f64) -> f64 {
        if p >= 1.0 {
            return 1.0;
        }
        let quiet = count * p;
        match self.spacing {
            Spacing::Wait if quiet < 1.0 => 0.0,
            Spacing::Wait if quiet < 2.0 => p / (2.0 - quiet),
            Spacing::Uniform if quiet < 1.0 => (p / (1.0 - quiet)).min(1.0),
            Spacing::Wait | Spacing::Uniform => 1.0,
        }
    }
}

/// The law at work: told of each arrival, it says which are picked.
#[derive(Clone, Debug)]
pub struct Red {
    rule: RedRule,
    mean: f64,
    /// Arrivals since the last pick; `None` while the mean is below the lower threshold.
    count: Option<f64>,
}

impl Red {
    /// Nothing has come yet.
    pub fn new(rule: RedRule) -> Red {
        Red { rule, mean: 0.0, count: None }
    }

    /// The mean now.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// A packet comes and finds `value` (of the queue, or of a table) after an idle time in which `idle` packets could
    /// have come and found nothing. True: pick it.
    pub fn arrival(&mut self, value: f64, idle: f64, chance: &mut Chance) -> bool {
        if idle > 0.0 {
            self.mean *= libm::pow(1.0 - self.rule.weight, idle);
        }
        self.mean += self.rule.weight * (value - self.mean);
        let p = self.rule.probability(self.mean);
        if p <= 0.0 {
            self.count = None;
            return false;
        }
        // The first arrival above the threshold starts the count; it is not picked unless it must be.
        let Some(count) = self.count else {
            self.count = Some(0.0);
            return p >= 1.0;
        };
        let count = count + 1.0;
        let picked = chance.happens(self.rule.spaced(p, count));
        self.count = Some(if picked { 0.0 } else { count });
        picked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::Seed;

    fn rule(spacing: Spacing) -> RedRule {
        RedRule { min: 5.0, max: 15.0, max_probability: 0.02, weight: 0.002, gentle: true, spacing }
    }

    #[test]
    fn the_probability_rises_between_the_thresholds_and_beyond() {
        let gentle = rule(Spacing::Wait);
        for (mean, expected) in [(4.9, 0.0), (5.0, 0.0), (10.0, 0.01), (15.0, 0.02), (22.5, 0.51), (30.0, 1.0)] {
            assert!((gentle.probability(mean) - expected).abs() < 1e-12, "{mean}");
        }
        assert_eq!(RedRule { gentle: false, ..gentle }.probability(15.0), 1.0);
    }

    #[test]
    fn one_packet_moves_the_mean_by_the_weight() {
        let mut red = Red::new(rule(Spacing::Wait));
        red.arrival(1.0, 0.0, &mut Seed(1).stream());
        assert_eq!(red.mean(), 0.002);
    }

    #[test]
    fn idle_time_lets_the_mean_decay() {
        let mut red = Red { mean: 10.0, ..Red::new(rule(Spacing::Wait)) };
        red.arrival(0.0, 499.0, &mut Seed(1).stream());
        assert!((red.mean() - 10.0 * libm::pow(0.998, 500.0)).abs() < 1e-9);
    }

    /// Arrivals from pick to pick at a constant probability of a tenth.
    fn gaps(spacing: Spacing) -> Vec<usize> {
        let rule = RedRule { min: 0.0, max: 10.0, max_probability: 0.1, weight: 1.0, gentle: false, spacing };
        let (mut red, mut chance) = (Red::new(rule), Seed(7).stream());
        let picks: Vec<usize> = (0..200_000).filter(|_| red.arrival(9.999_999, 0.0, &mut chance)).collect();
        picks.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    #[test]
    fn uniform_spacing_is_uniform_below_one_over_p() {
        let gaps = gaps(Spacing::Uniform);
        assert!(gaps.iter().all(|gap| (1..=10).contains(gap)), "{:?}", gaps.iter().max());
        // The first arrival after a pick has count 1 in the paper's algorithm, so 1/p itself cannot come.
        for length in 1..=9 {
            let share = gaps.iter().filter(|gap| **gap == length).count() as f64 / gaps.len() as f64;
            assert!((share - 1.0 / 9.0).abs() < 0.01, "gaps of {length}: {share}");
        }
    }

    #[test]
    fn waiting_spacing_leaves_one_over_p_between() {
        let gaps = gaps(Spacing::Wait);
        assert!(gaps.iter().all(|gap| (10..=21).contains(gap)), "{:?} {:?}", gaps.iter().min(), gaps.iter().max());
    }
}
