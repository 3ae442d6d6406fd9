//! Shares of values as bars, with a line where something else is: a class against the whole table, after against before.

use yew::prelude::*;

use crate::words::percent;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub title: AttrValue,
    /// Value, its share here, and what it is compared with.
    pub rows: Vec<(AttrValue, f64, f64)>,
    /// What bar and line are; without a name for the line there is none.
    #[prop_or(("class", Some("whole table")))]
    pub names: (&'static str, Option<&'static str>),
    /// The value that is pointed out.
    #[prop_or_default]
    pub own: Option<AttrValue>,
    /// Values from this place on are ruled out.
    #[prop_or_default]
    pub ruled_out: Vec<AttrValue>,
}

const WIDTH: f64 = 380.0;
const ROW: f64 = 22.0;
const NAME: f64 = 130.0;
const END: f64 = 58.0;

#[component]
pub fn ShareChart(Props { title, rows, names: (here_name, whole_name), own, ruled_out }: &Props) -> Html {
    let compared = whole_name.is_some();
    let largest = rows
        .iter()
        .flat_map(|&(_, here, whole)| [here, if compared { whole } else { 0.0 }])
        .fold(0.01, |most, share| if share > most { share } else { most });
    let long = |share: f64| share / largest * (WIDTH - NAME - END);
    let bar = |(index, (name, here, whole)): (usize, &(AttrValue, f64, f64))| {
        let top = index as f64 * ROW;
        let shown: String =
            if name.chars().count() > 19 { name.chars().take(18).chain(['…']).collect() } else { name.to_string() };
        let mark = format!("{:.1}", NAME + long(*whole));
        let out = ruled_out.contains(name);
        let end = if !compared || here > whole { *here } else { *whole };
        html! {
            <g class={classes!((own.as_ref() == Some(name)).then_some("own"), out.then_some("out"))}>
                <title>{ match whole_name {
                    Some(whole_name) => format!("{name}: {} {here_name}, {} {whole_name}", percent(*here), percent(*whole)),
                    None => format!("{name}: {}", percent(*here)),
                } }</title>
                <text x={(NAME - 8.0).to_string()} y={format!("{:.1}", top + 15.0)} text-anchor="end">{ shown }</text>
                <rect class="fill" x={NAME.to_string()} y={format!("{:.1}", top + 4.0)} rx="2" width={format!("{:.1}", long(*here))} height="14" />
                if compared { <line class="mark" x1={mark.clone()} x2={mark} y1={format!("{:.1}", top + 1.0)} y2={format!("{:.1}", top + 21.0)} /> }
                <text x={format!("{:.1}", NAME + long(end) + 7.0)} y={format!("{:.1}", top + 15.0)}>{ if out { "ruled out".to_owned() } else { percent(*here) } }</text>
            </g>
        }
    };
    let row = |(name, here, whole): &(AttrValue, f64, f64)| html! { <tr><th scope="row">{ name }</th><td>{ percent(*here) }</td>if compared { <td>{ percent(*whole) }</td> }</tr> };
    html! {
        <figure class="chart shares" tabindex="0" role="group" aria-label={title.clone()}>
            <svg viewBox={format!("0 0 {WIDTH} {:.0}", rows.len() as f64 * ROW + 2.0)} aria-hidden="true">{ for rows.iter().enumerate().map(bar) }</svg>
            if let Some(whole_name) = whole_name { <figcaption class="faint" aria-hidden="true">{ format!("bar: {here_name} · line: {whole_name}") }</figcaption> }
            <super::SavePicture title={title.clone()} />
            <table class="sr-only"><caption>{ title }</caption>
                <thead><tr><th>{ "value" }</th><th>{ *here_name }</th>if let Some(name) = whole_name { <th>{ *name }</th> }</tr></thead>
                <tbody>{ for rows.iter().map(row) }</tbody></table>
        </figure>
    }
}
