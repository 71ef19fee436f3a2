//! Interests in, Data out: segments, metadata, and the answer to who asks for a prefix.

use crate::naming;
use crate::shelf::Shelf;
use crate::signatures::Signatures;
use crate::source::Source;
use std::io;
use std::ops::Range;
use std::rc::Rc;
use weir_trust::{SignError, Signer};
use weir_wire::{Data, Interest, MAX_PACKET, MetaInfo, Name};

/// FreshnessPeriod of metadata in milliseconds: whoever asks a moment later may have a newer version (ndn-cxx).
const METADATA_FRESHNESS: u64 = 10;
/// Bytes of a Data around its content, without its name, its signature and the signature's key: types and lengths,
/// MetaInfo.
const FRAME: usize = 88;

/// How contents are cut and signed.
#[derive(Debug)]
pub struct PublisherRules {
    /// Bytes of content in a Data.
    pub segment_size: usize,
    /// FreshnessPeriod of segments in milliseconds.
    pub freshness_ms: u64,
    /// Who signs.
    pub signer: Signer,
}

impl Default for PublisherRules {
    /// What ndnputchunks does: 8000 bytes, 10 s, and a digest.
    fn default() -> PublisherRules {
        PublisherRules { segment_size: 8000, freshness_ms: 10_000, signer: Signer::digest() }
    }
}

/// What has been answered so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PublisherCounters {
    /// Segments.
    pub segments: u64,
    /// Bytes of content in them.
    pub bytes: u64,
    /// Metadata.
    pub metadata: u64,
    /// Interests for something that is not here.
    pub unknown: u64,
}

/// Why an Interest is not answered although its content is here.
#[derive(Debug)]
pub enum ServeError {
    /// The file cannot be read any more.
    Read(io::Error),
    /// The Data cannot be signed.
    Sign(SignError),
}

impl std::fmt::Display for ServeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ServeError::Read(error) => write!(f, "cannot read what is served: {error}"),
            ServeError::Sign(error) => write!(f, "cannot sign: {error}"),
        }
    }
}

impl std::error::Error for ServeError {}

/// Bytes that are read at once of a content whose segments are asked for one after the other.
const AT_ONCE: usize = 64 << 10;
/// Segments that are signed ahead before others get their turn, if that is quick: a fifth of a millisecond.
const AHEAD: usize = 32;

/// Serves a shelf under a prefix. Each Data is made when it is asked for; signatures of the one content that a shelf has are made
/// ahead, while nobody asks.
#[derive(Debug)]
pub struct Publisher {
    prefix: Name,
    shelf: Shelf,
    rules: PublisherRules,
    /// The content that was asked for last, by its versioned name: mostly it is the next one, too.
    last: Option<Served>,
    counters: PublisherCounters,
    /// Of zeros.
    buffer: Vec<u8>,
}

#[derive(Debug)]
struct Served {
    name: Name,
    source: Rc<Source>,
    meta: MetaInfo,
    signatures: Signatures,
    /// Segments from this one on that have been read.
    first: u64,
    bytes: Vec<u8>,
}

impl Served {
    /// The bytes of a segment, read with those behind it if segments are asked for one after the other.
    fn read(&mut self, segment: u64, size: usize) -> io::Result<Range<usize>> {
        let known = self.bytes.len().div_ceil(size) as u64;
        if !(self.first..self.first + known).contains(&segment) {
            let in_order = segment == self.first + known;
            let count = if in_order { (AT_ONCE / size).max(1) } else { 1 };
            self.first = segment;
            if let Err(error) = self.source.read(segment, count, size, &mut self.bytes) {
                self.bytes.clear();
                return Err(error);
            }
        }
        let start = ((segment - self.first) as usize * size).min(self.bytes.len());
        Ok(start..(start + size).min(self.bytes.len()))
    }

    /// The Data of a segment. It is signed once.
    fn data(&mut self, segment: u64, size: usize, signer: &Signer) -> Result<Data, ServeError> {
        let name = self.name.with_segment(segment);
        let place = self.read(segment, size).map_err(ServeError::Read)?;
        let payload = &self.bytes[place];
        if let Some(signature) = self.signatures.get(segment) {
            return Ok(signer.data_again(name, payload, &self.meta, signature));
        }
        let data = signer.data(name, payload, &self.meta).map_err(ServeError::Sign)?;
        if let Ok(signature) = data.signature() {
            self.signatures.keep(segment, &signature.value);
        }
        Ok(data)
    }
}

impl Publisher {
    /// Serves `shelf` under `prefix`.
    ///
    /// # Errors
    /// If segments of that size make packets that are too long, or are empty.
    pub fn new(prefix: Name, shelf: Shelf, rules: PublisherRules) -> Result<Publisher, String> {
        let key = rules.signer.info().key_locator.as_ref().map_or(0, |_| 200);
        // Version and segment number, and for a folder a path of ordinary length.
        let names = prefix.wire_len() + 20 + if matches!(shelf, Shelf::One { .. }) { 0 } else { 250 };
        let most = MAX_PACKET.saturating_sub(FRAME + rules.signer.signature_len() + key + names);
        if rules.segment_size == 0 || rules.segment_size > most {
            let size = rules.segment_size;
            return Err(format!("segments of {size} bytes: a packet has room for 1 to {most} under this name"));
        }
        let counters = PublisherCounters::default();
        let mut publisher = Publisher { prefix, shelf, rules, last: None, counters, buffer: Vec::new() };
        publisher.last = publisher.content_name().and_then(|name| publisher.look_up(&name));
        Ok(publisher)
    }

