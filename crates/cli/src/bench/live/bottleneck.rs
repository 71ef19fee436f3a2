//! `weir bench live --bottleneck`: every scheme before a link of 50 Mbit/s with a queue of 64 packets and 10 ms each way.
//!
//! Two forwarders over UDP, and between them a link in user space. *Inside*, the forwarder at the producer knows the rate
//! (`rate`), so the scheme's queue is where packets wait. *Beyond*, nobody told it: the link drops what finds its queue
//! full, like a router that knows no NDN.

use super::setups::{self, NAME, Running, Setup};
use super::write_content;
use crate::Failure;
use crate::output::print;
use serde_json::{Value, json};
use std::fmt::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;
use weir_core::{Limit, Rate, Seed, Settings, Span};
use weir_emulate::relay::Relay;
use weir_emulate::shaper::Shaper;
use weir_scenario::plan::Direction;
use weir_schemes::bundles::{BUNDLES, Bundle};
use weir_schemes::registry::QUEUES;

/// The link.
const RATE: Rate = Rate(50_000_000);
const DELAY: Span = Span::from_millis(10);
const QUEUE: usize = 64;
/// What is no bottleneck.
const FAST: Rate = Rate(10_000_000_000);
const ROOM: usize = 100_000;
/// A fetch that takes longer has failed: at this rate the default file takes eight seconds.
const PATIENCE: Duration = Duration::from_secs(60);
/// Of the metrics of `weir get`, those that are told.
const TOLD: [&str; 6] = ["goodput_mbps", "retransmitted_share", "marked", "timeouts", "decreases", "rtt_ms"];

/// Where the bottleneck is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Inside,
    Beyond,
}

/// One line of the table.
struct Row {
    name: String,
    /// `weir forward`'s keys of `[schemes]`.
    forwarders: String,
    /// `weir get`'s arguments.
    consumer: Vec<String>,
}

/// Measures every scheme of the registry at both places, and the default control over every queue; prints JSON, or the
/// table of the documentation.
pub(in crate::bench) fn bottleneck(megabytes: u64, only: Option<&str>, markdown: bool) -> Result<(), Failure> {
    let folder = tempfile::tempdir().map_err(|e| Failure::Other(format!("no temporary folder: {e}")))?;
    let file = folder.path().join("content");
    write_content(&file, megabytes).map_err(|e| Failure::Other(format!("{}: {e}", file.display())))?;
    let mut rows = Vec::new();
    for row in rows_of(only)? {
        let mut told = json!({ "scheme": row.name });
        for (place, key) in [(Place::Inside, "inside"), (Place::Beyond, "beyond")] {
            // The program's progress is of use: all rows take minutes.
            eprintln!("{}, {key}", row.name);
            told[key] = match measure(&row, place, &file, folder.path()) {
                Ok(measured) => measured,
                Err(why) => json!({ "failed": why }),
            };
        }
        rows.push(told);
    }
    if markdown {
        return print(&table(&rows));
    }
    let told = json!({
        "bytes": megabytes * 1_000_000,
        "rate_mbps": RATE.0 / 1_000_000,
        "delay_ms": DELAY.millis(),
        "queue_packets": QUEUE,
        "rows": rows,
        "version": env!("CARGO_PKG_VERSION"),
    });
    print(&format!("{told:#}\n"))
}

/// The default of `weir get` over each queue, then each scheme; or what is called `only`.
fn rows_of(only: Option<&str>) -> Result<Vec<Row>, Failure> {
    let queues = QUEUES.iter().map(|queue| Row {
        name: format!("default over {}", queue.name),
        forwarders: format!("queue = {:?}\n", queue.name),
        consumer: Vec::new(),
    });
    let all: Vec<Row> = queues.chain(BUNDLES.iter().map(row_of)).collect();
    let Some(name) = only else { return Ok(all) };
    let names: Vec<String> = all.iter().map(|row| row.name.clone()).collect();
    let found: Vec<Row> = all.into_iter().filter(|row| row.name == name).collect();
    match found.is_empty() {
        false => Ok(found),
        true => {
            let near = weir_core::nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
            let hint =
                near.map_or_else(|| format!("there are: {}", names.join(", ")), |n| format!("did you mean {n:?}?"));
            Err(Failure::Input(format!("there is no scheme {name:?}; {hint}")))
        }
    }
}

