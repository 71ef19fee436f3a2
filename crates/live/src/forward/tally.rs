//! What has been dropped, marked and refused, and why.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use weir_core::{DropReason, FaceId, NodeId, Sink, Span, Time};
use weir_wire::Packet;

/// Counts what the machine's plug-ins tell.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    drops: BTreeMap<&'static str, u64>,
    /// By face: packets dropped and packets marked.
    faces: Vec<(u64, u64)>,
    pub nacked: u64,
    pub loss_notices: u64,
    pub recovered: u64,
}

/// The tally, shared by the driver, which feeds it, and the daemon, which reads it.
pub(crate) type SharedTally = Rc<RefCell<Tally>>;

impl Tally {
    /// A packet was dropped for a reason that is the daemon's own.
    pub fn drop_for(&mut self, reason: &'static str, face: FaceId) {
        *self.drops.entry(reason).or_default() += 1;
        self.face(face).0 += 1;
    }

    /// Drops by reason.
    pub fn drops(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.drops.iter().map(|(reason, count)| (*reason, *count))
    }

    /// Packets dropped and marked at a face.
    pub fn of(&self, face: FaceId) -> (u64, u64) {
        self.faces.get(face.index()).copied().unwrap_or_default()
    }

    /// A face has closed; another may get its number.
    pub fn forget(&mut self, face: FaceId) {
        *self.face(face) = (0, 0);
    }

    fn face(&mut self, face: FaceId) -> &mut (u64, u64) {
        if self.faces.len() <= face.index() {
            self.faces.resize(face.index() + 1, (0, 0));
        }
        &mut self.faces[face.index()]
    }
}

/// The side of it that the driver feeds.
pub(crate) struct Feed(pub SharedTally);

impl Sink for Feed {
    fn dropped(&mut self, _: Time, _: NodeId, face: FaceId, _: &Packet, reason: DropReason) {
        self.0.borrow_mut().drop_for(reason.name(), face);
    }
    fn marked(&mut self, _: Time, _: NodeId, face: FaceId) {
        self.0.borrow_mut().face(face).1 += 1;
    }
    fn nacked(&mut self, _: Time, _: NodeId, _: FaceId) {
        self.0.borrow_mut().nacked += 1;
    }
    fn loss_notice(&mut self, _: Time, _: NodeId, _: FaceId) {
        self.0.borrow_mut().loss_notices += 1;
    }
    fn recovered(&mut self, _: Time, _: NodeId, _: FaceId, _: Span) {
        self.0.borrow_mut().recovered += 1;
    }
}
