//! The comparison for programs.

use super::Comparison;
use super::tables::state;
use serde_json::{Map, Value, json};
use weir_lab::MEASURES;

/// `{"seeds", "measures", "scenarios": [{"name", "about", "origin", "schemes": [..]}], "standings": {..}}`
pub(super) fn text(comparison: &Comparison) -> String {
    let measures: Map<String, Value> =
        MEASURES.iter().map(|m| (m.name.into(), json!({ "unit": m.unit, "about": m.about }))).collect();
    let scenarios: Vec<Value> = (0..comparison.standings.len()).map(|ground| scenario(comparison, ground)).collect();
    let standing = |contender: usize| {
        let of =
            |m: usize| comparison.standing(contender, m).map(|(mean, _)| (MEASURES[m].name.to_owned(), json!(mean)));
        Value::Object((0..MEASURES.len()).filter_map(of).collect())
    };
    let standings: Map<String, Value> =
        comparison.contenders.iter().enumerate().map(|(i, c)| (c.name.clone(), standing(i))).collect();
    let all = json!({
        "seeds": comparison.seeds,
        "measures": measures,
        "scenarios": scenarios,
        "standings": standings,
    });
    format!("{all:#}\n")
}

fn scenario(comparison: &Comparison, ground: usize) -> Value {
    let of = &comparison.grounds[ground];
    let front = comparison.front(ground);
    let columns: Vec<Vec<_>> = (0..MEASURES.len()).map(|m| comparison.figures(ground, m)).collect();
    let scheme = |i: usize| {
        let figure = |(measure, column): (&weir_lab::Measure, &Vec<Option<super::verdicts::Figure>>)| {
            let figure = column[i]?;
            let value = json!({ "mean": figure.mean, "ci95": figure.half, "rank": figure.rank, "leads": figure.leads });
            Some((measure.name.to_owned(), value))
        };
        let figures: Map<String, Value> = MEASURES.iter().zip(&columns).filter_map(figure).collect();
        json!({
            "name": comparison.contenders[i].name,
            "state": state(&comparison.standings[ground][i]),
            "remark": comparison.remark(ground, i),
            "front": front[i],
            "measures": figures,
        })
    };
    let schemes: Vec<Value> = (0..comparison.contenders.len()).map(scheme).collect();
    json!({
        "name": of.arena.name,
        "about": of.arena.about,
        "origin": of.origin,
        "ends": of.bound(),
        "schemes": schemes,
    })
}
