//! Plain line and bar charts as SVG, several panels in a grid, with one legend and the paper's claims below.
//!
//! Places on the horizontal axis are evenly spaced and labelled; the vertical axis starts at 0. Series differ by
//! colour and by mark, and the colours of paper and ink follow the reader's light or dark scheme.

use std::fmt::Write;

/// Of a panel, and of a chart at least.
const WIDTH: f64 = 340.0;
const LEAST_WIDTH: f64 = 760.0;
const HEIGHT: f64 = 230.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 44.0;
const HEAD: f64 = 58.0;
const LINE: f64 = 16.0;

#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Lines,
    Bars,
}

pub struct Series {
    pub name: String,
    /// One for every place; `None` leaves a gap.
    pub values: Vec<Option<f64>>,
}

pub struct Panel {
    pub title: String,
    pub across: &'static str,
    pub up: &'static str,
    pub kind: Kind,
    pub places: Vec<String>,
    pub series: Vec<Series>,
}

pub struct Chart {
    pub title: String,
    /// Panels beside each other.
    pub columns: usize,
    pub panels: Vec<Panel>,
    pub notes: Vec<String>,
}

impl Chart {
    pub fn svg(&self) -> String {
        let columns = self.columns.clamp(1, self.panels.len().max(1));
        let lines = self.panels.len().div_ceil(columns);
        let (width, plots) = ((columns as f64 * WIDTH).max(LEAST_WIDTH), lines as f64 * HEIGHT);
        let panel_width = width / columns as f64;
        let notes: Vec<String> = self.notes.iter().flat_map(|note| wrapped(note, (width / 6.6) as usize)).collect();
        let height = HEAD + plots + LINE * (notes.len() as f64 + 0.8);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height:.0}\" width=\"{width}\" \
             height=\"{height:.0}\" role=\"img\" aria-label=\"{title}\">\n<style>\n{STYLE}</style>\n\
             <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n\
             <text class=\"title\" x=\"14\" y=\"22\">{title}</text>\n",
            title = escaped(&self.title)
        );
        let mut x = 14.0;
        for (place, name) in self.names().into_iter().enumerate() {
            mark(&mut svg, place, x + 5.0, 41.0);
            let _ = writeln!(svg, "<text x=\"{:.0}\" y=\"45\">{}</text>", x + 14.0, escaped(name));
            x += 34.0 + 6.2 * name.chars().count() as f64;
        }
        for (place, panel) in self.panels.iter().enumerate() {
            let (left, top) = ((place % columns) as f64 * panel_width, HEAD + (place / columns) as f64 * HEIGHT);
            let _ = writeln!(svg, "<g transform=\"translate({left},{top})\">");
            panel.draw(&mut svg, panel_width, &self.names());
            svg.push_str("</g>\n");
        }
        for (place, note) in notes.iter().enumerate() {
            let y = HEAD + plots + LINE * (place as f64 + 0.6);
            let _ = writeln!(svg, "<text class=\"note\" x=\"14\" y=\"{y:.0}\">{}</text>", escaped(note));
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// All series' names, each once.
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for series in self.panels.iter().flat_map(|panel| &panel.series) {
            if !names.contains(&series.name.as_str()) {
                names.push(&series.name);
            }
        }
        names
    }
}

