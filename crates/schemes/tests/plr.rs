//! The rules of PLR.

mod queues_support;

use queues_support::{Bench, at_ms, is_notice, queue, recovered};
use std::collections::VecDeque;
use weir_core::{Bytes, Chance, DropReason, Limit, Seed, Site, Span, Time, Value};
use weir_schemes::recoveries::plr::PlrParameters;
use weir_wire::{Component, Interest, Name, Packet};

/// PLR over drop-tail.
fn plr(limit: Limit, settings: &[(&str, Value)]) -> Bench {
    let inner = queue("droptail", &[], &Site { limit, ..Site::default() });
    Bench::new(recovered("plr", settings, inner))
}

fn packets(limit: usize) -> Bench {
    plr(Limit::Packets(limit), &[])
}

fn text(value: &str) -> Value {
    Value::Text(value.into())
}

/// Everything that leaves now: segments of notices and of other packets.
fn empty(bench: &mut Bench) -> (Vec<u64>, Vec<u64>) {
    let all: Vec<Packet> = std::iter::from_fn(|| bench.take()).collect();
    let (notices, others): (Vec<&Packet>, Vec<&Packet>) = all.iter().partition(|packet| is_notice(packet));
    let segments = |packets: Vec<&Packet>| packets.iter().filter_map(|packet| packet.name().segment()).collect();
    (segments(notices), segments(others))
}

#[test]
fn a_burst_is_stored_and_announced_up_to_the_stores_size() {
    for (k, stored) in [(0, 0), (5, 5), (16, 16), (20, 16)] {
        let mut bench = packets(32);
        bench.put_data(0..1);
        assert_eq!(bench.take_segment(), Some(0), "the first is in transmission");
        bench.put_data(1..33 + k as u64);
        assert_eq!(bench.queue.held(), stored);
        assert_eq!(bench.tally.notices, stored);
        assert_eq!(bench.drops(DropReason::StoreFull), k - stored);
        let (notices, others) = empty(&mut bench);
        assert_eq!(notices, (33..33 + stored as u64).collect::<Vec<_>>());
        assert_eq!(others, (1..33).collect::<Vec<_>>());
    }
}

#[test]
fn the_store_is_a_share_of_the_queue() {
    for (alpha, size) in [(0.29, 29), (0.5, 50), (1.0, 100), (0.005, 0)] {
        let mut bench = plr(Limit::Packets(100), &[("alpha", Value::Number(alpha))]);
        bench.put_data(0..300);
        assert_eq!(bench.queue.held(), size, "alpha {alpha}");
    }
}

#[test]
fn the_store_is_first_in_first_out() {
    let mut bench = packets(32);
    bench.put_data(0..48);
    let mut order = Vec::new();
    for ms in 0..200 {
        bench.go_ms(f64::from(ms));
        order.extend(bench.take().filter(|packet| !is_notice(packet)).and_then(|packet| packet.name().segment()));
    }
    assert_eq!(order, (0..48).collect::<Vec<_>>());
    assert_eq!((bench.tally.recovered, bench.queue.held(), bench.queue.next_wake()), (16, 0, None));
}

#[test]
fn a_growing_queue_recovers_nothing() {
    let mut bench = packets(100);
    bench.put_data(0..110);
    // Ten notices and eighty packets leave before the first round looks.
    (0..90).for_each(|_| assert!(bench.take().is_some()));
    for ms in 1..50 {
        bench.go_ms(ms as f64 - 0.5);
        bench.put_data(1000 + ms..=1000 + ms);
        bench.go_ms(ms as f64);
    }
    assert_eq!((bench.queue.backlog().packets, bench.tally.recovered, bench.queue.held()), (69, 0, 10));
}

/// A queue of 100 with 10 packets stored, shrinking by two in each round from 100 on.
fn shrinking(settings: &[(&str, Value)], rounds: u64) -> (Bench, Vec<usize>) {
    let mut bench = plr(Limit::Packets(100), settings);
    bench.put_data(0..110);
    (0..10).for_each(|_| assert!(is_notice(&bench.take().unwrap())));
    let recovered = (1..=rounds).map(|ms| {
        bench.go_ms(ms as f64 - 0.5);
        bench.take();
        bench.take();
        bench.go_ms(ms as f64);
        bench.tally.recovered
    });
    let recovered = recovered.collect();
    (bench, recovered)
}

