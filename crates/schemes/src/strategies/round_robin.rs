//! Smooth weighted round robin: next hops in turn, each as often as it weighs, as evenly spread as can be.

use crate::parts::next_hops::{PerHop, after_failure, nowhere};
use crate::parts::weights::Weights;
use std::cmp::Reverse;
use weir_core::{Choice, Context, Entry, Failure, ForwardingStrategy, Query};

weir_core::parameters! {
    /// Parameters of [`RoundRobin`].
    pub struct RoundRobinParameters {
        /// Weights of the next hops in the order of their cost, such as "3,1"; those not listed weigh 1.
        weights: Weights = Weights::default(), None, "-";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ForwardingStrategy>> = weir_core::entry!(
    "round-robin",
    "Next hops in turn, each as often as it weighs",
    RoundRobinParameters,
    |p, _site| Box::new(RoundRobin { weights: p.weights, hops: PerHop::default() }),
    "../../../../docs/schemes/strategy-round-robin.md"
);

/// Each choice gives every next hop its weight as credit; the one with most credit is taken and pays for all.
#[derive(Debug)]
pub struct RoundRobin {
    weights: Weights,
    hops: PerHop<i64>,
}

impl ForwardingStrategy for RoundRobin {
    fn choose(&mut self, query: &Query<'_>, cx: &mut Context<'_>) -> Choice {
        let Some(cheapest) = query.next_hops.first() else { return nowhere(query) };
        let known = self.hops.known(query.prefix, query.next_hops);
        let mut sum = 0;
        let mut best = None;
        for (rank, known) in known.iter_mut().enumerate() {
            let weight = self.weights.of(rank, known, query.next_hops) as i64;
            if weight > 0 {
                known.state += weight;
                sum += weight;
                best = best.max(Some((known.state, Reverse(known.hop.face), rank)));
            }
        }
        let Some((_, Reverse(face), rank)) = best else { return Choice::To(cheapest.face) };
        let credit = known[rank].state;
        cx.explain(&query.interest.name, || format!("its credit of {credit} is the most; it pays {sum}"));
        known[rank].state -= sum;
        Choice::To(face)
    }

    fn learns_from_data(&self) -> bool {
        false
    }

    fn on_failure(&mut self, failure: &Failure<'_>, _cx: &mut Context<'_>) -> Choice {
        after_failure(failure)
    }
}
