//! Consumers and producers.

use super::{BuildError, Builder, make};
use weir_core::{ConsumerControl, FlowId, Seed, Site, Span, Time, Timeout};
use weir_engine::{Application, Fetcher, FetcherRules, NoticeTimer, Producer, What};
use weir_scenario::plan::{self, Workload};
use weir_schemes::registry;

impl Builder<'_> {
    pub(super) fn applications(&self, node: usize) -> Result<Vec<Box<dyn Application>>, BuildError> {
        let mut applications: Vec<Box<dyn Application>> = Vec::new();
        for (i, workload) in self.scenario.workloads.iter().enumerate() {
            if workload.consumer == node {
                applications.push(Box::new(self.fetcher(i, workload)?));
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

    fn fetcher(&self, flow: usize, workload: &Workload) -> Result<Fetcher, BuildError> {
        let scheme = &self.scenario.scheme;
        let rules = &self.scenario.consumer;
        let seed = self.seed.of("workload").of(&flow.to_string()).of(&workload.label);
        let site = Site { payload: workload.payload, ..self.site(seed.of("control"), None) };
        let control: Box<dyn ConsumerControl> =
            make(registry::CONTROLS, workload.control.as_ref().unwrap_or(&scheme.control), &site)?;
        let timeout: Box<dyn Timeout> =
            make(registry::TIMEOUTS, workload.timeout.as_ref().unwrap_or(&scheme.timeout), &site)?;
        let what = What {
            flow: FlowId(flow as u32),
            name: workload.name.clone(),
            segments: workload.segments,
            start: between(workload.start, seed.of("start")),
            stop: workload.stop,
        };
        let rules = FetcherRules {
            lifetime: rules.lifetime,
            guard: rules.guard,
            notice_timer: match rules.notice_timer {
                plan::NoticeTimer::Keep => NoticeTimer::Keep,
                plan::NoticeTimer::Restart => NoticeTimer::Restart,
                plan::NoticeTimer::Stop => NoticeTimer::Stop,
            },
            jitter: rules.jitter,
        };
        Ok(Fetcher::new(what, rules, control, timeout, seed.of("consumer").stream()))
    }
}

/// A time drawn uniformly from a range.
fn between((low, high): (Time, Time), seed: Seed) -> Time {
    if high <= low {
        return low;
    }
    low + Span(seed.stream().below(high.since(low).0 + 1))
}
