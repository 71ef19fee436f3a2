//! The rules of each queue.

mod queues_support;

use queues_support::{Bench, at_ms, queue, text};
use weir_core::{Backlog, Bytes, DropReason, Limit, MarkLaw, Site, Span, Value};
use weir_schemes::parts::codel::Codel;
use weir_schemes::queues::pcon::{PconLaw, PconParameters};
use weir_schemes::registry::QUEUES;
use weir_wire::{Mtu, Packet};

fn site(limit: usize) -> Site {
    Site { limit: Limit::Packets(limit), ..Site::default() }
}

/// The milliseconds, in steps of 0.1, at which `law` signals while `sojourn_ms` says how long packets waited.
fn signals(law: &mut dyn MarkLaw, from: u64, to: u64, sojourn_ms: impl Fn(f64) -> f64) -> Vec<f64> {
    let backlog = Backlog { packets: 10, bytes: 11_000, frames: 10 };
    let steps = (from * 10..to * 10).map(|n| n as f64 / 10.0);
    let waited = |ms| Span::from_seconds(sojourn_ms(ms) / 1000.0);
    steps.filter(|ms| law.signal(waited(*ms), backlog, at_ms(*ms))).collect()
}

fn assert_near(found: &[f64], expected: &[f64]) {
    let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.35);
    assert!(found.len() >= expected.len() && near, "found {found:?}, expected {expected:?}");
}

#[test]
fn droptail_takes_its_limit_and_one_in_transmission() {
    let mut bench = Bench::new(queue("droptail", &[], &site(20)));
    bench.put_data(0..1);
    assert_eq!(bench.take_segment(), Some(0), "an idle link takes the first at once");
    bench.put_data(1..25);
    assert_eq!(bench.queue.backlog().packets, 20);
    assert_eq!(bench.drops(DropReason::QueueFull), 4);
    let rest: Vec<u64> = std::iter::from_fn(|| bench.take_segment()).collect();
    assert_eq!(rest, (1..=20).collect::<Vec<_>>());
}

#[test]
fn droptail_can_count_bytes() {
    let mut bench = Bench::new(queue("droptail", &[("bytes", text("3kB"))], &site(20)));
    let size = bench.data(0).wire_len();
    bench.put_data(0..5);
    assert_eq!(bench.queue.backlog(), Backlog { packets: 2, bytes: 2 * size, frames: 2 });
    bench.put(bench.interest(9));
    assert_eq!(bench.queue.backlog().packets, 3, "a small packet still fits");
}

#[test]
fn frames_are_taken_one_by_one_if_so_asked() {
    // A Data is four frames of 300 bytes, each of which takes 0.24 ms at 10 Mbit/s.
    let mtu = Mtu::new(300).unwrap();
    let site = Site { limit: Limit::Frames { most: 10, mtu }, ..Site::default() };
    for name in ["droptail", "pcon"] {
        let found = |bench: &Bench| (bench.queue.backlog().frames, bench.drops(DropReason::QueueFull));
        let lost = |packet: Option<Packet>| packet.unwrap().hop.frames_lost;
        let mut together = Bench::new(queue(name, &[], &site));
        together.put_data(0..4);
        assert_eq!(found(&together), (8, 2), "{name}");
        let mut singly = Bench::new(queue(name, &[("frames", text("singly"))], &site));
        singly.put_data(0..4);
        assert_eq!(found(&singly), (10, 1), "{name}: two frames of the third, none of the fourth");
        assert_eq!(lost(singly.take()), 0);
        singly.put_data(5..6);
        assert_eq!(found(&singly), (7, 1), "{name}: three frames of the first still wait, so there is room for one");
        singly.now = at_ms(0.481);
        singly.put_data(6..7);
        assert_eq!(found(&singly), (9, 1), "{name}: two of them are gone");
        let left = [0; 4].map(|_| lost(singly.take()));
        assert_eq!(left, [0, 2, 3, 2], "{name}");
    }
}

