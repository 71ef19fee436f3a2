//! Figures of every kind: they are the committed ones, they render, and odd data do no harm.
//!
//! The pictures are left in the temporary directory of the tests, for looking at.

use std::path::{Path, PathBuf};

use weir_results::chart::{Axis, Chart, Kind, Point, Series, png, svg, write_png, write_svg};

/// Numbers that look random and are the same everywhere, from 0 to 1.
fn noise(count: u32) -> impl Iterator<Item = f64> {
    seeded(12_345, count)
}

fn seeded(seed: u32, count: u32) -> impl Iterator<Item = f64> {
    let next = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    std::iter::successors(Some(seed), next).skip(1).take(count as usize).map(|state| f64::from(state) / 4_294_967_296.0)
}

fn chart(title: &str, kind: Kind, x: Axis, y: Axis, series: Vec<Series>) -> Chart {
    Chart { title: title.to_owned(), x, y, series, kind, note: None }
}

/// Delay over load for some schemes, with confidence intervals.
fn lines() -> Chart {
    let scheme = |name: &str, base: f64, slope: f64| {
        let point = |step: u32| {
            let load = f64::from(step) / 10.0;
            let delay = base + slope * load * load;
            Point::with_interval(load, delay, Some(0.6 + 0.06 * delay))
        };
        Series { label: name.to_owned(), points: (1..=10).map(point).collect() }
    };
    let names = [("ICP", 21.0, 30.0), ("CHoPCoP", 20.0, 24.0), ("HoBHIS", 19.0, 17.0), ("none", 22.0, 90.0)];
    let series = names.into_iter().map(|(name, base, slope)| scheme(name, base, slope)).collect();
    let x = Axis::linear("Offered load", "Mbit/s");
    let mut chart =
        chart("Mean full delay on a single bottleneck", Kind::Line, x, Axis::linear("Full delay", "ms"), series);
    chart.note = Some("Mean of 10 runs; bars are 95 % confidence intervals (Student's t).".to_owned());
    chart
}

/// Queue lengths over time, many points.
fn steps() -> Chart {
    let walk = |offset: f64| {
        let mut queue = offset;
        seeded(offset as u32, 4000)
            .enumerate()
            .map(|(step, random)| {
                queue = (queue + 4.0 * (random - 0.5)).clamp(0.0, 60.0);
                (step as f64 * 0.015, queue.floor())
            })
            .collect::<Vec<_>>()
    };
    let series = vec![Series::new("router 1 → 2", walk(10.0)), Series::new("router 2 → 3", walk(45.0))];
    chart("Queue at the bottleneck", Kind::Step, Axis::linear("Time", "s"), Axis::linear("Queue", "packets"), series)
}

/// A time series of many points with intervals.
fn band() -> Chart {
    let wave = |phase: f64| {
        let point = |step: i32| {
            let t = f64::from(step) * 0.3;
            Point::with_interval(t, 5.0 + 2.0 * (0.2 * t + phase).sin(), Some(0.4 + 0.01 * t))
        };
        (0..200).map(point).collect()
    };
    let series = ["flow A", "flow B", "flow C"].into_iter().zip([0.0, 2.0, 4.0]);
    let series = series.map(|(label, phase)| Series { label: label.to_owned(), points: wave(phase) }).collect();
    chart("Rates of three flows", Kind::Line, Axis::linear("Time", "s"), Axis::linear("Rate", "Mbit/s"), series)
}

fn cdfs() -> Chart {
    let samples = |count: u32, scale: f64| noise(count).map(|u| scale * (1.0 + 8.0 * u * u)).collect::<Vec<_>>();
    let series = vec![
        Series::cdf("AIMD", &samples(40_000, 20.0)),
        Series::cdf("rate-based", &samples(500, 14.0)),
        Series::cdf("few samples", &samples(7, 30.0)),
    ];
    chart("Delivery time", Kind::Cdf, Axis::linear("Full delay", "ms"), Axis::linear("Share of Data", ""), series)
}

fn grouped_bars() -> Chart {
    let topologies = ["Single bottleneck", "Parking lot", "Abilene backbone", "Dumbbell, 20 flows"];
    let group = |name: &str, heights: [f64; 4]| Series {
        label: name.to_owned(),
        points: (0..4).map(|i| Point::with_interval(i as f64, heights[i], Some(1.0 + heights[i] * 0.03))).collect(),
    };
    let series = vec![
        group("ICP", [92.0, 81.0, 77.0, 88.0]),
        group("CHoPCoP", [95.0, 90.0, 84.0, 93.5]),
        group("HoBHIS", [97.0, 85.0, f64::NAN, 91.0]),
        group("MIRCC", [99.0, 96.0, 95.0, 97.0]),
    ];
    let x = Axis::category("Topology", topologies);
    chart("Link utilisation by topology", Kind::GroupedBars, x, Axis::linear("Utilisation", "%"), series)
}

