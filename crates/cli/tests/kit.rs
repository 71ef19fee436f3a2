//! `weir schema`, `weir completions` and `weir man`

mod common;

use common::{call, folder};
use serde_json::Value;
use std::process::Command;

#[test]
fn the_schema_is_printed_as_json() {
    let out = call(&folder("schema"), &["schema"]).good().out;
    let schema: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["properties"]["run"]["properties"]["seeds"]["$ref"], "#/$defs/seeds");
}

#[test]
fn every_shell_gets_a_script_with_the_names_of_schemes() {
    let folder = folder("completions");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = call(&folder, &["completions", shell]).good().out;
        assert!(script.contains("reproduce"), "{shell}");
        // Elvish and PowerShell scripts complete words and flags, not values.
        let values = !["powershell", "elvish"].contains(&shell);
        assert!(!values || script.contains("fixed-window"), "{shell}");
    }
    call(&folder, &["completions", "cmd"]).refused(2, &["bash", "elvish"]);
}

/// What bash offers for a line whose last word is being written.
fn completed(script: &std::path::Path, words: &[&str]) -> Vec<String> {
    let line: String = words.iter().map(|word| format!("'{word}' ")).collect();
    let last = words.len() - 1;
    let ask = format!(
        "source '{}'; COMP_WORDS=({line}); COMP_CWORD={last}; f=$(complete -p weir | sed 's/.*-F \\([^ ]*\\).*/\\1/'); \
         $f weir \"${{COMP_WORDS[{last}]}}\" \"${{COMP_WORDS[{last}-1]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script.display()
    );
    let output = Command::new("bash").args(["--norc", "-c", &ask]).output().expect("bash starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(String::from).collect()
}

#[test]
fn bash_completes_commands_options_and_names() {
    let folder = folder("bash");
    let script = folder.join("weir.bash");
    std::fs::write(&script, call(&folder, &["completions", "bash"]).good().out).expect("a script");
    assert_eq!(completed(&script, &["weir", "repr"]), ["reproduce"]);
    assert_eq!(completed(&script, &["weir", "reproduce", "pl"]), ["plr"]);
    assert_eq!(completed(&script, &["weir", "show", "fixed-w"]), ["fixed-window"]);
    assert_eq!(completed(&script, &["weir", "run", "--scheme", "cub"]), ["cubic"]);
    assert_eq!(completed(&script, &["weir", "list", "recov"]), ["recoveries"]);
    assert_eq!(completed(&script, &["weir", "new", "scheme", "a", "--kind", "str"]), ["strategy"]);
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = folder("man");
    call(&folder, &["man", "pages/man1"]).good();
    let page = |name: &str| std::fs::read_to_string(folder.join("pages/man1").join(name)).expect(name);
    assert!(page("weir.1").contains("Named Data Networking"));
    assert!(page("weir-run.1").contains("\\-\\-seeds"));
    assert!(page("weir-new-scheme.1").contains("\\-\\-kind"));
    std::fs::write(folder.join("file"), "").expect("a file");
    call(&folder, &["man", "file/below"]).refused(1, &["file/below", "cannot be written"]);
}
