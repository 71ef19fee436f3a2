//! Fetching one content: finding its version, asking for its segments, believing and keeping them.

mod report;

use crate::discovery::{Discovery, Found};
use crate::naming;
use crate::orders::Recipe;
use crate::output::Output;
use crate::part::{OutputError, Resumed};
use crate::plugins::Plugins;
use crate::recorder::Recorder;
pub use report::{GetError, GetProgress, Summary};
use weir_core::{Context, FlowId, Reading, Seed, Span, Time};
use weir_engine::{Application, Fetcher, FetcherRules, NoticeTimer, Outbox, RateChange, What};
use weir_trust::{KeyRing, Untrusted};
use weir_wire::{Content, Data, Kind, Name, Packet, SignatureType};

/// ContentType of a Data by which a producer refuses (application-level Nack).
const REFUSAL: u64 = 3;
/// InterestLifetime, the default of the packet format.
const LIFETIME: Span = Span::from_millis(4000);

/// How to fetch.
pub struct GetRules {
    /// Who is believed.
    pub keys: KeyRing,
    /// Interests for one segment, the first included, before the fetch is given up.
    pub attempts: u32,
    /// Collect tables of segments and windows.
    pub tables: bool,
    /// The name is that of a version: do not look for a newer one.
    pub exact: bool,
    /// Of the consumer engine: [`GetRules::consumer`], unless somebody knows better.
    pub consumer: FetcherRules,
    /// Of nonces.
    pub seed: Seed,
}

impl GetRules {
    /// The rules of ordinary fetches.
    pub fn consumer() -> FetcherRules {
        FetcherRules {
            lifetime: LIFETIME.into(),
            guard: 0.0,
            notice_timer: NoticeTimer::Restart,
            jitter: 0.0,
            rate_change: RateChange::Now,
            nack_pause: Span::from_millis(1),
            learn_from_late: true,
        }
    }
}

enum Phase {
    Discovering(Discovery),
    Fetching(Box<Fetcher>),
    Ended,
}

/// Fetches one content.
pub struct Getter {
    name: Name,
    rules: GetRules,
    plugins: Option<Plugins>,
    phase: Phase,
    /// Gone once it is complete.
    output: Option<Output>,
    recorder: Recorder,
    resumed: Resumed,
    began: Time,
    outcome: Option<Result<Summary, GetError>>,
}

impl Getter {
    /// Fetches the newest version of `name` into `output`; a name that ends in a version is that version's.
    pub fn new(name: Name, output: Output, plugins: Plugins, rules: GetRules) -> Getter {
        let discovery = Discovery::new(name.clone(), rules.seed.of("discovery").stream());
        Getter {
            name,
            rules,
            plugins: Some(plugins),
            phase: Phase::Discovering(discovery),
            output: Some(output),
            recorder: Recorder::default(),
            resumed: Resumed::default(),
            began: Time::ZERO,
            outcome: None,
        }
    }

    /// How it ended, if it has.
    pub fn outcome(&self) -> Option<&Result<Summary, GetError>> {
        self.outcome.as_ref()
    }

    /// The content with its version, once it is known.
    pub fn content(&self) -> Option<&Name> {
        match &self.phase {
            Phase::Fetching(fetcher) => Some(fetcher.name()),
            _ => None,
        }
    }

    /// What is measured.
    pub(crate) fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Ends it here; what has been fetched stays for the next time.
    pub fn give_up(&mut self, why: GetError) {
        if self.outcome.is_none() {
            let paused = self.output.as_mut().map_or(Ok(()), Output::pause);
            self.outcome = Some(Err(paused.err().map_or(why, GetError::Output)));
            self.phase = Phase::Ended;
        }
    }

    fn fail_on(&mut self, done: Result<(), GetError>) {
        if let Err(error) = done {
            self.give_up(error);
        }
    }

    /// Takes a packet.
    pub fn receive(&mut self, packet: Packet, out: &mut Outbox, cx: &mut Context<'_>) {
        let done = match (&self.phase, &packet.kind) {
            (Phase::Ended, _) => Ok(()),
            (Phase::Discovering(_), Kind::Data(data)) => self.discovered(&data.clone(), out, cx),
            (Phase::Discovering(_), _) => {
                if let (Phase::Discovering(discovery), Kind::Nack(nack)) = (&mut self.phase, &packet.kind) {
                    discovery.on_nack(nack, cx.now);
                }
                Ok(())
            }
            (Phase::Fetching(_), _) => self.take(packet, out, cx),
        };
        self.fail_on(done);
    }

