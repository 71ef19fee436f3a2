//! What befalls a fetch, or the fetches of many requests, event by event.

use std::path::Path;
use weir_core::{Allowance, FetchEnd, FlowId, Sink, Span, Time};
use weir_results::files::FileError;
use weir_results::table::{Cell, Column, Table};
use weir_wire::NackReason;

/// Tables of what a consumer does and is told.
#[derive(Debug)]
pub(crate) struct Events {
    began: Time,
    events: Table,
    fetches: Table,
}

impl Events {
    /// For a consumer that begins `now`.
    pub fn new(now: Time) -> Events {
        Events { began: now, events: events_table(), fetches: fetches_table() }
    }

    /// Writes them beside `path`.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        self.events.write_csv(&path.with_file_name(format!("{stem}-events.csv")))?;
        self.fetches.write_csv(&path.with_file_name(format!("{stem}-fetches.csv")))
    }

    fn note(&mut self, now: Time, event: &str, value: Option<f64>) {
        let value = value.map_or(Cell::Missing, Cell::Number);
        self.events.push([Cell::Number(now.since(self.began).seconds()), Cell::Text(event.into()), value]);
    }
}

impl Sink for Events {
    fn requested(&mut self, now: Time, _flow: FlowId, _segment: u64, transmission: u32) {
        self.note(now, "sent", Some(transmission.into()));
    }

    fn timed_out(&mut self, now: Time, _flow: FlowId, _segment: u64) {
        self.note(now, "timeout", None);
    }

    fn refused(&mut self, now: Time, _flow: FlowId, _segment: u64, reason: NackReason) {
        self.note(now, "refused", Some(reason.code() as f64));
    }

    fn decreased(&mut self, now: Time, _flow: FlowId, left: &Allowance) {
        self.note(now, "decreased", Some(left.gap.map_or(left.window, |gap| 1.0 / gap.seconds())));
    }

    fn held(&mut self, now: Time, _flow: FlowId) {
        self.note(now, "held", None);
    }

    fn completed(&mut self, now: Time, _flow: FlowId) {
        self.note(now, "completed", None);
    }

    fn began(&mut self, now: Time, _flow: FlowId) {
        self.note(now, "began", None);
    }

    fn fetched(&mut self, now: Time, _flow: FlowId, took: Span) {
        self.note(now, "fetched", Some(took.millis()));
    }

    fn fetch_ended(&mut self, now: Time, _flow: FlowId, fetch: &FetchEnd<'_>) {
        self.fetches.push([
            Cell::Number(fetch.began.since(self.began).seconds()),
            Cell::Number(now.since(fetch.began).millis()),
            Cell::Integer(fetch.segments.into()),
            Cell::Integer(fetch.retransmissions.into()),
            Cell::Integer(fetch.timeouts.into()),
            Cell::Integer(fetch.decreases.into()),
            Cell::Number(fetch.delay * 1e3),
            Cell::Number(fetch.delay_scv),
        ]);
    }

    fn abandoned(&mut self, now: Time, _flow: FlowId) {
        self.note(now, "abandoned", None);
    }
}

fn events_table() -> Table {
    let what = "sent: an Interest, with how often it has been by now; timeout; refused: a Nack, with the code of its reason; \
                decreased: the control cut its window or rate, with what is left; held: it let a signal pass, to see what \
                its last cut does; completed: nothing will come any more. Of many requests also began: a request came; \
                fetched: its object is there, with the milliseconds it took; abandoned: it was given up";
    Table::new(vec![
        Column::new("time", "s", "Since the beginning"),
        Column::text("event", what),
        Column::new("value", "", "As the event has it"),
    ])
}

/// The columns of the simulator's records of fetches; what the network lost, no consumer knows.
fn fetches_table() -> Table {
    Table::new(vec![
        Column::new("fetch_start", "s", "When it began, since the beginning"),
        Column::new("fetch_time", "ms", "From its beginning to its last Data"),
        Column::integer("segments", "segments", "Segments of its content that were fetched"),
        Column::integer("retransmissions", "Interests", "Interests that it sent again"),
        Column::integer("timeouts", "timeouts", "Retransmission timers that ran out"),
        Column::integer("decreases", "decreases", "Times that its control reduced its window or rate"),
        Column::new("full_delay", "ms", "From the first Interest for a segment to its Data, mean over its segments"),
        Column::new("delay_scv", "", "Squared coefficient of variation of the full delays of its segments"),
    ])
}
