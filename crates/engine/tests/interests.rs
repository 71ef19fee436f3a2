//! The way of an Interest: aggregation, loops, suppression, hop limits, routes and strategies.

mod common;

use common::*;
use weir_core::{Choice, DropReason, FaceId, Suppression};
use weir_engine::{Forwarder, ForwarderRules, Producer, Router};
use weir_wire::NackReason;

/// Consumers on faces 0, 1 and 2, a way to `/a` over face 3 and a dearer one over face 4.
fn junction() -> Bench<Router> {
    router(5, &[("/a", 3, 1), ("/a", 4, 2)])
}

#[test]
fn an_interest_goes_to_the_cheapest_next_hop() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    assert_eq!(bench.out(3), ["I /a/seg=1 #7"]);
    assert_eq!(bench.out(4), [""; 0]);
    assert_eq!(bench.pending(), 1);
}

#[test]
fn the_driver_is_told_which_face_has_something_to_send() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    assert_eq!(bench.take_ready(), [3]);
}

#[test]
fn a_second_downstream_joins_the_pending_interest() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(1, interest("/a/seg=1", 8));
    assert_eq!(bench.out(3), ["I /a/seg=1 #7"]);
    assert_eq!(bench.out(4), [""; 0]);
    assert_eq!((bench.pending(), bench.machine.forwarder().counters().aggregated), (1, 1));
    assert_eq!(bench.log.dropped, [("I /a/seg=1 #8".into(), 1, DropReason::Suppressed)]);
}

#[test]
fn both_downstreams_get_the_data() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(1, interest("/a/seg=1", 8));
    bench.push(3, data("/a/seg=1"));
    assert_eq!(bench.out(0), ["D /a/seg=1"]);
    assert_eq!(bench.out(1), ["D /a/seg=1"]);
    assert_eq!((bench.out(2), bench.out(3), bench.pending()), (vec![], vec!["I /a/seg=1 #7".into()], 0));
}

#[test]
fn interests_with_other_selectors_are_not_aggregated() {
    let mut bench = junction();
    bench.push(0, interest("/a/b", 7));
    bench.push(0, fresh("/a/b", 8));
    bench.push(0, prefix("/a/b", 9));
    assert_eq!((bench.out(3).len(), bench.pending()), (3, 3));
}

#[test]
fn the_same_nonce_from_another_downstream_is_a_loop() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(1, interest("/a/seg=1", 7));
    assert_eq!(bench.out(1), ["N /a/seg=1 #7 Duplicate"]);
    assert_eq!(bench.log.dropped, [("I /a/seg=1 #7".into(), 1, DropReason::DuplicateNonce)]);
    bench.push(3, data("/a/seg=1"));
    assert_eq!((bench.out(0).len(), bench.out(1).len()), (1, 0), "a loop is no downstream");
}

#[test]
fn an_interest_that_comes_back_from_its_upstream_is_a_loop() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(3, interest("/a/seg=1", 7));
    assert_eq!(bench.out(3), ["I /a/seg=1 #7", "N /a/seg=1 #7 Duplicate"]);
}

/// The downstream's record shows its latest nonce only; the first one is still on its way.
#[test]
fn the_nonce_that_was_sent_on_is_remembered_after_the_downstream_asked_again() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(0, interest("/a/seg=1", 8));
    bench.push(1, interest("/a/seg=1", 7));
    assert_eq!(bench.out(1), ["N /a/seg=1 #7 Duplicate"]);
}

#[test]
fn the_same_face_may_repeat_a_nonce() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.go_ms(10.0);
    bench.push(0, interest("/a/seg=1", 7));
    assert_eq!(bench.drops(DropReason::DuplicateNonce), 0);
    assert_eq!((bench.out(0), bench.out(4)), (vec![], vec!["I /a/seg=1 #7".into()]));
}

#[test]
fn a_nonce_whose_interest_has_expired_is_a_loop() {
    let mut bench = junction();
    bench.push(0, short_interest("/a/seg=1", 7, 100));
    bench.go_ms(100.0);
    assert_eq!(bench.pending(), 0);
    bench.push(1, interest("/a/seg=1", 7));
    assert_eq!(bench.out(1), ["N /a/seg=1 #7 Duplicate"]);
    bench.push(1, interest("/a/seg=2", 7));
    assert_eq!(bench.out(1), [""; 0], "another name");
}

