//! What a fetcher sends when: order, window, pacing, beginning and end.

mod common;

use common::*;
use weir_core::{Allowance, DropReason, Lifetime, Span, Time};
use weir_engine::Application;
use weir_engine::{FetcherRules, RateChange};
use weir_wire::NackReason;

/// A fetch that has begun.
fn begun(setup: Setup) -> Consumer {
    let mut consumer = Consumer::new(setup);
    consumer.go_ms(0.0);
    consumer
}

#[test]
fn a_window_is_a_real_number() {
    for (window, sent) in [(0.5, 1), (1.0, 1), (1.5, 2), (2.0, 2), (2.001, 3)] {
        assert_eq!(begun(Setup::window(window)).asked().len(), sent, "a window of {window}");
    }
}

#[test]
fn each_data_makes_room_for_the_next_interest() {
    let mut consumer = begun(Setup::window(2.0));
    assert_eq!(consumer.asked(), [0, 1]);
    consumer.data(0);
    assert_eq!(consumer.asked(), [2]);
    consumer.data(2);
    consumer.data(1);
    assert_eq!((consumer.asked(), consumer.fetcher.in_flight()), (vec![3, 4], 2));
}

#[test]
fn retransmissions_go_before_new_segments_lowest_first() {
    let mut consumer = begun(Setup::window(4.0));
    consumer.go_ms(50.0);
    consumer.data(0);
    assert_eq!(consumer.asked(), [0, 1, 2, 3, 4]);
    consumer.control.get().allowance = Allowance::window(2.0);
    consumer.go_ms(100.0); // 1, 2 and 3 are lost, 4 is in flight
    assert_eq!(consumer.asked(), [1]);
    consumer.data(4);
    assert_eq!(consumer.asked(), [2]);
    consumer.data(1);
    assert_eq!(consumer.asked(), [3]);
    consumer.data(2);
    assert_eq!(consumer.asked(), [5]);
}

#[test]
fn each_transmission_has_a_nonce_of_its_own() {
    let mut consumer = begun(Setup::default());
    consumer.go_ms(1000.0);
    let mut nonces: Vec<u32> = consumer.sent.iter().map(|(_, interest)| interest.nonce).collect();
    let sent = nonces.len();
    nonces.sort_unstable();
    nonces.dedup();
    assert_eq!((sent, nonces.len()), (44, 44));
}

#[test]
fn interests_carry_the_lifetime() {
    let consumer = begun(Setup::default());
    assert!(consumer.sent.iter().all(|(_, interest)| interest.lifetime_ms == 400));
}

#[test]
fn a_lifetime_may_follow_the_timeout() {
    let rules = FetcherRules { lifetime: Lifetime::Timeout, ..rules() };
    let timer = Timer::of_ms(120.7);
    let mut consumer = begun(Setup { timer: timer.clone(), rules, ..Setup::default() });
    timer.get().rto = span_ms(200.0);
    consumer.data(0);
    let lifetimes: Vec<u32> = consumer.sent.iter().map(|(_, interest)| interest.lifetime_ms).collect();
    assert_eq!(lifetimes, [120, 120, 120, 120, 200]);
}

#[test]
fn data_takes_one_interest_off_what_is_in_flight() {
    let mut consumer = begun(Setup { segments: Some(4), ..Setup::default() });
    consumer.data(2);
    assert_eq!(consumer.fetcher.in_flight(), 3);
    consumer.data(2); // a duplicate
    assert_eq!(consumer.fetcher.in_flight(), 3);
    assert_eq!(consumer.log.dropped, [("D /a/seg=2".into(), 0, DropReason::Unwanted)]);
}

#[test]
fn data_of_a_segment_that_was_not_asked_for_is_unwanted() {
    let mut consumer = begun(Setup::default());
    consumer.data(50);
    consumer.receive(data("/a"));
    assert_eq!((consumer.fetcher.in_flight(), consumer.drops(DropReason::Unwanted)), (4, 2));
    assert_eq!(consumer.fetcher.counters().received, 0);
}

