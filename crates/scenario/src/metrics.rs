//! What a run measures: the words of figures and claims.

/// One thing that a run measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricInfo {
    /// Its name in measures.
    pub name: &'static str,
    /// Its unit; empty for a pure number.
    pub unit: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// What it can be selected by.
    pub scope: Scope,
    /// How one number is made of the flows, links or nodes if none is selected.
    pub total: Total,
}

/// What a metric belongs to, and so what `[flow=..]`, `[link=..]` or `[node=..]` can select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The run as a whole.
    Run,
    /// A flow: all fetches with one label.
    Flow,
    /// A link, or one direction of it.
    Link,
    /// A node.
    Node,
    /// A congestion of the run, counted from 1.
    Congestion,
}

/// How a metric is put together for the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Total {
    /// The sum.
    Sum,
    /// The mean over everything counted, not over the means of the flows.
    Mean,
    /// The greatest.
    Max,
    /// The least.
    Min,
}

impl Scope {
    /// The word in selectors; a run has none.
    pub fn axis(self) -> Option<&'static str> {
        match self {
            Scope::Run => None,
            Scope::Flow => Some("flow"),
            Scope::Link => Some("link"),
            Scope::Node => Some("node"),
            Scope::Congestion => Some("congestion"),
        }
    }
}

/// Names that no axis of a study can have.
pub const RESERVED_AXES: [&str; 8] = ["flow", "link", "node", "time", "cdf", "congestion", "fetch", "seed"];

const fn metric(name: &'static str, unit: &'static str, scope: Scope, total: Total, about: &'static str) -> MetricInfo {
    MetricInfo { name, unit, about, scope, total }
}

use Scope::{Congestion, Flow, Link, Node, Run};
use Total::{Max, Mean, Min, Sum};

