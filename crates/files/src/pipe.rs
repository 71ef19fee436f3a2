//! A content that goes to a pipe: in order, with a bounded number of segments that wait for their turn.

use crate::part::OutputError;
use bytes::Bytes;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::iter;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Bytes that may wait, for segments before them or for the reader of the pipe: what 1 Gbit/s brings in a round trip of
/// 130 ms. More would only be more memory to touch where the reader is slow.
const ROOM: u64 = 16 << 20;
/// Shorter segments count as long as this, for each takes some memory besides its bytes.
const SHORT: usize = 1024;

/// How long the writing thread lets segments gather. One that was woken for each of them, thousands of times in a second,
/// would take more time from the packets than it spends on writing.
const NAP: Duration = Duration::from_micros(500);

/// What the writing thread has come to: bytes, and their SHA-256.
type Written = io::Result<(u64, [u8; 32])>;

/// Writes segments in order from a thread of its own, so that a reader that takes its time holds up no packets.
#[derive(Debug)]
pub struct Pipe {
    next: u64,
    /// The longest segment so far.
    longest: usize,
    waiting: BTreeMap<u64, Bytes>,
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
            let (mut to, mut hash, mut len) = (to, Sha256::new(), 0);
            while let Ok(first) = queue.recv() {
                for segment in iter::once(first).chain(queue.try_iter()) {
                    to.write_all(&segment)?;
                    hash.update(&segment);
                    len += segment.len() as u64;
                    count.fetch_add(1, Ordering::Relaxed);
                }
                to.flush()?;
                std::thread::sleep(NAP);
            }
            Ok((len, hash.finalize().into()))
        });
        let longest = SHORT;
        Pipe { next: 0, longest, waiting: BTreeMap::new(), written, segments: Some(segments), writer: Some(writer) }
    }

    /// No segment from here on, for now: there is no room for it.
    pub fn ceiling(&self) -> u64 {
        self.written.load(Ordering::Relaxed) + ROOM / self.longest as u64
    }

    /// Takes a segment.
    ///
    /// # Errors
    /// If the reader does not want any more.
    pub fn put(&mut self, segment: u64, payload: &Bytes) -> Result<(), OutputError> {
        self.longest = self.longest.max(payload.len());
        self.waiting.insert(segment, payload.clone());
        while let Some(payload) = self.waiting.remove(&self.next) {
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
            Ok(Ok(written)) => Ok(written),
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
