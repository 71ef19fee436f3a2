//! The comparison in Markdown: whole, and as the summary that the documentation shows.

use super::Comparison;
use std::fmt::Write as _;
use weir_lab::{MEASURES, measure_named};

/// Everything.
pub(super) fn whole(comparison: &Comparison) -> String {
    let mut text = format!("# Schemes compared\n\n{}\n", summary(comparison));
    for (number, ground) in comparison.grounds.iter().enumerate() {
        let _ = writeln!(text, "## {}\n\n{}\n", ground.arena.name, about(comparison, number));
        text += &table_of(comparison, number);
    }
    text
}

/// What a network is, and how long its runs last.
pub(super) fn about(comparison: &Comparison, number: usize) -> String {
    let ground = &comparison.grounds[number];
    let about = ground.arena.about.trim_end_matches('.');
    let about = if about.is_empty() { String::new() } else { format!("{about}. ") };
    format!("{about}From `{}`; a run lasts {}.", ground.origin, ground.bound())
}

/// Columns for which anything was measured on a network.
fn measured(comparison: &Comparison, ground: usize) -> Vec<usize> {
    (0..MEASURES.len()).filter(|m| comparison.figures(ground, *m).iter().any(Option::is_some)).collect()
}

fn unit(measure: usize) -> String {
    let measure = &MEASURES[measure];
    if measure.unit.is_empty() { measure.label.into() } else { format!("{} ({})", measure.label, measure.unit) }
}

fn table_of(comparison: &Comparison, ground: usize) -> String {
    let shown = measured(comparison, ground);
    let columns: Vec<Vec<_>> = shown.iter().map(|m| comparison.figures(ground, *m)).collect();
    let front = comparison.front(ground);
    let heads: Vec<String> = shown.iter().map(|m| unit(*m)).collect();
    let mut text = format!("| scheme | {} | front |\n|---|{}:-:|\n", heads.join(" | "), "--:|".repeat(heads.len()));
    let mut remarks = String::new();
    for (i, contender) in comparison.contenders.iter().enumerate() {
        if let Some(remark) = comparison.remark(ground, i) {
            let _ = writeln!(remarks, "* `{}`: {remark}", contender.name);
        }
        if columns.iter().all(|column| column[i].is_none()) {
            continue;
        }
        let cell = |column: &Vec<Option<super::verdicts::Figure>>| match column[i] {
            None => "–".to_owned(),
            Some(figure) => {
                let half = figure.half.filter(|h| *h > 0.0).map(|h| format!(" ± {}", short(h))).unwrap_or_default();
                let text = format!("{}{half}", short(figure.mean));
                if figure.leads { format!("**{text}**") } else { text }
            }
        };
        let cells: Vec<String> = columns.iter().map(cell).collect();
        let _ =
            writeln!(text, "| `{}` | {} | {} |", contender.name, cells.join(" | "), if front[i] { "●" } else { "" });
    }
    if !remarks.is_empty() {
        let _ = write!(text, "\n{remarks}");
    }
    text + "\n"
}

/// Standings over all networks, goodput and delay by network, fronts and remarks.
pub(super) fn summary(comparison: &Comparison) -> String {
    let (schemes, networks) = (comparison.contenders.len(), comparison.grounds.len());
    let seeds = comparison.seeds.len();
    let mut text = format!(
        "{schemes} schemes on {networks} networks with {seeds} seeds each. **Bold**: the best, or one whose 95 % confidence \
         interval reaches that of the best.\n\n"
    );
    text += &networks_table(comparison);
    text += &standings(comparison);
    for (measure, title) in [
        ("goodput", "Goodput, as a share of the best on each network (%)"),
        ("delay_p95", "Delay of a segment, 95th percentile (ms)"),
        ("maxmin_ratio", "What the flow that is worst off got of its max-min fair share (%)"),
    ] {
        text += &by_network(comparison, measure, title);
    }
    text + &remarks(comparison)
}

/// Which network is which letter, and who is on its front.
fn networks_table(comparison: &Comparison) -> String {
    let mut text =
        String::from("| | network | what it is | on the front of goodput against mean delay |\n|---|---|---|---|\n");
    for (number, ground) in comparison.grounds.iter().enumerate() {
        let front: Vec<String> = comparison.front_names(number).iter().map(|name| format!("`{name}`")).collect();
        let about = ground.arena.about.replace('|', "\\|");
        let _ = writeln!(text, "| {} | `{}` | {about} | {} |", letter(number), ground.arena.name, front.join(", "));
    }
    text + "\n"
}

