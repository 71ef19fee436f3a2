//! The station that `weir forward` runs.

use super::config::{Config, Listen};
use super::datasets::Published;
use super::guard::{Bounds, Guard};
use super::parts::Parts;
use super::renewal::FacePlan;
use super::requests::Request;
use super::rib::Rib;
use super::tally::{Feed, SharedTally};
use super::verify::Verifier;
use crate::clock::Clock;
use crate::driver::Driver;
use crate::face_uri::Endpoint;
use crate::station::{Closing, FaceInfo, Station};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use weir_core::{Context, FaceId, Limit, Time};
use weir_engine::{Forwarder, ForwarderRules};
use weir_wire::Name;

/// NFD's first number for faces that are not its own.
const FIRST_NUMBER: u64 = 256;

/// A forwarder with management.
pub struct Daemon {
    pub(super) forwarder: Forwarder,
    pub(super) parts: Parts,
    pub(super) config: Config,
    pub(super) listeners: Vec<(Endpoint, Listen)>,
    /// By [`FaceId`].
    pub(super) faces: Vec<Option<Held>>,
    /// By the number that management knows.
    pub(super) numbers: BTreeMap<u64, FaceId>,
    next_number: u64,
    pub(super) rib: Rib,
    pub(super) rib_expiry: Option<Time>,
    pub(super) strategies: BTreeMap<Name, String>,
    pub(super) verifier: Verifier,
    pub(super) requests: VecDeque<Request>,
    pub(super) published: Published,
    /// Faces that are kept open, and those that commands wait for.
    pub(super) keeping: super::keeping::Keeping,
    pub(super) tally: SharedTally,
    pub(super) started_ms: u64,
    pub(super) asked: Option<Receiver<Sender<super::status::Status>>>,
    /// Configurations that were read since the start.
    pub(super) renewed: Receiver<Config>,
    /// The driver does not know yet what is to hold for some face.
    pub(super) unsettled: bool,
    stop: Arc<AtomicBool>,
}

/// A face as management sees it.
#[derive(Debug)]
pub(super) struct Held {
    pub number: u64,
    pub about: FaceInfo,
    pub local: bool,
    pub guard: Guard,
    /// What the configuration wants of it.
    pub plan: FacePlan,
    /// What its queue holds.
    pub room: Limit,
    /// Answers that were counted when they were offered to a link which was busy.
    pub counted: usize,
}

/// What a daemon needs to be told from outside, and what it tells.
pub struct Started {
    /// Where it listens.
    pub listening: Vec<Endpoint>,
    /// Interrupts its wait, after which it looks whether it is to stop or somebody wants its status.
    pub waker: Arc<mio::Waker>,
    /// Sends the status to whoever sends a sender here and then wakes the daemon.
    pub status: Sender<Sender<super::status::Status>>,
    /// Sends another configuration, which counts as soon as the daemon is woken, but for what
    /// [`Config::needs_restart`] names.
    pub configurations: Sender<Config>,
}

impl Daemon {
    /// Listens as the configuration says, and gets ready to run. `seed` is the chance of its plug-ins.
    ///
    /// # Errors
    /// What cannot be had, by its name.
    pub fn start(config: Config, seed: u64, stop: Arc<AtomicBool>) -> Result<(Driver, Daemon, Started), String> {
        let tally = SharedTally::default();
        let mut driver = Driver::new(Box::new(Feed(tally.clone()))).map_err(|e| format!("no driver: {e}"))?;
        let mut parts = Parts::new(&config, seed);
        let rules = ForwarderRules { cs_capacity: config.tables.content_store, pit_capacity: config.tables.pit };
        let mut forwarder = Forwarder::new(rules, parts.strategy(&config.schemes.strategy)?);
        if let Some(monitor) = parts.monitor(&config.schemes.monitor)? {
            forwarder.watch(monitor);
        }
        let mut strategies = BTreeMap::from([(Name::root(), config.schemes.strategy.name.clone())]);
        for choice in &config.strategy {
            forwarder.choose_strategy(&choice.prefix, parts.strategy(&choice.strategy)?);
            strategies.insert(choice.prefix.clone(), choice.strategy.name.clone());
        }
        let listeners = listen(&mut driver, &config)?;
        let (status, asked) = std::sync::mpsc::channel();
        let listening = listeners.iter().map(|(at, _)| at.clone()).collect();
        let (configurations, renewed) = std::sync::mpsc::channel();
        let started = Started { listening, waker: driver.waker(), status, configurations };
        let daemon = Daemon {
            verifier: Verifier::new(&config.management)?,
            keeping: super::keeping::Keeping::new(&config),
            forwarder,
            parts,
            config,
            listeners,
            faces: Vec::new(),
            numbers: BTreeMap::new(),
            next_number: FIRST_NUMBER,
            rib: Rib::default(),
            rib_expiry: None,
            strategies,
            requests: VecDeque::new(),
            published: Published::default(),
            tally,
            started_ms: Clock::unix_millis(),
            asked: Some(asked),
            renewed,
            unsettled: false,
            stop,
        };
        Ok((driver, daemon, started))
    }

