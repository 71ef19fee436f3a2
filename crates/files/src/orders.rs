//! What consumers are told while they work.

use crate::plugins::{Choice, Known, Plugins};
use weir_core::{Parts, Seed};

/// An order to a consumer.
#[derive(Clone, Debug, PartialEq)]
pub enum ConsumerOrder {
    /// No new requests; those that are out are still waited for. (A fetch goes on.)
    Pause,
    /// New requests again.
    GoOn,
    /// Another control takes over: what is under way goes on with it.
    Control(Choice),
    /// Another rule of timeouts.
    Timeout(Choice),
}

/// How the control and the timeout of a consumer are made.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// How much may be in flight.
    pub control: Choice,
    /// When an Interest counts as lost.
    pub timeout: Choice,
    /// What is known of the contents and the way to them.
    pub known: Known,
    /// Of their chance.
    pub seed: Seed,
}

impl Recipe {
    /// Both, made once.
    ///
    /// # Errors
    /// An unknown name or parameter, or a value that does not fit, with the nearest right thing.
    pub fn plugins(&self) -> Result<Plugins, String> {
        Plugins::build(&self.control, &self.timeout, &self.known, self.seed)
    }

    /// The recipe after an order that changes it; `None`: the order changes nothing, or cannot be carried out.
    pub(crate) fn after(&self, order: &ConsumerOrder) -> Option<Recipe> {
        let mut next = self.clone();
        match order {
            ConsumerOrder::Control(control) => next.control.clone_from(control),
            ConsumerOrder::Timeout(timeout) => next.timeout.clone_from(timeout),
            ConsumerOrder::Pause | ConsumerOrder::GoOn => return None,
        }
        next.plugins().is_ok().then_some(next)
    }

    /// Makes them for one fetch after the other. The recipe has been tried.
    pub(crate) fn parts(self) -> Parts {
        Box::new(move |number| {
            let one = Recipe { seed: self.seed.of(&number.to_string()), ..self.clone() };
            let Plugins { control, timeout } =
                one.plugins().unwrap_or_else(|error| unreachable!("these settings have been tried: {error}"));
            (control, timeout)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_changes_one_part_if_it_can_be_made() {
        let (control, timeout) = (Choice::new("aimd"), Choice::new("rfc6298"));
        let recipe = Recipe { control, timeout, known: Known::default(), seed: Seed(1) };
        let next = recipe.after(&ConsumerOrder::Control(Choice::new("cubic"))).unwrap();
        assert_eq!((next.control.name.as_str(), next.timeout.name.as_str()), ("cubic", "rfc6298"));
        assert_eq!(recipe.after(&ConsumerOrder::Timeout(Choice::new("nothing"))), None);
        assert_eq!(recipe.after(&ConsumerOrder::Pause), None);
    }
}
