//! May this Interest give orders?

use super::config::Management;
use bytes::Bytes;
use std::collections::{BTreeSet, VecDeque};
use weir_trust::{KeyFile, KeyRing};
use weir_wire::{Interest, Name, Signature, SignatureType};

/// How far a command's time stamp may be from our clock, in milliseconds (ndn-cxx's command validator: 120 s).
const GRACE_MS: u64 = 120_000;
/// Commands that are remembered, so that none is carried out twice.
const REMEMBERED: usize = 4096;

/// A command that may be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    /// The name without what the signature and the digest of parameters added.
    pub name: Name,
}

/// Decides which Interests are commands.
#[derive(Debug)]
pub(crate) struct Verifier {
    accepted: Vec<SignatureType>,
    keys: KeyRing,
    unsigned: bool,
    replay: bool,
    seen: BTreeSet<Bytes>,
    order: VecDeque<Bytes>,
}

impl Verifier {
    /// # Errors
    /// What is wrong with a file of keys.
    pub fn new(rules: &Management) -> Result<Verifier, String> {
        let key = |path: &String| {
            let Ok(file): Result<KeyFile, _> = path.parse();
            file.verifier().map_err(|e| e.to_string())
        };
        Ok(Verifier {
            keys: rules.keys.iter().map(key).collect::<Result<KeyRing, String>>()?,
            accepted: rules.signatures.iter().map(|kind| kind.signature_type()).collect(),
            unsigned: rules.unsigned,
            replay: rules.replay_protection,
            seen: BTreeSet::new(),
            order: VecDeque::new(),
        })
    }

    /// The command that the Interest is, or why it is none. Both forms are taken: signed as packet format v0.3 has it, and
    /// with the signature in the name.
    pub fn verify(&mut self, interest: &Interest, clock_ms: u64) -> Result<Command, String> {
        let signed = interest.signature().map_err(|e| format!("bad signature: {e}"))?;
        if let Some(signature) = signed {
            let time = signature.info.time_ms;
            let unique = signature.info.nonce.is_some() || time.is_some() || signature.info.seq_num.is_some();
            self.check(&signature, time, unique, clock_ms)?;
            return Ok(Command { name: without_digest(&interest.name) });
        }
        if let Some(command) = interest.signed_command() {
            self.check(&command.signature, Some(command.time_ms), true, clock_ms)?;
            return Ok(Command { name: command.name });
        }
        match self.unsigned {
            true => Ok(Command { name: without_digest(&interest.name) }),
            false => Err("the command is not signed".to_owned()),
        }
    }

    fn check(&mut self, signature: &Signature, time: Option<u64>, unique: bool, clock_ms: u64) -> Result<(), String> {
        let typ = signature.info.typ;
        if !self.accepted.contains(&typ) {
            return Err(format!("{typ} is not accepted for commands"));
        }
        match self.keys.keys().is_empty() {
            false => self.keys.verify(signature).map_err(|e| e.to_string())?,
            true if typ == SignatureType::DigestSha256 && !signature.verify_digest() => {
                return Err("the signature is wrong".to_owned());
            }
            // Other kinds are made with keys that nobody told us: the socket decides whom we trust, as with NFD's default.
            true => {}
        }
        if !self.replay {
            return Ok(());
        }
        if !unique {
            return Err("the signature has neither nonce nor time nor sequence number".to_owned());
        }
        if time.is_some_and(|time| time.abs_diff(clock_ms) > GRACE_MS) {
            return Err("the signature's time is more than two minutes off".to_owned());
        }
        match self.remember(Bytes::copy_from_slice(&signature.value)) {
            true => Ok(()),
            false => Err("the command was given before".to_owned()),
        }
    }

    /// False if it is known.
    fn remember(&mut self, value: Bytes) -> bool {
        if !self.seen.insert(value.clone()) {
            return false;
        }
        self.order.push_back(value);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.seen.remove(&oldest);
        }
        true
    }
}

fn without_digest(name: &Name) -> Name {
    let digest = weir_wire::component_type::PARAMETERS_DIGEST;
    Name::from_components(name.components().filter(|c| c.typ != digest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_wire::SignatureInfo;

    const NOW: u64 = 1_700_000_000_000;

    fn name() -> Name {
        "/localhost/nfd/rib/register/x".parse().unwrap()
    }

    fn interest() -> Interest {
        Interest::new(name(), 7)
    }

    fn verifier() -> Verifier {
        Verifier::new(&Management::default()).unwrap()
    }

    #[test]
    fn both_forms_are_taken_and_neither_twice() {
        let mut verifier = verifier();
        for command in [interest().with_signed_parameters(vec![], 5, NOW), interest().into_digest_command(6, NOW)] {
            assert_eq!(verifier.verify(&command, NOW).unwrap().name, name());
            assert!(verifier.verify(&command, NOW).unwrap_err().contains("before"));
        }
    }

    #[test]
    fn what_is_unsigned_old_damaged_or_repeatable_is_refused() {
        let mut verifier = verifier();
        let mut refused = |command: &Interest, why: &str| {
            let error = verifier.verify(command, NOW).unwrap_err();
            assert!(error.contains(why), "{error}");
        };
        refused(&interest(), "not signed");
        refused(&interest().with_parameters(vec![1]), "not signed");
        refused(&interest().with_signed_parameters(vec![], 5, NOW - GRACE_MS - 1), "two minutes");
        refused(&interest().into_digest_command(5, NOW + GRACE_MS + 1), "two minutes");
        let plain = SignatureInfo::default();
        let bad = |_: &[u8]| Ok::<_, std::convert::Infallible>([0u8; 32]);
        refused(
            &interest().sign(vec![], &SignatureInfo { time_ms: Some(NOW), ..plain.clone() }, bad).unwrap(),
            "wrong",
        );
        let null = SignatureInfo::new(SignatureType::Null);
        refused(&interest().sign(vec![], &null, bad).unwrap(), "not accepted");
        let ecdsa = SignatureInfo::new(SignatureType::Ecdsa);
        refused(&interest().sign(vec![], &ecdsa, bad).unwrap(), "neither nonce");
    }

    #[test]
    fn memory_of_commands_is_bounded() {
        let mut verifier = verifier();
        for i in 0..2 * REMEMBERED as u64 {
            verifier.verify(&interest().into_digest_command(i, NOW), NOW).unwrap();
        }
        assert_eq!((verifier.seen.len(), verifier.order.len()), (REMEMBERED, REMEMBERED));
    }
}
