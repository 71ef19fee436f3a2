//! Files over real sockets: what is served in one thread is fetched in another.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use weir_core::{NoSink, Seed};
use weir_files::{
    Choice, Client, GetError, GetRules, Getter, Known, Output, Part, Pipe, Plugins, Publisher, PublisherRules, Server,
    Shelf, Source, Summary, setting,
};
use weir_live::{Driver, Endpoint, FaceOptions};
use weir_trust::{KeyRing, Signer, Untrusted, Verifier};
use weir_wire::Name;

/// A server in a thread of its own, which ends when this is dropped.
struct Serving {
    at: Endpoint,
    stop: Arc<AtomicBool>,
    waker: Arc<mio::Waker>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.waker.wake().unwrap();
        self.thread.take().unwrap().join().unwrap();
    }
}

fn name(uri: &str) -> Name {
    uri.parse().unwrap()
}

/// A port that nobody uses: those of a UDP listener's peers are shared with it, so it must be known beforehand.
fn udp() -> Endpoint {
    let free = std::net::UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    Endpoint::Udp(free.local_addr().unwrap())
}

/// Serves what `shelf` makes under `/p` at `at`.
fn serve(at: Endpoint, shelf: impl FnOnce() -> Shelf + Send + 'static, rules: PublisherRules) -> Serving {
    let stop = Arc::new(AtomicBool::new(false));
    let (told, hear) = channel();
    let asked_to_stop = stop.clone();
    let thread = std::thread::spawn(move || {
        let publisher = Publisher::new(name("/p"), shelf(), rules).unwrap();
        let queue = Choice::new("pcon");
        let mut server = Server::new(publisher, queue, asked_to_stop, Box::new(|event| panic!("{event:?}"))).unwrap();
        let mut driver = Driver::new(Box::new(NoSink)).unwrap();
        let at = driver.listen(&at, FaceOptions::default()).unwrap();
        told.send((at, driver.waker())).unwrap();
        driver.run(&mut server).unwrap();
    });
    let (at, waker) = hear.recv().unwrap();
    Serving { at, stop, waker, thread: Some(thread) }
}

fn content(len: usize) -> Vec<u8> {
    let mut chance = Seed(len as u64).stream();
    (0..len).map(|_| chance.bits() as u8).collect()
}

fn spooled(content: &[u8]) -> Shelf {
    Shelf::of(Source::spool(&mut &content[..], 1_700_000_000_000_000).unwrap())
}

fn rules(keys: KeyRing) -> GetRules {
    GetRules { keys, attempts: 5, tables: true, exact: false, consumer: GetRules::consumer(), seed: Seed(1) }
}

fn get_with(from: &Endpoint, what: &str, control: &str, output: Output, keys: KeyRing) -> Result<Summary, GetError> {
    let mut control = Choice::new(control);
    if control.name == "cbr" {
        control.settings.push(setting("frequency=5000").unwrap());
    }
    let plugins = Plugins::build(&control, &Choice::new("rfc6298"), &Known::default(), Seed(1)).unwrap();
    let getter = Getter::new(name(what), output, plugins, rules(keys));
    let mut client = Client::new(getter, from.clone(), Arc::default(), Box::new(|_| {}));
    Driver::new(Box::new(NoSink)).unwrap().run(&mut client).unwrap();
    match client.getter().outcome().unwrap() {
        Ok(summary) => Ok(summary.clone()),
        Err(GetError::Untrusted { name, why }) => Err(GetError::Untrusted { name: name.clone(), why: why.clone() }),
        Err(other) => Err(GetError::Silence(other.to_string())),
    }
}

fn to_file(path: &Path) -> Output {
    Output::File(Box::new(Part::open(path).unwrap()))
}

#[test]
fn files_cross_every_transport() {
    let folder = tempfile::tempdir().unwrap();
    let local = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let places = [udp(), Endpoint::Tcp(local), Endpoint::Unix(folder.path().join("socket"))];
    for (i, place) in places.into_iter().enumerate() {
        for len in [0, 1, 8000, 3_000_001] {
            let (bytes, path) = (content(len), folder.path().join(format!("{i}-{len}")));
            let sent = bytes.clone();
            let serving = serve(place.clone(), move || spooled(&sent), PublisherRules::default());
            let summary = get_with(&serving.at, "/p", "aimd", to_file(&path), KeyRing::new()).unwrap();
            assert!(std::fs::read(&path).unwrap() == bytes, "{} bytes over {}", len, serving.at);
            let segments = (len as u64).div_ceil(8000).max(1);
            assert_eq!((summary.bytes, summary.segments, summary.fetched), (len as u64, segments, segments));
            assert_eq!(summary.name, name("/p/v=1700000000000000"));
            assert!(summary.interests >= segments + summary.retransmitted, "some may ask for what lies behind the end");
            let hash: [u8; 32] = <sha2::Sha256 as sha2::Digest>::digest(&bytes).into();
            assert_eq!(summary.sha256, hash);
        }
    }
}

