//! What measures yield.

use weir_scenario::Axis;
use weir_scenario::expr::{Bindings, Lookup, Measure, Outcome, Places, Type, Vocabulary};
use weir_scenario::metrics::METRICS;

/// `retransmissions` is 100 for icp and 200 for cubic, times 1 - alpha; `goodput` depends on the flow.
struct Fake;

impl Lookup for Fake {
    fn moments(&self, from: f64, to: f64, _bindings: &Bindings) -> Vec<f64> {
        (0..=20).map(|n| f64::from(n) / 2.0).filter(|t| from < *t && *t <= to).collect()
    }

    /// Four fetches; the last one is of the flow c0 alone.
    fn fetches(&self, bindings: &Bindings) -> Vec<String> {
        assert_eq!(bindings["control"], "icp");
        (0..4).filter(|n| *n < 3 || bindings.get("flow").is_none_or(|f| f == "c0")).map(|n| format!("0:{n}")).collect()
    }

    fn seeds(&self, _bindings: &Bindings) -> Vec<String> {
        vec!["1".into(), "2".into()]
    }

    fn value(&self, metric: &str, bindings: &Bindings) -> Option<f64> {
        if let Some(fetch) = bindings.get("fetch") {
            return fetch.split_once(':')?.1.parse().ok();
        }
        let alpha: f64 = bindings["alpha"].parse().ok()?;
        assert!(bindings.contains_key("control") && bindings["queue"] == "32p", "{bindings:?}");
        let base = if bindings["control"] == "icp" { 100.0 } else { 200.0 };
        match metric {
            "retransmissions" => Some(base * (1.0 - alpha)),
            "goodput" => match bindings.get("flow").map(String::as_str) {
                None => Some(30.0),
                Some("c0") => Some(10.0),
                Some(_) => Some(20.0),
            },
            "queue" => Some(bindings.get("time")?.parse::<f64>().ok()? * bindings.get("seed")?.parse::<f64>().ok()?),
            "rate" => bindings.get("time")?.parse().ok(),
            "congestion_start" => bindings.get("congestion")?.parse().ok(),
            "drops" => Some(if bindings.get("link").is_some_and(|l| l == "a>b") { 3.0 } else { 4.0 }),
            _ => None,
        }
    }
}

fn axes() -> Vec<Axis> {
    let axis = |name: &str, labels: &[&str]| Axis {
        name: name.into(),
        labels: labels.iter().map(|l| l.to_string()).collect(),
    };
    vec![axis("control", &["icp", "cubic"]), axis("alpha", &["0", "0.25", "0.5", "1"]), axis("queue", &["32p"])]
}

fn places() -> Places {
    let words = |list: &[&str]| list.iter().map(|w| w.to_string()).collect();
    Places {
        flows: words(&["c0", "my flow"]),
        links: words(&["l1"]),
        directions: words(&["a>b", "b>a"]),
        nodes: words(&["a", "b"]),
    }
}

#[track_caller]
fn evaluate(text: &str, outer: &[(&str, &str)]) -> Result<Outcome, String> {
    let (axes, places) = (axes(), places());
    let vocabulary = Vocabulary { metrics: METRICS, axes: &axes, places: Some(&places) };
    let mut measure = Measure::parse(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let bound: Vec<&str> = outer.iter().map(|(axis, _)| *axis).collect();
    measure.check(&vocabulary, &bound).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let outer = outer.iter().map(|(axis, label)| (axis.to_string(), label.to_string())).collect();
    measure.evaluate(&Fake, &outer).map_err(|missing| missing.reason)
}

#[track_caller]
fn is(text: &str, expected: f64) {
    assert_eq!(evaluate(text, &[]), Ok(Outcome::Number(expected)), "{text}");
}

#[track_caller]
fn holds(text: &str, expected: bool) {
    assert_eq!(evaluate(text, &[]), Ok(Outcome::Truth(expected)), "{text}");
}

#[test]
fn arithmetic_has_the_usual_order() {
    for (text, expected) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("8 - 4 - 2", 2.0),
        ("8 / 4 / 2", 1.0),
        ("2 ^ 3 ^ 2", 512.0),
        ("-2 ^ 2", -4.0),
        ("2 ^ -1", 0.5),
        ("-3 * -2", 6.0),
        ("1e3 + .5 + 1_000", 2000.5),
        ("abs(-3) + min(4, 2, 3) + max(1, 5) + mean(1, 2) + sum(1, 2, 3)", 17.5),
    ] {
        is(text, expected);
    }
}

