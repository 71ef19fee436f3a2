//! ProWGen's stream of requests (Busari and Williamson, "ProWGen: a synthetic workload generation tool for simulation
//! evaluation of web proxy caches", 2002): five characteristics of what many users ask of one proxy.

use crate::{Bytes, Chance, Seed, Sizes};
use std::collections::VecDeque;

/// A stream of requests for objects, described by its characteristics.
#[derive(Clone, Debug, PartialEq)]
pub struct Prowgen {
    /// Number of requests.
    pub requests: u64,
    /// Objects, as a share of the requests.
    pub distinct: f64,
    /// One-time referencing: share of the objects that are asked for once.
    pub one_timers: f64,
    /// Popularity: of the other objects the one of rank `k` is asked for in proportion to `k^-slope`, but twice at least.
    pub slope: f64,
    /// Sizes of the objects: a law.
    pub sizes: Sizes,
    /// All sizes are multiplied by one factor that makes this the mean over the objects; `None`: as the law has them.
    pub mean_size: Option<Bytes>,
    /// Spearman's rank correlation between popularity and size, from -1 to 1. Objects of equal popularity stand in the
    /// order of their numbers.
    pub correlation: f64,
    /// Temporal locality; `None`: the order of the requests is a random permutation.
    pub locality: Option<Locality>,
}

/// An LRU stack of finite depth: the objects that were asked for last and will be asked for again, the latest on top.
/// The next request is for an object of the stack with the probabilities of its places, and otherwise for one of the
/// others in proportion to the requests that are left for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locality {
    /// Places of the stack.
    pub depth: usize,
    /// What the probability of a place is.
    pub mode: StackMode,
}

/// Probabilities of the places of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackMode {
    /// Fixed: place `k` from the top has the share of the requests that are for the object of rank `k`.
    Static,
    /// A place has the share of the object that stands in it, which changes with every request.
    Dynamic,
}

/// A stream as it has been drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// The object of each request, in order. Object 0 is the most popular one; those that are asked for once come last.
    pub order: Vec<u32>,
    /// The size of each object.
    pub sizes: Vec<Bytes>,
}

impl Prowgen {
    /// Most requests of a stream.
    pub const MOST: u64 = 50_000_000;

    /// Objects that are asked for more than once, and once.
    pub fn objects(&self) -> (u64, u64) {
        let objects = ((self.requests as f64 * self.distinct).round() as u64).clamp(1, self.requests.max(1));
        let ones = ((objects as f64 * self.one_timers).round() as u64).min(objects);
        (objects - ones, ones)
    }

    /// Requests that there are for objects that are asked for more than once; `None` if that cannot be: too few for two
    /// of each, or some for no object.
    pub fn repeated(&self) -> Option<u64> {
        let (several, ones) = self.objects();
        let left = self.requests.checked_sub(ones)?;
        (left >= 2 * several && (several > 0 || left == 0)).then_some(left)
    }

    /// How often each object is asked for, the most popular one first.
    pub fn counts(&self) -> Vec<u64> {
        let (several, ones) = self.objects();
        let mut counts = zipf(several as usize, self.repeated().unwrap_or(2 * several), self.slope);
        counts.resize((several + ones) as usize, 1);
        counts
    }

    /// Draws the stream. Sizes, their order and that of the requests have streams of chance of their own.
    pub fn draw(&self, seed: Seed) -> Stream {
        let counts = self.counts();
        let sizes = self.sizes_of(counts.len(), seed);
        let mut chance = seed.of("order").stream();
        let order = match self.locality {
            Some(locality) => Stack::new(&counts, locality).order(&mut chance),
            None => shuffled(&counts, &mut chance),
        };
        Stream { order, sizes }
    }

    fn sizes_of(&self, objects: usize, seed: Seed) -> Vec<Bytes> {
        let mut chance = seed.of("sizes").stream();
        let mut sizes: Vec<u64> = (0..objects).map(|_| self.sizes.draw(&mut chance).0).collect();
        if let Some(mean) = self.mean_size {
            let sum = sizes.iter().map(|size| u128::from(*size)).sum::<u128>() as f64;
            let factor = mean.0 as f64 * objects as f64 / sum.max(1.0);
            sizes.iter_mut().for_each(|size| *size = ((*size as f64 * factor).round() as u64).max(1));
        }
        sizes.sort_unstable();
        let ranks = correlated_ranks(objects, self.correlation, &mut seed.of("correlation").stream());
        ranks.into_iter().map(|rank| Bytes(sizes[rank])).collect()
    }
}

/// `total` requests for `objects` objects: the k-th gets a share proportional to `k^-slope`, but two at least.
fn zipf(objects: usize, total: u64, slope: f64) -> Vec<u64> {
    if objects == 0 {
        return Vec::new();
    }
    let weights: Vec<f64> = (1..=objects).map(|rank| libm::pow(rank as f64, -slope)).collect();
    let counts = |factor: f64| weights.iter().map(move |w| ((w * factor).floor() as u64).max(2));
    // The least that two of each need is met by a factor of 0; the sum grows with the factor.
    let (mut low, mut high) = (0.0, total as f64 * libm::pow(objects as f64, slope) + 1.0);
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if counts(middle).sum::<u64>() <= total { low = middle } else { high = middle }
    }
    let mut counts: Vec<u64> = counts(low).collect();
    // Rounding leaves some, fewer than there are objects (or a tie of equal weights): one for each of the first.
    let mut left = total.saturating_sub(counts.iter().sum());
    while left > 0 {
        for count in counts.iter_mut().take(left as usize) {
            *count += 1;
            left -= 1;
        }
    }
    counts
}

