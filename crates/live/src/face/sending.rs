//! How packets leave a face: cut into frames, several of them in one call of the system.

use super::{Face, Gate, Sent};
use crate::datagrams::{self, Run};
use std::io;
use weir_core::Time;
use weir_wire::{Kind, Mtu, Packet};

/// Bytes of a stream that are collected before they are written; more is the business of the scheme's queue.
const BATCH: usize = 64 << 10;
/// Frames of this length get through nearly everywhere: what is tried when the system says that a frame is too long for
/// the link, and after it the least that IPv6 guarantees, without the headers.
const SHORTER: [usize; 2] = [1400, 1232];

impl Face {
    /// Hands a packet over. Called only while the face is free. An error is the end of the stream.
    pub fn transmit(&mut self, packet: &Packet, now: Time) -> io::Result<Sent> {
        // A packet that is not whole any more crosses no link. (A simulated one it would cross in vain.)
        if self.gate == Gate::Void || packet.hop.frames_lost > 0 {
            return Ok(Sent::Lost);
        }
        let (bytes, frames) = (self.out.len(), self.ends.len());
        self.link.encode(packet, &mut self.out, &mut self.ends);
        let added = self.out.len() - bytes;
        self.pace.charge(now, added + (self.ends.len() - frames) * self.overhead);
        if self.transport.is_stream() {
            self.ends.clear();
            self.count_out(packet, added);
            let written = if self.out.len() - self.start >= BATCH.min(self.backlog.bound()) {
                self.flush()
            } else {
                return Ok(Sent::Later);
            };
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
                        Some(shorter) if is_too_long(&error) => self.set_mtu(shorter),
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
        while let Some(run) = Run::next(&self.ends, self.start, self.runs) {
            match self.transport.write_run(&self.out[self.start..run.end], run.segment) {
                Ok(()) => self.start = run.end,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if run.end - self.start > run.segment && datagrams::cannot_run(&e) => self.runs = false,
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
