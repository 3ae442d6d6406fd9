//! What the table achieves under every model, and which of the policy's demands it misses.

use std::rc::Rc;

use yew::prelude::*;

use super::to_policy;
use crate::app::use_handle;
use crate::audit::{Audit, DemandAudit, SensitiveAudit};
use crate::words::{counted, figure, figure_at_least, figure_at_most, percent};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub audit: Rc<Audit>,
    /// Which sensitive column.
    pub place: usize,
}

#[component]
pub fn Models(Props { audit, place }: &Props) -> Html {
    let handle = use_handle();
    let row = |name: &str, value: String, meaning: &str| html! { <tr><th scope="row">{ name }<small>{ meaning }</small></th><td class="n">{ value }</td></tr> };
    html! {
        <section class="panel">
            <h2>{ "What it achieves" }</h2>
            <table class="achieved"><tbody>
                { row("k-anonymity", format!("k = {}", audit.k), "rows that look alike") }
                if let Some(column) = audit.sensitive.get(*place) { { achieved(column, &row) } }
            </tbody></table>
            <h2 class="next">{ "What the policy asks" }</h2>
            if audit.demands.is_empty() {
                <p>{ "Nothing yet. " }{ to_policy(&handle.send, "Say what must hold") }{ " and the rows that miss it are counted here." }</p>
            } else {
                <ul class="standings">{ for audit.demands.iter().map(standing) }</ul>
                <p>{ to_policy(&handle.send, "Change what is asked") }</p>
            }
        </section>
    }
}

fn achieved(column: &SensitiveAudit, row: &dyn Fn(&str, String, &str) -> Html) -> Html {
    let recursive: Vec<String> = (2..)
        .zip(column.recursive_c.iter().take(4))
        .map(|(l, &c): (usize, _)| format!("{} (ℓ={l})", figure_at_least(c)))
        .collect();
    let recursive = if recursive.is_empty() { "none is enough".to_owned() } else { recursive.join(", ") };
    let optional = |name: &str, t: Option<f64>| {
        t.map(|t| row(name, format!("t = {}", figure_at_least(t)), "farthest class from the whole table"))
            .unwrap_or_default()
    };
    html! {
        <>
            { row("distinct ℓ-diversity", format!("ℓ = {}", column.distinct_l), "different values in every class") }
            { row("entropy ℓ-diversity", format!("ℓ = {}", figure_at_most(column.entropy_l)), "as if so many were equally likely") }
            { row("recursive (c, ℓ)", recursive, "what c must exceed") }
            { row("t-closeness, equal", format!("t = {}", figure_at_least(column.t_equal)), "farthest class from the whole table") }
            { optional("t-closeness, ordered", column.t_ordered) }
            { optional("t-closeness, hierarchical", column.t_hierarchical) }
            { row("(α, k)-anonymity", format!("α = {}", figure_at_least(column.largest_share)), "largest share of one value in a class") }
        </>
    }
}

fn standing(audit: &DemandAudit) -> Html {
    let name = audit.demand.model.name();
    let of = audit.demand.attribute.as_ref().map(|attribute| format!(" · {attribute}")).unwrap_or_default();
    let (good, what, why) = match &audit.outcome {
        Ok(outcome) if outcome.holds => (true, format!("holds (achieved {})", figure(outcome.achieved)), None),
        Ok(outcome) => {
            let what = format!(
                "missed by {} in {}",
                counted(outcome.violating_rows, "row"),
                counted(outcome.violating_classes, "class")
            );
            (false, what, outcome.example.as_ref().map(|(_, why)| format!("One of them: {why}")))
        }
        Err(mistake) => (false, format!("{} {}", mistake.key, mistake.what), None),
    };
    html! {
        <li class={if good { "ok" } else { "bad" }}>
            <b>{ format!("{name}{of}") }</b>{ " " }<span>{ what }</span>
            if let Some(why) = why { <small>{ why }</small> }
        </li>
    }
}

/// A share as words.
pub fn sure(certainty: f64) -> String {
    if certainty >= 1.0 { "sure".to_owned() } else { format!("{} sure", percent(certainty)) }
}
