//! The words of NFD's management protocol: ControlParameters and ControlResponse (NFD Management Protocol, redmine wiki;
//! ndn-cxx `encoding/tlv-nfd.hpp`).

use weir_wire::tlv::{Reader, write_element, write_number};
use weir_wire::types::NAME;
use weir_wire::{DecodeError, Name};

pub(crate) const CONTROL_PARAMETERS: u32 = 104;
pub(crate) const CONTROL_RESPONSE: u32 = 101;
const STATUS_CODE: u32 = 102;
const STATUS_TEXT: u32 = 103;
pub(crate) const FACE_ID: u32 = 105;
pub(crate) const COST: u32 = 106;
pub(crate) const STRATEGY: u32 = 107;
pub(crate) const FLAGS: u32 = 108;
pub(crate) const EXPIRATION_PERIOD: u32 = 109;
pub(crate) const ORIGIN: u32 = 111;
const MASK: u32 = 112;
pub(crate) const URI: u32 = 114;
pub(crate) const LOCAL_URI: u32 = 129;
pub(crate) const CAPACITY: u32 = 131;
const COUNT: u32 = 132;
pub(crate) const FACE_PERSISTENCY: u32 = 133;
const MARKING_INTERVAL: u32 = 135;
const CONGESTION_THRESHOLD: u32 = 136;
pub(crate) const MTU: u32 = 137;

/// What a command is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlParameters {
    /// A prefix.
    pub name: Option<Name>,
    /// A face.
    pub face: Option<u64>,
    /// Where a face leads.
    pub uri: Option<String>,
    /// Its address on this side.
    pub local_uri: Option<String>,
    /// Who made a route: 0 an application, 255 an operator.
    pub origin: Option<u64>,
    /// Cost of a route.
    pub cost: Option<u64>,
    /// Most packets in the Content Store.
    pub capacity: Option<u64>,
    /// How many packets to erase, or how many were.
    pub count: Option<u64>,
    /// Flags of a route (1 child-inherit, 2 capture), a face or the Content Store.
    pub flags: Option<u64>,
    /// Which flags are meant.
    pub mask: Option<u64>,
    /// A strategy's name.
    pub strategy: Option<Name>,
    /// Milliseconds that a route lives.
    pub expiration_ms: Option<u64>,
    /// 0 persistent, 1 on demand, 2 permanent.
    pub persistency: Option<u64>,
    /// NFD's marking: nanoseconds.
    pub marking_interval: Option<u64>,
    /// NFD's marking: bytes.
    pub congestion_threshold: Option<u64>,
    /// Longest frame of a face.
    pub mtu: Option<u64>,
}

impl ControlParameters {
    /// Reads the whole element.
    pub fn decode(bytes: &[u8]) -> Result<ControlParameters, DecodeError> {
        let element = Reader::new(bytes).expect(CONTROL_PARAMETERS)?;
        let mut reader = element.reader();
        let mut p = ControlParameters::default();
        while let Some(e) = reader.read()? {
            match e.typ {
                NAME => p.name = Some(Name::from_element(&e)?),
                FACE_ID => p.face = Some(e.number()?),
                URI => p.uri = Some(String::from_utf8_lossy(e.value).into_owned()),
                LOCAL_URI => p.local_uri = Some(String::from_utf8_lossy(e.value).into_owned()),
                ORIGIN => p.origin = Some(e.number()?),
                COST => p.cost = Some(e.number()?),
                CAPACITY => p.capacity = Some(e.number()?),
                COUNT => p.count = Some(e.number()?),
                FLAGS => p.flags = Some(e.number()?),
                MASK => p.mask = Some(e.number()?),
                STRATEGY => p.strategy = Some(Name::from_element(&e.reader().expect(NAME)?)?),
                EXPIRATION_PERIOD => p.expiration_ms = Some(e.number()?),
                FACE_PERSISTENCY => p.persistency = Some(e.number()?),
                MARKING_INTERVAL => p.marking_interval = Some(e.number()?),
                CONGESTION_THRESHOLD => p.congestion_threshold = Some(e.number()?),
                MTU => p.mtu = Some(e.number()?),
                // Peers add fields of their own that are not known here.
                _ => {}
            }
        }
        Ok(p)
    }

