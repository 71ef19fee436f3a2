//! `--report`: everything in one HTML file.

use crate::Failure;
use crate::args::Common;
use crate::files;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use weir_core::Entry;
use weir_lab::Experiment;
use weir_results::report::{Fact, Page, Paper, Report, Study, write_html};
use weir_scenario::plan::{PartPlan, SchemePlan};
use weir_schemes::registry;

/// An experiment, and the pages about what it uses.
pub(crate) type Section = (Study, Vec<Page>);

/// Where the report goes, if one is wanted: by default into the folder of results.
pub(crate) fn place(common: &Common, folder: &Path) -> Result<Option<PathBuf>, Failure> {
    let place = common.report.as_ref().map(|file| file.clone().unwrap_or_else(|| folder.join("report.html")));
    if let Some(file) = &place {
        files::prepare_for(file)?;
    }
    Ok(place)
}

/// One experiment as a section. `source` is the text of its file.
pub(crate) fn section(experiment: &Experiment, paper: &str, source: &str) -> Section {
    let mut study = weir_lab::report(experiment);
    study.paper = paper.to_owned();
    study.source = source.to_owned();
    let pages = pages(experiment);
    // The settings lead to the pages of the parts that they name.
    for fact in &mut study.settings {
        let name = fact.value.split([' ', '|']).next().unwrap_or_default().to_owned();
        let kind = fact.name.strip_prefix("scheme.").unwrap_or_default().replace("host_queue", "queue");
        if !fact.value.contains('|') && pages.iter().any(|p| p.id == page_id(&kind, &name)) {
            fact.page = page_id(&kind, &name);
        }
    }
    (study, pages)
}

/// Writes the report of these sections, which belong to no paper.
pub(crate) fn write(
    file: &Path,
    title: &str,
    about: &str,
    sections: Vec<Section>,
    command: String,
) -> Result<(), Failure> {
    write_with(file, title, about, Vec::new(), sections, command)
}

/// Writes the report of these sections and the papers that they belong to.
pub(crate) fn write_with(
    file: &Path,
    title: &str,
    about: &str,
    papers: Vec<Paper>,
    sections: Vec<Section>,
    command: String,
) -> Result<(), Failure> {
    let mut pages: Vec<Page> = Vec::new();
    let mut studies = Vec::new();
    for (study, own) in sections {
        studies.push(study);
        for page in own {
            if pages.iter().all(|known| known.id != page.id) {
                pages.push(page);
            }
        }
    }
    pages.sort_by(|a, b| a.id.cmp(&b.id));
    let provenance = provenance(&studies);
    let report = Report { title: title.into(), about: about.into(), papers, provenance, studies, pages, command };
    Ok(write_html(&report, file)?)
}

fn provenance(studies: &[Study]) -> Vec<Fact> {
    let mut facts = vec![Fact::new("Weir", env!("CARGO_PKG_VERSION"))];
    // Whoever builds from a checkout says which (`make build` does); a package need not know.
    if let Some(commit) = option_env!("WEIR_COMMIT").filter(|commit| !commit.is_empty()) {
        facts.push(Fact::new("commit", commit));
    }
    // A section that tells of several files has no run of its own.
    for study in studies.iter().filter(|study| study.facts.iter().any(|f| f.name == "seeds") && !study.file.is_empty())
    {
        let find = |name: &str| study.facts.iter().find(|f| f.name == name).map(|f| f.value.clone());
        let seeds = find("seeds").unwrap_or_default();
        let digest =
            find("digest").map_or_else(|| "stopped before all runs were done".into(), |d| format!("digest {d}"));
        facts.push(Fact::new(study.file.clone(), format!("seeds {seeds}; {digest}")));
    }
    facts
}

/// The pages of all parts that the experiment uses.
fn pages(experiment: &Experiment) -> Vec<Page> {
    let mut used: BTreeSet<(&str, &str)> = BTreeSet::new();
    for point in experiment.study.points() {
        let SchemePlan { control, timeout, queue, host_queue, strategy, recovery, monitor, .. } =
            &point.scenario.scheme;
        used.extend([("control", control), ("timeout", timeout), ("queue", queue), ("queue", host_queue)].map(named));
        used.insert(named(("strategy", strategy)));
        used.extend(recovery.as_ref().map(|part| named(("recovery", part))));
        used.extend(monitor.as_ref().map(|part| named(("monitor", part))));
        for workload in &point.scenario.workloads {
            used.extend(workload.control.as_ref().map(|part| named(("control", part))));
            used.extend(workload.timeout.as_ref().map(|part| named(("timeout", part))));
        }
    }
    used.into_iter().filter_map(|(kind, name)| page(kind, name)).collect()
}

fn named<'a>((kind, part): (&'a str, &'a PartPlan)) -> (&'a str, &'a str) {
    (kind, &part.name)
}

fn page(kind: &str, name: &str) -> Option<Page> {
    let (summary, text) = match kind {
        "control" => find(registry::CONTROLS, name),
        "timeout" => find(registry::TIMEOUTS, name),
        "queue" => find(registry::QUEUES, name),
        "strategy" => find(registry::STRATEGIES, name),
        "recovery" => find(registry::RECOVERIES, name),
        _ => find(registry::MONITORS, name),
    }?;
    Some(Page { id: page_id(kind, name), title: format!("{name} ({kind}): {summary}"), markdown: text.to_owned() })
}

fn find<B>(entries: &'static [Entry<B>], name: &str) -> Option<(&'static str, &'static str)> {
    entries.iter().find(|entry| entry.name == name).map(|entry| (entry.summary, entry.page))
}

fn page_id(kind: &str, name: &str) -> String {
    format!("{kind}-{name}")
}

/// The command that makes the same results, as it would be typed. Seeds are given in full: those of the file may
/// change.
pub(crate) fn command(first: &[&str], set: &[String], more: &[String]) -> String {
    let set = set.iter().flat_map(|s| ["--set".to_owned(), s.clone()]);
    let words = first.iter().map(|w| (*w).to_owned()).chain(set).chain(more.iter().cloned());
    std::iter::once("weir".to_owned()).chain(words.map(|word| quoted(&word))).collect::<Vec<_>>().join(" ")
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_typed() {
        let set = ["scheme.recovery={ name = \"plr\" }".to_owned()];
        let more = ["--seeds".to_owned(), "1..5".to_owned()];
        let command = command(&["run", "it's.toml"], &set, &more);
        assert_eq!(command, "weir run 'it'\\''s.toml' --set 'scheme.recovery={ name = \"plr\" }' --seeds 1..5");
    }
}
