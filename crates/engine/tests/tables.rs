//! PIT and Content Store as the forwarder uses them: expiry, capacity, readings, caching.

mod common;

use common::*;
use weir_core::{DropReason, Reading};
use weir_engine::{Forwarder, ForwarderRules, Router};
use weir_wire::NackReason;

fn small(pit_capacity: usize, cs_capacity: usize) -> Bench<Router> {
    let rules = ForwarderRules { cs_capacity, pit_capacity };
    router_with(rules, "best-route", 5, &[("/a", 3, 1), ("/a", 4, 2)])
}

#[test]
fn an_entry_expires_at_exactly_its_lifetime() {
    let mut bench = small(10, 0);
    bench.go_ms(5.0);
    bench.push(0, short_interest("/a/seg=1", 7, 100));
    assert_eq!(bench.machine.forwarder().next_wake(), Some(ms(105.0)));
    bench.now = weir_core::Time(ms(105.0).0 - 1);
    bench.wake();
    assert_eq!(bench.pending(), 1);
    bench.go_ms(105.0);
    assert_eq!((bench.pending(), bench.machine.forwarder().counters().expired), (0, 1));
}

#[test]
fn data_at_the_end_of_the_lifetime_is_too_late() {
    for (at, delivered) in [(ms(100.0).0 - 1, 1), (ms(100.0).0, 0)] {
        let mut bench = small(10, 0);
        bench.push(0, short_interest("/a/seg=1", 7, 100));
        bench.now = weir_core::Time(at); // the driver has not woken the node yet
        bench.push(3, data("/a/seg=1"));
        assert_eq!((bench.out(0).len(), bench.drops(DropReason::Unsolicited)), (delivered, 1 - delivered));
    }
}

#[test]
fn an_entry_lives_as_long_as_its_last_downstream_waits() {
    let mut bench = small(10, 0);
    bench.push(0, short_interest("/a/seg=1", 7, 100));
    bench.go_ms(50.0);
    bench.push(1, short_interest("/a/seg=1", 8, 100));
    bench.go_ms(120.0);
    assert_eq!(bench.pending(), 1);
    bench.push(3, data("/a/seg=1"));
    assert_eq!((bench.out(0), bench.out(1)), (vec![], vec!["D /a/seg=1".into()]), "the first waits no longer");
}

#[test]
fn asking_again_prolongs_the_wait() {
    let mut bench = small(10, 0);
    bench.push(0, short_interest("/a/seg=1", 7, 100));
    bench.go_ms(50.0);
    bench.push(0, short_interest("/a/seg=1", 8, 100));
    bench.go_ms(149.0);
    bench.push(3, data("/a/seg=1"));
    assert_eq!(bench.out(0), ["D /a/seg=1"]);
}

#[test]
fn asking_again_for_a_shorter_time_does_not_end_the_wait_earlier() {
    let mut bench = small(10, 0);
    bench.push(0, short_interest("/a/seg=1", 7, 100));
    bench.push(0, short_interest("/a/seg=1", 8, 10));
    bench.go_ms(50.0);
    assert_eq!(bench.pending(), 1);
    bench.push(3, data("/a/seg=1"));
    assert_eq!((bench.out(0), bench.log.dropped.len()), (vec!["D /a/seg=1".into()], 1), "only the repetition");
}

#[test]
fn a_lifetime_of_zero_is_a_millisecond() {
    let mut bench = small(10, 0);
    bench.push(0, short_interest("/a/seg=1", 7, 0));
    assert_eq!(bench.pending(), 1);
    bench.go_ms(1.0);
    assert_eq!(bench.pending(), 0);
}

#[test]
fn the_strategy_is_told_of_each_upstream_that_did_not_answer() {
    let (strategy, diary) = ScriptedStrategy::new([]);
    let mut forwarder = Forwarder::new(ForwarderRules::default(), strategy);
    for _ in 0..5 {
        forwarder.add_face(droptail(10));
    }
    add_routes(&mut forwarder, &[("/a", 2, 1), ("/a", 3, 2), ("/a", 4, 3)]);
    let mut bench = Bench::new(Router::new(forwarder));
    bench.push(0, short_interest("/a/seg=1", 7, 100)); // to face 2
    bench.go_ms(10.0);
    bench.push(0, short_interest("/a/seg=1", 8, 100)); // to face 3
    bench.push(3, nack("/a/seg=1", 8, NackReason::Congestion)); // and so to face 4
    diary.get().clear();
    bench.go_ms(110.0);
    assert_eq!(*diary.get(), ["Expired /a/seg=1 at 2 of []", "Expired /a/seg=1 at 4 of []"], "face 3 has answered");
    assert_eq!((bench.out(0), bench.pending()), (vec![], 0), "nobody downstream is told");
}

