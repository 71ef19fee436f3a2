//! Consumers and producers.

use super::timeline::parts_of;
use super::{BuildError, Builder, make};
use std::sync::Arc;
use weir_core::{Arrivals, ConsumerControl, FlowId, Popularity, Seed, Site, Sizes, Span, Time, Timeout};
use weir_engine::{
    Application, Demand, Fetcher, FetcherRules, Fetches, FetchesRules, NoticeTimer, Producer, RateChange, Requester,
    RequesterRules, What,
};
use weir_scenario::plan::{self, Catalogue, Workload};
use weir_schemes::registry;

impl Builder<'_> {
    pub(super) fn applications(&self, node: usize) -> Result<Vec<Box<dyn Application>>, BuildError> {
        let mut applications: Vec<Box<dyn Application>> = Vec::new();
        for (i, workload) in self.scenario.workloads.iter().enumerate() {
            if workload.consumer == node {
                applications.push(match &workload.requests {
                    Some(requests @ plan::Requests { sizes: Some(sizes), .. }) => {
                        Box::new(self.fetches(i, workload, requests, sizes)?)
                    }
                    Some(requests) => Box::new(self.requester(i, workload, requests)?),
                    None => Box::new(self.fetcher(i, workload)?),
                });
            }
            if self.firsts[i] && workload.producers.contains(&node) {
                let name = workload.name.clone();
                applications.push(Box::new(Producer::new(
                    name,
                    workload.segments,
                    workload.payload,
                    workload.freshness,
                )));
            }
        }
        Ok(applications)
    }

    fn requester(&self, flow: usize, workload: &Workload, requests: &plan::Requests) -> Result<Requester, BuildError> {
        let seed = self.flow_seed(flow, workload);
        let rules = RequesterRules {
            flow: FlowId(flow as u32),
            content: requests.content.clone(),
            lifetime: self.scenario.consumer.lifetime,
            retries: requests.retries.unwrap_or(u32::MAX),
        };
        let demand = self.demand(workload, requests, seed);
        let timeout = self.timeout(workload, &self.consumer_site(workload, seed.of("control")))?;
        Ok(Requester::new(rules, demand, timeout, seed))
    }

    fn demand(&self, workload: &Workload, requests: &plan::Requests, seed: Seed) -> Demand {
        Demand {
            arrivals: match &requests.stream {
                Some(stream) => Arrivals::Trace(self.stream_of(requests, stream)),
                None => requests.arrivals.clone(),
            },
            popularity: requests.catalogue.map(|catalogue| self.popularity(catalogue)),
            start: between(workload.start, seed.of("start")),
            stop: workload.stop,
            count: requests.count,
        }
    }

    fn fetches(
        &self,
        flow: usize,
        workload: &Workload,
        requests: &plan::Requests,
        sizes: &Sizes,
    ) -> Result<Fetches, BuildError> {
        let seed = self.flow_seed(flow, workload);
        let scheme = &self.scenario.scheme;
        let control = workload.control.as_ref().unwrap_or(&scheme.control);
        let timeout = workload.timeout.as_ref().unwrap_or(&scheme.timeout);
        let parts = parts_of(control, timeout, self.consumer_site(workload, seed.of("control")))?;
        let rules = FetchesRules {
            flow: FlowId(flow as u32),
            content: requests.content.clone(),
            payload: workload.payload,
            sizes: sizes.clone(),
            size_seed: size_seed(self.seed, workload),
            fetcher: self.fetcher_rules(),
        };
        Ok(Fetches::new(rules, self.demand(workload, requests, seed), parts, seed))
    }

    /// The table of a catalogue, which is made once for all who choose by it.
    fn popularity(&self, catalogue: Catalogue) -> Arc<Popularity> {
        let Catalogue { objects, exponent, plateau } = catalogue;
        let mut tables = self.popularities.borrow_mut();
        let known = tables.iter().find(|table| (table.objects(), table.law()) == (objects, (exponent, plateau)));
        let table = known.cloned().unwrap_or_else(|| Arc::new(Popularity::new(objects, exponent, plateau)));
        if known.is_none() {
            tables.push(Arc::clone(&table));
        }
        table
    }

    pub(super) fn flow_seed(&self, flow: usize, workload: &Workload) -> Seed {
        flow_seed(self.seed, flow, workload)
    }

    fn timeout(&self, workload: &Workload, site: &Site) -> Result<Box<dyn Timeout>, BuildError> {
        make(registry::TIMEOUTS, workload.timeout.as_ref().unwrap_or(&self.scenario.scheme.timeout), site)
    }

    fn fetcher_rules(&self) -> FetcherRules {
        let rules = &self.scenario.consumer;
        FetcherRules {
            lifetime: rules.lifetime,
            guard: rules.guard,
            notice_timer: match rules.notice_timer {
                plan::NoticeTimer::Keep => NoticeTimer::Keep,
                plan::NoticeTimer::Restart => NoticeTimer::Restart,
                plan::NoticeTimer::Stop => NoticeTimer::Stop,
            },
            jitter: rules.jitter,
            rate_change: match rules.rate_change {
                plan::RateChange::Next => RateChange::Next,
                plan::RateChange::Now => RateChange::Now,
                plan::RateChange::Cut => RateChange::Cut,
            },
            nack_pause: rules.nack_pause,
            learn_from_late: rules.learn_from_late,
        }
    }

    fn fetcher(&self, flow: usize, workload: &Workload) -> Result<Fetcher, BuildError> {
        let scheme = &self.scenario.scheme;
        let seed = self.flow_seed(flow, workload);
        let site = self.consumer_site(workload, seed.of("control"));
        let control: Box<dyn ConsumerControl> = match (self.control)(workload, &site) {
            Some(own) => own,
            None => make(registry::CONTROLS, workload.control.as_ref().unwrap_or(&scheme.control), &site)?,
        };
        let timeout = self.timeout(workload, &site)?;
        let what = What {
            flow: FlowId(flow as u32),
            name: workload.name.clone(),
            segments: workload.segments,
            start: between(workload.start, seed.of("start")),
            stop: workload.stop,
        };
        let rules = self.fetcher_rules();
        Ok(Fetcher::new(what, rules, control, timeout, seed.of("consumer").stream()))
    }
}

/// The seed of a flow, from that of the run and the flow's place among the workloads.
pub fn flow_seed(run: Seed, flow: usize, workload: &Workload) -> Seed {
    run.of("workload").of(&flow.to_string()).of(&workload.label)
}

/// The seed of the sizes of objects, from that of the run: one for all who ask below a name.
pub fn size_seed(run: Seed, workload: &Workload) -> Seed {
    run.of("sizes").of(&workload.name.to_string())
}

/// A time drawn uniformly from a range, as starts of flows and happenings of a timeline are.
pub fn between((low, high): (Time, Time), seed: Seed) -> Time {
    if high <= low {
        return low;
    }
    low + Span(seed.stream().below(high.since(low).0.saturating_add(1)))
}
