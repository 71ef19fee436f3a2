//! Plug-ins: retransmission timeouts, one file each.

pub mod estimate;
pub mod icp;
pub mod max_rtt;
pub mod ndn_cxx;
pub mod ndnsim;
pub mod rfc6298;
