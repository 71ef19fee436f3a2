//! Runs studies: every point of every axis with every seed, then tables, figures and scores.

mod charts;
mod claims;
mod experiment;
mod lookup;
mod matrix;
mod moments;
mod report;
mod tables;

pub use charts::charts;
pub use claims::claims;
pub use experiment::{Experiment, RunError, Runner, Seeds};
pub use lookup::Means;
pub use matrix::{MEASURES, Measure, Standing, Trial, Tries, measure_named, same_parts};
pub use report::{network, report};
pub use tables::{TableFile, columns, tables};
