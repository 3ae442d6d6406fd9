//! Risks before and after, each as two dots on one axis by powers of ten, with a line at the threshold.

use yew::prelude::*;

use crate::words::figure;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub title: AttrValue,
    /// What the risk is, before and after.
    pub risks: Vec<(&'static str, f64, f64)>,
    /// The threshold, and how it is called.
    pub threshold: f64,
    pub threshold_name: AttrValue,
}

const WIDTH: f64 = 400.0;
const ROW: f64 = 34.0;
const HEAD: f64 = 18.0;
const FOOT: f64 = 22.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 24.0;

#[component]
pub fn RiskChart(Props { title, risks, threshold, threshold_name }: &Props) -> Html {
    let least = risks.iter().flat_map(|&(_, before, after)| [before, after]).filter(|&risk| risk > 0.0);
    // At least two powers of ten, at most six.
    let powers = least.map(|risk| -risk.log10()).fold(2.0, f64::max).ceil().min(6.0);
    let across = |risk: f64| {
        let at = (1.0 + risk.max(1e-9).log10() / powers).clamp(0.0, 1.0);
        LEFT + at * (WIDTH - LEFT - RIGHT)
    };
    let tall = HEAD + ROW * risks.len() as f64 + FOOT;
    let line = |(place, &(name, before, after)): (usize, &(&'static str, f64, f64))| {
        let y = HEAD + (place as f64 + 0.5) * ROW;
        let (from, to) = (across(before), across(after));
        let text = |x: f64, value: f64, class: &'static str| html! { <text {class} x={format!("{x:.1}")} y={format!("{:.1}", y - 8.0)} text-anchor="middle">{ figure(value) }</text> };
        html! {
            <g>
                <title>{ format!("{name}: {} before, {} after", figure(before), figure(after)) }</title>
                <text x={(LEFT - 12.0).to_string()} y={format!("{:.1}", y + 4.0)} text-anchor="end">{ name }</text>
                <line class="way" x1={format!("{from:.1}")} x2={format!("{to:.1}")} y1={format!("{y:.1}")} y2={format!("{y:.1}")} />
                <circle class="before" cx={format!("{from:.1}")} cy={format!("{y:.1}")} r="5" />
                <circle class={if after > *threshold + 1e-9 { "after above" } else { "after" }} cx={format!("{to:.1}")} cy={format!("{y:.1}")} r="5.5" />
                { text(to, after, "now") }
                if (from - to).abs() > 34.0 { { text(from, before, "") } }
            </g>
        }
    };
    let tick = |power: u32| {
        let (x, risk) = (across(10f64.powi(-(power as i32))), 10f64.powi(-(power as i32)));
        html! {
            <>
                <line class="grid" x1={format!("{x:.1}")} x2={format!("{x:.1}")} y1={HEAD.to_string()} y2={(tall - FOOT).to_string()} />
                <text x={format!("{x:.1}")} y={format!("{:.1}", tall - 7.0)} text-anchor="middle">{ risk }</text>
            </>
        }
    };
    let limit = format!("{:.1}", across(*threshold));
    let row = |&(name, before, after): &(&'static str, f64, f64)| html! { <tr><th scope="row">{ name }</th><td>{ figure(before) }</td><td>{ figure(after) }</td></tr> };
    html! {
        <figure class="chart risks" tabindex="0" role="group" aria-label={title.clone()}>
            <svg viewBox={format!("0 0 {WIDTH} {tall:.0}")} aria-hidden="true">
                { for (0..=powers as u32).map(tick) }
                <line class="limit" x1={limit.clone()} x2={limit.clone()} y1={(HEAD - 4.0).to_string()} y2={(tall - FOOT).to_string()} />
                <text class="limit-name" x={limit} y="10" text-anchor="middle">{ threshold_name }</text>
                { for risks.iter().enumerate().map(line) }
            </svg>
            <ul class="legend" aria-hidden="true"><li><i class="before" />{ "before" }</li><li><i class="after" />{ "after" }</li><li><i class="above" />{ "after, above the threshold" }</li></ul>
            <super::SavePicture title={title.clone()} />
            <table class="sr-only"><caption>{ title }{ format!(" (threshold {threshold_name})") }</caption>
                <thead><tr><th>{ "attacker" }</th><th>{ "before" }</th><th>{ "after" }</th></tr></thead>
                <tbody>{ for risks.iter().map(row) }</tbody></table>
        </figure>
    }
}
