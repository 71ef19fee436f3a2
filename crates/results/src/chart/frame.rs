//! The document: everything around the series, and the series.

use svg::Document;
use svg::node::element::{Group, Path, Rectangle, TSpan, Text, Title};

use super::data::{Dots, dots};
use super::font::{FAMILY, LINE};
use super::layout::{Layout, NAME, NOTE, TICK, TICK_GAP, TICK_LENGTH, TITLE};
use super::style::{AXIS, GRID, INK, MINOR, QUIET, px};
use super::{Chart, Scale, bars, marks};

/// The whole figure.
pub(super) fn document(chart: &Chart) -> String {
    let dots = dots(chart);
    let layout = Layout::new(chart, &dots);
    let (width, height) = (layout.width, layout.height);
    let mut document = Document::new()
        .set("viewBox", (0, 0, width as i64, height as i64))
        .set("width", width)
        .set("height", height)
        .set("role", "img")
        .set("font-family", FAMILY)
        .set("fill", INK)
        .add(Title::new(clean(&chart.title)))
        .add(Rectangle::new().set("width", width).set("height", height).set("fill", "#ffffff"));
    if chart.kind.is_bars() {
        document = document.add(bars::fillings(chart.series.len()));
    }
    document = document.add(grid(chart, &layout));
    // Bars stand on the axis, lines and points lie on top of it.
    document = if chart.kind.is_bars() {
        document.add(bars::draw(chart, &dots, &layout)).add(axes(chart, &layout))
    } else {
        document.add(axes(chart, &layout)).add(marks::draw(chart, &dots, &layout))
    };
    document = document.add(x_labels(&layout)).add(y_labels(&layout)).add(texts(&dots, &layout));
    if !layout.legend.is_empty() {
        document = document.add(legend(&layout));
    }
    let mut text = document.to_string();
    text.push('\n');
    text
}

