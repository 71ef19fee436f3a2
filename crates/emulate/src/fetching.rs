//! The consumers of a run: each starts, stops and goes on when the scenario says so.

use crate::config;
use crate::network::{LOOK, Network};
use crate::outcome::{Fetched, Seen, outcome};
use crate::program::Program;
use crate::run::{EmulateError, system};
use crate::timeline::{Timeline, between};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use weir_core::{Seed, Span, Time};
use weir_scenario::plan::Action;
use weir_sim::Outcome;

/// A program that was asked to end is killed after this.
const GRACE: Span = Span::from_millis(5_000);

/// A flow.
struct Flow {
    /// When it is to begin or go on.
    due: Option<Time>,
    /// When its first program began.
    begun: Option<Time>,
    /// Its programs so far.
    programs: usize,
    running: Option<Running>,
}

/// A consumer at work.
struct Running {
    program: Program,
    start: Time,
    stats: PathBuf,
    /// When it was asked to end.
    asked: Option<Time>,
}

/// A network whose consumers are at work.
pub(crate) struct Fetching<'a> {
    network: Network<'a>,
    timeline: Timeline,
    flows: Vec<Flow>,
    fetched: Vec<Fetched>,
    /// When the run began, by the network's clock.
    began: Time,
    /// Some flow is to go on after a stop, so what it has fetched is kept.
    keeps: bool,
}

impl<'a> Fetching<'a> {
    pub fn new(network: Network<'a>) -> Fetching<'a> {
        let (scenario, seed) = (network.scenario, Seed(network.setting.seed));
        let start = |(flow, range): (usize, (Time, Time))| {
            let start = between(range, seed.of("start").of(&flow.to_string()));
            let due = (start < Time::NEVER).then_some(start);
            Flow { due, begun: None, programs: 0, running: None }
        };
        let timeline = Timeline::of(scenario, seed);
        Fetching {
            flows: scenario.workloads.iter().map(|workload| workload.start).enumerate().map(start).collect(),
            keeps: timeline.starts_something(),
            timeline,
            fetched: Vec::new(),
            began: network.clock().now(),
            network,
        }
    }

    fn now(&self) -> Time {
        Time::ZERO + self.network.clock().now().since(self.began)
    }

    /// Lets consumers fetch, and sums up.
    pub fn run(mut self) -> Result<Outcome, EmulateError> {
        let before: Vec<_> = self.network.tunnels.iter().map(|(_, tunnel)| Seen::of(tunnel.counters())).collect();
        let plan = &self.network.scenario.run;
        let end = plan.duration.or(plan.limit).map(|span| Time::ZERO + span);
        loop {
            let now = self.now();
            while let Some(action) = self.timeline.take_due(now) {
                self.happen(&action, now)?;
            }
            let over = end.is_some_and(|end| end <= now) || self.network.is_stopped();
            for flow in 0..self.flows.len() {
                self.see_to(flow, now, over)?;
            }
            let waits = !over && (self.flows.iter().any(|flow| flow.due.is_some()) || self.timeline.starts_something());
            if self.flows.iter().all(|flow| flow.running.is_none()) && !waits {
                break;
            }
            sleep(LOOK);
        }
        if self.network.is_stopped() {
            return Err(EmulateError::Stopped);
        }
        let (length, network) = (self.now().since(Time::ZERO), &self.network);
        let seen = network.tunnels.iter().zip(before);
        let links = seen.map(|((way, tunnel), before)| (*way, Seen::of(tunnel.counters()) - before)).collect();
        let nodes = 0..network.layout.nodes.len();
        let status = nodes.map(|node| network.status(node)).collect::<Result<Vec<_>, _>>()?;
        outcome(network.scenario, &self.fetched, &network.layout, &links, &status, length)
            .map_err(system("what a program has written"))
    }

    fn happen(&mut self, action: &Action, now: Time) -> Result<(), EmulateError> {
        match action {
            Action::Start { flows } => {
                for flow in flows {
                    let stopped = self.network.scenario.workloads[*flow].stop.is_some_and(|at| at <= now);
                    let done = self.fetched.iter().any(|fetched| fetched.flow == *flow && fetched.completed);
                    if !stopped && !done {
                        self.flows[*flow].due = Some(now);
                    }
                }
                Ok(())
            }
            Action::Stop { flows } => {
                for flow in flows {
                    self.flows[*flow].due = None;
                    self.stop(*flow, now);
                }
                Ok(())
            }
            other => self.network.change(other),
        }
    }

    /// Asks the program of a flow to end.
    fn stop(&mut self, flow: usize, now: Time) {
        if let Some(running) = self.flows[flow].running.as_mut().filter(|running| running.asked.is_none()) {
            running.program.interrupt();
            running.asked = Some(now);
        }
    }

    /// Starts, stops and buries the program of a flow.
    fn see_to(&mut self, flow: usize, now: Time, over: bool) -> Result<(), EmulateError> {
        let stop = self.network.scenario.workloads[flow].stop.is_some_and(|at| at <= now);
        if stop || over {
            self.flows[flow].due = None;
            self.stop(flow, now);
        }
        let of = &mut self.flows[flow];
        match &mut of.running {
            None if of.due.is_some_and(|at| at <= now) => return self.start(flow),
            None => return Ok(()),
            Some(running) => {
                if running.asked.is_some_and(|at| now.since(at) > GRACE) {
                    running.program.kill();
                }
                // Who was asked to go on while it is still ending waits for the end.
                if !running.program.has_ended() {
                    return Ok(());
                }
            }
        }
        let (begun, ended) = (of.begun, of.running.take());
        let Some(Running { program, start, stats, asked }) = ended else { return Ok(()) };
        if !stats.exists() && asked.is_none() {
            let label = &self.network.scenario.workloads[flow].label;
            return Err(EmulateError::Program(format!("flow `{label}`: {}", program.said())));
        }
        self.fetched.push(Fetched { flow, start, begun: begun.unwrap_or(start), stats, completed: asked.is_none() });
        Ok(())
    }

    fn start(&mut self, flow: usize) -> Result<(), EmulateError> {
        let workload = &self.network.scenario.workloads[flow];
        let number = self.flows[flow].programs;
        let name = format!("get{flow}-{number}");
        let stats = self.network.file(&format!("{name}.csv"));
        let output = if self.keeps { self.network.file(&format!("got{flow}")) } else { Path::new("-").to_owned() };
        let (node, socket) = (&self.network.layout.nodes[workload.consumer], self.network.socket(workload.consumer));
        let words = config::get(workload, self.network.scenario, node, &socket, (&output, &stats));
        let program = self.network.start(workload.consumer, &format!("{name}.log"), words)?;
        let start = self.now();
        let of = &mut self.flows[flow];
        (of.due, of.programs) = (None, number + 1);
        of.begun = of.begun.or(Some(start));
        of.running = Some(Running { program, start, stats, asked: None });
        Ok(())
    }
}
