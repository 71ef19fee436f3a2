//! Hosts and routers: which application a packet is for, and how applications and forwarder work together.

mod common;

use common::*;
use weir_core::{Bytes, Departed, DropReason, FaceId, FlowId, Order, Reading, Seed, Span, Time};
use weir_engine::{Application, Fetcher, FetcherRules, Forwarder, ForwarderRules, Host, Producer, Router, What};
use weir_wire::{Kind, NackReason};

fn fetcher(flow: u32, uri: &str, segments: u64, window: f64) -> Box<dyn Application> {
    let (start, stop) = (Time::ZERO, None);
    let what = What { flow: FlowId(flow), name: name(uri), segments: Some(segments), start, stop };
    let (control, timer) = (Box::new(Control::window(window)), Box::new(Timer::of_ms(100.0)));
    Box::new(Fetcher::new(what, rules(), control, timer, Seed(u64::from(flow)).stream()))
}

fn producer(uri: &str) -> Box<dyn Application> {
    sized_producer(uri, 100)
}

/// The payload tells who has answered.
fn sized_producer(uri: &str, payload: u64) -> Box<dyn Application> {
    Box::new(Producer::new(name(uri), Some(1000), Bytes(payload), Span::ZERO))
}

fn host(applications: Vec<Box<dyn Application>>) -> Bench<Host> {
    Bench::new(Host::new(applications, droptail(1000)))
}

/// Payloads of the Data that wait for the link.
fn payloads(bench: &mut Bench<Host>) -> Vec<usize> {
    let payload = |packet: weir_wire::Packet| match packet.into_kind() {
        Kind::Data(data) => data.payload_len(),
        other => panic!("{other:?}"),
    };
    bench.take(0).into_iter().map(payload).collect()
}

/// Answers all Interests that wait for the link.
fn answer(bench: &mut Bench<Host>) {
    for packet in bench.take(0) {
        bench.push(0, data(&packet.name().to_string()));
    }
}

#[test]
fn a_host_sends_for_all_its_consumers() {
    let mut bench = host(vec![fetcher(0, "/a", 9, 1.0), fetcher(1, "/b", 9, 2.0)]);
    bench.go_ms(0.0);
    assert_eq!(bench.take_ready(), [0]);
    let names: Vec<String> = bench.take(0).iter().map(|packet| packet.name().to_string()).collect();
    assert_eq!(names, ["/a/seg=0", "/b/seg=0", "/b/seg=1"]);
}

#[test]
fn data_find_their_consumer_among_many() {
    let uris: Vec<String> = (0..500).map(|i| format!("/a/{i}")).collect();
    let mut bench = host(uris.iter().enumerate().map(|(i, uri)| fetcher(i as u32, uri, 1, 1.0)).collect());
    bench.go_ms(0.0);
    for i in (0..500).rev() {
        bench.push(0, data(&format!("/a/{i}/seg=0")));
        assert_eq!(bench.log.completed.last(), Some(&(i as u32)));
    }
    assert!(bench.log.dropped.is_empty());
}

#[test]
fn names_that_begin_alike_are_told_apart() {
    let mut bench = host(vec![fetcher(0, "/a", 9, 1.0), fetcher(1, "/a/b", 9, 1.0), fetcher(2, "/ab", 9, 1.0)]);
    bench.go_ms(0.0);
    for uri in ["/a/b/seg=0", "/ab/seg=0", "/a/seg=0"] {
        bench.push(0, data(uri));
    }
    assert_eq!(bench.log.delivered, [(1, 0), (2, 0), (0, 0)]);
}

#[test]
fn two_consumers_of_one_content_both_get_it() {
    let mut bench = host(vec![fetcher(0, "/a", 20, 3.0), fetcher(1, "/a", 20, 5.0)]);
    for now in 0..20 {
        bench.go_ms(f64::from(now));
        answer(&mut bench);
    }
    let mut completed = bench.log.completed.clone();
    completed.sort_unstable();
    assert_eq!(completed, [0, 1]);
}

/// The router behind the link returns one Data for both, as their Interests come over one face.
#[test]
fn one_data_serves_two_consumers_of_one_host() {
    let mut bench = host(vec![fetcher(0, "/a", 20, 1.0), fetcher(1, "/a", 20, 1.0)]);
    bench.go_ms(0.0);
    assert_eq!(bench.take(0).len(), 2);
    bench.push(0, data("/a/seg=0"));
    assert_eq!(bench.log.delivered, [(0, 0), (1, 0)]);
}

