//! Which requests a consumer makes, and when.

use std::sync::Arc;
use weir_core::{ArrivalTimes, Arrivals, Bytes, Chance, Popularity, Seed, Time};
use weir_wire::Name;

/// What a consumer asks for in the course of time.
#[derive(Clone, Debug)]
pub struct Demand {
    /// When requests come.
    pub arrivals: Arrivals,
    /// Which object each asks for; `None`: each asks for a new one, numbered from 0.
    pub popularity: Option<Arc<Popularity>>,
    /// Begin of the arrivals.
    pub start: Time,
    /// No request from here on; `None`: for ever.
    pub stop: Option<Time>,
    /// Number of requests; `None`: without end.
    pub count: Option<u64>,
}

/// A demand at work.
#[derive(Debug)]
pub(crate) struct Requests {
    times: ArrivalTimes,
    popularity: Option<Arc<Popularity>>,
    choice: Chance,
    stop: Option<Time>,
    /// No request until it is told to go on.
    stopped_by_order: bool,
    left: u64,
    made: u64,
}

impl Requests {
    /// Times and choices are drawn from streams of their own, so that a change of one leaves the other as it is.
    pub fn new(demand: Demand, seed: Seed) -> Requests {
        let times = ArrivalTimes::new(demand.arrivals, demand.start, seed.of("arrivals").stream());
        let choice = seed.of("objects").stream();
        let left = demand.count.unwrap_or(u64::MAX);
        Requests {
            times,
            popularity: demand.popularity,
            choice,
            stop: demand.stop,
            stopped_by_order: false,
            left,
            made: 0,
        }
    }

    /// When the next request comes; `None`: there is none any more.
    #[inline]
    pub fn next(&self) -> Option<Time> {
        let next = self.times.next();
        let open = !self.stopped_by_order && self.stop.is_none_or(|stop| next < stop);
        (self.left > 0 && next != Time::NEVER && open).then_some(next)
    }

    /// Name and size of an object that a trace lists; a size of `None` stands for one Data.
    pub fn listed(&self, object: u64) -> Option<(&Name, Option<Bytes>)> {
        let request = self.times.trace()?.get(object as usize)?;
        Some((&request.name, request.size))
    }

    /// Begins at `now` if it waits for an order to begin or to go on; or stops. Its own end stays in force.
    pub fn set_running(&mut self, run: bool, now: Time) {
        if run && (self.stopped_by_order || self.times.next() == Time::NEVER) {
            self.stopped_by_order = false;
            self.times.begin(now);
        } else if !run {
            self.stopped_by_order = true;
        }
    }

    /// The object of the next request, if it is due at `now`.
    #[inline]
    pub fn take(&mut self, now: Time) -> Option<u64> {
        self.next().filter(|next| *next <= now)?;
        let listed = self.times.trace().map(|_| self.times.number());
        self.times.advance();
        self.left -= 1;
        self.made += 1;
        Some(match (&self.popularity, listed) {
            (_, Some(place)) => place,
            (Some(popularity), None) => popularity.draw(&mut self.choice),
            (None, None) => self.made - 1,
        })
    }
}
