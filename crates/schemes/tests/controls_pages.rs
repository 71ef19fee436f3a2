//! The doc pages of controls, timeouts and monitors: fixed headings, and a table that agrees with the code.

use weir_core::ParameterSpec;
use weir_schemes::registry::{CONTROLS, MONITORS, TIMEOUTS};

const HEADINGS: [&str; 6] = [
    "## Idea in five sentences",
    "## Signals and state",
    "## Parameters",
    "## Deviations and why",
    "## Figures reproduced",
    "## Limits",
];

/// The rows of the parameter table, as the page should show them.
fn rows(specs: &[ParameterSpec]) -> Vec<String> {
    specs.iter().map(|s| format!("| `{}` | `{}` | {} | {} |", s.name, s.default, s.about, s.source)).collect()
}

fn assert_page(name: &str, page: &str, specs: &[ParameterSpec]) {
    assert_eq!(page.lines().next(), Some(format!("# {name}").as_str()), "title of the page of {name}");
    let headings: Vec<&str> = page.lines().filter(|l| l.starts_with("## ")).collect();
    assert_eq!(headings, HEADINGS, "headings of the page of {name}");
    let table: Vec<&str> = page.lines().filter(|l| l.starts_with("| `")).collect();
    let expected = rows(specs);
    assert_eq!(table, expected, "the parameter table of {name} should read:\n{}\n", expected.join("\n"));
}

/// Every section has something to say.
fn assert_filled(name: &str, page: &str) {
    for section in page.split("\n## ").skip(1) {
        let (heading, text) = section.split_once('\n').unwrap_or((section, ""));
        assert!(text.trim().len() > 10, "{name}: nothing under {heading:?}");
    }
}

#[test]
fn controls_are_documented() {
    for entry in CONTROLS {
        assert_page(entry.name, entry.page, &(entry.parameters)());
        assert_filled(entry.name, entry.page);
    }
}

#[test]
fn timeouts_are_documented() {
    for entry in TIMEOUTS {
        assert_page(entry.name, entry.page, &(entry.parameters)());
        assert_filled(entry.name, entry.page);
    }
}

#[test]
fn monitors_are_documented() {
    for entry in MONITORS {
        assert_page(entry.name, entry.page, &(entry.parameters)());
        assert_filled(entry.name, entry.page);
    }
}
