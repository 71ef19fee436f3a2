//! `docs/results.md` describes the columns that tables have. `WEIR_BLESS=1` rewrites them.

use std::path::Path;
use weir_lab::columns;
use weir_results::table::describe;
use weir_scenario::Study;

const STUDY: &str = r#"
[topology]
linear = { routers = 1, rate = "20Mbps", delay = "10ms" }

[[workload]]
fetch = { size = "5MB" }

[[vary]]
name = "scheme"
set = "scheme"
values = ["icp", "cubic"]
"#;

#[test]
fn the_columns_of_all_tables_are_described() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let study = Study::parse("study.toml", STUDY, &[]).unwrap();
    let tables: String =
        columns(&study).iter().map(|(name, columns)| format!("\n### {name}\n\n{}", describe(columns))).collect();
    let (before, rest) = page.split_once("<!-- columns -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- end -->").unwrap();
    let new = format!("{before}<!-- columns -->\n{tables}\n<!-- end -->{after}");
    if std::env::var_os("WEIR_BLESS").is_some() {
        std::fs::write(path, new).unwrap();
    } else {
        assert!(new == page, "the columns in docs/results.md are old; WEIR_BLESS=1 rewrites them");
    }
}

#[test]
fn every_column_says_what_it_holds() {
    let study = Study::parse("study.toml", STUDY, &[]).unwrap();
    for (table, columns) in columns(&study) {
        for (i, column) in columns.iter().enumerate() {
            assert!(column.about.starts_with(char::is_uppercase), "{table}: {column:?}");
            assert!(columns[..i].iter().all(|c| c.name != column.name), "{table} has two columns {}", column.name);
        }
    }
}
