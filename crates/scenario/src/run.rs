//! `[tables]`, `[consumer]` and `[run]`: single numbers, each with its default.

use crate::diagnostic::{Diagnostic, list};
use crate::plan::{ConsumerRules, NoticeTimer, RateChange, RunPlan, Tables};
use crate::quantities::Seeds;
use crate::reader::{Read as _, TableReader, count};
use crate::shape::{Field, Form, Rule, Shape};
use crate::tree::{Content, Node};
use weir_core::{Lifetime, Span};

const MOST_ENTRIES: u64 = 1 << 40;

const NOTICE_TIMERS: [(&str, NoticeTimer); 3] =
    [("keep", NoticeTimer::Keep), ("restart", NoticeTimer::Restart), ("stop", NoticeTimer::Stop)];

const RATE_CHANGES: [(&str, RateChange); 3] =
    [("next", RateChange::Next), ("now", RateChange::Now), ("cut", RateChange::Cut)];

/// `[tables]`.
pub(crate) static TABLES: Shape = Shape {
    about: "Sizes of the routers' tables.",
    example: "[tables]\ncs = 1000\npit = 20_000\n",
    keys: &[&[
        Field::new(
            "cs",
            Form::Either(&[Form::Whole(0, MOST_ENTRIES), Form::Words(&["off"])]),
            "Packets in each router's Content Store.",
        )
        .default("0"),
        Field::new(
            "pit",
            Form::Either(&[Form::Whole(1, MOST_ENTRIES), Form::Words(&["unbounded"])]),
            "Entries in each router's Pending Interest Table.",
        )
        .default("\"unbounded\""),
    ]],
    more: None,
    rules: &[],
};

/// `[consumer]`.
pub(crate) static CONSUMER: Shape = Shape {
    about: "Rules for all consumers.",
    example: "[consumer]\nlifetime = \"2s\"\nnotice_timer = \"restart\"\n",
    keys: &[&[
        Field::new(
            "lifetime",
            Form::Either(&[Form::Time, Form::Words(&[TIMEOUT])]),
            "InterestLifetime, from 1 ms to 49 days; or `\"timeout\"`: what the retransmission timeout is when an \
             Interest leaves.",
        )
        .default("\"4s\""),
        Field::new(
            "guard",
            Form::Number(0.0, 100.0),
            "A consumer lowers its window at most once in about 1 + `guard` round trips.",
        )
        .default("0.5"),
        Field::new(
            "notice_timer",
            Form::Words(&[NOTICE_TIMERS[0].0, NOTICE_TIMERS[1].0, NOTICE_TIMERS[2].0]),
            "What a consumer does with the timer of a segment whose loss a router announced: keep it running, restart \
             it, or stop it, so that only the lifetime ends the wait.",
        )
        .default("\"keep\""),
        Field::new(
            "jitter",
            Form::Number(0.0, 1.0),
            "Random extra time before each Interest, as a share of the gap of a paced control.",
        )
        .default("0"),
        Field::new(
            "rate_change",
            Form::Words(&[RATE_CHANGES[0].0, RATE_CHANGES[1].0, RATE_CHANGES[2].0]),
            "What a change of a paced control's rate does to the gap that is running: it ends as it began, takes the new \
             length at once, or does so after a cut of the rate only.",
        )
        .default("\"next\""),
        Field::of::<Span>(
            "nack_pause",
            "How long a consumer without pacing waits before it repeats an Interest that was refused for congestion; \
             each further refusal of the same segment doubles it, up to 10 s. Meanwhile the segment keeps its place in \
             the window. 0: it repeats it at once.",
        )
        .default("\"1ms\""),
        Field::of::<bool>(
            "learn_from_late",
            "A Data that comes less than half a round trip after its Interest was repeated is measured from the first \
             Interest on: the timeout was too early. Without it, Karn's rule alone.",
        )
        .default("false"),
    ]],
    more: None,
    rules: &[],
};

/// `[run]`.
pub(crate) static RUN: Shape = Shape {
    about: "Length, seeds and sampling of the runs.",
    example: "[run]\nduration = \"60s\"\nseeds = \"1..20\"\nsample = \"100ms\"\n",
    keys: &[&[
        Field::of::<Span>("duration", "End of the run; not 0.").otherwise("when every fetch has ended"),
        Field::of::<Span>("limit", "End of the run if not every fetch has ended before; not 0.").otherwise("none"),
        Field::of::<Seeds>("seeds", "Seeds: a range (both ends included), a list, or one number. Each is one run.")
            .default("1"),
        Field::of::<Seeds>("quick_seeds", "Seeds of a quick run.").otherwise("the first of `seeds`"),
        Field::of::<Seeds>("full_seeds", "Seeds of a full run.").otherwise("from 1 on, three times as many as `seeds`"),
        Field::of::<Span>("sample", "Interval of time series; not 0.").otherwise("none are kept"),
        Field::of::<bool>("fetches", "Keep a record of each fetch, for measures along fetches.").default("false"),
    ]],
    more: None,
    rules: &[Rule::NotBoth(&["duration", "limit"])],
};

