//! Router-side plug-in: watches a whole node.

use crate::{Backlog, Context, FaceId, Limit};

/// Watches a node's tables and says whether Data is marked (Abu, Bensaou and Abdelmoniem: PIT occupancy).
pub trait NodeMonitor: Send {
    /// The Pending Interest Table gained or lost an entry.
    fn on_pit_change(&mut self, pit: PitView, cx: &mut Context<'_>);
    /// An Interest that no table could answer came in over `face`, whose egress queue holds `backlog`.
    fn on_interest(&mut self, face: FaceId, backlog: Backlog, limit: Limit, cx: &mut Context<'_>);
    /// Is a Data that leaves over `face` to be marked? `cached`: it comes from the Content Store.
    fn marks(&mut self, face: FaceId, cached: bool, cx: &mut Context<'_>) -> bool;
}

/// The state of a Pending Interest Table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PitView {
    /// Entries.
    pub entries: usize,
    /// Most entries allowed.
    pub capacity: usize,
}
