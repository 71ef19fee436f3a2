//! Plug-ins: consumer controls, one file each.
//!
//! Most of them are a [window law](laws) under the shared rules of [`windowed`], which say when a signal cuts.

pub mod abu;
pub mod aimd;
pub mod bic;
pub mod cbr;
pub mod cubic;
pub mod fixed_window;
pub mod icp;
pub mod kato;
pub mod laws;
pub mod pcon_cs;
pub mod pfecc;
pub mod rate_aimd;
pub mod rate_based;
pub mod stateful_forwarding;
pub mod windowed;

#[cfg(test)]
mod testing;
