//! Telling a forwarder which prefix is served here.

use bytes::Bytes;
use weir_core::{Chance, Span, Time};
use weir_trust::Signer;
use weir_wire::tlv::{Reader, write_element, write_number};
use weir_wire::{Component, Content, Data, Interest, Name};

/// Elements of the management protocol (NFD, "ControlCommand").
const CONTROL_PARAMETERS: u32 = 104;
const CONTROL_RESPONSE: u32 = 101;
const STATUS_CODE: u32 = 102;
const STATUS_TEXT: u32 = 103;
const ORIGIN: u32 = 111;
const COST: u32 = 106;
const FLAGS: u32 = 108;
/// Longer prefixes inherit the route.
const CHILD_INHERIT: u64 = 1;

/// A command that is not answered is repeated after this, and then after twice as long each time.
const FIRST_PATIENCE: Span = Span::from_millis(1000);
const LONGEST_PATIENCE: Span = Span::from_millis(16_000);

/// What a forwarder said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The prefix leads here.
    Registered,
    /// It does not want to; asking again will not help.
    Refused {
        /// Such as 403.
        code: u64,
        /// In words.
        text: String,
    },
}

/// One prefix at one forwarder: asks until there is an answer.
#[derive(Debug)]
pub struct Registration {
    prefix: Name,
    command: Name,
    signer: Signer,
    chance: Chance,
    /// Of the last command.
    time_ms: u64,
    patience: Span,
    /// When to ask (again); `None`: there is nothing to ask.
    due: Option<Time>,
    asked: u32,
}

impl Registration {
    /// A registration that has not begun. `local`: the face to the forwarder stays on this host.
    pub fn new(prefix: Name, local: bool, signer: Signer, chance: Chance) -> Registration {
        let scope = if local { &b"localhost"[..] } else { b"localhop" };
        let parts = [scope, b"nfd", b"rib", b"register"];
        let command = Name::from_components(parts.into_iter().map(Component::generic));
        let mut registration =
            Registration { prefix, command, signer, chance, time_ms: 0, patience: FIRST_PATIENCE, due: None, asked: 0 };
        registration.command = registration.command.child(Component::generic(registration.parameters()));
        registration
    }

    fn parameters(&self) -> Vec<u8> {
        let mut value = Vec::new();
        self.prefix.encode_into(&mut value);
        write_number(&mut value, ORIGIN, 0);
        write_number(&mut value, COST, 0);
        write_number(&mut value, FLAGS, CHILD_INHERIT);
        let mut parameters = Vec::new();
        write_element(&mut parameters, CONTROL_PARAMETERS, &value);
        parameters
    }

    /// Begins, or begins anew with a forwarder that has come back.
    pub fn begin(&mut self, now: Time) {
        (self.patience, self.due, self.asked) = (FIRST_PATIENCE, Some(now), 0);
    }

    /// Stops asking.
    pub fn end(&mut self) {
        self.due = None;
    }

    /// When [`Registration::ask`] wants to be called.
    pub fn due(&self) -> Option<Time> {
        self.due
    }

    /// Commands that have not been answered.
    pub fn unanswered(&self) -> u32 {
        self.asked
    }

    /// The next command, if one is due. `unix_ms`: milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// If it cannot be signed.
    pub fn ask(&mut self, now: Time, unix_ms: u64) -> Result<Option<Interest>, weir_trust::SignError> {
        if self.due.is_none_or(|due| due > now) {
            return Ok(None);
        }
        self.due = Some(now + self.patience);
        self.patience = (self.patience * 2).min(LONGEST_PATIENCE);
        self.asked += 1;
        // A command's time must grow from one to the next.
        self.time_ms = unix_ms.max(self.time_ms + 1);
        let interest = Interest::new(self.command.clone(), self.chance.bits() as u32);
        let interest = Interest { lifetime_ms: 1000, must_be_fresh: true, ..interest };
        self.signer.interest(interest, Bytes::new(), self.chance.bits(), self.time_ms).map(Some)
    }

