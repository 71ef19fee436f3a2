//! A paced rate with additive increase and multiplicative decrease.

use super::rate_based::{RateBased, rate_or_full};
use super::windowed::{OnMark, OnNotice};
use crate::parts::rate_law::{Cut, RateLaw, RateRule};
use weir_core::{Bytes, ConsumerControl, Entry, Site};

weir_core::parameters! {
    /// Parameters of [`ENTRY`].
    pub struct RateAimdParameters {
        /// Rate at the start, in Interests per second; 0: the greatest.
        initial_rate: f64 = 0.0, Some((0.0, 1e9)), "choice";
        /// Greatest rate, in Interests per second; 0: as many as bring what the consumer's link carries.
        max_rate: f64 = 0.0, Some((0.0, 1e9)), "choice";
        /// Size of a Data on the wire, by which the link's rate is divided; "0B": that of the workload's Data.
        data: Bytes = Bytes(0), None, "choice";
        /// Least rate, in Interests per second.
        min_rate: f64 = 1.0, Some((1e-3, 1e9)), "Kato and Bandai 2018, section 4";
        /// Interests per second added for each Data.
        step: f64 = 1.0, Some((0.0, 1e6)), "Kato and Bandai 2018, section 3";
        /// A cut multiplies the rate by this.
        beta: f64 = 0.5, Some((0.01, 0.999)), "Kato and Bandai 2018, section 3";
        /// Which refusals and marks cut: "each", "once" in a round trip, or "check" as kato does.
        cut: Cut = Cut::Once, None, "choice";
        /// Take Data with a congestion mark as any other.
        ignore_marks: bool = false, None, "choice (as aimd)";
        /// What an Explicit Loss Notice does: "decrease" as a refusal, or "ignore".
        on_notice: OnNotice = OnNotice::Decrease, None, "choice";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ConsumerControl>> = weir_core::entry!(
    "rate-aimd",
    "A paced rate with additive increase and multiplicative decrease",
    RateAimdParameters,
    |parameters, site| Box::new(rate_aimd(&parameters, site)),
    "../../../../docs/schemes/control-rate-aimd.md"
);

fn rate_aimd(p: &RateAimdParameters, site: &Site) -> RateBased {
    let most = rate_or_full(p.max_rate, p.data, site);
    let initial = if p.initial_rate > 0.0 { p.initial_rate } else { most };
    let rule = RateRule { most, least: p.min_rate, step: p.step, beta: p.beta, cut: p.cut };
    RateBased::new(RateLaw::new(initial, rule), OnMark::unless_ignored(p.ignore_marks), p.on_notice)
}
