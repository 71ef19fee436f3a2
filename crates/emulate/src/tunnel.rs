//! A link: two tunnel devices, each in the namespace of a node, and for each direction a thread that takes what a node sends
//! and one that hands it to the other node when its time has come.

use crate::shaper::{Fate, Shaper};
use std::collections::BinaryHeap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tun_rs::{InterruptEvent, SyncDevice};
use weir_core::{Rate, Span, Time};
use weir_live::Clock;

/// Headers of IPv4 and UDP, which scenarios know nothing of: they take no time.
const HEADERS: usize = 28;
/// The longest datagram that a device takes, headers included: a whole NDN packet with its link header fits.
pub(crate) const MTU: u16 = 9216;
/// The protocol number of UDP.
const UDP: u8 = 17;

/// What has happened on a link direction.
#[derive(Debug, Default)]
pub struct Counters {
    /// Datagrams that a node sent.
    pub sent: AtomicU64,
    /// Their bytes, without the headers of IP and UDP.
    pub bytes: AtomicU64,
    /// Those that found the queue full.
    pub overflowed: AtomicU64,
    /// Those lost on the way.
    pub lost: AtomicU64,
    /// Copies that arrived besides.
    pub duplicated: AtomicU64,
    /// Those handed to the other node, copies included.
    pub arrived: AtomicU64,
}

fn count(counter: &AtomicU64, n: u64) {
    counter.fetch_add(n, Ordering::Relaxed);
}

/// A datagram in the air. The one that arrives first is the greatest, and among equals the one that came first.
struct Flying(Time, u64, Vec<u8>);

impl PartialEq for Flying {
    fn eq(&self, other: &Flying) -> bool {
        (self.0, self.1) == (other.0, other.1)
    }
}
impl Eq for Flying {}
impl PartialOrd for Flying {
    fn partial_cmp(&self, other: &Flying) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Flying {
    fn cmp(&self, other: &Flying) -> std::cmp::Ordering {
        (other.0, other.1).cmp(&(self.0, self.1))
    }
}

#[derive(Default)]
struct Air {
    flying: BinaryHeap<Flying>,
    number: u64,
    closed: bool,
}

/// What the two threads of a direction share.
struct Shared {
    shaper: Mutex<Shaper>,
    air: Mutex<Air>,
    changed: Condvar,
    counters: Counters,
    clock: Clock,
}

impl Shared {
    fn shaper(&self) -> MutexGuard<'_, Shaper> {
        self.shaper.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn air(&self) -> MutexGuard<'_, Air> {
        self.air.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One direction of a link at work; it ends when this is dropped.
pub struct Tunnel {
    shared: Arc<Shared>,
    stop: Arc<InterruptEvent>,
    threads: Vec<JoinHandle<()>>,
}

impl Tunnel {
    /// Carries what comes out of `from` into `to`.
    ///
    /// # Errors
    /// If the system has no more pipes or threads.
    pub fn start(from: Arc<SyncDevice>, to: Arc<SyncDevice>, shaper: Shaper, clock: Clock) -> io::Result<Tunnel> {
        let shared = Arc::new(Shared {
            shaper: Mutex::new(shaper),
            air: Mutex::default(),
            changed: Condvar::new(),
            counters: Counters::default(),
            clock,
        });
        let stop = Arc::new(InterruptEvent::new()?);
        let (taking, stopping) = (shared.clone(), stop.clone());
        let handing = shared.clone();
        let name = |what: &str| thread::Builder::new().name(format!("link-{what}"));
        let threads = vec![
            name("in").spawn(move || take(&from, &stopping, &taking))?,
            name("out").spawn(move || hand_on(&to, &handing))?,
        ];
        Ok(Tunnel { shared, stop, threads })
    }

    /// Changes the link ([`Shaper::change`]).
    pub fn change(&self, rate: Option<Rate>, delay: Option<Span>, loss: Option<f64>) {
        self.shared.shaper().change(rate, delay, loss);
    }

    /// Cuts the link: what is on its way is lost, and all that follows, until it is mended.
    pub fn cut(&self) {
        self.shared.shaper().set_down(true);
        let mut air = self.shared.air();
        count(&self.shared.counters.lost, air.flying.len() as u64);
        air.flying.clear();
    }

