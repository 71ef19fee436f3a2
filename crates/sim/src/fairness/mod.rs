//! How fairly the flows of a run shared the network.
//!
//! Whenever fetches begin or end, the max-min fair shares of those that are active change; in between they stay. The
//! fair share of a flow is the mean of its shares over the time in which it was active, so it is what the flow would
//! have got from a network that divided itself max-min fairly at every moment. `docs/results.md` has the definitions.

pub mod maxmin;
mod network;

use crate::collect::Collector;
use crate::outcome::{Fetch, Outcome, Scope, end_of};
use maxmin::{Sharing, max_min};
use network::Network;
use std::collections::BTreeMap;
use weir_core::Time;
use weir_scenario::plan::Scenario;

/// More work than this (active fetches and the links on their paths, summed over all times at which a fetch begins or
/// ends) would take longer than the run itself; then there is no fair share.
const MOST_WORK: usize = 20_000_000;

/// The same where fetches have several paths and every share is a row of linear programs.
const MOST_WORK_SEVERAL: usize = 100_000;

/// A fetch that asked for something.
struct Active {
    /// Its number among the workloads.
    number: usize,
    from: Time,
    until: Time,
    /// Integral of its fair share over time, in bits.
    fair: f64,
}

impl Outcome {
    /// Adds what can be said about fairness.
    pub(crate) fn judge(&mut self, scenario: &Scenario, collector: &Collector, now: Time) {
        let all: Vec<Fetch<'_>> = collector.infos.iter().zip(&collector.flows).collect();
        let mut flows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (number, (info, stats)) in all.iter().enumerate() {
            if stats.first_request.is_some() {
                flows.entry(&info.label).or_default().push(number);
            }
        }
        let goodput = |flow: &&str| self.get("goodput", Scope::Flow((*flow).into()));
        let goodputs: Option<Vec<f64>> = flows.keys().map(goodput).collect();
        if let Some(index) = goodputs.and_then(|g| jain(&g)) {
            self.put("jain", Scope::Run, index);
        }
        if let Some(active) = fair(scenario, &all, now) {
            self.shares(&flows, &all, &active);
        }
    }

    /// `active` has the fetches with their fair shares, in the order of their numbers.
    fn shares(&mut self, flows: &BTreeMap<&str, Vec<usize>>, all: &[Fetch<'_>], active: &[Active]) {
        let mut ratios = Vec::with_capacity(flows.len());
        let mut sum = 0.0;
        for (label, numbers) in flows {
            let own: Vec<&Active> = active.iter().filter(|a| numbers.contains(&a.number)).collect();
            let from = own.iter().map(|a| a.from).min();
            let until = own.iter().map(|a| a.until).max();
            let span = until.zip(from).map_or(0.0, |(until, from)| until.since(from).seconds());
            let fair: f64 = own.iter().map(|a| a.fair).sum();
            let got: u64 = numbers.iter().map(|n| all[*n].1.payload * 8).sum();
            if span > 0.0 && fair > 0.0 && fair.is_finite() {
                let scope = || Scope::Flow((*label).into());
                self.put("fair_share", scope(), fair / span / 1e6);
                self.put("maxmin_ratio", scope(), got as f64 / fair);
                sum += fair / span / 1e6;
                ratios.push(got as f64 / fair);
            }
        }
        // A number for the run must be about all of its flows.
        if ratios.len() == flows.len() && !flows.is_empty() {
            self.put("fair_share", Scope::Run, sum);
            self.put("maxmin_ratio", Scope::Run, ratios.iter().copied().fold(f64::INFINITY, f64::min));
            if let Some(index) = jain(&ratios) {
                self.put("jain_maxmin", Scope::Run, index);
            }
        }
    }
}

/// Jain's fairness index (Σx)² / (n · Σx²); none if nobody got anything. (Jain, Chiu and Hawe, DEC-TR-301, 1984.)
fn jain(values: &[f64]) -> Option<f64> {
    let (sum, squares) = values.iter().fold((0.0, 0.0), |(sum, squares), v| (sum + v, squares + v * v));
    (squares > 0.0).then(|| sum * sum / (values.len() as f64 * squares))
}

/// Every fetch that asked for something with its fair share. `None` where max-min fairness is not defined: two fetches
/// ask for one content, so that the network carries it once for both; or where it would be too much work.
fn fair(scenario: &Scenario, all: &[Fetch<'_>], now: Time) -> Option<Vec<Active>> {
    // Of many requests each asks for little and soon ends: what limits them is what they ask for.
    if all.len() != scenario.workloads.len() || scenario.workloads.iter().any(|w| w.requests.is_some()) {
        return None;
    }
    // A network that changes on its way, or a fetch that pauses, has no one set of shares for the time between the
    // beginning and the end of fetches.
    if !scenario.timeline.is_empty() {
        return None;
    }
    let network = Network::new(scenario)?;
    let began = |(number, fetch): (usize, &Fetch<'_>)| {
        let from = fetch.1.first_request?;
        Some(Active { number, from, until: end_of(*fetch, now).max(from), fair: 0.0 })
    };
    let mut active: Vec<Active> = all.iter().enumerate().filter_map(began).collect();
    let users: Vec<maxmin::User> = active.iter().map(|a| network.user(a.number, all[a.number].1.delivered)).collect();
    let several = users.iter().any(|user| user.paths.len() > 1);
    let size = |i: &usize| users[*i].paths.iter().map(|path| path.len() + 1).sum::<usize>();
    let mut work = 0;
    let mut last: Option<(Vec<usize>, Vec<f64>)> = None;
    for (from, until) in periods(&active) {
        let present = |i: &usize| active[*i].from <= from && active[*i].until >= until;
        let who: Vec<usize> = (0..active.len()).filter(present).collect();
        if last.as_ref().is_none_or(|(before, _)| *before != who) {
            work += active.len() + who.iter().map(size).sum::<usize>();
            if work > if several { MOST_WORK_SEVERAL } else { MOST_WORK } {
                return None;
            }
            let users = who.iter().map(|i| users[*i].clone()).collect();
            let rates = max_min(&Sharing { capacities: network.capacities.clone(), users })?.rates;
            last = Some((who, rates));
        }
        let (who, rates) = last.as_ref()?;
        for (i, rate) in who.iter().zip(rates) {
            active[*i].fair += rate * until.since(from).seconds();
        }
    }
    Some(active)
}

/// The times between which nobody begins or ends.
fn periods(active: &[Active]) -> Vec<(Time, Time)> {
    let mut times: Vec<Time> = active.iter().flat_map(|a| [a.from, a.until]).collect();
    times.sort_unstable();
    times.dedup();
    times.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jain_index() {
        let close = |values: &[f64], expected: f64| assert!((jain(values).unwrap() - expected).abs() < 1e-12);
        close(&[5.0, 5.0, 5.0], 1.0);
        close(&[1.0, 0.0, 0.0, 0.0], 0.25);
        // Jain, Chiu and Hawe, section 3: if k of n share equally and the others get nothing, the index is k/n.
        close(&[2.0, 2.0, 2.0, 0.0, 0.0], 0.6);
        close(&[1.0, 2.0, 3.0, 4.0, 5.0], 225.0 / 275.0);
        assert_eq!((jain(&[]), jain(&[0.0])), (None, None));
    }
}
