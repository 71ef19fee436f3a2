//! The schemes that are compared.

use crate::Failure;
use weir_core::nearest;
use weir_schemes::bundles::BUNDLES;
use weir_schemes::registry::RECOVERIES;

/// A scheme, perhaps with a recovery in the routers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Contender {
    /// `icp` or `icp+plr`.
    pub name: String,
    /// The bundle.
    pub scheme: &'static str,
    /// The recovery that is put under it.
    pub recovery: Option<&'static str>,
}

/// What does not adapt to a network has nothing to show on several: its window or rate is chosen by hand for one. Who
/// wants it in a comparison names it.
const BY_HAND: [&str; 2] = ["cbr", "fixed-window"];

/// Every bundle, and every recovery under each bundle that has none.
pub(super) fn all() -> Vec<Contender> {
    let plain = BUNDLES.iter().map(|b| Contender { name: b.name.into(), scheme: b.name, recovery: None });
    let mut found: Vec<Contender> = plain.collect();
    for recovery in RECOVERIES {
        for bundle in BUNDLES.iter().filter(|b| b.recovery.is_none()) {
            let name = format!("{}+{}", bundle.name, recovery.name);
            found.push(Contender { name, scheme: bundle.name, recovery: Some(recovery.name) });
        }
    }
    found
}

/// Those of these names, in their order; all that adapt if there are none.
pub(super) fn chosen(names: &[String]) -> Result<Vec<Contender>, Failure> {
    let all = all();
    if names.is_empty() {
        return Ok(all.into_iter().filter(|c| !BY_HAND.contains(&c.scheme)).collect());
    }
    let mut chosen: Vec<Contender> = Vec::new();
    for name in names {
        let Some(found) = all.iter().find(|c| c.name == *name) else {
            let hint = match nearest(name, all.iter().map(|c| c.name.as_str())) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "see `weir list schemes`; `NAME+plr` is a scheme with PLR in its routers".into(),
            };
            return Err(Failure::Input(format!("there is no scheme `{name}`; {hint}")));
        };
        if chosen.contains(found) {
            return Err(Failure::Input(format!("the scheme `{name}` is named twice")));
        }
        chosen.push(found.clone());
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bundle_is_there_and_its_recovery_once() {
        let names: Vec<String> = all().into_iter().map(|c| c.name).collect();
        assert!(BY_HAND.iter().all(|by_hand| BUNDLES.iter().any(|b| b.name == *by_hand)));
        assert!(BUNDLES.iter().all(|b| names.iter().any(|n| n == b.name)));
        assert!(names.iter().any(|n| n == "icp+plr") && !names.iter().any(|n| n == "plr+plr"), "{names:?}");
    }
}