#[test]
fn truths_have_the_usual_order() {
    holds("1 < 2 and 2 <= 2 or false", true);
    holds("not 1 > 2 and true", true);
    holds("true or false and false", true);
    holds("(1 == 1) and (1 != 1)", false);
    holds("2 >= 3 or 3 > 2", true);
}

#[test]
fn selectors_find_their_axis() {
    is("retransmissions[icp, 0.5]", 50.0);
    is("retransmissions[alpha=0.50, control='icp']", 50.0);
    is("retransmissions[icp, 0.5, queue=32p]", 50.0);
    is("retransmissions[icp, 0] - retransmissions[cubic, 0]", -100.0);
    is("goodput[icp, 0]", 30.0);
    is("goodput[icp, 0, flow=c0] + goodput[icp, 0, \"my flow\"]", 30.0);
    is("drops[icp, 0, link=a>b] + drops[icp, 0, l1]", 7.0);
}

#[test]
fn aggregations_go_along_an_axis() {
    is("max(alpha: 1 - retransmissions[icp] / retransmissions[icp, alpha=0])", 1.0);
    is("max(alpha in [0.25, 0.5]: 1 - retransmissions[icp] / retransmissions[icp, alpha=0])", 0.5);
    is("sum(control: max(alpha: retransmissions))", 300.0);
    is("mean(control: retransmissions[0])", 150.0);
    is("min(alpha: retransmissions[cubic])", 0.0);
    is("sum(flow: goodput[icp, 0]) / goodput[icp, 0]", 1.0);
    holds("all(control: retransmissions[alpha=1] == 0)", true);
    holds("any(control: retransmissions[alpha=0] > 150)", true);
    holds("all(control: falling(alpha: retransmissions))", true);
    holds("rising(alpha: retransmissions[icp])", false);
    is("count(alpha: retransmissions[icp] > 20)", 3.0);
    is("count(1 < 2, 2 < 1, 3 < 4) + 1", 3.0);
    is("count(control: any(alpha: retransmissions > 150))", 1.0);
    is("max(alpha: retransmissions[icp, alpha=0.5] + 0 * retransmissions[icp])", 50.0);
}

#[test]
fn outer_labels_bind_axes() {
    let outer = [("control", "icp"), ("alpha", "0.25"), ("flow", "c0")];
    assert_eq!(evaluate("retransmissions", &outer), Ok(Outcome::Number(75.0)));
    assert_eq!(evaluate("retransmissions[cubic]", &outer), Ok(Outcome::Number(150.0)));
    assert_eq!(evaluate("goodput", &outer), Ok(Outcome::Number(10.0)));
    assert_eq!(evaluate("drops", &outer), Ok(Outcome::Number(4.0)), "drops know no flow");
}

#[test]
fn what_is_missing_says_why() {
    assert_eq!(
        evaluate("1 + timeouts[icp, 0]", &[]).unwrap_err(),
        "`timeouts` was not measured at [alpha=0, control=icp, queue=32p]"
    );
    let text = "retransmissions[icp, 0] / retransmissions[icp, 1]";
    assert_eq!(evaluate(text, &[]).unwrap_err(), "`retransmissions[icp, 1]` is 0, and something is divided by it");
    assert_eq!(evaluate("(-1) ^ 0.5", &[]).unwrap_err(), "`(-1) ^ 0.5` is not a finite number");
    assert_eq!(evaluate("true or timeouts[icp, 0] > 1", &[]), Ok(Outcome::Truth(true)));
}

