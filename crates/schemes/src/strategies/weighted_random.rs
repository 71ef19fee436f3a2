//! Weighted random: each Interest draws its next hop.

use crate::parts::next_hops::{Known, PerHop, after_failure, nowhere};
use crate::parts::weights::Weights;
use weir_core::{Chance, Choice, Context, Entry, Failure, ForwardingStrategy, Query};

weir_core::parameters! {
    /// Parameters of [`WeightedRandom`].
    pub struct WeightedRandomParameters {
        /// Weights of the next hops in the order of their cost, such as "3,1"; those not listed weigh 1.
        weights: Weights = Weights::default(), None, "-";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ForwardingStrategy>> = weir_core::entry!(
    "weighted-random",
    "A next hop at random, in proportion to weights",
    WeightedRandomParameters,
    |p, site| {
        let chance = site.seed.of("weighted-random").stream();
        Box::new(WeightedRandom { weights: p.weights, hops: PerHop::default(), chance })
    },
    "../../../../docs/schemes/strategy-weighted-random.md"
);

/// A next hop at random, with a probability in proportion to its weight.
#[derive(Debug)]
pub struct WeightedRandom {
    weights: Weights,
    hops: PerHop<()>,
    chance: Chance,
}

impl ForwardingStrategy for WeightedRandom {
    fn choose(&mut self, query: &Query<'_>, cx: &mut Context<'_>) -> Choice {
        let Some(cheapest) = query.next_hops.first() else { return nowhere(query) };
        let known = self.hops.known(query.prefix, query.next_hops);
        let weight = |(rank, known): (usize, &Known<()>)| self.weights.of(rank, known, query.next_hops);
        let sum: u64 = known.iter().enumerate().map(weight).sum();
        let mut drawn = self.chance.below(sum);
        for (rank, known) in known.iter().enumerate() {
            let weight = weight((rank, known));
            if drawn < weight {
                cx.explain(&query.interest.name, || format!("it was drawn, with a probability of {weight}/{sum}"));
                return Choice::To(known.hop.face);
            }
            drawn -= weight;
        }
        Choice::To(cheapest.face)
    }

    fn learns_from_data(&self) -> bool {
        false
    }

    fn on_failure(&mut self, failure: &Failure<'_>, _cx: &mut Context<'_>) -> Choice {
        after_failure(failure)
    }
}
