//! `weir put`: serves a file, a folder or standard input under a name.

use crate::Failure;
use crate::get::with_default;
use crate::stop::Stopper;
use clap::Args;
use std::path::{Path, PathBuf};
use weir_core::{NoSink, Seed};
use weir_files::{Publisher, PublisherRules, Reporter, Server, ServerEvent, Shelf, Source};
use weir_live::{Clock, Driver, Endpoint, FaceOptions, FaceUri, forwarder_uri};
use weir_trust::{KeyFile, Signer};
use weir_wire::Name;

/// The signer that is no key file.
const DIGEST: &str = "digest";

/// The queue of a producer that names none. Consumers on the same host have round trips of a millisecond, in which slow
/// start doubles their windows: a queue that waits 100 ms before it marks, and then lets the mark wait, too, is too late.
const QUEUE: (&str, &[(&str, &str)]) = ("pcon", &[("interval", "10ms"), ("mark", "this")]);

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        weir put film.mp4 /home/film                serve a file at the forwarder of this host\n  \
        weir put photos /home/photos                a folder: /home/photos/2026/a.jpg and so on\n  \
        tar c src | weir put - /home/src            standard input\n  \
        weir put f /f --listen udp://0.0.0.0:6363   without a forwarder: `weir get /f --face udp://HOST`")]
pub(crate) struct PutArgs {
    /// What to serve: a file, a folder, or `-` for standard input
    pub file: PathBuf,
    /// The name to serve it under
    pub name: Name,
    #[command(flatten)]
    pub serving: ServeArgs,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Contents have no end: whoever asks knows how much it wants. Nothing tells a version or a last segment.\n\n\
    Examples:\n  \
        weir answer /load                           at the forwarder of this host, for `weir request /load ...`\n  \
        weir answer /load -s 1040 --listen udp://0.0.0.0:6363   without a forwarder"
)]
pub(crate) struct AnswerArgs {
    /// Every Interest for a segment (seg=N) below this name gets zeros
    pub name: Name,
    #[command(flatten)]
    pub serving: ServeArgs,
}

/// How Data are served, whatever they are.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The forwarder to register the name at [default: NDN_CLIENT_TRANSPORT, client.conf, or NFD's socket]
    #[arg(long, value_name = "URI")]
    pub face: Option<FaceUri>,
    /// Take peers at this address, and use no forwarder unless --face names one; may be given several times
    #[arg(long, value_name = "URI")]
    pub listen: Vec<FaceUri>,
    /// Bytes of content in a packet
    #[arg(long, short = 's', value_name = "BYTES", default_value_t = 8000)]
    pub segment_size: usize,
    /// How long caches may answer for the content, in milliseconds
    #[arg(long, short = 'f', value_name = "MS", default_value_t = 10_000)]
    pub freshness: u64,
    /// Sign with this key: a file with a PRIVATE KEY, `hmac:FILE` for a shared secret in base64, or `digest`
    #[arg(long, value_name = "KEY", default_value = DIGEST)]
    pub sign: String,
    /// The name of the key in the packets' KeyLocator [default: its SHA-256]
    #[arg(long, value_name = "NAME")]
    pub key_name: Option<Name>,
    /// Where Interests wait for their answers: a queue of `weir list queues` [default: pcon, with `interval=10ms` and
    /// `mark=this`]
    #[arg(long, value_name = "QUEUE")]
    pub queue: Option<String>,
    /// A parameter of the queue; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Say only what goes wrong
    #[arg(long, short)]
    pub quiet: bool,
}

pub(crate) fn put(args: &PutArgs) -> Result<(), Failure> {
    serve(shelf(&args.file)?, &args.file.display().to_string(), &args.name, &args.serving)
}

/// Answers whatever is asked for.
pub(crate) fn answer(args: &AnswerArgs) -> Result<(), Failure> {
    serve(Shelf::Zeros, "zeros", &args.name, &args.serving)
}

