//! The control and the timeout of a fetch, by their names in the registry.

use weir_core::{
    Bytes, ConsumerControl, Entry, Limit, ParameterError, Rate, Seed, Settings, Site, Span, Timeout, Value,
};
use weir_schemes::registry::{self, CONTROLS, TIMEOUTS};

/// Bytes of a Data besides its payload: name, signature, headers.
const HEADERS: u64 = 120;

/// A part of a scheme with its settings, as a user writes them.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Name in the registry.
    pub name: String,
    /// Parameters that are not at their defaults.
    pub settings: Settings,
}

impl Choice {
    /// A part with its defaults.
    pub fn new(name: impl Into<String>) -> Choice {
        Choice { name: name.into(), settings: Settings::new() }
    }
}

/// What is known of a content and the way to it before the first packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Bytes of content in a packet.
    pub payload: Bytes,
    /// Rate of the link over which Interests leave.
    pub link_rate: Option<Rate>,
    /// Its propagation delay.
    pub link_delay: Option<Span>,
}

impl Default for Known {
    fn default() -> Known {
        Known { payload: Bytes(8000), link_rate: None, link_delay: None }
    }
}

/// What governs a fetch.
pub struct Plugins {
    /// How much may be in flight.
    pub control: Box<dyn ConsumerControl>,
    /// When an Interest counts as lost.
    pub timeout: Box<dyn Timeout>,
}

impl Plugins {
    /// Builds both.
    ///
    /// # Errors
    /// An unknown name or parameter, or a value that does not fit, with the nearest right thing.
    pub fn build(control: &Choice, timeout: &Choice, known: &Known, seed: Seed) -> Result<Plugins, String> {
        let site = Site {
            seed,
            payload: known.payload,
            data_size: Bytes(known.payload.0 + HEADERS),
            link_rate: known.link_rate.unwrap_or(Rate(0)),
            link_delay: known.link_delay.unwrap_or(Span::ZERO),
            limit: Limit::Packets(100),
        };
        Ok(Plugins {
            control: build("control", CONTROLS, control, &site)?,
            timeout: build("timeout", TIMEOUTS, timeout, &site)?,
        })
    }
}

pub(crate) fn build<B>(what: &str, entries: &[Entry<B>], choice: &Choice, site: &Site) -> Result<B, String> {
    let entry = registry::find(what, entries, &choice.name)?;
    let wrong = |e: ParameterError| format!("{what} {}: {e}", choice.name);
    (entry.build)(&choice.settings, site).map_err(wrong)
}

/// A setting as it stands on a command line: `key=value`, where a value is a number, `true` or `false`, or text.
///
/// # Errors
/// If there is no `=` in it.
pub fn setting(text: &str) -> Result<(String, Value), String> {
    let (key, value) = text.split_once('=').ok_or_else(|| format!("{text:?} is no setting; one is key=value"))?;
    let value = match value {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => match (value.parse(), value.parse()) {
            (Ok(whole), _) => Value::Integer(whole),
            (_, Ok(number)) => Value::Number(number),
            _ => Value::Text(value.to_owned()),
        },
    };
    Ok((key.trim().to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_and_timeout_can_be_built_without_knowing_the_way() {
        for control in CONTROLS {
            for timeout in TIMEOUTS {
                let built =
                    Plugins::build(&Choice::new(control.name), &Choice::new(timeout.name), &Known::default(), Seed(1))
                        .unwrap();
                assert!(built.control.allowance().window >= 1.0, "{}", control.name);
                assert!(built.timeout.timeout() > Span::ZERO, "{}", timeout.name);
            }
        }
    }

    #[test]
    fn a_control_begins_with_the_rate_of_the_link_if_it_is_known() {
        let gap = |link_rate: Option<u64>| {
            let known = Known { payload: Bytes(1000), link_rate: link_rate.map(Rate), link_delay: None };
            let built = Plugins::build(&Choice::new("kato"), &Choice::new("rfc6298"), &known, Seed(1)).unwrap();
            built.control.allowance().gap.unwrap()
        };
        // 1120 bytes.
        assert_eq!(gap(Some(17_920_000)), Span::from_micros(500));
        assert_ne!(gap(Some(17_920_000)), gap(None));
    }

    #[test]
    fn settings_are_read_like_values_of_a_file() {
        assert_eq!(setting("window=4"), Ok(("window".into(), Value::Integer(4))));
        assert_eq!(setting("beta=0.7"), Ok(("beta".into(), Value::Number(0.7))));
        assert_eq!(setting("max=10ms"), Ok(("max".into(), Value::Text("10ms".into()))));
        assert_eq!(setting("on=true"), Ok(("on".into(), Value::Bool(true))));
        assert!(setting("window").is_err());
    }

    #[test]
    fn mistakes_name_the_nearest_right_thing() {
        let wrong = |control: Choice| {
            Plugins::build(&control, &Choice::new("rfc6298"), &Known::default(), Seed(1)).err().unwrap()
        };
        assert!(wrong(Choice::new("cubik")).contains("did you mean \"cubic\"?"));
        let settings = vec![setting("windw=3").unwrap()];
        let told = wrong(Choice { name: "fixed-window".into(), settings });
        assert!(told.contains("fixed-window") && told.contains("did you mean \"window\"?"), "{told}");
    }
}
