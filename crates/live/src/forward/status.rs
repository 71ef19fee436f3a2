//! The whole state of the forwarder, for people and programs: the dataset `/localhost/weir/status`, in JSON.

use super::daemon::Daemon;
use crate::clock::Clock;
use crate::driver::Driver;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use weir_core::{Limit, Reading};

/// What a forwarder is doing.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Status {
    /// Weir's version.
    pub version: String,
    /// Start, in milliseconds since the Unix epoch.
    pub started_ms: u64,
    /// Now, likewise.
    pub now_ms: u64,
    /// The Pending Interest Table.
    pub pit: PitStatus,
    /// The Content Store.
    pub cs: CsStatus,
    /// Prefixes with a next hop.
    pub fib_entries: u64,
    /// Interests that joined a pending one.
    pub aggregated: u64,
    /// Pending Interests that expired.
    pub expired: u64,
    /// Interests that were refused here.
    pub nacked: u64,
    /// Loss notices sent by recoveries.
    pub loss_notices: u64,
    /// Packets that recoveries sent again.
    pub recovered: u64,
    /// Dropped packets by reason.
    pub drops: BTreeMap<String, u64>,
    /// Data among those that were lost.
    pub data_lost: u64,
    /// Faces.
    pub faces: Vec<FaceStatus>,
    /// Registered routes.
    pub routes: Vec<RouteStatus>,
    /// Strategies by prefix.
    pub strategies: BTreeMap<String, String>,
}

/// The Pending Interest Table.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct PitStatus {
    /// Entries now.
    pub entries: u64,
    /// Most entries so far.
    pub peak: u64,
    /// Room.
    pub capacity: u64,
    /// Sum of the entries over time, in entry-seconds.
    pub area: f64,
}

/// The Content Store.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct CsStatus {
    /// Packets now.
    pub entries: u64,
    /// Room.
    pub capacity: u64,
    /// Interests answered.
    pub hits: u64,
    /// Interests not answered.
    pub misses: u64,
}

/// A face.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct FaceStatus {
    /// Its number.
    pub face: u64,
    /// Where it leads.
    pub remote: String,
    /// Its address on this side.
    pub local: String,
    /// It stays on this host.
    pub is_local: bool,
    /// Longest frame in bytes.
    pub mtu: u64,
    /// Rate in bit/s, if the operator has said one.
    pub rate: Option<u64>,
    /// Bytes of what it sends that the kernel may hold unsent.
    pub backlog: u64,
    /// The operator has said so; else it is found out, and changes.
    pub backlog_fixed: bool,
    /// Interests that came.
    pub in_interests: u64,
    /// Data that came.
    pub in_data: u64,
    /// Nacks that came.
    pub in_nacks: u64,
    /// Bytes that came.
    pub in_bytes: u64,
    /// Interests that left.
    pub out_interests: u64,
    /// Data that left.
    pub out_data: u64,
    /// Nacks that left.
    pub out_nacks: u64,
    /// Bytes that left.
    pub out_bytes: u64,
    /// Data that left with a congestion mark.
    pub out_marked: u64,
    /// Packets that this forwarder's queue has marked.
    pub marked: u64,
    /// Packets dropped at the face.
    pub dropped: u64,
    /// The same by reason.
    pub drops: BTreeMap<String, u64>,
    /// Data among those that were lost.
    pub data_lost: u64,
    /// How long those waited that the queue's management dropped, in nanoseconds, added up.
    pub dropped_sojourn_ns: u64,
    /// Interests of this face that were refused here.
    pub nacked: u64,
    /// Loss notices that the recovery sent.
    pub loss_notices: u64,
    /// Packets that the recovery sent again.
    pub recovered: u64,
    /// How long they had been stored, in nanoseconds, added up.
    pub stored_ns: u64,
    /// Frames that came and are not NDN.
    pub malformed: u64,
    /// Packets of which not all fragments came.
    pub incomplete: u64,
    /// Packets that the system did not take.
    pub unsent: u64,
    /// Interests of this face that are pending.
    pub pending: u64,
    /// Packets that wait in the queue.
    pub queue: u64,
    /// Bytes that wait in the queue.
    pub queue_bytes: u64,
    /// Most packets that have waited.
    pub queue_peak: u64,
    /// Room of the queue in packets; `None`: it is counted otherwise.
    pub queue_limit: Option<u64>,
    /// Packets in the recovery store.
    pub held: u64,
    /// How long the packets that have left the queue had waited, in nanoseconds, added up.
    pub sojourn_ns: u64,
    /// Data among them.
    pub queued_data: u64,
    /// How long these had waited.
    pub data_sojourn_ns: u64,
}

/// A registered route.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct RouteStatus {
    /// The prefix.
    pub prefix: String,
    /// Over this face.
    pub face: u64,
    /// At this cost.
    pub cost: u64,
    /// Who made it.
    pub origin: u64,
    /// Its flags.
    pub flags: u64,
}

