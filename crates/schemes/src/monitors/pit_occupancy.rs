//! Congestion inferred from the Pending Interest Table (Abu, Bensaou and Abdelmoniem): what is pending now will fill the
//! queues a round trip later.

use crate::parts::red::{RedRule, Spacing};
use weir_core::{Backlog, Bytes, Chance, Context, Entry, FaceId, Limit, NodeMonitor, PitView, Site, Span, Time};

weir_core::parameters! {
    /// Parameters of the PIT and buffer controllers.
    pub struct PitOccupancyParameters {
        /// Weight of the latest number of entries in their mean.
        omega: f64 = 0.125, Some((1e-6, 1.0)), "Abu et al., section IV-A";
        /// Share of the table above which Data are marked at random.
        rho_min: f64 = 0.75, Some((0.0, 1.0)), "Abu et al., section IV-A";
        /// Share of the table from which all Data are marked.
        rho_max: f64 = 0.95, Some((0.0, 1.0)), "Abu et al., section IV-A";
        /// Probability just below `rho_max`, before marks are spaced.
        max_probability: f64 = 0.1, Some((0.0, 1.0)), "choice (\"using RED\": Floyd's later advice)";
        /// Share of a buffer that may be taken, pending Data counted in, before all Data that leave through it are marked.
        gamma: f64 = 1.0, Some((0.0, 100.0)), "Abu et al., section IV-A";
        /// The PIT controller is at work.
        watch_pit: bool = true, None, "Abu et al., Algorithm 1";
        /// The buffer controller is at work.
        watch_buffers: bool = true, None, "Abu et al., Algorithm 2";
        /// A face's share of the Interests forgets half of its past in this time; "0s" forgets nothing.
        half_life: Span = Span::ZERO, Some((0.0, 1e6)), "choice (Abu et al. count in total)";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn NodeMonitor>> = weir_core::entry!(
    "pit-occupancy",
    "Marks Data while the Pending Interest Table, or a buffer that it will fill, is about to overflow",
    PitOccupancyParameters,
    |p, site| Box::new(PitOccupancy::new(p, site)),
    "../../../../docs/schemes/monitor-pit-occupancy.md"
);

#[derive(Debug)]
struct PitOccupancy {
    parameters: PitOccupancyParameters,
    chance: Chance,
    packet: Bytes,
    capacity: usize,
    /// Mean number of entries, and the count since the last mark.
    mean: f64,
    unmarked: f64,
    rule: RedRule,
    shares: Shares,
    /// By face: its buffer is about to overflow.
    flagged: Vec<bool>,
}

impl PitOccupancy {
    fn new(p: PitOccupancyParameters, site: &Site) -> PitOccupancy {
        let rule = RedRule {
            min: p.rho_min,
            max: p.rho_max.max(p.rho_min),
            max_probability: p.max_probability,
            weight: p.omega,
            gentle: false,
            spacing: Spacing::Uniform,
        };
        PitOccupancy {
            chance: site.seed.of("pit-occupancy").stream(),
            packet: site.payload,
            capacity: usize::MAX,
            mean: 0.0,
            unmarked: 0.0,
            rule,
            shares: Shares { half_life: p.half_life, counts: Vec::new() },
            flagged: Vec::new(),
            parameters: p,
        }
    }

    /// Does the table call for a mark on this Data?
    fn pit_marks(&mut self) -> bool {
        let p = self.rule.probability(self.mean / self.capacity as f64);
        if p <= 0.0 {
            self.unmarked = 0.0;
            return false;
        }
        let marks = self.chance.happens(self.rule.spaced(p, self.unmarked));
        self.unmarked = if marks { 0.0 } else { self.unmarked + 1.0 };
        marks
    }

    /// Packets of a buffer, and of what waits in it.
    fn in_packets(&self, backlog: Backlog, limit: Limit) -> (f64, f64) {
        match limit {
            Limit::Packets(most) => (backlog.packets as f64, most as f64),
            Limit::Bytes(most) => {
                let packet = self.packet.0.max(1) as f64;
                (backlog.bytes as f64 / packet, most.0 as f64 / packet)
            }
            Limit::Frames { most, mtu } => {
                let frames = mtu.frames_of(self.packet.0 as usize) as f64;
                (backlog.frames as f64 / frames, most as f64 / frames)
            }
        }
    }
}

impl NodeMonitor for PitOccupancy {
    fn on_pit_change(&mut self, pit: PitView, _cx: &mut Context<'_>) {
        self.capacity = pit.capacity;
        self.mean += self.parameters.omega * (pit.entries as f64 - self.mean);
    }

    fn on_interest(&mut self, face: FaceId, backlog: Backlog, limit: Limit, cx: &mut Context<'_>) {
        let share = self.shares.count(face, cx.now);
        let (waiting, most) = self.in_packets(backlog, limit);
        if self.flagged.len() <= face.index() {
            self.flagged.resize(face.index() + 1, false);
        }
        self.flagged[face.index()] = waiting + share * self.mean >= self.parameters.gamma * most;
    }

    fn marks(&mut self, face: FaceId, cached: bool, _cx: &mut Context<'_>) -> bool {
        let by_table = self.parameters.watch_pit && !cached && self.pit_marks();
        let by_buffer = self.parameters.watch_buffers && self.flagged.get(face.index()).is_some_and(|flag| *flag);
        by_table || by_buffer
    }
}

/// Interests by the face that they came from.
#[derive(Debug)]
struct Shares {
    half_life: Span,
    /// Count of each face, and when it was right.
    counts: Vec<(f64, Time)>,
}

impl Shares {
    /// Counts an Interest from `face` and tells its share of all.
    fn count(&mut self, face: FaceId, now: Time) -> f64 {
        if self.counts.len() <= face.index() {
            self.counts.resize(face.index() + 1, (0.0, now));
        }
        let mut sum = 0.0;
        for (count, at) in &mut self.counts {
            if self.half_life > Span::ZERO {
                let halves = now.since(*at).seconds() / self.half_life.seconds();
                *count *= libm::exp2(-halves);
            }
            *at = now;
            sum += *count;
        }
        let own = &mut self.counts[face.index()].0;
        *own += 1.0;
        *own / (sum + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::{NoSink, NodeId, Ready};

    const LIMIT: Limit = Limit::Packets(100);
    const PIT: usize = 200;

    struct Bench {
        monitor: PitOccupancy,
        now: Time,
    }

    impl Bench {
        fn new(parameters: PitOccupancyParameters) -> Bench {
            Bench { monitor: PitOccupancy::new(parameters, &Site::default()), now: Time::ZERO }
        }

        fn call<R>(&mut self, work: impl FnOnce(&mut PitOccupancy, &mut Context<'_>) -> R) -> R {
            let (mut sink, mut ready) = (NoSink, Ready::default());
            let mut cx = Context {
                now: self.now,
                node: NodeId(0),
                face: FaceId(0),
                sink: &mut sink,
                ready: &mut ready,
                watched: false,
            };
            work(&mut self.monitor, &mut cx)
        }

        fn entries(&mut self, entries: usize) {
            self.call(|m, cx| m.on_pit_change(PitView { entries, capacity: PIT }, cx));
        }

        /// A table whose mean is at `share` of its room.
        fn filled(mut self, share: f64) -> Bench {
            self.entries(0);
            self.monitor.mean = share * PIT as f64;
            self
        }

        fn interest(&mut self, face: u32, packets: usize) {
            let backlog = Backlog { packets, bytes: packets * 1500, frames: packets };
            self.call(|m, cx| m.on_interest(FaceId(face), backlog, LIMIT, cx));
        }

        fn marks(&mut self, face: u32, cached: bool) -> bool {
            self.call(|m, cx| m.marks(FaceId(face), cached, cx))
        }

        fn marked(&mut self, data: usize) -> usize {
            (0..data).filter(|_| self.marks(0, false)).count()
        }
    }

    #[test]
    fn one_change_moves_the_mean_by_omega() {
        let mut bench = Bench::new(PitOccupancyParameters::default());
        bench.entries(100);
        assert_eq!(bench.monitor.mean, 12.5);
    }

    #[test]
    fn a_nearly_full_table_marks_every_data_and_a_free_one_none() {
        let at = |share| Bench::new(PitOccupancyParameters::default()).filled(share).marked(1000);
        assert_eq!(at(0.96), 1000);
        assert_eq!(at(0.74), 0);
    }

    #[test]
    fn between_the_bounds_marks_become_more() {
        let at = |share| Bench::new(PitOccupancyParameters::default()).filled(share).marked(100_000) as f64 / 1e5;
        // Uniform distances from 1 to 1/p have the mean (1 + 1/p) / 2.
        for (share, p) in [(0.80, 0.025), (0.85, 0.05), (0.90, 0.075)] {
            let expected = 2.0 / (1.0 + 1.0 / p);
            assert!((at(share) / expected - 1.0).abs() < 0.05, "{} instead of {expected}", at(share));
        }
    }

    #[test]
    fn cached_data_carry_no_mark_of_the_table() {
        assert!(!Bench::new(PitOccupancyParameters::default()).filled(0.99).marks(0, true));
    }

    #[test]
    fn a_buffer_that_pending_data_will_fill_marks_cached_data_too() {
        // 100 packets of room; 190 entries pending, of which half belong to each face.
        let mut bench = Bench::new(PitOccupancyParameters { watch_pit: false, ..Default::default() }).filled(0.95);
        for _ in 0..500 {
            bench.interest(0, 4);
            bench.interest(1, 6);
        }
        assert!(!bench.marks(0, false) && !bench.marks(0, true));
        assert!(bench.marks(1, false) && bench.marks(1, true));
        bench.interest(1, 4);
        assert!(!bench.marks(1, false));
    }

    #[test]
    fn a_half_life_forgets_who_asked_before() {
        let mut bench = Bench::new(PitOccupancyParameters { half_life: Span::from_millis(1000), ..Default::default() });
        (0..1024).for_each(|_| bench.interest(0, 0));
        bench.now = Time::ZERO + Span::from_millis(10_000);
        assert!((bench.monitor.shares.count(FaceId(1), bench.now) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_table_without_bound_is_never_full() {
        let mut bench = Bench::new(PitOccupancyParameters::default());
        for _ in 0..100 {
            bench.call(|m, cx| m.on_pit_change(PitView { entries: 1 << 30, capacity: usize::MAX }, cx));
        }
        assert_eq!(bench.marked(100), 0);
    }
}
