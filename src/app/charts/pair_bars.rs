//! Two bars side by side for each label: before and after.

use yew::prelude::*;

use crate::words::grouped;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub title: AttrValue,
    /// Label under the bars, the value before and after.
    pub pairs: Vec<(AttrValue, u64, u64)>,
    pub names: (&'static str, &'static str),
    /// What is counted.
    pub unit: &'static str,
    /// Whether the first label is what nobody wants.
    #[prop_or_default]
    pub alarm: bool,
}

const WIDTH: f64 = 620.0;
const HEIGHT: f64 = 190.0;
const FOOT: f64 = 22.0;
const HEAD: f64 = 18.0;

#[component]
pub fn PairBars(Props { title, pairs, names, unit, alarm }: &Props) -> Html {
    let highest = pairs.iter().map(|&(_, before, after)| before.max(after)).max().unwrap_or(0).max(1) as f64;
    let step = WIDTH / pairs.len().max(4) as f64;
    let wide = (step * 0.34).min(44.0);
    // Few of them stand in the middle.
    let left = (WIDTH - step * pairs.len() as f64) / 2.0;
    let bar = |class: &'static str, left: f64, value: u64, what: String| {
        let tall = if value > 0 { (value as f64 / highest * (HEIGHT - FOOT - HEAD)).max(2.0) } else { 0.0 };
        let top = HEIGHT - FOOT - tall;
        html! {
            <>
                <rect {class} x={format!("{left:.1}")} y={format!("{top:.1}")} rx="2" width={format!("{wide:.1}")} height={format!("{tall:.1}")}><title>{ what }</title></rect>
                if value > 0 { <text x={format!("{:.1}", left + wide / 2.0)} y={format!("{:.1}", top - 5.0)} text-anchor="middle">{ grouped(value) }</text> }
            </>
        }
    };
    let pair = |(index, (label, before, after)): (usize, &(AttrValue, u64, u64))| {
        let middle = left + (index as f64 + 0.5) * step;
        let class = if *alarm && index == 0 { "alarm" } else { "after" };
        html! {
            <g>
                { bar("before", middle - wide - 2.0, *before, format!("{label}: {} {unit} {}", grouped(*before), names.0)) }
                { bar(class, middle + 2.0, *after, format!("{label}: {} {unit} {}", grouped(*after), names.1)) }
                <text x={format!("{middle:.1}")} y={format!("{:.1}", HEIGHT - 6.0)} text-anchor="middle">{ label }</text>
            </g>
        }
    };
    let row = |(label, before, after): &(AttrValue, u64, u64)| html! { <tr><th scope="row">{ label }</th><td>{ grouped(*before) }</td><td>{ grouped(*after) }</td></tr> };
    html! {
        <figure class="chart pair-bars" tabindex="0" role="group" aria-label={title.clone()}>
            <svg viewBox={format!("0 0 {WIDTH} {HEIGHT}")} aria-hidden="true">
                <line class="axis" x1="0" x2={WIDTH.to_string()} y1={(HEIGHT - FOOT + 1.0).to_string()} y2={(HEIGHT - FOOT + 1.0).to_string()} />
                { for pairs.iter().enumerate().map(pair) }
            </svg>
            <ul class="legend" aria-hidden="true"><li><i class="before" />{ names.0 }</li><li><i class="after" />{ names.1 }</li>
                if *alarm { <li><i class="alarm" />{ "exposed: one value is left" }</li> }</ul>
            <super::SavePicture title={title.clone()} />
            <table class="sr-only"><caption>{ title }</caption><thead><tr><th>{ "values" }</th><th>{ names.0 }</th><th>{ names.1 }</th></tr></thead>
                <tbody>{ for pairs.iter().map(row) }</tbody></table>
        </figure>
    }
}
