//! `[[impairment]]`: jitter, reordering, duplication and bursty loss of links, whatever has made these.

use crate::diagnostic::Diagnostic;
use crate::generators::Ground;
use crate::plan::{GilbertElliott, Impairment, Jitter, Way};
use crate::quantities::Share;
use crate::reader::{Read as _, TableReader};
use crate::shape::{Field, Form, Rule, Shape};
use crate::tree::Node;
use crate::ways;
use weir_core::Span;

/// `[[impairment]]`.
pub(crate) static SHAPE: Shape = Shape {
    about: "What makes links worse than their rate, delay and loss, whatever has made the links.",
    example: "[[impairment]]\nlink = \"r1-producer\"\njitter = \"2ms\"\n",
    keys: &[&[
        Field::new("link", ways::FORM, "Links, directions such as `r1>r2`, or nodes; `*` stands for anything.")
            .required(),
        Field::new("jitter", Form::Either(&[Form::Time, Form::Table(&JITTER)]), "A random time added to the delay.")
            .otherwise("none"),
        Field::of::<bool>("overtaking", "With jitter, packets may overtake each other.").default("false"),
        Field::new("reorder", Form::Table(&REORDER), "Holds back some packets, which others overtake.")
            .otherwise("none"),
        Field::of::<Share>("duplicate", "Share of the packets of which a copy arrives, too.").default("0"),
        Field::new("bursts", Form::Table(&BURSTS), "Bursty loss, besides the link's own.").otherwise("none"),
    ]],
    more: None,
    rules: &[Rule::Any(&["bursts", "jitter", "reorder", "duplicate"]), Rule::Needs("overtaking", "jitter")],
};

static JITTER: Shape = Shape {
    about: "The distribution of a link's jitter.",
    example: "[[impairment]]\nlink = \"r1-producer\"\njitter = { normal = \"2ms\" }\n",
    keys: &[&[
        Field::of::<Span>("uniform", "Uniform from zero to this."),
        Field::of::<Span>("exponential", "Exponential with this mean."),
        Field::of::<Span>("normal", "Normal around zero with this standard deviation; no delay gets negative."),
    ]],
    more: None,
    rules: &[Rule::One(&["uniform", "exponential", "normal"])],
};

static REORDER: Shape = Shape {
    about: "Which packets are held back, and for how long.",
    example: "[[impairment]]\nlink = \"r1-producer\"\nreorder = { share = \"1%\", delay = \"5ms\" }\n",
    keys: &[&[
        Field::of::<Share>("share", "Share of the packets that are held back.").required(),
        Field::of::<Span>("delay", "For how long.").required(),
    ]],
    more: None,
    rules: &[],
};

static BURSTS: Shape = Shape {
    about: "A chain of a good and a bad state that lose packets with different probabilities, after Gilbert and Elliott.",
    example: "[[impairment]]\nlink = \"r1-producer\"\nbursts = { p = 0.01, r = 0.25 }\n",
    keys: &[&[
        Field::of::<Share>("p", "Probability of going from the good to the bad state, at each packet.").required(),
        Field::of::<Share>("r", "Probability of going back.").required(),
        Field::of::<Share>("h", "Probability that a packet survives in the bad state.").default("0"),
        Field::of::<Share>("k", "Probability that a packet survives in the good state.").default("1"),
    ]],
    more: None,
    rules: &[],
};

/// All impairments; problems are reported.
pub(crate) fn read(root: &TableReader<'_>, ground: Option<&Ground>) -> Option<Vec<(Way, Impairment)>> {
    let mut all: Vec<(Way, Impairment, &Node)> = Vec::new();
    let mut complete = true;
    for table in root.tables("impairment") {
        let node = table.need_node("link", ways::EXPECTED);
        let ways = node.zip(ground).and_then(|(node, ground)| ways::read(node, ground, table.log));
        let impairment = one(&table);
        let log = table.log;
        table.finish();
        let (Some(node), Some(ways), Some(impairment)) = (node, ways, impairment) else {
            complete = false;
            continue;
        };
        if let Some((.., first)) = all.iter().find(|(way, ..)| ways.contains(way)) {
            let problem = Diagnostic::at(&node.place, "this link has an `[[impairment]]` already");
            log.report(problem.also(&first.place, "here").help("put both into one table"));
            complete = false;
            continue;
        }
        all.extend(ways.into_iter().map(|way| (way, impairment, node)));
    }
    complete.then(|| all.into_iter().map(|(way, impairment, _)| (way, impairment)).collect())
}

