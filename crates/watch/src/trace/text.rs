//! A trace for people.

use super::delay::{Cause, Delay, Part, Place};
use super::follower::Follower;
use super::step::{Consumer, Offer, PacketKind, Shown, Step, What, Why, nack_name};
use crate::Network;
use std::fmt::Write;
use weir_core::{Span, Time};

/// Colours for a terminal, or none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paint {
    /// With colours.
    pub colour: bool,
}

/// What a line is about, by importance to somebody who looks for trouble.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tone {
    /// The consumer.
    Consumer,
    /// A packet on its way.
    Plain,
    /// A table or a reason.
    Quiet,
    /// Marks, waits in a store, refusals.
    Warning,
    /// A loss.
    Bad,
}

impl Paint {
    fn line(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Consumer => "1",
            Tone::Plain => return text.to_owned(),
            Tone::Quiet => "2",
            Tone::Warning => "33",
            Tone::Bad => "31",
        };
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// All steps, a line each: time in seconds, milliseconds since the fetch's first Interest, place, and what happened.
pub fn steps(trace: &Follower, paint: Paint) -> String {
    let network = trace.network();
    let asked = |step: &&Step| matches!(step.what, What::Asked { id, .. } if Some(id) == trace.flow());
    let first = trace.steps().iter().find(asked).map_or(Time::ZERO, |step| step.time);
    let place = |step: &Step| match step.link {
        Some(link) => network.link(link).to_owned(),
        None => network.node(step.node).to_owned(),
    };
    let width = trace.steps().iter().map(|step| place(step).chars().count()).max().unwrap_or(0);
    let mut text = format!("{:>12}  {:>10}  {:width$}\n", "time s", "since ms", "where");
    let mut waited: Option<(Shown, Span, String)> = None;
    for step in trace.steps() {
        // Leaving the queue and going onto the link are one line.
        if let What::Dequeued { packet, sojourn, packets_behind, bytes_behind } = &step.what {
            waited = Some((*packet, *sojourn, amount(*packets_behind, *bytes_behind)));
            continue;
        }
        let (tone, said) = match (&step.what, waited.take()) {
            (What::Sent { transmission, .. }, Some((packet, sojourn, behind))) => (Tone::Plain, {
                let queue = if sojourn == Span::ZERO {
                    "at once".into()
                } else {
                    format!("after {} in the queue", ms(sojourn))
                };
                format!("{} leaves {queue}, {} to send; left behind: {behind}", packet_name(&packet), ms(*transmission))
            }),
            (what, _) => say(what),
        };
        let since = if step.time < first {
            format!("-{:.3}", first.since(step.time).millis())
        } else {
            format!("{:.3}", step.time.since(first).millis())
        };
        let line = format!("{:>12.6}  {since:>10}  {:width$}  {said}", step.time.seconds(), place(step));
        text += &paint.line(tone, line.trim_end());
        text.push('\n');
    }
    text
}

fn say(what: &What) -> (Tone, String) {
    let plain = |text: String| (Tone::Plain, text);
    let quiet = |text: String| (Tone::Quiet, text);
    match what {
        What::Asked { flow, transmission, why, consumer, .. } => (Tone::Consumer, {
            let again = match why {
                Why::New => "for the first time".to_owned(),
                why => format!("for the {} time, after {}", ordinal(*transmission), because(*why)),
            };
            format!("{flow} asks {again}; {}", standing(consumer))
        }),
        What::Queued { packet, packets_ahead, bytes_ahead, held, limit } => plain({
            let held = if *held > 0 { format!(", {held} stored") } else { String::new() };
            let ahead = amount(*packets_ahead, *bytes_ahead);
            format!("{} ({} B) to the queue, behind {ahead} of {limit}{held}", packet_name(packet), packet.bytes)
        }),
        What::Dequeued { packet, sojourn, .. } => {
            plain(format!("{} leaves after {}", packet_name(packet), ms(*sojourn)))
        }
        What::Sent { packet, transmission } => {
            plain(format!("{} leaves, {} to send", packet_name(packet), ms(*transmission)))
        }
        What::Duplicated { packet } => {
            (Tone::Warning, format!("{} is duplicated on the link: a copy will arrive, too", packet_name(packet)))
        }
        What::Arrived { packet } => plain(format!("{} arrives", packet_name(packet))),
        What::Marked { packet } => (Tone::Warning, format!("{} is marked", packet_name(packet))),
        What::Stored { packet, held } => {
            (Tone::Warning, format!("{} finds no room and is stored; {held} stored now", packet_name(packet)))
        }
        What::Announced => (Tone::Warning, "a loss notice goes to the consumer".into()),
        What::Recovered { packet, stored } => {
            plain(format!("{} goes on to the queue after {} in the store", packet_name(packet), ms(*stored)))
        }
        What::Dropped { packet, reason } => {
            let tone = if reason.is_loss() { Tone::Bad } else { Tone::Warning };
            (tone, format!("{} is dropped: {}", packet_name(packet), reason.name()))
        }
        What::CsHit => plain("the Content Store has the Data".into()),
        What::CsMiss => quiet("the Content Store does not have it".into()),
        What::PitInserted { entries } => quiet(format!("becomes pending ({entries} in the PIT)")),
        What::PitJoined { again, downstreams } => quiet({
            let who = if *again { "repeats a pending Interest" } else { "joins a pending Interest of others" };
            format!("{who} ({downstreams} downstream)")
        }),
        What::PitSatisfied { rtt, downstreams, marked } => quiet({
            let rtt = rtt.map(|rtt| format!(" after {}", ms(rtt))).unwrap_or_default();
            let marked = if *marked { "; takes over the mark of its Interest" } else { "" };
            format!("answers the pending Interest{rtt} ({downstreams} downstream){marked}")
        }),
        What::PitExpired => (Tone::Bad, "the pending Interest expires".into()),
        What::Looped { dead } => (Tone::Warning, {
            let whose = if *dead { "an Interest that has ended" } else { "the pending Interest" };
            format!("the nonce is that of {whose}: a loop")
        }),
        What::Suppressed { since, interval } => {
            (Tone::Warning, format!("repeated after {}, less than {}: not sent on", ms(*since), ms(*interval)))
        }
        What::Decided { cause, offered, chosen, refusal, because } => {
            let (tone, said) = decision(cause, offered, chosen, refusal.as_deref());
            let because = because.as_ref().filter(|_| offered.len() > 1);
            (tone, said + &because.map(|why| format!(": {why}")).unwrap_or_default())
        }
        What::NackSent { reason } => (Tone::Warning, format!("refuses with a Nack: {}", nack_name(*reason))),
        What::NackReceived { reason, expected } => (Tone::Warning, {
            let stray = if *expected { "" } else { ", for no Interest that was sent there last" };
            format!("a Nack: {}{stray}", nack_name(*reason))
        }),
        What::Explained { why } => quiet(format!("because {why}")),
        What::Lost { flow, why, since, fresh, decreased, before, after, .. } => (Tone::Bad, {
            let guarded = if *fresh || *decreased { "" } else { " (a cut was made in this round trip)" };
            format!("{flow} has {} {} after sending; {}{guarded}", because(*why), ms(*since), change(before, after))
        }),
        What::Delivered { flow, last_delay, transmissions, marked, before, after, .. } => (Tone::Consumer, {
            let mark = if *marked { ", marked" } else { "" };
            let last = if *transmissions > 1 {
                format!(", {} after the last Interest", ms(*last_delay))
            } else {
                String::new()
            };
            format!("{flow} has the segment{mark}{last}; {}", change(before, after))
        }),
    }
}

fn decision(cause: &str, offered: &[Offer], chosen: &[String], refusal: Option<&str>) -> (Tone, String) {
    let offer = |o: &Offer| {
        let tried = if o.tried { ", tried" } else { "" };
        format!("{} (cost {}{tried})", o.link, o.cost)
    };
    let from = match offered {
        [] => "there is no next hop".to_owned(),
        offered => format!("of {}", offered.iter().map(offer).collect::<Vec<_>>().join(", ")),
    };
    let asked = if cause == "new" { String::new() } else { format!(" [{cause}]") };
    match (chosen, refusal) {
        ([_], _) if offered.len() == 1 => {
            (Tone::Quiet, format!("the strategy takes the only next hop, {}{asked}", offer(&offered[0])))
        }
        ([], refusal) => {
            let refusal = refusal.unwrap_or("drop");
            (Tone::Warning, format!("the strategy says {refusal}: {from}{asked}"))
        }
        (chosen, _) => (Tone::Quiet, format!("the strategy chooses {} {from}{asked}", chosen.join(" and "))),
    }
}

/// What the delay of a segment is made of: a line for each place, a column for each cause, in milliseconds.
pub fn summary(delay: &Delay, network: &Network, paint: Paint) -> String {
    let rows = rows(delay, network);
    let width = rows.iter().map(|row| row.place.chars().count()).max().unwrap_or(0).max(5);
    let times = if delay.transmissions == 1 { "" } else { "s" };
    let head = format!(
        "{}: {} in {} transmission{times}, made of (in ms)",
        network.flow(delay.flow),
        ms(delay.total),
        delay.transmissions
    );
    let mut text = paint.line(Tone::Consumer, &head) + "\n";
    let _ = writeln!(
        text,
        "  {:width$}  {:11}  {:>10} {:>12} {:>11} {:>10}",
        "where", "what", "queueing", "transmission", "propagation", "recovery"
    );
    let mut sum = [Span::ZERO; 4];
    for Row { place, what, spans, note } in &rows {
        let line = format!("  {place:width$}  {what:11} {}  {note}", cells(spans));
        text += line.trim_end();
        text.push('\n');
        sum.iter_mut().zip(spans).for_each(|(sum, span)| *sum += *span);
    }
    let line = format!("  {:width$}  {:11} {}", "total", "", cells(&sum));
    text + &paint.line(Tone::Consumer, &line) + "\n"
}

struct Row {
    place: String,
    what: &'static str,
    /// Queueing, transmission, propagation, recovery.
    spans: [Span; 4],
    note: String,
}

/// Parts of one packet at one place make one row.
fn rows(delay: &Delay, network: &Network) -> Vec<Row> {
    let mut rows: Vec<(Place, Option<PacketKind>, Row)> = Vec::new();
    for part in &delay.parts {
        let same = rows.last().is_some_and(|(place, packet, row)| {
            (*place, *packet) == (part.place, part.packet) && row.spans[2] == Span::ZERO && part.packet.is_some()
        });
        if !same {
            let place = match part.place {
                Place::Link(link) => network.link(link).to_owned(),
                Place::Node(node) => network.node(node).to_owned(),
            };
            let what = part.packet.map_or("", kind_name);
            rows.push((part.place, part.packet, Row { place, what, spans: [Span::ZERO; 4], note: String::new() }));
        }
        if let Some((.., row)) = rows.last_mut() {
            row.spans[column(part.cause)] += part.span;
            row.note += note(part).as_str();
        }
    }
    rows.into_iter().map(|(.., row)| row).collect()
}

fn column(cause: Cause) -> usize {
    match cause {
        Cause::Queueing => 0,
        Cause::Transmission => 1,
        Cause::Propagation => 2,
        _ => 3,
    }
}

fn note(part: &Part) -> String {
    match part.cause {
        Cause::Queueing | Cause::Transmission | Cause::Propagation => String::new(),
        Cause::Storage => "in the recovery store".into(),
        Cause::Unnoticed(why) => format!("until {}", because(why)),
        Cause::Withheld => "until the control let it be sent again".into(),
        Cause::Refused => "until an upstream refused".into(),
        Cause::Joined => "for the Data that another Interest had asked for".into(),
        Cause::Unknown => "not explained by what was seen".into(),
    }
}

fn cells(spans: &[Span; 4]) -> String {
    let cell = |span: &Span| if *span == Span::ZERO { "-".to_owned() } else { format!("{:.3}", span.millis()) };
    let [queueing, transmission, propagation, recovery] = [0, 1, 2, 3].map(|i| cell(&spans[i]));
    format!("{queueing:>11} {transmission:>12} {propagation:>11} {recovery:>10}")
}

/// A span as a person reads it.
fn ms(span: Span) -> String {
    if span < Span::from_millis(1) {
        format!("{:.1} us", span.0 as f64 / 1e3)
    } else {
        format!("{:.3} ms", span.millis())
    }
}

fn packet_name(packet: &Shown) -> String {
    let marked = if packet.mark { ", marked," } else { "" };
    format!("{}{marked}", kind_name(packet.packet))
}

fn kind_name(kind: PacketKind) -> &'static str {
    match kind {
        PacketKind::Interest => "Interest",
        PacketKind::Data => "Data",
        PacketKind::LossNotice => "loss notice",
        PacketKind::Nack => "Nack",
    }
}

