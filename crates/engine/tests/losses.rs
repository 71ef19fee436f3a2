//! What a fetcher takes for a loss, and what it tells its control and its timeout.

mod common;

use common::*;
use weir_core::{DropReason, Loss, Span, Time};
use weir_engine::{Application, FetcherRules, NoticeTimer};
use weir_wire::NackReason;

fn begun(setup: Setup) -> Consumer {
    let start = setup.start;
    let mut consumer = Consumer::new(setup);
    consumer.go(start);
    consumer
}

#[test]
fn an_interest_times_out_at_exactly_its_timeout() {
    let mut consumer = begun(Setup { timer: Timer::of_ms(87.5), ..Setup::window(1.0) });
    consumer.go(Time(ms(87.5).0 - 1));
    assert_eq!(consumer.timed_out(), []);
    consumer.go_ms(87.5);
    assert_eq!(consumer.timed_out(), [(87.5, 0)]);
}

#[test]
fn data_at_the_very_timeout_still_counts_if_it_comes_first() {
    let mut consumer = begun(Setup::window(1.0));
    consumer.now = ms(100.0);
    consumer.data(0);
    consumer.go_ms(150.0);
    assert_eq!((consumer.timed_out(), consumer.fetcher.counters().received), (vec![], 1));
}

#[test]
fn a_retransmission_has_a_timeout_of_its_own() {
    let mut consumer = begun(Setup::window(1.0));
    consumer.go_ms(350.0);
    assert_eq!(consumer.timed_out(), [(100.0, 0), (200.0, 0), (300.0, 0)]);
}

#[test]
fn the_timeout_is_the_one_that_holds_now() {
    let mut consumer = begun(Setup::window(1.0));
    consumer.go_ms(30.0);
    consumer.rto(Span::from_millis(50));
    consumer.go_ms(60.0);
    assert_eq!(consumer.timed_out(), [(50.0, 0)]);
    consumer.rto(Span::from_millis(200));
    consumer.go_ms(260.0);
    assert_eq!(consumer.timed_out(), [(50.0, 0), (250.0, 0)]);
}

#[test]
fn a_timeout_that_has_shrunk_into_the_past_is_found_at_the_next_wake() {
    let mut consumer = begun(Setup::window(2.0));
    consumer.go_ms(80.0);
    consumer.rto(Span::from_millis(50));
    consumer.data(1); // 0 should have timed out at 50 ms
    consumer.go_ms(81.0);
    assert_eq!(consumer.timed_out(), [(80.0, 0)]);
}

/// A fetch from 7 ms on whose timeouts are looked for every 50 ms.
fn checked(rto: f64) -> Consumer {
    begun(Setup { start: ms(7.0), timer: Timer::checked(rto, 50.0), ..Setup::window(1.0) })
}

#[test]
fn checks_are_counted_from_the_start_of_the_fetch() {
    for (rto, at) in [(99.0, 107.0), (100.0, 107.0), (100.001, 157.0), (1.0, 57.0), (50.0, 57.0)] {
        let mut consumer = checked(rto);
        consumer.go_ms(160.0);
        assert_eq!(consumer.timed_out()[0], (at, 0), "a timeout of {rto} ms");
    }
}

#[test]
fn between_checks_nothing_times_out() {
    let mut consumer = checked(101.0); // due at 108 ms
    for now in [107.0, 120.0, 156.0] {
        consumer.now = ms(now);
        consumer.wake();
        consumer.data(50);
        assert_eq!(consumer.timed_out(), [], "at {now} ms");
    }
    consumer.go_ms(157.0);
    assert_eq!(consumer.timed_out(), [(157.0, 0)]);
}

#[test]
fn a_timeout_that_has_shrunk_waits_for_the_next_check() {
    let mut consumer = checked(1000.0);
    consumer.go_ms(160.0);
    consumer.rto(Span::from_millis(100));
    consumer.data(50);
    consumer.go_ms(300.0);
    assert_eq!(consumer.timed_out()[0], (207.0, 0));
}

