//! How the release stands against (τ,ℓ): F(k) of a class under ψ(k), what its cells induce (Figure 2(b) of the paper), and
//! which sensitive values were generalized.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::app::charts::{Cumulative, CumulativeChart, ShareChart};
use crate::app::components::{failed, heads, says};
use crate::app::state::Ran;
use crate::app::use_handle;
use crate::failure::Failure;
use crate::protocol::{Request, Response};
use crate::run::{InducedClass, InducedView};
use crate::words::{counted, figure_at_least, grouped, percent};

/// As many texts of a class as are listed.
const MOST_CELLS: usize = 12;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub run: Ran,
}

#[component]
pub fn TauLPanel(Props { run }: &Props) -> Html {
    let handle = use_handle();
    let chosen = use_state(|| None::<u32>);
    let found = use_state(|| None::<Result<Box<InducedView>, Failure>>);
    {
        let (client, found) = (handle.client.clone(), found.clone());
        use_effect_with((run.number, *chosen), move |&(_, class)| {
            let call = client.request(Request::Induced { class }, &[], |_, _| {});
            wasm_bindgen_futures::spawn_local(async move {
                match call.outcome().await {
                    Ok(Response::Induced(view)) => found.set(Some(Ok(view))),
                    Ok(_) => {}
                    Err(failure) => found.set(Some(Err(failure))),
                }
            });
        });
    }
    let view = match &*found {
        None => {
            return html! { <section class="panel tau-l" aria-busy="true"><h2>{ "Shares of the most frequent values" }</h2></section> };
        }
        Some(Err(failure)) => {
            return html! { <section class="panel tau-l">{ failed("warn", failure) }</section> };
        }
        Some(Ok(view)) => view,
    };
    let classes: Vec<u32> = view.classes.iter().map(|class| class.class).collect();
    let choose = Callback::from(move |event: Event| {
        let place = event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize;
        chosen.set(classes.get(place).copied());
    });
    let shown = &view.shown;
    let curves = vec![Cumulative { name: "F(k) of the class".into(), shares: shown.cumulative.clone(), faint: false }];
    let frequencies: Vec<(AttrValue, f64, f64)> =
        shown.frequencies.iter().take(9).map(|(value, share, whole)| (value.clone().into(), *share, *whole)).collect();
    let option = |class: &InducedClass| {
        html! {
            <option selected={class.class == shown.class.class}>{ format!("τ = {} · {} · {}", figure_at_least(class.tau), counted(class.size.into(), "row"), name(class)) }</option>
        }
    };
    html! {
        <>
            <section class="panel tau-l">
                <div class="with-button"><h2>{ format!("(τ, ℓ) = ({}, {}) on {}", view.tau, view.l, view.column) }{ " " }
                    <span class="faint">{ format!("{} of {}", grouped(view.classes.len() as u64), counted(view.total, "class")) }</span></h2>
                    <label class="field">{ "class" }<select class="small" onchange={choose} aria-label="Class, the tightest first">{ for view.classes.iter().map(option) }</select></label></div>
                <div class="row c2">
                    <div>
                        <CumulativeChart title={format!("Shares of the most frequent values in the class {}", name(&shown.class))} tau={view.tau} l={view.l} values={view.values} {curves} />
                    </div>
                    <div>
                        <h3>{ "What its cells tell an attacker" }</h3>
                        <p class="cells">{ for shown.cells.iter().take(MOST_CELLS).map(cell) }if shown.cells.len() > MOST_CELLS { <span class="faint">{ format!("and {} more", shown.cells.len() - MOST_CELLS) }</span> }</p>
                        <ShareChart title={format!("Induced frequencies in the class {}", name(&shown.class))} rows={frequencies} />
                    </div>
                </div>
            </section>
            { changes(view, run.view.verified.rows) }
        </>
    }
}

fn name(class: &InducedClass) -> String {
    if class.cells.is_empty() { "all rows".to_owned() } else { class.cells.join(", ") }
}

fn cell((text, rows, group): &(String, u32, bool)) -> Html {
    html! { <span class={classes!("chip", group.then_some("group"))} title={group.then_some("a group of values: counts for each of them")}>{ text }{ " × " }{ grouped((*rows).into()) }</span> }
}

/// Which sensitive values were generalized, how often, to what.
fn changes(view: &InducedView, rows: u64) -> Html {
    let most = view.changes.first().map_or(1, |change| change.2).max(1);
    let row = |(from, to, rows): &(String, String, u64)| {
        let width = format!("{:.1}", *rows as f64 / most as f64 * 80.0);
        html! {
            <tr><th scope="row">{ from }</th><td class="to">{ "→ " }<b>{ to }</b></td>
                <td><svg class="bar" width="80" height="8" aria-hidden="true"><rect class="back" width="80" height="8" rx="2" /><rect {width} height="8" rx="2" /></svg></td>
                <td class="n">{ grouped(*rows) }</td></tr>
        }
    };
    html! {
        <section class="panel changed">
            <h2>{ format!("Generalized values of {}", view.column) }</h2>
            if view.changed == 0 {
                { says("soft", "None: every row shows its exact value.") }
            } else {
                { says("soft", &format!("{} of {} show a group instead of the value ({}).", grouped(view.changed), counted(rows, "row"), percent(view.changed as f64 / rows.max(1) as f64))) }
                <div class="scroll" tabindex="0" role="region" aria-label="Generalized values">
                    <table class="achieved columns-lost">{ heads("value | shown as | (bar) | #rows") }
                        <tbody>{ for view.changes.iter().map(row) }</tbody></table>
                </div>
            }
        </section>
    }
}
