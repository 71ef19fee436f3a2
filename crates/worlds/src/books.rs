//! What has gone in and out of a face and of a node, and what that must add up to.

use std::collections::BTreeMap;
use weir_core::DropReason;
use weir_sim::LinkCounters;
use weir_wire::Packet;

/// One egress face: its queue, its recovery store and its link.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaceBook {
    pub queued: u64,
    /// Loss notices that the recovery of this face made.
    pub announced: u64,
    pub dequeued: u64,
    /// In the queue or the store.
    pub dropped: u64,
    pub sent: u64,
    pub lost: u64,
    pub down: u64,
    /// Over the other direction of the link.
    pub arrived: u64,
    /// Loss notices that wait: no queue has a bound for these.
    pub notices: usize,
    pub notice_bytes: usize,
}

impl FaceBook {
    pub fn count_notice(&mut self, packet: &Packet, comes: bool) {
        if packet.hop.loss_notice {
            let change = |n: &mut usize, by: usize| *n = if comes { *n + by } else { n.saturating_sub(by) };
            change(&mut self.notices, 1);
            change(&mut self.notice_bytes, packet.wire_len());
        }
    }

    /// What is wrong with the queue, which holds `waiting` and `held` packets.
    pub fn queue_error(&self, waiting: usize, held: usize) -> Option<String> {
        let came = self.queued + self.announced;
        let went = self.dequeued + self.dropped + (waiting + held) as u64;
        (came != went).then(|| {
            format!("{came} packets came to the queue, {went} are accounted for ({waiting} wait, {held} are stored): {self:?}")
        })
    }

    /// What is wrong with the link, on which `flying` packets are.
    pub fn link_error(&self, counters: LinkCounters, flying: usize, arrived: u64) -> Option<String> {
        let lost = self.lost + self.down;
        // A link that is down and drops what it is given has not sent it.
        let Some(unsent) = lost.checked_sub(counters.lost).filter(|unsent| *unsent <= self.down) else {
            return Some(format!("{lost} packets were lost, {} were counted: {self:?}", counters.lost));
        };
        let came = self.dequeued + counters.duplicated;
        let went = counters.arrived + lost + flying as u64;
        let pairs = [
            ("were sent", self.sent, self.dequeued),
            ("arrived", arrived, counters.arrived),
            ("left the queue", self.dequeued, counters.packets + unsent),
            ("left the queue or are copies", came, went),
        ];
        let wrong = pairs.iter().find(|(_, a, b)| a != b);
        wrong.map(|(what, a, b)| {
            format!("{a} packets {what}, {b} are accounted for: {self:?}, {counters:?}, {flying} fly")
        })
    }
}

/// One node that forwards.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeBook {
    /// That came in over links or from applications.
    pub interests: u64,
    pub data: u64,
    pub nacks: u64,
    pub notices: u64,
    pub cs_hits: u64,
    pub inserted: u64,
    pub joined: u64,
    pub satisfied: u64,
    pub expired: u64,
    /// Entries that the strategy, or the lack of a route, has ended.
    pub refused: u64,
    /// Turned away on arrival.
    pub drops: BTreeMap<DropReason, u64>,
}

impl NodeBook {
    fn drops(&self, reason: DropReason) -> u64 {
        self.drops.get(&reason).copied().unwrap_or(0)
    }

    /// What is wrong with a forwarder in which `pending` Interests wait.
    pub fn error(&self, pending: usize, restarts: bool) -> Option<String> {
        let turned_away =
            [DropReason::HopLimit, DropReason::DuplicateNonce, DropReason::PitFull].map(|r| self.drops(r));
        let taken = self.cs_hits + self.inserted + self.joined + turned_away.iter().sum::<u64>();
        let ended = self.satisfied + self.expired + self.refused + pending as u64;
        if self.interests != taken {
            return Some(format!("{} Interests came, {taken} are accounted for: {self:?}", self.interests));
        }
        if self.inserted != ended && !(restarts && self.inserted > ended) {
            return Some(format!("{} Interests became pending, {ended} are accounted for: {self:?}", self.inserted));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_that_leaks_or_vanishes_is_noticed() {
        let book = NodeBook { interests: 5, inserted: 4, joined: 1, satisfied: 2, expired: 1, ..NodeBook::default() };
        assert_eq!(book.error(1, false), None);
        assert!(book.error(2, false).is_some(), "one more is pending than came and has not ended");
        assert!(book.error(0, false).is_some(), "one is gone");
        assert_eq!(book.error(0, true), None, "as it may be where nodes are restarted");
        assert!(book.error(2, true).is_some(), "no restart makes entries");
    }

    #[test]
    fn an_interest_that_is_not_accounted_for_is_noticed() {
        let drops = BTreeMap::from([(DropReason::DuplicateNonce, 1)]);
        let book = NodeBook { interests: 3, cs_hits: 1, inserted: 1, satisfied: 1, drops, ..NodeBook::default() };
        assert_eq!(book.error(0, false), None);
        assert!(NodeBook { interests: 4, ..book.clone() }.error(0, false).is_some());
        assert!(NodeBook { drops: BTreeMap::new(), ..book }.error(0, false).is_some());
    }
}
