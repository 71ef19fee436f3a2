//! Applications behind one link, without a forwarder: a plain consumer or producer machine.

use crate::application::{Application, Outbox};
use crate::directory::Directory;
use crate::face::Egress;
use crate::wakes::Wakes;
use smallvec::SmallVec;
use weir_core::ahead::{Ahead, ask_for, ask_for_element};
use weir_core::{Context, DropReason, FaceId, FlowId, Machine, Order, Pull, QueueDiscipline, Reading, Time};
use weir_wire::{Kind, Name, Packet};

/// Mostly one, for which no other memory has to be read.
type Applications = SmallVec<[Box<dyn Application>; 1]>;

/// A machine with one face, 0, and the applications that share it.
pub struct Host {
    applications: Applications,
    consumers: Directory,
    /// Consumers of everything below a name.
    collectors: Vec<u32>,
    producers: Directory,
    egress: Egress,
    wakes: Wakes,
    outbox: Outbox,
}

impl Host {
    /// A host whose packets leave through `queue`.
    pub fn new(applications: Vec<Box<dyn Application>>, queue: Box<dyn QueueDiscipline>) -> Host {
        let mut host = Host {
            applications: applications.into_iter().collect(),
            consumers: Directory::default(),
            collectors: Vec::new(),
            producers: Directory::default(),
            egress: Egress::new(queue),
            wakes: Wakes::default(),
            outbox: Outbox::new(),
        };
        for (i, application) in host.applications.iter().enumerate() {
            host.wakes.set(i, application.next_wake());
            if application.wants_below() {
                host.collectors.push(i as u32);
                continue;
            }
            let directory = if application.serves() { &mut host.producers } else { &mut host.consumers };
            directory.add(application.name(), i as u32);
        }
        host
    }

    /// Hands a packet to the application that it is for: mostly the only one here.
    #[inline(always)]
    fn deliver(&mut self, packet: Packet, cx: &mut Context<'_>) {
        let directory = if matches!(packet.kind, Kind::Interest(_)) { &self.producers } else { &self.consumers };
        match directory.only(packet.name()) {
            Some(only) if self.collectors.is_empty() => self.hand(only, packet, cx),
            _ => self.deliver_to_several(packet, cx),
        }
    }

    /// A Data may be for several, for they asked over one link.
    #[inline(never)]
    fn deliver_to_several(&mut self, packet: Packet, cx: &mut Context<'_>) {
        let (last, others) = match &packet.kind {
            Kind::Interest(interest) => (self.server_of(&interest.name), SmallVec::new()),
            Kind::Data(_) | Kind::Nack(_) => self.takers_of(packet.name()),
        };
        let Some(last) = last else { return cx.discard(packet, DropReason::Unwanted) };
        for other in others {
            self.hand(other, packet.clone(), cx);
        }
        self.hand(last, packet, cx);
    }

    /// The consumers of a name: the last of them, and the others.
    fn takers_of(&self, name: &Name) -> (Option<u32>, SmallVec<[u32; 2]>) {
        let mut takers = SmallVec::from_slice(self.consumers.find(name));
        let below = |i: &&u32| self.applications[**i as usize].name().is_prefix_of(name);
        takers.extend(self.collectors.iter().filter(below).copied());
        (takers.pop(), takers)
    }

    #[inline]
    fn hand(&mut self, i: u32, packet: Packet, cx: &mut Context<'_>) {
        let application = &mut self.applications[i as usize];
        application.receive(packet, &mut self.outbox, cx);
        self.wakes.set(i as usize, application.next_wake());
    }

    /// The producer of the longest prefix of `name`.
    fn server_of(&self, name: &Name) -> Option<u32> {
        if let Some(exact) = self.producers.find(name).first() {
            return Some(*exact);
        }
        let applications = self.applications.iter().enumerate();
        let serving = applications.filter(|(_, a)| a.serves() && a.name().is_prefix_of(name));
        serving.max_by_key(|(_, a)| a.name().len()).map(|(i, _)| i as u32)
    }