/// For each of `n` objects in the order of popularity, the rank of its size (0: the smallest), such that the rank
/// correlation of popularity and size is `spearman` in the mean: ranks of pairs of normal numbers whose correlation is
/// 2 sin(pi/6 spearman) (Pearson 1907).
fn correlated_ranks(n: usize, spearman: f64, chance: &mut Chance) -> Vec<usize> {
    let pearson = (2.0 * libm::sin(std::f64::consts::PI / 6.0 * spearman)).clamp(-1.0, 1.0);
    let rest = libm::sqrt(1.0 - pearson * pearson);
    let mut pairs: Vec<(f64, f64)> = (0..n)
        .map(|_| {
            let popularity = chance.normal();
            (popularity, pearson * popularity + rest * chance.normal())
        })
        .collect();
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut by_size: Vec<usize> = (0..n).collect();
    by_size.sort_by(|a, b| pairs[*a].1.total_cmp(&pairs[*b].1));
    let mut ranks = vec![0; n];
    by_size.into_iter().enumerate().for_each(|(rank, object)| ranks[object] = rank);
    ranks
}

/// All requests in random order (Fisher and Yates).
fn shuffled(counts: &[u64], chance: &mut Chance) -> Vec<u32> {
    let each = |(object, count): (usize, &u64)| std::iter::repeat_n(object as u32, *count as usize);
    let mut order: Vec<u32> = counts.iter().enumerate().flat_map(each).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, chance.below(last as u64 + 1) as usize);
    }
    order
}

/// The LRU stack at work.
struct Stack<'a> {
    counts: &'a [u64],
    total: u64,
    depth: usize,
    /// Sums of the fixed probabilities of the places, as numbers of requests; empty if they are not fixed.
    places: Vec<u64>,
    /// The latest in front.
    stack: VecDeque<u32>,
    left: Vec<u64>,
    /// Requests that are left for objects outside of the stack.
    outside: Sums,
}

impl<'a> Stack<'a> {
    fn new(counts: &'a [u64], Locality { depth, mode }: Locality) -> Stack<'a> {
        let mut sum = 0;
        let mut place = |count: &u64| {
            sum += count;
            sum
        };
        let places = match mode {
            StackMode::Static => counts.iter().take(depth).map(&mut place).collect(),
            StackMode::Dynamic => Vec::new(),
        };
        let (left, outside) = (counts.to_vec(), Sums::new(counts));
        Stack { counts, total: counts.iter().sum(), depth, places, stack: VecDeque::new(), left, outside }
    }

    fn order(mut self, chance: &mut Chance) -> Vec<u32> {
        (0..self.total).map(|_| self.next(chance)).collect()
    }

    fn next(&mut self, chance: &mut Chance) -> u32 {
        let drawn = self.place(chance.below(self.total.max(1)));
        let place = match drawn {
            None if self.outside.total() == 0 => Some(chance.below(self.stack.len() as u64) as usize),
            drawn => drawn,
        };
        let object = match place.and_then(|place| self.stack.remove(place)) {
            Some(object) => object,
            None => {
                let object = self.outside.find(chance.below(self.outside.total()));
                self.outside.set(object, 0);
                object as u32
            }
        };
        self.left[object as usize] -= 1;
        if self.left[object as usize] > 0 {
            self.stack.push_front(object);
        }
        if self.stack.len() > self.depth
            && let Some(lowest) = self.stack.pop_back()
        {
            self.outside.set(lowest as usize, self.left[lowest as usize]);
        }
        object
    }

    /// The place of the stack that a number below the number of all requests stands for; `None`: none of them.
    fn place(&self, number: u64) -> Option<usize> {
        if !self.places.is_empty() {
            let place = self.places.partition_point(|sum| *sum <= number);
            return (place < self.stack.len()).then_some(place);
        }
        let mut sum = 0;
        self.stack.iter().position(|object| {
            sum += self.counts[*object as usize];
            number < sum
        })
    }
}

/// Sums of numbers that change (Fenwick's tree), to find one in proportion to them.
struct Sums {
    values: Vec<u64>,
    tree: Vec<u64>,
}

impl Sums {
    fn new(values: &[u64]) -> Sums {
        let mut tree = vec![0; values.len() + 1];
        for (i, value) in values.iter().enumerate() {
            tree[i + 1] += value;
            let parent = (i + 1) + ((i + 1) & (i + 1).wrapping_neg());
            if parent < tree.len() {
                tree[parent] += tree[i + 1];
            }
        }
        Sums { values: values.to_vec(), tree }
    }

    fn total(&self) -> u64 {
        let (mut at, mut sum) = (self.values.len(), 0);
        while at > 0 {
            sum += self.tree[at];
            at &= at - 1;
        }
        sum
    }

    fn set(&mut self, at: usize, value: u64) {
        let old = std::mem::replace(&mut self.values[at], value);
        let mut node = at + 1;
        while node < self.tree.len() {
            self.tree[node] = self.tree[node] + value - old;
            node += node & node.wrapping_neg();
        }
    }

    /// The first place at which the sum so far exceeds `number`, which is below the total.
    fn find(&self, mut number: u64) -> usize {
        let mut at = 0;
        let mut step = self.tree.len().next_power_of_two() / 2;
        while step > 0 {
            if at + step < self.tree.len() && self.tree[at + step] <= number {
                at += step;
                number -= self.tree[at];
            }
            step /= 2;
        }
        at
    }
}

#[cfg(test)]
mod tests;
