//! What a driver can ask of a machine besides moving its packets.

use crate::{ConsumerControl, FaceId, FlowId, ForwardingStrategy, NodeMonitor, QueueDiscipline, Timeout};

/// Makes the plug-ins of one fetch; called with its number among those of its flow.
pub type Parts = Box<dyn FnMut(u64) -> (Box<dyn ConsumerControl>, Box<dyn Timeout>)>;

/// Something that happens to a node in the midst of a run.
pub enum Order {
    /// The link behind a face has come up or gone down, and the node knows it.
    Face {
        /// The face.
        face: FaceId,
        /// It is up.
        up: bool,
    },
    /// The forwarder starts again: its Content Store, Pending Interest Table, dead nonces and queues are empty, its
    /// plug-ins are these new ones. Routes and applications stay, as when the forwarding daemon of a host is restarted.
    Restart {
        /// The strategy of a node that forwards.
        strategy: Option<Box<dyn ForwardingStrategy>>,
        /// The monitor of a node that has one.
        monitor: Option<Box<dyn NodeMonitor>>,
        /// A queue for each face with a link, in their order.
        queues: Vec<Box<dyn QueueDiscipline>>,
    },
    /// A face gets another queue, into which the packets of the old one move.
    Queue {
        /// The face.
        face: FaceId,
        /// Its new queue.
        queue: Box<dyn QueueDiscipline>,
    },
    /// Another strategy takes over, without the state of the old one.
    Strategy(Box<dyn ForwardingStrategy>),
    /// The fetches of a flow get other plug-ins.
    Parts {
        /// The flow.
        flow: FlowId,
        /// Makes them.
        parts: Parts,
        /// Replace controls; the new ones take over the window ([`ConsumerControl::take_over`]).
        control: bool,
        /// Replace timeout rules; the new ones begin with the smoothed round-trip time as their only sample.
        timeout: bool,
    },
    /// A flow sends new Interests from now on, or does not any more.
    Flow {
        /// The flow.
        flow: FlowId,
        /// It is to run.
        run: bool,
    },
}

impl std::fmt::Debug for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Order::Face { face, up } => write!(f, "Face({}, {up})", face.0),
            Order::Restart { queues, .. } => write!(f, "Restart({} queues)", queues.len()),
            Order::Queue { face, .. } => write!(f, "Queue({})", face.0),
            Order::Strategy(_) => f.write_str("Strategy"),
            Order::Parts { flow, .. } => write!(f, "Parts({})", flow.0),
            Order::Flow { flow, run } => write!(f, "Flow({}, {run})", flow.0),
        }
    }
}
