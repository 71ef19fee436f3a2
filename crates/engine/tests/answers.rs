//! The way of Data, Nacks and loss notices, of marks and of PIT tokens.

mod common;

use common::*;
use weir_core::{Choice, DropReason, FaceId};
use weir_engine::{Forwarder, ForwarderRules, Router};
use weir_wire::{Kind, NackReason};

/// Consumers on faces 0, 1 and 2, a way to `/a` over face 3 and a dearer one over face 4.
fn junction() -> Bench<Router> {
    router(5, &[("/a", 3, 1), ("/a", 4, 2)])
}

fn cache() -> Bench<Router> {
    router_with(ForwarderRules { cs_capacity: 10, ..Default::default() }, "best-route", 5, &[("/a", 3, 1)])
}

#[test]
fn data_that_nobody_waits_for_is_unsolicited() {
    let mut bench = cache();
    bench.push(3, data("/a/seg=1"));
    assert_eq!(bench.log.dropped, [("D /a/seg=1".into(), 3, DropReason::Unsolicited)]);
    assert!(bench.machine.forwarder().cs().is_empty(), "nor is it cached");
}

#[test]
fn data_ends_the_entry() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(3, data("/a/seg=1"));
    bench.push(3, data("/a/seg=1"));
    assert_eq!((bench.out(0).len(), bench.pending(), bench.drops(DropReason::Unsolicited)), (1, 0, 1));
}

#[test]
fn data_may_come_from_a_face_that_was_not_asked() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(4, data("/a/seg=1"));
    assert_eq!(bench.out(0), ["D /a/seg=1"]);
}

#[test]
fn data_does_not_go_back_where_it_came_from() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(1, interest("/a/seg=1", 8));
    bench.push(1, data("/a/seg=1"));
    assert_eq!((bench.out(0), bench.out(1)), (vec!["D /a/seg=1".into()], vec![]));
}

#[test]
fn data_that_can_go_nowhere_is_in_the_books() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(0, data("/a/seg=1"));
    assert_eq!((bench.out(0), bench.pending()), (vec![], 0));
    assert_eq!(bench.log.dropped, [("D /a/seg=1".into(), 0, DropReason::Unsolicited)]);
}

#[test]
fn data_answers_all_entries_that_it_fits() {
    let mut bench = junction();
    bench.push(0, interest("/a/b/seg=1", 7));
    bench.push(1, fresh("/a/b/seg=1", 8));
    bench.push(2, prefix("/a/b", 9));
    bench.push(2, interest("/a/b", 10)); // not without CanBePrefix
    bench.push(3, data("/a/b/seg=1"));
    for face in 0..3 {
        assert_eq!(bench.out(face), ["D /a/b/seg=1"], "face {face}");
    }
    assert_eq!(bench.pending(), 1);
}

#[test]
fn data_answers_fresh_and_indifferent_interests_alike() {
    let mut bench = junction();
    bench.push(0, fresh("/a/seg=1", 7));
    bench.push(1, interest("/a/seg=1", 8));
    bench.push(3, data("/a/seg=1"));
    assert_eq!((bench.out(0).len(), bench.out(1).len(), bench.pending()), (1, 1, 0));
}

#[test]
fn packets_are_counted_by_kind() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(1, interest("/a/seg=1", 8));
    bench.push(0, limited("/a/seg=2", 9, 0));
    bench.push(3, nack("/a/seg=1", 1, NackReason::Congestion));
    bench.push(3, data("/a/seg=1"));
    bench.push(3, data("/a/seg=1"));
    let counters = bench.machine.forwarder().counters();
    assert_eq!((counters.interests, counters.data, counters.nacks, counters.aggregated), (3, 2, 1, 1));
}

#[test]
fn the_strategy_is_told_of_the_data() {
    let (strategy, diary) = ScriptedStrategy::new([]);
    let mut bench = custom(strategy);
    bench.push(0, interest("/a/seg=1", 7));
    bench.go_ms(10.0);
    bench.push(0, interest("/a/seg=1", 8)); // goes to face 4
    diary.get().clear();
    bench.go_ms(30.0);
    bench.push(4, marked(data("/a/seg=1")));
    assert_eq!(*diary.get(), ["data from 4, rtt 20ms, 2 upstreams !"]);
}

