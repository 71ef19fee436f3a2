//! Applications behind one link, without a forwarder: a plain consumer or producer machine.

use crate::application::{Application, Outbox};
use crate::face::Egress;
use crate::wakes::Wakes;
use hashbrown::HashTable;
use weir_core::{Context, DropReason, FaceId, Machine, Pull, QueueDiscipline, Reading, Time};
use weir_wire::{Kind, Name, Packet};

/// A machine with one face, 0, and the applications that share it.
pub struct Host {
    applications: Vec<Box<dyn Application>>,
    /// Consumers by the hash of their content's name.
    consumers: HashTable<(u64, u32)>,
    egress: Egress,
    wakes: Wakes,
    outbox: Outbox,
}

impl Host {
    /// A host whose packets leave through `queue`.
    pub fn new(applications: Vec<Box<dyn Application>>, queue: Box<dyn QueueDiscipline>) -> Host {
        let mut host = Host {
            applications,
            consumers: HashTable::new(),
            egress: Egress::new(queue),
            wakes: Wakes::default(),
            outbox: Outbox::new(),
        };
        for (i, application) in host.applications.iter().enumerate() {
            host.wakes.set(i, application.next_wake());
            if !application.serves() {
                let hash = application.name().stem().hash64();
                host.consumers.insert_unique(hash, (hash, i as u32), |(hash, _)| *hash);
            }
        }
        host
    }

    /// The application that a packet is for.
    #[inline]
    fn destination(&self, packet: &Packet) -> Option<usize> {
        match &packet.kind {
            Kind::Interest(interest) => self.server_of(&interest.name),
            Kind::Data(_) | Kind::Nack(_) => self.consumer_of(packet.name()),
        }
    }

    fn server_of(&self, name: &Name) -> Option<usize> {
        let serves = |a: &Box<dyn Application>| a.serves() && (a.name().same_stem(name) || a.name().is_prefix_of(name));
        self.applications.iter().position(serves)
    }

    fn consumer_of(&self, name: &Name) -> Option<usize> {
        let hash = name.stem().hash64();
        let wants = |(_, i): &(u64, u32)| self.applications[*i as usize].name().same_stem(name);
        self.consumers.find(hash, wants).map(|(_, i)| *i as usize)
    }

    /// Sends what an application has handed over.
    fn flush(&mut self, cx: &mut Context<'_>) {
        cx.face = FaceId(0);
        for packet in self.outbox.drain(..) {
            self.egress.send(packet, cx);
        }
        self.wakes.set(self.applications.len(), self.egress.queue.next_wake());
    }
}

impl Machine for Host {
    fn receive(&mut self, face: FaceId, mut packet: Packet, cx: &mut Context<'_>) {
        cx.face = face;
        self.egress.queue.observe(&packet, cx);
        packet.hop.hop_count = packet.hop.hop_count.saturating_add(1);
        let Some(i) = self.destination(&packet) else {
            cx.discard(packet, DropReason::Unwanted);
            return;
        };
        self.applications[i].receive(packet, &mut self.outbox, cx);
        self.wakes.set(i, self.applications[i].next_wake());
        self.flush(cx);
    }

    fn pull(&mut self, face: FaceId, cx: &mut Context<'_>) -> Pull {
        cx.face = face;
        let pull = self.egress.pull(cx);
        self.wakes.set(self.applications.len(), self.egress.queue.next_wake());
        pull
    }

    fn has_backlog(&self, _face: FaceId) -> bool {
        self.egress.has_backlog()
    }

    fn wake(&mut self, cx: &mut Context<'_>) {
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
