//! What the programs of a flow have seen, added up to the simulator's numbers.

use crate::outcome::Fetched;
use crate::tables::{RequestEvent, Segment};
use weir_results::stats::{mean, percentile};
use weir_sim::{Outcome, Scope};

/// A flow, or several together.
#[derive(Default)]
pub(crate) struct Flow {
    /// Fetches, or consumers of many requests, that have begun.
    begun: f64,
    /// Those of them that have come to their ends.
    ended: f64,
    started: f64,
    completed: f64,
    failed: f64,
    bytes: f64,
    /// From when to when there was something to do, in seconds of the run.
    active: Option<(f64, f64)>,
    /// Of the longest that has come to its end.
    completion: f64,
    delivered: f64,
    requests: f64,
    repeated: f64,
    marked: f64,
    /// What only programs of many requests tell: timeouts, refusals, decreases.
    signals: Option<[f64; 3]>,
    full_delays: Vec<f64>,
    last_delays: Vec<f64>,
    fetch_times: Vec<f64>,
}

impl Flow {
    /// Adds what a program has fetched of a fetch that took so many seconds.
    pub fn add(&mut self, fetch: &Fetched, seen: &[Segment], took: f64) {
        let first = if fetch.start == fetch.begun { 1.0 } else { 0.0 };
        self.begun += first;
        self.started += first;
        if fetch.completed {
            self.ended += 1.0;
            self.completed += 1.0;
            self.completion = self.completion.max(took);
            self.fetch_times.push(took * 1e3);
        }
        let repeated = seen.iter().map(|segment| segment.transmissions - 1.0).sum::<f64>();
        self.requests += seen.len() as f64 + repeated;
        self.repeated += repeated;
        let begun = fetch.begun.seconds();
        self.add_segments(seen, (begun, begun + took));
    }

    /// Adds what a program of many requests has seen, which began and was to end at these seconds of the run.
    pub fn add_requests(&mut self, events: &[RequestEvent], seen: &[Segment], (start, end): (f64, f64)) {
        let all = |what: &'static str| events.iter().filter(move |(_, event, _)| event == what);
        let count = |what| all(what).count() as f64;
        self.begun += 1.0;
        self.started += count("began");
        self.completed += count("fetched");
        self.failed += count("abandoned");
        self.requests += count("sent");
        self.repeated += all("sent").filter(|(_, _, times)| times.is_some_and(|times| times > 1.0)).count() as f64;
        let signals = self.signals.get_or_insert_default();
        for (sum, what) in signals.iter_mut().zip(["timeout", "refused", "decreased"]) {
            *sum += count(what);
        }
        self.fetch_times.extend(all("fetched").filter_map(|(_, _, took)| *took));
        // From the first Interest on.
        let first = all("sent").next().map_or(0.0, |(time, ..)| *time);
        let completed = all("completed").next_back().map(|(time, ..)| *time);
        if let Some(completed) = completed {
            self.ended += 1.0;
            self.completion = self.completion.max(completed - first);
        }
        self.add_segments(seen, (start + first, completed.map_or(end, |completed| start + completed)));
    }

    fn add_segments(&mut self, seen: &[Segment], active: (f64, f64)) {
        self.bytes += seen.iter().map(|segment| segment.payload).sum::<f64>();
        self.extend(active);
        self.delivered += seen.len() as f64;
        self.marked += seen.iter().filter(|segment| segment.marked).count() as f64;
        self.full_delays.extend(seen.iter().map(|segment| segment.full_delay));
        self.last_delays.extend(seen.iter().map(|segment| segment.last_delay));
    }

    fn extend(&mut self, (first, last): (f64, f64)) {
        let known = self.active.unwrap_or((first, last));
        self.active = Some((known.0.min(first), known.1.max(last)));
    }

    /// Megabits of content in each second from the first Interest to the end.
    pub fn goodput(&self) -> f64 {
        let seconds = self.active.map_or(0.0, |(first, last)| last - first);
        if seconds > 0.0 { self.bytes * 8e-6 / seconds } else { 0.0 }
    }

    /// Adds another flow.
    pub fn join(&mut self, other: &Flow) {
        // What one does not tell is not known of both.
        self.signals = match (self.begun > 0.0, self.signals, other.signals) {
            (false, _, signals) => signals,
            (true, Some(a), Some(b)) => Some([a[0] + b[0], a[1] + b[1], a[2] + b[2]]),
            _ => None,
        };
        self.begun += other.begun;
        self.ended += other.ended;
        self.started += other.started;
        self.completed += other.completed;
        self.failed += other.failed;
        self.bytes += other.bytes;
        other.active.into_iter().for_each(|active| self.extend(active));
        self.completion = self.completion.max(other.completion);
        self.delivered += other.delivered;
        self.requests += other.requests;
        self.repeated += other.repeated;
        self.marked += other.marked;
        self.full_delays.extend(&other.full_delays);
        self.last_delays.extend(&other.last_delays);
        self.fetch_times.extend(&other.fetch_times);
    }

