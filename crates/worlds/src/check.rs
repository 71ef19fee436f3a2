//! What must hold in every world.

use crate::audit::{Audit, Auditor};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use weir_core::{Reading, Span, Time};
use weir_scenario::Study;
use weir_scenario::plan::{Action, Requests, Scenario};
use weir_sim::{Built, End, Outcome, Scope, World, build};

/// How a world fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The reader refuses the file.
    Refused,
    /// What the reader accepts cannot be built.
    Unbuildable,
    /// Something panics: an assertion, an overflow.
    Panic,
    /// Packets have come from nowhere or are gone without a note.
    Books,
    /// A table or queue holds more than it may, or a segment is delivered twice.
    Bound,
    /// It does not come to rest.
    Endless,
    /// A fetch has not got all its segments.
    Incomplete,
    /// Something is left when all is over.
    Leak,
    /// A second run is another one.
    Unrepeatable,
}

/// A world that fails, and what is wrong with it.
#[derive(Clone, Debug)]
pub struct Failure {
    /// How it fails.
    pub kind: Kind,
    /// What is wrong, for people.
    pub what: String,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.what)
    }
}

/// How far a world may go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Events of one run.
    pub events: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { events: 15_000_000 }
    }
}

/// What a world has done that did not fail.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    /// Events of one run.
    pub events: u64,
    /// Segments that reached their consumers.
    pub delivered: u64,
    /// Simulated time.
    pub time: Time,
    /// Hash of all that happened.
    pub digest: u64,
}

/// Runs the scenario file `text` with `seed`, twice, and checks what must hold.
///
/// # Errors
/// The first thing that does not hold.
pub fn check(text: &str, seed: u64, limits: &Limits) -> Result<Report, Failure> {
    check_prepared(text, seed, limits, &|_| ())
}

/// The same, with something done to each of the two worlds before it runs: a defect is planted in this way, to see that
/// it is noticed.
///
/// # Errors
/// The first thing that does not hold.
pub fn check_prepared(text: &str, seed: u64, limits: &Limits, prepare: &dyn Fn(&mut World)) -> Result<Report, Failure> {
    catch_unwind(AssertUnwindSafe(|| run(text, seed, limits, prepare))).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().cloned();
        let said = said.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        Err(fail(Kind::Panic, said.unwrap_or_else(|| "without words".into())))
    })
}

fn fail(kind: Kind, what: impl Into<String>) -> Failure {
    Failure { kind, what: what.into() }
}

fn run(text: &str, seed: u64, limits: &Limits, prepare: &dyn Fn(&mut World)) -> Result<Report, Failure> {
    let study = Study::parse("world.toml", text, &[]).map_err(|problems| fail(Kind::Refused, problems.to_string()))?;
    let [point] = study.points() else { return Err(fail(Kind::Refused, "a world has no axes")) };
    let scenario = &point.scenario;
    let built = || build(scenario, seed).map_err(|error| fail(Kind::Unbuildable, error.to_string()));
    let (mut first, mut again) = (built()?, built()?);
    prepare(&mut first.world);
    prepare(&mut again.world);
    let flows = scenario.workloads.iter().zip(0..);
    let requesters = flows.filter(|(workload, _)| workload.requests.is_some()).map(|(_, flow)| flow).collect();
    let restarts = scenario.timeline.iter().any(|happening| matches!(happening.action, Action::Restart { .. }));
    let audit = Audit { pit_capacity: scenario.tables.pit, requesters, restarts, ..Audit::default() };
    let audit = Rc::new(RefCell::new(audit));
    first.world.watch(Box::new(Auditor(Rc::clone(&audit))));
    for stop in stops() {
        if !first.world.run_within(stop, limits.events) {
            return Err(fail(Kind::Endless, format!("{} events up to {}", limits.events, first.world.now())));
        }
        look(&first, scenario, &audit.borrow())?;
    }
    all_delivered(scenario, &audit.borrow())?;
    nothing_left(&first)?;
    // The same end, with fewer stops on the way.
    let ended = stops().skip(20).all(|stop| again.world.run_within(stop, limits.events));
    if !ended || again.world.digest() != first.world.digest() {
        return Err(fail(Kind::Unrepeatable, "two runs, watched and not, have different digests"));
    }
    let outcomes = [&first, &again].map(|built| Outcome::of(&built.world, &built.nodes, &built.links).values);
    if let Some(difference) = difference(&outcomes) {
        return Err(fail(Kind::Unrepeatable, difference));
    }
    let delivered = audit.borrow().delivered.values().map(|segments| segments.len() as u64).sum();
    let world = &first.world;
    Ok(Report { events: world.events(), delivered, time: world.now(), digest: world.digest() })
}

