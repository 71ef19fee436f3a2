//! Interests that wait for their answers, by face.
//!
//! A producer that is the bottleneck is a queue like any other, only that nobody sees it: what waits for its processor
//! or for a face that takes no more would wait in sockets, where nobody marks. So Interests are taken off the sockets as
//! soon as they come and wait here, in a queue of the registry; each is answered when its Data can leave. A mark that the
//! queue sets on an Interest returns with its Data.

use crate::plugins::{Choice, build};
use weir_core::{Bytes, Context, DropReason, FaceId, Limit, Pull, QueueDiscipline, Rate, Seed, Site, Span};
use weir_schemes::registry::QUEUES;
use weir_wire::Packet;

/// Interests that may wait at a face. They are small; a fetch that asks for so many at once has a window of 64 MB.
const ROOM: usize = 8192;

/// A queue of Interests for each face.
pub(crate) struct Desk {
    queue: Choice,
    seed: u64,
    faces: Vec<Option<Box<dyn QueueDiscipline>>>,
}

impl Desk {
    /// With queues of this kind.
    ///
    /// # Errors
    /// An unknown name or parameter, or a value that does not fit, with the nearest right thing.
    pub fn new(queue: Choice, seed: Seed) -> Result<Desk, String> {
        let mut desk = Desk { queue, seed: seed.0, faces: Vec::new() };
        desk.make().map(|_| desk)
    }

    fn make(&mut self) -> Result<Box<dyn QueueDiscipline>, String> {
        self.seed = self.seed.wrapping_add(1);
        let site = Site {
            seed: Seed(self.seed),
            payload: Bytes(8000),
            data_size: Bytes(8200),
            link_rate: Rate(0),
            link_delay: Span::ZERO,
            limit: Limit::Packets(ROOM),
        };
        build("queue", QUEUES, &self.queue, &site)
    }

    /// A face has opened.
    pub fn open(&mut self, face: FaceId) {
        if self.faces.len() <= face.index() {
            self.faces.resize_with(face.index() + 1, || None);
        }
        // It could be built when the desk was made.
        self.faces[face.index()] = self.make().ok();
    }

    /// What waits there is lost.
    pub fn close(&mut self, face: FaceId, cx: &mut Context<'_>) {
        cx.face = face;
        let queue = self.faces.get_mut(face.index()).and_then(Option::take);
        for packet in queue.map_or_else(Vec::new, |mut queue| queue.drain(cx)) {
            cx.discard(packet, DropReason::LinkDown);
        }
    }

    /// Takes an Interest.
    pub fn add(&mut self, face: FaceId, mut packet: Packet, cx: &mut Context<'_>) {
        cx.face = face;
        match self.faces.get_mut(face.index()).and_then(Option::as_mut) {
            None => cx.discard(packet, DropReason::LinkDown),
            Some(queue) => {
                packet.set_queued_at(cx.now.0);
                queue.enqueue(packet, cx);
            }
        }
    }

    /// The next Interest of a face.
    pub fn next(&mut self, face: FaceId, cx: &mut Context<'_>) -> Option<Packet> {
        cx.face = face;
        match self.faces.get_mut(face.index())?.as_mut()?.dequeue(cx) {
            Pull::Packet(packet) => Some(packet),
            // No queue that only marks or drops says `Later`.
            Pull::Later(_) | Pull::Idle => None,
        }
    }

    /// True if Interests of this face wait.
    pub fn waits(&self, face: FaceId) -> bool {
        let queue = self.faces.get(face.index()).and_then(Option::as_ref);
        queue.is_some_and(|queue| queue.backlog().packets > 0)
    }

    /// Faces where Interests wait.
    pub fn waiting(&self) -> impl Iterator<Item = FaceId> {
        (0..self.faces.len() as u32).map(FaceId).filter(|face| self.waits(*face))
    }
}
