//! Stateful Forwarding: Best Route within rate limits, and a congestion Nack where they are used up.

use crate::parts::leaky_bucket::{Leak, LeakyBucket, PHASE};
use crate::parts::next_hops::{nowhere, refused, used_longest_ago};
use crate::parts::rate_law::{Cut, RateLaw, RateRule, full_rate};
use weir_core::{
    Bytes, Choice, Context, DataOutcome, Entry, FaceId, Failure, FailureKind, ForwardingStrategy, LinkFacts, NextHop,
    OutRecord, PathFacts, PrefixId, Query, Seed, Site, Span, Time,
};
use weir_wire::NackReason;

weir_core::words! {
    /// What moves the limit of a prefix.
    pub enum Adapt {
        /// Nothing.
        Fixed = "fixed",
        /// Each refusal cuts.
        Each = "each",
        /// Refusals cut as in Kato and Bandai's states.
        Check = "check",
    }
}

weir_core::parameters! {
    /// Parameters of [`StatefulForwarding`].
    pub struct StatefulForwardingParameters {
        /// What moves the limit of a prefix at a face: nothing ("fixed"), "each" refusal, or refusals as kato "check"s them.
        adapt: Adapt = Adapt::Each, None, "Yi et al. 2013; Kato and Bandai 2018, section 2";
        /// Size of a Data on the wire, by which a link's rate is divided; "0B": that of the first workload's Data.
        data: Bytes = Bytes(0), None, "choice (ndnSIM 1.0 adds the Interest's size)";
        /// Buckets leak all the time ("continuous"), or drop by drop ("ticks").
        leak: Leak = Leak::Continuous, None, "choice (ndnSIM 1.0: ticks)";
        /// A bucket holds what leaks in this time; "0s": in the round trip to the producer, without queues.
        round_trip: Span = Span::ZERO, Some((0.0, 1000.0)), "Kato and Bandai 2018, section 4";
        /// Least limit of a prefix, in Interests per second.
        min_rate: f64 = 1.0, Some((1e-3, 1e9)), "Kato and Bandai 2018, section 4";
        /// Interests per second added to the limit of a prefix for each Data.
        step: f64 = 1.0, Some((0.0, 1e6)), "Kato and Bandai 2018, section 2";
        /// A cut multiplies the limit of a prefix by this.
        beta: f64 = 0.5, Some((0.01, 0.999)), "Kato and Bandai 2018, section 2";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ForwardingStrategy>> = weir_core::entry!(
    "stateful-forwarding",
    "Best Route within rate limits; a congestion Nack where they are used up",
    StatefulForwardingParameters,
    |parameters, site| Box::new(StatefulForwarding::new(parameters, site)),
    "../../../../docs/schemes/strategy-stateful-forwarding.md"
);

/// A leaky bucket for each face, and one for each prefix at a face. An Interest goes where both have room.
///
/// A face without a known link, and a prefix without a known path, have no limit.
#[derive(Debug)]
pub struct StatefulForwarding {
    parameters: StatefulForwardingParameters,
    data: Bytes,
    seed: Seed,
    /// By face.
    faces: Vec<Option<FaceLimit>>,
    /// By prefix, then in the order in which they were told.
    prefixes: Vec<Vec<PrefixLimit>>,
}

/// The limit of a face: what its link carries.
#[derive(Debug)]
struct FaceLimit {
    rate: f64,
    /// Of the furthest producer behind it.
    round_trip: Span,
    bucket: LeakyBucket,
}

/// The limit of a prefix at a face.
#[derive(Debug)]
struct PrefixLimit {
    face: FaceId,
    round_trip: Span,
    law: RateLaw,
    bucket: LeakyBucket,
}

impl PrefixLimit {
    fn resize(&mut self) {
        self.bucket.resize(self.law.rate(), self.round_trip);
    }
}

impl StatefulForwarding {
    fn new(parameters: StatefulForwardingParameters, site: &Site) -> StatefulForwarding {
        let data = if parameters.data > Bytes(0) { parameters.data } else { site.data_size };
        StatefulForwarding { parameters, data, seed: site.seed, faces: Vec::new(), prefixes: Vec::new() }
    }

    fn bucket(&self, of: &str, rate: f64, round_trip: Span) -> LeakyBucket {
        let phase = Span(self.seed.of("leak").of(of).stream().below(PHASE.0));
        LeakyBucket::new(self.parameters.leak, rate, round_trip, phase)
    }

    /// How long what a bucket holds takes to leak.
    fn depth(&self, path: Span) -> Span {
        if self.parameters.round_trip > Span::ZERO { self.parameters.round_trip } else { path }
    }

    fn face(&mut self, face: FaceId) -> Option<&mut FaceLimit> {
        self.faces.get_mut(face.index())?.as_mut()
    }

    fn prefix(&mut self, prefix: PrefixId, face: FaceId) -> Option<&mut PrefixLimit> {
        self.prefixes.get_mut(prefix.index())?.iter_mut().find(|limit| limit.face == face)
    }

    fn law(&self, most: f64) -> RateLaw {
        let p = &self.parameters;
        let cut = if p.adapt == Adapt::Check { Cut::Check } else { Cut::Each };
        RateLaw::new(most, RateRule { most, least: p.min_rate, step: p.step, beta: p.beta, cut })
    }

    /// Takes an Interest into the buckets of prefix and face, if it fits into both.
    fn admits(&mut self, prefix: PrefixId, face: FaceId, now: Time) -> bool {
        if self.face(face).is_some_and(|limit| !limit.bucket.has_room(now)) {
            return false;
        }
        if let Some(limit) = self.prefix(prefix, face) {
            if !limit.bucket.has_room(now) {
                return false;
            }
            limit.bucket.take();
            limit.law.on_sent(now);
        }
        if let Some(limit) = self.face(face) {
            limit.bucket.take();
        }
        true
    }

    /// The cheapest next hop with room that the Interest was not sent to.
    fn with_room(&mut self, prefix: PrefixId, hops: &[NextHop], sent: &[OutRecord], now: Time) -> Option<FaceId> {
        let is_unused = |face: &FaceId| sent.iter().all(|record| record.face != *face);
        hops.iter().map(|hop| hop.face).filter(is_unused).find(|face| self.admits(prefix, *face, now))
    }

    /// What the buckets hold, in words.
    fn levels(&self, prefix: PrefixId, hops: &[NextHop]) -> String {
        let limits = |hop: &NextHop| {
            let face = self.faces.get(hop.face.index())?.as_ref().map(|limit| limit.bucket.to_string())?;
            let prefix = self.prefixes.get(prefix.index())?.iter().find(|limit| limit.face == hop.face)?;
            Some(format!("face {}: {face} for its link, {} for the prefix", hop.face.0, prefix.bucket))
        };
        format!("no room; {}", hops.iter().filter_map(limits).collect::<Vec<_>>().join("; "))
    }

    /// Lets `change` work on the limit of a prefix, if something moves it.
    fn adapt(&mut self, prefix: PrefixId, face: FaceId, change: impl FnOnce(&mut RateLaw)) {
        if self.parameters.adapt == Adapt::Fixed {
            return;
        }
        if let Some(limit) = self.prefix(prefix, face) {
            change(&mut limit.law);
            limit.resize();
        }
    }
}

impl ForwardingStrategy for StatefulForwarding {
    fn choose(&mut self, query: &Query<'_>, cx: &mut Context<'_>) -> Choice {
        if let Some(face) = self.with_room(query.prefix, query.next_hops, query.sent, cx.now) {
            return Choice::To(face);
        }
        if query.is_retransmission() {
            // Its first copy may still be answered: an Interest that is pending is not refused.
            let again = used_longest_ago(query).filter(|face| self.admits(query.prefix, *face, cx.now));
            return again.map_or(Choice::Drop, Choice::To);
        }
        if query.next_hops.is_empty() {
            return nowhere(query);
        }
        cx.explain(&query.interest.name, || self.levels(query.prefix, query.next_hops));
        Choice::Nack(NackReason::Congestion)
    }

    fn on_data(&mut self, outcome: &DataOutcome<'_>, cx: &mut Context<'_>) {
        let Some(rtt) = outcome.rtt else { return };
        let sent_at = Time(cx.now.0.saturating_sub(rtt.0));
        self.adapt(outcome.prefix, outcome.face, |law| {
            law.on_data(sent_at);
        });
    }

    fn on_failure(&mut self, failure: &Failure<'_>, cx: &mut Context<'_>) -> Choice {
        let congestion = matches!(failure.kind, FailureKind::Expired | FailureKind::Nack(NackReason::Congestion));
        if let Some(record) = failure.sent.iter().find(|record| record.face == failure.face && congestion) {
            self.adapt(failure.prefix, failure.face, |law| {
                law.on_refusal(record.sent_at, true);
            });
        }
        let FailureKind::Nack(latest) = failure.kind else { return Choice::Drop };
        match self.with_room(failure.prefix, failure.next_hops, failure.sent, cx.now) {
            Some(face) => Choice::To(face),
            None => refused(failure, latest),
        }
    }

    fn on_face(&mut self, face: FaceId, link: &LinkFacts) {
        let rate = full_rate(link.rate, self.data);
        match self.face(face) {
            Some(limit) => {
                limit.rate = rate;
                limit.bucket.resize(rate, limit.round_trip);
            }
            None => {
                // Until a route says more: the neighbour may be the producer.
                let round_trip = self.depth(link.delay * 2);
                let bucket = self.bucket(&format!("face {}", face.0), rate, round_trip);
                if self.faces.len() <= face.index() {
                    self.faces.resize_with(face.index() + 1, || None);
                }
                self.faces[face.index()] = Some(FaceLimit { rate, round_trip, bucket });
            }
        }
        for limit in self.prefixes.iter_mut().flatten().filter(|limit| limit.face == face) {
            limit.law.bound(rate);
            limit.resize();
        }
    }

    fn on_route(&mut self, prefix: PrefixId, face: FaceId, path: &PathFacts) {
        let round_trip = self.depth(path.round_trip);
        let Some(limit) = self.face(face) else { return };
        limit.round_trip = limit.round_trip.max(round_trip);
        let rate = limit.rate;
        limit.bucket.resize(rate, limit.round_trip);
        if let Some(known) = self.prefix(prefix, face) {
            known.round_trip = round_trip;
            return known.resize();
        }
        let bucket = self.bucket(&format!("prefix {} at {}", prefix.0, face.0), rate, round_trip);
        let limit = PrefixLimit { face, round_trip, law: self.law(rate), bucket };
        if self.prefixes.len() <= prefix.index() {
            self.prefixes.resize_with(prefix.index() + 1, Vec::new);
        }
        self.prefixes[prefix.index()].push(limit);
    }
}
