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
/// With more of them, names would cover each other, and weak connections all others.
pub const MOST_NAMED: usize = 12;

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
    let named = nodes.len() <= MOST_NAMED;
    // Names stand outside.
    let (across, down) = if named { (75.0, 95.0) } else { (140.0, 118.0) };
    let radius = (320.0 / nodes.len() as f64).min(13.0);
    let towards = |place: usize| {
        let number = nodes.iter().position(|node| node.place == place)?;
        let turn = number as f64 / nodes.len() as f64 * std::f64::consts::TAU - std::f64::consts::FRAC_PI_2;
        Some((libm::cos(turn), libm::sin(turn)))
    };
    let at = |place: usize| towards(place).map(|(x, y)| (WIDTH / 2.0 + across * x, HEIGHT / 2.0 + down * y));
    let edge = |edge: &Edge| {
        let ((x1, y1), (x2, y2)) = (at(edge.between.0)?, at(edge.between.1)?);
        Some(html! {
            <line class={classes!(edge.class)} x1={format!("{x1:.1}")} y1={format!("{y1:.1}")} x2={format!("{x2:.1}")} y2={format!("{y2:.1}")} style={format!("stroke-width:{:.1}", edge.width)}>
                <title>{ &edge.title }</title></line>
        })
    };
    let text = |class: &'static str, (x, y): (f64, f64), anchor: &'static str, text: String| html! { <text {class} x={format!("{x:.1}")} y={format!("{:.1}", y + 4.0)} text-anchor={anchor}>{ text }</text> };
    let name = |node: &Node| {
        let ((x, y), (right, below)) = (at(node.place)?, towards(node.place)?);
        let (x, y) = (x + 18.0 * right, y + 20.0 * below);
        let name = parse::values(&node.line).filter(|_| named)?;
        let (anchor, room) = match right {
            ..-0.3 => ("end", x),
            0.3.. => ("start", WIDTH - x),
            _ => ("middle", WIDTH * 0.6),
        };
        Some(text("name", (x, y), anchor, shortened(&name, (room / 6.4) as usize)))
    };
    let node = |node: &Node| {
        let (x, y) = at(node.place)?;
        Some(html! {
            <g class={classes!(node.class)}><circle cx={format!("{x:.1}")} cy={format!("{y:.1}")} r={format!("{radius:.1}")}><title>{ &node.line }</title></circle>
                { text("", (x, y), "middle", (node.place + 1).to_string()) }{ name(node) }</g>
        })
    };
    html! { <svg viewBox={format!("0 0 {WIDTH} {HEIGHT}")} aria-hidden="true">{ for edges.iter().filter_map(edge) }{ for nodes.iter().filter_map(node) }</svg> }
}

/// What fits beside a node.
fn shortened(name: &str, most: usize) -> String {
    match name.char_indices().nth(most) {
        Some(_) => {
            let start: String = name.chars().take(most - 1).collect();
            format!("{}…", start.trim_end())
        }
        None => name.to_owned(),
    }
}
