//! The live driver: it moves the same machines as the simulator, on real sockets.
//!
//! * [`Driver`]: one thread, which owns the clock and the sockets and follows the contract of
//!   [`Machine`](weir_core::Machine).
//! * [`Station`]: what it moves: a machine whose faces come and go.
//! * [`FaceUri`], [`Endpoint`]: where faces lead; [`forwarder_uri`]: where a client finds its forwarder.
//!
//! * [`forward`]: the daemon that `weir forward` runs.
//!
//! A face speaks NDNLPv2 over UDP, TCP or a Unix stream socket: fragments, Nacks, congestion marks, PIT tokens. What waits
//! to be sent waits in the machine's queue, for the driver pulls a packet only when the operator's rate or, without one,
//! the kernel says that there is room.

mod backlog;
mod client;
mod clock;
mod datagrams;
mod dataset;
mod driver;
mod face;
mod face_uri;
pub mod forward;
mod framer;
mod link;
mod pace;
mod reassembly;
mod socket;
mod station;
mod timer;

pub use client::{DEFAULT_SOCKET, forwarder_uri};
pub use clock::Clock;
pub use dataset::fetch_dataset;
pub use driver::Driver;
pub use face::FaceCounters;
pub use face_uri::{Endpoint, FaceUri, FaceUriError, Family, InetTransport, NDN_PORT};
pub use socket::remove_sockets;
pub use station::{Closing, FaceInfo, FaceOptions, Origin, Station};
