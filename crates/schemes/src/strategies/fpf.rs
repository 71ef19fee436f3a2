//! Fast pipeline filling (Detti, Pisa and Blefari Melazzi, as Thibaud et al. describe it in 2019): the fastest path until
//! it can hold no more.

use crate::parts::next_hops::{Known, PerHop, after_failure, nowhere};
use crate::parts::pending::Pending;
use weir_core::{
    Bytes, Choice, Context, DataOutcome, Entry, FaceId, Failure, ForwardingStrategy, HopReading, LinkFacts, NextHop,
    Query, Span, Time,
};

weir_core::parameters! {
    /// Parameters of fast pipeline filling.
    pub struct FpfParameters {
        /// Part of a new round trip in the smoothed one.
        gain: f64 = 0.125, Some((1e-6, 1.0)), "choice (RFC 6298)";
        /// Stretches of time in which Data are counted for the rate.
        window: Span = Span::from_millis(100), Some((0.001, 1e6)), "choice";
        /// Size of a Data on the wire, by which queues are measured; 0: that of the first content.
        data: Bytes = Bytes(0), None, "choice";
        /// Capacities hold the queue in front of the link, too; otherwise only what its pipe holds.
        queue: bool = true, None, "Thibaud et al. 2019, eq. 1";
    }
}

/// The registry's line.
pub const ENTRY: Entry<Box<dyn ForwardingStrategy>> = weir_core::entry!(
    "fpf",
    "The next hop with the shortest round trip, until as many Interests are pending as its pipe and queue hold",
    FpfParameters,
    |p, site| {
        let data = if p.data == Bytes(0) { site.data_size } else { p.data };
        Box::new(Fpf { data, parameters: p, hops: PerHop::default(), queues: Vec::new() })
    },
    "../../../../docs/schemes/strategy-fpf.md"
);

#[derive(Debug)]
struct Fpf {
    parameters: FpfParameters,
    data: Bytes,
    hops: PerHop<Pipe>,
    /// Of each face that has a link: how many Data its queue holds.
    queues: Vec<(FaceId, f64)>,
}

/// What is kept of a next hop.
#[derive(Debug, Default)]
struct Pipe {
    pending: u64,
    /// Smoothed round trip in seconds; `None` before the first.
    round_trip: Option<f64>,
    rate: DataRate,
}

impl Pending for Pipe {
    fn pending(&mut self) -> &mut u64 {
        &mut self.pending
    }
}

/// Data per second, counted in stretches of time that follow each other.
#[derive(Debug, Default)]
struct DataRate {
    /// When the current stretch began; `None` before the first Data.
    since: Option<Time>,
    count: u64,
    /// Of the last whole stretch.
    last: f64,
}

impl DataRate {
    /// Closes the stretches that have ended.
    fn go(&mut self, now: Time, window: Span) {
        let Some(since) = &mut self.since else { return };
        let passed = now.since(*since).0 / window.0;
        if passed > 0 {
            // Beyond the first of them nothing came.
            self.last = if passed == 1 { self.count as f64 / window.seconds() } else { 0.0 };
            self.count = 0;
            *since += window * passed;
        }
    }

    fn came(&mut self, now: Time, window: Span) {
        self.go(now, window);
        self.since.get_or_insert(now);
        self.count += 1;
    }
}

impl Pipe {
    /// How many Interests may be pending: eq. 1 of Thibaud et al. Before anything is known, what the queue holds.
    fn capacity(&self, queue: f64) -> f64 {
        self.round_trip.unwrap_or(0.0) * self.rate.last + queue
    }
}

impl Fpf {
    fn queue_of(&self, face: FaceId) -> f64 {
        queue_of(&self.queues, face, self.parameters.queue)
    }

    fn pick(&mut self, query: &Query<'_>, now: Time) -> Option<FaceId> {
        let window = self.parameters.window;
        let known = self.hops.known(query.prefix, query.next_hops);
        known.iter_mut().for_each(|known| known.state.rate.go(now, window));
        let (queues, counts) = (&self.queues, self.parameters.queue);
        let capacity = |known: &Known<Pipe>| known.state.capacity(queue_of(queues, known.hop.face, counts));
        fastest_with_room(known, query.next_hops, capacity)
    }
}

fn queue_of(queues: &[(FaceId, f64)], face: FaceId, counts: bool) -> f64 {
    let found = queues.iter().find(|(other, _)| *other == face);
    // Without a link there is no queue, and nothing to fill.
    found.map_or(f64::INFINITY, |(_, queue)| if counts { *queue } else { 0.0 })
}

