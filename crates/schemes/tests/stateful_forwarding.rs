//! The rules of Stateful Forwarding.

mod strategies_support;

use strategies_support::{Bench, hops, sent, to};
use weir_core::{Choice, DataOutcome, FaceId, Limit, LinkFacts, NextHop, PathFacts, PrefixId, Rate, Span, Value};
use weir_wire::NackReason;

/// Stateful Forwarding with links of 5 Mbit/s (500 Data of 1250 bytes a second) behind faces 1 and 2, and the producer
/// 30 ms away over each of them.
fn limited(settings: &[(&str, Value)]) -> Bench {
    let mut bench = Bench::new("stateful-forwarding", settings, 1);
    describe(&mut bench, 5_000_000);
    bench
}

fn describe(bench: &mut Bench, rate: u64) {
    bench.call(|strategy, prefix, _| {
        for face in [1, 2].map(FaceId) {
            strategy.on_face(
                face,
                &LinkFacts { rate: Rate(rate), delay: Span::from_millis(10), queue: Limit::Packets(100) },
            );
            strategy.on_route(prefix, face, &PathFacts { round_trip: Span::from_millis(60) });
        }
    });
}

fn bytes(text: &str) -> Value {
    Value::Text(text.into())
}

const CONGESTION: Choice = Choice::Nack(NackReason::Congestion);

/// Where new Interests go, one each millisecond.
fn each_ms(bench: &mut Bench, hops: &[NextHop], count: u64) -> Vec<Choice> {
    let start = bench.now;
    let choices = (0..count).map(|n| {
        bench.now = start + Span::from_millis(n);
        bench.choose(hops, &[])
    });
    choices.collect()
}

#[test]
fn stateful_forwarding_refuses_every_second_interest_after_60_ms_of_twice_the_rate() {
    let mut bench = limited(&[("data", bytes("1250B"))]);
    let choices = each_ms(&mut bench, &hops(&[(1, 1)]), 70);
    let refused: Vec<usize> = (0..70).filter(|n| choices[*n] == CONGESTION).collect();
    assert_eq!(refused, [59, 61, 63, 65, 67, 69]);
    assert!(choices.iter().all(|choice| [to(1), CONGESTION].contains(choice)));
}

#[test]
fn stateful_forwarding_tries_the_next_hop_with_room() {
    let mut bench = limited(&[("data", bytes("1250B"))]);
    let both = hops(&[(1, 1), (2, 2)]);
    assert!(
        each_ms(&mut bench, &both, 50).iter().all(|choice| *choice == to(1)),
        "the cheapest as long as it has room"
    );
    let choices = each_ms(&mut bench, &both, 50);
    assert!(choices.contains(&to(2)) && !choices.contains(&CONGESTION));
    // Full now: what is asked at one instant goes nowhere.
    let at_once: Vec<Choice> = (0..80).map(|_| bench.choose(&both, &[])).collect();
    assert_eq!(at_once[79], CONGESTION);
    assert_eq!(
        bench.choose(&both, &[sent(1, 900, None)]),
        Choice::Drop,
        "it is pending: its first copy may be answered"
    );
}

#[test]
fn stateful_forwarding_passes_a_refusal_on_where_the_other_next_hops_are_full() {
    let mut bench = limited(&[("data", bytes("1250B"))]);
    let both = hops(&[(1, 1), (2, 2)]);
    let nacked = [sent(1, 990, Some(NackReason::Congestion))];
    assert_eq!(bench.refused(1, NackReason::Congestion, &both, &nacked), to(2));
    while bench.choose(&hops(&[(2, 1)]), &[]) == to(2) {}
    assert_eq!(bench.refused(1, NackReason::Congestion, &both, &nacked), CONGESTION);
    let waiting = [nacked[0], sent(2, 990, None)];
    assert_eq!(bench.refused(1, NackReason::Congestion, &both, &waiting), Choice::Drop, "the other may still answer");
    assert_eq!(bench.choose(&[], &[]), Choice::Nack(NackReason::NoRoute));
}

