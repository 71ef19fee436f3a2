//! `trace`: requests as a file lists them.

use super::requests::Lists;
use super::{Scene, WorkloadKind, requests};
use crate::diagnostic::{Diagnostic, Log, Place, Source};
use crate::plan::Workload;
use crate::reader::TableReader;
use crate::shape::{Field, Form, Shape};
use std::ops::Range;
use std::sync::Arc;
use weir_core::{Bytes, Span, TraceRequest};
use weir_wire::{Component, Name};

pub(super) const KIND: WorkloadKind = WorkloadKind { name: "trace", shape: &SHAPE, read };

static SHAPE: Shape = Shape {
    about: "Requests from a CSV file whose first line names its columns: `time` and `name`, and perhaps `consumer` and \
            `size`.",
    example: "[[workload]]\ntrace = { file = \"requests.csv\" }\n",
    keys: &[
        &[Field::new("file", Form::Text, "Path of the file, from the folder of the scenario.").required()],
        requests::TRACE_KEYS,
    ],
    more: None,
    rules: &[],
};

/// After so many mistakes the rest of the file is left alone.
const MOST_MISTAKES: usize = 10;

/// Columns of the file.
const COLUMNS: [&str; 4] = ["time", "name", "consumer", "size"];

/// One line of the file.
pub(super) struct Line {
    pub(super) consumer: Option<String>,
    pub(super) request: TraceRequest,
}

fn read(table: &TableReader<'_>, scene: &Scene<'_>) -> Option<Vec<Workload>> {
    let node = table.need_node("file", "the path of a file")?;
    let lines = scene.files.source(node, table.log).and_then(|source| lines(&source, table.log));
    requests::of_trace(table, scene, lines.map(by_consumer))
}

/// Each consumer's requests in the order of their times.
fn by_consumer(lines: Vec<(Place, Line)>) -> Lists {
    let mut all = Lists::new();
    for (place, line) in lines {
        all.entry(line.consumer).or_insert_with(|| (place, Vec::new())).1.push(line.request);
    }
    all.values_mut().for_each(|(_, requests)| requests.sort_by_key(|request| request.time));
    all
}

/// All lines, each with its place; mistakes are reported.
fn lines(source: &Arc<Source>, log: &Log) -> Option<Vec<(Place, Line)>> {
    let place = |span: Range<usize>| Place { source: Arc::clone(source), span };
    let mut start = 0;
    let mut rows = source.text.split_inclusive('\n').map(|line| {
        let row = start..start + line.trim_end().len();
        start += line.len();
        row
    });
    let header = rows.next().unwrap_or(0..0);
    let columns = columns(source, header, log)?;
    let mut lines = Vec::new();
    let mut mistakes = 0;
    for row in rows.filter(|row| !row.is_empty()) {
        match line(source, row.clone(), &columns) {
            Ok(line) => lines.push((place(row), line)),
            Err((span, message)) => {
                log.report(Diagnostic::at(&place(span), message));
                mistakes += 1;
                if mistakes == MOST_MISTAKES {
                    break;
                }
            }
        }
    }
    if lines.is_empty() && mistakes == 0 {
        log.report(Diagnostic::at(&place(0..0), "there is no request in this file"));
        return None;
    }
    (mistakes == 0).then_some(lines)
}

/// Which column of the file is which of [`COLUMNS`].
fn columns(source: &Arc<Source>, header: Range<usize>, log: &Log) -> Option<Vec<usize>> {
    let place = |span: Range<usize>| Place { source: Arc::clone(source), span };
    let mut columns = Vec::new();
    for field in fields(&source.text, header.clone()) {
        let word = unquoted(&source.text[field.clone()]);
        let Some(column) = COLUMNS.iter().position(|name| *name == word) else {
            let problem = Diagnostic::at(&place(field), format!("there is no column `{word}` in a trace"));
            log.report(problem.suggest(&word, COLUMNS));
            return None;
        };
        if columns.contains(&column) {
            log.report(Diagnostic::at(&place(field), format!("there are two columns `{word}`")));
            return None;
        }
        columns.push(column);
    }
    for (column, name) in COLUMNS.iter().enumerate().take(2) {
        if !columns.contains(&column) {
            let message = format!("this trace has no column `{name}`: its first line names the columns");
            log.report(Diagnostic::at(&place(header), message).help("such as `time,consumer,name,size`"));
            return None;
        }
    }
    Some(columns)
}

