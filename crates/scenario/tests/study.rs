//! What files mean.

use weir_core::{Bytes, Lifetime, Limit, Rate, Span, Time, Value};
use weir_scenario::plan::{NoticeTimer, PartPlan, Scenario};
use weir_scenario::{Edition, Expectation, FigureKind, FigureX, NoFiles, Over, Override, Study, Tolerance};

const TOPOLOGY: &str = r#"
[topology]
linear = { nodes = ["consumer", "router", "producer"], rate = "20Mbps", delay = "10ms", queue = "32p" }
"#;

const WORKLOAD: &str = r#"
[[workload]]
fetch = { size = "5MB" }
"#;

fn study(text: &str) -> Study {
    with(text, &[])
}

#[track_caller]
fn with(text: &str, sets: &[&str]) -> Study {
    let overrides: Vec<Override> = sets.iter().map(|s| Override::new(*s)).collect();
    Study::parse("test.toml", text, &overrides).unwrap_or_else(|problems| panic!("{problems}"))
}

#[track_caller]
fn only(text: &str) -> Scenario {
    let study = study(text);
    assert_eq!(study.points().len(), 1);
    study.points()[0].scenario.clone()
}

/// A part as `name { setting = value }`.
fn show(part: &PartPlan) -> String {
    let settings: Vec<String> = part.settings.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if settings.is_empty() { part.name.clone() } else { format!("{} {{ {} }}", part.name, settings.join(", ")) }
}

#[test]
fn a_chain_is_made_of_its_nodes() {
    let scenario = only(&format!("{TOPOLOGY}{WORKLOAD}"));
    assert_eq!(scenario.topology.nodes, ["consumer", "router", "producer"]);
    let names: Vec<&str> = scenario.topology.links.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["consumer-router", "router-producer"]);
    let link = &scenario.topology.links[0];
    assert_eq!((link.a, link.b, link.costs), (0, 1, (1, 1)));
    assert_eq!(link.forward, link.backward);
    assert_eq!((link.forward.rate, link.forward.delay), (Rate(20_000_000), Span::from_millis(10)));
    assert_eq!((link.forward.limit, link.forward.loss), (Limit::Packets(32), 0.0));
}

#[test]
fn links_of_a_chain_can_differ_and_so_can_directions() {
    let topology = r#"
        [topology.linear]
        routers = 2
        rate = ["20Mbps", { forward = "1Mbps", backward = "2Mbps" }, "5Mbps"]
        delay = { forward = "1ms", backward = "3ms" }
        loss = ["0%", 0.25, "1%"]
        queue = "64kB"
    "#;
    let topology = only(&format!("{topology}{WORKLOAD}")).topology;
    assert_eq!(topology.nodes, ["consumer", "r1", "r2", "producer"]);
    let middle = &topology.links[1];
    assert_eq!((middle.forward.rate, middle.backward.rate), (Rate(1_000_000), Rate(2_000_000)));
    assert_eq!((middle.forward.delay, middle.backward.delay), (Span::from_millis(1), Span::from_millis(3)));
    assert_eq!((middle.forward.loss, topology.links[2].backward.loss), (0.25, 0.01));
    assert_eq!(middle.forward.limit, Limit::Bytes(Bytes(64_000)));
}

#[test]
fn a_dumbbell_has_a_fetch_for_each_pair() {
    let text = r#"
        [topology]
        dumbbell = { flows = 2, bottleneck = "10Mbps", delay = "20ms", queue = "64p", access_delay = "2ms" }
        [[workload]]
        fetch = { name = "/video", segments = 10 }
    "#;
    let scenario = only(text);
    assert_eq!(scenario.topology.nodes, ["c1", "c2", "r1", "r2", "p1", "p2"]);
    let link = |name: &str| scenario.topology.links.iter().find(|l| l.name == name).unwrap();
    assert_eq!((link("bottleneck").a, link("bottleneck").b), (2, 3));
    assert_eq!(link("bottleneck").backward.limit, Limit::Packets(64));
    assert_eq!(link("c1-r1").forward.rate, Rate(100_000_000), "ten times the bottleneck");
    assert_eq!(link("r2-p2").forward.delay, Span::from_millis(2));
    let fetches: Vec<_> =
        scenario.workloads.iter().map(|w| (w.label.as_str(), w.name.to_string(), w.consumer, w.producers[0])).collect();
    assert_eq!(fetches, [("c1", "/video/1".into(), 0, 4), ("c2", "/video/2".into(), 1, 5)]);
}

