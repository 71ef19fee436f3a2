//! The report as the template sees it.

use super::drawing::{self, Role};
use super::{Fact, Grid, Network, Page, Paper, Report, Study, Value, figure, notes, prose};
use crate::chart::{Chart, Kind};
use crate::number::significant;
use crate::score::{Claim, VERDICTS, Verdict, verdict};
use minijinja::{Environment, Error, Value as Safe, context};
use serde::Serialize;
use serde_json::Value as Json;

const TEMPLATE: &str = include_str!("../../report/report.html");
const STYLE: &str = include_str!("../../report/report.css");
const SCRIPT: &str = include_str!("../../report/report.js");

pub(super) fn render(report: &Report) -> Result<String, Error> {
    let mut environment = Environment::new();
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    // The ending of the name says that everything is escaped as HTML.
    environment.add_template("report.html", TEMPLATE)?;
    let mut figures = Vec::new();
    let single = report.studies.len() == 1 && report.papers.is_empty();
    let page_of = |key: &str| report.papers.iter().find(|p| p.key == key).map(|p| p.page.as_str());
    let view = |(i, study): (usize, &Study)| StudyView::new(i, study, page_of(&study.paper), single, &mut figures);
    let studies: Vec<StudyView> = report.studies.iter().enumerate().map(view).collect();
    let groups: Vec<GroupView> = match &report.papers[..] {
        [] => vec![GroupView { studies: (0..studies.len()).collect(), ..GroupView::default() }],
        papers => papers.iter().map(|paper| GroupView::new(paper, report)).collect(),
    };
    let others = |group: &GroupView| group.others.clone();
    let mut claims: Vec<ClaimView> = studies.iter().flat_map(|study| study.claims.clone()).collect();
    claims.extend(groups.iter().flat_map(others));
    let place = |claim: &ClaimView| report.papers.iter().position(|p| p.key == claim.paper);
    if !report.papers.is_empty() {
        claims.sort_by(|a, b| (place(a), &a.id).cmp(&(place(b), &b.id)));
    }
    let papers: std::collections::BTreeSet<&str> =
        claims.iter().map(|c| c.paper.as_str()).filter(|paper| !paper.is_empty()).collect();
    let count = |word: &str| claims.iter().filter(|claim| claim.verdict == word).count();
    // Where nothing is missing, nobody need be told of the possibility.
    let told = VERDICTS.iter().filter(|v| **v != Verdict::Missing || count(v.word()) > 0);
    let verdicts: Vec<Safe> = told.map(|v| context!(word => v.word(), count => count(v.word()) as u64)).collect();
    let pages: Vec<PageView> = report.pages.iter().map(PageView::new).collect();
    environment.get_template("report.html")?.render(context! {
        report => context!(title => report.title, about => paragraphs(&report.about), command => report.command),
        single,
        studies => Safe::from_serialize(&studies),
        groups => Safe::from_serialize(&groups),
        claims => Safe::from_serialize(&claims),
        papers => Safe::from_serialize(&papers),
        verdicts => Safe::from_serialize(&verdicts),
        // A handful of claims needs no filter.
        filtered => papers.len() > 1 || claims.len() > 6,
        pages => Safe::from_serialize(&pages),
        provenance => Safe::from_serialize(report.provenance.iter().map(FactView::new).collect::<Vec<_>>()),
        style => Safe::from_safe_string(STYLE.to_owned()),
        script => Safe::from_safe_string(SCRIPT.to_owned()),
        data => Safe::from_safe_string(inert(&Json::Array(figures))),
        swatches => [Role::Consumer, Role::Router, Role::Producer].map(|role| {
            context!(word => role.word(), shape => Safe::from_safe_string(drawing::shape(role, 8.0, 8.0, 5.5)))
        }).to_vec(),
    })
}

