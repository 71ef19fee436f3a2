//! Faces, strategies and the Content Store while they change.

mod common;

use common::*;
use weir_core::{Choice, DropReason, FaceId};
use weir_engine::ForwarderRules;
use weir_wire::NackReason;

#[test]
fn a_face_that_closes_takes_its_packets_routes_and_waiters_along() {
    let mut bench = router(4, &[("/a", 2, 1), ("/a", 3, 2)]);
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(1, with_token(interest("/a/seg=1", 8), &[9]));
    bench.push(0, interest("/a/seg=2", 7));
    assert_eq!(bench.out(2).len(), 2);
    bench.push(2, data("/a/seg=2"));
    bench.close(0);
    assert_eq!(bench.drops(DropReason::LinkDown), 1, "the Data that waited");
    bench.push(2, data("/a/seg=1"));
    assert_eq!((bench.out(1).len(), bench.pending()), (1, 0), "the other one still waits");
    bench.close(2);
    bench.push(1, interest("/a/seg=3", 7));
    assert_eq!(bench.out(3), ["I /a/seg=3 #7"], "the other way is left");
    bench.close(3);
    bench.push(1, interest("/a/seg=4", 7));
    assert_eq!(bench.drops(DropReason::NoRoute), 1);
}

/// Numbers are kept back until there are 64 of them; then the PIT forgets all at once.
#[test]
fn a_number_that_is_used_again_inherits_nothing() {
    let mut bench = router(3, &[("/a", 1, 1)]);
    bench.push(0, interest("/a/seg=1", 7));
    bench.push(2, with_token(interest("/a/seg=3", 8), &[9]));
    bench.push(0, interest("/a/seg=3", 7));
    assert_eq!(bench.out(1).len(), 2);
    bench.close(0);
    for number in 3..66 {
        let next = bench.machine.forwarder_mut().add_face(droptail(10));
        assert_eq!(next, FaceId(number), "no number comes back yet");
        bench.close(next.0);
    }
    let again = bench.machine.forwarder_mut().add_face(droptail(10));
    assert_eq!(again, FaceId(0));
    bench.push(1, data("/a/seg=1"));
    bench.push(1, data("/a/seg=3"));
    assert_eq!(bench.out(0), [""; 0], "whoever had the number before asked for it");
    assert_eq!(bench.out(2).len(), 1, "the other one still waits");
    bench.push(0, interest("/a/seg=2", 7));
    bench.push(1, data("/a/seg=2"));
    assert_eq!(bench.out(0), ["D /a/seg=2"]);
}

/// An Interest that went to a face which has closed did not go to the next one with its number.
#[test]
fn an_upstream_that_has_closed_is_none() {
    let mut bench = router(2, &[("/a", 1, 1)]);
    bench.push(0, interest("/a/seg=1", 7));
    bench.close(1);
    (0..63).for_each(|_| {
        let next = bench.machine.forwarder_mut().add_face(droptail(10));
        bench.close(next.0);
    });
    let again = bench.machine.forwarder_mut().add_face(droptail(10));
    assert_eq!(again, FaceId(1));
    bench.push(1, nack("/a/seg=1", 7, NackReason::NoRoute));
    assert_eq!((bench.drops(DropReason::Unsolicited), bench.out(0).len()), (1, 0));
}

#[test]
fn closing_twice_is_closing_once() {
    let mut bench = router(2, &[]);
    (0..2).for_each(|_| bench.close(0));
    for _ in 0..63 {
        let next = bench.machine.forwarder_mut().add_face(droptail(10));
        bench.close(next.0);
    }
    let mut add = || bench.machine.forwarder_mut().add_face(droptail(10));
    let numbers: Vec<u32> = (0..65).map(|_| add().0).collect();
    let mut once = numbers.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), numbers.len(), "{numbers:?}");
}

#[test]
fn an_interest_at_its_last_hop_reaches_a_near_face_only() {
    let mut bench = router(2, &[("/far", 1, 1)]);
    let near = bench.machine.forwarder_mut().add_near_face(droptail(10));
    bench.machine.forwarder_mut().fib_mut().add_route(&name("/near"), near, 1);
    bench.push(0, limited("/far/seg=1", 7, 1));
    bench.push(0, limited("/near/seg=1", 7, 1));
    assert_eq!((bench.out(1).len(), bench.out(near.0).len()), (0, 1));
    assert!(bench.machine.forwarder().is_local(near) && !bench.machine.forwarder().is_local(FaceId(1)));
}

#[test]
fn a_strategy_is_chosen_and_forgotten() {
    let mut bench = router(3, &[("/a", 1, 1), ("/a", 2, 2)]);
    let (refusing, diary) = ScriptedStrategy::new([Choice::Drop]);
    bench.machine.forwarder_mut().choose_strategy(&name("/a"), refusing);
    bench.push(0, interest("/a/seg=1", 7));
    assert_eq!(bench.drops(DropReason::Strategy), 1);
    assert!(bench.machine.forwarder_mut().forget_strategy(&name("/a")));
    assert!(!bench.machine.forwarder_mut().forget_strategy(&name("/a")));
    bench.push(0, interest("/a/seg=2", 7));
    assert_eq!(bench.out(1), ["I /a/seg=2 #7"]);
    drop(diary);
}

#[test]
fn the_content_store_shrinks_and_forgets_prefixes() {
    let mut bench =
        router_with(ForwarderRules { cs_capacity: 10, ..Default::default() }, "best-route", 2, &[("/", 1, 1)]);
    for i in 0..10 {
        let uri = format!("/{}/seg={i}", if i % 2 == 0 { "even" } else { "odd" });
        bench.push(0, interest(&uri, 7));
        bench.push(1, data(&uri));
    }
    let forwarder = bench.machine.forwarder_mut();
    assert_eq!(forwarder.erase_from_cs(&name("/even"), 2), 2, "0 and 2, the oldest");
    forwarder.set_cs_capacity(4);
    assert_eq!((forwarder.cs().len(), forwarder.cs().capacity()), (4, 4));
    bench.take(0);
    bench.take(1);
    for (i, cached) in [(0, false), (5, false), (6, true), (7, true), (8, true), (9, true)] {
        let uri = format!("/{}/seg={i}", if i % 2 == 0 { "even" } else { "odd" });
        bench.push(0, interest(&uri, 20));
        assert_eq!((bench.out(0).len(), bench.out(1).len()), (usize::from(cached), usize::from(!cached)), "{uri}");
    }
    bench.push(1, data("/odd/seg=5"));
    assert_eq!(bench.machine.forwarder().cs().len(), 4, "the oldest leaves for it");
    assert_eq!(bench.machine.forwarder_mut().erase_from_cs(&name("/"), usize::MAX), 4);
}
