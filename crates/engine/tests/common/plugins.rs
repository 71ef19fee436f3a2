//! Plug-ins of the registry, and plug-ins that follow a script and keep a diary.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use weir_core::{
    Allowance, Backlog, Choice, ConsumerControl, Context, DataOutcome, DataSignal, DropReason, FaceId, Failure,
    FailureKind, ForwardingStrategy, Limit, LossSignal, Needs, NodeMonitor, PitView, Pull, Query, QueueDiscipline,
    Reaction, SentSignal, Settings, Site, Span, Suppression, Time, Timeout, TimeoutSignal,
};
use weir_schemes::registry::{self, QUEUES, STRATEGIES, TIMEOUTS};
use weir_wire::Packet;

pub fn droptail(packets: usize) -> Box<dyn QueueDiscipline> {
    let site = Site { limit: Limit::Packets(packets), ..Site::default() };
    (registry::find("queue", QUEUES, "droptail").unwrap().build)(&Settings::default(), &site).unwrap()
}

pub fn strategy(name: &str) -> Box<dyn ForwardingStrategy> {
    (registry::find("strategy", STRATEGIES, name).unwrap().build)(&Settings::default(), &Site::default()).unwrap()
}

pub fn timeout(name: &str) -> Box<dyn Timeout> {
    (registry::find("timeout", TIMEOUTS, name).unwrap().build)(&Settings::default(), &Site::default()).unwrap()
}

/// A value shared by a plug-in and the test that watches it.
pub struct Shared<T>(Arc<Mutex<T>>);

impl<T> Shared<T> {
    pub fn new(value: T) -> Shared<T> {
        Shared(Arc::new(Mutex::new(value)))
    }

    pub fn get(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap()
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Shared(Arc::clone(&self.0))
    }
}

pub type Diary = Shared<Vec<String>>;

/// Answers from a list, then as `best-route` does; notes what it is asked and told.
pub struct ScriptedStrategy {
    pub answers: VecDeque<Choice>,
    pub diary: Diary,
    otherwise: Box<dyn ForwardingStrategy>,
    suppression: Suppression,
}

impl ScriptedStrategy {
    pub fn new(answers: impl IntoIterator<Item = Choice>) -> (Box<ScriptedStrategy>, Diary) {
        Self::with(answers, Suppression::PerEntry)
    }

    pub fn with(answers: impl IntoIterator<Item = Choice>, suppression: Suppression) -> (Box<ScriptedStrategy>, Diary) {
        let diary = Diary::new(Vec::new());
        let answers = answers.into_iter().collect();
        let otherwise = strategy("best-route");
        (Box::new(ScriptedStrategy { answers, diary: diary.clone(), otherwise, suppression }), diary)
    }
}

impl ForwardingStrategy for ScriptedStrategy {
    fn choose(&mut self, query: &Query<'_>, cx: &mut Context<'_>) -> Choice {
        let hops: Vec<u32> = query.next_hops.iter().map(|hop| hop.face.0).collect();
        let again = if query.is_retransmission() { " again" } else { "" };
        self.diary.get().push(format!("choose {} from {} of {hops:?}{again}", query.interest.name, query.from.0));
        self.answers.pop_front().unwrap_or_else(|| self.otherwise.choose(query, cx))
    }

    fn on_data(&mut self, outcome: &DataOutcome<'_>, _cx: &mut Context<'_>) {
        let rtt = outcome.rtt.map_or("none".into(), |rtt| rtt.to_string());
        let mark = if outcome.marked { " !" } else { "" };
        self.diary.get().push(format!(
            "data from {}, rtt {rtt}, {} upstreams{mark}",
            outcome.face.0,
            outcome.sent.len()
        ));
    }

    fn on_failure(&mut self, failure: &Failure<'_>, cx: &mut Context<'_>) -> Choice {
        let hops: Vec<u32> = failure.next_hops.iter().map(|hop| hop.face.0).collect();
        self.diary.get().push(format!("{:?} {} at {} of {hops:?}", failure.kind, failure.name, failure.face.0));
        match failure.kind {
            FailureKind::Expired => Choice::Drop,
            FailureKind::Nack(_) => self.answers.pop_front().unwrap_or_else(|| self.otherwise.on_failure(failure, cx)),
        }
    }

    fn suppression(&self) -> Suppression {
        self.suppression
    }
}

/// Notes changes of the PIT and marks what it is told to.
pub struct ScriptedMonitor {
    pub diary: Diary,
    pub marks: Shared<bool>,
}

impl NodeMonitor for ScriptedMonitor {
    fn on_pit_change(&mut self, pit: PitView, _cx: &mut Context<'_>) {
        self.diary.get().push(format!("pit {}", pit.entries));
    }

    fn on_interest(&mut self, face: FaceId, backlog: Backlog, _limit: Limit, _cx: &mut Context<'_>) {
        self.diary.get().push(format!("interest from {}, {} waiting", face.0, backlog.packets));
    }

    fn marks(&mut self, face: FaceId, cached: bool, _cx: &mut Context<'_>) -> bool {
        self.diary.get().push(format!("data to {}{}", face.0, if cached { ", cached" } else { "" }));
        *self.marks.get()
    }
}

/// A queue without a limit that marks every packet.
#[derive(Default)]
pub struct MarkingQueue(VecDeque<Packet>);