impl Status {
    /// The text of the dataset.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads the text of the dataset.
    ///
    /// # Errors
    /// Where it is not a status.
    pub fn from_json(json: &[u8]) -> Result<Status, String> {
        serde_json::from_slice(json).map_err(|e| format!("this is not the status of a forwarder: {e}"))
    }
}

impl Daemon {
    /// The state now.
    pub(super) fn status(&self, driver: &mut Driver) -> Status {
        let now = driver.context().now;
        let tally = self.tally.borrow();
        let counters = self.forwarder.counters();
        let mut status = Status {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_ms: self.started_ms,
            now_ms: Clock::unix_millis(),
            cs: CsStatus { capacity: self.forwarder.cs().capacity() as u64, ..CsStatus::default() },
            fib_entries: self.forwarder.fib().routes().count() as u64,
            aggregated: counters.aggregated,
            expired: counters.expired,
            nacked: tally.all.nacked,
            loss_notices: tally.all.loss_notices,
            recovered: tally.all.recovered,
            drops: tally.all.reasons(),
            data_lost: tally.all.data_lost,
            routes: self.routes_status(),
            strategies: self.strategies.iter().map(|(prefix, name)| (prefix.to_string(), name.clone())).collect(),
            ..Status::default()
        };
        let mut places = vec![usize::MAX; self.faces.len()];
        for (id, held) in self.open_faces() {
            let seen = tally.of(id);
            let c = driver.counters(id).unwrap_or_default();
            let (backlog, backlog_fixed) = driver.backlog(id).unwrap_or_default();
            places[id.index()] = status.faces.len();
            status.faces.push(FaceStatus {
                face: held.number,
                remote: held.about.remote.to_string(),
                local: held.about.local.to_string(),
                is_local: held.local,
                mtu: driver.mtu(id).unwrap_or(held.about.mtu).bytes() as u64,
                rate: held.about.options.rate.map(|rate| rate.0),
                backlog: backlog as u64,
                backlog_fixed,
                in_interests: c.in_interests,
                in_data: c.in_data,
                in_nacks: c.in_nacks,
                in_bytes: c.in_bytes,
                out_interests: c.out_interests,
                out_data: c.out_data,
                out_nacks: c.out_nacks,
                out_bytes: c.out_bytes,
                out_marked: c.out_marked,
                malformed: c.malformed,
                incomplete: c.incomplete,
                unsent: c.unsent,
                pending: held.guard.pending() as u64,
                marked: seen.marked,
                dropped: seen.dropped(),
                drops: seen.reasons(),
                data_lost: seen.data_lost,
                dropped_sojourn_ns: seen.dropped_sojourn.0,
                nacked: seen.nacked,
                loss_notices: seen.loss_notices,
                recovered: seen.recovered,
                stored_ns: seen.stored.0,
                ..FaceStatus::default()
            });
        }
        self.forwarder.report(now, &mut |reading| status.read(&reading, &places));
        // The report is by the engine's numbers; people look for management's.
        status.faces.sort_by_key(|face| face.face);
        status
    }

    fn routes_status(&self) -> Vec<RouteStatus> {
        let routes = self.rib.entries().flat_map(|(prefix, routes)| routes.iter().map(move |route| (prefix, route)));
        let status = |(prefix, route): (&weir_wire::Name, &super::rib::Route)| RouteStatus {
            prefix: prefix.to_string(),
            face: self.number_of(route.face),
            cost: route.cost,
            origin: route.origin,
            flags: route.flags,
        };
        routes.map(status).collect()
    }

    /// Tells it to whoever has asked from another thread.
    pub(super) fn tell_status(&mut self, driver: &mut Driver) {
        let Some(asked) = self.asked.take() else { return };
        while let Ok(answer) = asked.try_recv() {
            // Whoever has gone meanwhile does not want to know any more.
            let _ = answer.send(self.status(driver));
        }
        self.asked = Some(asked);
    }
}

impl Status {
    fn read(&mut self, reading: &Reading, places: &[usize]) {
        match *reading {
            Reading::Pit { entries, capacity, peak, area } => {
                self.pit = PitStatus { entries: entries as u64, peak: peak as u64, capacity: capacity as u64, area };
            }
            Reading::Cs { entries, hits, misses } => {
                self.cs.entries = entries as u64;
                (self.cs.hits, self.cs.misses) = (hits, misses);
            }
            Reading::Queue { face, packets, bytes, limit, held, peak, departed, .. } => {
                let place = places.get(face.index()).copied().unwrap_or(usize::MAX);
                let Some(status) = self.faces.get_mut(place) else { return };
                (status.queue, status.queue_bytes) = (packets as u64, bytes as u64);
                (status.queue_peak, status.held) = (peak as u64, held as u64);
                let sum = |nanoseconds: u128| u64::try_from(nanoseconds).unwrap_or(u64::MAX);
                (status.sojourn_ns, status.queued_data) = (sum(departed.sojourn), departed.data);
                status.data_sojourn_ns = sum(departed.data_sojourn);
                status.queue_limit = match limit {
                    Limit::Packets(packets) => Some(packets as u64),
                    _ => None,
                };
            }
            _ => {}
        }
    }
}
