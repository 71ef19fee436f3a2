//! A run: the network is put up, programs start and end, and what they saw becomes an [`Outcome`].

use crate::config;
use crate::layout::{Layout, Unsupported};
use crate::namespace::{Namespace, guarded};
use crate::outcome::{Fetched, Seen, outcome};
use crate::shaper::Shaper;
use crate::tunnel::Tunnel;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;
use tempfile::TempDir;
use weir_core::{Limit, Rate, Seed, Span, Time};
use weir_live::forward::Status;
use weir_live::{Clock, fetch_dataset, forwarder_uri};
use weir_scenario::plan::{Direction, Scenario, Way};
use weir_sim::Outcome;

/// How often somebody looks what the programs do.
const LOOK: Duration = Duration::from_millis(10);
/// Forwarders and producers that are not ready by then never will be.
const PATIENCE: Span = Span::from_millis(20_000);
/// A program that was asked to end is killed after this.
const GRACE: Span = Span::from_millis(5_000);
/// Room of a link for datagrams that a forwarder sends too early: its own queue is the scheme's.
const SLACK: Limit = Limit::Packets(1000);
/// A link is faster than the forwarder in front of it, which keeps to the scenario's rate: or else a second queue would
/// stand in the link, where no scheme sees it.
const FASTER: u64 = 4;

/// What forwarders of ours say of themselves.
const STATUS: &str = "/localhost/weir/status";

/// What a run needs besides its scenario.
pub struct Setting<'a> {
    /// This program: it has `forward`, `put`, `get`, `status`, and the word `guard`.
    pub own: &'a Path,
    /// The word by which it guards another program ([`crate::namespace::become_guarded`]).
    pub guard: &'a str,
    /// Chance of links and of starts comes from it.
    pub seed: u64,
    /// Becomes true when the user wants to stop.
    pub stop: &'a AtomicBool,
}

/// Why a run has come to nothing.
#[derive(Debug)]
pub enum EmulateError {
    /// The scenario has something that cannot be emulated.
    Unsupported(Unsupported),
    /// The system refuses something; what it was for.
    System(String, io::Error),
    /// A program has failed; what it said.
    Program(String),
    /// The user has stopped it.
    Stopped,
}

impl fmt::Display for EmulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EmulateError::Unsupported(what) => write!(f, "{what}"),
            EmulateError::System(what, error) => write!(f, "{what}: {error}"),
            EmulateError::Program(what) => f.write_str(what),
            EmulateError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for EmulateError {}

fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> EmulateError {
    |error| EmulateError::System(what.into(), error)
}

/// A program at work; it is killed when this is dropped.
struct Program {
    child: Child,
    /// Where it writes what it has to say.
    log: PathBuf,
}

impl Program {
    /// Ends in good order what listens to SIGINT.
    fn interrupt(&self) {
        let _ = kill(Pid::from_raw(self.child.id().cast_signed()), Signal::SIGINT);
    }

    fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    fn said(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default().trim().to_owned()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A consumer at work.
struct Running {
    flow: usize,
    program: Program,
    start: Time,
    /// When it was asked to end.
    asked: Option<Time>,
}

/// The network that is up. Fields are dropped in their order: first the programs, then links, then nodes.
struct Network<'a> {
    setting: &'a Setting<'a>,
    scenario: &'a Scenario,
    layout: Layout,
    programs: Vec<Program>,
    tunnels: Vec<(Way, Tunnel)>,
    nodes: Vec<Namespace>,
    folder: TempDir,
    clock: Clock,
}

/// Runs a scenario.
///
/// # Errors
/// If it cannot be emulated, or something fails.
pub fn run(scenario: &Scenario, setting: &Setting<'_>) -> Result<Outcome, EmulateError> {
    let layout = Layout::of(scenario).map_err(EmulateError::Unsupported)?;
    let folder = tempfile::Builder::new().prefix("weir-emulate-").tempdir().map_err(system("a folder for the run"))?;
    let nodes = layout.nodes.iter().map(|node| Namespace::new(&node.name)).collect::<io::Result<Vec<_>>>();
    let mut network = Network {
        setting,
        scenario,
        programs: Vec::new(),
        tunnels: Vec::new(),
        nodes: nodes.map_err(system("a network namespace"))?,
        layout,
        folder,
        clock: Clock::start(),
    };
    network.link().map_err(system("a link"))?;
    network.forward()?;
    network.publish()?;
    network.fetch()
}

impl Network<'_> {
    fn socket(&self, node: usize) -> PathBuf {
        self.folder.path().join(format!("{node}.sock"))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts a program at a node.
    fn start(&self, node: usize, log: &str, words: &[std::ffi::OsString]) -> Result<Program, EmulateError> {
        let what = || format!("a program at node `{}`", self.layout.nodes[node].name);
        let log = self.file(log);
        let said = File::create(&log).map_err(system(what()))?;
        let mut command = guarded(self.setting.own, self.setting.guard, self.setting.own, words);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said);
        let child = self.nodes[node].start(command).map_err(system(what()))?;
        Ok(Program { child, log })
    }

