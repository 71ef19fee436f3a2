//! NFD's control commands.

use super::daemon::Daemon;
use super::mgmt::{ControlParameters, ControlResponse};
use super::requests::Request;
use super::rib::{CHILD_INHERIT, Route};
use super::values::Scheme;
use crate::driver::Driver;
use crate::face_uri::{Endpoint, FaceUri};
use crate::station::FaceOptions;
use weir_core::{FaceId, Settings, Span, Value};
use weir_wire::{Mtu, Name};

/// Origin of a route that a command does not name: an application.
const APPLICATION: u64 = 0;
/// Origin of what the operator puts into the FIB.
const STATIC: u64 = 255;
/// A prefix with more components is refused (NFD's FIB: 32).
const MOST_COMPONENTS: usize = 32;
/// What strategies are called in commands.
const STRATEGIES: &str = "/localhost/nfd/strategy";
/// Content Store flags: admit and serve.
const CS_FLAGS: u64 = 3;

type Answer = Result<ControlParameters, ControlResponse>;

fn refusal<T>(code: u64, text: impl Into<String>) -> Result<T, ControlResponse> {
    Err(ControlResponse::refusal(code, text))
}

impl Daemon {
    /// Carries out a command that may be carried out. `None`: the answer comes later.
    pub(super) fn carry_out(
        &mut self,
        request: &Request,
        module: &[u8],
        verb: &[u8],
        p: ControlParameters,
        driver: &mut Driver,
    ) -> Option<ControlResponse> {
        let answer = match (module, verb) {
            (b"rib", b"register") => self.register(request, p, driver),
            (b"rib", b"unregister") => self.unregister(request, p),
            (b"fib", b"add-nexthop") => {
                let route = ControlParameters { origin: Some(STATIC), flags: Some(0), expiration_ms: None, ..p };
                self.register(request, route, driver)
            }
            (b"fib", b"remove-nexthop") => self.unregister(request, ControlParameters { origin: Some(STATIC), ..p }),
            (b"faces", b"create") => match self.create_face(request, &p, driver) {
                Ok(()) => return None,
                Err(response) => Err(response),
            },
            (b"faces", b"update") => self.update_face(request, p, driver),
            (b"faces", b"destroy") => self.destroy_face(p, driver),
            (b"strategy-choice", b"set") => self.set_strategy(p),
            (b"strategy-choice", b"unset") => self.unset_strategy(p),
            (b"cs", b"config") => Ok(self.configure_cs(p)),
            (b"cs", b"erase") => self.erase_cs(p),
            _ => refusal(501, "there is no such command"),
        };
        Some(answer.map_or_else(|refused| refused, ControlResponse::ok))
    }

    /// The face that a command names, or the one that it came by.
    fn face_of(&self, request: &Request, p: &ControlParameters) -> Result<(u64, FaceId), ControlResponse> {
        let number = p.face.filter(|number| *number != 0).unwrap_or(request.from);
        match self.numbers.get(&number) {
            Some(face) => Ok((number, *face)),
            None => refusal(410, format!("there is no face {number}")),
        }
    }

    fn prefix_of(p: &ControlParameters) -> Result<Name, ControlResponse> {
        match &p.name {
            None => refusal(400, "a Name is missing"),
            Some(name) if name.len() > MOST_COMPONENTS => {
                refusal(414, format!("a prefix has at most {MOST_COMPONENTS} components"))
            }
            Some(name) => Ok(name.clone()),
        }
    }

    fn register(&mut self, request: &Request, p: ControlParameters, driver: &mut Driver) -> Answer {
        let prefix = Daemon::prefix_of(&p)?;
        let (number, face) = self.face_of(request, &p)?;
        let remote = !self.held(face).is_some_and(|held| held.local);
        if request.interest.name.components().next().is_some_and(|c| &*c.value == b"localhop")
            && (number != request.from || !remote)
        {
            return refusal(403, "another host may only register prefixes that lead to itself");
        }
        if self.rib.len() >= self.config.tables.routes {
            return refusal(503, "there are too many routes");
        }
        let now = driver.context().now;
        let (origin, cost) = (p.origin.unwrap_or(APPLICATION), p.cost.unwrap_or(0));
        let flags = p.flags.unwrap_or(CHILD_INHERIT);
        let expires = p.expiration_ms.map(|ms| now + Span::from_millis(ms.min(u64::from(u32::MAX))));
        self.rib.register(&prefix, Route { face, origin, cost, flags, expires }, self.forwarder.fib_mut());
        self.rib_expiry = self.rib.next_expiry();
        Ok(ControlParameters {
            name: Some(prefix),
            face: Some(number),
            origin: Some(origin),
            cost: Some(cost),
            flags: Some(flags),
            expiration_ms: p.expiration_ms,
            ..ControlParameters::default()
        })
    }

