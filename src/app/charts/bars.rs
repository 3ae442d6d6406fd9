//! Upright bars, each labelled with what it counts.

use yew::prelude::*;

use crate::words::grouped;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub title: AttrValue,
    /// Label under the bar, and the value.
    pub bars: Vec<(AttrValue, u64)>,
}

const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 140.0;
const FOOT: f64 = 20.0;
const HEAD: f64 = 18.0;

#[component]
pub fn BarChart(Props { title, bars }: &Props) -> Html {
    let highest = bars.iter().map(|&(_, value)| value).max().unwrap_or(0).max(1) as f64;
    let step = WIDTH / bars.len().max(1) as f64;
    // Many bars leave no room for a label each.
    let every = bars.len().div_ceil(9).max(1);
    let last = bars.len().saturating_sub(1);
    let labelled = |index: usize| index == last || (index.is_multiple_of(every) && last - index >= every);
    let at_end = |index: usize| index == last && every > 1;
    // Of bands so close together, where they begin.
    let short = |label: &AttrValue| match every {
        1 => label.to_string(),
        _ => label.split('–').next().unwrap_or_default().to_owned(),
    };
    let bar = |(index, (label, value)): (usize, &(AttrValue, u64))| {
        let tall = *value as f64 / highest * (HEIGHT - FOOT - HEAD);
        let tall = if *value > 0 { tall.max(2.0) } else { 0.0 };
        let (left, top) = (index as f64 * step, HEIGHT - FOOT - tall);
        let middle = format!("{:.1}", left + step / 2.0);
        html! {
            <g>
                <rect class="fill" x={format!("{:.1}", left + step * 0.12)} y={format!("{top:.1}")} rx="2" width={format!("{:.1}", step * 0.76)} height={format!("{tall:.1}")}>
                    <title>{ format!("{label}: {}", grouped(*value)) }</title>
                </rect>
                if labelled(index) { <text x={if at_end(index) { WIDTH.to_string() } else { middle.clone() }} y={format!("{:.1}", HEIGHT - 6.0)} text-anchor={if at_end(index) { "end" } else { "middle" }}>{ short(label) }</text> }
                if *value > 0 && every == 1 { <text x={middle} y={format!("{:.1}", top - 5.0)} text-anchor="middle">{ grouped(*value) }</text> }
            </g>
        }
    };
    let row = |(label, value): &(AttrValue, u64)| html! { <tr><th scope="row">{ label }</th><td>{ grouped(*value) }</td></tr> };
    html! {
        <figure class="chart" tabindex="0" role="group" aria-label={title.clone()}>
            <svg viewBox={format!("0 0 {WIDTH} {HEIGHT}")} aria-hidden="true">
                <line class="axis" x1="0" x2={WIDTH.to_string()} y1={(HEIGHT - FOOT + 1.0).to_string()} y2={(HEIGHT - FOOT + 1.0).to_string()} />
                { for bars.iter().enumerate().map(bar) }
            </svg>
            <super::SavePicture title={title.clone()} />
            <table class="sr-only"><caption>{ title }</caption><tbody>{ for bars.iter().map(row) }</tbody></table>
        </figure>
    }
}
