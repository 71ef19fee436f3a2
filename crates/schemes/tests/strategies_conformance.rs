//! What holds for every strategy.

#[path = "queues_support/entries.rs"]
mod entries;

use weir_core::{
    Chance, Choice, Context, DataOutcome, FaceId, Failure, FailureKind, ForwardingStrategy, NextHop, NoSink, NodeId,
    OutRecord, PrefixId, Query, Ready, Seed, Settings, Site, Span, Time,
};
use weir_schemes::registry::STRATEGIES;
use weir_wire::{Interest, NackReason, Name};

const REASONS: [NackReason; 5] =
    [NackReason::Unspecified, NackReason::Congestion, NackReason::Duplicate, NackReason::NoRoute, NackReason::Other(7)];

/// A forwarder that asks at random.
struct Storm {
    strategy: Box<dyn ForwardingStrategy>,
    chance: Chance,
    now: Time,
    digest: u64,
    answers: usize,
}

impl Storm {
    fn new(build: impl Fn(&Site) -> Box<dyn ForwardingStrategy>, seed: u64) -> Storm {
        let strategy = build(&Site { seed: Seed(seed), ..Site::default() });
        Storm { strategy, chance: Seed(seed).of("storm").stream(), now: Time::ZERO, digest: 0, answers: 0 }
    }

    /// The next hops of a prefix that may be used now: each prefix has up to six.
    fn eligible(&mut self, prefix: PrefixId) -> Vec<NextHop> {
        let hop = |i: u64| NextHop { face: FaceId((i * 5 + u64::from(prefix.0)) as u32 % 11), cost: i / 2 };
        let mut hops: Vec<NextHop> = (0..=u64::from(prefix.0) % 6).map(hop).collect();
        hops.sort_by_key(|hop| (hop.cost, hop.face));
        hops.retain(|_| self.chance.happens(0.8));
        hops
    }

    /// Where an Interest may have been sent before.
    fn sent(&mut self) -> Vec<OutRecord> {
        let mut sent = Vec::new();
        for face in (0..11).map(FaceId) {
            if self.chance.happens(0.15) {
                let sent_at = Time(self.now.0.saturating_sub(self.chance.below(1_000_000_000)));
                let nacked = self.chance.happens(0.3).then_some(REASONS[self.chance.below(5) as usize]);
                sent.push(OutRecord { face, sent_at, nonce: 3, nacked });
            }
        }
        sent
    }

    fn step(&mut self) {
        self.now += Span(self.chance.below(1_000_000));
        let prefix = PrefixId(self.chance.below(9) as u32);
        let hops = self.eligible(prefix);
        let sent = if self.chance.happens(0.5) { Vec::new() } else { self.sent() };
        match self.chance.below(4) {
            0 | 1 => self.ask(prefix, &hops, &sent),
            2 => self.fail(prefix, &hops, &sent),
            _ => self.answer(prefix),
        }
    }

    fn ask(&mut self, prefix: PrefixId, hops: &[NextHop], sent: &[OutRecord]) {
        let interest = Interest::new(Name::root(), 1);
        let query = Query { interest: &interest, from: FaceId(10), prefix, next_hops: hops, sent };
        let choice = self.call(|strategy, cx| strategy.choose(&query, cx));
        self.check(&choice, hops);
        match choice {
            Choice::To(_) | Choice::Each(_) => self.answers += 1,
            Choice::Nack(_) | Choice::Drop => assert!(hops.is_empty(), "{choice:?} in spite of next hops"),
        }
    }

    fn fail(&mut self, prefix: PrefixId, hops: &[NextHop], sent: &[OutRecord]) {
        let Some(record) = sent.get(self.chance.below(sent.len() as u64) as usize) else { return };
        let refused = record.nacked.map_or(FailureKind::Expired, FailureKind::Nack);
        let name = Name::root();
        let failure = Failure { prefix, name: &name, kind: refused, face: record.face, sent, next_hops: hops };
        let choice = self.call(|strategy, cx| strategy.on_failure(&failure, cx));
        self.check(&choice, hops);
    }

    fn answer(&mut self, prefix: PrefixId) {
        let sent = self.sent();
        let outcome = DataOutcome {
            prefix,
            face: FaceId(self.chance.below(11) as u32),
            rtt: self.chance.happens(0.9).then_some(Span(self.chance.below(1_000_000_000))),
            marked: self.chance.happens(0.1),
            mark_distance: self.chance.below(256) as u8,
            queue_delay: Span(self.chance.below(1_000_000_000)),
            sent: &sent,
        };
        self.call(|strategy, cx| strategy.on_data(&outcome, cx));
    }

    fn call<R>(&mut self, f: impl FnOnce(&mut dyn ForwardingStrategy, &mut Context<'_>) -> R) -> R {
        let (now, mut sink, mut ready) = (self.now, NoSink, Ready::default());
        let mut cx =
            Context { now, node: NodeId(0), face: FaceId(10), sink: &mut sink, watched: false, ready: &mut ready };
        f(self.strategy.as_mut(), &mut cx)
    }

    /// Only what was offered, and nothing twice.
    fn check(&mut self, choice: &Choice, hops: &[NextHop]) {
        let faces = match choice {
            Choice::To(face) => vec![*face],
            Choice::Each(faces) => faces.clone(),
            Choice::Nack(_) | Choice::Drop => Vec::new(),
        };
        for (i, face) in faces.iter().enumerate() {
            assert!(hops.iter().any(|hop| hop.face == *face), "{face:?} was not offered");
            assert!(!faces[..i].contains(face), "{face:?} twice");
            self.digest = self.digest.rotate_left(5) ^ u64::from(face.0 + 1);
        }
    }
}

#[test]
fn every_choice_was_offered_and_seeds_repeat() {
    for entry in STRATEGIES {
        let run = |seed: u64| {
            println!("{}, seed {seed}", entry.name);
            let mut storm = Storm::new(|site| (entry.build)(&Settings::new(), site).unwrap(), seed);
            (0..20_000).for_each(|_| storm.step());
            assert!(storm.answers > 5000);
            storm.digest
        };
        for seed in 1..4 {
            assert_eq!(run(seed), run(seed));
        }
        assert_ne!(run(1), run(2));
    }
}

#[test]
fn entries_are_well_formed() {
    STRATEGIES.iter().for_each(entries::check_entry);
}
