//! What has been dropped, marked and refused, and why.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use weir_core::{DropReason, FaceId, NodeId, Sink, Span, Time};
use weir_wire::{Kind, Packet};

/// Counts what the machine's plug-ins tell.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    faces: Vec<FaceTally>,
    /// Of all faces, those that have closed included.
    pub all: FaceTally,
}

/// What has been counted at a face.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaceTally {
    /// Dropped packets by reason.
    pub drops: BTreeMap<&'static str, u64>,
    /// Data among those that were lost.
    pub data_lost: u64,
    /// How long those waited that the queue's management dropped.
    pub dropped_sojourn: Span,
    pub marked: u64,
    pub nacked: u64,
    pub loss_notices: u64,
    pub recovered: u64,
    /// How long those that were recovered had been stored.
    pub stored: Span,
}

impl FaceTally {
    /// Packets dropped for any reason.
    pub fn dropped(&self) -> u64 {
        self.drops.values().sum()
    }

    /// Drops by reason, for a status.
    pub fn reasons(&self) -> BTreeMap<String, u64> {
        self.drops.iter().map(|(reason, count)| ((*reason).to_owned(), *count)).collect()
    }
}

/// The tally, shared by the driver, which feeds it, and the daemon, which reads it.
pub(crate) type SharedTally = Rc<RefCell<Tally>>;

impl Tally {
    /// A packet was dropped for a reason that is the daemon's own.
    pub fn drop_for(&mut self, reason: &'static str, face: FaceId) {
        self.count(face, |tally| *tally.drops.entry(reason).or_default() += 1);
    }

    fn count(&mut self, face: FaceId, count: impl Fn(&mut FaceTally)) {
        count(&mut self.all);
        count(self.face_mut(face));
    }

    /// What has been counted at a face.
    pub fn of(&self, face: FaceId) -> FaceTally {
        self.faces.get(face.index()).cloned().unwrap_or_default()
    }

    /// A face has closed; another may get its number.
    pub fn forget(&mut self, face: FaceId) {
        *self.face_mut(face) = FaceTally::default();
    }

    fn face_mut(&mut self, face: FaceId) -> &mut FaceTally {
        if self.faces.len() <= face.index() {
            self.faces.resize_with(face.index() + 1, FaceTally::default);
        }
        &mut self.faces[face.index()]
    }
}

/// The side of it that the driver feeds.
pub(crate) struct Feed(pub SharedTally);

impl Sink for Feed {
    fn dropped(&mut self, now: Time, _: NodeId, face: FaceId, packet: &Packet, reason: DropReason) {
        let data_lost = u64::from(reason.is_loss() && matches!(packet.kind, Kind::Data(_)));
        let managed = reason == DropReason::QueueManagement;
        let sojourn = if managed { now.since(Time(packet.queued_at)) } else { Span::ZERO };
        self.0.borrow_mut().count(face, |tally| {
            *tally.drops.entry(reason.name()).or_default() += 1;
            tally.data_lost += data_lost;
            tally.dropped_sojourn += sojourn;
        });
    }
    fn marked(&mut self, _: Time, _: NodeId, face: FaceId) {
        self.0.borrow_mut().count(face, |tally| tally.marked += 1);
    }
    fn nacked(&mut self, _: Time, _: NodeId, face: FaceId) {
        self.0.borrow_mut().count(face, |tally| tally.nacked += 1);
    }
    fn loss_notice(&mut self, _: Time, _: NodeId, face: FaceId) {
        self.0.borrow_mut().count(face, |tally| tally.loss_notices += 1);
    }
    fn recovered(&mut self, _: Time, _: NodeId, face: FaceId, stored: Span) {
        self.0.borrow_mut().count(face, |tally| {
            tally.recovered += 1;
            tally.stored += stored;
        });
    }
}
