//! Which files stand behind a prefix.

use crate::source::Source;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use weir_wire::{Name, component_type};

/// Files of a folder that are kept open.
const OPEN: usize = 128;

/// What is served under a prefix.
#[derive(Debug)]
pub enum Shelf {
    /// One content, under the prefix itself.
    One {
        /// The content now.
        source: Rc<Source>,
        /// The file that it comes from; `None`: it never changes.
        path: Option<PathBuf>,
    },
    /// Every regular file of a folder, each under the prefix and its path within the folder.
    Folder(Folder),
    /// No file: every segment of every content under the prefix is zeros. Contents have no end and no version.
    Zeros,
}

/// A folder that is served.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    /// By path within the folder; with the time of the last use.
    open: BTreeMap<PathBuf, (Rc<Source>, u64)>,
    uses: u64,
}

impl Shelf {
    /// A file or a folder.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> io::Result<Shelf> {
        if path.is_dir() {
            let root = path.canonicalize()?;
            return Ok(Shelf::Folder(Folder { root, open: BTreeMap::new(), uses: 0 }));
        }
        Ok(Shelf::One { source: Rc::new(Source::open(path)?), path: Some(path.to_owned()) })
    }

    /// What was taken from a stream.
    pub fn of(source: Source) -> Shelf {
        Shelf::One { source: Rc::new(source), path: None }
    }

    /// The content under `prefix` and the components of `name` behind it. With `newest` it is looked at whether the file
    /// has changed; without, what is open will do.
    pub(crate) fn find(&mut self, prefix: &Name, name: &Name, newest: bool) -> Option<Rc<Source>> {
        match self {
            Shelf::One { source, path } if name.len() == prefix.len() => {
                if let Some(path) = path.as_ref().filter(|_| newest)
                    && let Some(changed) = changed(path, source)
                {
                    *source = Rc::new(changed);
                }
                Some(source.clone())
            }
            Shelf::One { .. } | Shelf::Zeros => None,
            Shelf::Folder(folder) => folder.find(path_within(prefix, name)?, newest),
        }
    }
}

/// The file as it is now, if that is another version than the one that is open.
fn changed(path: &Path, open: &Source) -> Option<Source> {
    Source::open(path).ok().filter(|now| (now.version(), now.len()) != (open.version(), open.len()))
}

impl Folder {
    fn find(&mut self, within: PathBuf, newest: bool) -> Option<Rc<Source>> {
        self.uses += 1;
        let uses = self.uses;
        if let Some((source, used)) = self.open.get_mut(&within).filter(|_| !newest) {
            *used = uses;
            return Some(source.clone());
        }
        // A link may lead anywhere; what lies outside is not served.
        let path = self.root.join(&within).canonicalize().ok().filter(|path| path.starts_with(&self.root))?;
        let source = match self.open.get(&within) {
            Some((source, _)) => match changed(&path, source) {
                Some(changed) => Rc::new(changed),
                None => source.clone(),
            },
            None => Rc::new(Source::open(&path).ok()?),
        };
        self.open.insert(within, (source.clone(), uses));
        if self.open.len() > OPEN
            && let Some(oldest) = self.open.iter().min_by_key(|(_, (_, used))| *used).map(|(path, _)| path.clone())
        {
            self.open.remove(&oldest);
        }
        Some(source)
    }
}

/// The components behind the prefix as a path; `None` if they are none.
fn path_within(prefix: &Name, name: &Name) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for component in name.components().skip(prefix.len()) {
        let part = std::str::from_utf8(&component.value).ok()?;
        let odd = part.is_empty() || part == "." || part == ".." || part.contains(['/', '\0']);
        if component.typ != component_type::GENERIC || odd {
            return None;
        }
        path.push(part);
    }
    (!path.as_os_str().is_empty()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(uri: &str) -> Name {
        uri.parse().unwrap()
    }

    #[test]
    fn a_folder_serves_its_files_and_nothing_outside() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("sub")).unwrap();
        std::fs::write(folder.path().join("secret"), "no").unwrap();
        std::fs::write(root.join("a"), "aa").unwrap();
        std::fs::write(root.join("sub/b c"), "bbb").unwrap();
        std::os::unix::fs::symlink("../secret", root.join("link")).unwrap();
        let mut shelf = Shelf::open(&root).unwrap();
        let mut len = |uri: &str| shelf.find(&name("/p"), &name(uri), true).map(|source| source.len());
        assert_eq!((len("/p/a"), len("/p/sub/b%20c")), (Some(2), Some(3)));
        for uri in ["/p", "/p/sub", "/p/none", "/p/link", "/p/..../secret", "/p/32=a", "/p/sub%2Fb%20c", "/p/a/b"] {
            assert_eq!(len(uri), None, "{uri}");
        }
    }

    #[test]
    fn a_file_that_changes_is_a_new_version_once_somebody_asks_for_the_newest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, "one").unwrap();
        let (mut file, mut all) = (Shelf::open(&path).unwrap(), Shelf::open(folder.path()).unwrap());
        let mut look = |newest| {
            let of = |source: Option<Rc<Source>>| source.unwrap().len();
            let one = of(file.find(&name("/p"), &name("/p"), newest));
            assert_eq!(one, of(all.find(&name("/p"), &name("/p/f"), newest)));
            one
        };
        assert_eq!(look(true), 3);
        std::fs::write(&path, "three").unwrap();
        assert_eq!((look(false), look(true), look(false)), (3, 5, 5));
    }

    #[test]
    fn not_all_files_stay_open() {
        let folder = tempfile::tempdir().unwrap();
        let mut shelf = Shelf::open(folder.path()).unwrap();
        for i in 0..2 * OPEN {
            std::fs::write(folder.path().join(i.to_string()), "x").unwrap();
            assert!(shelf.find(&name("/p"), &name(&format!("/p/{i}")), false).is_some());
        }
        let Shelf::Folder(folder) = shelf else { panic!() };
        assert_eq!(folder.open.len(), OPEN);
        assert!(folder.open.contains_key(Path::new(&(2 * OPEN - 1).to_string())), "the newest stay");
    }
}
