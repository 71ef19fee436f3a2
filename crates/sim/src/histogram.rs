//! Delay histograms of fixed size: percentiles of any number of samples without keeping them.

use weir_core::Span;

/// Sub-buckets for each power of two: a percentile is at most 1/64 too high or low.
const SUB_BITS: u32 = 6;

/// Counts of time spans in buckets whose width is 1/64 of their value.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    /// Counts of the buckets from `first` on: round trips lie close together, so most histograms are short.
    counts: Vec<u64>,
    first: usize,
    total: u64,
    sum: u128,
}

impl Histogram {
    /// Counts a span.
    #[inline]
    pub fn add(&mut self, span: Span) {
        let bucket = bucket(span.0);
        match self.counts.get_mut(bucket.wrapping_sub(self.first)) {
            Some(count) => *count += 1,
            None => *self.widen(bucket) += 1,
        }
        self.total += 1;
        self.sum += u128::from(span.0);
    }

    /// Makes room for `bucket`.
    #[cold]
    fn widen(&mut self, bucket: usize) -> &mut u64 {
        if self.counts.is_empty() {
            self.first = bucket;
        }
        if bucket < self.first {
            self.counts.splice(0..0, std::iter::repeat_n(0, self.first - bucket));
            self.first = bucket;
        } else if bucket - self.first >= self.counts.len() {
            self.counts.resize(bucket - self.first + 1, 0);
        }
        &mut self.counts[bucket - self.first]
    }

    /// Counts all that another histogram has counted.
    pub fn merge(&mut self, other: &Histogram) {
        for (i, theirs) in other.counts.iter().enumerate() {
            *self.widen(other.first + i) += theirs;
        }
        self.total += other.total;
        self.sum += other.sum;
    }

    /// Samples counted.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// Exact mean in seconds; `None` without samples.
    pub fn mean(&self) -> Option<f64> {
        (self.total > 0).then(|| self.sum as f64 / self.total as f64 / 1e9)
    }

    /// The smallest value, in seconds, that at least `share` (0 to 1) of the samples do not exceed, to within 1/64:
    /// the middle of its bucket.
    pub fn percentile(&self, share: f64) -> Option<f64> {
        let rank = ((share * self.total as f64).ceil() as u64).clamp(1, self.total.max(1));
        let mut seen = 0;
        let found = self.counts.iter().position(|count| {
            seen += count;
            seen >= rank
        })?;
        Some(middle(self.first + found) / 1e9)
    }
}

#[inline]
fn bucket(nanos: u64) -> usize {
    let exponent = 63 - (nanos | 1).leading_zeros();
    if exponent < SUB_BITS {
        return nanos as usize;
    }
    let shift = exponent - SUB_BITS;
    (((shift as usize) + 1) << SUB_BITS) + ((nanos >> shift) as usize - (1 << SUB_BITS))
}

fn middle(bucket: usize) -> f64 {
    if bucket < 1 << SUB_BITS {
        return bucket as f64;
    }
    let shift = (bucket >> SUB_BITS) - 1;
    let low = ((bucket & ((1 << SUB_BITS) - 1)) + (1 << SUB_BITS)) as f64;
    (low + 0.5) * (1u64 << shift) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_within_a_sixty_fourth() {
        let mut h = Histogram::default();
        for ms in 1..=1000 {
            h.add(Span::from_millis(ms));
        }
        for (share, ms) in [(0.5, 500.0), (0.95, 950.0), (0.99, 990.0), (1.0, 1000.0), (0.0, 1.0)] {
            let got = h.percentile(share).unwrap() * 1e3;
            assert!((got / ms - 1.0).abs() < 1.0 / 64.0, "{share}: {got}");
        }
        assert!((h.mean().unwrap() - 0.5005).abs() < 1e-12);
    }

    #[test]
    fn merging_counts_what_both_have_counted() {
        let spans = [40, 3_000, 50, 700_000_000, 90_000_000, 50];
        let (mut all, mut left, mut right) = (Histogram::default(), Histogram::default(), Histogram::default());
        for (i, nanos) in spans.into_iter().enumerate() {
            all.add(Span(nanos));
            if i % 2 == 0 { left.add(Span(nanos)) } else { right.add(Span(nanos)) }
        }
        left.merge(&right);
        left.merge(&Histogram::default());
        assert_eq!((left.count(), left.mean()), (6, all.mean()));
        for share in [0.0, 0.3, 0.5, 0.7, 0.9, 1.0] {
            assert_eq!(left.percentile(share), all.percentile(share));
        }
        assert_eq!(all.percentile(0.5), Some(50.0 / 1e9));
    }

    #[test]
    fn buckets_are_in_order() {
        let mut last = 0;
        for n in (0..1_000_000u64).step_by(37).chain([u64::MAX / 2, u64::MAX]) {
            assert!(bucket(n) >= last);
            last = bucket(n);
        }
        assert_eq!(Histogram::default().percentile(0.5), None);
    }
}