#[test]
fn a_content_may_be_named_like_a_segment() {
    let mut bench = host(vec![fetcher(0, "/a/seg=5", 2, 2.0), producer("/a/seg=7"), fetcher(1, "/a", 9, 1.0)]);
    bench.go_ms(0.0);
    answer(&mut bench);
    assert_eq!(bench.log.completed, [0]);
    bench.out(0);
    bench.push(0, interest("/a/seg=7/seg=1", 1));
    bench.push(0, interest("/a/seg=8", 2));
    assert_eq!(bench.out(0), ["D /a/seg=7/seg=1"]);
    assert_eq!(bench.log.dropped.last(), Some(&("I /a/seg=8 #2".into(), 0, DropReason::Unwanted)));
}

#[test]
fn a_producer_answers_for_its_content_only() {
    let mut bench = router(1, &[]);
    let face = bench.machine.attach(producer("/a/seg=7"));
    add_routes(bench.machine.forwarder_mut(), &[("/", face.0, 1)]);
    for uri in ["/a/seg=7/seg=1", "/a/seg=8", "/b/seg=1", "/a/seg=7"] {
        bench.push(0, interest(uri, 7));
    }
    assert_eq!((bench.out(0), bench.drops(DropReason::Unwanted)), (vec!["D /a/seg=7/seg=1".into()], 3));
}

#[test]
fn refusals_and_notices_find_their_consumer() {
    let mut bench = host(vec![fetcher(0, "/a", 9, 1.0), fetcher(1, "/b", 9, 1.0)]);
    bench.go_ms(0.0);
    let Kind::Interest(sent) = bench.take(0).remove(1).into_kind() else { panic!() };
    bench.push(0, notice("/a/seg=0"));
    bench.now = ms(1.0);
    bench.push(0, weir_wire::Nack { reason: NackReason::Congestion, interest: sent });
    bench.go_ms(2.0);
    let names: Vec<String> = bench.take(0).iter().map(|packet| packet.name().to_string()).collect();
    assert_eq!(names, ["/b/seg=0"]);
}

#[test]
fn interests_find_the_producer_of_the_longest_prefix() {
    for order in [[1, 2, 3], [3, 2, 1], [2, 3, 1]] {
        let all = |size| sized_producer(["/", "/a", "/a/b"][size as usize - 1], size);
        let mut bench = host(order.map(all).into());
        for uri in ["/a/b/seg=0", "/a/b/c/seg=0", "/a/c/seg=0", "/a/seg=0", "/c/seg=0"] {
            bench.push(0, interest(uri, 7));
        }
        assert_eq!(payloads(&mut bench), [3, 3, 2, 2, 1]);
    }
}

#[test]
fn one_name_may_be_fetched_and_served_on_one_host() {
    let mut bench = host(vec![fetcher(0, "/a", 1, 1.0), producer("/a")]);
    bench.go_ms(0.0);
    bench.out(0);
    bench.push(0, interest("/a/seg=3", 7));
    assert_eq!(bench.out(0), ["D /a/seg=3"]);
    bench.push(0, data("/a/seg=0"));
    assert_eq!(bench.log.completed, [0]);
}

#[test]
fn what_no_application_wants_is_discarded() {
    let mut bench = host(vec![fetcher(0, "/a", 9, 1.0), producer("/b")]);
    bench.push(0, data("/c/seg=0"));
    bench.push(0, data("/a"));
    bench.push(0, interest("/a/seg=0", 7));
    bench.push(0, interest("/b/seg=1000", 7)); // it has 1000 segments
    bench.push(0, interest("/b", 7));
    bench.push(0, nack("/b/seg=0", 7, NackReason::NoRoute));
    assert_eq!((bench.drops(DropReason::Unwanted), bench.log.dropped.len()), (6, 6));
}

#[test]
fn a_producer_returns_token_and_mark_of_the_interest() {
    let mut bench = host(vec![producer("/a")]);
    bench.push(0, with_token(marked(interest("/a/seg=3", 7)), b"token"));
    let answer = bench.pull(0).unwrap();
    assert_eq!((text(&answer), answer.hop.pit_token.as_deref()), ("D /a/seg=3 !".into(), Some(b"token".as_slice())));
}

