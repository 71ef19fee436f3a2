//! How single values are read: numbers, quantities with their units, ranges.

use crate::diagnostic::{Diagnostic, Log};
use crate::reader::{Read, TableReader, refuse};
use crate::shape::Form;
use crate::tree::{Content, Node};
use std::str::FromStr;
use weir_core::{Bytes, Limit, Rate, Span, Time};
use weir_wire::{Mtu, Name};

impl Read for bool {
    const EXPECTED: &'static str = "true or false";
    const FORM: Form = Form::Flag;
    fn read(node: &Node, log: &Log) -> Option<bool> {
        match node.content {
            Content::Bool(b) => Some(b),
            _ => {
                refuse(node, Self::EXPECTED, log);
                None
            }
        }
    }
}

impl Read for u64 {
    const EXPECTED: &'static str = "a whole number";
    const FORM: Form = Form::Whole(0, i64::MAX as u64);
    fn read(node: &Node, log: &Log) -> Option<u64> {
        match node.content {
            Content::Integer(i) if i >= 0 => return Some(i as u64),
            Content::Integer(i) => {
                log.report(Diagnostic::at(&node.place, format!("expected a number not below 0, found {i}")));
            }
            _ => refuse(node, Self::EXPECTED, log),
        }
        None
    }
}

impl Read for f64 {
    const EXPECTED: &'static str = "a number";
    const FORM: Form = Form::Number(f64::NEG_INFINITY, f64::INFINITY);
    fn read(node: &Node, log: &Log) -> Option<f64> {
        match node.content {
            Content::Integer(i) => return Some(i as f64),
            Content::Number(n) if n.is_finite() => return Some(n),
            Content::Number(_) => log.report(Diagnostic::at(&node.place, "expected a finite number")),
            _ => refuse(node, Self::EXPECTED, log),
        }
        None
    }
}

impl Read for String {
    const EXPECTED: &'static str = "a string";
    const FORM: Form = Form::Text;
    fn read(node: &Node, log: &Log) -> Option<String> {
        text(node, Self::EXPECTED, log).map(String::from)
    }
}

/// The text of a string; reports anything else.
pub(crate) fn text<'n>(node: &'n Node, expected: &str, log: &Log) -> Option<&'n str> {
    if node.text().is_none() {
        refuse(node, expected, log);
    }
    node.text()
}

/// Reads a quantity with its unit.
fn quantity<T: FromStr<Err = String>>(node: &Node, expected: &str, log: &Log) -> Option<T> {
    if let Content::Integer(_) | Content::Number(_) = node.content {
        let problem = Diagnostic::at(&node.place, format!("expected {expected}, found a number without a unit"));
        log.report(problem.help("write the number and its unit in quotes"));
        return None;
    }
    let text = text(node, expected, log)?;
    text.parse().map_err(|message: String| log.report(Diagnostic::parse(&node.place, &message))).ok()
}

impl Read for Span {
    const EXPECTED: &'static str = "a time such as `\"10ms\"`";
    const FORM: Form = Form::Time;
    fn read(node: &Node, log: &Log) -> Option<Span> {
        quantity(node, Self::EXPECTED, log)
    }
}

impl Read for Time {
    const EXPECTED: &'static str = "a time such as `\"2.5s\"`";
    const FORM: Form = Form::Time;
    fn read(node: &Node, log: &Log) -> Option<Time> {
        quantity::<Span>(node, Self::EXPECTED, log).map(|span| Time(span.0))
    }
}

impl Read for Rate {
    const EXPECTED: &'static str = "a rate such as `\"10Mbps\"`";
    const FORM: Form = Form::Rate;
    fn read(node: &Node, log: &Log) -> Option<Rate> {
        let rate: Rate = quantity(node, Self::EXPECTED, log)?;
        if rate == Rate(0) {
            log.report(Diagnostic::at(&node.place, "a rate of 0 would send nothing"));
            return None;
        }
        Some(rate)
    }
}

/// Events per second: `"200/s"`.
#[derive(Clone, Copy)]
pub(crate) struct Frequency(pub(crate) f64);

/// Units of frequencies, each with how many seconds it counts over.
pub(crate) const FREQUENCIES: [(&str, f64); 4] = [("/ms", 1e-3), ("/s", 1.0), ("/min", 60.0), ("/h", 3600.0)];

/// More than one a nanosecond cannot be told apart.
const MOST_FREQUENT: f64 = 1e9;

