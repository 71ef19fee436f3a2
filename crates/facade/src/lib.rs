#![doc = include_str!("../../../docs/library.md")]

pub use weir_core as core;
pub use weir_engine as engine;
pub use weir_lab as lab;
pub use weir_results as results;
pub use weir_scenario as scenario;
pub use weir_schemes as schemes;
pub use weir_sim as sim;
pub use weir_wire as wire;
