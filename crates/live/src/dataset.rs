//! Fetching a dataset of a forwarder on this host, for programs that do nothing else meanwhile.

use crate::face_uri::{Endpoint, FaceUri};
use crate::framer::{Broken, Framer, Got};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;
use weir_core::Time;
use weir_wire::{Content, Data, Interest, Kind, MAX_PACKET, Name, Packet};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(4);
/// No dataset has more segments: some hundred megabytes.
const MOST_SEGMENTS: u64 = 50_000;

trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

/// Fetches all segments of the newest version of a dataset, such as `/localhost/nfd/faces/list`.
///
/// # Errors
/// Why it is not to be had: nobody listens, nobody answers, or the answer is not what it should be.
pub fn fetch_dataset(forwarder: &FaceUri, name: &Name) -> Result<Vec<u8>, String> {
    let fail = |e: io::Error| format!("{forwarder}: {e}");
    let stream: Box<dyn Stream> = match forwarder.resolve().map_err(fail)? {
        Endpoint::Unix(path) => {
            let stream = UnixStream::connect(path).map_err(fail)?;
            stream.set_read_timeout(Some(PATIENCE)).map_err(fail)?;
            Box::new(stream)
        }
        Endpoint::Tcp(address) => {
            let stream = TcpStream::connect(address).map_err(fail)?;
            stream.set_read_timeout(Some(PATIENCE)).map_err(fail)?;
            Box::new(stream)
        }
        Endpoint::Udp(_) | Endpoint::Fd(_) => {
            return Err(format!("{forwarder}: datasets are told over unix:// and tcp:// only"));
        }
    };
    let mut asking = Asking { stream, framer: Framer::default(), scratch: vec![0; 8 * MAX_PACKET], nonce: 0 };
    let first = asking.ask(name, true).map_err(|e| format!("{forwarder}: {e}"))?;
    let last = first.final_segment().unwrap_or(0).min(MOST_SEGMENTS);
    let mut content = payload(&first);
    for segment in 1..=last {
        let next = asking.ask(&first.name.without_segment().with_segment(segment), false);
        content.extend(payload(&next.map_err(|e| format!("{forwarder}: {e}"))?));
    }
    Ok(content)
}

struct Asking {
    stream: Box<dyn Stream>,
    framer: Framer,
    scratch: Vec<u8>,
    nonce: u32,
}

impl Asking {
    /// Sends an Interest and waits for its Data.
    fn ask(&mut self, name: &Name, newest: bool) -> Result<Data, String> {
        self.nonce += 1;
        let mut interest = Interest::new(name.clone(), self.nonce);
        (interest.can_be_prefix, interest.must_be_fresh) = (newest, newest);
        self.stream.write_all(&interest.encode()).map_err(|e| e.to_string())?;
        let mut frames = Vec::new();
        loop {
            match self.framer.read(&mut self.stream, &mut self.scratch, Time::ZERO, &mut frames) {
                Ok(Got::End) => return Err("the forwarder has closed the connection".to_owned()),
                // A socket that waits says so when its patience has ended.
                Ok(Got::All(0)) => return Err(format!("nobody answers {name}")),
                Ok(_) => {}
                Err(Broken::Io(e)) => return Err(e.to_string()),
                Err(Broken::Syntax(e)) => return Err(format!("this is not NDN: {e}")),
            }
            for frame in frames.drain(..) {
                match Packet::decode(frame).map(Packet::into_kind) {
                    Ok(Kind::Data(data)) if name.is_prefix_of(&data.name) => return Ok(data),
                    Ok(Kind::Nack(_)) => return Err(format!("the forwarder refuses {name}")),
                    _ => {}
                }
            }
        }
    }
}

fn payload(data: &Data) -> Vec<u8> {
    match &data.content {
        Content::Encoded(e) => e.payload.to_vec(),
        Content::Virtual(_) => Vec::new(),
    }
}
