//! Points joined by a line, each labelled with its figure.

use yew::prelude::*;

use crate::words::grouped;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub title: AttrValue,
    /// Label under the axis, and the value.
    pub points: Vec<(AttrValue, u64)>,
}

const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 132.0;
const FOOT: f64 = 22.0;
const HEAD: f64 = 20.0;
const SIDE: f64 = 22.0;

#[component]
pub fn LineChart(Props { title, points }: &Props) -> Html {
    let highest = points.iter().map(|&(_, value)| value).max().unwrap_or(0).max(1) as f64;
    let step = (WIDTH - 2.0 * SIDE) / (points.len().max(2) - 1) as f64;
    let place = |index: usize, value: u64| {
        (SIDE + index as f64 * step, HEIGHT - FOOT - value as f64 / highest * (HEIGHT - FOOT - HEAD))
    };
    let path: String = points
        .iter()
        .enumerate()
        .map(|(index, &(_, value))| {
            let (x, y) = place(index, value);
            format!("{}{x:.1} {y:.1}", if index == 0 { "M" } else { "L" })
        })
        .collect();
    // A label for every point only while they have room.
    let every = points.len().div_ceil(10).max(1);
    let point = |(index, (label, value)): (usize, &(AttrValue, u64))| {
        let (x, y) = place(index, *value);
        let text = |y: f64, text: AttrValue| html! { <text x={format!("{x:.1}")} y={format!("{y:.1}")} text-anchor="middle">{ text }</text> };
        html! {
            <g>
                <circle cx={format!("{x:.1}")} cy={format!("{y:.1}")} r="3"><title>{ format!("{label}: {}", grouped(*value)) }</title></circle>
                if index % every == 0 {
                    { text(HEIGHT - 6.0, label.clone()) }
                    { text(y - 7.0, grouped(*value).into()) }
                }
            </g>
        }
    };
    let row = |(label, value): &(AttrValue, u64)| html! { <tr><th scope="row">{ label }</th><td>{ grouped(*value) }</td></tr> };
    html! {
        <figure class="chart" tabindex="0" role="group" aria-label={title.clone()}>
            <svg viewBox={format!("0 0 {WIDTH} {HEIGHT}")} aria-hidden="true">
                <line class="axis" x1="8" x2={(WIDTH - 8.0).to_string()} y1={(HEIGHT - FOOT + 1.0).to_string()} y2={(HEIGHT - FOOT + 1.0).to_string()} />
                <path d={path} class="stroke" />
                { for points.iter().enumerate().map(point) }
            </svg>
            <super::SavePicture title={title.clone()} />
            <table class="sr-only"><caption>{ title }</caption><tbody>{ for points.iter().map(row) }</tbody></table>
        </figure>
    }
}
