//! Lines of many points: leaving out what cannot be seen.

/// The points (in pixels) that draw the same picture as all of them.
///
/// A run of points within half a pixel of width is a vertical stroke: its first and last point, its top and its bottom
/// are enough.
pub(super) fn thin(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let column = |point: &(f64, f64)| (2.0 * point.0).floor();
    let runs = points.chunk_by(|a, b| column(a) == column(b));
    runs.flat_map(|run| {
        let by_height = |a: &usize, b: &usize| run[*a].1.total_cmp(&run[*b].1);
        let bottom = (0..run.len()).min_by(by_height).unwrap_or(0);
        let top = (0..run.len()).max_by(by_height).unwrap_or(0);
        let mut kept = [0, bottom, top, run.len() - 1].to_vec();
        kept.sort_unstable();
        kept.dedup();
        kept.into_iter().map(|index| run[index]).collect::<Vec<_>>()
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::thin;

    #[test]
    fn keeps_what_can_be_seen() {
        let few = [(0.0, 1.0), (10.0, 2.0), (5.0, 3.0)];
        assert_eq!(thin(&few), few);
        let run = [(0.0, 5.0), (0.1, 9.0), (0.2, 6.0), (0.3, 1.0), (0.4, 4.0), (0.6, 4.0)];
        assert_eq!(thin(&run), [(0.0, 5.0), (0.1, 9.0), (0.3, 1.0), (0.4, 4.0), (0.6, 4.0)]);
        assert!(thin(&[]).is_empty());
    }

    #[test]
    fn a_long_line_becomes_short() {
        let wave: Vec<_> = (0..100_000).map(|i| (f64::from(i) * 0.006, f64::from(i % 977))).collect();
        assert!(thin(&wave).len() <= 4 * 1201);
    }
}
