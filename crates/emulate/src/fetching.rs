//! The consumers of a run: each starts, stops and goes on when the scenario says so.

use crate::config;
use crate::links::Carrier;
use crate::network::{LOOK, Network};
use crate::outcome::{Fetched, Seen, outcome};
use crate::program::Program;
use crate::run::{EmulateError, system};
use crate::timeline::Timeline;
use crate::traffic::traffic;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use weir_core::{Seed, Span, Time};
use weir_scenario::plan::{Action, Requests, Way, Workload};
use weir_sim::{Outcome, between, flow_seed, size_seed};

/// A program that was asked to end is killed after this.
const GRACE: Span = Span::from_millis(5_000);

/// A flow.
struct Flow {
    /// When it is to begin or go on.
    due: Option<Time>,
    /// A program has ended by itself: everything is there.
    done: bool,
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
    /// As the timeline has left them: with other controls and timeouts.
    workloads: Vec<Workload>,
    fetched: Vec<Fetched>,
    /// When the run began, by the network's clock.
    began: Time,
    /// Some flow is to go on after a stop, so what it has fetched is kept.
    keeps: bool,
}

impl<'a> Fetching<'a> {
    pub fn new(network: Network<'a>) -> Fetching<'a> {
        let (scenario, seed) = (network.scenario, Seed(network.setting.seed));
        let start = |(flow, workload): (usize, &Workload)| {
            let start = between(workload.start, flow_seed(seed, flow, workload).of("start"));
            let due = (start < Time::NEVER).then_some(start);
            Flow { due, done: false, programs: 0, running: None }
        };
        let timeline = Timeline::of(scenario, seed);
        Fetching {
            flows: scenario.workloads.iter().enumerate().map(start).collect(),
            keeps: timeline.starts_something(),
            timeline,
            workloads: scenario.workloads.clone(),
            fetched: Vec::new(),
            began: network.clock.now(),
            network,
        }
    }

    fn now(&self) -> Time {
        Time::ZERO + self.network.clock.now().since(self.began)
    }

    /// Lets consumers fetch, and sums up.
    pub fn run(mut self) -> Result<Outcome, EmulateError> {
        let before = self.seen()?;
        let plan = &self.network.scenario.run;
        let end = plan.duration.or(plan.limit).map(|span| Time::ZERO + span);
        loop {
            let now = self.now();
            while let Some(action) = self.timeline.take_due(now) {
                self.happen(&action, now)?;
            }
            if !self.timeline.speaks_to_flows() {
                // Who has been told to pause need not wait for more.
                self.flows.iter_mut().filter_map(|flow| flow.running.as_mut()).for_each(|of| of.program.end_orders());
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
        let seen = self.seen()?.into_iter().zip(before);
        let links = seen.map(|((way, now), (_, before))| (way, now - before)).collect();
        let nodes = 0..network.layout.nodes.len();
        let status = nodes.map(|node| network.status(node)).collect::<Result<Vec<_>, _>>()?;
        outcome(network.scenario, &self.fetched, &network.layout, &links, &status, length)
            .map_err(system("what a program has written"))
    }

    /// What links have counted.
    fn seen(&self) -> Result<Vec<(Way, Seen)>, EmulateError> {
        let seen = |(way, carrier): &(Way, Carrier)| carrier.seen().map(|seen| (*way, seen));
        self.network.links.iter().map(seen).collect::<io::Result<_>>().map_err(system("what a link has counted"))
    }

    fn happen(&mut self, action: &Action, now: Time) -> Result<(), EmulateError> {
        match action {
            Action::Start { flows } => {
                for flow in flows {
                    let stopped = self.network.scenario.workloads[*flow].stop.is_some_and(|at| at <= now);
                    let done = self.flows[*flow].done;
                    match &mut self.flows[*flow].running {
                        Some(running) if self.network.scenario.workloads[*flow].requests.is_some() => {
                            running.program.order("go");
                        }
                        _ if !stopped && !done => self.flows[*flow].due = Some(now),
                        _ => {}
                    }
                }
                Ok(())
            }
            Action::Stop { flows } => {
                for flow in flows {
                    self.flows[*flow].due = None;
                    match &mut self.flows[*flow].running {
                        // What is out is still waited for.
                        Some(running) if self.network.scenario.workloads[*flow].requests.is_some() => {
                            running.program.order("pause");
                        }
                        _ => self.stop(*flow, now),
                    }
                }
                Ok(())
            }
            Action::Scheme(change) => {
                for (flow, part) in &change.controls {
                    self.workloads[*flow].control = Some(part.clone());
                    self.order(*flow, &config::order("control", part));
                }
                for (flow, part) in &change.timeouts {
                    self.workloads[*flow].timeout = Some(part.clone());
                    self.order(*flow, &config::order("timeout", part));
                }
                self.network.change(action)
            }
            other => self.network.change(other),
        }
    }

    /// Gives the program of a flow an order, if it is at work.
    fn order(&mut self, flow: usize, order: &str) {
        if let Some(running) = &mut self.flows[flow].running {
            running.program.order(order);
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
        let workload = &self.network.scenario.workloads[flow];
        let stop = workload.stop.is_some_and(|at| at <= now);
        if stop || over {
            self.flows[flow].due = None;
        }
        // Who makes many requests knows when to stop, and waits for those that are out.
        if over || stop && workload.requests.is_none() {
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
        let Some(Running { program, start, stats, asked }) = of.running.take() else { return Ok(()) };
        if !stats.exists() && asked.is_none() {
            let label = &self.network.scenario.workloads[flow].label;
            return Err(EmulateError::Program(format!("flow `{label}`: {}", program.said())));
        }
        of.done |= asked.is_none();
        self.fetched.push(Fetched { flow, start, stats });
        Ok(())
    }

    fn start(&mut self, flow: usize) -> Result<(), EmulateError> {
        let workload = &self.workloads[flow];
        let number = self.flows[flow].programs;
        let name = format!("get{flow}-{number}");
        let stats = self.network.file(&format!("{name}.csv"));
        let words = match &workload.requests {
            Some(requests) => self.request(flow, requests, &stats)?,
            None => {
                let output =
                    if self.keeps { self.network.file(&format!("got{flow}")) } else { Path::new("-").to_owned() };
                let (node, socket) =
                    (&self.network.layout.nodes[workload.consumer], self.network.socket(workload.consumer));
                config::get(workload, self.network.scenario, node, &socket, (&output, &stats))
            }
        };
        let program = self.network.start(workload.consumer, &format!("{name}.log"), words)?;
        let start = self.now();
        let of = &mut self.flows[flow];
        (of.due, of.programs) = (None, number + 1);
        of.running = Some(Running { program, start, stats, asked: None });
        Ok(())
    }

    /// The words of the program that makes the requests of a flow.
    fn request(&self, flow: usize, requests: &Requests, stats: &Path) -> Result<Vec<OsString>, EmulateError> {
        let (scenario, seed) = (self.network.scenario, Seed(self.network.setting.seed));
        let workload = &self.workloads[flow];
        let list = self.network.file(&format!("list{flow}.csv"));
        let traffic = traffic(workload, requests, seed, self.now(), &list).map_err(system("a list of requests"))?;
        let (node, socket) = (&self.network.layout.nodes[workload.consumer], self.network.socket(workload.consumer));
        let seeds = (flow_seed(seed, flow, workload), size_seed(seed, workload));
        Ok(config::request(workload, scenario, node, &socket, traffic, seeds, stats))
    }
}
