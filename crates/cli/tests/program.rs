//! The program as a user meets it: exit codes, hints, silence, the shape of the score, and stopping.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn weir(args: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Command::new(env!("CARGO_BIN_EXE_weir")).current_dir(root).args(args).output().expect("weir starts")
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("program-{name}"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[track_caller]
fn fails(args: &[&str], code: i32, says: &str) {
    let run = weir(args);
    let message = text(&run.stderr);
    assert_eq!(run.status.code(), Some(code), "{args:?}: {message}");
    assert!(message.contains(says), "{args:?} does not say {says:?}: {message}");
}

#[test]
fn wrong_input_ends_with_2_and_the_nearest_right_word() {
    fails(&["reproduce", "prl"], 2, "did you mean `plr`?");
    fails(&["reproduce", "plr", "--claim", "P-99"], 2, "did you mean `P-");
    fails(&["show", "cubik"], 2, "did you mean `cubic`?");
    fails(&["run", "no-such-file.toml"], 2, "cannot be read");
    fails(&["check", "examples/bursts.toml", "--set", "scheme.recovry=plr"], 2, "did you mean `recovery`?");
    fails(&["run", "examples/bursts.toml", "--scheme", "cubci"], 2, "cubic");
    fails(&["run", "examples/bursts.toml", "--seeds", "one"], 2, "--seeds");
    fails(&["list", "schmes"], 2, "schemes");
}

#[test]
fn a_folder_that_cannot_be_written_ends_with_1() {
    let file = folder("a-file");
    std::fs::write(&file, "in the way").expect("a file");
    let out = file.join("below").display().to_string();
    fails(&["run", "examples/single-path-window.toml", "--quiet", "--out", &out], 1, "a-file");
}

#[test]
fn quiet_prints_nothing_and_writes_everything() {
    let out = folder("quiet");
    let run = weir(&["run", "examples/single-path-window.toml", "--quiet", "--out", out.to_str().expect("UTF-8")]);
    assert!(run.status.success() && run.stdout.is_empty() && run.stderr.is_empty(), "{run:?}");
    for file in ["runs.csv", "flows.csv", "links.csv", "nodes.csv", "series.csv", "columns.md", "fig-window.svg"] {
        assert!(out.join(file).exists(), "{file}");
    }
}

#[test]
fn progress_is_for_terminals() {
    let out = folder("progress");
    let run = weir(&["reproduce", "plr", "--claim", "P-12", "--seeds", "1", "--out", out.to_str().expect("UTF-8")]);
    assert!(run.status.success() && run.stderr.is_empty(), "{}", text(&run.stderr));
}

#[test]
fn several_schemes_are_an_axis() {
    let out = folder("schemes");
    std::fs::create_dir_all(&out).expect("a folder");
    let file = out.join("two.toml");
    let topology = "dumbbell = { flows = 1, bottleneck = \"10Mbps\", delay = \"5ms\", queue = \"20p\" }";
    let text_of = format!("[topology]\n{topology}\n[[workload]]\nfetch = {{ size = \"100kB\" }}\n");
    std::fs::write(&file, text_of).expect("a scenario");
    let (file, out) = (file.display().to_string(), out.display().to_string());
    let run = weir(&["run", &file, "--scheme", "icp,cubic", "--out", &out]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let rows = std::fs::read_to_string(Path::new(&out).join("runs.csv")).expect("runs.csv");
    let labels: Vec<&str> = rows.lines().map(|row| row.split(',').next().unwrap_or_default()).collect();
    assert_eq!(labels, ["scheme", "icp", "cubic"]);
}

#[test]
fn the_score_has_the_documented_shape() {
    let out = folder("score");
    let args = ["reproduce", "plr", "--claim", "P-12", "--claim", "P-17", "--seeds", "1", "--json", "-", "--out"];
    let run = weir(&[&args[..], &[out.to_str().expect("UTF-8")]].concat());
    let score: Value = serde_json::from_slice(&run.stdout).expect("JSON alone on standard output");
    assert_eq!(score["paper"], "plr");
    let claims = score["claims"].as_array().expect("claims");
    let keys = ["id", "says", "where", "expected", "measured", "tolerance", "verdict", "why"];
    for claim in claims {
        let found: Vec<&String> = claim.as_object().expect("an object").keys().collect();
        assert!(found.len() == keys.len() && keys.iter().all(|k| claim.get(k).is_some()), "{found:?}");
        assert!(["reproduced", "partly", "not"].contains(&claim["verdict"].as_str().unwrap_or_default()));
    }
    let count = |verdict: &str| claims.iter().filter(|c| c["verdict"] == verdict).count();
    let summary = &score["summary"];
    assert_eq!(summary["claims"], claims.len());
    assert_eq!(summary["reproduced"], count("reproduced"));
    assert!(claims[0]["measured"].is_number() && claims[1]["measured"]["consumer0"].is_boolean());
}

/// A run of many seeds is interrupted: what is finished is written, and the program says so with 130.
#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_is_finished() {
    let out = folder("interrupt");
    let mut child = Command::new(env!("CARGO_BIN_EXE_weir"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .args(["run", "examples/single-path-window.toml", "--seeds", "1..20000", "--quiet", "--out"])
        .arg(&out)
        .spawn()
        .expect("weir starts");
    std::thread::sleep(std::time::Duration::from_secs(3));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let rows = std::fs::read_to_string(out.join("runs.csv")).expect("finished runs are kept").lines().count();
    assert!(rows > 1 && rows < 40_000, "{rows} rows");
}
