//! What the programs have written, as the simulator's numbers.

use std::io;
use std::path::Path;

/// A segment as `weir get --stats` tells it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Segment {
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
    let columns = ["time", "payload", "full_delay", "last_delay", "transmissions", "marked"];
    let number = |text: &String| text.parse::<f64>().map_err(|_| wrong(file, &format!("{text:?} is no number")));
    let segment = |row: &[String; 6]| {
        Ok(Segment {
            time: number(&row[0])?,
            payload: number(&row[1])?,
            full_delay: number(&row[2])?,
            last_delay: number(&row[3])?,
            transmissions: number(&row[4])?,
            marked: matches!(row[5].as_str(), "1" | "true"),
        })
    };
    rows(file, columns)?.iter().map(segment).collect()
}

/// What befell requests: seconds since their beginning, the event, and its value if it has one.
pub(crate) type RequestEvent = (f64, String, Option<f64>);

/// The events of requests, from the neighbour of their segments.
pub(crate) fn events(segments: &Path) -> io::Result<Vec<RequestEvent>> {
    let name = segments.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let file = segments.with_file_name(format!("{name}-requests.csv"));
    let number = |text: &String| text.parse::<f64>().map_err(|_| wrong(&file, &format!("{text:?} is no number")));
    let event = |[time, event, value]: [String; 3]| {
        let value = if value.is_empty() { None } else { Some(number(&value)?) };
        Ok((number(&time)?, event, value))
    };
    rows(&file, ["time", "event", "value"])?.into_iter().map(event).collect()
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
    fn events_of_requests_stand_beside_their_segments() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("r0.csv");
        std::fs::write(folder.path().join("r0-requests.csv"), "time,event,value\n0.5,began,\n0.5,sent,1\n").unwrap();
        assert_eq!(events(&file).unwrap(), [(0.5, "began".into(), None), (0.5, "sent".into(), Some(1.0))]);
        assert!(events(&folder.path().join("x.csv")).is_err());
    }

    #[test]
    fn columns_are_found_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("get.csv");
        let text = "segment,time,payload,full_delay,last_delay,transmissions,marked\n0,0.5,1000,20.5,10.5,2,1\n";
        std::fs::write(&file, text).unwrap();
        let segment = Segment {
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
