//! Packets between sockets and the machine, by the machine's contract.

use super::{Driver, token};
use crate::face::Sent;
use crate::framer::{Broken, Got};
use crate::socket::Transport;
use crate::station::{Closing, Station};
use bytes::Bytes;
use std::cmp::Reverse;
use std::io;
use std::net::SocketAddr;
use weir_core::{DropReason, FaceId, Pull, Time};
use weir_wire::Packet;

/// Datagrams that are taken from one socket before the next gets its turn.
const DATAGRAMS: usize = 64;

/// What a look into a socket found.
enum Look {
    /// More may be there.
    More,
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
        for _ in 0..DATAGRAMS {
            match self.read_datagram(station, id) {
                Look::More => {}
                Look::Empty => return false,
                Look::Stray(from, frame) => self.arrive_from(station, id, from, frame),
                Look::End(why) => return self.end(id, why),
            }
        }
        true
    }

    fn read_datagram(&mut self, station: &mut dyn Station, id: FaceId) -> Look {
        let Driver { faces, scratch, .. } = self;
        let Some(face) = faces[id.index()].as_mut() else { return Look::Empty };
        let Transport::Udp { socket, peer } = &face.transport else { return Look::Empty };
        match socket.recv_from(scratch) {
            Ok((len, from)) => {
                let frame = Bytes::copy_from_slice(&scratch[..len]);
                if from != *peer {
                    return Look::Stray(from, frame);
                }
                self.deliver(station, id, frame);
                Look::More
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Look::More,
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => Look::Empty,
            // Nobody listens there, or the way there is gone: perhaps not for long.
            Err(e) if is_passing(&e) => {
                face.counters.unsent += 1;
                Look::More
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

    /// Sends what the machine has become ready to send, until it has nothing more for a face that is free.
    pub(super) fn settle(&mut self, station: &mut dyn Station) {
        loop {
            if let Some((face, packet)) = self.ready.take_offer() {
                self.send_or_keep(station, face, packet);
            }
            while let Some(face) = self.ready.pop() {
                self.pull(station, face);
            }
            if !self.ready.take_unfinished() {
                return;
            }
            station.wake(&mut self.context());
        }
    }

    fn send_or_keep(&mut self, station: &mut dyn Station, id: FaceId, packet: Packet) {
        let now = self.now;
        match self.face(id) {
            None => self.context().discard(packet, DropReason::LinkDown),
            Some(face) if face.is_free(now) => self.transmit(id, packet),
            Some(_) => {
                station.keep(id, packet);
                self.wait(id, None);
            }
        }
    }

    /// Pulls packets for a face until it is busy or there are none.
    pub(super) fn pull(&mut self, station: &mut dyn Station, id: FaceId) {
        loop {
            let now = self.now;
            let Some(face) = self.face_mut(id) else { return };
            if !face.is_free(now) {
                return self.wait(id, None);
            }
            face.waiting = false;
            match station.pull(id, &mut self.context()) {
                Pull::Idle => return self.rest(id),
                Pull::Later(at) => return self.wait(id, Some(at)),
                Pull::Packet(packet) => {
                    let more = self.ready.take_more();
                    self.transmit(id, packet);
                    if !more {
                        return self.rest(id);
                    }
                }
            }
        }
    }

    /// The machine has nothing more for a face.
    #[inline]
    fn rest(&mut self, id: FaceId) {
        if let Some(face) = self.face_mut(id) {
            face.pace.rest();
        }
    }

    /// The machine has something for a face that cannot take it before `at`, or before it is free.
    fn wait(&mut self, id: FaceId, at: Option<Time>) {
        let now = self.now;
        let Some(face) = self.face_mut(id) else { return };
        let known = std::mem::replace(&mut face.waiting, true);
        face.pace.wait();
        let free_at = face.pace.free_at();
        match at {
            Some(at) => self.timers.push(Reverse((at, id))),
            // Of a face that waits already, the time is in the list.
            None if free_at > now && !known => self.timers.push(Reverse((free_at, id))),
            // The kernel will say when there is room.
            None => {}
        }
    }

    fn transmit(&mut self, id: FaceId, packet: Packet) {
        let now = self.now;
        let Some(face) = self.face_mut(id) else { return };
        match face.transmit(&packet, now) {
            Ok(Sent::Yes) => {}
            Ok(Sent::Later) => self.dirty.push(id),
            Ok(Sent::Lost) => self.drop_at(id, packet),
            Err(error) => {
                self.drop_at(id, packet);
                self.end(id, Closing::Failed(error));
            }
        }
    }

    fn drop_at(&mut self, id: FaceId, packet: Packet) {
        let mut cx = self.context();
        cx.face = id;
        cx.discard(packet, DropReason::LinkLoss);
    }

    /// Asks the machine for what has waited for faces that are free now.
    pub(super) fn pull_due(&mut self, station: &mut dyn Station) {
        while let Some(Reverse((at, id))) = self.timers.peek().copied()
            && at <= self.now
        {
            self.timers.pop();
            let Some(face) = self.face_mut(id) else { continue };
            if std::mem::take(&mut face.waiting) {
                self.pull(station, id);
                self.settle(station);
            }
        }
    }

    /// Writes what has been collected, and asks for more where the kernel has taken all of it.
    pub(super) fn flush_dirty(&mut self, station: &mut dyn Station) {
        while let Some(id) = self.dirty.pop() {
            let Some(face) = self.face_mut(id) else { continue };
            if face.is_blocked() {
                continue;
            }
            if let Err(error) = face.flush() {
                self.end(id, Closing::Failed(error));
            } else if !face.is_blocked() && face.waiting {
                self.pull(station, id);
                self.settle(station);
            }
        }
    }

    /// A face is to be closed at the end of this round. (False: it has no more to read.)
    fn end(&mut self, id: FaceId, why: Closing) -> bool {
        if let Some(face) = self.face_mut(id) {
            face.block();
            self.closing.push((id, why));
        }
        false
    }

    pub(super) fn close_closing(&mut self, station: &mut dyn Station) {
        for (id, why) in std::mem::take(&mut self.closing) {
            let Some(mut face) = self.faces.get_mut(id.index()).and_then(Option::take) else { continue };
            let _ = self.poll.registry().deregister(face.transport.source());
            self.peers.retain(|_, known| *known != id);
            self.generations[id.index()] = self.generations[id.index()].wrapping_add(1);
            station.closed(id, &why, &mut self.context());
            self.settle(station);
        }
    }

    /// Registers a face's socket under its number.
    pub(super) fn register(&mut self, id: FaceId, transport: &mut Transport) -> io::Result<()> {
        if self.faces.len() <= id.index() {
            self.faces.resize_with(id.index() + 1, || None);
            self.generations.resize(id.index() + 1, 0);
        }
        let token = token(super::FACE, self.generations[id.index()], id.index());
        let both = mio::Interest::READABLE | mio::Interest::WRITABLE;
        self.poll.registry().register(transport.source(), token, both)
    }
}

/// Errors that tell of a peer or a way, not of the socket.
fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::*;
    matches!(error.kind(), ConnectionRefused | ConnectionReset | HostUnreachable | NetworkUnreachable | NetworkDown)
}
