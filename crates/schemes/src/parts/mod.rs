//! What several schemes share.

pub mod codel;
pub mod fair;
pub mod fifo;
pub mod flow_rates;
pub mod leaky_bucket;
pub mod marking;
pub mod next_hops;
pub mod pending;
pub mod rate_law;
pub mod red;
pub mod service;
pub mod shares;
pub mod weights;