#[test]
fn a_shrinking_queue_recovers_half_of_what_it_shrinks_by() {
    // Below 75 after 13 rounds (at 74). Then R grows by 1 in each round; "above one" waits for 2.
    let (_, recovered) = shrinking(&[], 21);
    assert_eq!(recovered[..12], [0; 12]);
    assert_eq!(recovered[12..], [0, 2, 2, 4, 4, 6, 6, 8, 8]);
    let (_, recovered) = shrinking(&[("threshold", text("reaches-one"))], 21);
    assert_eq!(recovered[12..], [1, 2, 3, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn a_heavily_filled_queue_is_left_alone() {
    // It has shrunk by 24, of which R has seen nothing.
    let (bench, recovered) = shrinking(&[], 12);
    assert_eq!(bench.queue.backlog().packets, 76);
    assert_eq!(recovered, [0; 12]);
    let (_, recovered) = shrinking(&[("tau", Value::Number(1.0))], 4);
    assert_eq!(recovered, [0, 0, 2, 2], "the first round after the burst saw it grow");
}

#[test]
fn a_notice_overtakes_a_full_queue() {
    let mut bench = packets(32);
    bench.put_data(0..33);
    let notice = bench.take().unwrap();
    assert!(is_notice(&notice) && !notice.is_content());
    assert_eq!((notice.name().segment(), notice.queued_at), (Some(32), bench.now.0));
    assert!(notice.wire_len() < 100, "{} bytes", notice.wire_len());
    assert_eq!(bench.take_segment(), Some(0));
}

#[test]
fn a_notice_goes_the_way_of_its_data() {
    let mut bench = packets(2);
    bench.put_data(0..2);
    let mut packet = bench.data(2);
    packet.hop.pit_token = weir_wire::PitToken::new(&[1, 2, 3]);
    packet.hop.congestion_mark = 1;
    bench.put(packet);
    let notice = bench.take().unwrap();
    assert!(is_notice(&notice));
    assert_eq!(notice.hop.pit_token.as_deref(), Some([1, 2, 3].as_slice()));
    assert_eq!(notice.hop.congestion_mark, 0);
}

#[test]
fn notices_in_flight_are_bounded_by_the_store() {
    let mut bench = packets(32);
    bench.put_data(0..1000);
    assert_eq!((bench.tally.notices, bench.queue.backlog().packets), (16, 48));
}

#[test]
fn notices_from_upstream_have_priority_too() {
    let mut bench = packets(2);
    bench.put_data(0..2);
    let mut notice = bench.data(9);
    notice.hop.loss_notice = true;
    bench.put(notice);
    assert_eq!((bench.tally.notices, bench.queue.held(), bench.tally.dropped.len()), (0, 0, 0));
    assert_eq!(bench.take_segment(), Some(9));
}

#[test]
fn interests_and_nacks_are_stored_without_a_notice() {
    let mut bench = packets(4);
    bench.put_data(0..4);
    bench.put(bench.interest(4));
    bench.put(bench.nack(5));
    bench.put(bench.interest(6));
    assert_eq!((bench.queue.held(), bench.tally.notices, bench.drops(DropReason::StoreFull)), (2, 0, 1));
}

#[test]
fn notices_can_be_switched_off() {
    let mut bench = plr(Limit::Packets(4), &[("notice", Value::Bool(false))]);
    bench.put_data(0..6);
    assert_eq!((bench.queue.held(), bench.tally.notices, bench.take_segment()), (2, 0, Some(0)));
}

#[test]
fn a_store_of_no_size_leaves_the_queue_as_it_is() {
    let mut plain = Bench::new(queue("droptail", &[], &Site { limit: Limit::Packets(20), ..Site::default() }));
    let mut bench = plr(Limit::Packets(20), &[("alpha", Value::Integer(0))]);
    let mut chance = Seed(3).stream();
    for n in 0..20_000 {
        let at = plain.now + Span(chance.below(1_000_000));
        let put = chance.happens(if n % 1000 < 500 { 0.7 } else { 0.3 });
        let [a, b] = [&mut plain, &mut bench].map(|bench| {
            bench.go(at);
            if put {
                let mut packet = bench.data(n);
                packet.hop.loss_notice = n % 17 == 0;
                bench.put(packet);
                None
            } else {
                bench.take()
            }
        });
        assert_eq!(a, b);
        assert_eq!(plain.queue.backlog(), bench.queue.backlog());
    }
    assert!(!plain.tally.dropped.is_empty());
    assert_eq!(plain.tally.dropped, bench.tally.dropped);
}

#[test]
fn stored_packets_expire() {
    let mut bench = packets(4);
    bench.go_ms(0.25);
    bench.put_data(0..6);
    bench.go_ms(1000.0);
    assert_eq!((bench.queue.held(), bench.tally.dropped.len()), (2, 0), "the queue stays full");
    assert_eq!(bench.queue.next_wake(), Some(at_ms(1000.25)));
    bench.go_ms(1000.25);
    assert_eq!((bench.queue.held(), bench.drops(DropReason::StoreExpired)), (0, 2));
    assert_eq!(bench.queue.next_wake(), None);
}

#[test]
fn recovered_packets_are_stamped_anew_and_keep_their_marks() {
    let mut bench = packets(4);
    bench.put_data(0..4);
    let mut packet = bench.data(4);
    packet.hop.congestion_mark = 1;
    bench.put(packet);
    bench.go_ms(1.5);
    empty(&mut bench);
    bench.go_ms(2.0);
    assert_eq!((bench.tally.recovered, bench.tally.marked), (1, 0));
    let packet = bench.take().unwrap();
    assert_eq!((packet.hop.congestion_mark, packet.queued_at), (1, at_ms(2.0).0));
}

#[test]
fn a_round_comes_before_packets_of_the_same_instant() {
    let mut bench = packets(4);
    bench.put_data(0..6);
    bench.take();
    bench.take();
    // Not woken: the packet call itself must make up for the round at 1 ms, which sees the four that wait.
    bench.now = at_ms(1.0);
    bench.call(|queue, cx| while let weir_core::Pull::Packet(_) = queue.dequeue(cx) {});
    assert_eq!(bench.tally.recovered, 0);
    bench.go_ms(2.0);
    assert_eq!(bench.tally.recovered, 2);
}

#[test]
fn room_is_capped_unless_asked_otherwise() {
    for (cap_r, recovered) in [(true, 13), (false, 16)] {
        let mut bench = plr(Limit::Packets(20), &[("cap_r", Value::Bool(cap_r)), ("alpha", Value::Integer(2))]);
        // An idle second after a busy round makes R large.
        bench.put_data(0..20);
        bench.go_ms(1.5);
        empty(&mut bench);
        bench.go_ms(1000.5);
        bench.put_data(100..140);
        // Twenty notices and ten packets leave.
        (0..30).for_each(|_| assert!(bench.take().is_some()));
        bench.go_ms(1001.0);
        assert_eq!((bench.queue.backlog().packets, bench.tally.recovered), (20, 10), "all places are taken");
        // The cap has left R nothing; six packets less make R three. Literally, R is in the thousands.
        (0..6).for_each(|_| assert!(bench.take().is_some()));
        bench.go_ms(1002.0);
        assert_eq!(bench.tally.recovered, recovered, "cap_r {cap_r}");
    }
}

#[test]
fn an_idle_link_makes_room_at_the_rate_it_had() {
    let mut bench = packets(100);
    bench.put_data(0..2);
    bench.go_ms(1.5);
    empty(&mut bench);
    // The round at 2 ms sees two packets gone: R = 1, Nbw = 2. Those at 3, 4 and 5 ms add 1 each.
    bench.go_ms(5.5);
    bench.put_data(100..210);
    (0..108).for_each(|_| assert!(bench.take().is_some()));
    assert_eq!((bench.queue.backlog().packets, bench.queue.held()), (2, 10));
    // Two packets more than before take 1 away.
    bench.go_ms(6.0);
    assert_eq!(bench.tally.recovered, 3);
}

#[test]
fn a_burst_between_two_rounds_goes_unseen() {
    let mut bench = packets(4);
    bench.put_data(0..5);
    bench.go_ms(0.5);
    empty(&mut bench);
    bench.go_ms(999.0);
    assert_eq!((bench.queue.held(), bench.tally.recovered), (1, 0));
    bench.go_ms(1000.0);
    assert_eq!((bench.queue.held(), bench.drops(DropReason::StoreExpired)), (0, 1));
}

#[test]
fn a_limit_in_bytes_counts_in_mean_packets() {
    let mut bench = plr(Limit::Bytes(Bytes(20_000)), &[]);
    let size = bench.data(0).wire_len();
    let fit = 20_000 / size;
    bench.put_data(0..100);
    assert_eq!(bench.queue.backlog().packets - bench.tally.notices, fit);
    assert_eq!(bench.queue.held(), fit / 2);
}

/// Algorithm 1 word for word, with an event in every millisecond.
struct Reference {
    limit: usize,
    p: PlrParameters,
    queue: VecDeque<u64>,
    notices: VecDeque<u64>,
    store: VecDeque<(u64, Time)>,
    next_round: Time,
    sent: f64,
    r: f64,
    nbw: f64,
    q_last: f64,
    s_last: f64,
}

impl Reference {
    fn go(&mut self, to: Time) {
        while self.next_round <= to {
            self.expire(self.next_round);
            self.round();
            self.next_round += self.p.interval;
        }
        self.expire(to);
    }

    fn expire(&mut self, now: Time) {
        self.store.retain(|(_, until)| *until > now);
    }

    fn round(&mut self) {
        let (mut q, s) = (self.queue.len() as f64, self.sent);
        if q < self.p.tau * self.limit as f64 {
            let delta = s - self.s_last;
            if self.q_last > 0.0 || q > 0.0 {
                self.r = (self.r + (self.q_last - q) / 2.0).max(0.0);
                self.nbw = delta + self.q_last - q;
            } else {
                self.r = (self.r + (self.nbw - delta) / 2.0).max(0.0);
            }
            if self.p.cap_r {
                self.r = self.r.min(self.limit as f64 - q);
            }
            if !self.store.is_empty() && self.r > 1.0 {
                let m = (self.r.floor() as usize).min(self.store.len()).min(self.limit - self.queue.len());
                self.queue.extend(self.store.drain(..m).map(|(segment, _)| segment));
                q += m as f64;
                self.r -= m as f64;
            }
        }
        (self.q_last, self.s_last) = (q, s);
    }

    fn put(&mut self, segment: u64, now: Time) {
        if self.queue.len() < self.limit {
            self.sent += 1.0;
            self.queue.push_back(segment);
        } else if self.store.len() < self.limit / 2 {
            self.notices.push_back(segment);
            self.store.push_back((segment, now + self.p.residence));
        }
    }

    fn take(&mut self) -> Option<u64> {
        self.notices.pop_front().or_else(|| self.queue.pop_front())
    }
}

/// How likely a packet comes rather than goes in the n-th step, and how long the pause before it may be.
fn weather(n: u64, chance: &mut Chance) -> (f64, Span) {
    let pause = if n.is_multiple_of(313) { chance.below(30_000) } else { chance.below(9) };
    (if (n / 500).is_multiple_of(2) { 0.55 } else { 0.4 }, Span::from_micros(100 * pause))
}

#[test]
fn lazy_rounds_equal_a_round_in_every_millisecond() {
    for (seed, cap_r) in [(1, true), (2, false), (3, true), (4, false)] {
        let p = PlrParameters { cap_r, residence: Span::from_millis(40), ..PlrParameters::default() };
        let mut bench = plr(Limit::Packets(30), &[("cap_r", Value::Bool(cap_r)), ("residence", text("40ms"))]);
        let (queue, notices, store) = Default::default();
        let zero = 0.0;
        let mut reference = Reference {
            limit: 30,
            p,
            queue,
            notices,
            store,
            next_round: Time::ZERO,
            sent: zero,
            r: zero,
            nbw: zero,
            q_last: zero,
            s_last: zero,
        };
        let mut chance = Seed(seed).stream();
        for n in 0..200_000 {
            let (coming, pause) = weather(n, &mut chance);
            bench.go(bench.now + pause);
            reference.go(bench.now);
            if chance.happens(coming) {
                bench.put_data(n..=n);
                reference.put(n, bench.now);
            } else {
                assert_eq!(bench.take_segment(), reference.take(), "step {n} of seed {seed}");
            }
            assert_eq!(bench.queue.held(), reference.store.len(), "step {n} of seed {seed}");
        }
        assert!(bench.tally.recovered > 1000, "{} recovered", bench.tally.recovered);
        assert!(bench.drops(DropReason::StoreExpired) > 0 && bench.drops(DropReason::StoreFull) > 0);
    }
}

#[test]
fn any_name_can_be_announced() {
    let mut bench = packets(2);
    bench.put_data(0..2);
    let name = Name::from_components([Component::generic(b"no-segment".as_slice())]);
    let mut data = bench.data(0);
    if let weir_wire::Kind::Data(data) = &mut data.kind {
        data.name = name.clone();
    }
    bench.put(data);
    assert_eq!(bench.take().unwrap().name(), &name);
    bench.put(Packet::from(Interest::new(name, 1)));
    assert_eq!(bench.tally.notices, 1);
}
