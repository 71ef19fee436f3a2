//! A consumer of many contents: a fetch for each request, made when the request comes and dropped when it is complete.
//!
//! Memory goes with the fetches that are under way, whatever there has been before.

use crate::application::{Application, Outbox};
use crate::directory::Directory;
use crate::fetcher::{Fetcher, FetcherRules, What};
use crate::requests::{Demand, Requests};
use crate::wakes::Wakes;
use smallvec::SmallVec;
use std::sync::Arc;
use weir_core::{Bytes, Context, DropReason, FlowId, Parts, Reading, Seed, Sizes, Span, Time};
use weir_wire::{Component, Name, Packet};

/// What to fetch, and how.
#[derive(Clone, Debug)]
pub struct FetchesRules {
    /// Number of the flow that all fetches belong to.
    pub flow: FlowId,
    /// The catalogue: object `n` is the content `<content>/<n>`.
    pub content: Name,
    /// Payload of a Data.
    pub payload: Bytes,
    /// How large objects are. An object has one size, whoever asks for it.
    pub sizes: Sizes,
    /// Seed of the sizes, the same for all consumers of the catalogue.
    pub size_seed: Seed,
    /// Rules of each fetch.
    pub fetcher: FetcherRules,
}

/// A consumer that makes requests as a [`Demand`] says, each for a content of several segments under a control of its
/// own.
///
/// Two fetches of one content at one time are independent: each sends its own Interests (which a router puts together
/// where they meet in its table), and a Data goes to all of them that wait for it.
pub struct Fetches {
    rules: Arc<FetchesRules>,
    requests: Requests,
    parts: Parts,
    seed: Seed,
    /// Fetches under way, and places that are free.
    slots: Vec<Option<Underway>>,
    free: Vec<u32>,
    contents: Directory,
    wakes: Wakes,
    made: u64,
    done: bool,
}

struct Underway {
    fetcher: Fetcher,
    asked: Time,
}

impl Fetches {
    /// A consumer whose chance comes from `seed`; `parts` makes the plug-ins of each fetch.
    pub fn new(rules: FetchesRules, demand: Demand, parts: Parts, seed: Seed) -> Fetches {
        Fetches {
            rules: Arc::new(rules),
            requests: Requests::new(demand, seed),
            parts,
            seed: seed.of("fetches"),
            slots: Vec::new(),
            free: Vec::new(),
            contents: Directory::default(),
            wakes: Wakes::default(),
            made: 0,
            done: false,
        }
    }

    /// Fetches under way.
    pub fn under_way(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    fn begin(&mut self, object: u64, out: &mut Outbox, cx: &mut Context<'_>) {
        cx.sink.began(cx.now, self.rules.flow);
        let number = self.made;
        self.made += 1;
        let (name, segments) = match self.requests.listed(object) {
            Some((name, size)) => (name.clone(), size.map_or(1, |size| self.segments(size))),
            None => {
                let name = self.rules.content.child(Component::generic(object.to_string().into_bytes()));
                // From the name, so that it is the same for all who ask.
                let mut chance = Seed(self.rules.size_seed.0 ^ name.hash64()).of("size").stream();
                let segments = self.segments(self.rules.sizes.draw(&mut chance));
                (name, segments)
            }
        };
        let (control, timeout) = (self.parts)(number);
        let what = What { flow: self.rules.flow, name, segments: Some(segments), start: cx.now, stop: None };
        let chance = self.seed.of(&number.to_string()).stream();
        let fetcher = Fetcher::new(what, self.rules.fetcher, control, timeout, chance).one_of_many();
        let place = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() as u32 - 1
        });
        self.contents.add(fetcher.name(), place);
        self.slots[place as usize] = Some(Underway { fetcher, asked: cx.now });
        self.wake_one(place, out, cx);
    }

    fn segments(&self, size: Bytes) -> u64 {
        size.0.div_ceil(self.rules.payload.0.max(1)).max(1)
    }

    fn wake_one(&mut self, place: u32, out: &mut Outbox, cx: &mut Context<'_>) {
        if let Some(underway) = &mut self.slots[place as usize] {
            underway.fetcher.wake(out, cx);
            self.settle(place, cx);
        }
    }

    /// Notes when a fetch wants to be woken, or that it is complete.
    fn settle(&mut self, place: u32, cx: &mut Context<'_>) {
        let slot = &mut self.slots[place as usize];
        if let Some(done) = slot.take_if(|underway| underway.fetcher.is_done()) {
            self.contents.remove(done.fetcher.name(), place);
            self.free.push(place);
            cx.sink.fetched(cx.now, self.rules.flow, cx.now.since(done.asked));
        } else if let Some(underway) = slot {
            self.wakes.set(place as usize, underway.fetcher.next_wake());
        }
    }

    /// Says once that nothing will come any more.
    fn note_end(&mut self, cx: &mut Context<'_>) {
        if !self.done && self.under_way() == 0 && self.requests.next().is_none() {
            self.done = true;
            cx.sink.completed(cx.now, self.rules.flow);
        }
    }
}

