//! The journal of a fetch that is under way: what is in the `.part` file already.
//!
//! Lines of text, only ever added. First what the content is, then a line for each segment with its length and its CRC-32,
//! written after the segment itself. So whatever moment the process or the machine dies at, what the journal says can be
//! checked against the `.part` file; a last line that is not complete counts as not written.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use weir_wire::Name;

/// The first line.
const TITLE: &str = "weir get journal 1";

/// A segment that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub segment: u64,
    pub len: usize,
    pub crc: u32,
}

/// What a journal says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Story {
    /// The content, with its version.
    pub name: Option<Name>,
    /// Bytes of all segments but the last.
    pub segment_size: Option<usize>,
    /// The last segment.
    pub last: Option<u64>,
    pub entries: Vec<Entry>,
    /// Bytes up to the last whole line.
    whole: u64,
}

/// A journal that is being written. Only one process can have it.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    /// Lines that are not written yet.
    pending: String,
}

/// Why a journal cannot be used.
#[derive(Debug)]
pub(crate) enum JournalError {
    Io(io::Error),
    /// Another process has it.
    Busy,
    /// A line that nobody has written like that.
    Line(usize),
}

impl From<io::Error> for JournalError {
    fn from(error: io::Error) -> JournalError {
        JournalError::Io(error)
    }
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JournalError::Io(error) => write!(f, "{error}"),
            JournalError::Busy => f.write_str("another process is writing it"),
            JournalError::Line(line) => write!(f, "line {line} is no line of a journal"),
        }
    }
}

impl Journal {
    /// Opens a journal, or begins one. What it says so far comes with it.
    pub fn open(path: &Path) -> Result<(Journal, Story), JournalError> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => return Err(JournalError::Busy),
            // Where the file system knows no locks, two processes are the user's affair.
            Err(std::fs::TryLockError::Error(_)) => {}
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let story = Story::read(&text).map_err(JournalError::Line)?;
        file.set_len(story.whole)?;
        file.seek(SeekFrom::End(0))?;
        let mut journal = Journal { file, path: path.to_owned(), pending: String::new() };
        if story.whole == 0 {
            journal.line(format_args!("{TITLE}"));
        }
        Ok((journal, story))
    }

    /// Begins from nothing.
    pub fn restart(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.pending.clear();
        self.line(format_args!("{TITLE}"));
        Ok(())
    }

    fn line(&mut self, line: fmt::Arguments<'_>) {
        use fmt::Write as _;
        // Writing to a string cannot fail.
        let _ = writeln!(self.pending, "{line}");
    }

    pub fn name(&mut self, name: &Name) {
        self.line(format_args!("name {name}"));
    }

    pub fn segment_size(&mut self, size: usize) {
        self.line(format_args!("size {size}"));
    }

    pub fn last(&mut self, segment: u64) {
        self.line(format_args!("last {segment}"));
    }

    pub fn entry(&mut self, entry: Entry) {
        self.line(format_args!("{} {} {:08x}", entry.segment, entry.len, entry.crc));
    }

    /// Hands what is new to the system: a process that is killed now loses nothing.
    pub fn flush(&mut self) -> io::Result<()> {
        if !self.pending.is_empty() {
            self.file.write_all(self.pending.as_bytes())?;
            self.pending.clear();
        }
        Ok(())
    }

    /// Takes it away: the fetch is complete.
    pub fn remove(self) -> io::Result<()> {
        std::fs::remove_file(&self.path)
    }
}

impl Story {
    /// Reads a journal; else the line that is none.
    fn read(text: &[u8]) -> Result<Story, usize> {
        let mut story = Story::default();
        for (number, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let Some(line) = line.strip_suffix(b"\n") else { break };
            let line = std::str::from_utf8(line).map_err(|_| number + 1)?;
            match number {
                0 if line == TITLE => {}
                0 => return Err(1),
                _ => story.take(line).ok_or(number + 1)?,
            }
            story.whole += line.len() as u64 + 1;
        }
        Ok(story)
    }

    fn take(&mut self, line: &str) -> Option<()> {
        let (first, rest) = line.split_once(' ')?;
        match first {
            "name" => self.name = Some(rest.parse().ok()?),
            "size" => self.segment_size = Some(rest.parse().ok()?),
            "last" => self.last = Some(rest.parse().ok()?),
            segment => {
                let (len, crc) = rest.split_once(' ')?;
                let crc = u32::from_str_radix(crc, 16).ok().filter(|_| crc.len() == 8)?;
                self.entries.push(Entry { segment: segment.parse().ok()?, len: len.parse().ok()?, crc });
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(entries: &[Entry]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.part.journal");
        let (mut journal, story) = Journal::open(&path).unwrap();
        assert_eq!(story, Story::default());
        journal.name(&"/a%20b/v=300".parse().unwrap());
        journal.segment_size(8000);
        journal.last(24_999);
        entries.iter().for_each(|entry| journal.entry(*entry));
        journal.flush().unwrap();
        (folder, path)
    }

    #[test]
    fn only_one_process_has_it() {
        let (_folder, path) = written(&[]);
        let (first, _) = Journal::open(&path).unwrap();
        assert!(matches!(Journal::open(&path), Err(JournalError::Busy)));
        drop(first);
        assert!(Journal::open(&path).is_ok());
    }

    #[test]
    fn other_files_are_not_taken_for_journals() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        for (text, line) in
            [("hello\n", 1), ("weir get journal 1\nname\n", 2), ("weir get journal 1\nsize 1\n1 2 3\n", 3)]
        {
            std::fs::write(&path, text).unwrap();
            assert!(matches!(Journal::open(&path), Err(JournalError::Line(l)) if l == line), "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "left as it was");
        }
    }

    proptest! {
        /// Cut anywhere, it says the truth about a beginning, and can be continued.
        #[test]
        fn any_beginning_is_a_journal(
            entries in proptest::collection::vec((any::<u64>(), 0..9000usize, any::<u32>()), 0..20), cut in 0..2000usize
        ) {
            let entries: Vec<Entry> =
                entries.into_iter().map(|(segment, len, crc)| Entry { segment, len, crc }).collect();
            let (_folder, path) = written(&entries);
            let text = std::fs::read(&path).unwrap();
            std::fs::write(&path, &text[..cut.min(text.len())]).unwrap();
            let (mut journal, story) = Journal::open(&path).unwrap();
            prop_assert!(entries.starts_with(&story.entries));
            let more = Entry { segment: 1, len: 2, crc: 3 };
            journal.entry(more);
            journal.flush().unwrap();
            drop(journal);
            let (_, again) = Journal::open(&path).unwrap();
            let expected: Vec<Entry> = story.entries.iter().copied().chain([more]).collect();
            prop_assert_eq!(again.entries, expected);
            prop_assert_eq!(again.name, story.name);
        }
    }
}
