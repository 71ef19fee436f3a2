//! Texts that are not ours to trust as HTML: Markdown and TOML.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// Markdown as HTML: headings from `level` on, links as their text (a report leads nowhere), HTML in it as plain text.
pub(super) fn markdown(text: &str, level: usize) -> String {
    let mut events = Vec::new();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        let event = match event {
            Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
            Event::Start(Tag::Heading { level: own, .. }) => {
                let level = deeper(own, level);
                Event::Start(Tag::Heading { level, id: None, classes: Vec::new(), attrs: Vec::new() })
            }
            Event::End(TagEnd::Heading(own)) => Event::End(TagEnd::Heading(deeper(own, level))),
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) | Event::End(TagEnd::Link | TagEnd::Image) => {
                Event::Text(CowStr::Borrowed(""))
            }
            // A table may be wider than a phone.
            Event::Start(Tag::Table(columns)) => {
                events.push(Event::Html(
                    "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\">".into(),
                ));
                Event::Start(Tag::Table(columns))
            }
            Event::End(TagEnd::Table) => {
                events.push(Event::End(TagEnd::Table));
                Event::Html("</div>".into())
            }
            other => other,
        };
        events.push(event);
    }
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    out
}

/// The first heading of a page becomes one of `level`, those below it one more; deeper ones stay there.
fn deeper(own: HeadingLevel, level: usize) -> HeadingLevel {
    let wanted = (level - 1 + (own as usize).min(2)).min(6);
    HeadingLevel::try_from(wanted).unwrap_or(HeadingLevel::H6)
}

/// TOML as HTML with its words marked.
pub(super) fn toml(text: &str) -> String {
    let mut out = String::with_capacity(2 * text.len());
    let mut rest = text;
    let mut line_begins = true;
    while let Some(first) = rest.chars().next() {
        let (class, length) = word(rest, first, line_begins);
        let (word, after) = rest.split_at(length);
        match class {
            "" => out.push_str(&escaped(word)),
            class => out.push_str(&format!("<span class=\"t-{class}\">{}</span>", escaped(word))),
        }
        line_begins = word.ends_with('\n') || line_begins && word.trim().is_empty();
        rest = after;
    }
    out
}

/// The class and the length of the word with which `rest` begins.
fn word(rest: &str, first: char, line_begins: bool) -> (&'static str, usize) {
    let until = |end: &dyn Fn(char) -> bool| rest.find(end).unwrap_or(rest.len());
    match first {
        '#' => ("note", until(&|c| c == '\n')),
        '[' if line_begins => ("head", until(&|c| c == '\n' || c == '#')),
        '"' | '\'' => ("text", string(rest, first)),
        c if c.is_ascii_digit() || "+-".contains(c) => {
            ("number", until(&|c| !(c.is_ascii_alphanumeric() || "+-_.:".contains(c))).max(1))
        }
        c if c.is_ascii_alphabetic() => {
            let length = until(&|c| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
            let is_key = rest[length..].trim_start_matches([' ', '\t']).starts_with('=');
            let is_truth = matches!(&rest[..length], "true" | "false" | "inf" | "nan");
            (
                if is_key {
                    "key"
                } else if is_truth {
                    "number"
                } else {
                    ""
                },
                length,
            )
        }
        c => ("", c.len_utf8()),
    }
}

/// The length of the string that begins here, whether it ends or not.
fn string(rest: &str, quote: char) -> usize {
    let long: String = [quote; 3].iter().collect();
    if let Some(inner) = rest.strip_prefix(long.as_str()) {
        return inner.find(&long).map_or(rest.len(), |end| end + 6);
    }
    let mut escape = false;
    for (place, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return place,
            _ if escape => escape = false,
            '\\' if quote == '"' => escape = true,
            _ if c == quote => return place + 1,
            _ => {}
        }
    }
    rest.len()
}

/// `text` as it may stand anywhere in HTML.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of HTML without its marks.
    fn plain(html: &str) -> String {
        let mut out = String::new();
        for part in html.split('<') {
            out.push_str(part.split_once('>').map_or(part, |(_, text)| text));
        }
        let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
        entities.iter().fold(out, |text, (entity, c)| text.replace(entity, c))
    }

    #[test]
    fn every_character_of_toml_stays() {
        for text in [
            "a = 1 # note\n[table]\nb = \"</script><b>\"\n",
            "about = \"\"\"\nlong 'text'\n\"\"\"\nc = [1.5, true, 'x']",
            "[[vary]]\nvalues = { \"a b\" = \"c\\\"d\" }",
            "broken = \"never ends\nnext = 'ü",
            "\"\"\"",
            "x=+1e5\n- é\u{1f600}",
            "",
        ] {
            assert_eq!(format!("<i>{text}"), format!("<i>{}", plain(&format!("<i>{}", toml(text)))), "{text}");
        }
    }

    #[test]
    fn words_of_toml_are_told_apart() {
        let html = toml("[run] # why\nrate = \"5</b>\" # \"no\"\nn = 1_000\nt = true\n");
        for part in [
            "<span class=\"t-head\">[run] </span>",
            "<span class=\"t-note\"># &quot;no&quot;</span>",
            "<span class=\"t-key\">rate</span> = <span class=\"t-text\">&quot;5&lt;/b&gt;&quot;</span>",
            "<span class=\"t-number\">1_000</span>",
            "<span class=\"t-number\">true</span>",
        ] {
            assert!(html.contains(part), "{part} in\n{html}");
        }
    }

    #[test]
    fn markdown_leads_nowhere_and_brings_no_html() {
        let html = markdown(
            "# A\n\n## B\n\n[here](http://x.org/) <script>alert(1)</script> ![i](p.png)\n\n|a|\n|-|\n|b|\n",
            3,
        );
        assert!(html.contains("<h3>A</h3>") && html.contains("<h4>B</h4>") && html.contains("here"), "{html}");
        assert!(!html.contains("<script") && !html.contains("http:") && !html.contains("<img"), "{html}");
        assert!(html.contains("<div class=\"scroll\"") && html.trim_end().ends_with("</table>\n</div>"), "{html}");
    }
}
