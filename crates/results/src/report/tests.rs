use super::*;
use crate::chart::{Axis, Kind, Point, Series};
use crate::score::{Expectation, Part, Tolerance};

const HOSTILE: &str = "</script><script>alert(\"x\")</script><!-- & 'q'";

fn hostile() -> Report {
    let points = (0..5).map(|i| Point::with_interval(f64::from(i), f64::from(i * i), (i > 2).then_some(0.5))).collect();
    let chart = Chart {
        title: HOSTILE.into(),
        x: Axis::category(HOSTILE, [HOSTILE, "b", "c", "d", "e"]),
        y: Axis::linear(HOSTILE, HOSTILE),
        series: vec![Series { label: HOSTILE.into(), points }],
        kind: Kind::Line,
        note: Some(HOSTILE.into()),
    };
    let near = Expectation::Near { expected: 1.0, tolerance: Tolerance::Relative(0.1) };
    let claim = Claim {
        id: HOSTILE.into(),
        says: HOSTILE.into(),
        at: HOSTILE.into(),
        parts: vec![Part::new(HOSTILE, near, 1.0)],
        why: HOSTILE.into(),
        tolerance: None,
    };
    let vertex = |role| Vertex { name: HOSTILE.into(), role, position: None };
    let edge = Edge { name: HOSTILE.into(), ends: (0, 1), label: HOSTILE.into(), about: HOSTILE.into(), weight: 0.5 };
    let study = Study {
        title: HOSTILE.into(),
        about: HOSTILE.into(),
        paper: HOSTILE.into(),
        facts: vec![Fact::new(HOSTILE, HOSTILE)],
        tables: vec![Grid {
            title: HOSTILE.into(),
            columns: vec![(HOSTILE.into(), HOSTILE.into()), ("n".into(), String::new())],
            rows: vec![vec![Value::Text(HOSTILE.into()), Value::Number(-1.5, Some(0.25))]],
            folded: false,
        }],
        figures: vec![(HOSTILE.into(), chart)],
        claims: vec![claim],
        networks: vec![Network {
            title: HOSTILE.into(),
            vertices: vec![vertex(Role::Consumer), vertex(Role::Producer)],
            edges: vec![edge],
        }],
        settings: vec![Fact { page: HOSTILE.into(), ..Fact::new(HOSTILE, HOSTILE) }],
        file: HOSTILE.into(),
        source: format!("title = \"{HOSTILE}\" # {HOSTILE}\n"),
    };
    let page = Page { id: HOSTILE.into(), title: HOSTILE.into(), markdown: format!("# t\n\n{HOSTILE}\n") };
    let paper = Paper {
        key: HOSTILE.into(),
        title: HOSTILE.into(),
        page: format!("# t\n\n{HOSTILE}\n"),
        others: vec![Claim { id: "X-1".into(), says: HOSTILE.into(), ..Claim::default() }],
    };
    Report {
        title: HOSTILE.into(),
        about: HOSTILE.into(),
        papers: vec![paper],
        studies: vec![study.clone(), study],
        pages: vec![page],
        provenance: vec![Fact::new(HOSTILE, HOSTILE)],
        command: HOSTILE.into(),
    }
}

#[test]
fn no_text_can_leave_its_place() {
    let page = html(&hostile()).unwrap();
    // The two scripts of the template and nothing else.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<!-- &") && !page.contains("alert(\"x\")</"));
    let json = page.split_once("id=\"figures-data\">").unwrap().1.split_once("</script>").unwrap().0;
    let data: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(data[1]["series"][0]["label"], HOSTILE);
}

#[test]
fn nothing_is_fetched_from_outside() {
    let page = html(&hostile()).unwrap();
    // The name of the SVG dialect is a name, not a link.
    let rest = page.replace("http://www.w3.org/2000/svg", "");
    for link in ["http:", "https:", "src=", "@import", "url(//", "<link rel=\"stylesheet"] {
        assert!(!rest.contains(link), "{link}");
    }
}

#[test]
fn identifiers_are_unique_and_links_lead_somewhere() {
    let page = html(&hostile()).unwrap();
    let body = page.split_once("<body>").unwrap().1.split_once("<script").unwrap().0;
    let all = |attribute: &str| -> Vec<String> {
        body.split(attribute).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
    };
    let ids = all(" id=\"");
    for (i, id) in ids.iter().enumerate() {
        assert!(!ids[..i].contains(id), "{id} twice");
    }
    for target in all("href=\"#") {
        assert!(ids.contains(&target), "{target}");
    }
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    assert_eq!(html(&hostile()).unwrap(), html(&hostile()).unwrap());
}

#[test]
fn a_large_study_stays_light() {
    let wave = |i: u32| (f64::from(i) / 7.0, libm::sin(f64::from(i) / 50.0) / 3.0);
    let series = (0..20).map(|s| Series::new(format!("s{s}"), (0..100_000).map(wave))).collect();
    let [x, y] = ["x", "y"].map(|label| Axis::linear(label, "s"));
    let chart = Chart { title: "t".into(), x, y, series, kind: Kind::Line, note: None };
    let study = Study { figures: vec![("f".into(), chart)], ..Study::default() };
    let page = html(&Report { studies: vec![study], ..Report::default() }).unwrap();
    assert!(page.len() < 1_500_000, "{} bytes", page.len());
    assert!(page.contains("the least and greatest values of each stretch"));
}

#[test]
fn a_crowd_of_leaves_is_drawn_as_one_and_a_maze_not_at_all() {
    let star = |leaves: usize| {
        let vertex = |name: String, role| Vertex { name, role, position: None };
        let hub = [vertex("hub".into(), Role::Router), vertex("p".into(), Role::Producer)];
        let leaf = |i: usize| vertex(format!("c{i}"), Role::Consumer);
        let edge = |i: usize| Edge { ends: (0, i + 1), label: "1 Mbit/s".into(), ..Edge::default() };
        Network {
            title: String::new(),
            vertices: hub.into_iter().chain((0..leaves).map(leaf)).collect(),
            edges: (0..=leaves).map(edge).collect(),
        }
    };
    let few = drawing::svg(&star(5)).unwrap();
    assert_eq!(few.matches("class=\"vertex\"").count(), 7);
    let many = drawing::svg(&star(1000)).unwrap();
    assert_eq!(many.matches("class=\"vertex\"").count(), 3);
    assert!(many.contains("c0 … c999 (1000)") && many.contains("1000 links, each like"), "{many}");
    let chain: Vec<Edge> = (0..999).map(|i| Edge { ends: (i, i + 1), ..Edge::default() }).collect();
    let maze = Network { title: String::new(), vertices: vec![Vertex::default(); 1000], edges: chain };
    assert_eq!(drawing::svg(&maze), None);
}
