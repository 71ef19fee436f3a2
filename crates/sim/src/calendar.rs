//! The calendar: what happens next.

/// A priority queue of events, least first. An event is 64 bits of time and 64 bits that break ties and say what it
/// is, packed into one integer, so that order is total and a comparison is two instructions.
///
/// A heap with four children a node: half as deep as a binary one, and the children share a cache line.
#[derive(Debug, Default)]
pub struct Calendar {
    heap: Vec<u128>,
}

impl Calendar {
    /// Adds an event.
    #[inline]
    pub fn push(&mut self, time: u64, what: u64) {
        let event = u128::from(time) << 64 | u128::from(what);
        let mut hole = self.heap.len();
        self.heap.push(event);
        while hole > 0 {
            let parent = (hole - 1) / 4;
            if self.heap[parent] <= event {
                break;
            }
            self.heap[hole] = self.heap[parent];
            hole = parent;
        }
        self.heap[hole] = event;
    }

    /// Takes out the earliest event.
    #[inline]
    pub fn pop(&mut self) -> Option<(u64, u64)> {
        let last = self.heap.pop()?;
        let Some(&first) = self.heap.first() else { return Some(split(last)) };
        let len = self.heap.len();
        let mut hole = 0;
        loop {
            let child = hole * 4 + 1;
            if child >= len {
                break;
            }
            let children = &self.heap[child..(child + 4).min(len)];
            let (mut best, mut least) = (child, children[0]);
            for (i, event) in children.iter().enumerate().skip(1) {
                if *event < least {
                    (best, least) = (child + i, *event);
                }
            }
            if least >= last {
                break;
            }
            self.heap[hole] = least;
            hole = best;
        }
        self.heap[hole] = last;
        Some(split(first))
    }

    /// Time of the earliest event.
    pub fn peek_time(&self) -> Option<u64> {
        self.heap.first().map(|e| split(*e).0)
    }

    /// Events waiting.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// True if nothing will happen.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
}

#[inline]
fn split(event: u128) -> (u64, u64) {
    ((event >> 64) as u64, event as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::Seed;

    #[test]
    fn events_come_in_order_whatever_order_they_went_in() {
        let mut chance = Seed(3).stream();
        let mut calendar = Calendar::default();
        let mut expected = Vec::new();
        let mut seen = Vec::new();
        for _ in 0..5000 {
            for _ in 0..chance.below(4) {
                let event = (chance.below(1000), chance.below(5));
                calendar.push(event.0, event.1);
                expected.push(event);
            }
            if chance.happens(0.5) {
                seen.extend(calendar.pop());
            }
        }
        // Drain what is left and compare the multiset; then the order of a full drain.
        let mut drained = Vec::new();
        while let Some(event) = calendar.pop() {
            drained.push(event);
        }
        assert!(drained.is_sorted());
        seen.extend(drained);
        seen.sort_unstable();
        expected.sort_unstable();
        assert_eq!(seen, expected);
    }
}