#[test]
fn a_timeout_takes_one_interest_off_what_is_in_flight() {
    let mut consumer = begun(Setup::window(2.0));
    consumer.control.get().allowance = Allowance::window(1.0);
    consumer.go_ms(100.0);
    assert_eq!((consumer.asked(), consumer.fetcher.in_flight()), (vec![0, 1, 0], 1));
}

#[test]
fn a_late_data_spares_the_retransmission() {
    let mut consumer = begun(Setup::window(2.0));
    consumer.control.get().allowance = Allowance::window(1.0);
    consumer.go_ms(100.0); // 0 is in flight again, 1 is lost
    consumer.asked();
    consumer.data(1);
    assert_eq!((consumer.asked(), consumer.fetcher.in_flight()), (vec![], 1), "it was not in flight");
    consumer.data(0);
    assert_eq!((consumer.asked(), consumer.fetcher.in_flight()), (vec![2], 1));
}

#[test]
fn a_late_data_ends_a_retransmission_that_is_in_flight() {
    let mut consumer = begun(Setup::window(1.0));
    consumer.go_ms(100.0);
    consumer.data(0);
    assert_eq!((consumer.asked(), consumer.fetcher.in_flight()), (vec![0, 0, 1], 1));
    consumer.data(0); // the answer to the retransmission
    assert_eq!((consumer.fetcher.in_flight(), consumer.drops(DropReason::Unwanted)), (1, 1));
}

#[test]
fn delays_count_from_the_first_and_from_the_last_transmission() {
    let mut consumer = begun(Setup::window(1.0));
    consumer.go_ms(130.0);
    consumer.data(0);
    let delivery = consumer.log.deliveries[0];
    assert_eq!((delivery.full_delay, delivery.last_delay), (Span::from_millis(130), Span::from_millis(30)));
    assert_eq!((delivery.segment, delivery.payload, delivery.transmissions), (0, 1000, 2));
}

#[test]
fn a_control_is_told_each_transmission() {
    let mut consumer = begun(Setup::window(2.0));
    consumer.go_ms(100.0);
    assert_eq!(consumer.log.requested, [(0, 0, 1), (0, 1, 1), (0, 0, 2), (0, 1, 2)]);
    let sent = |signal: &Signal| if let Signal::Sent(sent) = signal { Some(sent.in_flight) } else { None };
    let in_flight: Vec<usize> = consumer.control.get().signals.iter().filter_map(sent).collect();
    assert_eq!(in_flight, [1, 2, 1, 2], "this one included");
}

#[test]
fn a_control_knows_whether_its_window_was_used() {
    let mut consumer = begun(Setup { segments: Some(5), ..Setup::default() });
    consumer.data(0); // of a full window; the last segment goes out
    consumer.data(1); // of a full window again; nothing is left to send
    consumer.data(2);
    let limited: Vec<bool> = consumer.control.get().data().iter().map(|signal| signal.app_limited).collect();
    assert_eq!(limited, [false, false, true]);
}

#[test]
fn a_fetch_is_complete_when_every_segment_is_there() {
    let mut consumer = begun(Setup { segments: Some(3), ..Setup::default() });
    for segment in [2, 0] {
        consumer.data(segment);
    }
    assert_eq!((consumer.fetcher.is_done(), consumer.log.completed.len()), (false, 0));
    consumer.data(1);
    consumer.data(1);
    assert_eq!((consumer.fetcher.is_done(), consumer.log.completed.len()), (true, 1));
    assert_eq!(weir_engine::Application::next_wake(&consumer.fetcher), None);
}

#[test]
fn a_content_without_segments_is_complete_at_the_start() {
    let mut consumer = Consumer::new(Setup { segments: Some(0), start: ms(7.0), ..Setup::default() });
    consumer.go_ms(6.0);
    consumer.wake();
    assert!(!consumer.fetcher.is_done());
    consumer.go_ms(7.0);
    consumer.wake();
    assert_eq!((consumer.fetcher.is_done(), consumer.log.completed.len(), consumer.sent.len()), (true, 1, 0));
}

