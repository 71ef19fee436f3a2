//! Many fetches of one consumer: how they share a link, what is kept of them, and traces.

mod common;

use common::{assert_drained, assert_near, at, built, drained, of_flow, of_link, of_run, outcome, run};
use weir_core::Reading;
use weir_scenario::{Files, Study};
use weir_sim::{End, build};

fn line(workload: &str, rest: &str) -> String {
    format!(
        "[topology]\nlinear = {{ routers = 1, rate = \"100Mbps\", delay = \"10ms\", queue = \"10000p\" }}\n[[workload]]\n{workload}\n{rest}"
    )
}

#[test]
fn every_request_becomes_a_fetch_of_its_size() {
    let text = line("constant = { rate = \"20/s\", count = 200, size = \"10kB\", payload = \"1000B\" }", "");
    let result = drained(&text, 1);
    assert_eq!(of_flow(&result, "fetches_completed", "consumer"), 200.0);
    assert_eq!(of_flow(&result, "delivered", "consumer"), 2000.0);
    // A window of one that grows by one with each segment: 1, 2, 4 and 3 in four round trips of 40 ms.
    assert_near("fetch time", of_run(&result, "fetch_time"), 163.0, 0.05);
    assert_near("median", of_run(&result, "fetch_time_p50"), 163.0, 0.05);
    assert_eq!(result.get("late", weir_sim::Scope::Run), None, "segments of many contents have no common order");
}

#[test]
fn an_object_has_one_size_whoever_asks_for_it() {
    let text = "[topology]\ndumbbell = { flows = 2, bottleneck = \"100Mbps\", delay = \"5ms\" }\n\
        [[workload]]\nconstant = { consumer = \"c*\", producer = \"p1\", rate = \"10/s\", names = 1, count = 20, \
        size = { pareto = { min = \"20kB\", shape = 1.1, max = \"1MB\" } }, label = \"{consumer}\" }\n";
    let sizes: Vec<f64> = (1..6)
        .map(|seed| {
            let result = drained(text, seed);
            let delivered = ["c1", "c2"].map(|flow| of_flow(&result, "delivered", flow));
            assert_eq!(delivered[0], delivered[1]);
            assert_eq!(delivered[0] % 20.0, 0.0);
            delivered[0] / 20.0
        })
        .collect();
    assert!(sizes.windows(2).any(|w| w[0] != w[1]), "another seed, another size: {sizes:?}");
}

#[test]
fn fetches_of_one_content_at_one_time_all_complete() {
    // All want the same 50 segments; a request comes while those before are under way.
    let text = line("constant = { rate = \"50/s\", names = 1, count = 50, size = \"52kB\" }", "[tables]\ncs = 100\n");
    let result = drained(&text, 1);
    assert_eq!(of_run(&result, "fetches_completed"), 50.0);
    assert_eq!(of_run(&result, "delivered"), 2500.0);
    // What one asked for a moment ago is there for the next, and a Data serves all who wait for it.
    assert!(of_link(&result, "link_packets", "producer>r1") < 200.0);
}

#[test]
fn twenty_thousand_fetches_are_under_way_at_once() {
    // 25 000 requests in two seconds, of 40 segments each, over a link that needs ten times as long for them.
    let text = "[topology]\nlinear = { routers = 1, rate = \"400Mbps\", delay = \"20ms\", queue = \"100000p\" }\n\
        [[workload]]\npoisson = { rate = \"12500/s\", count = 25_000, size = \"40kB\", payload = \"1000B\" }\n\
        [scheme]\ncontrol = { name = \"fixed-window\", window = 2 }\ntimeout = \"rfc6298\"\n[consumer]\nlifetime = \"30s\"\n";
    let mut built = built(text, 1);
    let mut most = 0;
    for step in 1..8 {
        built.world.run(End::At(at(f64::from(step) * 0.5)));
        let collector = outcome(&built);
        most = most.max((of_run(&collector, "fetches_started") - of_run(&collector, "fetches_completed")) as u64);
    }
    assert!(most > 20_000, "{most}");
    built.world.run(End::Complete);
    let result = outcome(&built);
    assert_eq!(of_run(&result, "fetches_completed"), 25_000.0);
    assert_eq!(of_run(&result, "delivered"), 1_000_000.0);
    built.world.run(End::Quiet);
    assert_drained(&built.world);
}