/// `[tables]`.
pub(crate) fn tables(root: &TableReader<'_>) -> Tables {
    let Some(table) = root.table("tables") else { return Tables { cs: 0, pit: None } };
    let cs = table.node("cs").and_then(|node| entries(node, "off", &table)).unwrap_or(0);
    let pit = table.node("pit").and_then(|node| entries(node, "unbounded", &table));
    if pit == Some(0) {
        let place = table.table.get("pit").map_or(table.place, |n| &n.place);
        table.log.report(Diagnostic::at(place, "a Pending Interest Table without room forwards nothing"));
    }
    table.finish();
    Tables { cs, pit }
}

/// A number of entries; `None` for `word`.
fn entries(node: &Node, word: &str, table: &TableReader<'_>) -> Option<usize> {
    match &node.content {
        Content::Text(text) if text == word => None,
        Content::Integer(_) => count(node, &(0..=MOST_ENTRIES), table.log).map(|n| n as usize),
        _ => {
            crate::reader::refuse(node, &format!("a whole number or `\"{word}\"`"), table.log);
            None
        }
    }
}

/// `[consumer]`.
pub(crate) fn consumer(root: &TableReader<'_>) -> ConsumerRules {
    let default = ConsumerRules {
        lifetime: Span::from_millis(4000).into(),
        guard: 0.5,
        notice_timer: NoticeTimer::Keep,
        jitter: 0.0,
        rate_change: RateChange::Next,
        nack_pause: Span::from_millis(1),
        learn_from_late: false,
    };
    let Some(table) = root.table("consumer") else { return default };
    let rules = ConsumerRules {
        lifetime: lifetime(&table).unwrap_or(default.lifetime),
        guard: table.number("guard", 0.0..=100.0).unwrap_or(default.guard),
        notice_timer: word(&table, "notice_timer", "nothing a consumer can do with its timer", &NOTICE_TIMERS)
            .unwrap_or(default.notice_timer),
        jitter: table.number("jitter", 0.0..=1.0).unwrap_or(default.jitter),
        rate_change: word(&table, "rate_change", "no time at which a new rate can count", &RATE_CHANGES)
            .unwrap_or(default.rate_change),
        nack_pause: table.get("nack_pause").unwrap_or(default.nack_pause),
        learn_from_late: table.get_or("learn_from_late", default.learn_from_late),
    };
    table.finish();
    rules
}

/// The word for a lifetime that follows the retransmission timeout.
const TIMEOUT: &str = "timeout";

/// `lifetime`: a time or a word.
fn lifetime(table: &TableReader<'_>) -> Option<Lifetime> {
    let node = table.node("lifetime")?;
    if let Some(word) = node.text().filter(|text| text.chars().all(char::is_alphabetic)) {
        if word == TIMEOUT {
            return Some(Lifetime::Timeout);
        }
        let problem = Diagnostic::at(&node.place, format!("`{word}` is no InterestLifetime"));
        table.log.report(problem.suggest(word, [TIMEOUT]).note("a time such as `\"2s\"` is one, too"));
        return None;
    }
    let span = Span::read(node, table.log)?;
    if !(Span::from_millis(1)..=Span::from_millis(u64::from(u32::MAX))).contains(&span) {
        table.log.report(Diagnostic::at(&node.place, "an InterestLifetime is from 1 ms to 49 days"));
        return None;
    }
    Some(span.into())
}

/// What one of a few words stands for; another word is reported as `wrong`.
pub(crate) fn word<T: Copy>(
    table: &TableReader<'_>,
    key: &'static str,
    wrong: &str,
    words: &[(&'static str, T)],
) -> Option<T> {
    let node = table.node(key)?;
    let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let text = crate::quantities::text(node, &format!("one of {}", list(names.iter().copied())), table.log)?;
    let found = words.iter().find(|(word, _)| *word == text);
    if found.is_none() {
        let problem = Diagnostic::at(&node.place, format!("`{text}` is {wrong}"));
        table.log.report(problem.suggest(text, names));
    }
    found.map(|(_, meaning)| *meaning)
}

/// `[run]`.
pub(crate) fn run(root: &TableReader<'_>) -> RunPlan {
    let default = RunPlan {
        duration: None,
        limit: None,
        seeds: vec![1],
        quick_seeds: vec![1],
        full_seeds: vec![1, 2, 3],
        sample: None,
        fetches: false,
    };
    let Some(table) = root.table("run") else { return default };
    let seeds = table.get("seeds").map_or(default.seeds, |s: Seeds| s.0);
    let quick_seeds = table.get("quick_seeds").map_or_else(|| seeds[..1].to_vec(), |s: Seeds| s.0);
    let full_seeds = table.get("full_seeds").map_or_else(|| (1..=3 * seeds.len() as u64).collect(), |s: Seeds| s.0);
    let (duration, sample) = (positive(&table, "duration"), positive(&table, "sample"));
    let limit = positive(&table, "limit");
    table.exclude("duration", "limit", "a run has one end");
    let fetches = table.get_or("fetches", false);
    let plan = RunPlan { duration, limit, seeds, quick_seeds, full_seeds, sample, fetches };
    table.finish();
    plan
}

fn positive(table: &TableReader<'_>, key: &'static str) -> Option<Span> {
    let node = table.node(key)?;
    let span = Span::read(node, table.log)?;
    if span == Span::ZERO {
        table.log.report(Diagnostic::at(&node.place, format!("a `{key}` of 0 makes no sense")));
        return None;
    }
    Some(span)
}
