//! The network that is up: namespaces, links, forwarders and producers.

use crate::config;
use crate::layout::Layout;
use crate::namespace::{Namespace, guarded};
use crate::others::{Call, Programs};
use crate::program::Program;
use crate::run::{EmulateError, Setting, system};
use crate::shaper::Shaper;
use crate::tunnel::Tunnel;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::Duration;
use tempfile::TempDir;
use weir_core::{Limit, Rate, Seed, Span};
use weir_live::forward::Status;
use weir_live::{Clock, fetch_dataset, forwarder_uri};
use weir_scenario::plan::{Direction, Scenario, SchemePlan, Software, Way};

/// How often somebody looks what the programs do.
pub(crate) const LOOK: Duration = Duration::from_millis(10);
/// Programs that are not ready by then never will be.
const PATIENCE: Span = Span::from_millis(20_000);
/// Room of a link for datagrams that a forwarder of ours sends too early: its own queue is the scheme's.
const SLACK: Limit = Limit::Packets(1000);
/// A link is faster than a forwarder of ours in front of it, which keeps to the scenario's rate: or else a second queue
/// would stand in the link, where no scheme sees it.
const FASTER: u64 = 4;

/// What forwarders of ours say of themselves.
const STATUS: &str = "/localhost/weir/status";

/// The network. Fields are dropped in their order: first the programs, then links, then nodes.
pub(crate) struct Network<'a> {
    pub setting: &'a Setting<'a>,
    pub scenario: &'a Scenario,
    pub layout: Layout,
    /// Of each node; the timeline changes them.
    pub schemes: Vec<SchemePlan>,
    /// The forwarders of the nodes, then producers.
    pub programs: Vec<Program>,
    pub tunnels: Vec<(Way, Tunnel)>,
    nodes: Vec<Namespace>,
    folder: TempDir,
    clock: Clock,
}

impl<'a> Network<'a> {
    /// Namespaces without links.
    pub fn new(scenario: &'a Scenario, setting: &'a Setting<'a>) -> Result<Network<'a>, EmulateError> {
        let layout = Layout::of(scenario).map_err(EmulateError::Unsupported)?;
        let folder =
            tempfile::Builder::new().prefix("weir-emulate-").tempdir().map_err(system("a folder for the run"))?;
        let nodes = layout.nodes.iter().map(|node| Namespace::new(&node.name)).collect::<io::Result<Vec<_>>>();
        Ok(Network {
            setting,
            scenario,
            schemes: vec![scenario.scheme.clone(); layout.nodes.len()],
            programs: Vec::new(),
            tunnels: Vec::new(),
            nodes: nodes.map_err(system("a network namespace"))?,
            layout,
            folder,
            clock: Clock::start(),
        })
    }

    pub fn clock(&self) -> Clock {
        self.clock
    }

    pub fn socket(&self, node: usize) -> PathBuf {
        self.file(&format!("{node}.sock"))
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts a program of ours at a node.
    pub fn start(&self, node: usize, log: &str, words: Vec<OsString>) -> Result<Program, EmulateError> {
        self.call(node, log, &Call { program: self.setting.own.to_owned(), words })
    }

    /// Starts any program at a node; it finds the node's forwarder where NDN programs look for it.
    fn call(&self, node: usize, log: &str, call: &Call) -> Result<Program, EmulateError> {
        let what = || format!("a program at node `{}`", self.layout.nodes[node].name);
        let log = self.file(log);
        let said = File::create(&log).map_err(system(what()))?;
        let told = said.try_clone().map_err(system(what()))?;
        let mut command = guarded(self.setting.own, self.setting.guard, &call.program, &call.words);
        let socket = format!("unix://{}", self.socket(node).display());
        command.env("NDN_CLIENT_TRANSPORT", socket).env("HOME", self.folder.path());
        // What `weir get` writes to standard output is the content.
        let ours = call.program == self.setting.own;
        command.stdin(Stdio::null()).stdout(if ours { Stdio::null() } else { told.into() }).stderr(said);
        let child = self.nodes[node].start(command).map_err(system(what()))?;
        Ok(Program { child, log })
    }

    /// Puts up links.
    pub fn link(&mut self) -> io::Result<()> {
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
                let limit = if self.keeps_rate(way) { SLACK } else { direction.limit };
                let direction = Direction { rate: self.rate_of(way, direction.rate), ..direction };
                let impairment = self.scenario.impairments.iter().find(|(at, _)| *at == way).map(|(_, how)| *how);
                let shaper = Shaper::new(&direction, limit, impairment, seed.of(&name));
                let (from, to) = if forward { (&a, &b) } else { (&b, &a) };
                self.tunnels.push((way, Tunnel::start(from.clone(), to.clone(), shaper, self.clock)?));
            }
        }
        Ok(())
    }

    /// The node from which a direction leads.
    pub fn sender(&self, way: Way) -> usize {
        let link = &self.scenario.topology.links[way.link];
        if way.forward { link.a } else { link.b }
    }

