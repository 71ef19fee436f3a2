//! `weir list` and `weir show`

use crate::Failure;
use crate::args::{ListArgs, Listed, ShowArgs};
use crate::output::print;
use crate::{compare, papers};
use weir_core::{Entry, nearest};
use weir_scenario::metrics::METRICS;
use weir_schemes::bundles::{BUNDLES, Bundle};
use weir_schemes::registry;

pub(crate) fn list(args: &ListArgs) -> Result<(), Failure> {
    let rows: Vec<(String, String)> = match args.what {
        Listed::Schemes => BUNDLES.iter().map(|b| (b.name.into(), b.summary.into())).collect(),
        Listed::Controls => rows(registry::CONTROLS),
        Listed::Timeouts => rows(registry::TIMEOUTS),
        Listed::Queues => rows(registry::QUEUES),
        Listed::Strategies => rows(registry::STRATEGIES),
        Listed::Recoveries => rows(registry::RECOVERIES),
        Listed::Monitors => rows(registry::MONITORS),
        Listed::Papers => papers::papers().iter().map(|p| (p.key.clone(), p.title())).collect(),
        Listed::Scenarios => compare::list()?,
        Listed::Metrics => METRICS.iter().map(|m| (m.name.into(), with_unit(m.about, m.unit))).collect(),
    };
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let text: String = rows.iter().map(|(name, about)| format!("{name:width$}  {about}\n")).collect();
    print(&text)
}

pub(crate) fn show(args: &ShowArgs) -> Result<(), Failure> {
    let pages = pages();
    let mut found = pages.iter().filter(|(name, _)| *name == args.name).map(|(_, page)| page.clone()).peekable();
    if found.peek().is_none() {
        let names = pages.iter().map(|(name, _)| *name);
        let hint = match nearest(&args.name, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                "see `weir list schemes`, `controls`, `timeouts`, `queues`, `strategies`, `recoveries` or `monitors`"
                    .into()
            }
        };
        return Err(Failure::Input(format!("there is no page `{}`; {hint}", args.name)));
    }
    print(&found.collect::<Vec<_>>().join("\n\n"))
}

/// Names of everything that has a page.
pub(crate) fn names() -> Vec<&'static str> {
    pages().into_iter().map(|(name, _)| name).collect()
}

fn rows<B>(entries: &[Entry<B>]) -> Vec<(String, String)> {
    entries.iter().map(|e| (e.name.into(), e.summary.into())).collect()
}

fn with_unit(about: &str, unit: &str) -> String {
    if unit.is_empty() { about.into() } else { format!("{about} [{unit}]") }
}

/// Names and pages of everything. A scheme and its part may share a name (`cubic`): both are shown.
fn pages() -> Vec<(&'static str, String)> {
    let bundles = BUNDLES.iter().map(|b| (b.name, bundle_page(b)));
    bundles
        .chain(entry_pages(registry::CONTROLS))
        .chain(entry_pages(registry::TIMEOUTS))
        .chain(entry_pages(registry::QUEUES))
        .chain(entry_pages(registry::STRATEGIES))
        .chain(entry_pages(registry::RECOVERIES))
        .chain(entry_pages(registry::MONITORS))
        .collect()
}

fn entry_pages<B>(entries: &'static [Entry<B>]) -> impl Iterator<Item = (&'static str, String)> {
    entries.iter().map(|e| (e.name, e.page.to_owned()))
}

fn bundle_page(bundle: &Bundle) -> String {
    let mut page = format!("# {} (complete scheme)\n\n{}.\n\n", bundle.name, bundle.summary);
    let parts = [
        ("control", Some(bundle.control)),
        ("timeout", Some(bundle.timeout)),
        ("queue", Some(bundle.queue)),
        ("strategy", Some(bundle.strategy)),
        ("recovery", bundle.recovery),
        ("monitor", bundle.monitor),
    ];
    for (kind, part) in parts {
        let Some(part) = part else { continue };
        let settings: Vec<String> = part.values().iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let settings = if settings.is_empty() { String::new() } else { format!(" ({})", settings.join(", ")) };
        page.push_str(&format!("* {kind}: {}{settings}\n", part.name));
    }
    page
}
