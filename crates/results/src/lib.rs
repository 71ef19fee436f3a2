//! What leaves Weir: tables, statistics over runs, figures, and the score of a paper's claims.
//!
//! This crate knows nothing of networks. Whoever has results describes them in its neutral types ([`table::Table`],
//! [`score::Claim`]) and writes them. The same input gives the same bytes: nothing here looks at a clock, at
//! the fonts of the machine or at anything random.

pub mod chart;
pub mod files;
mod markdown;
mod number;
pub mod ranking;
pub mod report;
pub mod score;
pub mod stats;
pub mod table;