#[test]
fn a_producer_names_its_last_segment() {
    let mut bench = host(vec![producer("/a")]);
    bench.push(0, interest("/a/seg=3", 7));
    let Kind::Data(data) = bench.pull(0).unwrap().into_kind() else { panic!() };
    assert_eq!((data.final_segment(), data.payload_len()), (Some(999), 100));
}

#[test]
fn a_host_counts_the_last_link() {
    let mut bench = host(vec![fetcher(0, "/a", 9, 1.0)]);
    bench.go_ms(0.0);
    let mut packet = weir_wire::Packet::from(data("/a/seg=0"));
    packet.hop.hop_count = 2;
    bench.push(0, packet);
    assert_eq!(bench.log.deliveries[0].hops, 3);
}

#[test]
fn a_host_wakes_each_application_in_its_time() {
    let start = |flow: u32, at: f64| -> Box<dyn Application> {
        let what =
            What { flow: FlowId(flow), name: name(&format!("/{flow}")), segments: Some(9), start: ms(at), stop: None };
        let (control, timer) = (Box::new(Control::window(1.0)), Box::new(Timer::of_ms(100.0)));
        Box::new(Fetcher::new(what, rules(), control, timer, Seed(1).stream()))
    };
    let mut bench = host(vec![start(0, 30.0), start(1, 10.0), start(2, 20.0)]);
    bench.go_ms(135.0);
    let requested: Vec<(u32, u32)> = bench.log.requested.iter().map(|(flow, _, n)| (*flow, *n)).collect();
    assert_eq!(requested, [(1, 1), (2, 1), (0, 1), (1, 2), (2, 2), (0, 2)]);
}

#[test]
fn a_host_that_is_done_sleeps() {
    let mut bench = host(vec![fetcher(0, "/a", 5, 2.0)]);
    for now in 0..5 {
        bench.go_ms(f64::from(now));
        answer(&mut bench);
    }
    assert_eq!(bench.log.completed, [0]);
    bench.go_ms(1000.0); // a wake asked for earlier may still come
    assert_eq!(weir_core::Machine::next_wake(&bench.machine), None);
}

#[test]
fn a_host_reports_its_queue_and_its_flows() {
    let mut bench = host(vec![fetcher(3, "/a", 9, 2.0), producer("/b")]);
    bench.go_ms(0.0);
    let readings = bench.readings();
    assert!(matches!(readings[0], Reading::Queue { packets: 2, peak: 2, .. }));
    assert!(matches!(readings[1], Reading::Flow { flow: FlowId(3), in_flight: 2, .. }));
    assert_eq!(readings.len(), 2);
}

#[test]
fn a_full_queue_of_a_host_drops() {
    let mut bench = Bench::new(Host::new(vec![fetcher(0, "/a", 9, 5.0)], droptail(2)));
    bench.go_ms(0.0);
    assert_eq!((bench.take(0).len(), bench.drops(DropReason::QueueFull)), (2, 3));
}

#[test]
fn sojourn_times_run_from_queue_to_link() {
    let mut bench = router(2, &[("/a", 1, 1)]);
    bench.go_ms(3.0);
    bench.push(0, interest("/a/seg=1", 7));
    bench.go_ms(10.0);
    bench.pull(1);
    let departed = bench.readings().into_iter().find_map(|reading| match reading {
        Reading::Queue { face: FaceId(1), departed, .. } => Some(departed),
        _ => None,
    });
    assert_eq!(departed, Some(Departed { sojourn: 7_000_000, ..Departed::default() }));
}

#[test]
fn the_longest_queue_is_remembered() {
    let mut bench = router(2, &[("/a", 1, 1)]);
    for segment in 0..3 {
        bench.push(0, interest(&format!("/a/seg={segment}"), 7));
    }
    assert_eq!(bench.take(1).len(), 3);
    let queue = |reading: &Reading| matches!(reading, Reading::Queue { packets: 0, peak: 3, .. });
    assert!(bench.readings().iter().any(queue));
}

