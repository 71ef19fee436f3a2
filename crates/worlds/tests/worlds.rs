//! A few hundred worlds, and whether the tester sees what it is there to see. `make worlds` draws thousands.

use std::sync::atomic::{AtomicU64, Ordering};
use weir_worlds::{Kind, Limits, check, draw, text};

/// As many as the tests have time for.
const WORLDS: u64 = 300;

#[test]
fn what_must_hold_in_every_world_holds_in_these() {
    let next = AtomicU64::new(1);
    let search = || {
        let mut failed = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed > WORLDS {
                return failed;
            }
            if let Err(failure) = check(&text(&draw(seed)), seed, &Limits::default()) {
                failed.push(format!("world {seed}: {failure}"));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let failed: Vec<String> = std::thread::scope(|scope| {
        let searches: Vec<_> = (0..threads).map(|_| scope.spawn(search)).collect();
        searches.into_iter().flat_map(|search| search.join().expect("a search ends")).collect()
    });
    assert!(failed.is_empty(), "{}\nmake it small: cargo run -p weir-worlds -- --seed N --worlds 1", failed.join("\n"));
}

const SMALL: &str = "[topology]\nlinear = { routers = 1, rate = \"1Mbps\", delay = \"1ms\" }\n[[workload]]\n";

fn kind(rest: &str) -> Option<Kind> {
    check(&format!("{SMALL}{rest}"), 1, &Limits { events: 20_000 }).err().map(|failure| failure.kind)
}

#[test]
fn a_world_that_is_well_passes() {
    assert_eq!(kind("fetch = { segments = 100 }"), None);
}

#[test]
fn files_that_are_wrong_and_worlds_without_end_fail() {
    assert_eq!(kind("fetch = { segment = 100 }"), Some(Kind::Refused));
    assert_eq!(kind("fetch = { segments = 100_000 }"), Some(Kind::Endless));
    // Nothing ever arrives.
    let down = "[[at]]\ntime = \"0s\"\ndown = { link = \"*\", packets = \"vanish\" }";
    let stuck = &format!("fetch = {{ segments = 10, stop = \"9s\" }}\n{down}");
    assert_eq!(kind(stuck), None, "given up, so nothing is wrong");
    assert_eq!(kind(&stuck.replace(", stop = \"9s\"", "")), Some(Kind::Endless));
}

#[test]
fn a_number_is_a_world_and_every_part_of_the_registry_comes_up() {
    let worlds: Vec<String> = (1..=300).map(|seed| text(&draw(seed))).collect();
    assert_eq!(worlds[6], text(&draw(7)));
    let drawn = |name: &str| worlds.iter().any(|world| world.contains(&format!("name = \"{name}\"")));
    use weir_schemes::registry::{CONTROLS, QUEUES, RECOVERIES, STRATEGIES, TIMEOUTS};
    assert!(CONTROLS.iter().all(|entry| drawn(entry.name)));
    assert!(TIMEOUTS.iter().all(|entry| drawn(entry.name)));
    assert!(QUEUES.iter().all(|entry| drawn(entry.name)));
    assert!(STRATEGIES.iter().all(|entry| drawn(entry.name)));
    assert!(RECOVERIES.iter().all(|entry| drawn(entry.name)));
}
