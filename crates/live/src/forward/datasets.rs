//! NFD's status datasets, and how datasets are published: versioned, in segments, signed by digest.

use super::commands::strategy_name;
use super::daemon::{Daemon, Held};
use super::mgmt::*;
use super::rib::Route;
use super::status::Status;
use crate::clock::Clock;
use crate::driver::Driver;
use crate::face_uri::Endpoint;
use crate::station::Origin;
use std::collections::VecDeque;
use weir_core::FaceId;
use weir_wire::tlv::{write_element, write_number};
use weir_wire::{Component, Data, Interest, MetaInfo, Name, component_type};

/// Payload of a segment, in bytes.
const SEGMENT: usize = 8000;
/// Datasets that are kept until their segments have been fetched.
const KEPT: usize = 32;
const FRESHNESS_MS: u64 = 1000;

// Elements of datasets (ndn-cxx `encoding/tlv-nfd.hpp`). The numbers repeat: what they mean follows from the dataset.
const ITEM: u32 = 128;
const NEXT_HOP: u32 = 129;
const CHANNEL_URI: u32 = 129;
const CHANNEL: u32 = 130;
const FACE_SCOPE: u32 = 132;
const LINK_TYPE: u32 = 134;
const CS_ENTRIES: u32 = 135;
const HITS: u32 = 129;
const MISSES: u32 = 130;
const VERSION: u32 = 128;
const STARTED: u32 = 129;
const NOW: u32 = 130;
const NAME_TREE: u32 = 131;
const FIB_ENTRIES: u32 = 132;
const PIT_ENTRIES: u32 = 133;
const MEASUREMENTS: u32 = 134;
const IN_INTERESTS: u32 = 144;
const IN_DATA: u32 = 145;
const OUT_INTERESTS: u32 = 146;
const OUT_DATA: u32 = 147;
const IN_BYTES: u32 = 148;
const OUT_BYTES: u32 = 149;
const IN_NACKS: u32 = 151;
const OUT_NACKS: u32 = 152;

/// Datasets whose segments may still be asked for.
#[derive(Debug, Default)]
pub(super) struct Published(VecDeque<Vec<Data>>);

impl Published {
    /// A segment of a dataset that has been published.
    pub fn find(&self, interest: &Interest) -> Option<Data> {
        let wanted = &interest.name;
        self.0.iter().rev().flatten().find(|data| data.name == *wanted).cloned()
    }

    /// Publishes a dataset under `prefix`; gives its first segment.
    pub fn publish(&mut self, prefix: &Name, content: &[u8], version: u64) -> Data {
        let versioned = prefix.child(Component::number(component_type::VERSION, version));
        let chunks: Vec<&[u8]> = if content.is_empty() { vec![&[]] } else { content.chunks(SEGMENT).collect() };
        let last = Component::number(component_type::SEGMENT, chunks.len() as u64 - 1);
        let last = Some(Name::from_components([last]));
        let meta = MetaInfo { freshness_ms: FRESHNESS_MS, final_block: last, ..MetaInfo::default() };
        let segments = chunks.iter().enumerate();
        let segments = segments.map(|(i, chunk)| Data::build(versioned.with_segment(i as u64), chunk, &meta));
        let segments: Vec<Data> = segments.collect();
        let first = segments[0].clone();
        if segments.len() > 1 {
            self.0.push_back(segments);
        }
        if self.0.len() > KEPT {
            self.0.pop_front();
        }
        first
    }
}

impl Daemon {
    /// The content of one of NFD's datasets; `None` if there is none of that name.
    pub(super) fn dataset(&self, module: &[u8], verb: &[u8], driver: &mut Driver) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        match (module, verb) {
            (b"faces", b"list") => self.open_faces().for_each(|(id, held)| face_item(&mut out, id, held, driver)),
            (b"faces", b"channels") => self.listeners.iter().for_each(|(at, _)| {
                let mut item = Vec::new();
                write_element(&mut item, CHANNEL_URI, at.to_string().as_bytes());
                write_element(&mut out, CHANNEL, &item);
            }),
            (b"fib", b"list") => self.fib_list(&mut out),
            (b"rib", b"list") => self.rib_list(&mut out, driver),
            (b"strategy-choice", b"list") => self.strategies.iter().for_each(|(prefix, strategy)| {
                let mut item = Vec::new();
                prefix.encode_into(&mut item);
                write_strategy(&mut item, &strategy_name(strategy));
                write_element(&mut out, ITEM, &item);
            }),
            (b"cs", b"info") => self.cs_info(&mut out),
            (b"status", b"general") => general(&mut out, &self.status(driver), self.started_ms),
            _ => return None,
        }
        Some(out)
    }

    pub(super) fn number_of(&self, face: FaceId) -> u64 {
        self.held(face).map_or(0, |held| held.number)
    }

    fn fib_list(&self, out: &mut Vec<u8>) {
        for (prefix, hops) in self.forwarder.fib().routes() {
            let mut item = Vec::new();
            prefix.encode_into(&mut item);
            for hop in hops {
                let mut record = Vec::new();
                write_number(&mut record, FACE_ID, self.number_of(hop.face));
                write_number(&mut record, COST, hop.cost);
                write_element(&mut item, NEXT_HOP, &record);
            }
            write_element(out, ITEM, &item);
        }
    }

    fn rib_list(&self, out: &mut Vec<u8>, driver: &mut Driver) {
        let now = driver.context().now;
        for (prefix, routes) in self.rib.entries() {
            let mut item = Vec::new();
            prefix.encode_into(&mut item);
            for Route { face, origin, cost, flags, expires } in routes {
                let mut record = Vec::new();
                write_number(&mut record, FACE_ID, self.number_of(*face));
                write_number(&mut record, ORIGIN, *origin);
                write_number(&mut record, COST, *cost);
                write_number(&mut record, FLAGS, *flags);
                if let Some(at) = expires {
                    write_number(&mut record, EXPIRATION_PERIOD, at.since(now).0 / 1_000_000);
                }
                write_element(&mut item, NEXT_HOP, &record);
            }
            write_element(out, ITEM, &item);
        }
    }

    fn cs_info(&self, out: &mut Vec<u8>) {
        let cs = self.forwarder.cs();
        let (hits, misses) = cs.hits_and_misses();
        let mut item = Vec::new();
        write_number(&mut item, CAPACITY, cs.capacity() as u64);
        write_number(&mut item, FLAGS, 3);
        write_number(&mut item, CS_ENTRIES, cs.len() as u64);
        write_number(&mut item, HITS, hits);
        write_number(&mut item, MISSES, misses);
        write_element(out, ITEM, &item);
    }
}

