//! What the tests of the watchers share.
#![allow(dead_code, reason = "every test takes what it needs")]

use std::path::{Path, PathBuf};
use weir_scenario::Study;
use weir_scenario::plan::Scenario;

/// Two consumers of one content over a lossy bottleneck with PLR and marks, caches, and a PIT that is too small: most
/// things that can happen to a packet happen.
pub const BUSY: &str = r#"
[topology]
nodes = ["c1", "c2", "r1", "r2", "p"]
[[topology.link]]
between = ["c1", "r1"]
rate = "50Mbps"
delay = "1ms"
queue = "50p"
[[topology.link]]
between = ["c2", "r1"]
rate = "50Mbps"
delay = "3ms"
queue = "50p"
[[topology.link]]
between = ["r1", "r2"]
rate = "5Mbps"
delay = "5ms"
queue = "12p"
loss = 0.02
[[topology.link]]
between = ["r2", "p"]
rate = "50Mbps"
delay = "1ms"
queue = "50p"
[[workload]]
fetch = { consumer = "c1", producer = "p", name = "/video", segments = 600, label = "first" }
[[workload]]
fetch = { consumer = "c2", producer = "p", name = "/video", segments = 600, label = "second" }
[scheme]
name = "cubic"
queue = { name = "codel", action = "mark" }
recovery = "plr"
[tables]
cs = 20
pit = 30
"#;

/// The scenario of a file without axes.
pub fn scenario(text: &str) -> Scenario {
    let study = Study::parse("test.toml", text, &[]).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let [point] = study.points() else { panic!("the scenario has axes:\n{text}") };
    point.scenario.clone()
}

/// Fails unless `text` is what the golden file holds; with WEIR_BLESS set, the file is written anew.
#[track_caller]
pub fn assert_golden(name: &str, text: &str) {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("WEIR_BLESS").is_some() {
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(text, golden, "{name} has changed; `make bless` if it should have");
}
