//! Makes a world that fails smaller, as long as it fails in the same way.
//!
//! A world is a tree of tables, lists and values, and all that happens here is that parts of it are left out or made
//! smaller. Most of the outcomes are no scenarios at all and refused at once; that is cheaper than to know what a
//! scenario is.

use crate::{Document, Failure, Kind, Limits, check, text};
use toml::Value;

/// One step into a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Item(usize),
}

/// The smallest world that could be found from `document` in `tries` attempts, and how it fails.
pub fn shrink(document: Document, seed: u64, limits: &Limits, failure: Failure, tries: usize) -> (Document, Failure) {
    let fails = |smaller: &Document| {
        let found = check(&text(smaller), seed, limits).err()?;
        // A file that is refused must be so for the same mistake; where it stands may change.
        let first = |failure: &Failure| failure.what.lines().next().map(str::to_string);
        let same = found.kind != Kind::Refused || first(&found) == first(&failure);
        (found.kind == failure.kind && same).then_some(found)
    };
    let mut tries = tries;
    let (mut best, mut how) = (document, failure.clone());
    'anew: loop {
        for smaller in smaller(&best) {
            if tries == 0 {
                break 'anew;
            }
            tries -= 1;
            if let Some(found) = fails(&smaller) {
                (best, how) = (smaller, found);
                continue 'anew;
            }
        }
        break;
    }
    (best, how)
}

/// All worlds that are one change smaller, those with the greatest changes first.
fn smaller(document: &Document) -> impl Iterator<Item = Document> + use<> {
    let root = Value::Table(document.clone());
    let mut places = Vec::new();
    collect(&root, &mut Vec::new(), &mut places);
    places.sort_by_key(Vec::len);
    let changes = [change_out as fn(&mut Value, &[Step]) -> bool, change_less];
    changes.into_iter().flat_map(move |change| {
        let root = root.clone();
        let changed = places.clone().into_iter().filter_map(move |place| {
            let mut copy = root.clone();
            change(&mut copy, &place).then_some(copy)
        });
        changed.filter_map(|copy| match copy {
            Value::Table(table) => Some(table),
            _ => None,
        })
    })
}

fn collect(value: &Value, here: &mut Vec<Step>, places: &mut Vec<Vec<Step>>) {
    if !here.is_empty() {
        places.push(here.clone());
    }
    let mut within = |step: Step, value: &Value| {
        here.push(step);
        collect(value, here, places);
        here.pop();
    };
    match value {
        Value::Table(table) => table.iter().for_each(|(key, value)| within(Step::Key(key.clone()), value)),
        // From behind, so that numbers of what is left stay.
        Value::Array(list) => list.iter().enumerate().rev().for_each(|(i, value)| within(Step::Item(i), value)),
        _ => {}
    }
}

fn at<'v>(value: &'v mut Value, place: &[Step]) -> Option<&'v mut Value> {
    place.iter().try_fold(value, |value, step| match (step, value) {
        (Step::Key(key), Value::Table(table)) => table.get_mut(key),
        (Step::Item(i), Value::Array(list)) => list.get_mut(*i),
        _ => None,
    })
}

/// Leaves a part out.
fn change_out(root: &mut Value, place: &[Step]) -> bool {
    let Some((last, parent)) = place.split_last() else { return false };
    match (last, at(root, parent)) {
        (Step::Key(key), Some(Value::Table(table))) => table.remove(key).is_some(),
        (Step::Item(i), Some(Value::Array(list))) if *i < list.len() => {
            list.remove(*i);
            true
        }
        _ => false,
    }
}

/// Halves a whole number, alone or in front of a unit.
fn change_less(root: &mut Value, place: &[Step]) -> bool {
    match at(root, place) {
        Some(Value::Integer(n)) if *n > 1 => {
            *n /= 2;
            true
        }
        Some(Value::String(quantity)) => {
            let digits = quantity.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
            match quantity[..digits].parse::<u64>() {
                Ok(n) if n > 1 => {
                    *quantity = format!("{}{}", n / 2, &quantity[digits..]);
                    true
                }
                _ => false,
            }
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw;

    /// Everything can go that the mistake does not need. A network and traffic have to stay: it would be a mistake to
    /// have none.
    #[test]
    fn a_mistake_is_left_alone_with_what_it_needs() {
        let mut world = draw(3);
        world.insert(
            "tables".into(),
            Value::Table([("cs".to_string(), Value::String("many".into()))].into_iter().collect()),
        );
        let limits = Limits::default();
        let failure = check(&text(&world), 1, &limits).unwrap_err();
        assert_eq!(failure.kind, Kind::Refused);
        let (least, _) = shrink(world, 1, &limits, failure, 10_000);
        let least = text(&least);
        assert!(least.contains("many") && !least.contains("[scheme") && least.len() < 250, "{least}");
    }

    #[test]
    fn numbers_with_units_are_halved() {
        let mut root = Value::Table([("rate".to_string(), Value::String("9kbps".into()))].into_iter().collect());
        let place = [Step::Key("rate".into())];
        assert!(change_less(&mut root, &place) && change_less(&mut root, &place) && change_less(&mut root, &place));
        assert_eq!(root["rate"].as_str(), Some("1kbps"));
        assert!(!change_less(&mut root, &place));
    }
}
