//! Names of nodes as measures need them, from whatever a file calls its nodes.

use std::collections::{BTreeMap, BTreeSet};

/// `text` in letters, digits, `_`, `-` and `.`: anything else between these becomes one `_`.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars() {
        if c.is_alphanumeric() || "_-.".contains(c) {
            if gap && !plain.is_empty() {
                plain.push('_');
            }
            plain.push(c);
            gap = false;
        } else {
            gap = true;
        }
    }
    plain
}

/// A name for each node, from its label and its id. Labels that several nodes have are followed by the id; without a label
/// the id is the name, or `n` and the id where that is a number.
pub(super) fn unique(nodes: &[(String, String)]) -> Vec<String> {
    let labels: Vec<String> = nodes.iter().map(|(label, _)| plain(label)).collect();
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    labels.iter().for_each(|label| *count.entry(label).or_default() += 1);
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut names = Vec::with_capacity(nodes.len());
    for ((_, id), label) in nodes.iter().zip(&labels) {
        let id = plain(id);
        let name = match (label.as_str(), count[label.as_str()]) {
            ("", _) if id.starts_with(|c: char| !c.is_alphabetic()) || id.is_empty() => format!("n{id}"),
            ("", _) => id,
            (label, 1) => label.to_string(),
            (label, _) => format!("{label}.{id}"),
        };
        names.push(free(name, &mut taken));
    }
    names
}

/// The name, or if it is taken the name with the next free number.
pub(crate) fn free(name: String, taken: &mut BTreeSet<String>) -> String {
    if taken.insert(name.clone()) {
        return name;
    }
    let mut number = 2;
    loop {
        let other = format!("{name}.{number}");
        if taken.insert(other.clone()) {
            return other;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_legal_unique_and_near_to_the_labels() {
        assert_eq!(plain("St. Louis (MO)"), "St._Louis_MO");
        assert_eq!(plain("São Paulo"), "São_Paulo");
        assert_eq!(plain(" ,+? "), "");
        let nodes = [("Paris", "3"), ("Rome", "4"), ("Paris", "9"), ("?", "5"), ("", "5"), ("Paris.3", "7")];
        let nodes: Vec<_> = nodes.map(|(a, b)| (a.to_string(), b.to_string())).into();
        assert_eq!(unique(&nodes), ["Paris.3", "Rome", "Paris.9", "n5", "n5.2", "Paris.3.2"]);
    }
}
