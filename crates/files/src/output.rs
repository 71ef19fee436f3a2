//! Where a fetched content goes.

use crate::part::{OutputError, Part, Resumed};
use crate::pipe::Pipe;
use bytes::Bytes;
use weir_core::{Span, Time};
use weir_wire::Name;

/// How often a pipe is asked whether it has room again.
const LOOK: Span = Span::from_millis(2);

/// A file or a pipe.
#[derive(Debug)]
pub enum Output {
    /// A file; what an earlier fetch has left of it counts.
    File(Box<Part>),
    /// In order.
    Pipe(Pipe),
}

impl Output {
    pub(crate) fn begin(&mut self, name: &Name) -> Result<Resumed, OutputError> {
        match self {
            Output::File(part) => part.begin(name),
            Output::Pipe(_) => Ok(Resumed::default()),
        }
    }

    pub(crate) fn put(&mut self, segment: u64, payload: &Bytes, last: Option<u64>) -> Result<(), OutputError> {
        match self {
            Output::File(part) => part.put(segment, payload, last),
            Output::Pipe(pipe) => pipe.put(segment, payload),
        }
    }

    /// The SHA-256 of `message`, if it can be had together with the hash of the whole.
    pub(crate) fn hash_beside(&mut self, segment: u64, payload: &[u8], message: &[u8]) -> Option<[u8; 32]> {
        match self {
            Output::File(_) => None,
            Output::Pipe(pipe) => pipe.hash_beside(segment, payload, message),
        }
    }

    pub(crate) fn ceiling(&self) -> u64 {
        match self {
            Output::File(_) => u64::MAX,
            Output::Pipe(pipe) => pipe.ceiling(),
        }
    }

    pub(crate) fn tick(&mut self, now: Time) -> Result<(), OutputError> {
        match self {
            Output::File(part) => part.tick(now),
            Output::Pipe(_) => Ok(()),
        }
    }

    /// When it wants to be looked after; of a pipe only if it holds up the fetch.
    pub(crate) fn next_tick(&self, now: Time, held_up: bool) -> Option<Time> {
        match self {
            Output::File(part) => Some(part.next_tick()),
            Output::Pipe(_) => held_up.then_some(now + LOOK),
        }
    }

    pub(crate) fn finish(self) -> Result<(u64, [u8; 32]), OutputError> {
        match self {
            Output::File(part) => part.finish(),
            Output::Pipe(mut pipe) => pipe.finish(),
        }
    }

    pub(crate) fn pause(&mut self) -> Result<(), OutputError> {
        match self {
            Output::File(part) => part.pause(),
            Output::Pipe(_) => Ok(()),
        }
    }
}
