//! Captures of links as pcapng files.
//!
//! A packet is seen at the moment when the sender begins to put it on the link, as a capture on the sending machine
//! would see it: an Ethernet frame of type 0x8624 around the NDNLPv2 packet that Weir's own encoder makes, with a payload of
//! zeros. A link direction is an interface of the file.

use crate::Network;
use crate::pcapng::{Blocks, Seen};
use std::io;
use std::path::Path;
use weir_core::{DropReason, Event, FaceId, NodeId, Sink, Time};
use weir_results::files::{Draft, FileError};
use weir_sim::Built;
use weir_wire::Packet;

/// NDN over Ethernet.
const ETHERTYPE: [u8; 2] = [0x86, 0x24];

/// A watcher that writes what some link directions carry.
#[derive(Debug)]
pub struct Capture {
    network: Network,
    blocks: Blocks<Draft>,
    /// By link direction: the number of its interface, and its Ethernet header; `None`: not captured.
    taps: Vec<Option<(u32, [u8; 14])>>,
    /// The packet sent last, until it is known whether the link loses it.
    last: Option<Pending>,
    failed: Option<io::Error>,
}

#[derive(Debug)]
struct Pending {
    link: u32,
    interface: u32,
    nanos: u64,
    frame: Vec<u8>,
}

impl Capture {
    /// Captures the directions `links` of a world into a file, at most `snaplen` bytes of each frame.
    ///
    /// # Errors
    /// If the file cannot be begun.
    pub fn new(
        built: &Built,
        links: &[String],
        path: &Path,
        snaplen: Option<u32>,
        about: &str,
    ) -> Result<Capture, FileError> {
        let network = Network::of(built);
        let mut taps = vec![None; network.links().len()];
        let draft = Draft::new(path)?;
        let begin = || {
            let mut blocks = Blocks::new(draft, snaplen, about)?;
            let wanted = built
                .world
                .links()
                .enumerate()
                .filter(|(link, _)| links.iter().any(|name| name == network.link(*link as u32)));
            for (interface, (link, (spec, ..))) in wanted.enumerate() {
                blocks.interface(network.link(link as u32), spec.rate.0)?;
                let mut header = [0; 14];
                header[..6].copy_from_slice(&mac(spec.to, spec.to_face));
                header[6..12].copy_from_slice(&mac(spec.from, spec.from_face));
                header[12..].copy_from_slice(&ETHERTYPE);
                taps[link] = Some((interface as u32, header));
            }
            Ok(blocks)
        };
        let blocks = begin().map_err(|error: io::Error| FileError::new(path, error))?;
        Ok(Capture { network, blocks, taps, last: None, failed: None })
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// If it could not be written.
    pub fn finish(mut self) -> Result<(), FileError> {
        self.settle(None);
        let draft = self.blocks.into_inner();
        match self.failed {
            Some(error) => Err(FileError::new(draft.path(), error)),
            None => draft.finish(),
        }
    }

    /// Writes the packet sent last.
    fn settle(&mut self, comment: Option<&str>) {
        if let Some(Pending { interface, nanos, frame, .. }) = self.last.take()
            && self.failed.is_none()
        {
            let seen = Seen { interface, nanos, frame: &frame, comment };
            self.failed = self.blocks.packet(&seen).err();
        }
    }

    /// Writes the packet sent last a second time, if it was sent here and now.
    fn copy(&mut self, now: Time, node: NodeId, face: FaceId) {
        let Some(Pending { link, interface, nanos, frame }) = &self.last else { return };
        if Some(*link) != self.network.leaving(node, face) || *nanos != now.0 {
            return;
        }
        let copy = Pending { link: *link, interface: *interface, nanos: *nanos, frame: frame.clone() };
        self.settle(None);
        self.last = Some(copy);
        self.settle(Some("duplicated on the link"));
    }
}

impl Sink for Capture {
    fn dropped(&mut self, now: Time, node: NodeId, face: FaceId, _packet: &Packet, reason: DropReason) {
        let here = |last: &Pending| Some(last.link) == self.network.leaving(node, face) && last.nanos == now.0;
        if reason == DropReason::LinkLoss && self.last.as_ref().is_some_and(here) {
            self.settle(Some("lost on the link"));
        }
    }

    fn detail(&mut self, now: Time, node: NodeId, face: FaceId, event: &Event<'_>) {
        if let Event::Duplicated { .. } = event {
            return self.copy(now, node, face);
        }
        let Event::Sent { packet, .. } = event else { return };
        let Some(link) = self.network.leaving(node, face) else { return };
        let Some(Some((interface, header))) = self.taps.get(link as usize).copied() else { return };
        self.settle(None);
        let mut frame = header.to_vec();
        packet.encode_into(&mut frame);
        self.last = Some(Pending { link, interface, nanos: now.0, frame });
    }
}

/// The address of a node's face: locally administered, with the numbers of both in it.
fn mac(node: u32, face: FaceId) -> [u8; 6] {
    let [_, n1, n2, n3] = node.to_be_bytes();
    let [_, _, f1, f2] = face.0.to_be_bytes();
    [0x02, n1, n2, n3, f1, f2]
}
