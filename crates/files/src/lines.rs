//! What waits to be sent of a program's own, by face.

use std::collections::VecDeque;
use weir_core::{Context, DropReason, FaceId, Pull};
use weir_wire::Packet;

/// Packets that may wait at a face whose peer does not take them.
const ROOM: usize = 8192;

/// A queue for each face of a station of applications.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    faces: Vec<Option<VecDeque<Packet>>>,
}

impl Lines {
    /// A new face, under the lowest number that is free.
    pub fn open(&mut self) -> FaceId {
        let place = self.faces.iter().position(Option::is_none).unwrap_or(self.faces.len());
        if place == self.faces.len() {
            self.faces.push(None);
        }
        self.faces[place] = Some(VecDeque::new());
        FaceId(place as u32)
    }

    /// What waits there is lost.
    pub fn close(&mut self, face: FaceId, cx: &mut Context<'_>) {
        let line = self.faces.get_mut(face.index()).and_then(Option::take);
        cx.face = face;
        line.into_iter().flatten().for_each(|packet| cx.discard(packet, DropReason::LinkDown));
    }

    /// Faces that are open.
    pub fn open_faces(&self) -> usize {
        self.faces.iter().flatten().count()
    }

    /// Hands a packet over for a face.
    pub fn send(&mut self, face: FaceId, packet: Packet, cx: &mut Context<'_>) {
        cx.face = face;
        match self.faces.get_mut(face.index()).and_then(Option::as_mut) {
            None => cx.discard(packet, DropReason::LinkDown),
            Some(line) if line.len() >= ROOM => cx.discard(packet, DropReason::QueueFull),
            Some(line) if line.is_empty() && cx.ready.offered().is_none() => cx.ready.offer(face, packet),
            Some(line) => {
                line.push_back(packet);
                cx.ready.add(face);
            }
        }
    }

    /// The packet that was offered, back again.
    pub fn keep(&mut self, face: FaceId, packet: Packet) {
        if let Some(line) = self.faces.get_mut(face.index()).and_then(Option::as_mut) {
            line.push_front(packet);
        }
    }

    /// The next packet.
    pub fn pull(&mut self, face: FaceId, cx: &mut Context<'_>) -> Pull {
        let Some(line) = self.faces.get_mut(face.index()).and_then(Option::as_mut) else { return Pull::Idle };
        let Some(packet) = line.pop_front() else { return Pull::Idle };
        if !line.is_empty() {
            cx.ready.more();
        }
        Pull::Packet(packet)
    }
}