    /// Puts its numbers into the outcome.
    pub fn put(&self, outcome: &mut Outcome, scope: &Scope) {
        let (full, times) = (&self.full_delays, &self.fetch_times);
        let every = self.begun > 0.0 && self.begun == self.ended;
        let signal = |place: usize| self.signals.map(|signals| signals[place]);
        let values = [
            ("fetches_started", Some(self.started)),
            ("fetches_completed", Some(self.completed)),
            ("fetches_failed", Some(self.failed)),
            ("goodput", Some(self.goodput())),
            ("completion_time", every.then_some(self.completion)),
            ("delivered", Some(self.delivered)),
            ("requests", Some(self.requests)),
            ("retransmissions", Some(self.repeated)),
            ("timeouts", signal(0)),
            ("refusals", signal(1)),
            ("decreases", signal(2)),
            ("marked", Some(self.marked)),
            ("fetch_time", mean(times)),
            ("fetch_time_p50", percentile(times, 50.0)),
            ("fetch_time_p95", percentile(times, 95.0)),
            ("fetch_time_p99", percentile(times, 99.0)),
            ("full_delay", mean(full)),
            ("full_delay_p50", percentile(full, 50.0)),
            ("full_delay_p95", percentile(full, 95.0)),
            ("full_delay_p99", percentile(full, 99.0)),
            ("last_delay", mean(&self.last_delays)),
        ];
        for (name, value) in values {
            outcome.values.extend(value.map(|value| ((name, scope.clone()), value)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events() -> Vec<RequestEvent> {
        let event = |time: f64, what: &str, value: Option<f64>| (time, what.to_owned(), value);
        vec![
            event(1.0, "began", None),
            event(1.0, "sent", Some(1.0)),
            event(1.5, "timeout", None),
            event(1.5, "sent", Some(2.0)),
            event(1.6, "fetched", Some(600.0)),
            event(2.0, "began", None),
            event(2.0, "sent", Some(1.0)),
            event(3.0, "abandoned", None),
        ]
    }

    fn segment() -> Segment {
        Segment { time: 1.6, payload: 1e6, full_delay: 600.0, last_delay: 100.0, transmissions: 2.0, marked: true }
    }

    fn numbers(flow: &Flow) -> Outcome {
        let mut outcome = Outcome::default();
        flow.put(&mut outcome, &Scope::Run);
        outcome
    }

    #[test]
    fn requests_count_one_by_one_and_their_time_from_the_first_interest() {
        let mut flow = Flow::default();
        flow.add_requests(&events(), &[segment()], (2.0, 7.0));
        let outcome = numbers(&flow);
        let of = |metric| outcome.get(metric, Scope::Run);
        let expected = [
            ("fetches_started", 2.0),
            ("fetches_completed", 1.0),
            ("fetches_failed", 1.0),
            ("requests", 3.0),
            ("retransmissions", 1.0),
            ("timeouts", 1.0),
            ("decreases", 0.0),
            ("delivered", 1.0),
            ("marked", 1.0),
            ("fetch_time", 600.0),
            // A megabyte in four seconds.
            ("goodput", 2.0),
        ];
        for (metric, value) in expected {
            assert_eq!(of(metric), Some(value), "{metric}");
        }
        assert_eq!(of("completion_time"), None, "it was cut off");
        let mut ended = Flow::default();
        let end = (3.0, "completed".to_owned(), None);
        ended.add_requests(&[events(), vec![end]].concat(), &[segment()], (2.0, 7.0));
        let outcome = numbers(&ended);
        assert_eq!(outcome.get("completion_time", Scope::Run), Some(2.0));
        assert_eq!(outcome.get("goodput", Scope::Run), Some(4.0));
    }

    #[test]
    fn what_only_some_programs_tell_is_not_known_of_all() {
        let mut requests = Flow::default();
        requests.add_requests(&events(), &[], (0.0, 5.0));
        let mut fetch = Flow::default();
        let (start, begun) = (weir_core::Time::ZERO, weir_core::Time::ZERO);
        fetch.add(&Fetched { flow: 0, start, begun, stats: "x".into(), completed: true }, &[segment()], 2.0);
        let (mut whole, mut two) = (Flow::default(), Flow::default());
        whole.join(&requests);
        two.join(&requests);
        two.join(&requests);
        assert_eq!(numbers(&two).get("timeouts", Scope::Run), Some(2.0));
        whole.join(&fetch);
        assert_eq!(numbers(&whole).get("timeouts", Scope::Run), None);
        assert_eq!(numbers(&whole).get("fetches_started", Scope::Run), Some(3.0));
    }
}
