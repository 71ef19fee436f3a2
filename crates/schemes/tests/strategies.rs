//! The rules of each strategy.

mod strategies_support;

use strategies_support::{Bench, hops, sent, to};
use weir_core::{Choice, FaceId, NextHop, PrefixId, Site, Span, Suppression, Value};
use weir_schemes::registry::{self, STRATEGIES};
use weir_wire::NackReason;

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

/// Interests to two next hops, of which each answers in its turn `delay` steps later; tells how many each got.
fn unsaturated(name: &str, settings: &[(&str, Value)], delays: &[usize]) -> Vec<f64> {
    const STEPS: usize = 60_000;
    let list: Vec<NextHop> = (0..delays.len() as u32).map(|face| NextHop { face: FaceId(face), cost: 1 }).collect();
    let mut bench = Bench::new(name, settings, 5);
    let mut answers: Vec<Vec<u32>> = vec![Vec::new(); STEPS + delays.iter().max().unwrap() + 1];
    let mut counts = vec![0.0; delays.len()];
    for step in 0..STEPS {
        let face = bench.face(&list);
        counts[face as usize] += 1.0;
        answers[step + delays[face as usize]].push(face);
        for face in std::mem::take(&mut answers[step]) {
            bench.data(face, false, 0, &[sent(face, 0, None)]);
        }
    }
    counts.iter().map(|count| count / STEPS as f64).collect()
}

fn assert_shares(found: &[f64], expected: &[f64]) {
    let near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 0.03);
    assert!(near, "{found:.3?} instead of {expected:.3?}");
}

#[test]
fn drf_splits_by_the_root_of_the_round_trip() {
    // Shares x with pending = x * delay and weight 1 / pending: x ~ delay^(-1/2).
    for pick in ["random", "turn"] {
        let shares = unsaturated("drf", &[("pick", Value::Text(pick.into()))], &[400, 400]);
        assert_shares(&shares, &[0.5, 0.5]);
        let shares = unsaturated("drf", &[("pick", Value::Text(pick.into()))], &[100, 900]);
        assert_shares(&shares, &[0.75, 0.25]);
    }
}

#[test]
fn drf_in_whole_numbers_splits_evenly_once_more_than_one_is_pending() {
    for pick in ["random", "turn"] {
        let settings = [("pick", Value::Text(pick.into())), ("whole", Value::Bool(true))];
        assert_shares(&unsaturated("drf", &settings, &[100, 900]), &[0.5, 0.5]);
    }
}

#[test]
fn drf_in_whole_numbers_still_prefers_what_is_idle() {
    // Nothing comes back from 1, where the first Interest goes; 2 answers at once, so its mean stays below a half.
    let list = hops(&[(1, 1), (2, 1)]);
    let mut bench = Bench::new("drf", &[("whole", Value::Bool(true))], 1);
    bench.share(2, &list[1..], 50);
    for _ in 0..50 {
        bench.face(&list[..1]);
    }
    assert!(bench.share(2, &list, 400) > 0.6);
}

#[test]
fn fewest_pending_splits_by_the_round_trip() {
    assert_shares(&unsaturated("fewest-pending", &[], &[100, 500, 1000]), &[10.0 / 13.0, 2.0 / 13.0, 1.0 / 13.0]);
}

#[test]
fn equally_few_go_to_any_or_to_the_first() {
    let list = hops(&[(5, 1), (2, 1), (9, 1)]);
    let mut to_first = Bench::new("fewest-pending", &[("ties", Value::Text("first".into()))], 1);
    let rounds: Vec<u32> = (0..6).map(|_| to_first.face(&list)).collect();
    assert_eq!(rounds, [2, 5, 9, 2, 5, 9], "the lowest face among those with the fewest, for all cost the same");
    let firsts = |seed| Bench::new("fewest-pending", &[], seed).face(&list);
    assert!([2, 5, 9].iter().all(|face| (0..40).any(|seed| firsts(seed) == *face)), "by default any of them");
}

