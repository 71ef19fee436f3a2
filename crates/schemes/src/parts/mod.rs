//! What several schemes share.

pub mod codel;
pub mod fifo;
pub mod marking;
pub mod next_hops;
pub mod weights;