#[test]
fn a_dead_nonce_is_forgotten_after_six_seconds() {
    let mut bench = junction();
    bench.push(0, short_interest("/a/seg=1", 7, 100));
    bench.go_ms(6099.0);
    bench.push(1, interest("/a/seg=1", 7));
    assert_eq!(bench.drops(DropReason::DuplicateNonce), 1);
    bench.go_ms(6100.0);
    bench.push(1, interest("/a/seg=1", 7));
    assert_eq!((bench.drops(DropReason::DuplicateNonce), bench.pending()), (1, 1));
}

#[test]
fn the_nonce_of_a_refused_interest_is_dead() {
    let mut bench = router(4, &[("/a", 3, 1)]);
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(3, nack("/a/seg=1", 7, NackReason::Congestion));
    bench.push(1, interest("/a/seg=1", 7));
    assert_eq!(bench.out(1), ["N /a/seg=1 #7 Duplicate"]);
}

/// The Data itself will stop the loop: it is in the Content Store, or the producer answers again.
#[test]
fn the_nonce_of_an_answered_interest_is_not_dead() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(3, data("/a/seg=1"));
    bench.push(1, interest("/a/seg=1", 7));
    assert_eq!(bench.drops(DropReason::DuplicateNonce), 0);
}

/// Found in a random world: two routers and two links between them, over which an Interest went round for ever, because
/// each time it came back its Data had come already.
#[test]
fn the_nonce_of_an_interest_that_went_two_ways_is_dead_where_no_store_can_answer_it() {
    for (cs_capacity, loops) in [(0, 1), (10, 0)] {
        let rules = ForwarderRules { cs_capacity, ..ForwarderRules::default() };
        let mut bench = router_with(rules, "multicast", 4, &[("/a", 1, 1), ("/a", 2, 1)]);
        bench.push(0, interest("/a/seg=1", 7));
        bench.push(1, data("/a/seg=1"));
        bench.push(3, interest("/a/seg=1", 7));
        assert_eq!((bench.drops(DropReason::DuplicateNonce), bench.pending()), (loops, 0), "store of {cs_capacity}");
    }
}

#[test]
fn the_nonce_of_an_interest_for_fresh_data_is_dead_if_the_data_is_soon_stale() {
    let mut bench = junction();
    for (uri, freshness, is_loop) in [("/a/1", 5999, 1), ("/a/2", 6000, 0)] {
        bench.push(0, fresh(uri, 7));
        bench.push(3, fresh_data(uri, freshness));
        bench.log.dropped.clear();
        bench.push(1, fresh(uri, 7));
        assert_eq!(bench.drops(DropReason::DuplicateNonce), is_loop, "fresh for {freshness} ms");
    }
}

#[test]
fn repetitions_are_suppressed_for_ten_milliseconds() {
    let mut bench = router(5, &[("/a", 3, 1)]);
    bench.push(0, interest("/a/seg=1", 7));
    bench.go_ms(9.999);
    bench.push(0, interest("/a/seg=1", 8));
    assert_eq!(bench.drops(DropReason::Suppressed), 1);
    bench.go_ms(10.0);
    bench.push(0, interest("/a/seg=1", 9));
    assert_eq!(bench.out(3), ["I /a/seg=1 #7", "I /a/seg=1 #9"]);
}

/// Milliseconds at which an Interest repeated each millisecond is sent on over `face`.
fn repeat(bench: &mut Bench<Router>, face: u32, until: u32) -> Vec<u32> {
    let mut sent = Vec::new();
    for now in 0..until {
        bench.go_ms(f64::from(now));
        bench.push(0, interest("/a/seg=1", 1000 + now));
        if !bench.out(face).is_empty() {
            sent.push(now);
        }
    }
    sent
}

#[test]
fn suppression_doubles_up_to_a_quarter_of_a_second() {
    let mut bench = router(5, &[("/a", 3, 1)]);
    let gaps: Vec<u32> = repeat(&mut bench, 3, 1100).windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(gaps, [10, 20, 40, 80, 160, 250, 250, 250]);
}

#[test]
fn suppression_counts_from_the_last_transmission_to_any_upstream() {
    let mut bench = junction();
    let first = repeat(&mut bench, 3, 31);
    assert_eq!(first, [0, 30], "at 10 ms it goes the other way");
}