const INLINE: &str = r#"
[topology]
nodes = ["c0", "c1", "r1", "p0"]
[[topology.link]]
between = ["c0", "r1"]
rate = "20Mbps"
delay = "10ms"
[[topology.link]]
between = ["r1", "p0"]
rate = { forward = "1Mbps", backward = "2Mbps" }
delay = "10ms"
cost = 5
name = "bottleneck"
[[topology.link]]
between = ["c1", "r1"]
rate = "20Mbps"
delay = "10ms"
"#;

#[test]
fn links_can_be_given_one_by_one() {
    let topology =
        only(&format!("{INLINE}[[workload]]\nfetch = {{ consumer = \"c0\", producer = \"p0\", segments = 1 }}"))
            .topology;
    let names: Vec<&str> = topology.links.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["c0-r1", "bottleneck", "c1-r1"]);
    assert_eq!((topology.links[1].a, topology.links[1].b, topology.links[1].costs), (2, 3, (5, 5)));
    assert_eq!(topology.links[1].backward.rate, Rate(2_000_000));
    assert_eq!(topology.links[0].forward.limit, Limit::Packets(100), "the default");
}

#[test]
fn a_fetch_has_all_its_settings() {
    let workload = r#"
        scheme = "cubic"
        [[workload]]
        fetch = { size = "50MB", payload = "1024B", start = "0s..5s", stop = "20s", label = "video", freshness = "1s" }
        [[workload]]
        fetch = { segments = 7, control = { beta = 0.8 }, timeout = "ndnsim", label = "other", name = "/o/x" }
        [[workload]]
        fetch = { stop = "2s", control = { name = "cbr", rate = "35Mbps" }, label = "endless" }
    "#;
    let scenario = only(&format!("{workload}{TOPOLOGY}"));
    let [video, other, endless] = scenario.workloads.as_slice() else { panic!() };
    assert_eq!(video.segments, Some(48829), "50 000 000 / 1024, rounded up");
    assert_eq!((video.start, video.stop), ((Time::ZERO, Time(5_000_000_000)), Some(Time(20_000_000_000))));
    assert_eq!((video.name.to_string().as_str(), video.freshness), ("/video", Span::from_millis(1000)));
    assert_eq!((video.control.clone(), other.segments, other.payload), (None, Some(7), Bytes(1040)));
    assert_eq!(other.control.as_ref().map(show).as_deref(), Some("cubic { beta = 0.8 }"));
    assert_eq!(other.timeout.as_ref().map(show).as_deref(), Some("ndnsim"));
    assert_eq!(endless.segments, None);
    assert_eq!(endless.control.as_ref().map(show).as_deref(), Some("cbr { rate = \"35Mbps\" }"));
}

#[test]
fn bursts_are_fetches_at_a_fixed_rate() {
    let text = format!(
        "{INLINE}{}",
        r#"
        [[workload]]
        burst = { consumer = "c1", producer = "p0", name = "/burst", rate = "35Mbps", duration = "0.5s", at = ["2.5s", "5s"], spread = "10ms" }
        "#
    );
    let scenario = only(&text);
    let names: Vec<String> = scenario.workloads.iter().map(|w| w.name.to_string()).collect();
    assert_eq!(names, ["/burst/1", "/burst/2"]);
    let second = &scenario.workloads[1];
    assert_eq!((second.label.as_str(), second.consumer, second.producers[0]), ("c1", 1, 3));
    assert_eq!(second.segments, Some(2103), "35 Mbit/s for 0.5 s in pieces of 1040 bytes");
    assert_eq!(second.start, (Time(5_000_000_000), Time(5_010_000_000)));
    let control = second.control.clone().unwrap();
    assert_eq!((control.name.as_str(), &control.settings[0].1), ("cbr", &Value::Text("35000000bps".into())));
}

