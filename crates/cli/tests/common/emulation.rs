//! Whether networks can be emulated here, and what emulated runs have written.

use std::path::Path;
use std::process::Command;

/// True for root with network namespaces and tunnel devices; prints why not.
pub fn possible() -> bool {
    let root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    let possible = root && Command::new("unshare").args(["-n", "true"]).status().is_ok_and(|status| status.success());
    let tun = std::fs::OpenOptions::new().read(true).write(true).open("/dev/net/tun");
    let possible = possible && tun.is_ok();
    if !possible {
        eprintln!("skipped: networks cannot be emulated here (that takes root, namespaces and /dev/net/tun)");
    }
    possible
}

/// The rows of a table, the header first.
fn rows(table: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(table).unwrap_or_else(|e| panic!("{}: {e}", table.display()));
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// The columns that some row has something in.
pub fn filled(table: &Path) -> Vec<String> {
    let rows = rows(table);
    let some = |place: &usize| rows[1..].iter().any(|row| row.get(*place).is_some_and(|cell| !cell.is_empty()));
    (0..rows[0].len()).filter(some).map(|place| rows[0][place].clone()).collect()
}

/// A column of the first row of a table.
#[track_caller]
pub fn number(table: &Path, column: &str) -> f64 {
    at(&rows(table), 1, column)
}

/// A column of the row that has this word in another one.
#[track_caller]
pub fn row(table: &Path, key: &str, word: &str, column: &str) -> f64 {
    let rows = rows(table);
    let place = rows[0].iter().position(|name| name == key).unwrap_or_else(|| panic!("{key} in {:?}", rows[0]));
    let found = rows.iter().position(|row| row[place] == word).unwrap_or_else(|| panic!("{word} in {rows:?}"));
    at(&rows, found, column)
}

#[track_caller]
fn at(rows: &[Vec<String>], row: usize, column: &str) -> f64 {
    let place = rows[0].iter().position(|name| name == column).unwrap_or_else(|| panic!("{column} in {:?}", rows[0]));
    rows[row][place].parse().unwrap_or_else(|e| panic!("{column}: {e}"))
}
