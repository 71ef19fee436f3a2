//! Interests to management: what they ask for, and how they are answered.

use super::daemon::Daemon;
use super::mgmt::{ControlParameters, ControlResponse};
use crate::clock::Clock;
use crate::driver::Driver;
use weir_wire::{Data, Interest, MetaInfo, Name, Packet, PitToken};

/// Milliseconds that an answer stays fresh (NFD).
const FRESHNESS_MS: u64 = 1000;

/// An Interest that management is to answer.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// Number of the face that it came by.
    pub from: u64,
    /// To be returned with the answer.
    pub token: Option<PitToken>,
    /// The Interest.
    pub interest: Interest,
}

impl Request {
    /// Requests that may wait.
    pub const MOST: usize = 1024;

    /// True for names below `/localhost/nfd`, `/localhop/nfd` and `/localhost/weir`.
    pub fn is_for_management(name: &Name) -> bool {
        name.components().nth(1).is_some_and(|who| matches!(&*who.value, b"nfd" | b"weir"))
    }

    fn words(&self) -> Vec<Vec<u8>> {
        self.interest.name.components().skip(1).take(3).map(|c| c.value.into_owned()).collect()
    }

    /// A command from another host.
    fn is_remote(&self) -> bool {
        self.interest.name.components().next().is_some_and(|first| &*first.value == b"localhop")
    }
}

impl Daemon {
    /// Answers what has been asked since the last turn.
    pub(super) fn answer_requests(&mut self, driver: &mut Driver) {
        for (request, number) in std::mem::take(&mut self.keeping.opened) {
            let response = self.face_created(number);
            self.respond(&request, &response, driver);
        }
        for (request, why) in std::mem::take(&mut self.keeping.failed) {
            self.respond(&request, &ControlResponse::refusal(504, why), driver);
        }
        while let Some(request) = self.requests.pop_front() {
            self.answer(request, driver);
        }
    }

    fn answer(&mut self, request: Request, driver: &mut Driver) {
        let words = request.words();
        let words: Vec<&[u8]> = words.iter().map(|word| &word[..]).collect();
        if let Some(data) = self.published.find(&request.interest) {
            return self.send(&request, data, driver);
        }
        let remote = request.is_remote();
        let content = match words[..] {
            _ if remote => None,
            [b"nfd", module, verb] => self.dataset(module, verb, driver),
            [b"weir", b"status", ..] => Some(self.status(driver).to_json()),
            _ => None,
        };
        if let Some(content) = content {
            let data = self.published.publish(&request.interest.name, &content, Clock::unix_millis());
            return self.send(&request, data, driver);
        }
        let [b"nfd", module, verb] = words[..] else { return };
        if remote && (module != b"rib" || !matches!(verb, b"register" | b"unregister")) {
            let only = ControlResponse::refusal(403, "other hosts may only register prefixes");
            return self.respond(&request, &only, driver);
        }
        let (module, verb) = (module.to_vec(), verb.to_vec());
        if let Some(response) = self.command(&request, &module, &verb, driver) {
            self.respond(&request, &response, driver);
        }
    }

    /// Carries a command out. `None`: the answer comes later.
    fn command(
        &mut self,
        request: &Request,
        module: &[u8],
        verb: &[u8],
        driver: &mut Driver,
    ) -> Option<ControlResponse> {
        let verified = self.verifier.verify(&request.interest, Clock::unix_millis());
        let command = match verified {
            Ok(command) => command,
            Err(why) => return Some(ControlResponse::refusal(403, why)),
        };
        let parameters = match command.name.components().nth(4).map(|c| ControlParameters::decode(&c.value)) {
            Some(Ok(parameters)) => parameters,
            Some(Err(e)) => return Some(ControlResponse::refusal(400, format!("bad ControlParameters: {e}"))),
            None => return Some(ControlResponse::refusal(400, "there are no ControlParameters")),
        };
        self.carry_out(request, module, verb, parameters, driver)
    }

    fn respond(&mut self, request: &Request, response: &ControlResponse, driver: &mut Driver) {
        let meta = MetaInfo { freshness_ms: FRESHNESS_MS, ..MetaInfo::default() };
        let data = Data::build(request.interest.name.clone(), &response.encode(), &meta);
        self.send(request, data, driver);
    }

    fn send(&mut self, request: &Request, data: Data, driver: &mut Driver) {
        let Some(face) = self.numbers.get(&request.from).copied() else { return };
        let mut packet = Packet::from(data);
        packet.hop_mut().pit_token = request.token.clone();
        self.forwarder.send_own(face, packet, &mut driver.context());
    }
}
