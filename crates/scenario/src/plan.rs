//! What a scenario file means, once everything in it has been checked. Nothing here can be misspelt any more.

use std::sync::Arc;
use weir_core::{Arrivals, Bytes, Lifetime, Limit, Prowgen, Rate, Settings, Sizes, Span, Time};
use weir_wire::{Mtu, Name};

/// One network, its traffic and its schemes: everything that one run needs besides its seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The network.
    pub topology: Topology,
    /// How Interests find the producers.
    pub routing: Routing,
    /// The traffic.
    pub workloads: Vec<Workload>,
    /// What makes links worse than rate, delay and loss, by link direction; each direction at most once.
    pub impairments: Vec<(Way, Impairment)>,
    /// What happens in the course of the run, in the order of the file.
    pub timeline: Vec<Happening>,
    /// The schemes in use.
    pub scheme: SchemePlan,
    /// Nodes whose forwarder is said, as places in [`Topology::nodes`]; the others have Weir's.
    pub software: Vec<(usize, Software)>,
    /// Tables of the routers.
    pub tables: Tables,
    /// Rules of all consumers.
    pub consumer: ConsumerRules,
    /// How long and what to record.
    pub run: RunPlan,
}

/// A forwarder that a node of an emulated network can have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Software {
    /// Weir's own.
    #[default]
    Weir,
    /// ndnd, of the package of that name in Go.
    Ndnd,
    /// NFD, the reference forwarder in C++.
    Nfd,
}

/// Nodes and links.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    /// Names of the nodes; a node's number is its place here.
    pub nodes: Vec<String>,
    /// Where each node is, `x` to the east and `y` to the north, in degrees of longitude and latitude or in any other
    /// unit that is the same for all: for drawings, nothing else depends on it. `None`: nothing is known; then
    /// [`layout::places`](crate::layout::places) finds a place for the drawing. As long as `nodes`.
    pub positions: Vec<Option<(f64, f64)>>,
    /// Links in the order of the file.
    pub links: Vec<Link>,
}

impl Topology {
    /// A network of which no positions are known.
    pub fn new(nodes: Vec<String>, links: Vec<Link>) -> Topology {
        let mut topology = Topology { positions: vec![None; nodes.len()], nodes, links };
        let mut between: std::collections::BTreeMap<(usize, usize), usize> = std::collections::BTreeMap::new();
        let ends = |l: &Link| (l.a.min(l.b), l.a.max(l.b));
        topology.links.iter().for_each(|l| *between.entry(ends(l)).or_default() += 1);
        topology.links.iter_mut().for_each(|l| l.parallel = between[&ends(l)] > 1);
        topology
    }

    /// The same with positions, one for each node.
    pub(crate) fn at(mut self, positions: impl IntoIterator<Item = (f64, f64)>) -> Topology {
        self.positions.iter_mut().zip(positions).for_each(|(own, place)| *own = Some(place));
        self
    }

    /// Names of a link's directions: forward, then backward. `from>to`, or `link:from>to` if other links join the same
    /// two nodes.
    pub fn directions(&self, link: &Link) -> [String; 2] {
        let (a, b) = (&self.nodes[link.a], &self.nodes[link.b]);
        let of = if link.parallel { format!("{}:", link.name) } else { String::new() };
        [format!("{of}{a}>{b}"), format!("{of}{b}>{a}")]
    }
}

/// A link between two nodes, in both directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// `a-b` by default. No two links of a network have the same name.
    pub name: String,
    /// One end, as a place in [`Topology::nodes`].
    pub a: usize,
    /// The other end.
    pub b: usize,
    /// From `a` to `b`.
    pub forward: Direction,
    /// From `b` to `a`.
    pub backward: Direction,
    /// Routing costs of sending forward and backward, at least 1 each.
    pub costs: (u64, u64),
    /// The longest frame, if packets that are longer cross in fragments. The queues' limits in packets count frames then.
    pub mtu: Option<Mtu>,
    /// Another link joins the same two nodes. [`Topology::new`] finds out.
    pub parallel: bool,
}

