//! A constant Interest rate, whatever the network says.

use weir_core::{Allowance, ConsumerControl, DataSignal, Entry, LossSignal, Rate, Reaction, Site, Span};

weir_core::parameters! {
    /// Parameters of a constant rate. The first that is set of `gap`, `rate` and `frequency` counts.
    pub struct CbrParameters {
        /// Interests per second; counts if neither `gap` nor `rate` is set.
        frequency: f64 = 1.0, Some((1e-6, 1e9)), "ndnSIM, ConsumerCbr Frequency";
        /// Payload per second, turned into Interests with the payload size of the workload; "0bps" is not set.
        rate: Rate = Rate(0), None, "choice";
        /// Time from one Interest to the next; "0s" is not set.
        gap: Span = Span::ZERO, Some((0.0, 1e6)), "choice";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ConsumerControl>> = weir_core::entry!(
    "cbr",
    "A constant Interest rate, whatever the network says",
    CbrParameters,
    |parameters, site| Box::new(Cbr { gap: gap(&parameters, site) }),
    "../../../../docs/schemes/control-cbr.md"
);

struct Cbr {
    gap: Span,
}

fn gap(parameters: &CbrParameters, site: &Site) -> Span {
    let gap = if parameters.gap > Span::ZERO {
        parameters.gap
    } else if parameters.rate > Rate(0) {
        parameters.rate.transmission(site.payload.0 as usize)
    } else {
        Span::from_seconds(1.0 / parameters.frequency)
    };
    // A payload of nothing must not stop the clock.
    gap.max(Span(1))
}

impl ConsumerControl for Cbr {
    fn on_data(&mut self, _signal: &DataSignal) -> Reaction {
        Reaction::None
    }

    fn on_loss(&mut self, _signal: &LossSignal) -> Reaction {
        Reaction::None
    }

    fn allowance(&self) -> Allowance {
        Allowance { window: f64::INFINITY, gap: Some(self.gap) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{loss, marked};
    use super::*;
    use weir_core::{Bytes, Loss};

    fn gap_of(parameters: CbrParameters) -> Span {
        gap(&parameters, &Site { payload: Bytes(1250), ..Site::default() })
    }

    #[test]
    fn the_gap_comes_from_gap_rate_or_frequency() {
        let frequency = CbrParameters { frequency: 250.0, ..CbrParameters::default() };
        let rate = CbrParameters { rate: Rate(10_000_000), ..frequency.clone() };
        let given = CbrParameters { gap: Span::from_millis(7), ..rate.clone() };
        assert_eq!(gap_of(CbrParameters::default()), Span::from_millis(1000));
        assert_eq!(gap_of(frequency), Span::from_millis(4));
        assert_eq!(gap_of(rate), Span::from_millis(1));
        assert_eq!(gap_of(given), Span::from_millis(7));
    }

    #[test]
    fn an_empty_payload_leaves_a_gap() {
        let parameters = CbrParameters { rate: Rate(1), ..CbrParameters::default() };
        assert_eq!(gap(&parameters, &Site { payload: Bytes(0), ..Site::default() }), Span(1));
    }

    #[test]
    fn nothing_moves_it() {
        let mut control = Cbr { gap: Span(5) };
        control.on_data(&marked(true));
        control.on_loss(&loss(Loss::Timeout, true));
        assert_eq!(control.allowance(), Allowance { window: f64::INFINITY, gap: Some(Span(5)) });
    }
}
