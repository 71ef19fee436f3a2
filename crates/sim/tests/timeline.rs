//! What happens in the midst of a run, and links that are worse than rate, delay and loss.

mod common;

use common::{assert_drained, assert_near, at, built, drained, of_flow, of_link, of_node, of_run, outcome, run};
use weir_core::Reading;
use weir_sim::{Built, End, Scope};

/// One consumer, one router, one producer; a rate that the network allows without a queue.
fn paced(rest: &str) -> String {
    format!(
        "[topology]\nlinear = {{ routers = 1, rate = \"20Mbps\", delay = \"10ms\" }}\n\
         [[workload]]\nfetch = {{ stop = \"10s\", control = {{ name = \"cbr\", rate = \"8Mbps\" }} }}\n{rest}"
    )
}

fn fetch(segments: u32, rest: &str) -> String {
    format!(
        "[topology]\nlinear = {{ routers = 1, rate = [\"100Mbps\", \"20Mbps\"], delay = \"10ms\", queue = \"50p\" }}\n\
         [[workload]]\nfetch = {{ segments = {segments} }}\n[scheme]\nname = \"cubic\"\n{rest}"
    )
}

/// Segments delivered until `seconds`.
fn delivered_by(built: &mut Built, seconds: f64) -> f64 {
    built.world.run(End::At(at(seconds)));
    of_run(&outcome(built), "delivered")
}

/// At any time, what a link direction has sent is somewhere.
fn assert_links_balance(built: &Built) {
    for (spec, counters, flying) in built.world.links() {
        let seen = counters.arrived + counters.lost + flying as u64;
        assert_eq!(counters.packets + counters.duplicated, seen, "from {} to {}", spec.from, spec.to);
    }
}

#[test]
fn a_rate_that_changes_changes_the_goodput() {
    let change = "[[at]]\ntime = \"5s\"\nlink = { name = \"r1-producer\", rate = \"5Mbps\" }\n";
    let steady = "control = { name = \"fixed-window\", window = 140 }";
    let text = fetch(1_000_000, change).replace("name = \"cubic\"", steady).replace("50p", "200p");
    let mut built = built(&text, 1);
    let before = delivered_by(&mut built, 5.0);
    let after = delivered_by(&mut built, 10.0) - before;
    // 1040 bytes of payload in packets of about 1090.
    assert_near("before", before * 1040.0 * 8.0 / 5e6, 20.0, 0.08);
    assert_near("after", after * 1040.0 * 8.0 / 5e6, 5.0, 0.08);
}

#[test]
fn a_delay_that_changes_changes_the_round_trip_and_keeps_the_order() {
    let change = "[[at]]\ntime = \"5s\"\nlink = { name = \"producer>r1\", delay = \"2ms\" }\n";
    let mut built = built(&paced(change), 1);
    built.world.run(End::At(at(5.0)));
    let before = of_run(&outcome(&built), "full_delay");
    built.world.run(End::Quiet);
    let all = outcome(&built);
    assert_near("before", before, 41.4, 0.02);
    // Half of the segments are 8 ms faster.
    assert_near("mean", of_run(&all, "full_delay"), before - 4.0, 0.02);
    assert_eq!(of_run(&all, "late"), 0.0);
    assert_drained(&built.world);
}

#[test]
fn a_loss_that_changes_is_felt() {
    let change = "[[at]]\ntime = \"5s\"\nlink = { name = \"producer>r1\", loss = \"10%\" }\n";
    let mut built = built(&paced(change), 1);
    built.world.run(End::At(at(5.0)));
    assert_eq!(of_run(&outcome(&built), "drops_link_loss"), 0.0);
    built.world.run(End::At(at(10.0)));
    let result = outcome(&built);
    let sent = of_link(&result, "link_packets", "producer>r1");
    assert_near("lost", of_link(&result, "drops_link_loss", "producer>r1"), sent / 2.0 * 0.1, 0.12);
}