#[test]
fn a_mark_that_tells_its_distance_counts_hops() {
    for (came, goes) in [(1, 2), (255, 255), (0, 0)] {
        let mut bench = junction();
        bench.push(0, interest("/a/seg=1", 7));
        let mut packet = marked(data("/a/seg=1"));
        packet.hop.mark_distance = came;
        bench.push(3, packet);
        let answer = bench.pull(0).expect("the Data goes down");
        assert_eq!(answer.hop.mark_distance, goes);
    }
}

#[test]
fn data_from_a_face_that_was_not_asked_has_no_round_trip_time() {
    let (strategy, diary) = ScriptedStrategy::new([]);
    let mut bench = custom(strategy);
    bench.push(0, interest("/a/seg=1", 7));
    diary.get().clear();
    bench.push(4, data("/a/seg=1"));
    assert_eq!(*diary.get(), ["data from 4, rtt none, 1 upstreams"]);
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
fn links_crossed_are_counted() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(1, interest("/a/seg=1", 8));
    let mut packet = weir_wire::Packet::from(data("/a/seg=1"));
    packet.hop.hop_count = 4;
    bench.push(3, packet);
    assert_eq!((bench.pull(0).unwrap().hop.hop_count, bench.pull(1).unwrap().hop.hop_count), (5, 5));
}

#[test]
fn a_refusal_leads_to_the_next_hop_that_is_left() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(3, nack("/a/seg=1", 7, NackReason::Congestion));
    assert_eq!((bench.out(4), bench.out(0), bench.pending()), (vec!["I /a/seg=1 #7".into()], vec![], 1));
    bench.push(4, data("/a/seg=1"));
    assert_eq!(bench.out(0), ["D /a/seg=1"]);
}

#[test]
fn refused_everywhere_the_interest_is_refused_downstream_and_its_entry_is_gone() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(3, nack("/a/seg=1", 7, NackReason::NoRoute));
    bench.push(4, nack("/a/seg=1", 7, NackReason::Congestion));
    assert_eq!(bench.out(0), ["N /a/seg=1 #7 Congestion"], "the mildest reason");
    assert_eq!(bench.pending(), 0);
    bench.push(3, data("/a/seg=1"));
    assert_eq!(bench.drops(DropReason::Unsolicited), 1);
}

#[test]
fn each_downstream_is_refused_with_its_own_nonce() {
    let mut bench = router(4, &[("/a", 3, 1)]);
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(1, interest("/a/seg=1", 8));
    bench.push(0, interest("/a/seg=1", 9));
    bench.push(3, nack("/a/seg=1", 7, NackReason::Congestion));
    assert_eq!(bench.out(0), ["N /a/seg=1 #9 Congestion"]);
    assert_eq!(bench.out(1), ["N /a/seg=1 #8 Congestion"]);
}

#[test]
fn a_refusal_of_another_nonce_is_ignored() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(3, nack("/a/seg=1", 8, NackReason::Congestion));
    assert_eq!((bench.out(0), bench.out(4), bench.pending()), (vec![], vec![], 1));
    assert_eq!(bench.log.dropped, [("N /a/seg=1 #8 Congestion".into(), 3, DropReason::Unsolicited)]);
}

#[test]
fn a_refusal_of_an_earlier_transmission_is_ignored() {
    let mut bench = router(4, &[("/a", 3, 1)]);
    bench.push(0, interest("/a/seg=1", 7));
    bench.go_ms(10.0);
    bench.push(0, interest("/a/seg=1", 8));
    bench.push(3, nack("/a/seg=1", 7, NackReason::Congestion));
    assert_eq!((bench.out(0), bench.pending(), bench.drops(DropReason::Unsolicited)), (vec![], 1, 1));
}

#[test]
fn a_refusal_from_a_face_that_was_not_asked_is_ignored() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(4, nack("/a/seg=1", 7, NackReason::Congestion));
    assert_eq!((bench.out(0), bench.pending(), bench.drops(DropReason::Unsolicited)), (vec![], 1, 1));
}

#[test]
fn a_refusal_without_an_entry_is_ignored() {
    let mut bench = junction();
    bench.push(3, nack("/a/seg=1", 7, NackReason::Congestion));
    assert_eq!((bench.out(0), bench.drops(DropReason::Unsolicited)), (vec![], 1));
}

/// The first nonce may be known upstream already; the last one is what the downstreams' answers are matched with.
#[test]
fn after_a_refusal_the_latest_interest_goes_on() {
    let mut bench = router(5, &[("/a", 3, 1), ("/a", 4, 2)]);
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(0, interest("/a/seg=1", 8)); // suppressed
    bench.push(3, nack("/a/seg=1", 7, NackReason::Congestion));
    assert_eq!(bench.out(4), ["I /a/seg=1 #8"]);
}

