//! The only place with a clock: machines are told the time, and it is read here.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use weir_core::{Span, Time};

/// Time since it was started, which never goes back.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    started: Instant,
}

impl Clock {
    /// Starts at time zero.
    #[expect(clippy::disallowed_methods, reason = "a driver of sockets owns the time that it lends to the machines")]
    pub fn start() -> Clock {
        Clock { started: Instant::now() }
    }

    /// The time now.
    pub fn now(&self) -> Time {
        Time(self.started.elapsed().as_nanos() as u64)
    }

    /// Milliseconds since the Unix epoch, for versions and signatures; 0 on a machine whose clock stands before it.
    #[expect(clippy::disallowed_methods, reason = "versions and time stamps of signed packets are in civil time")]
    pub fn unix_millis() -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
    }
}

/// A span as the system's calls want it.
pub(crate) fn duration(span: Span) -> Duration {
    Duration::from_nanos(span.0)
}
