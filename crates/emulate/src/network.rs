//! The network that is up: namespaces, links, forwarders and producers.

use crate::config;
use crate::layout::Layout;
use crate::links::Carrier;
use crate::namespace::{Namespace, guarded};
use crate::others::{Call, Programs};
use crate::program::Program;
use crate::run::{EmulateError, Setting, system};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::Duration;
use tempfile::TempDir;
use weir_core::{Limit, Span};
use weir_live::Clock;
use weir_live::forward::Status;
use weir_scenario::plan::{Scenario, SchemePlan, Way};

/// How often somebody looks what the programs do.
pub(crate) const LOOK: Duration = Duration::from_millis(10);
/// Programs that are not ready by then never will be.
pub(crate) const PATIENCE: Span = Span::from_millis(20_000);
/// Room of a link for datagrams that a forwarder of ours sends too early: its own queue is the scheme's.
pub(crate) const SLACK: Limit = Limit::Packets(1000);
/// A link is faster than a forwarder of ours in front of it, which keeps to the scenario's rate: or else a second queue
/// would stand in the link, where no scheme sees it.
pub(crate) const FASTER: u64 = 4;

/// The network. Fields are dropped in their order: first the programs, then links, then nodes.
pub(crate) struct Network<'a> {
    pub setting: &'a Setting<'a>,
    pub scenario: &'a Scenario,
    pub layout: Layout,
    /// Of each node; the timeline changes them.
    pub schemes: Vec<SchemePlan>,
    /// The forwarders of the nodes, then producers.
    pub programs: Vec<Program>,
    pub links: Vec<(Way, Carrier)>,
    /// The programs of nodes whose forwarder is not ours.
    pub others: Vec<Option<Programs>>,
    /// What forwarders of nodes had counted when they were restarted.
    pub past: Vec<Option<Status>>,
    pub nodes: Vec<Arc<Namespace>>,
    folder: TempDir,
    pub clock: Clock,
}

impl<'a> Network<'a> {
    /// Namespaces without links.
    pub fn new(scenario: &'a Scenario, setting: &'a Setting<'a>) -> Result<Network<'a>, EmulateError> {
        let layout = Layout::of(scenario).map_err(EmulateError::Unsupported)?;
        let folder =
            tempfile::Builder::new().prefix("weir-emulate-").tempdir().map_err(system("a folder for the run"))?;
        let nodes = layout.nodes.iter().map(|node| Namespace::new(&node.name).map(Arc::new));
        let nodes = nodes.collect::<io::Result<Vec<_>>>();
        Ok(Network {
            setting,
            scenario,
            schemes: vec![scenario.scheme.clone(); layout.nodes.len()],
            programs: Vec::new(),
            links: Vec::new(),
            others: Vec::new(),
            past: vec![None; layout.nodes.len()],
            nodes: nodes
                .map_err(system("a network namespace (in a container, that takes the capability SYS_ADMIN)"))?,
            layout,
            folder,
            clock: Clock::start(),
        })
    }

    pub fn socket(&self, node: usize) -> PathBuf {
        self.file(&format!("{node}.sock"))
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts a program of ours at a node; it can be given orders over its standard input.
    pub fn start(&self, node: usize, log: &str, words: Vec<OsString>) -> Result<Program, EmulateError> {
        self.begin(node, log, &Call { program: self.setting.own.to_owned(), words }, Stdio::piped())
    }

    /// Starts any program at a node.
    pub fn call(&self, node: usize, log: &str, call: &Call) -> Result<Program, EmulateError> {
        self.begin(node, log, call, Stdio::null())
    }

    /// Starts a program; it finds the node's forwarder where NDN programs look for it.
    fn begin(&self, node: usize, log: &str, call: &Call, orders: Stdio) -> Result<Program, EmulateError> {
        let what = || format!("a program at node `{}`", self.layout.nodes[node].name);
        let log = self.file(log);
        let said = File::create(&log).map_err(system(what()))?;
        let told = said.try_clone().map_err(system(what()))?;
        let mut command = guarded(self.setting.own, self.setting.guard, &call.program, &call.words);
        let socket = format!("unix://{}", self.socket(node).display());
        command.env("NDN_CLIENT_TRANSPORT", socket).env("HOME", self.folder.path());
        // What `weir get` writes to standard output is the content.
        let ours = call.program == self.setting.own;
        command.stdin(orders).stdout(if ours { Stdio::null() } else { told.into() }).stderr(said);
        let child = self.nodes[node].start(command).map_err(system(what()))?;
        Ok(Program { child, log })
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
            if let Some(segments) = content.segments {
                let made = File::create(&file).and_then(|made| made.set_len(segments * content.payload));
                made.map_err(system("a content"))?;
            }
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
    pub fn await_that(&mut self, program: usize, done: impl Fn(&Network<'_>) -> bool) -> Result<(), EmulateError> {
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
}
