//! Points in a plane, each labelled, reachable by keyboard, with the figures as a table.

use yew::prelude::*;

use super::SavePicture;
use super::plot::{number, ticks};

#[derive(Clone, PartialEq)]
pub struct ScatterPoint {
    /// Short, drawn beside the point.
    pub label: AttrValue,
    pub name: AttrValue,
    pub at: (f64, f64),
    /// Whether it stands out.
    pub on: bool,
}

#[derive(Properties, PartialEq)]
pub struct Props {
    pub title: AttrValue,
    pub x: AttrValue,
    pub y: AttrValue,
    pub points: Vec<ScatterPoint>,
}

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 14.0;
const FOOT: f64 = 38.0;

#[component]
pub fn Scatter(Props { title, x, y, points }: &Props) -> Html {
    if points.is_empty() {
        return html! { <p class="faint">{ "No run has both figures." }</p> };
    }
    let most = |of: fn(&ScatterPoint) -> f64| points.iter().map(of).fold(1e-9, f64::max) * 1.06;
    let (wide, tall) = (most(|point| point.at.0), most(|point| point.at.1));
    let across = |x: f64| LEFT + x / wide * (WIDTH - LEFT - RIGHT);
    let up = |y: f64| HEIGHT - FOOT - y / tall * (HEIGHT - FOOT - TOP);
    // Labels of points that lie close together are moved apart, upwards.
    let mut labels: Vec<(f64, f64)> = Vec::new();
    for point in points {
        let (left, mut top) = (across(point.at.0), up(point.at.1) + 4.0);
        while labels.iter().any(|&(x, y)| (x - left).abs() < 20.0 && (y - top).abs() < 12.0) {
            top -= 3.0;
        }
        labels.push((left, top));
    }
    let point = |(point, &(_, label)): (&ScatterPoint, &(f64, f64))| {
        let (left, top) = (across(point.at.0), up(point.at.1));
        let words =
            format!("{} {}: {} {}, {} {}", point.label, point.name, x, number(point.at.0), y, number(point.at.1));
        // A label that would leave the picture stands before its point.
        let (place, anchor) = if left > WIDTH - RIGHT - 30.0 { (left - 8.0, "end") } else { (left + 8.0, "start") };
        html! {
            <g class={classes!("point", point.on.then_some("on"))} tabindex="0" role="img" aria-label={words.clone()}>
                <title>{ words }</title>
                <circle cx={format!("{left:.1}")} cy={format!("{top:.1}")} r="5" />
                <text x={format!("{place:.1}")} y={format!("{label:.1}")} text-anchor={anchor}>{ &point.label }</text>
            </g>
        }
    };
    let x_tick = |&x: &f64| html! { <text x={format!("{:.1}", across(x))} y={(HEIGHT - FOOT + 15.0).to_string()} text-anchor="middle">{ number(x) }</text> };
    let y_tick = |&y: &f64| {
        let level = format!("{:.1}", up(y));
        html! {
            <>
                <line class="grid" x1={LEFT.to_string()} x2={(WIDTH - RIGHT).to_string()} y1={level.clone()} y2={level} />
                <text x={(LEFT - 6.0).to_string()} y={format!("{:.1}", up(y) + 3.5)} text-anchor="end">{ number(y) }</text>
            </>
        }
    };
    let row = |point: &ScatterPoint| html! { <tr><th scope="row">{ format!("{} {}", point.label, point.name) }</th><td>{ number(point.at.0) }</td><td>{ number(point.at.1) }</td></tr> };
    html! {
        <figure class="chart plot scatter" role="group" aria-label={title.clone()}>
            <svg viewBox={format!("0 0 {WIDTH} {HEIGHT}")}>
                { for ticks(0.0, tall, 5).iter().map(y_tick) }
                { for ticks(0.0, wide, 6).iter().map(x_tick) }
                <text x={((LEFT + WIDTH - RIGHT) / 2.0).to_string()} y={(HEIGHT - 4.0).to_string()} text-anchor="middle">{ x }</text>
                <text transform={format!("rotate(-90 10 {0})", (HEIGHT - FOOT) / 2.0)} x="10" y={((HEIGHT - FOOT) / 2.0).to_string()} text-anchor="middle">{ y }</text>
                { for points.iter().zip(&labels).map(point) }
            </svg>
            <SavePicture title={title.clone()} />
            <table class="sr-only"><caption>{ title }</caption><thead><tr><th scope="col">{ "run" }</th><th scope="col">{ x }</th><th scope="col">{ y }</th></tr></thead>
                <tbody>{ for points.iter().map(row) }</tbody></table>
        </figure>
    }
}
