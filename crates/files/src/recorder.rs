//! What is measured of a fetch.

use crate::events::Events;
use std::path::{Path, PathBuf};
use weir_core::{Allowance, Delivery, FetchEnd, FlowId, NoSink, Reading, Sink, Span, Time};
use weir_results::files::FileError;
use weir_results::table::{Cell, Column, Table};
use weir_wire::NackReason;

/// Time between two samples of the series.
const SAMPLE: Span = Span::from_millis(10);

/// Counts, and tables if they are wanted.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub bytes: u64,
    pub segments: u64,
    pub marked: u64,
    pub refused: u64,
    /// Round-trip times of segments that were asked for once, in nanoseconds up to 4 s.
    rtts: Vec<u32>,
    /// Most transmissions of one segment, and which.
    pub most: (u32, u64),
    tables: Option<Box<Tables>>,
    nobody: NoSink,
}

#[derive(Debug)]
struct Tables {
    began: Time,
    segments: Table,
    series: Table,
    events: Events,
    sampled: Option<Time>,
}

/// Percentiles of round-trip times, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RoundTrips {
    /// How many were measured.
    pub count: u64,
    /// The shortest.
    pub min: f64,
    /// Half are not longer.
    pub median: f64,
    /// 95 of 100 are not longer.
    pub p95: f64,
    /// 99 of 100 are not longer.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

impl Recorder {
    /// One that fills tables, for a fetch that begins `now`.
    pub fn with_tables(now: Time) -> Recorder {
        let (segments, series, events) = (segments_table(), series_table(), Events::new(now));
        let tables = Tables { began: now, segments, series, events, sampled: None };
        Recorder { tables: Some(Box::new(tables)), ..Recorder::default() }
    }

    /// True if a sample of the series is due.
    pub fn wants_sample(&self, now: Time) -> bool {
        self.tables.as_ref().is_some_and(|tables| tables.sampled.is_none_or(|last| now.since(last) >= SAMPLE))
    }

    /// Adds a sample, under the names that the simulator's series have.
    pub fn sample(&mut self, now: Time, reading: &Reading) {
        let (Some(tables), Reading::Flow { window, rate, in_flight, rto, .. }) = (&mut self.tables, reading) else {
            return;
        };
        tables.sampled = Some(now);
        let time = now.since(tables.began).seconds();
        let window = window.is_finite().then_some(("window", *window));
        let values = [Some(("in_flight", *in_flight as f64)), Some(("rto", rto.millis())), window];
        let rate = rate.map(|rate| ("rate", rate));
        for (metric, value) in values.into_iter().chain([rate]).flatten() {
            let text = |text: &str| Cell::Text(text.into());
            tables.series.push([Cell::Integer(0), Cell::Number(time), text(metric), text("get"), Cell::Number(value)]);
        }
    }

    /// Writes the tables: a row for each segment into `path`, the series into its neighbour, whose name it returns, and the
    /// events and fetches into two more.
    pub fn write(&self, path: &Path) -> Result<Option<PathBuf>, FileError> {
        let Some(tables) = &self.tables else { return Ok(None) };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let series = path.with_file_name(format!("{stem}-series.csv"));
        tables.segments.write_csv(path)?;
        tables.series.write_csv(&series)?;
        tables.events.write(path)?;
        Ok(Some(series))
    }

    /// Whoever notes events, if they are wanted.
    fn events(&mut self) -> &mut dyn Sink {
        match &mut self.tables {
            Some(tables) => &mut tables.events,
            None => &mut self.nobody,
        }
    }

    /// The round-trip times.
    pub fn round_trips(&self) -> RoundTrips {
        let mut rtts = self.rtts.clone();
        rtts.sort_unstable();
        let Some(last) = rtts.len().checked_sub(1) else { return RoundTrips::default() };
        // The least value that is not exceeded by this share.
        let at = |share: f64| f64::from(rtts[((share * rtts.len() as f64).ceil() as usize).saturating_sub(1)]) * 1e-6;
        RoundTrips {
            count: rtts.len() as u64,
            min: at(0.0),
            median: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
            max: f64::from(rtts[last]) * 1e-6,
        }
    }
}

impl Sink for Recorder {
    fn requested(&mut self, now: Time, flow: FlowId, segment: u64, transmission: u32) {
        self.events().requested(now, flow, segment, transmission);
        if transmission > self.most.0 {
            self.most = (transmission, segment);
        }
    }

    fn delivered(&mut self, now: Time, _flow: FlowId, delivery: &Delivery) {
        self.segments += 1;
        self.bytes += delivery.payload as u64;
        self.marked += u64::from(delivery.marked);
        if delivery.transmissions == 1 {
            self.rtts.push(u32::try_from(delivery.last_delay.0).unwrap_or(u32::MAX));
        }
        if let Some(tables) = &mut self.tables {
            tables.segments.push([
                Cell::Number(now.since(tables.began).seconds()),
                Cell::Integer(delivery.segment.into()),
                Cell::Integer(delivery.payload as i128),
                Cell::Number(delivery.full_delay.millis()),
                Cell::Number(delivery.last_delay.millis()),
                Cell::Integer(delivery.transmissions.into()),
                Cell::Integer(delivery.marked.into()),
            ]);
        }
    }