#[test]
fn a_check_says_what_is_yielded() {
    let (axes, places) = (axes(), places());
    let vocabulary = Vocabulary { metrics: METRICS, axes: &axes, places: Some(&places) };
    let check = |text: &str| Measure::parse(text).unwrap().check(&vocabulary, &[]);
    assert_eq!(check("1 + 1"), Ok(Type::Number));
    assert_eq!(check("falling(alpha: goodput[icp]) and 1 < 2"), Ok(Type::Truth));
    assert_eq!(check("goodput[icp] + goodput[cubic]").unwrap_err().len(), 2);
    assert_eq!(Measure::parse("goodput / max(drops, marks)").unwrap().metrics(), ["goodput", "drops", "marks"]);
}

#[test]
fn along_time_a_measure_is_made_of_samples() {
    is("mean(time in [3..5]: rate[icp, alpha=0])", 4.25);
    is("max(time in [0..10]: rate[icp, alpha=0]) - min(time in [0..10]: rate[icp, alpha=0])", 9.5);
    is("max(alpha: sum(time in [1..1.5]: rate[icp]))", 1.5);
    let missing = evaluate("mean(time in [11..12]: rate[icp, alpha=0])", &[]);
    assert_eq!(missing, Err("there is no sample from 11 to 12 s".into()));
}