    /// Sends what an application has handed over: mostly one packet, or none.
    #[inline(always)]
    fn flush(&mut self, cx: &mut Context<'_>) {
        cx.face = FaceId(0);
        if self.outbox.len() == 1 {
            if let Some(packet) = self.outbox.pop() {
                self.egress.send(packet, cx);
            }
        } else {
            self.flush_all(cx);
        }
        if let Some(at) = self.egress.next_wake() {
            self.wakes.set(self.applications.len(), Some(at));
        }
    }

    #[inline(never)]
    fn flush_all(&mut self, cx: &mut Context<'_>) {
        for packet in self.outbox.drain(..) {
            self.egress.send(packet, cx);
        }
    }
}

/// The application that makes a flow, and its place.
fn find(applications: &mut [Box<dyn Application>], flow: FlowId) -> Option<(usize, &mut Box<dyn Application>)> {
    applications.iter_mut().enumerate().find(|(_, application)| application.flow() == Some(flow))
}

impl Machine for Host {
    fn receive(&mut self, face: FaceId, mut packet: Packet, cx: &mut Context<'_>) {
        cx.face = face;
        self.egress.observe(&packet, cx);
        packet.hop_mut().count_link();
        self.deliver(packet, cx);
        self.flush(cx);
    }

    fn pull(&mut self, face: FaceId, cx: &mut Context<'_>) -> Pull {
        cx.face = face;
        let pull = self.egress.pull(cx);
        self.wakes.set(self.applications.len(), self.egress.next_wake());
        pull
    }

    fn keep(&mut self, _face: FaceId, packet: Packet) {
        self.egress.keep(packet);
    }

    fn foresee(&self, step: u32, packet: &Packet, ahead: &mut Ahead) {
        if step == 0 {
            ask_for(&self.applications);
            ask_for(&self.consumers);
            ask_for(&self.producers);
            ask_for(&self.wakes);
            ask_for(&self.outbox);
            self.egress.foresee();
            return;
        }
        // Mostly it is the only one.
        let Some(application) = self.applications.first() else { return };
        application.foresee(step - 1, packet);
        if step == 1 {
            self.consumers.foresee();
            self.producers.foresee();
            ask_for_element(&self.outbox, 0);
        } else {
            (ahead.to, ahead.flow) = (Some(ahead.from), application.flow());
        }
    }

    fn wake(&mut self, cx: &mut Context<'_>) {
        cx.face = FaceId(0);
        self.egress.resume(cx);
        while let Some(i) = self.wakes.pop_due(cx.now) {
            match self.applications.get_mut(i) {
                Some(application) => {
                    cx.face = FaceId(0);
                    application.wake(&mut self.outbox, cx);
                    self.wakes.set(i, application.next_wake());
                }
                None => {
                    cx.face = FaceId(0);
                    self.egress.wake(cx);
                }
            }
            self.flush(cx);
        }
    }

    fn next_wake(&self) -> Option<Time> {
        self.wakes.earliest()
    }

    fn obey(&mut self, order: Order, cx: &mut Context<'_>) {
        cx.face = FaceId(0);
        match order {
            Order::Restart { queues, .. } => queues.into_iter().for_each(|queue| self.egress.replace(queue, true, cx)),
            Order::Queue { queue, .. } => self.egress.replace(queue, false, cx),
            Order::Parts { flow, parts, control, timeout } => {
                if let Some((i, application)) = find(&mut self.applications, flow) {
                    application.adopt(parts, control, timeout, cx);
                    self.wakes.set(i, application.next_wake());
                }
            }
            Order::Flow { flow, run } => {
                if let Some((i, application)) = find(&mut self.applications, flow) {
                    application.set_running(run, cx);
                    self.wakes.set(i, application.next_wake());
                }
            }
            // A host has no other face to use.
            Order::Face { .. } | Order::Strategy(_) => {}
        }
        self.wakes.set(self.applications.len(), self.egress.next_wake());
    }

    fn inspect(&self, _now: Time, report: &mut dyn FnMut(Reading)) {
        self.egress.report(FaceId(0), report);
        for application in &self.applications {
            application.inspect(report);
        }
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("applications", &self.applications.len()).finish_non_exhaustive()
    }
}
