//! How many Interests of a prefix are pending at each of its next hops.

use super::next_hops::{Known, PerHop};
use weir_core::{DataOutcome, FaceId, Failure, NextHop, OutRecord, PrefixId};

/// A next hop's state that has a number of pending Interests.
pub trait Pending: Default {
    /// Interests sent to this next hop that nothing has ended yet.
    fn pending(&mut self) -> &mut u64;
    /// The number has changed.
    fn changed(&mut self) {}
}

impl<S: Pending> PerHop<S> {
    /// An Interest goes to `face`; `sent`: where it went before. A repetition adds nothing to what is pending.
    pub fn count_sent(&mut self, prefix: PrefixId, hops: &[NextHop], face: FaceId, sent: &[OutRecord]) {
        let is_pending = sent.iter().any(|record| record.face == face && record.nacked.is_none());
        if !is_pending && let Some(state) = state_of(self.known(prefix, hops), face) {
            *state.pending() += 1;
            state.changed();
        }
    }

    /// A Data ends the Interest wherever it is pending.
    pub fn count_answered(&mut self, outcome: &DataOutcome<'_>) {
        let known = self.known(outcome.prefix, &[]);
        for record in outcome.sent.iter().filter(|record| record.nacked.is_none()) {
            take_off(known, record.face);
        }
    }

    /// A refusal, or the end of the Interest's lifetime, ends it at one next hop.
    pub fn count_failed(&mut self, failure: &Failure<'_>) {
        take_off(self.known(failure.prefix, &[]), failure.face);
    }
}

fn state_of<S>(known: &mut [Known<S>], face: FaceId) -> Option<&mut S> {
    known.iter_mut().find(|known| known.hop.face == face).map(|known| &mut known.state)
}

fn take_off<S: Pending>(known: &mut [Known<S>], face: FaceId) {
    if let Some(state) = state_of(known, face) {
        *state.pending() = state.pending().saturating_sub(1);
        state.changed();
    }
}
