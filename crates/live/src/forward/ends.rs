//! What the operator says of faces: those that are kept open, and those that peers open at a listener.

use super::config::Config;
use super::values::{Scheme, Uri};
use crate::station::FaceOptions;
use serde::Deserialize;
use serde::de::value::MapDeserializer;
use weir_core::{Bytes, Limit, Rate, Span};
use weir_wire::{Mtu, Name};

/// A table of the file with all that can be said of a face, and more.
macro_rules! ends {
    ($(#[$about:meta])* $name:ident { $($more:tt)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Deserialize, PartialEq)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        pub struct $name {
            /// Where.
            pub uri: Uri,
            /// The longest frame.
            #[serde(default, deserialize_with = "super::values::mtu")]
            pub mtu: Option<Mtu>,
            /// Rate of the link, on the way out.
            #[serde(default, deserialize_with = "super::values::some_rate")]
            pub rate: Option<Rate>,
            /// Bytes of lower headers that the rate carries with each frame.
            pub overhead: Option<usize>,
            /// Bytes that the kernel may hold unsent.
            #[serde(default, deserialize_with = "super::values::some_quantity")]
            pub backlog: Option<Bytes>,
            /// Propagation delay of the link, one way.
            #[serde(default, deserialize_with = "super::values::some_quantity")]
            pub delay: Option<Span>,
            /// Queue.
            pub queue: Option<Scheme>,
            /// Packets that the queue holds.
            pub queue_packets: Option<usize>,
            /// Bytes that it holds.
            #[serde(default, deserialize_with = "super::values::some_quantity")]
            pub queue_bytes: Option<Bytes>,
            /// Frames that it holds.
            pub queue_frames: Option<usize>,
            /// Loss recovery.
            pub recovery: Option<Scheme>,
            /// Interests per second; 0: any number.
            pub interest_rate: Option<u64>,
            $($more)*
        }

        impl $name {
            /// How the driver is to open such a face.
            pub(super) fn options(&self) -> FaceOptions {
                let backlog = self.backlog.map(|bytes| bytes.0 as usize);
                FaceOptions { mtu: self.mtu, rate: self.rate, overhead: self.overhead, backlog }
            }

            pub(super) fn terms(&self) -> Terms<'_> {
                Terms {
                    delay: self.delay,
                    queue: self.queue.as_ref(),
                    recovery: self.recovery.as_ref(),
                    interest_rate: self.interest_rate,
                    packets: self.queue_packets,
                    bytes: self.queue_bytes,
                    frames: self.queue_frames,
                }
            }
        }
    };
}

ends! {
    /// What can be said of all faces of a listener.
    Listen {}
}

ends! {
    /// A face that is kept open.
    Peer {
        /// The link is down: strategies are told, and nothing leaves.
        pub down: Option<Down>,
        /// Prefixes that are routed there.
        #[serde(default, deserialize_with = "super::values::routes")]
        pub routes: Vec<RouteTo>,
    }
}

/// What becomes of packets for a link that is down.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Down {
    /// They wait in the queue, as far as it has room.
    Wait,
    /// They are dropped, those that wait in the queue included.
    Drop,
}

/// A prefix that a face leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteTo {
    /// The prefix.
    pub prefix: Name,
    /// Its cost over this face.
    pub cost: u64,
    /// Propagation delay to the producer and back, where the operator knows it.
    pub round_trip: Option<Span>,
}

/// The part that both have in common, besides what the driver needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms<'a> {
    pub delay: Option<Span>,
    pub queue: Option<&'a Scheme>,
    pub recovery: Option<&'a Scheme>,
    pub interest_rate: Option<u64>,
    packets: Option<usize>,
    bytes: Option<Bytes>,
    frames: Option<usize>,
}

