//! Diversity constraints in a circle, those that compete for rows connected: how much they share, or how far they are
//! coloured.

use yew::prelude::*;

use crate::constraints::parse;

/// A constraint.
pub struct Node {
    /// As typed.
    pub line: String,
    /// Its place among all lines.
    pub place: usize,
    pub class: Option<&'static str>,
}

/// Two constraints that compete for rows.
pub struct Edge {
    /// Places among all lines.
    pub between: (usize, usize),
    pub width: f64,
    pub title: String,
    pub class: Option<&'static str>,
}

const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 270.0;
const ACROSS: f64 = 110.0;
const DOWN: f64 = 96.0;
/// With more of them, names would cover each other.
const MOST_NAMED: usize = 12;

#[derive(Properties, PartialEq)]
pub struct Props {
    /// What the picture tells.
    pub title: AttrValue,
    pub words: AttrValue,
    pub svg: Html,
    /// The same as a table.
    pub rows: Vec<Vec<String>>,
}

/// The picture with its words and, for those who can't see it, its figures.
#[component]
pub fn ConstraintGraph(Props { title, words, svg, rows }: &Props) -> Html {
    let row = |cells: &Vec<String>| html! { <tr>{ for cells.iter().map(|cell| html! { <td>{ cell }</td> }) }</tr> };
    html! {
        <figure class="chart constraint-graph" tabindex="0" role="group" aria-label={title.clone()}>
            { svg.clone() }
            <figcaption class="faint">{ words }</figcaption>
            <super::SavePicture title={title.to_string()} />
            <table class="sr-only"><caption>{ title }</caption><tbody>{ for rows.iter().map(row) }</tbody></table>
        </figure>
    }
}

/// Draws nodes in a circle, and the edges between those that are there.
pub fn circle(nodes: &[Node], edges: &[Edge]) -> Html {
    let at = |place: usize| {
        let number = nodes.iter().position(|node| node.place == place)?;
        let turn = number as f64 / nodes.len() as f64 * std::f64::consts::TAU - std::f64::consts::FRAC_PI_2;
        Some((WIDTH / 2.0 + ACROSS * libm::cos(turn), HEIGHT / 2.0 - 8.0 + DOWN * libm::sin(turn)))
    };
    let edge = |edge: &Edge| {
        let ((x1, y1), (x2, y2)) = (at(edge.between.0)?, at(edge.between.1)?);
        Some(html! {
            <line class={classes!(edge.class)} x1={format!("{x1:.1}")} y1={format!("{y1:.1}")} x2={format!("{x2:.1}")} y2={format!("{y2:.1}")} style={format!("stroke-width:{:.1}", edge.width)}>
                <title>{ &edge.title }</title></line>
        })
    };
    let node = |node: &Node| {
        let (x, y) = at(node.place)?;
        let name = if nodes.len() <= MOST_NAMED { parse::values(&node.line) } else { None };
        Some(html! {
            <g class={classes!(node.class)}><circle cx={format!("{x:.1}")} cy={format!("{y:.1}")} r="13"><title>{ &node.line }</title></circle>
                <text x={format!("{x:.1}")} y={format!("{:.1}", y + 4.0)} text-anchor="middle">{ node.place + 1 }</text>
                if let Some(name) = name { <text class="name" x={format!("{x:.1}")} y={format!("{:.1}", y + 26.0)} text-anchor="middle">{ shortened(&name) }</text> }</g>
        })
    };
    html! { <svg viewBox={format!("0 0 {WIDTH} {HEIGHT}")} aria-hidden="true">{ for edges.iter().filter_map(edge) }{ for nodes.iter().filter_map(node) }</svg> }
}

/// What fits below a node.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(19) {
        Some((end, _)) => format!("{}…", name[..end].trim_end()),
        None => name.to_owned(),
    }
}