impl Application for Fetches {
    fn receive(&mut self, packet: Packet, out: &mut Outbox, cx: &mut Context<'_>) {
        let slots = &self.slots;
        let waits = |place: &&u32| slots[**place as usize].as_ref().is_some_and(|u| u.fetcher.awaits(&packet));
        let waiting: SmallVec<[u32; 2]> = self.contents.find(packet.name()).iter().filter(waits).copied().collect();
        let Some((last, others)) = waiting.split_last() else { return cx.discard(packet, DropReason::Unwanted) };
        for place in others {
            if let Some(underway) = &mut self.slots[*place as usize] {
                underway.fetcher.receive(packet.clone(), out, cx);
                self.settle(*place, cx);
            }
        }
        if let Some(underway) = &mut self.slots[*last as usize] {
            underway.fetcher.receive(packet, out, cx);
            self.settle(*last, cx);
        }
        self.note_end(cx);
    }

    fn wake(&mut self, out: &mut Outbox, cx: &mut Context<'_>) {
        while let Some(place) = self.wakes.pop_due(cx.now) {
            self.wake_one(place as u32, out, cx);
        }
        while let Some(object) = self.requests.take(cx.now) {
            self.begin(object, out, cx);
        }
        self.note_end(cx);
    }

    fn next_wake(&self) -> Option<Time> {
        [self.wakes.earliest(), self.requests.next()].into_iter().flatten().min()
    }

    fn name(&self) -> &Name {
        &self.rules.content
    }

    fn serves(&self) -> bool {
        false
    }

    fn wants_below(&self) -> bool {
        true
    }

    fn flow(&self) -> Option<FlowId> {
        Some(self.rules.flow)
    }

    fn set_running(&mut self, run: bool, cx: &mut Context<'_>) {
        self.requests.set_running(run, cx.now);
        self.note_end(cx);
    }

    fn adopt(&mut self, mut parts: Parts, control: bool, timeout: bool, cx: &mut Context<'_>) {
        for place in 0..self.slots.len() {
            let Some(underway) = &mut self.slots[place] else { continue };
            let (new_control, new_timeout) = parts(self.made + place as u64);
            underway.fetcher.exchange(control.then_some(new_control), timeout.then_some(new_timeout), cx);
            self.wakes.set(place, underway.fetcher.next_wake());
        }
        self.parts = parts;
    }

    /// All fetches as one: the sums of their windows, rates and Interests in flight, the mean of their timeouts.
    fn inspect(&self, report: &mut dyn FnMut(Reading)) {
        let (mut windows, mut rates, mut out, mut rtos) = (0.0, None, 0, Span::ZERO);
        for underway in self.slots.iter().flatten() {
            underway.fetcher.inspect(&mut |reading| {
                if let Reading::Flow { window, rate, in_flight, rto, .. } = reading {
                    windows += window;
                    out += in_flight;
                    rtos += rto;
                    if let Some(rate) = rate {
                        rates = Some(rates.unwrap_or(0.0) + rate);
                    }
                }
            });
        }
        let rto = rtos / (self.under_way() as u64).max(1);
        report(Reading::Flow { flow: self.rules.flow, window: windows, rate: rates, in_flight: out, rto });
    }
}

impl std::fmt::Debug for Fetches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fetches")
            .field("rules", &self.rules)
            .field("under_way", &self.under_way())
            .finish_non_exhaustive()
    }
}
