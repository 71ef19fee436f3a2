//! Runs studies: every point of every axis with every seed, then tables, figures and scores.

mod charts;
mod claims;
mod experiment;
mod lookup;
mod moments;
mod report;
mod tables;

pub use charts::charts;
pub use claims::claims;
pub use experiment::{Experiment, RunError, Runner, Seeds};
pub use lookup::Means;
pub use report::report;
pub use tables::{TableFile, columns, tables};