fn one(table: &TableReader<'_>) -> Option<Impairment> {
    let keys = ["bursts", "jitter", "reorder", "duplicate"];
    if table.present(&keys).is_empty() {
        table.missing(&format!("an `impairment` needs one of {}", crate::diagnostic::list(keys)), "jitter");
        return None;
    }
    let bursts = read_or(table.node("bursts"), |node| bursts(node, table));
    let jitter = read_or(table.node("jitter"), |node| jitter(node, table));
    let reorder = read_or(table.node("reorder"), |node| reorder(node, table));
    let duplicate = read_or(table.node("duplicate"), |node| Share::read(node, table.log));
    let overtaking = read_or(table.node("overtaking"), |node| bool::read(node, table.log));
    if let (Some(key), None) = (table.key("overtaking"), table.key("jitter")) {
        let problem = Diagnostic::at(&key.place, "`overtaking` has no effect without `jitter`");
        table.log.report(problem.help("`reorder` says which packets are overtaken"));
        return None;
    }
    Some(Impairment {
        bursts: bursts?,
        jitter: jitter?,
        reorder: reorder?,
        duplicate: duplicate?.map_or(0.0, |share| share.0),
        overtaking: overtaking?.unwrap_or(false),
    })
}

/// The outer `None`: it is there, and wrong.
fn read_or<T>(node: Option<&Node>, read: impl FnOnce(&Node) -> Option<T>) -> Option<Option<T>> {
    match node {
        Some(node) => read(node).map(Some),
        None => Some(None),
    }
}

fn bursts(node: &Node, table: &TableReader<'_>) -> Option<GilbertElliott> {
    let table = TableReader::new(node, "bursts", &BURSTS, table.log)?;
    let (p, r) = (table.need::<Share>("p"), table.need::<Share>("r"));
    let (h, k) = (table.get_or("h", Share(0.0)), table.get_or("k", Share(1.0)));
    let place = table.place;
    let log = table.log;
    table.finish();
    let chain = GilbertElliott { p: p?.0, r: r?.0, h: h.0, k: k.0 };
    if chain.p > 0.0 && chain.r == 0.0 {
        let problem = Diagnostic::at(place, "with `r = 0` the bad state never ends");
        log.report(problem.help("`r` is the probability of coming back to the good state, one over the mean burst"));
        return None;
    }
    Some(chain)
}

/// `"5ms"` for a uniform one, or a table with one key.
fn jitter(node: &Node, table: &TableReader<'_>) -> Option<Jitter> {
    if node.table().is_none() {
        return Span::read(node, table.log).map(Jitter::Uniform);
    }
    let table = TableReader::new(node, "jitter", &JITTER, table.log)?;
    let present = table.present(&["uniform", "exponential", "normal"]);
    let jitter = match present.as_slice() {
        [] => {
            table.missing("`jitter` needs one of `uniform`, `exponential`, `normal`", "uniform");
            None
        }
        ["uniform"] => table.get("uniform").map(Jitter::Uniform),
        ["exponential"] => table.get("exponential").map(Jitter::Exponential),
        [_] => table.get("normal").map(Jitter::Normal),
        [first, second, ..] => {
            table.exclude(first, second, "a jitter has one distribution");
            None
        }
    };
    table.finish();
    jitter
}

fn reorder(node: &Node, table: &TableReader<'_>) -> Option<(f64, Span)> {
    let table = TableReader::new(node, "reorder", &REORDER, table.log)?;
    let (share, delay) = (table.need::<Share>("share"), table.need::<Span>("delay"));
    table.finish();
    Some((share?.0, delay?))
}
