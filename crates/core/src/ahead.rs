//! Looking ahead: what a packet will need is asked for before it arrives.
//!
//! In a large network hardly anything that a packet touches is in the processor's caches, and most of it is found by way of
//! something else: the link, from there the machine, from there its application. So a driver that knows of several
//! arrivals lets all of them take one step of their ways, then the next: what the one step has asked for has come by the
//! next, and no step waits.

use crate::context::{FaceId, FlowId};
use prefetch_index::prefetch_index;

/// Steps of [`Machine::foresee`](crate::Machine::foresee).
pub const STEPS: u32 = 3;

/// What is seen of a packet that is about to arrive; a machine fills it in from step to step.
#[derive(Clone, Copy, Debug)]
pub struct Ahead {
    /// Hash of its name, for the machine.
    pub hash: u64,
    /// Where in a table of the machine it will be looked for.
    pub place: u32,
    /// It will arrive over this face.
    pub from: FaceId,
    /// It, or what answers it, will go on over this face.
    pub to: Option<FaceId>,
    /// It belongs to this flow.
    pub flow: Option<FlowId>,
}

impl Ahead {
    /// Nothing is seen yet of a packet that will arrive over this face.
    #[inline(always)]
    pub fn of(from: FaceId) -> Ahead {
        Ahead { hash: 0, place: u32::MAX, from, to: None, flow: None }
    }
}

/// Asks for the first line of something that will be read or written soon, and does not wait for it.
#[inline(always)]
pub fn ask_for<T>(thing: &T) {
    prefetch_index(std::slice::from_ref(thing), 0);
}

/// As [`ask_for`], for an element of a list, which may lie behind its end.
#[inline(always)]
pub fn ask_for_element<T>(list: &[T], element: usize) {
    prefetch_index(list, element);
}
