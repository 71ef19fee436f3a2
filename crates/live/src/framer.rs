//! Frames out of the bytes of a stream.

use bytes::Bytes;
use std::io::{self, Read};
use weir_core::Time;
use weir_wire::{DecodeError, tlv};

/// The beginning of a frame whose end has not come yet.
#[derive(Debug, Default)]
pub(crate) struct Framer {
    partial: Vec<u8>,
    /// Since when it has been waited for.
    since: Time,
}

/// What one read of a stream brought.
#[derive(Debug, PartialEq)]
pub(crate) enum Got {
    /// This many bytes; more may be there.
    More(usize),
    /// This many bytes, and that was all for now.
    All(usize),
    /// The peer has closed the stream.
    End,
}

/// Why a stream cannot go on.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The system says so.
    Io(io::Error),
    /// It does not speak NDN.
    Syntax(DecodeError),
}

impl Framer {
    /// Reads once into `scratch` and gives every whole frame to `take`.
    pub fn read(
        &mut self,
        mut stream: impl Read,
        scratch: &mut [u8],
        now: Time,
        frames: &mut Vec<Bytes>,
    ) -> Result<Got, Broken> {
        let kept = self.partial.len();
        scratch[..kept].copy_from_slice(&self.partial);
        let got = loop {
            match stream.read(&mut scratch[kept..]) {
                Ok(0) => return Ok(Got::End),
                Ok(n) => break n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(Got::All(0)),
                Err(e) => return Err(Broken::Io(e)),
            }
        };
        let mut rest = &scratch[..kept + got];
        while let Some(len) = tlv::frame_len(rest).map_err(Broken::Syntax)?.filter(|len| *len <= rest.len()) {
            // A copy, for what reads share must not live as long as the longest of its frames.
            frames.push(Bytes::copy_from_slice(&rest[..len]));
            rest = &rest[len..];
        }
        if kept == 0 || rest.len() < kept + got {
            self.since = now;
        }
        self.partial.clear();
        self.partial.extend_from_slice(rest);
        Ok(if kept + got == scratch.len() { Got::More(got) } else { Got::All(got) })
    }

    /// Since when the end of a frame has been waited for.
    pub fn waits_since(&self) -> Option<Time> {
        (!self.partial.is_empty()).then_some(self.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use weir_wire::{Interest, MAX_PACKET};

    /// Gives its bytes in pieces of these lengths.
    struct Pieces<'a>(&'a [u8], std::vec::IntoIter<usize>);

    impl Read for Pieces<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let n = self.1.next().unwrap_or(1).min(self.0.len()).min(to.len());
            to[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    proptest! {
        #[test]
        fn frames_come_whole_however_they_are_cut(
            lens in prop::collection::vec(1usize..200, 1..20),
            cuts in prop::collection::vec(1usize..300, 0..80),
        ) {
            let name = |n: &usize| format!("/{}", "x".repeat(*n)).parse().unwrap();
            let sent: Vec<Bytes> = lens.iter().map(|n| Interest::new(name(n), 7).encode()).collect();
            let stream = sent.concat();
            let mut source = Pieces(&stream, cuts.into_iter());
            let (mut framer, mut scratch, mut got) = (Framer::default(), vec![0; MAX_PACKET + 100], Vec::new());
            while framer.read(&mut source, &mut scratch, Time(1), &mut got).unwrap() != Got::End {}
            prop_assert_eq!(got, sent);
            prop_assert!(framer.waits_since().is_none());
        }
    }

    #[test]
    fn a_bomb_is_refused_before_it_is_read() {
        let bomb = [6, 0xfe, 0x7f, 0xff, 0xff, 0xff, 0];
        let mut framer = Framer::default();
        let broken = framer.read(&bomb[..], &mut vec![0; 20_000], Time(1), &mut Vec::new());
        assert!(matches!(broken, Err(Broken::Syntax(_))), "{broken:?}");
    }

    #[test]
    fn half_a_frame_is_waited_for_since_it_began() {
        let frame = Interest::new("/a/b".parse().unwrap(), 7).encode();
        let (mut framer, mut scratch, mut got) = (Framer::default(), vec![0; 20_000], Vec::new());
        framer.read(&frame[..3], &mut scratch, Time(5), &mut got).unwrap();
        framer.read(&frame[3..6], &mut scratch, Time(9), &mut got).unwrap();
        assert_eq!((framer.waits_since(), got.len()), (Some(Time(5)), 0));
        framer.read(&frame[6..], &mut scratch, Time(12), &mut got).unwrap();
        assert_eq!((framer.waits_since(), got.len()), (None, 1));
    }
}
