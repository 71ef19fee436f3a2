//! The requests of a workload in the language of `weir request`: that of scenario files.

use std::io;
use std::path::Path;
use weir_core::{Arrivals, Period, Seed, Sizes, Span, Time, TraceRequest};
use weir_scenario::plan::{Requests, Workload};
use weir_sim::stream_of_all;
use weir_wire::Name;

/// No packet is too long for a text: whether it fits is told by who sends it.
const ANY: &str = "1GB";

/// The traffic of a workload whose program starts at `now` of a run with this seed. What is listed goes to the file `list`.
/// Names are put behind [`Requests::content`], or behind the workload's name for what is listed.
///
/// # Errors
/// If the list cannot be written.
pub(crate) fn traffic(
    workload: &Workload,
    requests: &Requests,
    run: Seed,
    now: Time,
    list: &Path,
) -> io::Result<(Name, String)> {
    let mut keys = vec![format!("payload = \"{}B\"", workload.payload.0), format!("packet_limit = \"{ANY}\"")];
    keys.extend(workload.stop.map(|stop| format!("stop = \"{}\"", span(stop.since(now)))));
    let listed = match (&requests.arrivals, &requests.stream) {
        (_, Some(stream)) => stream_of_all(requests, stream, run).get(stream.place).cloned(),
        (Arrivals::Trace(listed), None) => Some(listed.clone()),
        _ => None,
    };
    if let Some(listed) = listed {
        write_list(&listed, &workload.name, list)?;
        keys.push(format!("file = {:?}", list.display().to_string()));
        return Ok((workload.name.clone(), format!("trace = {{ {} }}", keys.join(", "))));
    }
    if let Some(catalogue) = requests.catalogue {
        let (names, zipf, q) = (catalogue.objects, catalogue.exponent, catalogue.plateau);
        keys.push(format!("names = {names}, zipf = {zipf}, q = {q}"));
    }
    keys.extend(requests.count.map(|count| format!("count = {count}")));
    keys.push(match (&requests.sizes, requests.retries) {
        (Some(sizes), _) => format!("size = {}", size(sizes)),
        (None, Some(retries)) => format!("retries = {retries}"),
        (None, None) => "retries = \"unlimited\"".to_owned(),
    });
    let kind = match &requests.arrivals {
        Arrivals::Constant { rate } => {
            keys.push(per_second(*rate));
            "constant"
        }
        Arrivals::Poisson { rate } => {
            keys.push(per_second(*rate));
            "poisson"
        }
        Arrivals::OnOff { rate, poisson, on, off } => {
            keys.push(per_second(*rate));
            keys.push(format!("on = \"{}\", off = \"{}\"", span(mean(*on)), span(mean(*off))));
            keys.push(format!("arrivals = \"{}\"", if *poisson { "poisson" } else { "constant" }));
            let exponential = matches!(on, Period::Exponential(_));
            keys.push(format!("periods = \"{}\"", if exponential { "exponential" } else { "fixed" }));
            "on_off"
        }
        Arrivals::Trace(_) => unreachable!("a trace has been listed"),
    };
    Ok((requests.content.clone(), format!("{kind} = {{ {} }}", keys.join(", "))))
}

/// Without rounding.
fn span(span: Span) -> String {
    format!("{}ns", span.0)
}

fn per_second(rate: f64) -> String {
    format!("rate = \"{rate}/s\"")
}

fn mean(period: Period) -> Span {
    match period {
        Period::Fixed(span) | Period::Exponential(span) => span,
    }
}

fn size(sizes: &Sizes) -> String {
    let max = |max: &Option<weir_core::Bytes>| max.map_or(String::new(), |max| format!(", max = \"{}B\"", max.0));
    match sizes {
        Sizes::Fixed(size) => format!("\"{}B\"", size.0),
        Sizes::Uniform { min, max } => format!("{{ uniform = {{ min = \"{}B\", max = \"{}B\" }} }}", min.0, max.0),
        Sizes::Exponential { mean } => format!("{{ exponential = \"{}B\" }}", mean.0),
        Sizes::Lognormal { median, sigma } => {
            format!("{{ lognormal = {{ median = \"{}B\", sigma = {sigma} }} }}", median.0)
        }
        Sizes::Pareto { min, shape, max: most } => {
            format!("{{ pareto = {{ min = \"{}B\", shape = {shape}{} }} }}", min.0, max(most))
        }
        Sizes::LognormalPareto { mean, deviation, tail, index, start, max: most } => format!(
            "{{ lognormal_pareto = {{ mean = \"{}B\", deviation = \"{}B\", tail = {tail}, index = {index}, \
             start = \"{}B\"{} }} }}",
            mean.0,
            deviation.0,
            start.0,
            max(most)
        ),
        Sizes::Empirical(all) => {
            let sizes: Vec<String> = all.iter().map(|(size, _)| format!("\"{}B\"", size.0)).collect();
            let weights: Vec<String> = all.iter().map(|(_, weight)| weight.to_string()).collect();
            format!("{{ empirical = {{ sizes = [{}], weights = [{}] }} }}", sizes.join(", "), weights.join(", "))
        }
    }
}

