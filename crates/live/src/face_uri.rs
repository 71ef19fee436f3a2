//! Where a face leads, written as NFD writes it: `udp://router.example`, `tcp4://10.0.0.1:6363`,
//! `unix:///run/nfd/nfd.sock`.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::str::FromStr;

/// Port of NDN over UDP and TCP.
pub const NDN_PORT: u16 = 6363;

/// What can be written in front of `://`.
const SCHEMES: [&str; 7] = ["udp", "udp4", "udp6", "tcp", "tcp4", "tcp6", "unix"];

/// A face URI as it was written; a host may still have to be looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaceUri {
    /// UDP or TCP.
    Inet {
        /// Which of the two.
        transport: InetTransport,
        /// Only this family of addresses.
        family: Option<Family>,
        /// A name or an address.
        host: String,
        /// The port.
        port: u16,
    },
    /// A socket in the file system.
    Unix(PathBuf),
}

/// Transports over IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InetTransport {
    /// Datagrams.
    Udp,
    /// A stream.
    Tcp,
}

/// Families of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

/// An address that a socket can be bound or connected to. Its text is the canonical face URI.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Endpoint {
    /// Datagrams.
    Udp(SocketAddr),
    /// A stream over IP.
    Tcp(SocketAddr),
    /// A stream within the host.
    Unix(PathBuf),
    /// The nameless other end of such a stream, by the number of its descriptor.
    Fd(i32),
}

/// Why a text is no face URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaceUriError {
    uri: String,
    what: String,
}

impl fmt::Display for FaceUriError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no face URI: {}", self.uri, self.what)
    }
}

impl std::error::Error for FaceUriError {}

impl FromStr for FaceUri {
    type Err = FaceUriError;

    fn from_str(uri: &str) -> Result<FaceUri, FaceUriError> {
        parse(uri).map_err(|what| FaceUriError { uri: uri.to_owned(), what })
    }
}

fn parse(uri: &str) -> Result<FaceUri, String> {
    let known = || format!("it begins with one of {}", SCHEMES.map(|s| format!("{s}://")).join(", "));
    let (scheme, rest) = uri.split_once("://").ok_or_else(known)?;
    let transport = match scheme {
        "unix" => return unix(rest),
        "udp" | "udp4" | "udp6" => InetTransport::Udp,
        "tcp" | "tcp4" | "tcp6" => InetTransport::Tcp,
        _ => return Err(known()),
    };
    let family = match scheme.as_bytes()[3..] {
        [b'4'] => Some(Family::V4),
        [b'6'] => Some(Family::V6),
        _ => None,
    };
    let (host, port) = host_and_port(rest)?;
    let fits = match (family, host.parse::<IpAddr>()) {
        (Some(Family::V4), Ok(ip)) => ip.is_ipv4(),
        (Some(Family::V6), Ok(ip)) => ip.is_ipv6(),
        _ => true,
    };
    if !fits {
        return Err(format!("`{host}` is no address of {scheme}"));
    }
    Ok(FaceUri::Inet { transport, family, host, port })
}

fn unix(path: &str) -> Result<FaceUri, String> {
    match path.starts_with('/') {
        true => Ok(FaceUri::Unix(path.into())),
        false => Err("behind unix:// stands the socket's whole path, as in unix:///run/nfd/nfd.sock".to_owned()),
    }
}

/// An IPv6 address stands in brackets.
fn host_and_port(rest: &str) -> Result<(String, u16), String> {
    let (host, port) = match rest.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']').ok_or("`[` is not closed")?;
            host.parse::<Ipv6Addr>().map_err(|_| format!("`{host}` is no IPv6 address"))?;
            let port = rest.strip_prefix(':');
            if port.is_none() && !rest.is_empty() {
                return Err(format!("`{rest}` behind the address"));
            }
            (host, port)
        }
        None => match rest.split_once(':') {
            Some((_, more)) if more.contains(':') => return Err("an IPv6 address stands in brackets".to_owned()),
            Some((host, port)) => (host, Some(port)),
            None => (rest, None),
        },
    };
    if host.is_empty() || host.contains(['/', ' ', '@', '?']) {
        return Err(format!("`{host}` is no host"));
    }
    let bad = |port: &str| format!("`{port}` is no port (1 to 65535)");
    let port = match port {
        None => NDN_PORT,
        Some(port) => port.parse().ok().filter(|port| *port > 0).ok_or_else(|| bad(port))?,
    };
    Ok((host.to_owned(), port))
}

