//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::{Path, PathBuf};

/// Simulate Named Data Networking congestion control, and regenerate the papers that propose it.
#[derive(Debug, Parser)]
#[command(
    name = "weir",
    version,
    max_term_width = 100,
    after_help = "Exit codes: 0 done; 1 something went wrong outside the input (a file could not be written); \
                  2 the arguments or a file are wrong; 130 stopped by the user (finished results are kept)."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a scenario file and write its tables and figures
    Run(RunArgs),
    /// Follow one Interest through a run, hop by hop
    Trace(TraceArgs),
    /// Run a scenario with real programs in an emulated network
    #[cfg(target_os = "linux")]
    Emulate(crate::emulate::EmulateArgs),
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    EmulateGuard(crate::emulate::GuardArgs),
    /// Regenerate a paper's figures and score what it says
    Reproduce(ReproduceArgs),
    /// Let all schemes compete on the networks of all papers
    Compare(CompareArgs),
    /// Check scenario files without running them
    Check(CheckArgs),
    /// List what there is
    List(ListArgs),
    /// Show the page of a scheme, control, timeout, queue, strategy, recovery or monitor
    Show(ShowArgs),
    /// Print the JSON Schema of scenario files, for editors
    Schema,
    /// Begin something new
    #[command(subcommand)]
    New(New),
    /// Print a script that completes this program's arguments in a shell
    Completions(CompletionsArgs),
    /// Write the manual pages
    Man(ManArgs),
    /// Measure how fast this program and machine are, as JSON
    Bench(BenchArgs),
    /// Forward packets on real networks, with any queue, strategy and recovery
    Forward(crate::forward::ForwardArgs),
    /// Show what a forwarder on this host is doing
    Status(crate::status::StatusArgs),
    /// Serve a file, a folder or standard input over a real network
    Put(crate::put::PutArgs),
    /// Fetch a content over a real network, with any consumer control
    Get(crate::get::GetArgs),
    /// Make many requests over a real network, as a scenario's workload does
    Request(crate::request::RequestArgs),
    /// Answer every request below a name with zeros
    Answer(crate::put::AnswerArgs),
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The scenario file
    pub file: PathBuf,
    /// Change a value of the file, such as `scheme.recovery.alpha=0.25`; may be given several times
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Run with this scheme, or compare several: `--scheme icp,cubic,pcon`
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',')]
    pub scheme: Vec<String>,
    /// Write files in the formats of ndnSIM's tracers, for each run: OUT/runs/RUN/rate-trace.txt and so on
    #[arg(long, value_name = "TRACER[,...]", value_delimiter = ',')]
    pub trace_files: Vec<TracerChoice>,
    /// Period of the tracers that count
    #[arg(long, value_name = "TIME", default_value = "500ms", requires = "trace_files")]
    pub trace_period: String,
    /// Write what these links carry to OUT/runs/RUN/capture.pcapng: a link (`r1-r2`) or one direction (`r1>r2`)
    #[arg(long, value_name = "LINK[,...]", value_delimiter = ',')]
    pub capture: Vec<String>,
    /// Keep only so many bytes of each captured frame
    #[arg(long, value_name = "BYTES", requires = "capture", value_parser = clap::value_parser!(u32).range(1..))]
    pub snaplen: Option<u32>,
    #[command(flatten)]
    pub common: Common,
}

impl RunArgs {
    /// A run that leaves nothing behind besides its tables.
    #[cfg(target_os = "linux")]
    pub(crate) fn plain(file: &Path, set: &[String], scheme: &[String], common: &Common) -> RunArgs {
        RunArgs {
            file: file.to_owned(),
            set: set.to_vec(),
            scheme: scheme.to_vec(),
            trace_files: Vec::new(),
            trace_period: "500ms".into(),
            capture: Vec::new(),
            snaplen: None,
            common: common.clone(),
        }
    }
}

/// Which tracer files to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TracerChoice {
    /// rate-trace.txt: packets of each face
    Rate,
    /// app-delays-trace.txt: delay of each segment
    AppDelay,
    /// drop-trace.txt: packets dropped at queues
    Drop,
    /// cs-trace.txt: hits and misses of the Content Stores
    Cs,
    /// All of them
    All,
}