#[test]
fn droptail_has_one_limit() {
    let settings = vec![("packets".into(), Value::Integer(3)), ("bytes".into(), text("3kB"))];
    let error = (QUEUES[0].build)(&settings, &Site::default()).err().unwrap();
    assert!(error.message.contains("not in both"), "{error}");
    let packets = queue("droptail", &[("packets", Value::Integer(3))], &site(20));
    assert_eq!(packets.limit(), Limit::Packets(3));
}

#[test]
fn codel_acts_after_an_interval_and_then_faster() {
    let mut law = Codel::new(Span::from_millis(5), Span::from_millis(100), Bytes(1500));
    assert_near(&signals(&mut law, 0, 500, |_| 6.0), &[100.0, 200.0, 270.7, 328.4, 378.4]);
}

#[test]
fn codel_is_reset_by_one_quick_packet() {
    let mut law = Codel::new(Span::from_millis(5), Span::from_millis(100), Bytes(1500));
    let sojourn = |ms: f64| if (ms - 90.0).abs() < 0.05 { 4.9 } else { 6.0 };
    assert_near(&signals(&mut law, 0, 250, sojourn), &[190.1]);
    let mut law = Codel::new(Span::from_millis(5), Span::from_millis(100), Bytes(1500));
    assert!(signals(&mut law, 0, 250, |ms| if (ms as u64).is_multiple_of(100) { 4.0 } else { 6.0 }).is_empty());
}

#[test]
fn codel_comes_back_with_the_rate_it_had() {
    let mut law = Codel::new(Span::from_millis(5), Span::from_millis(100), Bytes(1500));
    let before = signals(&mut law, 0, 500, |_| 6.0).len();
    assert_eq!(before, 7, "100, 200, 270.7, 328.4, 378.4, 423.1, 463.9");
    assert!(signals(&mut law, 500, 1900, |_| 1.0).is_empty());
    // The count resumes at 7 - 1.
    assert_near(&signals(&mut law, 1900, 2100, |_| 6.0), &[2000.0, 2000.0 + 40.8]);
    // After 16 intervals of peace it starts afresh.
    assert!(signals(&mut law, 2100, 3750, |_| 1.0).is_empty());
    assert_near(&signals(&mut law, 3750, 4000, |_| 6.0), &[3850.0, 3950.0]);
}

#[test]
fn codel_spares_a_queue_of_one_frame() {
    let mut law = Codel::new(Span::from_millis(5), Span::from_millis(100), Bytes(1500));
    let backlog = Backlog { packets: 1, bytes: 1500, frames: 1 };
    assert!((0..1000).all(|ms| !law.signal(Span::from_millis(50), backlog, at_ms(ms.into()))));
}

#[test]
fn codel_drops_at_dequeue() {
    let mut bench = Bench::new(queue("codel", &[], &site(10_000)));
    bench.put_data(0..5000);
    let mut times = Vec::new();
    for step in 60..4000 {
        bench.go_ms(f64::from(step) / 10.0);
        let before = bench.tally.dropped.len();
        assert!(bench.take().is_some());
        times.extend((before..bench.tally.dropped.len()).map(|_| f64::from(step) / 10.0 - 6.0));
    }
    assert_near(&times, &[100.0, 200.0, 270.7, 328.4, 378.4]);
    assert_eq!(bench.drops(DropReason::QueueManagement), times.len());
    assert_eq!(bench.tally.marked, 0);
}

#[test]
fn codel_catches_up_by_dropping_several_at_once() {
    let mut bench = Bench::new(queue("codel", &[], &site(10_000)));
    bench.put_data(0..5000);
    for (ms, dropped) in [(10.0, 0), (110.0, 1), (300.0, 3)] {
        bench.go_ms(ms);
        assert!(bench.take().is_some());
        assert_eq!(bench.tally.dropped.len(), dropped, "at {ms} ms");
    }
}