/// Metrics of a whole run: one number for each run, flow, link or node.
pub static METRICS: &[MetricInfo] = &[
    metric(
        "goodput",
        "Mbit/s",
        Flow,
        Sum,
        "Payload delivered, each segment once, from the first Interest to the end of the fetch or of the run",
    ),
    metric(
        "completion_time",
        "s",
        Flow,
        Max,
        "From the first Interest to the last Data; not measured if the fetch did not end",
    ),
    metric("fetches_started", "fetches", Flow, Sum, "Fetches that were begun; of many requests, each is one"),
    metric("fetches_completed", "fetches", Flow, Sum, "Fetches that got all that they asked for"),
    metric("fetches_failed", "fetches", Flow, Sum, "Fetches that were given up after too many repetitions"),
    metric(
        "fetch_time",
        "ms",
        Flow,
        Mean,
        "From the request to the last Data of a fetch, mean over the fetches that were completed",
    ),
    metric("fetch_time_p50", "ms", Flow, Mean, "The median of the fetch time"),
    metric("fetch_time_p95", "ms", Flow, Mean, "The 95th percentile of the fetch time"),
    metric("fetch_time_p99", "ms", Flow, Mean, "The 99th percentile of the fetch time"),
    metric("goodput_peak", "Mbit/s", Flow, Max, "Greatest goodput within one of the 100 ms that follow each other"),
    metric("delivered", "segments", Flow, Sum, "Segments that reached the consumer, each counted once"),
    metric("requests", "Interests", Flow, Sum, "Interests that the consumer sent, repetitions included"),
    metric("retransmissions", "Interests", Flow, Sum, "Interests that the consumer sent again for a segment"),
    metric("timeouts", "timeouts", Flow, Sum, "Retransmission timers that ran out"),
    metric("refusals", "Nacks", Flow, Sum, "Nacks that told the consumer of an Interest refused upstream"),
    metric("decreases", "decreases", Flow, Sum, "Times that the control reduced its window or rate"),
    metric("marked", "Data", Flow, Sum, "Data that reached the consumer with a congestion mark"),
    metric("full_delay", "ms", Flow, Mean, "From the first Interest for a segment to its Data, mean over segments"),
    metric("full_delay_p50", "ms", Flow, Mean, "The median of the full delay"),
    metric("full_delay_p95", "ms", Flow, Mean, "The 95th percentile of the full delay"),
    metric("full_delay_p99", "ms", Flow, Mean, "The 99th percentile of the full delay"),
    metric("last_delay", "ms", Flow, Mean, "From the last Interest for a segment to its Data, mean over segments"),
    metric("late", "segments", Flow, Sum, "Segments that a later one overtook"),
    metric(
        "accumulation_time",
        "ms",
        Flow,
        Mean,
        "From the first Data that overtook a late segment to its own Data, mean over late segments",
    ),
    metric("late_delay", "ms", Flow, Mean, "Full delay of the late segments, mean"),
    metric(
        "fair_share",
        "Mbit/s",
        Flow,
        Sum,
        "Goodput of the flow if it had its max-min fair share whenever it was active (see Results)",
    ),
    metric("maxmin_ratio", "", Flow, Min, "Goodput over the fair share: 1 is max-min fair, below 1 is less than that"),
    metric("link_packets", "packets", Link, Sum, "Packets sent over the link"),
    metric("throughput", "Mbit/s", Link, Sum, "Bits sent over the link, over the length of the run"),
    metric("utilisation", "", Link, Mean, "Share of the time in which the link was sending, from 0 to 1"),
    metric("queue_mean", "packets", Link, Mean, "Mean length of the queue over time"),
    metric("queue_max", "packets", Link, Max, "Greatest length of the queue"),
    metric("sojourn", "ms", Link, Mean, "Time from entering the queue to leaving it, mean over Data"),
    metric("marks", "packets", Link, Sum, "Congestion marks that the queue set"),
    metric(
        "nacks",
        "Nacks",
        Link,
        Sum,
        "Nacks that the node sent over the link on its own account, and did not pass on",
    ),
    metric("loss_notices", "notices", Link, Sum, "Loss notices that in-network recovery sent"),
    metric("recovered", "packets", Link, Sum, "Packets that in-network recovery brought back into the queue"),
    metric(
        "recovery_time",
        "ms",
        Link,
        Mean,
        "Time in the recovery store of packets that were brought back into the queue, mean",
    ),
    metric("drops", "packets", Link, Sum, "Packets lost to the network, for any reason"),
    metric("data_drops", "packets", Link, Sum, "Data among them"),
    metric("drops_queue_full", "packets", Link, Sum, "Dropped because the queue had no room"),
    metric("drops_queue_management", "packets", Link, Sum, "Dropped by active queue management"),
    metric("drops_link_loss", "packets", Link, Sum, "Lost on the way by a lossy link"),
    metric("drops_link_down", "packets", Link, Sum, "Dropped because the link was down"),
    metric("drops_store_full", "packets", Link, Sum, "Dropped because the recovery store had no room"),
    metric("drops_store_expired", "packets", Link, Sum, "Dropped because the recovery store held them for too long"),
    metric("drops_node_restart", "packets", Link, Sum, "Dropped because they waited at a node that was restarted"),
    metric("drops_hop_limit", "packets", Link, Sum, "Dropped because their hop limit was used up"),
    metric(
        "drops_duplicate_nonce",
        "packets",
        Link,
        Sum,
        "Interests dropped because their nonce was seen before (no loss)",
    ),
    metric(
        "drops_suppressed",
        "packets",
        Link,
        Sum,
        "Interests not sent on because the same was sent a moment ago (no loss)",
    ),
    metric("drops_no_route", "packets", Link, Sum, "Interests dropped because there was no next hop"),
    metric("drops_strategy", "packets", Link, Sum, "Interests that the forwarding strategy refused"),
    metric("drops_pit_full", "packets", Link, Sum, "Interests dropped because the Pending Interest Table had no room"),
    metric("drops_unsolicited", "packets", Link, Sum, "Data and Nacks that nobody waited for (no loss)"),
    metric(
        "drops_unwanted",
        "packets",
        Link,
        Sum,
        "Packets without a use at their end, such as a late duplicate (no loss)",
    ),
    metric("pit_mean", "entries", Node, Mean, "Mean size of the Pending Interest Table over time"),
    metric("pit_max", "entries", Node, Max, "Greatest size of the Pending Interest Table"),
    metric("cs_hits", "Interests", Node, Sum, "Interests answered from the Content Store"),
    metric("cs_misses", "Interests", Node, Sum, "Interests that the Content Store could not answer"),
    metric(
        "jain",
        "",
        Run,
        Mean,
        "Jain's fairness index of the goodputs of the flows: 1 if all are equal, 1/n if one has all",
    ),
    metric(
        "jain_maxmin",
        "",
        Run,
        Mean,
        "Jain's fairness index of the ratios of goodput to fair share: 1 if all got the same part of theirs",
    ),
    metric(
        "congestions",
        "congestions",
        Run,
        Sum,
        "Congestions: trains of signals (Nacks for congestion, timeouts, cuts of a window or rate) at the consumers, each \
         less than 0.3 s after the one before",
    ),
    metric("congestion_start", "s", Congestion, Max, "When a congestion began, from the start of the run"),
    metric("congestion_refusals", "Nacks", Congestion, Sum, "Nacks for congestion that consumers got in a congestion"),
    metric("congestion_decreases", "decreases", Congestion, Sum, "Cuts of a window or rate in a congestion"),
    metric(
        "congestion_lowest",
        "Interests or Interests/s",
        Congestion,
        Min,
        "Least window, or rate of a control that paces, that a cut in a congestion left",
    ),
    metric(
        "congestion_hold",
        "ms",
        Congestion,
        Mean,
        "Longest time in a congestion from a cut to the last signal that the control let pass to see what the cut does; 0 if none",
    ),
    metric("duration", "s", Run, Max, "Length of the run"),
    metric("events", "events", Run, Sum, "Events of the simulator"),
    metric("packet_hops", "packets", Run, Sum, "Packets that crossed a link, once for each link"),
];

