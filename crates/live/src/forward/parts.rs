//! Plug-ins out of the registry, for the places that the configuration names.

use super::config::Config;
use super::values::Scheme;
use weir_core::{Bytes, Entry, ForwardingStrategy, Limit, NodeMonitor, QueueDiscipline, Rate, Seed, Site, Span};
use weir_schemes::registry::{MONITORS, QUEUES, RECOVERIES, STRATEGIES, find};

/// Bytes of a Data besides its payload: name, signature, headers, as files are served.
const HEADERS: u64 = 120;

/// What is known of the link of a face.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LinkTerms {
    pub rate: Option<Rate>,
    pub delay: Option<Span>,
    /// What its queue holds; `None`: as much as all others.
    pub limit: Option<Limit>,
}

/// Builds plug-ins, each with a seed of its own.
#[derive(Debug)]
pub(crate) struct Parts {
    seed: u64,
    payload: Bytes,
    limit: Limit,
}

impl Parts {
    pub fn new(config: &Config, seed: u64) -> Parts {
        let limit = Limit::Packets(config.schemes.queue_packets);
        Parts { seed, payload: config.schemes.payload, limit }
    }

    /// What the configuration says now.
    pub fn renew(&mut self, config: &Config) {
        *self = Parts::new(config, self.seed);
    }

    /// What a queue is told of its link.
    fn site(&mut self, link: &LinkTerms) -> Site {
        self.seed = self.seed.wrapping_add(1);
        Site {
            seed: Seed(self.seed),
            payload: self.payload,
            data_size: Bytes(self.payload.0 + HEADERS),
            link_rate: link.rate.unwrap_or(Rate(0)),
            link_delay: link.delay.unwrap_or(Span::ZERO),
            limit: link.limit.unwrap_or(self.limit),
        }
    }

    /// The queue of a face, with its recovery.
    pub fn queue(
        &mut self,
        queue: &Scheme,
        recovery: &Scheme,
        link: &LinkTerms,
    ) -> Result<Box<dyn QueueDiscipline>, String> {
        let built = build("queue", QUEUES, queue, &self.site(link))?;
        match recovery.is_none() {
            true => Ok(built),
            false => Ok(build("recovery", RECOVERIES, recovery, &self.site(link))?(built)),
        }
    }

    /// A strategy.
    pub fn strategy(&mut self, scheme: &Scheme) -> Result<Box<dyn ForwardingStrategy>, String> {
        build("strategy", STRATEGIES, scheme, &self.site(&LinkTerms::default()))
    }

    /// The node's monitor, if there is to be one.
    pub fn monitor(&mut self, scheme: &Scheme) -> Result<Option<Box<dyn NodeMonitor>>, String> {
        match scheme.is_none() {
            true => Ok(None),
            false => build("monitor", MONITORS, scheme, &self.site(&LinkTerms::default())).map(Some),
        }
    }
}

fn build<B>(what: &str, entries: &[Entry<B>], scheme: &Scheme, site: &Site) -> Result<B, String> {
    let entry = find(what, entries, &scheme.name)?;
    (entry.build)(&scheme.settings, site).map_err(|error| format!("{what} {:?}: {error}", scheme.name))
}

/// Builds everything once, so that a file that is accepted can be run.
pub(crate) fn check(config: &Config) -> Result<(), String> {
    let mut parts = Parts::new(config, 0);
    let schemes = &config.schemes;
    let nothing = LinkTerms::default();
    parts.queue(&schemes.queue, &schemes.recovery, &nothing).map_err(|e| format!("in [schemes]: {e}"))?;
    parts.strategy(&schemes.strategy).map_err(|e| format!("in [schemes]: {e}"))?;
    parts.monitor(&schemes.monitor).map_err(|e| format!("in [schemes]: {e}"))?;
    let listen = config.listen.iter().map(|l| ("listen", &l.uri, l.terms(), l.rate, l.mtu));
    let face = config.face.iter().map(|f| ("face", &f.uri, f.terms(), f.rate, f.mtu));
    for (table, uri, terms, rate, mtu) in listen.chain(face) {
        let queue = terms.queue.unwrap_or(&schemes.queue);
        let recovery = terms.recovery.unwrap_or(&schemes.recovery);
        let link = LinkTerms { rate, delay: terms.delay, limit: mtu.and_then(|mtu| terms.limit(mtu)) };
        parts.queue(queue, recovery, &link).map_err(|e| format!("in [[{table}]] of {}: {e}", uri.0))?;
    }
    for choice in &config.strategy {
        parts.strategy(&choice.strategy).map_err(|e| format!("in [[strategy]] of {}: {e}", choice.prefix))?;
    }
    Ok(())
}
