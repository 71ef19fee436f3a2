//! What links are like, and how a table says it.

use crate::diagnostic::{Diagnostic, Log};
use crate::plan::{Direction, Link};
use crate::quantities::{Both, Share};
use crate::reader::{Read, TableReader, count};
use crate::shape::{Field, Form};
use crate::tree::{Content, Node};
use weir_core::{Limit, Rate, Span};

/// Capacity of a queue that a file says nothing about: ns-3's default.
pub(crate) const DEFAULT_QUEUE: Limit = Limit::Packets(100);

/// Greatest routing cost: sums of costs stay far from the end of their numbers.
pub(crate) const MOST_COST: u64 = u32::MAX as u64;

/// How much faster than the bottleneck access links are when the file does not say.
const ACCESS_FACTOR: u64 = 10;

/// Delay of access links when the file does not say.
pub(crate) const ACCESS_DELAY: Span = Span::from_millis(1);

const RATE: Field = Field::of::<Both<Rate>>("rate", "Rate of a link.").required();
const DELAY: Field = Field::of::<Both<Span>>("delay", "Propagation delay of a link.");
const LOSS: Field = Field::of::<Both<Share>>("loss", "Probability that a packet is lost on a link.").default("0");
const QUEUE: Field =
    Field::of::<Both<Limit>>("queue", "Capacity of the queue in front of each link direction.").default("\"100p\"");

/// The key of [`cost`].
pub(super) const COST: Field = Field::of::<Both<Cost>>("cost", "Routing cost of a link.").default("1");

/// Routing cost of links of which a file says none.
pub(crate) const COST_OF_OTHERS: Field =
    Field::of::<Both<Cost>>("cost", "Routing cost of links that have none in the file.").otherwise("1");

/// Keys of links that are [`alike`], and of links that are given one by one.
pub(crate) const LINK: &[Field] = &[RATE, DELAY.required(), LOSS, QUEUE, COST];

/// Keys of links of hosts that are added.
pub(crate) const HOST_LINK: &[Field] = &[RATE, DELAY.default("\"1ms\""), LOSS, QUEUE, COST];

/// Keys of links that are [`alike_but_delay`].
pub(super) const LINK_BUT_DELAY: &[Field] =
    &[RATE, DELAY.otherwise("that of light in a fibre as long as the link"), LOSS, QUEUE, COST];

/// Keys of links of which there is one value for [`each`].
pub(super) const EACH_LINK: &[Field] = &[
    one_or_each::<Both<Rate>>("rate", "Rate; one for all links, or a list with one for each.").required(),
    one_or_each::<Both<Span>>("delay", "Propagation delay; one for all links, or a list with one for each.").required(),
    one_or_each::<Both<Share>>("loss", "Probability that a packet is lost; one for all links, or a list.").default("0"),
    one_or_each::<Both<Limit>>(
        "queue",
        "Capacity of each queue, the packet in transmission not counted; one for all, or a list.",
    )
    .default("\"100p\""),
];

/// Keys of [`access`].
pub(super) const ACCESS: &[Field] = &[
    Field::of::<Both<Rate>>("access", "Rate of the links of hosts.").otherwise("ten times that of the fastest link"),
    Field::of::<Both<Span>>("access_delay", "Propagation delay of the links of hosts.").default("\"1ms\""),
    Field::of::<Both<Limit>>("access_queue", "Capacity of their queues.").default("\"100p\""),
    Field::of::<Both<Share>>("access_loss", "Probability that they lose a packet.").default("0"),
];

/// The key of the seed by which a network is drawn.
pub(crate) const SEED: Field =
    Field::of::<u64>("seed", "What the network is drawn by; it does not change with the seeds of the runs.")
        .default("1");

/// A key that [`each`] reads.
const fn one_or_each<T: Read>(name: &'static str, about: &'static str) -> Field {
    Field::new(name, const { Form::Either(&[T::FORM, Form::List(&T::FORM, 1)]) }, about)
}

/// What a link is like, apart from its ends.
#[derive(Clone, Copy)]
pub(crate) struct LinkShape {
    pub(crate) rate: Both<Rate>,
    pub(crate) delay: Both<Span>,
    pub(crate) loss: Both<f64>,
    pub(crate) queue: Both<Limit>,
    pub(crate) cost: Both<u64>,
}

impl LinkShape {
    /// A link of this shape.
    pub(crate) fn between(&self, name: String, a: usize, b: usize) -> Link {
        let LinkShape { rate, delay, loss, queue, cost } = *self;
        let forward = Direction { rate: rate.0, delay: delay.0, loss: loss.0, limit: queue.0 };
        let backward = Direction { rate: rate.1, delay: delay.1, loss: loss.1, limit: queue.1 };
        Link { name, a, b, forward, backward, costs: (cost.0, cost.1), mtu: None, parallel: false }
    }

