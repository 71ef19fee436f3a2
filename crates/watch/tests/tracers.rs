//! Files in ndnSIM's formats: headings to the letter, numbers that agree with the run's own.

mod common;

use common::{BUSY, scenario};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use weir_core::Span;
use weir_sim::{Built, End, Outcome, Scope, build};
use weir_watch::{Network, Tracer, Tracers};

const PERIOD: Span = Span::from_millis(500);

/// A run whose tracer files stand in `folder`.
fn traced(folder: &Path, tracers: &[Tracer]) -> (Outcome, Vec<weir_sim::LinkCounters>) {
    let mut built: Built = build(&scenario(BUSY), 3).expect("a checked scenario can be built");
    let tracers = Tracers::new(Network::of(&built), tracers, PERIOD, folder).expect("files can be written");
    let tracers = Rc::new(RefCell::new(tracers));
    built.world.watch(Box::new(Rc::clone(&tracers)));
    built.world.run(End::Quiet);
    let outcome = Outcome::of(&built.world, &built.nodes, &built.links);
    let links = built.world.links().map(|(_, counters, _)| counters).collect();
    let end = built.world.now();
    drop(built);
    let tracers = Rc::into_inner(tracers).expect("the world is gone").into_inner();
    tracers.finish(end).expect("files can be written");
    (outcome, links)
}

/// The heading and the rows of a file, by column.
fn read(folder: &Path, tracer: Tracer) -> (String, Vec<BTreeMap<String, String>>) {
    let text = std::fs::read_to_string(folder.join(tracer.file())).expect("the file is there");
    let (heading, rows) = text.split_once('\n').expect("a heading");
    let names: Vec<&str> = heading.trim_end_matches('\t').split('\t').collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!(cells.len(), names.len(), "{line}");
        names.iter().zip(cells).map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect()
    };
    (heading.to_owned(), rows.lines().map(row).collect())
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|error| panic!("{column} in {row:?}: {error}"))
}

fn sum(rows: &[BTreeMap<String, String>], column: &str, wanted: impl Fn(&BTreeMap<String, String>) -> bool) -> f64 {
    rows.iter().filter(|row| wanted(row)).map(|row| number(row, column)).sum()
}

fn of_run(outcome: &Outcome, metric: &'static str) -> f64 {
    outcome.get(metric, Scope::Run).unwrap_or_else(|| panic!("no {metric}"))
}

#[test]
fn headings_are_those_of_ndnsim() {
    let folder = tempfile::tempdir().expect("a folder");
    traced(folder.path(), &Tracer::ALL);
    let headings = Tracer::ALL.map(|tracer| read(folder.path(), tracer).0);
    assert_eq!(
        headings,
        [
            "Time\tNode\tFaceId\tFaceDescr\tType\tPackets\tKilobytes\tPacketRaw\tKilobytesRaw",
            "Time\tNode\tAppId\tSeqNo\tType\tDelayS\tDelayUS\tRetxCount\tHopCount",
            "Time\tNode\tInterface\tType\tPackets\tKilobytes\tPacketsRaw\tKilobytesRaw",
            "Time\tNode\tType\tPackets\t",
        ]
    );
    let files = std::fs::read_dir(folder.path()).expect("the folder").count();
    assert_eq!(files, 4, "nothing else is left there");
}

#[test]
fn only_what_is_asked_for_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    traced(folder.path(), &[Tracer::Cs]);
    let names: Vec<_> = std::fs::read_dir(folder.path()).expect("the folder").map(|e| e.expect("an entry")).collect();
    assert_eq!(names.iter().map(|e| e.file_name()).collect::<Vec<_>>(), ["cs-trace.txt"]);
}

#[test]
fn rates_agree_with_the_links() {
    let folder = tempfile::tempdir().expect("a folder");
    let (outcome, links) = traced(folder.path(), &[Tracer::Rate]);
    let (_, rows) = read(folder.path(), Tracer::Rate);
    let raw = |types: &[&str]| sum(&rows, "PacketRaw", |row| types.contains(&row["Type"].as_str()));
    let kilobytes = |types: &[&str]| sum(&rows, "KilobytesRaw", |row| types.contains(&row["Type"].as_str()));
    let (out, into) = (["OutInterests", "OutData", "OutNacks"], ["InInterests", "InData", "InNacks"]);
    let total = |count: fn(&weir_sim::LinkCounters) -> u64| links.iter().map(count).sum::<u64>() as f64;
    assert_eq!((raw(&out), raw(&into)), (total(|l| l.packets), total(|l| l.arrived)));
    assert!((kilobytes(&out) * 1024.0 - total(|l| l.bytes)).abs() < 1e-3);
    // Consumers are hosts: what leaves them are their requests.
    let consumers = |row: &BTreeMap<String, String>| row["Node"].starts_with('c') && row["Type"] == "OutInterests";
    assert_eq!(sum(&rows, "PacketRaw", consumers), of_run(&outcome, "requests"));
    let all = |row: &BTreeMap<String, String>| row["FaceId"] == "-1" && row["FaceDescr"] == "all";
    let satisfied = sum(&rows, "PacketRaw", |row| all(row) && row["Type"] == "SatisfiedInterests");
    assert_eq!(satisfied, raw(&["OutSatisfiedInterests"]), "each was answered from one face");
    assert!(raw(&["InSatisfiedInterests"]) > satisfied, "some were asked for by both consumers");
    let timed_out = sum(&rows, "PacketRaw", |row| all(row) && row["Type"] == "TimedOutInterests");
    assert!(timed_out <= raw(&["InTimedOutInterests"]) && satisfied > 0.0);
}

