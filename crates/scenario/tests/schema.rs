//! The JSON Schema of scenario files: what is right validates, what is wrong in itself does not.

use jsonschema::Validator;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Mistakes that show only when all of a file is put together.
const BEYOND_A_SCHEMA: &[&str] = &[
    // What exists, what is there twice, and what never ends.
    "endless-happening",
    "endless-requests",
    "never-started",
    "duplicate-labels",
    "missing-node",
    "packets-and-queues",
    "frames-too-few",
    "routes-to-nowhere",
    "same-content-twice",
    "unreachable-producer",
    // Measures and axes are languages of their own.
    "ambiguous-label",
    "open-axis",
    "types-of-measures",
    "unknown-axis-in-a-claim",
    "unknown-metric",
    "wrong-selectors",
    // What an axis, `--set` or an edition makes of a file.
    "edition-mistakes",
    "edition-of-nothing",
    "edition-without-effect",
    "generators-of-networks",
    "mistake-in-one-point",
    "routing-kinds",
    "set-bad-path",
    "set-bad-value",
    "set-without-effect",
    // Settings without a name: for which part they are depends on the bundle.
    "setting-of-another-part",
    "settings-without-a-part",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn validator() -> Validator {
    jsonschema::draft202012::new(&weir_scenario::schema()).unwrap()
}

/// TOML as JSON; `None` if it is no TOML.
fn json(text: &str) -> Option<Value> {
    toml::from_str(text).ok()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

fn check(validator: &Validator, what: &str, text: &str) {
    let value = json(text).unwrap_or_else(|| panic!("{what} is no TOML"));
    let problems: Vec<String> =
        validator.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(problems.is_empty(), "{what}:\n{}", problems.join("\n"));
}

#[test]
fn it_is_a_schema() {
    jsonschema::meta::validate(&weir_scenario::schema()).unwrap();
}

#[test]
fn examples_and_papers_validate() {
    let validator = validator();
    let papers = files(&root().join("papers")).into_iter().filter(|path| path.is_dir());
    let folders = papers.chain([root().join("examples")]);
    let studies: Vec<PathBuf> = folders.flat_map(|folder| files(&folder)).filter(|path| is_toml(path)).collect();
    assert!(studies.len() > 6, "only {} studies", studies.len());
    for path in studies {
        check(&validator, &path.display().to_string(), &std::fs::read_to_string(&path).unwrap());
    }
}

#[test]
fn the_examples_of_the_pages_validate() {
    let validator = validator();
    for page in ["docs/scenarios.md", "docs/tutorial-first-scenario.md"] {
        let text = std::fs::read_to_string(root().join(page)).unwrap();
        let blocks = text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
        // Sections are shown one at a time: an axis says that more may come from elsewhere.
        let axis = "\n[[vary]]\nname = \"any\"\nset = \"run.seeds\"\nvalues = [1]\n";
        for block in blocks {
            check(&validator, page, &format!("{block}{}", if block.contains("[[vary]]") { "" } else { axis }));
        }
    }
}

#[test]
fn what_is_wrong_in_itself_is_refused() {
    let validator = validator();
    let fixtures = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors"));
    let mut accepted: Vec<String> = vec![];
    for path in fixtures.iter().filter(|path| is_toml(path)) {
        let valid = json(&std::fs::read_to_string(path).unwrap()).is_some_and(|value| validator.is_valid(&value));
        if valid {
            accepted.push(path.file_stem().unwrap().to_str().unwrap().into());
        }
    }
    let mut beyond = BEYOND_A_SCHEMA.to_vec();
    beyond.sort_unstable();
    assert_eq!(accepted, beyond, "those that the schema accepts, and those that it may");
}
