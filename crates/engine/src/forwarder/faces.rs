//! Faces come and go.

use super::{Face, Forwarder};
use crate::face::{Egress, FaceKind};
use weir_core::{Context, FaceId, QueueDiscipline};
use weir_wire::Packet;

/// Numbers of closed faces that are collected before the PIT is searched for all of them at once: peers that come and go
/// cost a small part of a search each.
const CLOSED_AT_ONCE: usize = 64;

impl Forwarder {
    /// Adds a face whose packets leave through `queue`. It may get the number of a face that has
    /// closed, once no pending Interest knows of that any more.
    pub fn add_face(&mut self, queue: Box<dyn QueueDiscipline>) -> FaceId {
        self.add(Face { kind: FaceKind::Link, up: true, egress: Some(Egress::new(queue)) })
    }

    /// Adds a face to a program on this node that is reached through a queue, as through a socket: Interests that may go
    /// no further than this node may go there.
    pub fn add_near_face(&mut self, queue: Box<dyn QueueDiscipline>) -> FaceId {
        self.add(Face { kind: FaceKind::Local, up: true, egress: Some(Egress::new(queue)) })
    }

    /// Adds the face of an application.
    pub fn add_local_face(&mut self) -> FaceId {
        self.add(Face { kind: FaceKind::Local, up: true, egress: None })
    }

    fn add(&mut self, face: Face) -> FaceId {
        if self.unused.is_empty() && self.closed.len() >= CLOSED_AT_ONCE {
            self.pit.forget_faces(&self.closed);
            self.unused.extend(std::mem::take(&mut self.closed).into_iter().rev());
        }
        match self.unused.pop() {
            Some(id) => {
                self.faces[id.index()] = face;
                id
            }
            None => {
                self.faces.push(face);
                FaceId(self.faces.len() as u32 - 1)
            }
        }
    }

    /// Ends a face: what waits in its queue and what comes for it later is dropped, and no route leads there.
    pub fn close_face(&mut self, face: FaceId, cx: &mut Context<'_>) {
        let open = &mut self.faces[face.index()];
        if open.kind == FaceKind::Closed {
            return;
        }
        (open.kind, open.up) = (FaceKind::Closed, false);
        if let Some(egress) = open.egress.take() {
            cx.face = face;
            egress.discard_all(cx);
        }
        self.local.retain(|(to, _)| *to != face);
        self.fib.forget_face(face);
        self.links.retain(|(of, _)| *of != face);
        self.paths.retain(|(_, of, _)| *of != face);
        self.closed.insert(face);
    }

    /// Sends a packet of the forwarder's own over a face, as management's answers are.
    pub fn send_own(&mut self, face: FaceId, packet: Packet, cx: &mut Context<'_>) {
        self.send(face, packet, cx);
    }

    /// True if what is sent there stays on this node.
    pub fn is_local(&self, face: FaceId) -> bool {
        self.faces.get(face.index()).is_some_and(|face| face.kind == FaceKind::Local)
    }

    /// A face that is down is no next hop; what waits in its queue stays there.
    pub fn set_up(&mut self, face: FaceId, up: bool) {
        self.faces[face.index()].up = up;
    }
}