#[test]
fn a_queue_that_gets_longer_keeps_what_waits() {
    let change = "[[at]]\ntime = \"3s\"\nlink = { name = \"producer>r1\", queue = \"7p\" }\n\
        [[at]]\ntime = \"6s\"\nlink = { name = \"r1-producer\", queue = \"500p\" }\n";
    let text = fetch(40_000, change).replace("name = \"cubic\"", "control = { name = \"fixed-window\", window = 300 }");
    let mut built = built(&text, 1);
    let queue = |built: &Built| {
        let at_producer = |(node, reading): (u32, Reading)| match reading {
            Reading::Queue { packets, .. } if node == 2 => Some(packets),
            _ => None,
        };
        common::readings(&built.world).into_iter().find_map(at_producer).unwrap()
    };
    built.world.run(End::At(at(2.9)));
    let before = queue(&built);
    built.world.run(End::At(at(3.0)));
    let (cut, dropped) = (queue(&built), of_link(&outcome(&built), "drops_queue_full", "producer>r1"));
    assert!(before > 40 && cut <= 8, "{before} {cut}");
    assert!(dropped >= 40.0, "{dropped}");
    built.world.run(End::At(at(9.0)));
    assert!(queue(&built) > 60, "{}", queue(&built));
    built.world.run(End::Quiet);
    assert_drained(&built.world);
    assert_eq!(of_run(&outcome(&built), "delivered"), 40_000.0);
}

#[test]
fn a_link_that_is_down_lets_packets_wait_or_drops_them_or_loses_them() {
    for (packets, reason) in [("wait", "drops_queue_full"), ("drop", "drops_link_down"), ("vanish", "drops_link_down")]
    {
        let change = format!(
            "[[at]]\ntime = \"2s\"\ndown = {{ link = \"producer>r1\", packets = \"{packets}\" }}\n\
             [[at]]\ntime = \"4s\"\nup = \"producer>r1\"\n"
        );
        let mut built = built(&paced(&change), 1);
        let before = delivered_by(&mut built, 2.02);
        assert_links_balance(&built);
        // Nothing comes any more but what was past the link.
        assert_eq!(delivered_by(&mut built, 3.9), before, "{packets}");
        assert_links_balance(&built);
        built.world.run(End::Quiet);
        assert_drained(&built.world);
        let result = outcome(&built);
        // The Interests of two seconds, each for a Data that is lost once at least; then all is sent again.
        assert!(of_link(&result, reason, "producer>r1") > 1000.0, "{packets}");
        assert!(of_run(&result, "delivered") > before * 4.0, "{packets}");
        let utilisation = of_link(&result, "utilisation", "producer>r1");
        assert!((0.0..=1.0).contains(&utilisation));
    }
}

#[test]
fn what_is_in_the_air_when_a_link_goes_down_is_lost() {
    let mut built = built(&paced("[[at]]\ntime = \"2s\"\ndown = \"r1-producer\"\n"), 1);
    built.world.run(End::At(at(1.9999)));
    let flying: usize = built.world.links().filter(|(spec, ..)| spec.from + spec.to == 3).map(|(.., n)| n).sum();
    built.world.run(End::At(at(2.0)));
    // Interests and Data of 10 ms each at 961 a second.
    assert_eq!(of_run(&outcome(&built), "drops_link_down"), flying as f64);
    assert!((18..=21).contains(&flying), "{flying}");
    assert_links_balance(&built);
}

#[test]
fn a_router_that_knows_of_a_failed_link_takes_the_other_way() {
    let text = |packets: &str| {
        format!(
            "routing = \"loop-free\"\n[topology]\nnodes = [\"c\", \"a\", \"up\", \"low\", \"b\", \"p\"]\n{}\
             [[workload]]\nfetch = {{ consumer = \"c\", producer = \"p\", stop = \"6s\", \
             control = {{ name = \"cbr\", rate = \"4Mbps\" }} }}\n[scheme]\nstrategy = \"best-route\"\n\
             [[at]]\ntime = \"2s\"\ndown = {{ link = \"a-up\", packets = \"{packets}\" }}\n[[at]]\ntime = \"4s\"\nup = \"a-up\"\n",
            [("c", "a", 1), ("a", "up", 1), ("up", "b", 1), ("a", "low", 5), ("low", "b", 5), ("b", "p", 1)]
                .map(|(a, b, cost)| format!(
                    "[[topology.link]]\nbetween = [\"{a}\", \"{b}\"]\nrate = \"20Mbps\"\ndelay = \"5ms\"\ncost = {cost}\n"
                ))
                .concat()
        )
    };
    let known = drained(&text("drop"), 1);
    let interests = |result, link| of_link(result, "link_packets", link);
    // For two of six seconds they go the lower way.
    let share = interests(&known, "a>low") / (interests(&known, "a>low") + interests(&known, "a>up"));
    assert_near("share of the lower way", share, 1.0 / 3.0, 0.05);
    assert!(of_run(&known, "timeouts") < 100.0, "{}", of_run(&known, "timeouts"));
    let unknown = drained(&text("vanish"), 1);
    assert!(of_run(&unknown, "timeouts") > 300.0, "{}", of_run(&unknown, "timeouts"));
}

