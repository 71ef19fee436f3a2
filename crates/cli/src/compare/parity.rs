//! `weir compare simulated emulated`: the same runs in the simulator and with real programs, side by side.

mod report;

use crate::args::CompareArgs;
use crate::output::{print, width};
use crate::progress::stopped;
use crate::run::{chosen_seeds, execute};
use crate::{Failure, emulate, files};
use report::Rows;
use std::path::{Path, PathBuf};
use weir_core::nearest;
use weir_emulate::LinkKind;
use weir_lab::Seeds;
use weir_results::files::write_atomic;
use weir_scenario::{Folder, Study};
use weir_schemes::bundles::{self, BUNDLES};

/// The network of a comparison that names none.
const DUMBBELL: &str = include_str!("../../../../examples/parity.toml");
const DUMBBELL_FILE: &str = "examples/parity.toml";

/// Runs of each scheme on each side.
const REPETITIONS: u32 = 5;

/// What can be compared.
const SIDES: [&str; 2] = ["simulated", "emulated"];

/// Where a page wants the table.
const MARKS: [&str; 2] = ["<!-- parity -->\n", "<!-- end of parity -->\n"];

pub(super) fn parity(args: &CompareArgs) -> Result<(), Failure> {
    let file = scenario_of(&args.sides)?;
    let study = study(file.as_deref(), &args.schemes)?;
    let seeds = match chosen_seeds(&args.common)? {
        Some(seeds) => seeds,
        None => Seeds::These((1..=u64::from(args.repetitions.unwrap_or(REPETITIONS))).collect()),
    };
    let page = args.page.as_deref().map(Page::open).transpose()?;
    let folder = args.common.out.clone().unwrap_or_else(|| Path::new("out").join("parity"));
    files::prepare(&folder)?;
    let links = LinkKind::Tunnel;
    emulate::ready(links)?;
    let emulated = emulate::runs(study.clone(), Some(seeds.clone()), links, args.common.quiet)?;
    let simulated = execute(study, seeds, &args.common, "simulate", None)?;
    files::write_tables(&emulated, &args.common.tables, &folder.join("emulated"))?;
    files::write_tables(&simulated, &args.common.tables, &folder.join("simulated"))?;
    let rows = Rows::of(&simulated, &emulated);
    rows.table().write_csv(&folder.join("parity.csv")).map_err(|error| Failure::Other(error.to_string()))?;
    write_atomic(&folder.join("parity.md"), rows.markdown().as_bytes())?;
    if let Some(json) = &args.json {
        let text = rows.json().to_string() + "\n";
        if json == Path::new("-") { print(&text)? } else { write_atomic(json, text.as_bytes())? }
    }
    if let Some(page) = page.filter(|_| emulated.is_complete()) {
        page.write(&rows.markdown())?;
    }
    if !args.common.quiet && args.json.as_deref() != Some(Path::new("-")) {
        print(&format!(
            "{}parity.csv, parity.md and the tables of both sides are in {}\n",
            rows.drawn(width()),
            folder.display()
        ))?;
    }
    if stopped() && !emulated.is_complete() { Err(Failure::Stopped) } else { Ok(()) }
}

/// The file that follows the two sides.
fn scenario_of(words: &[String]) -> Result<Option<PathBuf>, Failure> {
    if let Some(word) = words.iter().take(2).find(|word| !SIDES.contains(&word.as_str())) {
        let hint = match nearest(word, SIDES) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`weir compare simulated emulated [SCENARIO]`; networks follow `--scenarios`".into(),
        };
        return Err(Failure::Input(format!("`{word}` is nothing that can be compared; {hint}")));
    }
    match words {
        [one, other, ..] if one == other => Err(Failure::Input(format!("`{one}` is named twice"))),
        [_, _, file] => Ok(Some(file.into())),
        [_, _] => Ok(None),
        _ => Err(Failure::Input(format!("say both: `weir compare {} [SCENARIO]`", SIDES.join(" ")))),
    }
}

