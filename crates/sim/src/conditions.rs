//! What makes a link direction worse than rate, delay and independent loss: kept apart, so that ordinary links pay
//! nothing for it.

use weir_core::{Chance, Seed, Span};
use weir_scenario::plan::{GilbertElliott, Impairment, Jitter};

/// Whether a link direction carries packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkState {
    /// It does.
    #[default]
    Up,
    /// It takes nothing: what is sent waits in the queue.
    Waiting,
    /// It takes everything at once and loses it.
    Dropping,
    /// It takes packets as ever and loses them; nobody is told.
    Silent,
}

/// Impairments of a link direction at work, each with a stream of chance of its own.
#[derive(Debug)]
pub struct Conditions {
    pub(crate) state: LinkState,
    impairment: Impairment,
    /// Gilbert-Elliott's chain is in its bad state.
    bad: bool,
    bursts: Chance,
    jitter: Chance,
    reorder: Chance,
    duplicate: Chance,
}

impl Conditions {
    /// In the good state; `seed` is that of the link direction.
    pub fn new(impairment: Impairment, seed: Seed) -> Conditions {
        let stream = |part: &str| seed.of(part).stream();
        Conditions {
            state: LinkState::Up,
            impairment,
            bad: false,
            bursts: stream("bursts"),
            jitter: stream("jitter"),
            reorder: stream("reorder"),
            duplicate: stream("duplicate"),
        }
    }

    /// True if the next packet falls victim to bursty loss. Whether it is lost depends on the state that it finds; then
    /// the state changes.
    pub fn loses(&mut self) -> bool {
        let Some(GilbertElliott { p, r, h, k }) = self.impairment.bursts else { return false };
        let lost = self.bursts.happens(1.0 - if self.bad { h } else { k });
        let changes = self.bursts.happens(if self.bad { r } else { p });
        self.bad ^= changes;
        lost
    }

    /// How long after its time a packet arrives that would arrive after `delay`, and whether it keeps its place behind
    /// those before it.
    pub fn lateness(&mut self, delay: Span) -> (Lateness, bool) {
        let jitter = match self.impairment.jitter {
            None => Lateness(0),
            Some(Jitter::Uniform(most)) => Lateness(self.jitter.below(most.0.saturating_add(1)) as i64),
            Some(Jitter::Exponential(mean)) => Lateness::of(self.jitter.exponential(mean.seconds())),
            Some(Jitter::Normal(deviation)) => {
                Lateness::of((self.jitter.normal() * deviation.seconds()).max(-delay.seconds()))
            }
        };
        match self.impairment.reorder {
            Some((share, extra)) if self.reorder.happens(share) => {
                (Lateness(jitter.0.saturating_add(extra.0 as i64)), false)
            }
            _ => (jitter, !self.impairment.overtaking),
        }
    }

    /// True if a copy of the packet arrives, too.
    pub fn duplicates(&mut self) -> bool {
        self.duplicate.happens(self.impairment.duplicate)
    }
}

/// Nanoseconds after the ordinary time of arrival; negative for a packet that is early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lateness(pub i64);

impl Lateness {
    fn of(seconds: f64) -> Lateness {
        Lateness((seconds * 1e9) as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions(impairment: Impairment) -> Conditions {
        Conditions::new(impairment, Seed(4))
    }

    #[test]
    fn bursts_have_the_loss_and_the_length_that_the_chain_says() {
        let bursts = Some(GilbertElliott { p: 0.01, r: 0.25, h: 0.2, k: 0.999 });
        let mut conditions = conditions(Impairment { bursts, ..Impairment::default() });
        let n = 400_000;
        let lost: Vec<bool> = (0..n).map(|_| conditions.loses()).collect();
        let share = lost.iter().filter(|lost| **lost).count() as f64 / f64::from(n);
        // ((1 - k) r + (1 - h) p) / (p + r)
        let expected = (0.001 * 0.25 + 0.8 * 0.01) / 0.26;
        assert!((share / expected - 1.0).abs() < 0.05, "{share}, expected {expected}");
        // After a loss the next packet is lost far more often: the state is bad with the chance b below.
        let pairs =
            lost.windows(2).filter(|w| w[0] && w[1]).count() as f64 / lost.iter().filter(|l| **l).count() as f64;
        let b = 0.8 * 0.01 / (0.8 * 0.01 + 0.001 * 0.25);
        let next = b * (0.75 * 0.8 + 0.25 * 0.001) + (1.0 - b) * (0.01 * 0.8 + 0.99 * 0.001);
        assert!((pairs / next - 1.0).abs() < 0.05, "{pairs}, expected {next}");
    }

    #[test]
    fn jitter_has_its_distribution() {
        let delay = Span::from_millis(100);
        let draw = |jitter| {
            let mut conditions = conditions(Impairment { jitter: Some(jitter), ..Impairment::default() });
            let draws: Vec<f64> = (0..100_000).map(|_| conditions.lateness(delay).0.0 as f64 / 1e6).collect();
            let mean = draws.iter().sum::<f64>() / 1e5;
            (mean, (draws.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / 1e5).sqrt(), draws)
        };
        let ms = Span::from_millis;
        let (mean, deviation, draws) = draw(Jitter::Uniform(ms(12)));
        assert!((mean - 6.0).abs() < 0.06 && (deviation - 12.0 / 12f64.sqrt()).abs() < 0.05, "{mean} {deviation}");
        assert!(draws.iter().all(|d| (0.0..=12.0).contains(d)));
        let (mean, deviation, _) = draw(Jitter::Exponential(ms(4)));
        assert!((mean - 4.0).abs() < 0.06 && (deviation - 4.0).abs() < 0.1, "{mean} {deviation}");
        let (mean, deviation, _) = draw(Jitter::Normal(ms(5)));
        assert!(mean.abs() < 0.08 && (deviation - 5.0).abs() < 0.06, "{mean} {deviation}");
        // Nothing arrives before it was sent.
        let (.., draws) = draw(Jitter::Normal(ms(200)));
        assert!(draws.iter().all(|d| *d >= -100.0) && draws.iter().any(|d| *d == -100.0));
    }
}