fn because(why: Why) -> &'static str {
    match why {
        Why::New => "nothing",
        Why::Timeout => "a timeout",
        Why::Nack => "a Nack",
        Why::LossNotice => "a loss notice",
    }
}

fn amount(packets: usize, bytes: usize) -> String {
    format!("{packets} packet{} ({bytes} B)", if packets == 1 { "" } else { "s" })
}

fn ordinal(n: u32) -> String {
    let suffix = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{suffix}")
}

fn standing(consumer: &Consumer) -> String {
    format!("{} in flight of {}, RTO {}", consumer.in_flight, allowance(consumer), ms(consumer.rto))
}

fn allowance(consumer: &Consumer) -> String {
    match (consumer.window, consumer.rate) {
        (Some(window), Some(rate)) => format!("{window:.2} at {rate:.1}/s"),
        (Some(window), None) => format!("{window:.2}"),
        (None, Some(rate)) => format!("any number, {rate:.1}/s"),
        (None, None) => "any number".into(),
    }
}

/// What a signal did to the window and the timeout.
fn change(before: &Consumer, after: &Consumer) -> String {
    let arrow = |old: String, new: String| if old == new { old } else { format!("{old} -> {new}") };
    format!(
        "window {}, RTO {}, {} in flight",
        arrow(allowance(before), allowance(after)),
        arrow(ms(before.rto), ms(after.rto)),
        after.in_flight
    )
}
