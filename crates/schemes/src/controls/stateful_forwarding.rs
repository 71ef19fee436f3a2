//! Stateful Forwarding at the consumer: a rate that every refusal halves.

use super::rate_based::{RateBased, rate_or_full};
use super::windowed::{OnMark, OnNotice};
use crate::parts::rate_law::{Cut, RateLaw, RateRule};
use weir_core::{Bytes, ConsumerControl, Entry, Site};

weir_core::parameters! {
    /// Parameters of [`ENTRY`].
    pub struct StatefulForwardingParameters {
        /// Greatest rate and rate at the start, in Interests per second; 0: as many as bring what the consumer's link carries.
        max_rate: f64 = 0.0, Some((0.0, 1e9)), "Kato and Bandai 2018, section 3";
        /// Size of a Data on the wire, by which the link's rate is divided; "0B": that of the workload's Data.
        data: Bytes = Bytes(0), None, "choice";
        /// Least rate, in Interests per second.
        min_rate: f64 = 1.0, Some((1e-3, 1e9)), "Kato and Bandai 2018, section 4";
        /// Interests per second added for each Data.
        step: f64 = 1.0, Some((0.0, 1e6)), "Kato and Bandai 2018, section 3";
        /// A cut multiplies the rate by this.
        beta: f64 = 0.5, Some((0.01, 0.999)), "Kato and Bandai 2018, section 3";
        /// What an Explicit Loss Notice does: "decrease" as a refusal, or "ignore".
        on_notice: OnNotice = OnNotice::Decrease, None, "choice";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ConsumerControl>> = weir_core::entry!(
    "stateful-forwarding",
    "Stateful Forwarding at the consumer: a rate that every refusal halves",
    StatefulForwardingParameters,
    |parameters, site| Box::new(stateful_forwarding(&parameters, site)),
    "../../../../docs/schemes/control-stateful-forwarding.md"
);

fn stateful_forwarding(p: &StatefulForwardingParameters, site: &Site) -> RateBased {
    let most = rate_or_full(p.max_rate, p.data, site);
    let rule = RateRule { most, least: p.min_rate, step: p.step, beta: p.beta, cut: Cut::Each };
    RateBased::new(RateLaw::new(most, rule), OnMark::Ignore, p.on_notice)
}
