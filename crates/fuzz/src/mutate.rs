//! Changes inputs at random: bytes, pieces of the same and of another input, words of the target.

use weir_core::{Chance, Seed};

/// Makes new inputs from old ones.
#[derive(Debug)]
pub struct Mutator {
    chance: Chance,
    longest: usize,
}

impl Mutator {
    /// Inputs of at most `longest` bytes, drawn by `seed`.
    pub fn new(seed: u64, longest: usize) -> Mutator {
        Mutator { chance: Seed(seed).of("fuzz").stream(), longest }
    }

    /// A changed copy of one of `corpus`.
    pub fn next(&mut self, corpus: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
        let mut input = self.pick(corpus).cloned().unwrap_or_default();
        for _ in 0..=self.below(6) {
            self.change(&mut input, corpus, words);
        }
        input.truncate(self.longest);
        input
    }

    fn below(&mut self, n: usize) -> usize {
        self.chance.below(n as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let at = self.below(from.len());
        from.get(at)
    }

    /// A piece of `of` that is short more often than long.
    fn piece(&mut self, of: &[u8]) -> Vec<u8> {
        let start = self.below(of.len() + 1);
        let most = (of.len() - start).min(1 << self.below(8));
        let len = self.below(most + 1);
        of[start..start + len].to_vec()
    }

    fn change(&mut self, input: &mut Vec<u8>, corpus: &[Vec<u8>], words: &[&str]) {
        let at = self.below(input.len() + 1);
        let inserted = match self.below(8) {
            0 if at < input.len() => {
                input[at] ^= 1 << self.below(8);
                return;
            }
            1 if at < input.len() => {
                input[at] = self.below(256) as u8;
                return;
            }
            2 | 3 => {
                let len = self.piece(&input[at..]).len();
                input.drain(at..at + len);
                return;
            }
            4 => self.piece(input),
            5 => match self.pick(corpus) {
                Some(other) => self.piece(other),
                None => Vec::new(),
            },
            6 => self.number(),
            _ => self.pick(words).map_or_else(Vec::new, |word| word.as_bytes().to_vec()),
        };
        input.splice(at..at, inserted);
    }

    /// A number at an edge, as text or as bytes.
    fn number(&mut self) -> Vec<u8> {
        let number = (u64::MAX >> self.below(64)).wrapping_add(self.chance.below(3)).wrapping_sub(1);
        match self.below(3) {
            0 => number.to_string().into_bytes(),
            1 => number.to_be_bytes().to_vec(),
            _ => vec![number as u8],
        }
    }
}