fn standings(comparison: &Comparison) -> String {
    let shown: Vec<usize> = super::tables::GLANCED.iter().filter_map(|name| measure_named(name)).collect();
    let heads: Vec<&str> = shown.iter().map(|m| MEASURES[*m].label).collect();
    let mut text = format!(
        "Relative rank, mean over the networks: 0 is the best everywhere, 1 the last everywhere.\n\n| scheme | {} |\n|---|{}\n",
        heads.join(" | "),
        "--:|".repeat(heads.len())
    );
    let column = |m: &usize| (0..comparison.contenders.len()).map(|c| comparison.standing(c, *m)).collect::<Vec<_>>();
    let columns: Vec<Vec<Option<(f64, usize)>>> = shown.iter().map(column).collect();
    let least = |column: &Vec<Option<(f64, usize)>>| column.iter().flatten().map(|(mean, _)| *mean).reduce(f64::min);
    for (i, contender) in comparison.contenders.iter().enumerate() {
        let cell = |column: &Vec<Option<(f64, usize)>>| match column[i] {
            None => "–".to_owned(),
            Some((mean, _)) if Some(mean) == least(column) => format!("**{mean:.2}**"),
            Some((mean, _)) => format!("{mean:.2}"),
        };
        let _ =
            writeln!(text, "| `{}` | {} |", contender.name, columns.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
    text + "\n"
}

/// One measure: a row for each scheme, a column for each network.
fn by_network(comparison: &Comparison, measure: &str, title: &str) -> String {
    let Some(number) = measure_named(measure) else { return String::new() };
    let grounds: Vec<usize> = (0..comparison.grounds.len())
        .filter(|ground| comparison.figures(*ground, number).iter().any(Option::is_some))
        .collect();
    if grounds.is_empty() {
        return String::new();
    }
    let columns: Vec<Vec<_>> = grounds.iter().map(|ground| comparison.figures(*ground, number)).collect();
    let heads: Vec<String> = grounds.iter().map(|ground| letter(*ground)).collect();
    let mut text = format!("{title}.\n\n| scheme | {} |\n|---|{}\n", heads.join(" | "), "--:|".repeat(heads.len()));
    for (i, contender) in comparison.contenders.iter().enumerate() {
        let cell = |column: &Vec<Option<super::verdicts::Figure>>| {
            let Some(figure) = column[i] else { return "–".to_owned() };
            let most = column.iter().flatten().map(|f| f.mean).fold(f64::MIN_POSITIVE, f64::max);
            let text = match measure {
                "goodput" => format!("{:.0}", 100.0 * figure.mean / most),
                "maxmin_ratio" => format!("{:.0}", 100.0 * figure.mean),
                _ => short(figure.mean),
            };
            if figure.leads { format!("**{text}**") } else { text }
        };
        let cells: Vec<String> = columns.iter().map(cell).collect();
        let _ = writeln!(text, "| `{}` | {} |", contender.name, cells.join(" | "));
    }
    text + "\n"
}

/// Whatever could not run, or did not come to its end: for each remark those schemes and networks that share it.
fn remarks(comparison: &Comparison) -> String {
    let mut text = String::new();
    for (number, ground) in comparison.grounds.iter().enumerate() {
        let mut told: Vec<(String, Vec<&str>)> = Vec::new();
        for (i, contender) in comparison.contenders.iter().enumerate() {
            let Some(remark) = comparison.remark(number, i) else { continue };
            match told.iter_mut().find(|(known, _)| *known == remark) {
                Some((_, names)) => names.push(&contender.name),
                None => told.push((remark, vec![&contender.name])),
            }
        }
        for (remark, names) in told {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let _ = writeln!(text, "* On `{}`: {}: {remark}.", ground.arena.name, names.join(", "));
        }
    }
    if text.is_empty() { text } else { format!("What could not run, and fetches that did not end in time:\n\n{text}") }
}

/// `A`, `B`, .. `Z`, `A1`, ..
pub(super) fn letter(number: usize) -> String {
    let letter = char::from(b'A' + (number % 26) as u8);
    if number < 26 { letter.to_string() } else { format!("{letter}{}", number / 26) }
}

/// Three digits that count.
fn short(number: f64) -> String {
    let digits = (2 - number.abs().max(1e-9).log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{number:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_that_count() {
        for (number, text) in [(0.0, "0"), (0.01234, "0.0123"), (1.0, "1"), (12.345, "12.3"), (1234.5, "1234")] {
            assert_eq!(short(number), text);
        }
        assert_eq!([0, 25, 26].map(letter), ["A", "Z", "A1"]);
    }
}
