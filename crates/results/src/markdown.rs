//! The little of Markdown that tables need.

/// `text` as the content of one table cell: on one line, without ending the cell.
pub(crate) fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}
