//! Objects that a requester waits for.

use hashbrown::HashTable;
use weir_core::Time;

/// One object, and who has asked for it.
#[derive(Debug)]
pub(super) struct Wanted {
    pub object: u64,
    pub transmissions: u32,
    pub asked: Time,
    pub last_sent: Time,
    /// Later requests for the same object.
    pub joined: Vec<Time>,
}

impl Wanted {
    pub fn new(object: u64, now: Time) -> Wanted {
        Wanted { object, transmissions: 0, asked: now, last_sent: now, joined: Vec::new() }
    }

    /// When each request was made.
    pub fn all(&self) -> impl Iterator<Item = Time> {
        [self.asked].into_iter().chain(self.joined.iter().copied())
    }
}

/// A table of objects by number.
#[derive(Debug, Default)]
pub(super) struct Waiting(HashTable<Wanted>);

/// Spreads numbers that follow each other over the table (Fibonacci hashing, finished by a fold of the high bits).
#[inline]
fn hash(object: u64) -> u64 {
    let product = object.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ (product >> 32)
}

impl Waiting {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    pub fn get(&self, object: u64) -> Option<&Wanted> {
        self.0.find(hash(object), |wanted| wanted.object == object)
    }

    #[inline]
    pub fn get_mut(&mut self, object: u64) -> Option<&mut Wanted> {
        self.0.find_mut(hash(object), |wanted| wanted.object == object)
    }

    #[inline]
    pub fn insert(&mut self, wanted: Wanted) {
        self.0.insert_unique(hash(wanted.object), wanted, |wanted| hash(wanted.object));
    }

    #[inline]
    pub fn take(&mut self, object: u64) -> Option<Wanted> {
        let found = self.0.find_entry(hash(object), |wanted| wanted.object == object).ok()?;
        Some(found.remove().0)
    }
}
