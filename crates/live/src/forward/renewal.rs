//! A configuration that is read again while the forwarder runs: what it says of faces, routes and schemes counts at once.

use super::config::{Config, Down, RouteTo};
use super::daemon::{Daemon, Held};
use super::keeping::STATIC;
use super::parts::LinkTerms;
use super::values::Scheme;
use crate::driver::Driver;
use crate::face::Gate;
use crate::station::{FaceInfo, Origin};
use weir_core::{FaceId, Limit, LinkFacts, Span};
use weir_wire::{Mtu, Name};

/// What the configuration wants of a face.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FacePlan {
    pub queue: Scheme,
    pub recovery: Scheme,
    pub link: LinkTerms,
    pub interest_rate: Option<u64>,
    pub down: Option<Down>,
    pub routes: Vec<RouteTo>,
    /// Of the frames; `None`: as the transport has it.
    mtu: Option<Mtu>,
    overhead: Option<usize>,
    backlog: Option<usize>,
}

fn gate(down: Option<Down>) -> Gate {
    match down {
        None => Gate::Open,
        Some(Down::Wait) => Gate::Shut,
        Some(Down::Drop) => Gate::Void,
    }
}

impl Config {
    /// Tables that count only when the forwarder starts, and that another configuration has otherwise.
    pub fn needs_restart(&self, other: &Config) -> Vec<&'static str> {
        let differ = [
            ("[tables]", self.tables != other.tables),
            ("[limits]", self.limits != other.limits),
            ("[[listen]]", self.listen != other.listen),
            ("[management]", self.management != other.management),
            ("metrics", self.metrics != other.metrics),
            ("schemes.monitor", self.schemes.monitor != other.schemes.monitor),
        ];
        differ.into_iter().filter(|(_, differs)| *differs).map(|(table, _)| table).collect()
    }
}

impl Daemon {
    /// What is to hold for a face.
    pub(super) fn plan_of(&self, about: &FaceInfo) -> FacePlan {
        let peer = match about.origin {
            Origin::Connected(tag) => self.keeping.peer(tag),
            Origin::Accepted => None,
        };
        let listener = self.listeners.iter().find(|(at, _)| *at == about.local).map(|(_, listen)| listen);
        let listener = listener.filter(|_| about.origin == Origin::Accepted);
        let terms = peer.map(|peer| peer.terms()).or(listener.map(|listen| listen.terms()));
        let schemes = &self.config.schemes;
        let limit = terms.and_then(|terms| terms.limit(about.mtu));
        let usual = if about.is_local() { schemes.local_queue_packets } else { schemes.queue_packets };
        FacePlan {
            queue: terms.and_then(|terms| terms.queue).unwrap_or(&schemes.queue).clone(),
            recovery: terms.and_then(|terms| terms.recovery).unwrap_or(&schemes.recovery).clone(),
            link: LinkTerms {
                rate: peer.map_or(about.options.rate, |peer| peer.rate),
                delay: terms.and_then(|terms| terms.delay),
                limit: Some(limit.unwrap_or(Limit::Packets(usual))),
            },
            interest_rate: terms.and_then(|terms| terms.interest_rate),
            down: peer.and_then(|peer| peer.down),
            routes: peer.map(|peer| peer.routes.clone()).unwrap_or_default(),
            mtu: peer.and_then(|peer| peer.mtu),
            overhead: peer.and_then(|peer| peer.overhead),
            backlog: peer.and_then(|peer| peer.options().backlog),
        }
    }