#[test]
fn what_a_file_leaves_out_has_its_default() {
    let scenario = only(&format!("{TOPOLOGY}{WORKLOAD}"));
    assert_eq!((scenario.scheme.name.as_str(), scenario.scheme.control.name.as_str()), ("icp", "icp"));
    assert_eq!((scenario.scheme.host_queue.name.as_str(), &scenario.scheme.recovery), ("droptail", &None));
    assert_eq!((scenario.tables.cs, scenario.tables.pit), (0, None));
    assert_eq!((scenario.consumer.lifetime, scenario.consumer.guard), (Span::from_millis(4000).into(), 0.5));
    assert_eq!((scenario.consumer.notice_timer, scenario.consumer.jitter), (NoticeTimer::Keep, 0.0));
    assert_eq!((scenario.run.duration, scenario.run.seeds, scenario.run.quick_seeds), (None, vec![1], vec![1]));
}

#[test]
fn single_numbers_are_read() {
    let text = r#"
        [tables]
        cs = "off"
        pit = 20000
        [consumer]
        lifetime = "2s"
        guard = 0
        notice_timer = "restart"
        jitter = 0.1
        [run]
        duration = "1min"
        seeds = "3..5"
        sample = "100ms"
    "#;
    let scenario = only(&format!("{TOPOLOGY}{WORKLOAD}{text}"));
    assert_eq!((scenario.tables.cs, scenario.tables.pit), (0, Some(20_000)));
    assert_eq!(
        (scenario.consumer.lifetime, scenario.consumer.notice_timer),
        (Span::from_millis(2000).into(), NoticeTimer::Restart)
    );
    let follows = only(&format!("{TOPOLOGY}{WORKLOAD}[consumer]\nlifetime = \"timeout\""));
    assert_eq!(follows.consumer.lifetime, Lifetime::Timeout);
    assert_eq!((scenario.run.seeds, scenario.run.quick_seeds), (vec![3, 4, 5], vec![3]));
    assert_eq!(
        (scenario.run.duration, scenario.run.sample),
        (Some(Span::from_millis(60_000)), Some(Span::from_millis(100)))
    );
}

/// The scheme that `base` and then `sets` lead to: control, queue, recovery.
#[track_caller]
fn scheme(base: &str, sets: &[&str]) -> String {
    let scheme = with(&format!("{base}\n{TOPOLOGY}{WORKLOAD}"), sets).points()[0].scenario.scheme.clone();
    let recovery = scheme.recovery.as_ref().map_or("none".into(), show);
    format!("{}: {} | {} | {recovery}", scheme.name, show(&scheme.control), show(&scheme.queue))
}

#[test]
fn parts_of_a_scheme_are_replaced_singly() {
    assert_eq!(scheme("scheme = \"pcon\"", &[]), "pcon: pcon-cs | pcon | none");
    assert_eq!(scheme("scheme = { control = { beta = 0.8 } }", &[]), "icp: icp { beta = 0.8 } | droptail | none");
    let text = "scheme = { name = \"cubic\", queue = \"codel\", recovery = { name = \"plr\", alpha = 1 } }";
    assert_eq!(scheme(text, &[]), "cubic: cubic | codel | plr { alpha = 1 }");
    let own = "scheme = { name = \"plr\", recovery = { alpha = 1 } }";
    assert_eq!(scheme(own, &[]), "plr: cubic | droptail | plr { alpha = 1 }");
    assert_eq!(scheme("scheme = { name = \"plr\", recovery = \"none\" }", &[]), "plr: cubic | droptail | none");
}