/// JSON that may stand in a script element: nothing in it can end the element.
fn inert(json: &Json) -> String {
    json.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Paragraphs of a text, which stand apart by an empty line; other line ends are where the author's editor broke lines.
fn paragraphs(text: &str) -> Vec<String> {
    let joined = text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    joined.split("\n\n").map(|p| p.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|p| !p.is_empty()).collect()
}

/// A part of an identifier: what is not a letter or digit becomes a hyphen.
fn slug(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect()
}

/// The studies of a paper; or those of none, all in one.
#[derive(Default, Serialize)]
struct GroupView {
    id: String,
    key: String,
    title: String,
    page: Safe,
    /// Counts of verdicts in words.
    score: String,
    /// Places among the studies.
    studies: Vec<usize>,
    others: Vec<ClaimView>,
}

impl GroupView {
    fn new(paper: &Paper, report: &Report) -> Self {
        let own = |study: &&Study| study.paper == paper.key;
        let claims: Vec<Claim> =
            report.studies.iter().filter(own).flat_map(|study| &study.claims).chain(&paper.others).cloned().collect();
        let body = paper.page.trim_start();
        let body = if body.starts_with("# ") { body.split_once('\n').map_or("", |(_, rest)| rest) } else { body };
        let id = format!("paper-{}", slug(&paper.key));
        Self {
            key: paper.key.clone(),
            title: paper.title.clone(),
            page: Safe::from_safe_string(prose::markdown(body, 2)),
            score: crate::score::Summary::of(&claims).to_string(),
            studies: (0..report.studies.len()).filter(|i| report.studies[*i].paper == paper.key).collect(),
            others: paper.others.iter().map(|c| ClaimView::new(&id, &paper.key, Some(&paper.page), c)).collect(),
            id,
        }
    }
}

#[derive(Serialize)]
struct StudyView {
    id: String,
    title: String,
    about: Vec<String>,
    facts: Vec<FactView>,
    tables: Vec<GridView>,
    figures: Vec<FigureView>,
    claims: Vec<ClaimView>,
    networks: Vec<NetworkView>,
    settings: Vec<FactView>,
    file: String,
    source: Safe,
}

impl StudyView {
    fn new(number: usize, study: &Study, page: Option<&str>, single: bool, data: &mut Vec<Json>) -> Self {
        let id = format!("study-{}", number + 1);
        let claims: Vec<ClaimView> =
            study.claims.iter().map(|claim| ClaimView::new(&id, &study.paper, page, claim)).collect();
        let figures = study.figures.iter().enumerate().map(|(i, (name, chart))| {
            data.push(figure::data(chart));
            FigureView::new(format!("{id}-figure-{}", i + 1), data.len() - 1, name, chart, &claims)
        });
        let figures = figures.collect();
        Self {
            title: study.title.clone(),
            about: if single { Vec::new() } else { paragraphs(&study.about) },
            facts: study.facts.iter().map(FactView::new).collect(),
            tables: study.tables.iter().map(GridView::new).collect(),
            figures,
            networks: study.networks.iter().map(NetworkView::new).collect(),
            settings: study.settings.iter().map(FactView::new).collect(),
            file: study.file.clone(),
            source: Safe::from_safe_string(prose::toml(&study.source)),
            claims,
            id,
        }
    }
}

#[derive(Serialize)]
struct FactView {
    name: String,
    value: String,
    page: String,
}

impl FactView {
    fn new(fact: &Fact) -> Self {
        let page = if fact.page.is_empty() { String::new() } else { format!("page-{}", slug(&fact.page)) };
        Self { name: fact.name.clone(), value: fact.value.clone(), page }
    }
}

#[derive(Serialize)]
struct FigureView {
    id: String,
    number: usize,
    file: String,
    title: String,
    note: String,
    about: String,
    /// Claims about what it shows.
    claims: Vec<ClaimView>,
}

impl FigureView {
    fn new(id: String, number: usize, name: &str, chart: &Chart, claims: &[ClaimView]) -> Self {
        let near = |claim: &&ClaimView| is_about(&claim.at, &chart.title, name);
        let beside = claims.iter().filter(near).cloned();
        let how = if chart.kind == Kind::Cdf { " Distribution over runs." } else { "" };
        Self {
            id,
            number,
            file: format!("fig-{}", slug(name)),
            title: if chart.title.is_empty() { name.to_owned() } else { chart.title.clone() },
            note: format!("{}{how}", chart.note.clone().unwrap_or_default()),
            about: figure::describe(chart),
            claims: beside.collect(),
        }
    }
}

/// Whether what is said at `at` ("Fig. 7a", "Figs. 7a and 8") is said about the figure with this title and name.
fn is_about(at: &str, title: &str, name: &str) -> bool {
    let words: Vec<&str> = at.split(|c: char| !(c.is_alphanumeric() || c == '.')).filter(|w| !w.is_empty()).collect();
    let speaks_of_figures = words.iter().any(|w| w.to_lowercase().starts_with("fig"));
    let names = |word: &&str| {
        let word = word.trim_end_matches('.');
        let numbered = word.starts_with(|c: char| c.is_ascii_digit());
        numbered && (word == name || title.split([' ', ':', ',']).any(|t| t.trim_matches(['(', ')', '.']) == word))
    };
    speaks_of_figures && words.iter().any(names)
}

#[derive(Clone, Serialize)]
struct ClaimView {
    anchor: String,
    paper: String,
    id: String,
    says: String,
    at: String,
    parts: Vec<PartView>,
    tolerance: String,
    verdict: &'static str,
    class: &'static str,
    mark: &'static str,
    why: String,
    /// It was not reproduced, and belongs to a paper: that has to be explained.
    deviates: bool,
    /// What the page of its paper says of it, if it deviates.
    notes: Vec<Safe>,
}

#[derive(Clone, Serialize)]
struct PartView {
    label: String,
    expected: String,
    measured: String,
    met: bool,
    how: String,
}

impl ClaimView {
    fn new(study: &str, paper: &str, page: Option<&str>, claim: &Claim) -> Self {
        let (class, mark) = match verdict(claim) {
            Verdict::Reproduced => ("reproduced", "✓"),
            Verdict::Partly => ("partly", "◐"),
            Verdict::Not => ("not", "✗"),
            Verdict::Missing => ("missing", "?"),
        };
        let part = |part: &crate::score::Part| PartView {
            label: part.label.clone(),
            expected: part.expected(),
            measured: part.measured(),
            met: part.is_met(),
            how: part.measure_text.clone(),
        };
        let deviates = page.is_some() && verdict(claim) != Verdict::Reproduced;
        let notes = page.filter(|_| deviates).map(|page| notes::about(page, &claim.id)).unwrap_or_default();
        Self {
            deviates,
            notes: notes.iter().map(|note| Safe::from_safe_string(prose::markdown(note, 3))).collect(),
            anchor: format!("{study}-claim-{}", slug(&claim.id)),
            paper: paper.to_owned(),
            id: claim.id.clone(),
            says: claim.says.clone(),
            at: claim.at.clone(),
            parts: claim.parts.iter().map(part).collect(),
            tolerance: claim.tolerance_words(),
            verdict: verdict(claim).word(),
            class,
            mark,
            why: claim.why_words(),
        }
    }
}

#[derive(Serialize)]
struct GridView {
    title: String,
    folded: bool,
    columns: Vec<ColumnView>,
    rows: Vec<Vec<CellView>>,
}

#[derive(Serialize)]
struct ColumnView {
    name: String,
    unit: String,
    numeric: bool,
}

#[derive(Serialize)]
struct CellView {
    text: String,
    interval: String,
    /// What to sort by, if not the text.
    sort: Option<String>,
    numeric: bool,
}

impl GridView {
    fn new(grid: &Grid) -> Self {
        let numeric = |column: usize| {
            grid.rows.iter().any(|row| matches!(row.get(column), Some(Value::Number(..))))
                && !grid.rows.iter().any(|row| matches!(row.get(column), Some(Value::Text(_))))
        };
        let numeric: Vec<bool> = (0..grid.columns.len()).map(numeric).collect();
        let column = |((name, unit), numeric): (&(String, String), &bool)| ColumnView {
            name: name.clone(),
            unit: unit.clone(),
            numeric: *numeric,
        };
        Self {
            title: grid.title.clone(),
            folded: grid.folded,
            columns: grid.columns.iter().zip(&numeric).map(column).collect(),
            rows: grid.rows.iter().map(|row| row.iter().map(CellView::new).collect()).collect(),
        }
    }
}

impl CellView {
    fn new(value: &Value) -> Self {
        let (text, interval, sort) = match value {
            Value::Text(text) => (text.clone(), None, None),
            Value::Missing => ("–".to_owned(), None, Some(String::new())),
            Value::Number(number, half) => {
                (significant(*number, 4), half.filter(|h| *h > 0.0), Some(number.to_string()))
            }
        };
        let interval = interval.map(|half| significant(half, 2)).unwrap_or_default();
        Self {
            text: text.replace('-', if sort.is_some() { "−" } else { "-" }),
            interval,
            numeric: sort.is_some(),
            sort,
        }
    }
}

#[derive(Serialize)]
struct NetworkView {
    title: String,
    /// `None`: too large to draw.
    picture: Option<Safe>,
    nodes: usize,
    links: Vec<(String, String)>,
}

impl NetworkView {
    fn new(network: &Network) -> Self {
        // Longer lists are in the tables of results.
        const MOST: usize = 200;
        let about = |e: &super::Edge| (e.name.clone(), e.about.clone());
        Self {
            title: network.title.clone(),
            picture: drawing::svg(network).map(Safe::from_safe_string),
            nodes: network.vertices.len(),
            links: network.edges.iter().take(MOST).map(about).collect(),
        }
    }
}

#[derive(Serialize)]
struct PageView {
    id: String,
    title: String,
    body: Safe,
}

impl PageView {
    fn new(page: &Page) -> Self {
        // The title is the heading already.
        let text = page.markdown.trim_start();
        let body = if text.starts_with("# ") { text.split_once('\n').map_or("", |(_, rest)| rest) } else { text };
        Self {
            id: format!("page-{}", slug(&page.id)),
            title: page.title.clone(),
            body: Safe::from_safe_string(prose::markdown(body, 2)),
        }
    }
}