fn face_item(out: &mut Vec<u8>, id: FaceId, held: &Held, driver: &Driver) {
    let c = driver.counters(id).unwrap_or_default();
    let mut item = Vec::new();
    write_number(&mut item, FACE_ID, held.number);
    write_element(&mut item, URI, held.about.remote.to_string().as_bytes());
    write_element(&mut item, LOCAL_URI, held.about.local.to_string().as_bytes());
    write_number(&mut item, FACE_SCOPE, u64::from(held.local));
    let on_demand = held.about.origin == Origin::Accepted && !matches!(held.about.remote, Endpoint::Fd(_));
    write_number(&mut item, FACE_PERSISTENCY, u64::from(on_demand));
    write_number(&mut item, LINK_TYPE, 0);
    write_number(&mut item, MTU, driver.mtu(id).unwrap_or(held.about.mtu).bytes() as u64);
    let counters = [
        (IN_INTERESTS, c.in_interests),
        (IN_DATA, c.in_data),
        (IN_NACKS, c.in_nacks),
        (OUT_INTERESTS, c.out_interests),
        (OUT_DATA, c.out_data),
        (OUT_NACKS, c.out_nacks),
        (IN_BYTES, c.in_bytes),
        (OUT_BYTES, c.out_bytes),
        (FLAGS, 0),
    ];
    counters.iter().for_each(|(typ, count)| write_number(&mut item, *typ, *count));
    write_element(out, ITEM, &item);
}

/// The general status has no element around it.
fn general(out: &mut Vec<u8>, status: &Status, started_ms: u64) {
    let sum = |count: fn(&super::status::FaceStatus) -> u64| status.faces.iter().map(count).sum::<u64>();
    write_element(out, VERSION, format!("weir-{}", status.version).as_bytes());
    let numbers = [
        (STARTED, started_ms),
        (NOW, Clock::unix_millis()),
        (NAME_TREE, status.pit.entries + status.cs.entries),
        (FIB_ENTRIES, status.fib_entries),
        (PIT_ENTRIES, status.pit.entries),
        (MEASUREMENTS, 0),
        (CS_ENTRIES, status.cs.entries),
        (IN_INTERESTS, sum(|face| face.in_interests)),
        (IN_DATA, sum(|face| face.in_data)),
        (IN_NACKS, sum(|face| face.in_nacks)),
        (OUT_INTERESTS, sum(|face| face.out_interests)),
        (OUT_DATA, sum(|face| face.out_data)),
        (OUT_NACKS, sum(|face| face.out_nacks)),
    ];
    numbers.iter().for_each(|(typ, number)| write_number(out, *typ, *number));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datasets_come_in_segments_and_are_forgotten() {
        let mut published = Published::default();
        let prefix: Name = "/localhost/nfd/faces/list".parse().unwrap();
        let content: Vec<u8> = (0..20_000u32).map(|i| i as u8).collect();
        let first = published.publish(&prefix, &content, 7);
        assert_eq!(
            (first.name.to_string().as_str(), first.final_segment()),
            ("/localhost/nfd/faces/list/v=7/seg=0", Some(2))
        );
        assert!(first.verify_digest());
        let third = Interest::new(prefix.child(Component::number(component_type::VERSION, 7)).with_segment(2), 1);
        assert_eq!(published.find(&third).unwrap().payload_len(), 4000);
        for version in 8..60 {
            published.publish(&prefix, &content, version);
        }
        assert!(published.find(&third).is_none() && published.0.len() == KEPT);
        assert_eq!(published.publish(&prefix, &[], 99).final_segment(), Some(0), "nothing is a segment, too");
    }
}