impl Link {
    /// Gives it a longest frame.
    pub(crate) fn set_mtu(&mut self, mtu: Mtu) {
        self.mtu = Some(mtu);
        self.forward.limit = self.limit(self.forward.limit);
        self.backward.limit = self.limit(self.backward.limit);
    }

    /// What a limit of a file means for the queues of this link.
    pub fn limit(&self, limit: Limit) -> Limit {
        match (limit, self.mtu) {
            (Limit::Packets(most), Some(mtu)) => Limit::Frames { most, mtu },
            _ => limit,
        }
    }
}

/// How Interests find the producers: which next hops a node has. See [`routes`](crate::routes).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Routing {
    /// The cheapest way to each producer of a content.
    Shortest,
    /// The first links of the `k` cheapest paths.
    KShortest(usize),
    /// All neighbours that are nearer to a producer.
    Downhill,
    /// All neighbours whose own cheapest ways do not lead back.
    LoopFree,
    /// All neighbours from which some way does not lead back.
    All,
    /// What the file says and nothing else.
    Explicit(Vec<StaticRoute>),
}

/// A route that the file gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticRoute {
    /// The node that has it.
    pub node: usize,
    /// What it is for.
    pub prefix: Name,
    /// The link over which it leads, as a place in [`Topology::links`].
    pub link: usize,
    /// Its cost, by which next hops are ranked.
    pub cost: u64,
}

/// One direction of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Direction {
    /// Bit rate.
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Span,
    /// Probability that a packet is lost on the way.
    pub loss: f64,
    /// Capacity of the queue in front of it.
    pub limit: Limit,
}

/// Traffic of one consumer: one fetch, or a flow of many requests.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Name in tables and figures; unique in a scenario. Bursts of one consumer share a label.
    pub label: String,
    /// Where the consumer is.
    pub consumer: usize,
    /// Where the content is: at one node, or at several that all have the whole of it.
    pub producers: Vec<usize>,
    /// The content's name, without segment; of many requests the prefix of all that they ask for. The producer serves
    /// it, and routes lead to it.
    pub name: Name,
    /// Number of segments; `None`: without end. (`None` also for many requests.)
    pub segments: Option<u64>,
    /// Many requests below `name` instead of one fetch of it.
    pub requests: Option<Requests>,
    /// Payload of a Data.
    pub payload: Bytes,
    /// FreshnessPeriod of the Data; zero: none.
    pub freshness: Span,
    /// Earliest and latest start; the seed draws uniformly between them.
    pub start: (Time, Time),
    /// When the consumer gives up; `None`: never.
    pub stop: Option<Time>,
    /// Control of this fetch instead of the scheme's.
    pub control: Option<PartPlan>,
    /// Timeout of this fetch instead of the scheme's.
    pub timeout: Option<PartPlan>,
}

/// When a consumer makes requests, and for what. Each asks for an object, which is numbered from 0 and a Data of its
/// own: `<content>/seg=<number>`.
#[derive(Clone, Debug, PartialEq)]
pub struct Requests {
    /// When they come.
    pub arrivals: Arrivals,
    /// What the objects' numbers are put behind: [`Workload::name`] or below it.
    pub content: Name,
    /// Which of how many objects each request asks for; `None`: each for a new one.
    pub catalogue: Option<Catalogue>,
    /// Requests of a stream that is drawn as a whole; the arrivals say when this consumer takes the next one.
    pub stream: Option<Stream>,
    /// Number of requests; `None`: without end.
    pub count: Option<u64>,
    /// How large objects are. `None`: one Data each, `<content>/seg=<number>`, without a control; else contents
    /// `<content>/<number>` of several segments, each fetched under a control of its own. (A trace has names and sizes
    /// of its own.)
    pub sizes: Option<Sizes>,
    /// How often an Interest is sent again before its request is given up; `None`: for ever. For one Data each.
    pub retries: Option<u32>,
}

