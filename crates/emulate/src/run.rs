//! A run: the network is put up, programs start and end, and what they saw becomes an [`Outcome`].

use crate::fetching::Fetching;
use crate::layout::Unsupported;
use crate::links::LinkKind;
use crate::network::Network;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use weir_scenario::plan::Scenario;
use weir_sim::Outcome;

/// What a run needs besides its scenario.
pub struct Setting<'a> {
    /// This program: it has `forward`, `put`, `get`, `status`, and the word `guard`.
    pub own: &'a Path,
    /// The word by which it guards another program ([`crate::namespace::become_guarded`]).
    pub guard: &'a str,
    /// Who makes the links.
    pub links: LinkKind,
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

pub(crate) fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> EmulateError {
    |error| EmulateError::System(what.into(), error)
}

/// Runs a scenario.
///
/// # Errors
/// If it cannot be emulated, or something fails.
pub fn run(scenario: &Scenario, setting: &Setting<'_>) -> Result<Outcome, EmulateError> {
    let mut network = Network::new(scenario, setting)?;
    network.link()?;
    network.forward()?;
    network.publish()?;
    Fetching::new(network).run()
}
