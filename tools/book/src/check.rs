//! Checks the links of rendered pages: files and anchors inside the book, and the form of those that lead out of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Pages by their path in the book, each with its anchors and its links.
type Pages = BTreeMap<PathBuf, (BTreeSet<String>, Vec<String>)>;

/// Checks all pages below `book` and counts the links.
///
/// # Errors
/// With every link that leads nowhere.
pub fn check(book: &Path) -> Result<usize, String> {
    let mut pages = Pages::new();
    read(book, Path::new(""), &mut pages)?;
    let mut broken = vec![];
    let mut count = 0;
    for (path, (_, links)) in &pages {
        for link in links {
            count += 1;
            if let Some(problem) = problem(book, &pages, path, link) {
                broken.push(format!("{}: `{link}`: {problem}", path.display()));
            }
        }
    }
    match broken.len() {
        0 => Ok(count),
        many => Err(format!("{many} of {count} links lead nowhere:\n{}", broken.join("\n"))),
    }
}

fn read(book: &Path, folder: &Path, pages: &mut Pages) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("`{}`: {error}", book.join(folder).display());
    for entry in fs::read_dir(book.join(folder)).map_err(fail)? {
        let path = folder.join(entry.map_err(fail)?.file_name());
        if book.join(&path).is_dir() {
            read(book, &path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "html") && path != Path::new("404.html") {
            // (404.html is shown at any address, so its links begin at the root of a site that we do not know.)
            let text = fs::read_to_string(book.join(&path)).map_err(fail)?;
            let anchors = attributes(&text, &["id", "name"]).into_iter().collect();
            pages.insert(path, (anchors, attributes(&text, &["href", "src"])));
        }
    }
    Ok(())
}

/// Values of attributes in the tags of a page, `&amp;` resolved. Scripts and comments are passed over.
fn attributes(text: &str, names: &[&str]) -> Vec<String> {
    let mut values = vec![];
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        if rest.starts_with("<!--") {
            rest = rest.find("-->").map_or("", |end| &rest[end..]);
            continue;
        }
        let tag = &rest[..rest.find('>').unwrap_or(rest.len())];
        for name in names {
            let value = tag.split(&format!(" {name}=\"")).nth(1).and_then(|value| value.split('"').next());
            values.extend(value.map(|value| value.replace("&amp;", "&")));
        }
        rest = &rest[tag.len()..];
        if tag.starts_with("<script") {
            rest = rest.find("</script").map_or("", |end| &rest[end..]);
        }
    }
    values
}

/// What is wrong with a link.
fn problem(book: &Path, pages: &Pages, from: &Path, link: &str) -> Option<String> {
    if let Some((scheme, rest)) = link.split_once("://") {
        return outside(scheme, rest);
    }
    if link.starts_with("mailto:") || link.starts_with("data:") || link.starts_with("javascript:") {
        return None;
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let file = decoded(file);
    let mut path = if file.is_empty() { from.to_path_buf() } else { from.with_file_name("").join(&file) };
    path = normal(&path);
    if book.join(&path).is_dir() {
        path.push("index.html");
    }
    if !book.join(&path).is_file() {
        return Some("there is no such file in the book".into());
    }
    let anchor = anchor.map(decoded).filter(|anchor| !anchor.is_empty())?;
    let (anchors, _) = pages.get(&path)?;
    (!anchors.contains(&anchor)).then(|| format!("`{}` has no place called `{anchor}`", path.display()))
}

/// Only the form: nothing is asked of the network.
fn outside(scheme: &str, rest: &str) -> Option<String> {
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || ".-:".contains(c);
    if !["http", "https"].contains(&scheme) {
        return Some(format!("`{scheme}` is nothing that a browser opens"));
    }
    let good = host.contains('.') && host.chars().all(plain) && !rest.contains(char::is_whitespace);
    (!good).then(|| "this is not the form of an address".into())
}

/// A path without `..`; one that leads out of the book begins at its root.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                normal.pop();
            }
            std::path::Component::Normal(name) => normal.push(name),
            _ => {}
        }
    }
    normal
}

/// `%20` and the like resolved.
fn decoded(text: &str) -> String {
    let mut bytes = vec![];
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match (first, hex.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book(test: &str, pages: &[(&str, &str)]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("weir-book-{test}-{}", std::process::id()));
        for (path, text) in pages {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn links_to_files_and_anchors_are_counted() {
        let pages = [
            ("a.html", "<h1 id=\"top\">A</h1><a class=\"x\" href=\"b/c.html#there\">C</a><a href=\"#top\"></a>"),
            (
                "b/c.html",
                "<p id=\"there\"></p><a href=\"../a.html\"></a><img src=\"d.svg\"><a href=\"https://e.example/f?g\">",
            ),
            ("b/d.svg", ""),
        ];
        let folder = book("good", &pages);
        assert_eq!(check(&folder), Ok(5));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn every_broken_link_is_told() {
        let links = ["gone.html", "a.html#gone", "#gone", "ftp://h.example/", "https://nowhere", "../../x.html"];
        let text: String = links.iter().map(|link| format!("<a href=\"{link}\">x</a>")).collect();
        let folder = book("bad", &[("a.html", &text)]);
        let problems = check(&folder).unwrap_err();
        assert!(problems.starts_with("6 of 6 links"), "{problems}");
        assert!(links.iter().all(|link| problems.contains(&format!("`{link}`"))), "{problems}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn scripts_and_comments_have_no_links() {
        let text = "<script>let a = '<a href=\"x\">';</script><!-- <a href=\"y\"> --><a id=\"b\" href=\"z\">";
        assert_eq!(attributes(text, &["href"]), ["z"]);
        assert_eq!(decoded("a%20b%2"), "a b%2");
    }
}