#[test]
fn suppression_begins_anew_with_each_entry() {
    let mut bench = router(5, &[("/a", 3, 1)]);
    repeat(&mut bench, 3, 100);
    bench.push(3, data("/a/seg=1"));
    bench.push(0, interest("/a/seg=1", 7));
    bench.go_ms(110.0);
    bench.push(0, interest("/a/seg=1", 8));
    assert_eq!(bench.out(3), ["I /a/seg=1 #7", "I /a/seg=1 #8"]);
}

#[test]
fn multicast_suppresses_for_each_upstream() {
    let routes = [("/a", 3, 1), ("/a", 4, 2)];
    let mut bench = router_with(ForwarderRules::default(), "multicast", 5, &routes);
    bench.push(0, interest("/a/seg=1", 7));
    assert_eq!((bench.out(3).len(), bench.out(4).len()), (1, 1));
    bench.go_ms(5.0);
    bench.push(3, interest("/a/seg=1", 8)); // only face 4 is left, and it has just been asked
    assert_eq!((bench.out(3).len(), bench.out(4).len()), (0, 0));
    bench.go_ms(10.0);
    bench.push(3, interest("/a/seg=1", 9)); // face 4 only
    assert_eq!((bench.out(3).len(), bench.out(4).len()), (0, 1));
    bench.go_ms(11.0);
    bench.push(0, interest("/a/seg=1", 10)); // face 3 was asked 11 ms ago, face 4 just now
    assert_eq!((bench.out(3).len(), bench.out(4).len()), (1, 0));
    assert_eq!(bench.log.dropped, [("I /a/seg=1 #8".into(), 3, DropReason::Suppressed)]);
}

#[test]
fn each_upstream_has_an_interval_of_its_own() {
    let routes = [("/a", 3, 1), ("/a", 4, 2)];
    let mut bench = router_with(ForwarderRules::default(), "multicast", 5, &routes);
    bench.push(0, interest("/a/seg=1", 7));
    for now in [10.0, 30.0] {
        bench.go_ms(now);
        bench.push(3, interest("/a/seg=1", now as u32)); // goes to face 4 only, whose interval becomes 40 ms
    }
    assert_eq!((bench.out(3).len(), bench.out(4).len()), (1, 3));
    bench.go_ms(31.0);
    bench.push(0, interest("/a/seg=1", 8));
    assert_eq!((bench.out(3).len(), bench.out(4).len()), (1, 0), "face 3 has never been asked again");
}

#[test]
fn the_interval_of_an_upstream_doubles_too() {
    let mut bench = router_with(ForwarderRules::default(), "multicast", 5, &[("/a", 3, 1)]);
    let gaps: Vec<u32> = repeat(&mut bench, 3, 1100).windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(gaps, [10, 20, 40, 80, 160, 250, 250, 250]);
}

#[test]
fn an_upstream_that_is_left_out_keeps_its_interval() {
    let (strategy, _) = ScriptedStrategy::with(
        [Choice::To(FaceId(3)), Choice::To(FaceId(4)), Choice::To(FaceId(4)), Choice::To(FaceId(3))],
        Suppression::PerUpstream,
    );
    let mut bench = custom(strategy);
    for (now, nonce) in [(0.0, 1), (1.0, 2), (11.0, 3), (12.0, 4)] {
        bench.go_ms(now);
        bench.push(0, interest("/a/seg=1", nonce));
    }
    assert_eq!(bench.out(3), ["I /a/seg=1 #1", "I /a/seg=1 #4"]);
    assert_eq!(bench.out(4), ["I /a/seg=1 #2", "I /a/seg=1 #3"]);
}

/// As `junction`, under another strategy.
fn custom(strategy: Box<dyn weir_core::ForwardingStrategy>) -> Bench<Router> {
    let mut forwarder = Forwarder::new(ForwarderRules::default(), strategy);
    for _ in 0..5 {
        forwarder.add_face(droptail(100));
    }
    add_routes(&mut forwarder, &[("/a", 3, 1), ("/a", 4, 2)]);
    Bench::new(Router::new(forwarder))
}