#[test]
fn a_restart_empties_tables_and_queues_and_the_fetch_goes_on() {
    let restart = "[[at]]\ntime = \"2s\"\nrestart = \"r1\"\n[tables]\ncs = 100\n";
    let text = fetch(15_000, restart).replace("[\"100Mbps\", \"20Mbps\"]", "[\"20Mbps\", \"100Mbps\"]");
    let mut built = built(&text, 1);
    let tables = |built: &Built| {
        let of = |(node, reading)| match reading {
            Reading::Pit { entries, .. } if node == 1 => Some(entries),
            Reading::Cs { entries, .. } if node == 1 => Some(entries),
            _ => None,
        };
        common::readings(&built.world).into_iter().filter_map(of).collect::<Vec<_>>()
    };
    built.world.run(End::At(at(1.999)));
    let before = tables(&built);
    assert!(before[0] > 10 && before[1] == 100, "{before:?}");
    built.world.run(End::At(at(2.0)));
    let after = tables(&built);
    assert!(after.iter().all(|entries| *entries <= 1), "{after:?}");
    built.world.run(End::Quiet);
    assert_drained(&built.world);
    let result = outcome(&built);
    assert_eq!(of_run(&result, "delivered"), 15_000.0);
    assert!(of_run(&result, "drops_node_restart") > 0.0);
    assert!(of_run(&result, "drops_unsolicited") > 0.0, "Data that nobody waits for any more");
    assert!(of_node(&result, "pit_max", "r1") >= before[0] as f64);
}

#[test]
fn schemes_are_exchanged_in_the_midst_of_a_run() {
    let change = "[[at]]\ntime = \"4s\"\nscheme = { control = { name = \"cbr\", rate = \"2Mbps\" }, timeout = \"rfc6298\", \
        queue = { name = \"codel\", action = \"mark\" }, recovery = \"plr\", strategy = \"round-robin\" }\n\
        [[at]]\ntime = \"6s\"\nscheme = { control = { name = \"fixed-window\", window = 3 }, flows = \"consumer\" }\n";
    let mut built = built(&fetch(1_000_000, change), 1);
    let full = delivered_by(&mut built, 4.0);
    let early = delivered_by(&mut built, 4.5);
    let paced = delivered_by(&mut built, 6.0) - early;
    assert!(full * 1040.0 * 8.0 / 4e6 > 15.0, "{full}");
    assert_near("paced", paced * 1040.0 * 8.0 / 1.5e6, 2.0, 0.02);
    let early = delivered_by(&mut built, 6.5);
    let windowed = delivered_by(&mut built, 8.0) - early;
    // Three for each round trip of 40 ms and the time on the links.
    assert_near("windowed", windowed / 1.5, 3.0 / 0.0411, 0.03);
}

#[test]
fn a_change_of_the_scheme_builds_on_the_one_before() {
    let window = "[[at]]\ntime = \"2s\"\nscheme = { control = { name = \"fixed-window\", window = 7 } }\n";
    let timeout = "[[at]]\ntime = \"4s\"\nscheme = { timeout = \"ndnsim\" }\n";
    let same = "[[at]]\ntime = \"6s\"\nscheme = { control = { name = \"fixed-window\" }, flows = \"*\" }\n";
    // The order of the file does not count, but that of time.
    for text in [[window, timeout, same].concat(), [same, window, timeout].concat()] {
        let mut built = built(&fetch(1_000_000, &text), 1);
        for seconds in [3.0, 5.0, 7.0] {
            built.world.run(End::At(at(seconds)));
            assert_eq!(common::window(&built.world, 0), 7.0, "at {seconds} s");
        }
    }
}

