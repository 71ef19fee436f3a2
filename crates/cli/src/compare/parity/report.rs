//! What both sides have measured, as a table.

use comfy_table::presets::UTF8_HORIZONTAL_ONLY;
use comfy_table::{CellAlignment, Table as Drawn};
use serde_json::{Value, json};
use weir_lab::Experiment;
use weir_results::stats::{confidence95, mean};
use weir_results::table::{Cell, Column, Table};
use weir_sim::{Outcome, Scope};

/// Goodput may differ by so much (the bar of the comparison).
const WITHIN: f64 = 0.1;

/// A measure, and where it is found in a run.
struct Measure {
    name: &'static str,
    label: &'static str,
    unit: &'static str,
    digits: usize,
    of: fn(&Outcome) -> Option<f64>,
}

const MEASURES: [Measure; 3] = [
    Measure { name: "goodput", label: "goodput", unit: "Mbit/s", digits: 2, of: |run| value(run, "goodput") },
    Measure {
        name: "retransmitted",
        label: "retransmitted",
        unit: "%",
        digits: 2,
        of: |run| Some(100.0 * value(run, "retransmissions")? / value(run, "requests").filter(|n| *n > 0.0)?),
    },
    Measure { name: "delay", label: "mean delay", unit: "ms", digits: 1, of: |run| value(run, "full_delay") },
];

fn value(run: &Outcome, metric: &'static str) -> Option<f64> {
    run.values.get(&(metric, Scope::Run)).copied()
}

/// A mean and half its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Estimate {
    mean: f64,
    half: Option<f64>,
}

impl Estimate {
    fn of(values: &[f64]) -> Option<Estimate> {
        Some(Estimate { mean: mean(values)?, half: confidence95(values) })
    }

    /// The quotient; its interval as if the errors were small and independent.
    fn over(self, other: Estimate) -> Option<Estimate> {
        if self.mean <= 0.0 || other.mean <= 0.0 {
            return None;
        }
        let mean = self.mean / other.mean;
        let share = |of: Estimate| of.half.map(|half| half / of.mean);
        let half = share(self).zip(share(other)).map(|(a, b)| mean * a.hypot(b));
        Some(Estimate { mean, half })
    }

    fn text(estimate: Option<Estimate>, digits: usize) -> String {
        match estimate {
            None => "-".into(),
            Some(Estimate { mean, half: Some(half) }) => format!("{mean:.digits$} ± {half:.digits$}"),
            Some(Estimate { mean, half: None }) => format!("{mean:.digits$}"),
        }
    }
}

/// A measure on both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pair {
    simulated: Option<Estimate>,
    emulated: Option<Estimate>,
}

impl Pair {
    fn ratio(self) -> Option<Estimate> {
        self.emulated?.over(self.simulated?)
    }
}

/// A line for each scheme.
pub(super) struct Rows {
    rows: Vec<(String, [Pair; MEASURES.len()])>,
    runs: usize,
}

impl Rows {
    /// What two experiments of one study have measured, in the runs that both have.
    pub fn of(simulated: &Experiment, emulated: &Experiment) -> Rows {
        let mut rows = Vec::new();
        let mut most = 0;
        for (number, point) in simulated.study.points().iter().enumerate() {
            let runs = |experiment: &Experiment| -> Vec<Outcome> {
                experiment.outcomes[number].iter().filter_map(|(_, run)| run.clone()).collect()
            };
            let (simulated, emulated) = (runs(simulated), runs(emulated));
            if emulated.is_empty() {
                continue;
            }
            most = most.max(emulated.len());
            let pair = |measure: &Measure| {
                let of = |runs: &[Outcome]| Estimate::of(&runs.iter().filter_map(measure.of).collect::<Vec<_>>());
                Pair { simulated: of(&simulated), emulated: of(&emulated) }
            };
            rows.push((
                point.labels.iter().map(|(_, label)| label.as_str()).collect::<Vec<_>>().join(", "),
                MEASURES.each_ref().map(pair),
            ));
        }
        Rows { rows, runs: most }
    }

    /// Schemes whose goodput differs by more than it may.
    fn beyond(&self) -> Vec<&str> {
        let far = |pairs: &[Pair]| pairs[0].ratio().is_none_or(|ratio| (ratio.mean - 1.0).abs() > WITHIN);
        self.rows.iter().filter(|(_, pairs)| far(pairs)).map(|(name, _)| name.as_str()).collect()
    }

    fn verdict(&self) -> String {
        let within = WITHIN * 100.0;
        match &self.beyond()[..] {
            [] => format!("The goodput of every scheme is within {within} % of the simulated one."),
            far => format!(
                "The goodput of {} of {} schemes is within {within} % of the simulated one; not that of {}.",
                self.rows.len() - far.len(),
                self.rows.len(),
                far.join(", ")
            ),
        }
    }

    fn heading() -> Vec<String> {
        let of = |measure: &Measure| {
            let (label, unit) = (measure.label, measure.unit);
            [format!("{label}, simulated ({unit})"), "emulated".into(), "ratio".into()]
        };
        std::iter::once("scheme".to_owned()).chain(MEASURES.iter().flat_map(of)).collect()
    }

    fn cells(&self) -> impl Iterator<Item = Vec<String>> {
        self.rows.iter().map(|(name, pairs)| {
            let of = |(measure, pair): (&Measure, &Pair)| {
                let sides = [pair.simulated, pair.emulated].map(|side| Estimate::text(side, measure.digits));
                let [simulated, emulated] = sides;
                [simulated, emulated, Estimate::text(pair.ratio(), 2)]
            };
            std::iter::once(name.clone()).chain(MEASURES.iter().zip(pairs).flat_map(of)).collect()
        })
    }

