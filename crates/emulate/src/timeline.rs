//! What happens in the course of a run: when, and what it is to the network.

use std::collections::VecDeque;
use weir_core::{Seed, Span, Time};
use weir_scenario::plan::{Action, Scenario};
use weir_sim::between;

/// Happenings in their order.
#[derive(Debug)]
pub(crate) struct Timeline {
    ahead: VecDeque<(Time, Action)>,
}

impl Timeline {
    /// Those of a run; the seed draws their times as it does in the simulator.
    pub fn of(scenario: &Scenario, seed: Seed) -> Timeline {
        let mut all: Vec<(Time, Action)> = Vec::new();
        for (i, happening) in scenario.timeline.iter().enumerate() {
            let first = between(happening.time, seed.of("timeline").of(&i.to_string()));
            all.push((first, happening.action.clone()));
            let Some((every, until)) = happening.every.filter(|(every, _)| *every > Span::ZERO) else { continue };
            let mut next = first + every;
            while next <= until && next < Time::NEVER {
                all.push((next, happening.action.clone()));
                next += every;
            }
        }
        all.sort_by_key(|(time, _)| *time);
        Timeline { ahead: all.into() }
    }

    /// The next thing that is due.
    pub fn take_due(&mut self, now: Time) -> Option<Action> {
        self.ahead.front().filter(|(time, _)| *time <= now)?;
        self.ahead.pop_front().map(|(_, action)| action)
    }

    /// True if something will let a flow begin or go on.
    pub fn starts_something(&self) -> bool {
        self.ahead.iter().any(|(_, action)| matches!(action, Action::Start { .. }))
    }

    /// True if something will be said to flows.
    pub fn speaks_to_flows(&self) -> bool {
        self.ahead.iter().any(|(_, action)| match action {
            Action::Start { .. } | Action::Stop { .. } => true,
            Action::Scheme(change) => !(change.controls.is_empty() && change.timeouts.is_empty()),
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_scenario::Study;

    const CHAIN: &str = "[topology]\nlinear = { nodes = [\"c\", \"r\", \"p\"], rate = \"10Mbps\", delay = \"10ms\" }\n\
                         [[workload]]\nfetch = { name = \"/file\" }\n[run]\nduration = \"8s\"\n";

    fn scenario(more: &str) -> Scenario {
        let study = Study::parse("test.toml", &format!("{CHAIN}{more}"), &[]);
        study.unwrap_or_else(|problems| panic!("{}", problems.render(false))).points()[0].scenario.clone()
    }

    #[test]
    fn happenings_come_in_the_order_of_time_and_again() {
        let scenario = scenario(
            "[[at]]\ntime = \"3s\"\nup = \"c-r\"\n[[at]]\ntime = \"1s\"\nevery = \"2s\"\nuntil = \"5s\"\ndown = \"c-r\"\n",
        );
        let mut timeline = Timeline::of(&scenario, Seed(1));
        let mut times = Vec::new();
        for ms in (0..8000).step_by(500) {
            let now = Time::ZERO + Span::from_millis(ms);
            while let Some(action) = timeline.take_due(now) {
                times.push((ms, matches!(action, Action::Down { .. })));
            }
        }
        assert_eq!(times, [(1000, true), (3000, false), (3000, true), (5000, true)]);
    }

    #[test]
    fn who_is_to_stop_hears_of_it() {
        let scenario = scenario("[[at]]\ntime = \"2s\"\nstop = \"*\"\n");
        let mut timeline = Timeline::of(&scenario, Seed(1));
        assert!(timeline.speaks_to_flows() && !timeline.starts_something());
        assert!(timeline.take_due(Time::ZERO + Span::from_millis(2000)).is_some());
        assert!(!timeline.speaks_to_flows());
    }

    #[test]
    fn times_of_a_range_are_drawn_by_the_seed() {
        let scenario = scenario("[[at]]\ntime = \"1s..5s\"\ndown = \"c-r\"\n");
        let time = |seed: u64| Timeline::of(&scenario, Seed(seed)).ahead[0].0;
        assert_eq!(time(1), time(1));
        assert_ne!(time(1), time(2));
    }
}
