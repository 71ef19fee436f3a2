//! Faces come: listeners, peers that nobody knew, connections that were asked for.

use super::{CONNECTING, Driver, HOUSEKEEPING, LISTENER, token};
use crate::face::Face;
use crate::face_uri::Endpoint;
use crate::socket::{self, Transport};
use crate::station::{Closing, FaceInfo, FaceOptions, Origin, Station};
use bytes::Bytes;
use mio::net::{TcpListener, UdpSocket, UnixListener};
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use weir_core::{FaceId, Span, Time};
use weir_wire::{MAX_PACKET, Mtu};

/// Connections or datagrams that are taken from one listener in a round.
const AT_ONCE: usize = 64;
/// How long a connection may take.
const PATIENCE: Span = Span::from_millis(5000);
/// How long the rest of a frame may take.
const FRAME_PATIENCE: Span = Span::from_millis(30_000);
/// The longest frame to other hosts, in bytes: with the headers of UDP and IPv6 and of a tunnel or two it fits into an
/// Ethernet frame. Longer ones would be cut by IP, where the loss of one part loses all, unseen.
const REMOTE_MTU: usize = 1400;

pub(super) struct Listener {
    socket: Socket,
    address: Endpoint,
    options: FaceOptions,
    /// Something went wrong in the last round.
    failed: bool,
}

enum Socket {
    Udp(UdpSocket),
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// A stream that is on its way.
pub(super) struct Connecting {
    transport: Option<Transport>,
    remote: Endpoint,
    options: FaceOptions,
    tag: u64,
    deadline: Time,
    /// Whose port it shares.
    listener: Option<usize>,
    /// Why it failed, if it did; what is `Ok` is to be opened.
    outcome: Option<io::Result<()>>,
}

impl Driver {
    /// Takes whoever comes to an address; says which it is (a port 0 has become a real one).
    pub fn listen(&mut self, at: &Endpoint, options: FaceOptions) -> io::Result<Endpoint> {
        let token = token(LISTENER, 0, self.listeners.len());
        let registry = self.poll.registry();
        let readable = mio::Interest::READABLE;
        let (socket, address) = match at {
            Endpoint::Udp(local) => {
                let mut socket = socket::udp(*local, None)?;
                registry.register(&mut socket, token, readable)?;
                let address = Endpoint::Udp(socket.local_addr()?);
                (Socket::Udp(socket), address)
            }
            Endpoint::Tcp(local) => {
                let mut listener = socket::tcp_listener(*local)?;
                registry.register(&mut listener, token, readable)?;
                let address = Endpoint::Tcp(listener.local_addr()?);
                (Socket::Tcp(listener), address)
            }
            Endpoint::Unix(path) => {
                let mut listener = socket::unix_listener(path)?;
                registry.register(&mut listener, token, readable)?;
                (Socket::Unix(listener), at.clone())
            }
            Endpoint::Fd(_) => return Err(io::ErrorKind::Unsupported.into()),
        };
        self.listeners.push(Listener { socket, address: address.clone(), options, failed: false });
        Ok(address)
    }

    /// Asks for a face. The station hears of it by [`Station::opened`] or [`Station::refused`], with the `tag`.
    pub fn connect(&mut self, to: &Endpoint, options: FaceOptions, tag: u64) {
        let place = self.connecting.iter().position(Option::is_none).unwrap_or(self.connecting.len());
        let (from, listener) = self.port_for(to).unzip();
        let made = socket::connect(to, from).and_then(|mut transport| {
            if matches!(transport, Transport::Tcp(_)) {
                let token = token(CONNECTING, 0, place);
                self.poll.registry().register(transport.source(), token, mio::Interest::WRITABLE)?;
            }
            Ok(transport)
        });
        let (transport, outcome) = match made {
            Ok(transport @ Transport::Tcp(_)) => (Some(transport), None),
            Ok(transport) => (Some(transport), Some(Ok(()))),
            Err(error) => (None, Some(Err(error))),
        };
        let deadline = self.now + PATIENCE;
        let connecting = Connecting { transport, remote: to.clone(), options, tag, deadline, outcome, listener };
        if place == self.connecting.len() {
            self.connecting.push(None);
        }
        self.connecting[place] = Some(connecting);
        // So that it is looked at in the next round.
        self.housekeeping = self.now;
    }

