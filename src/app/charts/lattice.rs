//! The lattice of levels as a picture: nodes by height, coloured by what was decided of them.
//!
//! Small lattices are drawn as a Hasse diagram with their edges, larger ones as a map of small squares, one row a height.

use std::collections::BTreeMap;

use yew::prelude::*;

use crate::run::{LatticeView, NodeState};
use crate::words::{counted, grouped};

/// Up to so many nodes have edges and room.
const DIAGRAM: usize = 500;
const WIDTH: f64 = 520.0;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub lattice: LatticeView,
    pub chosen: Option<Vec<u16>>,
    pub onchoose: Callback<Vec<u16>>,
}

struct Drawn {
    node: Vec<u16>,
    state: NodeState,
    x: f64,
    y: f64,
}

#[component]
pub fn LatticePicture(Props { lattice, chosen, onchoose }: &Props) -> Html {
    if lattice.states.is_empty() {
        return html! { <p class="faint">{ format!("{}: too many to draw.", counted(lattice.nodes, "node")) }</p> };
    }
    let levels: Vec<u16> = lattice.columns.iter().map(|&(_, _, levels)| levels).collect();
    let diagram = lattice.states.len() <= DIAGRAM;
    let mut rows: BTreeMap<u32, Vec<(Vec<u16>, NodeState)>> = BTreeMap::new();
    for (index, &state) in lattice.states.iter().enumerate() {
        let node = node_at(&levels, index);
        rows.entry(node.iter().map(|&level| u32::from(level)).sum()).or_default().push((node, state));
    }
    let heights = rows.len();
    let widest = rows.values().map(Vec::len).max().unwrap_or(1);
    // A row of squares wraps where it would get too small to point at.
    let per_line = if diagram { widest } else { widest.min(80) };
    let step_x = (WIDTH - 16.0) / per_line as f64;
    let step_y = if diagram { (340.0 / heights as f64).clamp(16.0, 44.0) } else { step_x.min(9.0) };
    let mut drawn: Vec<Drawn> = Vec::with_capacity(lattice.states.len());
    let mut y = 10.0;
    // The most general on top, as the papers draw it.
    for row in rows.into_values().rev() {
        for line in row.chunks(per_line) {
            let left = WIDTH / 2.0 - (line.len() as f64 - 1.0) / 2.0 * step_x;
            for (place, (node, state)) in line.iter().enumerate() {
                drawn.push(Drawn { node: node.clone(), state: *state, x: left + place as f64 * step_x, y });
            }
            y += step_y;
        }
        y += if diagram { 0.0 } else { 3.0 };
    }
    let edges = if diagram { edges(&drawn) } else { String::new() };
    let onclick = {
        let nodes: Vec<Vec<u16>> = drawn.iter().map(|drawn| drawn.node.clone()).collect();
        let onchoose = onchoose.clone();
        // One listener for all: thousands would be slow.
        Callback::from(move |event: MouseEvent| {
            let target =
                event.target().and_then(|target| wasm_bindgen::JsCast::dyn_into::<web_sys::Element>(target).ok());
            let index = target
                .and_then(|target| target.get_attribute("data-node"))
                .and_then(|index| index.parse::<usize>().ok());
            if let Some(node) = index.and_then(|index| nodes.get(index)) {
                onchoose.emit(node.clone());
            }
        })
    };
    let mark = |(index, drawn): (usize, &Drawn)| {
        let best = drawn.node == lattice.best;
        let on = chosen.as_ref() == Some(&drawn.node);
        let class = classes!(class_of(drawn.state), best.then_some("best"), on.then_some("chosen"));
        let (x, y) = (format!("{:.1}", drawn.x), format!("{:.1}", drawn.y));
        let title = format!("({})", drawn.node.iter().map(u16::to_string).collect::<Vec<_>>().join(", "));
        if diagram {
            html! { <circle {class} data-node={index.to_string()} cx={x} cy={y} r={if best { "6" } else { "4" }}><title>{ title }</title></circle> }
        } else {
            let size = (step_x.min(9.0) - 1.0).max(2.0);
            html! { <rect {class} data-node={index.to_string()} x={format!("{:.1}", drawn.x - size / 2.0)} y={format!("{:.1}", drawn.y - size / 2.0)} width={format!("{size:.1}")} height={format!("{size:.1}")}><title>{ title }</title></rect> }
        }
    };
    let count = |state: NodeState| lattice.states.iter().filter(|&&other| other == state).count() as u64;
    let entry = |state: NodeState, words: &str| html! { <li><i class={class_of(state)} />{ format!("{} {words}", grouped(count(state))) }</li> };
    html! {
        <figure class="chart lattice" role="group" aria-label={format!("Lattice of {}", counted(lattice.nodes, "node"))}>
            <svg viewBox={format!("0 0 {WIDTH} {:.0}", y + 6.0)} {onclick} aria-hidden="true">
                if diagram { <path class="edges" d={edges} /> }
                { for drawn.iter().enumerate().map(mark) }
            </svg>
            <ul class="legend">
                <li><i class="best" />{ "best" }</li>
                { entry(NodeState::Feasible, "feasible") }
                { entry(NodeState::Infeasible, "not feasible") }
                { entry(NodeState::BySuppression, "ruled out: a coarser one suppresses too much") }
                { entry(NodeState::ByBound, "ruled out: can't be better") }
                if count(NodeState::Open) > 0 { { entry(NodeState::Open, "not decided") } }
            </ul>
            <super::SavePicture title="The lattice" />
        </figure>
    }
}

fn node_at(levels: &[u16], mut index: usize) -> Vec<u16> {
    let mut node = vec![0; levels.len()];
    for (level, &levels) in node.iter_mut().zip(levels).rev() {
        *level = (index % usize::from(levels)) as u16;
        index /= usize::from(levels);
    }
    node
}

fn edges(drawn: &[Drawn]) -> String {
    let place: BTreeMap<&[u16], usize> =
        drawn.iter().enumerate().map(|(index, drawn)| (drawn.node.as_slice(), index)).collect();
    let mut path = String::new();
    for from in drawn {
        for column in 0..from.node.len() {
            let mut above = from.node.clone();
            above[column] += 1;
            if let Some(&to) = place.get(above.as_slice()) {
                path.push_str(&format!("M{:.1} {:.1}L{:.1} {:.1}", from.x, from.y, drawn[to].x, drawn[to].y));
            }
        }
    }
    path
}

fn class_of(state: NodeState) -> &'static str {
    match state {
        NodeState::Open => "open",
        NodeState::Feasible => "feasible",
        NodeState::Infeasible => "infeasible",
        NodeState::BySuppression => "by-suppression",
        NodeState::ByBound => "by-bound",
    }
}