#[test]
fn a_face_shares_its_limit_among_prefixes_and_a_prefix_has_its_own() {
    let mut bench = limited(&[("data", bytes("1250B"))]);
    bench.prefix = PrefixId(1);
    bench.call(|strategy, prefix, _| {
        strategy.on_route(prefix, FaceId(1), &PathFacts { round_trip: Span::from_millis(60) });
    });
    let one = hops(&[(1, 1)]);
    let passed = |bench: &mut Bench, prefix| {
        bench.prefix = PrefixId(prefix);
        (0..100).filter(|_| bench.choose(&one, &[]) == to(1)).count()
    };
    assert_eq!([passed(&mut bench, 0), passed(&mut bench, 1)], [30, 0], "the face is full");
    // A refusal from upstream halves the limit of one prefix: 15 fit, 30 are in and need 120 ms.
    bench.prefix = PrefixId(0);
    bench.refused(1, NackReason::Congestion, &one, &[sent(1, 990, Some(NackReason::Congestion))]);
    bench.now += Span::from_millis(120);
    assert_eq!([passed(&mut bench, 0), passed(&mut bench, 1)], [15, 15]);
}

#[test]
fn data_raise_the_limit_of_a_prefix_and_fixed_limits_stand_still() {
    for (adapt, expected) in [("each", 15), ("check", 15), ("fixed", 30)] {
        let mut bench = limited(&[("data", bytes("1250B")), ("adapt", Value::Text(adapt.into()))]);
        let one = hops(&[(1, 1)]);
        bench.refused(1, NackReason::Congestion, &one, &[sent(1, 990, Some(NackReason::Congestion))]);
        let passed = |bench: &mut Bench| (0..100).filter(|_| bench.choose(&one, &[]) == to(1)).count();
        assert_eq!(passed(&mut bench), expected, "{adapt}");
        // 100 Data make 250 a second 350, which is 21 in 60 ms.
        bench.now += Span::from_millis(1000);
        for _ in 0..100 {
            bench.call(|strategy, prefix, cx| {
                let outcome = DataOutcome {
                    prefix,
                    face: FaceId(1),
                    rtt: Some(Span::from_millis(5)),
                    marked: false,
                    mark_distance: 0,
                    queue_delay: Span::ZERO,
                    sent: &[],
                };
                strategy.on_data(&outcome, cx);
            });
        }
        bench.now += Span::from_millis(1000);
        let expected = if adapt == "fixed" { 30 } else { 21 };
        assert_eq!(passed(&mut bench), expected, "{adapt}");
    }
}

#[test]
fn states_at_a_router_hold_back_refusals_of_what_left_before_the_cut() {
    let passed_after = |adapt: &str, refusals: u64| {
        let mut bench = limited(&[("data", bytes("1250B")), ("adapt", Value::Text(adapt.into()))]);
        let one = hops(&[(1, 1)]);
        for n in 0..refusals {
            bench.refused(1, NackReason::Congestion, &one, &[sent(1, 900 + n, Some(NackReason::Congestion))]);
        }
        (0..100).filter(|_| bench.choose(&one, &[]) == to(1)).count()
    };
    assert_eq!([passed_after("each", 2), passed_after("check", 2)], [7, 15]);
}

#[test]
fn limits_follow_links_that_change() {
    let mut bench = limited(&[("data", bytes("1250B"))]);
    let one = hops(&[(1, 1)]);
    describe(&mut bench, 1_000_000);
    assert_eq!((0..100).filter(|_| bench.choose(&one, &[]) == to(1)).count(), 6);
}

#[test]
fn without_knowledge_of_links_there_are_no_limits() {
    let mut bench = Bench::new("stateful-forwarding", &[], 1);
    assert!((0..10_000).all(|_| bench.choose(&hops(&[(1, 1)]), &[]) == to(1)));
}
