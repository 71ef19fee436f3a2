//! Best Route: NFD's default strategy.

use crate::parts::next_hops::{after_failure, nowhere, unused, used_longest_ago};
use weir_core::{Choice, Context, Entry, Failure, ForwardingStrategy, Query};

weir_core::parameters! {
    /// Best Route has no parameters.
    pub struct BestRouteParameters {}
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ForwardingStrategy>> = weir_core::entry!(
    "best-route",
    "The cheapest next hop; repeated Interests try the others",
    BestRouteParameters,
    |_, _| Box::new(BestRoute),
    "../../../../docs/schemes/strategy-best-route.md"
);

/// The cheapest next hop; a repeated Interest goes to one that it has not tried, or else where it went longest ago.
#[derive(Debug)]
pub struct BestRoute;

impl ForwardingStrategy for BestRoute {
    fn choose(&mut self, query: &Query<'_>, cx: &mut Context<'_>) -> Choice {
        if let Some(face) = unused(query.next_hops, query.sent) {
            cx.explain(&query.interest.name, || "it is the cheapest next hop that was not tried".into());
            return Choice::To(face);
        }
        let Some(face) = used_longest_ago(query) else { return nowhere(query) };
        cx.explain(&query.interest.name, || "all next hops were tried; it was so longest ago".into());
        Choice::To(face)
    }

    fn learns_from_data(&self) -> bool {
        false
    }

    fn on_failure(&mut self, failure: &Failure<'_>, _cx: &mut Context<'_>) -> Choice {
        after_failure(failure)
    }
}
