//! How a fetch goes, how it went, and why it did not.

use crate::part::{OutputError, Resumed};
use crate::recorder::{Recorder, RoundTrips};
use std::fmt;
use weir_core::Span;
use weir_engine::FetcherCounters;
use weir_trust::Untrusted;
use weir_wire::Name;

/// A moment of a fetch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GetProgress {
    /// Bytes that are there, those of an earlier fetch included.
    pub bytes: u64,
    /// All bytes, about, once the last segment is known.
    pub total: Option<u64>,
    /// Interests that may be in flight.
    pub window: f64,
    /// Interests in flight.
    pub in_flight: usize,
    /// The smoothed round-trip time.
    pub rtt: Span,
    /// Interests sent again.
    pub retransmitted: u64,
    /// The forwarder is away; it is tried again.
    pub away: bool,
}

/// A fetch that is complete.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The content, with its version.
    pub name: Name,
    /// Its segments.
    pub segments: u64,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of the whole.
    pub sha256: [u8; 32],
    /// From the first Interest for a segment to the last Data.
    pub elapsed: Span,
    /// Bytes that were there from an earlier fetch.
    pub resumed_bytes: u64,
    /// Bytes fetched now.
    pub fetched_bytes: u64,
    /// Segments fetched now.
    pub fetched: u64,
    /// Interests sent.
    pub interests: u64,
    /// Those of them that were sent again.
    pub retransmitted: u64,
    /// Timeouts.
    pub timeouts: u64,
    /// Refusals.
    pub nacks: u64,
    /// Segments that carried a congestion mark.
    pub marked: u64,
    /// Cuts of the window or rate.
    pub decreases: u64,
    /// Round-trip times.
    pub round_trips: RoundTrips,
}

impl Summary {
    #[expect(clippy::too_many_arguments, reason = "it is what a summary is made of")]
    pub(super) fn new(
        name: Name,
        segments: u64,
        bytes: u64,
        sha256: [u8; 32],
        elapsed: Span,
        resumed: &Resumed,
        recorder: &Recorder,
        counters: FetcherCounters,
    ) -> Summary {
        Summary {
            name,
            segments,
            bytes,
            sha256,
            elapsed,
            resumed_bytes: resumed.bytes,
            fetched_bytes: recorder.bytes,
            fetched: recorder.segments,
            interests: counters.sent,
            retransmitted: counters.retransmitted,
            timeouts: counters.timeouts,
            nacks: recorder.refused,
            marked: recorder.marked,
            decreases: counters.decreases,
            round_trips: recorder.round_trips(),
        }
    }

    /// Bits of content fetched in a second.
    pub fn goodput(&self) -> f64 {
        let seconds = self.elapsed.seconds();
        if seconds > 0.0 { self.fetched_bytes as f64 * 8.0 / seconds } else { 0.0 }
    }

    /// Interests sent again, as a share of the segments fetched.
    pub fn retransmitted_share(&self) -> f64 {
        if self.fetched > 0 { self.retransmitted as f64 / self.fetched as f64 } else { 0.0 }
    }

    /// The SHA-256 in hexadecimal digits.
    pub fn sha256_hex(&self) -> String {
        self.sha256.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Why a fetch ended without the content.
#[derive(Debug)]
pub enum GetError {
    /// The forwarder, or the peer, cannot be reached or has gone.
    Face(String),
    /// Nobody answers.
    Silence(String),
    /// Metadata for one name tells of another.
    Astray {
        /// What was asked for.
        asked: Name,
        /// What the metadata names.
        found: Name,
    },
    /// A Data is not believed.
    Untrusted {
        /// Its name.
        name: Name,
        /// Why.
        why: Untrusted,
    },
    /// The producer says that there is nothing under this name.
    Refusal(Name),
    /// A segment did not come, however often it was asked for.
    Lost {
        /// Its name.
        name: Name,
        /// Interests for it.
        attempts: u32,
    },
    /// The content cannot be written.
    Output(OutputError),
    /// The user ended it.
    Interrupted,
}

impl From<OutputError> for GetError {
    fn from(error: OutputError) -> GetError {
        GetError::Output(error)
    }
}

impl fmt::Display for GetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GetError::Face(why) | GetError::Silence(why) => f.write_str(why),
            GetError::Astray { asked, found } => {
                write!(f, "the metadata of {asked} names {found}, which does not begin with it")
            }
            GetError::Untrusted { name, why } => write!(f, "{name} is refused: {why}"),
            GetError::Refusal(name) => write!(f, "the producer refuses {name}"),
            GetError::Lost { name, attempts } => write!(f, "{name} did not come, though asked for {attempts} times"),
            GetError::Output(error) => write!(f, "{error}"),
            GetError::Interrupted => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for GetError {}