#[test]
fn a_check_that_comes_late_still_finds_what_is_due() {
    let mut consumer = checked(100.0);
    consumer.now = ms(110.0); // a driver that sleeps a little too long
    consumer.wake();
    assert_eq!(consumer.timed_out(), [(110.0, 0)]);
    consumer.go_ms(300.0); // sent again at 110 ms
    assert_eq!(consumer.timed_out(), [(110.0, 0), (257.0, 0)], "the grid stays where it was");
}

#[test]
fn data_that_comes_between_a_check_and_its_late_wake_counts() {
    let mut consumer = checked(100.0);
    consumer.now = ms(108.0);
    consumer.data(0);
    consumer.now = ms(110.0);
    consumer.wake();
    assert_eq!((consumer.timed_out(), consumer.fetcher.counters().received), (vec![], 1));
}

#[test]
fn data_that_comes_before_a_late_wake_does_not_put_the_check_off() {
    let mut consumer = begun(Setup { timer: Timer::checked(100.0, 50.0), ..Setup::window(2.0) });
    consumer.now = ms(101.0);
    consumer.data(0);
    consumer.now = ms(102.0);
    consumer.wake();
    assert_eq!(consumer.timed_out(), [(102.0, 1)]);
}

#[test]
fn at_a_check_the_timeout_is_read_once() {
    let setup = Setup::default();
    let control = Box::new(setup.control.clone());
    let mut consumer = Consumer::with(setup, control, timeout("ndnsim"));
    consumer.go_ms(1100.0);
    assert_eq!(consumer.timed_out(), [(1000.0, 0), (1000.0, 1), (1000.0, 2), (1000.0, 3)]);
}

#[test]
fn without_checks_the_first_timeout_backs_off_for_the_others() {
    let setup = Setup::default();
    let control = Box::new(setup.control.clone());
    let mut consumer = Consumer::with(setup, control, timeout("rfc6298"));
    consumer.go_ms(1999.0);
    assert_eq!(consumer.timed_out(), [(1000.0, 0)]);
    consumer.go_ms(2000.0);
    assert_eq!(consumer.timed_out().len(), 4);
}

#[test]
fn every_first_transmission_gives_a_sample() {
    let mut consumer = begun(Setup { segments: Some(4), ..Setup::default() });
    for (now, segment) in [(10.0, 0), (15.0, 2), (20.0, 1)] {
        consumer.go_ms(now);
        consumer.data(segment);
    }
    let samples: Vec<(f64, usize)> = consumer.timer.get().samples.iter().map(|(rtt, n)| (rtt.millis(), *n)).collect();
    assert_eq!(samples, [(10.0, 4), (15.0, 3), (20.0, 2)], "with the Interests that were out");
}

/// Karn's rule.
#[test]
fn a_segment_that_was_sent_again_gives_no_sample() {
    let mut consumer = begun(Setup::window(1.0));
    consumer.go_ms(130.0);
    consumer.data(0);
    assert_eq!(consumer.timer.get().samples.len(), 0);
    let signal = consumer.control.get().data()[0];
    assert_eq!((signal.retransmitted, signal.rtt, signal.sent_at), (true, Span::from_millis(30), ms(100.0)));
    assert_eq!(signal.smoothed_rtt, Span::ZERO);
}

/// A timeout that was too early is learnt from: the Data cannot answer an Interest that left a moment ago.
#[test]
fn a_data_right_after_the_repetition_counts_from_the_first_interest_if_the_rules_say_so() {
    let late = |learn_from_late, answered_ms: f64| {
        let mut consumer = begun(Setup { rules: FetcherRules { learn_from_late, ..rules() }, ..Setup::window(1.0) });
        consumer.go_ms(80.0);
        consumer.data(0);
        consumer.go_ms(answered_ms); // 1 was sent at 80 ms and again at 180 ms
        consumer.data(1);
        consumer.timer.get().samples.iter().map(|(rtt, _)| rtt.millis()).collect::<Vec<_>>()
    };
    assert_eq!(late(true, 219.0), [80.0, 139.0]);
    assert_eq!(late(true, 220.0), [80.0], "half a round trip: it may answer either");
    assert_eq!(late(false, 219.0), [80.0], "Karn");
}