    /// The prefix.
    pub fn prefix(&self) -> &Name {
        &self.prefix
    }

    /// What has been answered so far.
    pub fn counters(&self) -> PublisherCounters {
        self.counters
    }

    /// The versioned name of the content, if one file is served.
    pub fn content_name(&mut self) -> Option<Name> {
        let source = self.shelf.find(&self.prefix, &self.prefix, false)?;
        Some(naming::versioned(&self.prefix, source.version()))
    }

    /// The Data that answers an Interest; `None` if there is none here. `now_us`: microseconds since the Unix epoch.
    ///
    /// # Errors
    /// If the content is here but cannot be read or signed.
    pub fn answer(&mut self, interest: &Interest, now_us: u64) -> Result<Option<Data>, ServeError> {
        let name = &interest.name;
        if !self.prefix.is_prefix_of(name) {
            self.counters.unknown += 1;
            return Ok(None);
        }
        let answer = match (name.segment(), naming::described(name)) {
            (Some(segment), _) => self.segment(name, segment),
            (None, Some(described)) => self.metadata(&described, name, now_us),
            (None, None) if interest.can_be_prefix => self.first(name),
            (None, None) => Ok(None),
        };
        self.counters.unknown += u64::from(matches!(answer, Ok(None)));
        answer
    }

    /// A segment of a versioned name; of zeros, of any name.
    fn segment(&mut self, name: &Name, segment: u64) -> Result<Option<Data>, ServeError> {
        let size = self.rules.segment_size;
        if matches!(self.shelf, Shelf::Zeros) {
            self.buffer.resize(size, 0);
            let meta = MetaInfo { freshness_ms: self.rules.freshness_ms, ..MetaInfo::default() };
            let data = self.rules.signer.data(name.clone(), &self.buffer, &meta).map_err(ServeError::Sign)?;
            self.count(size);
            return Ok(Some(data));
        }
        if self.last.as_ref().is_none_or(|last| !last.name.same_stem(name)) {
            self.last = self.look_up(&name.without_segment());
        }
        let Some(served) = &mut self.last else { return Ok(None) };
        if segment > served.source.last_segment(size) {
            return Ok(None);
        }
        let data = served.data(segment, size, &self.rules.signer)?;
        self.count(data.payload_len());
        Ok(Some(data))
    }

    fn count(&mut self, bytes: usize) {
        self.counters.segments += 1;
        self.counters.bytes += bytes as u64;
    }

    /// Signs some segments of the content that is served before somebody asks for them. True if there are more.
    pub fn sign_ahead(&mut self) -> bool {
        // Of a folder nobody knows which file will be asked for.
        if !matches!(self.shelf, Shelf::One { .. }) {
            return false;
        }
        let Some(served) = &mut self.last else { return false };
        for _ in 0..if self.rules.signer.is_quick() { AHEAD } else { 1 } {
            let Some(segment) = served.signatures.missing() else { return false };
            // What cannot be read or signed is told to whoever asks for it; and what is not kept would be signed for ever.
            let signed = served.data(segment, self.rules.segment_size, &self.rules.signer).is_ok();
            if !signed || served.signatures.get(segment).is_none() {
                return false;
            }
        }
        true
    }

    /// The content of this versioned name.
    fn look_up(&mut self, versioned: &Name) -> Option<Served> {
        let version = naming::version_of(versioned)?;
        let content = versioned.prefix(versioned.len() - 1);
        let mut source = self.shelf.find(&self.prefix, &content, false)?;
        if source.version() != version {
            source = self.shelf.find(&self.prefix, &content, true).filter(|now| now.version() == version)?;
        }
        let last = source.last_segment(self.rules.segment_size);
        let freshness_ms = self.rules.freshness_ms;
        let meta = MetaInfo { freshness_ms, final_block: Some(naming::final_block(last)), ..MetaInfo::default() };
        let signatures = Signatures::new(last.saturating_add(1), self.rules.signer.signature_len());
        Some(Served { name: versioned.clone(), source, meta, signatures, first: 0, bytes: Vec::new() })
    }

    /// What the newest version of `content` is called.
    fn metadata(&mut self, content: &Name, asked: &Name, now_us: u64) -> Result<Option<Data>, ServeError> {
        // Whoever knows a version does not ask for it.
        let Some(source) = self.shelf.find(&self.prefix, content, true) else { return Ok(None) };
        let name = naming::versioned(asked, now_us).with_segment(0);
        let final_block = Some(naming::final_block(0));
        let meta = MetaInfo { freshness_ms: METADATA_FRESHNESS, final_block, ..MetaInfo::default() };
        let body = naming::write_metadata(&naming::versioned(content, source.version()));
        let data = self.rules.signer.data(name, &body, &meta).map_err(ServeError::Sign)?;
        self.counters.metadata += 1;
        Ok(Some(data))
    }

    /// For those who look for a version without metadata: the first segment of the newest version, or of the one asked
    /// for.
    fn first(&mut self, name: &Name) -> Result<Option<Data>, ServeError> {
        let versioned = match naming::version_of(name) {
            Some(_) => name.clone(),
            None => match self.shelf.find(&self.prefix, name, true) {
                Some(source) => naming::versioned(name, source.version()),
                None => return Ok(None),
            },
        };
        self.segment(&versioned.with_segment(0), 0)
    }
}
