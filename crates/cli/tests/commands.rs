//! The commands of `weir`: what they print, write and answer.

mod common;

use common::{call, column, folder, rows, weir, write_scenario};
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;

#[test]
fn help_says_what_the_exit_codes_mean() {
    let here = folder("help");
    let help = call(&here, &["--help"]).good().out;
    let words: Vec<&str> = help.split_whitespace().collect();
    let help = words.join(" ");
    for text in [
        "Exit codes: 0 done",
        "1 something went wrong outside the input",
        "2 the arguments or a file are wrong",
        "130 stopped by the user",
    ] {
        assert!(help.contains(text), "{text} in\n{help}");
    }
    for command in ["run", "reproduce", "check", "list", "show"] {
        assert!(help.contains(command));
        assert!(call(&here, &[command, "--help"]).good().out.contains("Usage: weir"));
    }
    assert!(call(&here, &["--version"]).good().out.starts_with("weir "));
}

#[test]
fn run_writes_tables_and_figures_and_prints_a_table() {
    let here = folder("run");
    write_scenario(
        &here,
        "small.toml",
        "[[vary]]\nname = \"queue\"\nset = \"topology.linear.queue\"\nvalues = [\"5p\", \"20p\"]\n\n\
         [[figure]]\nid = \"a/b\"\nx = \"queue\"\ny = \"full_delay\"\n\n\
         [[claim]]\nid = \"C-1\"\nsays = \"it ends\"\nat_least = 0\nmeasure = \"completion_time[5p]\"\n",
    );
    let out = call(&here, &["run", "small.toml"]).good().out;
    for text in
        ["A small study", "goodput", "5p", "20p", "C-1", "reproduced", "digest ", "tables and figures are in out/small"]
    {
        assert!(out.contains(text), "{text} in\n{out}");
    }
    let folder = here.join("out/small");
    let mut files: Vec<String> =
        std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    let expected =
        ["columns.md", "fig-a-b.png", "fig-a-b.svg", "flows.csv", "links.csv", "nodes.csv", "runs.csv", "summary.csv"];
    assert_eq!(files, expected);
    assert_eq!(column(&folder.join("runs.csv"), "queue"), ["5p", "5p", "20p", "20p"]);
    assert_eq!(column(&folder.join("runs.csv"), "seed"), ["1", "2", "1", "2"]);
    let columns = std::fs::read_to_string(folder.join("columns.md")).unwrap();
    assert!(columns.contains("## runs\n") && columns.contains("goodput_peak"));
}

#[test]
fn tables_are_written_in_the_formats_asked_for() {
    let here = folder("formats");
    write_scenario(&here, "small.toml", "");
    let endings = |out: &str, formats: &str| {
        call(&here, &["run", "small.toml", "--out", out, "--tables", formats]).good();
        ["csv", "parquet"].map(|ending| here.join(out).join("runs").with_extension(ending).exists())
    };
    assert_eq!(endings("a", "csv"), [true, false]);
    assert_eq!(endings("b", "parquet"), [false, true]);
    assert_eq!(endings("c", "parquet,csv"), [true, true]);
    let bytes = |out: &str| std::fs::read(here.join(out).join("runs.parquet")).unwrap();
    assert_eq!(bytes("b"), bytes("c"));
    let refused = call(&here, &["run", "small.toml", "--tables", "xlsx"]).refused(2, &["xlsx", "csv, parquet"]);
    assert_eq!(refused.out, "");
}

#[test]
fn a_report_is_one_file_with_the_command_that_repeats_it() {
    let here = folder("report");
    let more = "[[vary]]\nname = \"queue\"\nset = \"scheme.queue\"\nvalues = [\"droptail\", \"codel\"]\n\n\
                [[figure]]\nid = \"d\"\nx = \"queue\"\ny = \"full_delay\"\n";
    write_scenario(&here, "small.toml", more);
    let set = "workload.0.fetch.segments=300";
    let out = call(&here, &["run", "small.toml", "--set", set, "--report"]).good().out;
    assert!(out.contains("the report is out/small/report.html\n"), "{out}");
    let page = std::fs::read_to_string(here.join("out/small/report.html")).unwrap();
    for text in ["weir run small.toml --set workload.0.fetch.segments=300 --seeds 1,2", "digest", "small.toml", "CoDel"]
    {
        assert!(page.contains(text), "{text}");
    }
    // The name comes after an equals sign, so that the scenario cannot be taken for it; the bytes are the same.
    call(&here, &["run", "--report=a/b.html", "small.toml", "--set", set, "--quiet"]).good();
    assert_eq!(page, std::fs::read_to_string(here.join("a/b.html")).unwrap());
    call(&here, &["run", "small.toml", "--report=out"]).refused(1, &["cannot write to out", "folder"]);
}