#[test]
fn the_merge_rule_holds() {
    let base = "scheme = { name = \"cubic\", control = { beta = 0.8 }, recovery = { name = \"plr\", alpha = 1 } }";
    let cases: [(&[&str], &str); 8] = [
        (&["scheme=icp"], "icp: icp { beta = 0.8 } | droptail | plr { alpha = 1 }"),
        (&["scheme.recovery=plr"], "cubic: cubic { beta = 0.8 } | droptail | plr { alpha = 1 }"),
        (&["scheme.recovery=none"], "cubic: cubic { beta = 0.8 } | droptail | none"),
        (&["scheme.recovery.tau=0.5"], "cubic: cubic { beta = 0.8 } | droptail | plr { alpha = 1, tau = 0.5 }"),
        (&["scheme.control=bic"], "cubic: bic | droptail | plr { alpha = 1 }"),
        (
            &["scheme.control=bic", "scheme.control.beta=0.7"],
            "cubic: bic { beta = 0.7 } | droptail | plr { alpha = 1 }",
        ),
        (
            &["scheme.queue.target=\"5ms\"", "scheme.queue=codel"],
            "cubic: cubic { beta = 0.8 } | codel | plr { alpha = 1 }",
        ),
        (
            &["scheme={ name = \"icp\", recovery = { tau = 0.5 } }"],
            "icp: icp { beta = 0.8 } | droptail | plr { alpha = 1, tau = 0.5 }",
        ),
    ];
    for (sets, expected) in cases {
        assert_eq!(scheme(base, sets), expected, "{sets:?}");
    }
    assert_eq!(scheme("scheme = \"plr\"", &["scheme.recovery.alpha=1"]), "plr: cubic | droptail | plr { alpha = 1 }");
    assert_eq!(scheme("", &["scheme.recovery=plr"]), "icp: icp | droptail | plr");
}

#[test]
fn overrides_find_elements_of_lists() {
    let text = format!(
        "{INLINE}[[workload]]\nfetch = {{ consumer = \"c0\", producer = \"p0\", segments = 1, label = \"v\" }}"
    );
    let sets = [
        "topology.link.bottleneck.delay=30ms",
        "topology.link.0.queue=5p",
        "workload.v.fetch.segments=9",
        "run.seeds=2..3",
    ];
    let scenario = with(&text, &sets).points()[0].scenario.clone();
    assert_eq!(scenario.topology.links[1].forward.delay, Span::from_millis(30));
    assert_eq!(scenario.topology.links[0].forward.limit, Limit::Packets(5));
    assert_eq!((scenario.workloads[0].segments, scenario.run.seeds), (Some(9), vec![2, 3]));
    let text = format!("{TOPOLOGY}{WORKLOAD}[[vary]]\nname = \"a\"\nset = \"tables.cs\"\nvalues = [1, 2, 3]");
    assert_eq!(with(&text, &["vary.a.values=[4]"]).axes[0].labels, ["4"]);
}

const AXES: &str = r#"
[[vary]]
name = "scheme"
set = "scheme"
values = ["icp", "cubic"]

[[vary]]
name = "cache"
set = ["tables.cs", "tables.pit"]
values = { small = 10, big = 1000 }

[[vary]]
name = "setting"
values = { "32" = { "topology.linear.queue" = "32p" }, "64, slow" = { "topology.linear.queue" = "64p", "topology.linear.rate" = "1Mbps" } }
"#;

#[test]
fn points_are_the_product_of_the_axes_in_order() {
    let study = study(&format!("{TOPOLOGY}{WORKLOAD}{AXES}"));
    let titles: Vec<String> = study.points().iter().map(|p| p.title()).collect();
    assert_eq!(titles.len(), 8);
    assert_eq!(titles[0], "scheme=icp, cache=small, setting=32");
    assert_eq!(titles[1], "scheme=icp, cache=small, setting=64, slow");
    assert_eq!(titles[2], "scheme=icp, cache=big, setting=32");
    assert_eq!(titles[7], "scheme=cubic, cache=big, setting=64, slow");
    let last = &study.points()[7].scenario;
    assert_eq!((last.tables.cs, last.tables.pit), (1000, Some(1000)));
    assert_eq!(last.topology.links[1].forward.limit, Limit::Packets(64));
    assert_eq!((last.topology.links[0].forward.rate, last.scheme.name.as_str()), (Rate(1_000_000), "cubic"));
    let bindings = study.points()[7].labels.iter().cloned().collect();
    assert_eq!(study.point(&bindings).map(|p| p.title()), Some(titles[7].clone()));
}

