//! `weir new scheme` writes what passes at once: formatting, lints, its own tests, those that every plug-in must pass, and
//! those of pages. It is called in a copy of the sources.

mod common;

use common::{Called, folder, weir};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is copied.
const SOURCES: [&str; 8] =
    ["Cargo.toml", "Cargo.lock", "clippy.toml", "rustfmt.toml", "crates/schemes", "crates/core", "crates/wire", "docs"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

/// Copies a file or a folder; what is the same already is left, so that nothing is built for no reason.
fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        std::fs::create_dir_all(to).expect("a folder");
        let names = |folder: &Path| -> Vec<_> {
            std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect()
        };
        let wanted = names(from);
        for name in names(to).into_iter().filter(|name| !wanted.contains(name)) {
            let gone = to.join(name);
            let removed = if gone.is_dir() { std::fs::remove_dir_all(&gone) } else { std::fs::remove_file(&gone) };
            removed.expect("what is left of an earlier run can be removed");
        }
        return wanted.iter().for_each(|name| copy(&from.join(name), &to.join(name)));
    }
    let text = std::fs::read(from).expect("a file");
    if std::fs::read(to).ok().as_ref() != Some(&text) {
        std::fs::write(to, text).expect("a copy");
    }
}

/// A copy of the sources, with a workspace of just the crates that schemes need.
fn sources(test: &str) -> PathBuf {
    let copied = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("sources-{test}"));
    std::fs::create_dir_all(copied.join("crates")).expect("a folder");
    for path in SOURCES {
        copy(&root().join(path), &copied.join(path));
    }
    let workspace = copied.join("Cargo.toml");
    let text = std::fs::read_to_string(&workspace).expect("a workspace");
    let text: String =
        text.lines().filter(|line| !line.starts_with("default-members")).map(|l| format!("{l}\n")).collect();
    std::fs::write(&workspace, text).expect("a workspace");
    copied
}

fn new(sources: &Path, args: &[&str]) -> Called {
    // From a folder below, as one would.
    let below = sources.join("crates/schemes/src");
    Called::new(weir(&below).args(["new", "scheme"]).args(args).output().expect("the program starts"))
}

/// Calls cargo in the copy. It has a target folder of its own: in that of this workspace cargo would take the crates of
/// the copy for those of the workspace, since it tells them apart by their places in their workspaces.
fn cargo(sources: &Path, args: &[&str]) {
    let target = sources.join("target");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(sources).args(args).env("CARGO_TARGET_DIR", target).env_remove("RUSTFLAGS");
    let output = cargo.output().expect("cargo starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "cargo {args:?}\n{}\n{}", text(&output.stdout), text(&output.stderr));
    if args[0] == "test" && args.contains(&"--lib") {
        assert!(!text(&output.stdout).contains(" 0 passed"), "no test of its own was run");
    }
}

/// Everything that a plug-in of one kind must pass.
fn passes(sources: &Path, kind: &str, tests: &[&str]) {
    let name = format!("probe-{kind}");
    let called = new(sources, &[&name, "--kind", kind]).good();
    assert!(!called.out.contains("to do"), "{}", called.out);
    let module = format!("probe_{kind}");
    cargo(sources, &["fmt", "--package", "weir-schemes", "--check"]);
    cargo(sources, &["test", "--offline", "--package", "weir-schemes", "--lib", &module]);
    let mut all = vec!["test", "--offline", "--package", "weir-schemes"];
    tests.iter().for_each(|test| all.extend(["--test", test]));
    cargo(sources, &all);
}

#[test]
fn a_new_control_passes_at_once() {
    passes(&sources("control"), "control", &["controls_conformance", "controls_pages"]);
}

#[test]
#[ignore = "compiles the sources once more: `make test-new`, part of `make test`"]
fn new_plug_ins_of_every_kind_pass_at_once() {
    let sources = sources("all");
    for kind in ["control", "timeout", "queue", "strategy", "recovery", "monitor"] {
        let all = [
            "controls_conformance",
            "controls_pages",
            "queues_conformance",
            "strategies_conformance",
            "strategies",
            "queues",
        ];
        let tests = match kind {
            "control" | "timeout" | "monitor" => &all[..2],
            "queue" | "recovery" => &all[2..3],
            _ => &all[3..5],
        };
        passes(&sources, kind, tests);
    }
    cargo(&sources, &["clippy", "--offline", "--package", "weir-schemes", "--all-targets", "--", "-D", "warnings"]);
}

/// A checkout without anything that could be built.
fn bare(test: &str) -> PathBuf {
    let bare = folder(test);
    for path in
        ["crates/schemes/src/registry.rs", "crates/schemes/src/controls/mod.rs", "crates/schemes/src/controls/aimd.rs"]
    {
        let to = bare.join(path);
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        std::fs::copy(root().join(path), to).expect("a copy");
    }
    std::fs::create_dir_all(bare.join("docs/schemes")).expect("a folder");
    bare
}

#[test]
fn outside_of_a_checkout_nothing_is_written() {
    let outside = std::env::temp_dir();
    let output = weir(&outside).args(["new", "scheme", "probe"]).output().expect("the program starts");
    Called::new(output).refused(2, &["not inside a checkout", "crates/schemes/src/registry.rs"]);
}

#[test]
fn names_that_are_taken_or_wrong_are_refused() {
    let bare = bare("new-names");
    new(&bare, &["aimd"]).refused(2, &["there is a control `aimd` already", "controls/aimd.rs"]);
    new(&bare, &["cubic"]).refused(2, &["there is a control `cubic` already", "weir show cubic"]);
    new(&bare, &["MyControl"]).refused(2, &["try `my-control`"]);
    new(&bare, &["loop"]).refused(2, &["try `loop-law`"]);
    new(&bare, &["probe", "--kind", "contol"]).refused(2, &["control"]);
    assert!(!bare.join("crates/schemes/src/controls/my_control.rs").exists());
}

#[test]
fn a_registry_that_looks_otherwise_is_left_to_its_owner() {
    let bare = bare("new-registry");
    let registry = bare.join("crates/schemes/src/registry.rs");
    let text = "pub static CONTROLS: &[Entry<X>] = entries!(aimd);\n";
    std::fs::write(&registry, text).expect("a registry");
    let out = new(&bare, &["probe"]).good().out;
    assert!(out.contains("to do    add `controls::probe::ENTRY` in the list `CONTROLS`"), "{out}");
    assert_eq!(std::fs::read_to_string(&registry).expect("a registry"), text);
    assert!(bare.join("docs/schemes/control-probe.md").exists());
}

#[test]
fn what_cannot_be_written_leaves_nothing_behind() {
    let bare = bare("new-undone");
    std::fs::remove_dir(bare.join("docs/schemes")).expect("a folder");
    new(&bare, &["probe"]).refused(1, &["control-probe.md", "cannot be written"]);
    assert!(!bare.join("crates/schemes/src/controls/probe.rs").exists());
}