#[test]
fn the_same_call_has_the_same_digest_whatever_the_number_of_jobs() {
    let here = folder("digest");
    write_scenario(&here, "small.toml", "");
    let digest = |jobs: &str| {
        let out = call(&here, &["run", "small.toml", "--seeds", "1..9", "--jobs", jobs]).good().out;
        let (_, rest) = out.split_once("digest ").expect("a digest");
        (rest.to_string(), std::fs::read(here.join("out/small/runs.csv")).unwrap())
    };
    let one = digest("1");
    assert_eq!(one, digest("2"));
    assert_eq!(one, digest("7"));
}

#[test]
fn quiet_prints_nothing_but_errors() {
    let here = folder("quiet");
    write_scenario(&here, "small.toml", "");
    let called = call(&here, &["run", "small.toml", "--quiet", "--out", "o"]).good();
    assert_eq!(called.out, "");
    assert!(here.join("o/runs.csv").exists());
    assert_eq!(call(&here, &["run", "missing.toml", "--quiet"]).refused(2, &["missing.toml"]).out, "");
}

#[test]
fn there_is_no_progress_where_there_is_no_terminal() {
    // Some seconds in the dev profile: long enough for a bar, if there were a terminal.
    let here = folder("no-progress");
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers/plr/single-path.toml");
    let called = call(&here, &["run", study.to_str().unwrap(), "--seeds", "1..3", "--set", "figure=[]"]).good();
    assert!(!called.out.contains('\u{1b}') && !called.out.contains('\r'));
}

#[test]
fn seeds_are_a_range_a_list_or_a_number() {
    let here = folder("seeds");
    write_scenario(&here, "small.toml", "");
    let seeds = |text: &str| {
        call(&here, &["run", "small.toml", "--out", "o", "--quiet", "--seeds", text]).good();
        column(&here.join("o/runs.csv"), "seed").join(" ")
    };
    assert_eq!(seeds("3..5"), "3 4 5");
    assert_eq!(seeds("9,1, 5"), "9 1 5");
    assert_eq!(seeds("7"), "7");
    assert_eq!(seeds("18446744073709551615"), "18446744073709551615");
    for (text, says) in [
        ("", "is not a range"),
        ("a", "is not a range"),
        ("1..", "is not a range"),
        ("1;2", "is not a range"),
        ("1.5", "is not a range"),
        ("5..1", "ends before it begins"),
        ("1,2,1", "the seed 1 twice"),
        ("1..200000", "more than 100000 seeds"),
        ("0..18446744073709551615", "more than 100000 seeds"),
    ] {
        call(&here, &["run", "small.toml", "--seeds", text]).refused(2, &[says]);
    }
    call(&here, &["run", "small.toml", "--seeds=-1"]).refused(2, &["is not a range"]);
}

#[test]
fn one_scheme_replaces_and_several_make_an_axis() {
    let here = folder("scheme");
    write_scenario(&here, "small.toml", "");
    call(&here, &["run", "small.toml", "--scheme", "icp,cubic,pcon", "--out", "three"]).good();
    let runs = here.join("three/runs.csv");
    assert_eq!(rows(&runs)[0][0], "scheme");
    assert_eq!(column(&runs, "scheme"), ["icp", "icp", "cubic", "cubic", "pcon", "pcon"]);
    call(&here, &["run", "small.toml", "--scheme", "cubic", "--out", "one"]).good();
    let one = here.join("one/runs.csv");
    assert_eq!(rows(&one)[0][0], "seed");
    assert_eq!(column(&one, "digest"), column(&runs, "digest")[2..4]);
    call(&here, &["run", "small.toml", "--set", "scheme=\"cubic\"", "--out", "set"]).good();
    assert_eq!(column(&here.join("set/runs.csv"), "digest"), column(&one, "digest"));
    call(&here, &["run", "small.toml", "--scheme", "icp,cubci"]).refused(2, &["\"cubci\"", "did you mean \"cubic\""]);
    call(&here, &["run", "small.toml", "--scheme", "nothing-like-it"]).refused(2, &["there are:", "pcon"]);
    call(&here, &["run", "small.toml", "--scheme", "icp,"]).refused(2, &["there is no scheme"]);
    call(&here, &["run", "small.toml", "--scheme", "icp,icp"]).refused(2, &["twice"]);
}

