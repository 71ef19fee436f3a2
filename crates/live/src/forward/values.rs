//! Values of the configuration that TOML does not have: quantities with units, face URIs, names, schemes.

use super::ends::RouteTo;
use crate::face_uri::FaceUri;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::fmt;
use std::path::Path;
use weir_core::{Parameter, Rate, Settings, Span, Value, nearest};
use weir_wire::{Mtu, Name};

/// The shortest frame that can be asked for, in bytes: fragments of less are mostly headers.
pub(super) const LEAST_MTU: usize = 256;

/// A plug-in and its settings: `"codel"` or `{ name = "codel", target = "10ms" }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheme {
    /// Its name in the registry.
    pub name: String,
    /// What differs from its defaults.
    pub settings: Settings,
}

impl Scheme {
    /// One with its defaults.
    pub fn named(name: &str) -> Scheme {
        Scheme { name: name.to_owned(), settings: Settings::new() }
    }

    /// True if there is to be none.
    pub fn is_none(&self) -> bool {
        self.name == "none"
    }
}

impl<'de> Deserialize<'de> for Scheme {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Scheme, D::Error> {
        from.deserialize_any(SchemeVisitor)
    }
}

struct SchemeVisitor;

impl<'de> Visitor<'de> for SchemeVisitor {
    type Value = Scheme;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name such as \"codel\", or a table such as { name = \"codel\", target = \"10ms\" }")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Scheme, E> {
        Ok(Scheme::named(name))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scheme, A::Error> {
        let (mut name, mut settings) = (None, Settings::new());
        while let Some((key, Setting(value))) = map.next_entry::<String, Setting>()? {
            match (key.as_str(), value) {
                ("name", Value::Text(text)) => name = Some(text),
                ("name", other) => return Err(A::Error::custom(format!("`name` is a text, found {other}"))),
                (_, value) => settings.push((key, value)),
            }
        }
        let name = name.ok_or_else(|| A::Error::missing_field("name"))?;
        Ok(Scheme { name, settings })
    }
}

/// A setting's value.
struct Setting(Value);

impl<'de> Deserialize<'de> for Setting {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Setting, D::Error> {
        from.deserialize_any(SettingVisitor)
    }
}

struct SettingVisitor;

impl Visitor<'_> for SettingVisitor {
    type Value = Setting;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, a text, true or false")
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<Setting, E> {
        Ok(Setting(Value::Bool(value)))
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<Setting, E> {
        Ok(Setting(Value::Integer(value)))
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<Setting, E> {
        Ok(Setting(Value::Number(value)))
    }
    fn visit_str<E: Error>(self, value: &str) -> Result<Setting, E> {
        Ok(Setting(Value::Text(value.to_owned())))
    }
}

/// A face URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uri(pub FaceUri);

impl<'de> Deserialize<'de> for Uri {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Uri, D::Error> {
        String::deserialize(from)?.parse().map(Uri).map_err(D::Error::custom)
    }
}

/// A number with its unit, as in scenario files.
pub(super) fn quantity<'de, D: Deserializer<'de>, P: Parameter>(from: D) -> Result<P, D::Error> {
    let Setting(value) = Setting::deserialize(from)?;
    P::read(&value).map_err(D::Error::custom)
}

/// The same where it may be left out.
pub(super) fn some_quantity<'de, D: Deserializer<'de>, P: Parameter>(from: D) -> Result<Option<P>, D::Error> {
    quantity(from).map(Some)
}

pub(super) fn some_rate<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Rate>, D::Error> {
    match quantity(from)? {
        Rate(0) => Err(D::Error::custom("a link of rate 0 carries nothing")),
        rate => Ok(Some(rate)),
    }
}

pub(super) fn mtu<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Mtu>, D::Error> {
    let bytes = usize::deserialize(from)?;
    let mtu = Some(bytes).filter(|bytes| *bytes >= LEAST_MTU).and_then(Mtu::new);
    let bad = || D::Error::custom(format!("an mtu is from {LEAST_MTU} to {} bytes, found {bytes}", Mtu::MOST));
    mtu.ok_or_else(bad).map(Some)
}

pub(super) fn name<'de, D: Deserializer<'de>>(from: D) -> Result<Name, D::Error> {
    parse_name(&String::deserialize(from)?)
}

/// `["/a", { prefix = "/b", cost = 10, round-trip = "40ms" }]`.
pub(super) fn routes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<RouteTo>, D::Error> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "kebab-case")]
    struct Priced {
        prefix: String,
        #[serde(default)]
        cost: u64,
        #[serde(default, deserialize_with = "some_quantity")]
        round_trip: Option<Span>,
    }
    #[derive(serde::Deserialize)]
    #[serde(untagged, expecting = "a route is a prefix, or { prefix = \"/b\", cost = 10, round-trip = \"40ms\" }")]
    enum Route {
        Prefix(String),
        Priced(Priced),
    }
    let routes = Vec::<Route>::deserialize(from)?;
    let read = |route| {
        let priced = match route {
            Route::Prefix(prefix) => Priced { prefix, cost: 0, round_trip: None },
            Route::Priced(priced) => priced,
        };
        Ok(RouteTo { prefix: parse_name(&priced.prefix)?, cost: priced.cost, round_trip: priced.round_trip })
    };
    routes.into_iter().map(read).collect()
}

fn parse_name<E: Error>(uri: &str) -> Result<Name, E> {
    uri.parse().map_err(|error| E::custom(format!("`{uri}` is no name: {error}")))
}

/// What is wrong with a file, where, and which word was perhaps meant.
pub(super) fn explain(error: &toml::de::Error, file: &Path) -> String {
    let what = error.to_string();
    // Of an unknown key, the reader says: unknown field `pitt`, expected one of `content-store`, `pit`, `routes`.
    let mut words = error.message().split('`').skip(1).step_by(2);
    let meant = match words.next() {
        Some(word) if error.message().starts_with("unknown field") => nearest(word, words),
        _ => None,
    };
    let hint = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
    format!("{}: {}{hint}", file.display(), what.trim_end())
}

#[cfg(test)]
mod tests {
    use crate::forward::Config;
    use std::path::Path;

    #[test]
    fn a_wrong_key_is_told_with_its_place_and_the_nearest_right_one() {
        let told = |text: &str| Config::parse(text, Path::new("weir.toml")).expect_err("wrong");
        let wrong = told("[tables]\n\ncontent-stor = 5\n");
        assert!(wrong.starts_with("weir.toml: "), "{wrong}");
        assert!(wrong.contains("line 3"), "{wrong}");
        assert!(wrong.ends_with("did you mean `content-store`?"), "{wrong}");
        assert!(!told("[tables]\nzebra = 5\n").contains("did you mean"));
        assert!(!told("[limits]\nidle = 5\n").contains("did you mean"));
    }
}