#[test]
fn a_final_block_id_ends_a_fetch_of_unknown_length() {
    let mut consumer = begun(Setup { segments: None, ..Setup::default() });
    consumer.data(0);
    assert_eq!(consumer.asked(), [0, 1, 2, 3, 4]);
    consumer.receive(final_data(name("/a/seg=1"), 2));
    assert_eq!((consumer.asked(), consumer.fetcher.in_flight()), (vec![], 1), "3 and 4 are not waited for");
    consumer.data(2);
    assert!(consumer.fetcher.is_done());
}

#[test]
fn segments_behind_the_last_are_neither_lost_nor_sent_again() {
    let mut consumer = begun(Setup { segments: None, ..Setup::default() });
    consumer.go_ms(50.0);
    consumer.receive(final_data(name("/a/seg=0"), 1));
    consumer.asked();
    consumer.go_ms(150.0);
    assert_eq!((consumer.asked(), consumer.timed_out()), (vec![1], vec![(100.0, 1)]));
    consumer.data(3);
    assert_eq!((consumer.fetcher.counters().received, consumer.drops(DropReason::Unwanted)), (1, 1));
    consumer.data(1);
    assert_eq!((consumer.fetcher.is_done(), consumer.fetcher.in_flight()), (true, 0));
}

#[test]
fn a_lost_segment_behind_the_last_is_forgotten() {
    let mut consumer = begun(Setup { segments: None, ..Setup::window(3.0) });
    consumer.control.get().allowance = Allowance::window(1.0);
    consumer.go_ms(100.0); // 0 is in flight again, 1 and 2 are lost
    consumer.asked();
    consumer.receive(final_data(name("/a/seg=0"), 1));
    assert_eq!(consumer.asked(), [1]);
    consumer.data(1);
    assert_eq!((consumer.fetcher.is_done(), consumer.asked()), (true, vec![]));
}

#[test]
fn nothing_is_sent_before_the_start() {
    let mut consumer = Consumer::new(Setup { start: ms(7.0), ..Setup::default() });
    assert_eq!(weir_engine::Application::next_wake(&consumer.fetcher), Some(ms(7.0)));
    consumer.now = ms(3.0);
    consumer.wake();
    consumer.data(0);
    assert_eq!((consumer.asked(), consumer.drops(DropReason::Unwanted)), (vec![], 1));
    consumer.go_ms(7.0);
    assert_eq!(consumer.asked(), [0, 1, 2, 3]);
}

#[test]
fn nothing_is_sent_from_the_stop_on() {
    let mut consumer = begun(Setup { stop: Some(ms(50.0)), ..Setup::default() });
    consumer.now = Time(ms(50.0).0 - 1);
    consumer.data(0);
    consumer.now = ms(50.0);
    consumer.data(1);
    assert_eq!((consumer.asked(), consumer.fetcher.counters().received), (vec![0, 1, 2, 3, 4], 2));
    consumer.go_ms(1000.0);
    assert_eq!((consumer.asked(), consumer.fetcher.in_flight()), (vec![], 0));
    assert_eq!(weir_engine::Application::next_wake(&consumer.fetcher), None);
}

/// A control that paces at 1000 Interests a second.
fn paced(jitter: f64) -> Setup {
    Setup {
        segments: Some(100_000),
        control: Control::allowing(Allowance::rate(1000.0)),
        timer: Timer::of_ms(1e6),
        rules: FetcherRules { jitter, ..rules() },
        ..Setup::default()
    }
}

/// Milliseconds between Interests.
fn gaps(consumer: &Consumer) -> Vec<f64> {
    consumer.sent.windows(2).map(|pair| pair[1].0.since(pair[0].0).millis()).collect()
}

#[test]
fn a_paced_fetch_sends_at_equal_distances() {
    let mut consumer = Consumer::new(Setup { start: ms(2.5), ..paced(0.0) });
    consumer.go_ms(100.0);
    assert_eq!(consumer.sent.len(), 98);
    assert!(gaps(&consumer).iter().all(|gap| *gap == 1.0));
}

