//! PCON's forwarding strategy (Schneider, Yi, Zhang and Zhang, 2016): each mark moves some traffic to other next hops.

use crate::parts::next_hops::{Known, PerHop, after_failure, nowhere};
use crate::parts::pending::Pending;
use crate::parts::shares::{Shared, draw, hand_over, prime, shift};
use weir_core::{
    Chance, Choice, Context, DataOutcome, Entry, FaceId, Failure, FailureKind, ForwardingStrategy, HopReading, NextHop,
    Query, Span, Time,
};
use weir_wire::NackReason;

weir_core::words! {
    /// How a next hop is picked by its share.
    pub enum Pick {
        /// At random.
        Random = "random",
        /// The cheapest that has less than its share of the pending Interests.
        Pending = "pending",
    }
}

weir_core::parameters! {
    /// Parameters of PCON's forwarding strategy.
    pub struct PconFsParameters {
        /// Part of a next hop's share that a mark moves away from it.
        change: f64 = 0.02, Some((0.0, 1.0)), "PCON authors' code; Thibaud et al. 2019: 0.03";
        /// Divide that part by the number of hops to the congested link, where the mark tells it.
        by_distance: bool = false, None, "the code that Thibaud et al. 2019 build on";
        /// How a next hop is picked by its share: "random", or the cheapest that is below its share of what is "pending".
        pick: Pick = Pick::Random, None, "PCON authors' code; \"pending\": that of Thibaud et al. 2019";
        /// With "pending": the Interest that is about to leave counts among all that are pending, though at no next hop yet.
        count_own: bool = false, None, "choice; true: fits the tables of Thibaud et al. 2019";
        /// Share that goes back to the cheapest next hop from another that has been quiet for a while.
        return_share: f64 = 0.0, Some((0.0, 1.0)), "PCON authors' code; Thibaud et al. 2019: 0.003";
        /// That while: without a mark, or between two congestion Nacks that count.
        quiet: Span = Span::from_millis(110), Some((0.0, 1e6)), "the code that Thibaud et al. 2019 build on";
        /// An Interest that expires moves this share away from where it went.
        expiry_change: f64 = 0.02, Some((0.0, 1.0)), "PCON authors' code";
        /// Probability that an Interest is also sent to all other next hops, to see whether they work.
        probe: f64 = 0.0, Some((0.0, 1.0)), "choice (PCON authors' code: 0.001, with another nonce)";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ForwardingStrategy>> = weir_core::entry!(
    "pcon-fs",
    "Shares of next hops; each congestion mark moves a few per cent elsewhere",
    PconFsParameters,
    |p, site| Box::new(PconFs { chance: site.seed.of("pcon-fs").stream(), parameters: p, hops: PerHop::default() }),
    "../../../../docs/schemes/strategy-pcon-fs.md"
);

#[derive(Debug)]
struct PconFs {
    parameters: PconFsParameters,
    hops: PerHop<Hop>,
    chance: Chance,
}

/// What is kept of a next hop.
#[derive(Debug, Default)]
struct Hop {
    share: f64,
    pending: u64,
    /// The latest mark, and whether a share has gone back since.
    marked_at: Option<Time>,
    returned: bool,
    refused_at: Option<Time>,
}

impl Shared for Hop {
    fn share(&mut self) -> &mut f64 {
        &mut self.share
    }
}

impl Pending for Hop {
    fn pending(&mut self) -> &mut u64 {
        &mut self.pending
    }
}

/// The cheapest next hop that has a smaller part of the pending Interests than its share.
fn below_its_share(known: &[Known<Hop>], eligible: &[NextHop], own: u64) -> Option<FaceId> {
    let pending: u64 = known.iter().map(|known| known.state.pending).sum();
    let usable = || known.iter().filter(|known| eligible.contains(&known.hop));
    let below = |known: &&Known<Hop>| {
        let hop = &known.state;
        // While nothing is pending, everybody that has a share is below it.
        hop.share > 0.0 && (pending == 0 || (hop.pending as f64) < hop.share * (pending + own) as f64)
    };
    let largest = || usable().max_by(|a, b| a.state.share.total_cmp(&b.state.share).then(b.hop.face.cmp(&a.hop.face)));
    usable().find(below).or_else(largest).map(|known| known.hop.face)
}

impl PconFs {
    fn pick(&mut self, query: &Query<'_>) -> Option<FaceId> {
        let known = self.hops.known(query.prefix, query.next_hops);
        prime(known);
        match self.parameters.pick {
            Pick::Random => draw(known, query.next_hops, &mut self.chance),
            Pick::Pending => below_its_share(known, query.next_hops, u64::from(self.parameters.count_own)),
        }
    }

    fn is_quiet(&self, since: Option<Time>, now: Time) -> bool {
        since.is_none_or(|since| now.since(since) > self.parameters.quiet)
    }

    /// A mark came over the next hop of this rank.
    fn marked(&mut self, outcome: &DataOutcome<'_>, rank: usize, now: Time) {
        let hops = if self.parameters.by_distance { f64::from(outcome.mark_distance.max(1)) } else { 1.0 };
        let known = self.hops.known(outcome.prefix, &[]);
        let hop = &mut known[rank].state;
        hop.marked_at = Some(now);
        hop.returned = false;
        let amount = self.parameters.change * hop.share / hops;
        shift(known, rank, amount);
    }

    /// A Data without a mark came over it: after a quiet while some of its share goes back to the cheapest.
    fn unmarked(&mut self, outcome: &DataOutcome<'_>, rank: usize, now: Time) {
        let amount = self.parameters.return_share;
        let quiet = self.parameters.quiet;
        let known = self.hops.known(outcome.prefix, &[]);
        let hop = &mut known[rank].state;
        let due = hop.marked_at.is_some_and(|at| now.since(at) > quiet) && !hop.returned;
        if rank > 0 && due {
            hop.returned = true;
            hand_over(known, rank, 0, amount);
        }
    }

    fn rank(&mut self, prefix: weir_core::PrefixId, face: FaceId) -> Option<usize> {
        self.hops.known(prefix, &[]).iter().position(|known| known.hop.face == face)
    }
}

impl ForwardingStrategy for PconFs {
    fn choose(&mut self, query: &Query<'_>, _cx: &mut Context<'_>) -> Choice {
        let Some(face) = self.pick(query) else { return nowhere(query) };
        if self.parameters.probe > 0.0 && query.next_hops.len() > 1 && self.chance.happens(self.parameters.probe) {
            for hop in query.next_hops {
                self.hops.count_sent(query.prefix, query.next_hops, hop.face, query.sent);
            }
            return Choice::Each(query.next_hops.iter().map(|hop| hop.face).collect());
        }
        self.hops.count_sent(query.prefix, query.next_hops, face, query.sent);
        Choice::To(face)
    }

    fn on_data(&mut self, outcome: &DataOutcome<'_>, cx: &mut Context<'_>) {
        self.hops.count_answered(outcome);
        let Some(rank) = self.rank(outcome.prefix, outcome.face) else { return };
        if outcome.marked {
            self.marked(outcome, rank, cx.now);
        } else {
            self.unmarked(outcome, rank, cx.now);
        }
    }

    fn on_failure(&mut self, failure: &Failure<'_>, cx: &mut Context<'_>) -> Choice {
        self.hops.count_failed(failure);
        if let Some(rank) = self.rank(failure.prefix, failure.face) {
            let known = self.hops.known(failure.prefix, &[]);
            match failure.kind {
                FailureKind::Expired => shift(known, rank, self.parameters.expiry_change),
                FailureKind::Nack(NackReason::Congestion) => {
                    let refused_at = known[rank].state.refused_at;
                    if self.is_quiet(refused_at, cx.now) {
                        let known = self.hops.known(failure.prefix, &[]);
                        known[rank].state.refused_at = Some(cx.now);
                        let amount = self.parameters.change * known[rank].state.share;
                        shift(known, rank, amount);
                    }
                }
                FailureKind::Nack(_) => {}
            }
        }
        let choice = after_failure(failure);
        if let Choice::To(face) = choice {
            self.hops.count_sent(failure.prefix, failure.next_hops, face, failure.sent);
        }
        choice
    }
    fn inspect(&self, report: &mut dyn FnMut(FaceId, HopReading)) {
        self.hops.inspect(|_, hop| hop.share, HopReading::Share, report);
    }
}
