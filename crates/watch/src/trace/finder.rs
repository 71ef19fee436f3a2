//! What the fetches of a run ask for.

use crate::Network;
use std::collections::{BTreeMap, BTreeSet};
use weir_core::{Event, FaceId, FlowId, NodeId, Sink, Time, nearest};
use weir_wire::Name;

/// A watcher that notes all names that are asked for, to find one or the nearest to one.
#[derive(Debug)]
pub struct Finder {
    network: Network,
    /// By content and fetch: segments asked for, as ranges that grow (most fetches ask in order).
    asked: BTreeMap<(String, FlowId), Segments>,
    names: BTreeMap<String, Name>,
}

/// Segments of one content, in ranges of neighbours.
#[derive(Debug, Default)]
struct Segments {
    /// First and last of each range, by the last.
    ranges: BTreeMap<u64, u64>,
    /// The content itself was asked for, without a segment.
    whole: bool,
}

impl Segments {
    fn add(&mut self, segment: u64) {
        if self.has(segment) {
            return;
        }
        let before = segment.checked_sub(1).and_then(|last| self.ranges.remove(&last));
        let first = before.unwrap_or(segment);
        let after = self.ranges.range(segment..).next().map(|(last, first)| (*last, *first));
        let last = after.filter(|(_, first)| *first == segment + 1).map_or(segment, |(last, _)| last);
        self.ranges.insert(last, first);
    }

    fn has(&self, segment: u64) -> bool {
        self.ranges.range(segment..).next().is_some_and(|(_, first)| *first <= segment)
    }

    fn nearest(&self, segment: u64) -> Option<u64> {
        let above = self.ranges.range(segment..).next().map(|(last, first)| segment.clamp(*first, *last));
        let below = self.ranges.range(..segment).next_back().map(|(last, _)| *last);
        [below, above].into_iter().flatten().min_by_key(|s| s.abs_diff(segment))
    }
}

impl Finder {
    /// Has seen nothing yet.
    pub fn new(network: Network) -> Finder {
        Finder { network, asked: BTreeMap::new(), names: BTreeMap::new() }
    }

    /// Names under which the fetches called `label` asked for a segment of this number.
    ///
    /// # Errors
    /// If there is no such fetch, or it never asked for the segment: with the nearest that there is.
    pub fn segment(&self, label: &str, segment: u64) -> Result<Vec<Name>, String> {
        if !self.network.flows().iter().any(|known| known == label) {
            return Err(self.no_flow(label));
        }
        let mine: Vec<_> = self.asked.iter().filter(|((_, id), _)| self.network.flow(*id) == label).collect();
        let with = mine.iter().filter(|(_, segments)| segments.has(segment));
        let names: BTreeSet<&String> = with.map(|((content, _), _)| content).collect();
        if !names.is_empty() {
            return Ok(names.iter().map(|content| self.names[*content].with_segment(segment)).collect());
        }
        Err(match mine.iter().filter_map(|(_, s)| s.nearest(segment)).min_by_key(|s| s.abs_diff(segment)) {
            Some(near) => format!("`{label}` never asked for segment {segment}; the nearest that it did is {near}"),
            None => format!("`{label}` asked for nothing in this run"),
        })
    }

    /// Why nothing was seen of `name` (asked for by `label`, if given): what is nearest to it.
    pub fn miss(&self, name: &Name, label: Option<&str>) -> String {
        if let Some(label) = label.filter(|label| !self.network.flows().iter().any(|known| known == label)) {
            return self.no_flow(label);
        }
        let by = label.map(|label| format!(" by `{label}`")).unwrap_or_default();
        let content = name.without_segment().to_string();
        let seen = |(_, id): &(String, FlowId)| label.is_none_or(|label| self.network.flow(*id) == label);
        let mine = self.asked.iter().filter(|(key, _)| seen(key) && key.0 == content);
        let Some(segment) = name.segment() else {
            return format!("`{name}` is no segment; say which one, as in `{}`", name.with_segment(0));
        };
        let near = mine.filter_map(|(_, s)| s.nearest(segment)).min_by_key(|s| s.abs_diff(segment));
        if let Some(near) = near {
            let near = name.without_segment().with_segment(near);
            return format!("`{name}` was never asked for{by}; the nearest segment that was is `{near}`");
        }
        let contents: BTreeSet<&str> = self.asked.keys().filter(|key| seen(key)).map(|(c, _)| c.as_str()).collect();
        match nearest(&content, contents.iter().copied()) {
            Some(near) => format!("nothing called `{content}` was asked for{by}; did you mean `{near}`?"),
            None if contents.is_empty() => format!("nothing was asked for{by} in this run"),
            None => format!("nothing called `{content}` was asked for{by}; there are: {}", some(&contents)),
        }
    }

    fn no_flow(&self, label: &str) -> String {
        let labels: BTreeSet<&str> = self.network.flows().iter().map(String::as_str).collect();
        match nearest(label, labels.iter().copied()) {
            Some(near) => format!("there is no flow `{label}`; did you mean `{near}`?"),
            None => format!("there is no flow `{label}`; there are: {}", some(&labels)),
        }
    }
}

/// The first of many words.
fn some(words: &BTreeSet<&str>) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<&str> = words.iter().copied().take(SHOWN).collect();
    let more = words.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

impl Sink for Finder {
    fn detail(&mut self, _now: Time, _node: NodeId, _face: FaceId, event: &Event<'_>) {
        let Event::Asked { flow, interest, .. } = event else { return };
        let content = interest.name.without_segment();
        let segments = self.asked.entry((content.to_string(), *flow)).or_default();
        match interest.name.segment() {
            Some(segment) => segments.add(segment),
            None => segments.whole = true,
        }
        self.names.entry(content.to_string()).or_insert(content);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_in_any_order_make_few_ranges() {
        let mut segments = Segments::default();
        for segment in [3, 5, 4, 0, 4, 9, 8, 1] {
            segments.add(segment);
        }
        assert_eq!(segments.ranges.iter().collect::<Vec<_>>(), [(&1, &0), (&5, &3), (&9, &8)]);
        for (segment, near) in [(0, 0), (2, 1), (4, 4), (6, 5), (7, 8), (30, 9)] {
            assert_eq!(segments.nearest(segment), Some(near), "{segment}");
            assert_eq!(segments.has(segment), segment == near);
        }
        assert_eq!(Segments::default().nearest(1), None);
    }
}
