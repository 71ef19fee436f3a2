use super::*;
use proptest::prelude::*;

const SIZE: usize = 10;

fn name() -> Name {
    "/a/v=1".parse().unwrap()
}

fn content(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + i / 256) as u8).collect()
}

fn segment(content: &[u8], n: u64) -> Bytes {
    let start = n as usize * SIZE;
    Bytes::copy_from_slice(&content[start..(start + SIZE).min(content.len())])
}

fn last(content: &[u8]) -> u64 {
    (content.len().div_ceil(SIZE) as u64).saturating_sub(1)
}

fn target(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("file")
}

proptest! {
    /// Whatever comes in whatever order, is cut off where it may, and goes on: the file is right, and what the journal
    /// had is not asked for again.
    #[test]
    fn a_fetch_that_is_cut_off_goes_on(
        len in 0..200usize, order in any::<u64>(), stop in 0..20usize, torn in 0..60u64, damaged in option_of_place()
    ) {
        let folder = tempfile::tempdir().unwrap();
        let content = content(len);
        let last = last(&content);
        let mut segments: Vec<u64> = (0..=last).collect();
        segments.sort_by_key(|n| (n + 1).wrapping_mul(order | 1));
        let mut part = Part::open(&target(&folder)).unwrap();
        prop_assert_eq!(part.begin(&name()).unwrap(), Resumed::default());
        for n in segments.iter().take(stop) {
            part.put(*n, &segment(&content, *n), Some(last)).unwrap();
        }
        part.pause().unwrap();
        drop(part);
        // The journal loses its end, and a byte of the file is not what was written.
        let journal = folder.path().join("file.part.journal");
        let written = std::fs::metadata(&journal).unwrap().len();
        OpenOptions::new().write(true).open(&journal).unwrap().set_len(written.saturating_sub(torn)).unwrap();
        let path = folder.path().join("file.part");
        let mut bytes = std::fs::read(&path).unwrap();
        if let Some(byte) = damaged.and_then(|at: usize| bytes.get_mut(at)) {
            *byte ^= 0xff;
        }
        std::fs::write(&path, bytes).unwrap();

        let mut part = Part::open(&target(&folder)).unwrap();
        let resumed = part.begin(&name()).unwrap();
        if torn == 0 && damaged.is_none() && stop > segments.len() {
            prop_assert_eq!(resumed.bytes, len as u64);
        }
        let is_there = |n: &u64| resumed.there.iter().any(|range| range.contains(n));
        prop_assert!(resumed.there.windows(2).all(|two| two[0].end < two[1].start));
        for n in segments.iter().rev().filter(|n| !is_there(n)) {
            part.put(*n, &segment(&content, *n), Some(last)).unwrap();
        }
        let (fetched, digest) = part.finish().unwrap();
        prop_assert_eq!(std::fs::read(target(&folder)).unwrap(), &content[..]);
        prop_assert_eq!((fetched, &digest[..]), (len as u64, &Sha256::digest(&content)[..]));
        prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
    }
}

fn option_of_place() -> impl Strategy<Value = Option<usize>> {
    proptest::option::of(0..200usize)
}

#[test]
fn another_version_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let mut part = Part::open(&target(&folder)).unwrap();
    part.begin(&name()).unwrap();
    part.put(0, &segment(&content(100), 0), None).unwrap();
    part.pause().unwrap();
    drop(part);
    let mut part = Part::open(&target(&folder)).unwrap();
    assert_eq!(part.earlier(), Some(&name()));
    let resumed = part.begin(&"/a/v=2".parse().unwrap()).unwrap();
    assert_eq!(resumed, Resumed { outdated: true, ..Resumed::default() });
    part.put(0, &Bytes::from_static(b"new"), Some(0)).unwrap();
    part.finish().unwrap();
    assert_eq!(std::fs::read(target(&folder)).unwrap(), b"new");
}

#[test]
fn segments_of_odd_length_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut part = Part::open(&target(&folder)).unwrap();
    part.begin(&name()).unwrap();
    part.put(0, &Bytes::from_static(b"0123456789"), Some(2)).unwrap();
    let error = part.put(1, &Bytes::from_static(b"short"), Some(2)).unwrap_err().to_string();
    assert!(error.contains("segment 1 has 5 bytes and the others 10"), "{error}");
    assert!(part.put(2, &Bytes::from_static(b"longer than ten"), Some(2)).is_err());
    part.put(2, &Bytes::from_static(b"short"), Some(2)).unwrap();
}

#[test]
fn the_journal_is_written_ten_times_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let mut part = Part::open(&target(&folder)).unwrap();
    part.begin(&name()).unwrap();
    let lines = || std::fs::read_to_string(folder.path().join("file.part.journal")).unwrap().lines().count();
    let before = lines();
    part.put(0, &segment(&content(100), 0), None).unwrap();
    part.tick(Time(99_000_000)).unwrap();
    assert_eq!(lines(), before);
    part.tick(part.next_tick()).unwrap();
    assert_eq!(lines(), before + 2, "the size and the segment");
}