#[test]
fn set_changes_the_file_for_one_call() {
    let here = folder("set");
    write_scenario(&here, "small.toml", "");
    let delivered = |args: &[&str]| {
        call(&here, &[&["run", "small.toml", "--quiet", "--out", "o", "--seeds", "1"], args].concat()).good();
        column(&here.join("o/runs.csv"), "delivered")
    };
    assert_eq!(delivered(&[]), ["500"]);
    assert_eq!(delivered(&["--set", "workload.0.fetch.segments=20"]), ["20"]);
    call(&here, &["run", "small.toml", "--set", "run.seed=3"]).refused(2, &["seed", "seeds"]);
    call(&here, &["run", "small.toml", "--set", "nonsense"]).refused(2, &["path=value"]);
}

#[test]
fn check_tells_all_problems_of_all_files() {
    let here = folder("check");
    write_scenario(&here, "right.toml", "");
    write_scenario(&here, "wrong.toml", "dration = \"10s\"\n[schem]\n");
    write_scenario(&here, "broken.toml", "[run\n");
    assert_eq!(
        call(&here, &["check", "right.toml"]).good().out,
        "right.toml: right, 1 point, 2 runs, 0 figures, 0 claims\n"
    );
    let called = call(&here, &["check", "wrong.toml", "right.toml", "broken.toml", "missing.toml"]);
    let called = called.refused(
        2,
        &["wrong.toml:11", "did you mean `duration`", "`scheme`", "broken.toml", "`missing.toml` cannot be read"],
    );
    assert!(called.out.starts_with("right.toml: right"));
    assert!(!called.err.contains('\u{1b}'), "no colours where there is no terminal");
    call(&here, &["check"]).refused(2, &["FILES"]);
    call(&here, &["check", "."]).refused(2, &["cannot be read"]);
    std::fs::write(here.join("binary.toml"), b"title = \"\xff\"").unwrap();
    call(&here, &["check", "binary.toml"]).refused(2, &["binary.toml", "UTF-8"]);
}

#[test]
fn a_wrong_word_is_answered_with_the_nearest_right_one() {
    let here = folder("nearest");
    call(&here, &["reproduce", "prl"]).refused(2, &["no paper `prl`", "did you mean `plr`"]);
    call(&here, &["reproduce", "something-else"]).refused(2, &["there are: ", "plr"]);
    call(&here, &["reproduce", "plr", "--claim", "P-O1"]).refused(2, &["no claim `P-O1`", "did you mean `P-01`"]);
    call(&here, &["show", "cubci"]).refused(2, &["no page `cubci`", "did you mean `cubic`"]);
    call(&here, &["show", "nothing-like-it"]).refused(2, &["weir list"]);
    call(&here, &["list", "schems"]).refused(2, &["'schemes'"]);
    call(&here, &["reproduc"]).refused(2, &["'reproduce'"]);
    call(&here, &["run", "a.toml", "--seed", "1"]).refused(2, &["--seeds"]);
    call(&here, &["run", "a.toml", "--jobs", "0"]).refused(2, &["--jobs"]);
    call(&here, &["reproduce", "plr", "--quick", "--full"]).refused(2, &["--full"]);
    assert_eq!(call(&here, &[]).code, 2, "a command is needed");
    assert!(std::fs::read_dir(&here).unwrap().next().is_none(), "what is refused leaves nothing behind");
}

