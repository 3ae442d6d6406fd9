//! How far the values of one column went up, on the hierarchy itself.

use yew::prelude::*;

use crate::app::components::{heads, says};
use crate::app::state::Ran;
use crate::app::use_handle;
use crate::protocol::{Request, Response};
use crate::run::{Spread, SpreadNode};
use crate::words::{counted, grouped, percent};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub run: Ran,
    /// A quasi-identifier's place in the table.
    pub column: usize,
}

#[component]
pub fn SpreadPanel(Props { run, column }: &Props) -> Html {
    let handle = use_handle();
    let spread = use_state(|| None::<Spread>);
    {
        let (client, spread) = (handle.client.clone(), spread.clone());
        use_effect_with((*column, run.number), move |&(column, _)| {
            let call = client.request(Request::Spread { column: column as u32 }, &[], |_, _| {});
            wasm_bindgen_futures::spawn_local(async move {
                if let Ok(Response::Spread(found)) = call.outcome().await {
                    spread.set(Some(found));
                }
            });
        });
    }
    html! {
        <section class="panel spread">
            <h2>{ "How far values went" }</h2>
            if let Some(spread) = &*spread { { drawn(spread) } } else { { says("faint", "…") } }
        </section>
    }
}

fn drawn(spread: &Spread) -> Html {
    let all: u64 = spread.steps.iter().sum::<u64>() + spread.suppressed;
    let share = |rows: u64| rows as f64 / all.max(1) as f64;
    let step = |(step, &rows): (usize, &u64)| {
        let name = match step {
            0 => "kept as it was".to_owned(),
            1 => "one step up".to_owned(),
            step => format!("{step} steps up"),
        };
        (rows > 0).then_some((name, rows))
    };
    let gone = (spread.suppressed > 0).then(|| ("rows left out".to_owned(), spread.suppressed));
    let parts: Vec<(String, u64)> = spread.steps.iter().enumerate().filter_map(step).chain(gone).collect();
    let part = |(name, rows): &(String, u64)| html! { <li><b>{ percent(share(*rows)) }</b>{ " " }{ name }</li> };
    let largest = spread.nodes.iter().map(|node| node.shown).max().unwrap_or(0).max(1);
    let row = |node: &SpreadNode| {
        let width = format!("{:.1}", node.shown as f64 / largest as f64 * 90.0);
        html! {
            <tr class={classes!((node.shown == 0).then_some("none"))}>
                <th scope="row" style={format!("padding-left:{}px", node.depth * 16)}>{ &node.label }
                    if node.limit { { " " }<span class="role" title="Values below may go no further than this">{ "limit" }</span> }</th>
                <td><svg class="bar" width="90" height="8" aria-hidden="true"><rect class="back" width="90" height="8" rx="2" /><rect {width} height="8" rx="2" /></svg></td>
                <td class="n">{ grouped(node.shown) }</td><td class="n soft">{ grouped(node.rows) }</td>
            </tr>
        }
    };
    let (values, rows) = spread.left_out;
    html! {
        <>
            <ul class="parts">{ for parts.iter().map(part) }</ul>
            <div class="scroll tall" tabindex="0" role="region" aria-label={format!("Hierarchy of {} with the rows released as each node", spread.column)}>
                <table class="achieved columns-lost">{ heads("released as | (bar) | #rows | #of") }
                    <tbody>{ for spread.nodes.iter().map(row) }</tbody></table>
            </div>
            if values > 0 { { says("faint", &format!("and {} with {} in all", counted(values, "more value"), counted(rows, "row"))) } }
        </>
    }
}
