//! What is served: an open file, or what came from standard input.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// A content with a version. It is read as it is asked for, not kept in memory.
#[derive(Debug)]
pub struct Source {
    file: File,
    len: u64,
    version: u64,
}

impl Source {
    /// Opens a file. Its version is the time of its last change in microseconds since the Unix epoch: a file that is
    /// served again has the same names, and a fetch that was cut short can go on.
    ///
    /// # Errors
    /// If it cannot be read, or is no regular file.
    pub fn open(path: &Path) -> io::Result<Source> {
        let file = File::open(path)?;
        let (len, version) = state(&file)?;
        Ok(Source { file, len, version })
    }

    /// Takes everything from a stream into a file without a name, which goes away with this process. `version`: in
    /// microseconds since the Unix epoch.
    ///
    /// # Errors
    /// If the stream cannot be read, or there is no room for it in the folder of temporary files.
    pub fn spool(stream: &mut dyn Read, version: u64) -> io::Result<Source> {
        let mut file = tempfile::tempfile()?;
        let len = io::copy(stream, &mut file)?;
        Ok(Source { file, len, version })
    }

    /// Length in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// True if there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its version.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The number of the last segment.
    pub fn last_segment(&self, segment_size: usize) -> u64 {
        self.len.div_ceil(segment_size.max(1) as u64).saturating_sub(1)
    }

    /// Reads so many segments into `buffer`, which gets their length: as many as there are from `first` on.
    ///
    /// # Errors
    /// If the file cannot be read, or has become shorter.
    pub fn read(&self, first: u64, count: usize, segment_size: usize, buffer: &mut Vec<u8>) -> io::Result<()> {
        let start = first.saturating_mul(segment_size as u64).min(self.len);
        let len = (self.len - start).min(segment_size.saturating_mul(count) as u64) as usize;
        buffer.resize(len, 0);
        self.file.read_exact_at(buffer, start)
    }

    /// True if the file has been changed in place since it was opened.
    pub fn has_changed(&self) -> bool {
        state(&self.file).map_or(true, |now| now != (self.len, self.version))
    }
}

/// Length and version of a file.
fn state(file: &File) -> io::Result<(u64, u64)> {
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    let changed = about.modified()?.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
    Ok((about.len(), u64::try_from(changed).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_parts_of_the_file() {
        let content: Vec<u8> = (0..2500u32).map(|i| i as u8).collect();
        let source = Source::spool(&mut &content[..], 7).unwrap();
        assert_eq!((source.len(), source.version(), source.last_segment(1000)), (2500, 7, 2));
        let mut buffer = Vec::new();
        for (segment, count, range) in [(0, 1, 0..1000), (2, 1, 2000..2500), (1, 1, 1000..2000), (1, 9, 1000..2500)] {
            source.read(segment, count, 1000, &mut buffer).unwrap();
            assert_eq!(buffer, content[range]);
        }
        source.read(u64::MAX, 1, 1000, &mut buffer).unwrap();
        assert!(buffer.is_empty());
    }

    #[test]
    fn what_is_empty_has_one_empty_segment() {
        let source = Source::spool(&mut io::empty(), 1).unwrap();
        assert!(source.is_empty());
        assert_eq!(source.last_segment(1000), 0);
        assert_eq!(source.last_segment(0), 0);
    }

    #[test]
    fn a_change_of_the_file_shows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        std::fs::write(&path, "one").unwrap();
        let source = Source::open(&path).unwrap();
        assert!(!source.has_changed());
        assert_eq!(Source::open(&path).unwrap().version(), source.version());
        std::fs::write(&path, "three").unwrap();
        assert!(source.has_changed());
        assert!(Source::open(folder.path()).is_err());
    }
}
