//! `size` of the objects that requests are for.

use crate::diagnostic::Diagnostic;
use crate::quantities::Share;
use crate::reader::{Read as _, TableReader};
use crate::shape::{Field, Form, Rule, Shape};
use crate::tree::{Content, Node};
use weir_core::{Bytes, Sizes};

/// What `size` can be.
pub(super) const FORM: Form = Form::Either(&[Form::Size, Form::Table(&SHAPE)]);

const LAWS: [&str; 6] = ["uniform", "exponential", "lognormal", "pareto", "lognormal_pareto", "empirical"];

const EXAMPLE: &str =
    "[[workload]]\npoisson = { rate = \"5/s\", size = { pareto = { min = \"10kB\", shape = 1.2 } } }\n";

static SHAPE: Shape = Shape {
    about: "How large objects are: a distribution.",
    example: EXAMPLE,
    keys: &[&[
        Field::new("uniform", Form::Table(&UNIFORM), "Uniform between two sizes."),
        Field::of::<Bytes>("exponential", "Exponential with this mean."),
        Field::new("lognormal", Form::Table(&LOGNORMAL), "Lognormal."),
        Field::new("pareto", Form::Table(&PARETO), "Pareto, with a heavy tail."),
        Field::new("lognormal_pareto", Form::Table(&LOGNORMAL_PARETO), "A lognormal body with a tail by Pareto's law."),
        Field::new("empirical", Form::Table(&EMPIRICAL), "Sizes with weights."),
    ]],
    more: None,
    rules: &[Rule::One(&LAWS)],
};

static UNIFORM: Shape = Shape {
    about: "Sizes between two, each as likely.",
    example: "[[workload]]\npoisson = { rate = \"5/s\", size = { uniform = { min = \"10kB\", max = \"1MB\" } } }\n",
    keys: &[&[
        Field::of::<Bytes>("min", "Least size.").required(),
        Field::of::<Bytes>("max", "Greatest size.").required(),
    ]],
    more: None,
    rules: &[],
};

static LOGNORMAL: Shape = Shape {
    about: "Sizes whose logarithm is normal.",
    example: "[[workload]]\npoisson = { rate = \"5/s\", size = { lognormal = { median = \"100kB\", sigma = 1.5 } } }\n",
    keys: &[&[
        Field::of::<Bytes>("median", "Median size.").required(),
        Field::new("sigma", Form::Number(0.0, 10.0), "Standard deviation of the natural logarithm.").required(),
    ]],
    more: None,
    rules: &[],
};

static PARETO: Shape = Shape {
    about: "Sizes larger than x with probability (min / x)^shape.",
    example: EXAMPLE,
    keys: &[&[
        Field::of::<Bytes>("min", "Least size.").required(),
        Field::new("shape", Form::Number(0.1, 100.0), "Tail index; the mean is finite above 1.").required(),
        Field::of::<Bytes>("max", "Greatest size.").otherwise("none"),
    ]],
    more: None,
    rules: &[],
};

static LOGNORMAL_PARETO: Shape = Shape {
    about: "Sizes with a lognormal body and a heavy tail by Pareto's law, as ProWGen has them.",
    example: "[[workload]]\n[workload.poisson]\nrate = \"5/s\"\n\
              size = { lognormal_pareto = { mean = \"7kB\", deviation = \"11kB\", start = \"10kB\" } }\n",
    keys: &[&[
        Field::of::<Bytes>("mean", "Mean of the body.").required(),
        Field::of::<Bytes>("deviation", "Standard deviation of the body.").required(),
        Field::of::<Share>("tail", "Share of the sizes that belong to the tail.").default("0.07"),
        Field::new("index", Form::Number(0.1, 100.0), "Tail index; the mean is finite above 1.").default("1.2"),
        Field::of::<Bytes>("start", "Least size of the tail.").required(),
        Field::of::<Bytes>("max", "Greatest size of the tail.").otherwise("none"),
    ]],
    more: None,
    rules: &[],
};

static EMPIRICAL: Shape = Shape {
    about: "Some sizes, each in proportion to its weight.",
    example: "[[workload]]\n[workload.poisson]\nrate = \"5/s\"\n\
              size = { empirical = { sizes = [\"10kB\", \"1MB\"], weights = [9, 1] } }\n",
    keys: &[&[
        Field::new("sizes", Form::List(&Form::Size, 1), "The sizes.").required(),
        Field::new("weights", Form::List(&Form::Number(0.0, f64::MAX), 1), "Their weights.").otherwise("all the same"),
    ]],
    more: None,
    rules: &[],
};

