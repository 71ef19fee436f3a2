//! Scenario files: TOML in, a checked plan out.
//!
//! A file is a [`Study`]: a scenario, the axes along which it varies, figures and claims. [`Study::load`] reads and
//! checks everything, every point of the product included, and answers either with a study in which nothing can be
//! wrong any more, or with all [`Problems`] of the file, each shown where it stands.
//!
//! The crate knows neither the simulator nor the results; `docs/scenarios.md` describes the format.

mod arenas;
mod axes;
mod claims;
mod diagnostic;
mod document;
mod editions;
pub mod expr;
mod feasible;
mod figures;
mod files;
mod generators;
mod geography;
mod hosts;
mod impairments;
pub mod import;
mod imported;
pub mod layout;
pub mod metrics;
mod overrides;
mod parts;
mod paths;
pub mod plan;
mod points;
mod quantities;
mod reader;
mod reference;
pub mod routes;
mod routing;
mod run;
mod scenario;
mod schema;
mod scheme;
mod shape;
mod software;
mod strings;
mod study;
mod timeline;
mod topology;
mod tree;
mod ways;
mod workloads;

pub use arenas::{Arena, arenas};
pub use diagnostic::{Diagnostic, Place, Problems, Source};
pub use editions::Edition;
pub use files::{Files, Folder, NoFiles};
pub use overrides::Override;
pub use reference::reference;
pub use schema::schema;
pub use study::{Axis, Claim, Expectation, Figure, FigureKind, FigureX, Over, Part, Point, Study, Tolerance};