/// Fetches that begin after a change of the timeout rule still have the control of an earlier change.
#[test]
fn later_fetches_have_the_parts_of_all_changes() {
    let text = |changes: &str| {
        format!(
            "[topology]\nlinear = {{ routers = 1, rate = \"50Mbps\", delay = \"10ms\" }}\n\
             [[workload]]\nconstant = {{ rate = \"2/s\", size = \"2MB\" }}\n[run]\nduration = \"8s\"\n{changes}"
        )
    };
    let window = "[[at]]\ntime = \"1s\"\nscheme = { control = { name = \"fixed-window\", window = 3 } }\n";
    let timeout = "[[at]]\ntime = \"2s\"\nscheme = { timeout = \"ndnsim\" }\n";
    let slow = of_run(&run(&text(window), 1), "delivered");
    let both = of_run(&run(&text(&format!("{window}{timeout}")), 1), "delivered");
    let fast = of_run(&run(&text(""), 1), "delivered");
    assert!(fast > 2.0 * slow, "{fast} {slow}");
    assert_near("the same fetches", both, slow, 0.02);
}

#[test]
fn what_fits_one_node_but_not_the_part_in_force_at_another_is_refused() {
    let text = "[topology]\nlinear = { routers = 2, rate = \"20Mbps\", delay = \"10ms\" }\n[[workload]]\nfetch = { segments = 9 }\n\
        [run]\nduration = \"9s\"\n[[at]]\ntime = \"1s\"\nscheme = { queue = \"codel\", nodes = \"r1\" }\n\
        [[at]]\ntime = \"2s\"\nscheme = { queue = { target = \"9ms\" }, nodes = NODES }\n";
    let parse = |nodes: &str| weir_scenario::Study::parse("t", &text.replace("NODES", nodes), &[]);
    assert!(parse("\"r1\"").is_ok());
    let problems = parse("[\"r1\", \"r2\"]").unwrap_err().to_string();
    assert!(problems.contains("has no parameter `target`"), "{problems}");
}

#[test]
fn a_control_takes_over_the_window_of_the_one_before() {
    let change = "[[at]]\ntime = \"4s\"\nscheme = { control = { name = \"cubic\", beta = 0.3 } }\n";
    let mut built = built(&fetch(1_000_000, change), 1);
    built.world.run(End::At(at(3.999)));
    let before = common::window(&built.world, 0);
    built.world.run(End::At(at(4.0)));
    let after = common::window(&built.world, 0);
    assert!(before > 20.0);
    assert_near("window", after, before, 0.05);
}

#[test]
fn workloads_start_and_stop_by_the_timeline() {
    let text = "[topology]\ndumbbell = { flows = 2, bottleneck = \"50Mbps\", delay = \"5ms\" }\n\
        [[workload]]\nfetch = { consumer = \"c1\", start = \"never\", label = \"late\", control = { name = \"cbr\", rate = \"8Mbps\" } }\n\
        [[workload]]\nconstant = { consumer = \"c2\", rate = \"100/s\", label = \"web\" }\n[run]\nduration = \"10s\"\n\
        [[at]]\ntime = \"2s\"\nstart = \"late\"\n[[at]]\ntime = \"4s\"\nstop = [\"late\", \"web\"]\n\
        [[at]]\ntime = \"7s\"\nstart = \"*\"\n";
    let result = run(text, 1);
    // 8 Mbit/s are 961.5 segments a second: for 2 s, then for 3 s.
    assert_near("late", of_flow(&result, "requests", "late"), 5.0 * 961.5, 0.01);
    assert_near("web", of_flow(&result, "fetches_started", "web"), 700.0, 0.01);
    assert!(of_flow(&result, "delivered", "late") > 4700.0);
}

#[test]
fn a_workloads_own_end_outlives_stop_and_start() {
    let text = "[topology]\ndumbbell = { flows = 2, bottleneck = \"50Mbps\", delay = \"5ms\" }\n\
        [[workload]]\nfetch = { consumer = \"c1\", stop = \"6s\", label = \"video\", control = { name = \"cbr\", rate = \"8Mbps\" } }\n\
        [[workload]]\nconstant = { consumer = \"c2\", rate = \"100/s\", stop = \"6s\", label = \"web\" }\n[run]\nduration = \"10s\"\n\
        [[at]]\ntime = \"2s\"\nstop = \"*\"\n[[at]]\ntime = \"3s\"\nstart = \"*\"\n[[at]]\ntime = \"8s\"\nstart = \"*\"\n";
    let result = run(text, 1);
    // For 2 s, and from 3 s to 6 s.
    assert_near("video", of_flow(&result, "requests", "video"), 5.0 * 961.5, 0.01);
    assert_near("web", of_flow(&result, "fetches_started", "web"), 500.0, 0.01);
}