#[test]
fn lifetimes_of_all_lengths_expire_in_order() {
    let mut bench = small(1000, 0);
    let lifetimes: Vec<u32> = (0..200).map(|i| 1 + (i * 7919) % 5000).collect();
    for (i, lifetime) in lifetimes.iter().enumerate() {
        bench.push(0, short_interest(&format!("/a/seg={i}"), 7, *lifetime));
    }
    for now in [1, 17, 128, 1023, 1024, 2500, 5000] {
        bench.go_ms(f64::from(now));
        assert_eq!(bench.pending(), lifetimes.iter().filter(|lifetime| **lifetime > now).count(), "at {now} ms");
    }
}

#[test]
fn the_longest_lifetime_never_ends() {
    let mut bench = small(10, 0);
    bench.push(0, short_interest("/a/seg=1", 7, u32::MAX));
    bench.go_ms(1e9);
    assert_eq!(bench.pending(), 1);
    bench.push(3, data("/a/seg=1"));
    assert_eq!(bench.out(0), ["D /a/seg=1"]);
}

#[test]
fn a_full_pit_drops_new_interests() {
    let mut bench = small(2, 0);
    for segment in 1..=3 {
        bench.push(0, interest(&format!("/a/seg={segment}"), 7));
    }
    assert_eq!((bench.pending(), bench.out(0), bench.out(3).len()), (2, vec![], 2), "silently");
    assert_eq!(bench.log.dropped, [("I /a/seg=3 #7".into(), 0, DropReason::PitFull)]);
    bench.push(3, data("/a/seg=1"));
    bench.push(0, interest("/a/seg=3", 8));
    assert_eq!((bench.pending(), bench.log.dropped.len()), (2, 1));
}

#[test]
fn a_full_pit_still_aggregates() {
    let mut bench = small(1, 0);
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(1, interest("/a/seg=1", 8));
    bench.push(3, data("/a/seg=1"));
    assert_eq!((bench.out(0).len(), bench.out(1).len(), bench.drops(DropReason::PitFull)), (1, 1, 0));
}

#[test]
fn a_full_pit_still_answers_from_the_content_store() {
    let mut bench = small(1, 10);
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(3, data("/a/seg=1"));
    bench.push(0, interest("/a/seg=2", 8));
    bench.push(1, interest("/a/seg=1", 9));
    assert_eq!(bench.out(1), ["D /a/seg=1"]);
}

#[test]
fn expired_entries_make_room_before_a_new_interest_is_judged() {
    let mut bench = small(1, 0);
    bench.push(0, short_interest("/a/seg=1", 7, 100));
    bench.now = ms(100.0); // the driver has not woken the node yet
    bench.push(0, interest("/a/seg=2", 8));
    assert_eq!((bench.pending(), bench.drops(DropReason::PitFull)), (1, 0));
}

#[test]
fn a_pit_without_room_at_all_drops_everything() {
    let mut bench = small(0, 0);
    bench.push(0, interest("/a/seg=1", 7));
    assert_eq!((bench.pending(), bench.drops(DropReason::PitFull)), (0, 1));
}

#[test]
fn occupancy_can_be_read_at_any_time() {
    let mut bench = small(10, 0);
    assert_eq!(bench.pit_reading(), (0, 0, 0.0));
    bench.go_ms(1000.0);
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(0, interest("/a/seg=2", 7));
    bench.push(1, interest("/a/seg=2", 8));
    bench.go_ms(3000.0);
    assert_eq!(bench.pit_reading(), (2, 2, 4.0), "two entries for two seconds, and nothing has changed since");
    bench.push(3, data("/a/seg=1"));
    bench.now = ms(4000.0);
    assert_eq!(bench.pit_reading(), (1, 2, 5.0));
    bench.push(3, data("/a/seg=2"));
    bench.now = ms(9000.0);
    assert_eq!(bench.pit_reading(), (0, 2, 5.0));
}

#[test]
fn occupancy_falls_when_entries_expire() {
    let mut bench = small(10, 0);
    bench.push(0, short_interest("/a/seg=1", 7, 500));
    bench.push(0, short_interest("/a/seg=2", 7, 1000));
    bench.go_ms(2000.0);
    assert_eq!(bench.pit_reading(), (0, 2, 1.5));
}

#[test]
fn cached_data_answers_without_a_pit_entry() {
    let (strategy, diary) = ScriptedStrategy::new([]);
    let mut forwarder = Forwarder::new(ForwarderRules { cs_capacity: 10, ..Default::default() }, strategy);
    for _ in 0..2 {
        forwarder.add_face(droptail(10));
    }
    add_routes(&mut forwarder, &[("/a", 1, 1)]);
    let mut bench = Bench::new(Router::new(forwarder));
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(1, data("/a/seg=1"));
    bench.out(0);
    bench.out(1);
    diary.get().clear();
    bench.push(0, interest("/a/seg=1", 8));
    assert_eq!((bench.out(0), bench.out(1), bench.pending()), (vec!["D /a/seg=1".into()], vec![], 0));
    assert!(diary.get().is_empty(), "the strategy is not asked");
    let cs = bench.readings().into_iter().find(|reading| matches!(reading, Reading::Cs { .. }));
    assert_eq!(cs, Some(Reading::Cs { entries: 1, hits: 1, misses: 1 }));
}

