//! Every default of a control or timeout, as the specification gives it.

use weir_core::ParameterSpec;
use weir_schemes::registry::{CONTROLS, TIMEOUTS};

type Table = &'static [(&'static str, &'static [(&'static str, &'static str)])];

const CONTROL_DEFAULTS: Table = &[
    ("fixed-window", &[("window", "1")]),
    ("cbr", &[("frequency", "1"), ("rate", "\"0bps\""), ("gap", "\"0s\"")]),
    (
        "icp",
        &[
            ("initial_window", "1"),
            ("eta", "1"),
            ("beta", "0.5"),
            ("min_window", "1"),
            ("slow_start", "true"),
            ("initial_ssthresh", "inf"),
            ("on_notice", "\"decrease\""),
        ],
    ),
    (
        "aimd",
        &[
            ("initial_window", "2"),
            ("step", "1"),
            ("beta", "0.5"),
            ("min_window", "2"),
            ("initial_ssthresh", "inf"),
            ("reset_to_initial", "false"),
            ("ignore_marks", "false"),
            ("on_notice", "\"decrease\""),
        ],
    ),
    (
        "bic",
        &[
            ("initial_window", "1"),
            ("low_window", "14"),
            ("max_increment", "16"),
            ("beta", "0.8"),
            ("initial_target", "\"zero\""),
            ("ignore_marks", "false"),
            ("on_notice", "\"decrease\""),
        ],
    ),
    (
        "cubic",
        &[
            ("initial_window", "1"),
            ("c", "0.4"),
            ("beta", "0.8"),
            ("tcp_friendly", "false"),
            ("fast_convergence", "false"),
            ("hystart", "false"),
            ("css_rounds", "5"),
            ("ignore_marks", "false"),
            ("on_notice", "\"decrease\""),
        ],
    ),
    (
        "pcon-cs",
        &[
            ("law", "\"cubic\""),
            ("initial_window", "1"),
            ("beta", "\"law\""),
            ("slow_start", "true"),
            ("hystart", "false"),
            ("css_rounds", "5"),
            ("guard_marks", "true"),
            ("on_notice", "\"decrease\""),
        ],
    ),
    (
        "rate-aimd",
        &[
            ("initial_rate", "0"),
            ("max_rate", "0"),
            ("data", "\"0B\""),
            ("min_rate", "1"),
            ("step", "1"),
            ("beta", "0.5"),
            ("cut", "\"once\""),
            ("ignore_marks", "false"),
            ("on_notice", "\"decrease\""),
        ],
    ),
    ("stateful-forwarding", NACKED_RATE),
    ("kato", NACKED_RATE),
];

/// A rate that congestion Nacks halve.
const NACKED_RATE: &[(&str, &str)] = &[
    ("max_rate", "0"),
    ("data", "\"0B\""),
    ("min_rate", "1"),
    ("step", "1"),
    ("beta", "0.5"),
    ("on_notice", "\"decrease\""),
];

const TIMEOUT_DEFAULTS: Table = &[
    (
        "rfc6298",
        &[
            ("initial", "\"1s\""),
            ("min", "\"200ms\""),
            ("max", "\"60s\""),
            ("alpha", "0.125"),
            ("beta", "0.25"),
            ("k", "4"),
            ("granularity", "\"1ms\""),
            ("backoff_factor", "2"),
            ("check", "\"0s\""),
        ],
    ),
    (
        "icp",
        &[
            ("initial", "\"1s\""),
            ("history", "20"),
            ("delta", "0.5"),
            ("slack", "0"),
            ("min", "\"1ms\""),
            ("max", "\"60s\""),
            ("check", "\"0s\""),
        ],
    ),
    (
        "ndn-cxx",
        &[
            ("initial", "\"1s\""),
            ("min", "\"200ms\""),
            ("max", "\"60s\""),
            ("alpha", "0.125"),
            ("beta", "0.25"),
            ("k", "4"),
            ("backoff_factor", "2"),
            ("check", "\"0s\""),
        ],
    ),
    (
        "ndnsim",
        &[
            ("initial", "\"1s\""),
            ("min", "\"200ms\""),
            ("max", "\"200s\""),
            ("alpha", "0.125"),
            ("beta", "0.25"),
            ("max_multiplier", "64"),
            ("check", "\"50ms\""),
        ],
    ),
];

fn assert_defaults(what: &str, table: Table, specs_of: impl Fn(&str) -> Option<Vec<ParameterSpec>>) {
    for (name, expected) in table {
        let specs = specs_of(name).unwrap_or_else(|| panic!("no {what} {name}"));
        let found: Vec<(&str, &str)> = specs.iter().map(|s| (s.name, s.default.as_str())).collect();
        assert_eq!(&found, expected, "{what} {name}");
    }
}

#[test]
fn controls_have_the_defaults_of_the_specification() {
    assert_defaults("control", CONTROL_DEFAULTS, |name| {
        CONTROLS.iter().find(|e| e.name == name).map(|e| (e.parameters)())
    });
}

#[test]
fn timeouts_have_the_defaults_of_the_specification() {
    assert_defaults("timeout", TIMEOUT_DEFAULTS, |name| {
        TIMEOUTS.iter().find(|e| e.name == name).map(|e| (e.parameters)())
    });
}
