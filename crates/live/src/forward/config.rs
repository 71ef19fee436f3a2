//! What the operator says, in TOML. The operator's page (docs/live.md) lists every key; a test holds it to that.

pub use super::ends::{Down, Listen, Peer, RouteTo};
use super::values::{Scheme, explain};
use serde::Deserialize;
use std::path::Path;
use weir_core::{Bytes, Span};
use weir_wire::{Name, SignatureType};

/// A forwarder's configuration.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Config {
    /// Sizes of the tables.
    pub tables: Tables,
    /// What faces may ask.
    pub limits: Limits,
    /// The schemes of all faces and prefixes that have no other.
    pub schemes: Schemes,
    /// Where to listen; without any: NFD's socket, UDP and TCP on port 6363.
    pub listen: Vec<Listen>,
    /// Faces that are kept open.
    pub face: Vec<Peer>,
    /// Strategies of prefixes.
    pub strategy: Vec<Choice>,
    /// Who may give orders.
    pub management: Management,
    /// Address of the Prometheus endpoint; none without it.
    pub metrics: Option<String>,
}

/// Sizes of the tables.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Tables {
    /// Packets in the Content Store; 0: off.
    pub content_store: usize,
    /// Entries in the Pending Interest Table.
    pub pit: usize,
    /// Routes that may be registered.
    pub routes: usize,
}

impl Default for Tables {
    fn default() -> Tables {
        // A Content Store of 72 MB at most, for nobody has asked for it: fresh memory is what a cache costs most. A PIT for
        // 5 Gbit/s of 8000-byte Data that take a second.
        Tables { content_store: 8192, pit: 65_536, routes: 100_000 }
    }
}

/// Bounds for faces.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Limits {
    /// Faces that may be open at once.
    pub faces: usize,
    /// Interests per second from one face that does not stay on this host; 0: any number.
    pub interest_rate: u64,
    /// Part of the PIT that one face may fill.
    pub pit_share: f64,
    /// The longest InterestLifetime that counts.
    #[serde(deserialize_with = "super::values::quantity")]
    pub lifetime: Span,
    /// A UDP face that a peer opened is closed after so long a silence.
    #[serde(deserialize_with = "super::values::quantity")]
    pub idle: Span,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            faces: 1024,
            interest_rate: 0,
            pit_share: 0.25,
            lifetime: Span::from_millis(60_000),
            idle: Span::from_millis(600_000),
        }
    }
}

/// The schemes of all that has no other.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Schemes {
    /// Queue of each face.
    pub queue: Scheme,
    /// Packets that a queue holds, if it does not say so itself.
    pub queue_packets: usize,
    /// The same of faces to programs of this host. Round trips to them are so short that a window doubles several times
    /// before a queue that marks has seen enough; what is not lost then is marked soon.
    pub local_queue_packets: usize,
    /// Loss recovery of each face; `none`: none.
    pub recovery: Scheme,
    /// Strategy of all prefixes.
    pub strategy: Scheme,
    /// Node monitor; `none`: none.
    pub monitor: Scheme,
    /// Payload of the Data in use, for schemes that want to know.
    #[serde(deserialize_with = "super::values::quantity")]
    pub payload: Bytes,
}

impl Default for Schemes {
    fn default() -> Schemes {
        Schemes {
            queue: Scheme::named("pcon"),
            queue_packets: 1000,
            local_queue_packets: 8192,
            recovery: Scheme::named("none"),
            strategy: Scheme::named("best-route"),
            monitor: Scheme::named("none"),
            payload: Bytes(8000),
        }
    }
}

/// The strategy of a prefix.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Choice {
    /// The prefix.
    #[serde(deserialize_with = "super::values::name")]
    pub prefix: Name,
    /// Its strategy.
    pub strategy: Scheme,
}

/// Who may give orders.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Management {
    /// Other hosts may register prefixes that lead to themselves (`/localhop/nfd/rib`).
    pub localhop: bool,
    /// Signatures that commands may have.
    pub signatures: Vec<SignatureKind>,
    /// Files with keys (as `weir get --key` takes them): commands must be signed by one of them. Without any, whoever can
    /// reach a local face may give orders.
    pub keys: Vec<String>,
    /// Commands need no signature.
    pub unsigned: bool,
    /// No command is carried out twice, or much later than it was signed.
    pub replay_protection: bool,
}

impl Default for Management {
    fn default() -> Management {
        Management {
            localhop: false,
            signatures: SignatureKind::ALL.to_vec(),
            keys: Vec::new(),
            unsigned: false,
            replay_protection: true,
        }
    }
}

/// A kind of signature by the word that a file has for it.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum SignatureKind {
    /// SHA-256 digest.
    Digest,
    /// RSA with SHA-256.
    Rsa,
    /// ECDSA with SHA-256.
    Ecdsa,
    /// HMAC with SHA-256.
    Hmac,
    /// Ed25519.
    Ed25519,
}

impl SignatureKind {
    const ALL: [SignatureKind; 5] =
        [SignatureKind::Digest, SignatureKind::Rsa, SignatureKind::Ecdsa, SignatureKind::Hmac, SignatureKind::Ed25519];

    pub(crate) fn signature_type(self) -> SignatureType {
        match self {
            SignatureKind::Digest => SignatureType::DigestSha256,
            SignatureKind::Rsa => SignatureType::Rsa,
            SignatureKind::Ecdsa => SignatureType::Ecdsa,
            SignatureKind::Hmac => SignatureType::Hmac,
            SignatureKind::Ed25519 => SignatureType::Ed25519,
        }
    }
}

impl Config {
    /// Reads a file's text; `file` is for errors.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn parse(text: &str, file: &Path) -> Result<Config, String> {
        let config: Config = toml::from_str(text).map_err(|error| explain(&error, file))?;
        config.check().map_err(|what| format!("{}: {what}", file.display()))?;
        Ok(config)
    }

    /// What only the whole shows: whether each scheme can be built, and numbers are in their ranges.
    fn check(&self) -> Result<(), String> {
        if !(self.limits.pit_share > 0.0 && self.limits.pit_share <= 1.0) {
            return Err(format!("limits.pit-share is a part from 0 to 1, found {}", self.limits.pit_share));
        }
        for (what, number) in [("tables.pit", self.tables.pit), ("limits.faces", self.limits.faces)] {
            if number == 0 {
                return Err(format!("{what} must be at least 1"));
            }
        }
        super::ends::check(self)?;
        super::parts::check(self)
    }

    /// Where to listen: what is said, or what NFD's users expect.
    pub(crate) fn listeners(&self) -> Vec<Listen> {
        if !self.listen.is_empty() {
            return self.listen.clone();
        }
        let uris = ["unix:///run/nfd/nfd.sock", "udp4://0.0.0.0", "udp6://[::]", "tcp4://0.0.0.0", "tcp6://[::]"];
        uris.map(Listen::plain).to_vec()
    }
}
