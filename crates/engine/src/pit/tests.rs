//! The table by itself.

use super::expiry::class_of;
use super::*;
use crate::fib::StrategyId;

fn interest(uri: &str) -> Interest {
    Interest::new(uri.parse().unwrap(), 1)
}

/// A table with its names.
struct Table {
    pit: Pit,
    stems: Stems,
}

impl Table {
    fn new(capacity: usize) -> Table {
        Table { pit: Pit::new(capacity), stems: Stems::default() }
    }

    fn answered_by(&self, name: &Name) -> Option<PitId> {
        self.pit.answered_by(name, self.stems.find(name), &self.stems)
    }

    fn remove(&mut self, id: PitId) {
        self.pit.remove(id, &self.stems);
    }
}

fn add(table: &mut Table, interest: &Interest, now: u64, lifetime_ms: u32) -> PitId {
    let Table { pit, stems } = table;
    let key = stems.key(&interest.name);
    let route = Match { prefix: None, strategy: StrategyId(0) };
    let id = pit.find(key, interest).unwrap_or_else(|| pit.insert(key, interest, route, Span::ZERO));
    let expiry = Time(now) + Span::from_millis(u64::from(lifetime_ms));
    pit.wait(id, InRecord { face: FaceId(0), nonce: 1, expiry, token: None }, lifetime_ms);
    id
}

fn expire_all(table: &mut Table, now: Time) -> Vec<String> {
    let mut gone = Vec::new();
    while let Some(id) = table.pit.expired(now) {
        gone.push(table.pit.get(id).name(&table.stems).to_string());
        table.remove(id);
    }
    gone
}

#[test]
fn entries_differ_by_selectors() {
    let mut table = Table::new(10);
    let plain = interest("/a");
    let fresh = Interest { must_be_fresh: true, ..plain.clone() };
    assert_ne!(add(&mut table, &plain, 0, 100), add(&mut table, &fresh, 0, 100));
    assert_eq!(table.pit.len(), 2);
    let name = plain.name.clone();
    for left in [1, 0] {
        let id = table.answered_by(&name).unwrap();
        table.remove(id);
        assert_eq!(table.pit.len(), left);
    }
    assert!(!table.pit.may_have_more());
}

#[test]
fn data_answers_prefixes_that_allow_it() {
    let mut table = Table::new(10);
    add(&mut table, &interest("/a"), 0, 100);
    add(&mut table, &Interest { can_be_prefix: true, ..interest("/a/b") }, 0, 100);
    let data: Name = "/a/b/c/seg=4".parse().unwrap();
    let id = table.answered_by(&data).unwrap();
    assert_eq!(table.pit.get(id).name(&table.stems).to_string(), "/a/b");
    table.remove(id);
    assert_eq!(table.answered_by(&data), None);
}

#[test]
fn entries_expire_in_order_whatever_their_lifetimes() {
    let mut table = Table::new(10);
    for (uri, now, lifetime) in [("/a", 0, 4000), ("/b", 1, 100), ("/c", 2, 120), ("/d", 3, 101)] {
        add(&mut table, &interest(uri), now, lifetime);
    }
    add(&mut table, &interest("/b"), 5, 130); // asked again: waits longer
    add(&mut table, &interest("/a"), 5, 10); // asked again for a shorter time: waits as long as before
    assert_eq!(expire_all(&mut table, Time(100_000_000)), [""; 0]);
    assert_eq!(expire_all(&mut table, Time(200_000_000)), ["/d", "/c", "/b"]);
    assert_eq!(table.pit.next_expiry(), Time(4_000_000_000));
    assert_eq!(expire_all(&mut table, Time(4_000_000_000)), ["/a"]);
    assert!(table.pit.is_empty() && table.pit.next_expiry() == Time::NEVER);
}

#[test]
fn lifetimes_of_a_class_differ_little() {
    let classes: Vec<usize> = [0, 1, 2, 3, 63, 64, 65, 66, 2047, 2048, 2111, 2112, u32::MAX].map(class_of).into();
    assert_eq!(classes, [0, 0, 32, 48, 191, 192, 192, 193, 351, 352, 352, 353, 1023]);
    assert!((1..100_000).all(|lifetime| class_of(lifetime) <= class_of(lifetime + 1)));
}

#[test]
fn slots_are_used_again() {
    let mut table = Table::new(2);
    for round in 0..100 {
        let a = add(&mut table, &interest("/a"), round, 10);
        let b = add(&mut table, &interest("/b"), round, 10);
        assert!(table.pit.is_full());
        table.remove(a);
        table.remove(b);
    }
    assert_eq!((table.pit.len(), table.pit.slots.len()), (0, 2));
}

#[test]
fn entries_expire_as_a_sorted_list_would_say() {
    for seed in 0..20 {
        let mut chance = weir_core::Seed(seed).stream();
        let mut table = Table::new(10_000);
        // By expiry, and of equal ones the one that began to wait first.
        let mut model: BTreeSet<(u64, u32, u32)> = BTreeSet::new();
        let mut now = 0;
        for turn in 0..3_000 {
            now += chance.below(2_000_000);
            let number = chance.below(400) as u32;
            let asked = interest(&format!("/a/seg={number}"));
            let known = model.iter().find(|(.., other)| *other == number).copied();
            if chance.happens(0.3) {
                if let Some(known) = known {
                    let id = table.answered_by(&asked.name).unwrap();
                    table.remove(id);
                    model.remove(&known);
                }
            } else {
                // Two classes; within one, a later Interest may end its life earlier.
                let lifetime_ms = [400 + chance.below(12), 90][chance.below(2) as usize] as u32;
                add(&mut table, &asked, now, lifetime_ms);
                let expiry = now + u64::from(lifetime_ms) * 1_000_000;
                if known.is_none_or(|(before, ..)| before < expiry) {
                    known.inspect(|known| assert!(model.remove(known)));
                    model.insert((expiry, turn, number));
                }
            }
            let due: Vec<String> = model
                .iter()
                .take_while(|(expiry, ..)| *expiry <= now)
                .map(|(.., number)| interest(&format!("/a/seg={number}")).name.to_string())
                .collect();
            model.retain(|(expiry, ..)| *expiry > now);
            assert_eq!(expire_all(&mut table, Time(now)), due);
            assert_eq!(table.pit.len(), model.len());
        }
    }
}

#[test]
fn an_entry_without_an_answer_does_not_keep_those_behind_it() {
    let mut table = Table::new(100);
    add(&mut table, &interest("/a/seg=0"), 0, 4000);
    for number in 1..50_000 {
        let id = add(&mut table, &interest(&format!("/a/seg={number}")), number, 4000);
        add(&mut table, &interest("/b"), number, 4000);
        table.remove(id);
    }
    assert!(table.pit.expiry.places() < 4096, "{} places for two entries", table.pit.expiry.places());
    let last = Time(49_999) + Span::from_millis(4000);
    assert_eq!(expire_all(&mut table, last), ["/a/seg=0", "/b"].map(|uri| interest(uri).name.to_string()));
    assert_eq!(table.pit.next_expiry(), Time::NEVER);
}
