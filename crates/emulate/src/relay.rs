//! A link between two UDP programs of this host, without namespaces: what one sends to its end comes out of the other end,
//! after the queue, rate and delay of a [`Shaper`]. Like a router that knows no NDN.

use crate::shaper::{Fate, Shaper};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use weir_core::Time;
use weir_live::Clock;

/// How soon a thread that waits for datagrams sees that it is to end.
const ATTENTION: Duration = Duration::from_millis(100);
/// The longest datagram.
const LONGEST: usize = 1 << 16;

/// A link at work; it ends when this is dropped.
#[derive(Debug)]
pub struct Relay {
    near: SocketAddr,
    stop: Arc<AtomicBool>,
    overflowed: Arc<AtomicU64>,
    threads: Vec<JoinHandle<()>>,
}

impl Relay {
    /// Whoever sends to [`Relay::near`] talks to `far`, an address of this host. `there` shapes what goes to `far`, `back`
    /// what comes from it; both must keep the order (no jitter).
    ///
    /// # Errors
    /// If the system has no more ports or threads.
    pub fn start(far: SocketAddr, there: Shaper, back: Shaper) -> io::Result<Relay> {
        let (near, towards) = (end()?, end()?);
        towards.connect(far)?;
        let (near, towards) = (Arc::new(near), Arc::new(towards));
        let caller = Arc::new(OnceLock::new());
        let mut relay =
            Relay { near: near.local_addr()?, stop: Arc::default(), overflowed: Arc::default(), threads: vec![] };
        let known = caller.clone();
        let to_far = towards.clone();
        relay.direction(near.clone(), there, Some(caller), move |bytes| to_far.send(bytes).map(drop))?;
        relay.direction(towards, back, None, move |bytes| match known.get() {
            Some(caller) => near.send_to(bytes, *caller).map(drop),
            None => Ok(()),
        })?;
        Ok(relay)
    }

    /// The end for the program that begins.
    pub fn near(&self) -> SocketAddr {
        self.near
    }

    /// Datagrams that found a queue full.
    pub fn overflowed(&self) -> u64 {
        self.overflowed.load(Ordering::Relaxed)
    }

    fn direction(
        &mut self,
        from: Arc<UdpSocket>,
        shaper: Shaper,
        caller: Option<Arc<OnceLock<SocketAddr>>>,
        send: impl Fn(&[u8]) -> io::Result<()> + Send + 'static,
    ) -> io::Result<()> {
        let (air, landing) = channel();
        let clock = Clock::start();
        let (stop, overflowed) = (self.stop.clone(), self.overflowed.clone());
        let name = || thread::Builder::new().name("relay".into());
        self.threads.push(name().spawn(move || take(&from, &stop, shaper, clock, &overflowed, caller, &air))?);
        self.threads.push(name().spawn(move || hand_on(&landing, clock, send))?);
        Ok(())
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // One that has died has no more to do.
            let _ = thread.join();
        }
    }
}

fn end() -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket.set_read_timeout(Some(ATTENTION))?;
    Ok(socket)
}

/// Takes datagrams until it is to end.
fn take(
    from: &UdpSocket,
    stop: &AtomicBool,
    mut shaper: Shaper,
    clock: Clock,
    overflowed: &AtomicU64,
    caller: Option<Arc<OnceLock<SocketAddr>>>,
    air: &Sender<(Time, Vec<u8>)>,
) {
    let mut buffer = vec![0; LONGEST];
    while !stop.load(Ordering::Relaxed) {
        // Nothing came, or a program at an end is not there (yet).
        let Ok((len, source)) = from.recv_from(&mut buffer) else { continue };
        if let Some(caller) = &caller {
            caller.get_or_init(|| source);
        }
        match shaper.take(clock.now(), len) {
            Fate::Overflowed => {
                overflowed.fetch_add(1, Ordering::Relaxed);
            }
            Fate::Lost => {}
            Fate::Arrives(at, _) => {
                if air.send((at, buffer[..len].to_vec())).is_err() {
                    return;
                }
            }
        }
    }
}

/// Hands each datagram on when its time has come, in order.
fn hand_on(landing: &Receiver<(Time, Vec<u8>)>, clock: Clock, send: impl Fn(&[u8]) -> io::Result<()>) {
    for (at, bytes) in landing {
        let now = clock.now();
        if at > now {
            thread::sleep(Duration::from_nanos(at.since(now).0));
        }
        // Whoever is not there loses it.
        let _ = send(&bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::{Limit, Rate, Seed, Span};
    use weir_scenario::plan::Direction;

    fn shaper(rate: Rate, delay_ms: u64, packets: usize) -> Shaper {
        let limit = Limit::Packets(packets);
        let direction = Direction { rate, delay: Span::from_millis(delay_ms), loss: 0.0, limit };
        Shaper::new(&direction, limit, None, Seed(1))
    }

    #[test]
    fn both_directions_have_their_delay_and_queue() {
        let far = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let near = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        for socket in [&far, &near] {
            socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        }
        // There, 1000 bytes take a second: one datagram is being sent, three wait.
        let (there, back) = (shaper(Rate(8_000), 20, 3), shaper(Rate(1 << 40), 30, 9));
        let relay = Relay::start(far.local_addr().unwrap(), there, back).unwrap();
        let clock = Clock::start();
        let mut buffer = [0; 2000];
        near.send_to(&[7; 10], relay.near()).unwrap();
        let (len, from) = far.recv_from(&mut buffer).unwrap();
        assert!(len == 10 && clock.now() >= Time(20_000_000), "{len} bytes at {:?}", clock.now());
        let sent = clock.now();
        far.send_to(&[8; 20], from).unwrap();
        assert_eq!(near.recv_from(&mut buffer).unwrap(), (20, relay.near()));
        assert!(clock.now().since(sent) >= Span::from_millis(30));
        for _ in 0..9 {
            near.send_to(&[9; 1000], relay.near()).unwrap();
        }
        while relay.overflowed() < 5 {
            // The thread takes them in its own time.
            thread::yield_now();
        }
        assert_eq!(far.recv_from(&mut buffer).unwrap().0, 1000);
    }
}