#[test]
fn a_record_of_each_fetch_adds_up_to_the_flows() {
    let text = line(
        "poisson = { rate = \"20/s\", count = 100, size = { uniform = { min = \"1kB\", max = \"90kB\" } }, payload = \"1000B\", label = \"many\" }",
        "[[workload]]\nfetch = { segments = 200, label = \"one\", start = \"500ms\" }\n[run]\nfetches = true\n",
    )
    .replace("10000p", "5p").replace("\"100Mbps\"", "[\"100Mbps\", \"10Mbps\"]");
    let result = drained(&text, 1);
    assert_eq!(result.fetches.len(), 101);
    for (metric, total) in [
        ("segments", "delivered"),
        ("retransmissions", "retransmissions"),
        ("timeouts", "timeouts"),
        ("decreases", "decreases"),
    ] {
        for flow in ["many", "one"] {
            let own = result.fetches.iter().filter(|f| result.flow_of(f) == flow);
            let sum: f64 = own.map(|f| f.get(metric).unwrap()).sum();
            assert_eq!(sum, of_flow(&result, total, flow), "{metric} of {flow}");
        }
    }
    assert!(of_run(&result, "data_drops") > 50.0);
    // Each content has one fetch, so each loss belongs to one: but for what was lost after its fetch had ended.
    let lost: f64 = result.fetches.iter().map(|f| f.get("data_drops").unwrap()).sum();
    assert!(lost <= of_run(&result, "data_drops") && lost > 0.9 * of_run(&result, "data_drops"), "{lost}");
    let weighted: f64 = result.fetches.iter().map(|f| f.get("full_delay").unwrap() * f.get("segments").unwrap()).sum();
    assert_near("mean delay", weighted / of_run(&result, "delivered"), of_run(&result, "full_delay"), 1e-6);
    let one = result.fetches.iter().find(|f| result.flow_of(f) == "one").unwrap();
    assert_near("time", one.get("fetch_time").unwrap(), of_flow(&result, "completion_time", "one") * 1e3, 1e-9);
    assert_eq!(one.get("fetch_start"), Some(0.5));
    assert!(one.get("delay_scv").unwrap() > 0.0 && one.get("nothing").is_none());
}

#[test]
fn delays_that_are_all_the_same_do_not_vary() {
    let text = line(
        "fetch = { segments = 50, payload = \"1000B\" }",
        "[scheme]\ncontrol = { name = \"fixed-window\", window = 1 }\n[run]\nfetches = true\n",
    );
    let scv = drained(&text, 1).fetches[0].get("delay_scv").unwrap();
    assert!(scv < 1e-6, "{scv}");
    let none = drained(&text.replace("fetches = true", ""), 1);
    assert!(none.fetches.is_empty(), "only if they are wanted");
}

#[test]
fn a_stream_is_dealt_to_those_who_share_it() {
    let text = |of: &str, scheme: &str| {
        format!(
            "scheme = \"{scheme}\"\n[topology]\ndumbbell = {{ flows = 2, bottleneck = \"100Mbps\", delay = \"5ms\" }}\n\
             [[workload]]\nprowgen = {{ consumer = \"c*\"{of}, requests = 300, rate = \"20/s\", distinct = 0.4, \
             one_timers = 0.6, mean_size = \"20kB\" }}\n"
        )
    };
    let counts = |text: &str| {
        let result = drained(text, 1);
        ["c1", "c2"].map(|flow| (of_flow(&result, "fetches_completed", flow), of_flow(&result, "delivered", flow)))
    };
    // One producer: 300 requests of both together. Of two producers each has a stream of 300.
    let shared = counts(&text(", producer = \"p1\"", "icp"));
    assert_eq!(shared[0].0 + shared[1].0, 300.0);
    assert!(shared[0].0 > 100.0 && shared[1].0 > 100.0);
    let own = counts(&text("", "icp"));
    assert_eq!((own[0].0, own[1].0), (300.0, 300.0));
    assert_ne!(own[0].1, own[1].1);
    assert_eq!(counts(&text("", "cubic")), own, "another scheme leaves the requests alone");
}

#[test]
fn what_is_inspected_is_the_sum_of_all_fetches() {
    let text = line(
        "constant = { rate = \"100/s\", count = 50, size = \"1MB\" }",
        "[scheme]\ncontrol = { name = \"fixed-window\", window = 4 }\n",
    );
    let mut built = built(&text, 1);
    built.world.run(End::At(at(0.55)));
    let flow = |(_, reading): (u32, Reading)| match reading {
        Reading::Flow { window, in_flight, .. } => Some((window, in_flight)),
        _ => None,
    };
    assert_eq!(common::readings(&built.world).into_iter().find_map(flow), Some((200.0, 200)));
}

#[test]
fn controls_of_fetches_under_way_and_to_come_are_exchanged() {
    let text = line(
        "constant = { rate = \"10/s\", stop = \"4s\", size = \"100kB\" }",
        "[scheme]\ncontrol = { name = \"fixed-window\", window = 1 }\n[[at]]\ntime = \"2s\"\n\
         scheme = { control = { window = 50 } }\n",
    );
    let mut built = built(&text, 1);
    built.world.run(End::At(at(2.0)));
    assert_eq!(of_run(&outcome(&built), "fetches_completed"), 0.0, "97 segments in 97 round trips of 40 ms");
    built.world.run(End::At(at(2.3)));
    assert!(of_run(&outcome(&built), "fetches_completed") > 15.0);
    built.world.run(End::Quiet);
    assert_drained(&built.world);
    assert_eq!(of_run(&outcome(&built), "fetches_completed"), 40.0);
}

