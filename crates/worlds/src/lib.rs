//! A tester that draws whole scenarios at random and checks in each what must hold in all.
//!
//! One number draws one world: a network, its routes, traffic, schemes with parameters, tables, losses and what happens
//! to them over time. The world is written as a scenario file and goes the way of every user's file from there on, so
//! what fails can be run, shown and mended like one. A world that fails is made as small as it gets while it still fails
//! in the same way.
//!
//! What is checked is in [`check()`]; what is drawn in [`draw()`].

mod audit;
mod books;
mod check;
mod draw;
mod shrink;

pub use check::{Failure, Kind, Limits, Report, check, check_prepared};
pub use draw::draw;
pub use shrink::shrink;

/// A scenario before it is text.
pub type Document = toml::Table;

/// The scenario file of a document.
///
/// ```
/// let world = weir_worlds::draw(7);
/// assert_eq!(weir_worlds::draw(7), world);
/// assert!(weir_worlds::text(&world).contains("[topology"));
/// ```
pub fn text(document: &Document) -> String {
    toml::to_string(document).expect("a table of plain values can be written")
}