#[test]
fn a_repetition_prefers_an_unused_next_hop() {
    let mut bench = router(5, &[("/a", 2, 1), ("/a", 3, 2), ("/a", 4, 3)]);
    for (now, nonce) in [(0.0, 7), (10.0, 8), (30.0, 9), (70.0, 10)] {
        bench.go_ms(now);
        bench.push(0, interest("/a/seg=1", nonce));
    }
    assert_eq!(bench.out(2), ["I /a/seg=1 #7", "I /a/seg=1 #10"], "then the one used longest ago");
    assert_eq!((bench.out(3), bench.out(4)), (vec!["I /a/seg=1 #8".into()], vec!["I /a/seg=1 #9".into()]));
}

#[test]
fn an_interest_never_goes_back_where_it_came_from() {
    let mut bench = junction();
    bench.push(3, interest("/a/seg=1", 7));
    assert_eq!((bench.out(3), bench.out(4)), (vec![], vec!["I /a/seg=1 #7".into()]));
}

#[test]
fn a_face_that_is_down_is_no_next_hop() {
    let mut bench = junction();
    bench.machine.forwarder_mut().set_up(FaceId(3), false);
    bench.push(0, interest("/a/seg=1", 7));
    assert_eq!((bench.out(3), bench.out(4)), (vec![], vec!["I /a/seg=1 #7".into()]));
    bench.machine.forwarder_mut().set_up(FaceId(3), true);
    bench.push(0, interest("/a/seg=2", 8));
    assert_eq!(bench.out(3), ["I /a/seg=2 #8"]);
}

#[test]
fn a_packet_for_a_face_that_is_down_waits_in_its_queue() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.machine.forwarder_mut().set_up(FaceId(0), false);
    bench.push(3, data("/a/seg=1"));
    assert_eq!(bench.out(0), ["D /a/seg=1"]);
}

#[test]
fn without_a_route_an_interest_is_refused() {
    let mut bench = junction();
    bench.push(0, with_token(interest("/b/seg=1", 7), b"t"));
    let refused = bench.take(0);
    assert_eq!(text(&refused[0]), "N /b/seg=1 #7 NoRoute");
    assert_eq!(refused[0].hop.pit_token.as_deref(), Some(b"t".as_slice()));
    assert_eq!(bench.pending(), 0);
    assert_eq!(bench.log.dropped, [("I /b/seg=1 #7".into(), 0, DropReason::NoRoute)]);
}

#[test]
fn without_an_eligible_next_hop_an_interest_is_refused() {
    let mut bench = router(4, &[("/a", 3, 1)]);
    bench.push(3, interest("/a/seg=1", 7));
    assert_eq!((bench.out(3), bench.pending()), (vec!["N /a/seg=1 #7 NoRoute".into()], 0));
    assert_eq!(bench.drops(DropReason::NoRoute), 1);
}

#[test]
fn a_strategy_may_refuse() {
    let (strategy, _) = ScriptedStrategy::new([Choice::Nack(NackReason::Congestion)]);
    let mut bench = custom(strategy);
    bench.push(0, interest("/a/seg=1", 7));
    assert_eq!((bench.out(0), bench.pending()), (vec!["N /a/seg=1 #7 Congestion".into()], 0));
    assert_eq!(bench.log.dropped, [("I /a/seg=1 #7".into(), 0, DropReason::Strategy)]);
}

#[test]
fn a_strategy_may_drop() {
    for nothing in [Choice::Drop, Choice::Each(Vec::new())] {
        let (strategy, _) = ScriptedStrategy::new([nothing]);
        let mut bench = custom(strategy);
        bench.push(0, interest("/a/seg=1", 7));
        assert_eq!((bench.out(0), bench.out(3), bench.pending()), (vec![], vec![], 1));
        assert_eq!(bench.log.dropped, [("I /a/seg=1 #7".into(), 0, DropReason::Strategy)]);
    }
}

#[test]
fn the_longest_prefix_decides() {
    let mut bench = router(4, &[("/", 1, 1), ("/a", 2, 1), ("/a/b", 3, 1)]);
    for uri in ["/c/seg=1", "/a/c/seg=1", "/a/b/seg=1", "/a/bb"] {
        bench.push(0, interest(uri, 7));
    }
    assert_eq!(bench.out(1), ["I /c/seg=1 #7"]);
    assert_eq!(bench.out(2), ["I /a/c/seg=1 #7", "I /a/bb #7"]);
    assert_eq!(bench.out(3), ["I /a/b/seg=1 #7"]);
}