impl FromStr for Frequency {
    type Err = String;
    fn from_str(text: &str) -> Result<Frequency, String> {
        let at = text.find('/').unwrap_or(text.len());
        let (number, unit) = (text[..at].trim(), text[at..].trim());
        let known = FREQUENCIES.iter().find(|(name, _)| *name == unit);
        let units = FREQUENCIES.map(|(name, _)| name).join(", ");
        match (number.replace('_', "").parse::<f64>(), known) {
            (Ok(n), Some((_, seconds))) if n > 0.0 && n / seconds <= MOST_FREQUENT => Ok(Frequency(n / seconds)),
            (Ok(n), Some(_)) if n > 0.0 => Err(format!("{text:?} is more than one a nanosecond")),
            (Ok(_), Some(_)) => Err(format!("{text:?} would never happen")),
            (Ok(_), None) => Err(format!("{text:?} has no unit of events by time (one of {units})")),
            (Err(_), _) => Err(format!("expected {}, found {text:?}", <Frequency as Read>::EXPECTED)),
        }
    }
}

impl Read for Frequency {
    const EXPECTED: &'static str = "a frequency such as `\"200/s\"`";
    const FORM: Form = Form::Frequency;
    fn read(node: &Node, log: &Log) -> Option<Frequency> {
        quantity(node, Self::EXPECTED, log)
    }
}

impl Read for Bytes {
    const EXPECTED: &'static str = "a size such as `\"50MB\"`";
    const FORM: Form = Form::Size;
    fn read(node: &Node, log: &Log) -> Option<Bytes> {
        quantity(node, Self::EXPECTED, log)
    }
}

impl Read for Mtu {
    const EXPECTED: &'static str = "a size such as `\"1500B\"`";
    const FORM: Form = Form::Size;
    fn read(node: &Node, log: &Log) -> Option<Mtu> {
        let Bytes(bytes) = quantity(node, Self::EXPECTED, log)?;
        let mtu = usize::try_from(bytes).ok().and_then(Mtu::new);
        if mtu.is_none() {
            let message = format!("frames have from {} to {} bytes, not {bytes}", Mtu::LEAST, Mtu::MOST);
            log.report(Diagnostic::at(&node.place, message));
        }
        mtu
    }
}

impl Read for Limit {
    const EXPECTED: &'static str = "packets such as `\"64p\"` or a size such as `\"64kB\"`";
    const FORM: Form = Form::Queue;
    fn read(node: &Node, log: &Log) -> Option<Limit> {
        let limit = match node.text().and_then(packets) {
            Some(packets) => Limit::Packets(packets),
            None => Limit::Bytes(quantity::<LimitBytes>(node, Self::EXPECTED, log)?.0),
        };
        if matches!(limit, Limit::Packets(0) | Limit::Bytes(Bytes(0))) {
            log.report(Diagnostic::at(&node.place, "a queue of 0 could never hold a packet"));
            return None;
        }
        Some(limit)
    }
}

/// `"64p"`.
fn packets(text: &str) -> Option<usize> {
    text.trim().strip_suffix('p')?.trim_end().parse().ok()
}

/// A size whose error message knows of packets, too.
struct LimitBytes(Bytes);

impl FromStr for LimitBytes {
    type Err = String;
    fn from_str(text: &str) -> Result<LimitBytes, String> {
        let unit = text.trim().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let of = |message: String| match unit {
            "" => format!("a queue needs a unit: `{text}p` for packets, or a size such as `{text}kB`"),
            "packets" | "packet" | "pkt" | "pkts" | "P" => {
                format!("unknown unit `{unit}` (one of p, B, kB, MB, KiB, MiB); did you mean \"p\"?")
            }
            _ if message.starts_with("expected a number") => format!("expected {}", <Limit as Read>::EXPECTED),
            _ => message.replace("(one of B,", "(one of p, B,"),
        };
        text.parse().map(LimitBytes).map_err(of)
    }
}

impl Read for Name {
    const EXPECTED: &'static str = "a name such as `\"/video\"`";
    const FORM: Form = Form::Name;
    fn read(node: &Node, log: &Log) -> Option<Name> {
        let text = text(node, Self::EXPECTED, log)?;
        let report = |error: weir_wire::ParseNameError| {
            let at = error.at.min(text.len());
            let message = error.to_string();
            let message = message.split_once(": ").map_or(&*message, |(_, what)| what);
            log.report(Diagnostic::at(&node.inside(at..text.len()), format!("this is not a name: {message}")));
        };
        text.parse().map_err(report).ok()
    }
}

/// A share: `0.01` or `"1%"`.
#[derive(Clone, Copy)]
pub(crate) struct Share(pub(crate) f64);

impl Read for Share {
    const EXPECTED: &'static str = "a share such as `\"1%\"` or `0.01`";
    const FORM: Form = Form::Share;
    fn read(node: &Node, log: &Log) -> Option<Share> {
        let share = match node.text() {
            Some(text) => text.trim().strip_suffix('%').and_then(|n| n.trim().parse::<f64>().ok()).map(|n| n / 100.0),
            None => Some(f64::read(node, log)?),
        };
        match share {
            Some(share) if (0.0..=1.0).contains(&share) => return Some(Share(share)),
            Some(_) => log.report(Diagnostic::at(&node.place, "a share is from 0 to 1, or from 0% to 100%")),
            None => refuse(node, Self::EXPECTED, log),
        }
        None
    }
}

