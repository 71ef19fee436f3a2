//! The rules of each strategy.

use weir_core::{
    Choice, Context, FaceId, Failure, FailureKind, ForwardingStrategy, NextHop, NoSink, NodeId, OutRecord, PrefixId,
    Query, Ready, Seed, Site, Suppression, Time, Value,
};
use weir_schemes::registry::{self, STRATEGIES};
use weir_wire::{Interest, NackReason, Name};

/// A strategy on the bench.
struct Bench {
    strategy: Box<dyn ForwardingStrategy>,
    prefix: PrefixId,
}

impl Bench {
    fn new(name: &str, settings: &[(&str, Value)], seed: u64) -> Bench {
        let settings = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        let site = Site { seed: Seed(seed), ..Site::default() };
        let entry = registry::find("strategy", STRATEGIES, name).unwrap();
        Bench { strategy: (entry.build)(&settings, &site).unwrap(), prefix: PrefixId(0) }
    }

    fn call<R>(&mut self, f: impl FnOnce(&mut dyn ForwardingStrategy, PrefixId, &mut Context<'_>) -> R) -> R {
        let (mut sink, mut ready) = (NoSink, Ready::default());
        let now = Time(1_000_000_000);
        let mut cx =
            Context { now, node: NodeId(0), face: FaceId(0), sink: &mut sink, watched: false, ready: &mut ready };
        f(self.strategy.as_mut(), self.prefix, &mut cx)
    }

    /// Where an Interest from face 99 goes that was sent before as `sent` says.
    fn choose(&mut self, hops: &[NextHop], sent: &[OutRecord]) -> Choice {
        let interest = Interest::new(Name::root(), 1);
        self.call(|strategy, prefix, cx| {
            let from = FaceId(99);
            strategy.choose(&Query { interest: &interest, from, prefix, next_hops: hops, sent }, cx)
        })
    }

    /// The face a new Interest goes to.
    fn face(&mut self, hops: &[NextHop]) -> u32 {
        match self.choose(hops, &[]) {
            Choice::To(face) => face.0,
            other => panic!("{other:?}"),
        }
    }

    fn refused(&mut self, face: u32, reason: NackReason, hops: &[NextHop], sent: &[OutRecord]) -> Choice {
        let (name, kind) = (Name::root(), FailureKind::Nack(reason));
        self.call(|strategy, prefix, cx| {
            let failure = Failure { prefix, name: &name, kind, face: FaceId(face), sent, next_hops: hops };
            strategy.on_failure(&failure, cx)
        })
    }
}

/// Next hops as `(face, cost)`.
fn hops(list: &[(u32, u64)]) -> Vec<NextHop> {
    list.iter().map(|(face, cost)| NextHop { face: FaceId(*face), cost: *cost }).collect()
}

fn sent(face: u32, at_ms: u64, nacked: Option<NackReason>) -> OutRecord {
    OutRecord { face: FaceId(face), sent_at: Time(at_ms * 1_000_000), nonce: 1, nacked }
}

fn to(face: u32) -> Choice {
    Choice::To(FaceId(face))
}

fn weights(text: &str) -> [(&'static str, Value); 1] {
    [("weights", Value::Text(text.into()))]
}

#[test]
fn best_route_takes_the_cheapest() {
    let mut bench = Bench::new("best-route", &[], 1);
    let list = hops(&[(7, 1), (3, 2), (5, 2)]);
    assert!((0..100).all(|_| bench.face(&list) == 7), "without losses the others carry nothing");
    assert_eq!(bench.strategy.suppression(), Suppression::PerEntry);
}

#[test]
fn best_route_sends_repetitions_elsewhere() {
    let mut bench = Bench::new("best-route", &[], 1);
    let list = hops(&[(7, 1), (3, 2), (5, 2)]);
    assert_eq!(bench.choose(&list, &[sent(7, 10, None)]), to(3));
    assert_eq!(bench.choose(&list, &[sent(7, 10, None), sent(3, 20, None)]), to(5));
    let all = [sent(7, 40, None), sent(3, 20, None), sent(5, 30, None)];
    assert_eq!(bench.choose(&list, &all), to(3), "the one used longest ago");
    let tie = [sent(5, 20, None), sent(7, 40, None), sent(3, 20, None)];
    assert_eq!(bench.choose(&list, &tie), to(3), "the cheapest of those");
    assert_eq!(bench.choose(&list[1..], &all[1..]), to(3), "only what is eligible");
}

#[test]
fn nowhere_to_go_is_a_refusal_for_new_interests_only() {
    for entry in STRATEGIES {
        let mut bench = Bench::new(entry.name, &[], 1);
        assert_eq!(bench.choose(&[], &[]), Choice::Nack(NackReason::NoRoute), "{}", entry.name);
        assert_eq!(bench.choose(&[], &[sent(3, 10, None)]), Choice::Drop, "{}", entry.name);
    }
}

#[test]
fn refusals_lead_elsewhere_and_then_back() {
    let (congestion, no_route) = (NackReason::Congestion, NackReason::NoRoute);
    let list = hops(&[(7, 1), (3, 2)]);
    for entry in STRATEGIES {
        println!("{}", entry.name);
        let mut bench = Bench::new(entry.name, &[], 1);
        let first = [sent(7, 10, Some(no_route))];
        assert_eq!(bench.refused(7, no_route, &list, &first), to(3));
        let both = [sent(7, 10, Some(no_route)), sent(3, 20, Some(congestion))];
        assert_eq!(bench.refused(3, congestion, &list, &both), Choice::Nack(congestion));
        assert_eq!(bench.refused(7, no_route, &list, &both), Choice::Nack(congestion), "the mildest");
        let waiting = [sent(7, 10, Some(no_route)), sent(3, 20, None)];
        assert_eq!(bench.refused(7, no_route, &list, &waiting), Choice::Drop, "the other may still answer");
        let unexplained = [sent(7, 10, Some(NackReason::Unspecified)), sent(3, 20, Some(no_route))];
        assert_eq!(bench.refused(7, NackReason::Unspecified, &list, &unexplained), Choice::Nack(no_route));
    }
}

#[test]
fn multicast_sends_to_all() {
    let mut bench = Bench::new("multicast", &[], 1);
    let list = hops(&[(7, 1), (3, 2), (5, 2)]);
    assert_eq!(bench.choose(&list, &[]), Choice::Each(vec![FaceId(7), FaceId(3), FaceId(5)]));
    assert_eq!(bench.choose(&list[..1], &[]), to(7));
    assert_eq!(bench.strategy.suppression(), Suppression::PerUpstream);
}

/// How often each of the faces 1 to 4 is chosen in `n` choices.
fn counts(bench: &mut Bench, list: &[NextHop], n: usize) -> [usize; 4] {
    let mut counts = [0; 4];
    for _ in 0..n {
        counts[bench.face(list) as usize - 1] += 1;
    }
    counts
}

#[test]
fn weighted_random_divides_by_weight() {
    let list = hops(&[(1, 1), (2, 2), (3, 2), (4, 9)]);
    let mut bench = Bench::new("weighted-random", &weights("5, 3,1"), 1);
    for (count, expected) in counts(&mut bench, &list, 100_000).into_iter().zip([50_000, 30_000, 10_000, 10_000]) {
        assert!(count.abs_diff(expected) < 700, "{count} instead of {expected}");
    }
    // Without the first, the others keep their own weights.
    for (count, expected) in counts(&mut bench, &list[1..], 50_000).into_iter().zip([0, 30_000, 10_000, 10_000]) {
        assert!(count.abs_diff(expected) < 700, "{count} instead of {expected}");
    }
}

#[test]
fn a_weight_of_zero_is_a_last_resort() {
    let list = hops(&[(1, 1), (2, 2), (3, 2)]);
    for name in ["weighted-random", "round-robin"] {
        let mut bench = Bench::new(name, &weights("0,2,0"), 1);
        assert_eq!(counts(&mut bench, &list, 1000), [0, 1000, 0, 0], "{name}");
        assert_eq!(counts(&mut bench, &[list[0], list[2]], 10), [10, 0, 0, 0], "{name}");
        assert_eq!(counts(&mut bench, &list[1..], 10), [0, 10, 0, 0], "{name}");
    }
}

#[test]
fn round_robin_is_smooth() {
    let list = hops(&[(1, 1), (2, 2)]);
    let mut bench = Bench::new("round-robin", &weights("3,1"), 1);
    let order: Vec<u32> = (0..8).map(|_| bench.face(&list)).collect();
    assert_eq!(order, [1, 1, 2, 1, 1, 1, 2, 1]);
    let list = hops(&[(2, 1), (1, 1), (3, 1)]);
    let mut bench = Bench::new("round-robin", &[], 1);
    let order: Vec<u32> = (0..6).map(|_| bench.face(&list)).collect();
    assert_eq!(order, [1, 2, 3, 1, 2, 3], "equals in the order of their faces");
}

#[test]
fn round_robin_keeps_each_share_within_one() {
    let list = hops(&[(1, 1), (2, 2), (3, 2), (4, 9)]);
    let weight = [5, 3, 1, 1];
    let mut bench = Bench::new("round-robin", &weights("5,3,1"), 1);
    let mut seen = [0; 4];
    for n in 1..=1000 {
        seen[bench.face(&list) as usize - 1] += 1;
        for (count, weight) in seen.into_iter().zip(weight) {
            let due = f64::from(n) * f64::from(weight) / 10.0;
            assert!((f64::from(count) - due).abs() <= 1.0, "{count} after {n}, {due} due");
        }
    }
}

#[test]
fn round_robin_counts_for_each_prefix_apart() {
    let list = hops(&[(1, 1), (2, 2)]);
    let mut bench = Bench::new("round-robin", &[], 1);
    for _ in 0..5 {
        bench.prefix = PrefixId(0);
        assert_eq!(bench.face(&list), 1);
        bench.prefix = PrefixId(4);
        assert_eq!([bench.face(&list), bench.face(&list)], [1, 2]);
        bench.prefix = PrefixId(0);
        assert_eq!(bench.face(&list), 2);
    }
}

#[test]
fn ranks_follow_costs() {
    let mut bench = Bench::new("round-robin", &weights("0,1,0"), 1);
    assert_eq!(bench.face(&hops(&[(1, 5), (2, 6), (3, 7)])), 2);
    assert_eq!(bench.face(&hops(&[(3, 1), (1, 5), (2, 6)])), 1, "3 has become the cheapest, so 1 is the second");
}

#[test]
fn weights_are_whole_numbers() {
    for name in ["weighted-random", "round-robin"] {
        let entry = registry::find("strategy", STRATEGIES, name).unwrap();
        for bad in ["3:1", "a", "1,-1", "1,,2", "1.5"] {
            let settings = vec![("weights".into(), Value::Text(bad.into()))];
            let error = (entry.build)(&settings, &Site::default()).err().unwrap();
            assert!(!error.unknown && error.message.contains("\"3,1\""), "{bad}: {error}");
        }
    }
}