    fn unregister(&mut self, request: &Request, p: ControlParameters) -> Answer {
        let prefix = Daemon::prefix_of(&p)?;
        let origin = p.origin.unwrap_or(APPLICATION);
        let (number, face) = self.face_of(request, &p)?;
        // Whether it was there makes no difference (NFD).
        self.rib.unregister(&prefix, face, origin, self.forwarder.fib_mut());
        self.rib_expiry = self.rib.next_expiry();
        let (name, face, origin) = (Some(prefix), Some(number), Some(origin));
        Ok(ControlParameters { name, face, origin, ..ControlParameters::default() })
    }

    /// Begins to open a face; the answer comes when it is open.
    fn create_face(
        &mut self,
        request: &Request,
        p: &ControlParameters,
        driver: &mut Driver,
    ) -> Result<(), ControlResponse> {
        let Some(uri) = &p.uri else { return refusal(400, "a Uri is missing") };
        let parsed: FaceUri = uri.parse().or_else(|e| refusal(400, format!("{e}")))?;
        let endpoint = canonical(&parsed).map_or_else(|| refusal(400, format!("`{uri}` is not canonical")), Ok)?;
        if matches!(endpoint, Endpoint::Unix(_)) {
            return refusal(406, "a face to a Unix socket can only be opened by who listens to us");
        }
        let known = self.open_faces().find(|(_, held)| held.about.remote == endpoint).map(|(_, held)| held.number);
        if let Some(number) = known {
            let body = self.face_created(number).body;
            return Err(ControlResponse { code: 409, text: "there is a face to it".to_owned(), body });
        }
        let options = FaceOptions { mtu: mtu_of(p)?, ..FaceOptions::default() };
        self.keeping.ask(driver, &endpoint, options, request.clone());
        Ok(())
    }

    /// What is said of a face that has been created, or was there.
    pub(super) fn face_created(&self, number: u64) -> ControlResponse {
        let held = self.numbers.get(&number).and_then(|face| self.held(*face));
        let Some(held) = held else { return ControlResponse::refusal(504, "it has closed again") };
        ControlResponse::ok(ControlParameters {
            face: Some(number),
            uri: Some(held.about.remote.to_string()),
            local_uri: Some(held.about.local.to_string()),
            persistency: Some(0),
            flags: Some(0),
            mtu: Some(held.about.mtu.bytes() as u64),
            ..ControlParameters::default()
        })
    }

    fn update_face(&mut self, request: &Request, p: ControlParameters, driver: &mut Driver) -> Answer {
        let (number, face) = self.face_of(request, &p)?;
        if let Some(mtu) = mtu_of(&p)? {
            driver.set_mtu(face, mtu);
            if let Some(held) = self.faces[face.index()].as_mut() {
                held.about.mtu = mtu;
            }
        }
        let mtu = self.held(face).map(|held| held.about.mtu.bytes() as u64);
        Ok(ControlParameters { face: Some(number), mtu, flags: Some(0), persistency: Some(0), ..Default::default() })
    }

    fn destroy_face(&mut self, p: ControlParameters, driver: &mut Driver) -> Answer {
        let Some(number) = p.face else { return refusal(400, "a FaceId is missing") };
        if let Some(face) = self.numbers.get(&number) {
            driver.close(*face);
        }
        Ok(ControlParameters { face: Some(number), ..ControlParameters::default() })
    }

    fn set_strategy(&mut self, p: ControlParameters) -> Answer {
        let prefix = Daemon::prefix_of(&p)?;
        let Some(wanted) = &p.strategy else { return refusal(400, "a Strategy is missing") };
        let scheme = strategy_called(wanted).or_else(|why| refusal(404, why))?;
        let built = self.parts.strategy(&scheme).or_else(|why| refusal(404, why))?;
        match prefix.is_empty() {
            true => self.forwarder.replace_strategy(built),
            false => self.forwarder.choose_strategy(&prefix, built),
        }
        self.strategies.insert(prefix.clone(), scheme.name.clone());
        let strategy = Some(strategy_name(&scheme.name));
        Ok(ControlParameters { name: Some(prefix), strategy, ..ControlParameters::default() })
    }

    fn unset_strategy(&mut self, p: ControlParameters) -> Answer {
        let prefix = Daemon::prefix_of(&p)?;
        if prefix.is_empty() {
            return refusal(400, "the strategy of / can be replaced, not unset");
        }
        self.forwarder.forget_strategy(&prefix);
        self.strategies.remove(&prefix);
        Ok(ControlParameters { name: Some(prefix), ..ControlParameters::default() })
    }

