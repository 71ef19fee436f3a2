//! A bench for strategies: plays the forwarder.
#![allow(dead_code, reason = "each test file uses its own part")]

use weir_core::{
    Choice, Context, DataOutcome, FaceId, Failure, FailureKind, ForwardingStrategy, NextHop, NoSink, NodeId, OutRecord,
    PrefixId, Query, Ready, Seed, Site, Span, Time, Value,
};
use weir_schemes::registry::{self, STRATEGIES};
use weir_wire::{Interest, NackReason, Name};

/// A strategy on the bench.
pub struct Bench {
    pub strategy: Box<dyn ForwardingStrategy>,
    pub prefix: PrefixId,
    pub now: Time,
}

impl Bench {
    pub fn new(name: &str, settings: &[(&str, Value)], seed: u64) -> Bench {
        let settings = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        let site = Site { seed: Seed(seed), ..Site::default() };
        let entry = registry::find("strategy", STRATEGIES, name).unwrap();
        Bench { strategy: (entry.build)(&settings, &site).unwrap(), prefix: PrefixId(0), now: Time(1_000_000_000) }
    }

    pub fn call<R>(&mut self, f: impl FnOnce(&mut dyn ForwardingStrategy, PrefixId, &mut Context<'_>) -> R) -> R {
        let (mut sink, mut ready) = (NoSink, Ready::default());
        let now = self.now;
        let mut cx =
            Context { now, node: NodeId(0), face: FaceId(0), sink: &mut sink, watched: false, ready: &mut ready };
        f(self.strategy.as_mut(), self.prefix, &mut cx)
    }

    /// Where an Interest from face 99 goes that was sent before as `sent` says.
    pub fn choose(&mut self, hops: &[NextHop], sent: &[OutRecord]) -> Choice {
        let interest = Interest::new(Name::root(), 1);
        self.call(|strategy, prefix, cx| {
            let from = FaceId(99);
            strategy.choose(&Query { interest: &interest, from, prefix, next_hops: hops, sent }, cx)
        })
    }

    /// The face a new Interest goes to.
    pub fn face(&mut self, hops: &[NextHop]) -> u32 {
        match self.choose(hops, &[]) {
            Choice::To(face) => face.0,
            other => panic!("{other:?}"),
        }
    }

    /// A Data comes over `face` for an Interest that was sent as `sent` says.
    pub fn data(&mut self, face: u32, marked: bool, distance: u8, sent: &[OutRecord]) {
        self.call(|strategy, prefix, cx| {
            let outcome = DataOutcome {
                prefix,
                face: FaceId(face),
                rtt: None,
                marked,
                mark_distance: distance,
                queue_delay: Span::ZERO,
                sent,
            };
            strategy.on_data(&outcome, cx);
        });
    }

    pub fn expired(&mut self, face: u32, sent: &[OutRecord]) {
        let name = Name::root();
        self.call(|strategy, prefix, cx| {
            let kind = FailureKind::Expired;
            strategy.on_failure(&Failure { prefix, name: &name, kind, face: FaceId(face), sent, next_hops: &[] }, cx)
        });
    }

    /// Share of `count` new Interests that go to `face`; each is answered at once.
    pub fn share(&mut self, face: u32, hops: &[NextHop], count: usize) -> f64 {
        let mut there = 0;
        for _ in 0..count {
            let chosen = self.face(hops);
            there += usize::from(chosen == face);
            self.data(chosen, false, 0, &[sent(chosen, 0, None)]);
        }
        there as f64 / count as f64
    }

    pub fn refused(&mut self, face: u32, reason: NackReason, hops: &[NextHop], sent: &[OutRecord]) -> Choice {
        let (name, kind) = (Name::root(), FailureKind::Nack(reason));
        self.call(|strategy, prefix, cx| {
            let failure = Failure { prefix, name: &name, kind, face: FaceId(face), sent, next_hops: hops };
            strategy.on_failure(&failure, cx)
        })
    }
}

/// Next hops as `(face, cost)`.
pub fn hops(list: &[(u32, u64)]) -> Vec<NextHop> {
    list.iter().map(|(face, cost)| NextHop { face: FaceId(*face), cost: *cost }).collect()
}

pub fn sent(face: u32, at_ms: u64, nacked: Option<NackReason>) -> OutRecord {
    OutRecord { face: FaceId(face), sent_at: Time(at_ms * 1_000_000), nonce: 1, nacked }
}

pub fn to(face: u32) -> Choice {
    Choice::To(FaceId(face))
}