/// What can be drawn against time: sampled every `run.sample`.
pub static SERIES: &[MetricInfo] = &[
    metric("goodput", "Mbit/s", Flow, Sum, "Payload delivered since the sample before"),
    metric("window", "Interests", Flow, Sum, "The control's window, if it has one"),
    metric("rate", "Interests/s", Flow, Sum, "The control's rate, if it paces"),
    metric("in_flight", "Interests", Flow, Sum, "Interests that wait for an answer"),
    metric("rto", "ms", Flow, Mean, "The retransmission timeout"),
    metric("queue", "packets", Link, Sum, "Length of the queue"),
    metric("queue_fill", "", Link, Max, "Share of the queue's room that is taken"),
    metric("throughput", "Mbit/s", Link, Sum, "Bits sent over the link since the sample before"),
    metric(
        "pit_fill",
        "",
        Node,
        Max,
        "Share of the Pending Interest Table's room that is taken; next to 0 if it has no bound",
    ),
    metric("data", "Data/s", Link, Sum, "Data sent over the link since the sample before"),
    metric("in_air", "packets", Link, Sum, "Packets that have been sent over the link and have not arrived"),
    metric(
        "share",
        "",
        Link,
        Mean,
        "Share of the Interests that the strategy gives this next hop, mean over the prefixes with a choice; only of strategies with shares",
    ),
    metric(
        "capacity",
        "Interests",
        Link,
        Mean,
        "Interests that the strategy lets wait at this next hop, mean over the prefixes with a choice; only of `fpf`",
    ),
    metric("pit", "entries", Node, Sum, "Size of the Pending Interest Table"),
];

/// What is known of each fetch that got all its segments, if `run.fetches` asks for it. Of many requests each is a fetch,
/// unless it is for one Data.
pub static FETCHES: &[MetricInfo] = &[
    metric("fetch_start", "s", Flow, Min, "When it began, from the start of the run"),
    metric("fetch_time", "ms", Flow, Mean, "From its beginning to its last Data"),
    metric("segments", "segments", Flow, Sum, "Segments of its content"),
    metric("retransmissions", "Interests", Flow, Sum, "Interests that it sent again"),
    metric("timeouts", "timeouts", Flow, Sum, "Retransmission timers that ran out"),
    metric("decreases", "decreases", Flow, Sum, "Times that its control reduced its window or rate"),
    metric("full_delay", "ms", Flow, Mean, "From the first Interest for a segment to its Data, mean over its segments"),
    metric(
        "delay_scv",
        "",
        Flow,
        Mean,
        "Squared coefficient of variation of the full delays of its segments: their variance over their squared mean",
    ),
    metric("data_drops", "packets", Flow, Sum, "Data of its content that the network lost while it was under way"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::DropReason;

    #[test]
    fn every_reason_for_drops_has_a_metric() {
        for reason in DropReason::ALL {
            let name = format!("drops_{}", reason.name().replace('-', "_"));
            assert!(METRICS.iter().any(|m| m.name == name), "{name}");
        }
    }

    #[test]
    fn names_are_unique_and_described() {
        for table in [METRICS, SERIES, FETCHES] {
            for (i, metric) in table.iter().enumerate() {
                assert!(table[..i].iter().all(|m| m.name != metric.name), "{}", metric.name);
                assert!(
                    metric.about.starts_with(char::is_uppercase) && !metric.about.ends_with('.'),
                    "{}",
                    metric.name
                );
            }
        }
    }
}
