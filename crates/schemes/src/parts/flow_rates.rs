//! Which flows are at work, and how fast each of them is.

use std::collections::{BTreeMap, VecDeque};
use weir_core::{Span, Time};
use weir_wire::Name;

/// A flow: the contents of one prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowKey(pub u64);

impl FlowKey {
    /// The flow of a packet: the first `components` of its name, or all but the segment if 0.
    pub fn of(name: &Name, components: usize) -> FlowKey {
        match components {
            0 => FlowKey(name.without_segment().hash64()),
            n => FlowKey(name.prefix(n.min(name.len())).hash64()),
        }
    }
}

/// A rate is measured over this many packets at least, if they are not too old.
const LEAST_PACKETS: usize = 10;

/// Flows that sent something a short time ago, each with its rate and a state `S`.
#[derive(Debug)]
pub struct Flows<S> {
    flows: BTreeMap<FlowKey, Flow<S>>,
    activity: Span,
    window: Span,
    /// Flows have been looked through for idle ones at this time.
    swept: Time,
}

#[derive(Debug)]
struct Flow<S> {
    /// When packets left, and their bytes; the oldest only opens the window.
    sent: VecDeque<(Time, u32)>,
    bytes: u64,
    last: Time,
    state: S,
}

impl<S> Flow<S> {
    fn forget(&mut self) {
        if let Some((_, bytes)) = self.sent.pop_front() {
            self.bytes -= u64::from(bytes);
        }
    }
}

impl<S> Flows<S> {
    /// Flows are active for `activity` after a packet; their rate is measured over `window`.
    pub fn new(activity: Span, window: Span) -> Flows<S> {
        Flows { flows: BTreeMap::new(), activity, window, swept: Time::ZERO }
    }

    /// A packet of a flow leaves.
    pub fn sent(&mut self, key: FlowKey, bytes: usize, now: Time, fresh: impl FnOnce() -> S) {
        self.sweep(now);
        let (kept, window) = (self.activity.max(self.window), self.window);
        let flow = self.flows.entry(key).or_insert_with(|| Flow {
            sent: VecDeque::new(),
            bytes: 0,
            last: now,
            state: fresh(),
        });
        flow.last = now;
        flow.sent.push_back((now, bytes as u32));
        flow.bytes += bytes as u64;
        // The packet that opens the window is the latest that is as old as the window, or older if there are too few.
        while flow.sent.front().is_some_and(|(oldest, _)| now.since(*oldest) > kept)
            || flow.sent.len() > LEAST_PACKETS + 1 && now.since(flow.sent[1].0) >= window
        {
            flow.forget();
        }
    }

    /// Rate of a flow in bit/s, the oldest packet of the window left out; 0 before the second packet. What is sent within
    /// less than the window is taken for all of it, or else the first packets of a burst would have the rate of the link.
    pub fn rate(&self, key: FlowKey) -> f64 {
        let Some(flow) = self.flows.get(&key) else { return 0.0 };
        let (Some((first, opening)), Some((last, _))) = (flow.sent.front(), flow.sent.back()) else { return 0.0 };
        let span = last.since(*first).max(self.window).seconds();
        (flow.bytes - u64::from(*opening)) as f64 * 8.0 / span
    }

    /// The state of a flow.
    pub fn state(&mut self, key: FlowKey) -> Option<&mut S> {
        self.flows.get_mut(&key).map(|flow| &mut flow.state)
    }

    /// Number of flows that sent something within the activity time.
    pub fn active(&self, now: Time) -> usize {
        self.flows.values().filter(|flow| now.since(flow.last) <= self.activity).count()
    }

    /// Once in an activity time, forgets who has been idle for a hundred of them: a flow that comes back soon keeps its
    /// state.
    fn sweep(&mut self, now: Time) {
        if now.since(self.swept) > self.activity {
            self.swept = now;
            let idle = self.activity * 100;
            self.flows.retain(|_, flow| now.since(flow.last) <= idle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flows() -> Flows<u32> {
        Flows::new(Span::from_millis(100), Span::from_millis(20))
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    const KEY: FlowKey = FlowKey(1);

    #[test]
    fn a_steady_flow_has_its_rate() {
        for gap_us in [100, 1000, 3000, 9000] {
            let mut flows = flows();
            for i in 0..1000 {
                flows.sent(KEY, 1000, Time::ZERO + Span::from_micros(gap_us * i), || 0);
            }
            let rate = flows.rate(KEY);
            let expected = 8000.0 / (gap_us as f64 / 1e6);
            assert!((rate / expected - 1.0).abs() < 1e-9, "{rate} instead of {expected}");
        }
    }

    #[test]
    fn a_change_of_rate_shows_within_the_window() {
        let mut flows = flows();
        (0..=100).for_each(|i| flows.sent(KEY, 1000, ms(i), || 0));
        (1..=100).for_each(|i| flows.sent(KEY, 1000, ms(100) + Span::from_micros(500 * i), || 0));
        assert!((flows.rate(KEY) / 16e6 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_pause_does_not_lower_the_rate_after_it() {
        let mut flows = flows();
        (0..50).for_each(|i| flows.sent(KEY, 1000, ms(i), || 0));
        flows.sent(KEY, 1000, ms(1000), || 0);
        assert_eq!(flows.rate(KEY), 0.0);
        flows.sent(KEY, 1000, ms(1001), || 0);
        assert_eq!(flows.rate(KEY), 8000.0 / 0.02);
    }

    #[test]
    fn a_short_burst_has_a_rate_of_what_it_is_in_the_window() {
        let mut flows = flows();
        // Four packets back to back every 40 ms: 0.8 Mbit/s, however fast each of them leaves.
        for round in 0..10 {
            (0..4).for_each(|i| flows.sent(KEY, 1000, ms(40 * round) + Span::from_micros(100 * i), || 0));
        }
        let rate = flows.rate(KEY);
        assert!((rate / 0.8e6 - 1.0).abs() < 0.3, "{rate}");
    }

    #[test]
    fn idle_flows_count_no_more_and_are_forgotten_later() {
        let mut flows = flows();
        flows.sent(KEY, 1000, ms(0), || 7);
        flows.sent(FlowKey(2), 1000, ms(50), || 0);
        assert_eq!(flows.active(ms(100)), 2);
        assert_eq!(flows.active(ms(101)), 1);
        assert_eq!(flows.state(KEY).copied(), Some(7));
        flows.sent(FlowKey(2), 1000, ms(20_000), || 0);
        assert_eq!(flows.state(KEY), None);
    }

    #[test]
    fn a_flow_is_its_content_or_a_prefix_of_it() {
        let name: Name = "/a/b/c".parse().unwrap();
        let segment = name.with_segment(4);
        assert_eq!(FlowKey::of(&segment, 0), FlowKey(name.hash64()));
        assert_eq!(FlowKey::of(&segment, 1), FlowKey(name.prefix(1).hash64()));
        assert_eq!(FlowKey::of(&segment, 99), FlowKey(segment.hash64()));
    }
}