#[test]
fn axes_apply_in_their_order() {
    let axes = r#"
        [[vary]]
        name = "scheme"
        set = "scheme"
        values = { plain = "cubic", plr = { name = "cubic", recovery = { name = "plr", alpha = 0.25 } } }
        [[vary]]
        name = "alpha"
        set = "scheme.queue"
        values = ["droptail", "codel"]
    "#;
    let study = study(&format!("{TOPOLOGY}{WORKLOAD}{axes}"));
    let shown: Vec<(String, bool)> =
        study.points().iter().map(|p| (show(&p.scenario.scheme.queue), p.scenario.scheme.recovery.is_some())).collect();
    let expected = [("droptail", false), ("codel", false), ("droptail", true), ("codel", true)];
    assert_eq!(shown, expected.map(|(queue, plr)| (queue.to_string(), plr)));
}

#[test]
fn figures_and_claims_are_typed() {
    let text = r#"
        title = "A study"
        about = "Of something"
        [run]
        sample = "100ms"
        [[figure]]
        id = "1"
        x = "cache"
        y = "goodput"
        by = "scheme"
        kind = "bars"
        fix = { setting = 32 }
        x_label = "Cache"
        [[figure]]
        id = "2"
        x = "time"
        y = "window"
        by = "flow"
        fix = { setting = 32, scheme = "icp", cache = "big" }
        [[figure]]
        id = "3"
        kind = "cdf"
        y = "full_delay[setting=32, big]"
        by = "scheme"
        [[claim]]
        id = "P-1"
        says = "something"
        where = "Fig. 1"
        why = "because"
        tolerance = "10 %"
        [[claim.part]]
        label = "near"
        expected = 5
        measure = "goodput[icp, small, 32]"
        [[claim.part]]
        label = "points"
        expected = 5.5
        tolerance = "3 points"
        measure = "goodput[icp, small, 32]"
        [[claim.part]]
        at_least = 1
        measure = "max(cache: goodput[icp, 32])"
        [[claim]]
        id = "P-2"
        says = "an order"
        tolerance = "order"
        holds = "goodput[icp, small, 32] > goodput[cubic, small, 32]"
    "#;
    let study = study(&format!("{text}{TOPOLOGY}{WORKLOAD}{AXES}"));
    assert_eq!((study.title.as_str(), study.about.as_str()), ("A study", "Of something"));
    let [bars, time, cdf] = study.figures.as_slice() else { panic!() };
    assert_eq!(
        (&bars.x, bars.kind, &bars.by),
        (&FigureX::Axis("cache".into()), FigureKind::Bars, &Some("scheme".into()))
    );
    assert_eq!(
        (&bars.fix[..], bars.x_label.as_deref()),
        (&[("setting".to_string(), "32".to_string())][..], Some("Cache"))
    );
    assert_eq!((&time.x, time.kind, time.y.metric()), (&FigureX::Time, FigureKind::Line, Some("window")));
    assert_eq!((&cdf.x, cdf.kind), (&FigureX::Cdf(Over::Runs), FigureKind::Cdf));
    let [first, second] = study.claims.as_slice() else { panic!() };
    assert_eq!(
        (first.at.as_str(), first.why.as_str(), first.tolerance.as_deref()),
        ("Fig. 1", "because", Some("10 %"))
    );
    let expectations: Vec<Expectation> = first.parts.iter().map(|p| p.expectation).collect();
    assert_eq!(
        expectations,
        [
            Expectation::Near { expected: 5.0, tolerance: Tolerance::Relative(0.1) },
            Expectation::Near { expected: 5.5, tolerance: Tolerance::Points(3.0) },
            Expectation::AtLeast(1.0),
        ]
    );
    assert_eq!((second.parts[0].expectation, second.parts.len()), (Expectation::Holds, 1));
    assert_eq!(study.places().flows, ["consumer"]);
    assert_eq!(study.places().directions, ["consumer>router", "router>consumer", "router>producer", "producer>router"]);
}

