//! Calls of the `weir` program.
#![allow(dead_code, reason = "every test takes what it needs")]

pub mod emulation;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// An empty folder of the test called `test`.
pub fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("weir-{test}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    folder
}

/// The program, to be called in `folder`.
pub fn weir(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_weir"));
    command.current_dir(folder).env_remove("COLUMNS");
    command
}

/// What a call has left.
#[derive(Debug)]
pub struct Called {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Called {
    pub fn new(output: Output) -> Called {
        let text = |bytes| String::from_utf8(bytes).expect("text in UTF-8");
        Called { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Fails unless the call went well and said nothing but its result.
    #[track_caller]
    pub fn good(self) -> Called {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "{self:?}");
        self
    }

    /// Fails unless the call was refused with this code, an error that holds `words`, and no result.
    #[track_caller]
    pub fn refused(self, code: i32, words: &[&str]) -> Called {
        assert_eq!(self.code, code, "{self:?}");
        assert!(self.err.starts_with("error"), "{self:?}");
        assert!(words.iter().all(|word| self.err.contains(word)), "{words:?} in\n{}", self.err);
        self
    }
}

/// Calls the program in `folder`.
pub fn call(folder: &Path, args: &[&str]) -> Called {
    Called::new(weir(folder).args(args).output().expect("the program starts"))
}

/// Writes a scenario that runs for some milliseconds; `more` is added to it.
pub fn write_scenario(folder: &Path, name: &str, more: &str) {
    let text = format!(
        r#"title = "A small study"

[topology]
linear = {{ routers = 1, rate = "10Mbps", delay = "5ms", queue = "10p" }}

[[workload]]
fetch = {{ segments = 500, start = "0s..10ms" }}

[run]
seeds = "1..2"
{more}"#
    );
    std::fs::write(folder.join(name), text).expect("the scenario can be written");
}

/// Rows of a CSV file without quoted fields, the header first.
pub fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| line.split(',').map(String::from).collect()).collect()
}

/// A column of a CSV file.
pub fn column(path: &Path, name: &str) -> Vec<String> {
    let rows = rows(path);
    let place = rows[0].iter().position(|c| c == name).unwrap_or_else(|| panic!("no column {name}"));
    rows[1..].iter().map(|row| row[place].clone()).collect()
}