    /// Takes what has been read anew.
    pub(super) fn renew_if_asked(&mut self, driver: &mut Driver) {
        if std::mem::take(&mut self.unsettled) {
            let down = |held: &Held| held.plan.down.is_some();
            let faces: Vec<_> =
                self.open_faces().filter(|(_, held)| down(held)).map(|(f, h)| (f, h.plan.down)).collect();
            faces.into_iter().for_each(|(face, down)| driver.set_gate(face, gate(down)));
        }
        let Some(config) = self.renewed.try_iter().last() else { return };
        let before = std::mem::replace(&mut self.config, config);
        // What is fixed at the start stays what it is.
        self.config.tables = before.tables;
        self.config.limits = before.limits;
        self.config.management = before.management.clone();
        self.parts.renew(&self.config);
        self.renew_strategies(&before);
        let gone = self.keeping.renew(&self.config.face, driver.context().now);
        let faces: Vec<(FaceId, FaceInfo)> = self.open_faces().map(|(face, held)| (face, held.about.clone())).collect();
        for (face, about) in faces {
            match about.origin {
                Origin::Connected(tag) if gone.contains(&tag) => driver.close(face),
                _ => self.renew_face(face, &about, driver),
            }
        }
    }

    fn renew_face(&mut self, face: FaceId, about: &FaceInfo, driver: &mut Driver) {
        let plan = self.plan_of(about);
        let Some(held) = self.held(face).filter(|held| held.plan != plan) else { return };
        let (before, mut room) = (held.plan.clone(), held.room);
        // Another rate is no reason for another queue: what it has learnt of its flows still holds.
        let queue = |plan: &FacePlan| (plan.queue.clone(), plan.recovery.clone(), plan.link.limit);
        if queue(&before) != queue(&plan)
            && let Ok(queue) = self.parts.queue(&plan.queue, &plan.recovery, &plan.link)
        {
            room = queue.limit();
            self.forwarder.replace_queue(face, queue, &mut driver.context());
        }
        if (before.link, before.overhead) != (plan.link, plan.overhead) {
            driver.set_rate(face, plan.link.rate, plan.overhead);
            self.describe(face, &plan.link, room);
        }
        if before.backlog != plan.backlog {
            driver.set_backlog(face, plan.backlog);
        }
        if before.down != plan.down {
            self.forwarder.set_up(face, plan.down.is_none());
            driver.set_gate(face, gate(plan.down));
        }
        if let Some(mtu) = plan.mtu.filter(|_| plan.mtu != before.mtu) {
            driver.set_mtu(face, mtu);
        }
        for old in before.routes.iter().filter(|old| !plan.routes.iter().any(|new| new.prefix == old.prefix)) {
            self.rib.unregister(&old.prefix, face, STATIC, self.forwarder.fib_mut());
        }
        plan.routes.iter().filter(|route| !before.routes.contains(route)).for_each(|route| self.lead_to(route, face));
        if let Some(held) = self.held_mut(face) {
            (held.plan, held.room) = (plan, room);
        }
    }

    /// Tells the strategies what a link is like, if somebody knows.
    pub(super) fn describe(&mut self, face: FaceId, link: &LinkTerms, queue: Limit) {
        if let Some(rate) = link.rate {
            let delay = link.delay.unwrap_or(Span::ZERO);
            self.forwarder.describe_face(face, &LinkFacts { rate, delay, queue });
        }
    }

    /// Strategies that the configuration has changed; those that commands have chosen for other prefixes stay.
    fn renew_strategies(&mut self, before: &Config) {
        let wanted = self.config.strategy.clone();
        let usual = self.config.schemes.strategy.clone();
        if usual != before.schemes.strategy
            && let Ok(strategy) = self.parts.strategy(&usual)
        {
            self.forwarder.replace_strategy(strategy);
            self.strategies.insert(Name::root(), usual.name);
        }
        for old in before.strategy.iter().filter(|old| !wanted.iter().any(|new| new.prefix == old.prefix)) {
            self.forwarder.forget_strategy(&old.prefix);
            self.strategies.remove(&old.prefix);
        }
        for choice in wanted.into_iter().filter(|choice| !before.strategy.contains(choice)) {
            if let Ok(strategy) = self.parts.strategy(&choice.strategy) {
                self.forwarder.choose_strategy(&choice.prefix, strategy);
                self.strategies.insert(choice.prefix, choice.strategy.name);
            }
        }
    }
}