#[test]
fn a_host_wakes_a_consumer_whose_timeout_has_come_nearer() {
    let what = What { flow: FlowId(0), name: name("/a"), segments: Some(9), start: Time::ZERO, stop: None };
    let timer = Timer::of_ms(1000.0);
    let fetcher =
        Fetcher::new(what, rules(), Box::new(Control::window(1.0)), Box::new(timer.clone()), Seed(1).stream());
    let mut bench = host(vec![Box::new(fetcher)]);
    bench.go_ms(1.0);
    timer.get().rto = Span::from_millis(100);
    bench.push(0, data("/a/seg=0"));
    bench.go_ms(150.0);
    assert_eq!(bench.log.timed_out, [(ms(101.0), 1)]);
}

#[test]
fn a_router_prefers_its_own_producer_to_a_link() {
    let mut bench = router(2, &[("/a", 1, 1)]);
    bench.machine.attach(producer("/a"));
    bench.push(0, interest("/a/seg=3", 7));
    assert_eq!((bench.out(0), bench.out(1)), (vec!["D /a/seg=3".into()], vec![]));
}

#[test]
fn a_router_answers_with_its_own_producer() {
    let mut bench = router(2, &[("/", 1, 1)]);
    bench.machine.attach(producer("/a"));
    bench.push(0, with_token(interest("/a/seg=3", 7), b"token"));
    let answer = bench.pull(0).unwrap();
    assert_eq!((text(&answer), answer.hop.pit_token.as_deref()), ("D /a/seg=3".into(), Some(b"token".as_slice())));
    assert_eq!((answer.hop.hop_count, bench.out(1), bench.pending()), (0, vec![], 0));
}

#[test]
fn a_consumer_on_a_router_fetches_over_its_links() {
    let mut bench = router(2, &[("/a", 1, 1)]);
    bench.machine.attach(fetcher(0, "/a", 3, 2.0));
    for now in 0..3 {
        bench.go_ms(f64::from(now));
        for packet in bench.take(1) {
            bench.push(1, data(&packet.name().to_string()));
        }
    }
    assert_eq!((bench.log.completed.clone(), bench.pending()), (vec![0], 0));
    assert_eq!(bench.log.deliveries[0].hops, 1);
}

#[test]
fn consumer_and_producer_on_one_router_need_no_link() {
    let mut bench = router(1, &[]);
    bench.machine.attach(producer("/a"));
    bench.machine.attach(fetcher(0, "/a", 1000, 10.0));
    bench.go_ms(0.0);
    assert_eq!((bench.log.completed.clone(), bench.log.delivered.len(), bench.pending()), (vec![0], 1000, 0));
    assert_eq!((bench.out(0), bench.take_ready()), (vec![], vec![]));
}

#[test]
fn two_consumers_on_one_router_share_their_interests() {
    let mut bench = router(1, &[("/a", 0, 1)]);
    bench.machine.attach(fetcher(0, "/a", 1, 1.0));
    bench.machine.attach(fetcher(1, "/a", 1, 1.0));
    bench.go_ms(0.0);
    assert_eq!(bench.take(0).len(), 1);
    bench.push(0, data("/a/seg=0"));
    assert_eq!((bench.log.delivered.clone(), bench.pending()), (vec![(0, 0), (1, 0)], 0));
}

#[test]
fn many_consumers_on_one_router_get_what_is_theirs() {
    let mut bench = router(1, &[("/a", 0, 1)]);
    for i in 0..500 {
        bench.machine.attach(fetcher(i, &format!("/a/{i}"), 1, 1.0));
    }
    bench.go_ms(0.0);
    assert_eq!(bench.take(0).len(), 500);
    for i in (0..500).rev() {
        bench.push(0, data(&format!("/a/{i}/seg=0")));
        assert_eq!(bench.log.completed.last(), Some(&i));
    }
}

#[test]
fn a_router_caches_what_its_producer_serves() {
    let rules = ForwarderRules { cs_capacity: 10, ..Default::default() };
    let mut bench = router_with(rules, "best-route", 1, &[]);
    bench.machine.attach(producer("/a"));
    bench.push(0, interest("/a/seg=3", 7));
    bench.push(0, interest("/a/seg=3", 8));
    assert_eq!((bench.out(0).len(), bench.machine.forwarder().cs().hits_and_misses()), (2, (1, 1)));
}

