//! A forwarder daemon in a thread, an application behind its Unix socket, and sockets of other hosts.

use super::free_port;
use bytes::Bytes;
use std::io::{Read, Write};
use std::net::UdpSocket;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use weir_live::forward::{Config, ControlParameters, ControlResponse, Daemon, Status};
use weir_live::{Clock, Endpoint, fetch_dataset};
use weir_wire::tlv::frame_len;
use weir_wire::{Component, Content, Data, Interest, Kind, MetaInfo, Name, Packet};

pub struct Running {
    stop: Arc<AtomicBool>,
    waker: Arc<mio::Waker>,
    pub listening: Vec<Endpoint>,
    configurations: std::sync::mpsc::Sender<Config>,
    /// What the configuration says of listeners.
    pub listeners: String,
    pub socket: PathBuf,
    thread: Option<std::thread::JoinHandle<()>>,
    _folder: tempfile::TempDir,
}

/// A forwarder with this configuration, which listens on a Unix socket and UDP besides.
pub fn forwarder(config: &str) -> Running {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("nfd.sock");
    let listen =
        format!("[[listen]]\nuri = \"unix://{}\"\n[[listen]]\nuri = \"udp4://127.0.0.1:1\"\n", socket.display());
    let udp = free_port();
    let listeners = listen.replace("127.0.0.1:1", &format!("127.0.0.1:{udp}"));
    let config = parse(config, &listeners);
    let stop = Arc::new(AtomicBool::new(false));
    let (send, receive) = std::sync::mpsc::channel();
    let stop_too = stop.clone();
    let thread = std::thread::spawn(move || {
        let (mut driver, mut daemon, started) = Daemon::start(config, 7, stop_too).unwrap();
        send.send((started.listening, started.waker, started.configurations)).unwrap();
        driver.run(&mut daemon).unwrap();
    });
    let (listening, waker, configurations) = receive.recv().unwrap();
    Running { stop, waker, listening, configurations, listeners, socket, thread: Some(thread), _folder: folder }
}

pub fn parse(config: &str, listeners: &str) -> Config {
    let text = format!("{config}\n{listeners}");
    Config::parse(&text, Path::new("test.toml")).unwrap_or_else(|e| panic!("{e}"))
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.waker.wake().unwrap();
        let ended = self.thread.take().unwrap().join();
        if !std::thread::panicking() {
            ended.unwrap();
        }
    }
}

impl Running {
    /// Lets it read another configuration.
    pub fn renew(&self, config: &str) {
        self.configurations.send(parse(config, &self.listeners)).unwrap();
        self.waker.wake().unwrap();
    }
    /// Waits until its status is as it should be.
    pub fn becomes(&self, what: &str, is: impl Fn(&Status) -> bool) {
        let done = (0..250).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            is(&self.status())
        });
        assert!(done, "{what}: {:?}", self.status());
    }
    pub fn app(&self) -> App {
        App::new(&self.socket)
    }
    pub fn udp(&self) -> std::net::SocketAddr {
        let udp = self.listening.iter().find_map(|at| match at {
            Endpoint::Udp(at) => Some(*at),
            _ => None,
        });
        udp.unwrap()
    }
    pub fn stranger(&self) -> UdpSocket {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.connect(self.udp()).unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        socket
    }
    pub fn status(&self) -> Status {
        let uri = format!("unix://{}", self.socket.display()).parse().unwrap();
        Status::from_json(&fetch_dataset(&uri, &"/localhost/weir/status".parse().unwrap()).unwrap()).unwrap()
    }
}

/// An application behind the Unix socket.
pub struct App {
    pub stream: UnixStream,
    buffer: Vec<u8>,
    pub nonce: u64,
}

impl App {
    pub fn new(path: &Path) -> App {
        let stream = UnixStream::connect(path).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        App { stream, buffer: Vec::new(), nonce: Clock::unix_millis() }
    }
    pub fn send(&mut self, packet: impl Into<Packet>) {
        self.stream.write_all(&packet.into().encode()).unwrap();
    }
    pub fn receive(&mut self) -> Option<Packet> {
        loop {
            if let Some(len) = frame_len(&self.buffer).unwrap().filter(|len| *len <= self.buffer.len()) {
                let frame: Vec<u8> = self.buffer.drain(..len).collect();
                return Some(Packet::decode(Bytes::from(frame)).unwrap());
            }
            let mut more = [0; 20_000];
            match self.stream.read(&mut more) {
                Ok(n) if n > 0 => self.buffer.extend_from_slice(&more[..n]),
                _ => return None,
            }
        }
    }
    pub fn data(&mut self) -> Data {
        loop {
            match self.receive().expect("an answer").into_kind() {
                Kind::Data(data) => return data,
                // A refusal of something that was asked before.
                Kind::Nack(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }
    pub fn command(&mut self, verb: &str, parameters: &ControlParameters) -> ControlResponse {
        self.nonce += 1;
        let interest = command_name(verb, parameters);
        self.send(interest.with_signed_parameters(Vec::new(), self.nonce, Clock::unix_millis()));
        response(&self.data())
    }
    pub fn register(&mut self, prefix: &str) -> ControlResponse {
        self.command("rib/register", &named(prefix))
    }
}

pub fn command_name(verb: &str, parameters: &ControlParameters) -> Interest {
    let mut bytes = Vec::new();
    parameters.encode_into(&mut bytes);
    let base: Name = format!("/localhost/nfd/{verb}").parse().unwrap();
    Interest::new(base.child(Component::generic(bytes)), 77)
}

pub fn named(prefix: &str) -> ControlParameters {
    ControlParameters { name: Some(prefix.parse().unwrap()), ..ControlParameters::default() }
}

pub fn response(data: &Data) -> ControlResponse {
    let Content::Encoded(content) = &data.content else { unreachable!() };
    assert!(data.verify_digest());
    ControlResponse::decode(&content.payload).unwrap()
}

pub fn interest(uri: &str, nonce: u32) -> Interest {
    Interest::new(uri.parse().unwrap(), nonce)
}

pub fn answer(uri: &str) -> Data {
    Data::build(uri.parse().unwrap(), b"here", &MetaInfo::default())
}

/// A socket of another host, and the face to it with what is said of it.
pub fn peer(more: &str) -> (UdpSocket, String) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let face = face_to(&socket, more);
    (socket, face)
}

pub fn face_to(socket: &UdpSocket, more: &str) -> String {
    format!("[[face]]\nuri = \"udp4://{}\"\n{more}\n", socket.local_addr().unwrap())
}

pub fn next_name(socket: &UdpSocket) -> String {
    let mut buffer = [0; 9000];
    let len = socket.recv(&mut buffer).unwrap();
    Packet::decode(Bytes::copy_from_slice(&buffer[..len])).unwrap().name().to_string()
}
