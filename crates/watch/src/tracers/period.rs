//! Periods, and the averages that ndnSIM's tracers keep over them.

use weir_core::{Span, Time};

/// Weight of the latest period in an average; ndnSIM's constant.
const ALPHA: f64 = 0.8;

/// A kilobyte of ndnSIM's tracers.
const KILOBYTE: f64 = 1024.0;

/// Says when a period is over.
#[derive(Debug)]
pub(super) struct Clock {
    period: Span,
    start: Time,
}

impl Clock {
    pub fn new(period: Span) -> Clock {
        Clock { period: period.max(Span(1)), start: Time::ZERO }
    }

    /// The end and length of the period under way, if it ended before `now`: what happens at its very end is in it.
    #[inline]
    pub fn ended(&mut self, now: Time) -> Option<(Time, Span)> {
        let end = self.start + self.period;
        if now <= end {
            return None;
        }
        self.start = end;
        Some((end, self.period))
    }

    /// What is left of the last period at the end of the run.
    pub fn rest(&self, end: Time) -> Option<(Time, Span)> {
        (end > self.start).then(|| (end, end.since(self.start)))
    }
}

/// Packets and bytes of one kind: of this period, and as averages.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counter {
    packets: u64,
    bytes: u64,
    packet_rate: f64,
    kilobyte_rate: f64,
}

impl Counter {
    #[inline]
    pub fn add(&mut self, bytes: usize) {
        self.packets += 1;
        self.bytes += bytes as u64;
    }

    /// The last four columns of a line, for a period that is over; the next one begins.
    pub fn columns(&mut self, period: Span) -> String {
        let kilobytes = self.bytes as f64 / KILOBYTE;
        average(&mut self.packet_rate, self.packets as f64 / period.seconds());
        average(&mut self.kilobyte_rate, kilobytes / period.seconds());
        let columns = format!("{}\t{}\t{}\t{kilobytes}", self.packet_rate, self.kilobyte_rate, self.packets);
        (self.packets, self.bytes) = (0, 0);
        columns
    }
}

fn average(mean: &mut f64, new: f64) {
    *mean = ALPHA * new + (1.0 - ALPHA) * *mean;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_are_of_rates_and_raw_numbers_of_the_period() {
        let mut counter = Counter::default();
        let period = Span::from_millis(500);
        counter.add(512);
        counter.add(512);
        assert_eq!(counter.columns(period), "3.2\t1.6\t2\t1");
        let empty: Vec<f64> = counter.columns(period).split('\t').map(|c| c.parse().unwrap()).collect();
        assert!((empty[0] - 0.64).abs() < 1e-12 && (empty[1] - 0.32).abs() < 1e-12 && empty[2..] == [0.0, 0.0]);
    }

    #[test]
    fn a_period_holds_its_end() {
        let mut clock = Clock::new(Span(10));
        assert_eq!(clock.ended(Time(10)), None);
        assert_eq!(clock.ended(Time(11)), Some((Time(10), Span(10))));
        assert_eq!(clock.ended(Time(25)), Some((Time(20), Span(10))));
        assert_eq!(clock.ended(Time(25)), None);
        assert_eq!((clock.rest(Time(25)), clock.rest(Time(20))), (Some((Time(25), Span(5))), None));
    }
}
