//! Which diversity constraints compete for the same rows: a graph, the more they share the stronger the line.

use yew::prelude::*;

use crate::words::percent;

#[derive(Properties, PartialEq)]
pub struct Props {
    /// The constraints, as typed.
    pub lines: Vec<String>,
    /// What each speaks of, in short; nothing for those that are not drawn.
    pub names: Vec<Option<String>>,
    /// Two of them and the share of rows they have in common.
    pub conflicts: Vec<(usize, usize, f64)>,
    /// Those that can't hold together.
    pub contradictions: Vec<Vec<usize>>,
}

const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 270.0;
const ACROSS: f64 = 110.0;
const DOWN: f64 = 96.0;
/// With more of them, names would cover each other.
const MOST_NAMED: usize = 12;

#[component]
pub fn ConflictGraph(Props { lines, names, conflicts, contradictions }: &Props) -> Html {
    let drawn: Vec<usize> = (0..lines.len()).filter(|&line| names[line].is_some()).collect();
    let place = |line: usize| {
        let at = drawn.iter().position(|&other| other == line).unwrap_or(0);
        let turn = at as f64 / drawn.len().max(1) as f64 * std::f64::consts::TAU - std::f64::consts::FRAC_PI_2;
        (WIDTH / 2.0 + ACROSS * libm::cos(turn), HEIGHT / 2.0 - 8.0 + DOWN * libm::sin(turn))
    };
    let together = |wanted: &[usize]| {
        contradictions.iter().any(|lines| wanted.iter().all(|line| lines.contains(line))).then_some("bad")
    };
    let shared: Vec<&(usize, usize, f64)> = conflicts.iter().filter(|(_, _, rate)| *rate > 0.0).collect();
    let edge = |&&(one, other, rate): &&(usize, usize, f64)| {
        let ((x1, y1), (x2, y2)) = (place(one), place(other));
        html! {
            <line class={classes!(together(&[one, other]))} x1={format!("{x1:.1}")} y1={format!("{y1:.1}")} x2={format!("{x2:.1}")} y2={format!("{y2:.1}")} style={format!("stroke-width:{:.1}", 1.0 + 7.0 * rate)}>
                <title>{ format!("{} and {}: {} shared", lines[one], lines[other], percent(rate)) }</title></line>
        }
    };
    let node = |&line: &usize| {
        let (x, y) = place(line);
        let name = names[line].as_deref().filter(|_| drawn.len() <= MOST_NAMED).map(shortened);
        html! {
            <g class={classes!(together(&[line]))}><circle cx={format!("{x:.1}")} cy={format!("{y:.1}")} r="13"><title>{ &lines[line] }</title></circle>
                <text x={format!("{x:.1}")} y={format!("{:.1}", y + 4.0)} text-anchor="middle">{ line + 1 }</text>
                if let Some(name) = name { <text class="name" x={format!("{x:.1}")} y={format!("{:.1}", y + 26.0)} text-anchor="middle">{ name }</text> }</g>
        }
    };
    let row = |&&(one, other, rate): &&(usize, usize, f64)| html! { <tr><td>{ &lines[one] }</td><td>{ &lines[other] }</td><td>{ percent(rate) }</td></tr> };
    let words = match (shared.is_empty(), contradictions.is_empty()) {
        (true, _) => "No two of them share a row: each can be kept by itself.",
        (false, true) => "Numbers are lines; a thicker connection shares more rows.",
        (false, false) => "Numbers are lines; a thicker connection shares more rows. Red ones contradict each other.",
    };
    html! {
        <figure class="chart conflict-graph" tabindex="0" role="group" aria-label="Which constraints share rows">
            <svg viewBox={format!("0 0 {WIDTH} {HEIGHT}")} aria-hidden="true">{ for shared.iter().map(edge) }{ for drawn.iter().map(node) }</svg>
            <figcaption class="faint">{ words }</figcaption>
            <super::SavePicture title="Which constraints share rows" />
            <table class="sr-only"><caption>{ "Shared rows" }</caption><tbody>{ for shared.iter().map(row) }</tbody></table>
        </figure>
    }
}

/// What fits below a node.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(19) {
        Some((end, _)) => format!("{}…", name[..end].trim_end()),
        None => name.to_owned(),
    }
}
