//! The figures of a study as charts.

use crate::experiment::Experiment;
use crate::lookup::Means;
use crate::moments::Moment;
use weir_results::chart::{Axis, Chart, Kind, Point, Series};
use weir_results::stats::confidence95;
use weir_scenario::expr::{Bindings, FETCH, Lookup as _, SEED};
use weir_scenario::metrics::{FETCHES, METRICS, MetricInfo, SERIES};
use weir_scenario::{Figure, FigureKind, FigureX, Over};

/// Every figure with its id. Error bars and bands are 95 % confidence intervals of the mean over seeds.
pub fn charts(experiment: &Experiment) -> Vec<(String, Chart)> {
    experiment.study.figures.iter().map(|figure| (figure.id.clone(), chart(figure, experiment))).collect()
}

fn chart(figure: &Figure, experiment: &Experiment) -> Chart {
    let drawing = Drawing { figure, experiment };
    let series: Vec<Series> =
        drawing.curves().iter().map(|(label, bindings)| drawing.series(label, bindings)).collect();
    let x = drawing.x_axis();
    let kind = match figure.kind {
        FigureKind::Line => Kind::Line,
        FigureKind::Step => Kind::Step,
        FigureKind::Cdf => Kind::Cdf,
        FigureKind::Bars if series.len() > 1 => Kind::GroupedBars,
        FigureKind::Bars => Kind::Bars,
    };
    let note = drawing.note();
    Chart { title: figure.title.clone(), x, y: drawing.y_axis(), series, kind, note }
}

struct Drawing<'a> {
    figure: &'a Figure,
    experiment: &'a Experiment,
}

