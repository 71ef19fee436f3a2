//! Other files that a scenario names: where their texts come from, and each read once.

use crate::diagnostic::{Diagnostic, Log, Source};
use crate::import::{Graph, Mistake};
use crate::tree::Node;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

/// Where the files come from that a scenario names, such as the map of its network.
pub trait Files {
    /// The text of the file that a scenario calls `path`.
    ///
    /// # Errors
    /// With the reason why there is none, as the end of a sentence: "it does not exist".
    fn read(&self, path: &str) -> Result<String, String>;

    /// What messages call that file.
    fn shown(&self, path: &str) -> String {
        path.into()
    }
}

/// Paths are relative to a folder: that of the scenario file.
#[derive(Clone, Debug)]
pub struct Folder(pub PathBuf);

impl Folder {
    /// The folder in which a file stands.
    pub fn of(file: &std::path::Path) -> Folder {
        Folder(file.parent().map(PathBuf::from).unwrap_or_default())
    }
}

impl Files for Folder {
    fn read(&self, path: &str) -> Result<String, String> {
        let bytes = std::fs::read(self.0.join(path)).map_err(|error| error.to_string())?;
        String::from_utf8(bytes).map_err(|_| "it is not a text in UTF-8".into())
    }

    fn shown(&self, path: &str) -> String {
        self.0.join(path).display().to_string()
    }
}

/// For a text that stands alone: there are no other files.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str) -> Result<String, String> {
        Err("this scenario is no file, so there are no others beside it".into())
    }
}

/// The files of a study. However many points it has, each file is read once.
pub(crate) struct Loader<'f> {
    files: &'f dyn Files,
    sources: RefCell<BTreeMap<String, Result<Arc<Source>, String>>>,
    graphs: RefCell<BTreeMap<(String, &'static str), Imported>>,
}

/// What an importer makes of a file.
pub(crate) type Imported = Rc<Result<Graph, Vec<Mistake>>>;

impl<'f> Loader<'f> {
    pub(crate) fn new(files: &'f dyn Files) -> Loader<'f> {
        Loader { files, sources: RefCell::default(), graphs: RefCell::default() }
    }

    /// Where the texts come from.
    pub(crate) fn files(&self) -> &'f dyn Files {
        self.files
    }

    /// The text of the file that `node` names; problems are reported.
    pub(crate) fn source(&self, node: &Node, log: &Log) -> Option<Arc<Source>> {
        let path = crate::quantities::text(node, "the path of a file", log)?;
        let load = || {
            let text = self.files.read(path)?;
            Ok(Arc::new(Source { name: self.files.shown(path), text }))
        };
        let source = self.sources.borrow_mut().entry(path.into()).or_insert_with(load).clone();
        let report = |reason| {
            let message = format!("`{}` cannot be read: {reason}", self.files.shown(path));
            log.report(
                Diagnostic::at(&node.place, message).help("paths are relative to the folder of the scenario file"),
            );
        };
        source.map_err(report).ok()
    }

    /// What `import`, called `format`, makes of a source.
    pub(crate) fn graph(
        &self,
        source: &Source,
        format: &'static str,
        import: fn(&str) -> Result<Graph, Vec<Mistake>>,
    ) -> Imported {
        let mut graphs = self.graphs.borrow_mut();
        let import = || Rc::new(import(&source.text));
        Rc::clone(graphs.entry((source.name.clone(), format)).or_insert_with(import))
    }
}
