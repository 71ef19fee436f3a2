//! Signals for the unit tests of controls.

use weir_core::{ConsumerControl, DataSignal, FlowId, Loss, LossSignal, Span, Time};
use weir_wire::Feedback;

/// An ordinary Data at `ms` milliseconds, after a round trip of 40 ms.
pub fn data(ms: u64) -> DataSignal {
    DataSignal {
        now: at(ms),
        flow: FlowId(0),
        segment: 0,
        payload: 1040,
        rtt: Span::from_millis(40),
        sent_at: at(ms.saturating_sub(40)),
        retransmitted: false,
        marked: false,
        fresh: true,
        feedback: Feedback::None,
        hops: 2,
        in_flight: 0,
        smoothed_rtt: Span::from_millis(40),
        app_limited: false,
    }
}

/// A Data with a congestion mark.
pub fn marked(fresh: bool) -> DataSignal {
    DataSignal { marked: true, fresh, ..data(0) }
}

/// A loss.
pub fn loss(kind: Loss, fresh: bool) -> LossSignal {
    LossSignal { now: at(0), kind, segment: 0, sent_at: at(0), fresh, in_flight: 0 }
}

/// Gives `count` ordinary Data to a control and tells the window after them.
pub fn fed(control: &mut dyn ConsumerControl, count: usize) -> f64 {
    for _ in 0..count {
        control.on_data(&data(0));
    }
    control.allowance().window
}

/// Gives a Data with a fresh mark to a control and tells the window after it.
pub fn signalled(control: &mut dyn ConsumerControl) -> f64 {
    control.on_data(&marked(true));
    control.allowance().window
}

/// Gives a fresh loss to a control and tells the window after it.
pub fn cut(control: &mut dyn ConsumerControl, kind: Loss) -> f64 {
    control.on_loss(&loss(kind, true));
    control.allowance().window
}

fn at(ms: u64) -> Time {
    Time(ms * 1_000_000)
}
