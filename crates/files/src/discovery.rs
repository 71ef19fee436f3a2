//! From the name of a content to that of its newest version.

use crate::naming;
use weir_core::{Chance, Span, Time};
use weir_wire::{Content, Data, Interest, Nack, NackReason, Name};

/// How long an Interest waits for its answer, in milliseconds; so long each attempt lasts.
const LIFETIME_MS: u32 = 1000;
/// Attempts with metadata, and after them attempts with a prefix.
const METADATA: u32 = 3;
const PREFIX: u32 = 2;
/// After a refusal the next attempt comes this much later.
const PAUSE: Span = Span::from_millis(250);

/// What has been found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The name to which segment numbers are added.
    Version(Name),
    /// This one Data is all of the content.
    Whole,
    /// The Data names something else than what was asked for.
    Astray(Name),
}

/// Asks for metadata, and if nobody has any for whatever begins with the name.
#[derive(Debug)]
pub(crate) struct Discovery {
    name: Name,
    chance: Chance,
    attempts: u32,
    due: Time,
    nonce: u32,
    /// Why the last attempt failed, if somebody said so.
    refused: Option<NackReason>,
}

impl Discovery {
    pub fn new(name: Name, chance: Chance) -> Discovery {
        Discovery { name, chance, attempts: 0, due: Time::ZERO, nonce: 0, refused: None }
    }

    /// When [`Discovery::ask`] wants to be called.
    pub fn due(&self) -> Time {
        self.due
    }

    /// The next Interest, if it is time; an error if there was no answer to any.
    pub fn ask(&mut self, now: Time) -> Result<Option<Interest>, String> {
        if now < self.due {
            return Ok(None);
        }
        if self.attempts == METADATA + PREFIX {
            let why = match self.refused {
                Some(NackReason::NoRoute) => "; the forwarder knows no way there: is the producer running?".to_owned(),
                Some(reason) => format!("; the last Interest was refused: {reason:?}"),
                None => String::new(),
            };
            return Err(format!("nobody answers for {} ({} Interests){why}", self.name, self.attempts));
        }
        let metadata = self.attempts < METADATA;
        self.attempts += 1;
        self.due = now + Span::from_millis(LIFETIME_MS.into());
        self.nonce = self.chance.bits() as u32;
        let name = if metadata { naming::metadata(&self.name) } else { self.name.clone() };
        let interest = Interest::new(name, self.nonce);
        Ok(Some(Interest { can_be_prefix: true, must_be_fresh: true, lifetime_ms: LIFETIME_MS, ..interest }))
    }

    /// True if the Data may be an answer; then it is worth to be verified.
    pub fn awaits(&self, data: &Data) -> bool {
        self.attempts > 0 && self.name.is_prefix_of(&data.name)
    }

    /// What a verified Data says.
    pub fn on_data(&self, data: &Data) -> Option<Found> {
        let astray =
            |name: Name| if self.name.is_prefix_of(&name) { Found::Version(name) } else { Found::Astray(name) };
        if naming::metadata(&self.name).is_prefix_of(&data.name) {
            let Content::Encoded(encoded) = &data.content else { return None };
            return naming::read_metadata(&encoded.payload).map(astray);
        }
        match data.name.segment() {
            Some(_) => Some(Found::Version(data.name.without_segment())),
            None if data.name == self.name || naming::version_of(&data.name).is_some() => Some(Found::Whole),
            None => None,
        }
    }

    /// An Interest was refused.
    pub fn on_nack(&mut self, nack: &Nack, now: Time) {
        if nack.interest.nonce == self.nonce {
            self.refused = Some(nack.reason);
            self.due = self.due.min(now + PAUSE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::Seed;
    use weir_wire::MetaInfo;

    fn name(uri: &str) -> Name {
        uri.parse().unwrap()
    }

    fn begun() -> (Discovery, Interest) {
        let mut discovery = Discovery::new(name("/a"), Seed(1).stream());
        let first = discovery.ask(Time(7)).unwrap().unwrap();
        (discovery, first)
    }

    #[test]
    fn metadata_first_then_a_prefix_then_no_more() {
        let (mut discovery, first) = begun();
        let (mut asked, mut now) = (vec![first], discovery.due());
        let told = loop {
            match discovery.ask(now) {
                Ok(interest) => asked.push(interest.unwrap()),
                Err(told) => break told,
            }
            now = discovery.due();
        };
        let names: Vec<String> = asked.iter().map(|i| i.name.to_string()).collect();
        assert_eq!(names, ["/a/32=metadata", "/a/32=metadata", "/a/32=metadata", "/a", "/a"]);
        assert!(asked.iter().all(|i| i.can_be_prefix && i.must_be_fresh));
        assert_eq!(now, Time(7) + Span::from_millis(5000));
        assert!(told.contains("nobody answers for /a (5 Interests)"), "{told}");
    }

    #[test]
    fn a_refusal_shortens_the_wait_and_is_told() {
        let (mut discovery, mut interest) = begun();
        let mut now = Time(7);
        let told = loop {
            discovery.on_nack(&Nack { reason: NackReason::NoRoute, interest: interest.clone() }, now);
            now = discovery.due();
            match discovery.ask(now) {
                Ok(next) => interest = next.unwrap(),
                Err(told) => break told,
            }
        };
        assert_eq!(now, Time(7) + PAUSE * 5);
        assert!(told.contains("knows no way"), "{told}");
    }

    #[test]
    fn answers_of_all_kinds() {
        let (discovery, _) = begun();
        let data = |uri: &str, content: &[u8]| Data::build(name(uri), content, &MetaInfo::default());
        let metadata = |versioned: &str| data("/a/32=metadata/v=9/seg=0", &naming::write_metadata(&name(versioned)));
        assert_eq!(discovery.on_data(&metadata("/a/v=3")), Some(Found::Version(name("/a/v=3"))));
        assert_eq!(discovery.on_data(&metadata("/b/v=3")), Some(Found::Astray(name("/b/v=3"))));
        assert_eq!(discovery.on_data(&data("/a/32=metadata/v=9/seg=0", b"?")), None);
        assert_eq!(discovery.on_data(&data("/a/v=3/seg=7", b"")), Some(Found::Version(name("/a/v=3"))));
        assert_eq!(discovery.on_data(&data("/a/v=3", b"")), Some(Found::Whole));
        assert_eq!(discovery.on_data(&data("/a/b", b"")), None);
        assert!(discovery.awaits(&data("/a/b", b"")) && !discovery.awaits(&data("/b", b"")));
    }
}