    fn timed_out(&mut self, now: Time, flow: FlowId, segment: u64) {
        self.events().timed_out(now, flow, segment);
    }

    fn refused(&mut self, now: Time, flow: FlowId, segment: u64, reason: NackReason) {
        self.refused += 1;
        self.events().refused(now, flow, segment, reason);
    }

    fn decreased(&mut self, now: Time, flow: FlowId, left: &Allowance) {
        self.events().decreased(now, flow, left);
    }

    fn held(&mut self, now: Time, flow: FlowId) {
        self.events().held(now, flow);
    }

    fn completed(&mut self, now: Time, flow: FlowId) {
        self.events().completed(now, flow);
    }

    fn began(&mut self, now: Time, flow: FlowId) {
        self.events().began(now, flow);
    }

    fn fetched(&mut self, now: Time, flow: FlowId, took: Span) {
        self.events().fetched(now, flow, took);
    }

    fn fetch_ended(&mut self, now: Time, flow: FlowId, fetch: &FetchEnd<'_>) {
        self.events().fetch_ended(now, flow, fetch);
    }

    fn abandoned(&mut self, now: Time, flow: FlowId) {
        self.events().abandoned(now, flow);
    }
}

fn segments_table() -> Table {
    Table::new(vec![
        Column::new("time", "s", "Since the first Interest for a segment"),
        Column::integer("segment", "", "Segment number"),
        Column::integer("payload", "B", "Bytes of content"),
        Column::new("full_delay", "ms", "From the first Interest for the segment to its Data"),
        Column::new("last_delay", "ms", "From the last Interest for the segment to its Data"),
        Column::integer("transmissions", "", "Interests sent for the segment"),
        Column::integer("marked", "", "1 if the Data carried a congestion mark"),
    ])
}

/// The columns of the simulator's series.
fn series_table() -> Table {
    Table::new(vec![
        Column::integer("seed", "", "Seed of the run; 0: it was no simulation"),
        Column::new("time", "s", "Since the start of the run"),
        Column::text("metric", "What was read; units as in the reference of series"),
        Column::text("of", "Flow, link or node"),
        Column::new("value", "", "The reading"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivery(segment: u64, ms: u64, transmissions: u32) -> Delivery {
        let delay = Span::from_millis(ms);
        let (full_delay, last_delay) = (delay, delay);
        Delivery { segment, payload: 10, full_delay, last_delay, transmissions, hops: 1, marked: ms > 99 }
    }

    #[test]
    fn percentiles_are_those_of_what_was_sent_once() {
        let mut recorder = Recorder::default();
        (1..=100).rev().for_each(|ms| recorder.delivered(Time(0), FlowId(0), &delivery(ms, ms, 1)));
        recorder.delivered(Time(0), FlowId(0), &delivery(0, 4000, 2));
        let expected = RoundTrips { count: 100, min: 1.0, median: 50.0, p95: 95.0, p99: 99.0, max: 100.0 };
        let found = recorder.round_trips();
        for (found, expected) in [
            (found.min, expected.min),
            (found.median, expected.median),
            (found.p95, expected.p95),
            (found.p99, expected.p99),
            (found.max, expected.max),
        ] {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
        assert_eq!((found.count, recorder.segments, recorder.bytes, recorder.marked), (100, 101, 1010, 2));
        assert_eq!(Recorder::default().round_trips(), RoundTrips::default());
    }

    #[test]
    fn tables_have_a_row_for_each_segment_and_the_series_of_the_simulator() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.csv");
        let mut recorder = Recorder::with_tables(Time(0));
        recorder.delivered(Time(2_000_000), FlowId(0), &delivery(3, 2, 1));
        assert!(recorder.wants_sample(Time(0) + SAMPLE));
        let (window, in_flight, rto) = (4.5, 3, Span::from_millis(200));
        let reading = Reading::Flow { flow: FlowId(0), window, rate: None, in_flight, rto };
        recorder.sample(Time(0) + SAMPLE, &reading);
        assert!(!recorder.wants_sample(Time(1) + SAMPLE));
        let series = recorder.write(&path).unwrap().unwrap();
        let rows = std::fs::read_to_string(path).unwrap();
        assert_eq!(rows, "time,segment,payload,full_delay,last_delay,transmissions,marked\n0.002,3,10,2,2,1,0\n");
        let rows = std::fs::read_to_string(series).unwrap();
        assert!(rows.starts_with("seed,time,metric,of,value\n") && rows.contains("0,0.01,window,get,4.5\n"), "{rows}");
    }
}