    /// What a Data says, if it is the answer.
    pub fn answer(&mut self, data: &Data) -> Option<Answer> {
        self.due?;
        if !self.command.is_prefix_of(&data.name) {
            return None;
        }
        let Content::Encoded(encoded) = &data.content else { return None };
        let (code, text) = response(&encoded.payload)?;
        self.due = None;
        Some(if code == 200 { Answer::Registered } else { Answer::Refused { code, text } })
    }
}

fn response(content: &[u8]) -> Option<(u64, String)> {
    let mut fields = Reader::new(content).expect(CONTROL_RESPONSE).ok()?.reader();
    let code = fields.expect(STATUS_CODE).ok()?.number().ok()?;
    let text = fields.expect(STATUS_TEXT).map_or(String::new(), |e| String::from_utf8_lossy(e.value).into_owned());
    Some((code, text))
}

/// The route that a command asks for: what [`Registration`] sends, read back. For those who play a forwarder.
#[cfg(test)]
fn registered_prefix(command: &Name) -> Option<Name> {
    let parameters = command.components().nth(4)?;
    let mut fields = Reader::new(&parameters.value).expect(CONTROL_PARAMETERS).ok()?.reader();
    Name::from_element(&fields.expect(weir_wire::types::NAME).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::Seed;
    use weir_wire::MetaInfo;

    fn registration() -> Registration {
        let chance = Seed(1).stream();
        let mut registration = Registration::new("/a/b".parse().unwrap(), true, Signer::digest(), chance);
        registration.begin(Time(5));
        registration
    }

    fn respond(command: &Interest, code: u64, text: &str) -> Data {
        let mut value = Vec::new();
        write_number(&mut value, STATUS_CODE, code);
        write_element(&mut value, STATUS_TEXT, text.as_bytes());
        let mut content = Vec::new();
        write_element(&mut content, CONTROL_RESPONSE, &value);
        Data::build(command.name.clone(), &content, &MetaInfo::default())
    }

    #[test]
    fn it_asks_until_there_is_an_answer() {
        let mut registration = registration();
        let first = registration.ask(Time(5), 1000).unwrap().unwrap();
        assert!(first.verify_digest() && registered_prefix(&first.name) == Some("/a/b".parse().unwrap()));
        assert_eq!(registration.ask(Time(6), 1000).unwrap(), None, "not yet");
        let due = registration.due().unwrap();
        let second = registration.ask(due, 999).unwrap().unwrap();
        assert!(second.name != first.name);
        let times = [&first, &second].map(|i| i.signature().unwrap().unwrap().info.time_ms.unwrap());
        assert!(times[0] < times[1], "also when the clock goes back");
        assert_eq!(registration.answer(&Data::build("/a/b".parse().unwrap(), b"", &MetaInfo::default())), None);
        assert_eq!(registration.answer(&respond(&second, 200, "OK")), Some(Answer::Registered));
        assert_eq!((registration.due(), registration.answer(&respond(&first, 200, "OK"))), (None, None));
        registration.begin(Time(900));
        assert!(registration.ask(Time(900), 1001).unwrap().is_some(), "again, for a forwarder that has come back");
    }

    #[test]
    fn a_refusal_is_final() {
        let mut registration = registration();
        let asked = registration.ask(Time(5), 1).unwrap().unwrap();
        let text = "authorization rejected".to_owned();
        assert_eq!(registration.answer(&respond(&asked, 403, &text)), Some(Answer::Refused { code: 403, text }));
        assert_eq!(registration.due(), None);
    }

    #[test]
    fn patience_grows_and_stays_finite() {
        let (mut registration, mut now, mut waits) = (registration(), Time(5), Vec::new());
        for _ in 0..8 {
            registration.ask(now, 1).unwrap().unwrap();
            let due = registration.due().unwrap();
            waits.push(due.since(now).0 / 1_000_000_000);
            now = due;
        }
        assert_eq!((waits, registration.unanswered()), (vec![1, 2, 4, 8, 16, 16, 16, 16], 8));
    }
}