/// Of the next hops with less pending than they hold, the one with the shortest round trip; one that was never measured
/// comes behind all others. None has room: the one that is least overfull. Among equals the cheapest.
fn fastest_with_room(
    known: &[Known<Pipe>],
    eligible: &[NextHop],
    capacity: impl Fn(&Known<Pipe>) -> f64,
) -> Option<FaceId> {
    let usable = || known.iter().filter(|known| eligible.contains(&known.hop));
    let delay = |known: &Known<Pipe>| known.state.round_trip.unwrap_or(f64::INFINITY);
    let with_room = usable().filter(|known| (known.state.pending as f64) < capacity(known));
    let fastest = with_room.min_by(|a, b| delay(a).total_cmp(&delay(b)));
    let load = |known: &Known<Pipe>| known.state.pending as f64 / capacity(known).max(f64::MIN_POSITIVE);
    fastest.or_else(|| usable().min_by(|a, b| load(a).total_cmp(&load(b)))).map(|known| known.hop.face)
}

impl ForwardingStrategy for Fpf {
    fn choose(&mut self, query: &Query<'_>, cx: &mut Context<'_>) -> Choice {
        let Some(face) = self.pick(query, cx.now) else { return nowhere(query) };
        self.hops.count_sent(query.prefix, query.next_hops, face, query.sent);
        Choice::To(face)
    }

    fn on_data(&mut self, outcome: &DataOutcome<'_>, cx: &mut Context<'_>) {
        self.hops.count_answered(outcome);
        let FpfParameters { gain, window, .. } = self.parameters;
        let known = self.hops.known(outcome.prefix, &[]);
        let Some(Known { state: pipe, .. }) = known.iter_mut().find(|known| known.hop.face == outcome.face) else {
            return;
        };
        pipe.rate.came(cx.now, window);
        if let Some(sample) = outcome.rtt.map(Span::seconds) {
            let old = pipe.round_trip.unwrap_or(sample);
            pipe.round_trip = Some(old + gain * (sample - old));
        }
    }

    fn on_failure(&mut self, failure: &Failure<'_>, _cx: &mut Context<'_>) -> Choice {
        self.hops.count_failed(failure);
        let choice = after_failure(failure);
        if let Choice::To(face) = choice {
            self.hops.count_sent(failure.prefix, failure.next_hops, face, failure.sent);
        }
        choice
    }

    fn on_face(&mut self, face: FaceId, link: &LinkFacts) {
        let queue = link.queue.in_packets(self.data);
        match self.queues.iter_mut().find(|(known, _)| *known == face) {
            Some((_, old)) => *old = queue,
            None => self.queues.push((face, queue)),
        }
    }

