//! The five characteristics against their definitions.

use super::*;

/// Busari and Williamson's usual setting, with fewer requests.
fn usual() -> Prowgen {
    Prowgen {
        requests: 100_000,
        distinct: 0.34,
        one_timers: 0.7,
        slope: 0.8,
        sizes: Sizes::Uniform { min: Bytes(1), max: Bytes(1_000_000) },
        mean_size: None,
        correlation: 0.0,
        locality: None,
    }
}

fn local(depth: usize, mode: StackMode) -> Prowgen {
    Prowgen { locality: Some(Locality { depth, mode }), ..usual() }
}

/// How often each object stands in the order.
fn seen(stream: &Stream) -> Vec<u64> {
    let mut seen = vec![0; stream.sizes.len()];
    stream.order.iter().for_each(|object| seen[*object as usize] += 1);
    seen
}

/// Slope of the line that fits best.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let top: f64 = points.iter().map(|(x, y)| (x - mx) * (y - my)).sum();
    top / points.iter().map(|(x, _)| (x - mx) * (x - mx)).sum::<f64>()
}

#[test]
fn requests_objects_and_one_timers_are_as_many_as_asked_for() {
    for (requests, distinct, one_timers) in [(100_000, 0.34, 0.7), (10_000, 0.4, 0.6), (500, 0.4, 0.6), (10, 1.0, 1.0)]
    {
        let law = Prowgen { requests, distinct, one_timers, ..usual() };
        let seen = seen(&law.draw(Seed(1)));
        let objects = (requests as f64 * distinct).round();
        assert_eq!((seen.iter().sum::<u64>(), seen.len() as f64), (requests, objects));
        assert_eq!(seen.iter().filter(|n| **n == 1).count() as f64, (objects * one_timers).round());
        assert!(seen.windows(2).all(|pair| pair[0] >= pair[1]), "object 0 is the most popular");
    }
}

#[test]
fn what_cannot_be_is_known_before() {
    let law = |distinct, one_timers| Prowgen { requests: 100, distinct, one_timers, ..usual() }.repeated();
    assert_eq!(law(0.4, 0.6), Some(76));
    assert_eq!(law(0.8, 0.1), None, "72 objects twice are more than 100 requests");
    assert_eq!(law(0.5, 1.0), None, "50 requests are for no object");
    assert_eq!(law(1.0, 1.0), Some(0));
}

#[test]
fn popularity_has_the_slope_of_zipfs_law() {
    for wanted in [0.6, 0.8, 0.95, 1.2] {
        let counts = Prowgen { slope: wanted, ..usual() }.counts();
        // Where counts are large, rounding to whole requests is small.
        let points: Vec<(f64, f64)> = (1..)
            .zip(&counts)
            .take_while(|(_, count)| **count >= 20)
            .map(|(rank, count)| (libm::log(f64::from(rank)), libm::log(*count as f64)))
            .collect();
        assert!(points.len() > 50, "{}", points.len());
        let found = -slope(&points);
        assert!((found - wanted).abs() < 0.01, "{found} instead of {wanted}");
    }
}

#[test]
fn sizes_are_those_of_the_law_and_have_the_mean_that_is_asked_for() {
    let (mean, start) = (Bytes(7000), Bytes(10_000));
    let law = Sizes::LognormalPareto { mean, deviation: Bytes(11_000), tail: 0.07, index: 1.2, start, max: None };
    let stream = Prowgen { sizes: law.clone(), ..usual() }.draw(Seed(3));
    let mut drawn: Vec<Bytes> =
        (0..stream.sizes.len()).scan(Seed(3).of("sizes").stream(), |c, _| Some(law.draw(c))).collect();
    drawn.sort_unstable();
    let mut sizes = stream.sizes;
    sizes.sort_unstable();
    assert_eq!(sizes, drawn);
    let scaled = Prowgen { sizes: law, mean_size: Some(Bytes(5_000_000)), ..usual() }.draw(Seed(3)).sizes;
    let mean = scaled.iter().map(|s| s.0 as f64).sum::<f64>() / scaled.len() as f64;
    assert!((mean / 5e6 - 1.0).abs() < 1e-6, "{mean}");
}

