//! `fetch`: one consumer fetches one content.

use super::{COMMON, Common, Scene, WorkloadKind, part};
use crate::diagnostic::Diagnostic;
use crate::parts::Kind;
use crate::plan::Workload;
use crate::quantities::{Between, Start};
use crate::reader::{Read as _, TableReader};
use crate::shape::{Field, Form, Rule, Shape};
use weir_core::{Bytes, Span, Time};

pub(super) const KIND: WorkloadKind = WorkloadKind { name: "fetch", shape: &SHAPE, read };

static SHAPE: Shape = Shape {
    about: "One consumer fetches one content. Without `size` and `segments` the fetch has no end of its own; then it \
            needs a `stop`, or the run a `duration`.",
    example: "[[workload]]\n[workload.fetch]\nname = \"/video\"\nsize = \"5MB\"\nstart = \"0s..5s\"\n",
    keys: &[
        &[
            Field::of::<Bytes>("size", "Length of the content; the last segment is rounded up to a full one."),
            Field::new("segments", Form::Whole(1, u64::MAX), "Instead of `size`: the number of segments."),
            Field::of::<Start>("start", "A time, a range from which each seed draws a time, or \"never\".")
                .default("\"0s\""),
            Field::of::<Time>("stop", "When the consumer gives up.").otherwise("never"),
            Field::new("control", Form::Part(Kind::Control, false), "Consumer control instead of the scheme's."),
        ],
        COMMON,
    ],
    more: None,
    rules: &[Rule::NotBoth(&["size", "segments"])],
};

fn read(table: &TableReader<'_>, scene: &Scene<'_>) -> Option<Vec<Workload>> {
    let common = Common::read(table, scene);
    let control = part(table, "control", Kind::Control, scene.scheme.map(|s| &s.control));
    table.exclude("size", "segments", "both say how long the content is");
    let (size, count) = (table.get::<Bytes>("size"), table.count("segments", 1..=u64::MAX));
    let start = start(table);
    let stop = stop(table, start);
    check_end(table, scene);
    let (common, control, stop) = (common?, control?, stop?);
    let segments = count.or(size.map(|size| size.0.div_ceil(common.payload.0).max(1)));
    let workload = |ends: &super::Ends| {
        let (label, name) = common.title(ends, scene);
        Workload {
            label,
            consumer: ends.consumer,
            producers: ends.producers.clone(),
            name,
            segments,
            requests: None,
            payload: common.payload,
            freshness: common.freshness,
            start: (start.0, start.1),
            stop,
            control: control.clone(),
            timeout: common.timeout.clone(),
        }
    };
    Some(common.ends.iter().map(workload).collect())
}

/// When a workload begins.
pub(super) fn start(table: &TableReader<'_>) -> Between {
    let given = table.node("start").and_then(|node| Start::read(node, table.log));
    given.map_or(Between(Time::ZERO, Time::ZERO), |Start(start)| start)
}

/// When the consumer gives up; the outer `None` means that it is wrong.
pub(super) fn stop(table: &TableReader<'_>, start: Between) -> Option<Option<Time>> {
    let Some(node) = table.node("stop") else { return Some(None) };
    let stop: Time = crate::reader::Read::read(node, table.log)?;
    if stop <= start.1 && start.1 != Time::NEVER {
        let (stop, start) = (Span(stop.0), Span(start.1.0));
        let problem =
            Diagnostic::at(&node.place, format!("this fetch stops at {stop}, but may start as late as {start}"));
        table.log.report(problem);
        return None;
    }
    Some(Some(stop))
}

/// Something must end: the content, the fetch or the run.
fn check_end(table: &TableReader<'_>, scene: &Scene<'_>) {
    let bounded = ["size", "segments", "stop"].iter().any(|key| table.key(key).is_some());
    if !bounded && !scene.ends {
        let message = "this fetch never ends: give it a `size`, `segments` or `stop`, or give `[run]` a `duration`";
        table.missing(message, "size");
    }
}
