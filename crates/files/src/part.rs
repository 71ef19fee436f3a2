//! A file that is being fetched: each segment goes to its place in `FILE.part`, and `FILE` appears when all is there.

use crate::journal::{Entry, Journal, Story};
use bytes::Bytes;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use weir_core::{Span, Time};
use weir_wire::Name;

/// How long a segment may be in the file without being in the journal: so much is fetched again after a `kill -9`.
const JOURNAL_EVERY: Span = Span::from_millis(100);
/// Read at once when a whole file is looked through.
const CHUNK: usize = 1 << 20;

/// What is wrong with the file or the content.
#[derive(Debug)]
pub struct OutputError {
    /// The file; empty for standard output.
    pub path: PathBuf,
    /// What.
    pub what: String,
}

impl OutputError {
    pub(crate) fn new(path: &Path, what: impl ToString) -> OutputError {
        OutputError { path: path.to_owned(), what: what.to_string() }
    }
}

impl std::fmt::Display for OutputError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.path.as_os_str().is_empty() {
            true => write!(f, "standard output: {}", self.what),
            false => write!(f, "{}: {}", self.path.display(), self.what),
        }
    }
}

impl std::error::Error for OutputError {}

/// What an earlier fetch has left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resumed {
    /// Segments that are there, as ranges from the first to behind the last.
    pub there: Vec<Range<u64>>,
    /// The last segment of the content, if it was known.
    pub last: Option<u64>,
    /// Bytes that are there.
    pub bytes: u64,
    /// Something was there, but of another version of the content; it is gone.
    pub outdated: bool,
}

/// A file that is being fetched.
#[derive(Debug)]
pub struct Part {
    target: PathBuf,
    path: PathBuf,
    file: File,
    journal: Journal,
    story: Story,
    segment_size: Option<usize>,
    last: Option<(u64, usize)>,
    told_last: bool,
    /// The last segment, if it has come before the size of the others was known.
    early: BTreeMap<u64, Bytes>,
    flushed: Time,
}

