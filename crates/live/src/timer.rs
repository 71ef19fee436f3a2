//! Waking in time: the system's `poll` counts milliseconds, in which a fast link sends many packets.

use std::io;
use std::time::Duration;

/// A timer that makes `poll` return.
#[cfg(target_os = "linux")]
pub(crate) struct Timer(std::os::fd::OwnedFd);

#[cfg(target_os = "linux")]
impl Timer {
    pub fn new(registry: &mio::Registry, token: mio::Token) -> io::Result<Timer> {
        use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};
        use std::os::fd::AsRawFd;
        let fd = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        registry.register(&mut mio::unix::SourceFd(&fd.as_raw_fd()), token, mio::Interest::READABLE)?;
        Ok(Timer(fd))
    }

    /// Goes off once, after `wait`. True if it will: else `poll` has to be told.
    pub fn arm(&self, wait: Duration) -> bool {
        use rustix::time::{Itimerspec, TimerfdTimerFlags, Timespec, timerfd_settime};
        let once = Itimerspec {
            it_interval: Timespec { tv_sec: 0, tv_nsec: 0 },
            // Zero would disarm it.
            it_value: Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: i64::from(wait.subsec_nanos().max(1)) },
        };
        timerfd_settime(&self.0, TimerfdTimerFlags::empty(), &once).is_ok()
    }
}

/// Elsewhere milliseconds have to do.
#[cfg(not(target_os = "linux"))]
pub(crate) struct Timer;

#[cfg(not(target_os = "linux"))]
impl Timer {
    pub fn new(_: &mio::Registry, _: mio::Token) -> io::Result<Timer> {
        Ok(Timer)
    }

    pub fn arm(&self, _: Duration) -> bool {
        false
    }
}
