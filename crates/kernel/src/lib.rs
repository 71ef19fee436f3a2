//! What no safe library does: ask the kernel what it knows of a socket, and hash two messages at once.
//!
//! The workspace forbids `unsafe`. This crate alone may use it, for one request to the kernel and one set of a processor's
//! instructions that have no safe wrapper anywhere; what it makes of them can be called by anybody with anything.

mod sha256;

pub use sha256::Sha256;

use std::io;
use std::os::fd::AsFd;

/// Bytes that were written to a socket and that the kernel has not sent yet.
///
/// | socket | what is counted | request |
/// |---|---|---|
/// | UDP | memory of the datagrams that wait in the kernel or in the device, headers and slack included | `SIOCOUTQ` |
/// | TCP | bytes that have never been sent; not those that are sent and wait for their acknowledgement | `SIOCOUTQNSD` |
/// | Unix stream | memory of what the peer has not read | `SIOCOUTQ` |
///
/// # Errors
/// `Unsupported` of other sockets and on other systems than Linux; what the system says of a descriptor that is no socket.
#[cfg(target_os = "linux")]
pub fn unsent(socket: impl AsFd) -> io::Result<usize> {
    use rustix::ioctl::{Getter, ioctl};
    use rustix::net::{AddressFamily, SocketType, sockopt};
    let socket = socket.as_fd();
    let inet = match sockopt::socket_domain(socket)? {
        AddressFamily::INET | AddressFamily::INET6 => true,
        AddressFamily::UNIX => false,
        _ => return Err(io::ErrorKind::Unsupported.into()),
    };
    let bytes = match sockopt::socket_type(socket)? {
        SocketType::STREAM if inet => {
            // SAFETY: as below; this number is `SIOCOUTQNSD` to a stream of these families, or fails.
            #[expect(unsafe_code, reason = "no library has a safe form of this request")]
            unsafe {
                ioctl(socket, Getter::<SIOCOUTQNSD, libc::c_int>::new())
            }
        }
        SocketType::STREAM | SocketType::DGRAM => {
            // SAFETY: What `ioctl` does is told by the number and by what the descriptor is, and the latter has just been
            // looked at: an open socket of a family for which this number is `SIOCOUTQ`, which writes one `int` to the
            // address that it is given, or fails. `Getter` gives it an `int` of its own and reads it after success only.
            // The borrowed descriptor cannot become another one meanwhile.
            #[expect(unsafe_code, reason = "no library has a safe form of this request")]
            unsafe {
                ioctl(socket, Getter::<SIOCOUTQ, libc::c_int>::new())
            }
        }
        _ => return Err(io::ErrorKind::Unsupported.into()),
    }?;
    Ok(usize::try_from(bytes).unwrap_or(0))
}

/// Another name of `TIOCOUTQ`, which is not the same number on all processors.
#[cfg(target_os = "linux")]
const SIOCOUTQ: rustix::ioctl::Opcode = libc::TIOCOUTQ as rustix::ioctl::Opcode;

/// linux/sockios.h; the same on all processors.
#[cfg(target_os = "linux")]
const SIOCOUTQNSD: rustix::ioctl::Opcode = 0x894b;

/// Elsewhere nobody tells.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn unsent(_: impl AsFd) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream, UdpSocket};
    use std::os::unix::net::UnixStream;

    #[test]
    fn of_a_unix_stream_what_the_peer_has_not_read() {
        let (mut near, mut far) = UnixStream::pair().unwrap();
        assert_eq!(unsent(&near).unwrap(), 0);
        near.write_all(&[7; 5000]).unwrap();
        assert!((5000..50_000).contains(&unsent(&near).unwrap()), "{:?}", unsent(&near));
        far.read_exact(&mut [0; 5000]).unwrap();
        assert_eq!(unsent(&near).unwrap(), 0);
    }

    #[test]
    fn of_tcp_what_does_not_fit_into_the_window_of_a_peer_that_does_not_read() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut far, _) = listener.accept().unwrap();
        near.set_nonblocking(true).unwrap();
        let piece = [7; 100_000];
        let mut written = 0;
        while let Ok(more) = near.write(&piece) {
            written += more;
        }
        let left = unsent(&near).unwrap();
        assert!(left > 0 && left < written, "{left} of {written} bytes");
        // What is read makes room at the peer, so all is sent and nothing is left here.
        far.read_exact(&mut vec![0; written]).unwrap();
        assert_eq!(unsent(&near).unwrap(), 0);
    }

    #[test]
    fn of_udp_nothing_when_the_peer_has_it() {
        let far = UdpSocket::bind("127.0.0.1:0").unwrap();
        let near = UdpSocket::bind("127.0.0.1:0").unwrap();
        near.send_to(&[7; 1000], far.local_addr().unwrap()).unwrap();
        far.recv(&mut [0; 2000]).unwrap();
        assert_eq!(unsent(&near).unwrap(), 0);
    }

    #[test]
    fn what_is_no_such_socket_is_refused() {
        assert!(unsent(std::fs::File::open("/").unwrap()).is_err());
        assert!(unsent(std::fs::File::open("/dev/null").unwrap()).is_err());
    }
}