#[test]
fn an_output_folder_that_cannot_be_written_is_told_before_anything_runs() {
    let here = folder("unwritable");
    // Were it not told at once, this would take hours.
    write_scenario(&here, "long.toml", "duration = \"1000000s\"\n");
    std::fs::write(here.join("file"), "").unwrap();
    let fetch = ["--set", "workload.0.fetch={ label = \"endless\" }"];
    let run = ["run", "long.toml", "--out", "file/below"];
    call(&here, &[&run[..], &fetch[..]].concat()).refused(1, &["cannot write to file/below"]);
    call(&here, &["reproduce", "plr", "--full", "--out", "file"]).refused(1, &["cannot write to file"]);
    call(&here, &["reproduce", "plr", "--full", "--json", "file/score.json"]).refused(1, &["cannot write to file"]);
    call(&here, &["reproduce", "plr", "--full", "--json", "."]).refused(1, &["cannot write to .: it is a folder"]);
}

#[test]
fn lists_name_everything_and_every_name_has_a_page() {
    let here = folder("lists");
    let mut names = Vec::new();
    for what in ["schemes", "controls", "timeouts", "queues", "strategies", "recoveries"] {
        let out = call(&here, &["list", what]).good().out;
        assert!(out.lines().count() >= 1);
        names.extend(out.lines().map(|line| {
            let (name, about) = line.split_once("  ").expect("a name and what it is");
            assert!(!about.trim().is_empty(), "{line}");
            name.to_string()
        }));
    }
    let known: Vec<&str> = weir_schemes::registry::CONTROLS.iter().map(|e| e.name).collect();
    assert!(known.iter().all(|name| names.contains(&name.to_string())));
    for name in names {
        let page = call(&here, &["show", &name]).good().out;
        assert!(page.starts_with("# ") && page.lines().count() > 5, "{name}:\n{page}");
    }
    // A scheme and a control of one name: both.
    let cubic = call(&here, &["show", "cubic"]).good().out;
    assert!(cubic.contains("(complete scheme)") && cubic.matches("\n# ").count() >= 1, "{cubic}");
    let papers = call(&here, &["list", "papers"]).good().out;
    let listed = |line: &str| {
        papers
            .lines()
            .any(|l| l.split_once("  ").is_some_and(|(key, title)| key == line && title.trim_start().len() > 5))
    };
    assert!(listed("kato") && listed("plr"), "{papers}");
    let metrics = call(&here, &["list", "metrics"]).good().out;
    assert_eq!(metrics.lines().count(), weir_scenario::metrics::METRICS.len());
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let here = folder("pipe");
    write_scenario(&here, "small.toml", "");
    for args in [&["show", "plr"][..], &["list", "metrics"], &["run", "small.toml"], &["check", "small.toml"]] {
        let mut child =
            weir(&here).args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        drop(child.stdout.take());
        let called = common::Called::new(child.wait_with_output().unwrap());
        called.good();
    }
}

#[test]
fn ids_of_figures_and_claims_are_unique_in_a_paper() {
    // All studies of a paper write their figures into one folder, and their claims into one score.
    let papers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers");
    for paper in std::fs::read_dir(papers).unwrap().flatten().filter(|e| e.path().is_dir()) {
        let mut ids = Vec::new();
        for file in std::fs::read_dir(paper.path()).unwrap().flatten().map(|e| e.path()) {
            if file.extension().is_some_and(|e| e == "toml") {
                let study = weir_scenario::Study::load(&file, &[]).unwrap_or_else(|problems| panic!("{problems}"));
                ids.extend(study.figures.iter().map(|f| format!("figure {}", f.id)));
                ids.extend(study.claims.iter().map(|c| format!("claim {}", c.id)));
            }
        }
        ids.sort();
        let twice: Vec<&[String]> = ids.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "{}: {twice:?}", paper.path().display());
    }
}

/// Words in their order.
fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn sorted<const N: usize>(mut words: [&str; N]) -> [&str; N] {
    words.sort_unstable();
    words
}

