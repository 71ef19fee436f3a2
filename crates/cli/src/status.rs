//! `weir status`: what a forwarder on this host is doing.

use crate::Failure;
use clap::Args;
use comfy_table::{CellAlignment, Table, presets::NOTHING};
use std::time::Duration;
use weir_live::forward::{FaceStatus, Status};
use weir_live::{fetch_dataset, forwarder_uri};

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// The forwarder, such as unix:///run/nfd/nfd.sock [default: as for any NDN client]
    #[arg(long, value_name = "URI")]
    pub socket: Option<String>,
    /// Print it as JSON, one line
    #[arg(long)]
    pub json: bool,
    /// Print it again and again, so many seconds apart
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "2", require_equals = true,
          value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub watch: Option<u64>,
}

/// Prints the status, once or until it is stopped.
pub(crate) fn status(arguments: &StatusArgs) -> Result<(), Failure> {
    let uri = forwarder_uri(arguments.socket.as_deref()).map_err(|e| Failure::Input(e.to_string()))?;
    let name = "/localhost/weir/status".parse().map_err(|e| Failure::Other(format!("{e}")))?;
    let mut before: Option<Status> = None;
    loop {
        let content = fetch_dataset(&uri, &name).map_err(Failure::Other)?;
        let status = Status::from_json(&content).map_err(Failure::Other)?;
        if arguments.json {
            println!("{}", String::from_utf8_lossy(&content));
        } else {
            if arguments.watch.is_some() && console::user_attended() {
                print!("\x1b[2J\x1b[H");
            }
            print!("{}", text(&status, before.as_ref()));
        }
        let Some(seconds) = arguments.watch else { return Ok(()) };
        before = Some(status);
        std::thread::sleep(Duration::from_secs(seconds));
    }
}

/// Tables. Rates are of the time since `before`, or since the start.
fn text(status: &Status, before: Option<&Status>) -> String {
    let up = status.now_ms.saturating_sub(status.started_ms) as f64 / 1000.0;
    let mut out = format!("weir {}, up {}\n", status.version, lasting(up));
    let (pit, cs) = (&status.pit, &status.cs);
    out += &format!("PIT  {} of {} entries, at most {} so far; ", pit.entries, pit.capacity, pit.peak);
    out += &format!("{} aggregated, {} expired\n", status.aggregated, status.expired);
    out += &format!("CS   {} of {} Data; {} hits, {} misses\n", cs.entries, cs.capacity, cs.hits, cs.misses);
    if !status.drops.is_empty() {
        let drops = status.drops.iter().map(|(reason, count)| format!("{reason} {count}"));
        out += &format!("Dropped  {}\n", drops.collect::<Vec<_>>().join(", "));
    }
    out += &format!("\n{}\n", faces(status, before));
    if !status.routes.is_empty() {
        let rows = status.routes.iter().map(|route| {
            vec![route.prefix.clone(), route.face.to_string(), route.cost.to_string(), origin(route.origin)]
        });
        out += &format!("\n{}\n", table(&["Prefix", "Face", "Cost", "Origin"], rows, 2));
    }
    let rows = status.strategies.iter().map(|(prefix, name)| vec![prefix.clone(), name.clone()]);
    out + &format!("\n{}\n", table(&["Prefix", "Strategy"], rows, usize::MAX))
}

fn faces(status: &Status, before: Option<&Status>) -> Table {
    let since = before.map_or(status.started_ms, |before| before.now_ms);
    let seconds = (status.now_ms.saturating_sub(since) as f64 / 1000.0).max(0.001);
    let mbps = |face: &FaceStatus, bytes: fn(&FaceStatus) -> u64| {
        let known = before.and_then(|before| before.faces.iter().find(|known| known.face == face.face));
        let bytes = bytes(face).saturating_sub(known.map_or(0, bytes));
        format!("{:.1}", bytes as f64 * 8.0 / seconds / 1e6)
    };
    let heads = [
        "Face",
        "Remote",
        "In I",
        "In D",
        "In Mbit/s",
        "Out I",
        "Out D",
        "Out Mbit/s",
        "Queue",
        "Kernel",
        "Marked",
        "Drops",
    ];
    let rows = status.faces.iter().map(|face| {
        let limit = face.queue_limit.map_or(String::new(), |limit| format!("/{limit}"));
        vec![
            face.face.to_string(),
            face.remote.clone(),
            face.in_interests.to_string(),
            face.in_data.to_string(),
            mbps(face, |f| f.in_bytes),
            face.out_interests.to_string(),
            face.out_data.to_string(),
            mbps(face, |f| f.out_bytes),
            format!("{}{limit}", face.queue),
            backlog(face),
            face.marked.to_string(),
            (face.dropped + face.unsent).to_string(),
        ]
    });
    table(&heads, rows, 2)
}

/// What the kernel may hold of what the face sends: with a star if the operator has said so, or the system has it so.
fn backlog(face: &FaceStatus) -> String {
    format!("{:.0} kB{}", face.backlog as f64 / 1e3, if face.backlog_fixed { "*" } else { "" })
}

/// A table whose columns from `numbers` on are numbers.
fn table(heads: &[&str], rows: impl Iterator<Item = Vec<String>>, numbers: usize) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(heads.to_vec());
    for row in rows {
        table.add_row(row);
    }
    for column in table.column_iter_mut().skip(numbers) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn origin(number: u64) -> String {
    match number {
        0 => "application".to_owned(),
        65 => "client".to_owned(),
        128 => "nlsr".to_owned(),
        255 => "static".to_owned(),
        other => other.to_string(),
    }
}

fn lasting(seconds: f64) -> String {
    let whole = seconds as u64;
    let (hours, minutes) = (whole / 3600, whole / 60 % 60);
    if hours > 0 { format!("{hours} h {minutes} min") } else { format!("{minutes} min {} s", whole % 60) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_of_what_the_kernel_holds_is_shown() {
        let face = |face, backlog, backlog_fixed| FaceStatus { face, backlog, backlog_fixed, ..Default::default() };
        let status = Status { faces: vec![face(256, 65_536, false), face(257, 20_000, true)], ..Status::default() };
        let shown = text(&status, None);
        assert!(shown.contains("Kernel") && shown.contains(" 66 kB ") && shown.contains(" 20 kB*"), "{shown}");
    }

    #[test]
    fn rates_are_those_since_the_last_look() {
        let face =
            |in_bytes| FaceStatus { face: 256, remote: "udp4://10.0.0.1:6363".into(), in_bytes, ..Default::default() };
        let at = |now_ms, in_bytes| Status { now_ms, faces: vec![face(in_bytes)], ..Status::default() };
        let shown = text(&at(4000, 3_000_000), Some(&at(2000, 500_000)));
        assert!(shown.contains("10.0"), "{shown}");
        assert!(shown.contains(" 0 kB "), "{shown}");
        let shown = text(&at(4000, 3_000_000), None);
        assert!(shown.contains(" 6.0"), "{shown}");
    }
}
