//! What every line of a registry must do.

use weir_core::{Entry, ParameterError, ParameterSpec, Settings, Site, Value};

const HEADINGS: [&str; 6] = [
    "## Idea in five sentences",
    "## Signals and state",
    "## Parameters",
    "## Deviations and why",
    "## Figures reproduced",
    "## Limits",
];

/// Builds with its defaults, refuses what it does not know and names the nearest, and has a page that agrees with the code.
pub fn check_entry<B>(entry: &Entry<B>) {
    println!("{}", entry.name);
    let specs = (entry.parameters)();
    assert!((entry.build)(&Settings::new(), &Site::default()).is_ok());
    let fail = |name: &str, value| (entry.build)(&vec![(name.into(), value)], &Site::default()).err().unwrap();
    assert!(fail("no-such-thing-anywhere", Value::Bool(true)).unknown);
    for ParameterSpec { name, .. } in &specs {
        let ParameterError { message, unknown, .. } = fail(&format!("{name}x"), Value::Bool(true));
        assert!(unknown && message.contains(&format!("{name:?}")), "{message}");
        assert!(!fail(name, Value::Text("nonsense".into())).unknown);
    }
    assert!(!entry.summary.is_empty() && !entry.summary.ends_with('.'), "{}", entry.summary);
    check_page(entry.name, entry.page, &specs);
}

fn check_page(name: &str, page: &str, specs: &[ParameterSpec]) {
    assert_eq!(page.lines().next(), Some(format!("# {name}").as_str()));
    let headings: Vec<&str> = page.lines().filter(|line| line.starts_with("##")).collect();
    assert_eq!(headings, HEADINGS);
    let row = |s: &ParameterSpec| format!("| `{}` | `{}` | {} | {} |", s.name, s.default, s.about, s.source);
    let expected: Vec<String> = specs.iter().map(row).collect();
    let table: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(table, expected, "the table of {name} should read:\n{}\n", expected.join("\n"));
    for section in page.split("\n## ").skip(1) {
        assert!(section.lines().skip(1).any(|line| !line.is_empty()), "nothing stands under {section}");
    }
}
