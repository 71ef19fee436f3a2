//! The networks on which schemes are compared.

use super::Contender;
use crate::Failure;
use crate::papers::{self, Paper};
use std::path::Path;
use weir_core::{Span, nearest};
use weir_scenario::plan::Scenario;
use weir_scenario::{Arena, Edition, Files, Folder, arenas};

/// A network, and where it comes from.
pub(super) struct Ground {
    pub arena: Arena,
    /// Its paper's key, or the path of its file.
    pub origin: String,
    /// What its file names beside itself.
    files: Box<dyn Files>,
    /// The scenario under some scheme, once it is known: what is the same under all of them can be read off it.
    pub sample: Option<Scenario>,
}

impl Ground {
    /// The network under a scheme, or what is in its way.
    pub fn scenario(&self, contender: &Contender, quick: bool, limit: Span) -> Result<Scenario, String> {
        let built = self.arena.scenario(contender.scheme, contender.recovery, quick, limit, &*self.files);
        built.map_err(|problems| {
            let told = problems.0.iter().map(|p| p.message.clone()).collect::<Vec<_>>();
            told.join("; ")
        })
    }

    pub fn remember(&mut self, scenario: Option<&Scenario>) {
        self.sample = scenario.cloned();
    }

    /// How long a run lasts.
    pub fn bound(&self) -> String {
        match self.sample.as_ref().map(|s| (s.run.duration, s.run.limit)) {
            Some((Some(duration), _)) => format!("{duration}"),
            Some((_, Some(limit))) => format!("until all fetches end, at most {limit}"),
            _ => String::new(),
        }
    }
}

/// The networks of one paper.
fn of_paper(paper: Paper) -> Result<Vec<Ground>, Failure> {
    let mut grounds = Vec::new();
    for (_, study) in paper.studies(Edition::Ordinary, &[], |study| !study.arenas.is_empty()) {
        for arena in study?.arenas {
            let files = Box::new(papers::find(&paper.key)?);
            grounds.push(Ground { arena, origin: paper.key.clone(), files, sample: None });
        }
    }
    Ok(grounds)
}

/// The networks of all papers.
fn of_papers() -> Result<Vec<Ground>, Failure> {
    let mut grounds: Vec<Ground> = Vec::new();
    for paper in papers::papers() {
        grounds.extend(of_paper(paper)?);
    }
    Ok(grounds)
}

/// The networks of a file.
fn of_file(path: &Path) -> Result<Vec<Ground>, Failure> {
    let shown = path.display().to_string();
    let text =
        std::fs::read_to_string(path).map_err(|error| Failure::Input(format!("`{shown}` cannot be read: {error}")))?;
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let found = arenas(&stem, &shown, &text, &Folder::of(path)).map_err(|p| Failure::Input(p.to_string()))?;
    let ground = |arena| Ground { arena, origin: shown.clone(), files: Box::new(Folder::of(path)), sample: None };
    Ok(found.into_iter().map(ground).collect())
}

/// Those that are named, by their names, by the keys of their papers or by the paths of files; those of all papers if
/// none is.
pub(super) fn chosen(names: &[String]) -> Result<Vec<Ground>, Failure> {
    let mut chosen: Vec<Ground> = Vec::new();
    for name in names {
        let path = Path::new(name);
        let found = if path.extension().is_some_and(|e| e == "toml") || path.is_file() {
            of_file(path)?
        } else {
            let mut all = of_papers()?;
            let known: Vec<String> = all.iter().flat_map(|g| [g.arena.name.clone(), g.origin.clone()]).collect();
            all.retain(|g| g.arena.name == *name || g.origin == *name);
            if all.is_empty() {
                let hint = match nearest(name, known.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "see `weir list scenarios`, or give the path of a file".into(),
                };
                return Err(Failure::Input(format!("there is no scenario `{name}`; {hint}")));
            }
            all
        };
        for ground in found {
            if chosen.iter().any(|other| other.arena.name == ground.arena.name) {
                return Err(Failure::Input(format!("the scenario `{}` is named twice", ground.arena.name)));
            }
            chosen.push(ground);
        }
    }
    if names.is_empty() { of_papers() } else { Ok(chosen) }
}

/// Names and descriptions of the networks of all papers.
pub(crate) fn list() -> Result<Vec<(String, String)>, Failure> {
    let row = |g: Ground| {
        let origin = format!("({})", g.origin);
        (g.arena.name, if g.arena.about.is_empty() { origin } else { format!("{} {origin}", g.arena.about) })
    };
    Ok(of_papers()?.into_iter().map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_over_all_papers_and_are_no_keys() {
        let grounds = of_papers().unwrap_or_else(|failure| panic!("{failure:?}"));
        assert!(grounds.len() >= 2);
        let keys: Vec<String> = papers::papers().into_iter().map(|p| p.key).collect();
        for (i, ground) in grounds.iter().enumerate() {
            let name = &ground.arena.name;
            assert!(grounds[..i].iter().all(|other| other.arena.name != *name), "{name} twice");
            assert!(!keys.contains(name), "{name} is a paper");
            assert!(!ground.arena.about.is_empty(), "{name} says nothing of itself");
        }
    }
}
