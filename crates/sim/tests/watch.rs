//! Watching a run: it changes nothing, and what it shows agrees with the books.

mod common;

use common::{built, of_run, outcome};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use weir_core::{DropReason, Event, FaceId, NodeId, Signal, Sink, Time};
use weir_sim::{End, drop_metric};
use weir_wire::Packet;

/// Losses, a bounded PIT, repeated Interests, caches, marks and recovery: most events come up.
const BUSY: &str = include_str!("common/busy.toml");

/// Counts everything it is told.
#[derive(Default)]
struct Tally {
    events: BTreeMap<&'static str, u64>,
    drops: u64,
    last: Time,
}

impl Tally {
    fn of(&self, event: &str) -> f64 {
        self.events.get(event).copied().unwrap_or(0) as f64
    }
}

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Tally>>);

impl Sink for Shared {
    fn dropped(&mut self, _now: Time, _node: NodeId, _face: FaceId, _packet: &Packet, _reason: DropReason) {
        self.0.borrow_mut().drops += 1;
    }

    fn detail(&mut self, now: Time, _node: NodeId, _face: FaceId, event: &Event<'_>) {
        let mut tally = self.0.borrow_mut();
        assert!(now >= tally.last, "time runs backwards");
        assert!(event.name().to_string().starts_with("/video"), "{event:?}");
        tally.last = now;
        let kind = match event {
            Event::Asked { .. } => "asked",
            Event::Signalled { signal: Signal::Data { .. }, .. } => "data",
            Event::Signalled { .. } => "loss",
            Event::Queued { .. } => "queued",
            Event::Dequeued { .. } => "dequeued",
            Event::Marked { .. } => "marked",
            Event::Stored { .. } => "stored",
            Event::Announced { .. } => "announced",
            Event::Recovered { .. } => "recovered",
            Event::Sent { .. } => "sent",
            Event::Arrived { .. } => "arrived",
            Event::CsHit { .. } => "hit",
            Event::CsMiss { .. } => "miss",
            Event::PitInserted { .. } => "inserted",
            Event::PitJoined { .. } => "joined",
            Event::PitSatisfied { .. } => "satisfied",
            Event::PitExpired { .. } => "expired",
            Event::Suppressed { .. } => "suppressed",
            Event::Decided { .. } => "decided",
            _ => "other",
        };
        *tally.events.entry(kind).or_default() += 1;
    }
}

#[test]
fn a_watched_run_is_the_same_run() {
    let requests = "consumer = \"c2\", producer = \"p\", name = \"/video/objects\", rate = \"50/s\", count = 100";
    let text = format!("{BUSY}[[workload]]\npoisson = {{ {requests}, retries = 0 }}\n");
    let [mut plain, mut watched] = [(); 2].map(|()| built(&text, 3));
    watched.world.watch(Box::new(Shared::default()));
    let [plain, watched] = [&mut plain, &mut watched].map(|built| {
        built.world.run(built.end);
        outcome(built)
    });
    assert!(of_run(&plain, "fetches_failed") > 0.0);
    let differs = |key: &&_| watched.values.get(*key) != plain.values.get(*key);
    let keys = || plain.values.keys().chain(watched.values.keys());
    assert_eq!((watched.digest, keys().find(differs)), (plain.digest, None));
}

#[test]
fn what_is_shown_agrees_with_the_books() {
    let mut built = built(BUSY, 3);
    let tally = Shared::default();
    built.world.watch(Box::new(tally.clone()));
    built.world.run(End::Quiet);
    let outcome = outcome(&built);
    let (sent, arrived) = built.world.links().fold((0, 0), |(s, a), (_, c, _)| (s + c.packets, a + c.arrived));
    let tally = tally.0.borrow();
    let run = |metric| of_run(&outcome, metric);
    let books = [
        ("sent", sent as f64),
        ("dequeued", sent as f64),
        ("arrived", arrived as f64),
        ("asked", run("requests")),
        ("data", run("delivered")),
        ("marked", run("marks")),
        ("announced", run("loss_notices")),
        ("recovered", run("recovered")),
        ("suppressed", run("drops_suppressed")),
        ("hit", run("cs_hits")),
        ("miss", run("cs_misses")),
        ("inserted", tally.of("satisfied") + tally.of("expired") + run("drops_no_route")),
    ];
    for (event, count) in books {
        assert_eq!(tally.of(event), count, "{event}: {:?}", tally.events);
    }
    let drops: f64 = DropReason::ALL.iter().map(|reason| run(drop_metric(*reason))).sum();
    assert_eq!(tally.drops as f64, drops);
    for event in ["marked", "stored", "recovered", "joined", "suppressed", "hit", "miss", "loss", "decided"] {
        assert!(tally.of(event) > 0.0, "the scenario has no {event}: {:?}", tally.events);
    }
}
