//! Copies the pages, and what they link to, into the source folder of the book.

use crate::contents::{Page, index, summary};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Pages at the top of the repository.
const TOP: [&str; 3] = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"];

/// Folders whose pages are in the book, whatever is in them.
const FOLDERS: [&str; 2] = ["docs", "papers"];

/// All pages of the repository, and the lists of pages that folders become.
pub fn pages(root: &Path) -> Result<Vec<Page>, String> {
    let mut paths: Vec<String> = TOP.map(String::from).to_vec();
    for folder in FOLDERS {
        markdown(root, Path::new(folder), &mut paths)?;
    }
    let mut pages = vec![];
    for path in paths {
        let text = fs::read_to_string(root.join(&path)).map_err(|error| format!("`{path}` cannot be read: {error}"))?;
        pages.push(Page { path, text });
    }
    for (title, folder) in [("Schemes and parts", "docs/schemes"), ("Papers", "papers")] {
        let list = index(title, folder, &pages);
        if !pages.iter().any(|page| page.path == list.path) {
            pages.push(list);
        }
    }
    pages.push(examples(root)?);
    Ok(pages)
}

/// A page with the texts of all examples.
fn examples(root: &Path) -> Result<Page, String> {
    let mut text = "# Examples\n\nSmall studies to begin with. `weir run examples/FILE` runs one.\n".to_string();
    let mut files = vec![];
    let fail = |error: std::io::Error| format!("`examples` cannot be read: {error}");
    for entry in fs::read_dir(root.join("examples")).map_err(fail)? {
        files.push(entry.map_err(fail)?.file_name().to_string_lossy().into_owned());
    }
    files.sort();
    for file in files.iter().filter(|file| file.ends_with(".toml")) {
        let example = fs::read_to_string(root.join("examples").join(file)).map_err(fail)?;
        text += &format!("\n## {file}\n\n```toml\n{}\n```\n", example.trim_end());
    }
    Ok(Page { path: "examples/README.md".into(), text })
}

/// Markdown files below a folder, in their order.
fn markdown(root: &Path, folder: &Path, found: &mut Vec<String>) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("`{}` cannot be read: {error}", folder.display());
    let mut names = vec![];
    for entry in fs::read_dir(root.join(folder)).map_err(fail)? {
        names.push(entry.map_err(fail)?.file_name());
    }
    names.sort();
    for path in names.into_iter().map(|name| folder.join(name)) {
        if root.join(&path).is_dir() {
            markdown(root, &path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(slashed(&path));
        }
    }
    Ok(())
}

fn slashed(path: &Path) -> String {
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Fills `source` anew.
pub fn stage(root: &Path, source: &Path, pages: &[Page]) -> Result<(), String> {
    if source.exists() {
        fs::remove_dir_all(source).map_err(|error| format!("`{}` cannot be removed: {error}", source.display()))?;
    }
    let known: BTreeSet<&str> = pages.iter().map(|page| page.path.as_str()).collect();
    for page in pages {
        // mdBook makes `README.md` into `index.html`, but leaves the links to it.
        let mut text = page.text.replace("README.md)", "index.md)").replace("README.md#", "index.md#");
        for target in targets(&page.text) {
            let Some(path) = resolved(&page.folder(), target) else { continue };
            if root.join(&path).is_dir() {
                // A folder with a list of its pages; any other is no use to a reader of the book.
                let list = format!("{}/README.md", slashed(&path));
                if known.contains(list.as_str()) {
                    text =
                        text.replace(&format!("]({target})"), &format!("]({}/index.md)", target.trim_end_matches('/')));
                }
            } else if !known.contains(slashed(&path).as_str()) && root.join(&path).is_file() {
                let asset = source.join(&path);
                make_folder(&asset)?;
                fs::copy(root.join(&path), &asset).map_err(|error| format!("`{}`: {error}", asset.display()))?;
            }
        }
        write(&source.join(&page.path), &text)?;
    }
    write(&source.join("SUMMARY.md"), &summary(pages))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    make_folder(path)?;
    fs::write(path, text).map_err(|error| format!("`{}` cannot be written: {error}", path.display()))
}

fn make_folder(path: &Path) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|error| format!("`{}` cannot be made: {error}", folder.display()))
}

/// What a page links to or shows.
fn targets(text: &str) -> Vec<&str> {
    let between = |open: &str, close: char| -> Vec<&str> {
        text.split(open).skip(1).filter_map(|rest| rest.split_once(close)).map(|(inside, _)| inside).collect()
    };
    let all = [between("](", ')'), between("src=\"", '"'), between("href=\"", '"')].concat();
    all.into_iter().filter(|target| !target.contains("://") && !target.contains(' ')).collect()
}

/// The path in the repository that `target` means in a page of `folder`; `None` for a place in the same page, or outside.
fn resolved(folder: &Path, target: &str) -> Option<PathBuf> {
    let file = target.split('#').next().filter(|file| !file.is_empty())?;
    let mut path = PathBuf::new();
    for part in folder.join(file).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::ParentDir => {
                if !path.pop() {
                    return None;
                }
            }
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_those_of_links_and_images() {
        let text = "[a](b.md#c) ![d](e.svg) <img src=\"f.png\"> [g](https://h.example/) `x[1](y z)`";
        assert_eq!(targets(text), ["b.md#c", "e.svg", "f.png"]);
    }

    #[test]
    fn paths_are_seen_from_the_page() {
        let from = |target| resolved(Path::new("docs/schemes"), target).map(|path| slashed(&path));
        assert_eq!(from("../../papers/plr").as_deref(), Some("papers/plr"));
        assert_eq!(from("./a.md#b").as_deref(), Some("docs/schemes/a.md"));
        assert_eq!(from("#b"), None);
        assert_eq!(from("../../../outside"), None);
    }
}
