//! The forwarder daemon: the machine of the simulator with faces that come and go, management, and bounds for strangers.

mod commands;
mod config;
mod daemon;
mod datasets;
mod ends;
mod guard;
mod keeping;
mod mgmt;
mod parts;
mod passage;
mod renewal;
mod requests;
mod rib;
mod scope;
mod status;
mod tally;
mod values;
mod verify;

pub use config::{Choice, Config, Down, Limits, Listen, Management, Peer, RouteTo, Schemes, SignatureKind, Tables};
pub use daemon::{Daemon, Started};
pub use mgmt::{ControlParameters, ControlResponse};
pub use rib::{CAPTURE, CHILD_INHERIT, Rib, Route};
pub use status::{CsStatus, FaceStatus, PitStatus, RouteStatus, Status};
pub use values::{Scheme, Uri};