#[test]
fn cached_data_has_crossed_no_link() {
    let mut bench = small(10, 10);
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(3, data("/a/seg=1"));
    bench.push(0, interest("/a/seg=1", 8));
    assert_eq!((bench.pull(0).unwrap().hop.hop_count, bench.pull(0).unwrap().hop.hop_count), (1, 0));
}

#[test]
fn a_content_store_that_is_off_keeps_nothing() {
    let mut bench = small(10, 0);
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(3, data("/a/seg=1"));
    bench.push(0, interest("/a/seg=1", 8));
    assert_eq!((bench.out(0).len(), bench.pending(), bench.machine.forwarder().cs().len()), (1, 1, 0));
}

#[test]
fn must_be_fresh_refuses_stale_data() {
    let mut bench = small(10, 10);
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(3, fresh_data("/a/seg=1", 100));
    bench.out(0);
    bench.now = weir_core::Time(ms(100.0).0 - 1);
    bench.push(0, fresh("/a/seg=1", 8));
    assert_eq!(bench.out(0), ["D /a/seg=1"]);
    bench.now = ms(100.0);
    bench.push(0, fresh("/a/seg=1", 9));
    assert_eq!((bench.out(0), bench.out(3).len()), (vec![], 2));
    bench.push(0, interest("/a/seg=1", 10));
    assert_eq!(bench.out(0), ["D /a/seg=1"], "who does not mind gets it still");
}

#[test]
fn new_data_makes_a_stale_name_fresh_again() {
    let mut bench = small(10, 10);
    for now in [0.0, 200.0] {
        bench.go_ms(now);
        bench.push(0, fresh("/a/seg=1", now as u32));
        bench.push(3, fresh_data("/a/seg=1", 100));
    }
    bench.out(0);
    bench.go_ms(250.0);
    bench.push(0, fresh("/a/seg=1", 9));
    assert_eq!((bench.out(0), bench.machine.forwarder().cs().len()), (vec!["D /a/seg=1".into()], 1));
}

/// Gets Data from the producer although it is cached.
fn fetch_again(bench: &mut Bench<Router>, nonce: u32, answer: weir_wire::Data) {
    bench.push(0, fresh(&answer.name.to_string(), nonce));
    bench.push(3, answer);
    bench.out(0);
}

#[test]
fn new_data_takes_the_place_of_the_old() {
    let mut bench = small(10, 10);
    fetch_again(&mut bench, 1, data("/a/seg=1"));
    fetch_again(&mut bench, 2, final_data(name("/a/seg=1"), 77));
    bench.push(0, interest("/a/seg=1", 8));
    let weir_wire::Kind::Data(cached) = bench.pull(0).unwrap().into_kind() else { panic!() };
    assert_eq!((cached.final_segment(), bench.machine.forwarder().cs().len()), (Some(77), 1));
}

#[test]
fn storing_data_again_is_a_use() {
    let mut bench = small(10, 2);
    for (nonce, segment) in [(1, 1), (2, 2), (3, 1), (4, 3)] {
        fetch_again(&mut bench, nonce, data(&format!("/a/seg={segment}")));
    }
    bench.push(0, interest("/a/seg=1", 8));
    bench.push(0, interest("/a/seg=2", 8));
    assert_eq!(bench.out(0), ["D /a/seg=1"]);
}

#[test]
fn a_prefix_finds_cached_data_only_with_can_be_prefix() {
    let mut bench = small(10, 10);
    bench.push(0, interest("/a/b/seg=1", 7));
    bench.push(3, data("/a/b/seg=1"));
    bench.out(0);
    bench.push(0, interest("/a/b", 8));
    assert_eq!(bench.out(0), [""; 0]);
    bench.push(0, prefix("/a/b", 9));
    assert_eq!(bench.out(0), ["D /a/b/seg=1"]);
    bench.push(0, prefix("/a/b/seg=1", 10));
    assert_eq!(bench.out(0), ["D /a/b/seg=1"], "or its very name");
    bench.push(0, prefix("/a/b/seg=1/x", 11));
    assert_eq!(bench.out(0), [""; 0], "a longer name is another matter");
}

#[test]
fn the_least_recently_used_data_leaves_first() {
    let mut bench = small(10, 2);
    let mut fetch = |segment: u32| {
        let uri = format!("/a/seg={segment}");
        bench.push(0, interest(&uri, 7));
        let cached = !bench.out(0).is_empty();
        bench.push(3, data(&uri));
        bench.out(0);
        cached
    };
    let cached: Vec<bool> = [1, 2, 1, 3, 1, 2].map(&mut fetch).into();
    assert_eq!(cached, [false, false, true, false, true, false]);
    assert_eq!(bench.machine.forwarder().cs().len(), 2);
}
