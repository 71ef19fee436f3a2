//! One face: a socket, its link service, and what waits to be written.

use crate::framer::Framer;
use crate::link::{Ends, Link};
use crate::pace::Pace;
use crate::socket::Transport;
use crate::station::FaceOptions;
use std::io;
use weir_core::{Rate, Time};
use weir_wire::{Kind, Mtu, Packet};

/// Bytes of a stream that are collected before they are written; more is the business of the scheme's queue.
const BATCH: usize = 64 << 10;
/// Frames of this length get through nearly everywhere: what is tried when the system says that a frame is too long for
/// the link, and after it the least that IPv6 guarantees, without the headers.
const SHORTER: [usize; 2] = [1400, 1232];

/// What has crossed a face, and what has not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaceCounters {
    /// Interests that came.
    pub in_interests: u64,
    /// Data that came.
    pub in_data: u64,
    /// Nacks that came.
    pub in_nacks: u64,
    /// Bytes of the frames that came.
    pub in_bytes: u64,
    /// Interests that left.
    pub out_interests: u64,
    /// Data that left.
    pub out_data: u64,
    /// Nacks that left.
    pub out_nacks: u64,
    /// Bytes of the frames that left.
    pub out_bytes: u64,
    /// Data that left with a congestion mark.
    pub out_marked: u64,
    /// Frames that came and are not NDN.
    pub malformed: u64,
    /// Fragments whose packet did not become whole.
    pub incomplete: u64,
    /// Frames that the system did not take (no route, no buffer, refused).
    pub unsent: u64,
}

/// What a face does with packets that are to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    /// It sends them.
    Open,
    /// They wait.
    Shut,
    /// They are lost.
    Void,
}

/// A face of the driver.
pub(crate) struct Face {
    pub transport: Transport,
    pub link: Link,
    pub framer: Framer,
    pub pace: Pace,
    /// Bytes of lower headers for each frame.
    overhead: usize,
    pub counters: FaceCounters,
    /// When something last came.
    pub heard: Time,
    /// The machine has something to send that waits until the face is free.
    pub waiting: bool,
    /// The system has said that the peer ends the stream; it will not say so again.
    pub ending: bool,
    pub gate: Gate,
    /// The kernel takes no more; it will say when it does.
    blocked: bool,
    /// Bytes that are not written yet, from `start` on; of datagrams also where each ends.
    out: Vec<u8>,
    ends: Ends,
    start: usize,
}

/// What became of a packet that was handed to a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// It is written, or will be.
    Yes,
    /// Bytes of it wait for a `flush`.
    Later,
    /// The system did not want it.
    Lost,
}

impl Face {
    pub fn new(transport: Transport, mtu: Mtu, options: &FaceOptions, now: Time) -> Face {
        Face {
            overhead: options.overhead.unwrap_or(transport.overhead()),
            transport,
            // Time goes on, so a face that is opened again begins with other numbers.
            link: Link::new(mtu, now.0),
            framer: Framer::default(),
            pace: Pace::new(options.rate),
            counters: FaceCounters::default(),
            heard: now,
            waiting: false,
            ending: false,
            gate: Gate::Open,
            blocked: false,
            out: Vec::new(),
            ends: Ends::new(),
            start: 0,
        }
    }

    /// True if the next packet can be handed over.
    #[inline]
    pub fn is_free(&self, now: Time) -> bool {
        match self.gate {
            Gate::Open => !self.blocked && self.pace.is_free(now),
            Gate::Shut => false,
            Gate::Void => true,
        }
    }

    /// Has another rate from the next frame on.
    pub fn set_rate(&mut self, rate: Option<Rate>, overhead: Option<usize>) {
        self.pace = self.pace.with(rate);
        self.overhead = overhead.unwrap_or(self.transport.overhead());
    }

    /// True if the kernel takes no more for the moment.
    pub fn is_blocked(&self) -> bool {
        self.blocked
    }

    /// Nothing can be written any more.
    pub fn block(&mut self) {
        self.blocked = true;
    }

    /// The kernel takes more again.
    pub fn unblock(&mut self) {
        self.blocked = false;
    }

    /// True if everything has been written.
    pub fn is_flushed(&self) -> bool {
        self.start == self.out.len()
    }