/// A strategy that refuses everything at once: the consumer's Interests come back within the very call.
#[test]
fn a_router_that_refuses_its_own_consumer_does_not_spin() {
    let refuse = std::iter::repeat_n(weir_core::Choice::Nack(NackReason::Congestion), 1_000_000);
    let mut bench = Bench::new(Router::new(Forwarder::new(ForwarderRules::default(), ScriptedStrategy::new(refuse).0)));
    bench.machine.forwarder_mut().add_face(droptail(10));
    add_routes(bench.machine.forwarder_mut(), &[("/a", 0, 1)]);
    bench.machine.attach(fetcher(0, "/a", 9, 3.0));
    bench.go_ms(100.0);
    // Three segments, each at 0, 1, 3, 7, 15, 31 and 63 ms.
    assert_eq!(bench.log.requested.len(), 21);
}

#[test]
fn a_consumer_without_a_route_tries_again_at_each_timeout() {
    let mut bench = router(1, &[]);
    bench.machine.attach(fetcher(0, "/a", 9, 1.0));
    bench.go_ms(350.0);
    let transmissions: Vec<u32> = bench.log.requested.iter().map(|(_, _, n)| *n).collect();
    assert_eq!(transmissions, [1, 2, 3, 4]);
}

#[test]
fn a_router_wakes_its_tables_and_its_applications() {
    let mut bench = router(2, &[("/", 1, 1)]);
    bench.machine.attach(fetcher(0, "/a", 9, 1.0));
    bench.push(0, short_interest("/b", 7, 50));
    bench.go_ms(0.0);
    assert_eq!(bench.pending(), 2);
    bench.go_ms(50.0);
    assert_eq!(bench.pending(), 1);
    bench.go_ms(100.0);
    assert_eq!(bench.log.timed_out, [(ms(100.0), 0)]);
}

#[test]
fn a_router_reports_tables_queues_and_flows() {
    let mut bench = router(2, &[("/a", 1, 1)]);
    bench.machine.attach(fetcher(5, "/a", 9, 2.0));
    bench.go_ms(0.0);
    let readings = bench.readings();
    assert!(matches!(readings[0], Reading::Pit { entries: 2, peak: 2, .. }));
    assert!(matches!(readings[1], Reading::Cs { entries: 0, .. }));
    assert!(matches!(readings[2], Reading::Queue { packets: 0, .. }));
    assert!(matches!(readings[3], Reading::Queue { packets: 2, peak: 2, .. }));
    assert!(matches!(readings[4], Reading::Flow { flow: FlowId(5), in_flight: 2, .. }));
    assert_eq!(readings.len(), 5);
}

#[test]
fn a_queue_of_a_router_that_is_full_drops() {
    let mut forwarder = Forwarder::new(ForwarderRules::default(), strategy("best-route"));
    forwarder.add_face(droptail(10));
    forwarder.add_face(droptail(2));
    add_routes(&mut forwarder, &[("/a", 1, 1)]);
    let mut bench = Bench::new(Router::new(forwarder));
    (0..3).for_each(|segment| bench.push(0, interest(&format!("/a/seg={segment}"), 7)));
    assert_eq!(bench.log.dropped, [("I /a/seg=2 #7".into(), 1, DropReason::QueueFull)]);
    assert_eq!((bench.take(1).len(), bench.pending()), (2, 3));
}

fn alarm(diary: &Diary) -> Box<AlarmQueue> {
    Box::new(AlarmQueue { delay: Span::from_millis(5), next_wake: None, diary: diary.clone() })
}

#[test]
fn a_queue_of_a_router_sees_what_arrives_and_is_woken() {
    let diary = Diary::new(Vec::new());
    let mut forwarder = Forwarder::new(ForwarderRules::default(), strategy("best-route"));
    forwarder.add_face(droptail(10));
    forwarder.add_face(alarm(&diary));
    let mut bench = Bench::new(Router::new(forwarder));
    bench.go_ms(2.0);
    bench.push(1, data("/a/seg=1"));
    bench.push(0, data("/a/seg=2"));
    bench.go_ms(3.0);
    bench.push(1, data("/a/seg=3"));
    bench.go_ms(20.0);
    assert_eq!(*diary.get(), ["2: face 1 sees D /a/seg=1", "3: face 1 sees D /a/seg=3", "8: face 1 wakes"]);
}

