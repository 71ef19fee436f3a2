//! Fewest pending: the strategy that Li (PFECC, 2021) calls PI.

use crate::parts::next_hops::{PerHop, after_failure, nowhere};
use crate::parts::pending::Pending;
use weir_core::{Chance, Choice, Context, DataOutcome, Entry, FaceId, Failure, ForwardingStrategy, Query};

weir_core::words! {
    /// Which of several next hops that have equally few.
    pub enum Ties {
        /// Any, at random.
        Random = "random",
        /// The cheapest, then the one with the lowest face.
        First = "first",
    }
}

weir_core::parameters! {
    /// Parameters of Fewest Pending.
    pub struct FewestPendingParameters {
        /// Where several next hops have equally few: one of them at "random", or the "first": the cheapest, then the lowest face.
        ties: Ties = Ties::Random, None, "choice (Li 2021 leaves it open)";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ForwardingStrategy>> = weir_core::entry!(
    "fewest-pending",
    "The next hop with the fewest pending Interests",
    FewestPendingParameters,
    |p: FewestPendingParameters, site| Box::new(FewestPending {
        ties: p.ties,
        chance: site.seed.of("fewest-pending").stream(),
        hops: PerHop::default()
    }),
    "../../../../docs/schemes/strategy-fewest-pending.md"
);

#[derive(Debug)]
struct FewestPending {
    ties: Ties,
    hops: PerHop<Count>,
    chance: Chance,
}

#[derive(Debug, Default)]
struct Count(u64);

impl Pending for Count {
    fn pending(&mut self) -> &mut u64 {
        &mut self.0
    }
}

impl FewestPending {
    /// One of those with the fewest.
    fn pick(&mut self, query: &Query<'_>) -> Option<FaceId> {
        let known = self.hops.known(query.prefix, query.next_hops);
        let usable = || known.iter().filter(|known| query.next_hops.contains(&known.hop));
        let fewest = usable().map(|known| known.state.0).min()?;
        let mut tied = usable().filter(|known| known.state.0 == fewest);
        let count = tied.clone().count() as u64;
        let place = if count > 1 && self.ties == Ties::Random { self.chance.below(count) } else { 0 };
        tied.nth(place as usize).map(|known| known.hop.face)
    }
}

impl ForwardingStrategy for FewestPending {
    fn choose(&mut self, query: &Query<'_>, _cx: &mut Context<'_>) -> Choice {
        let Some(face) = self.pick(query) else { return nowhere(query) };
        self.hops.count_sent(query.prefix, query.next_hops, face, query.sent);
        Choice::To(face)
    }

    fn on_data(&mut self, outcome: &DataOutcome<'_>, _cx: &mut Context<'_>) {
        self.hops.count_answered(outcome);
    }

    fn on_failure(&mut self, failure: &Failure<'_>, _cx: &mut Context<'_>) -> Choice {
        self.hops.count_failed(failure);
        let choice = after_failure(failure);
        if let Choice::To(face) = choice {
            self.hops.count_sent(failure.prefix, failure.next_hops, face, failure.sent);
        }
        choice
    }
}