    /// Counts a packet that came.
    pub fn count_in(&mut self, packet: &Packet) {
        match &packet.kind {
            Kind::Interest(_) => self.counters.in_interests += 1,
            Kind::Data(_) => self.counters.in_data += 1,
            Kind::Nack(_) => self.counters.in_nacks += 1,
        }
    }

    /// Hands a packet over. Called only while the face is free. An error is the end of the stream.
    pub fn transmit(&mut self, packet: &Packet, now: Time) -> io::Result<Sent> {
        if self.gate == Gate::Void {
            return Ok(Sent::Lost);
        }
        let (bytes, frames) = (self.out.len(), self.ends.len());
        self.link.encode(packet, &mut self.out, &mut self.ends);
        let added = self.out.len() - bytes;
        self.pace.charge(now, added + (self.ends.len() - frames) * self.overhead);
        if self.transport.is_stream() {
            self.ends.clear();
            self.count_out(packet, added);
            let written = if self.out.len() - self.start >= BATCH { self.flush() } else { return Ok(Sent::Later) };
            return written.map(|()| Sent::Yes);
        }
        let sent = self.transmit_datagrams(packet);
        if sent == Sent::Yes {
            self.count_out(packet, added);
        }
        Ok(sent)
    }

    fn count_out(&mut self, packet: &Packet, bytes: usize) {
        self.counters.out_bytes += bytes as u64;
        match &packet.kind {
            Kind::Interest(_) => self.counters.out_interests += 1,
            Kind::Data(_) => {
                self.counters.out_data += 1;
                self.counters.out_marked += u64::from(packet.hop.congestion_mark > 0);
            }
            Kind::Nack(_) => self.counters.out_nacks += 1,
        }
    }

    /// Writes the frames of one packet. If they are too long for the link, cuts it anew, shorter.
    fn transmit_datagrams(&mut self, packet: &Packet) -> Sent {
        loop {
            match self.flush_datagrams() {
                Ok(()) => return Sent::Yes,
                Err(error) => {
                    let mtu = self.link.mtu().bytes();
                    let shorter = SHORTER.into_iter().find(|len| *len < mtu).and_then(Mtu::new);
                    self.forget();
                    match shorter {
                        Some(shorter) if is_too_long(&error) => self.link.set_mtu(shorter),
                        _ => {
                            self.counters.unsent += 1;
                            return Sent::Lost;
                        }
                    }
                    self.link.encode(packet, &mut self.out, &mut self.ends);
                }
            }
        }
    }

    fn forget(&mut self) {
        self.out.clear();
        self.ends.clear();
        self.start = 0;
    }

    /// Writes what is there, as far as the kernel takes it. An error is the end of the stream.
    pub fn flush(&mut self) -> io::Result<()> {
        if !self.transport.is_stream() {
            // A packet whose rest the system does not want is lost; the face goes on.
            if self.flush_datagrams().is_err() {
                self.forget();
                self.counters.unsent += 1;
            }
            return Ok(());
        }
        while self.start < self.out.len() {
            match self.transport.write(&self.out[self.start..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => self.start += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if is_full(&e) => {
                    self.blocked = true;
                    return Ok(());
                }
                Err(e) => return Err(e),
            }
        }
        self.forget();
        Ok(())
    }

    fn flush_datagrams(&mut self) -> io::Result<()> {
        // An error that an earlier datagram met is told once; then the socket works again.
        let mut excused = false;
        while let Some(end) = self.ends.iter().copied().find(|end| *end > self.start) {
            match self.transport.write(&self.out[self.start..end]) {
                Ok(_) => self.start = end,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if is_full(&e) => {
                    self.blocked = true;
                    return Ok(());
                }
                Err(e) if e.kind() == io::ErrorKind::ConnectionRefused && !excused => excused = true,
                Err(e) => return Err(e),
            }
        }
        self.forget();
        Ok(())
    }
}

fn is_full(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::WouldBlock
}

/// EMSGSIZE has no kind of its own.
fn is_too_long(error: &io::Error) -> bool {
    #[cfg(target_os = "linux")]
    return error.raw_os_error() == Some(rustix::io::Errno::MSGSIZE.raw_os_error());
    #[cfg(not(target_os = "linux"))]
    return error.raw_os_error() == Some(40);
}