impl TracerChoice {
    /// The one tracer that is meant.
    pub fn tracer(self) -> Option<weir_watch::Tracer> {
        match self {
            TracerChoice::Rate => Some(weir_watch::Tracer::Rate),
            TracerChoice::AppDelay => Some(weir_watch::Tracer::AppDelay),
            TracerChoice::Drop => Some(weir_watch::Tracer::Drop),
            TracerChoice::Cs => Some(weir_watch::Tracer::Cs),
            TracerChoice::All => None,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// The scenario file
    pub file: PathBuf,
    /// The segment's name, such as `/video/seg=17`
    #[arg(long, value_name = "NAME", required_unless_present = "flow")]
    pub name: Option<String>,
    /// The flow that asks for it [default: the first one to ask]
    #[arg(long, value_name = "LABEL")]
    pub flow: Option<String>,
    /// The segment's number, instead of --name
    #[arg(long, value_name = "NUMBER", requires = "flow", conflicts_with = "name")]
    pub segment: Option<u64>,
    /// Which point of the axes, such as `control=cubic,recovery=plr`
    #[arg(long, value_name = "AXIS=LABEL[,...]", value_delimiter = ',')]
    pub point: Vec<String>,
    /// The run's seed [default: the first of the file]
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,
    /// Change a value of the file; may be given several times
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Go on after the Data has come, to the end of the run: late copies, other consumers
    #[arg(long)]
    pub all_transmissions: bool,
    /// One line of JSON for each step and for the summary
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReproduceArgs {
    /// The paper's key, as `weir list papers` shows it, or `all`
    pub paper: String,
    /// Only this claim (and the runs that it needs); may be given several times
    #[arg(long, value_name = "ID")]
    pub claim: Vec<String>,
    /// Few seeds, and smaller where a study says so: a first look
    #[arg(long, conflicts_with_all = ["full", "seeds"])]
    pub quick: bool,
    /// More seeds, and the paper's own size where a study is scaled down
    #[arg(long, conflicts_with = "seeds")]
    pub full: bool,
    /// Write the score as JSON to this file (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Change a value of every study of the paper; the score then is no longer the paper's
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        weir compare --quick                                     every scheme on the networks of all papers\n  \
        weir compare simulated emulated                          every scheme on a dumbbell, simulated and with real\n                                                           \
        programs in an emulated network (Linux)\n  \
        weir compare simulated emulated mine.toml --schemes pcon,cubic --repetitions 3")]
pub(crate) struct CompareArgs {
    /// `simulated emulated [SCENARIO]`: instead run each scheme of one scenario both ways, by default on a dumbbell of
    /// 10 Mbit/s
    #[arg(value_name = "SIDE", num_args = 0..=3)]
    pub sides: Vec<String>,
    /// Runs of each scheme on each side, of simulated and emulated [default: 5]
    #[arg(long, value_name = "N", requires = "sides", conflicts_with = "seeds", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repetitions: Option<u32>,
    /// Put the table of simulated and emulated into this page, between its lines `<!-- parity -->` and
    /// `<!-- end of parity -->`
    #[arg(long, value_name = "FILE", requires = "sides")]
    pub page: Option<PathBuf>,
    /// Schemes, as `weir list schemes` shows them; `NAME+plr` is one with PLR in its routers [default: all that adapt,
    /// with and without]
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',')]
    pub schemes: Vec<String>,
    /// Networks: names (`weir list scenarios`), keys of papers, or paths of scenario files [default: those of all papers]
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',', conflicts_with = "sides")]
    pub scenarios: Vec<String>,
    /// Two seeds, and smaller where a network says so
    #[arg(long, conflicts_with_all = ["seeds", "sides"])]
    pub quick: bool,
    /// End of a run on a network that has none of its own, in simulated time
    #[arg(long, value_name = "TIME", default_value = "300s")]
    pub limit: String,
    /// Write the comparison as JSON to this file (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Common {
    /// Seeds: a range such as 1..20 (both ends count), a list such as 1,5,9, or one number
    #[arg(long, value_name = "SEEDS")]
    pub seeds: Option<String>,
    /// Threads; results do not depend on it [default: all cores]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Where tables and figures go [default: out/NAME]
    #[arg(long, short, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Format of the tables; both may be given: `--tables csv,parquet`
    #[arg(long, value_name = "FORMAT", value_delimiter = ',', default_value = "csv")]
    pub tables: Vec<TableFormat>,
    /// Write everything into one HTML file as well [default: report.html in the folder of results]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub report: Option<Option<PathBuf>>,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// How tables are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// Text, one line for each row
    Csv,
    /// Apache Parquet: typed, compressed, with units and descriptions of the columns inside
    Parquet,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Scenario files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Change a value of the files first
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// The network
    pub network: BenchNetwork,
    /// Pairs of consumer and producer of `dumbbell` [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub flows: Option<u64>,
    /// Segments that each flow of `linear` or `dumbbell` fetches [default: 2 000 000 over all flows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub segments: Option<u64>,
    /// Simulated seconds of `abilene` [default: 60]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub seconds: Option<u64>,
    /// Size of the file of `live` in millions of bytes [default: 200]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub megabytes: Option<u64>,
    /// Consumer control of `live` [default: that of `weir get`]
    #[arg(long, value_name = "CONTROL")]
    pub control: Option<String>,
    /// `live` before a link of 50 Mbit/s instead: every scheme, with the queue inside the forwarder and beyond it; takes
    /// minutes
    #[arg(long)]
    pub bottleneck: bool,
    /// The only scheme of `--bottleneck`
    #[arg(long, value_name = "SCHEME", requires = "bottleneck")]
    pub scheme: Option<String>,
    /// Print what `--bottleneck` measures as a table in Markdown
    #[arg(long, requires = "bottleneck")]
    pub markdown: bool,
    /// Run so many times and tell of the fastest: a machine with other work only ever makes a run slower
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
}

