//! Builds the documentation as a book and checks every link in it.
//!
//! The pages stay as they are, readable in a checkout: they are copied in the layout of the repository, with a table of
//! contents made from them, and rendered by mdBook. What they link to is copied, too; a folder becomes a list of its pages.

mod check;
mod contents;
mod stage;

use mdbook_driver::MDBook;
use mdbook_driver::config::Config;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// How the book looks. Pages lie where they lie in the repository.
const CONFIG: &str = r#"
[book]
title = "Weir"
description = "A simulator of congestion control in Named Data Networking"
language = "en"
src = "src"

[build]
build-dir = "html"
create-missing = false

[output.html]
preferred-dark-theme = "navy"
no-section-label = true

[output.html.fold]
enable = true
level = 1

[output.html.print]
enable = false

[output.html.search]
limit-results = 20
heading-split-level = 3
"#;

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [root, out] = arguments.as_slice() else {
        eprintln!("error: usage: weir-book REPOSITORY FOLDER");
        return ExitCode::from(2);
    };
    match book(root, out) {
        Ok(summary) => {
            println!("{summary}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Builds the book of the repository at `root` in the folder `out`, whose `html` then holds it.
fn book(root: &Path, out: &Path) -> Result<String, String> {
    let source = out.join("src");
    let pages = stage::pages(root)?;
    stage::stage(root, &source, &pages)?;
    let config: Config = CONFIG.parse().map_err(|error| format!("the configuration of the book: {error:#}"))?;
    let html = out.join("html");
    let book = MDBook::load_with_config(out, config).map_err(|error| format!("{error:#}"))?;
    book.build().map_err(|error| format!("{error:#}"))?;
    let checked = check::check(&html)?;
    let has_search = |name: std::ffi::OsString| name.to_string_lossy().starts_with("searchindex");
    let files = std::fs::read_dir(&html).map_err(|error| format!("`{}`: {error}", html.display()))?;
    if !files.flatten().any(|entry| has_search(entry.file_name())) {
        return Err("mdBook made no index for the search: is its feature `search` on?".into());
    }
    Ok(format!(
        "{} pages, {} links in them, all of which lead somewhere: {}",
        pages.len(),
        checked,
        html.join("index.html").display()
    ))
}