    /// Puts up links.
    fn link(&mut self) -> io::Result<()> {
        let seed = Seed(self.setting.seed).of("link");
        for (number, link) in self.scenario.topology.links.iter().enumerate() {
            let of = |node: usize| {
                let face = self.layout.nodes[node].faces.iter().find(|face| face.way.link == number);
                let face = face.ok_or_else(|| io::Error::other("a link without ends"))?;
                self.nodes[node].device(&format!("link{number}"), face.local)
            };
            let (a, b) = (of(link.a)?, of(link.b)?);
            let names = self.scenario.topology.directions(link);
            for (forward, name) in [true, false].into_iter().zip(names) {
                let way = Way { link: number, forward };
                let direction = if forward { link.forward } else { link.backward };
                let direction = Direction { rate: Rate(direction.rate.0.saturating_mul(FASTER)), ..direction };
                let impairment = self.scenario.impairments.iter().find(|(at, _)| *at == way).map(|(_, how)| *how);
                let shaper = Shaper::new(&direction, SLACK, impairment, seed.of(&name));
                let (from, to) = if forward { (&a, &b) } else { (&b, &a) };
                self.tunnels.push((way, Tunnel::start(from.clone(), to.clone(), shaper, self.clock)?));
            }
        }
        Ok(())
    }

    /// Starts forwarders, and waits until they listen.
    fn forward(&mut self) -> Result<(), EmulateError> {
        let payload = self.scenario.workloads.iter().map(|w| w.payload.0).max().unwrap_or(8000);
        for (number, node) in self.layout.nodes.iter().enumerate() {
            let socket = self.socket(number);
            let text = config::forwarder(node, &self.scenario.scheme, self.scenario.tables, payload, &socket);
            let file = self.file(&format!("{number}.toml"));
            std::fs::write(&file, text).map_err(system("the configuration of a forwarder"))?;
            let words = ["forward".into(), file.into_os_string()];
            let program = self.start(number, &format!("{number}.log"), &words)?;
            self.programs.push(program);
        }
        for node in 0..self.nodes.len() {
            self.await_that(node, |network| network.socket(node).exists())?;
        }
        Ok(())
    }

    /// Starts producers, and waits until their names are known.
    fn publish(&mut self) -> Result<(), EmulateError> {
        for (number, content) in self.layout.contents.clone().iter().enumerate() {
            let file = self.file(&format!("content{number}"));
            // Its bytes are zeros and take no room.
            let made = File::create(&file).and_then(|made| made.set_len(content.segments * content.payload));
            made.map_err(system("a content"))?;
            for node in &content.producers {
                let words = config::put(content, &file, &self.socket(*node));
                let program = self.start(*node, &format!("put{number}-{node}.log"), &words)?;
                self.programs.push(program);
                let last = self.programs.len() - 1;
                self.await_that(last, |network| network.programs[last].said().contains("registered"))?;
            }
        }
        Ok(())
    }