impl Part {
    /// Opens `FILE.part` and its journal, or begins them.
    ///
    /// # Errors
    /// If they cannot be written, are no such files, or another process is fetching this file.
    pub fn open(target: &Path) -> Result<Part, OutputError> {
        let with = |ending: &str| {
            let mut name = target.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        let (path, journal_path) = (with(".part"), with(".part.journal"));
        let (journal, story) = Journal::open(&journal_path).map_err(|e| OutputError::new(&journal_path, e))?;
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(|e| OutputError::new(&path, e))?;
        Ok(Part {
            target: target.to_owned(),
            path,
            file,
            journal,
            story,
            segment_size: None,
            last: None,
            told_last: false,
            early: BTreeMap::new(),
            flushed: Time::ZERO,
        })
    }

    /// The content that an earlier fetch was of.
    pub fn earlier(&self) -> Option<&Name> {
        self.story.name.as_ref()
    }

    fn error(&self, what: impl ToString) -> OutputError {
        OutputError::new(&self.path, what)
    }

    /// Begins to fetch this content (a name with a version). What an earlier fetch has left of it is checked and counts;
    /// what it has left of another version is thrown away.
    ///
    /// # Errors
    /// If the files cannot be read or written.
    pub fn begin(&mut self, name: &Name) -> Result<Resumed, OutputError> {
        let story = std::mem::take(&mut self.story);
        if story.name.as_ref() != Some(name) {
            let outdated = story.name.is_some();
            self.journal.restart().and_then(|()| self.file.set_len(0)).map_err(|e| self.error(e))?;
            self.journal.name(name);
            self.journal.flush().map_err(|e| self.error(e))?;
            return Ok(Resumed { outdated, ..Resumed::default() });
        }
        self.segment_size = story.segment_size;
        self.told_last = story.last.is_some();
        let mut resumed = Resumed { last: story.last, ..Resumed::default() };
        let mut good = BTreeMap::new();
        for entry in &story.entries {
            if self.holds(entry, story.last).map_err(|e| self.error(e))? {
                good.insert(entry.segment, entry.len as u64);
            } else {
                // A later line about it may be right.
                good.remove(&entry.segment);
            }
        }
        if let Some((last, len)) = story.last.and_then(|last| Some((last, *good.get(&last)?))) {
            self.last = Some((last, len as usize));
        }
        for (segment, len) in good {
            resumed.bytes += len;
            match resumed.there.last_mut() {
                Some(range) if range.end == segment => range.end += 1,
                _ => resumed.there.push(segment..segment + 1),
            }
        }
        Ok(resumed)
    }

    /// True if the file has at this place what the journal says.
    fn holds(&self, entry: &Entry, last: Option<u64>) -> io::Result<bool> {
        let Some(size) = self.segment_size else { return Ok(false) };
        let fits = if last == Some(entry.segment) { entry.len <= size } else { entry.len == size };
        let Some(place) = entry.segment.checked_mul(size as u64).filter(|_| fits && entry.segment < u64::MAX) else {
            return Ok(false);
        };
        let mut bytes = vec![0; entry.len];
        match self.file.read_exact_at(&mut bytes, place) {
            Ok(()) => Ok(crc32fast::hash(&bytes) == entry.crc),
            // Shorter than it was: the system died before the bytes were on the disk.
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(e) => Err(e),
        }
    }

    /// Writes a segment to its place. `last`: the last segment, as far as it is known.
    ///
    /// # Errors
    /// If it cannot be written, or its length is not that of the others.
    pub fn put(&mut self, segment: u64, payload: &Bytes, last: Option<u64>) -> Result<(), OutputError> {
        if let Some(last) = last.filter(|_| !self.told_last) {
            self.told_last = true;
            self.journal.last(last);
        }
        let is_last = last == Some(segment);
        let size = match self.segment_size {
            Some(size) => size,
            // It may be shorter than the others, whose size its place depends on.
            None if is_last && segment > 0 => {
                self.early.insert(segment, payload.clone());
                return Ok(());
            }
            None => {
                self.segment_size = Some(payload.len());
                self.journal.segment_size(payload.len());
                payload.len()
            }
        };
        self.write(segment, payload, is_last, size)?;
        while let Some((segment, payload)) = self.early.pop_first() {
            self.write(segment, &payload, true, size)?;
        }
        Ok(())
    }

    fn write(&mut self, segment: u64, payload: &Bytes, is_last: bool, size: usize) -> Result<(), OutputError> {
        let len = payload.len();
        if len != size && !(is_last && len < size) {
            return Err(OutputError::new(
                &self.target,
                format!(
                    "segment {segment} has {len} bytes and the others {size}, so that its place in the file is not \
                     known; such contents can be fetched to standard output"
                ),
            ));
        }
        let place = segment.checked_mul(size as u64).ok_or_else(|| self.error("longer than a file can be"))?;
        self.file.write_all_at(payload, place).map_err(|e| self.error(e))?;
        if is_last {
            self.last = Some((segment, len));
        }
        self.journal.entry(Entry { segment, len, crc: crc32fast::hash(payload) });
        Ok(())
    }

    /// Writes down what is there, if it is time.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn tick(&mut self, now: Time) -> Result<(), OutputError> {
        if now.since(self.flushed) >= JOURNAL_EVERY {
            self.flushed = now;
            self.journal.flush().map_err(|e| self.error(e))?;
        }
        Ok(())
    }

    /// When [`Part::tick`] wants to be called.
    pub fn next_tick(&self) -> Time {
        self.flushed + JOURNAL_EVERY
    }

    /// All is there: moves it into place. Says how long it is, and its SHA-256.
    ///
    /// # Errors
    /// If the file cannot be read, written or moved.
    pub fn finish(self) -> Result<(u64, [u8; 32]), OutputError> {
        let size = self.segment_size.unwrap_or(0) as u64;
        let len = self.last.map_or(0, |(last, len)| last * size + len as u64);
        let fail = |e: io::Error| OutputError::new(&self.path, e);
        self.file.set_len(len).map_err(fail)?;
        let digest = digest(&self.file, len).map_err(fail)?;
        self.file.sync_all().map_err(fail)?;
        std::fs::rename(&self.path, &self.target).map_err(|e| OutputError::new(&self.target, e))?;
        self.journal.remove().map_err(fail)?;
        Ok((len, digest))
    }

    /// Stops here: what is there is written down.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn pause(&mut self) -> Result<(), OutputError> {
        self.journal.flush().map_err(|e| self.error(e))
    }
}

fn digest(file: &File, len: u64) -> io::Result<[u8; 32]> {
    let (mut hash, mut buffer, mut at) = (Sha256::new(), vec![0; CHUNK], 0);
    while at < len {
        let n = (len - at).min(CHUNK as u64) as usize;
        file.read_exact_at(&mut buffer[..n], at)?;
        hash.update(&buffer[..n]);
        at += n as u64;
    }
    Ok(hash.finalize().into())
}

#[cfg(test)]
mod tests;
