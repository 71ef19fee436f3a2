//! A content that goes to a pipe: in order, with a bounded number of segments that wait for their turn.

use crate::part::OutputError;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::io::{self, IoSlice, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use weir_kernel::Sha256;

/// Bytes that may wait, for segments before them or for the reader of the pipe: what 1 Gbit/s brings in a round trip of
/// 130 ms. More would only be more memory to touch where the reader is slow.
const ROOM: u64 = 16 << 20;
/// Shorter segments count as long as this, for each takes some memory besides its bytes.
const SHORT: usize = 1024;

/// How long the writing thread lets segments gather. One that was woken for each of them, thousands of times in a second,
/// would take more time from the packets than it spends on writing.
const NAP: Duration = Duration::from_micros(500);

/// Segments that are written with one call of the system.
const TOGETHER: usize = 16;

/// Writes these one after the other, with as few calls of the system as it allows.
fn write_all(to: &mut dyn Write, segments: &[Bytes]) -> io::Result<()> {
    let mut slices: Vec<IoSlice<'_>> = segments.iter().map(|segment| IoSlice::new(segment)).collect();
    let mut left = &mut slices[..];
    // Empty ones are nothing to be written.
    IoSlice::advance_slices(&mut left, 0);
    while !left.is_empty() {
        match to.write_vectored(left) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut left, written),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// How many bytes the writing thread has written.
type Written = io::Result<u64>;

/// Writes segments in order from a thread of its own, so that a reader that takes its time holds up no packets.
#[derive(Debug)]
pub struct Pipe {
    next: u64,
    /// The longest segment so far.
    longest: usize,
    waiting: BTreeMap<u64, Bytes>,
    /// Of all segments before `hashed`.
    hash: Sha256,
    hashed: u64,
    /// Segments that the reader has taken.
    written: Arc<AtomicU64>,
    segments: Option<Sender<Bytes>>,
    writer: Option<JoinHandle<Written>>,
}

impl Pipe {
    /// Writes to `to`.
    pub fn new(to: Box<dyn Write + Send>) -> Pipe {
        let (segments, queue) = channel::<Bytes>();
        let written = Arc::new(AtomicU64::new(0));
        let count = written.clone();
        let writer = std::thread::spawn(move || {
            let (mut to, mut len) = (to, 0);
            let mut together: Vec<Bytes> = Vec::new();
            while let Ok(first) = queue.recv() {
                let mut first = Some(first);
                loop {
                    together.extend(first.take().into_iter().chain(queue.try_iter()).take(TOGETHER));
                    if together.is_empty() {
                        break;
                    }
                    write_all(&mut *to, &together)?;
                    count.fetch_add(together.len() as u64, Ordering::Relaxed);
                    len += together.drain(..).map(|segment| segment.len() as u64).sum::<u64>();
                }
                to.flush()?;
                std::thread::sleep(NAP);
            }
            Ok(len)
        });
        Pipe {
            next: 0,
            longest: SHORT,
            waiting: BTreeMap::new(),
            hash: Sha256::default(),
            hashed: 0,
            written,
            segments: Some(segments),
            writer: Some(writer),
        }
    }

    /// No segment from here on, for now: there is no room for it.
    pub fn ceiling(&self) -> u64 {
        self.written.load(Ordering::Relaxed) + ROOM / self.longest as u64
    }

    /// The SHA-256 of `message`, if this is the segment whose turn it is: its own part of the whole's hash is computed at the
    /// same time. It must be put next, or nothing any more.
    pub fn hash_beside(&mut self, segment: u64, payload: &[u8], message: &[u8]) -> Option<[u8; 32]> {
        if segment != self.next || self.hashed != segment {
            return None;
        }
        self.hashed += 1;
        Some(self.hash.update_beside(payload, message))
    }

    /// Takes a segment.
    ///
    /// # Errors
    /// If the reader does not want any more.
    pub fn put(&mut self, segment: u64, payload: &Bytes) -> Result<(), OutputError> {
        self.longest = self.longest.max(payload.len());
        self.waiting.insert(segment, payload.clone());
        while let Some(payload) = self.waiting.remove(&self.next) {
            if self.hashed == self.next {
                self.hash.update(&payload);
                self.hashed += 1;
            }
            self.next += 1;
            let gone = self.segments.as_ref().is_none_or(|segments| segments.send(payload).is_err());
            if gone {
                return self.finish().map(drop);
            }
        }
        Ok(())
    }

    /// All is there: waits until the reader has it. Says how long it was, and its SHA-256.
    ///
    /// # Errors
    /// If the reader has gone.
    pub fn finish(&mut self) -> Result<(u64, [u8; 32]), OutputError> {
        self.segments = None;
        let error = |what: String| OutputError::new(Path::new(""), what);
        let writer = self.writer.take().ok_or_else(|| error("it is closed".into()))?;
        match writer.join() {
            Ok(Ok(written)) => Ok((written, self.hash.clone().finish())),
            Ok(Err(e)) if e.kind() == io::ErrorKind::BrokenPipe => {
                Err(error("whoever was to read it has gone away".into()))
            }
            Ok(Err(e)) => Err(error(e.to_string())),
            Err(_) => Err(error("the thread that writes it has died".into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};
    use std::sync::Mutex;

    #[derive(Clone, Default)]
    struct Reader(Arc<Mutex<Vec<u8>>>);

    impl Write for Reader {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut all = self.0.lock().unwrap();
            if bytes == b"9" {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            all.extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn segments_come_out_in_order() {
        let reader = Reader::default();
        let mut pipe = Pipe::new(Box::new(reader.clone()));
        for n in [3, 1, 0, 2, 5, 4] {
            pipe.put(n, &Bytes::from(n.to_string())).unwrap();
        }
        let (len, digest) = pipe.finish().unwrap();
        assert_eq!((len, &digest[..]), (6, &Sha256::digest(b"012345")[..]));
        assert_eq!(*reader.0.lock().unwrap(), b"012345");
        assert_eq!(pipe.ceiling(), ROOM / SHORT as u64 + 6);
    }

    #[test]
    fn what_is_hashed_beside_a_message_is_hashed_once() {
        let mut pipe = Pipe::new(Box::new(std::io::sink()));
        let put = |pipe: &mut Pipe, n: u64| {
            let (payload, message) = (Bytes::from(n.to_string()), vec![n as u8; 100]);
            if let Some(hash) = pipe.hash_beside(n, &payload, &message) {
                assert_eq!(hash[..], Sha256::digest(&message)[..], "segment {n}");
            }
            pipe.put(n, &payload).unwrap();
        };
        for n in [0, 2, 1, 3, 5, 6, 4, 7] {
            put(&mut pipe, n);
        }
        let (len, digest) = pipe.finish().unwrap();
        assert_eq!((len, &digest[..]), (8, &Sha256::digest(b"01234567")[..]));
    }

    #[test]
    fn longer_segments_have_room_for_fewer() {
        let mut pipe = Pipe::new(Box::new(std::io::sink()));
        pipe.put(0, &Bytes::from(vec![7; 8000])).unwrap();
        pipe.put(1, &Bytes::from_static(b"the last")).unwrap();
        pipe.finish().unwrap();
        assert_eq!(pipe.ceiling(), ROOM / 8000 + 2);
    }

    #[test]
    fn a_reader_that_goes_away_shows() {
        let mut pipe = Pipe::new(Box::new(Reader::default()));
        let mut failed = pipe.put(0, &Bytes::from_static(b"9")).err();
        while failed.is_none() {
            // The thread notices in its own time.
            std::thread::yield_now();
            let next = pipe.next;
            failed = pipe.put(next, &Bytes::from_static(b"x")).err();
        }
        assert!(failed.unwrap().to_string().contains("gone away"));
    }
}