    /// Does what is due.
    pub fn wake(&mut self, out: &mut Outbox, cx: &mut Context<'_>) {
        let done = match &mut self.phase {
            Phase::Discovering(_) if self.rules.exact || naming::version_of(&self.name).is_some() => {
                self.begin(self.name.clone(), out, cx)
            }
            Phase::Discovering(discovery) => match discovery.ask(cx.now) {
                Ok(interest) => {
                    out.extend(interest.map(Packet::from));
                    Ok(())
                }
                Err(told) => Err(GetError::Silence(told)),
            },
            Phase::Fetching(_) => self.pump(None, out, cx),
            Phase::Ended => Ok(()),
        };
        self.fail_on(done);
    }

    /// Another control (or another timeout) takes over what is under way.
    pub(crate) fn adopt(&mut self, recipe: Recipe, control: bool, out: &mut Outbox, cx: &mut Context<'_>) {
        match (&mut self.phase, &mut self.plugins) {
            (Phase::Fetching(fetcher), _) => {
                fetcher.adopt(recipe.parts(), control, !control, cx);
                let done = self.pump(None, out, cx);
                self.fail_on(done);
            }
            (Phase::Discovering(_), Some(plugins)) => {
                if let Ok(built) = recipe.plugins() {
                    *plugins = built;
                }
            }
            _ => {}
        }
    }

    /// When [`Getter::wake`] wants to be called.
    pub fn next_wake(&self, now: Time) -> Option<Time> {
        match &self.phase {
            Phase::Discovering(discovery) => Some(discovery.due()),
            Phase::Fetching(fetcher) => {
                let output = self.output.as_ref()?;
                let held_up = output.ceiling() < u64::MAX && fetcher.in_flight() == 0;
                let tick = output.next_tick(now, held_up);
                [fetcher.next_wake(), tick].into_iter().flatten().min()
            }
            Phase::Ended => None,
        }
    }

    /// A Data came while the version is looked for.
    fn discovered(&mut self, data: &Data, out: &mut Outbox, cx: &mut Context<'_>) -> Result<(), GetError> {
        let Phase::Discovering(discovery) = &self.phase else { return Ok(()) };
        if !discovery.awaits(data) {
            return Ok(());
        }
        let Some(found) = discovery.on_data(data) else { return Ok(()) };
        self.believe(data)?;
        match found {
            Found::Version(name) => self.begin(name, out, cx),
            Found::Astray(name) => Err(GetError::Astray { asked: self.name.clone(), found: name }),
            Found::Whole => {
                let (Content::Encoded(encoded), Some(mut output)) = (&data.content, self.output.take()) else {
                    return Ok(());
                };
                self.began = cx.now;
                output.begin(&data.name)?;
                output.put(0, &encoded.payload, Some(0))?;
                (self.recorder.segments, self.recorder.bytes) = (1, encoded.payload.len() as u64);
                self.output = Some(output);
                self.finish(data.name.clone(), 1, cx.now, Default::default())
            }
        }
    }

    /// Whether the digest of a Data is right, if that is all that is asked of it and can be had together with the hash of the
    /// whole.
    fn digest(&mut self, data: &Data, segment: u64, payload: &[u8], wanted: bool) -> Option<bool> {
        if !wanted || !self.rules.keys.keys().is_empty() {
            return None;
        }
        let (signed, digest) = data.digest_parts()?;
        let found = self.output.as_mut()?.hash_beside(segment, payload, signed)?;
        Some(found[..] == *digest)
    }

    fn believe(&self, data: &Data) -> Result<(), GetError> {
        let why = match self.rules.keys.verify_data(data) {
            Ok(()) => return Ok(()),
            Err(why) => why,
        };
        Err(GetError::Untrusted { name: data.name.clone(), why })
    }

    /// Begins to ask for the segments of this version.
    fn begin(&mut self, name: Name, out: &mut Outbox, cx: &mut Context<'_>) -> Result<(), GetError> {
        let (Some(output), Some(plugins)) = (&mut self.output, self.plugins.take()) else { return Ok(()) };
        self.resumed = output.begin(&name)?;
        self.began = cx.now;
        if self.rules.tables {
            self.recorder = Recorder::with_tables(cx.now);
        }
        let segments = self.resumed.last.map(|last| last.saturating_add(1));
        let what = What { flow: FlowId(0), name, segments, start: cx.now, stop: None };
        let chance = self.rules.seed.of("fetch").stream();
        let fetcher = Fetcher::new(what, self.rules.consumer, plugins.control, plugins.timeout, chance);
        let fetcher = self.resumed.there.iter().cloned().fold(fetcher, Fetcher::with_segments);
        self.phase = Phase::Fetching(Box::new(fetcher));
        self.pump(None, out, cx)
    }

