//! Files in the formats of ndnSIM's tracers, for the scripts that read those.
//!
//! Tables of text: columns are separated by tabs, the first line holds their names. Formats and file names are those of
//! ndnSIM 2.8 as its source has them, oddities included (`PacketRaw` without an s in the rate trace, a tab after the last
//! heading of the cache trace); what the columns mean here says `docs/captures.md`.

mod cs;
mod delay;
mod drop;
mod period;
mod rate;

use crate::Network;
use cs::CsTrace;
use delay::DelayTrace;
use drop::DropTrace;
use period::Clock;
use rate::RateTrace;
use std::io::{self, Write as _};
use std::path::Path;
use weir_core::{Delivery, DropReason, Event, FaceId, FlowId, NodeId, Sink, Span, Time};
use weir_results::files::{Draft, FileError};
use weir_wire::Packet;

/// One of ndnSIM's tracers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tracer {
    /// Packets of each face and node: `rate-trace.txt` (`L3RateTracer`).
    Rate,
    /// Delay of each segment: `app-delays-trace.txt` (`AppDelayTracer`).
    AppDelay,
    /// Packets dropped at queues: `drop-trace.txt` (`L2RateTracer`).
    Drop,
    /// Hits and misses of the Content Stores: `cs-trace.txt` (`CsTracer`).
    Cs,
}

impl Tracer {
    /// All tracers.
    pub const ALL: [Tracer; 4] = [Tracer::Rate, Tracer::AppDelay, Tracer::Drop, Tracer::Cs];

    /// The file's name.
    pub fn file(self) -> &'static str {
        match self {
            Tracer::Rate => "rate-trace.txt",
            Tracer::AppDelay => "app-delays-trace.txt",
            Tracer::Drop => "drop-trace.txt",
            Tracer::Cs => "cs-trace.txt",
        }
    }

    fn heading(self) -> &'static str {
        match self {
            Tracer::Rate => "Time\tNode\tFaceId\tFaceDescr\tType\tPackets\tKilobytes\tPacketRaw\tKilobytesRaw\n",
            Tracer::AppDelay => "Time\tNode\tAppId\tSeqNo\tType\tDelayS\tDelayUS\tRetxCount\tHopCount\n",
            Tracer::Drop => "Time\tNode\tInterface\tType\tPackets\tKilobytes\tPacketsRaw\tKilobytesRaw\n",
            Tracer::Cs => "Time\tNode\tType\tPackets\t\n",
        }
    }
}

/// A watcher that writes tracer files.
#[derive(Debug)]
pub struct Tracers {
    network: Network,
    clock: Clock,
    rate: Option<(Table, RateTrace)>,
    delay: Option<(Table, DelayTrace)>,
    drop: Option<(Table, DropTrace)>,
    cs: Option<(Table, CsTrace)>,
}

/// A file under way. After a failure nothing more is written; the failure is told at the end.
#[derive(Debug)]
pub(crate) struct Table {
    file: Draft,
    failed: Option<io::Error>,
}

impl Table {
    fn new(folder: &Path, tracer: Tracer) -> Result<Table, FileError> {
        let mut table = Table { file: Draft::new(&folder.join(tracer.file()))?, failed: None };
        table.write(tracer.heading());
        Ok(table)
    }

    fn write(&mut self, text: &str) {
        if self.failed.is_none() {
            self.failed = self.file.write_all(text.as_bytes()).err();
        }
    }

    fn finish(self) -> Result<(), FileError> {
        match self.failed {
            Some(error) => Err(FileError::new(self.file.path(), error)),
            None => self.file.finish(),
        }
    }
}

impl Tracers {
    /// Writes the files of `tracers` into `folder`; those that count have lines for every `period`.
    ///
    /// # Errors
    /// If a file cannot be begun.
    pub fn new(network: Network, tracers: &[Tracer], period: Span, folder: &Path) -> Result<Tracers, FileError> {
        let table = |tracer| tracers.contains(&tracer).then(|| Table::new(folder, tracer)).transpose();
        let nodes = network.nodes().len();
        Ok(Tracers {
            rate: table(Tracer::Rate)?.map(|t| (t, RateTrace::new(&network))),
            delay: table(Tracer::AppDelay)?.map(|t| (t, DelayTrace::default())),
            drop: table(Tracer::Drop)?.map(|t| (t, DropTrace::new(nodes))),
            cs: table(Tracer::Cs)?.map(|t| (t, CsTrace::new(nodes))),
            clock: Clock::new(period),
            network,
        })
    }

    /// Writes the lines of the last period, up to the run's end, and puts the files in their places.
    ///
    /// # Errors
    /// If a file could not be written.
    pub fn finish(mut self, end: Time) -> Result<(), FileError> {
        self.pass(end);
        if let Some((until, period)) = self.clock.rest(end) {
            self.print(until, period);
        }
        let tables = [
            self.rate.map(|(table, _)| table),
            self.delay.map(|(table, _)| table),
            self.drop.map(|(table, _)| table),
            self.cs.map(|(table, _)| table),
        ];
        tables.into_iter().flatten().try_for_each(Table::finish)
    }

    /// Writes the lines of all periods that have ended before `now`.
    #[inline]
    fn pass(&mut self, now: Time) {
        while let Some((end, period)) = self.clock.ended(now) {
            self.print(end, period);
        }
    }

    fn print(&mut self, time: Time, period: Span) {
        if let Some((table, trace)) = &mut self.rate {
            table.write(&trace.lines(time, period, &self.network));
        }
        if let Some((table, trace)) = &mut self.drop {
            table.write(&trace.lines(time, period, &self.network));
        }
        if let Some((table, trace)) = &mut self.cs {
            table.write(&trace.lines(time, &self.network));
        }
    }
}

impl Sink for Tracers {
    fn dropped(&mut self, now: Time, node: NodeId, _face: FaceId, packet: &Packet, reason: DropReason) {
        self.pass(now);
        if let Some((_, trace)) = &mut self.drop {
            trace.dropped(node, packet, reason);
        }
    }

    fn delivered(&mut self, now: Time, flow: FlowId, delivery: &Delivery) {
        if let Some((table, trace)) = &mut self.delay {
            table.write(&trace.lines(now, flow, delivery, &self.network));
        }
    }

    fn detail(&mut self, now: Time, node: NodeId, face: FaceId, event: &Event<'_>) {
        self.pass(now);
        if let Some((_, trace)) = &mut self.delay {
            trace.see(node, event);
        }
        if let Some((_, trace)) = &mut self.rate {
            trace.see(node, face, event);
        }
        if let Some((_, trace)) = &mut self.cs {
            trace.see(node, event);
        }
    }
}
