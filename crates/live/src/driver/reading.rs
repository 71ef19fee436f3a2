//! What has come to sockets, to the machine.

use super::Driver;
use crate::datagrams;
use crate::framer::{Broken, Got};
use crate::socket::Transport;
use crate::station::{Closing, Station};
use bytes::Bytes;
use std::io;
use std::net::SocketAddr;
use weir_core::FaceId;

/// Datagrams that are taken from one socket before the next gets its turn.
const DATAGRAMS: usize = 64;

/// What a look into a socket found.
enum Look {
    /// So many datagrams; more may be there.
    More(usize),
    /// Nothing more for now.
    Empty,
    /// A frame of somebody else than the peer.
    Stray(SocketAddr, Bytes),
    /// The end.
    End(Closing),
}

impl Driver {
    /// Reads from the sockets that have something, a bounded number of packets each.
    pub(super) fn read_ready(&mut self, station: &mut dyn Station) {
        let mut readable = std::mem::take(&mut self.readable);
        readable.sort_unstable();
        readable.dedup();
        readable.retain(|face| self.read(station, *face));
        // Others may have joined meanwhile.
        self.readable.append(&mut readable);
    }

    /// True if there may be more.
    fn read(&mut self, station: &mut dyn Station, id: FaceId) -> bool {
        let Some(face) = self.face(id) else { return false };
        if face.transport.is_stream() { self.read_stream(station, id) } else { self.read_datagrams(station, id) }
    }

    fn read_stream(&mut self, station: &mut dyn Station, id: FaceId) -> bool {
        let Driver { faces, scratch, frames, now, .. } = self;
        let Some(face) = faces[id.index()].as_mut() else { return false };
        let got = match &mut face.transport {
            Transport::Tcp(stream) => face.framer.read(stream, scratch, *now, frames),
            Transport::Unix(stream) => face.framer.read(stream, scratch, *now, frames),
            Transport::Udp { .. } => return false,
        };
        let mut frames = std::mem::take(&mut self.frames);
        for frame in frames.drain(..) {
            self.deliver(station, id, frame);
        }
        self.frames = frames;
        match got {
            Ok(Got::More(_)) => true,
            // A short read of a stream: whatever comes later makes an event. Its end may have come before.
            Ok(Got::All(bytes)) => bytes > 0 && self.face(id).is_some_and(|face| face.ending),
            Ok(Got::End) => self.end(id, Closing::Ended),
            Err(Broken::Io(error)) => self.end(id, Closing::Failed(error)),
            Err(Broken::Syntax(error)) => self.end(id, Closing::Malformed(error)),
        }
    }

    fn read_datagrams(&mut self, station: &mut dyn Station, id: FaceId) -> bool {
        let mut left = DATAGRAMS;
        while left > 0 {
            match self.read_run(station, id) {
                Look::More(count) => left = left.saturating_sub(count),
                Look::Empty => return false,
                Look::Stray(from, frame) => {
                    left -= 1;
                    self.arrive_from(station, id, from, frame);
                }
                Look::End(why) => return self.end(id, why),
            }
        }
        true
    }

    /// Reads once: a datagram, or several that came together.
    fn read_run(&mut self, station: &mut dyn Station, id: FaceId) -> Look {
        let Driver { faces, scratch, frames, .. } = self;
        let Some(face) = faces[id.index()].as_mut() else { return Look::Empty };
        let Transport::Udp { socket, peer } = &face.transport else { return Look::Empty };
        match datagrams::receive(socket, scratch) {
            Ok(got) if got.from != *peer => {
                // Of a stranger's run the first is enough to let it in: it has come before the socket was its peer's.
                Look::Stray(got.from, Bytes::copy_from_slice(&scratch[..got.segment]))
            }
            Ok(got) if got.bytes <= got.segment => {
                let frame = Bytes::copy_from_slice(&scratch[..got.bytes]);
                self.deliver(station, id, frame);
                Look::More(1)
            }
            Ok(got) => {
                frames.extend(scratch[..got.bytes].chunks(got.segment).map(Bytes::copy_from_slice));
                let mut frames = std::mem::take(&mut self.frames);
                let count = frames.len();
                for frame in frames.drain(..) {
                    self.deliver(station, id, frame);
                }
                self.frames = frames;
                Look::More(count)
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Look::More(1),
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => Look::Empty,
            // Nobody listens there, or the way there is gone: perhaps not for long.
            Err(e) if is_passing(&e) => {
                face.counters.unsent += 1;
                Look::More(1)
            }
            Err(e) => Look::End(Closing::Failed(e)),
        }
    }

    /// Hands a frame to the machine.
    pub(super) fn deliver(&mut self, station: &mut dyn Station, id: FaceId, frame: Bytes) {
        self.tick();
        let now = self.now;
        let Some(face) = self.face_mut(id) else { return };
        face.heard = now;
        face.counters.in_bytes += frame.len() as u64;
        match face.link.decode(frame, now) {
            Ok(Some(packet)) => {
                face.count_in(&packet);
                station.receive(id, packet, &mut self.context());
                self.settle(station);
            }
            Ok(None) => {}
            Err(_) => face.counters.malformed += 1,
        }
    }
}

/// Errors that tell of a peer or a way, not of the socket.
fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::*;
    matches!(error.kind(), ConnectionRefused | ConnectionReset | HostUnreachable | NetworkUnreachable | NetworkDown)
}
