//! Random traffic through a forwarder: nothing breaks, nothing is lost from the books, everything ends.

mod common;

use common::*;
use proptest::prelude::*;
use weir_core::{DropReason, Span};
use weir_engine::{Forwarder, ForwarderRules, Router};
use weir_wire::{Interest, Kind, Nack, NackReason, Packet};

const FACES: u32 = 4;
/// Longest lifetime that the tests use.
const LONGEST: u32 = 300;

/// Few names, nonces and faces, so that packets meet each other.
const NAMES: [&str; 6] = ["/a", "/a/seg=1", "/a/seg=2", "/a/b/seg=1", "/b/seg=1", "/c"];

/// What happens next.
#[derive(Clone, Debug)]
enum Step {
    Interest {
        face: u32,
        interest: Interest,
        token: bool,
        marked: bool,
    },
    Data {
        face: u32,
        uri: &'static str,
        freshness: u32,
        marked: bool,
    },
    Nack {
        face: u32,
        interest: Interest,
        reason: NackReason,
    },
    Notice {
        face: u32,
        uri: &'static str,
    },
    /// Answers the packet last pulled from a face.
    Echo {
        face: u32,
        refuse: bool,
    },
    Pull {
        face: u32,
    },
    Pass {
        micros: u64,
    },
    Link {
        face: u32,
        up: bool,
    },
}

fn interests() -> impl Strategy<Value = Interest> {
    let selectors = prop_oneof![3 => Just((false, false)), 1 => any::<(bool, bool)>()];
    let hop_limit = prop_oneof![3 => Just(None), 1 => (0..3u8).prop_map(Some)];
    (prop::sample::select(NAMES.as_slice()), 0..6u32, 0..LONGEST, hop_limit, selectors).prop_map(
        |(uri, nonce, lifetime, hop_limit, (can_be_prefix, must_be_fresh))| Interest {
            hop_limit,
            can_be_prefix,
            must_be_fresh,
            ..short_interest(uri, nonce, lifetime)
        },
    )
}

fn steps() -> impl Strategy<Value = Step> {
    let face = || 0..FACES;
    let uri = || prop::sample::select(NAMES.as_slice());
    let reasons = vec![NackReason::Congestion, NackReason::Duplicate, NackReason::NoRoute, NackReason::Unspecified];
    prop_oneof![
        8 => (face(), interests(), any::<(bool, bool)>())
            .prop_map(|(face, interest, (token, marked))| Step::Interest { face, interest, token, marked }),
        3 => (face(), uri(), 0..100u32, any::<bool>())
            .prop_map(|(face, uri, freshness, marked)| Step::Data { face, uri, freshness, marked }),
        1 => (face(), interests(), prop::sample::select(reasons))
            .prop_map(|(face, interest, reason)| Step::Nack { face, interest, reason }),
        1 => (face(), uri()).prop_map(|(face, uri)| Step::Notice { face, uri }),
        4 => (face(), any::<bool>()).prop_map(|(face, refuse)| Step::Echo { face, refuse }),
        2 => face().prop_map(|face| Step::Pull { face }),
        4 => (0..50_000u64).prop_map(|micros| Step::Pass { micros }),
        1 => (face(), any::<bool>()).prop_map(|(face, up)| Step::Link { face, up }),
    ]
}

#[derive(Clone, Copy, Debug)]
struct Tables {
    pit: usize,
    cs: usize,
    queue: usize,
    strategy: &'static str,
}

fn tables() -> impl Strategy<Value = Tables> {
    let strategies = vec!["best-route", "multicast", "round-robin", "weighted-random"];
    (1..8usize, 0..4usize, prop_oneof![1..5usize, Just(100_000)], prop::sample::select(strategies))
        .prop_map(|(pit, cs, queue, strategy)| Tables { pit, cs, queue, strategy })
}

/// A router and the last packet that each of its neighbours got.
struct Run {
    bench: Bench<Router>,
    tables: Tables,
    last: Vec<Option<Packet>>,
    /// Packets in the egress queues.
    queued: usize,
}

