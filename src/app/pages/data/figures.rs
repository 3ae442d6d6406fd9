//! Risk at once: how many rows stand alone on the quasi-identifiers.

use yew::prelude::*;

use crate::app::components::button;
use crate::app::state::{Loaded, Step};
use crate::app::{Message, go, use_handle};
use crate::classes::risk::{IN_PRACTICE, PUBLIC, smallest_class};
use crate::words::{counted, grouped};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub loaded: Loaded,
}

#[component]
pub fn Figures(Props { loaded }: &Props) -> Html {
    let handle = use_handle();
    let risk = &loaded.setup.risk;
    let percent = |rows: u64| {
        if risk.rows == 0 { String::new() } else { format!("{:.1} %", rows as f64 / risk.rows as f64 * 100.0) }
    };
    let figure = |rows: u64, what: &str| {
        let class = classes!("panel", "stat", if rows > 0 { "bad" } else { "ok" });
        html! { <div {class}><b>{ grouped(rows) }{ " " }<small>{ percent(rows) }</small></b><span>{ what }</span></div> }
    };
    let quasi = loaded.setup.columns.iter().filter(|column| column.role == crate::table::Role::Quasi).count() as u64;
    if quasi == 0 {
        return html! {
            <div class="note warn">
                { "No column is a quasi-identifier yet, so no risk can be shown. " }
                { button("link", "Say what the columns are", go(&handle.send, Step::Columns)) }
            </div>
        };
    }
    html! {
        <>
            <section class="row c4" aria-label={format!("Risk with {}", counted(quasi, "quasi-identifier"))}>
                { figure(risk.unique, "rows are unique") }
                { figure(risk.below_5, "in classes smaller than 5") }
                { figure(risk.below_11, "in classes smaller than 11") }
                { figure(risk.above_public, &format!("in classes smaller than {} (risk above {PUBLIC})", smallest_class(PUBLIC))) }
                <Singling loaded={loaded.clone()} />
            </section>
            <p class="note">{ IN_PRACTICE }</p>
        </>
    }
}

/// The smallest set of columns that makes most rows unique, or the one that makes the most.
#[component]
fn Singling(Props { loaded }: &Props) -> Html {
    let handle = use_handle();
    let rows = loaded.summary.rows.max(1) as f64;
    match &loaded.singling {
        None => html! {
            <div class="panel stat find">
                <button class="btn" disabled={handle.state.task.is_some()} onclick={handle.send.reform(|_| Message::FindSingling)}>
                    { "Which columns single people out?" }
                </button>
                <span>{ "tries the sets of up to 4 columns" }</span>
            </div>
        },
        Some(sets) => {
            let most = sets.iter().find(|set| set.unique as f64 > rows / 2.0).or(sets.last());
            match most {
                Some(set) => {
                    let share = format!("{:.0} %", set.unique as f64 / rows * 100.0);
                    let words = if set.columns.len() == 1 { "alone makes" } else { "alone make" };
                    let honest = if set.exact { "" } else { " (best found, not all sets tried)" };
                    html! { <div class="panel stat"><b class="names">{ set.columns.join(", ") }</b><span>{ format!("{words} {share} of rows unique{honest}") }</span></div> }
                }
                None => {
                    html! { <div class="panel stat"><b>{ "none" }</b><span>{ "no column singles anyone out" }</span></div> }
                }
            }
        }
    }
}