/// All names here share their stem, as those of a consumer do: lookups are remembered by it.
#[test]
fn a_new_route_counts_at_once() {
    let mut bench = router(4, &[("/", 1, 1)]);
    let content = name("/a/b");
    let ask = |bench: &mut Bench<Router>, segment| {
        bench.push(0, weir_wire::Interest::new(content.with_segment(segment), 7));
        (1..4).find(|face| !bench.out(*face).is_empty())
    };
    assert_eq!((ask(&mut bench, 1), ask(&mut bench, 2)), (Some(1), Some(1)));
    add_routes(bench.machine.forwarder_mut(), &[("/a", 2, 1)]);
    assert_eq!((ask(&mut bench, 3), ask(&mut bench, 4)), (Some(2), Some(2)));
    add_routes(bench.machine.forwarder_mut(), &[("/a/b/seg=6", 3, 1)]);
    assert_eq!((ask(&mut bench, 5), ask(&mut bench, 6), ask(&mut bench, 7)), (Some(2), Some(3), Some(2)));
    bench.machine.forwarder_mut().fib_mut().remove_route(&name("/a"), FaceId(2));
    assert_eq!((ask(&mut bench, 8), ask(&mut bench, 9)), (Some(1), Some(1)));
}

#[test]
fn a_strategy_is_in_charge_of_its_prefix() {
    let mut bench = junction();
    bench.machine.forwarder_mut().choose_strategy(&name("/a/m"), strategy("multicast"));
    bench.push(0, interest("/a/b", 7));
    bench.push(0, interest("/a/m/b", 8));
    assert_eq!(bench.out(3), ["I /a/b #7", "I /a/m/b #8"]);
    assert_eq!(bench.out(4), ["I /a/m/b #8"]);
}

#[test]
fn a_strategy_is_told_of_each_repetition() {
    let (strategy, diary) = ScriptedStrategy::new([]);
    let mut bench = custom(strategy);
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(1, interest("/a/seg=1", 8)); // suppressed: the strategy is not asked
    bench.go_ms(10.0);
    bench.push(4, interest("/a/seg=1", 9));
    let [first, again] = ["choose /a/seg=1 from 0 of [3, 4]", "choose /a/seg=1 from 4 of [3] again"];
    assert_eq!(*diary.get(), [first, again]);
}

#[test]
fn an_interest_without_hops_left_is_dropped() {
    let mut bench = junction();
    bench.push(0, limited("/a/seg=1", 7, 0));
    assert_eq!((bench.out(3), bench.pending()), (vec![], 0));
    assert_eq!(bench.log.dropped, [("I /a/seg=1 #7".into(), 0, DropReason::HopLimit)]);
}

#[test]
fn each_forwarder_uses_up_one_hop() {
    let mut bench = junction();
    bench.push(0, limited("/a/seg=1", 7, 5));
    let weir_wire::Kind::Interest(sent) = bench.pull(3).unwrap().into_kind() else { panic!() };
    assert_eq!(sent.hop_limit, Some(4));
}

/// A producer of `/a` on the router itself.
fn with_producer() -> Bench<Router> {
    let mut bench = junction();
    let producer = Producer::new(name("/a"), None, weir_core::Bytes(100), span_ms(0.0));
    bench.machine.attach(Box::new(producer));
    bench
}

#[test]
fn the_last_hop_reaches_local_applications() {
    let mut bench = with_producer();
    bench.push(0, limited("/a/seg=1", 7, 1));
    assert_eq!((bench.out(0), bench.out(3)), (vec!["D /a/seg=1".into()], vec![]));
}

#[test]
fn the_last_hop_reaches_the_content_store() {
    let mut bench =
        router_with(ForwarderRules { cs_capacity: 1, ..Default::default() }, "best-route", 4, &[("/a", 3, 1)]);
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(3, data("/a/seg=1"));
    bench.out(0);
    bench.push(0, limited("/a/seg=1", 8, 1));
    assert_eq!(bench.out(0), ["D /a/seg=1"]);
}

#[test]
fn the_last_hop_reaches_no_link() {
    let mut bench = junction();
    bench.push(0, limited("/a/seg=1", 7, 1));
    assert_eq!((bench.out(3), bench.out(4)), (vec![], vec![]));
    assert_eq!(bench.out(0), ["N /a/seg=1 #7 NoRoute"]);
}