impl Terms<'_> {
    /// What the queue holds, if it is said, of a face with this longest frame.
    pub fn limit(&self, mtu: Mtu) -> Option<Limit> {
        let packets = self.packets.map(Limit::Packets);
        packets.or(self.bytes.map(Limit::Bytes)).or(self.frames.map(|most| Limit::Frames { most, mtu }))
    }

    fn check(&self) -> Result<(), String> {
        let bytes = self.bytes.map(|bytes| bytes.0 as usize);
        let said = [("queue-packets", self.packets), ("queue-bytes", bytes), ("queue-frames", self.frames)];
        let mut said = said.into_iter().filter_map(|(key, number)| Some((key, number?)));
        match (said.next(), said.next()) {
            (Some((one, _)), Some((other, _))) => Err(format!("{one} and {other} exclude each other: say one")),
            (Some((key, 0)), None) => Err(format!("{key} must be at least 1")),
            _ => Ok(()),
        }
    }
}

impl Listen {
    /// A listener of which nothing else is said.
    pub(super) fn plain(uri: &str) -> Listen {
        let said = MapDeserializer::<_, serde::de::value::Error>::new([("uri", uri)].into_iter());
        Listen::deserialize(said).unwrap_or_else(|error| unreachable!("{uri} is enough: {error}"))
    }
}

/// Looks whether what is said of each face goes together.
pub(super) fn check(config: &Config) -> Result<(), String> {
    let listen = config.listen.iter().map(|listen| ("listen", &listen.uri, listen.terms()));
    let face = config.face.iter().map(|peer| ("face", &peer.uri, peer.terms()));
    for (table, uri, terms) in listen.chain(face) {
        terms.check().map_err(|what| format!("in [[{table}]] of {}: {what}", uri.0))?;
    }
    if config.schemes.queue_packets == 0 {
        return Err("schemes.queue-packets must be at least 1".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(text, Path::new("weir.toml"))
    }

    fn face(more: &str) -> String {
        format!("[[face]]\nuri = \"udp4://192.0.2.7:6363\"\n{more}\n")
    }

    #[test]
    fn a_face_says_what_its_link_and_its_queue_are_like() {
        let text = face(
            "delay = \"15ms\"\nqueue-packets = 50\n\
             routes = [\"/a\", { prefix = \"/b\", cost = 3, round-trip = \"70ms\" }, { prefix = \"/c\" }]",
        );
        let config = parse(&text).unwrap();
        let peer = &config.face[0];
        assert_eq!(peer.delay, Some(Span::from_millis(15)));
        let mtu = Mtu::new(1400).unwrap();
        assert_eq!(peer.terms().limit(mtu), Some(Limit::Packets(50)));
        let routes: Vec<_> = peer.routes.iter().map(|r| (r.prefix.to_string(), r.cost, r.round_trip)).collect();
        let expected = [("/a", 0, None), ("/b", 3, Some(Span::from_millis(70))), ("/c", 0, None)];
        assert_eq!(routes, expected.map(|(prefix, cost, back)| (prefix.to_owned(), cost, back)));
        let limit = |more: &str| parse(&face(more)).unwrap().face[0].terms().limit(mtu);
        assert_eq!(limit("queue-bytes = \"64kB\""), Some(Limit::Bytes(Bytes(64_000))));
        assert_eq!(limit("queue-frames = 9"), Some(Limit::Frames { most: 9, mtu }));
        assert_eq!(limit(""), None);
    }

    #[test]
    fn what_does_not_go_together_is_refused_with_its_place() {
        for (more, word) in [
            ("queue-packets = 5\nqueue-bytes = \"9kB\"", "queue-packets and queue-bytes exclude each other"),
            ("queue-frames = 0", "queue-frames must be at least 1"),
            ("delay = \"15 miles\"", "delay"),
            ("delay = 15", "time such as"),
            ("routes = [{ prefix = \"/b\", round_trip = \"1s\" }]", "round-trip"),
        ] {
            let error = parse(&face(more)).unwrap_err();
            assert!(error.starts_with("weir.toml: ") && error.contains(word), "{more}: {error}");
        }
        let error = parse(&face("queue-frames = 0")).unwrap_err();
        assert!(error.contains("[[face]] of udp4://192.0.2.7:6363"), "{error}");
        assert!(parse("[schemes]\nqueue-packets = 0\n").unwrap_err().contains("at least 1"));
    }
}
