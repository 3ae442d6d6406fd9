//! Classes as a map: area is rows, colour is diversity. All classes that are too many to be drawn are one block, said to be
//! so. A class is opened by click; the arrow keys go from one to the next.
//!
//! Squarified (Bruls, Huizing and van Wijk): rows of rectangles along the shorter side, each grown while that makes them
//! squarer.

use web_sys::KeyboardEvent;
use yew::prelude::*;

use crate::audit::{ClassMap, MapClass};
use crate::words::{counted, figure, grouped, percent};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub title: AttrValue,
    pub map: ClassMap,
    pub chosen: Option<u32>,
    pub onchoose: Callback<u32>,
}

const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 230.0;
/// Steps of colour: how many equally likely values a class is as diverse as.
const STEPS: [(&str, &str); 5] = [
    ("d0", "95 % and more one value"),
    ("d1", "as diverse as less than 2 values"),
    ("d2", "2 to 4"),
    ("d3", "4 to 8"),
    ("d4", "8 and more"),
];

/// Left, top, width, height.
type Area = [f64; 4];

#[component]
pub fn Treemap(Props { title, map, chosen, onchoose }: &Props) -> Html {
    let (rest, rest_rows, least) = map.rest;
    let mut weights: Vec<f64> = map.largest.iter().map(|class| f64::from(class.size)).collect();
    if rest > 0 {
        weights.push(rest_rows as f64);
    }
    // The rows of squarified rectangles need descending weights; the block of the rest may be the largest.
    let first = if rest > 0 { weights.iter().take_while(|&&weight| weight > rest_rows as f64).count() } else { 0 };
    if rest > 0 {
        weights.pop();
        weights.insert(first, rest_rows as f64);
    }
    let mut areas = squarified(&weights);
    let rest_area = (rest > 0).then(|| areas.remove(first));
    let onkeydown = {
        let (classes, chosen, onchoose) =
            (map.largest.iter().map(|class| class.class).collect::<Vec<_>>(), *chosen, onchoose.clone());
        Callback::from(move |event: KeyboardEvent| {
            let at = classes.iter().position(|&class| Some(class) == chosen);
            let next = match event.key().as_str() {
                "ArrowRight" | "ArrowDown" => at.map_or(0, |at| at + 1),
                "ArrowLeft" | "ArrowUp" => at.unwrap_or(0).saturating_sub(1),
                _ => return,
            };
            event.prevent_default();
            if let Some(&class) = classes.get(next) {
                onchoose.emit(class);
            }
        })
    };
    let words = |class: &MapClass| {
        let cells = if class.cells.is_empty() { "all rows".to_owned() } else { class.cells.join(", ") };
        let diversity = format!("as diverse as {} equally likely values", figure(class.entropy_l));
        format!(
            "{cells}: {}, {diversity}, largest share {}",
            counted(class.size.into(), "row"),
            percent(class.largest_share)
        )
    };
    let block = |(class, area): (&MapClass, &Area)| {
        let &[x, y, wide, tall] = area;
        let number = class.class;
        let class_of = classes!(step(class), (*chosen == Some(number)).then_some("on"));
        html! {
            <g class={class_of} onclick={onchoose.reform(move |_| number)}>
                <title>{ words(class) }</title>
                { rectangle(area) }
                if wide > 24.0 && tall > 14.0 { <text x={format!("{:.1}", x + wide / 2.0)} y={format!("{:.1}", y + tall / 2.0 + 4.0)} text-anchor="middle">{ grouped(class.size.into()) }</text> }
            </g>
        }
    };
    let others = |area: &Area| {
        let &[x, y, wide, tall] = area;
        let place = |line: f64| (format!("{:.1}", x + wide / 2.0), format!("{:.1}", y + tall / 2.0 + line));
        let ((middle, up), (_, down)) = (place(-2.0), place(12.0));
        html! {
            <g class="rest">
                <title>{ format!("{} with {}, the least diverse as {} equally likely values", counted(rest, "smaller class"), counted(rest_rows, "row"), figure(least)) }</title>
                { rectangle(area) }
                if wide > 90.0 && tall > 30.0 {
                    <text x={middle.clone()} y={up} text-anchor="middle">{ counted(rest, "smaller class") }</text>
                    <text x={middle} y={down} text-anchor="middle">{ counted(rest_rows, "row") }</text>
                }
            </g>
        }
    };
    let row = |class: &MapClass| html! { <tr><th scope="row">{ class.cells.join(", ") }</th><td>{ grouped(class.size.into()) }</td><td>{ figure(class.entropy_l) }</td></tr> };
    html! {
        <figure class="chart treemap" tabindex="0" role="group" aria-label={title.clone()} {onkeydown}>
            <svg viewBox={format!("0 0 {WIDTH} {HEIGHT}")} aria-hidden="true">
                { for map.largest.iter().zip(&areas).map(block) }
                if let Some(area) = &rest_area { { others(area) } }
            </svg>
            <ul class="legend" aria-hidden="true">{ for STEPS.iter().map(|(class, words)| html! { <li><i class={*class} />{ *words }</li> }) }</ul>
            <super::SavePicture title={title.clone()} />
            <table class="sr-only"><caption>{ title }{ format!(" (and {} with {})", counted(rest, "smaller class"), counted(rest_rows, "row")) }</caption>
                <thead><tr><th>{ "class" }</th><th>{ "rows" }</th><th>{ "as diverse as so many values" }</th></tr></thead>
                <tbody>{ for map.largest.iter().map(row) }</tbody></table>
        </figure>
    }
}

fn rectangle(&[x, y, wide, tall]: &Area) -> Html {
    html! { <rect x={format!("{x:.2}")} y={format!("{y:.2}")} width={format!("{wide:.2}")} height={format!("{tall:.2}")} /> }
}

fn step(class: &MapClass) -> &'static str {
    STEPS[match class.entropy_l {
        _ if class.largest_share >= 0.95 => 0,
        values if values < 2.0 => 1,
        values if values < 4.0 => 2,
        values if values < 8.0 => 3,
        _ => 4,
    }]
    .0
}

/// A rectangle for each of the weights, which descend.
fn squarified(weights: &[f64]) -> Vec<Area> {
    let total: f64 = weights.iter().sum();
    let scale = if total > 0.0 { WIDTH * HEIGHT / total } else { 0.0 };
    let [mut x, mut y, mut wide, mut tall] = [0.0, 0.0, WIDTH, HEIGHT];
    let mut areas = Vec::with_capacity(weights.len());
    while areas.len() < weights.len() {
        let left = &weights[areas.len()..];
        let side = wide.min(tall).max(1e-9);
        // How far from a square the worst of the first so many is.
        let worst = |count: usize, sum: f64| {
            let of = |weight: f64| {
                let ratio = weight * scale * side * side / (sum * sum * scale * scale).max(1e-12);
                ratio.max(1.0 / ratio.max(1e-12))
            };
            of(left[0]).max(of(left[count - 1]))
        };
        let (mut count, mut sum) = (1, left[0]);
        while count < left.len() && worst(count + 1, sum + left[count]) <= worst(count, sum) {
            sum += left[count];
            count += 1;
        }
        let deep = sum * scale / side;
        let mut along = 0.0;
        for weight in &left[..count] {
            let long = weight * scale / deep.max(1e-9);
            areas.push(if wide >= tall { [x, y + along, deep, long] } else { [x + along, y, long, deep] });
            along += long;
        }
        if wide >= tall {
            x += deep;
            wide -= deep;
        } else {
            y += deep;
            tall -= deep;
        }
    }
    areas
}