#[test]
fn a_queue_may_want_to_be_woken_because_of_a_pull() {
    let diary = Diary::new(Vec::new());
    let mut forwarder = Forwarder::new(ForwarderRules::default(), strategy("best-route"));
    forwarder.add_face(alarm(&diary));
    let mut router = Bench::new(Router::new(forwarder));
    let mut host = Bench::new(Host::new(Vec::new(), alarm(&diary)));
    router.pull(0);
    router.go_ms(20.0);
    host.pull(0);
    host.go_ms(30.0);
    assert_eq!(*diary.get(), ["5: face 0 wakes", "5: face 0 wakes"]);
}

#[test]
fn a_queue_of_a_host_sees_what_arrives_and_is_woken() {
    let diary = Diary::new(Vec::new());
    let mut bench = Bench::new(Host::new(vec![producer("/a")], alarm(&diary)));
    bench.push(0, interest("/a/seg=1", 7));
    bench.go_ms(20.0);
    assert_eq!(*diary.get(), ["0: face 0 sees I /a/seg=1 #7", "5: face 0 wakes"]);
    assert_eq!(bench.drops(DropReason::QueueFull), 1);
}

#[test]
fn a_fetcher_rule_of_a_long_life_is_kept() {
    let rules = FetcherRules { lifetime: span_ms(123_456.7).into(), ..rules() };
    let mut consumer = Consumer::new(Setup { rules, ..Setup::default() });
    consumer.go_ms(0.0);
    assert_eq!(consumer.sent[0].1.lifetime_ms, 123_456);
}

/// Places in the queue of a face are for packets that wait, and the first one of a burst does not have to.
#[test]
fn a_burst_into_an_idle_link_has_one_place_more_than_the_queue() {
    for (idle, refused) in [(true, 2), (false, 3)] {
        let applications = vec![fetcher(0, "/a", 9, 9.0)];
        let mut host = Bench::new(Host::new(applications, droptail(6)));
        host.links_are_idle = idle;
        host.go_ms(0.0);
        assert_eq!(host.take_ready(), [0]);
        assert_eq!(host.out(0).len(), 9 - refused, "idle: {idle}");
        assert_eq!(host.drops(DropReason::QueueFull), refused);
        let peak = host.readings().into_iter().find_map(|reading| match reading {
            Reading::Queue { peak, .. } => Some(peak),
            _ => None,
        });
        assert_eq!(peak, Some(6));
    }
}

#[test]
fn a_burst_of_an_application_beside_a_forwarder_too() {
    for (idle, refused) in [(true, 2), (false, 3)] {
        let mut forwarder = Forwarder::new(ForwarderRules::default(), strategy("best-route"));
        forwarder.add_face(droptail(6));
        add_routes(&mut forwarder, &[("/a", 0, 1)]);
        let mut bench = Bench::new(Router::new(forwarder));
        bench.machine.attach(fetcher(0, "/a", 9, 9.0));
        bench.links_are_idle = idle;
        bench.go_ms(0.0);
        assert_eq!(bench.out(0).len(), 9 - refused, "idle: {idle}");
        assert_eq!(bench.drops(DropReason::QueueFull), refused);
    }
}

/// Such a packet has not been given to its queue yet.
#[test]
fn a_packet_that_waits_alone_waits_like_any_other() {
    let alone = || {
        let mut bench = router(2, &[("/a", 1, 1)]);
        bench.push(0, interest("/a/seg=0", 7));
        bench
    };
    let waiting = |bench: &Bench<Router>| {
        let of = |reading| match reading {
            Reading::Queue { face: FaceId(1), packets, bytes, .. } => Some((packets, bytes > 0)),
            _ => None,
        };
        bench.readings().into_iter().find_map(of)
    };
    let mut bench = alone();
    assert_eq!(waiting(&bench), Some((1, true)));
    bench.go_ms(1.0);
    bench.push(0, interest("/a/seg=1", 8));
    assert_eq!(waiting(&bench), Some((2, true)));
    assert_eq!(bench.take(1).len(), 2);

    let mut bench = alone();
    bench.obey(Order::Queue { face: FaceId(1), queue: droptail(1) });
    bench.push(0, interest("/a/seg=1", 8));
    assert_eq!((waiting(&bench), bench.drops(DropReason::QueueFull)), (Some((1, true)), 1));

    let mut bench = alone();
    bench.obey(Order::Restart { strategy: None, monitor: None, queues: vec![droptail(1), droptail(1)] });
    assert_eq!((waiting(&bench), bench.drops(DropReason::NodeRestart)), (Some((0, false)), 1));
}