#[test]
fn a_late_data_of_a_segment_sent_once_gives_a_sample() {
    let mut consumer = begun(Setup::window(2.0));
    consumer.control.get().allowance = weir_core::Allowance::window(1.0);
    consumer.go_ms(130.0); // 1 is lost, and not sent again yet
    consumer.data(1);
    assert_eq!(consumer.timer.get().samples, [(Span::from_millis(130), 1)]);
}

#[test]
fn a_sample_counts_its_own_interest_at_least() {
    let mut consumer = begun(Setup { stop: Some(ms(50.0)), ..Setup::window(1.0) });
    consumer.go_ms(130.0); // lost, and never sent again
    consumer.data(0);
    assert_eq!(consumer.timer.get().samples, [(Span::from_millis(130), 1)]);
}

#[test]
fn the_round_trip_time_is_smoothed_as_in_rfc_6298() {
    let mut consumer = begun(Setup::window(1.0));
    for (now, segment) in [(80.0, 0), (96.0, 1)] {
        consumer.go_ms(now);
        consumer.data(segment);
    }
    let smoothed: Vec<f64> = consumer.control.get().data().iter().map(|s| s.smoothed_rtt.millis()).collect();
    assert_eq!(smoothed, [80.0, 72.0]);
}

/// Sends 0..=9, gets 0..=4, sends 10..=14, then gets 5 with a mark: `next` is 15, `highest` 5.
fn after_a_cut(guard: f64) -> Consumer {
    let mut consumer = begun(Setup { rules: FetcherRules { guard, ..rules() }, ..Setup::window(10.0) });
    (0..5).for_each(|segment| consumer.data(segment));
    consumer.marked_data(5);
    assert_eq!(consumer.log.decreased.len(), 1);
    consumer
}

/// The first segment whose mark leads to a second cut.
fn second_cut(guard: f64) -> u64 {
    let mut consumer = after_a_cut(guard);
    for segment in 6..40 {
        consumer.marked_data(segment);
        if consumer.log.decreased.len() == 2 {
            return segment;
        }
    }
    panic!("no second cut");
}

/// ndn-tools: the recovery point is the next segment, 15.
#[test]
fn without_a_guard_there_is_one_cut_in_a_round_trip() {
    assert_eq!(second_cut(0.0), 16);
}

/// ndnSIM: the recovery point is 15 + 0.5 * (15 - 5).
#[test]
fn with_half_a_guard_there_is_one_cut_in_one_and_a_half_round_trips() {
    assert_eq!(second_cut(0.5), 21);
}

#[test]
fn a_segment_that_was_overtaken_is_as_fresh_as_the_one_that_overtook_it() {
    let mut consumer = after_a_cut(0.0); // the recovery point is 15
    (6..17).filter(|segment| *segment != 7).for_each(|segment| consumer.data(segment));
    consumer.marked_data(7);
    assert_eq!(consumer.log.decreased.len(), 2);
}

#[test]
fn losses_of_one_round_trip_are_fresh_once() {
    let mut consumer = begun(Setup::default());
    consumer.go_ms(1.0);
    consumer.data(0);
    consumer.data(1);
    consumer.go_ms(150.0);
    assert_eq!(consumer.timed_out().len(), 4);
    assert_eq!((consumer.freshness(), consumer.log.decreased.len()), (vec![true, false, false, false], 1));
}

#[test]
fn marks_and_losses_of_one_round_trip_share_one_cut() {
    let mut consumer = begun(Setup::default());
    consumer.go_ms(1.0);
    consumer.data(0);
    consumer.marked_data(1);
    consumer.notice(2);
    consumer.go_ms(150.0);
    assert_eq!((consumer.freshness(), consumer.log.decreased), (vec![false; 5], vec![ms(1.0)]));
}

/// As in ndnSIM, where both numbers start from zero.
#[test]
fn nothing_is_fresh_before_a_segment_beyond_the_first_has_arrived() {
    let mut consumer = begun(Setup::window(2.0));
    consumer.marked_data(0);
    consumer.go_ms(100.0);
    assert_eq!((consumer.freshness(), consumer.log.decreased.len()), (vec![false, false], 0));
    consumer.marked_data(1);
    assert_eq!(consumer.log.decreased.len(), 1);
}

