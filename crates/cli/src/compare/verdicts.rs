//! What trials amount to: means, ranks, who is as good as the best, and the front.

use super::Comparison;
use weir_lab::{MEASURES, Standing, measure_named};
use weir_results::ranking::{pareto, ranks};
use weir_results::stats::{confidence95, mean};

/// One measure of one scheme on one network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figure {
    pub mean: f64,
    /// Half the 95 % confidence interval; `None` with one seed.
    pub half: Option<f64>,
    /// From 1, the best, among the schemes on this network.
    pub rank: usize,
    /// It is the best, or its interval reaches that of the best.
    pub leads: bool,
}

impl Comparison {
    /// The figures of a measure on a network, by scheme.
    pub fn figures(&self, ground: usize, measure: usize) -> Vec<Option<Figure>> {
        let values = |standing: &Standing| standing.values(measure);
        let values: Vec<Option<Vec<f64>>> = self.standings[ground].iter().map(values).collect();
        let means: Vec<Option<f64>> = values.iter().map(|v| mean(v.as_deref()?)).collect();
        let better = MEASURES[measure].better;
        let ranks = ranks(&means, better);
        let reach = |i: usize| values[i].as_deref().and_then(confidence95).unwrap_or(0.0);
        let best = ranks.iter().position(|rank| *rank == Some(1));
        let figure = |i: usize| {
            let (mean, rank, best) = (means[i]?, ranks[i]?, best?);
            let near = (mean - means[best]?).abs() <= reach(i) + reach(best);
            let half = values[i].as_deref().and_then(confidence95);
            Some(Figure { mean, half, rank, leads: rank == 1 || near })
        };
        (0..values.len()).map(figure).collect()
    }

    /// Whether each scheme is on the front of goodput against mean delay.
    pub fn front(&self, ground: usize) -> Vec<bool> {
        let of = |name| measure_named(name).map(|m| self.figures(ground, m)).unwrap_or_default();
        let (gains, costs) = (of("goodput"), of("delay"));
        let points: Vec<Option<(f64, f64)>> =
            gains.iter().zip(&costs).map(|(gain, cost)| Some((gain.as_ref()?.mean, cost.as_ref()?.mean))).collect();
        pareto(&points)
    }

    /// Names of the schemes on the front, most goodput first.
    pub fn front_names(&self, ground: usize) -> Vec<&str> {
        let goodput = measure_named("goodput").map(|m| self.figures(ground, m)).unwrap_or_default();
        let mut on: Vec<usize> = self.front(ground).iter().enumerate().filter(|(_, on)| **on).map(|(i, _)| i).collect();
        on.sort_by_key(|i| goodput[*i].map_or(usize::MAX, |f| f.rank));
        on.into_iter().map(|i| self.contenders[i].name.as_str()).collect()
    }

    /// The mean over the networks of a scheme's relative rank, from 0 (best) to 1 (last): among schemes of different
    /// number ranks themselves could not be averaged. With the number of networks.
    pub fn standing(&self, contender: usize, measure: usize) -> Option<(f64, usize)> {
        let mut places = Vec::new();
        for ground in 0..self.standings.len() {
            let figures = self.figures(ground, measure);
            let ranked = figures.iter().flatten().count();
            if let (Some(figure), true) = (figures[contender], ranked > 1) {
                places.push((figure.rank - 1) as f64 / (ranked - 1) as f64);
            }
        }
        mean(&places).map(|mean| (mean, places.len()))
    }

    /// What has to be said about a scheme on a network besides its figures.
    pub fn remark(&self, ground: usize, contender: usize) -> Option<String> {
        match &self.standings[ground][contender] {
            Standing::Refused(why) => Some(format!("cannot run here: {why}")),
            Standing::Failed(why) => Some(format!("went wrong {why}")),
            Standing::Stopped => Some("was not run".into()),
            Standing::Ran(trials) => {
                let unfinished = trials.iter().map(|t| t.unfinished).max().filter(|n| *n > 0)?;
                let runs = trials.iter().filter(|t| t.unfinished > 0).count();
                let end = trials.iter().map(|t| t.duration).fold(0.0, f64::max);
                let fetches = if unfinished == 1 { "1 fetch".into() } else { format!("up to {unfinished} fetches") };
                Some(format!("{fetches} not ended after {end} s ({runs} of {} runs)", trials.len()))
            }
        }
    }
}
