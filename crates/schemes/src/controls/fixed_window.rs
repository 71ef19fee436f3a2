//! A window that never changes.

use weir_core::{Allowance, ConsumerControl, DataSignal, Entry, LossSignal, Reaction};

weir_core::parameters! {
    /// Parameters of a fixed window.
    pub struct FixedWindowParameters {
        /// Interests in flight.
        window: u64 = 1, Some((1.0, 1e9)), "ndn-tools, ndnget --pipeline-size";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ConsumerControl>> = weir_core::entry!(
    "fixed-window",
    "A window that never changes",
    FixedWindowParameters,
    |parameters, _site| Box::new(FixedWindow(parameters)),
    "../../../../docs/schemes/control-fixed-window.md"
);

struct FixedWindow(FixedWindowParameters);

impl ConsumerControl for FixedWindow {
    fn on_data(&mut self, _signal: &DataSignal) -> Reaction {
        Reaction::None
    }

    fn on_loss(&mut self, _signal: &LossSignal) -> Reaction {
        Reaction::None
    }

    fn allowance(&self) -> Allowance {
        Allowance::window(self.0.window as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{data, loss, marked};
    use super::*;
    use weir_core::Loss;

    #[test]
    fn nothing_moves_it() {
        let mut control = FixedWindow(FixedWindowParameters { window: 20 });
        for kind in [Loss::Timeout, Loss::Notice] {
            assert_eq!(control.on_loss(&loss(kind, true)), Reaction::None);
        }
        control.on_data(&data(1));
        control.on_data(&marked(true));
        assert_eq!(control.allowance(), Allowance::window(20.0));
    }
}