    /// Waits for something that a program is to bring about.
    fn await_that(&mut self, program: usize, done: impl Fn(&Network<'_>) -> bool) -> Result<(), EmulateError> {
        let end = self.clock.now() + PATIENCE;
        while !done(self) {
            if self.setting.stop.load(Ordering::Relaxed) {
                return Err(EmulateError::Stopped);
            }
            if self.programs[program].has_ended() || self.clock.now() > end {
                return Err(EmulateError::Program(self.programs[program].said()));
            }
            sleep(LOOK);
        }
        Ok(())
    }

    /// Lets consumers fetch, and sums up.
    fn fetch(&mut self) -> Result<Outcome, EmulateError> {
        let mut waiting: Vec<(Time, usize)> = (self.scenario.workloads.iter().enumerate())
            .map(|(flow, workload)| (self.start_of(flow, workload.start), flow))
            .collect();
        waiting.sort_unstable();
        waiting.reverse();
        let plan = &self.scenario.run;
        let end = plan.duration.or(plan.limit).map(|span| Time::ZERO + span);
        let (began, mut running) = (self.clock.now(), Vec::<Running>::new());
        let mut fetched: Vec<Fetched> = Vec::new();
        let before: Vec<_> = self.tunnels.iter().map(|(_, tunnel)| Seen::of(tunnel.counters())).collect();
        let passed = |network: &Network<'_>| Time::ZERO + network.clock.now().since(began);
        loop {
            let now = passed(self);
            while let Some((_, flow)) = waiting.pop_if(|(at, _)| *at <= now) {
                running.push(Running { flow, program: self.consumer(flow)?, start: passed(self), asked: None });
            }
            let over = end.is_some_and(|end| end <= now) || self.setting.stop.load(Ordering::Relaxed);
            for one in &mut running {
                let stop = self.scenario.workloads[one.flow].stop.is_some_and(|at| at <= now);
                match one.asked {
                    None if stop || over => {
                        one.program.interrupt();
                        one.asked = Some(now);
                    }
                    Some(at) if now.since(at) > GRACE => drop(one.program.child.kill()),
                    _ => {}
                }
            }
            let ended: Vec<Running> = running.extract_if(.., |one| one.program.has_ended()).collect();
            for Running { flow, program, start, asked } in ended {
                let stats = self.file(&format!("get{flow}.csv"));
                if !stats.exists() && asked.is_none() {
                    return Err(EmulateError::Program(format!(
                        "flow `{}`: {}",
                        self.scenario.workloads[flow].label,
                        program.said()
                    )));
                }
                fetched.push(Fetched { flow, start, stats, completed: asked.is_none() });
            }
            if running.is_empty() && (waiting.is_empty() || over) {
                break;
            }
            sleep(LOOK);
        }
        if self.setting.stop.load(Ordering::Relaxed) {
            return Err(EmulateError::Stopped);
        }
        let length = passed(self).since(Time::ZERO);
        let links = self.tunnels.iter().zip(before).map(|((way, t), before)| (*way, Seen::of(t.counters()) - before));
        let links = links.collect();
        let status = (0..self.nodes.len()).map(|node| self.status(node)).collect::<Result<Vec<_>, _>>()?;
        outcome(self.scenario, &fetched, &self.layout, &links, &status, length)
            .map_err(system("what a program has written"))
    }

    /// When a flow starts: the seed draws.
    fn start_of(&self, flow: usize, (low, high): (Time, Time)) -> Time {
        let mut chance = Seed(self.setting.seed).of("start").of(&flow.to_string()).stream();
        low + Span(chance.below(high.since(low).0.saturating_add(1)))
    }

    fn consumer(&self, flow: usize) -> Result<Program, EmulateError> {
        let workload = &self.scenario.workloads[flow];
        let (socket, stats) = (self.socket(workload.consumer), self.file(&format!("get{flow}.csv")));
        let node = &self.layout.nodes[workload.consumer];
        let words = config::get(workload, self.scenario, node, &socket, &stats);
        self.start(workload.consumer, &format!("get{flow}.log"), &words)
    }

    /// What the forwarder of a node says of itself.
    fn status(&self, node: usize) -> Result<Status, EmulateError> {
        let name = &self.layout.nodes[node].name;
        let silent =
            |why: String| EmulateError::Program(format!("the forwarder of node `{name}` does not answer: {why}"));
        let uri = format!("unix://{}", self.socket(node).display());
        let uri = forwarder_uri(Some(&uri)).map_err(|error| silent(error.to_string()))?;
        let dataset = STATUS.parse().map_err(|error| silent(format!("{error}")))?;
        Status::from_json(&fetch_dataset(&uri, &dataset).map_err(silent)?).map_err(silent)
    }
}
