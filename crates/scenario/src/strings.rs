//! Where the bytes of a TOML string stand in the file, so that an error inside a string can be underlined.

/// For each byte of `value`, and for its end, its position in `raw`: the string or key as the file has it, quotes
/// included. `None` if the two do not belong together.
pub(crate) fn positions(raw: &str, value: &str) -> Option<Vec<usize>> {
    let found = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|q| raw.starts_with(q) && raw.len() >= 2 * q.len());
    let quote = found.filter(|q| raw.ends_with(q)).unwrap_or("");
    let mut start = quote.len();
    if quote.len() == 3 {
        start += ["\r\n", "\n"].iter().find(|n| raw[start..].starts_with(**n)).map_or(0, |n| n.len());
    }
    let inner = raw.get(start..raw.len() - quote.len())?;
    let mut positions = if quote.starts_with('"') { unescaped(inner)? } else { (0..inner.len()).collect() };
    positions.push(inner.len());
    positions.iter_mut().for_each(|p| *p += start);
    (positions.len() == value.len() + 1).then_some(positions)
}

/// For each byte of the value of a basic string, where it comes from in `inner`.
fn unescaped(inner: &str) -> Option<Vec<usize>> {
    let mut positions = Vec::with_capacity(inner.len());
    let mut at = 0;
    while let Some(c) = inner[at..].chars().next() {
        let (used, made) = if c == '\\' { escape(&inner[at + 1..])? } else { (c.len_utf8(), c.len_utf8()) };
        // An escape is one thing; the bytes of a plain character are told apart.
        positions.extend((0..made).map(|i| if c == '\\' { at } else { at + i }));
        at += if c == '\\' { used + 1 } else { used };
    }
    Some(positions)
}

/// What stands behind a backslash: bytes used, bytes made.
fn escape(rest: &str) -> Option<(usize, usize)> {
    let digits = match rest.chars().next()? {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        c if c.is_whitespace() => return Some((rest.len() - rest.trim_start().len(), 0)),
        c => return Some((c.len_utf8(), 1)),
    };
    let code = u32::from_str_radix(rest.get(1..=digits)?, 16).ok()?;
    Some((digits + 1, char::from_u32(code)?.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_and_quoted_text_is_found_byte_by_byte() {
        assert_eq!(positions("ab", "ab"), Some(vec![0, 1, 2]));
        assert_eq!(positions("\"ab\"", "ab"), Some(vec![1, 2, 3]));
        assert_eq!(positions("'''\nab'''", "ab"), Some(vec![4, 5, 6]));
    }

    #[test]
    fn an_escape_is_where_its_backslash_is() {
        assert_eq!(positions(r#""a\"b""#, "a\"b"), Some(vec![1, 2, 4, 5]));
        assert_eq!(positions(r#""\u00e9x""#, "éx"), Some(vec![1, 1, 7, 8]));
        assert_eq!(positions("\"\"\"a\\\n  b\"\"\"", "ab"), Some(vec![3, 8, 9]));
    }

    #[test]
    fn text_that_does_not_belong_is_refused() {
        assert_eq!(positions("\"ab\"", "abc"), None);
        assert_eq!(positions("\"", "\""), Some(vec![0, 1]));
    }
}