    /// A packet came while segments are fetched.
    fn take(&mut self, packet: Packet, out: &mut Outbox, cx: &mut Context<'_>) -> Result<(), GetError> {
        let Phase::Fetching(fetcher) = &mut self.phase else { return Ok(()) };
        if let Kind::Data(data) = &packet.kind
            && !packet.hop.loss_notice
        {
            let awaited = fetcher.name().same_stem(&data.name) && fetcher.awaits(&packet);
            let (Content::Encoded(encoded), Some(segment), true) = (&data.content, data.name.segment(), awaited) else {
                return Ok(());
            };
            let segments = fetcher.segments();
            let last = segments.map(|n| n.saturating_sub(1)).or(data.final_segment());
            let wanted = encoded.content_type != REFUSAL && last.is_none_or(|last| segment <= last);
            match self.digest(data, segment, &encoded.payload, wanted) {
                Some(true) => {}
                Some(false) => {
                    let why = Untrusted::Wrong(SignatureType::DigestSha256);
                    return Err(GetError::Untrusted { name: data.name.clone(), why });
                }
                None => self.believe(data)?,
            }
            if encoded.content_type == REFUSAL {
                return Err(GetError::Refusal(data.name.clone()));
            }
            if wanted {
                let output = self.output.as_mut().ok_or(GetError::Interrupted)?;
                output.put(segment, &encoded.payload, last)?;
            }
        }
        self.pump(Some(packet), out, cx)
    }

    /// Lets the fetcher work, and sees whether it is at its end.
    fn pump(&mut self, packet: Option<Packet>, out: &mut Outbox, cx: &mut Context<'_>) -> Result<(), GetError> {
        let (Phase::Fetching(fetcher), Some(output)) = (&mut self.phase, &mut self.output) else { return Ok(()) };
        fetcher.set_ceiling(output.ceiling());
        let (now, recorder) = (cx.now, &mut self.recorder);
        let mut inner =
            Context { now, node: cx.node, face: cx.face, sink: &mut *recorder, watched: false, ready: &mut *cx.ready };
        match packet {
            Some(packet) => fetcher.receive(packet, out, &mut inner),
            None => fetcher.wake(out, &mut inner),
        }
        output.tick(now)?;
        if self.recorder.wants_sample(now) {
            fetcher.inspect(&mut |reading: Reading| self.recorder.sample(now, &reading));
        }
        let (sent, segment) = self.recorder.most;
        if sent > self.rules.attempts {
            let name = fetcher.name().with_segment(segment);
            return Err(GetError::Lost { name, attempts: self.rules.attempts });
        }
        if fetcher.is_done() {
            let (name, counters) = (fetcher.name().clone(), fetcher.counters());
            let segments = fetcher.segments().unwrap_or(fetcher.complete_below());
            return self.finish(name, segments, now, counters);
        }
        Ok(())
    }

    fn finish(
        &mut self,
        name: Name,
        segments: u64,
        now: Time,
        counters: weir_engine::FetcherCounters,
    ) -> Result<(), GetError> {
        self.phase = Phase::Ended;
        let Some(output) = self.output.take() else { return Ok(()) };
        let elapsed = now.since(self.began);
        let (len, sha256) = output.finish().map_err(|error: OutputError| GetError::Output(error))?;
        let summary = Summary::new(name, segments, len, sha256, elapsed, &self.resumed, &self.recorder, counters);
        self.outcome = Some(Ok(summary));
        Ok(())
    }

    /// How far it is.
    pub fn progress(&self) -> GetProgress {
        let bytes = self.resumed.bytes + self.recorder.bytes;
        let Phase::Fetching(fetcher) = &self.phase else { return GetProgress { bytes, ..GetProgress::default() } };
        let there: u64 = self.resumed.there.iter().map(|range| range.end - range.start).sum();
        let segments = self.recorder.segments + there;
        // All segments but the last are of one length.
        let total = fetcher.segments().filter(|_| segments > 0).map(|n| n.saturating_mul(bytes / segments).max(bytes));
        GetProgress {
            bytes,
            total,
            window: fetcher.allowance().window,
            in_flight: fetcher.in_flight(),
            rtt: fetcher.smoothed_rtt(),
            retransmitted: fetcher.counters().retransmitted,
            away: false,
        }
    }

    /// What an earlier fetch had left.
    pub fn resumed(&self) -> &Resumed {
        &self.resumed
    }
}

impl std::fmt::Debug for Getter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Getter").field("name", &self.name).field("outcome", &self.outcome).finish_non_exhaustive()
    }
}