#[test]
fn the_ends_of_a_stretch_can_be_measured() {
    is("mean(time from 2 + 1 to 5: rate[icp, alpha=0])", 4.25);
    is("mean(time from congestion_start[icp, alpha=0, congestion=3] to 10 / 2: rate[icp, alpha=0])", 4.25);
    assert_eq!(evaluate("all(time from 3 to 5: rate[icp, alpha=0] > 3)", &[]), Ok(Outcome::Truth(true)));
    assert_eq!(
        evaluate("mean(time from 5 to 3: rate[icp, alpha=0])", &[]),
        Err("there is no sample from 5 to 3 s".into())
    );
    assert!(Measure::parse("max(time from 1 to 2: window)").unwrap().is_along_time());
    for text in ["max(time from 1: window)", "max(time from 1 to: window)", "max(time from 1 to 2 window)"] {
        assert!(Measure::parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_share_of_time_is_that_of_each_run_by_itself() {
    // 0.5, 1, .. 4 in the first run and twice that in the second: three of eight, and then six of eight, are at most 3.
    is("share(time in [0..4]: queue[icp, alpha=0] <= 1.5)", (3.0 / 8.0 + 1.0 / 8.0) / 2.0);
}

#[test]
fn along_seeds_a_measure_is_made_for_each_run_by_itself() {
    // The mean over time is 2.25 in the first run and 4.5 in the second: squares of means are not means of squares.
    is("mean(seed: mean(time in [0..4]: queue[icp, alpha=0])^2)", (2.25 * 2.25 + 4.5 * 4.5) / 2.0);
    is("max(seed: mean(time in [0..4]: queue[icp, alpha=0]))", 4.5);
    is("share(seed: mean(time in [0..4]: queue[icp, alpha=0]) > 3)", 0.5);
    is("mean(seed: share(time in [0..4]: queue[icp, alpha=0] <= 1.5))", (3.0 / 8.0 + 1.0 / 8.0) / 2.0);
    is("mean(seed: goodput[icp, alpha=0, flow=c0] / goodput[icp, alpha=0])", 1.0 / 3.0);
    assert_eq!(evaluate("all(seed: mean(time in [0..4]: queue[icp, alpha=0]) > 3)", &[]), Ok(Outcome::Truth(false)));
}

#[test]
fn along_fetches_a_measure_is_made_of_what_is_known_of_each() {
    is("share(fetch: retransmissions[icp, alpha=0] <= 1)", 0.5);
    is("mean(fetch: retransmissions[icp, alpha=0] + segments[icp, alpha=0])", 3.0);
    is("max(fetch: segments[icp, alpha=0, flow='my flow'])", 2.0);
    is("100 * share(fetch: segments[icp, alpha=0] > 0) - 100 * share(fetch: segments[icp, alpha=0.5] > 1)", 25.0);
}

#[test]
fn congestions_are_selected_by_their_number() {
    is("congestion_start[icp, alpha=0, congestion=3]", 3.0);
    is("mean(congestion in [2, 4]: congestion_start[icp, alpha=0])", 3.0);
}

#[track_caller]
fn refused(text: &str) -> String {
    let (axes, places) = (axes(), places());
    let vocabulary = Vocabulary { metrics: METRICS, axes: &axes, places: Some(&places) };
    let errors = Measure::parse(text).unwrap_or_else(|e| panic!("{text}: {e:?}")).check(&vocabulary, &[]).unwrap_err();
    let error = errors.first().unwrap();
    format!("{} | {}", error.message, error.help.as_deref().unwrap_or_default())
}

#[test]
fn mistakes_along_time_and_in_congestions_are_told() {
    for (text, told) in [
        (
            "rate[icp, alpha=0]",
            "`rate` is a time series, but a number for the whole run is wanted | take it along time",
        ),
        (
            "mean(time: rate[icp, alpha=0])",
            "along time an aggregation needs a stretch of it, in seconds | write `time in",
        ),
        ("mean(time in [8..3]: rate[icp, alpha=0])", "along time an aggregation needs a stretch"),
        ("mean(time in [1, 2]: rate[icp, alpha=0])", "along time an aggregation needs a stretch"),
        ("mean(time from 1 to 2: drops[icp, alpha=0])", "`drops` is a number for the whole run, not a time series"),
        ("mean(time from rate[icp, alpha=0] to 2: rate[icp, alpha=0])", "`rate` is a time series, but a number"),
        ("mean(time from 1 > 0 to 2: rate[icp, alpha=0])", "an end of a stretch of time takes numbers"),
        ("mean(time from 1 to 2: max(time from 1 to 2: rate[icp, alpha=0]))", "this is along time already"),
        ("mean(alpha from 0 to 1: drops[icp])", "only along `time` a stretch goes from here to there"),
        ("mean(time in [1..2]: drops[icp, alpha=0])", "`drops` is a number for the whole run, not a time series"),
        ("mean(time in [1..2]: max(time in [1..2]: rate[icp, alpha=0]))", "this is along time already"),
        (
            "mean(congestion: congestion_start[icp, alpha=0])",
            "how many congestions there are is not known before the run",
        ),
        ("congestion_start[icp, alpha=0, congestion=0]", "`0` is no number of a congestion: they are counted from 1"),
        ("share(fetch: segments[icp, alpha=0])", "`share` takes comparisons, but this is a number"),
        ("mean(fetch in [1]: segments[icp, alpha=0])", "fetches have no labels"),
        ("rising(fetch: segments[icp, alpha=0])", "the fetches of a run have no order"),
        ("mean(fetch: goodput[icp, alpha=0])", "`goodput` is not known of each fetch"),
        (
            "segments[icp, alpha=0]",
            "`segments` is known of each fetch, not of the run as a whole | take it along fetches",
        ),
        (
            "share(fetch: segments[icp, alpha=0] > segments[cubic, alpha=0])",
            "all metrics in here must select the same | compare the aggregations themselves, as in `share(..)",
        ),
        ("share(fetch: 1 > 2)", "nothing here is measured along `fetch`"),
        (
            "share(time in [0..1]: rate[icp, alpha=0] > rate[cubic, alpha=0])",
            "all metrics in here must select the same",
        ),
        ("mean(fetch: mean(time in [0..1]: rate[icp, alpha=0]))", "this is along fetches already"),
        (
            "mean(seed in [1]: drops[icp, alpha=0])",
            "an aggregation along the seeds takes all that were run | write `seed:`",
        ),
        ("falling(seed: drops[icp, alpha=0])", "the runs of a point have no order"),
        ("mean(seed: max(seed: drops[icp, alpha=0]))", "this is along the seeds already"),
        ("mean(time in [0..1]: mean(seed: rate[icp, alpha=0]))", "this is along time already"),
        (
            "mean(seed: drops[icp, alpha=0] - drops[cubic, alpha=0])",
            "all metrics in here must select the same | compare the aggregations themselves, as in `mean(seed: ..)",
        ),
        ("mean(congestion in [1]: drops[icp, alpha=0])", "nothing in this aggregation is measured for each congestion"),
    ] {
        let found = refused(text);
        assert!(found.starts_with(told), "{text}: {found}");
    }
}