#[test]
fn a_control_that_shields_nothing_opens_no_loss_event() {
    let mut consumer = begun(Setup::default());
    consumer.data(0);
    consumer.data(1);
    consumer.control.get().fresh_only = false; // it cuts at each signal, fresh or not
    consumer.marked_data(2);
    consumer.marked_data(3);
    assert_eq!(consumer.log.decreased.len(), 2);
    let fresh: Vec<bool> = consumer.control.get().data().iter().map(|signal| signal.fresh).collect();
    assert_eq!(fresh, [false, true, true, false]);
}

#[test]
fn a_timeout_rule_knows_the_first_timeout_of_a_loss_event() {
    let mut consumer = begun(Setup::window(2.0));
    consumer.go_ms(50.0);
    consumer.data(0); // 2 goes out
    consumer.go_ms(100.0); // 1 is lost and sent again
    consumer.go_ms(150.0); // 2 was sent before that: the same event
    consumer.go_ms(200.0); // 1 again: sent in the event, so another begins
    assert_eq!(consumer.timed_out(), [(100.0, 1), (150.0, 2), (200.0, 1)]);
    assert_eq!(consumer.timer.get().timeouts, [true, false, true]);
}

#[test]
fn a_loss_tells_when_its_interest_was_sent() {
    let mut consumer = begun(Setup::window(1.0));
    consumer.go_ms(200.0);
    let losses = consumer.control.get().losses();
    let told: Vec<_> = losses.iter().map(|l| (l.kind, l.segment, l.sent_at, l.in_flight)).collect();
    assert_eq!(told, [(Loss::Timeout, 0, ms(0.0), 0), (Loss::Timeout, 0, ms(100.0), 0)]);
}

fn noticed(notice_timer: NoticeTimer) -> Consumer {
    let mut consumer = begun(Setup { rules: FetcherRules { notice_timer, ..rules() }, ..Setup::window(2.0) });
    consumer.asked();
    consumer.go_ms(60.0);
    consumer.data(1); // 2 goes out
    consumer.notice(0);
    consumer
}

#[test]
fn a_loss_notice_is_a_loss_without_retransmission() {
    let mut consumer = noticed(NoticeTimer::Keep);
    assert_eq!((consumer.asked(), consumer.fetcher.in_flight()), (vec![2], 2));
    let losses = consumer.control.get().losses();
    assert_eq!((losses.len(), losses[0].kind, losses[0].segment, losses[0].fresh), (1, Loss::Notice, 0, true));
    assert_eq!((consumer.fetcher.counters().notices, consumer.log.decreased.len()), (1, 1));
}

#[test]
fn a_loss_notice_is_no_sample_and_no_delivery() {
    let consumer = noticed(NoticeTimer::Keep);
    assert_eq!((consumer.timer.get().samples.len(), consumer.fetcher.counters().received), (1, 1));
}

#[test]
fn the_announced_segment_is_delivered_when_it_comes() {
    let mut consumer = noticed(NoticeTimer::Keep);
    consumer.data(0);
    assert_eq!(consumer.log.delivered, [(0, 1), (0, 0)]);
    assert_eq!(consumer.log.deliveries[1].transmissions, 1);
}

#[test]
fn a_notice_may_leave_the_timer_alone() {
    let mut consumer = noticed(NoticeTimer::Keep);
    consumer.go_ms(159.0);
    assert_eq!(consumer.timed_out(), [(100.0, 0)]);
}

#[test]
fn a_notice_may_start_the_timer_again() {
    let mut consumer = noticed(NoticeTimer::Restart);
    consumer.go_ms(159.0);
    assert_eq!(consumer.timed_out(), []);
    consumer.go_ms(160.0);
    let mut lost: Vec<u64> = consumer.timed_out().iter().map(|(_, segment)| *segment).collect();
    lost.sort_unstable();
    assert_eq!(lost, [0, 2], "the notice came when 2 was sent");
}