    /// The same with another delay.
    pub(crate) fn delayed(self, delay: Span) -> LinkShape {
        LinkShape { delay: Both(delay, delay), ..self }
    }
}

/// `rate`, `delay`, `loss`, `queue` and `cost`, alike for all links.
pub(crate) fn alike(table: &TableReader<'_>) -> Option<LinkShape> {
    let (rate, delay) = (table.need("rate"), table.need("delay"));
    let (loss, queue, cost) = (loss(table, "loss"), queue(table, "queue"), cost(table));
    Some(LinkShape { rate: rate?, delay: delay?, loss, queue, cost })
}

/// The same where the delay follows from the length of a link; a `delay` takes the place of that. The second value says
/// whether it does.
pub(crate) fn alike_but_delay(table: &TableReader<'_>) -> Option<(LinkShape, bool)> {
    let rate = table.need("rate");
    let (given, wrong) = (table.get("delay"), table.table.get("delay").is_some());
    let (loss, queue, cost) = (loss(table, "loss"), queue(table, "queue"), cost(table));
    if given.is_none() && wrong {
        return None;
    }
    let delay = given.unwrap_or(Both(Span::ZERO, Span::ZERO));
    Some((LinkShape { rate: rate?, delay, loss, queue, cost }, given.is_some()))
}

/// `access`, `access_delay`, `access_loss` and `access_queue`: links of hosts. Unless the file says otherwise they are
/// ten times as fast as the fastest of the links `core`, which are `None` if something is wrong with them.
pub(crate) fn access(table: &TableReader<'_>, core: Option<&[Both<Rate>]>) -> Option<LinkShape> {
    let rate = table.get("access");
    let delay = table.get_or("access_delay", Both(ACCESS_DELAY, ACCESS_DELAY));
    let (loss, queue) = (loss(table, "access_loss"), queue(table, "access_queue"));
    let fastest = || core?.iter().map(|Both(there, back)| there.0.max(back.0)).max();
    let rate = rate.or_else(|| {
        let rate = Rate(fastest()?.saturating_mul(ACCESS_FACTOR));
        Some(Both(rate, rate))
    });
    Some(LinkShape { rate: rate?, delay, loss, queue, cost: Both(1, 1) })
}

pub(crate) fn loss(table: &TableReader<'_>, key: &'static str) -> Both<f64> {
    let Both(there, back) = table.get_or(key, Both(Share(0.0), Share(0.0)));
    Both(there.0, back.0)
}

pub(crate) fn queue(table: &TableReader<'_>, key: &'static str) -> Both<Limit> {
    table.get_or(key, Both(DEFAULT_QUEUE, DEFAULT_QUEUE))
}

/// A routing cost.
#[derive(Clone, Copy)]
pub(super) struct Cost(u64);

impl Read for Cost {
    const EXPECTED: &'static str = "a whole number";
    const FORM: Form = Form::Whole(1, MOST_COST);
    fn read(node: &Node, log: &Log) -> Option<Cost> {
        count(node, &(1..=MOST_COST), log).map(Cost)
    }
}

/// Routing cost of a link, 1 by default.
pub(crate) fn cost(table: &TableReader<'_>) -> Both<u64> {
    let Both(forward, backward) = table.get_or("cost", Both(Cost(1), Cost(1)));
    Both(forward.0, backward.0)
}

/// One value for each of `count` links (or levels of links, or whatever there is one value of): the same for all, or a
/// list. `what` ("chain", "links") is for messages.
pub(crate) fn each<T: Read + Clone>(
    table: &TableReader<'_>,
    key: &'static str,
    count: usize,
    what: (&str, &str),
    default: Option<T>,
) -> Option<Vec<T>> {
    let Some(node) = table.node(key) else {
        let all = default.map(|value| vec![value; count]);
        return all.or_else(|| table.need_node(key, T::EXPECTED).and(None));
    };
    let Content::List(list) = &node.content else { return Some(vec![T::read(node, table.log)?; count]) };
    let values: Vec<Option<T>> = list.iter().map(|n| T::read(n, table.log)).collect();
    if list.len() != count && count > 0 {
        let (whole, parts) = what;
        let message = format!("this {whole} has {count} {parts}, but here are {} values", list.len());
        let problem = Diagnostic::at(&node.place, message);
        table.log.report(problem.help(format!("give one value for all {parts}, or one for each")));
        return None;
    }
    values.into_iter().collect()
}
