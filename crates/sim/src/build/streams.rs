//! Streams of requests that several consumers make together.

use super::Builder;
use std::sync::Arc;
use weir_core::{ArrivalTimes, Seed, Time, TraceRequest};
use weir_scenario::plan::{Requests, Stream};
use weir_wire::{Component, Name};

/// The requests of each consumer of a stream.
pub type Lists = Vec<Arc<[TraceRequest]>>;

impl Builder<'_> {
    /// The requests of one consumer; the stream is drawn once for all.
    pub(super) fn stream_of(&self, requests: &Requests, stream: &Stream) -> Arc<[TraceRequest]> {
        let mut known = self.streams.borrow_mut();
        let lists = known.entry(requests.content.clone()).or_insert_with(|| stream_of_all(requests, stream, self.seed));
        Arc::clone(&lists[stream.place])
    }
}

/// What each consumer of a stream asks for in a run with this seed, by their places.
pub fn stream_of_all(requests: &Requests, stream: &Stream, run: Seed) -> Lists {
    dealt(requests, stream, run.of("stream").of(&requests.content.to_string()))
}

/// The consumers' arrivals put together: the n-th of them all is for what stands at place n of the stream.
fn dealt(requests: &Requests, stream: &Stream, seed: Seed) -> Lists {
    let drawn = stream.law.draw(seed);
    let names: Vec<Name> = (0..drawn.sizes.len()).map(|object| name_of(&requests.content, object)).collect();
    let times = |consumer: usize| {
        let chance = seed.of("arrivals").of(&consumer.to_string()).stream();
        ArrivalTimes::new(requests.arrivals.clone(), Time::ZERO, chance)
    };
    let mut times: Vec<ArrivalTimes> = (0..stream.of).map(times).collect();
    let mut lists: Vec<Vec<TraceRequest>> = vec![Vec::new(); stream.of];
    for object in drawn.order {
        let Some(first) = (0..times.len()).min_by_key(|consumer| times[*consumer].next()) else { break };
        let time = times[first].next().since(Time::ZERO);
        times[first].advance();
        let object = object as usize;
        lists[first].push(TraceRequest { time, name: names[object].clone(), size: Some(drawn.sizes[object]) });
    }
    lists.into_iter().map(Arc::from).collect()
}

fn name_of(content: &Name, object: usize) -> Name {
    content.child(Component::generic(object.to_string().into_bytes()))
}
