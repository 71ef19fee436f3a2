//! Multicast: every next hop gets a copy.

use crate::parts::next_hops::{after_failure, nowhere};
use weir_core::{Choice, Context, Entry, Failure, ForwardingStrategy, Query, Suppression};

weir_core::parameters! {
    /// Multicast has no parameters.
    pub struct MulticastParameters {}
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ForwardingStrategy>> = weir_core::entry!(
    "multicast",
    "A copy to every next hop",
    MulticastParameters,
    |_, _| Box::new(Multicast),
    "../../../../docs/schemes/strategy-multicast.md"
);

/// A copy to every next hop that has not had one a moment ago.
#[derive(Debug)]
pub struct Multicast;

impl ForwardingStrategy for Multicast {
    fn choose(&mut self, query: &Query<'_>, _cx: &mut Context<'_>) -> Choice {
        match query.next_hops {
            [] => nowhere(query),
            [only] => Choice::To(only.face),
            several => Choice::Each(several.iter().map(|hop| hop.face).collect()),
        }
    }

    fn learns_from_data(&self) -> bool {
        false
    }

    fn on_failure(&mut self, failure: &Failure<'_>, _cx: &mut Context<'_>) -> Choice {
        after_failure(failure)
    }

    fn suppression(&self) -> Suppression {
        Suppression::PerUpstream
    }
}
