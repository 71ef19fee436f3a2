//! Every file in `tests/errors` is wrong, and what it is told stands beside it as text. `WEIR_BLESS=1` rewrites the
//! texts; read them before you commit them, as a stranger would. A first line `# --set path=value` is an override,
//! and a first line `# --full` or `# --quick` asks for that edition.

use std::path::{Path, PathBuf};
use weir_scenario::{Edition, NoFiles, Override, Study};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    files.sort();
    files
}

fn told(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let overrides: Vec<Override> =
        text.lines().map_while(|line| line.strip_prefix("# --set ")).map(Override::new).collect();
    let name = path.file_name().unwrap().to_str().unwrap();
    let edition = match text.lines().next() {
        Some("# --full") => Edition::Full,
        Some("# --quick") => Edition::Quick,
        _ => Edition::Ordinary,
    };
    match Study::parse_edition(name, &text, edition, &overrides, &NoFiles) {
        Ok(_) => panic!("{name} is found right"),
        Err(problems) => format!("{problems}\n"),
    }
}

#[test]
fn mistakes_are_told_as_they_always_were() {
    let bless = std::env::var_os("WEIR_BLESS").is_some();
    let mut changed = Vec::new();
    for path in files() {
        let (told, expected) = (told(&path), path.with_extension("txt"));
        if bless {
            std::fs::write(&expected, &told).unwrap();
        } else if std::fs::read_to_string(&expected).ok().as_deref() != Some(&told) {
            changed.push(format!("{}\n{told}", path.display()));
        }
    }
    assert!(changed.is_empty(), "changed, or new; WEIR_BLESS=1 accepts:\n{}", changed.join("\n"));
}