    fn inspect(&self, report: &mut dyn FnMut(FaceId, HopReading)) {
        self.hops.inspect(|hop, pipe| pipe.capacity(self.queue_of(hop.face)), HopReading::Capacity, report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::{Limit, Rate};

    const WINDOW: Span = Span::from_millis(100);

    fn queue(packets: usize) -> LinkFacts {
        let (rate, delay) = (Rate(50_000_000), Span::from_millis(10));
        LinkFacts { rate, delay, queue: Limit::Packets(packets) }
    }

    fn fpf(parameters: FpfParameters) -> Fpf {
        let mut fpf = Fpf { data: Bytes(8600), parameters, hops: PerHop::default(), queues: Vec::new() };
        [(1, 21), (2, 21)].iter().for_each(|(face, packets)| fpf.on_face(FaceId(*face), &queue(*packets)));
        fpf
    }

    fn hop(face: u32, cost: u64) -> NextHop {
        NextHop { face: FaceId(face), cost }
    }

    /// A pipe with this smoothed round trip (0: never measured), rate and pending Interests.
    fn pipe(face: u32, round_trip_ms: f64, rate: f64, pending: u64) -> Known<Pipe> {
        let round_trip = (round_trip_ms > 0.0).then_some(round_trip_ms / 1e3);
        let state = Pipe { pending, round_trip, rate: DataRate { last: rate, ..DataRate::default() } };
        Known { hop: hop(face, u64::from(face)), state }
    }

    fn picked(pipes: &[Known<Pipe>], queue: f64) -> u32 {
        let eligible: Vec<NextHop> = pipes.iter().map(|pipe| pipe.hop).collect();
        fastest_with_room(pipes, &eligible, |pipe| pipe.state.capacity(queue)).unwrap().0
    }

    #[test]
    fn capacity_is_what_pipe_and_queue_hold() {
        // Fig. 3: 71.6 ms at 744 Data per second are 53, the queue holds 21; 31 with the round trip of an empty queue.
        assert!((pipe(1, 71.6, 744.0, 0).state.capacity(21.0) - 74.27).abs() < 0.01);
        assert!((pipe(1, 71.6, 744.0, 0).state.capacity(0.0) - 53.27).abs() < 0.01);
        assert!((pipe(1, 42.0, 744.0, 0).state.capacity(0.0) - 31.25).abs() < 0.01);
        assert_eq!(pipe(1, 0.0, 0.0, 0).state.capacity(21.0), 21.0);
    }

    #[test]
    fn the_first_path_is_left_only_when_it_is_full() {
        // Fifty are pending when its first Data is lost: still less than 74, but more than 31.
        for (queue, expected) in [(21.0, 1), (0.0, 2)] {
            assert_eq!(picked(&[pipe(1, 42.0, 744.0, 50), pipe(2, 62.0, 744.0, 0)], queue), expected);
        }
        assert_eq!(picked(&[pipe(1, 71.6, 744.0, 74), pipe(2, 0.0, 0.0, 0)], 21.0), 1);
        assert_eq!(picked(&[pipe(1, 71.6, 744.0, 75), pipe(2, 0.0, 0.0, 0)], 21.0), 2);
    }

    #[test]
    fn the_fastest_with_room_comes_first_then_the_least_overfull() {
        assert_eq!(picked(&[pipe(1, 80.0, 100.0, 3), pipe(2, 60.0, 100.0, 3)], 10.0), 2);
        assert_eq!(picked(&[pipe(1, 0.0, 0.0, 3), pipe(2, 60.0, 100.0, 3)], 10.0), 2, "what was measured");
        assert_eq!(picked(&[pipe(1, 60.0, 100.0, 3), pipe(2, 60.0, 100.0, 3)], 10.0), 1, "the cheapest of equals");
        assert_eq!(picked(&[pipe(1, 100.0, 100.0, 40), pipe(2, 200.0, 100.0, 45)], 10.0), 2, "45 of 30, not 40 of 20");
    }

    #[test]
    fn only_what_may_be_used_is_picked() {
        let pipes = [pipe(1, 60.0, 100.0, 0), pipe(2, 80.0, 100.0, 0)];
        let found = fastest_with_room(&pipes, &[hop(2, 2)], |pipe| pipe.state.capacity(10.0));
        assert_eq!((found, fastest_with_room(&pipes, &[], |_| 1.0)), (Some(FaceId(2)), None));
    }

    #[test]
    fn the_rate_is_that_of_the_last_whole_window() {
        let mut rate = DataRate::default();
        let at = |ms: u64| Time(ms * 1_000_000);
        rate.go(at(50), WINDOW);
        (0..30).for_each(|n| rate.came(at(1000 + n), WINDOW));
        assert_eq!(rate.last, 0.0);
        (0..40).for_each(|n| rate.came(at(1100 + n), WINDOW));
        assert_eq!(rate.last, 300.0);
        rate.go(at(1200), WINDOW);
        assert_eq!(rate.last, 400.0);
        rate.go(at(1399), WINDOW);
        assert_eq!(rate.last, 0.0, "a window without Data");
        rate.came(at(1950), WINDOW);
        rate.go(at(2000), WINDOW);
        assert_eq!(rate.last, 10.0, "windows stand where they stood");
    }

    #[test]
    fn the_round_trip_is_smoothed_and_the_queue_counted_in_data() {
        let mut fpf = fpf(FpfParameters::default());
        let (mut sink, mut ready) = (weir_core::NoSink, weir_core::Ready::default());
        let mut cx = Context {
            now: Time(5_000_000_000),
            node: weir_core::NodeId(0),
            face: FaceId(0),
            sink: &mut sink,
            watched: false,
            ready: &mut ready,
        };
        fpf.hops.known(weir_core::PrefixId(0), &[hop(1, 1), hop(2, 2)]);
        for rtt in [Some(80), None, Some(160)] {
            let outcome = DataOutcome {
                prefix: weir_core::PrefixId(0),
                face: FaceId(1),
                rtt: rtt.map(Span::from_millis),
                marked: false,
                mark_distance: 0,
                queue_delay: Span::ZERO,
                sent: &[],
            };
            fpf.on_data(&outcome, &mut cx);
        }
        let smoothed = fpf.hops.known(weir_core::PrefixId(0), &[])[0].state.round_trip.unwrap();
        assert!((smoothed - 0.09).abs() < 1e-12, "80 + 80 / 8 ms, not {smoothed}");
        // 120 frames of 1500 bytes are twenty Data of six frames.
        let mtu = weir_wire::Mtu::new(1500).unwrap();
        fpf.on_face(FaceId(1), &LinkFacts { queue: Limit::Frames { most: 120, mtu }, ..queue(0) });
        fpf.on_face(FaceId(2), &LinkFacts { queue: Limit::Bytes(Bytes(86_000)), ..queue(0) });
        assert_eq!([1, 2, 3].map(|face| fpf.queue_of(FaceId(face))), [20.0, 10.0, f64::INFINITY]);
        let mut told = Vec::new();
        fpf.inspect(&mut |face, reading| told.push((face.0, reading)));
        assert_eq!(told, [(1, HopReading::Capacity(20.0)), (2, HopReading::Capacity(10.0))]);
    }

    #[test]
    fn without_the_queue_only_the_pipe_counts() {
        let fpf = fpf(FpfParameters { queue: false, ..FpfParameters::default() });
        assert_eq!(fpf.queue_of(FaceId(1)), 0.0);
    }
}