#[test]
fn jitter_leaves_the_mean_rate_alone() {
    let mut consumer = Consumer::new(paced(1.0));
    consumer.go_ms(10_000.0);
    let gaps = gaps(&consumer);
    assert!(gaps.iter().all(|gap| (0.5..=1.5).contains(gap)));
    assert!(gaps.iter().any(|gap| *gap < 0.6) && gaps.iter().any(|gap| *gap > 1.4));
    assert!((9900..=10_100).contains(&consumer.sent.len()), "{}", consumer.sent.len());
}

#[test]
fn a_driver_that_wakes_late_does_not_lower_the_rate() {
    let mut consumer = Consumer::new(paced(0.0));
    for step in 0..1000 {
        consumer.now = Time(step * 1_700_000); // never in time, more than a gap apart
        while weir_engine::Application::next_wake(&consumer.fetcher).is_some_and(|at| at <= consumer.now) {
            consumer.wake();
        }
    }
    assert!((1690..=1700).contains(&consumer.sent.len()), "{} in 1.7 s", consumer.sent.len());
}

#[test]
fn a_driver_that_sleeps_for_long_sets_off_no_burst() {
    let mut consumer = Consumer::new(paced(0.0));
    consumer.go_ms(0.0);
    consumer.now = ms(5000.0);
    consumer.wake();
    assert_eq!(consumer.sent.len(), 12, "the 10 ms before, and the one of now");
    consumer.go_ms(5001.0);
    assert_eq!(consumer.sent.len(), 13);
}

#[test]
fn a_pause_is_not_made_up_for() {
    let setup = paced(0.0);
    setup.control.get().allowance.window = 10.0;
    let mut consumer = Consumer::new(setup);
    consumer.go_ms(500.0);
    assert_eq!(consumer.asked().len(), 10);
    for segment in 0..10 {
        consumer.data(segment);
    }
    assert_eq!(consumer.asked().len(), 1, "no burst");
    consumer.go_ms(502.0);
    assert_eq!(consumer.asked().len(), 2);
}

/// Kato and Bandai: the gap is the one that held when the Interest before was sent.
#[test]
fn a_change_of_rate_does_not_move_the_next_interest() {
    let mut consumer = Consumer::new(paced(0.0));
    consumer.go_ms(0.5);
    consumer.control.get().allowance = Allowance::rate(10_000.0);
    consumer.data(0);
    consumer.go_ms(1.15);
    assert_eq!(gaps(&consumer), [1.0, 0.1]);
}

/// The other reading: the gap that is running becomes as long as if the new rate had always held.
#[test]
fn a_change_of_rate_may_count_at_once() {
    let setup = || Setup { rules: FetcherRules { rate_change: RateChange::Now, ..paced(0.0).rules }, ..paced(0.0) };
    let mut consumer = Consumer::new(setup());
    consumer.go_ms(0.5);
    consumer.control.get().allowance = Allowance::rate(500.0);
    consumer.data(0);
    consumer.go_ms(4.5);
    assert_eq!(gaps(&consumer), [2.0, 2.0]);
    let mut consumer = Consumer::new(setup());
    consumer.go_ms(0.5);
    consumer.control.get().allowance = Allowance::rate(10_000.0);
    consumer.data(0);
    assert_eq!(consumer.asked().len(), 6, "at 0, and then the five since that the new rate would have sent");
}

/// Kato and Bandai's first Interest at the new rate leaves a gap of the new rate after the last of the old one.
#[test]
fn a_cut_of_the_rate_may_count_at_once_and_a_rise_with_the_next_gap() {
    let rules = FetcherRules { rate_change: RateChange::Cut, ..paced(0.0).rules };
    let mut consumer = Consumer::new(Setup { rules, ..paced(0.0) });
    consumer.go_ms(0.5);
    consumer.control.get().allowance = Allowance::rate(250.0);
    consumer.data(0);
    consumer.go_ms(0.75);
    consumer.control.get().allowance = Allowance::rate(1000.0);
    consumer.go_ms(6.5);
    assert_eq!(
        gaps(&consumer),
        [4.0, 1.0, 1.0],
        "the cut holds up the next Interest, the rise does not take that back"
    );
}