fn serve(shelf: Shelf, what: &str, name: &Name, args: &ServeArgs) -> Result<(), Failure> {
    let rules = PublisherRules {
        segment_size: args.segment_size,
        freshness_ms: args.freshness,
        signer: signer(&args.sign, args.key_name.as_ref())?,
    };
    let mut publisher = Publisher::new(name.clone(), shelf, rules).map_err(Failure::Input)?;
    let served = publisher.content_name().unwrap_or_else(|| name.clone());
    let mut driver = Driver::new(Box::new(NoSink)).map_err(|e| Failure::Other(e.to_string()))?;
    let stopper = Stopper::new(driver.waker())?;
    let queue = with_default(args.queue.as_deref(), &args.set, QUEUE)?;
    let server = Server::new(publisher, queue, stopper.flag(), reporter(args.quiet));
    let mut server = server.map_err(Failure::Input)?;
    for uri in &args.listen {
        let wrong = |e: std::io::Error| Failure::Other(format!("cannot listen at {uri}: {e}"));
        let at = driver.listen(&uri.resolve().map_err(wrong)?, FaceOptions::default()).map_err(wrong)?;
        if !args.quiet {
            eprintln!("listening at {at}");
        }
    }
    if args.face.is_some() || args.listen.is_empty() {
        let seed = Seed(Clock::unix_millis() ^ u64::from(std::process::id()) << 44);
        server = server.at(endpoint(args.face.as_ref())?, Signer::digest(), seed);
    }
    if !args.quiet {
        eprintln!("serving {what} as {served}");
    }
    driver.run(&mut server).map_err(|e| Failure::Other(e.to_string()))?;
    if let Some(why) = server.failure() {
        return Err(Failure::Other(why.to_owned()));
    }
    let counters = server.publisher().counters();
    if !args.quiet {
        eprintln!("served {} segments, {} bytes", counters.segments, counters.bytes);
    }
    Ok(())
}

/// Where a face is to lead.
pub(crate) fn endpoint(face: Option<&FaceUri>) -> Result<Endpoint, Failure> {
    let uri = match face {
        Some(uri) => uri.clone(),
        None => forwarder_uri(None).map_err(|e| Failure::Input(format!("the forwarder of this host: {e}")))?,
    };
    uri.resolve().map_err(|e| Failure::Other(format!("cannot find {uri}: {e}")))
}

fn signer(key: &str, name: Option<&Name>) -> Result<Signer, Failure> {
    if key == DIGEST {
        return match name {
            None => Ok(Signer::digest()),
            Some(_) => Err(Failure::Input("`--key-name` names a key: say which with `--sign`".into())),
        };
    }
    let Ok(file) = key.parse::<KeyFile>();
    let signer = file.signer().map_err(|e| Failure::Input(e.to_string()))?;
    Ok(match name {
        Some(name) => signer.named(name.clone()),
        None => signer,
    })
}

fn shelf(file: &Path) -> Result<Shelf, Failure> {
    if file == Path::new("-") {
        let source = Source::spool(&mut std::io::stdin().lock(), Clock::unix_millis() * 1000);
        return source.map(Shelf::of).map_err(|e| Failure::Other(format!("standard input: {e}")));
    }
    Shelf::open(file).map_err(|e| Failure::Input(format!("{}: {e}", file.display())))
}

/// Tells the user what changes: a forwarder that stays away is named once.
fn reporter(quiet: bool) -> Reporter {
    let mut last = String::new();
    Box::new(move |event| {
        let (text, good) = match event {
            ServerEvent::Registered => ("registered at the forwarder".to_owned(), true),
            ServerEvent::Away(why) => (format!("the forwarder is away ({why}); trying again"), false),
            ServerEvent::Silent => ("the forwarder does not answer the registration; trying again".to_owned(), false),
            ServerEvent::Failed(why) => ((*why).to_owned(), false),
        };
        if text != last && !(quiet && good) {
            eprintln!("{}{text}", if good { "" } else { "warning: " });
        }
        last = text;
    })
}