#[test]
fn after_a_refusal_an_interest_does_not_go_back_to_its_own_downstream() {
    let mut bench = router(3, &[("/a", 0, 2), ("/a", 1, 3), ("/a", 2, 1)]);
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(1, interest("/a/seg=1", 8)); // suppressed
    bench.push(2, nack("/a/seg=1", 7, NackReason::Congestion));
    assert_eq!((bench.out(0), bench.out(1)), (vec!["I /a/seg=1 #8".into()], vec![]));
}

#[test]
fn after_a_refusal_the_hop_limit_still_holds() {
    let mut bench = router(4, &[("/a", 3, 10)]);
    let probe = bench.machine.attach(Box::new(Refuser(name("/a"))));
    bench.push(0, limited("/a/seg=1", 7, 1));
    assert_ne!(probe, FaceId(3));
    assert_eq!((bench.out(3), bench.out(0)), (vec![], vec!["N /a/seg=1 #7 Congestion".into()]));
}

/// A local application that refuses everything.
struct Refuser(weir_wire::Name);

impl weir_engine::Application for Refuser {
    fn receive(&mut self, packet: weir_wire::Packet, out: &mut weir_engine::Outbox, _cx: &mut weir_core::Context<'_>) {
        if let Kind::Interest(interest) = packet.into_kind() {
            out.push(weir_wire::Nack { reason: NackReason::Congestion, interest }.into());
        }
    }
    fn wake(&mut self, _out: &mut weir_engine::Outbox, _cx: &mut weir_core::Context<'_>) {}
    fn next_wake(&self) -> Option<weir_core::Time> {
        None
    }
    fn name(&self) -> &weir_wire::Name {
        &self.0
    }
    fn serves(&self) -> bool {
        true
    }
}

#[test]
fn the_strategy_decides_what_a_refusal_means() {
    let (strategy, diary) = ScriptedStrategy::new([Choice::To(FaceId(3)), Choice::Drop]);
    let mut bench = custom(strategy);
    bench.push(0, interest("/a/seg=1", 7));
    diary.get().clear();
    bench.push(3, nack("/a/seg=1", 7, NackReason::Congestion));
    assert_eq!(*diary.get(), ["Nack(Congestion) /a/seg=1 at 3 of [3, 4]"]);
    assert_eq!((bench.out(0), bench.out(4), bench.pending()), (vec![], vec![], 1));
}

#[test]
fn a_loss_notice_goes_to_all_that_wait_and_leaves_them_waiting() {
    let mut bench = cache();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(1, interest("/a/seg=1", 8));
    bench.push(3, notice("/a/seg=1"));
    assert_eq!((bench.out(0), bench.out(1)), (vec!["L /a/seg=1".into()], vec!["L /a/seg=1".into()]));
    assert_eq!(bench.pending(), 1);
    assert!(bench.machine.forwarder().cs().is_empty(), "it is not cached");
    bench.push(3, data("/a/seg=1"));
    assert_eq!((bench.out(0), bench.out(1)), (vec!["D /a/seg=1".into()], vec!["D /a/seg=1".into()]));
}

#[test]
fn a_loss_notice_follows_every_entry_that_its_data_would_answer() {
    let mut bench = junction();
    bench.push(0, interest("/a/b/seg=1", 7));
    bench.push(1, fresh("/a/b/seg=1", 8));
    bench.push(2, prefix("/a/b", 9));
    bench.push(4, interest("/a/b", 10)); // not without CanBePrefix
    bench.push(3, notice("/a/b/seg=1"));
    for face in 0..3 {
        assert_eq!(bench.out(face), ["L /a/b/seg=1"], "face {face}");
    }
    assert_eq!((bench.out(4), bench.pending()), (vec![], 4));
}

#[test]
fn a_loss_notice_does_not_refresh_the_entry() {
    let mut bench = junction();
    bench.push(0, short_interest("/a/seg=1", 7, 100));
    bench.go_ms(99.0);
    bench.push(3, notice("/a/seg=1"));
    bench.go_ms(100.0);
    assert_eq!(bench.pending(), 0);
}

#[test]
fn a_loss_notice_that_nobody_waits_for_is_dropped() {
    let mut bench = junction();
    bench.push(3, notice("/a/seg=1"));
    bench.push(0, interest("/a/seg=2", 7));
    bench.push(0, notice("/a/seg=2")); // only the face that it comes from waits
    let dropped =
        [("L /a/seg=1".into(), 3, DropReason::Unsolicited), ("L /a/seg=2".into(), 0, DropReason::Unsolicited)];
    assert_eq!(bench.log.dropped, dropped);
    assert_eq!((bench.out(0), bench.pending()), (vec![], 1));
}

#[test]
fn a_mark_stays_on_data() {
    let mut bench = junction();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(3, marked(data("/a/seg=1")));
    assert_eq!(bench.out(0), ["D /a/seg=1 !"]);
}

#[test]
fn a_mark_is_not_cached() {
    let mut bench = cache();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(3, marked(data("/a/seg=1")));
    bench.out(0);
    bench.push(0, interest("/a/seg=1", 8));
    assert_eq!(bench.out(0), ["D /a/seg=1"]);
}

/// Consumers on faces 0 and 1; the queue towards the producer, of face 2, marks every packet.
fn marking() -> Bench<Router> {
    let mut forwarder =
        Forwarder::new(ForwarderRules { cs_capacity: 10, ..Default::default() }, strategy("best-route"));
    forwarder.add_face(droptail(100));
    forwarder.add_face(droptail(100));
    forwarder.add_face(Box::new(MarkingQueue::default()));
    add_routes(&mut forwarder, &[("/a", 2, 1)]);
    Bench::new(Router::new(forwarder))
}

#[test]
fn a_mark_that_an_egress_queue_sets_on_an_interest_comes_back_on_its_data() {
    let mut bench = marking();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(1, interest("/a/seg=1", 8));
    assert_eq!(bench.out(2), ["I /a/seg=1 #7"], "the Interest goes on without it");
    bench.push(2, data("/a/seg=1"));
    assert_eq!((bench.out(0), bench.out(1)), (vec!["D /a/seg=1 !".into()], vec!["D /a/seg=1 !".into()]));
}

#[test]
fn a_mark_on_an_interest_that_arrives_comes_back_on_its_data() {
    let mut bench = junction();
    bench.push(0, marked(interest("/a/seg=1", 7)));
    assert_eq!(bench.out(3), ["I /a/seg=1 #7"]);
    bench.push(3, data("/a/seg=1"));
    assert_eq!(bench.out(0), ["D /a/seg=1 !"]);
}

#[test]
fn a_mark_on_an_interest_comes_back_from_the_content_store_too() {
    let mut bench = cache();
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(3, data("/a/seg=1"));
    bench.out(0);
    bench.push(0, marked(interest("/a/seg=1", 8)));
    assert_eq!(bench.out(0), ["D /a/seg=1 !"]);
}

/// A mark says that the queue towards the refusing node is full; that is no news to anyone.
#[test]
fn a_refusal_carries_no_mark() {
    let mut bench = marking();
    bench.push(0, interest("/a/seg=1", 7));
    bench.out(2);
    bench.push(2, nack("/a/seg=1", 7, NackReason::Congestion));
    assert_eq!(bench.out(0), ["N /a/seg=1 #7 Congestion"]);
}

#[test]
fn each_downstream_gets_its_own_token_back() {
    let mut bench = junction();
    bench.push(0, with_token(interest("/a/seg=1", 7), b"zero"));
    bench.push(1, with_token(interest("/a/seg=1", 8), b"one"));
    bench.push(2, interest("/a/seg=1", 9));
    bench.push(3, with_token(data("/a/seg=1"), b"upstream"));
    let mut token = |face| bench.pull(face).unwrap().hop.pit_token.as_ref().map(|t| t.to_vec());
    assert_eq!([token(0), token(1), token(2)], [Some(b"zero".to_vec()), Some(b"one".to_vec()), None]);
}

#[test]
fn a_token_stays_on_its_link() {
    let mut bench = junction();
    bench.push(0, with_token(interest("/a/seg=1", 7), b"zero"));
    assert_eq!(bench.pull(3).unwrap().hop.pit_token, None);
    bench.push(3, nack("/a/seg=1", 7, NackReason::Congestion));
    assert_eq!(bench.pull(4).unwrap().hop.pit_token, None);
}

#[test]
fn the_latest_token_of_a_downstream_counts() {
    let mut bench = junction();
    bench.push(0, with_token(interest("/a/seg=1", 7), b"old"));
    bench.push(0, with_token(interest("/a/seg=1", 8), b"new"));
    bench.push(3, data("/a/seg=1"));
    assert_eq!(bench.pull(0).unwrap().hop.pit_token.as_deref(), Some(b"new".as_slice()));
}

#[test]
fn refusals_loss_notices_and_cached_data_return_the_token() {
    let mut bench = cache();
    let ask = |bench: &mut Bench<Router>, uri: &str| bench.push(0, with_token(interest(uri, 7), b"zero"));
    ask(&mut bench, "/a/seg=1");
    bench.push(3, nack("/a/seg=1", 7, NackReason::Congestion));
    ask(&mut bench, "/a/seg=2");
    bench.push(3, notice("/a/seg=2"));
    bench.push(3, data("/a/seg=2"));
    ask(&mut bench, "/a/seg=2");
    bench.push(1, interest("/a/seg=3", 9));
    ask(&mut bench, "/a/seg=3");
    bench.push(1, with_token(interest("/a/seg=3", 7), b"zero")); // a loop
    let mut answers = bench.take(0);
    answers.extend(bench.take(1));
    let texts: Vec<String> = answers.iter().map(text).collect();
    assert_eq!(
        texts,
        ["N /a/seg=1 #7 Congestion", "L /a/seg=2", "D /a/seg=2", "D /a/seg=2", "N /a/seg=3 #7 Duplicate"]
    );
    assert!(answers.iter().all(|p| p.hop.pit_token.as_deref() == Some(b"zero".as_slice())));
}

fn monitored(cs_capacity: usize) -> (Bench<Router>, Diary, Shared<bool>) {
    let (diary, marks) = (Diary::new(Vec::new()), Shared::new(false));
    let mut bench = router_with(
        ForwarderRules { cs_capacity, ..Default::default() },
        "best-route",
        5,
        &[("/a", 3, 1), ("/a", 4, 2)],
    );
    let monitor = ScriptedMonitor { diary: diary.clone(), marks: marks.clone() };
    bench.machine.forwarder_mut().watch(Box::new(monitor));
    (bench, diary, marks)
}

#[test]
fn a_monitor_sees_each_change_of_the_pit_once() {
    let (mut bench, diary, _) = monitored(0);
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(1, interest("/a/seg=1", 8)); // joins: no change
    bench.push(0, short_interest("/a/seg=2", 9, 10));
    bench.push(3, data("/a/seg=1"));
    bench.go_ms(10.0);
    bench.push(0, interest("/b", 10)); // comes and goes
    assert_eq!(
        *diary.get(),
        [
            "interest from 0, 0 waiting",
            "pit 1",
            "interest from 0, 0 waiting",
            "pit 2",
            "pit 1",
            "data to 0",
            "data to 1",
            "pit 0",
            "interest from 0, 1 waiting",
            "pit 1",
            "pit 0",
        ]
    );
}

#[test]
fn a_restart_brings_another_monitor() {
    let (mut bench, old, _) = monitored(0);
    bench.push(0, interest("/a/seg=1", 1));
    let told = old.get().len();
    let new = Diary::new(Vec::new());
    let monitor = Box::new(ScriptedMonitor { diary: new.clone(), marks: Shared::new(false) });
    let queues = Vec::new();
    bench.obey(weir_core::Order::Restart { strategy: None, monitor: Some(monitor), queues });
    bench.push(0, interest("/a/seg=2", 2));
    assert_eq!(old.get().len(), told, "nobody asks the old one any more");
    assert_eq!(*new.get(), ["pit 0", "interest from 0, 0 waiting", "pit 1"]);
}

#[test]
fn a_monitor_marks_data_and_knows_cached_ones() {
    let (mut bench, diary, marks) = monitored(10);
    *marks.get() = true;
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(3, data("/a/seg=1"));
    bench.push(0, interest("/a/seg=1", 8));
    assert_eq!(bench.out(0), ["D /a/seg=1 !", "D /a/seg=1 !"]);
    assert_eq!(diary.get()[3..], ["data to 0", "data to 0, cached"]);
    assert_eq!(bench.log.marked, [0, 0]);
}

#[test]
fn a_mark_on_marked_data_is_not_counted_again() {
    let (mut bench, _, marks) = monitored(0);
    *marks.get() = true;
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(3, marked(data("/a/seg=1")));
    assert_eq!((bench.out(0), bench.log.marked.len()), (vec!["D /a/seg=1 !".into()], 0));
}

#[test]
fn a_monitor_does_not_mark_loss_notices() {
    let (mut bench, _, marks) = monitored(0);
    *marks.get() = true;
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(3, notice("/a/seg=1"));
    assert_eq!(bench.out(0), ["L /a/seg=1"]);
}
