//! The comparison as one HTML file.

use super::{Comparison, markdown};
use crate::args::CompareArgs;
use crate::{Failure, report};
use std::path::Path;
use weir_lab::{MEASURES, measure_named, network};
use weir_results::chart::{Axis, Chart, Kind, Point, Series};
use weir_results::report::{Fact, Grid, Study, Value};

pub(super) fn write(comparison: &Comparison, args: &CompareArgs, file: &Path) -> Result<(), Failure> {
    let mut sections = vec![(overview(comparison), Vec::new())];
    sections.extend((0..comparison.standings.len()).map(|ground| (section(comparison, ground), Vec::new())));
    let about = "Every scheme on every network, with several seeds. Numbers are means over seeds with half the 95 % confidence \
                 interval. A scheme is on the front if no other has as much goodput and as little delay, and more of one.";
    report::write(file, "Schemes compared", about, sections, command(comparison, args))
}

fn command(comparison: &Comparison, args: &CompareArgs) -> String {
    let lists = [("--schemes", &args.schemes), ("--scenarios", &args.scenarios)];
    let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
    let mut more: Vec<String> = lists.flat_map(|(word, list)| [word.to_owned(), list.join(",")]).collect();
    if args.quick {
        more.push("--quick".into());
    }
    let seeds = comparison.seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    more.extend(["--seeds".into(), seeds]);
    report::command(&["compare"], &[], &more)
}

/// Standings over all networks.
fn overview(comparison: &Comparison) -> Study {
    let columns = MEASURES.iter().map(|m| (m.label.to_owned(), String::new()));
    let row = |i: usize| {
        let value = |m: usize| comparison.standing(i, m).map_or(Value::Missing, |(mean, _)| Value::Number(mean, None));
        let name = Value::Text(comparison.contenders[i].name.clone());
        [name].into_iter().chain((0..MEASURES.len()).map(value)).collect()
    };
    let ranks = Grid {
        title: "Relative rank, mean over the networks: 0 is the best everywhere, 1 the last everywhere".into(),
        columns: [("scheme".to_owned(), String::new())].into_iter().chain(columns).collect(),
        rows: (0..comparison.contenders.len()).map(row).collect(),
        folded: false,
    };
    let front = |ground: usize| {
        let names = comparison.front_names(ground).join(", ");
        vec![Value::Text(comparison.grounds[ground].arena.name.clone()), Value::Text(names)]
    };
    let fronts = Grid {
        title: "On the front of goodput against mean delay".into(),
        columns: vec![("network".into(), String::new()), ("schemes, most goodput first".into(), String::new())],
        rows: (0..comparison.standings.len()).map(front).collect(),
        folded: false,
    };
    Study {
        title: "All networks".into(),
        facts: vec![
            Fact::new("schemes", comparison.contenders.len().to_string()),
            Fact::new("networks", comparison.standings.len().to_string()),
            Fact::new("seeds", comparison.seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
        ],
        tables: vec![ranks, fronts],
        ..Study::default()
    }
}

fn section(comparison: &Comparison, ground: usize) -> Study {
    let of = &comparison.grounds[ground];
    let shown: Vec<usize> =
        (0..MEASURES.len()).filter(|m| comparison.figures(ground, *m).iter().any(Option::is_some)).collect();
    let columns: Vec<Vec<_>> = shown.iter().map(|m| comparison.figures(ground, *m)).collect();
    let front = comparison.front(ground);
    let row = |i: usize| {
        let value = |column: &Vec<Option<super::verdicts::Figure>>| {
            column[i].map_or(Value::Missing, |figure| Value::Number(figure.mean, figure.half))
        };
        let name = Value::Text(comparison.contenders[i].name.clone());
        let on = Value::Text(if front[i] { "yes" } else { "" }.into());
        [name, on].into_iter().chain(columns.iter().map(value)).collect()
    };
    let heads = shown.iter().map(|m| (MEASURES[*m].label.to_owned(), MEASURES[*m].unit.to_owned()));
    let measured = Grid {
        title: "Means over seeds with 95 % confidence intervals".into(),
        columns: ["scheme", "front"].map(|name| (name.to_owned(), String::new())).into_iter().chain(heads).collect(),
        rows: (0..comparison.contenders.len()).map(row).collect(),
        folded: false,
    };
    let remark = |i: usize| {
        let remark = comparison.remark(ground, i)?;
        Some(vec![Value::Text(comparison.contenders[i].name.clone()), Value::Text(remark)])
    };
    let remarks = Grid {
        title: "What could not run, and fetches that did not end in time".into(),
        columns: ["scheme", "remark"].map(|name| (name.to_owned(), String::new())).to_vec(),
        rows: (0..comparison.contenders.len()).filter_map(remark).collect(),
        folded: false,
    };
    let mut tables = vec![measured, remarks];
    tables.retain(|table| !table.rows.is_empty());
    Study {
        title: of.arena.name.clone(),
        about: markdown::about(comparison, ground).replace('`', ""),
        tables,
        figures: figures(comparison, ground),
        networks: of.sample.iter().map(|scenario| network(&[scenario], scenario)).collect(),
        file: of.origin.clone(),
        ..Study::default()
    }
}

fn figures(comparison: &Comparison, ground: usize) -> Vec<(String, Chart)> {
    let name = &comparison.grounds[ground].arena.name;
    let of = |name| measure_named(name).map(|m| comparison.figures(ground, m)).unwrap_or_default();
    let (goodput, delay, front) = (of("goodput"), of("delay"), comparison.front(ground));
    let point = |i: &usize| {
        let (gain, cost) = (goodput[*i]?, delay[*i]?);
        Some(Point::with_interval(cost.mean, gain.mean, gain.half))
    };
    let (on, off): (Vec<usize>, Vec<usize>) = (0..front.len()).partition(|i| front[*i]);
    let alone =
        |i: usize| Series { label: comparison.contenders[i].name.clone(), points: point(&i).into_iter().collect() };
    let mut series: Vec<Series> = on.into_iter().map(alone).collect();
    let others = Series { label: "not on the front".into(), points: off.iter().filter_map(point).collect() };
    series.extend([others].into_iter().filter(|s| !s.points.is_empty()));
    let scatter = Chart {
        title: format!("{name}: goodput against delay"),
        x: Axis::log("Mean delay of a segment", "ms"),
        y: Axis::linear("Goodput", "Mbit/s"),
        series,
        kind: Kind::Scatter,
        note: Some("The front is up and to the left.".into()),
    };
    let measured: Vec<usize> = (0..goodput.len()).filter(|i| goodput[*i].is_some()).collect();
    let bar = |(place, i): (usize, &usize)| goodput[*i].map(|f| Point::with_interval(place as f64, f.mean, f.half));
    let bars = Chart {
        title: format!("{name}: goodput"),
        x: Axis::category("Scheme", measured.iter().map(|i| comparison.contenders[*i].name.clone())),
        y: Axis::linear("Goodput", "Mbit/s"),
        series: vec![Series { label: String::new(), points: measured.iter().enumerate().filter_map(bar).collect() }],
        kind: Kind::Bars,
        note: None,
    };
    vec![(format!("{name}-front"), scatter), (format!("{name}-goodput"), bars)]
}