/// The sizes of objects; the outer `None` means that they are wrong.
pub(super) fn read(table: &TableReader<'_>) -> Option<Option<Sizes>> {
    let Some(node) = table.node("size") else { return Some(None) };
    if node.table().is_none() {
        return positive(node, table).map(|size| Some(Sizes::Fixed(size)));
    }
    let laws = TableReader::new(node, "size", &SHAPE, table.log)?;
    let sizes = match laws.present(&LAWS).as_slice() {
        [] => {
            laws.missing(&format!("`size` needs one of {}", crate::diagnostic::list(LAWS)), LAWS[0]);
            None
        }
        ["exponential"] => {
            laws.node("exponential").and_then(|n| positive(n, &laws)).map(|mean| Sizes::Exponential { mean })
        }
        [name] => laws.table(name).and_then(|law| {
            let sizes = self::law(name, &law);
            law.finish();
            sizes
        }),
        [first, second, ..] => {
            laws.exclude(first, second, "sizes have one distribution");
            None
        }
    };
    laws.finish();
    sizes.map(Some)
}

fn law(name: &str, law: &TableReader<'_>) -> Option<Sizes> {
    let size = |key| law.need_node(key, Bytes::EXPECTED).and_then(|node| positive(node, law));
    match name {
        "uniform" => {
            let (min, max) = (size("min"), size("max"));
            let (min, max) = (min?, max?);
            in_order(law, min, max)?;
            Some(Sizes::Uniform { min, max })
        }
        "lognormal" => {
            let median = size("median");
            law.need_node("sigma", "a number");
            let sigma = law.number("sigma", 0.0..=10.0);
            Some(Sizes::Lognormal { median: median?, sigma: sigma? })
        }
        "pareto" => {
            let min = size("min");
            law.need_node("shape", "a number");
            let shape = law.number("shape", 0.1..=100.0);
            let max = match law.node("max") {
                Some(node) => Some(positive(node, law)?),
                None => None,
            };
            let (min, shape) = (min?, shape?);
            in_order(law, min, max.unwrap_or(min))?;
            Some(Sizes::Pareto { min, shape, max })
        }
        "lognormal_pareto" => {
            let (mean, deviation, start) = (size("mean"), law.need::<Bytes>("deviation"), size("start"));
            let tail = law.get_or("tail", Share(0.07)).0;
            let index = if law.node("index").is_some() { law.number("index", 0.1..=100.0) } else { Some(1.2) };
            let max = match law.node("max") {
                Some(node) => Some(positive(node, law)?),
                None => None,
            };
            let (mean, deviation, start, index) = (mean?, deviation?, start?, index?);
            in_order(law, start, max.unwrap_or(start))?;
            Some(Sizes::LognormalPareto { mean, deviation, tail, index, start, max })
        }
        _ => empirical(law),
    }
}

/// Reports a greatest size below the least.
fn in_order(law: &TableReader<'_>, min: Bytes, max: Bytes) -> Option<()> {
    if max >= min {
        return Some(());
    }
    let place = law.table.get("max").map_or(law.place, |n| &n.place);
    law.log.report(Diagnostic::at(place, "the greatest size is below the least"));
    None
}

fn empirical(law: &TableReader<'_>) -> Option<Sizes> {
    let node = law.need_node("sizes", "a list of sizes such as `[\"10kB\", \"1MB\"]`")?;
    let sizes: Vec<Bytes> = node.elements().iter().map(|n| positive(n, law)).collect::<Option<_>>()?;
    let weights: Vec<f64> = match law.node("weights") {
        Some(Node { content: Content::List(list), .. }) => {
            list.iter().map(|n| f64::read(n, law.log)).collect::<Option<_>>()?
        }
        Some(node) => {
            crate::reader::refuse(node, "a list of numbers", law.log);
            return None;
        }
        None => vec![1.0; sizes.len()],
    };
    let place = law.table.get("weights").map_or(&node.place, |n| &n.place);
    let problem = if sizes.is_empty() {
        "this list has no sizes in it".to_string()
    } else if sizes.len() != weights.len() {
        format!("there are {} sizes, but {} weights", sizes.len(), weights.len())
    } else if weights.iter().any(|w| *w < 0.0) || weights.iter().sum::<f64>() <= 0.0 {
        "weights are not below 0, and at least one is above".to_string()
    } else {
        return Some(Sizes::Empirical(sizes.into_iter().zip(weights).collect()));
    };
    law.log.report(Diagnostic::at(place, problem));
    None
}

fn positive(node: &Node, table: &TableReader<'_>) -> Option<Bytes> {
    let size = Bytes::read(node, table.log)?;
    if size == Bytes(0) {
        table.log.report(Diagnostic::at(&node.place, "an object has at least one byte"));
        return None;
    }
    Some(size)
}