    fn configure_cs(&mut self, p: ControlParameters) -> ControlParameters {
        if let Some(capacity) = p.capacity {
            self.forwarder.set_cs_capacity(usize::try_from(capacity).unwrap_or(usize::MAX));
        }
        let capacity = Some(self.forwarder.cs().capacity() as u64);
        ControlParameters { capacity, flags: Some(CS_FLAGS), ..ControlParameters::default() }
    }

    fn erase_cs(&mut self, p: ControlParameters) -> Answer {
        let prefix = Daemon::prefix_of(&p)?;
        let most = p.count.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or(usize::MAX));
        let count = self.forwarder.erase_from_cs(&prefix, most);
        Ok(ControlParameters { name: Some(prefix), count: Some(count as u64), ..ControlParameters::default() })
    }
}

/// Commands name addresses, not hosts: looking those up would keep everybody waiting.
fn canonical(uri: &FaceUri) -> Option<Endpoint> {
    match uri {
        FaceUri::Inet { host, .. } if host.parse::<std::net::IpAddr>().is_err() => None,
        uri => uri.resolve().ok(),
    }
}

fn mtu_of(p: &ControlParameters) -> Result<Option<Mtu>, ControlResponse> {
    let Some(bytes) = p.mtu else { return Ok(None) };
    // NFD's clients ask for the largest number to mean "any".
    let bytes = usize::try_from(bytes).unwrap_or(Mtu::MOST).min(Mtu::MOST);
    match Mtu::new(bytes).filter(|mtu| mtu.bytes() >= super::values::LEAST_MTU) {
        Some(mtu) => Ok(Some(mtu)),
        None => refusal(406, format!("an mtu is at least {} bytes", super::values::LEAST_MTU)),
    }
}

/// The name that commands and lists have for a strategy.
pub(super) fn strategy_name(strategy: &str) -> Name {
    let base: Name = STRATEGIES.parse().unwrap_or_else(|_| unreachable!("it is a name"));
    base.child(weir_wire::Component::generic(strategy.as_bytes()))
}

/// The scheme that a strategy's name means: `<prefix>/<strategy>[/<version>][/<parameter>~<value>...]`.
fn strategy_called(name: &Name) -> Result<Scheme, String> {
    let base: Name = STRATEGIES.parse().unwrap_or_else(|_| unreachable!("it is a name"));
    let unknown = || format!("`{name}` is not the name of a strategy: those begin with {STRATEGIES}");
    if !base.is_prefix_of(name) || name.len() == base.len() {
        return Err(unknown());
    }
    let mut words = name.components().skip(base.len());
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(|_| unknown());
    let strategy = text(&words.next().ok_or_else(unknown)?.value)?;
    let mut settings = Settings::new();
    for word in words.filter(|c| c.typ == weir_wire::component_type::GENERIC) {
        let word = text(&word.value)?;
        let (key, value) =
            word.split_once('~').ok_or_else(|| format!("`{word}` is not of the form parameter~value"))?;
        settings.push((key.to_owned(), value_of(value)));
    }
    Ok(Scheme { name: strategy, settings })
}

fn value_of(text: &str) -> Value {
    match (text, text.parse(), text.parse()) {
        ("true" | "false", ..) => Value::Bool(text == "true"),
        (_, Ok(whole), _) => Value::Integer(whole),
        (_, _, Ok(number)) => Value::Number(number),
        _ => Value::Text(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(uri: &str) -> Result<Scheme, String> {
        strategy_called(&uri.parse().unwrap())
    }

    #[test]
    fn strategies_are_named_as_nfd_names_them() {
        assert_eq!(called("/localhost/nfd/strategy/best-route/v=5").unwrap(), Scheme::named("best-route"));
        let with = called("/localhost/nfd/strategy/pcon-fs/v=1/change~0.02/x~true/y~10ms").unwrap();
        let settings = [
            ("change".to_owned(), Value::Number(0.02)),
            ("x".to_owned(), Value::Bool(true)),
            ("y".to_owned(), Value::Text("10ms".to_owned())),
        ];
        assert_eq!(with.settings, settings);
        for bad in ["/best-route", "/localhost/nfd/strategy", "/localhost/nfd/strategy/a/b"] {
            assert!(called(bad).is_err(), "{bad}");
        }
        assert_eq!(called(&strategy_name("multicast").to_string()).unwrap().name, "multicast");
    }
}