    /// True if the forwarder in front of a direction keeps to its rate.
    fn keeps_rate(&self, way: Way) -> bool {
        self.layout.nodes[self.sender(way)].software == Software::Weir
    }

    /// The rate of a direction's tunnel.
    pub fn rate_of(&self, way: Way, rate: Rate) -> Rate {
        if self.keeps_rate(way) { Rate(rate.0.saturating_mul(FASTER)) } else { rate }
    }

    /// Starts forwarders, and waits until they listen and know their routes.
    pub fn forward(&mut self) -> Result<(), EmulateError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let find = |node: &crate::layout::NodeLayout| match node.software {
            Software::Weir => Ok(None),
            other => Programs::find(other, &node.name, &path).map(Some).map_err(EmulateError::Program),
        };
        let others = self.layout.nodes.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        for (number, other) in others.iter().enumerate() {
            let (socket, file) = (self.socket(number), self.configuration(number));
            let (text, call) = match other {
                None => {
                    let words = vec!["forward".into(), file.clone().into_os_string()];
                    (self.configured(number), Call { program: self.setting.own.to_owned(), words })
                }
                Some(programs) => programs.forwarder(&self.layout.nodes[number], self.scenario.tables, &socket, &file),
            };
            std::fs::write(&file, text).map_err(system("the configuration of a forwarder"))?;
            let program = self.call(number, &format!("{number}.log"), &call)?;
            self.programs.push(program);
        }
        for (node, other) in others.iter().enumerate() {
            self.await_that(node, |network| network.socket(node).exists())?;
            let calls = other.as_ref().map(|programs| programs.routes(&self.layout.nodes[node]));
            for call in calls.unwrap_or_default() {
                self.carry_out(node, &call)?;
            }
        }
        Ok(())
    }

    /// Lets a program do one thing.
    fn carry_out(&mut self, node: usize, call: &Call) -> Result<(), EmulateError> {
        let mut program = self.call(node, &format!("{node}-order.log"), call)?;
        let end = self.clock.now() + PATIENCE;
        loop {
            match program.ended_well() {
                Some(true) => return Ok(()),
                None if self.clock.now() < end && !self.is_stopped() => sleep(LOOK),
                _ if self.is_stopped() => return Err(EmulateError::Stopped),
                _ => {
                    let name = &self.layout.nodes[node].name;
                    let words: Vec<_> = call.words.iter().map(|word| word.to_string_lossy()).collect();
                    let what = format!("`{} {}` at node `{name}`", call.program.display(), words.join(" "));
                    return Err(EmulateError::Program(format!("{what}: {}", program.said())));
                }
            }
        }
    }

    pub fn configuration(&self, node: usize) -> PathBuf {
        self.file(&format!("{node}.conf"))
    }

    /// The text of the configuration of a forwarder of ours.
    pub fn configured(&self, node: usize) -> String {
        let payload = self.scenario.workloads.iter().map(|w| w.payload.0).max().unwrap_or(8000);
        let about = &self.layout.nodes[node];
        config::forwarder(about, &self.schemes[node], self.scenario.tables, payload, &self.socket(node))
    }

    /// Starts producers, and waits until their names are known.
    pub fn publish(&mut self) -> Result<(), EmulateError> {
        for (number, content) in self.layout.contents.clone().iter().enumerate() {
            let file = self.file(&format!("content{number}"));
            // Its bytes are zeros and take no room.
            let made = File::create(&file).and_then(|made| made.set_len(content.segments * content.payload));
            made.map_err(system("a content"))?;
            for node in &content.producers {
                let words = config::put(content, &file, &self.socket(*node));
                let program = self.start(*node, &format!("put{number}-{node}.log"), words)?;
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
            if self.is_stopped() {
                return Err(EmulateError::Stopped);
            }
            if self.programs[program].has_ended() || self.clock.now() > end {
                return Err(EmulateError::Program(self.programs[program].said()));
            }
            sleep(LOOK);
        }
        Ok(())
    }

    /// True if the user wants to stop.
    pub fn is_stopped(&self) -> bool {
        self.setting.stop.load(Ordering::Relaxed)
    }

    /// What the forwarder of a node says of itself, if it is one of ours.
    pub fn status(&self, node: usize) -> Result<Option<Status>, EmulateError> {
        let about = &self.layout.nodes[node];
        if about.software != Software::Weir {
            return Ok(None);
        }
        let silent = |why: String| {
            EmulateError::Program(format!("the forwarder of node `{}` does not answer: {why}", about.name))
        };
        let uri = format!("unix://{}", self.socket(node).display());
        let uri = forwarder_uri(Some(&uri)).map_err(|error| silent(error.to_string()))?;
        let dataset = STATUS.parse().map_err(|error| silent(format!("{error}")))?;
        Status::from_json(&fetch_dataset(&uri, &dataset).map_err(silent)?).map(Some).map_err(silent)
    }
}