/// The scenario with one more axis, its schemes.
fn study(file: Option<&Path>, schemes: &[String]) -> Result<Study, Failure> {
    let mut names: Vec<&str> = Vec::new();
    for name in schemes {
        let name = bundles::find(name).map_err(Failure::Input)?.name;
        if names.contains(&name) {
            return Err(Failure::Input(format!("the scheme `{name}` is named twice")));
        }
        names.push(name);
    }
    if names.is_empty() {
        names.extend(BUNDLES.iter().map(|bundle| bundle.name));
    }
    let (shown, text) = match file {
        None => (DUMBBELL_FILE.to_owned(), DUMBBELL.to_owned()),
        Some(file) => {
            let shown = file.display().to_string();
            let wrong = |error| Failure::Input(format!("`{shown}` cannot be read: {error}"));
            (shown.clone(), std::fs::read_to_string(file).map_err(wrong)?)
        }
    };
    let text = format!("{text}\n[[vary]]\nname = \"scheme\"\nset = \"scheme\"\nvalues = {names:?}\n");
    let folder = Folder::of(file.unwrap_or(Path::new(DUMBBELL_FILE)));
    Study::parse_with(&shown, &text, &[], &folder).map_err(|problems| Failure::Input(problems.render(false)))
}

/// A page that has a place for the table.
struct Page {
    file: PathBuf,
    before: String,
    after: String,
}

impl Page {
    fn open(file: &Path) -> Result<Page, Failure> {
        let shown = file.display();
        let text = std::fs::read_to_string(file)
            .map_err(|error| Failure::Input(format!("`{shown}` cannot be read: {error}")))?;
        let parts = text.split_once(MARKS[0]).and_then(|(before, rest)| Some((before, rest.split_once(MARKS[1])?)));
        let Some((before, (_, after))) = parts else {
            let [begin, end] = MARKS.map(str::trim_end);
            return Err(Failure::Input(format!(
                "`{shown}` has no lines `{begin}` and `{end}`, between which the table goes"
            )));
        };
        Ok(Page { file: file.to_owned(), before: before.to_owned(), after: after.to_owned() })
    }

    fn write(&self, table: &str) -> Result<(), Failure> {
        let text = [&self.before, MARKS[0], table, MARKS[1], &self.after].concat();
        Ok(write_atomic(&self.file, text.as_bytes())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Result<Option<PathBuf>, Failure> {
        scenario_of(&text.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn both_sides_are_named_in_any_order() {
        assert_eq!(words("simulated emulated").unwrap(), None);
        assert_eq!(words("emulated simulated x.toml").unwrap(), Some("x.toml".into()));
        for (text, why) in [
            ("simulated", "say both"),
            ("simulated simulated", "named twice"),
            ("simulated emulatd", "did you mean `emulated`?"),
            ("icp bic", "--scenarios"),
        ] {
            let Err(Failure::Input(told)) = words(text) else { panic!("{text}") };
            assert!(told.contains(why), "{told}");
        }
    }

    #[test]
    fn every_complete_scheme_runs_on_the_dumbbell() {
        let study = study(None, &[]).unwrap();
        assert_eq!(study.points().len(), BUNDLES.len());
        let rates = |link: &weir_scenario::plan::Link| [link.forward.rate.0, link.backward.rate.0];
        let slowest = study.points()[0].scenario.topology.links.iter().flat_map(rates).min();
        assert_eq!(slowest, Some(10_000_000));
    }

    #[test]
    fn the_table_goes_between_its_marks() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page.md");
        std::fs::write(&file, "a\n<!-- parity -->\nold\n<!-- end of parity -->\nb\n").unwrap();
        Page::open(&file).unwrap().write("new\n").unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text, "a\n<!-- parity -->\nnew\n<!-- end of parity -->\nb\n");
        std::fs::write(&file, "nothing").unwrap();
        assert!(Page::open(&file).is_err());
    }
}
