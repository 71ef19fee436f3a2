//! Sockets as this program wants them: never waiting, with large receive buffers and backlogs that can be bounded.

use crate::datagrams;
use crate::face_uri::Endpoint;
use mio::net::{TcpListener, TcpStream, UdpSocket, UnixListener, UnixStream};
use socket2::{Domain, Protocol, SockRef, Socket, TcpKeepalive, Type};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

/// Receive buffer of a UDP socket that is asked for, in bytes: a burst must wait there while the thread is at something
/// else. With what the kernel adds for itself that are some 2000 packets of 8000 bytes. Who may administer networks gets it;
/// others get what the kernel's own bound allows (`net.core.rmem_max`).
const RECEIVE_BUFFER: usize = 16 << 20;
/// Connections that may wait to be accepted.
const WAITING: i32 = 128;

/// Makes a UDP socket that is bound to `local` and, if there is one, connected to `peer`.
pub(crate) fn udp(local: SocketAddr, peer: Option<SocketAddr>) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(local), Type::DGRAM, Some(Protocol::UDP))?;
    if local.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    if local.port() != 0 {
        share_port(&socket)?;
    }
    // What the kernel grants is good enough; without it there is loss, not failure.
    if !force_receive_buffer(&socket) {
        let _ = socket.set_recv_buffer_size(RECEIVE_BUFFER);
    }
    socket.set_nonblocking(true)?;
    socket.bind(&local.into())?;
    if let Some(peer) = peer {
        socket.connect(&peer.into())?;
    }
    Ok(UdpSocket::from_std(socket.into()))
}

/// True if the kernel's bound did not count.
fn force_receive_buffer(socket: &Socket) -> bool {
    #[cfg(target_os = "linux")]
    return rustix::net::sockopt::set_socket_recv_buffer_size_force(socket, RECEIVE_BUFFER).is_ok();
    #[cfg(not(target_os = "linux"))]
    return false;
}

/// The address of this host from which the system would send to `peer`. Nothing is sent to find out.
pub(crate) fn source_to(peer: SocketAddr) -> Option<IpAddr> {
    let any: IpAddr = if peer.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let probe = std::net::UdpSocket::bind((any, 0)).ok()?;
    probe.connect(peer).ok()?;
    Some(probe.local_addr().ok()?.ip())
}

/// Each peer of a UDP port gets a connected socket of its own on the same port: the kernel then sorts datagrams by peer,
/// and tells of each peer's errors.
fn share_port(socket: &Socket) -> io::Result<()> {
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(true)
}

/// Listens for TCP connections.
pub(crate) fn tcp_listener(local: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(local), Type::STREAM, Some(Protocol::TCP))?;
    if local.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&local.into())?;
    socket.listen(WAITING)?;
    Ok(TcpListener::from_std(socket.into()))
}

/// Options of a TCP connection: small packets leave at once, and a peer that has vanished is noticed.
pub(crate) fn prepare_tcp(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let socket = SockRef::from(stream);
    let keepalive = TcpKeepalive::new().with_time(Duration::from_secs(60)).with_interval(Duration::from_secs(15));
    socket.set_tcp_keepalive(&keepalive)
}

/// Listens on a path. A socket that a dead process has left there is taken away; one that answers is an error.
pub(crate) fn unix_listener(path: &Path) -> io::Result<UnixListener> {
    use std::os::unix::fs::FileTypeExt;
    if std::fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket()) {
        if std::os::unix::net::UnixStream::connect(path).is_ok() {
            return Err(io::Error::new(io::ErrorKind::AddrInUse, "another forwarder listens there"));
        }
        std::fs::remove_file(path)?;
    } else if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let listener = UnixListener::bind(path)?;
    // Programs of all users of this host may come, as with NFD.
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o666))?;
    Ok(listener)
}

