//! Many requests, as a scenario's workload has them: the consumers of the simulator's engine behind one face.

use crate::orders::Recipe;
use weir_core::{Bytes, FlowId, Lifetime, Seed, Sizes, Time};
use weir_engine::{Application, Demand, FetcherRules, Fetches, FetchesRules, Requester, RequesterRules};
use weir_wire::Name;

/// What requests are for.
#[derive(Clone, Debug, PartialEq)]
pub enum Objects {
    /// Object `n` is the Data `<content>/seg=<n>`, asked for without a control.
    Single {
        /// How often an Interest is sent again before its request is given up; `None`: for ever.
        retries: Option<u32>,
    },
    /// Object `n` is the content `<content>/<n>`, fetched in segments under a control of its own.
    Contents {
        /// How large objects are. (A trace has sizes of its own.)
        sizes: Sizes,
        /// Of the sizes: the same for all who ask below one prefix.
        size_seed: Seed,
    },
}

/// Requests to be made.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// What the objects' numbers are put behind.
    pub content: Name,
    /// When requests come, and which objects they are for. Times count from the beginning.
    pub demand: Demand,
    /// What an object is.
    pub objects: Objects,
    /// The control of each content, and when an Interest counts as lost.
    pub recipe: Recipe,
    /// Rules of the consumer engine.
    pub rules: FetcherRules,
    /// Of everything that is drawn.
    pub seed: Seed,
}

impl Traffic {
    /// Tries the control and the timeout, so that they cannot fail later.
    ///
    /// # Errors
    /// An unknown name or parameter, or a value that does not fit, with the nearest right thing.
    pub fn check(&self) -> Result<(), String> {
        self.recipe.plugins().map(drop)
    }

    /// The consumer, whose requests begin `now`.
    ///
    /// # Errors
    /// As [`Traffic::check`].
    pub(crate) fn begin(&self, now: Time) -> Result<Box<dyn Application>, String> {
        let flow = FlowId(0);
        let later = |time: Time| now + time.since(Time::ZERO);
        let demand = Demand {
            start: if self.demand.start == Time::NEVER { Time::NEVER } else { later(self.demand.start) },
            stop: self.demand.stop.map(later),
            ..self.demand.clone()
        };
        let seed = self.seed;
        let first = self.recipe.plugins()?;
        Ok(match &self.objects {
            Objects::Single { retries } => {
                let lifetime: Lifetime = self.rules.lifetime;
                let retries = retries.unwrap_or(u32::MAX);
                let rules = RequesterRules { flow, content: self.content.clone(), lifetime, retries };
                Box::new(Requester::new(rules, demand, first.timeout, seed))
            }
            Objects::Contents { sizes, size_seed } => {
                let payload: Bytes = self.recipe.known.payload;
                let rules = FetchesRules {
                    flow,
                    content: self.content.clone(),
                    payload,
                    sizes: sizes.clone(),
                    size_seed: *size_seed,
                    fetcher: self.rules,
                };
                Box::new(Fetches::new(rules, demand, self.recipe.clone().parts(), seed))
            }
        })
    }
}
