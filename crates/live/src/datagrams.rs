//! Several datagrams in one call of the system: those of one length that follow each other, such as the fragments of a
//! packet. They go through the kernel as one, to the device or to the socket of a peer on this host (`UDP_SEGMENT`,
//! `UDP_GRO`; elsewhere than on Linux each goes by itself).

use mio::net::UdpSocket;
use std::io;
use std::net::SocketAddr;

/// The kernel takes no more at once, and no longer ones.
const MOST: usize = 64;
const LONGEST: usize = 65_000;

/// Frames of one length, but for the last, which may be shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Where it ends.
    pub end: usize,
    /// The length of its frames.
    pub segment: usize,
}

impl Run {
    /// The next frame, or with `more` as many as can go together. Frames follow each other from `start` and end at `ends`;
    /// earlier ones are over.
    pub fn next(ends: &[usize], start: usize, more: bool) -> Option<Run> {
        let mut ends = ends[ends.partition_point(|end| *end <= start)..].iter().copied();
        let mut run = ends.next().map(|end| Run { end, segment: end - start })?;
        for end in ends.take(MOST - 1) {
            let len = end - run.end;
            if !more || len > run.segment || end - start > LONGEST {
                break;
            }
            run.end = end;
            if len < run.segment {
                break;
            }
        }
        Some(run)
    }
}

/// Datagrams that came together: `bytes` in all, in pieces of `segment`, of which the last may be shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Received {
    pub bytes: usize,
    pub segment: usize,
    pub from: SocketAddr,
}

/// Sends datagrams of `segment` bytes to the peer of a socket. The kernel takes all or none.
#[cfg(target_os = "linux")]
pub(crate) fn send(socket: &UdpSocket, bytes: &[u8], segment: usize) -> io::Result<()> {
    use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};
    use std::os::fd::AsRawFd;
    let segment = u16::try_from(segment).map_err(io::Error::other)?;
    let as_run = [ControlMessage::UdpGsoSegments(&segment)];
    sendmsg::<()>(socket.as_raw_fd(), &[io::IoSlice::new(bytes)], &as_run, MsgFlags::empty(), None)?;
    Ok(())
}

/// True of an error by which a kernel, or the device on the way, says that it cannot send runs; each frame by itself may get
/// through all the same.
#[cfg(target_os = "linux")]
pub(crate) fn cannot_run(error: &io::Error) -> bool {
    use nix::errno::Errno;
    let no = [Errno::EINVAL, Errno::EIO, Errno::EMSGSIZE, Errno::EOPNOTSUPP, Errno::ENOPROTOOPT];
    error.raw_os_error().is_some_and(|code| no.contains(&Errno::from_raw(code)))
}

/// Lets what was sent together come together.
#[cfg(target_os = "linux")]
pub(crate) fn join(socket: &UdpSocket) {
    // A kernel that cannot gives one at a time.
    let _ = nix::sys::socket::setsockopt(socket, nix::sys::socket::sockopt::UdpGroSegment, &true);
}

/// Takes what has come.
#[cfg(target_os = "linux")]
pub(crate) fn receive(socket: &UdpSocket, to: &mut [u8]) -> io::Result<Received> {
    use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg};
    use std::os::fd::AsRawFd;
    let mut control = nix::cmsg_space!(i32);
    let mut slices = [io::IoSliceMut::new(to)];
    let got = recvmsg::<SockaddrStorage>(socket.as_raw_fd(), &mut slices, Some(&mut control), MsgFlags::empty())?;
    let segment = got.cmsgs()?.find_map(|message| match message {
        ControlMessageOwned::UdpGroSegments(bytes) => usize::try_from(bytes).ok().filter(|bytes| *bytes > 0),
        _ => None,
    });
    let from = got.address.and_then(|address| {
        let v4 = address.as_sockaddr_in().map(|v4| SocketAddr::V4((*v4).into()));
        v4.or_else(|| address.as_sockaddr_in6().map(|v6| SocketAddr::V6((*v6).into())))
    });
    let from = from.ok_or_else(|| io::Error::other("a datagram without a sender"))?;
    Ok(Received { bytes: got.bytes, segment: segment.unwrap_or(got.bytes), from })
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn send(_: &UdpSocket, _: &[u8], _: usize) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn cannot_run(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn join(_: &UdpSocket) {}

#[cfg(not(target_os = "linux"))]
pub(crate) fn receive(socket: &UdpSocket, to: &mut [u8]) -> io::Result<Received> {
    let (bytes, from) = socket.recv_from(to)?;
    Ok(Received { bytes, segment: bytes, from })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_hold_each_frame_once_and_keep_to_the_kernels_rules(
            lens in prop::collection::vec(prop::sample::select(vec![1usize, 500, 1400, 8800]), 1..200),
            more in any::<bool>(),
        ) {
            let ends: Vec<usize> =
                lens.iter().scan(0, |end, len| { *end += len; Some(*end) }).collect();
            let (mut start, mut frames) = (0, Vec::new());
            while let Some(run) = Run::next(&ends, start, more) {
                let bytes = run.end - start;
                let count = bytes.div_ceil(run.segment);
                prop_assert!(count <= MOST && (bytes <= LONGEST || count == 1) && (more || count == 1));
                frames.extend((0..count).map(|n| run.segment.min(bytes - n * run.segment)));
                start = run.end;
            }
            prop_assert_eq!(frames, lens);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_run_comes_as_datagrams_or_together() {
        let socket = || UdpSocket::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let (near, apart, together) = (socket(), socket(), socket());
        let bytes: Vec<u8> = (0..3 * 1400 + 500).map(|n| (n / 1400) as u8).collect();
        let mut to = vec![0; 70_000];
        near.connect(apart.local_addr().unwrap()).unwrap();
        send(&near, &bytes, 1400).unwrap();
        for (n, len) in [1400, 1400, 1400, 500].into_iter().enumerate() {
            let got = receive(&apart, &mut to).unwrap();
            assert_eq!(got, Received { bytes: len, segment: len, from: near.local_addr().unwrap() });
            assert!(to[..len].iter().all(|byte| usize::from(*byte) == n));
        }
        join(&together);
        near.connect(together.local_addr().unwrap()).unwrap();
        send(&near, &bytes, 1400).unwrap();
        let got = receive(&together, &mut to).unwrap();
        assert_eq!((got.bytes, got.segment), (bytes.len(), 1400));
        assert!(to[..got.bytes] == bytes);
        assert_eq!(receive(&together, &mut to).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    }
}