impl FaceUri {
    /// Looks the host up, which may take a while. The first address of the wanted family counts.
    pub fn resolve(&self) -> io::Result<Endpoint> {
        match self {
            FaceUri::Unix(path) => Ok(Endpoint::Unix(path.clone())),
            FaceUri::Inet { transport, family, host, port } => {
                let fits = |address: &SocketAddr| match family {
                    None => true,
                    Some(Family::V4) => address.is_ipv4(),
                    Some(Family::V6) => address.is_ipv6(),
                };
                let address = (host.as_str(), *port).to_socket_addrs()?.find(fits);
                let none = || io::Error::new(io::ErrorKind::NotFound, format!("`{host}` has no such address"));
                let address = address.ok_or_else(none)?;
                Ok(match transport {
                    InetTransport::Udp => Endpoint::Udp(address),
                    InetTransport::Tcp => Endpoint::Tcp(address),
                })
            }
        }
    }
}

impl fmt::Display for FaceUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaceUri::Unix(path) => write!(f, "unix://{}", path.display()),
            FaceUri::Inet { transport, family, host, port } => {
                f.write_str(match transport {
                    InetTransport::Udp => "udp",
                    InetTransport::Tcp => "tcp",
                })?;
                f.write_str(match family {
                    None => "",
                    Some(Family::V4) => "4",
                    Some(Family::V6) => "6",
                })?;
                match host.contains(':') {
                    true => write!(f, "://[{host}]:{port}"),
                    false => write!(f, "://{host}:{port}"),
                }
            }
        }
    }
}

impl Endpoint {
    /// True if what is sent there stays on this host: Unix sockets, and TCP over a loopback address (as in NFD).
    pub fn is_local(&self) -> bool {
        match self {
            Endpoint::Unix(_) | Endpoint::Fd(_) => true,
            Endpoint::Tcp(address) => address.ip().is_loopback(),
            Endpoint::Udp(_) => false,
        }
    }

    /// The address that a socket is bound to which may go anywhere in the family of `peer`.
    pub(crate) fn any_of(peer: &SocketAddr) -> SocketAddr {
        match peer {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, address) = match self {
            Endpoint::Unix(path) => return write!(f, "unix://{}", path.display()),
            Endpoint::Fd(number) => return write!(f, "fd://{number}"),
            Endpoint::Udp(address) => ("udp", address),
            Endpoint::Tcp(address) => ("tcp", address),
        };
        let family = if address.is_ipv4() { 4 } else { 6 };
        write!(f, "{scheme}{family}://{address}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_come_back() {
        for (uri, want) in [
            ("udp://router.example", "udp://router.example:6363"),
            ("udp4://10.0.0.1:7000", "udp4://10.0.0.1:7000"),
            ("tcp6://[::1]", "tcp6://[::1]:6363"),
            ("tcp://[2001:db8::7]:9", "tcp://[2001:db8::7]:9"),
            ("unix:///run/nfd/nfd.sock", "unix:///run/nfd/nfd.sock"),
        ] {
            assert_eq!(uri.parse::<FaceUri>().unwrap().to_string(), want);
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        for (uri, want) in [
            ("10.0.0.1", "begins with one of udp://"),
            ("ws://10.0.0.1", "begins with one of udp://"),
            ("udp6://10.0.0.1", "no address of udp6"),
            ("udp://::1", "in brackets"),
            ("udp://[::1", "not closed"),
            ("udp://[::1]x", "behind the address"),
            ("udp://a:0", "no port"),
            ("udp://a:65536", "no port"),
            ("udp://", "no host"),
            ("unix://run/x", "whole path"),
        ] {
            let error = uri.parse::<FaceUri>().unwrap_err().to_string();
            assert!(error.contains(want) && error.contains(uri), "{error}");
        }
    }

    #[test]
    fn addresses_are_looked_up() {
        let endpoint = |uri: &str| uri.parse::<FaceUri>().unwrap().resolve().unwrap();
        assert_eq!(endpoint("udp://127.0.0.1").to_string(), "udp4://127.0.0.1:6363");
        assert_eq!(endpoint("tcp://[::1]:7").to_string(), "tcp6://[::1]:7");
        assert_eq!(endpoint("tcp4://localhost:7").to_string(), "tcp4://127.0.0.1:7");
        assert!(endpoint("tcp://[::1]").is_local() && !endpoint("udp://127.0.0.1").is_local());
    }
}