type Values = BTreeMap<(&'static str, Scope), f64>;

/// A metric that is not the same in both runs.
fn difference([watched, plain]: &[Values; 2]) -> Option<String> {
    let key = watched.keys().chain(plain.keys()).find(|key| watched.get(*key) != plain.get(*key))?;
    Some(format!("{key:?} is {:?} in a watched run and {:?} in another", watched.get(key), plain.get(key)))
}

/// When to look: often at first, and when all is over.
fn stops() -> impl Iterator<Item = End> {
    let times = (0..24).map(|n| End::At(Time::ZERO + Span::from_seconds(0.001 * f64::from(1 << n) / 1.7)));
    times.chain([End::Quiet])
}

/// What holds at any time.
fn look(built: &Built, scenario: &Scenario, audit: &Audit) -> Result<(), Failure> {
    if let Some(broken) = &audit.broken {
        return Err(fail(Kind::Bound, broken));
    }
    let now = built.world.now();
    let books = |place: &str, error: Option<String>| match error {
        Some(error) => Err(fail(Kind::Books, format!("at {now}, {place}: {error}"))),
        None => Ok(()),
    };
    for (name, (spec, counters, flying)) in built.links.iter().zip(built.world.links()) {
        let book = |node: u32, face: u32| audit.faces.get(&(node, face)).cloned().unwrap_or_default();
        let arrived = book(spec.to, spec.to_face.0).arrived;
        books(name, book(spec.from, spec.from_face.0).link_error(counters, flying, arrived))?;
    }
    for (node, name) in built.nodes.iter().enumerate() {
        for reading in readings(&built.world, node as u32) {
            match reading {
                Reading::Pit { entries, peak, .. } => {
                    if scenario.tables.pit.is_some_and(|most| peak > most) {
                        return Err(fail(Kind::Bound, format!("{peak} Interests were pending at {name}")));
                    }
                    books(name, audit.nodes.get(&(node as u32)).and_then(|book| book.error(entries, audit.restarts)))?;
                }
                Reading::Cs { entries, .. } if entries > scenario.tables.cs => {
                    return Err(fail(Kind::Bound, format!("the Content Store of {name} holds {entries} Data")));
                }
                Reading::Queue { face, packets, held, .. } => {
                    let book = audit.faces.get(&(node as u32, face.0)).cloned().unwrap_or_default();
                    books(&format!("face {} of {name}", face.0), book.queue_error(packets, held))?;
                }
                Reading::Cs { .. } | Reading::Hop { .. } | Reading::Flow { .. } => {}
            }
        }
    }
    Ok(())
}

fn readings(world: &World, node: u32) -> Vec<Reading> {
    let mut readings = Vec::new();
    world.machine(node).inspect(world.now(), &mut |reading| readings.push(reading));
    readings
}

/// Every fetch that nobody gave up has all its segments, and asked for no others.
fn all_delivered(scenario: &Scenario, audit: &Audit) -> Result<(), Failure> {
    for (flow, workload) in scenario.workloads.iter().enumerate() {
        let flow = flow as u32;
        let got = audit.delivered.get(&flow).map_or(0, |segments| segments.len() as u64);
        let asked = audit.requested.get(&flow).copied().unwrap_or(0);
        let label = &workload.label;
        if let Some(requests) = &workload.requests {
            all_answered(label, requests, workload.stop.is_some(), audit.requests.get(&flow))?;
            continue;
        }
        if got > asked {
            return Err(fail(Kind::Bound, format!("{label} has {got} segments and has asked for {asked}")));
        }
        if let (Some(segments), None) = (workload.segments, workload.stop)
            && (got, asked) != (segments, segments)
        {
            let what = format!("{label} has got {got} of {segments} segments, and asked for {asked}");
            return Err(fail(Kind::Incomplete, what));
        }
    }
    Ok(())
}

/// Every request has got its Data, or has been given up after as many repetitions as it may have.
fn all_answered(label: &str, requests: &Requests, stops: bool, seen: Option<&[u64; 3]>) -> Result<(), Failure> {
    let [begun, done, given_up] = seen.copied().unwrap_or_default();
    let told = || format!("{label} has begun {begun} requests, {done} are done, {given_up} given up");
    if begun != done + given_up || !stops && requests.count.is_some_and(|count| count != begun) {
        return Err(fail(Kind::Incomplete, told()));
    }
    if requests.retries.is_none() && given_up > 0 {
        return Err(fail(Kind::Bound, told()));
    }
    Ok(())
}

/// When nothing happens any more, every link, queue, store and table is empty.
fn nothing_left(built: &Built) -> Result<(), Failure> {
    for (name, (_, _, flying)) in built.links.iter().zip(built.world.links()) {
        if flying > 0 {
            return Err(fail(Kind::Leak, format!("{flying} packets are still on {name}")));
        }
    }
    for (node, name) in built.nodes.iter().enumerate() {
        for reading in readings(&built.world, node as u32) {
            let left = match reading {
                Reading::Pit { entries, .. } => entries,
                Reading::Queue { packets, held, .. } => packets + held,
                Reading::Flow { in_flight, .. } => in_flight,
                Reading::Cs { .. } | Reading::Hop { .. } => 0,
            };
            if left > 0 {
                return Err(fail(Kind::Leak, format!("all is over, and {name} has {reading:?}")));
            }
        }
    }
    Ok(())
}