#[test]
fn flaps_and_restarts_lose_nothing_from_the_books_and_can_be_repeated() {
    let text = "[topology]\ndumbbell = { flows = 3, bottleneck = \"10Mbps\", delay = \"10ms\", queue = \"30p\" }\n\
        [[workload]]\nfetch = { segments = 3000 }\n[[workload]]\npoisson = { consumer = \"c*\", producer = \"p2\", rate = \"50/s\", names = 100, zipf = 1, \
        stop = \"8s\", label = \"web\" }\n[scheme]\nname = \"pcon\"\nrecovery = \"plr\"\n[consumer]\nlifetime = \"1s\"\n\
        [[impairment]]\nlink = \"bottleneck\"\njitter = { normal = \"3ms\" }\novertaking = true\nduplicate = \"2%\"\n\
        bursts = { p = \"1%\", r = \"30%\", h = 0.3 }\nreorder = { share = \"1%\", delay = \"5ms\" }\n\
        [[at]]\ntime = \"1s..1.5s\"\nevery = \"700ms\"\nuntil = \"8s\"\ndown = { link = \"bottleneck\", packets = \"drop\" }\n\
        [[at]]\ntime = \"1.6s\"\nevery = \"700ms\"\nuntil = \"9s\"\nup = \"bottleneck\"\n\
        [[at]]\ntime = \"2s\"\nevery = \"1.3s\"\nuntil = \"8s\"\nrestart = [\"r1\", \"r2\"]\n\
        [[at]]\ntime = \"3s\"\ndown = \"c1\"\n[[at]]\ntime = \"4s\"\nup = \"c1\"\n\
        [[at]]\ntime = \"5s\"\nscheme = { queue = \"droptail\", recovery = \"none\", strategy = \"multicast\" }\n";
    let [mut first, mut again] = [(); 2].map(|()| built(text, 3));
    for stop in [1.0, 1.3, 2.01, 3.5, 5.0, 7.77] {
        again.world.run(End::At(at(stop)));
        assert_links_balance(&again);
    }
    for world in [&mut first.world, &mut again.world] {
        world.run(End::Quiet);
        assert_drained(world);
    }
    assert_eq!(first.world.digest(), again.world.digest());
    let result = outcome(&first);
    for flow in ["c1", "c2", "c3"] {
        assert_eq!(of_flow(&result, "delivered", flow), 3000.0, "{flow}");
    }
    assert!(of_run(&result, "drops_node_restart") > 0.0 && of_run(&result, "drops_link_down") > 0.0);
    let web = |metric| of_flow(&result, metric, "web");
    assert_eq!(web("fetches_started"), web("fetches_completed") + web("fetches_failed"));
}

#[test]
fn impairments_do_what_they_say() {
    let impaired = |what: &str| drained(&paced(&format!("[[impairment]]\nlink = \"producer>r1\"\n{what}\n")), 2);
    let plain = drained(&paced(""), 2);
    let none = impaired("duplicate = 0");
    assert_eq!(plain.digest, none.digest, "an impairment of nothing changes nothing");

    let jitter = impaired("jitter = { uniform = \"20ms\" }");
    assert_eq!(of_run(&jitter, "late"), 0.0, "in order");
    assert!(of_run(&jitter, "full_delay") > of_run(&plain, "full_delay") + 15.0, "a late packet holds up the others");
    let free = impaired("jitter = { uniform = \"20ms\" }\novertaking = true");
    assert_near("mean", of_run(&free, "full_delay"), of_run(&plain, "full_delay") + 10.0, 0.02);
    assert!(of_run(&free, "late") > 4000.0, "{}", of_run(&free, "late"));

    let reorder = impaired("reorder = { share = \"2%\", delay = \"5ms\" }");
    assert_near("late", of_run(&reorder, "late"), of_run(&plain, "delivered") * 0.02, 0.2);
    let copies = impaired("duplicate = \"5%\"");
    assert_near("copies", of_run(&copies, "drops_unsolicited"), of_run(&plain, "delivered") * 0.05, 0.12);
    assert_eq!(copies.get("late", Scope::Run), Some(0.0));

    let bursts = impaired("bursts = { p = 0.01, r = 0.24 }");
    let sent = of_link(&bursts, "link_packets", "producer>r1");
    assert_near("lost", of_link(&bursts, "drops_link_loss", "producer>r1") / sent, 0.04, 0.25);
}