/// A window, and a pause after refusals.
fn pausing(window: f64, pause_ms: f64) -> Setup {
    Setup { rules: FetcherRules { nack_pause: span_ms(pause_ms), ..rules() }, ..Setup::window(window) }
}

#[test]
fn a_refused_segment_pauses_and_keeps_its_place_in_the_window() {
    let mut consumer = begun(pausing(2.0, 5.0));
    consumer.asked();
    consumer.go_ms(10.0);
    consumer.nack(1, NackReason::Congestion);
    assert_eq!((consumer.asked(), consumer.fetcher.in_flight()), (vec![], 1), "no other takes its place");
    consumer.go_ms(14.999);
    assert_eq!(consumer.asked(), [0; 0]);
    consumer.go_ms(15.0);
    assert_eq!((consumer.asked(), consumer.fetcher.in_flight()), (vec![1], 2));
}

#[test]
fn each_refusal_of_a_segment_doubles_its_pause() {
    let mut consumer = begun(pausing(1.0, 1.0));
    let mut pauses = Vec::new();
    for _ in 0..6 {
        let refused = consumer.now;
        consumer.nack(0, NackReason::Congestion);
        consumer.now = consumer.fetcher.next_wake().unwrap();
        consumer.wake();
        pauses.push(consumer.now.since(refused).0 / 1_000_000);
    }
    assert_eq!((pauses, consumer.sent.len()), (vec![1, 2, 4, 8, 16, 32], 7));
    consumer.data(0);
    consumer.nack(1, NackReason::Congestion);
    let pause = consumer.fetcher.next_wake().unwrap().since(consumer.now);
    assert_eq!(pause, span_ms(1.0), "another segment begins anew");
}

#[test]
fn a_segment_that_comes_while_it_pauses_makes_room_for_the_next() {
    let mut consumer = begun(pausing(1.0, 50.0));
    consumer.asked();
    consumer.nack(0, NackReason::Congestion);
    consumer.go_ms(10.0);
    consumer.data(0);
    assert_eq!((consumer.asked(), consumer.fetcher.in_flight()), (vec![1], 1));
    consumer.go_ms(60.0);
    assert_eq!(consumer.asked(), [0; 0]);
}

#[test]
fn pauses_end_together_lowest_first_as_far_as_the_window_goes() {
    let mut consumer = begun(pausing(3.0, 5.0));
    consumer.asked();
    for segment in [2, 0, 1] {
        consumer.nack(segment, NackReason::Congestion);
    }
    consumer.control.get().allowance = Allowance::window(2.0);
    consumer.go_ms(5.0);
    assert_eq!((consumer.asked(), consumer.fetcher.in_flight()), (vec![0, 1], 2));
    consumer.data(0);
    assert_eq!(consumer.asked(), [2]);
}

#[test]
fn without_a_pause_a_refusal_by_another_node_is_answered_at_once() {
    let mut consumer = begun(pausing(2.0, 0.0));
    consumer.asked();
    consumer.go_ms(10.0);
    consumer.nack(1, NackReason::Congestion);
    assert_eq!((consumer.asked(), consumer.fetcher.in_flight()), (vec![1], 2));
}

#[test]
fn a_refusal_by_the_own_node_is_not_answered_in_the_same_instant() {
    let mut consumer = begun(pausing(2.0, 0.0));
    consumer.asked();
    consumer.nack(0, NackReason::Congestion);
    consumer.nack(1, NackReason::Congestion);
    assert_eq!((consumer.asked(), consumer.fetcher.in_flight()), (vec![], 0));
    consumer.go_ms(0.999);
    assert_eq!(consumer.asked(), [0; 0]);
    consumer.go_ms(1.0);
    assert_eq!(consumer.asked(), [0, 1]);
}

