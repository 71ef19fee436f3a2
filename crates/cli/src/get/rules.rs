//! The rules of a fetch that belong to no scheme: the keys of a scenario's `[consumer]`, as words of a command.

use clap::{Args, ValueEnum};
use weir_core::{Bytes, Lifetime, Rate, Span};
use weir_files::{FetcherRules, GetRules, Known, NoticeTimer, RateChange};

#[derive(Debug, Args)]
#[command(next_help_heading = "Rules of the consumer")]
pub(crate) struct ConsumerArgs {
    /// InterestLifetime, or `timeout`: what the timeout is when the Interest leaves
    #[arg(long, value_name = "TIME", default_value = "4s", value_parser = lifetime)]
    pub lifetime: Lifetime,
    /// At most one decrease in about 1 + GUARD round trips
    #[arg(long, value_name = "GUARD", default_value_t = 0.0, value_parser = up_to::<100>)]
    pub guard: f64,
    /// The timer of a segment whose loss a router announces
    #[arg(long, value_name = "WHAT", default_value = "restart")]
    pub notice_timer: NoticeTimerChoice,
    /// Random extra time before each paced Interest, as a share of the gap
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = up_to::<1>)]
    pub jitter: f64,
    /// When a change of a paced control's rate counts
    #[arg(long, value_name = "WHEN", default_value = "now")]
    pub rate_change: RateChangeChoice,
    /// How long to wait before an Interest that was refused for congestion is repeated, the first time
    #[arg(long, value_name = "TIME", default_value = "1ms")]
    pub nack_pause: Span,
    /// Measure the round trip of a Data that comes too soon after its Interest was repeated from the first Interest on
    #[arg(long, value_name = "YES", default_value_t = true, action = clap::ArgAction::Set)]
    pub learn_from_late: bool,
    /// Rate of the link over which Interests leave, for controls that begin with it
    #[arg(long, value_name = "RATE")]
    pub link_rate: Option<Rate>,
    /// Its propagation delay
    #[arg(long, value_name = "TIME")]
    pub link_delay: Option<Span>,
}

impl ConsumerArgs {
    /// For the engine.
    pub fn rules(&self) -> FetcherRules {
        let mut rules = GetRules::consumer();
        rules.lifetime = self.lifetime;
        rules.guard = self.guard;
        rules.notice_timer = match self.notice_timer {
            NoticeTimerChoice::Keep => NoticeTimer::Keep,
            NoticeTimerChoice::Restart => NoticeTimer::Restart,
            NoticeTimerChoice::Stop => NoticeTimer::Stop,
        };
        rules.jitter = self.jitter;
        rules.rate_change = match self.rate_change {
            RateChangeChoice::Next => RateChange::Next,
            RateChangeChoice::Now => RateChange::Now,
            RateChangeChoice::Cut => RateChange::Cut,
        };
        rules.nack_pause = self.nack_pause;
        rules.learn_from_late = self.learn_from_late;
        rules
    }

    /// What the user knows of the way to packets with so many bytes of content.
    pub fn known(&self, payload: Bytes) -> Known {
        Known { payload, link_rate: self.link_rate, link_delay: self.link_delay }
    }
}

/// As in a scenario's `notice_timer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NoticeTimerChoice {
    /// Runs on
    Keep,
    /// Starts again at the notice
    Restart,
    /// Stops: only the Interest's lifetime ends the wait
    Stop,
}

/// As in a scenario's `rate_change`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RateChangeChoice {
    /// From the next gap on
    Next,
    /// At once
    Now,
    /// At once if the rate falls
    Cut,
}

fn lifetime(text: &str) -> Result<Lifetime, String> {
    match text {
        "timeout" => Ok(Lifetime::Timeout),
        time => match time.parse()? {
            Span::ZERO => Err("an Interest that lives no time is never answered".into()),
            span => Ok(span.into()),
        },
    }
}

/// A number from 0 to `MOST`.
fn up_to<const MOST: u32>(text: &str) -> Result<f64, String> {
    let wrong = || format!("expected a number from 0 to {MOST}");
    text.parse().ok().filter(|number| (0.0..=f64::from(MOST)).contains(number)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Only {
        #[command(flatten)]
        rules: ConsumerArgs,
    }

    fn parse(words: &str) -> Result<ConsumerArgs, String> {
        let words = std::iter::once("get").chain(words.split_whitespace());
        Only::try_parse_from(words).map(|only| only.rules).map_err(|error| error.to_string())
    }

    #[test]
    fn rules_are_those_of_a_scenario() {
        let words = "--lifetime timeout --guard 0.5 --notice-timer keep --jitter 0.1 --rate-change cut --nack-pause 0ms \
                     --learn-from-late false \
                     --link-rate 10Mbps --link-delay 5ms";
        let args = parse(words).unwrap();
        let rules = args.rules();
        assert_eq!((rules.lifetime, rules.guard, rules.jitter), (Lifetime::Timeout, 0.5, 0.1));
        assert_eq!((rules.notice_timer, rules.rate_change), (NoticeTimer::Keep, RateChange::Cut));
        assert_eq!((rules.nack_pause, rules.learn_from_late), (Span::ZERO, false));
        let known =
            Known { payload: Bytes(1000), link_rate: Some(Rate(10_000_000)), link_delay: Some(Span::from_millis(5)) };
        assert_eq!(args.known(Bytes(1000)), known);
    }

    #[test]
    fn what_is_not_said_is_the_rule_of_a_fetch() {
        let args = parse("").unwrap();
        assert_eq!(format!("{:?}", args.rules()), format!("{:?}", GetRules::consumer()));
        assert_eq!(args.known(Known::default().payload), Known::default());
    }

    #[test]
    fn wrong_rules_are_refused() {
        for (words, why) in [
            ("--lifetime 0s", "never answered"),
            ("--lifetime soon", "soon"),
            ("--guard -1", "unexpected"),
            ("--guard=-1", "from 0 to 100"),
            ("--jitter 2", "from 0 to 1"),
            ("--rate-change later", "possible values"),
            ("--link-rate fast", "fast"),
        ] {
            let error = parse(words).unwrap_err();
            assert!(error.contains(why), "{words}: {error}");
        }
    }
}
