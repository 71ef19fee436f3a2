//! What a page says of a claim: the paragraphs and points of lists that name it.

/// The pieces of a page in Markdown, each as Markdown, that name `id` or a range with it in.
pub(super) fn about(page: &str, id: &str) -> Vec<String> {
    blocks(page).into_iter().filter(|block| names(block, id)).collect()
}

/// Paragraphs, and points of lists without their bullets. Headings, tables and code explain nothing.
fn blocks(page: &str) -> Vec<String> {
    let (mut blocks, mut code) = (vec![String::new()], false);
    for line in page.lines() {
        let text = line.trim();
        let fence = text.starts_with("```");
        code ^= fence;
        if fence || code || text.is_empty() || text.starts_with(['#', '|']) {
            blocks.push(String::new());
            continue;
        }
        let point = ["* ", "- ", "+ "].iter().find_map(|bullet| text.strip_prefix(bullet));
        match (point, blocks.last_mut()) {
            (Some(point), _) => blocks.push(point.into()),
            (None, Some(last)) if last.is_empty() => last.push_str(text),
            (None, Some(last)) => {
                last.push('\n');
                last.push_str(text);
            }
            (None, None) => {}
        }
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// Whether a text names a claim, alone or in a range.
fn names(text: &str, id: &str) -> bool {
    let Some((stem, number)) = parts(id) else { return words(text).any(|(_, word)| word == id) };
    let mut before: Option<(&str, u32, usize)> = None;
    for (at, word) in words(text) {
        let Some((own, n)) = parts(word) else { continue };
        if own != stem {
            continue;
        }
        // `K-20 to K-25`, `K-20–K-25`, `K-20..K-25`
        let range = before.filter(|(_, first, end)| *first < n && is_range(&text[*end..at]));
        if word == id || range.is_some_and(|(_, first, _)| (first..=n).contains(&number)) {
            return true;
        }
        before = Some((own, n, at + word.len()));
    }
    false
}

fn is_range(between: &str) -> bool {
    matches!(between.trim().trim_matches(['*', '`']).trim(), "to" | "–" | ".." | "through" | "until")
}

/// Words of letters, digits and hyphens, with their places.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '-';
    text.split(move |c| !inside(c)).filter(|word| !word.is_empty()).map(|word| {
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        (at, word)
    })
}

/// `K-` and 17 of `K-17`.
fn parts(id: &str) -> Option<(&str, u32)> {
    let stem = id.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem.ends_with('-')).then_some(())?;
    Some((stem, id[stem.len()..].parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A page\n\n| K-01 | in a table |\n\nOf K-02 this\nparagraph speaks.\n\n* **K-20 to K-25.** Locked,\n  \
                        by chance.\n* K-7 alone; and T-T2-01..T-T2-03.\n\n```\nK-03\n```\n\nK-26 and K-28 differ.\n";

    #[test]
    fn a_claim_is_explained_by_what_names_it() {
        let texts = |id| about(PAGE, id);
        assert_eq!(texts("K-02"), ["Of K-02 this\nparagraph speaks."]);
        assert_eq!(texts("K-22"), ["**K-20 to K-25.** Locked,\nby chance."]);
        assert_eq!((texts("K-20").len(), texts("K-25").len(), texts("K-26").len()), (1, 1, 1));
        assert_eq!(texts("T-T2-02"), ["K-7 alone; and T-T2-01..T-T2-03."]);
        for silent in ["K-01", "K-03", "K-27", "K-2", "T-02", "T-T3-02", "claims"] {
            assert!(texts(silent).is_empty(), "{silent}: {:?}", texts(silent));
        }
    }
}
