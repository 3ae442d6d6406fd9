//! Shares of values in one class as bars, with a line where the whole table is.

use yew::prelude::*;

use crate::words::percent;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub title: AttrValue,
    /// Value, its share here, its share in the whole table.
    pub rows: Vec<(AttrValue, f64, f64)>,
}

const WIDTH: f64 = 380.0;
const ROW: f64 = 22.0;
const NAME: f64 = 130.0;
const END: f64 = 58.0;

#[component]
pub fn ShareChart(Props { title, rows }: &Props) -> Html {
    let largest = rows
        .iter()
        .flat_map(|&(_, here, whole)| [here, whole])
        .fold(0.01, |most, share| if share > most { share } else { most });
    let long = |share: f64| share / largest * (WIDTH - NAME - END);
    let bar = |(index, (name, here, whole)): (usize, &(AttrValue, f64, f64))| {
        let top = index as f64 * ROW;
        let shown: String =
            if name.chars().count() > 20 { name.chars().take(19).chain(['…']).collect() } else { name.to_string() };
        let mark = format!("{:.1}", NAME + long(*whole));
        html! {
            <g>
                <title>{ format!("{name}: {} here, {} in the whole table", percent(*here), percent(*whole)) }</title>
                <text x={(NAME - 8.0).to_string()} y={format!("{:.1}", top + 15.0)} text-anchor="end">{ shown }</text>
                <rect class="fill" x={NAME.to_string()} y={format!("{:.1}", top + 4.0)} rx="2" width={format!("{:.1}", long(*here))} height="14" />
                <line class="mark" x1={mark.clone()} x2={mark} y1={format!("{:.1}", top + 1.0)} y2={format!("{:.1}", top + 21.0)} />
                <text x={format!("{:.1}", NAME + long(if here > whole { *here } else { *whole }) + 7.0)} y={format!("{:.1}", top + 15.0)}>{ percent(*here) }</text>
            </g>
        }
    };
    let row = |(name, here, whole): &(AttrValue, f64, f64)| html! { <tr><th scope="row">{ name }</th><td>{ percent(*here) }</td><td>{ percent(*whole) }</td></tr> };
    html! {
        <figure class="chart shares" tabindex="0" role="group" aria-label={title.clone()}>
            <svg viewBox={format!("0 0 {WIDTH} {:.0}", rows.len() as f64 * ROW + 2.0)} aria-hidden="true">{ for rows.iter().enumerate().map(bar) }</svg>
            <figcaption class="faint" aria-hidden="true">{ "bar: this class · line: whole table" }</figcaption>
            <table class="sr-only"><caption>{ title }</caption>
                <thead><tr><th>{ "value" }</th><th>{ "class" }</th><th>{ "whole table" }</th></tr></thead>
                <tbody>{ for rows.iter().map(row) }</tbody></table>
        </figure>
    }
}
