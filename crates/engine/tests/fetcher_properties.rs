//! A fetcher on a network that loses, delays, duplicates, refuses, marks and announces at random.

mod common;

use common::*;
use proptest::prelude::*;
use std::collections::BTreeMap;
use weir_core::{Allowance, Chance, ConsumerControl, Seed, Span, Time, Timeout};
use weir_engine::{Application, FetcherRules, NoticeTimer, RateChange};
use weir_schemes::registry::{CONTROLS, TIMEOUTS};
use weir_wire::{Interest, Kind, Nack, NackReason, Packet};

/// What the network does, in shares of the packets.
#[derive(Clone, Copy, Debug)]
struct Network {
    lost: f64,
    refused: f64,
    announced: f64,
    duplicated: f64,
    marked: f64,
    /// Round-trip times are uniform between these.
    rtt: (Span, Span),
}

fn networks() -> impl Strategy<Value = Network> {
    let share = || prop_oneof![Just(0.0), 0.0..0.4];
    (share(), share(), share(), share(), share(), 0..50u64, 0..200u64).prop_map(
        |(lost, refused, announced, duplicated, marked, least, more)| Network {
            lost,
            refused,
            announced,
            duplicated,
            marked,
            rtt: (Span::from_millis(least), Span::from_millis(least + more)),
        },
    )
}

fn all_rules() -> impl Strategy<Value = FetcherRules> {
    let timer = prop_oneof![Just(NoticeTimer::Keep), Just(NoticeTimer::Restart), Just(NoticeTimer::Stop)];
    let change = prop_oneof![Just(RateChange::Next), Just(RateChange::Now), Just(RateChange::Cut)];
    let pause = prop_oneof![Just(0), Just(1), Just(30)];
    let late = proptest::bool::ANY;
    (timer, prop_oneof![Just(0.0), Just(0.5)], prop_oneof![Just(0.0), Just(1.0)], change, pause, late).prop_map(
        |(notice_timer, guard, jitter, rate_change, pause, learn_from_late)| FetcherRules {
            lifetime: span_ms(2000.0).into(),
            guard,
            notice_timer,
            jitter,
            rate_change,
            nack_pause: Span::from_millis(pause),
            learn_from_late,
        },
    )
}

/// A fetcher with its network: answers in the air by arrival time.
struct Run {
    consumer: Consumer,
    network: Network,
    chance: Chance,
    air: BTreeMap<(Time, u64), Packet>,
    answered: usize,
}

impl Run {
    fn new(consumer: Consumer, network: Network, seed: u64) -> Run {
        Run { consumer, network, chance: Seed(seed).stream(), air: BTreeMap::new(), answered: 0 }
    }

    fn rtt(&mut self) -> Span {
        let (least, most) = self.network.rtt;
        least + Span(self.chance.below((most - least).0 + 1))
    }

    fn send(&mut self, packet: Packet) {
        let arrival = self.consumer.now + self.rtt();
        let key = (arrival, self.chance.bits());
        self.air.insert(key, packet);
    }

    fn answer(&mut self, interest: Interest) {
        let Network { lost, refused, announced, duplicated, marked, .. } = self.network;
        if self.chance.happens(lost) {
            return;
        }
        if self.chance.happens(refused) {
            let reasons = [NackReason::Congestion, NackReason::NoRoute, NackReason::Duplicate];
            let reason = reasons[self.chance.below(3) as usize];
            return self.send(Nack { reason, interest }.into());
        }
        let mut data = Packet::from(data(&interest.name.to_string()));
        if self.chance.happens(announced) {
            let mut notice = data.clone();
            notice.hop.loss_notice = true;
            self.send(notice);
        }
        data.hop.congestion_mark = u8::from(self.chance.happens(marked));
        if self.chance.happens(duplicated) {
            self.send(data.clone());
        }
        self.send(data);
    }

    /// Answers what has been sent since the last call.
    fn settle(&mut self) {
        while let Some((_, interest)) = self.consumer.sent.get(self.answered).cloned() {
            self.answered += 1;
            self.answer(interest);
        }
    }

    /// Runs until the fetch is complete.
    fn run(&mut self) {
        for _ in 0..100_000 {
            if self.consumer.fetcher.is_done() {
                return;
            }
            self.step();
        }
        panic!("still busy at {}: {:?}", self.consumer.now, self.consumer.fetcher);
    }

    /// Does what comes next: a wake, or an arrival.
    fn step(&mut self) {
        let arrival = self.air.keys().next().map(|(at, _)| *at);
        match (self.consumer.fetcher.next_wake(), arrival) {
            (Some(wake), arrival) if arrival.is_none_or(|at| wake <= at) => self.consumer.go(wake),
            (_, Some(at)) => self.arrive(at),
            _ => panic!("the fetcher waits for nothing at {}", self.consumer.now),
        }
        self.settle();
    }

