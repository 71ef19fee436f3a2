//! Picking among next hops by what is already known of the pending Interest.

use std::collections::BTreeMap;
use weir_core::{Choice, FaceId, Failure, FailureKind, HopReading, NextHop, OutRecord, PrefixId, Query};
use weir_wire::NackReason;

/// The cheapest next hop that the Interest was not sent to.
pub fn unused(next_hops: &[NextHop], sent: &[OutRecord]) -> Option<FaceId> {
    next_hops.iter().map(|hop| hop.face).find(|face| sent.iter().all(|record| record.face != *face))
}

/// The next hop that the Interest was sent to longest ago; among equals the cheapest.
pub fn used_longest_ago(query: &Query<'_>) -> Option<FaceId> {
    let used = query.next_hops.iter().filter_map(|hop| Some((query.sent_to(hop.face)?, hop.face)));
    used.min_by_key(|(sent_at, _)| *sent_at).map(|(_, face)| face)
}

/// The answer when nothing is left to choose from: a new Interest is refused. A repeated one is only ignored, for its
/// first copy may still be answered.
pub fn nowhere(query: &Query<'_>) -> Choice {
    if query.is_retransmission() { Choice::Drop } else { Choice::Nack(NackReason::NoRoute) }
}

/// The answer to a failure: after a refusal the cheapest next hop that is left; none left, the mildest of all
/// refusals, once every upstream has refused.
pub fn after_failure(failure: &Failure<'_>) -> Choice {
    let FailureKind::Nack(latest) = failure.kind else { return Choice::Drop };
    match unused(failure.next_hops, failure.sent) {
        Some(face) => Choice::To(face),
        None => refused(failure, latest),
    }
}

/// The answer to a refusal when no other next hop is tried: the mildest of all refusals, once every upstream has
/// refused.
pub fn refused(failure: &Failure<'_>, latest: NackReason) -> Choice {
    let mut mildest = latest;
    for record in failure.sent.iter().filter(|record| record.face != failure.face) {
        match record.nacked {
            Some(reason) if severity(reason) < severity(mildest) => mildest = reason,
            Some(_) => {}
            None => return Choice::Drop,
        }
    }
    Choice::Nack(mildest)
}

/// NFD's order: congestion, duplicate, no route; a refusal without a reason is the worst.
fn severity(reason: NackReason) -> u32 {
    if reason == NackReason::Unspecified { u32::MAX } else { u32::from(reason.code()) }
}

/// What a strategy keeps for each next hop of each prefix.
#[derive(Debug, Default)]
pub struct PerHop<T> {
    prefixes: Vec<Vec<Known<T>>>,
}

/// A next hop that a prefix has had.
#[derive(Debug)]
pub struct Known<T> {
    /// The next hop.
    pub hop: NextHop,
    /// What is kept for it.
    pub state: T,
}

impl<T: Default> PerHop<T> {
    /// All next hops of `prefix` seen so far, these among them, by ascending cost, then face.
    ///
    /// A query lists only the next hops that may be used now; remembering the others keeps everyone's rank when
    /// one of them is left out.
    pub fn known(&mut self, prefix: PrefixId, eligible: &[NextHop]) -> &mut [Known<T>] {
        if self.prefixes.len() <= prefix.index() {
            self.prefixes.resize_with(prefix.index() + 1, Vec::new);
        }
        let known = &mut self.prefixes[prefix.index()];
        for hop in eligible {
            if !known.iter().any(|k| k.hop == *hop) {
                learn(known, *hop);
            }
        }
        known
    }

    /// Reports a number of each next hop, as the mean over the prefixes that have a choice.
    pub fn inspect(
        &self,
        number: impl Fn(&NextHop, &T) -> f64,
        make: fn(f64) -> HopReading,
        report: &mut dyn FnMut(FaceId, HopReading),
    ) {
        let mut faces: BTreeMap<FaceId, (f64, f64)> = BTreeMap::new();
        for known in self.prefixes.iter().filter(|known| known.len() > 1).flatten() {
            let (sum, count) = faces.entry(known.hop.face).or_default();
            *sum += number(&known.hop, &known.state);
            *count += 1.0;
        }
        faces.into_iter().for_each(|(face, (sum, count))| report(face, make(sum / count)));
    }
}

/// Adds a next hop, or moves it to where its new cost belongs.
fn learn<T: Default>(known: &mut Vec<Known<T>>, hop: NextHop) {
    let old = known.iter().position(|k| k.hop.face == hop.face);
    let state = old.map_or_else(T::default, |i| known.remove(i).state);
    let rank = known.partition_point(|k| (k.hop.cost, k.hop.face) < (hop.cost, hop.face));
    known.insert(rank, Known { hop, state });
}