fn single_bars() -> Chart {
    let names = ["ICP", "CHoPCoP", "HoBHIS", "MIRCC", "DPCCP", "BBR-like", "none"];
    let heights = [1.2e6, 2.3e6, 1.9e6, 2.6e6, -0.4e6, 0.9e6, 0.2e6];
    let series = vec![Series::new("", (0..7).map(|i| (i as f64, heights[i])))];
    chart("Change of goodput", Kind::Bars, Axis::category("", names), Axis::linear("Goodput", "bit/s"), series)
}

fn turned_labels() -> Chart {
    let names = (1..=18).map(|i| format!("scheme_with_a_long_name_{i}"));
    let series = vec![Series::new("drops", (0..18).map(|i| (f64::from(i), f64::from(i * i) + 1.0)))];
    chart("Drops, all schemes", Kind::Bars, Axis::category("Scheme", names), Axis::log("Drops", "packets"), series)
}

fn logarithmic_scatter() -> Chart {
    let cloud = |name: &str, from: f64| {
        let xs: Vec<f64> = noise(60).map(|u| from * 10_f64.powi((u * 4.0) as i32) * (1.0 + 5.0 * u)).collect();
        Series::new(name, xs.iter().zip(noise(60)).map(|(x, u)| (*x, 1e-6 * x * (0.3 + u))).collect::<Vec<_>>())
    };
    let series = (0..10).map(|i| cloud(&format!("set {i}"), 10.0 * 1.7_f64.powi(i))).collect();
    chart("Cost by size", Kind::Scatter, Axis::log("Packets", ""), Axis::log("Time", "s"), series)
}

fn long_legend() -> Chart {
    let name = |i: i32| format!("scheme {i} with window limit {} packets and early marking at half the queue", 10 * i);
    let series = (0..9).map(|i| Series::new(name(i), (0..6).map(|x| (f64::from(x), f64::from(x * (i + 1))))));
    let series = series.collect();
    let title = "A title that is so long that nobody would ever print it in a paper, but which must nevertheless not \
                 run out of the picture";
    chart(title, Kind::Line, Axis::linear("Hops", ""), Axis::linear("Window", "packets"), series)
}

fn many_series() -> Chart {
    let series = (0..16).map(|i| Series::new(format!("n = {i}"), (0..8).map(|x| (f64::from(x), f64::from(x + i)))));
    let series = series.collect();
    chart("Sixteen series", Kind::Line, Axis::linear("x", "s"), Axis::linear("y", ""), series)
}

fn crowded() -> Chart {
    let names = (0..60).map(|i| format!("topology {i}"));
    let series =
        |i: i32| Series::new(format!("scheme number {i}"), (0..60).map(move |x| (f64::from(x), f64::from(x % 7 + i))));
    let y = Axis::linear("An axis with a name that is longer than the axis itself could ever be", "some unit");
    chart("Crowded", Kind::Line, Axis::category("", names), y, (0..26).map(series).collect())
}

fn categories_both_ways() -> Chart {
    let x = Axis::category("Load", ["low", "medium", "high"]);
    let y = Axis::category("", ["stable", "oscillates", "collapses for good"]);
    let series = vec![Series::new("AIMD", [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]), Series::new("rate", [(0.0, 0.0)])];
    chart("", Kind::Scatter, x, y, series)
}