/// Each line's rates are 0.8 times those of the period and 0.2 times those of the line before.
#[test]
fn rates_are_averages() {
    let folder = tempfile::tempdir().expect("a folder");
    traced(folder.path(), &[Tracer::Rate, Tracer::Drop]);
    for (tracer, raw) in [(Tracer::Rate, "PacketRaw"), (Tracer::Drop, "PacketsRaw")] {
        let mut means: BTreeMap<Vec<String>, (f64, f64, f64)> = BTreeMap::new();
        let (_, rows) = read(folder.path(), tracer);
        for row in &rows {
            let key = ["Node", "FaceId", "Interface", "Type"].map(|c| row.get(c).cloned().unwrap_or_default());
            let (last, packets, kilobytes) = means.entry(key.to_vec()).or_default();
            let time = number(row, "Time");
            let seconds = time - *last;
            *packets = 0.8 * number(row, raw) / seconds + 0.2 * *packets;
            *kilobytes = 0.8 * number(row, "KilobytesRaw") / seconds + 0.2 * *kilobytes;
            assert!((number(row, "Packets") - *packets).abs() < 1e-6 * (1.0 + *packets), "{row:?}");
            assert!((number(row, "Kilobytes") - *kilobytes).abs() < 1e-6 * (1.0 + *kilobytes), "{row:?}");
            *last = time;
        }
        let times: Vec<f64> = rows.iter().map(|row| number(row, "Time")).collect();
        assert!(times.contains(&0.5) && times.contains(&1.0) && times.is_sorted());
    }
}

#[test]
fn drops_and_caches_agree_with_the_metrics() {
    let folder = tempfile::tempdir().expect("a folder");
    let (outcome, _) = traced(folder.path(), &[Tracer::Drop, Tracer::Cs]);
    let (_, rows) = read(folder.path(), Tracer::Drop);
    assert!(rows.iter().all(|row| row["Interface"] == "combined" && row["Type"] == "Drop"));
    let metrics = ["drops_queue_full", "drops_queue_management", "drops_store_full", "drops_store_expired"];
    let drops: f64 = metrics.map(|metric| of_run(&outcome, metric)).iter().sum();
    assert_eq!(sum(&rows, "PacketsRaw", |_| true), drops);
    assert!(drops > 0.0, "the scenario drops nothing");
    let (_, rows) = read(folder.path(), Tracer::Cs);
    for (typ, metric) in [("CacheHits", "cs_hits"), ("CacheMisses", "cs_misses")] {
        assert_eq!(sum(&rows, "Packets", |row| row["Type"] == typ), of_run(&outcome, metric));
    }
}

#[test]
fn delays_agree_with_the_metrics() {
    let folder = tempfile::tempdir().expect("a folder");
    let (outcome, _) = traced(folder.path(), &[Tracer::AppDelay]);
    let (_, rows) = read(folder.path(), Tracer::AppDelay);
    for (typ, metric) in [("LastDelay", "last_delay"), ("FullDelay", "full_delay")] {
        let of = |row: &BTreeMap<String, String>| row["Type"] == typ;
        let count = rows.iter().filter(|row| of(row)).count() as f64;
        assert_eq!(count, of_run(&outcome, "delivered"));
        let mean = sum(&rows, "DelayS", of) / count * 1e3;
        assert!((mean - of_run(&outcome, metric)).abs() < 1e-6, "{mean}");
        assert!((sum(&rows, "DelayUS", of) / 1e6 - sum(&rows, "DelayS", of)).abs() < 1e-6);
    }
    let repeated = |row: &BTreeMap<String, String>| row["Type"] == "FullDelay" && row["RetxCount"] != "1";
    assert!(rows.iter().any(repeated), "nothing was sent again");
    assert!(rows.iter().all(|row| row["Type"] == "FullDelay" || row["RetxCount"] == "1"));
    assert!(
        rows.iter()
            .all(|row| row["AppId"] == "0" && ["2", "3"].contains(&row["HopCount"].as_str()) || row["HopCount"] == "1")
    );
}