    fn arrive(&mut self, at: Time) {
        self.consumer.now = at;
        if let Some((_, packet)) = self.air.pop_first() {
            self.consumer.receive(packet);
        }
    }
}

fn control(index: usize) -> Box<dyn ConsumerControl> {
    (CONTROLS[index % CONTROLS.len()].build)(&Default::default(), &Default::default()).unwrap()
}

fn timer(index: usize) -> Box<dyn Timeout> {
    (TIMEOUTS[index % TIMEOUTS.len()].build)(&Default::default(), &Default::default()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn a_fetch_always_completes_with_every_segment_once(
        network in networks(),
        rules in all_rules(),
        plugins in (0..100usize, 0..100usize),
        segments in 1..300u64,
        seed in any::<u64>(),
    ) {
        let setup = Setup { segments: Some(segments), rules, ..Setup::default() };
        let mut run = Run::new(Consumer::with(setup, control(plugins.0), timer(plugins.1)), network, seed);
        run.run();
        let mut delivered: Vec<u64> = run.consumer.log.delivered.iter().map(|(_, segment)| *segment).collect();
        delivered.sort_unstable();
        prop_assert_eq!(delivered, (0..segments).collect::<Vec<u64>>());
        prop_assert_eq!(run.consumer.fetcher.in_flight(), 0);
        prop_assert_eq!(run.consumer.log.completed, [0]);
        prop_assert_eq!(run.consumer.fetcher.next_wake(), None);
    }

    #[test]
    fn interests_in_flight_never_exceed_the_window(
        network in networks(),
        rules in all_rules(),
        window in 1.0..40.0f64,
        check in prop_oneof![Just(0.0), Just(50.0)],
        seed in any::<u64>(),
    ) {
        let setup = Setup { rules, control: Control::window(window), timer: Timer::checked(150.0, check), ..Setup::default() };
        let mut run = Run::new(Consumer::new(setup), network, seed);
        run.run();
        let control = run.consumer.control.get();
        for signal in &control.signals {
            let (in_flight, spare) = match signal {
                Signal::Sent(sent) => (sent.in_flight, 1.0),
                Signal::Data(data) => (data.in_flight, 0.0),
                Signal::Loss(loss) => (loss.in_flight, 1.0),
            };
            prop_assert!((in_flight as f64) < window + spare, "{:?}", signal);
        }
    }

    /// Sends and answers balance: what is in flight is what was sent and neither came, nor was lost, nor refused.
    #[test]
    fn the_counters_agree(network in networks(), rules in all_rules(), seed in any::<u64>()) {
        let mut run = Run::new(Consumer::new(Setup { rules, ..Setup::window(10.0) }), network, seed);
        run.run();
        let counters = run.consumer.fetcher.counters();
        let log = &run.consumer.log;
        prop_assert_eq!(counters.sent as usize, log.requested.len());
        prop_assert_eq!(counters.sent - counters.retransmitted, 100);
        prop_assert_eq!(counters.received, 100);
        prop_assert_eq!(counters.timeouts as usize, log.timed_out.len());
        prop_assert_eq!(counters.decreases as usize, log.decreased.len());
        let transmissions: u32 = log.deliveries.iter().map(|delivery| delivery.transmissions).sum();
        prop_assert_eq!(u64::from(transmissions), counters.sent);
    }

    /// As `a_fetch_always_completes`, for a control that paces, with a length that only the producer knows.
    #[test]
    fn a_paced_fetch_of_unknown_length_completes(
        network in networks(),
        rules in all_rules(),
        rate in 10.0..10_000.0f64,
        last in 0..100u32,
        seed in any::<u64>(),
    ) {
        let control = Control::allowing(Allowance { window: 50.0, ..Allowance::rate(rate) });
        let setup = Setup { segments: None, rules, control, timer: Timer::of_ms(300.0), ..Setup::default() };
        let mut run = Run::new(Consumer::new(setup), network, seed);
        // Only Data up to the last exist, and each says which one that is.
        while !run.consumer.fetcher.is_done() {
            prop_assert!(run.consumer.now < ms(1e6), "still busy: {:?}", run.consumer.fetcher);
            run.step();
            run.air.retain(|_, packet| packet.name().segment().is_some_and(|segment| segment <= u64::from(last)));
            for packet in run.air.values_mut() {
                let is_content = packet.is_content();
                if let (Kind::Data(data), true) = (&mut packet.kind, is_content) {
                    *data = final_data(data.name.clone(), last);
                }
            }
        }
        prop_assert_eq!(run.consumer.log.delivered.len(), last as usize + 1);
        prop_assert_eq!(run.consumer.fetcher.in_flight(), 0);
    }
}
