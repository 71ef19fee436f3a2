//! Stopping a program that works with sockets: Ctrl-C wakes its driver.

use crate::Failure;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What Ctrl-C, a hang-up or the wish to terminate sets.
pub(crate) struct Stopper(Arc<AtomicBool>);

impl Stopper {
    /// From now on Ctrl-C sets the flag and wakes the driver; a second one ends the program at once.
    pub fn new(waker: Arc<mio::Waker>) -> Result<Stopper, Failure> {
        let flag = Arc::new(AtomicBool::new(false));
        let set = flag.clone();
        let caught = ctrlc::set_handler(move || {
            if set.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            if waker.wake().is_err() {
                std::process::exit(130);
            }
        });
        caught.map_err(|e| Failure::Other(format!("cannot catch Ctrl-C: {e}")))?;
        Ok(Stopper(flag))
    }

    /// The flag.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}
