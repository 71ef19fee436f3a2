//! What the tests of the watchers share.
#![allow(dead_code, reason = "every test takes what it needs")]

use std::path::{Path, PathBuf};
use weir_scenario::Study;
use weir_scenario::plan::Scenario;

/// Two consumers of one content over a lossy bottleneck with PLR and marks, caches, and a PIT that is too small: most
/// things that can happen to a packet happen.
pub const BUSY: &str = include_str!("../../../sim/tests/common/busy.toml");

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
