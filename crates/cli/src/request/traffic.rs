//! Traffic in the language of scenario files.

use crate::Failure;
use crate::get::rules::ConsumerArgs;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use weir_core::{Arrivals, Popularity, Seed, TraceRequest};
use weir_files::{Choice, Demand, Objects, Recipe, Traffic};
use weir_scenario::plan::{PartPlan, Workload};
use weir_scenario::{Folder, Study};
use weir_wire::Name;

/// A network for the workload to stand in: nothing of it counts. Requests without end are welcome, for the user ends them.
const GROUND: &str = "\n[topology]\nlinear = { nodes = [\"consumer\", \"producer\"], rate = \"1Gbps\", delay = \"1ms\" }\n\
                      [run]\nduration = \"1000000s\"\n";

/// What requests of a workload without a name begin with.
const OWN: &str = "/requests";

/// Reads what a user asks for. `parts`: the control and the timeout, unless the traffic has its own. `seeds`: of everything
/// that is drawn, and of sizes.
pub(super) fn read(
    name: &Name,
    text: &str,
    parts: (Choice, Choice),
    consumer: &ConsumerArgs,
    seeds: (Seed, Seed),
) -> Result<Traffic, Failure> {
    let colour = std::io::stderr().is_terminal();
    let whole = format!("[[workload]]\n{text}{GROUND}");
    // Paths of traces are those of this process.
    let study = Study::parse_with("TRAFFIC", &whole, &[], &Folder(PathBuf::new()))
        .map_err(|problems| Failure::Input(problems.render(colour)))?;
    let scenario = &study.points()[0].scenario;
    let wrong = |what: &str| Failure::Input(format!("TRAFFIC {what}"));
    let [workload] = &scenario.workloads[..] else { return Err(wrong("is for one consumer")) };
    let Some(requests) = &workload.requests else {
        return Err(wrong(
            "makes one fetch; `weir get` fetches, and here are `poisson`, `constant`, `on_off` and `trace`",
        ));
    };
    if requests.stream.is_some() {
        return Err(wrong(
            "is a stream that all consumers of a scenario draw together; write its requests into a `trace`",
        ));
    }
    if workload.name != OWN.parse().unwrap_or_default() {
        return Err(wrong("has a `name` or a `label`: what all requests begin with is the first word of this command"));
    }
    let popularity = |of: weir_scenario::plan::Catalogue| Popularity::new(of.objects, of.exponent, of.plateau);
    let demand = Demand {
        arrivals: match &requests.arrivals {
            Arrivals::Trace(list) => Arrivals::Trace(list.iter().map(|one| moved(one, workload, name)).collect()),
            other => other.clone(),
        },
        popularity: requests.catalogue.map(|catalogue| Arc::new(popularity(catalogue))),
        start: weir_sim::between(workload.start, seeds.0.of("start")),
        stop: workload.stop,
        count: requests.count,
    };
    let objects = match &requests.sizes {
        Some(sizes) => Objects::Contents { sizes: sizes.clone(), size_seed: seeds.1 },
        None => Objects::Single { retries: requests.retries },
    };
    let own = |own: &Option<PartPlan>, said: Choice| match own {
        Some(PartPlan { name, settings }) => Choice { name: name.clone(), settings: settings.clone() },
        None => said,
    };
    Ok(Traffic {
        content: name.clone(),
        demand,
        objects,
        recipe: Recipe {
            control: own(&workload.control, parts.0),
            timeout: own(&workload.timeout, parts.1),
            known: consumer.known(workload.payload),
            seed: seeds.0.of("control"),
        },
        rules: consumer.rules(),
        seed: seeds.0,
    })
}

/// A request of a trace, below another name.
fn moved(request: &TraceRequest, workload: &Workload, name: &Name) -> TraceRequest {
    let own = request.name.components().skip(workload.name.len());
    TraceRequest { name: Name::from_components(name.components().chain(own)), ..request.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use weir_core::{Bytes, Sizes, Span, Time};

    #[derive(Debug, Parser)]
    struct Only {
        #[command(flatten)]
        rules: ConsumerArgs,
    }

    fn traffic(text: &str) -> Result<Traffic, String> {
        let parts = (Choice::new("cubic"), Choice::new("rfc6298"));
        let consumer = Only::parse_from(["request"]).rules;
        let name = "/load/x".parse().unwrap();
        super::read(&name, text, parts, &consumer, (Seed(1), Seed(2))).map_err(|failure| match failure {
            Failure::Input(what) => what,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn traffic_is_that_of_a_scenario() {
        let read = traffic(
            "poisson = { rate = \"20/s\", names = 50, zipf = 0.8, count = 7, stop = \"9s\", payload = \"500B\", retries = 3 }",
        )
        .unwrap();
        assert_eq!(read.demand.arrivals, Arrivals::Poisson { rate: 20.0 });
        assert_eq!((read.demand.count, read.demand.stop), (Some(7), Some(Time::ZERO + Span::from_millis(9000))));
        assert_eq!((read.objects, read.recipe.known.payload), (Objects::Single { retries: Some(3) }, Bytes(500)));
        assert_eq!(read.demand.popularity.unwrap().objects(), 50);
        assert_eq!(read.content.to_string(), "/load/x");
        let read = traffic("constant = { rate = \"1/s\", size = \"1MB\", control = \"aimd\" }").unwrap();
        let expected = Objects::Contents { sizes: Sizes::Fixed(Bytes(1_000_000)), size_seed: Seed(2) };
        assert_eq!((read.objects, read.recipe.control.name.as_str()), (expected, "aimd"));
    }

    #[test]
    fn names_of_a_trace_are_below_the_first_word() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.csv");
        std::fs::write(&file, "time,name,size\n0.5,/a/b,3000\n1,c,\n").unwrap();
        let read = traffic(&format!("trace = {{ file = {file:?} }}")).unwrap();
        let Arrivals::Trace(list) = read.demand.arrivals else { panic!() };
        let names: Vec<String> = list.iter().map(|request| request.name.to_string()).collect();
        assert_eq!(names, ["/load/x/a/b", "/load/x/c"]);
        assert_eq!((list[0].time, list[0].size), (Span::from_millis(500), Some(Bytes(3000))));
    }

    #[test]
    fn what_is_no_traffic_is_refused() {
        for (text, why) in [
            ("fetch = { segments = 3 }", "weir get"),
            ("poisson = { rate = \"20/s\", name = \"/x\" }", "first word"),
            ("poisson = { rate = \"20/s\", label = \"x\" }", "first word"),
            ("poison = { rate = \"20/s\" }", "poisson"),
            ("poisson = { rate = \"20\" }", "unit"),
            ("poisson = { rate = \"20/s\", producer = \"p\" }", "producer"),
            ("prowgen = { rate = \"20/s\", requests = 100 }", "trace"),
        ] {
            let told = traffic(text).unwrap_err();
            assert!(told.contains(why), "{text}: {told}");
        }
    }
}
