//! Which diversity constraints compete for the same rows: a graph, the more they share the stronger the line.

use yew::prelude::*;

use crate::words::percent;

#[derive(Properties, PartialEq)]
pub struct Props {
    /// The constraints, as typed.
    pub lines: Vec<String>,
    /// Two of them and the share of rows they have in common.
    pub conflicts: Vec<(usize, usize, f64)>,
}

const SIZE: f64 = 260.0;
const ROUND: f64 = 100.0;

#[component]
pub fn ConflictGraph(Props { lines, conflicts }: &Props) -> Html {
    let place = |at: usize| {
        let turn = at as f64 / lines.len().max(1) as f64 * std::f64::consts::TAU - std::f64::consts::FRAC_PI_2;
        (SIZE / 2.0 + ROUND * libm::cos(turn), SIZE / 2.0 + ROUND * libm::sin(turn))
    };
    let shared: Vec<&(usize, usize, f64)> = conflicts.iter().filter(|(_, _, rate)| *rate > 0.0).collect();
    let edge = |&&(one, other, rate): &&(usize, usize, f64)| {
        let ((x1, y1), (x2, y2)) = (place(one), place(other));
        html! {
            <line x1={format!("{x1:.1}")} y1={format!("{y1:.1}")} x2={format!("{x2:.1}")} y2={format!("{y2:.1}")} style={format!("stroke-width:{:.1}", 1.0 + 7.0 * rate)}>
                <title>{ format!("{} and {}: {} shared", lines[one], lines[other], percent(rate)) }</title></line>
        }
    };
    let node = |(at, text): (usize, &String)| {
        let (x, y) = place(at);
        html! {
            <g><circle cx={format!("{x:.1}")} cy={format!("{y:.1}")} r="13"><title>{ text }</title></circle>
                <text x={format!("{x:.1}")} y={format!("{:.1}", y + 4.0)} text-anchor="middle">{ at + 1 }</text></g>
        }
    };
    let row = |&&(one, other, rate): &&(usize, usize, f64)| html! { <tr><td>{ &lines[one] }</td><td>{ &lines[other] }</td><td>{ percent(rate) }</td></tr> };
    html! {
        <figure class="chart conflict-graph" tabindex="0" role="group" aria-label="Which constraints share rows">
            <svg viewBox={format!("0 0 {SIZE} {SIZE}")} aria-hidden="true">{ for shared.iter().map(edge) }{ for lines.iter().enumerate().map(node) }</svg>
            <figcaption class="faint">{ if shared.is_empty() { "No two of them share a row: each can be kept by itself." } else { "Numbers are lines; a thicker connection shares more rows." } }</figcaption>
            <super::SavePicture title="Which constraints share rows" />
            <table class="sr-only"><caption>{ "Shared rows" }</caption><tbody>{ for shared.iter().map(row) }</tbody></table>
        </figure>
    }
}
