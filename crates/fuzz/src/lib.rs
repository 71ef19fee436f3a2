//! What must hold of every reader, whatever bytes it is given. Each target is a function from bytes that panics if it
//! does not.
//!
//! Two harnesses use them: `tests/fuzz.rs`, with any compiler and in every test run, which replays the corpus and then
//! changes it at random for a short time; and the folder `fuzz`, with libFuzzer, which is led by coverage and needs a
//! nightly compiler.

mod mutate;
mod scenario;
mod topology;
mod wire;

pub use mutate::Mutator;

/// One reader under test.
#[derive(Debug)]
pub struct Target {
    /// Its name, and that of its corpus.
    pub name: &'static str,
    /// Panics if something does not hold.
    pub run: fn(&[u8]),
    /// Files to start from besides `fuzz/corpus/<name>`: folders of the repository and the ending of their files.
    pub seeds: &'static [(&'static str, &'static str)],
    /// Pieces that its inputs are made of.
    pub words: &'static [&'static str],
}

/// All of them.
pub static TARGETS: &[Target] = &[
    wire::PACKET,
    wire::NAME,
    scenario::FILE,
    scenario::OVERRIDE,
    scenario::MEASURE,
    scenario::TRACE,
    topology::NDNSIM,
    topology::GRAPHML,
    topology::ROCKETFUEL_CCH,
    topology::ROCKETFUEL_LATENCIES,
    topology::ROCKETFUEL_WEIGHTS,
];

/// Runs a target by its name; for harnesses of one target each.
///
/// # Panics
/// If there is none of that name, or what it checks does not hold.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target of this name");
    (target.run)(bytes);
}

/// Text of any bytes.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
