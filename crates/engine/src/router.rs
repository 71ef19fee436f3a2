//! A forwarder with applications of its own node on local faces.

use crate::application::{Application, Outbox};
use crate::forwarder::Forwarder;
use crate::wakes::{Wakes, earlier};
use weir_core::ahead::Ahead;
use weir_core::{Context, DropReason, FaceId, Machine, Order, Pull, Reading, Time};
use weir_wire::Packet;

/// A node that forwards. Its applications stand on faces without link or queue, so what they say to the forwarder and
/// back happens within one call.
#[derive(Debug)]
pub struct Router {
    forwarder: Forwarder,
    applications: Applications,
    /// When the applications want to be woken.
    wakes: Wakes,
    outbox: Outbox,
}

#[derive(Default)]
struct Applications {
    list: Vec<(FaceId, Box<dyn Application>)>,
    /// Places in `list` by face.
    places: Vec<Option<u32>>,
}

impl Applications {
    fn add(&mut self, face: FaceId, application: Box<dyn Application>) {
        self.places.resize(face.index() + 1, None);
        self.places[face.index()] = Some(self.list.len() as u32);
        self.list.push((face, application));
    }

    #[inline]
    fn place(&self, face: FaceId) -> Option<usize> {
        self.places.get(face.index()).copied().flatten().map(|place| place as usize)
    }
}

impl std::fmt::Debug for Applications {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} applications", self.list.len())
    }
}

impl Router {
    /// A node without applications.
    pub fn new(forwarder: Forwarder) -> Router {
        Router { forwarder, applications: Applications::default(), wakes: Wakes::default(), outbox: Outbox::new() }
    }

    /// Puts an application on a local face of its own; a producer's name is routed to it.
    pub fn attach(&mut self, application: Box<dyn Application>) -> FaceId {
        let face = self.forwarder.add_local_face();
        if application.serves() {
            self.forwarder.fib_mut().add_route(application.name(), face, 0);
        }
        let wake = application.next_wake();
        self.wakes.set(self.applications.list.len(), wake);
        self.applications.add(face, application);
        face
    }

    /// The forwarder.
    pub fn forwarder(&self) -> &Forwarder {
        &self.forwarder
    }

    /// The forwarder, to change.
    pub fn forwarder_mut(&mut self) -> &mut Forwarder {
        &mut self.forwarder
    }

    /// Carries packets between the forwarder and the applications until both are silent.
    #[inline(always)]
    fn settle(&mut self, cx: &mut Context<'_>) {
        if self.forwarder.has_local() {
            self.settle_all(cx);
        }
    }

    #[inline(never)]
    fn settle_all(&mut self, cx: &mut Context<'_>) {
        while let Some((face, packet)) = self.forwarder.take_local() {
            cx.face = face;
            match self.applications.place(face) {
                Some(i) => {
                    self.applications.list[i].1.receive(packet, &mut self.outbox, cx);
                    self.hand_over(i, cx);
                }
                None => cx.discard(packet, DropReason::Unwanted),
            }
        }
    }

    /// Gives the forwarder what application `i` has sent.
    fn hand_over(&mut self, i: usize, cx: &mut Context<'_>) {
        let (face, application) = &self.applications.list[i];
        self.wakes.set(i, application.next_wake());
        for packet in self.outbox.drain(..) {
            Self::forward(&mut self.forwarder, *face, packet, cx);
        }
    }

    /// Gives the forwarder a packet of an application.
    #[inline(never)]
    fn forward(forwarder: &mut Forwarder, face: FaceId, packet: Packet, cx: &mut Context<'_>) {
        forwarder.receive_packet(face, packet, cx);
    }
}

impl Machine for Router {
    fn receive(&mut self, face: FaceId, packet: Packet, cx: &mut Context<'_>) {
        self.forwarder.receive_packet(face, packet, cx);
        self.settle(cx);
    }

    fn pull(&mut self, face: FaceId, cx: &mut Context<'_>) -> Pull {
        self.forwarder.pull_packet(face, cx)
    }

    fn keep(&mut self, face: FaceId, packet: Packet) {
        self.forwarder.keep_packet(face, packet);
    }

    fn foresee(&self, step: u32, packet: &Packet, ahead: &mut Ahead) {
        self.forwarder.foresee(step, packet, ahead);
    }

    fn wake(&mut self, cx: &mut Context<'_>) {
        self.forwarder.resume(cx);
        loop {
            if self.forwarder.next_wake().is_some_and(|at| at <= cx.now) {
                self.forwarder.wake_due(cx);
            } else if let Some(i) = self.wakes.pop_due(cx.now) {
                let (face, application) = &mut self.applications.list[i];
                cx.face = *face;
                application.wake(&mut self.outbox, cx);
                self.hand_over(i, cx);
            } else {
                break;
            }
            self.settle(cx);
        }
    }

    fn next_wake(&self) -> Option<Time> {
        earlier(self.forwarder.next_wake(), self.wakes.earliest())
    }

    fn obey(&mut self, order: Order, cx: &mut Context<'_>) {
        let place =
            |list: &[(FaceId, Box<dyn Application>)], flow| list.iter().position(|(_, a)| a.flow() == Some(flow));
        match order {
            Order::Face { face, up } => self.forwarder.set_up(face, up),
            Order::Restart { strategy, monitor, queues } => self.forwarder.restart(strategy, monitor, queues, cx),
            Order::Queue { face, queue } => self.forwarder.replace_queue(face, queue, cx),
            Order::Strategy(strategy) => self.forwarder.replace_strategy(strategy),
            Order::Parts { flow, parts, control, timeout } => {
                if let Some(i) = place(&self.applications.list, flow) {
                    self.applications.list[i].1.adopt(parts, control, timeout, cx);
                    self.hand_over(i, cx);
                }
            }
            Order::Flow { flow, run } => {
                if let Some(i) = place(&self.applications.list, flow) {
                    self.applications.list[i].1.set_running(run, cx);
                    self.hand_over(i, cx);
                }
            }
        }
        self.settle(cx);
    }

    fn inspect(&self, now: Time, report: &mut dyn FnMut(Reading)) {
        self.forwarder.report(now, report);
        for (_, application) in &self.applications.list {
            application.inspect(report);
        }
    }
}