/// One request, or where it is wrong and how.
fn line(source: &Source, row: Range<usize>, columns: &[usize]) -> Result<Line, (Range<usize>, String)> {
    let fields = fields(&source.text, row.clone());
    if fields.len() != columns.len() {
        let message = format!("this line has {} fields, but there are {} columns", fields.len(), columns.len());
        return Err((row, message));
    }
    let (mut time, mut name, mut consumer, mut size) = (Span::ZERO, Name::root(), None, None);
    for (field, column) in fields.into_iter().zip(columns) {
        let text = unquoted(&source.text[field.clone()]);
        let refuse = |message: String| (field.clone(), message);
        match column {
            0 => time = seconds(&text).map_err(refuse)?,
            1 => name = content(&text).map_err(refuse)?,
            2 if text.is_empty() => return Err(refuse("this request has no consumer".into())),
            2 => consumer = Some(text),
            _ if text.is_empty() => {}
            _ => size = Some(bytes(&text).map_err(refuse)?),
        }
    }
    Ok(Line { consumer, request: TraceRequest { time, name, size } })
}

/// A number of seconds, or a time with its unit.
fn seconds(text: &str) -> Result<Span, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..1e9).contains(&seconds) => Ok(Span::from_seconds(seconds)),
        Ok(_) => Err(format!("`{text}` is no time after the start")),
        Err(_) => text.parse().map_err(|_| format!("expected a time in seconds, found `{text}`")),
    }
}

/// A number of bytes, or a size with its unit.
fn bytes(text: &str) -> Result<Bytes, String> {
    let bytes = match text.parse::<u64>() {
        Ok(bytes) => Bytes(bytes),
        Err(_) => text.parse().map_err(|_| format!("expected a size in bytes, found `{text}`"))?,
    };
    if bytes == Bytes(0) { Err("an object has at least one byte".into()) } else { Ok(bytes) }
}

/// A name in URI form if it begins with a slash, else one component.
fn content(text: &str) -> Result<Name, String> {
    match text.starts_with('/') {
        true => text.parse().map_err(|error: weir_wire::ParseNameError| format!("this is not a name: {error}")),
        false if text.is_empty() => Err("this request has no name".into()),
        false => Ok(Name::root().child(Component::generic(text.as_bytes().to_vec()))),
    }
}

/// The fields of a line: between commas that are not in quotes.
fn fields(text: &str, row: Range<usize>) -> Vec<Range<usize>> {
    let mut fields = Vec::new();
    let (mut start, mut quoted) = (row.start, false);
    for (i, byte) in text.as_bytes()[row.clone()].iter().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b',' if !quoted => {
                fields.push(start..row.start + i);
                start = row.start + i + 1;
            }
            _ => {}
        }
    }
    fields.push(start..row.end);
    fields
}

/// A field without blanks and quotes around it.
fn unquoted(field: &str) -> String {
    let field = field.trim().trim_start_matches('\u{feff}');
    match field.strip_prefix('"').and_then(|f| f.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => field.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Line>, String> {
        let (log, source) = (Log::default(), Arc::new(Source { name: "t.csv".into(), text: text.into() }));
        let read = lines(&source, &log);
        log.finish(read).map_err(|p| p.to_string()).map(|l| l.unwrap().into_iter().map(|(_, line)| line).collect())
    }

    #[test]
    fn columns_come_in_any_order_and_quotes_are_taken_off() {
        let text = "\u{feff}size,time,\"name\",consumer\r\n12 kB,1.5,\"a, b\",c1\r\n\r\n,20ms,/x/y,c2\n700,0,z,c1";
        let lines = read(text).unwrap();
        let of =
            |line: &Line| (line.request.time.millis(), line.request.name.to_string(), line.request.size.map(|b| b.0));
        assert_eq!(of(&lines[0]), (1500.0, "/a%2C%20b".into(), Some(12_000)));
        assert_eq!(of(&lines[1]), (20.0, "/x/y".into(), None));
        assert_eq!((of(&lines[2]), lines[2].consumer.as_deref()), ((0.0, "/z".into(), Some(700)), Some("c1")));
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        for (text, wanted) in [
            ("time,nam\n", "there is no column `nam`"),
            ("time,size\n1,2\n", "no column `name`"),
            ("time,name,name\n", "two columns"),
            ("time,name\n1,a\n-2,b\n", "t.csv:3:1"),
            ("time,name\n1,a,7\n", "3 fields"),
            ("time,name\nsoon,a\n", "expected a time"),
            ("time,name,size\n1,a,big\n", "expected a size"),
            ("time,name,size\n1,a,0\n", "at least one byte"),
            ("time,name,consumer\n1,a,\n", "no consumer"),
            ("time,name\n1,\n", "no name"),
            ("time,name\n", "no request"),
            ("", "no column"),
        ] {
            let told = read(text).map(|lines| lines.len()).unwrap_err();
            assert!(told.contains(wanted), "{text:?}: {told}");
        }
    }
}