impl Drawing<'_> {
    /// The curves: a label and what it binds.
    fn curves(&self) -> Vec<(String, Bindings)> {
        let base: Bindings = self.figure.fix.iter().cloned().collect();
        // One curve needs no legend: the axis names it.
        let Some(by) = &self.figure.by else { return vec![(String::new(), base)] };
        let study = &self.experiment.study;
        let places = study.places();
        let labels = match by.as_str() {
            "flow" => &places.flows,
            "link" => &places.links,
            "node" => &places.nodes,
            axis => match study.axes.iter().find(|a| a.name == axis) {
                Some(axis) => &axis.labels,
                None => return Vec::new(),
            },
        };
        let bind = |label: &String| {
            let mut bindings = base.clone();
            bindings.insert(by.clone(), label.clone());
            (label.clone(), bindings)
        };
        let only = &self.figure.only;
        if only.is_empty() { labels } else { only }.iter().map(bind).collect()
    }

    fn series(&self, label: &str, bindings: &Bindings) -> Series {
        match &self.figure.x {
            FigureX::Axis(axis) => self.along(axis, label, bindings),
            FigureX::Time => self.over_time(label, bindings),
            FigureX::Cdf(over) => thinned(Series::cdf(label, &self.distributed(*over, bindings))),
        }
    }

    fn along(&self, axis: &str, label: &str, bindings: &Bindings) -> Series {
        let labels = self.labels(axis);
        let numeric = self.is_numeric(axis);
        let points = labels.iter().enumerate().filter_map(|(i, x_label)| {
            let mut bindings = bindings.clone();
            bindings.insert(axis.into(), x_label.clone());
            let y = self.figure.y.evaluate(&Means::all(self.experiment), &bindings).ok()?.number();
            let x = if numeric { x_label.parse().ok()? } else { i as f64 };
            Some(Point::with_interval(x, y, confidence95(&self.by_seed(&bindings))))
        });
        Series { label: label.into(), points: points.collect() }
    }

    fn by_seed(&self, bindings: &Bindings) -> Vec<f64> {
        let value = |seed: &u64| self.figure.y.evaluate(&Means::of_seed(self.experiment, *seed), bindings).ok();
        self.experiment.common_seeds().iter().filter_map(value).map(|o| o.number()).collect()
    }

    /// What a distribution is made of.
    fn distributed(&self, over: Over, bindings: &Bindings) -> Vec<f64> {
        let means = Means::all(self.experiment);
        let value = |axis: &str, label: String, bindings: &Bindings| {
            let mut bindings = bindings.clone();
            bindings.insert(axis.into(), label);
            self.figure.y.evaluate(&means, &bindings).ok().map(|outcome| outcome.number())
        };
        match over {
            Over::Runs => self.by_seed(bindings),
            Over::Fetches => {
                means.fetches(bindings).into_iter().filter_map(|label| value(FETCH, label, bindings)).collect()
            }
            Over::Time => {
                let mut values = Vec::new();
                for seed in means.seeds(bindings) {
                    let mut of_run = bindings.clone();
                    of_run.insert(SEED.into(), seed);
                    let times = means.moments(-1.0, f64::INFINITY, &of_run);
                    values.extend(times.iter().filter_map(|time| value("time", time.to_string(), &of_run)));
                }
                values
            }
        }
    }

    fn over_time(&self, label: &str, bindings: &Bindings) -> Series {
        let dot = |moment: &Moment<'_>| Some((moment.time(), self.figure.y.evaluate(moment, bindings).ok()?.number()));
        Series::new(label, Moment::all(self.experiment, bindings).iter().filter_map(dot))
    }

    fn labels(&self, axis: &str) -> &[String] {
        let found = self.experiment.study.axes.iter().find(|a| a.name == axis);
        found.map_or(&[], |a| &a.labels)
    }

    fn is_numeric(&self, axis: &str) -> bool {
        self.figure.kind != FigureKind::Bars
            && self.labels(axis).iter().all(|l| l.parse::<f64>().is_ok_and(f64::is_finite))
    }

    fn x_axis(&self) -> Axis {
        let named = |default: &str| self.figure.x_label.clone().unwrap_or_else(|| sentence(default));
        let unit = self.figure.x_unit.clone().unwrap_or_default();
        match &self.figure.x {
            FigureX::Time => Axis::linear(named("time"), "s"),
            FigureX::Cdf(_) => Axis::linear(self.figure.x_label.clone().unwrap_or_else(|| self.y_text()), self.unit()),
            FigureX::Axis(axis) if self.is_numeric(axis) => Axis::linear(named(axis), unit),
            FigureX::Axis(axis) => Axis::category(named(axis), self.labels(axis).to_vec()),
        }
    }

    fn y_axis(&self) -> Axis {
        match self.figure.x {
            FigureX::Cdf(over) => Axis::linear(share_of(over), ""),
            _ => Axis::linear(self.y_text(), self.figure.y_unit.clone().unwrap_or_else(|| self.unit())),
        }
    }

    fn y_text(&self) -> String {
        self.figure.y_label.clone().unwrap_or_else(|| sentence(self.figure.y.metric().unwrap_or(&self.figure.y.text)))
    }

    fn unit(&self) -> String {
        let table: &[MetricInfo] = match self.figure.x {
            FigureX::Time | FigureX::Cdf(Over::Time) => SERIES,
            FigureX::Cdf(Over::Fetches) => FETCHES,
            FigureX::Axis(_) | FigureX::Cdf(Over::Runs) => METRICS,
        };
        let metric = self.figure.y.metric().and_then(|name| table.iter().find(|m| m.name == name));
        metric.map(|m| m.unit.to_string()).unwrap_or_default()
    }

    fn note(&self) -> Option<String> {
        let seeds = self.experiment.common_seeds().len();
        match self.figure.x {
            FigureX::Time => Some("One run, the first seed.".into()),
            FigureX::Cdf(Over::Fetches | Over::Time) if seeds > 1 => Some(format!("{seeds} runs together.")),
            FigureX::Axis(_) if seeds > 1 => Some(format!("Mean of {seeds} runs with 95 % confidence intervals.")),
            _ => None,
        }
    }
}

fn share_of(over: Over) -> &'static str {
    match over {
        Over::Runs => "Share of runs",
        Over::Fetches => "Share of fetches",
        Over::Time => "Share of time",
    }
}

/// Steps of a distribution that are too small to be seen are left out.
fn thinned(mut series: Series) -> Series {
    const STEPS: f64 = 400.0;
    if series.points.len() as f64 > STEPS {
        let (last, mut drawn) = (series.points.len() - 1, f64::NEG_INFINITY);
        let mut number = 0;
        series.points.retain(|point| {
            let seen = number == 0 || number == last || point.y - drawn >= 1.0 / STEPS;
            number += 1;
            drawn = if seen { point.y } else { drawn };
            seen
        });
    }
    series
}

/// `full_delay` as a person would write it: `Full delay`.
fn sentence(name: &str) -> String {
    let text = name.replace('_', " ");
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
