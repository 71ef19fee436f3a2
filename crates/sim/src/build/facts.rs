//! What nodes know of the network around them: their links, and how far away the producers are.

use super::Builder;
use super::ports::Port;
use weir_core::{Bytes, LinkFacts, Seed, Site};
use weir_engine::Producer;
use weir_scenario::plan::Workload;

impl Builder<'_> {
    /// What the plug-ins of a consumer are told: the link is the one over which its Interests leave.
    pub(super) fn consumer_site(&self, workload: &Workload, seed: Seed) -> Site {
        let site = self.site(seed, None);
        // A control has no queue: what it may know of the link is its rate and delay.
        let link = self.first_port(workload).map(Port::facts);
        Site {
            payload: workload.payload,
            data_size: data_size(workload),
            link_rate: link.map_or(site.link_rate, |link| link.rate),
            link_delay: link.map_or(site.link_delay, |link| link.delay),
            ..site
        }
    }

    fn first_port(&self, workload: &Workload) -> Option<&Port<'_>> {
        let ports = &self.ports[workload.consumer];
        if let [port] = &ports[..] {
            return Some(port);
        }
        let matching = self.routes.iter().filter(|(prefix, _)| prefix.is_prefix_of(&workload.name));
        let (_, routes) = matching.max_by_key(|(prefix, _)| prefix.len())?;
        let hop = routes.of(workload.consumer).first()?;
        ports.iter().find(|port| port.number == hop.link)
    }
}

impl Port<'_> {
    /// What the node knows of the link.
    pub(super) fn facts(&self) -> LinkFacts {
        let direction = self.direction();
        LinkFacts { rate: direction.rate, delay: direction.delay, queue: direction.limit }
    }
}

/// The last Data of a workload on the wire; of one without end, a Data with a number of five digits.
pub(super) fn data_size(workload: &Workload) -> Bytes {
    const FIVE_DIGITS: u64 = 10_000;
    let producer = Producer::new(workload.name.clone(), workload.segments, workload.payload, workload.freshness);
    let last = workload.segments.map_or(FIVE_DIGITS, |n| n.saturating_sub(1));
    Bytes(producer.data(workload.name.with_segment(last)).wire_len() as u64)
}
