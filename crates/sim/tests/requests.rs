//! Flows of many requests: how many there are, what they ask for, and what becomes of them.

mod common;

use common::{assert_drained, assert_near, built, drained, of_flow, of_node, of_run, outcome, run};
use weir_sim::End;

const LINE: &str = "[topology]\nlinear = { routers = 1, rate = \"1Gbps\", delay = \"10ms\" }\n";

fn line(workload: &str, rest: &str) -> String {
    format!("{LINE}[[workload]]\n{workload}\n{rest}")
}

#[test]
fn constant_requests_come_when_they_should_and_each_is_answered() {
    let text = line("constant = { rate = \"200/s\", stop = \"10s\" }", "");
    let result = drained(&text, 1);
    assert_eq!(of_flow(&result, "fetches_started", "consumer"), 2000.0);
    assert_eq!(of_flow(&result, "fetches_completed", "consumer"), 2000.0);
    assert_eq!(of_flow(&result, "delivered", "consumer"), 2000.0);
    assert_eq!(of_flow(&result, "requests", "consumer"), 2000.0);
    // 4 delays of 10 ms, and the time on the links.
    assert_near("fetch time", of_run(&result, "fetch_time"), 40.0, 0.01);
    assert_near("median", of_run(&result, "fetch_time_p50"), 40.0, 0.02);
}

#[test]
fn poisson_requests_have_their_rate() {
    let text = line("poisson = { rate = \"500/s\", stop = \"40s\" }", "");
    let result = drained(&text, 3);
    let started = of_run(&result, "fetches_started");
    // 20 000 expected, with a standard deviation of 141.
    assert!((started - 20_000.0).abs() < 450.0, "{started}");
    assert_eq!(of_run(&result, "fetches_completed"), started);
}

#[test]
fn a_popular_name_is_asked_for_once_by_all_who_want_it_at_one_time() {
    // One name: a request joins the Interest that is out, which takes 40 ms; so there is one Interest each 40 ms.
    let text = line("constant = { rate = \"1000/s\", names = 1, count = 1000 }", "");
    let result = drained(&text, 1);
    assert_eq!(of_run(&result, "fetches_completed"), 1000.0);
    let interests = of_run(&result, "requests");
    assert!((24.0..=25.0).contains(&interests), "{interests}");
    // Those who join wait for what is left of it.
    assert_near("mean", of_run(&result, "fetch_time"), 20.0, 0.05);
}

#[test]
fn popular_names_are_found_in_caches_as_often_as_the_law_says() {
    // Uniform requests for 1000 names over a cache of 200: a fifth of the requests hit once the cache is full (any
    // replacement does, for independent uniform requests).
    let text = line(
        "poisson = { rate = \"200/s\", names = 1000, stop = \"300s\" }",
        "[tables]\ncs = 200\n[consumer]\nlifetime = \"1s\"",
    );
    let result = drained(&text, 5);
    let (hits, misses) = (of_node(&result, "cs_hits", "r1"), of_node(&result, "cs_misses", "r1"));
    assert_near("hit ratio", hits / (hits + misses), 0.2, 0.03);
}

#[test]
fn requests_are_repeated_and_at_last_given_up() {
    let lossy = LINE.replace("}", ", loss = [0, 0.5] }");
    let workload = "[[workload]]\nconstant = { rate = \"50/s\", count = 2000, retries = 2 }\n";
    let result = drained(&format!("{lossy}{workload}"), 2);
    let (failed, done) = (of_run(&result, "fetches_failed"), of_run(&result, "fetches_completed"));
    assert_eq!(failed + done, 2000.0);
    // Interest and Data each survive with a chance of a half: three tries fail with (3/4)^3.
    assert_near("given up", failed / 2000.0, 0.421875, 0.08);
    assert!(of_run(&result, "retransmissions") > 1000.0);

    let patient = workload.replace("retries = 2", "retries = \"unlimited\"");
    let result = drained(&format!("{lossy}{patient}"), 2);
    assert_eq!((of_run(&result, "fetches_failed"), of_run(&result, "fetches_completed")), (0.0, 2000.0));
}

#[test]
fn many_consumers_share_one_label_or_have_one_each() {
    let network = "[topology]\ndumbbell = { flows = 5, bottleneck = \"1Gbps\", delay = \"5ms\" }\n[[workload]]\n";
    let text = format!(
        "{network}poisson = {{ consumer = \"c*\", producer = \"p1\", rate = \"20/s\", count = 10, label = \"web\" }}"
    );
    let result = drained(&text, 1);
    assert_eq!(of_flow(&result, "fetches_completed", "web"), 50.0);
    let text = text.replace("\"web\"", "\"web of {consumer}\"");
    let result = drained(&text, 1);
    assert_eq!(of_flow(&result, "fetches_completed", "web of c3"), 10.0);
    // Without a producer each consumer has the one of its pair.
    let text = format!("{network}poisson = {{ consumer = [\"c1\", \"c4\"], rate = \"20/s\", count = 10 }}");
    let result = drained(&text, 1);
    assert_eq!((of_flow(&result, "delivered", "c1"), of_flow(&result, "delivered", "c4")), (10.0, 10.0));
}

#[test]
fn on_off_requests_come_in_bursts() {
    let text = line(
        "on_off = { rate = \"100/s\", on = \"0.5s\", off = \"1.5s\", periods = \"fixed\", arrivals = \"constant\", stop = \"20s\" }",
        "[run]\nsample = \"500ms\"\n",
    );
    let result = drained(&text, 1);
    assert_eq!(of_run(&result, "fetches_completed"), 500.0);
    let busy = result.series.iter().filter(|s| s.metric == "goodput" && s.value > 0.0).count();
    assert!((10..=20).contains(&busy), "{busy} of the half seconds");
}

#[test]
fn a_run_of_requests_ends_with_the_last_of_them_and_can_be_repeated() {
    let text = line("poisson = { rate = \"50/s\", names = 30, zipf = 0.9, q = 0.5, count = 100 }", "");
    let [mut first, mut again] = [(); 2].map(|()| built(&text, 8));
    for world in [&mut first.world, &mut again.world] {
        world.run(End::Complete);
    }
    assert_eq!(first.world.digest(), again.world.digest());
    assert!(first.world.collector().all_complete());
    assert_eq!(of_run(&outcome(&first), "fetches_completed"), 100.0);
    first.world.run(End::Quiet);
    assert_drained(&first.world);
    assert_ne!(built(&text, 9).world.digest(), first.world.digest());
    assert_eq!(of_run(&run(&text, 8), "fetches_completed"), 100.0);
}

#[test]
fn more_load_than_a_link_has_room_for_is_given_up_in_the_end() {
    let text = "[topology]\nlinear = { routers = 1, rate = [\"1Gbps\", \"1Mbps\"], delay = \"5ms\", queue = \"20p\" }\n\
        [[workload]]\npoisson = { rate = \"500/s\", stop = \"5s\", retries = 1 }\n";
    let result = drained(text, 1);
    let sum = of_run(&result, "fetches_completed") + of_run(&result, "fetches_failed");
    assert_eq!(sum, of_run(&result, "fetches_started"));
    assert!(of_run(&result, "fetches_failed") > 500.0);
}
