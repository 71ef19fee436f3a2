//! `weir reproduce all`: every paper, whatever becomes of one of its studies.

mod common;

use common::{call, folder};
use serde_json::Value;

fn score(path: &std::path::Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn claims_of_several_papers_are_scored_together() {
    let here = folder("all-claims");
    let args =
        ["reproduce", "all", "--quick", "--claim", "K-19", "--claim", "P-14", "--json", "score.json", "--out", "o"];
    let out = call(&here, &args).good().out;
    for text in ["kato: 1 claim:", "plr: 1 claim:", "paper", "reproduced", "figures, tables and scores are in o"] {
        assert!(out.contains(text), "{text} in\n{out}");
    }
    let score = score(&here.join("score.json"));
    let ids: Vec<(&str, &str)> = score["papers"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|p| {
            p["claims"].as_array().unwrap().iter().map(|c| (p["paper"].as_str().unwrap(), c["id"].as_str().unwrap()))
        })
        .collect();
    assert_eq!(ids, [("kato", "K-19"), ("plr", "P-14")]);
    assert_eq!((&score["summary"]["claims"], &score["summary"]["missing"]), (&Value::from(2), &Value::Null));
    assert_eq!(score["failures"], Value::Array(vec![]));
    assert!(!here.join("o/claims.json").exists(), "a choice of claims is not the score of all");
}

#[test]
fn a_study_that_fails_leaves_the_others_alone_and_is_told() {
    let here = folder("all-failure");
    // Only one of the studies has a link of that name.
    let set = "topology.link.middle.delay=11ms";
    let args = [
        "reproduce",
        "all",
        "--quick",
        "--claim",
        "K-19",
        "--claim",
        "P-14",
        "--set",
        set,
        "--json",
        "-",
        "--out",
        "o",
    ];
    let called = call(&here, &args).refused(2, &["there is no element `middle` in this list"]);
    let score: Value = serde_json::from_str(&called.out).unwrap();
    let claim = |paper: usize| &score["papers"][paper]["claims"][0];
    assert_eq!((&claim(0)["id"], &claim(0)["verdict"]), (&Value::from("K-19"), &Value::from("missing")));
    assert_eq!(claim(1)["id"], "P-14");
    assert_ne!(claim(1)["verdict"], "missing");
    assert_eq!(score["summary"]["missing"], 1);
    assert_eq!(score["failures"][0]["study"], "papers/kato/dumbbell.toml");
}

#[test]
fn a_claim_of_no_paper_is_refused_before_anything_runs() {
    let here = folder("all-unknown");
    call(&here, &["reproduce", "all", "--claim", "K-O1"])
        .refused(2, &["no claim `K-O1` in any paper", "did you mean `K-01`"]);
    assert!(std::fs::read_dir(&here).unwrap().next().is_none(), "what is refused leaves nothing behind");
}