#[test]
fn a_notice_may_stop_the_timer_until_the_interest_has_died() {
    let mut consumer = noticed(NoticeTimer::Stop);
    consumer.data(2);
    for segment in 3..20 {
        consumer.go_ms(60.0 + 20.0 * (segment - 2) as f64);
        consumer.data(segment);
    }
    assert_eq!(consumer.timed_out(), [(400.0, 0)]);
    assert!(consumer.asked().contains(&0));
}

#[test]
fn a_stopped_timer_is_found_at_a_check_too() {
    let timer = Timer::checked(1000.0, 50.0);
    let rules = FetcherRules { notice_timer: NoticeTimer::Stop, lifetime: span_ms(120.0).into(), ..rules() };
    let mut consumer = begun(Setup { timer, rules, ..Setup::window(1.0) });
    consumer.notice(0);
    consumer.go_ms(200.0);
    assert_eq!(consumer.timed_out(), [(150.0, 0)]);
}

#[test]
fn a_stopped_timer_does_not_hit_a_segment_that_has_come() {
    let mut consumer = noticed(NoticeTimer::Stop);
    consumer.data(0);
    consumer.data(2);
    consumer.rto(Span::from_millis(10_000));
    consumer.go_ms(500.0);
    assert_eq!(consumer.timed_out(), []);
}

#[test]
fn a_stopped_timer_does_not_hit_a_later_transmission() {
    let mut consumer = noticed(NoticeTimer::Stop);
    consumer.rto(Span::from_millis(10_000));
    consumer.go_ms(70.0);
    consumer.nack(0, NackReason::Congestion); // sent again at 70 ms, with a running timer
    consumer.go_ms(1000.0);
    assert_eq!(consumer.timed_out(), []);
}

#[test]
fn a_notice_for_a_segment_that_is_there_is_ignored() {
    let mut consumer = noticed(NoticeTimer::Keep);
    consumer.data(0);
    consumer.notice(0);
    consumer.notice(1);
    assert_eq!((consumer.fetcher.counters().notices, consumer.control.get().losses().len()), (1, 1));
    assert_eq!(consumer.drops(DropReason::Unwanted), 2);
}

#[test]
fn a_notice_for_a_segment_that_is_lost_already_is_ignored() {
    let mut consumer = begun(Setup::window(2.0));
    consumer.control.get().allowance = weir_core::Allowance::window(1.0);
    consumer.go_ms(100.0);
    consumer.notice(1);
    assert_eq!((consumer.fetcher.counters().notices, consumer.drops(DropReason::Unwanted)), (0, 1));
}

#[test]
fn a_refusal_is_told_with_its_reason() {
    let mut consumer = begun(Setup::window(2.0));
    consumer.nack(1, NackReason::NoRoute);
    consumer.nack(0, NackReason::Congestion);
    let losses = consumer.control.get().losses();
    let told: Vec<_> = losses.iter().map(|l| (l.kind, l.segment, l.in_flight)).collect();
    assert_eq!(told, [(Loss::Nack(NackReason::NoRoute), 1, 2), (Loss::Nack(NackReason::Congestion), 0, 1)]);
}

#[test]
fn a_driver_that_wakes_too_often_does_no_harm() {
    let run = |step: Option<u64>| {
        let mut consumer = begun(Setup { timer: Timer::checked(130.0, 50.0), ..Setup::default() });
        for now in (0..500).map(f64::from) {
            consumer.go_ms(now);
            if step.is_some_and(|step| (now as u64).is_multiple_of(step)) {
                consumer.wake();
            }
        }
        (consumer.timed_out(), consumer.sent.len())
    };
    assert_eq!(run(None), run(Some(1)));
    assert_eq!(run(None), run(Some(7)));
}

#[test]
fn a_driver_that_only_wakes_when_asked_comes_to_an_end() {
    for check in [0.0, 50.0] {
        let timer = Timer::checked(100.0, check);
        let mut consumer = Consumer::new(Setup { timer, stop: Some(ms(1000.0)), ..Setup::default() });
        let mut wakes = 0;
        while let Some(at) = consumer.fetcher.next_wake() {
            consumer.go(at);
            wakes += 1;
            assert!(wakes < 100, "{wakes} wakes until {at}");
        }
        assert!(consumer.now < ms(1101.0));
    }
}