#[test]
fn who_paces_repeats_a_refused_segment_at_its_pace() {
    let control = Control::allowing(Allowance::rate(100.0));
    let mut consumer = begun(Setup { control, ..pausing(1.0, 500.0) });
    consumer.go_ms(5.0);
    consumer.asked();
    consumer.nack(0, NackReason::Congestion);
    assert_eq!(consumer.asked(), [0; 0]);
    consumer.go_ms(10.0);
    assert_eq!(consumer.asked(), [0]);
}

#[test]
fn other_refusals_wait_for_the_timeout() {
    for reason in [NackReason::NoRoute, NackReason::Duplicate, NackReason::Unspecified, NackReason::Other(7)] {
        let mut consumer = begun(Setup::window(1.0));
        consumer.asked();
        consumer.nack(0, reason);
        consumer.go_ms(99.0);
        assert_eq!((consumer.asked(), consumer.fetcher.in_flight()), (vec![], 1), "{reason:?}");
        consumer.go_ms(100.0);
        assert_eq!(consumer.asked(), [0], "{reason:?}");
    }
}

#[test]
fn a_refusal_of_an_earlier_transmission_is_ignored() {
    let mut consumer = begun(Setup::window(1.0));
    let first = consumer.sent[0].1.clone();
    consumer.go_ms(100.0);
    consumer.asked();
    consumer.receive(weir_wire::Nack { reason: NackReason::Congestion, interest: first });
    assert_eq!((consumer.asked(), consumer.fetcher.in_flight()), (vec![], 1));
    assert_eq!(consumer.drops(DropReason::Unwanted), 1);
}

#[test]
fn a_refusal_of_a_segment_that_is_there_is_ignored() {
    let mut consumer = begun(Setup::window(1.0));
    consumer.data(0);
    let losses = consumer.control.get().losses().len();
    consumer.nack(0, NackReason::Congestion);
    assert_eq!((losses, consumer.control.get().losses().len(), consumer.fetcher.in_flight()), (0, 0, 1));
    assert_eq!(consumer.drops(DropReason::Unwanted), 1);
}

#[test]
fn an_interest_is_nothing_for_a_consumer() {
    let mut consumer = begun(Setup::default());
    consumer.receive(interest("/a/seg=0", 7));
    assert_eq!(consumer.drops(DropReason::Unwanted), 1);
}

#[test]
fn segments_that_are_there_are_not_asked_for() {
    let mut consumer = Consumer::new(Setup { segments: Some(10), ..Setup::window(3.0) });
    consumer.fetcher = consumer.fetcher.with_segments(0..2).with_segments(4..9);
    consumer.go_ms(1.0);
    assert_eq!(consumer.asked(), [2, 3, 9]);
    assert_eq!(consumer.fetcher.complete_below(), 2);
    for segment in [9, 2, 3] {
        assert!(!consumer.fetcher.is_done());
        consumer.data(segment);
    }
    assert!(consumer.fetcher.is_done() && consumer.asked().is_empty());
    assert_eq!((consumer.fetcher.counters().received, consumer.fetcher.complete_below()), (3, 10));
}

#[test]
fn nothing_is_asked_for_if_all_is_there() {
    let mut consumer = Consumer::new(Setup { segments: Some(10), ..Setup::window(3.0) });
    consumer.fetcher = consumer.fetcher.with_segments(3..10).with_segments(0..3);
    consumer.go_ms(1.0);
    assert!(consumer.fetcher.is_done() && consumer.sent.is_empty());
}

#[test]
fn a_ceiling_holds_back_what_is_new_but_not_what_is_lost() {
    let mut consumer = Consumer::new(Setup::window(10.0));
    consumer.fetcher.set_ceiling(3);
    consumer.go_ms(0.0);
    assert_eq!(consumer.asked(), [0, 1, 2]);
    consumer.data(1);
    consumer.go_ms(100.0);
    assert_eq!(consumer.asked(), [0, 2], "timed out, and sent again");
    consumer.data(2);
    assert_eq!((consumer.asked(), consumer.fetcher.complete_below()), (vec![], 0));
    consumer.fetcher.set_ceiling(5);
    consumer.go_ms(101.0);
    assert_eq!(consumer.asked(), [3, 4]);
}