    /// The UDP listener whose port a face to `peer` uses, so that the peer knows us by one address.
    fn port_for(&self, peer: &Endpoint) -> Option<(SocketAddr, usize)> {
        let Endpoint::Udp(peer) = peer else { return None };
        let listeners = self.listeners.iter().enumerate();
        let mut ports = listeners.filter_map(|(i, listener)| match &listener.address {
            Endpoint::Udp(at) => Some((*at, i)),
            _ => None,
        });
        // One that is bound to an address reaches only whom the host would reach from there.
        let from = socket::source_to(*peer);
        ports.find(|(at, _)| at.is_ipv4() == peer.is_ipv4() && (at.ip().is_unspecified() || Some(at.ip()) == from))
    }

    /// A stream that is on its way has news.
    pub(super) fn connecting_is_ready(&mut self, place: usize) {
        let Some(Some(connecting)) = self.connecting.get_mut(place) else { return };
        let Some(transport) = &connecting.transport else { return };
        match transport.connected() {
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => return,
            outcome => connecting.outcome = Some(outcome),
        }
        self.housekeeping = self.now;
    }

    /// Takes what has come to the listeners.
    pub(super) fn accept_ready(&mut self, station: &mut dyn Station) {
        let mut acceptable = std::mem::take(&mut self.acceptable);
        acceptable.sort_unstable();
        acceptable.dedup();
        acceptable.retain(|listener| self.accept_some(station, *listener));
        self.acceptable.append(&mut acceptable);
    }

    /// True if there may be more.
    fn accept_some(&mut self, station: &mut dyn Station, listener: usize) -> bool {
        for _ in 0..AT_ONCE {
            match self.accept(station, listener) {
                Ok(()) => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return false,
                // A peer that has left again, or an earlier datagram's error; or no descriptors are left, and then
                // housekeeping tries again.
                Err(_) => self.listeners[listener].failed = true,
            }
        }
        !self.listeners[listener].failed
    }

    fn accept(&mut self, station: &mut dyn Station, listener: usize) -> io::Result<()> {
        let Listener { socket, address, options, .. } = &self.listeners[listener];
        let (local, options) = (address.clone(), *options);
        match socket {
            Socket::Udp(socket) => {
                let (len, from) = socket.recv_from(&mut self.scratch)?;
                let frame = Bytes::copy_from_slice(&self.scratch[..len]);
                self.arrive_at(station, listener, from, frame);
            }
            Socket::Tcp(listener) => {
                let (stream, peer) = listener.accept()?;
                socket::prepare_tcp(&stream)?;
                self.open(station, Transport::Tcp(stream), Endpoint::Tcp(peer), local, options, Origin::Accepted);
            }
            Socket::Unix(listener) => {
                let (stream, _) = listener.accept()?;
                let remote = Endpoint::Fd(stream.as_raw_fd());
                self.open(station, Transport::Unix(stream), remote, local, options, Origin::Accepted);
            }
        }
        Ok(())
    }

    /// A datagram came to a listener. Its peer may have a face already, whose socket was too late for it.
    fn arrive_at(&mut self, station: &mut dyn Station, listener: usize, from: SocketAddr, frame: Bytes) {
        let known = self.peers.get(&(listener, from)).copied();
        let face = known.or_else(|| self.open_peer(station, listener, from, &frame));
        if let Some(face) = face {
            self.deliver(station, face, frame);
        }
    }

    /// A datagram of a stranger came to the socket of a face, which was open to all before it was connected.
    pub(super) fn arrive_from(&mut self, station: &mut dyn Station, at: FaceId, from: SocketAddr, frame: Bytes) {
        let listener = self.peers.iter().find(|(_, face)| **face == at).map(|((listener, _), _)| *listener);
        if let Some(listener) = listener {
            self.arrive_at(station, listener, from, frame);
        }
    }