#[test]
fn files_that_cannot_be_read_are_told_apart() {
    let folder = std::env::temp_dir().join(format!("weir-scenario-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("latin1.toml");
    std::fs::write(&path, b"title = \"x\"\nabout = \"caf\xe9\"").unwrap();
    let told = |path: &std::path::Path| Study::load(path, &[]).unwrap_err().to_string();
    assert!(told(&path).ends_with("is not a text in UTF-8: line 2 has a byte that is none"), "{}", told(&path));
    assert!(told(&folder.join("none.toml")).contains("cannot be read"));
    std::fs::write(&path, format!("{TOPOLOGY}{WORKLOAD}")).unwrap();
    assert_eq!(Study::load(&path, &[]).unwrap().points().len(), 1);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn line_ends_and_marks_of_other_systems_do_no_harm() {
    let text = format!("\u{feff}{TOPOLOGY}{WORKLOAD}").replace('\n', "\r\n");
    assert_eq!(study(&text).points().len(), 1);
    let problems = Study::parse("test.toml", &text.replace("rate", "rtae"), &[]).unwrap_err();
    let place = problems.0[0].place.clone().unwrap();
    assert_eq!((place.line(), place.text()), (3, "rtae"));
    assert!(problems.to_string().contains("test.toml:3:56"), "{problems}");
}

const EDITIONS: &str = r#"
[run]
seeds = "1..4"
quick_seeds = 7

[[vary]]
name = "queue"
set = "topology.linear.queue"
values = ["10p", "20p"]

[[figure]]
id = "a"
x = "queue"
y = "goodput"

[full]
"topology.linear.rate" = "200Mbps"
"workload.0.fetch.size" = "50MB"
"vary.queue.values" = ["100p", "200p", "300p"]
"run.duration" = "20s"
"figure.a.y" = "goodput / 1000"
scheme = "cubic"

[quick]
"workload.0.fetch.size" = "1MB"
"#;

#[test]
fn an_edition_changes_what_it_names_and_nothing_else() {
    let text = format!("{TOPOLOGY}{WORKLOAD}{EDITIONS}");
    let edition = |edition, sets: &[&str]| {
        let sets: Vec<Override> = sets.iter().map(|s| Override::new(*s)).collect();
        let study = Study::parse_edition("test.toml", &text, edition, &sets, &NoFiles);
        study.unwrap_or_else(|problems| panic!("{problems}"))
    };
    let first = |study: &Study| study.points()[0].scenario.clone();
    let ordinary = edition(Edition::Ordinary, &[]);
    assert_eq!(ordinary, study(&text));
    assert_eq!(ordinary.editions, [Edition::Quick, Edition::Full]);
    let full = edition(Edition::Full, &[]);
    assert_eq!(full.axes[0].labels, ["100p", "200p", "300p"]);
    assert_eq!(full.figures[0].y.text, "goodput / 1000");
    let scenario = first(&full);
    assert_eq!(scenario.topology.links[0].forward.rate, Rate(200_000_000));
    assert_eq!(scenario.workloads[0].segments, Some(50_000_000_u64.div_ceil(1040)));
    assert_eq!(scenario.run.duration, Some(Span::from_millis(20_000)));
    assert_eq!(scenario.scheme.name, "cubic");
    // What is set from outside comes last.
    assert_eq!(first(&edition(Edition::Full, &["scheme=bic"])).scheme.name, "bic");
    // A quick one shares no change with it.
    let quick = edition(Edition::Quick, &[]);
    assert_eq!(quick.axes, ordinary.axes);
    let mut small = first(&quick);
    assert_eq!(small.workloads[0].segments, Some(1_000_000_u64.div_ceil(1040)));
    small.workloads[0].segments = Some(5_000_000_u64.div_ceil(1040));
    assert_eq!(small, first(&ordinary));
}

#[test]
fn seeds_of_a_full_run_are_three_times_as_many_unless_the_file_says_otherwise() {
    let seeds = |run: &str| only(&format!("{TOPOLOGY}{WORKLOAD}{run}")).run.full_seeds;
    assert_eq!(seeds(""), [1, 2, 3]);
    assert_eq!(seeds("[run]\nseeds = \"11..12\""), [1, 2, 3, 4, 5, 6]);
    assert_eq!(seeds("[run]\nseeds = \"1..10\"\nfull_seeds = 5"), [5]);
}