/// The networks of `weir bench`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchNetwork {
    /// One ICP consumer, two routers, one producer
    Linear,
    /// Many ICP consumers over one bottleneck
    Dumbbell,
    /// 50 consumers with Zipf requests on the research network Abilene, a cache at each of its 11 nodes
    Abilene,
    /// A file over real forwarders on this machine: over one by Unix sockets, over two by UDP; and by ndnd's programs, if
    /// they are on PATH
    Live,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// What to list
    pub what: Listed,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Listed {
    /// Complete schemes
    Schemes,
    /// Consumer controls
    Controls,
    /// Retransmission timeouts
    Timeouts,
    /// Queue disciplines
    Queues,
    /// Forwarding strategies
    Strategies,
    /// In-network loss recoveries
    Recoveries,
    /// Watchers of a whole node
    Monitors,
    /// Papers that can be reproduced
    Papers,
    /// Networks of the papers on which schemes can be compared
    Scenarios,
    /// What a run measures
    Metrics,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The name, as `weir list` shows it
    pub name: String,
}

#[derive(Debug, Subcommand)]
pub(crate) enum New {
    /// Write a plug-in that works, to change it into yours: source with tests, page, and its word in the registry
    Scheme(NewSchemeArgs),
}

#[derive(Debug, Args)]
pub(crate) struct NewSchemeArgs {
    /// Its name in scenario files, such as `my-control`
    pub name: String,
    /// What it is
    #[arg(long, short, value_name = "KIND", default_value = "control")]
    pub kind: PluginKind,
}

/// A kind of plug-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PluginKind {
    /// Consumer control: window or rate
    Control,
    /// Retransmission timeout
    Timeout,
    /// Queue discipline
    Queue,
    /// Forwarding strategy
    Strategy,
    /// In-network loss recovery
    Recovery,
    /// Node monitor
    Monitor,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The folder, which is made if it is not there
    #[arg(value_name = "FOLDER")]
    pub out: PathBuf,
}
