//! Window laws: how far a window grows and shrinks. When it does is decided by [`super::windowed`].

mod bic;
mod cubic;
mod hystart;
mod reno;

pub use bic::{Bic, BicRule};
pub use cubic::{Cubic, CubicRule};
pub use hystart::HyStart;
pub use reno::{Reno, RenoRule};

use weir_core::{DataSignal, Time};

/// How far a window grows and shrinks.
pub trait WindowLaw: Send {
    /// A segment arrived, and nothing speaks against growth.
    fn increase(&mut self, signal: &DataSignal);
    /// Congestion.
    fn decrease(&mut self, now: Time);
    /// The window: finite and at least 1.
    fn window(&self) -> f64;
    /// Each Data adds to the window as in slow start. A law that does not say has none.
    fn in_slow_start(&self) -> bool {
        false
    }
    /// Ends slow start here, without a cut.
    fn leave_slow_start(&mut self) {}
    /// Goes on from a window that another law has reached, without slow start; a law that does not say how starts anew.
    fn begin_at(&mut self, _window: f64) {}
}

/// The law, with HyStart++ over its slow start if that is asked for, and so many rounds of Conservative Slow Start.
pub fn watched<L: WindowLaw + 'static>(law: L, hystart: bool, css_rounds: u64) -> Box<dyn WindowLaw> {
    if hystart { Box::new(HyStart::new(law, css_rounds)) } else { Box::new(law) }
}

impl WindowLaw for Box<dyn WindowLaw> {
    fn increase(&mut self, signal: &DataSignal) {
        (**self).increase(signal);
    }

    fn decrease(&mut self, now: Time) {
        (**self).decrease(now);
    }

    fn window(&self) -> f64 {
        (**self).window()
    }

    fn in_slow_start(&self) -> bool {
        (**self).in_slow_start()
    }

    fn leave_slow_start(&mut self) {
        (**self).leave_slow_start();
    }

    fn begin_at(&mut self, window: f64) {
        (**self).begin_at(window);
    }
}