#[test]
fn codel_stops_dropping_at_a_quick_packet() {
    let mut bench = Bench::new(queue("codel", &[], &site(100)));
    bench.put_data(0..6);
    bench.go_ms(10.0);
    assert_eq!(bench.take_segment(), Some(0));
    bench.go_ms(110.0);
    assert_eq!(bench.take_segment(), Some(2));
    bench.go_ms(999.0);
    bench.put_data(6..60);
    bench.go_ms(1000.0);
    // Three drops have been due since, and as many late packets wait; then come the quick ones.
    assert_eq!(bench.take_segment(), Some(6));
    assert_eq!(bench.drops(DropReason::QueueManagement), 4);
}

#[test]
fn codel_marks_instead() {
    let mut bench = Bench::new(queue("codel", &[("action", text("mark"))], &site(10_000)));
    bench.put_data(0..5000);
    let marked = (60..4000).filter(|step| {
        bench.go_ms(f64::from(*step) / 10.0);
        bench.take().unwrap().hop.congestion_mark > 0
    });
    let times: Vec<f64> = marked.map(|step| f64::from(step) / 10.0 - 6.0).collect();
    assert_near(&times, &[100.0, 200.0, 270.7, 328.4, 378.4]);
    assert_eq!((bench.tally.marked, bench.tally.dropped.len()), (times.len(), 0));
}

#[test]
fn pcon_marks_after_an_interval_and_then_faster() {
    let mut law = PconLaw::new(&PconParameters::default());
    let [second, third] = [100.1 + 110.0, 100.1 + 110.0 + 77.8];
    assert_near(&signals(&mut law, 0, 500, |_| 6.0), &[100.1, second, third, third + 63.5, third + 63.5 + 55.0]);
}

#[test]
fn pcon_leaves_short_congestion_alone() {
    let mut law = PconLaw::new(&PconParameters::default());
    assert!(signals(&mut law, 0, 30, |_| 20.0).is_empty());
    assert!(signals(&mut law, 30, 31, |_| 5.0).is_empty(), "the target itself is not above the target");
    assert!(signals(&mut law, 31, 131, |_| 20.0).is_empty());
    assert!(!law.signal(Span::ZERO, Backlog::default(), at_ms(131.0)), "an empty queue");
    assert!(signals(&mut law, 132, 232, |_| 20.0).is_empty());
}

#[test]
fn pcon_keeps_the_time_of_the_next_mark_but_not_the_count() {
    let mut law = PconLaw::new(&PconParameters::default());
    assert_near(&signals(&mut law, 0, 101, |_| 6.0), &[100.1]);
    assert!(signals(&mut law, 101, 102, |_| 1.0).is_empty());
    // Congested again from 202.1 on, but no mark before 210.1, and again 110 to the one after.
    assert_near(&signals(&mut law, 102, 350, |_| 6.0), &[210.1, 320.1]);
}

/// A queue that every packet waits in for 10 ms, 0.5 ms from packet to packet; and the marked packets that left it.
fn standing(
    name: &str,
    settings: &[(&str, Value)],
    up_to_ms: f64,
    packet: impl Fn(&Bench, u64) -> Packet,
) -> (Bench, Vec<u64>) {
    let mut bench = Bench::new(queue(name, settings, &site(100)));
    let mut marked = Vec::new();
    for n in 0..=(up_to_ms * 2.0) as u64 {
        bench.go_ms(n as f64 / 2.0);
        bench.put(packet(&bench, n));
        let taken = if n >= 20 { bench.take() } else { None };
        marked.extend(taken.filter(|p| p.hop.congestion_mark > 0).and_then(|p| p.name().segment()));
    }
    (bench, marked)
}