    /// Mends the link.
    pub fn mend(&self) {
        self.shared.shaper().set_down(false);
    }

    /// What has happened so far.
    pub fn counters(&self) -> &Counters {
        &self.shared.counters
    }
}

impl Drop for Tunnel {
    fn drop(&mut self) {
        self.shared.air().closed = true;
        self.shared.changed.notify_all();
        // Without it the thread would wait for a datagram for ever; then the process's end is its end.
        if self.stop.trigger().is_ok() {
            for thread in self.threads.drain(..) {
                let _ = thread.join();
            }
        }
    }
}

/// Takes what a node sends until somebody stops it.
fn take(from: &SyncDevice, stop: &InterruptEvent, shared: &Shared) {
    let mut buffer = vec![0; usize::from(MTU)];
    loop {
        let len = match from.recv_intr(&mut buffer, stop) {
            Ok(len) => len,
            Err(_) if shared.air().closed => return,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            // The node's namespace is gone.
            Err(_) => return,
        };
        let Some(bytes) = ndn_bytes(&buffer[..len]) else { continue };
        count(&shared.counters.sent, 1);
        count(&shared.counters.bytes, bytes as u64);
        let fate = shared.shaper().take(shared.clock.now(), bytes);
        match fate {
            Fate::Overflowed => count(&shared.counters.overflowed, 1),
            Fate::Lost => count(&shared.counters.lost, 1),
            Fate::Arrives(at, copy) => {
                let mut air = shared.air();
                for at in [Some(at), copy].into_iter().flatten() {
                    air.number += 1;
                    let number = air.number;
                    air.flying.push(Flying(at, number, buffer[..len].to_vec()));
                }
                count(&shared.counters.duplicated, u64::from(copy.is_some()));
                drop(air);
                shared.changed.notify_one();
            }
        }
    }
}

/// Hands each datagram on when its time has come.
fn hand_on(to: &SyncDevice, shared: &Shared) {
    let mut air = shared.air();
    while !air.closed {
        let now = shared.clock.now();
        air = match air.flying.peek() {
            None => shared.changed.wait(air).unwrap_or_else(PoisonError::into_inner),
            Some(first) if first.0 > now => {
                let wait = Duration::from_nanos(first.0.since(now).0);
                shared.changed.wait_timeout(air, wait).unwrap_or_else(PoisonError::into_inner).0
            }
            Some(_) => {
                let datagram = air.flying.pop();
                drop(air);
                if let Some(Flying(_, _, bytes)) = datagram
                    && to.send(&bytes).is_ok()
                {
                    count(&shared.counters.arrived, 1);
                }
                shared.air()
            }
        };
    }
}

/// Length of what an IPv4 datagram of UDP carries; `None` for what no forwarder sends, such as the kernel's own messages.
fn ndn_bytes(datagram: &[u8]) -> Option<usize> {
    let (first, protocol) = (*datagram.first()?, *datagram.get(9)?);
    (first >> 4 == 4 && protocol == UDP).then(|| datagram.len().saturating_sub(HEADERS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_arrives_first_comes_first() {
        let mut air = BinaryHeap::new();
        for (time, number) in [(30, 1), (10, 2), (20, 3), (10, 4)] {
            air.push(Flying(Time(time), number, Vec::new()));
        }
        let order: Vec<u64> = std::iter::from_fn(|| air.pop()).map(|flying| flying.1).collect();
        assert_eq!(order, [2, 4, 3, 1]);
    }

    #[test]
    fn only_datagrams_of_udp_are_carried() {
        let mut datagram = vec![0; 60];
        datagram[0] = 0x45;
        datagram[9] = UDP;
        assert_eq!(ndn_bytes(&datagram), Some(32));
        datagram[9] = 1;
        assert_eq!(ndn_bytes(&datagram), None, "ICMP");
        datagram[0] = 0x60;
        assert_eq!(ndn_bytes(&datagram), None, "IPv6");
        assert_eq!(ndn_bytes(&[]), None);
    }
}
