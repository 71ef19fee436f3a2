//! Plug-ins out of the registry, for the places that the configuration names.

use super::config::Config;
use super::values::Scheme;
use weir_core::{Bytes, Entry, ForwardingStrategy, Limit, NodeMonitor, QueueDiscipline, Rate, Seed, Site, Span};
use weir_schemes::registry::{MONITORS, QUEUES, RECOVERIES, STRATEGIES, find};

/// Bytes of a Data besides its payload: name, signature, headers, as files are served.
const HEADERS: u64 = 120;

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

    /// What a queue is told of its link.
    fn site(&mut self, rate: Option<Rate>) -> Site {
        self.seed = self.seed.wrapping_add(1);
        Site {
            seed: Seed(self.seed),
            payload: self.payload,
            data_size: Bytes(self.payload.0 + HEADERS),
            link_rate: rate.unwrap_or(Rate(0)),
            link_delay: Span::ZERO,
            limit: self.limit,
        }
    }

    /// The queue of a face, with its recovery.
    pub fn queue(
        &mut self,
        queue: &Scheme,
        recovery: &Scheme,
        rate: Option<Rate>,
    ) -> Result<Box<dyn QueueDiscipline>, String> {
        let built = build("queue", QUEUES, queue, &self.site(rate))?;
        match recovery.is_none() {
            true => Ok(built),
            false => Ok(build("recovery", RECOVERIES, recovery, &self.site(rate))?(built)),
        }
    }

    /// A strategy.
    pub fn strategy(&mut self, scheme: &Scheme) -> Result<Box<dyn ForwardingStrategy>, String> {
        build("strategy", STRATEGIES, scheme, &self.site(None))
    }

    /// The node's monitor, if there is to be one.
    pub fn monitor(&mut self, scheme: &Scheme) -> Result<Option<Box<dyn NodeMonitor>>, String> {
        match scheme.is_none() {
            true => Ok(None),
            false => build("monitor", MONITORS, scheme, &self.site(None)).map(Some),
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
    parts.queue(&schemes.queue, &schemes.recovery, None).map_err(|e| format!("in [schemes]: {e}"))?;
    parts.strategy(&schemes.strategy).map_err(|e| format!("in [schemes]: {e}"))?;
    parts.monitor(&schemes.monitor).map_err(|e| format!("in [schemes]: {e}"))?;
    let listen = config.listen.iter().map(|l| ("listen", &l.uri, &l.queue, &l.recovery, l.rate));
    let face = config.face.iter().map(|f| ("face", &f.uri, &f.queue, &f.recovery, f.rate));
    for (table, uri, queue, recovery, rate) in listen.chain(face) {
        let queue = queue.as_ref().unwrap_or(&schemes.queue);
        let recovery = recovery.as_ref().unwrap_or(&schemes.recovery);
        parts.queue(queue, recovery, rate).map_err(|e| format!("in [[{table}]] of {}: {e}", uri.0))?;
    }
    for choice in &config.strategy {
        parts.strategy(&choice.strategy).map_err(|e| format!("in [[strategy]] of {}: {e}", choice.prefix))?;
    }
    Ok(())
}