/// `text` without the characters that XML has no form for.
fn clean(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

/// Lines of text, the first with its baseline at `y`, `line` pixels apart.
pub(super) fn text_lines(lines: &[String], x: f64, y: f64, line: f64) -> Text {
    if let [single] = lines {
        return Text::new(clean(single)).set("x", px(x)).set("y", px(y));
    }
    let span =
        |(index, text): (usize, &String)| TSpan::new(clean(text)).set("x", px(x)).set("y", px(y + line * index as f64));
    lines.iter().enumerate().map(span).fold(Text::new(""), Text::add)
}

fn grid(chart: &Chart, layout: &Layout) -> Group {
    let across = |at: f64| format!("M{} {}h{}", layout.plot.x, px(layout.y_of(at)), layout.plot.width);
    let along = |at: f64| format!("M{} {}v{}", px(layout.x_of(at)), layout.plot.y, layout.plot.height);
    let names = |scale: &Scale| matches!(scale, Scale::Category(_));
    let (mut minor, mut major) = (String::new(), String::new());
    minor.extend(layout.y.minor.iter().map(|at| across(*at)));
    major.extend(layout.y.ticks.iter().map(|tick| across(tick.at)));
    // Between names, and behind bars, lines along the plot would say nothing.
    if !names(&chart.x.scale) && !chart.kind.is_bars() {
        minor.extend(layout.x.minor.iter().map(|at| along(*at)));
        major.extend(layout.x.ticks.iter().map(|tick| along(tick.at)));
    }
    [(minor, MINOR), (major, GRID)]
        .into_iter()
        .filter(|(path, _)| !path.is_empty())
        .fold(Group::new().set("fill", "none").set("stroke-width", 1), |group, (path, color)| {
            group.add(Path::new().set("d", path).set("stroke", color))
        })
}

fn axes(chart: &Chart, layout: &Layout) -> Path {
    let plot = &layout.plot;
    let mut path = format!("M{} {}V{}H{}", plot.x, plot.y, plot.bottom(), plot.right());
    path.extend(layout.y.ticks.iter().map(|tick| format!("M{} {}h-{TICK_LENGTH}", plot.x, px(layout.y_of(tick.at)))));
    if !matches!(chart.x.scale, Scale::Category(_)) {
        let tick = |at: f64| format!("M{} {}v{TICK_LENGTH}", px(layout.x_of(at)), plot.bottom());
        path.extend(layout.x.ticks.iter().map(|mark| tick(mark.at)));
    }
    if layout.y.crosses_zero() && !matches!(chart.y.scale, Scale::Category(_)) {
        path.push_str(&format!("M{} {}H{}", plot.x, px(layout.y_of(0.0)), plot.right()));
    }
    Path::new().set("d", path).set("fill", "none").set("stroke", AXIS).set("stroke-width", 1)
}

fn x_labels(layout: &Layout) -> Group {
    let labels = &layout.x_labels;
    let top = layout.plot.bottom() + TICK_LENGTH + TICK_GAP;
    let anchor = if labels.angle == 0.0 { "middle" } else { "end" };
    let group = Group::new().set("font-size", TICK).set("text-anchor", anchor);
    let printed = layout.x.ticks.iter().zip(&labels.lines).filter(|(_, lines)| !lines.is_empty());
    printed.fold(group, |group, (tick, lines)| {
        let x = layout.x_of(tick.at);
        if labels.angle == 0.0 {
            return group.add(text_lines(lines, x, top + 0.8 * TICK, LINE * TICK));
        }
        // The end of the text is turned about the foot of the tick.
        let turn = format!("translate({} {}) rotate(-{})", px(x + 0.35 * TICK), px(top + 0.3 * TICK), labels.angle);
        group.add(text_lines(lines, 0.0, 0.35 * TICK, LINE * TICK).set("transform", turn))
    })
}

fn y_labels(layout: &Layout) -> Group {
    let x = layout.plot.x - TICK_LENGTH - TICK_GAP;
    let group = Group::new().set("font-size", TICK).set("text-anchor", "end");
    layout.y.ticks.iter().zip(&layout.y_labels).fold(group, |group, (tick, lines)| {
        let middle = layout.y_of(tick.at) + 0.36 * TICK;
        let above = 0.5 * LINE * TICK * lines.len().saturating_sub(1) as f64;
        group.add(text_lines(lines, x, middle - above, LINE * TICK))
    })
}

/// Title, names of the axes and the note.
fn texts(dots: &[Dots], layout: &Layout) -> Group {
    let plot = &layout.plot;
    let (across, along) = (plot.x + 0.5 * plot.width, plot.y + 0.5 * plot.height);
    let title =
        text_lines(&layout.title, layout.title_middle, 16.0 + 0.8 * TITLE, LINE * TITLE).set("font-size", TITLE);
    let x_name = text_lines(&layout.x_name, across, layout.x_name_top() + 0.85 * NAME, LINE * NAME);
    let turn = format!("translate({} {}) rotate(-90)", px(16.0 + 0.85 * NAME), px(along));
    let y_name = text_lines(&layout.y_name, 0.0, 0.0, LINE * NAME).set("transform", turn);
    let mut group = Group::new().set("font-size", NAME).set("text-anchor", "middle");
    for (text, lines) in [(title, &layout.title), (x_name, &layout.x_name), (y_name, &layout.y_name)] {
        if !lines.is_empty() {
            group = group.add(text);
        }
    }
    if dots.iter().flatten().all(Option::is_none) {
        let nothing = Text::new("no data").set("x", px(across)).set("y", px(along));
        group = group.add(nothing.set("fill", QUIET).set("font-size", TITLE));
    }
    if !layout.note.is_empty() {
        let note = text_lines(&layout.note, 16.0, layout.note_top() + 0.85 * NOTE, LINE * NOTE);
        group = group.add(note.set("font-size", NOTE).set("text-anchor", "start").set("fill", QUIET));
    }
    group
}

fn legend(layout: &Layout) -> Group {
    let (plot, legend) = (&layout.plot, &layout.legend);
    if legend.beside {
        return legend.draw(plot.right() + 18.0, plot.y);
    }
    let x = (plot.x + 0.5 * (plot.width - legend.width)).max(16.0);
    legend.draw(x, layout.legend_top())
}
