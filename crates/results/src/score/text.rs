//! Claims as tables: for the terminal and for documents.

use std::fmt::Write as _;

use comfy_table::{Attribute, Cell, Color, ColumnConstraint, ContentArrangement, Table, Width, presets};

use super::why::{claim_tolerance, claim_why, expected, lines, measured};
use super::{Claim, Expectation, Part, Summary, Verdict, verdict};
use crate::markdown;

/// The narrowest terminal that is laid out for, in columns; a narrower one gets this.
const NARROWEST: usize = 40;

/// The claims as a table for a terminal of `width` columns, with the verdicts in colour if `color`, then a line that
/// counts the verdicts.
///
/// The columns are the id of the claim, what the paper says, what Weir measured (with the expected number in brackets)
/// and the verdict. Long text is wrapped so that no line is wider than `width` (of at least 40).
pub fn print_table(claims: &[Claim], width: usize, color: bool) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(width.max(NARROWEST)).unwrap_or(u16::MAX));
    if color {
        table.enforce_styling()
    } else {
        table.force_no_tty()
    };
    table.set_header(["claim", "paper said", "Weir measured", "verdict"].map(heading));
    for claim in claims {
        table.add_row(row(claim));
    }
    let id = ColumnConstraint::UpperBoundary(Width::Percentage(20));
    table.column_mut(0).expect("four columns").set_constraint(id);
    table.column_mut(3).expect("four columns").set_constraint(ColumnConstraint::ContentWidth);
    format!("{}\n{}\n", table.trim_fmt(), Summary::of(claims))
}

fn heading(text: &str) -> Cell {
    Cell::new(text).add_attribute(Attribute::Bold)
}

fn row(claim: &Claim) -> [Cell; 4] {
    let verdict = verdict(claim);
    let color = match verdict {
        Verdict::Reproduced => Color::Green,
        Verdict::Partly => Color::Yellow,
        Verdict::Not => Color::Red,
        Verdict::Missing => Color::Magenta,
    };
    [
        Cell::new(&claim.id),
        Cell::new(said(claim)),
        Cell::new(lines(&claim.parts, marked).join("\n")),
        Cell::new(verdict.word()).fg(color),
    ]
}

/// The claim and where it stands, on one line.
fn said(claim: &Claim) -> String {
    let says = claim.says.split_whitespace().collect::<Vec<_>>().join(" ");
    if claim.at.is_empty() { says } else { format!("{says} ({})", claim.at) }
}

/// A measurement, what the paper has for it, and whether the two agree: `0.93 ± 0.02 (0.95) ✓`.
fn marked(part: &Part) -> String {
    let mark = if part.is_met() { '✓' } else { '✗' };
    if part.expectation == Expectation::Holds {
        return format!("{} {mark}", measured(part));
    }
    format!("{} ({}) {mark}", measured(part), expected(part))
}

/// The claims as a Markdown table, then a line that counts the verdicts.
pub fn markdown_table(claims: &[Claim]) -> String {
    let mut text = String::from(
        "| claim | paper said | where | expected | measured | tolerance | verdict | why |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for claim in claims {
        let cells = [
            markdown::cell(&claim.id),
            markdown::cell(&claim.says),
            markdown::cell(&claim.at),
            markdown_lines(&claim.parts, expected),
            markdown_lines(&claim.parts, measured),
            markdown::cell(&claim_tolerance(claim)),
            verdict(claim).word().to_owned(),
            markdown::cell(&claim_why(claim)),
        ];
        writeln!(text, "| {} |", cells.join(" | ")).expect("writing to a string");
    }
    writeln!(text, "\n{}", Summary::of(claims)).expect("writing to a string");
    text
}

/// What `of` gives for each part, in one Markdown cell.
fn markdown_lines(parts: &[Part], of: impl Fn(&Part) -> String) -> String {
    lines(parts, of).iter().map(|line| markdown::cell(line)).collect::<Vec<_>>().join("<br>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::tests_support::scorecard;

    #[test]
    fn the_terminal_table() {
        let text = print_table(&scorecard().claims, 80, false);
        println!("{text}");
        for word in ["paper said", "Weir measured", "93.5 (95) ✓", "long: 55.25 ± 1.5 (40) ✗", "does not hold ✗"]
        {
            assert!(text.contains(word), "{word} in\n{text}");
        }
        assert!(text.ends_with("\n3 claims: 1 reproduced, 1 partly, 1 not\n"));
        assert!(!text.contains('\u{1b}'));
    }

    #[test]
    fn no_line_is_wider_than_asked_for() {
        let mut claims = scorecard().claims;
        claims[0].says = "A long claim about many things, with averylongwordthatfitsnowhere at all. ".repeat(5);
        claims[1].id = "an-identifier-that-is-longer-than-its-column".to_owned();
        claims[2].parts[0].label = "label ".repeat(20);
        for width in [40, 60, 80, 120, 200] {
            let text = print_table(&claims, width, false);
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width, "{widest} > {width}\n{text}");
        }
        assert_eq!(print_table(&claims, 0, false), print_table(&claims, 40, false));
    }

    #[test]
    fn colour_only_adds_colour() {
        let claims = scorecard().claims;
        let coloured = print_table(&claims, 80, true);
        assert!(coloured.contains("\u{1b}["));
        let words = |text: &str| text.matches("reproduced").count();
        assert_eq!(words(&coloured), words(&print_table(&claims, 80, false)));
    }

    #[test]
    fn no_claims_make_an_empty_table() {
        assert!(print_table(&[], 80, false).ends_with("\n0 claims: 0 reproduced, 0 partly, 0 not\n"));
        assert_eq!(markdown_table(&[]).lines().count(), 4);
    }

    #[test]
    fn the_markdown_table() {
        let text = markdown_table(&scorecard().claims);
        assert!(text.contains("| use | The link is used to 95 %. | Fig. 5 | 95 | 93.5 | 3 points | reproduced |"));
        assert!(text.contains("| Delay is \\| halved. |"), "{text}");
        assert!(text.contains("| short: 20<br>long: 40 | short: 21<br>long: 55.25 ± 1.5 |"), "{text}");
        let bars = |line: &str| line.replace("\\|", "").matches('|').count();
        assert!(text.lines().take(5).all(|line| bars(line) == 9), "{text}");
    }
}