#[test]
fn pcon_marks_the_packet_that_leaves_or_the_next_to_come() {
    // Congested from the first dequeue at 10 ms on; 110.5 ms is the first dequeue that is later by more than 100 ms.
    let (bench, marked) = standing("pcon", &[("mark", text("this"))], 110.5, Bench::data);
    assert_eq!((marked, bench.tally.marked), (vec![201], 1));

    let (mut bench, marked) = standing("pcon", &[("mark", text("next"))], 110.5, Bench::data);
    assert_eq!((marked, bench.tally.marked), (vec![], 0));
    bench.put_data(222..230);
    assert_eq!(bench.tally.marked, 1);
    let marked = std::iter::from_fn(|| bench.take()).filter(|p| p.hop.congestion_mark > 0);
    assert_eq!(marked.filter_map(|p| p.name().segment()).collect::<Vec<_>>(), [222]);
}

#[test]
fn pcon_marks_interests_but_neither_nacks_nor_notices() {
    let notice = |bench: &Bench, n| {
        let mut packet = bench.data(n);
        packet.hop.loss_notice = true;
        packet
    };
    for place in ["this", "next"] {
        let settings = [("mark", text(place))];
        assert_eq!(standing("pcon", &settings, 111.0, Bench::interest).0.tally.marked, 1, "{place}");
        assert_eq!(standing("pcon", &settings, 400.0, Bench::nack).0.tally.marked, 0, "{place}");
        assert_eq!(standing("pcon", &settings, 400.0, notice).0.tally.marked, 0, "{place}");
    }
}

#[test]
fn pcon_forgets_a_flag_when_congestion_ends() {
    let (mut bench, _) = standing("pcon", &[], 110.5, Bench::data);
    while bench.take().is_some() {}
    bench.put_data(222..300);
    assert_eq!(bench.tally.marked, 0, "the queue ran empty before the next packet came");
}

#[test]
fn pcon_never_drops_below_the_limit_and_never_unmarks() {
    let marked = |bench: &Bench, n| {
        let mut packet = bench.data(n);
        packet.hop.congestion_mark = 1;
        packet
    };
    let (mut bench, _) = standing("pcon", &[], 1000.0, marked);
    assert_eq!((bench.tally.marked, bench.tally.dropped.len()), (0, 0), "only new marks are counted");
    while let Some(packet) = bench.take() {
        assert_eq!(packet.hop.congestion_mark, 1);
    }
    bench.put_data(0..101);
    assert_eq!(bench.drops(DropReason::QueueFull), 1);
}

/// The milliseconds at which nfd-bytes marks while `waiting` packets are in the queue.
fn nfd_marks(bench: &mut Bench, waiting: usize, from: u64, to: u64) -> Vec<f64> {
    let mut times = Vec::new();
    for step in from * 10..to * 10 {
        bench.go_ms(step as f64 / 10.0);
        while bench.queue.backlog().packets > waiting {
            bench.take();
        }
        let before = bench.tally.marked;
        bench.put_data(step..=step);
        while bench.queue.backlog().packets < waiting {
            bench.put_data(step..=step);
        }
        times.extend((before < bench.tally.marked).then_some(step as f64 / 10.0));
    }
    times
}

#[test]
fn nfd_marks_above_64_kib() {
    let mut bench = Bench::new(queue("nfd-bytes", &[], &site(1000)));
    let size = bench.data(1_000_000).wire_len();
    let above = 65_536 / size + 1;
    assert!(nfd_marks(&mut bench, above - 1, 0, 1000).is_empty(), "at the threshold or below");
    let marks = nfd_marks(&mut bench, above + 1, 1000, 1500);
    assert_near(&marks, &[1100.0, 1170.7, 1228.4, 1278.4, 1323.1]);
    assert!(nfd_marks(&mut bench, above - 1, 1500, 1501).is_empty());
    assert_near(&nfd_marks(&mut bench, above + 1, 1501, 1700), &[1601.0, 1671.7]);
}

#[test]
fn nfd_cannot_mark_in_a_small_queue() {
    let mut bench = Bench::new(queue("nfd-bytes", &[], &site(32)));
    assert!(nfd_marks(&mut bench, 32, 0, 2000).is_empty());
    assert_eq!(bench.queue.limit(), Limit::Packets(32));
}
