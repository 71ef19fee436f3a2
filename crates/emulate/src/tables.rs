//! What the programs have written, as the simulator's numbers.

use std::io;
use std::path::{Path, PathBuf};

/// A segment as `weir get --stats` tells it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Segment {
    pub segment: u64,
    /// Seconds since the first Interest of the fetch.
    pub time: f64,
    pub payload: f64,
    /// Milliseconds.
    pub full_delay: f64,
    pub last_delay: f64,
    pub transmissions: f64,
    pub marked: bool,
}

/// A sample of `FILE-series.csv`: seconds since the first Interest, the metric, its value.
pub(crate) type Reading = (f64, String, f64);

fn wrong(file: &Path, what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{}: {what}", file.display()))
}

/// The rows of a table of numbers as wanted columns.
fn rows<const N: usize>(file: &Path, columns: [&str; N]) -> io::Result<Vec<[String; N]>> {
    let mut reader = csv::Reader::from_path(file).map_err(io::Error::other)?;
    let headers = reader.headers().map_err(io::Error::other)?.clone();
    let place = |name: &str| headers.iter().position(|h| h == name).ok_or_else(|| wrong(file, name));
    let mut places = [0; N];
    for (place_of, name) in places.iter_mut().zip(columns) {
        *place_of = place(name)?;
    }
    let row = |record: csv::StringRecord| places.map(|place| record.get(place).unwrap_or_default().to_owned());
    reader.records().map(|record| record.map(row).map_err(io::Error::other)).collect()
}

/// The segments of a fetch, in the order of the file.
pub(crate) fn segments(file: &Path) -> io::Result<Vec<Segment>> {
    let columns = ["segment", "time", "payload", "full_delay", "last_delay", "transmissions", "marked"];
    let number = |text: &String| text.parse::<f64>().map_err(|_| wrong(file, &format!("{text:?} is no number")));
    let segment = |row: &[String; 7]| {
        Ok(Segment {
            segment: number(&row[0])? as u64,
            time: number(&row[1])?,
            payload: number(&row[2])?,
            full_delay: number(&row[3])?,
            last_delay: number(&row[4])?,
            transmissions: number(&row[5])?,
            marked: matches!(row[6].as_str(), "1" | "true"),
        })
    };
    rows(file, columns)?.iter().map(segment).collect()
}

/// What befell a consumer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    /// Seconds since its beginning.
    pub time: f64,
    pub what: String,
    pub value: Option<f64>,
}

/// A fetch that got all its segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FetchRow {
    /// Seconds since the beginning of the program.
    pub start: f64,
    /// Milliseconds.
    pub took: f64,
    pub segments: u64,
    pub retransmissions: u64,
    pub timeouts: u64,
    pub decreases: u64,
    /// Milliseconds.
    pub full_delay: f64,
    pub delay_scv: f64,
}

/// A neighbour of a program's segments.
fn beside(segments: &Path, what: &str) -> PathBuf {
    let name = segments.file_stem().unwrap_or_default().to_string_lossy();
    segments.with_file_name(format!("{name}-{what}.csv"))
}

/// The events of a consumer, from the neighbour of its segments.
pub(crate) fn events(segments: &Path) -> io::Result<Vec<Event>> {
    let file = beside(segments, "events");
    let number = |text: &String| text.parse::<f64>().map_err(|_| wrong(&file, &format!("{text:?} is no number")));
    let event = |[time, what, value]: [String; 3]| {
        let value = if value.is_empty() { None } else { Some(number(&value)?) };
        Ok(Event { time: number(&time)?, what, value })
    };
    rows(&file, ["time", "event", "value"])?.into_iter().map(event).collect()
}

/// The fetches of a consumer that got all their segments.
pub(crate) fn fetches(segments: &Path) -> io::Result<Vec<FetchRow>> {
    let file = beside(segments, "fetches");
    let number = |text: &String| text.parse::<f64>().map_err(|_| wrong(&file, &format!("{text:?} is no number")));
    let columns = [
        "fetch_start",
        "fetch_time",
        "segments",
        "retransmissions",
        "timeouts",
        "decreases",
        "full_delay",
        "delay_scv",
    ];
    let fetch = |row: [String; 8]| {
        let count = |place: usize| number(&row[place]).map(|number| number as u64);
        Ok(FetchRow {
            start: number(&row[0])?,
            took: number(&row[1])?,
            segments: count(2)?,
            retransmissions: count(3)?,
            timeouts: count(4)?,
            decreases: count(5)?,
            full_delay: number(&row[6])?,
            delay_scv: number(&row[7])?,
        })
    };
    rows(&file, columns)?.into_iter().map(fetch).collect()
}

/// The samples of a fetch.
pub(crate) fn readings(file: &Path) -> io::Result<Vec<Reading>> {
    let number = |text: &String| text.parse::<f64>().map_err(|_| wrong(file, &format!("{text:?} is no number")));
    rows(file, ["time", "metric", "value"])?
        .into_iter()
        .map(|[time, metric, value]| Ok((number(&time)?, metric, number(&value)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_and_fetches_stand_beside_their_segments() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("r0.csv");
        std::fs::write(folder.path().join("r0-events.csv"), "time,event,value\n0.5,began,\n0.5,sent,1\n").unwrap();
        let event = |what: &str, value| Event { time: 0.5, what: what.into(), value };
        assert_eq!(events(&file).unwrap(), [event("began", None), event("sent", Some(1.0))]);
        assert!(events(&folder.path().join("x.csv")).is_err());
        let text = "fetch_start,fetch_time,segments,retransmissions,timeouts,decreases,full_delay,delay_scv\n\
                    0.5,230,7,1,2,3,20.5,0.25\n";
        std::fs::write(folder.path().join("r0-fetches.csv"), text).unwrap();
        let row = FetchRow {
            start: 0.5,
            took: 230.0,
            segments: 7,
            retransmissions: 1,
            timeouts: 2,
            decreases: 3,
            full_delay: 20.5,
            delay_scv: 0.25,
        };
        assert_eq!(fetches(&file).unwrap(), [row]);
    }

    #[test]
    fn columns_are_found_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("get.csv");
        let text = "segment,time,payload,full_delay,last_delay,transmissions,marked\n0,0.5,1000,20.5,10.5,2,1\n";
        std::fs::write(&file, text).unwrap();
        let segment = Segment {
            segment: 0,
            time: 0.5,
            payload: 1000.0,
            full_delay: 20.5,
            last_delay: 10.5,
            transmissions: 2.0,
            marked: true,
        };
        assert_eq!(segments(&file).unwrap(), [segment]);
        std::fs::write(&file, text.replace("full_", "")).unwrap();
        assert!(segments(&file).unwrap_err().to_string().contains("full_delay"));
        std::fs::write(&file, text.replace("0.5,1000", "x,1000")).unwrap();
        assert!(segments(&file).unwrap_err().to_string().contains("\"x\" is no number"));
    }
}
