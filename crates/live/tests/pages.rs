//! The operator's page and the reader of configurations agree.

use std::path::Path;
use weir_live::forward::Config;

const PAGE: &str = include_str!("../../../docs/live.md");

/// The keys that the reader expects in a table, as its error lists them.
fn keys(table: &str) -> Vec<String> {
    let text = format!("{table}\nno-such-key = 1\n");
    let error = Config::parse(&text, Path::new("x")).unwrap_err();
    let (_, listed) =
        error.split_once("expected one of ").or(error.split_once("expected ")).unwrap_or_else(|| panic!("{error}"));
    listed.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_key_is_on_the_page() {
    let uri = "uri = \"udp4://10.0.0.1\"";
    let tables = [
        ("[tables]", "[tables]".to_owned(), 3),
        ("[limits]", "[limits]".to_owned(), 5),
        ("[schemes]", "[schemes]".to_owned(), 7),
        ("[[listen]]", format!("[[listen]]\n{uri}"), 12),
        ("[[face]]", format!("[[face]]\n{uri}"), 14),
        ("[[strategy]]", "[[strategy]]\nprefix = \"/\"\nstrategy = \"multicast\"".to_owned(), 2),
        ("[management]", "[management]".to_owned(), 5),
    ];
    let top = keys("");
    assert_eq!(top.len(), tables.len() + 1, "{top:?}");
    assert!(PAGE.contains("| (top) | `metrics`"));
    for (heading, table, count) in tables {
        let keys = keys(&table);
        assert_eq!(keys.len(), count, "{heading}: {keys:?}");
        let rows: Vec<&str> = rows_of(heading);
        for key in keys {
            let cell = format!("`{key}`");
            assert!(rows.iter().any(|row| row.contains(&cell)), "{heading} {key} is not on the page");
        }
    }
}

/// The rows of a table of the configuration: its own, and those below without a table's name.
fn rows_of(heading: &str) -> Vec<&'static str> {
    let mut lines = PAGE.lines().skip_while(|line| !line.starts_with(&format!("| `{heading}`")));
    let first = lines.next().unwrap_or_else(|| panic!("{heading} has no row"));
    let same = |line: &&str| line.starts_with("| |") || line.starts_with(&format!("| `{heading}`"));
    std::iter::once(first).chain(lines.take_while(same)).collect()
}

#[test]
fn the_example_of_the_page_is_read_and_defaults_are_those_of_the_page() {
    let example = PAGE.split("```toml").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let config = Config::parse(example, Path::new("live.md")).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((config.listen.len(), config.face.len(), config.strategy.len()), (2, 1, 1));
    let usual = Config::default();
    for (key, default) in [
        ("content-store", usual.tables.content_store.to_string()),
        ("pit", usual.tables.pit.to_string()),
        ("routes", usual.tables.routes.to_string()),
        ("faces", usual.limits.faces.to_string()),
        ("interest-rate", usual.limits.interest_rate.to_string()),
        ("pit-share", usual.limits.pit_share.to_string()),
        ("lifetime", format!("\"{}s\"", usual.limits.lifetime.seconds())),
        ("idle", format!("\"{}s\"", usual.limits.idle.seconds())),
        ("queue", format!("\"{}\"", usual.schemes.queue.name)),
        ("queue-packets", usual.schemes.queue_packets.to_string()),
        ("recovery", format!("\"{}\"", usual.schemes.recovery.name)),
        ("strategy", format!("\"{}\"", usual.schemes.strategy.name)),
        ("monitor", format!("\"{}\"", usual.schemes.monitor.name)),
        ("payload", format!("\"{}B\"", usual.schemes.payload.0)),
        ("localhop", usual.management.localhop.to_string()),
        ("unsigned", usual.management.unsigned.to_string()),
        ("replay-protection", usual.management.replay_protection.to_string()),
    ] {
        assert!(PAGE.contains(&format!("`{key}` | {default} |")), "{key} = {default} is not what the page says");
    }
}