/// A file beside the scenario.
struct Beside(&'static str);

impl Files for Beside {
    fn read(&self, path: &str) -> Result<String, String> {
        if path == "requests.csv" { Ok(self.0.into()) } else { Err("it does not exist".into()) }
    }
}

fn trace(workload: &str, csv: &'static str) -> Result<weir_scenario::plan::Scenario, String> {
    let text = format!(
        "[topology]\ndumbbell = {{ flows = 2, bottleneck = \"10Mbps\", delay = \"5ms\" }}\n[[workload]]\n{workload}\n"
    );
    let study = Study::parse_with("trace.toml", &text, &[], &Beside(csv)).map_err(|p| p.to_string())?;
    Ok(study.points()[0].scenario.clone())
}

#[test]
fn a_trace_is_replayed() {
    let csv = "time,consumer,name,size\n0.5,c1,a,5000\n0.1,c2,/b/c,1040\n2,c1,a,5000\n1.5,c2,d,\n";
    let scenario = trace("trace = { file = \"requests.csv\", producer = \"p1\", name = \"/web\" }", csv).unwrap();
    let mut built = build(&scenario, 1).unwrap();
    for (until, done) in [(0.09, 0.0), (0.3, 1.0), (1.0, 2.0), (1.9, 3.0), (3.0, 4.0)] {
        built.world.run(End::At(at(until)));
        assert_eq!(of_run(&outcome(&built), "fetches_completed"), done, "{until}");
    }
    let result = outcome(&built);
    assert_eq!((of_flow(&result, "delivered", "c1"), of_flow(&result, "delivered", "c2")), (10.0, 2.0));
    assert!(built.world.collector().all_complete());
}

#[test]
fn a_trace_that_fits_the_network_not_is_refused() {
    let file = "trace = { file = \"requests.csv\", producer = \"p1\" }";
    for (workload, csv, wanted) in [
        (file, "time,consumer,name\n1,c9,a\n", "there is no node `c9`"),
        (file, "time,consumer,name\n1,c1,a\nx,c1,a\n", "requests.csv:3:1"),
        ("trace = { file = \"request.csv\" }", "", "`request.csv` cannot be read: it does not exist"),
        ("trace = { file = \"requests.csv\", consumer = \"c1\" }", "time,consumer,name\n1,c1,a\n", "says the same"),
    ] {
        let told = trace(workload, csv).unwrap_err();
        assert!(told.contains(wanted), "{told}");
    }
}

#[test]
fn a_limit_ends_only_what_has_not_ended_before() {
    let text = |run: &str| {
        format!(
            "[topology.linear]\nrouters = 1\nrate = \"10Mbps\"\ndelay = \"5ms\"\n\n\
             [[workload]]\nfetch = {{ size = \"1MB\" }}\n\n[run]\n{run}\n"
        )
    };
    let open = common::run(&text(""), 1);
    let wide = common::run(&text("limit = \"100s\""), 1);
    assert_eq!((open.digest, &open.values), (wide.digest, &wide.values));
    let end = of_run(&open, "duration");
    let narrow = common::run(&text("limit = \"300ms\""), 1);
    assert!(end > 0.8, "{end}");
    assert_eq!(of_run(&narrow, "duration"), 0.3);
    assert_eq!(of_run(&narrow, "fetches_completed"), 0.0);
    assert_eq!(narrow.get("completion_time", weir_sim::Scope::Run), None);
}

/// Round trips that grow beyond the timeout are measured at once if the consumer learns from late Data.
#[test]
fn a_consumer_learns_from_late_data_if_the_scenario_says_so() {
    let timeouts = |more: &str| {
        let text = format!(
            "[topology]\nlinear = {{ routers = 1, rate = \"4Mbps\", delay = \"10ms\", queue = \"50p\" }}\n\
             [[workload]]\nfetch = {{ segments = 500, payload = \"1000B\" }}\n\
             [[at]]\ntime = \"500ms\"\nlink = {{ name = \"r1-producer\", delay = \"400ms\" }}\n\
             [scheme]\nname = \"aimd\"\n{more}"
        );
        of_run(&run(&text, 1), "timeouts")
    };
    let karn = timeouts("");
    assert_eq!(karn, timeouts("[consumer]\nlearn_from_late = false\n"));
    assert!(karn > 0.0 && karn != timeouts("[consumer]\nlearn_from_late = true\n"), "{karn} timeouts");
}
