//! What is measured of many requests.

use crate::recorder::Recorder;
use std::path::Path;
use weir_core::{Allowance, Delivery, FetchEnd, FlowId, Reading, Sink, Span, Time};
use weir_results::files::FileError;
use weir_wire::NackReason;

/// Counts of a program that has made requests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestCounts {
    /// Requests that have come.
    pub requests: u64,
    /// Those whose object is there.
    pub answered: u64,
    /// Those that were given up.
    pub abandoned: u64,
    /// Interests, repetitions included.
    pub interests: u64,
    /// Repetitions.
    pub repeated: u64,
    /// Timers that have run out.
    pub timeouts: u64,
    /// Nacks.
    pub refusals: u64,
    /// Data that carried a congestion mark.
    pub marked: u64,
    /// Bytes of content.
    pub bytes: u64,
    /// Data that nobody believes: damaged, or signed by somebody else.
    pub untrusted: u64,
    /// What each answered request took, in milliseconds, in the order of their ends.
    pub times_ms: Vec<f64>,
}

/// Counts, and tables if they are wanted.
#[derive(Debug)]
pub(crate) struct RequestLog {
    pub counts: RequestCounts,
    /// Of segments, of the control, and of what befell the requests.
    recorder: Recorder,
}

impl RequestLog {
    /// For requests that begin `now`.
    pub fn new(now: Time, tables: bool) -> RequestLog {
        RequestLog {
            counts: RequestCounts::default(),
            recorder: if tables { Recorder::with_tables(now) } else { Recorder::default() },
        }
    }

    /// True if a sample of the series is due.
    pub fn wants_sample(&self, now: Time) -> bool {
        self.recorder.wants_sample(now)
    }

    /// Adds a sample.
    pub fn sample(&mut self, now: Time, reading: &Reading) {
        self.recorder.sample(now, reading);
    }

    /// Writes a row for each segment into `path`, the series, the events and the fetches into its neighbours.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        self.recorder.write(path).map(drop)
    }
}

impl Sink for RequestLog {
    fn requested(&mut self, now: Time, flow: FlowId, segment: u64, transmission: u32) {
        self.counts.interests += 1;
        self.counts.repeated += u64::from(transmission > 1);
        self.recorder.requested(now, flow, segment, transmission);
    }

    fn delivered(&mut self, now: Time, flow: FlowId, delivery: &Delivery) {
        self.counts.bytes += delivery.payload as u64;
        self.counts.marked += u64::from(delivery.marked);
        self.recorder.delivered(now, flow, delivery);
    }

    fn timed_out(&mut self, now: Time, flow: FlowId, segment: u64) {
        self.counts.timeouts += 1;
        self.recorder.timed_out(now, flow, segment);
    }

    fn refused(&mut self, now: Time, flow: FlowId, segment: u64, reason: NackReason) {
        self.counts.refusals += 1;
        self.recorder.refused(now, flow, segment, reason);
    }

    fn decreased(&mut self, now: Time, flow: FlowId, left: &Allowance) {
        self.recorder.decreased(now, flow, left);
    }

    fn held(&mut self, now: Time, flow: FlowId) {
        self.recorder.held(now, flow);
    }

    fn completed(&mut self, now: Time, flow: FlowId) {
        self.recorder.completed(now, flow);
    }

    fn began(&mut self, now: Time, flow: FlowId) {
        self.counts.requests += 1;
        self.recorder.began(now, flow);
    }

    fn fetched(&mut self, now: Time, flow: FlowId, took: Span) {
        self.counts.answered += 1;
        self.counts.times_ms.push(took.millis());
        self.recorder.fetched(now, flow, took);
    }

    fn fetch_ended(&mut self, now: Time, flow: FlowId, fetch: &FetchEnd<'_>) {
        self.recorder.fetch_ended(now, flow, fetch);
    }

    fn abandoned(&mut self, now: Time, flow: FlowId) {
        self.counts.abandoned += 1;
        self.recorder.abandoned(now, flow);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_counted_and_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.csv");
        let flow = FlowId(0);
        let mut log = RequestLog::new(Time(1_000_000_000), true);
        let at = |ms: u64| Time(1_000_000_000) + Span::from_millis(ms);
        log.began(at(0), flow);
        log.requested(at(0), flow, 3, 1);
        log.timed_out(at(200), flow, 3);
        log.requested(at(200), flow, 3, 2);
        let (full_delay, last_delay) = (Span::from_millis(230), Span::from_millis(30));
        let delivery =
            Delivery { segment: 3, payload: 10, full_delay, last_delay, transmissions: 2, hops: 1, marked: true };
        log.delivered(at(230), flow, &delivery);
        log.fetched(at(230), flow, full_delay);
        let name = "/r/3".parse().unwrap();
        let (retransmissions, timeouts, decreases) = (1, 1, 2);
        let (delay, delay_scv) = (full_delay.seconds(), 0.0);
        let end =
            FetchEnd { name: &name, began: at(0), segments: 1, retransmissions, timeouts, decreases, delay, delay_scv };
        log.fetch_ended(at(230), flow, &end);
        log.began(at(300), flow);
        log.refused(at(310), flow, 4, NackReason::Congestion);
        log.decreased(at(310), flow, &Allowance::window(2.5));
        log.held(at(320), flow);
        log.abandoned(at(900), flow);
        log.completed(at(900), flow);
        let expected = RequestCounts {
            requests: 2,
            answered: 1,
            abandoned: 1,
            interests: 2,
            repeated: 1,
            timeouts: 1,
            refusals: 1,
            marked: 1,
            bytes: 10,
            times_ms: vec![230.0],
            ..RequestCounts::default()
        };
        assert_eq!(log.counts, expected);
        log.write(&path).unwrap();
        let rows = std::fs::read_to_string(folder.path().join("r-events.csv")).unwrap();
        let expected = "time,event,value\n0,began,\n0,sent,1\n0.2,timeout,\n0.2,sent,2\n0.23,fetched,230\n0.3,began,\n\
                        0.31,refused,50\n0.31,decreased,2.5\n0.32,held,\n0.9,abandoned,\n0.9,completed,\n";
        assert_eq!(rows, expected);
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2);
        assert!(folder.path().join("r-series.csv").exists());
        let rows = std::fs::read_to_string(folder.path().join("r-fetches.csv")).unwrap();
        let expected = "fetch_start,fetch_time,segments,retransmissions,timeouts,decreases,full_delay,delay_scv\n\
                        0,230,1,1,1,2,230,0\n";
        assert_eq!(rows, expected);
    }
}