impl QueueDiscipline for MarkingQueue {
    fn enqueue(&mut self, packet: Packet, _cx: &mut Context<'_>) {
        self.0.push_back(packet);
    }

    fn dequeue(&mut self, _cx: &mut Context<'_>) -> Pull {
        let Some(mut packet) = self.0.pop_front() else { return Pull::Idle };
        packet.hop.congestion_mark = 1;
        Pull::Packet(packet)
    }

    fn backlog(&self) -> Backlog {
        Backlog { packets: self.0.len(), bytes: 0, frames: self.0.len() }
    }

    fn limit(&self) -> Limit {
        Limit::Packets(usize::MAX)
    }
}

/// A queue that sends nothing and wants to be woken so long after each packet that it sees, and each `dequeue`.
pub struct AlarmQueue {
    pub delay: Span,
    pub next_wake: Option<Time>,
    pub diary: Diary,
}

impl QueueDiscipline for AlarmQueue {
    fn needs(&self) -> Needs {
        Needs { observe: true, wake: true, ..Needs::default() }
    }

    fn enqueue(&mut self, packet: Packet, cx: &mut Context<'_>) {
        cx.discard(packet, DropReason::QueueFull);
    }

    fn dequeue(&mut self, cx: &mut Context<'_>) -> Pull {
        self.next_wake = Some(cx.now + self.delay);
        Pull::Idle
    }

    fn backlog(&self) -> Backlog {
        Backlog::default()
    }

    fn limit(&self) -> Limit {
        Limit::Packets(0)
    }

    fn observe(&mut self, arrived: &Packet, cx: &mut Context<'_>) {
        self.next_wake = Some(cx.now + self.delay);
        self.diary.get().push(format!("{}: face {} sees {}", cx.now.0 / 1_000_000, cx.face.0, super::text(arrived)));
    }

    fn wake(&mut self, cx: &mut Context<'_>) {
        if self.next_wake.is_some_and(|at| at <= cx.now) {
            self.next_wake = None;
            self.diary.get().push(format!("{}: face {} wakes", cx.now.0 / 1_000_000, cx.face.0));
        }
    }

    fn next_wake(&self) -> Option<Time> {
        self.next_wake
    }
}

/// What a control was told.
#[derive(Clone, Copy, Debug)]
pub enum Signal {
    Sent(SentSignal),
    Data(DataSignal),
    Loss(LossSignal),
}

/// A control whose allowance the test sets; it cuts (in words, not in numbers) at marks and losses.
pub struct Control {
    pub allowance: Allowance,
    /// Cut at every mark and loss, or only at fresh ones.
    pub fresh_only: bool,
    pub signals: Vec<Signal>,
}

impl Control {
    pub fn window(window: f64) -> Shared<Control> {
        Self::allowing(Allowance::window(window))
    }

    pub fn allowing(allowance: Allowance) -> Shared<Control> {
        Shared::new(Control { allowance, fresh_only: true, signals: Vec::new() })
    }

    pub fn losses(&self) -> Vec<LossSignal> {
        let loss = |signal: &Signal| if let Signal::Loss(loss) = signal { Some(*loss) } else { None };
        self.signals.iter().filter_map(loss).collect()
    }

    pub fn data(&self) -> Vec<DataSignal> {
        let data = |signal: &Signal| if let Signal::Data(data) = signal { Some(*data) } else { None };
        self.signals.iter().filter_map(data).collect()
    }

    fn react(&self, cut: bool, fresh: bool) -> Reaction {
        if cut && (fresh || !self.fresh_only) { Reaction::Decreased } else { Reaction::None }
    }
}

impl ConsumerControl for Shared<Control> {
    fn on_sent(&mut self, signal: &SentSignal) {
        self.get().signals.push(Signal::Sent(*signal));
    }

    fn on_data(&mut self, signal: &DataSignal) -> Reaction {
        let mut control = self.get();
        control.signals.push(Signal::Data(*signal));
        control.react(signal.marked, signal.fresh)
    }

    fn on_loss(&mut self, signal: &LossSignal) -> Reaction {
        let mut control = self.get();
        control.signals.push(Signal::Loss(*signal));
        control.react(true, signal.fresh)
    }

    fn allowance(&self) -> Allowance {
        self.get().allowance
    }
}

/// A timeout that the test sets.
pub struct Timer {
    pub rto: Span,
    pub check: Span,
    /// Round trips and Interests out.
    pub samples: Vec<(Span, usize)>,
    /// For each timeout: was it the first of its event?
    pub timeouts: Vec<bool>,
}

impl Timer {
    pub fn of_ms(rto: f64) -> Shared<Timer> {
        Self::checked(rto, 0.0)
    }

    pub fn checked(rto_ms: f64, check_ms: f64) -> Shared<Timer> {
        let (rto, check) = (super::span_ms(rto_ms), super::span_ms(check_ms));
        Shared::new(Timer { rto, check, samples: Vec::new(), timeouts: Vec::new() })
    }
}

impl Timeout for Shared<Timer> {
    fn on_sample(&mut self, rtt: Span, in_flight: usize, _now: Time) {
        self.get().samples.push((rtt, in_flight));
    }

    fn on_timeout(&mut self, signal: &TimeoutSignal) {
        self.get().timeouts.push(signal.first_of_event);
    }

    fn timeout(&self) -> Span {
        self.get().rto
    }

    fn check_interval(&self) -> Span {
        self.get().check
    }
}