/// A consumer's part in a stream of requests. When a request of any of its consumers comes, that consumer asks for what
/// is next in the stream. Object `n` is the content `<content>/<n>`.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// What the stream is like.
    pub law: Arc<Prowgen>,
    /// Which of its consumers this is, from 0.
    pub place: usize,
    /// How many there are.
    pub of: usize,
}

/// Objects, and how popular they are: the one of rank `i` from 1 in proportion to `1 / (i + plateau)^exponent`
/// (Zipf-Mandelbrot). Object 0 is the most popular one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Catalogue {
    /// Number of objects.
    pub objects: u64,
    /// Zipf's exponent, `s`; 0: all are equally popular.
    pub exponent: f64,
    /// Mandelbrot's `q`; 0: Zipf's law.
    pub plateau: f64,
}

/// Which plug-ins are in use, checked against the registry.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemePlan {
    /// The bundle's name.
    pub name: String,
    /// Consumer control.
    pub control: PartPlan,
    /// Retransmission timeout.
    pub timeout: PartPlan,
    /// Queue of every router face.
    pub queue: PartPlan,
    /// Queue of every face of a consumer or producer host; drop-tail by default.
    pub host_queue: PartPlan,
    /// Forwarding strategy of every router.
    pub strategy: PartPlan,
    /// In-network recovery of every router face.
    pub recovery: Option<PartPlan>,
    /// Node monitor of every router.
    pub monitor: Option<PartPlan>,
}

/// One plug-in and its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct PartPlan {
    /// Name in the registry.
    pub name: String,
    /// Settings that differ from the defaults.
    pub settings: Settings,
}

/// Sizes of router tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tables {
    /// Packets in each Content Store (LRU); 0: off.
    pub cs: usize,
    /// Entries in each Pending Interest Table; `None`: no bound.
    pub pit: Option<usize>,
}

/// Rules of the consumer engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConsumerRules {
    /// InterestLifetime.
    pub lifetime: Lifetime,
    /// At most one decrease in about `1 + guard` round trips (Conservative Window Adaptation; ndnSIM 0.5, ndn-tools 0).
    pub guard: f64,
    /// What a consumer does about the timer of a segment whose loss a router announced.
    pub notice_timer: NoticeTimer,
    /// Random extra time before each Interest, as a share of the pacing gap (0: none).
    pub jitter: f64,
    /// What a change of a paced control's rate does to the gap that is running.
    pub rate_change: RateChange,
    /// How long a consumer without pacing waits before it repeats an Interest that was refused for congestion, the first
    /// time; each further refusal of the same segment doubles it, up to 10 s (0: it does not wait).
    pub nack_pause: Span,
    /// A consumer measures the round trip of a Data that comes too soon after its Interest was repeated from the first
    /// Interest on.
    pub learn_from_late: bool,
}

/// What a change of rate does to the gap that is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateChange {
    /// Nothing: the next gap is the first of the new length.
    Next,
    /// It takes the new length at once.
    Now,
    /// It takes the new length at once if that is longer.
    Cut,
}

/// The timer of a segment that a loss notice announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeTimer {
    /// Runs on.
    Keep,
    /// Starts again at the notice.
    Restart,
    /// Stops: only the Interest lifetime ends the wait.
    Stop,
}

/// Length and recording of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunPlan {
    /// End of the run; `None`: when every fetch that ends has ended.
    pub duration: Option<Span>,
    /// End of the run if not every fetch that ends has ended before; `None`: there is none.
    pub limit: Option<Span>,
    /// Seeds of an ordinary run.
    pub seeds: Vec<u64>,
    /// Seeds of a quick run.
    pub quick_seeds: Vec<u64>,
    /// Seeds of a full run.
    pub full_seeds: Vec<u64>,
    /// Keep a record of each fetch.
    pub fetches: bool,
    /// Interval of the time series; `None`: none are kept.
    pub sample: Option<Span>,
}

/// One direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    /// Place in [`Topology::links`].
    pub link: usize,
    /// From the link's end `a` to `b`.
    pub forward: bool,
}