impl Run {
    fn new(tables: Tables) -> Run {
        let rules = ForwarderRules { cs_capacity: tables.cs, pit_capacity: tables.pit };
        let mut forwarder = Forwarder::new(rules, strategy(tables.strategy));
        for _ in 0..FACES {
            forwarder.add_face(droptail(tables.queue));
        }
        add_routes(&mut forwarder, &[("/a", 2, 1), ("/a", 3, 2), ("/a", 1, 3), ("/a/b", 3, 1), ("/b", 0, 1)]);
        Run { bench: Bench::new(Router::new(forwarder)), tables, last: vec![None; FACES as usize], queued: 0 }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Interest { face, interest, token, marked } => {
                let mut packet = Packet::from(interest);
                packet.hop.pit_token = token.then(|| weir_wire::PitToken::new(&[face as u8])).flatten();
                packet.hop.congestion_mark = u8::from(marked);
                self.receive(face, packet);
            }
            Step::Data { face, uri, freshness, marked } => {
                let mut packet = Packet::from(fresh_data(uri, freshness));
                packet.hop.congestion_mark = u8::from(marked);
                self.receive(face, packet);
            }
            Step::Nack { face, interest, reason } => self.receive(face, Nack { reason, interest }.into()),
            Step::Notice { face, uri } => self.receive(face, notice(uri)),
            Step::Echo { face, refuse } => self.echo(face, refuse),
            Step::Pull { face } => self.pull(face),
            Step::Pass { micros } => {
                let to = self.bench.now + Span::from_micros(micros);
                self.bench.go(to);
            }
            Step::Link { face, up } => self.bench.machine.forwarder_mut().set_up(weir_core::FaceId(face), up),
        }
        assert!(self.bench.pending() <= self.tables.pit);
        assert!(self.bench.machine.forwarder().cs().len() <= self.tables.cs);
    }

    fn pull(&mut self, face: u32) {
        if let Some(packet) = self.bench.pull(face) {
            self.queued -= 1;
            assert!(packet.hop.pit_token.as_ref().is_none_or(|token| token[..] == [face as u8]), "another's token");
            if let Kind::Interest(_) = packet.kind {
                assert_eq!((&packet.hop.pit_token, packet.hop.congestion_mark), (&None, 0));
            }
            self.last[face as usize] = Some(packet);
        }
    }

    fn echo(&mut self, face: u32, refuse: bool) {
        self.pull(face);
        let Some(Kind::Interest(interest)) = self.last[face as usize].take().map(Packet::into_kind) else { return };
        match refuse {
            true => self.receive(face, Nack { reason: NackReason::Congestion, interest }.into()),
            false => self.receive(face, data(&interest.name.to_string()).into()),
        }
    }

    /// Packets in the egress queues, by what their readings say.
    fn backlog(&self) -> usize {
        let packets = |reading| if let weir_core::Reading::Queue { packets, .. } = reading { packets } else { 0 };
        self.bench.readings().into_iter().map(packets).sum()
    }

    /// Lets a packet in and accounts for it: it was sent on, stored in a table, or discarded, and nothing twice.
    fn receive(&mut self, face: u32, packet: Packet) {
        let pending = self.bench.pending();
        self.bench.push(face, packet.clone());
        let (sent, discarded) = self.books(&packet);
        let all = FACES as usize;
        let balanced = match (&packet.kind, discarded) {
            (Kind::Interest(_), None) => (1..=all).contains(&sent),
            (Kind::Interest(_), Some(DropReason::DuplicateNonce)) => sent == 1,
            // Refused, to all that wait for it.
            (Kind::Interest(_), Some(DropReason::NoRoute)) => (1..=all).contains(&sent),
            (Kind::Interest(_), Some(_)) => sent == 0,
            (Kind::Data(_), None) if !packet.hop.loss_notice && self.tables.cs > 0 => self.bench.pending() < pending,
            (Kind::Data(_), None) => sent > 0,
            (Kind::Data(_), Some(reason)) => sent == 0 && reason == DropReason::Unsolicited,
            // Tried elsewhere, passed down, or kept in mind until the other upstreams have answered.
            (Kind::Nack(_), None) => sent <= all,
            (Kind::Nack(_), Some(reason)) => sent == 0 && reason == DropReason::Unsolicited,
        };
        assert!(balanced, "{}: {sent} sent, discarded: {discarded:?}", text(&packet));
    }

    /// How many packets were sent because of this one, and why it was discarded, if it was.
    fn books(&mut self, packet: &Packet) -> (usize, Option<DropReason>) {
        let dropped = std::mem::take(&mut self.bench.log.dropped);
        // What found no room in a queue was sent all the same.
        let (full, rest): (Vec<_>, Vec<_>) = dropped.into_iter().partition(|d| d.2 == DropReason::QueueFull);
        let backlog = self.backlog();
        let queued = std::mem::replace(&mut self.queued, backlog);
        let unmarked = |text: &str| text.replace(" !", "");
        assert!(rest.iter().all(|(what, ..)| unmarked(what) == unmarked(&text(packet))), "{rest:?}");
        assert!(rest.len() <= 1, "discarded twice: {rest:?}");
        (self.queued + full.len() - queued, rest.first().map(|(_, _, reason)| *reason))
    }

    /// No entry outlives the longest lifetime.
    fn end(&mut self) {
        let to = self.bench.now + Span::from_millis(u64::from(LONGEST));
        self.bench.go(to);
        assert_eq!(self.bench.pending(), 0);
        for face in 0..FACES {
            self.queued -= self.bench.take(face).len();
        }
        assert_eq!((self.queued, self.backlog()), (0, 0));
        let (entries, peak, area) = self.bench.pit_reading();
        assert!(entries == 0 && peak <= self.tables.pit);
        assert!(area <= self.tables.pit as f64 * self.bench.now.seconds() + 1e-9);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn random_traffic_is_accounted_for_and_ends(tables in tables(), steps in prop::collection::vec(steps(), 1..200)) {
        let mut run = Run::new(tables);
        for step in steps {
            run.step(step);
        }
        run.end();
    }

    /// The sum of the entries over time is what a look after each step adds up to.
    #[test]
    fn occupancy_is_summed_over_time(lives in prop::collection::vec((1..LONGEST, 0..100u64), 1..50)) {
        let mut run = Run::new(Tables { pit: 1000, cs: 0, queue: 1000, strategy: "best-route" });
        let mut area = 0.0;
        for (i, (lifetime, pause)) in lives.iter().enumerate() {
            run.bench.push(0, short_interest(&format!("/a/x/seg={i}"), 1, *lifetime));
            area += f64::from(*lifetime) / 1000.0;
            let to = run.bench.now + Span::from_millis(*pause);
            run.bench.go(to);
        }
        let end = run.bench.now + Span::from_millis(u64::from(LONGEST));
        run.bench.go(end);
        prop_assert!((run.bench.pit_reading().2 - area).abs() < 1e-9);
    }
}
