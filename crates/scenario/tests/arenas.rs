//! Networks for comparisons of schemes.

use weir_core::{Limit, Rate, Span};
use weir_scenario::{Arena, NoFiles, arenas};

const FILE: &str = r#"
about = "A chain."

[topology]
linear = { routers = 1, rate = "20Mbps", delay = "10ms", queue = "32p" }

[[workload]]
fetch = { size = "5MB", control = "bic", timeout = "icp" }

[scheme]
name = "pcon"
recovery = "plr"

[[vary]]
name = "queue"
set = "topology.linear.queue"
values = ["10p", "20p"]

[[vary]]
name = "control"
set = "scheme.control"
values = ["bic", "cubic"]
"#;

const LIMIT: Span = Span::from_millis(90_000);

fn of(more: &str) -> Vec<Arena> {
    arenas("chain", "chain.toml", &format!("{FILE}{more}"), &NoFiles).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn a_network_is_a_point_without_its_schemes() {
    let more = "[[compare]]\nname = \"short\"\nabout = \"Short queues\"\nat = { queue = \"20p\" }\n\
                set = { \"topology.linear.rate\" = \"5Mbps\" }\nquick = { \"workload.0.fetch.size\" = \"1MB\" }\n";
    let [arena] = &of(more)[..] else { panic!("one network") };
    assert_eq!((&*arena.name, &*arena.about), ("short", "Short queues"));
    let scenario = arena.scenario("cubic", None, false, LIMIT, &NoFiles).unwrap();
    let link = scenario.topology.links[0].forward;
    assert_eq!((link.rate, link.limit), (Rate(5_000_000), Limit::Packets(20)));
    assert_eq!((&*scenario.scheme.name, &*scenario.scheme.control.name), ("cubic", "cubic"));
    assert_eq!((&scenario.scheme.recovery, &scenario.workloads[0].control), (&None, &None));
    assert_eq!(scenario.workloads[0].timeout, None);
    assert_eq!((scenario.run.duration, scenario.run.limit), (None, Some(LIMIT)));
    let marking = arena.scenario("pcon", None, false, LIMIT, &NoFiles).unwrap();
    assert_eq!(marking.scheme.queue.name, "pcon");
    assert_eq!(marking.scheme.host_queue, marking.scheme.queue, "a producer's link may be the bottleneck");
    let with = arena.scenario("cubic", Some("plr"), false, LIMIT, &NoFiles).unwrap();
    assert_eq!(with.scheme.recovery.unwrap().name, "plr");
    let quick = arena.scenario("cubic", None, true, LIMIT, &NoFiles).unwrap();
    assert_eq!(quick.workloads[0].segments, Some(1_000_000_u64.div_ceil(1040)));
    let refused = arena.scenario("cubci", None, false, LIMIT, &NoFiles).unwrap_err();
    assert!(refused.to_string().contains("did you mean `cubic`"), "{refused}");
}

#[test]
fn a_file_without_any_is_one_for_each_label_that_sets_no_scheme() {
    let names: Vec<String> = of("").into_iter().map(|arena| arena.name).collect();
    assert_eq!(names, ["chain:queue=10p", "chain:queue=20p"]);
    let bounded = of("[run]\nduration = \"3s\"\n")[0].scenario("icp", None, false, LIMIT, &NoFiles).unwrap();
    assert_eq!((bounded.run.duration, bounded.run.limit), (Some(Span::from_millis(3000)), None));
    let wrong = arenas("chain", "chain.toml", "[topology]\n", &NoFiles).unwrap_err();
    assert!(wrong.to_string().contains("chain.toml"), "{wrong}");
}
