//! `weir compare`: schemes against schemes.

mod common;

use common::{call, column, folder, rows, write_scenario};
use serde_json::Value;

/// Where numbers of one row stand, by the names of the columns.
fn cell<'a>(rows: &'a [Vec<String>], row: usize, name: &str) -> &'a str {
    let place = rows[0].iter().position(|head| head == name).unwrap_or_else(|| panic!("no column {name}"));
    &rows[row][place]
}

#[test]
fn two_schemes_on_one_network_of_a_paper() {
    let here = folder("compare");
    let args =
        ["compare", "--schemes", "icp,icp+plr", "--scenarios", "plr-single", "--quick", "--json", "c.json", "--report"];
    let out = call(&here, &args).good().out;
    for text in
        ["plr-single: 2 schemes; front: ", "icp+plr", "relative rank over one scenario", "out/compare/report.html"]
    {
        assert!(out.contains(text), "{text} in\n{out}");
    }
    let folder = here.join("out/compare");
    let runs = rows(&folder.join("runs.csv"));
    assert_eq!(runs.len(), 1 + 2 * 2, "two schemes, two seeds");
    assert_eq!(column(&folder.join("standings.csv"), "state"), ["ran", "ran"]);
    let json: Value = serde_json::from_str(&std::fs::read_to_string(here.join("c.json")).unwrap()).unwrap();
    let schemes = json["scenarios"][0]["schemes"].as_array().unwrap();
    let mean = |scheme: usize, measure: &str| schemes[scheme]["measures"][measure]["mean"].as_f64().unwrap();
    // What the runs say, and what the paper is about: a recovery in the network spares repetitions.
    let of_runs =
        |name: &str| -> f64 { (1..=2).map(|row| cell(&runs, row, name).parse::<f64>().unwrap()).sum::<f64>() / 2.0 };
    assert!((mean(0, "goodput") - of_runs("goodput")).abs() < 1e-9);
    assert!(mean(1, "retransmissions") < mean(0, "retransmissions"));
    let ranks: Vec<i64> = (0..2).map(|i| schemes[i]["measures"]["goodput"]["rank"].as_i64().unwrap()).collect();
    assert_eq!(ranks[0] < ranks[1], mean(0, "goodput") > mean(1, "goodput"));
    assert!(schemes.iter().any(|s| s["front"] == true));
    // One flow has nobody to be unfair to.
    assert!(schemes[0]["measures"].get("jain").is_none());
    for text in ["icp+plr", "plr-single", "--schemes icp,icp+plr --scenarios plr-single --quick --seeds 1,2"] {
        assert!(std::fs::read_to_string(folder.join("report.html")).unwrap().contains(text), "{text}");
    }
    for file in ["compare.md", "summary.md"] {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        assert!(text.contains("| `icp+plr` |") && text.contains("`plr-single`"), "{file}:\n{text}");
    }
}

#[test]
fn a_file_of_ones_own_and_fetches_that_never_end() {
    let here = folder("compare-file");
    write_scenario(&here, "small.toml", "");
    let args = [
        "compare",
        "--schemes",
        "cbr,aimd",
        "--scenarios",
        "small.toml",
        "--seeds",
        "1..3",
        "--limit",
        "2s",
        "--out",
        "o",
    ];
    let out = call(&here, &args).good().out;
    assert!(out.contains("small: 2 schemes"), "{out}");
    let standings = rows(&here.join("o/standings.csv"));
    // One Interest a second, as it is by default, does not get 500 segments.
    assert_eq!(cell(&standings, 1, "remark"), "1 fetch not ended after 2 s (3 of 3 runs)");
    assert_eq!(cell(&standings, 2, "remark"), "");
    let runs = here.join("o/runs.csv");
    assert_eq!(column(&runs, "completion_time")[..3], ["", "", ""]);
    assert!(column(&runs, "completion_time")[3..].iter().all(|time| time.parse::<f64>().unwrap() < 2.0));
    // The same call has the same bytes, with any number of jobs.
    let first = std::fs::read(&runs).unwrap();
    call(&here, &[&args[..], &["--jobs", "1"]].concat()).good();
    assert_eq!(first, std::fs::read(&runs).unwrap());
}

#[test]
fn wrong_names_are_answered_with_the_nearest() {
    let here = folder("compare-names");
    write_scenario(&here, "wrong.toml", "dration = \"10s\"\n");
    for (args, says) in [
        (["--schemes", "icp+prl"], "no scheme `icp+prl`; did you mean `icp+plr`?"),
        (["--schemes", "plr+plr"], "no scheme `plr+plr`"),
        (["--schemes", "icp,icp"], "`icp` is named twice"),
        (["--scenarios", "plr-singel"], "no scenario `plr-singel`; did you mean `plr-single`?"),
        (["--scenarios", "plr,plr-single"], "`plr-single` is named twice"),
        (["--scenarios", "missing.toml"], "`missing.toml` cannot be read"),
        (["--scenarios", "wrong.toml"], "did you mean `duration`?"),
        (["--limit", "soon"], "`--limit soon` is not a time such as `300s`"),
        (["--limit", "0s"], "is not a time"),
    ] {
        call(&here, &[&["compare"], &args[..]].concat()).refused(2, &[says]);
    }
    assert!(!here.join("out").exists(), "what is refused leaves nothing behind");
    let listed = call(&here, &["list", "scenarios"]).good().out;
    assert!(listed.lines().any(|line| line.starts_with("plr-single ") && line.contains("(plr)")), "{listed}");
}