/// What must not break anything.
fn odd() -> Vec<(&'static str, Chart)> {
    let xy = |kind, series| chart("Odd", kind, Axis::linear("x", "s"), Axis::linear("y", "ms"), series);
    let all = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, 5e-324, 0.0];
    let mess = || Series::new("<mess> & \"co\" \u{1}", all.iter().flat_map(|x| all.iter().map(|y| (*x, *y))));
    let mut bare = Series::new("half", [(1.0, 2.0), (2.0, 3.0)]);
    bare.points[0].low = Some(f64::NAN);
    bare.points[1].high = Some(f64::INFINITY);
    let gaps = Series::new("gaps", [(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 4.0), (4.0, f64::NAN), (5.0, 3.0)]);
    let tiny = Series::new("close", [(0.0, 1e9), (1.0, 1e9 + 1.0), (2.0, 1e9 + 2.0)]);
    let huge = Series::new("far", [(0.0, 0.0), (1.0, 3e11)]);
    let flows = |scale: f64| Series::new("n", [4.0, 8.0, 16.0, 20.0].map(|x| (x, scale * x)));
    let alternating = Series::new("dots", (0..90).map(|x| (f64::from(x), if x % 2 == 0 { 1.0 } else { f64::NAN })));
    vec![
        ("odd-none", xy(Kind::Line, vec![])),
        ("odd-empty", xy(Kind::Line, vec![Series::new("empty", []), Series::new("one", [(3.0, 5.0)])])),
        ("odd-gaps", xy(Kind::Line, vec![gaps, bare])),
        ("odd-close", xy(Kind::Line, vec![tiny])),
        ("odd-far", xy(Kind::Bars, vec![huge])),
        ("odd-mess", xy(Kind::Step, vec![mess()])),
        ("odd-mess-bars", xy(Kind::GroupedBars, vec![mess(), mess()])),
        ("odd-mess-cdf", xy(Kind::Cdf, vec![mess(), Series::cdf("none", &[])])),
        ("odd-mess-log", chart("", Kind::Scatter, Axis::log("", ""), Axis::log("", ""), vec![mess()])),
        ("odd-names", chart("", Kind::Bars, Axis::category("", [""; 0]), Axis::linear("", ""), vec![mess()])),
        ("odd-numbers", xy(Kind::GroupedBars, vec![flows(1.0), flows(0.5)])),
        ("odd-dots", xy(Kind::Line, vec![alternating])),
        ("odd-zero", xy(Kind::Bars, vec![Series::new("zero", [(0.0, 0.0)])])),
    ]
}

fn all() -> Vec<(&'static str, Chart)> {
    let mut charts = vec![
        ("lines", lines()),
        ("steps", steps()),
        ("band", band()),
        ("cdfs", cdfs()),
        ("grouped-bars", grouped_bars()),
        ("single-bars", single_bars()),
        ("turned-labels", turned_labels()),
        ("logarithmic-scatter", logarithmic_scatter()),
        ("long-legend", long_legend()),
        ("many-series", many_series()),
        ("crowded", crowded()),
        ("categories", categories_both_ways()),
    ];
    charts.extend(odd());
    charts
}

fn pictures() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("charts")
}

#[test]
fn every_chart_renders() {
    for (name, chart) in all() {
        let [vector, pixels] = ["svg", "png"].map(|kind| pictures().join(format!("{name}.{kind}")));
        write_svg(&chart, &vector).unwrap();
        write_png(&chart, &pixels).unwrap();
        let text = std::fs::read_to_string(vector).unwrap();
        assert!(!text.contains("NaN") && !text.contains("inf"), "{name}");
        assert!(text.len() < 400_000, "{name}: {} bytes", text.len());
        assert!(std::fs::read(pixels).unwrap().starts_with(b"\x89PNG"), "{name}");
    }
}

#[test]
fn a_chart_is_always_the_same_bytes() {
    for (name, chart) in all() {
        assert_eq!(svg(&chart), svg(&chart.clone()), "{name}");
    }
    assert_eq!(png(&lines()), png(&lines()));
}

#[test]
fn text_is_escaped() {
    let mut chart = lines();
    chart.title = "a < b & c\u{0}".to_owned();
    assert!(svg(&chart).contains("a &lt; b &amp; c"));
    assert!(png(&chart).is_ok());
}

#[test]
fn an_error_names_the_picture() {
    let error = write_png(&lines(), Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap_err();
    assert!(error.to_string().contains(env!("CARGO_TARGET_TMPDIR")), "{error}");
}

/// The committed figures. `WEIR_BLESS=1` rewrites them, to be looked at before they are committed.
#[test]
fn the_committed_figures() {
    for (name, chart) in [("lines", lines()), ("grouped-bars", grouped_bars())] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.svg"));
        if std::env::var_os("WEIR_BLESS").is_some_and(|bless| bless == "1") {
            write_svg(&chart, &path).unwrap();
        }
        let committed = std::fs::read_to_string(&path).expect("WEIR_BLESS=1 makes the committed figures");
        assert!(committed == svg(&chart), "{name}.svg differs; WEIR_BLESS=1 rewrites it, then look at the difference");
    }
}