/// Takes the sockets away that a driver listened on in the file system, when it has ended.
pub fn remove_sockets(listening: &[Endpoint]) {
    for at in listening {
        if let Endpoint::Unix(path) = at {
            // Somebody else may have done it.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Begins to connect. A stream may still be on its way: it becomes writable when it is there, or has failed.
/// A UDP face shares the port `from`, if there is one.
pub(crate) fn connect(to: &Endpoint, from: Option<SocketAddr>) -> io::Result<Transport> {
    match to {
        Endpoint::Udp(peer) => {
            let socket = udp(from.unwrap_or(Endpoint::any_of(peer)), Some(*peer))?;
            Ok(Transport::Udp { socket, peer: *peer })
        }
        Endpoint::Tcp(peer) => Ok(Transport::Tcp(TcpStream::connect(*peer)?)),
        Endpoint::Unix(path) => Ok(Transport::Unix(UnixStream::connect(path)?)),
        Endpoint::Fd(_) => Err(io::Error::new(io::ErrorKind::Unsupported, "nobody can connect to a descriptor")),
    }
}

/// The socket of a face.
#[derive(Debug)]
pub(crate) enum Transport {
    /// Connected to a peer. Datagrams of others may have come in before it was.
    Udp {
        socket: UdpSocket,
        peer: SocketAddr,
    },
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Transport {
    pub fn is_stream(&self) -> bool {
        !matches!(self, Transport::Udp { .. })
    }

    pub fn source(&mut self) -> &mut dyn mio::event::Source {
        match self {
            Transport::Udp { socket, .. } => socket,
            Transport::Tcp(stream) => stream,
            Transport::Unix(stream) => stream,
        }
    }

    /// Bytes of the headers below ours that a frame takes on the wire: IP and UDP. Of a stream: unknown, and little.
    pub fn overhead(&self) -> usize {
        match self {
            Transport::Udp { peer: SocketAddr::V4(_), .. } => 28,
            Transport::Udp { peer: SocketAddr::V6(_), .. } => 48,
            Transport::Tcp(_) | Transport::Unix(_) => 0,
        }
    }

    /// The address on this side.
    pub fn local(&self) -> io::Result<Endpoint> {
        Ok(match self {
            Transport::Udp { socket, .. } => Endpoint::Udp(socket.local_addr()?),
            Transport::Tcp(stream) => Endpoint::Tcp(stream.local_addr()?),
            Transport::Unix(stream) => {
                Endpoint::Unix(stream.local_addr()?.as_pathname().map(Path::to_owned).unwrap_or_default())
            }
        })
    }

    /// What became of a connection that was begun. `WouldBlock`: nothing yet.
    pub fn connected(&self) -> io::Result<()> {
        match self {
            Transport::Udp { .. } | Transport::Unix(_) => Ok(()),
            Transport::Tcp(stream) => {
                if let Some(error) = stream.take_error()? {
                    return Err(error);
                }
                match stream.peer_addr() {
                    Err(error) if error.kind() == io::ErrorKind::NotConnected => Err(io::ErrorKind::WouldBlock.into()),
                    Err(error) => Err(error),
                    Ok(_) => prepare_tcp(stream),
                }
            }
        }
    }

    /// Bounds what the kernel takes before it has sent what it has, as it counts bytes; gives what it has made of that. It
    /// says that there is room when half of it has been sent (of a Unix stream: three quarters).
    pub fn set_backlog(&self, bytes: usize) -> io::Result<usize> {
        let socket = match self {
            Transport::Udp { socket, .. } => SockRef::from(socket),
            Transport::Unix(stream) => SockRef::from(stream),
            Transport::Tcp(stream) => {
                // Of a stream over a network the buffer must hold what is under way besides, and grows by itself.
                #[cfg(target_os = "linux")]
                SockRef::from(stream).set_tcp_notsent_lowat(u32::try_from(bytes).unwrap_or(u32::MAX))?;
                return Ok(bytes);
            }
        };
        // Linux takes twice what it is asked for, and tells so.
        let asked = if cfg!(target_os = "linux") { bytes / 2 } else { bytes };
        #[cfg(target_os = "linux")]
        let forced = rustix::net::sockopt::set_socket_send_buffer_size_force(&*socket, asked).is_ok();
        #[cfg(not(target_os = "linux"))]
        let forced = false;
        if !forced {
            socket.set_send_buffer_size(asked)?;
        }
        socket.send_buffer_size()
    }

    /// The bound that is best left as the system has it: of a Unix stream, whose peer is a program on this host.
    pub fn usual_backlog(&self) -> Option<usize> {
        match self {
            Transport::Unix(stream) => SockRef::from(stream).send_buffer_size().ok(),
            Transport::Udp { .. } | Transport::Tcp(_) => None,
        }
    }

    /// Bytes that the kernel has not sent, as it counts them.
    pub fn unsent(&self) -> io::Result<usize> {
        match self {
            Transport::Udp { socket, .. } => weir_kernel::unsent(socket),
            Transport::Tcp(stream) => weir_kernel::unsent(stream),
            Transport::Unix(stream) => weir_kernel::unsent(stream),
        }
    }

    /// Writes datagrams of `segment` bytes, of which the last may be shorter: all of them or none.
    #[inline]
    pub fn write_run(&mut self, bytes: &[u8], segment: usize) -> io::Result<()> {
        match self {
            Transport::Udp { socket, .. } if bytes.len() > segment => datagrams::send(socket, bytes, segment),
            single => single.write(bytes).map(drop),
        }
    }

    /// Writes once; bytes of a stream, or one datagram.
    #[inline]
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        use io::Write;
        match self {
            Transport::Udp { socket, .. } => socket.send(bytes),
            Transport::Tcp(stream) => stream.write(bytes),
            Transport::Unix(stream) => stream.write(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_tells_from_where_it_would_send() {
        // The whole of 127.0.0.0/8 is this host, reached from its first address.
        for peer in ["127.0.0.1:9", "127.3.2.1:9"] {
            assert_eq!(source_to(peer.parse().unwrap()), Some(Ipv4Addr::LOCALHOST.into()), "{peer}");
        }
        // Where it has no way to, it would not send.
        assert_eq!(source_to("0.0.0.1:9".parse().unwrap()).filter(|from| from.is_loopback()), None);
    }
}