/// A writer that remembers, and that is slow at first.
#[derive(Clone, Default)]
struct Reader(Arc<Mutex<Vec<u8>>>);

impl Write for Reader {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn every_control_fetches_into_a_pipe() {
    let bytes = content(100_000);
    let sent = bytes.clone();
    let serving =
        serve(udp(), move || spooled(&sent), PublisherRules { segment_size: 1000, ..PublisherRules::default() });
    for control in weir_schemes::registry::CONTROLS {
        let reader = Reader::default();
        let pipe = Output::Pipe(Pipe::new(Box::new(reader.clone())));
        let summary = get_with(&serving.at, "/p", control.name, pipe, KeyRing::new()).unwrap();
        assert_eq!(summary.fetched, 100, "{}", control.name);
        assert!(*reader.0.lock().unwrap() == bytes, "{}", control.name);
    }
}

#[test]
fn a_folder_is_served_and_each_file_has_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = folder.path().join("shelf");
    std::fs::create_dir_all(shelf.join("deep/er")).unwrap();
    std::fs::write(shelf.join("deep/er/f"), content(20_000)).unwrap();
    let served = shelf.clone();
    let serving = serve(udp(), move || Shelf::open(&served).unwrap(), PublisherRules::default());
    let path = folder.path().join("got");
    get_with(&serving.at, "/p/deep/er/f", "cubic", to_file(&path), KeyRing::new()).unwrap();
    assert!(std::fs::read(&path).unwrap() == content(20_000));
    let missing = get_with(&serving.at, "/p/deep", "cubic", to_file(&path), KeyRing::new()).unwrap_err();
    assert!(missing.to_string().contains("nobody answers for /p/deep"), "{missing}");
}

#[test]
fn only_the_right_key_is_believed() {
    let folder = tempfile::tempdir().unwrap();
    let ring = |secret: &[u8]| [Verifier::hmac(secret)].into_iter().collect::<KeyRing>();
    let signer = || PublisherRules { signer: Signer::hmac(b"right").named(name("/key")), ..PublisherRules::default() };
    let serving = serve(udp(), || spooled(&content(50_000)), signer());
    let got = |keys| get_with(&serving.at, "/p", "cubic", to_file(&folder.path().join("f")), keys);
    got(ring(b"right")).unwrap();
    for (keys, expected) in [
        (ring(b"wrong"), Untrusted::Wrong(weir_wire::SignatureType::Hmac)),
        (KeyRing::new(), Untrusted::NoKey(weir_wire::SignatureType::Hmac)),
    ] {
        let Err(GetError::Untrusted { why, .. }) = got(keys) else { panic!("believed") };
        assert_eq!(why, expected);
    }
    let plain = serve(udp(), || spooled(&content(50_000)), PublisherRules::default());
    let keys = ring(b"right");
    let refused = get_with(&plain.at, "/p", "cubic", to_file(&folder.path().join("g")), keys).unwrap_err();
    assert!(refused.to_string().contains("which anybody can make"), "{refused}");
}

#[test]
fn an_exact_version_is_fetched_without_discovery_and_others_are_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let serving = serve(udp(), || spooled(&content(50_000)), PublisherRules::default());
    let got = |what: &str| get_with(&serving.at, what, "cubic", to_file(&folder.path().join("f")), KeyRing::new());
    assert_eq!(got("/p/v=1700000000000000").unwrap().fetched, 7);
}

#[test]
fn nobody_there_is_an_error_that_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = Endpoint::Unix(folder.path().join("none"));
    let error = get_with(&nowhere, "/p", "cubic", to_file(&folder.path().join("f")), KeyRing::new()).unwrap_err();
    assert!(error.to_string().contains("cannot reach unix://"), "{error}");
}
