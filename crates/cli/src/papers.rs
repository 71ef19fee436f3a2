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
        let page = self.folder.files().find(|f| f.path().ends_with("README.md")).and_then(|f| f.contents_utf8());
        let first = page.and_then(|p| p.lines().next()).unwrap_or_default();
        first.trim_start_matches("# ").to_owned()
    }

    /// The text of a study, by its short name.
    pub fn source(&self, name: &str) -> &'static str {
        let named =
            |f: &&include_dir::File<'static>| f.path().file_name().is_some_and(|n| *n == *format!("{name}.toml"));
        self.folder.files().find(named).and_then(|f| f.contents_utf8()).unwrap_or_default()
    }

    /// Every study that is `wanted`, with its short name, in this edition, changed by `set` and checked, in the order
    /// of the names.
    pub fn studies(
        &self,
        edition: Edition,
        set: &[Override],
        wanted: impl Fn(&Study) -> bool,
    ) -> Result<Vec<(String, Study)>, Failure> {
        let mut files: Vec<_> =
            self.folder.files().filter(|f| f.path().extension().is_some_and(|e| e == "toml")).collect();
        files.sort_by_key(|f| f.path());
        let mut studies = Vec::new();
        for file in files {
            let shown = format!("papers/{}", file.path().display());
            let text = file.contents_utf8().ok_or_else(|| Failure::Other(format!("{shown} is not UTF-8")))?;
            let parse =
                |set| Study::parse_edition(&shown, text, edition, set, self).map_err(|p| Failure::Input(p.to_string()));
            // Settings are for the studies that are wanted; the others may not have what they change.
            let mut study = parse(&[])?;
            if !wanted(&study) {
                continue;
            }
            if !set.is_empty() {
                study = parse(set)?;
            }
            let stem = file.path().file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            studies.push((stem, study));
        }
        Ok(studies)
    }
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
