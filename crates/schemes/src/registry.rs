//! The list of everything that a scenario can name.

use crate::{controls, monitors, queues, recoveries, strategies, timeouts};
use weir_core::{ConsumerControl, Entry, ForwardingStrategy, NodeMonitor, QueueDiscipline, Timeout, nearest};

/// Puts a recovery in front of a queue.
pub type Wrap = Box<dyn FnOnce(Box<dyn QueueDiscipline>) -> Box<dyn QueueDiscipline>>;

/// Consumer controls.
pub static CONTROLS: &[Entry<Box<dyn ConsumerControl>>] = &[
    controls::fixed_window::ENTRY,
    controls::cbr::ENTRY,
    controls::icp::ENTRY,
    controls::aimd::ENTRY,
    controls::bic::ENTRY,
    controls::cubic::ENTRY,
    controls::pcon_cs::ENTRY,
    controls::rate_aimd::ENTRY,
    controls::stateful_forwarding::ENTRY,
    controls::kato::ENTRY,
    controls::pfecc::ENTRY,
    controls::abu::ENTRY,
];

/// Retransmission timeouts.
pub static TIMEOUTS: &[Entry<Box<dyn Timeout>>] = &[
    timeouts::rfc6298::ENTRY,
    timeouts::icp::ENTRY,
    timeouts::ndn_cxx::ENTRY,
    timeouts::ndnsim::ENTRY,
    timeouts::max_rtt::ENTRY,
];

/// Queue disciplines.
pub static QUEUES: &[Entry<Box<dyn QueueDiscipline>>] = &[
    queues::droptail::ENTRY,
    queues::codel::ENTRY,
    queues::pcon::ENTRY,
    queues::nfd_bytes::ENTRY,
    queues::red::ENTRY,
    queues::pfecc::ENTRY,
];

/// Forwarding strategies.
pub static STRATEGIES: &[Entry<Box<dyn ForwardingStrategy>>] = &[
    strategies::best_route::ENTRY,
    strategies::multicast::ENTRY,
    strategies::weighted_random::ENTRY,
    strategies::round_robin::ENTRY,
    strategies::stateful_forwarding::ENTRY,
    strategies::drf::ENTRY,
    strategies::fewest_pending::ENTRY,
    strategies::fpf::ENTRY,
    strategies::pcon_fs::ENTRY,
    strategies::pfecc_mf::ENTRY,
];

/// In-network loss recoveries.
pub static RECOVERIES: &[Entry<Wrap>] = &[recoveries::plr::ENTRY];

/// Node monitors.
pub static MONITORS: &[Entry<Box<dyn NodeMonitor>>] = &[monitors::pit_occupancy::ENTRY];

/// The entry called `name`.
///
/// # Errors
/// A message that names the nearest entry, or all of them.
pub fn find<'a, B>(what: &str, entries: &'a [Entry<B>], name: &str) -> Result<&'a Entry<B>, String> {
    if let Some(entry) = entries.iter().find(|e| e.name == name) {
        return Ok(entry);
    }
    Err(match nearest(name, entries.iter().map(|e| e.name)) {
        Some(near) => format!("there is no {what} {name:?}; did you mean {near:?}?"),
        None => {
            let names: Vec<&str> = entries.iter().map(|e| e.name).collect();
            format!("there is no {what} {name:?}; there are: {}", names.join(", "))
        }
    })
}