fn row_of(bundle: &Bundle) -> Row {
    let mut forwarders = String::new();
    let parts = [("queue", Some(&bundle.queue)), ("strategy", Some(&bundle.strategy))];
    let more = [("recovery", bundle.recovery.as_ref()), ("monitor", bundle.monitor.as_ref())];
    for (key, part) in parts.into_iter().chain(more) {
        if let Some(part) = part {
            let settings: String = part.values().iter().map(|(name, value)| format!(", {name} = {value}")).collect();
            let _ = writeln!(forwarders, "{key} = {{ name = {:?}{settings} }}", part.name);
        }
    }
    let mut consumer = Vec::new();
    let mut add = |option: &str, name: &str, set: &str, settings: Settings| {
        consumer.extend([option.to_owned(), name.to_owned()]);
        for (key, value) in settings {
            let text = value.to_string();
            consumer.extend([set.to_owned(), format!("{key}={}", text.trim_matches('"'))]);
        }
    };
    add("--control", bundle.control.name, "--set", bundle.control.values());
    add("--timeout", bundle.timeout.name, "--set-timeout", bundle.timeout.values());
    Row { name: bundle.name.to_owned(), forwarders, consumer }
}

fn measure(row: &Row, place: Place, file: &Path, folder: &Path) -> Result<Value, String> {
    let mut running = Running::default();
    let port = setups::free_port()?;
    let (near, far) = (setups::socket(folder, "near"), setups::socket(folder, "far"));
    for path in [&near, &far] {
        let _ = std::fs::remove_file(path);
    }
    let schemes = format!("[schemes]\nqueue-packets = {QUEUE}\n{}", row.forwarders);
    let rate = if place == Place::Inside { format!("rate = \"{}bps\"\n", RATE.0) } else { String::new() };
    let config = format!(
        "{schemes}[[listen]]\nuri = \"{}\"\n[[listen]]\nuri = \"udp4://127.0.0.1:{port}\"\n{rate}",
        setups::uri(&far)
    );
    setups::forward(&config, &far, &folder.join("far.toml"), &mut running)?;
    let beyond = if place == Place::Beyond { (RATE, QUEUE) } else { (FAST, ROOM) };
    let far_end = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let relay = Relay::start(far_end, shaper((FAST, ROOM)), shaper(beyond)).map_err(|e| format!("no link: {e}"))?;
    let config = format!(
        "{schemes}[[listen]]\nuri = \"{}\"\n[[face]]\nuri = \"udp4://{}\"\nroutes = [\"/bench\"]\n",
        setups::uri(&near),
        relay.near()
    );
    setups::forward(&config, &near, &folder.join("near.toml"), &mut running)?;
    setups::put(Setup::Weir, file, &far, &mut running)?;
    let mut get = Setup::Weir.fetch(folder, None)?;
    get.args(&row.consumer);
    let (_, said) = setups::timed(&mut get, PATIENCE)?;
    let own: Value = serde_json::from_str(&said).map_err(|e| format!("`weir get` of {NAME} said {said:?}: {e}"))?;
    let mut told: serde_json::Map<_, _> = TOLD.iter().map(|key| ((*key).to_owned(), own[*key].clone())).collect();
    told.insert("overflowed".into(), relay.overflowed().into());
    Ok(told.into())
}

fn shaper((rate, packets): (Rate, usize)) -> Shaper {
    let limit = Limit::Packets(packets);
    Shaper::new(&Direction { rate, delay: DELAY, loss: 0.0, limit }, limit, None, Seed(1))
}

/// The table of the documentation.
fn table(rows: &[Value]) -> String {
    let mut text = String::from(
        "| scheme | inside: Mbit/s | retransmitted | marked | median round trip | beyond: Mbit/s | retransmitted | median \
         round trip |\n|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let cells = |key: &str, marked: bool| {
            let told = &row[key];
            if let Some(why) = told["failed"].as_str() {
                return format!("failed: {why}{}", if marked { " | | |" } else { " | |" });
            }
            let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
            let share = number(&told["retransmitted_share"]) * 100.0;
            let marks = if marked { format!(" | {}", told["marked"]) } else { String::new() };
            format!(
                "{:.1} | {share:.2} %{marks} | {:.0} ms",
                number(&told["goodput_mbps"]),
                number(&told["rtt_ms"]["median"])
            )
        };
        let name = row["scheme"].as_str().unwrap_or_default();
        let _ = writeln!(text, "| {name} | {} | {} |", cells("inside", true), cells("beyond", false));
    }
    text
}
