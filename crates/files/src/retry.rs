//! When to connect to a forwarder: at once, and again when it has been away.

use weir_core::{Span, Time};

/// The first wait: a forwarder that is only started anew is back soon.
const FIRST: Span = Span::from_millis(20);
/// The longest wait.
const LONGEST: Span = Span::from_millis(1000);

/// When a station connects to its forwarder: at its beginning, and after waits that grow, each twice as long as the one
/// before, up to a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Retry {
    when: When,
    wait: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    At(Time),
    /// Whoever was told of a refusal does not know the time: the next turn does.
    NextTurnSays,
    /// It is connected, or about to be.
    Not,
}

impl Default for Retry {
    fn default() -> Retry {
        Retry { when: When::At(Time::ZERO), wait: FIRST }
    }
}

impl Retry {
    /// When `is_due` is to be asked; `NEVER`: at the next turn, whenever that is.
    pub fn next(&self) -> Option<Time> {
        match self.when {
            When::At(at) => Some(at),
            When::NextTurnSays => Some(Time::NEVER),
            When::Not => None,
        }
    }

    /// The forwarder is there.
    pub fn reached(&mut self) {
        *self = Retry { when: When::Not, wait: FIRST };
    }

    /// The forwarder has gone.
    pub fn lost(&mut self, now: Time) {
        self.when = When::At(now + self.wait);
        self.wait = (self.wait * 2).min(LONGEST);
    }

    /// The forwarder was not there.
    pub fn refused(&mut self) {
        self.when = When::NextTurnSays;
    }

    /// True if it is time to connect, which is told once.
    pub fn is_due(&mut self, now: Time) -> bool {
        match self.when {
            When::At(at) if at <= now => {
                self.when = When::Not;
                true
            }
            When::NextTurnSays => {
                self.lost(now);
                false
            }
            When::At(_) | When::Not => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_second_until_it_is_reached() {
        let mut retry = Retry::default();
        let mut now = Time::ZERO;
        assert!(retry.is_due(now) && !retry.is_due(now));
        let mut waits = Vec::new();
        for _ in 0..8 {
            retry.refused();
            assert!(!retry.is_due(now));
            let at = retry.next().unwrap();
            waits.push(at.since(now).millis());
            now = at;
            assert!(retry.is_due(now) && retry.next().is_none());
        }
        assert_eq!(waits, [20.0, 40.0, 80.0, 160.0, 320.0, 640.0, 1000.0, 1000.0]);
        retry.reached();
        retry.lost(now);
        assert_eq!(retry.next(), Some(now + FIRST));
    }
}
