//! Dynamic request forwarding (Carofiglio, Gallo, Muscariello, Papalini and Wang, ICNP 2013): the fewer Interests are
//! pending at a next hop, the more it gets.

use crate::parts::next_hops::{Known, PerHop, after_failure, nowhere};
use crate::parts::pending::Pending;
use weir_core::{Chance, Choice, Context, DataOutcome, Entry, FaceId, Failure, ForwardingStrategy, NextHop, Query};

weir_core::words! {
    /// How weights become choices.
    pub enum Pick {
        /// At random, in proportion to the weights.
        Random = "random",
        /// In turn, in proportion to the weights.
        Turn = "turn",
    }
}

weir_core::parameters! {
    /// Parameters of dynamic request forwarding.
    pub struct DrfParameters {
        /// Weight of the past in the mean of pending Interests.
        alpha: f64 = 0.9, Some((0.0, 0.999_999)), "ICNP 2013; the authors' strategy for NFD";
        /// How a next hop is picked: "random" or in "turn", by weight either way.
        pick: Pick = Pick::Random, None, "ICNP 2013; \"turn\": Thibaud et al. 2019, Li 2021";
        /// Weights are whole numbers, the fraction cut off, and 1 at least: where more than one is pending, all are equal.
        whole: bool = false, None, "ICNP 2013; true: what the tables of Thibaud et al. 2019 show";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ForwardingStrategy>> = weir_core::entry!(
    "drf",
    "Next hops in inverse proportion to the mean number of Interests pending there",
    DrfParameters,
    |p, site| Box::new(Drf { chance: site.seed.of("drf").stream(), parameters: p, hops: PerHop::default() }),
    "../../../../docs/schemes/strategy-drf.md"
);

/// A mean of nothing pending is taken for this, so that the weight stays finite (the authors' strategy for NFD).
const LEAST_MEAN: f64 = 0.1;

#[derive(Debug)]
struct Drf {
    parameters: DrfParameters,
    hops: PerHop<Load>,
    chance: Chance,
}

/// What is kept of a next hop.
#[derive(Debug)]
struct Load {
    pending: u64,
    mean: f64,
    weight: f64,
    credit: f64,
    changed: bool,
}

impl Default for Load {
    fn default() -> Load {
        Load { pending: 0, mean: 0.0, weight: 1.0, credit: 0.0, changed: false }
    }
}

impl Pending for Load {
    fn pending(&mut self) -> &mut u64 {
        &mut self.pending
    }

    fn changed(&mut self) {
        self.changed = true;
    }
}

impl Load {
    fn update(&mut self, alpha: f64, whole: bool) {
        if std::mem::take(&mut self.changed) {
            self.mean = alpha * self.mean + (1.0 - alpha) * self.pending as f64;
            if self.mean == 0.0 {
                self.mean = LEAST_MEAN;
            }
            let weight = 1.0 / self.mean;
            self.weight = if whole { weight.floor().max(1.0) } else { weight };
        }
    }
}

impl Drf {
    fn update(&mut self, prefix: weir_core::PrefixId) {
        let DrfParameters { alpha, whole, .. } = self.parameters;
        self.hops.known(prefix, &[]).iter_mut().for_each(|known| known.state.update(alpha, whole));
    }

    fn pick(&mut self, query: &Query<'_>) -> Option<FaceId> {
        let known = self.hops.known(query.prefix, query.next_hops);
        match self.parameters.pick {
            Pick::Random => at_random(known, query.next_hops, &mut self.chance),
            Pick::Turn => in_turn(known, query.next_hops),
        }
    }
}

fn at_random(known: &[Known<Load>], eligible: &[NextHop], chance: &mut Chance) -> Option<FaceId> {
    let usable = || known.iter().filter(|known| eligible.contains(&known.hop));
    let mut drawn = chance.unit() * usable().map(|known| known.state.weight).sum::<f64>();
    let found = usable().find(|known| {
        drawn -= known.state.weight;
        drawn < 0.0
    });
    found.map(|known| known.hop.face).or_else(|| eligible.last().map(|hop| hop.face))
}

/// Smooth weighted round robin: everybody gains its weight, who has most goes and pays for all.
fn in_turn(known: &mut [Known<Load>], eligible: &[NextHop]) -> Option<FaceId> {
    let mut sum = 0.0;
    let mut best: Option<usize> = None;
    for rank in 0..known.len() {
        if !eligible.contains(&known[rank].hop) {
            continue;
        }
        let state = &mut known[rank].state;
        state.credit += state.weight;
        sum += state.weight;
        if best.is_none_or(|best| known[rank].state.credit > known[best].state.credit) {
            best = Some(rank);
        }
    }
    let best = &mut known[best?];
    best.state.credit -= sum;
    Some(best.hop.face)
}

impl ForwardingStrategy for Drf {
    fn choose(&mut self, query: &Query<'_>, _cx: &mut Context<'_>) -> Choice {
        let Some(face) = self.pick(query) else { return nowhere(query) };
        self.hops.count_sent(query.prefix, query.next_hops, face, query.sent);
        self.update(query.prefix);
        Choice::To(face)
    }

    fn on_data(&mut self, outcome: &DataOutcome<'_>, _cx: &mut Context<'_>) {
        self.hops.count_answered(outcome);
        self.update(outcome.prefix);
    }

    fn on_failure(&mut self, failure: &Failure<'_>, _cx: &mut Context<'_>) -> Choice {
        self.hops.count_failed(failure);
        let choice = after_failure(failure);
        if let Choice::To(face) = choice {
            self.hops.count_sent(failure.prefix, failure.next_hops, face, failure.sent);
        }
        self.update(failure.prefix);
        choice
    }
}