    /// Appends the element.
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        let mut value = Vec::new();
        if let Some(name) = &self.name {
            name.encode_into(&mut value);
        }
        let numbers = [
            (FACE_ID, self.face),
            (ORIGIN, self.origin),
            (COST, self.cost),
            (CAPACITY, self.capacity),
            (COUNT, self.count),
            (FLAGS, self.flags),
            (MASK, self.mask),
            (EXPIRATION_PERIOD, self.expiration_ms),
            (FACE_PERSISTENCY, self.persistency),
            (MARKING_INTERVAL, self.marking_interval),
            (CONGESTION_THRESHOLD, self.congestion_threshold),
            (MTU, self.mtu),
        ];
        let number = |out: &mut Vec<u8>, at: usize| {
            if let (typ, Some(number)) = numbers[at] {
                write_number(out, typ, number);
            }
        };
        // In the order of ndn-cxx, which some decoders insist on.
        number(&mut value, 0);
        let texts = [(URI, &self.uri), (LOCAL_URI, &self.local_uri)];
        for (typ, text) in texts {
            if let Some(text) = text {
                write_element(&mut value, typ, text.as_bytes());
            }
        }
        (1..=6).for_each(|at| number(&mut value, at));
        if let Some(strategy) = &self.strategy {
            write_strategy(&mut value, strategy);
        }
        (7..numbers.len()).for_each(|at| number(&mut value, at));
        write_element(out, CONTROL_PARAMETERS, &value);
    }
}

/// Appends a Strategy element.
pub(crate) fn write_strategy(out: &mut Vec<u8>, strategy: &Name) {
    let mut name = Vec::new();
    strategy.encode_into(&mut name);
    write_element(out, STRATEGY, &name);
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlResponse {
    /// As in HTTP: 200 is well.
    pub code: u64,
    /// In words.
    pub text: String,
    /// What the forwarder made of the command.
    pub body: Option<Box<ControlParameters>>,
}

impl ControlResponse {
    /// The command was carried out.
    pub fn ok(body: ControlParameters) -> ControlResponse {
        ControlResponse { code: 200, text: "OK".to_owned(), body: Some(Box::new(body)) }
    }

    /// It was not.
    pub fn refusal(code: u64, text: impl Into<String>) -> ControlResponse {
        ControlResponse { code, text: text.into(), body: None }
    }

    /// The element.
    pub fn encode(&self) -> Vec<u8> {
        let mut value = Vec::new();
        write_number(&mut value, STATUS_CODE, self.code);
        write_element(&mut value, STATUS_TEXT, self.text.as_bytes());
        if let Some(body) = &self.body {
            body.encode_into(&mut value);
        }
        let mut out = Vec::new();
        write_element(&mut out, CONTROL_RESPONSE, &value);
        out
    }

    /// Reads the element.
    pub fn decode(bytes: &[u8]) -> Result<ControlResponse, DecodeError> {
        let element = Reader::new(bytes).expect(CONTROL_RESPONSE)?;
        let mut reader = element.reader();
        let code = reader.expect(STATUS_CODE)?.number()?;
        let text = String::from_utf8_lossy(reader.expect(STATUS_TEXT)?.value).into_owned();
        let rest = &element.value[reader.position().saturating_sub(element.value_start)..];
        let body = if rest.is_empty() { None } else { ControlParameters::decode(rest).ok().map(Box::new) };
        Ok(ControlResponse { code, text, body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_and_responses_come_back() {
        let all = ControlParameters {
            name: Some("/a/b".parse().unwrap()),
            face: Some(300),
            uri: Some("udp4://10.0.0.1:6363".into()),
            local_uri: Some("udp4://10.0.0.2:6363".into()),
            origin: Some(0),
            cost: Some(70_000),
            capacity: Some(1),
            count: Some(2),
            flags: Some(3),
            mask: Some(4),
            strategy: Some("/localhost/nfd/strategy/best-route".parse().unwrap()),
            expiration_ms: Some(60_000),
            persistency: Some(0),
            marking_interval: Some(5),
            congestion_threshold: Some(6),
            mtu: Some(1400),
        };
        for parameters in [all, ControlParameters::default()] {
            let mut bytes = Vec::new();
            parameters.encode_into(&mut bytes);
            assert_eq!(ControlParameters::decode(&bytes).unwrap(), parameters);
            for response in [ControlResponse::ok(parameters), ControlResponse::refusal(403, "no")] {
                assert_eq!(ControlResponse::decode(&response.encode()).unwrap(), response);
            }
        }
    }

    /// The parameters of `rib/register` as ndn-cxx writes them (its unit tests), and what is no parameters at all.
    #[test]
    fn fields_of_others_are_read() {
        let register = [0x68, 0x0a, 0x07, 0x03, 0x08, 0x01, b'a', 0x69, 0x01, 0x05, 0xfc, 0x00];
        let p = ControlParameters::decode(&register).unwrap();
        assert_eq!((p.name.unwrap().to_string(), p.face), ("/a".to_owned(), Some(5)));
        assert!(ControlParameters::decode(&[0x68, 0x7f]).is_err());
    }
}
