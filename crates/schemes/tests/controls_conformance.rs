//! What every control and every timeout must do, run over the whole registry.

use std::ops::Range;
use weir_core::{
    Allowance, Chance, ConsumerControl, DataSignal, Entry, FlowId, Loss, LossSignal, ParameterSpec, Reaction, Seed,
    SentSignal, Settings, Site, Span, Time, Timeout, TimeoutSignal, Value,
};
use weir_schemes::registry::{CONTROLS, TIMEOUTS};
use weir_wire::{Feedback, NackReason};

const SEEDS: Range<u64> = 1..4;
const SIGNALS: usize = 20_000;

/// What the network of a test is like.
#[derive(Clone, Copy, Debug)]
enum Manner {
    /// Round trips of 20 to 220 ms, few marks and losses.
    Sane,
    /// Anything that the types allow.
    Hostile,
}

const MANNERS: [Manner; 2] = [Manner::Sane, Manner::Hostile];

/// A source of signals that plays the engine's part: it keeps the clock and says what is fresh.
struct Signals {
    manner: Manner,
    chance: Chance,
    now: Time,
    fresh_from: Time,
    segment: u64,
}

impl Signals {
    fn new(manner: Manner, seed: u64) -> Signals {
        let chance = Seed(seed).of("controls-conformance").stream();
        Signals { manner, chance, now: Time::ZERO, fresh_from: Time::ZERO, segment: 0 }
    }

    /// One signal to a control.
    fn play(&mut self, control: &mut dyn ConsumerControl) {
        let pause = self.pause();
        self.now += pause;
        self.segment += self.chance.below(2);
        let rtt = self.rtt();
        let reaction = match self.chance.below(1000) {
            0..=399 => {
                control.on_sent(&self.sent());
                Reaction::None
            }
            n if n < self.first_loss() => control.on_data(&self.data(rtt)),
            _ => control.on_loss(&self.loss(rtt)),
        };
        if reaction == Reaction::Decreased {
            self.fresh_from = self.now + rtt.min(Span::from_millis(1000)).scaled(1.5);
        }
    }

    /// One signal to a timeout.
    fn play_timeout(&mut self, timeout: &mut dyn Timeout) {
        let pause = self.pause();
        self.now += pause;
        let in_flight = self.chance.below(200) as usize;
        if self.chance.below(1000) < self.first_loss() {
            timeout.on_sample(self.rtt(), in_flight, self.now);
        } else {
            let first_of_event = self.chance.happens(0.5);
            timeout.on_timeout(&TimeoutSignal { now: self.now, first_of_event });
        }
    }

    fn pause(&mut self) -> Span {
        match self.manner {
            Manner::Sane => Span::from_micros(self.chance.below(5000)),
            Manner::Hostile => Span([0, 1, 1_000_000_000, 31_536_000_000_000_000][self.chance.below(4) as usize]),
        }
    }

    fn rtt(&mut self) -> Span {
        match self.manner {
            Manner::Sane => Span::from_micros(20_000 + self.chance.below(200_000)),
            Manner::Hostile => Span([0, 1, 40_000_000, u64::MAX][self.chance.below(4) as usize]),
        }
    }

    /// Of a thousand signals, those from this one on are losses.
    fn first_loss(&self) -> u64 {
        match self.manner {
            Manner::Sane => 990,
            Manner::Hostile => 700,
        }
    }

    fn fresh(&mut self) -> bool {
        match self.manner {
            Manner::Sane => self.now >= self.fresh_from,
            Manner::Hostile => self.chance.happens(0.5),
        }
    }

    fn marked(&mut self) -> bool {
        let probability = match self.manner {
            Manner::Sane => 0.01,
            Manner::Hostile => 0.5,
        };
        self.chance.happens(probability)
    }

    fn sent(&mut self) -> SentSignal {
        SentSignal { now: self.now, segment: self.segment, transmission: 1, in_flight: self.chance.below(99) as usize }
    }

    fn data(&mut self, rtt: Span) -> DataSignal {
        DataSignal {
            now: self.now,
            flow: FlowId(0),
            segment: self.segment,
            payload: self.chance.below(8800) as usize,
            rtt,
            sent_at: Time(self.now.0.saturating_sub(rtt.0)),
            retransmitted: self.chance.happens(0.1),
            marked: self.marked(),
            fresh: self.fresh(),
            feedback: [Feedback::None, Feedback::Add, Feedback::Reduce][self.chance.below(3) as usize],
            hops: self.chance.below(256) as u8,
            in_flight: self.chance.below(200) as usize,
            smoothed_rtt: self.rtt(),
            app_limited: self.chance.happens(0.1),
        }
    }

    fn loss(&mut self, rtt: Span) -> LossSignal {
        let kinds = [
            Loss::Timeout,
            Loss::Notice,
            Loss::Nack(NackReason::Congestion),
            Loss::Nack(NackReason::Duplicate),
            Loss::Nack(NackReason::NoRoute),
        ];
        LossSignal {
            now: self.now,
            kind: kinds[self.chance.below(5) as usize],
            segment: self.segment,
            sent_at: Time(self.now.0.saturating_sub(rtt.0)),
            fresh: self.fresh(),
            in_flight: self.chance.below(200) as usize,
        }
    }
}

