//! `burst`: a consumer that fetches at a fixed rate for a short time, again and again, without congestion control.

use super::{COMMON, Common, Scene, WorkloadKind, numbered};
use crate::diagnostic::Diagnostic;
use crate::parts::Kind;
use crate::plan::{PartPlan, Workload};
use crate::reader::{Read as _, TableReader};
use crate::shape::{Field, Form, Shape};
use weir_core::{Bytes, Rate, Span, Time, Value};

pub(super) const KIND: WorkloadKind = WorkloadKind { name: "burst", shape: &SHAPE, read };

/// The control that sends at a fixed rate.
const CONTROL: &str = "cbr";

static SHAPE: Shape = Shape {
    about: "A consumer that fetches at a fixed rate for a short time, again and again, without congestion control.",
    example: "[[workload]]\nburst = { rate = \"15Mbps\", duration = \"0.5s\", at = [\"2.5s\", \"5s\"] }\n",
    keys: &[
        &[
            Field::of::<Rate>("rate", "Payload asked for in each second.").required(),
            Field::of::<Span>("duration", "Length of a burst.").required(),
            Field::new(
                "at",
                Form::Either(&[Form::Time, Form::List(&Form::Time, 1)]),
                "When the bursts begin: a time or a list.",
            )
            .required(),
            Field::of::<Span>("spread", "Each burst begins up to this much later, drawn by the seed.")
                .default("\"0s\""),
        ],
        COMMON,
    ],
    more: None,
    rules: &[],
};

fn read(table: &TableReader<'_>, scene: &Scene<'_>) -> Option<Vec<Workload>> {
    let common = Common::read(table, scene);
    let (rate, duration) = (table.need::<Rate>("rate"), table.need::<Span>("duration"));
    let at = times(table);
    let spread = table.get_or("spread", Span::ZERO);
    let control = rate.and_then(|rate| control(rate, table));
    let (common, rate, duration, at) = (common?, rate?, duration?, at?);
    let segments = segments(table, rate, duration, common.payload)?;
    let control = control?;
    let bursts = common.ends.iter().flat_map(|ends| at.iter().zip(1..).map(move |(start, k)| (ends, *start, k)));
    let workload = |(ends, start, k): (&super::Ends, Time, usize)| {
        let (label, name) = common.title(ends, scene);
        Workload {
            label,
            consumer: ends.consumer,
            producers: ends.producers.clone(),
            name: numbered(&name, k),
            segments: Some(segments),
            requests: None,
            payload: common.payload,
            freshness: common.freshness,
            start: (start, start + spread),
            stop: None,
            control: Some(control.clone()),
            timeout: common.timeout.clone(),
        }
    };
    Some(bursts.map(workload).collect())
}

/// When the bursts begin: one time, or a list.
fn times(table: &TableReader<'_>) -> Option<Vec<Time>> {
    let node = table.need_node("at", "the times of the bursts, such as `[\"2.5s\", \"5s\"]`")?;
    let times = node.elements();
    if times.is_empty() {
        table.log.report(Diagnostic::at(&node.place, "this list has no times in it, so there would be no burst"));
    }
    times.iter().map(|t| Time::read(t, table.log)).collect()
}

/// `rate` counts bits of payload.
fn segments(table: &TableReader<'_>, rate: Rate, duration: Span, payload: Bytes) -> Option<u64> {
    let segments = (rate.0 as f64 * duration.seconds() / (8 * payload.0) as f64).round() as u64;
    if segments == 0 {
        let place = table.table.get("duration").map_or(table.place, |n| &n.place);
        let message = format!("{duration} at {rate} is less than one Data of {} bytes", payload.0);
        table.log.report(Diagnostic::at(place, message));
        return None;
    }
    Some(segments)
}

fn control(rate: Rate, table: &TableReader<'_>) -> Option<PartPlan> {
    let settings = vec![("rate".to_string(), Value::Text(format!("{}bps", rate.0)))];
    if let Err(error) = Kind::Control.check(CONTROL, &settings) {
        let place = table.table.get("rate").map_or(table.place, |n| &n.place);
        table.log.report(Diagnostic::parse(place, &error.message));
        return None;
    }
    Some(PartPlan { name: CONTROL.into(), settings })
}
