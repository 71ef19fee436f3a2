//! Shares of the Interests of a prefix that its next hops get.

use super::next_hops::Known;
use weir_core::{Chance, FaceId, NextHop};

/// A next hop's state that has a share.
pub trait Shared {
    /// From 0 to 1; those of a prefix add up to 1.
    fn share(&mut self) -> &mut f64;
}

/// Gives the cheapest next hop everything, if nobody has a share yet.
pub fn prime<S: Shared>(known: &mut [Known<S>]) {
    let sum: f64 = known.iter_mut().map(|known| *known.state.share()).sum();
    if sum == 0.0
        && let Some(cheapest) = known.first_mut()
    {
        *cheapest.state.share() = 1.0;
    }
}

/// Moves `amount` from one next hop to all others, the same to each; or, if negative, from all others to it. Nobody
/// gives more than there is.
pub fn shift<S: Shared>(known: &mut [Known<S>], from: usize, amount: f64) {
    let others = known.len().saturating_sub(1) as f64;
    if others == 0.0 {
        return;
    }
    let amount = amount.min(*known[from].state.share());
    let mut moved = 0.0;
    for (_, other) in known.iter_mut().enumerate().filter(|(rank, _)| *rank != from) {
        let share = other.state.share();
        let part = (amount / others).max(-*share);
        *share += part;
        moved += part;
    }
    *known[from].state.share() -= moved;
}

/// Moves `amount` from one next hop to another, or what there is.
pub fn hand_over<S: Shared>(known: &mut [Known<S>], from: usize, to: usize, amount: f64) {
    let amount = amount.min(*known[from].state.share());
    *known[from].state.share() -= amount;
    *known[to].state.share() += amount;
}

/// A next hop that may be used now, at random by the shares of those; the cheapest if none of them has a share.
pub fn draw<S: Shared>(known: &mut [Known<S>], eligible: &[NextHop], chance: &mut Chance) -> Option<FaceId> {
    let usable = |known: &&mut Known<S>| eligible.contains(&known.hop);
    let sum: f64 = known.iter_mut().filter(usable).map(|known| *known.state.share()).sum();
    let mut drawn = chance.unit() * sum;
    for known in known.iter_mut().filter(usable) {
        let share = *known.state.share();
        if drawn < share {
            return Some(known.hop.face);
        }
        drawn -= share;
    }
    eligible.first().map(|hop| hop.face)
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::Seed;

    struct Share(f64);

    impl Shared for Share {
        fn share(&mut self) -> &mut f64 {
            &mut self.0
        }
    }

    fn known(shares: &[f64]) -> Vec<Known<Share>> {
        let hop = |rank: usize| NextHop { face: FaceId(rank as u32), cost: rank as u64 };
        shares.iter().enumerate().map(|(rank, share)| Known { hop: hop(rank), state: Share(*share) }).collect()
    }

    fn shares(known: &[Known<Share>]) -> Vec<f64> {
        known.iter().map(|known| (known.state.0 * 1e6).round() / 1e6).collect()
    }

    #[test]
    fn the_cheapest_begins_with_everything() {
        let mut hops = known(&[0.0, 0.0]);
        prime(&mut hops);
        assert_eq!(shares(&hops), [1.0, 0.0]);
        shift(&mut hops, 0, 0.03);
        prime(&mut hops);
        assert_eq!(shares(&hops), [0.97, 0.03]);
    }

    #[test]
    fn a_shift_takes_no_more_than_there_is_either_way() {
        let mut hops = known(&[0.1, 0.9, 0.0]);
        shift(&mut hops, 0, 0.5);
        assert_eq!(shares(&hops), [0.0, 0.95, 0.05]);
        shift(&mut hops, 0, -0.2);
        assert_eq!(shares(&hops), [0.15, 0.85, 0.0]);
        let mut alone = known(&[1.0]);
        shift(&mut alone, 0, 0.5);
        assert_eq!(shares(&alone), [1.0]);
    }

    #[test]
    fn a_draw_follows_the_shares_of_those_that_may_be_used() {
        let mut hops = known(&[0.2, 0.3, 0.5]);
        let eligible = [hops[0].hop, hops[2].hop];
        let mut chance = Seed(1).stream();
        let firsts = (0..70_000).filter(|_| draw(&mut hops, &eligible, &mut chance) == Some(FaceId(0))).count();
        assert!((firsts as f64 / 20_000.0 - 1.0).abs() < 0.03, "{firsts}");
        let mut broke = known(&[1.0, 0.0]);
        let only = [broke[1].hop];
        assert_eq!(draw(&mut broke, &only, &mut chance), Some(FaceId(1)));
    }
}
