//! What a driver moves.

use crate::driver::Driver;
use crate::face_uri::Endpoint;
use std::fmt;
use std::io;
use weir_core::{Context, FaceId, Machine, Rate};
use weir_wire::{DecodeError, Mtu};

/// A [`Machine`] whose faces come and go.
///
/// The driver follows the machine's contract and, besides, says when a face opens or closes. The station gives each face
/// its number; it may give that of a face that has closed to a new one. What it wants of the driver (another face, an
/// end) it says in [`Station::turn`].
pub trait Station: Machine {
    /// A face has opened. Its number, or `None`: the driver closes it.
    fn opened(&mut self, about: &FaceInfo, cx: &mut Context<'_>) -> Option<FaceId>;
    /// A face has closed; nothing will come from it any more, and nothing may be sent to it.
    fn closed(&mut self, face: FaceId, why: &Closing, cx: &mut Context<'_>);
    /// A face that was asked for ([`Driver::connect`]) could not be opened.
    fn refused(&mut self, tag: u64, error: &io::Error);
    /// Called after each round of work. What becomes ready here is sent.
    fn turn(&mut self, driver: &mut Driver);
    /// The driver ends when this is true and all that could be written has been written.
    fn is_done(&self) -> bool;
}

/// How a face is to be opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaceOptions {
    /// The longest frame; `None`: what suits the transport.
    pub mtu: Option<Mtu>,
    /// Rate at which the link behind it sends, where somebody knows; `None`: the kernel's backlog tells when it is free.
    pub rate: Option<Rate>,
    /// Bytes of lower headers that the rate has to carry with each frame; `None`: those of IP and UDP.
    pub overhead: Option<usize>,
    /// Bytes that the kernel may hold unsent; `None`: what keeps the link busy, which is found out.
    pub backlog: Option<usize>,
}

/// A face that has opened.
#[derive(Clone, Debug, PartialEq)]
pub struct FaceInfo {
    /// Where it leads.
    pub remote: Endpoint,
    /// The address on this side.
    pub local: Endpoint,
    /// Where it comes from.
    pub origin: Origin,
    /// How it was opened.
    pub options: FaceOptions,
    /// The longest frame.
    pub mtu: Mtu,
}

impl FaceInfo {
    /// True if what is sent there stays on this host.
    pub fn is_local(&self) -> bool {
        self.remote.is_local()
    }
}

/// Where a face comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The station asked for it ([`Driver::connect`]), with this tag.
    Connected(u64),
    /// A peer came to a listener.
    Accepted,
}

/// Why a face has closed.
#[derive(Debug)]
pub enum Closing {
    /// The peer has ended the stream.
    Ended,
    /// The system says so.
    Failed(io::Error),
    /// The stream carried something that is not NDN.
    Malformed(DecodeError),
    /// Half of a frame came, and not the rest.
    Stalled,
    /// The station has asked for it, or refused to have it.
    Asked,
}

impl fmt::Display for Closing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Closing::Ended => f.write_str("the peer has closed it"),
            Closing::Failed(error) => write!(f, "{error}"),
            Closing::Malformed(error) => write!(f, "the peer does not speak NDN: {error}"),
            Closing::Stalled => f.write_str("the rest of a frame did not come"),
            Closing::Asked => f.write_str("closed by this side"),
        }
    }
}
