//! What is measured of many requests.

use crate::recorder::Recorder;
use std::path::Path;
use weir_core::{Allowance, Delivery, FlowId, Reading, Sink, Span, Time};
use weir_results::files::FileError;
use weir_results::table::{Cell, Column, Table};
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
    /// Of segments and of the control.
    recorder: Recorder,
    began: Time,
    events: Option<Table>,
}

impl RequestLog {
    /// For requests that begin `now`.
    pub fn new(now: Time, tables: bool) -> RequestLog {
        RequestLog {
            counts: RequestCounts::default(),
            recorder: if tables { Recorder::with_tables(now) } else { Recorder::default() },
            began: now,
            events: tables.then(events_table),
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

    /// Writes a row for each segment into `path`, the series and the requests into its neighbours.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        self.recorder.write(path)?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let events = path.with_file_name(format!("{stem}-requests.csv"));
        self.events.as_ref().map_or(Ok(()), |table| table.write_csv(&events))
    }

    fn note(&mut self, now: Time, event: &str, value: Option<f64>) {
        if let Some(events) = &mut self.events {
            let value = value.map_or(Cell::Missing, Cell::Number);
            events.push([Cell::Number(now.since(self.began).seconds()), Cell::Text(event.into()), value]);
        }
    }
}

impl Sink for RequestLog {
    fn requested(&mut self, now: Time, flow: FlowId, segment: u64, transmission: u32) {
        self.counts.interests += 1;
        self.counts.repeated += u64::from(transmission > 1);
        self.recorder.requested(now, flow, segment, transmission);
        self.note(now, "sent", Some(transmission.into()));
    }

    fn delivered(&mut self, now: Time, flow: FlowId, delivery: &Delivery) {
        self.counts.bytes += delivery.payload as u64;
        self.counts.marked += u64::from(delivery.marked);
        self.recorder.delivered(now, flow, delivery);
    }

    fn timed_out(&mut self, now: Time, _flow: FlowId, _segment: u64) {
        self.counts.timeouts += 1;
        self.note(now, "timeout", None);
    }

    fn refused(&mut self, now: Time, _flow: FlowId, _segment: u64, _reason: NackReason) {
        self.counts.refusals += 1;
        self.note(now, "refused", None);
    }

    fn decreased(&mut self, now: Time, _flow: FlowId, _left: &Allowance) {
        self.note(now, "decreased", None);
    }

    fn completed(&mut self, now: Time, _flow: FlowId) {
        self.note(now, "completed", None);
    }

    fn began(&mut self, now: Time, _flow: FlowId) {
        self.counts.requests += 1;
        self.note(now, "began", None);
    }

    fn fetched(&mut self, now: Time, _flow: FlowId, took: Span) {
        self.counts.answered += 1;
        self.counts.times_ms.push(took.millis());
        self.note(now, "fetched", Some(took.millis()));
    }

    fn abandoned(&mut self, now: Time, _flow: FlowId) {
        self.counts.abandoned += 1;
        self.note(now, "abandoned", None);
    }
}

fn events_table() -> Table {
    let what = "began: a request came; sent: an Interest, with how often it has been by now; timeout, refused, decreased: \
                what befell it; fetched: the object of a request is there, with the milliseconds it took; abandoned: a \
                request was given up; completed: nothing will come any more";
    Table::new(vec![
        Column::new("time", "s", "Since the first request could come"),
        Column::text("event", what),
        Column::new("value", "", "As the event has it"),
    ])
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
        log.began(at(300), flow);
        log.abandoned(at(900), flow);
        log.completed(at(900), flow);
        let expected = RequestCounts {
            requests: 2,
            answered: 1,
            abandoned: 1,
            interests: 2,
            repeated: 1,
            timeouts: 1,
            marked: 1,
            bytes: 10,
            times_ms: vec![230.0],
            ..RequestCounts::default()
        };
        assert_eq!(log.counts, expected);
        log.write(&path).unwrap();
        let rows = std::fs::read_to_string(folder.path().join("r-requests.csv")).unwrap();
        let expected = "time,event,value\n0,began,\n0,sent,1\n0.2,timeout,\n0.2,sent,2\n0.23,fetched,230\n0.3,began,\n\
                        0.9,abandoned,\n0.9,completed,\n";
        assert_eq!(rows, expected);
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2);
        assert!(folder.path().join("r-series.csv").exists());
    }
}
