//! Draws a world. Every room draws from a stream of its own, so that a change in one leaves the others as they were.

mod network;
mod parts;
mod rules;
mod traffic;
mod trouble;

use crate::Document;
use toml::Value;
use weir_core::{Chance, Seed};

/// The world of a number.
pub fn draw(seed: u64) -> Document {
    let seed = Seed(seed).of("world");
    let stream = |room: &str| Dice(seed.of(room).stream());
    let mut document = Document::new();
    let network = network::draw(&mut stream("network"), &mut document);
    rules::draw(&mut stream("rules"), &mut document);
    parts::scheme(&mut stream("scheme"), &mut document);
    traffic::draw(&mut stream("traffic"), &network, &mut document);
    trouble::impairments(&mut stream("impairments"), &network, &mut document);
    trouble::timeline(&mut stream("timeline"), &network, &mut document);
    document
}

/// Chance, with the throws that drawing a world takes.
struct Dice(Chance);

impl Dice {
    /// From `low` to `high`, both included.
    fn whole(&mut self, low: u64, high: u64) -> u64 {
        low + self.0.below(high - low + 1)
    }

    /// Between two positive numbers, equally likely in each power of two.
    fn scale(&mut self, low: f64, high: f64) -> f64 {
        (low.log2() + self.0.unit() * (high.log2() - low.log2())).exp2()
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.0.below(of.len() as u64) as usize]
    }

    fn happens(&mut self, p: f64) -> bool {
        self.0.happens(p)
    }

    /// Two different numbers below `n`.
    fn two(&mut self, n: usize) -> (usize, usize) {
        let first = self.0.below(n as u64) as usize;
        let second = self.0.below(n as u64 - 1) as usize;
        (first, if second >= first { second + 1 } else { second })
    }
}

/// A table in few words.
fn table<const N: usize>(entries: [(&str, Value); N]) -> Document {
    entries.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

fn int(n: u64) -> Value {
    Value::Integer(n as i64)
}

fn text(text: impl Into<String>) -> Value {
    Value::String(text.into())
}