    /// A face for a peer that nobody knew. What does not even begin like NDN opens none.
    fn open_peer(
        &mut self,
        station: &mut dyn Station,
        listener: usize,
        peer: SocketAddr,
        frame: &Bytes,
    ) -> Option<FaceId> {
        weir_wire::LpPacket::decode(frame.clone()).ok()?;
        let Listener { address, options, .. } = &self.listeners[listener];
        let (local, options) = (address.clone(), *options);
        let Endpoint::Udp(bound) = local else { return None };
        let socket = socket::udp(bound, Some(peer)).ok()?;
        let transport = Transport::Udp { socket, peer };
        let face = self.open(station, transport, Endpoint::Udp(peer), local, options, Origin::Accepted)?;
        self.peers.insert((listener, peer), face);
        Some(face)
    }

    /// Tells the station of a face, and takes it in.
    fn open(
        &mut self,
        station: &mut dyn Station,
        mut transport: Transport,
        remote: Endpoint,
        local: Endpoint,
        options: FaceOptions,
        origin: Origin,
    ) -> Option<FaceId> {
        let mtu = options.mtu.unwrap_or_else(|| usual_mtu(&remote));
        let about = FaceInfo { remote, local, origin, options, mtu };
        let id = station.opened(&about, &mut self.context())?;
        if let Err(error) = self.register(id, &mut transport) {
            station.closed(id, &Closing::Failed(error), &mut self.context());
            return None;
        }
        self.faces[id.index()] = Some(Face::new(transport, mtu, &options, self.now));
        self.settle(station);
        // What came before it was registered makes no event.
        self.readable.push(id);
        Some(id)
    }

    /// Looks after what only time can tell: connections, frames that do not end, listeners that had no descriptors.
    pub(super) fn keep_house(&mut self, station: &mut dyn Station) {
        self.housekeeping = self.now + HOUSEKEEPING;
        for place in 0..self.connecting.len() {
            self.see_to_connecting(station, place);
        }
        let now = self.now;
        let stalled = |face: &Face| face.framer.waits_since().is_some_and(|at| now.since(at) > FRAME_PATIENCE);
        for (number, face) in self.faces.iter_mut().enumerate() {
            if let Some(face) = face
                && stalled(face)
            {
                face.block();
                self.closing.push((FaceId(number as u32), Closing::Stalled));
            }
        }
        for (number, listener) in self.listeners.iter_mut().enumerate() {
            if std::mem::take(&mut listener.failed) {
                self.acceptable.push(number);
            }
        }
    }

    fn see_to_connecting(&mut self, station: &mut dyn Station, place: usize) {
        let now = self.now;
        let Some(connecting) = &mut self.connecting[place] else { return };
        let outcome = match connecting.outcome.take() {
            None if connecting.deadline <= now => Err(io::ErrorKind::TimedOut.into()),
            None => return,
            Some(outcome) => outcome,
        };
        let Some(Connecting { transport, remote, options, tag, listener, .. }) = self.connecting[place].take() else {
            return;
        };
        let Some(mut transport) = transport else {
            let error = outcome.err().unwrap_or_else(|| io::ErrorKind::Other.into());
            return station.refused(tag, &error);
        };
        if matches!(transport, Transport::Tcp(_)) {
            let _ = self.poll.registry().deregister(transport.source());
        }
        match outcome.and_then(|()| transport.local()) {
            Err(error) => station.refused(tag, &error),
            Ok(local) => {
                let peer = listener.zip(if let Endpoint::Udp(peer) = remote { Some(peer) } else { None });
                let face = self.open(station, transport, remote, local, options, Origin::Connected(tag));
                if let (Some(peer), Some(face)) = (peer, face) {
                    self.peers.insert(peer, face);
                }
            }
        }
    }
}

/// What no IP network on the way has to cut, unless the peer is on this host or the transport is a stream.
fn usual_mtu(remote: &Endpoint) -> Mtu {
    let bytes = match remote {
        Endpoint::Udp(peer) if !peer.ip().is_loopback() => REMOTE_MTU,
        _ => MAX_PACKET,
    };
    Mtu::new(bytes).unwrap_or_else(|| unreachable!("both are lengths of frames"))
}
