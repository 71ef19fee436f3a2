//! Drop-tail: what does not fit is dropped.

use crate::parts::fifo::{Fifo, Taken};
use weir_core::{
    Backlog, Bytes, Context, Entry, Limit, Needs, ParameterError, Parameters, Pull, QueueDiscipline, Settings, Site,
};
use weir_wire::Packet;

weir_core::parameters! {
    /// Parameters of [`DropTail`].
    pub struct DropTailParameters {
        /// Packets that may wait; 0: as many as the link says.
        packets: u64 = 0, None, "-";
        /// Bytes on the wire that may wait, instead of packets; 0: as many as the link says.
        bytes: Bytes = Bytes(0), None, "-";
        /// Frames of a packet that is longer than one are taken "together", all or none, or "singly", those that fit.
        frames: Taken = Taken::Together, None, "choice; \"singly\": as network devices do";
    }
}

/// First in, first out, up to a limit.
#[derive(Debug)]
pub struct DropTail(Fifo);

/// The registry's line.
pub const ENTRY: Entry<Box<dyn QueueDiscipline>> = Entry {
    name: "droptail",
    summary: "First in, first out; what does not fit is dropped",
    page: include_str!("../../../../docs/schemes/queue-droptail.md"),
    parameters: DropTailParameters::specs,
    build,
};

fn build(settings: &Settings, site: &Site) -> Result<Box<dyn QueueDiscipline>, ParameterError> {
    let DropTailParameters { packets, bytes, frames } = DropTailParameters::with(settings)?;
    let limit = match (packets, bytes) {
        (0, Bytes(0)) => site.limit,
        (packets, Bytes(0)) => Limit::Packets(packets as usize),
        (0, bytes) => Limit::Bytes(bytes),
        _ => {
            let message = "a queue is limited in packets or in bytes, not in both".into();
            return Err(ParameterError { name: "bytes".into(), message, unknown: false });
        }
    };
    Ok(Box::new(DropTail(Fifo::new(limit).taking_frames(frames, site.link_rate))))
}

impl QueueDiscipline for DropTail {
    fn enqueue(&mut self, packet: Packet, cx: &mut Context<'_>) {
        self.0.push_or_discard(packet, cx);
    }

    fn dequeue(&mut self, cx: &mut Context<'_>) -> Pull {
        self.0.pop_at(cx.now).map_or(Pull::Idle, Pull::Packet)
    }

    fn drain(&mut self, _cx: &mut Context<'_>) -> Vec<Packet> {
        self.0.drain()
    }

    fn needs(&self) -> Needs {
        Needs { only_if_waiting: true, ..Needs::default() }
    }

    fn backlog(&self) -> Backlog {
        self.0.backlog()
    }

    fn limit(&self) -> Limit {
        self.0.limit()
    }
}