#[test]
fn the_score_as_json_has_the_documented_shape() {
    let here = folder("json");
    let called = call(&here, &["reproduce", "plr", "--seeds", "1", "--json", "-", "--out", "o"]).good();
    let score: Value = serde_json::from_str(&called.out).expect("nothing but JSON");
    assert_eq!(keys(&score), sorted(["paper", "claims", "summary"]));
    assert_eq!(score["paper"], "plr");
    let claims = score["claims"].as_array().unwrap();
    let ids: Vec<&str> = claims.iter().map(|c| c["id"].as_str().unwrap()).collect();
    let expected: Vec<String> = (1..=18).map(|n| format!("P-{n:02}")).collect();
    assert_eq!(ids, expected);
    for claim in claims {
        let known = sorted(["id", "says", "where", "expected", "measured", "tolerance", "verdict", "why"]);
        assert_eq!(keys(claim), known);
        for key in ["id", "says", "where", "tolerance", "why"] {
            assert!(claim[key].is_string(), "{key} of {claim}");
        }
        assert!(["reproduced", "partly", "not"].contains(&claim["verdict"].as_str().unwrap()));
        // A number or true for a claim of one part, else an object with the same names on both sides.
        match &claim["expected"] {
            Value::Object(parts) => {
                assert_eq!(keys(&claim["measured"]), parts.keys().collect::<Vec<_>>(), "{claim}");
                assert!(parts.values().all(|v| v.is_number() || v.is_boolean()));
            }
            one => assert!(one.is_number() || one.is_boolean(), "{claim}"),
        }
    }
    let summary = &score["summary"];
    assert_eq!(keys(summary), sorted(["claims", "reproduced", "partly", "not"]));
    let count = |key: &str| summary[key].as_u64().unwrap();
    assert_eq!(count("claims"), 18);
    assert_eq!(count("reproduced") + count("partly") + count("not"), 18);
    for word in ["reproduced", "partly", "not"] {
        assert_eq!(claims.iter().filter(|c| c["verdict"] == word).count() as u64, count(word));
    }
    // The same stands in the folder, and the claims as a page.
    let written: Value = serde_json::from_slice(&std::fs::read(here.join("o/claims.json")).unwrap()).unwrap();
    assert_eq!(written, score);
    assert!(std::fs::read_to_string(here.join("o/claims.md")).unwrap().contains("| P-18 |"));
    // In the order of the documentation.
    let order =
        ["\"id\"", "\"says\"", "\"where\"", "\"expected\"", "\"measured\"", "\"tolerance\"", "\"verdict\"", "\"why\""];
    let places: Vec<usize> = order.iter().map(|key| called.out.find(key).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn one_claim_runs_its_own_study_and_leaves_the_score_of_all_alone() {
    let here = folder("claim");
    std::fs::create_dir(here.join("o")).unwrap();
    std::fs::write(here.join("o/claims.json"), "the score of all").unwrap();
    let args = ["reproduce", "plr", "--seeds", "1..2", "--claim", "P-09", "--out", "o", "--json", "one.json"];
    let out = call(&here, &args).good().out;
    assert!(out.contains("P-09") && !out.contains("P-10 "), "{out}");
    assert!(out.contains("1 claim: "), "{out}");
    assert!(out.contains("retransmissions[setting=") && out.contains("± "), "it says how it measures:\n{out}");
    assert_eq!(std::fs::read_to_string(here.join("o/claims.json")).unwrap(), "the score of all");
    let studies: Vec<String> = std::fs::read_dir(here.join("o"))
        .unwrap()
        .flatten()
        .filter(|e| e.path().is_dir())
        .map(|e| e.file_name().into_string().unwrap())
        .collect();
    assert_eq!(studies, ["queue-sizes"]);
    let score: Value = serde_json::from_slice(&std::fs::read(here.join("one.json")).unwrap()).unwrap();
    assert_eq!(score["claims"].as_array().unwrap().len(), 1);
}

#[test]
fn reproduce_with_changed_settings_says_that_it_is_not_the_paper() {
    let here = folder("changed");
    let args = ["reproduce", "plr", "--seeds", "1", "--claim", "P-09", "--set", "consumer.lifetime=4s"];
    let out = call(&here, &args).good().out;
    assert!(out.contains("not the score of the paper's own setting"), "{out}");
    assert!(here.join("out/plr/queue-sizes/runs.csv").exists());
}