#[test]
fn pending_interests_end_by_data_refusal_or_expiry_and_only_once() {
    let list = hops(&[(1, 1), (2, 1)]);
    let mut bench = Bench::new("fewest-pending", &[], 1);
    let first = bench.face(&list);
    let other = 3 - first;
    assert_eq!(bench.face(&list), other);
    // A repetition to where it is pending already counts once: still one each, then one more where it ends.
    bench.expired(first, &[sent(first, 0, None)]);
    assert_eq!(bench.face(&list), first);
    let both = [sent(1, 0, None), sent(2, 0, Some(NackReason::Congestion))];
    bench.refused(2, NackReason::Congestion, &[], &both);
    assert_eq!(bench.face(&list), 2, "the refusal ended it there");
    bench.data(1, false, 0, &both);
    assert_eq!(bench.face(&list), 1, "the Data ended it only where it had not been refused");
}

fn pcon_fs(settings: &[(&str, Value)]) -> (Bench, Vec<NextHop>) {
    let mut bench = Bench::new("pcon-fs", settings, 3);
    let list = hops(&[(7, 1), (3, 2)]);
    assert_eq!(bench.share(7, &list, 100), 1.0, "the cheapest has all at first");
    (bench, list)
}

const THIBAUD: [(&str, Value); 3] =
    [("change", Value::Number(0.03)), ("by_distance", Value::Bool(true)), ("return_share", Value::Number(0.003))];

#[test]
fn a_mark_moves_a_few_per_cent() {
    let (mut bench, list) = pcon_fs(&THIBAUD);
    bench.data(7, true, 1, &[]);
    assert!((bench.share(7, &list, 100_000) - 0.97).abs() < 0.002);
    (0..22).for_each(|_| bench.data(7, true, 1, &[]));
    assert!((bench.share(7, &list, 100_000) - 0.496).abs() < 0.005);
}

#[test]
fn a_distant_mark_moves_less() {
    let (mut bench, list) = pcon_fs(&THIBAUD);
    (0..30).for_each(|_| bench.data(7, true, 3, &[]));
    let expected = 0.99_f64.powi(30);
    assert!((bench.share(7, &list, 100_000) - expected).abs() < 0.005);
}

#[test]
fn a_quiet_path_gives_some_back_once() {
    let (mut bench, list) = pcon_fs(&THIBAUD);
    (0..40).for_each(|_| bench.data(7, true, 1, &[]));
    bench.data(3, true, 1, &[]);
    let before = bench.share(7, &list, 200_000);
    bench.now += Span::from_millis(200);
    (0..50).for_each(|_| bench.data(3, false, 0, &[]));
    let after = bench.share(7, &list, 200_000);
    assert!((after - before - 0.003).abs() < 0.0025, "{before} {after}");
}

/// How many of `count` Interests go to the dearer of two next hops after one mark, with nothing answered.
fn spilled(count_own: bool, count: usize) -> usize {
    let settings = [("change", Value::Number(0.03)), ("pick", Value::Text("pending".into()))];
    let settings = [&settings[..], &[("count_own", Value::Bool(count_own))]].concat();
    let (mut bench, list) = pcon_fs(&settings);
    bench.data(7, true, 1, &[]);
    (0..count).filter(|_| bench.face(&list) == 3).count()
}

#[test]
fn an_interest_that_counts_itself_spills_later() {
    // 97 % for the cheaper one: of 33 it may have 32 if the next one counts, so the 34th spills; else the second does.
    assert_eq!([1, 2, 30].map(|count| spilled(false, count)), [0, 1, 1]);
    assert_eq!([1, 30, 32, 35].map(|count| spilled(true, count)), [0, 0, 0, 1]);
    assert_eq!([spilled(false, 1000), spilled(true, 1000)], [30, 30]);
}

#[test]
fn what_is_pending_can_pick_instead_of_chance() {
    let (mut bench, list) = pcon_fs(&[("pick", Value::Text("pending".into()))]);
    (0..35).for_each(|_| bench.data(7, true, 1, &[]));
    let share = 0.98_f64.powi(35);
    let mut there = 0;
    for _ in 0..1000 {
        there += usize::from(bench.face(&list) == 7);
    }
    assert!((there as f64 / 1000.0 - share).abs() < 0.003, "{there}, {share}");
}

#[test]
fn one_next_hop_keeps_all() {
    let mut bench = Bench::new("pcon-fs", &[], 1);
    let list = hops(&[(7, 1)]);
    bench.share(7, &list, 10);
    (0..100).for_each(|_| bench.data(7, true, 1, &[]));
    assert_eq!(bench.share(7, &list, 100), 1.0);
}
