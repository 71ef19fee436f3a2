//! The table of contents, made from the pages.

use std::path::{Path, PathBuf};

/// The pages that a reader needs first, in their order. Whatever else is in `docs/` comes after them.
const ORDER: &[&str] = &[
    "docs/tutorial-first-scenario.md",
    "docs/tutorial-add-a-scheme.md",
    "docs/scenarios.md",
    "docs/topologies.md",
    "docs/scenario-reference.md",
    "docs/results.md",
    "docs/live.md",
    "docs/operators.md",
    "docs/reproducing.md",
    "docs/comparing.md",
    "docs/which-scheme.md",
    "docs/files.md",
    "docs/requests.md",
    "docs/emulate.md",
    "docs/captures.md",
    "docs/trace.md",
    "docs/library.md",
    "docs/architecture.md",
    "docs/performance.md",
    "docs/testing.md",
];

/// A page: where it stands in the repository, and its text.
pub struct Page {
    /// From the root of the repository, with `/` between.
    pub path: String,
    /// Markdown.
    pub text: String,
}

impl Page {
    /// Its first heading.
    pub fn title(&self) -> &str {
        let heading = self.text.lines().find_map(|line| line.strip_prefix("# "));
        heading.unwrap_or(&self.path).trim()
    }

    /// The folder that it is in, from the root of the repository.
    pub fn folder(&self) -> PathBuf {
        Path::new(&self.path).parent().map(Path::to_path_buf).unwrap_or_default()
    }

    fn rank(&self) -> (usize, &str) {
        (ORDER.iter().position(|path| *path == self.path).unwrap_or(ORDER.len()), &self.path)
    }
}

/// `SUMMARY.md` of the book.
pub fn summary(pages: &[Page]) -> String {
    let mut docs: Vec<&Page> = pages.iter().filter(|page| is_in(page, "docs")).collect();
    docs.retain(|page| page.path != "docs/README.md");
    docs.sort_by_key(|page| page.rank());
    let mut schemes: Vec<&Page> = pages.iter().filter(|page| is_in(page, "docs/schemes")).collect();
    schemes.retain(|page| page.path != "docs/schemes/README.md");
    schemes.sort_by(|a, b| a.path.cmp(&b.path));
    let in_papers = |page: &&Page| page.path.starts_with("papers/") && page.path != "papers/README.md";
    let papers: Vec<&Page> = pages.iter().filter(in_papers).collect();
    let mut text = "# Summary\n\n[Weir](README.md)\n[The pages](docs/README.md)\n\n".to_string();
    docs.iter().for_each(|page| text += &format!("- [{}]({})\n", page.title(), page.path));
    text += "- [Examples](examples/README.md)\n- [Schemes and parts](docs/schemes/README.md)\n";
    schemes.iter().for_each(|page| text += &format!("  - [{}]({})\n", kind_and_name(page), page.path));
    text += "- [Papers](papers/README.md)\n";
    papers.iter().for_each(|page| text += &format!("  - [{}]({})\n", page.title(), page.path));
    for (title, path) in [("Contributing", "CONTRIBUTING.md"), ("Changes", "CHANGELOG.md")] {
        text += &format!("- [{title}]({path})\n");
    }
    text
}

fn is_in(page: &Page, folder: &str) -> bool {
    page.folder() == Path::new(folder)
}

/// `control-aimd.md` is "control aimd".
fn kind_and_name(page: &Page) -> String {
    let stem = Path::new(&page.path).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    stem.replacen('-', " ", 1)
}

/// A page that lists the pages in a folder.
pub fn index(title: &str, folder: &str, pages: &[Page]) -> Page {
    let inside = pages.iter().filter(|page| page.path.starts_with(&format!("{folder}/")));
    let line = |page: &Page| {
        let name = if folder == "docs/schemes" { kind_and_name(page) } else { page.title().to_string() };
        format!("* [{name}]({})\n", page.path[folder.len() + 1..].trim_start_matches('/'))
    };
    let list: String = inside.map(line).collect();
    Page { path: format!("{folder}/README.md"), text: format!("# {title}\n\n{list}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(path: &str, text: &str) -> Page {
        Page { path: path.into(), text: text.into() }
    }

    #[test]
    fn every_page_of_the_documents_is_in_the_contents() {
        let pages = [
            page("docs/zebra.md", "# Of zebras\n"),
            page("docs/scenarios.md", "# Scenario files\n"),
            page("docs/schemes/queue-red.md", "# red\n"),
            page("papers/plr/README.md", "# PLR\n"),
        ];
        let summary = summary(&pages);
        let place = |words: &str| summary.find(words).unwrap_or_else(|| panic!("{words} in\n{summary}"));
        assert!(place("[Scenario files](docs/scenarios.md)") < place("[Of zebras](docs/zebra.md)"));
        assert!(place("  - [queue red](docs/schemes/queue-red.md)") < place("  - [PLR](papers/plr/README.md)"));
    }
}
