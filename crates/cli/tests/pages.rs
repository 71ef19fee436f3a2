//! The pages tell the truth: links lead somewhere, and tests and files that are named exist.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

/// Files below `folder` with this ending.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|e| e == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Pages of the whole project: those at the top, and those in the folders of documents.
fn pages() -> Vec<PathBuf> {
    let at_top = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name));
    let folders = ["docs", "papers"].map(|name| files(&root().join(name), "md"));
    at_top.into_iter().chain(folders.into_iter().flatten()).collect()
}

/// What stands between two marks, wherever they are.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    text.split(open).skip(1).filter_map(|rest| rest.split_once(close).map(|(inside, _)| inside)).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = read(&page);
        let images = between(&text, "src=\"", "\"");
        for target in between(&text, "](", ")").into_iter().chain(images) {
            let file = target.split('#').next().unwrap_or_default();
            let elsewhere = target.contains("://") || file.is_empty() || file.contains(' ');
            if !elsewhere && !page.parent().expect("a folder").join(file).exists() {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// What stands in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// A path into a crate, such as `sim/tests/links.rs`; a star stands for any letters.
fn is_file_of_a_crate(word: &str) -> bool {
    word.ends_with(".rs") && (word.contains("/src/") || word.contains("/tests/")) && !word.contains('*')
}

/// The name of a test: a sentence of words.
fn is_test(word: &str) -> bool {
    word.matches('_').count() >= 3 && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

#[test]
fn tests_and_files_that_pages_name_exist() {
    let crates = root().join("crates");
    let code: String = files(&crates, "rs").iter().map(|path| read(path)).collect();
    let lints = read(&root().join("Cargo.toml"));
    for name in ["architecture.md", "testing.md"] {
        let text = read(&root().join("docs").join(name));
        let files: Vec<&str> = quoted(&text).filter(|word| is_file_of_a_crate(word)).collect();
        let tests = quoted(&text).filter(|word| is_test(word) && !lints.contains(word));
        assert!(files.len() > 10, "docs/{name} names hardly any file: is it read rightly?");
        for file in files {
            let path = file.strip_prefix("crates/").unwrap_or(file);
            assert!(crates.join(path).exists(), "docs/{name} names `{file}`, which does not exist");
        }
        for test in tests {
            assert!(code.contains(&format!("fn {test}(")), "docs/{name} names `{test}`, which does not exist");
        }
    }
}

#[test]
fn the_page_of_the_comparison_names_only_what_exists() {
    let schemes: Vec<&str> = weir_schemes::bundles::BUNDLES.iter().map(|b| b.name).collect();
    let recoveries: Vec<&str> = weir_schemes::registry::RECOVERIES.iter().map(|r| r.name).collect();
    let studies = files(&root().join("papers"), "toml")
        .into_iter()
        .map(|file| weir_scenario::Study::load(&file, &[]).unwrap_or_else(|problems| panic!("{problems}")));
    let networks: Vec<String> = studies.flat_map(|study| study.arenas).map(|arena| arena.name).collect();
    let page = read(&root().join("docs/which-scheme.md"));
    let exists = |word: &str| {
        let (scheme, recovery) = word.split_once('+').map_or((word, None), |(s, r)| (s, Some(r)));
        networks.iter().any(|n| n == word)
            || schemes.contains(&scheme) && recovery.is_none_or(|r| recoveries.contains(&r))
    };
    let named: Vec<&str> = quoted(&page).filter(|word| !word.contains(' ')).collect();
    assert!(named.len() > 50, "only {} names", named.len());
    let unknown: Vec<&&str> = named.iter().filter(|word| !exists(word)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
