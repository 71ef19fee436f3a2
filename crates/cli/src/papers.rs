//! The papers that come with the program.

use crate::Failure;
use include_dir::{Dir, include_dir};
use weir_core::nearest;
use weir_scenario::{Edition, Files, Override, Study};

static PAPERS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../papers");

/// A paper: its key and its studies.
pub(crate) struct Paper {
    /// Such as `plr`.
    pub key: String,
    folder: &'static Dir<'static>,
}

/// All papers by key.
pub(crate) fn papers() -> Vec<Paper> {
    let key = |d: &Dir<'_>| d.path().file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut papers: Vec<Paper> = PAPERS.dirs().map(|folder| Paper { key: key(folder), folder }).collect();
    papers.sort_by(|a, b| a.key.cmp(&b.key));
    papers
}

/// The paper with this key.
pub(crate) fn find(key: &str) -> Result<Paper, Failure> {
    let mut papers = papers();
    let Some(i) = papers.iter().position(|p| p.key == key) else {
        let keys = papers.iter().map(|p| p.key.as_str());
        let hint = match nearest(key, keys.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are: {}", keys.collect::<Vec<_>>().join(", ")),
        };
        return Err(Failure::Input(format!("there is no paper `{key}`; {hint}")));
    };
    Ok(papers.swap_remove(i))
}

impl Paper {
    /// First heading of the paper's page.
    pub fn title(&self) -> String {
        self.page().lines().next().unwrap_or_default().trim_start_matches("# ").to_owned()
    }

    /// The text of a study, by its short name.
    pub fn source(&self, name: &str) -> &'static str {
        let named =
            |f: &&include_dir::File<'static>| f.path().file_name().is_some_and(|n| *n == *format!("{name}.toml"));
        self.folder.files().find(named).and_then(|f| f.contents_utf8()).unwrap_or_default()
    }

    /// The ids of everything that the paper claims, whether or not a study measures it: what `claims.txt` lists, one
    /// by one or as a range (`P-01..P-18`).
    pub fn ids(&self) -> Result<Vec<String>, Failure> {
        let text = match self.folder.get_file(self.folder.path().join("claims.txt")) {
            Some(file) => file.contents_utf8().unwrap_or_default(),
            // Without a list nothing can be missed; a test sees to it that there is one.
            None => return Ok(Vec::new()),
        };
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
        let words = lines.flat_map(|line| line.split([' ', ',', '\t'])).filter(|word| !word.is_empty());
        let ids: Result<Vec<Vec<String>>, String> = words.map(range).collect();
        let wrong = |why| Failure::Other(format!("papers/{}/claims.txt: {why}", self.key));
        ids.map(|ids| ids.concat()).map_err(wrong)
    }

    /// The paper's page, in Markdown.
    pub fn page(&self) -> &'static str {
        let page = self.folder.files().find(|f| f.path().ends_with("README.md"));
        page.and_then(|f| f.contents_utf8()).unwrap_or_default()
    }

    /// Every study that is `wanted`, with its short name, in this edition, changed by `set` and checked, in the order
    /// of the names. A study that is wrong is wanted.
    pub fn studies(
        &self,
        edition: Edition,
        set: &[Override],
        wanted: impl Fn(&Study) -> bool,
    ) -> Vec<(String, Result<Study, Failure>)> {
        let mut files: Vec<_> =
            self.folder.files().filter(|f| f.path().extension().is_some_and(|e| e == "toml")).collect();
        files.sort_by_key(|f| f.path());
        let mut studies = Vec::new();
        for file in files {
            let stem = file.path().file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            match self.study(file, edition, set, &wanted) {
                Ok(Some(study)) => studies.push((stem, Ok(study))),
                Ok(None) => {}
                Err(failure) => studies.push((stem, Err(failure))),
            }
        }
        studies
    }

    fn study(
        &self,
        file: &include_dir::File<'static>,
        edition: Edition,
        set: &[Override],
        wanted: &impl Fn(&Study) -> bool,
    ) -> Result<Option<Study>, Failure> {
        let shown = format!("papers/{}", file.path().display());
        let text = file.contents_utf8().ok_or_else(|| Failure::Other(format!("{shown} is not UTF-8")))?;
        let parse =
            |set| Study::parse_edition(&shown, text, edition, set, self).map_err(|p| Failure::Input(p.to_string()));
        // Settings are for the studies that are wanted; the others may not have what they change.
        let study = parse(&[])?;
        Ok(match (wanted(&study), set) {
            (false, _) => None,
            (true, []) => Some(study),
            (true, set) => Some(parse(set)?),
        })
    }
}

/// The ids that a word of `claims.txt` stands for: itself, or those of a range, whose ends differ in their last number.
fn range(word: &str) -> Result<Vec<String>, String> {
    let Some((first, last)) = word.split_once("..") else { return Ok(vec![word.into()]) };
    let split = |id: &str| {
        let stem = id.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        id[stem..].parse::<u32>().ok().map(|number| (id[..stem].to_owned(), number))
    };
    let ends = split(first).zip(split(last)).filter(|(a, b)| a.0 == b.0 && a.1 <= b.1 && first.len() == last.len());
    let ((stem, from), (_, to)) = ends.ok_or_else(|| format!("`{word}` is no range of ids such as `P-01..P-18`"))?;
    let digits = first.len() - stem.len();
    Ok((from..=to).map(|n| format!("{stem}{n:0digits$}")).collect())
}

/// What a study names beside itself was compiled in with it.
impl Files for Paper {
    fn read(&self, path: &str) -> Result<String, String> {
        let file = self.folder.get_file(self.folder.path().join(path));
        let file = file.ok_or_else(|| format!("no such file came with the paper `{}`", self.key))?;
        file.contents_utf8().map(String::from).ok_or_else(|| "it is not a text in UTF-8".into())
    }

    fn shown(&self, path: &str) -> String {
        format!("papers/{}/{path}", self.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_listed_one_by_one_or_as_ranges() {
        assert_eq!(range("K-7").unwrap(), ["K-7"]);
        assert_eq!(range("T-T2-09..T-T2-11").unwrap(), ["T-T2-09", "T-T2-10", "T-T2-11"]);
        for wrong in ["A-1..B-2", "A-2..A-1", "A-9..A-10", "..", "A-..A-"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_paper_lists_its_claims_and_no_study_has_others() {
        for paper in papers() {
            let mut ids = paper.ids().unwrap_or_else(|failure| panic!("{failure:?}"));
            assert!(
                !ids.is_empty(),
                "papers/{}/claims.txt: it lists the ids of all claims, as in `P-01..P-18`",
                paper.key
            );
            let studies = paper.studies(Edition::Ordinary, &[], |_| true);
            for (name, study) in studies {
                let study = study.unwrap_or_else(|failure| panic!("{}: {name}: {failure:?}", paper.key));
                for claim in study.claims {
                    assert!(ids.contains(&claim.id), "{} is not in papers/{}/claims.txt", claim.id, paper.key);
                }
            }
            ids.sort();
            let listed = ids.len();
            ids.dedup();
            assert_eq!(ids.len(), listed, "papers/{}/claims.txt lists an id twice", paper.key);
        }
    }
}