impl Panel {
    fn draw(&self, svg: &mut String, width: f64, names: &[&str]) {
        let (right, bottom) = (width - RIGHT, HEIGHT - BOTTOM);
        let all = || self.series.iter().flat_map(|series| series.values.iter().flatten());
        let step = step(all().copied().fold(0.0, f64::max));
        let most = step * (all().copied().fold(0.0, f64::max) / step).ceil().max(1.0);
        let y = |value: f64| bottom - (bottom - TOP) * value / most;
        let slot = (right - LEFT) / self.places.len().max(1) as f64;
        let x = |place: usize| LEFT + slot * (place as f64 + 0.5);
        let _ = writeln!(svg, "<text class=\"panel\" x=\"{LEFT}\" y=\"14\">{}</text>", escaped(&self.title));
        let _ = writeln!(svg, "<text class=\"small\" x=\"{LEFT}\" y=\"27\">{}</text>", escaped(self.up));
        for tick in 0..=(most / step).round() as u32 {
            let value = step * f64::from(tick);
            let at = y(value);
            let _ = writeln!(svg, "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{right}\"/>");
            let _ = writeln!(
                svg,
                "<text class=\"small end\" x=\"{:.0}\" y=\"{:.1}\">{}</text>",
                LEFT - 6.0,
                at + 3.5,
                short(value, step)
            );
        }
        let _ = writeln!(svg, "<path class=\"axis\" d=\"M{LEFT} {TOP}V{bottom}H{right}\"/>");
        for (place, label) in self.places.iter().enumerate() {
            let (at, below) = (x(place), bottom + 15.0);
            let _ = writeln!(svg, "<text class=\"small middle\" x=\"{at:.1}\" y=\"{below}\">{}</text>", escaped(label));
        }
        let (middle, below) = ((LEFT + right) / 2.0, bottom + 31.0);
        let across = escaped(self.across);
        let _ = writeln!(svg, "<text class=\"small middle\" x=\"{middle:.0}\" y=\"{below}\">{across}</text>");
        let bar = slot * 0.8 / self.series.len().max(1) as f64;
        for (nth, series) in self.series.iter().enumerate() {
            let look = names.iter().position(|name| *name == series.name).unwrap_or(0);
            let known = || series.values.iter().enumerate().filter_map(|(place, value)| Some((place, (*value)?)));
            if self.kind == Kind::Bars {
                for (place, value) in known() {
                    let (left, top) = (x(place) - slot * 0.4 + bar * nth as f64, y(value));
                    let _ = writeln!(
                        svg,
                        "<rect class=\"s{look}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
                        bar * 0.9,
                        bottom - top
                    );
                }
                continue;
            }
            let mut path = String::new();
            let mut last = None;
            for (place, value) in known() {
                let pen = if last.is_some_and(|last| last + 1 == place) { 'L' } else { 'M' };
                let _ = write!(path, "{pen}{:.1} {:.1}", x(place), y(value));
                last = Some(place);
            }
            let _ = writeln!(svg, "<path class=\"line l{look}\" d=\"{path}\"/>");
            known().for_each(|(place, value)| mark(svg, look, x(place), y(value)));
        }
    }
}

/// The mark of a series: each has a form of its own.
fn mark(svg: &mut String, look: usize, x: f64, y: f64) {
    let form = match look % 4 {
        0 => "m-3.5 -3.5h7v7h-7z",
        1 => "m0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z",
        2 => "m0 -4.4l4.6 8h-9.2z",
        _ => "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    };
    let _ = writeln!(svg, "<path class=\"s{look}\" d=\"M{x:.1} {y:.1}{form}\"/>");
}

/// A round step that makes four to nine of it reach `most`.
fn step(most: f64) -> f64 {
    let rough = if most > 0.0 { most / 5.0 } else { 1.0 };
    let power = 10f64.powf(rough.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().find(|round| round * power >= rough * 0.999).unwrap_or(10.0);
    round * power
}

/// A tick's label: 2.5M, 10k, 0.05.
fn short(value: f64, step: f64) -> String {
    let (unit, name) = match step {
        step if step >= 2e5 => (1e6, "M"),
        step if step >= 2e3 => (1e3, "k"),
        _ => (1.0, ""),
    };
    let step = step / unit;
    let digits = if step < 1.0 { (-step.log10()).ceil() as usize } else { 0 };
    format!("{:.digits$}{}", value / unit, if value == 0.0 { "" } else { name })
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < width => {
                line.push_str(if line.is_empty() { "" } else { " " });
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const STYLE: &str = "\
text { font: 12px system-ui, sans-serif; fill: #222 }
.title { font-size: 14px; font-weight: 600 } .panel { font-weight: 600 } .small, .note { font-size: 11px; fill: #555 }
.end { text-anchor: end } .middle { text-anchor: middle }
.paper { fill: #fff } .grid { stroke: #e4e4e4 } .axis { stroke: #888; fill: none } .line { fill: none; stroke-width: 1.8 }
.s0 { fill: #0067b0 } .s1 { fill: #d14a00 } .s2 { fill: #00805c } .s3 { fill: #a83a82 } .s4 { fill: #777 }
.l0 { stroke: #0067b0 } .l1 { stroke: #d14a00 } .l2 { stroke: #00805c } .l3 { stroke: #a83a82 } .l4 { stroke: #777 }
@media (prefers-color-scheme: dark) {
text { fill: #e8e8e8 } .small, .note { fill: #b5b5b5 } .paper { fill: #16181c } .grid { stroke: #33363c }
.s0 { fill: #62b0f0 } .s1 { fill: #ff9352 } .s2 { fill: #3fc79b } .s3 { fill: #e58cc6 } .s4 { fill: #aaa }
.l0 { stroke: #62b0f0 } .l1 { stroke: #ff9352 } .l2 { stroke: #3fc79b } .l3 { stroke: #e58cc6 } .l4 { stroke: #aaa }
}
";
