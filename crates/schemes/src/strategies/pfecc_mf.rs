//! PFECC's multipath forwarding (Li, 2021): traffic leaves next hops whose queueing delay rises.

use crate::parts::next_hops::{Known, PerHop, after_failure, nowhere};
use crate::parts::shares::{Shared, draw, prime, shift};
use weir_core::{
    Chance, Choice, Context, DataOutcome, Entry, FaceId, Failure, ForwardingStrategy, HopReading, PrefixId, Query,
    Span, Time,
};

weir_core::parameters! {
    /// Parameters of PFECC's multipath forwarding.
    pub struct PfeccMfParameters {
        /// A next hop is left alone unless each Data from it has waited longer than this in the neighbour's queue.
        min_delay: Span = Span::from_millis(3), Some((0.0, 10.0)), "Li 2021, section 4 (MF_minDelay)";
        /// Part of its share that a next hop loses or gains most in an interval.
        change: f64 = 0.03, Some((0.0, 1.0)), "Li 2021, section 3.4 (P_change, 1 to 3 %)";
        /// Length of an interval.
        interval: Span = Span::from_millis(10), Some((1e-6, 100.0)), "choice, by table 2 of Li 2021";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ForwardingStrategy>> = weir_core::entry!(
    "pfecc-mf",
    "Shares of next hops that shrink where the neighbour's queueing delay rises",
    PfeccMfParameters,
    |p, site| Box::new(PfeccMf {
        chance: site.seed.of("pfecc-mf").stream(),
        parameters: p,
        hops: PerHop::default(),
        began: Vec::new(),
    }),
    "../../../../docs/schemes/strategy-pfecc-mf.md"
);

#[derive(Debug)]
struct PfeccMf {
    parameters: PfeccMfParameters,
    hops: PerHop<Hop>,
    /// By prefix: when the interval began.
    began: Vec<Option<Time>>,
    chance: Chance,
}

/// What is kept of a next hop.
#[derive(Debug, Default)]
struct Hop {
    share: f64,
    trend: Trend,
}

impl Shared for Hop {
    fn share(&mut self) -> &mut f64 {
        &mut self.share
    }
}

/// The queueing delays of an interval.
#[derive(Debug, Default)]
struct Trend {
    samples: u32,
    /// Samples no smaller than the one before.
    rises: u32,
    least: Option<Span>,
    last: Span,
}

impl Trend {
    fn add(&mut self, delay: Span) {
        self.rises += u32::from(self.samples > 0 && delay >= self.last);
        self.samples += 1;
        self.least = Some(self.least.map_or(delay, |least| least.min(delay)));
        self.last = delay;
    }

    /// Share of rises, if there were two samples at least and all of them above `min`.
    fn slope(&self, min: Span) -> Option<f64> {
        let counts = self.samples >= 2 && self.least.is_some_and(|least| least > min);
        counts.then(|| f64::from(self.rises) / f64::from(self.samples - 1))
    }
}

/// Ends an interval.
fn settle(known: &mut [Known<Hop>], p: &PfeccMfParameters) {
    for rank in 0..known.len() {
        let trend = std::mem::take(&mut known[rank].state.trend);
        if let Some(slope) = trend.slope(p.min_delay) {
            let amount = known[rank].state.share * (slope - 0.5) * p.change;
            shift(known, rank, amount);
        }
    }
}

impl PfeccMf {
    fn began(&mut self, prefix: PrefixId) -> &mut Option<Time> {
        if self.began.len() <= prefix.index() {
            self.began.resize(prefix.index() + 1, None);
        }
        &mut self.began[prefix.index()]
    }
}

impl ForwardingStrategy for PfeccMf {
    fn choose(&mut self, query: &Query<'_>, _cx: &mut Context<'_>) -> Choice {
        let known = self.hops.known(query.prefix, query.next_hops);
        prime(known);
        draw(known, query.next_hops, &mut self.chance).map_or_else(|| nowhere(query), Choice::To)
    }

    fn on_data(&mut self, outcome: &DataOutcome<'_>, cx: &mut Context<'_>) {
        let interval = self.parameters.interval;
        let began = *self.began(outcome.prefix).get_or_insert(cx.now);
        let known = self.hops.known(outcome.prefix, &[]);
        // The first Data after an interval ends it.
        let over = cx.now.since(began) >= interval;
        if over {
            settle(known, &self.parameters);
        }
        if let Some(known) = known.iter_mut().find(|known| known.hop.face == outcome.face) {
            known.state.trend.add(outcome.queue_delay);
        }
        if over {
            *self.began(outcome.prefix) = Some(cx.now);
        }
    }

    fn on_failure(&mut self, failure: &Failure<'_>, _cx: &mut Context<'_>) -> Choice {
        after_failure(failure)
    }

    fn inspect(&self, report: &mut dyn FnMut(FaceId, HopReading)) {
        self.hops.inspect(|_, hop| hop.share, HopReading::Share, report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::NextHop;

    /// The first share after an interval in which its delays were these, of `hops` with shares in which it has `share`.
    fn after(delays_ms: &[u64], share: f64, hops: usize) -> Vec<f64> {
        let rest = (1.0 - share) / (hops - 1) as f64;
        let hop = |rank: usize| NextHop { face: FaceId(rank as u32), cost: 0 };
        let state = |rank| Hop { share: if rank == 0 { share } else { rest }, ..Hop::default() };
        let mut known: Vec<_> = (0..hops).map(|rank| Known { hop: hop(rank), state: state(rank) }).collect();
        delays_ms.iter().for_each(|ms| known[0].state.trend.add(Span::from_millis(*ms)));
        settle(&mut known, &PfeccMfParameters::default());
        known.iter().map(|known| (known.state.share * 1e9).round() / 1e9).collect()
    }

    #[test]
    fn rising_delays_move_a_share_away() {
        assert_eq!(after(&[4, 5, 6, 7], 1.0, 2), [0.985, 0.015]);
        assert_eq!(after(&[4, 5, 6, 7], 1.0, 3), [0.985, 0.0075, 0.0075]);
    }

    #[test]
    fn falling_delays_bring_one_back() {
        assert_eq!(after(&[7, 6, 5, 4], 0.5, 2), [0.5075, 0.4925]);
        assert_eq!(after(&[7, 6, 5, 4], 1.0, 2), [1.0, 0.0]);
    }

    #[test]
    fn short_delays_and_single_samples_say_nothing() {
        assert_eq!(after(&[3, 5, 6, 7], 1.0, 2), [1.0, 0.0]);
        assert_eq!(after(&[9], 1.0, 2), [1.0, 0.0]);
        assert_eq!(after(&[], 1.0, 2), [1.0, 0.0]);
    }
}