    pub(super) fn held(&self, face: FaceId) -> Option<&Held> {
        self.faces.get(face.index())?.as_ref()
    }

    pub(super) fn held_mut(&mut self, face: FaceId) -> Option<&mut Held> {
        self.faces.get_mut(face.index())?.as_mut()
    }

    /// Faces that are open.
    pub(super) fn open_faces(&self) -> impl Iterator<Item = (FaceId, &Held)> {
        let faces = self.faces.iter().enumerate();
        faces.filter_map(|(i, held)| Some((FaceId(i as u32), held.as_ref()?)))
    }

    pub(super) fn bounds_of(&self, local: bool, own: Option<u64>) -> Bounds {
        let limits = &self.config.limits;
        let pending = (self.config.tables.pit as f64 * limits.pit_share).ceil() as usize;
        let usual = if local { 0 } else { limits.interest_rate };
        Bounds { rate: own.unwrap_or(usual), pending }
    }

    /// Takes in a face under a number of its own.
    pub(super) fn take_in(&mut self, face: FaceId, about: &FaceInfo, plan: FacePlan, room: Limit, now: Time) {
        if self.faces.len() <= face.index() {
            self.faces.resize_with(face.index() + 1, || None);
        }
        let number = self.next_number;
        self.next_number += 1;
        let local = about.is_local();
        let guard = Guard::new(self.bounds_of(local, plan.interest_rate), now);
        self.faces[face.index()] = Some(Held { number, about: about.clone(), local, guard, plan, room, counted: 0 });
        self.numbers.insert(number, face);
    }
}

fn listen(driver: &mut Driver, config: &Config) -> Result<Vec<(Endpoint, Listen)>, String> {
    let is_default = config.listen.is_empty();
    let mut listeners = Vec::new();
    for listen in config.listeners() {
        match listen.uri.0.resolve().and_then(|at| driver.listen(&at, listen.options())) {
            Ok(at) => listeners.push((at, listen)),
            // A host without IPv6 is no reason not to run.
            Err(e) if is_default && listen.uri.0.to_string().contains("[::]") => drop(e),
            Err(e) => return Err(format!("cannot listen on {}: {e}", listen.uri.0)),
        }
    }
    Ok(listeners)
}

impl Station for Daemon {
    fn opened(&mut self, about: &FaceInfo, cx: &mut Context<'_>) -> Option<FaceId> {
        self.open_face(about, cx)
    }

    fn closed(&mut self, face: FaceId, _: &Closing, cx: &mut Context<'_>) {
        self.forwarder.close_face(face, cx);
        self.rib.forget_face(face, self.forwarder.fib_mut());
        self.rib_expiry = self.rib.next_expiry();
        self.tally.borrow_mut().forget(face);
        if let Some(held) = self.faces[face.index()].take() {
            self.numbers.remove(&held.number);
            self.keeping.lost(&held.about, cx.now);
        }
    }

    fn refused(&mut self, tag: u64, error: &io::Error) {
        self.not_connected(tag, error);
    }

    fn turn(&mut self, driver: &mut Driver) {
        self.renew_if_asked(driver);
        self.keep_faces(driver);
        self.answer_requests(driver);
        self.tell_status(driver);
    }

    fn is_done(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl std::fmt::Debug for Daemon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Daemon")
            .field("forwarder", &self.forwarder)
            .field("rib", &self.rib.len())
            .finish_non_exhaustive()
    }
}
