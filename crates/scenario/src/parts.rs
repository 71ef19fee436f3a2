//! The kinds of plug-in that a scheme is made of, each with its list in the registry.

use weir_core::{Entry, ParameterError, ParameterSpec, Settings, Site};
use weir_schemes::registry;

/// A kind of plug-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Control,
    Timeout,
    Queue,
    Strategy,
    Recovery,
    Monitor,
}

/// Calls a generic function with the registry's list for a kind.
macro_rules! with_entries {
    ($kind:expr, $function:ident $(, $argument:expr)*) => {
        match $kind {
            Kind::Control => $function(registry::CONTROLS $(, $argument)*),
            Kind::Timeout => $function(registry::TIMEOUTS $(, $argument)*),
            Kind::Queue => $function(registry::QUEUES $(, $argument)*),
            Kind::Strategy => $function(registry::STRATEGIES $(, $argument)*),
            Kind::Recovery => $function(registry::RECOVERIES $(, $argument)*),
            Kind::Monitor => $function(registry::MONITORS $(, $argument)*),
        }
    };
}

impl Kind {
    pub(crate) const ALL: [Kind; 6] =
        [Kind::Control, Kind::Timeout, Kind::Queue, Kind::Strategy, Kind::Recovery, Kind::Monitor];

    /// Its name in sentences and, but for `host_queue`, its key in `[scheme]`.
    pub(crate) fn what(self) -> &'static str {
        match self {
            Kind::Control => "control",
            Kind::Timeout => "timeout",
            Kind::Queue => "queue",
            Kind::Strategy => "strategy",
            Kind::Recovery => "recovery",
            Kind::Monitor => "monitor",
        }
    }

    /// Names in the registry.
    pub(crate) fn names(self) -> Vec<&'static str> {
        with_entries!(self, names)
    }

    /// Name, summary and parameters of each plug-in.
    pub(crate) fn entries(self) -> Vec<(&'static str, &'static str, Vec<ParameterSpec>)> {
        with_entries!(self, entries)
    }

    /// Names of the parameters of one plug-in.
    pub(crate) fn parameters(self, name: &str) -> Vec<String> {
        with_entries!(self, parameters, name)
    }

    /// Builds a plug-in and throws it away.
    pub(crate) fn check(self, name: &str, settings: &Settings) -> Result<(), ParameterError> {
        with_entries!(self, check, name, settings)
    }
}

fn names<B>(entries: &[Entry<B>]) -> Vec<&'static str> {
    entries.iter().map(|e| e.name).collect()
}

fn entries<B>(entries: &[Entry<B>]) -> Vec<(&'static str, &'static str, Vec<ParameterSpec>)> {
    entries.iter().map(|e| (e.name, e.summary, (e.parameters)())).collect()
}

fn parameters<B>(entries: &[Entry<B>], name: &str) -> Vec<String> {
    let entry = entries.iter().find(|e| e.name == name);
    entry.map_or(vec![], |e| (e.parameters)().iter().map(|s| s.name.into()).collect())
}

fn check<B>(entries: &[Entry<B>], name: &str, settings: &Settings) -> Result<(), ParameterError> {
    match entries.iter().find(|e| e.name == name) {
        Some(entry) => (entry.build)(settings, &Site::default()).map(drop),
        None => Ok(()),
    }
}