/// Earliest and latest time: `"0s..5s"`, or one time for both.
#[derive(Clone, Copy)]
pub(crate) struct Between(pub(crate) Time, pub(crate) Time);

impl Read for Between {
    const EXPECTED: &'static str = "a time such as `\"2s\"` or a range such as `\"0s..5s\"`";
    const FORM: Form = Form::Times;
    fn read(node: &Node, log: &Log) -> Option<Between> {
        let Some((first, last)) = node.text().and_then(|t| t.split_once("..")) else {
            return Time::read(node, log).map(|t| Between(t, t));
        };
        let at = |range: std::ops::Range<usize>, text: &str| {
            let node = Node { content: Content::Text(text.into()), place: node.inside(range) };
            Time::read(&node, log)
        };
        let (earliest, latest) = (at(0..first.len(), first), at(first.len() + 2..first.len() + 2 + last.len(), last));
        let (earliest, latest) = (earliest?, latest?);
        if latest < earliest {
            log.report(Diagnostic::at(&node.place, "this range ends before it begins"));
            return None;
        }
        Some(Between(earliest, latest))
    }
}

/// When a workload begins: as [`Between`], or `"never"`, until the timeline starts it.
pub(crate) struct Start(pub(crate) Between);

impl Read for Start {
    const EXPECTED: &'static str = "a time such as `\"2s\"`, a range such as `\"0s..5s\"`, or `\"never\"`";
    const FORM: Form = Form::Either(&[Form::Times, Form::Words(&["never"])]);
    fn read(node: &Node, log: &Log) -> Option<Start> {
        match node.text() {
            Some("never") => Some(Start(Between(Time::NEVER, Time::NEVER))),
            _ => Between::read(node, log).map(Start),
        }
    }
}

/// Seeds: `"1..20"` (both included), a list, or one number.
pub(crate) struct Seeds(pub(crate) Vec<u64>);

impl Read for Seeds {
    const EXPECTED: &'static str = "seeds such as `\"1..20\"`, `[1, 2, 3]` or `1`";
    const FORM: Form = Form::Seeds;
    fn read(node: &Node, log: &Log) -> Option<Seeds> {
        match &node.content {
            Content::Text(text) => seed_range(text, node, log).map(Seeds),
            Content::Integer(_) => u64::read(node, log).map(|seed| Seeds(vec![seed])),
            Content::List(list) if !list.is_empty() => seed_list(list, log).map(Seeds),
            _ => {
                refuse(node, Self::EXPECTED, log);
                None
            }
        }
    }
}

fn seed_list(list: &[Node], log: &Log) -> Option<Vec<u64>> {
    let mut seeds: Vec<u64> = Vec::new();
    for node in list {
        let seed = u64::read(node, log)?;
        if seeds.contains(&seed) {
            log.report(Diagnostic::at(&node.place, format!("the seed {seed} is in this list twice")));
        }
        seeds.push(seed);
    }
    Some(seeds)
}

/// Both ends belong to the range.
fn seed_range(text: &str, node: &Node, log: &Log) -> Option<Vec<u64>> {
    const MOST: u64 = 100_000;
    let bounds = text.split_once("..").and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
    let message = match bounds {
        None => format!("expected {}, found `{text}`", Seeds::EXPECTED),
        Some((first, last)) if last < first => "this range ends before it begins".into(),
        Some((first, last)) if last - first >= MOST => format!("these are more than {MOST} seeds"),
        Some((first, last)) => return Some((first..=last).collect()),
    };
    log.report(Diagnostic::at(&node.place, message));
    None
}

/// A value for both directions of a link: one, or `{ forward = .., backward = .. }`.
#[derive(Clone, Copy)]
pub(crate) struct Both<T>(pub(crate) T, pub(crate) T);

impl<T: Read + Copy> Read for Both<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    const FORM: Form = Form::Both(&T::FORM);
    fn read(node: &Node, log: &Log) -> Option<Both<T>> {
        if node.table().is_none() {
            return T::read(node, log).map(|value| Both(value, value));
        }
        let reader = TableReader::of_value(node, "the directions", log)?;
        if reader.present(&["forward", "backward"]).len() < 2 {
            reader.missing("a link has two directions: give both `forward` and `backward`", "forward");
        }
        let (forward, backward) = (reader.get("forward"), reader.get("backward"));
        reader.finish();
        Some(Both(forward?, backward?))
    }
}
