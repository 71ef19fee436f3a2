//! Faces that are to be open: those of the configuration, those that commands ask for. And those that nobody needs.

use super::config::{Config, Peer, RouteTo};
use super::daemon::Daemon;
use super::requests::Request;
use super::rib::{CHILD_INHERIT, Route};
use crate::driver::Driver;
use crate::face_uri::Endpoint;
use crate::station::{FaceInfo, FaceOptions, Origin};
use std::collections::BTreeMap;
use std::io;
use weir_core::{Context, FaceId, PathFacts, Span, Time};

/// How long to wait before a face is tried again, and how long after many trials.
const RETRY: (Span, Span) = (Span::from_millis(1000), Span::from_millis(60_000));
/// How often silent faces are looked for.
const SWEEP: Span = Span::from_millis(5000);
/// The silence that is enough when faces run short.
const SHORT_SILENCE: Span = Span::from_millis(10_000);
/// Tags of faces that commands have asked for begin here.
const COMMANDED: u64 = 1 << 32;
/// Routes of the configuration are an operator's (NFD's static origin).
pub(super) const STATIC: u64 = 255;

/// Faces that are to be open.
#[derive(Debug, Default)]
pub(super) struct Keeping {
    peers: Vec<Kept>,
    /// Commands by the tag of the face that they wait for.
    commands: BTreeMap<u64, Request>,
    next_tag: u64,
    sweep: Time,
    /// Commands whose face could not be opened.
    pub failed: Vec<(Request, String)>,
    /// Commands whose face is open.
    pub opened: Vec<(Request, u64)>,
}

/// A face of the configuration.
#[derive(Debug)]
struct Kept {
    peer: Peer,
    /// When it is to be tried; `None`: it is open, or on its way.
    at: Option<Time>,
    pause: Span,
    /// It could not be opened; the next turn says when to try again.
    failed: bool,
    /// The configuration does not have it any more.
    gone: bool,
}

impl Keeping {
    pub fn new(config: &Config) -> Keeping {
        let peers = config.face.iter().map(|peer| Kept::new(peer, Time::ZERO)).collect();
        Keeping { peers, next_tag: COMMANDED, ..Keeping::default() }
    }

    /// When something is to be tried or looked for.
    pub fn next(&self) -> Option<Time> {
        self.peers.iter().filter_map(|kept| kept.at).min()
    }

    /// A face has closed.
    pub fn lost(&mut self, about: &FaceInfo, now: Time) {
        if let Origin::Connected(tag) = about.origin
            && let Some(kept) = self.peers.get_mut(tag as usize).filter(|kept| !kept.gone)
        {
            kept.at = Some(now + kept.pause);
        }
    }

    /// The face of the configuration that has this tag.
    pub fn peer(&self, tag: u64) -> Option<&Peer> {
        self.peers.get(tag as usize).map(|kept| &kept.peer)
    }

    /// From now on these are the faces of the configuration. The tags of those that are not any more.
    pub fn renew(&mut self, peers: &[Peer], now: Time) -> Vec<u64> {
        let mut left: Vec<&Peer> = peers.iter().collect();
        let mut gone = Vec::new();
        for (tag, kept) in self.peers.iter_mut().enumerate() {
            let Some(place) = left.iter().position(|peer| peer.uri == kept.peer.uri) else {
                (kept.gone, kept.at) = (true, None);
                gone.push(tag as u64);
                continue;
            };
            kept.peer = left.remove(place).clone();
            if std::mem::take(&mut kept.gone) {
                (kept.at, kept.pause) = (Some(now), RETRY.0);
            }
        }
        self.peers.extend(left.into_iter().map(|peer| Kept::new(peer, now)));
        gone
    }

    /// Asks for a face on behalf of a command.
    pub fn ask(&mut self, driver: &mut Driver, to: &Endpoint, options: FaceOptions, command: Request) {
        self.commands.insert(self.next_tag, command);
        driver.connect(to, options, self.next_tag);
        self.next_tag += 1;
    }
}

