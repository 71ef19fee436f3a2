//! Weights of next hops as a parameter: `"3,1"`.

use super::next_hops::Known;
use weir_core::{NextHop, Parameter, Value, ValueForm};

/// One whole number for each next hop, in the order of cost (equal costs: of face). Next hops beyond the list weigh 1;
/// one of weight 0 is used only when there is no other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weights(Vec<u32>);

impl Weights {
    /// The weight of the next hop with this rank; 0 if it may not be used now.
    #[inline]
    pub fn of<T>(&self, rank: usize, known: &Known<T>, eligible: &[NextHop]) -> u64 {
        match self.0.get(rank) {
            _ if !eligible.contains(&known.hop) => 0,
            Some(weight) => u64::from(*weight),
            None => 1,
        }
    }
}

impl Parameter for Weights {
    fn read(value: &Value) -> Result<Self, String> {
        let fail = || format!("expected whole numbers between commas, such as \"3,1\", found {value}");
        let Value::Text(text) = value else { return Err(fail()) };
        if text.trim().is_empty() {
            return Ok(Weights::default());
        }
        let weights = text.split(',').map(|weight| weight.trim().parse().map_err(|_| fail()));
        Ok(Weights(weights.collect::<Result<_, _>>()?))
    }

    fn show(&self) -> String {
        let weights: Vec<String> = self.0.iter().map(u32::to_string).collect();
        format!("{:?}", weights.join(","))
    }

    fn kind() -> String {
        "weights such as \"3,1\"".into()
    }

    fn form() -> ValueForm {
        ValueForm::Pattern("^(\\s*\\+?[0-9]+\\s*(,\\s*\\+?[0-9]+\\s*)*|\\s*)$")
    }
}
