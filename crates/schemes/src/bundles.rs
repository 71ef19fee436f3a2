//! Complete schemes: named bundles of parts, each replaceable in a scenario.

use weir_core::{Settings, Value, nearest};

/// A part with settings that differ from its defaults.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Name in the registry.
    pub name: &'static str,
    /// Settings, as `(parameter, value)`.
    pub settings: &'static [(&'static str, Setting)],
}

/// A constant [`Value`].
#[derive(Clone, Copy, Debug)]
pub enum Setting {
    /// A number.
    Number(f64),
    /// A switch.
    Bool(bool),
    /// A word or quantity.
    Text(&'static str),
}

/// A complete scheme.
#[derive(Clone, Copy, Debug)]
pub struct Bundle {
    /// Name in scenario files.
    pub name: &'static str,
    /// One sentence for lists.
    pub summary: &'static str,
    /// Consumer control.
    pub control: Part,
    /// Retransmission timeout.
    pub timeout: Part,
    /// Queue discipline of every face.
    pub queue: Part,
    /// Forwarding strategy.
    pub strategy: Part,
    /// In-network recovery on router faces.
    pub recovery: Option<Part>,
    /// Node monitor of routers.
    pub monitor: Option<Part>,
}

impl Part {
    const fn plain(name: &'static str) -> Part {
        Part { name, settings: &[] }
    }

    /// The settings as a builder takes them.
    pub fn values(&self) -> Settings {
        let value = |s: &Setting| match s {
            Setting::Number(n) => Value::Number(*n),
            Setting::Bool(b) => Value::Bool(*b),
            Setting::Text(t) => Value::Text((*t).into()),
        };
        self.settings.iter().map(|(name, s)| ((*name).into(), value(s))).collect()
    }
}

const fn bundle(name: &'static str, summary: &'static str, control: &'static str, queue: &'static str) -> Bundle {
    Bundle {
        name,
        summary,
        control: Part::plain(control),
        timeout: Part::plain("rfc6298"),
        queue: Part::plain(queue),
        strategy: Part::plain("best-route"),
        recovery: None,
        monitor: None,
    }
}

/// Every complete scheme.
pub static BUNDLES: &[Bundle] = &[
    bundle("fixed-window", "A constant window over drop-tail queues", "fixed-window", "droptail"),
    bundle("cbr", "A constant Interest rate over drop-tail queues", "cbr", "droptail"),
    bundle("icp", "ICP: AIMD driven by timeouts alone", "icp", "droptail"),
    Bundle {
        queue: Part { name: "codel", settings: &[("action", Setting::Text("mark"))] },
        ..bundle("aimd", "AIMD of RFC 5681 with congestion marks from CoDel", "aimd", "codel")
    },
    bundle("bic", "BIC over drop-tail queues", "bic", "droptail"),
    bundle("cubic", "CUBIC over drop-tail queues", "cubic", "droptail"),
    bundle("pcon", "PCON: CUBIC consumers, CoDel marking at every face", "pcon-cs", "pcon"),
    Bundle {
        strategy: Part::plain("pcon-fs"),
        ..bundle("pcon-fs", "PCON with its own forwarding: marks move traffic to other next hops", "pcon-cs", "pcon")
    },
    Bundle {
        strategy: Part::plain("drf"),
        ..bundle("drf", "ICP over forwarders that balance what is pending", "icp", "droptail")
    },
    Bundle {
        strategy: Part::plain("fpf"),
        ..bundle("fpf", "ICP over forwarders that fill the fastest path first", "icp", "droptail")
    },
    Bundle {
        queue: Part { name: "pfecc", settings: &[("tell_delay", Setting::Bool(true))] },
        strategy: Part::plain("pfecc-mf"),
        ..bundle("pfecc-mf", "PFECC with traffic that leaves paths whose queueing delay rises", "pfecc", "pfecc")
    },
    bundle("pfecc", "PFECC: routers tell each Data whether its flow may grow", "pfecc", "pfecc"),
    Bundle {
        timeout: Part::plain("max-rtt"),
        monitor: Some(Part::plain("pit-occupancy")),
        ..bundle(
            "abu",
            "Marks by the occupancy of the Pending Interest Table, and receivers that heed them",
            "abu",
            "droptail",
        )
    },
    Bundle {
        recovery: Some(Part::plain("plr")),
        ..bundle("plr", "CUBIC with proactive loss recovery in routers", "cubic", "droptail")
    },
    Bundle {
        strategy: Part { name: "stateful-forwarding", settings: &[("adapt", Setting::Text("each"))] },
        ..bundle(
            "stateful-forwarding",
            "Stateful Forwarding: rate limits at routers, congestion Nacks, a rate that each halves",
            "stateful-forwarding",
            "droptail",
        )
    },
    Bundle {
        strategy: Part { name: "stateful-forwarding", settings: &[("adapt", Setting::Text("check"))] },
        ..bundle(
            "kato",
            "Kato and Bandai: Stateful Forwarding that waits after each cut to see what it does",
            "kato",
            "droptail",
        )
    },
];

/// The bundle called `name`.
///
/// # Errors
/// A message that names the nearest bundle, or all of them.
pub fn find(name: &str) -> Result<&'static Bundle, String> {
    let names = || BUNDLES.iter().map(|b| b.name);
    BUNDLES.iter().find(|b| b.name == name).ok_or_else(|| match nearest(name, names()) {
        Some(near) => format!("there is no scheme {name:?}; did you mean {near:?}?"),
        None => format!("there is no scheme {name:?}; there are: {}", names().collect::<Vec<_>>().join(", ")),
    })
}