impl Daemon {
    /// Tries what is due, and closes what has been silent for too long.
    pub(super) fn keep_faces(&mut self, driver: &mut Driver) {
        let now = driver.context().now;
        for (tag, kept) in self.keeping.peers.iter_mut().enumerate() {
            if std::mem::take(&mut kept.failed) {
                kept.postpone(now);
            }
            if kept.at.is_none_or(|at| at > now) {
                continue;
            }
            let options = kept.peer.options();
            kept.at = None;
            match kept.peer.uri.0.resolve() {
                Ok(endpoint) => driver.connect(&endpoint, options, tag as u64),
                Err(_) => kept.postpone(now),
            }
        }
        if self.keeping.sweep <= now {
            self.keeping.sweep = now + SWEEP;
            self.close_silent(driver, now);
        }
    }

    fn close_silent(&mut self, driver: &mut Driver, now: Time) {
        let full = self.open_faces().count() + self.config.limits.faces / 8 >= self.config.limits.faces;
        let silence = if full { SHORT_SILENCE } else { self.config.limits.idle };
        let silent = |face: FaceId| driver.heard(face).is_some_and(|heard| now.since(heard) > silence);
        let closing: Vec<FaceId> = self
            .open_faces()
            .filter(|(_, held)| held.about.origin == Origin::Accepted && matches!(held.about.remote, Endpoint::Udp(_)))
            .map(|(face, _)| face)
            .filter(|face| silent(*face))
            .collect();
        closing.into_iter().for_each(|face| driver.close(face));
    }

    /// A face could not be opened.
    pub(super) fn not_connected(&mut self, tag: u64, error: &io::Error) {
        if let Some(command) = self.keeping.commands.remove(&tag) {
            self.keeping.failed.push((command, error.to_string()));
        } else if let Some(kept) = self.keeping.peers.get_mut(tag as usize) {
            kept.failed = true;
        }
    }

    /// Gives a face its number, queue and bounds; `None` if there are too many.
    pub(super) fn open_face(&mut self, about: &FaceInfo, cx: &mut Context<'_>) -> Option<FaceId> {
        let open = self.open_faces().count();
        // Strangers leave room for those on this host.
        let stranger = about.origin == Origin::Accepted && !about.is_local();
        let most = if stranger { self.config.limits.faces * 3 / 4 } else { self.config.limits.faces };
        if open >= most {
            self.tally.borrow_mut().drop_for("too-many-faces", FaceId(0));
            return None;
        }
        let plan = self.plan_of(about);
        let queue = self.parts.queue(&plan.queue, &plan.recovery, &plan.link).ok()?;
        let room = queue.limit();
        let local = about.is_local();
        let face = if local { self.forwarder.add_near_face(queue) } else { self.forwarder.add_face(queue) };
        self.describe(face, &plan.link, room);
        self.forwarder.set_up(face, plan.down.is_none());
        // The driver is told in the next turn.
        self.unsettled |= plan.down.is_some();
        let routes = plan.routes.clone();
        self.take_in(face, about, plan, room, cx.now);
        routes.iter().for_each(|route| self.lead_to(route, face));
        self.welcome(about, face);
        Some(face)
    }

    /// A route of the configuration, and what its way is like.
    pub(super) fn lead_to(&mut self, to: &RouteTo, face: FaceId) {
        let route = Route { face, origin: STATIC, cost: to.cost, flags: CHILD_INHERIT, expires: None };
        self.rib.register(&to.prefix, route, self.forwarder.fib_mut());
        // It has a next hop now, so the longest prefix is its own.
        if let (Some(round_trip), Some(prefix)) = (to.round_trip, self.forwarder.fib().lookup(&to.prefix).prefix) {
            self.forwarder.describe_route(prefix, face, &PathFacts { round_trip });
        }
    }

    /// Whoever asked for a face is told.
    fn welcome(&mut self, about: &FaceInfo, face: FaceId) {
        let Origin::Connected(tag) = about.origin else { return };
        let number = self.held(face).map_or(0, |held| held.number);
        if let Some(command) = self.keeping.commands.remove(&tag) {
            self.keeping.opened.push((command, number));
        } else if let Some(kept) = self.keeping.peers.get_mut(tag as usize) {
            kept.pause = RETRY.0;
        }
    }
}

impl Kept {
    fn new(peer: &Peer, at: Time) -> Kept {
        Kept { peer: peer.clone(), at: Some(at), pause: RETRY.0, failed: false, gone: false }
    }

    fn postpone(&mut self, now: Time) {
        self.at = Some(now + self.pause);
        self.pause = (self.pause * 2).min(RETRY.1);
    }
}
