//! Orders to a consumer at work, one a line of standard input.

use crate::Failure;
use crate::get::choice;
use std::io::BufRead;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use weir_files::{ConsumerOrder, Recipe};

/// Reads orders in a thread of its own until standard input ends. Those that are wrong are told and change nothing.
pub(crate) fn read(waker: Arc<mio::Waker>, recipe: Recipe) -> Result<Receiver<ConsumerOrder>, Failure> {
    let (orders, receiver) = channel();
    let read = move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok).filter(|line| !line.trim().is_empty()) {
            match order(&line, &recipe) {
                Ok(order) => {
                    if orders.send(order).is_err() || waker.wake().is_err() {
                        return;
                    }
                }
                Err(why) => eprintln!("warning: {why}"),
            }
        }
        drop(orders);
        let _ = waker.wake();
    };
    let thread = std::thread::Builder::new().name("orders".into()).spawn(read);
    thread.map(|_| receiver).map_err(|e| Failure::Other(e.to_string()))
}

/// An order, such as `control cubic beta=0.7`.
fn order(line: &str, recipe: &Recipe) -> Result<ConsumerOrder, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let part = |name: &str, settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(|text| (*text).to_owned()).collect();
        choice(name, &settings).map_err(|failure| match failure {
            Failure::Input(why) | Failure::Other(why) => why,
            other => format!("{other:?}"),
        })
    };
    match &words[..] {
        ["pause"] => Ok(ConsumerOrder::Pause),
        ["go"] => Ok(ConsumerOrder::GoOn),
        ["control", name, settings @ ..] => {
            let control = part(name, settings)?;
            Recipe { control: control.clone(), ..recipe.clone() }.plugins()?;
            Ok(ConsumerOrder::Control(control))
        }
        ["timeout", name, settings @ ..] => {
            let timeout = part(name, settings)?;
            Recipe { timeout: timeout.clone(), ..recipe.clone() }.plugins()?;
            Ok(ConsumerOrder::Timeout(timeout))
        }
        _ => Err(format!("there is no order `{line}`; there are `pause`, `go`, `control NAME` and `timeout NAME`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_core::Seed;
    use weir_files::{Choice, Known};

    #[test]
    fn orders_are_words_of_a_line() {
        let (control, timeout) = (Choice::new("aimd"), Choice::new("rfc6298"));
        let recipe = Recipe { control, timeout, known: Known::default(), seed: Seed(1) };
        assert_eq!(order(" pause ", &recipe), Ok(ConsumerOrder::Pause));
        let Ok(ConsumerOrder::Control(fixed)) = order("control fixed-window window=4", &recipe) else { panic!() };
        assert_eq!((fixed.name.as_str(), fixed.settings.len()), ("fixed-window", 1));
        for (line, why) in [("halt", "no order `halt`"), ("control cubik", "\"cubic\""), ("timeout rfc6298 x", "x")] {
            let told = order(line, &recipe).unwrap_err();
            assert!(told.contains(why), "{line}: {told}");
        }
    }
}