/// Values of one parameter at the ends of what it allows.
fn extremes(spec: &ParameterSpec) -> Vec<Value> {
    let Some((low, high)) = spec.range else {
        return words(&spec.kind);
    };
    [low, high].into_iter().map(|end| at_end(&spec.kind, end)).chain(words(&spec.kind)).collect()
}

fn at_end(kind: &str, end: f64) -> Value {
    match kind {
        "whole number" => Value::Integer(end as i64),
        _ if kind.starts_with("time") => Value::Text(format!("{:.0}ns", end * 1e9)),
        _ => Value::Number(end),
    }
}

/// The words or switches in a kind such as `"a" or "b"`.
fn words(kind: &str) -> Vec<Value> {
    let quoted = |part: &str| part.strip_prefix('"')?.strip_suffix('"').map(str::to_owned);
    match kind {
        "true or false" => vec![Value::Bool(true), Value::Bool(false)],
        _ => kind.split(" or ").filter_map(quoted).map(Value::Text).collect(),
    }
}

/// No settings, and then each extreme of each parameter alone.
fn variants(specs: &[ParameterSpec]) -> Vec<Settings> {
    let alone = specs.iter().flat_map(|spec| extremes(spec).into_iter().map(|v| vec![(spec.name.to_owned(), v)]));
    std::iter::once(Settings::new()).chain(alone).collect()
}

fn build<B>(entry: &Entry<B>, settings: &Settings) -> B {
    (entry.build)(settings, &Site::default()).unwrap_or_else(|e| panic!("{} with {settings:?}: {e}", entry.name))
}

/// Calls `check` with a label for each variant, manner and seed; the full length only for defaults.
fn for_each_run<B>(entry: &Entry<B>, check: impl Fn(&str, &Settings, Signals, usize)) {
    for settings in variants(&(entry.parameters)()) {
        let signals = if settings.is_empty() { SIGNALS } else { SIGNALS / 10 };
        for (manner, seed) in MANNERS.into_iter().flat_map(|m| SEEDS.map(move |s| (m, s))) {
            let label = format!("{} {settings:?} {manner:?} seed {seed}", entry.name);
            check(&label, &settings, Signals::new(manner, seed), signals);
        }
    }
}

fn is_sound(allowance: Allowance) -> bool {
    match allowance.gap {
        None => allowance.window.is_finite() && allowance.window >= 1.0,
        Some(gap) => allowance.window >= 1.0 && gap > Span::ZERO && gap < Span(u64::MAX),
    }
}

#[test]
fn allowances_are_sound_whatever_comes() {
    for entry in CONTROLS {
        for_each_run(entry, |label, settings, mut signals, count| {
            let mut control = build(entry, settings);
            for n in 0..count {
                assert!(is_sound(control.allowance()), "{label}, signal {n}: {:?}", control.allowance());
                signals.play(&mut *control);
            }
        });
    }
}

#[test]
fn same_signals_mean_same_allowances() {
    for entry in CONTROLS {
        for_each_run(entry, |label, settings, mut signals, count| {
            let (mut one, mut other) = (build(entry, settings), build(entry, settings));
            let mut again = Signals { chance: signals.chance.clone(), ..signals };
            for n in 0..count {
                signals.play(&mut *one);
                again.play(&mut *other);
                assert_eq!(one.allowance(), other.allowance(), "{label}, signal {n}");
            }
        });
    }
}

/// The bound called `name`, from the settings or the default.
fn bound(entry: &Entry<Box<dyn Timeout>>, settings: &Settings, name: &str) -> Span {
    let set = settings.iter().find(|(key, _)| key == name).map(|(_, value)| value.to_string());
    let text = set.or_else(|| (entry.parameters)().into_iter().find(|s| s.name == name).map(|s| s.default));
    text.and_then(|t| t.trim_matches('"').parse().ok()).unwrap_or_else(|| panic!("{} has no {name}", entry.name))
}

#[test]
fn timeouts_stay_within_their_bounds() {
    for entry in TIMEOUTS {
        for_each_run(entry, |label, settings, mut signals, count| {
            let (min, max) = (bound(entry, settings, "min"), bound(entry, settings, "max"));
            let mut timeout = build(entry, settings);
            for n in 0..count {
                let now = timeout.timeout();
                assert!(now > Span::ZERO && now >= min.min(max) && now <= max, "{label}, signal {n}: {now}");
                signals.play_timeout(&mut *timeout);
            }
        });
    }
}

fn assert_refuses_unknown<B>(entries: &[Entry<B>]) {
    for entry in entries {
        for spec in (entry.parameters)() {
            let misspelt = format!("{}x", spec.name);
            let Err(error) = (entry.build)(&vec![(misspelt, Value::Bool(true))], &Site::default()) else {
                panic!("{} takes a misspelt {}", entry.name, spec.name);
            };
            assert!(error.unknown, "{}: {error}", entry.name);
            assert!(error.message.contains(&format!("did you mean {:?}", spec.name)), "{}: {error}", entry.name);
        }
    }
}

#[test]
fn unknown_parameters_are_refused_with_the_nearest_name() {
    assert_refuses_unknown(CONTROLS);
    assert_refuses_unknown(TIMEOUTS);
}
