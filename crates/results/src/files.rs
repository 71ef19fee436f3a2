//! Writing files so that a reader never sees half of one.

use std::error::Error;
use std::fmt;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that could not be written: which one, and why.
#[derive(Debug)]
pub struct FileError {
    path: PathBuf,
    cause: Box<dyn Error + Send + Sync>,
}

impl FileError {
    /// An error about `path`.
    pub fn new(path: &Path, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { path: path.to_path_buf(), cause: cause.into() }
    }

    /// The file that could not be written.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write {}: {}", self.path.display(), self.cause)
    }
}

impl Error for FileError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.cause)
    }
}

/// Replaces the file at `path` by `bytes` in one step, making its directories where they are missing.
///
/// The bytes go to a temporary file beside the target, which is then renamed over it: whoever reads `path` meanwhile,
/// or after a crash of this program, finds the old content or the new, never a part. A symbolic link stays and its
/// target is replaced; a pipe or a device (`/dev/stdout`) is written to directly.
///
/// # Errors
///
/// [`FileError`] naming `path` when a directory or the file cannot be made or written.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let write = || match fs::metadata(path) {
        Ok(meta) if !meta.is_file() && !meta.is_dir() => fs::write(path, bytes),
        Ok(_) => replace(&fs::canonicalize(path)?, bytes),
        Err(_) => replace(path, bytes),
    };
    write().map_err(|cause| FileError::new(path, cause))
}

/// Writes `bytes` beside `path` and renames the result to it.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let parent = parent(path);
    fs::create_dir_all(parent)?;
    let mut file = builder().tempfile_in(parent)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|failed| failed.error)?;
    Ok(())
}

/// A temporary file that is as readable as any new file: tempfile's own default is its owner only.
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".weir-").suffix(".tmp");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

/// A file that is written piece by piece and appears as a whole, like one of [`write_atomic`]: if it is dropped before
/// [`Draft::finish`], nothing of it stays.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    out: BufWriter<tempfile::NamedTempFile>,
}

impl Draft {
    /// Begins a file that shall stand at `path`, making its directories where they are missing.
    ///
    /// # Errors
    ///
    /// [`FileError`] naming `path` when a directory or the file cannot be made.
    pub fn new(path: &Path) -> Result<Draft, FileError> {
        let parent = parent(path);
        let begin = || fs::create_dir_all(parent).and_then(|()| builder().tempfile_in(parent));
        let file = begin().map_err(|cause| FileError::new(path, cause))?;
        Ok(Draft { path: path.to_path_buf(), out: BufWriter::new(file) })
    }

    /// Where it will stand.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    ///
    /// [`FileError`] naming the path when the rest cannot be written or the file not be moved.
    pub fn finish(self) -> Result<(), FileError> {
        let Draft { path, out } = self;
        let file = out.into_inner().map_err(|failed| FileError::new(&path, failed.into_error()))?;
        file.persist(&path).map_err(|failed| FileError::new(&path, failed.error))?;
        Ok(())
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// The folder in which `path` stands.
fn parent(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_replaces_and_leaves_nothing_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/out.txt");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_draft_appears_as_a_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/out.txt");
        let mut draft = Draft::new(&path).unwrap();
        draft.write_all(b"one").unwrap();
        assert!(!path.exists());
        draft.finish().unwrap();
        drop(Draft::new(&path).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no temporary file stays behind");
    }

    #[test]
    fn an_error_names_the_path() {
        let dir = tempfile::tempdir().unwrap();
        let error = write_atomic(dir.path(), b"x").unwrap_err();
        assert!(error.to_string().starts_with(&format!("cannot write {}: ", dir.path().display())), "{error}");
        let below_a_file = dir.path().join("file/x.csv");
        write_atomic(below_a_file.parent().unwrap(), b"").unwrap();
        assert!(write_atomic(&below_a_file, b"x").unwrap_err().to_string().contains("file/x.csv"));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file stays behind");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("target"), dir.path().join("link"));
        write_atomic(&target, b"old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write_atomic(&link, b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to() {
        write_atomic(Path::new("/dev/null"), b"x").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