/// What makes a link direction worse than its rate, delay and loss.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impairment {
    /// Bursty loss, besides the link's own.
    pub bursts: Option<GilbertElliott>,
    /// Random change of the delay.
    pub jitter: Option<Jitter>,
    /// With jitter, packets may overtake each other; else they stay in order, and a late one holds up those behind it.
    pub overtaking: bool,
    /// A share of the packets that are held back for so long, while others overtake them.
    pub reorder: Option<(f64, Span)>,
    /// Share of the packets of which a copy arrives, too.
    pub duplicate: f64,
}

/// A Markov chain of two states that lose packets with different probabilities (Gilbert 1960, Elliott 1963; letters as
/// in Hasslinger and Hohlfeld 2008). Its mean loss is ((1 - k) r + (1 - h) p) / (p + r). It begins in the good state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GilbertElliott {
    /// Probability of going from the good state to the bad one, at each packet.
    pub p: f64,
    /// Probability of going from the bad state to the good one.
    pub r: f64,
    /// Probability that a packet survives in the bad state.
    pub h: f64,
    /// Probability that a packet survives in the good state.
    pub k: f64,
}

/// A random time, added to the delay of each packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jitter {
    /// Uniform from zero to this.
    Uniform(Span),
    /// Exponential with this mean.
    Exponential(Span),
    /// Normal around zero with this standard deviation, but never so negative that the delay would be.
    Normal(Span),
}

/// Something that happens in the course of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Happening {
    /// Earliest and latest time of the first occurrence; the seed draws uniformly between them.
    pub time: (Time, Time),
    /// It happens again after each such time, until the other is passed.
    pub every: Option<(Span, Time)>,
    /// What happens.
    pub action: Action,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Link directions go down. What is in the air is lost.
    Down {
        /// Which.
        ways: Vec<Way>,
        /// What becomes of the packets that are sent then.
        outage: Outage,
    },
    /// Link directions come up again.
    Up {
        /// Which.
        ways: Vec<Way>,
    },
    /// Link directions change; `None`: as before.
    Link {
        /// Which.
        ways: Vec<Way>,
        /// Their bit rate.
        rate: Option<Rate>,
        /// Their propagation delay.
        delay: Option<Span>,
        /// Their loss.
        loss: Option<f64>,
        /// Capacity of the queues in front of them.
        limit: Option<Limit>,
    },
    /// Nodes lose the state of their forwarders.
    Restart {
        /// Which, as places in [`Topology::nodes`].
        nodes: Vec<usize>,
    },
    /// Flows begin, or go on after a stop.
    Start {
        /// Places in [`Scenario::workloads`].
        flows: Vec<usize>,
    },
    /// Flows send no new Interests from now on.
    Stop {
        /// Places in [`Scenario::workloads`].
        flows: Vec<usize>,
    },
    /// Parts of schemes are exchanged.
    Scheme(SchemeChange),
}

/// What becomes of packets that are sent over a link that is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outage {
    /// They wait in the queue, as far as it has room.
    Wait,
    /// They are dropped, those that wait in the queue included.
    Drop,
    /// The node does not know: it goes on sending, and everything is lost on the way.
    Silent,
}

/// Parts that take the place of others, complete: what the file does not say is as an earlier happening has left it, or as
/// in [`Scenario::scheme`] or the workload. Nodes are places in [`Topology::nodes`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SchemeChange {
    /// Queues of router faces, by node.
    pub queues: Vec<(usize, PartPlan)>,
    /// Queues of hosts, by node.
    pub host_queues: Vec<(usize, PartPlan)>,
    /// Strategies of routers, by node.
    pub strategies: Vec<(usize, PartPlan)>,
    /// Recoveries of router faces, by node; `None`: none any more.
    pub recoveries: Vec<(usize, Option<PartPlan>)>,
    /// Controls of flows, by their places in [`Scenario::workloads`].
    pub controls: Vec<(usize, PartPlan)>,
    /// Timeout rules of flows.
    pub timeouts: Vec<(usize, PartPlan)>,
}