    /// For a page.
    pub fn markdown(&self) -> String {
        let quoted = |mut cells: Vec<String>| {
            cells[0] = format!("`{}`", cells[0]);
            cells
        };
        let heading = Rows::heading();
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = format!("|---{}\n", "|---:".repeat(heading.len() - 1) + "|");
        let rows: String = self.cells().map(|cells| line(&quoted(cells))).collect();
        let runs = self.runs;
        format!(
            "{} runs of each scheme on each side; means with 95 % confidence intervals; ratios are emulated over simulated. \
             {}\n\n{}{rule}{rows}",
            runs,
            self.verdict(),
            line(&heading)
        )
    }

    /// For a terminal.
    pub fn drawn(&self, width: usize) -> String {
        let mut table = Drawn::new();
        table.load_style(UTF8_HORIZONTAL_ONLY).set_width(width.min(usize::from(u16::MAX)) as u16);
        table.set_content_arrangement(comfy_table::ContentArrangement::Dynamic);
        table.set_header(Rows::heading());
        table.add_rows(self.cells());
        table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
        format!("{table}\n{}\n", self.verdict())
    }

    /// For spreadsheets: a line for each scheme and measure.
    pub fn table(&self) -> Table {
        let mut table = Table::new(vec![
            Column::text("scheme", "The scheme"),
            Column::text("measure", "What was measured"),
            Column::text("unit", "Its unit"),
            Column::new("simulated", "", "Mean of the simulated runs"),
            Column::new("simulated_ci95", "", "Half of its 95 % confidence interval"),
            Column::new("emulated", "", "Mean of the emulated runs"),
            Column::new("emulated_ci95", "", "Half of its 95 % confidence interval"),
            Column::new("ratio", "", "Emulated over simulated"),
            Column::new("ratio_ci95", "", "Half of its 95 % confidence interval"),
        ]);
        for (name, pairs) in &self.rows {
            for (measure, pair) in MEASURES.iter().zip(pairs) {
                let texts = [name.as_str(), measure.name, measure.unit].map(|text| Cell::Text(text.into()));
                let sides = [pair.simulated, pair.emulated, pair.ratio()];
                let both = |side: Option<Estimate>| [side.map(|s| s.mean), side.and_then(|s| s.half)];
                let numbers = sides.into_iter().flat_map(both).map(|n| n.map_or(Cell::Missing, Cell::Number));
                table.push(texts.into_iter().chain(numbers));
            }
        }
        table
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let estimate = |e: Option<Estimate>| e.map(|e| json!({ "mean": e.mean, "ci95": e.half }));
        let measure = |(measure, pair): (&Measure, &Pair)| {
            json!({
                "measure": measure.name, "unit": measure.unit, "simulated": estimate(pair.simulated),
                "emulated": estimate(pair.emulated), "ratio": estimate(pair.ratio()),
            })
        };
        let scheme = |(name, pairs): &(String, [Pair; MEASURES.len()])| json!({ "scheme": name, "measures": MEASURES.iter().zip(pairs).map(measure).collect::<Vec<_>>() });
        json!({
            "runs": self.runs, "schemes": self.rows.iter().map(scheme).collect::<Vec<_>>(), "beyond": self.beyond(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(values: &[f64]) -> Option<Estimate> {
        Estimate::of(values)
    }

    fn rows(emulated: &[f64]) -> Rows {
        let pair = Pair { simulated: estimate(&[9.0, 9.2, 9.1]), emulated: estimate(emulated) };
        Rows { rows: vec![("icp".into(), [pair, Pair::default(), Pair::default()])], runs: 3 }
    }

    #[test]
    fn a_ratio_has_the_error_of_both() {
        let (a, b) = (Estimate { mean: 6.0, half: Some(0.3) }, Estimate { mean: 3.0, half: Some(0.2) });
        let ratio = a.over(b).unwrap();
        // 2 * sqrt(0.05^2 + (1/15)^2)
        assert!((ratio.mean - 2.0).abs() < 1e-12 && (ratio.half.unwrap() - 1.0 / 6.0).abs() < 1e-9, "{ratio:?}");
        assert_eq!(a.over(Estimate { mean: 0.0, half: None }), None);
    }

    #[test]
    fn what_differs_too_much_is_named() {
        assert_eq!(rows(&[8.5, 8.6, 8.7]).beyond(), Vec::<&str>::new());
        assert_eq!(rows(&[8.0, 8.1, 8.2]).beyond(), ["icp"]);
        assert_eq!(rows(&[10.1, 10.2, 10.3]).beyond(), ["icp"]);
        assert_eq!(rows(&[]).beyond(), ["icp"], "nothing is known");
        assert!(rows(&[8.0, 8.1, 8.2]).markdown().contains("not that of icp."));
    }

    #[test]
    fn a_table_has_a_line_for_each_scheme() {
        let text = rows(&[8.5, 8.6, 8.7]).markdown();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5, "{text}");
        assert!(lines[4].starts_with("| `icp` | 9.10 ± 0.25 | 8.60 ± 0.25 | 0.95 ± 0.04 | - | - |"), "{}", lines[4]);
        assert_eq!(lines[2].matches('|').count(), lines[4].matches('|').count());
    }
}