#[test]
fn size_and_popularity_have_the_rank_correlation_that_is_asked_for() {
    for wanted in [-1.0, -0.6, 0.0, 0.3, 0.9, 1.0] {
        let sizes = Prowgen { correlation: wanted, ..usual() }.draw(Seed(5)).sizes;
        let n = sizes.len();
        let mut by_size: Vec<usize> = (0..n).collect();
        by_size.sort_by_key(|object| sizes[*object]);
        // Spearman: 1 - 6 sum d² / (n (n² - 1)); the most popular object has the highest rank.
        let d2: f64 = by_size
            .iter()
            .enumerate()
            .map(|(rank, object)| {
                let d = rank as f64 - (n - 1 - object) as f64;
                d * d
            })
            .sum();
        let n = n as f64;
        let found = 1.0 - 6.0 * d2 / (n * (n * n - 1.0));
        // Its standard error is at most 1 / sqrt(n): 0.0054.
        assert!((found - wanted).abs() < 0.02, "{found} instead of {wanted}");
    }
}

/// For each request for an object that was asked for before: how many others were since.
fn distances(order: &[u32]) -> Vec<usize> {
    let mut stack: Vec<u32> = Vec::new();
    let mut distances = Vec::new();
    for object in order {
        if let Some(at) = stack.iter().rev().position(|o| o == object) {
            distances.push(at);
            stack.remove(stack.len() - 1 - at);
        }
        stack.push(*object);
    }
    distances
}

#[test]
fn locality_changes_the_order_and_nothing_else() {
    let plain = usual().draw(Seed(7));
    for mode in [StackMode::Static, StackMode::Dynamic] {
        let stream = local(1000, mode).draw(Seed(7));
        assert_eq!((seen(&stream), &stream.sizes), (seen(&plain), &plain.sizes));
        assert_ne!(stream.order, plain.order);
    }
}

#[test]
fn a_stack_brings_repetitions_nearer() {
    let near = |law: Prowgen| {
        let distances = distances(&Prowgen { requests: 20_000, ..law }.draw(Seed(9)).order);
        distances.iter().filter(|d| **d < 100).count() as f64 / distances.len() as f64
    };
    let (none, little, fixed) =
        (near(usual()), near(local(30, StackMode::Static)), near(local(1000, StackMode::Static)));
    assert!(none + 0.05 < little && little + 0.05 < fixed, "{none} {little} {fixed}");
    let moving = near(local(1000, StackMode::Dynamic));
    assert!(moving > none, "{moving} {none}");
}

/// The distances of a stack that never exhausts its objects have the fixed probabilities of its places.
#[test]
fn fixed_places_are_met_with_their_probabilities() {
    let law = Prowgen { requests: 400_000, distinct: 0.01, one_timers: 0.0, ..local(50, StackMode::Static) };
    let (counts, order) = (law.counts(), law.draw(Seed(11)).order);
    // The first half: no object is used up.
    let half = &order[..order.len() / 2];
    let distances = distances(half);
    for place in [0usize, 1, 4, 20, 49] {
        let expected = counts[place] as f64 / law.requests as f64;
        let found = distances.iter().filter(|d| **d == place).count() as f64 / half.len() as f64;
        let error = (expected / half.len() as f64).sqrt();
        assert!((found - expected).abs() < 5.0 * error, "place {place}: {found} instead of {expected}");
    }
}

#[test]
fn moving_places_are_met_by_the_popularity_of_their_objects() {
    // With a stack that holds all objects, each is asked for by its share, wherever it stands.
    let law = Prowgen { requests: 200_000, distinct: 0.001, one_timers: 0.0, ..local(1000, StackMode::Dynamic) };
    let (counts, order) = (law.counts(), law.draw(Seed(13)).order);
    let half = &order[1000..order.len() / 2];
    for object in [0usize, 3, 50] {
        let expected = counts[object] as f64 / law.requests as f64;
        let found = half.iter().filter(|o| **o as usize == object).count() as f64 / half.len() as f64;
        let error = (expected / half.len() as f64).sqrt();
        assert!((found - expected).abs() < 5.0 * error, "object {object}: {found} instead of {expected}");
    }
}

#[test]
fn sums_find_what_a_scan_finds() {
    let mut values: Vec<u64> = (0..37).map(|i| i * 7919 % 5).collect();
    let mut sums = Sums::new(&values);
    for (at, value) in [(3, 9), (36, 0), (0, 4), (12, 0)] {
        values[at] = value;
        sums.set(at, value);
    }
    assert_eq!(sums.total(), values.iter().sum());
    for number in 0..sums.total() {
        let mut left = number;
        let scan = values.iter().position(|value| {
            let here = left < *value;
            left = left.saturating_sub(*value);
            here
        });
        assert_eq!(Some(sums.find(number)), scan);
    }
}

#[test]
fn a_seed_means_the_same_stream_and_another_seed_another() {
    let law = local(100, StackMode::Static);
    assert_eq!(law.draw(Seed(1)), law.draw(Seed(1)));
    assert_ne!(law.draw(Seed(1)).order, law.draw(Seed(2)).order);
}
