//! `weir trace`

use crate::Failure;
use crate::args::TraceArgs;
use crate::output::print;
use std::io::IsTerminal;
use weir_core::nearest;
use weir_scenario::{Override, Point, Study};
use weir_watch::trace::{self, Follower, Paint};

pub(crate) fn trace(args: &TraceArgs) -> Result<(), Failure> {
    let set: Vec<Override> = args.set.iter().map(Override::new).collect();
    let colour = std::io::stderr().is_terminal();
    let study = Study::load(&args.file, &set).map_err(|problems| Failure::Input(problems.render(colour)))?;
    let point = chosen_point(&study, &args.point).map_err(Failure::Input)?;
    let scenario = &point.scenario;
    let Some(seed) = args.seed.or_else(|| scenario.run.seeds.first().copied()) else {
        return Err(Failure::Input("the scenario has no seeds; give one with --seed".into()));
    };
    let defect = |error: weir_sim::BuildError| Failure::Other(error.to_string());
    let find = || trace::find(scenario, seed).map_err(defect);
    let label = args.flow.as_deref();
    let name = match (&args.name, label, args.segment) {
        (Some(name), ..) => read_name(name)?,
        (None, Some(flow), Some(segment)) => {
            let names = find()?.segment(flow, segment).map_err(Failure::Input)?;
            only(flow, segment, &names).map_err(Failure::Input)?
        }
        _ => return Err(Failure::Input("say which segment of the flow to follow: `--segment 17`".into())),
    };
    let followed = trace::follow(scenario, seed, &name, label, args.all_transmissions).map_err(defect)?;
    if followed.flow().is_none() {
        return Err(Failure::Input(find()?.miss(&name, label)));
    }
    let all = args.all_transmissions;
    print(&match args.json {
        true => json(&followed, all),
        false => text(&followed, &title(&study, point, seed, &name.to_string()), all),
    })
}

fn title(study: &Study, point: &Point, seed: u64, name: &str) -> String {
    let at = if point.labels.is_empty() { String::new() } else { format!(" at {}", point.title()) };
    format!("{name} in {}{at} with seed {seed}", study.file)
}

fn text(trace: &Follower, title: &str, all: bool) -> String {
    let paint = Paint { colour: std::io::stdout().is_terminal() };
    let mut text = format!("{title}\n\n{}", trace::steps(trace, paint));
    if trace.omitted() > 0 {
        let (steps, verb) = if trace.omitted() == 1 { ("step", "follows") } else { ("steps", "follow") };
        text += &format!("({} more {steps} {verb}: --all-transmissions shows them)\n", trace.omitted());
    }
    let delays = delays(trace, all);
    if delays.is_empty() {
        text += "\nthe segment did not reach its consumer before the end of the run\n";
    }
    for delay in &delays {
        text.push('\n');
        text += &trace::summary(delay, trace.network(), paint);
    }
    text
}

fn json(trace: &Follower, all: bool) -> String {
    let steps = trace.steps().iter().map(|step| step.json(trace.network()));
    let delays = delays(trace, all);
    let summaries = delays.iter().map(|delay| trace::summary_json(delay, trace.network()));
    steps.chain(summaries).map(|line| line + "\n").collect()
}

/// Of the fetch that the trace is about, or of all.
fn delays(trace: &Follower, all: bool) -> Vec<trace::Delay> {
    let flows = trace::delivered(trace).into_iter().filter(|flow| all || Some(*flow) == trace.flow());
    flows.filter_map(|flow| trace::delay(trace.steps(), trace.network(), flow)).collect()
}

fn read_name(text: &str) -> Result<weir_watch::Name, Failure> {
    text.parse().map_err(|error| Failure::Input(format!("`--name {text}` is no name: {error}")))
}

/// The one name that several fetches of one label have in common.
fn only(flow: &str, segment: u64, names: &[weir_watch::Name]) -> Result<weir_watch::Name, String> {
    if let [one] = names {
        return Ok(one.clone());
    }
    let list: Vec<String> = names.iter().take(8).map(|name| format!("  --name {name}\n")).collect();
    let more = if names.len() > 8 { format!("  and {} more\n", names.len() - 8) } else { String::new() };
    Err(format!(
        "`{flow}` asks for a segment {segment} of {} contents; say which:\n{}{more}",
        names.len(),
        list.concat()
    ))
}

/// The point that `--point` names; without it the only one.
fn chosen_point<'a>(study: &'a Study, wanted: &[String]) -> Result<&'a Point, String> {
    let mut points: Vec<&Point> = study.points().iter().collect();
    for pair in wanted {
        let (axis, label) =
            pair.split_once('=').ok_or_else(|| format!("`--point {pair}` is not of the form AXIS=LABEL"))?;
        let Some(known) = study.axes.iter().find(|a| a.name == axis) else {
            let names: Vec<&str> = study.axes.iter().map(|a| a.name.as_str()).collect();
            return Err(format!("the scenario has no axis `{axis}`; {}", hint(axis, &names)));
        };
        let labels: Vec<&str> = known.labels.iter().map(String::as_str).collect();
        if !labels.contains(&label) {
            return Err(format!("the axis `{axis}` has no label `{label}`; {}", hint(label, &labels)));
        }
        points.retain(|point| point.labels.iter().any(|(a, l)| a == axis && l == label));
    }
    match points[..] {
        [point] => Ok(point),
        [] => Err("--point names two labels of one axis".into()),
        _ => Err(several(&points)),
    }
}

fn several(points: &[&Point]) -> String {
    const SHOWN: usize = 12;
    let line = |point: &&Point| {
        let pairs: Vec<String> = point.labels.iter().map(|(axis, label)| format!("{axis}={label}")).collect();
        format!("  --point {}\n", quoted(&pairs.join(",")))
    };
    let more = points.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!("  and {more} more\n") } else { String::new() };
    let list: String = points.iter().take(SHOWN).map(line).collect();
    format!("a trace is of one run, and this is {} points; say which:\n{list}{more}", points.len())
}

/// As a shell wants it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=,./:".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

fn hint(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "it has none".into(),
        None => format!("there are: {}", known.join(", ")),
    }
}
