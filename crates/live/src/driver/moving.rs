//! Packets between sockets and the machine, by the machine's contract.

use super::{Driver, token};
use crate::face::Sent;
use crate::socket::Transport;
use crate::station::{Closing, Station};
use std::cmp::Reverse;
use std::io;
use weir_core::{DropReason, FaceId, Pull, Time};
use weir_wire::Packet;

/// What the kernel is asked to say of a socket that has no room.
const BOTH: mio::Interest = mio::Interest::READABLE.add(mio::Interest::WRITABLE);

impl Driver {
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
            Ok(Sent::Yes) => self.await_room(id),
            Ok(Sent::Later) => self.dirty.push(id),
            Ok(Sent::Lost) => self.drop_at(id, packet),
            Err(error) => {
                self.drop_at(id, packet);
                self.end(id, Closing::Failed(error));
            }
        }
    }

    /// Asks the kernel to say when there is room in a face's socket, as long as there is none. (If it were always asked, it
    /// would say so after each datagram that has left, and whenever the peer of a stream has read.)
    #[inline]
    pub(super) fn await_room(&mut self, id: FaceId) {
        let Some(face) = self.face(id) else { return };
        if face.is_blocked() != face.awaited {
            self.change_interest(id);
        }
    }

    #[cold]
    fn change_interest(&mut self, id: FaceId) {
        let Driver { faces, poll, generations, now, .. } = self;
        let Some(Some(face)) = faces.get_mut(id.index()) else { return };
        let token = token(super::FACE, generations[id.index()], id.index());
        face.awaited = face.is_blocked();
        if face.awaited {
            face.note_full(*now);
        }
        let interest = if face.awaited { BOTH } else { mio::Interest::READABLE };
        if let Err(error) = poll.registry().reregister(face.transport.source(), token, interest) {
            self.end(id, Closing::Failed(error));
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
                continue;
            }
            self.await_room(id);
            let Some(face) = self.face_mut(id) else { continue };
            if !face.is_blocked() && face.waiting {
                self.pull(station, id);
                self.settle(station);
            }
        }
    }

    /// A face is to be closed at the end of this round. (False: it has no more to read.)
    pub(super) fn end(&mut self, id: FaceId, why: Closing) -> bool {
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
        self.poll.registry().register(transport.source(), token, mio::Interest::READABLE)
    }
}