/// The requests as a file that `trace` reads; names are below `prefix` there.
fn write_list(requests: &[TraceRequest], prefix: &Name, file: &Path) -> io::Result<()> {
    let mut writer = csv::Writer::from_path(file).map_err(io::Error::other)?;
    writer.write_record(["time", "name", "size"]).map_err(io::Error::other)?;
    for request in requests {
        let name = Name::from_components(request.name.components().skip(prefix.len()));
        let size = request.size.map_or(String::new(), |size| size.0.to_string());
        writer.write_record([span(request.time), name.to_string(), size]).map_err(io::Error::other)?;
    }
    writer.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_scenario::{Folder, Study};

    /// The workloads of this text on a line of three nodes, of which two ask.
    fn workloads(text: &str, folder: &Path) -> Vec<Workload> {
        let ground = "\n[topology]\nlinear = { nodes = [\"c\", \"d\", \"p\"], rate = \"1Gbps\", delay = \"1ms\" }\n\
                      [run]\nduration = \"1000s\"\n";
        let whole = format!("[[workload]]\n{text}{ground}");
        let study = Study::parse_with("test.toml", &whole, &[], &Folder(folder.to_owned()));
        let study = study.unwrap_or_else(|problems| panic!("{text}: {}", problems.render(false)));
        study.points()[0].scenario.workloads.clone()
    }

    /// What is written and read again is the same.
    #[test]
    fn every_kind_of_requests_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("t.csv"), "time,name,size\n0.123456789,a b,\n1.5,/x/y,3000\n").unwrap();
        let laws = [
            "\"10kB\"",
            "{ uniform = { min = \"1kB\", max = \"2MB\" } }",
            "{ exponential = \"7kB\" }",
            "{ lognormal = { median = \"9kB\", sigma = 1.25 } }",
            "{ pareto = { min = \"9kB\", shape = 1.1 } }",
            "{ pareto = { min = \"9kB\", shape = 1.1, max = \"3MB\" } }",
            "{ lognormal_pareto = { mean = \"7kB\", deviation = \"11kB\", start = \"10kB\", max = \"1GB\" } }",
            "{ empirical = { sizes = [\"10kB\", \"1MB\"], weights = [9, 1.5] } }",
        ];
        let mut texts = vec![
            "poisson = { rate = \"0.1/ms\", names = 1000, zipf = 0.73, q = 2.5, payload = \"999B\" }".to_owned(),
            "constant = { rate = \"7/min\", count = 12, retries = \"unlimited\", stop = \"90s\" }".to_owned(),
            "on_off = { rate = \"500/s\", on = \"200ms\", off = \"1234567ns\", retries = 3 }".to_owned(),
            "on_off = { rate = \"5/s\", on = \"2s\", off = \"1s\", arrivals = \"constant\", periods = \"fixed\" }"
                .to_owned(),
            "trace = { file = \"t.csv\" }".to_owned(),
        ];
        texts.extend(laws.map(|law| format!("poisson = {{ rate = \"5/s\", size = {law} }}")));
        for text in texts {
            let consumer = "consumer = \"c\", producer = \"p\" }";
            let mut whole = text.clone();
            whole.truncate(whole.len() - 1);
            let [workload] = &workloads(&format!("{}, {consumer}", whole.trim_end()), folder.path())[..] else {
                panic!()
            };
            let requests = workload.requests.as_ref().unwrap();
            let list = folder.path().join("list.csv");
            let (_, written) = traffic(workload, requests, Seed(1), Time::ZERO, &list).unwrap();
            let [again] = &workloads(&written, folder.path())[..] else { panic!() };
            let mut read = again.requests.clone().unwrap();
            read.content.clone_from(&requests.content);
            assert_eq!(&read, requests, "{text}: {written}");
            assert_eq!((again.payload, again.stop), (workload.payload, workload.stop), "{written}");
        }
    }

    #[test]
    fn a_stream_is_dealt_as_in_the_simulator() {
        let folder = tempfile::tempdir().unwrap();
        let text = "prowgen = { rate = \"20/s\", requests = 200, consumer = [\"c\", \"d\"], producer = \"p\" }";
        let all = workloads(text, folder.path());
        let list = folder.path().join("list.csv");
        let mut requests = 0;
        for workload in &all {
            let asked = workload.requests.as_ref().unwrap();
            let (name, written) = traffic(workload, asked, Seed(7), Time::ZERO, &list).unwrap();
            assert_eq!(name, workload.name);
            let [again] = &workloads(&written, folder.path())[..] else { panic!() };
            let Arrivals::Trace(read) = &again.requests.as_ref().unwrap().arrivals else { panic!() };
            let stream = asked.stream.as_ref().unwrap();
            let dealt = &stream_of_all(asked, stream, Seed(7))[stream.place];
            let times = |list: &[TraceRequest]| list.iter().map(|one| (one.time, one.size)).collect::<Vec<_>>();
            assert_eq!(times(read), times(dealt));
            requests += dealt.len();
        }
        assert_eq!(requests, 200);
    }

    #[test]
    fn what_is_left_of_a_stop_counts_from_the_start_of_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let all = workloads("constant = { rate = \"7/s\", stop = \"9s\" }", folder.path());
        let requests = all[0].requests.as_ref().unwrap();
        let now = Time::ZERO + Span::from_millis(2500);
        let (_, written) = traffic(&all[0], requests, Seed(1), now, Path::new("none")).unwrap();
        assert!(written.contains("stop = \"6500000000ns\""), "{written}");
    }
}
