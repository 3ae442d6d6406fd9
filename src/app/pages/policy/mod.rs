//! Policy: what a release must satisfy, in plain words, held against the data as it is typed.

mod card;
pub mod constraints;
mod safe_harbor;
mod tau_l;
mod words;

use yew::prelude::*;

use crate::app::components::{NoTable, NumberField, button};
use crate::app::pages::findings::InPolicy;
use crate::app::state::{Loaded, Step};
use crate::app::{Message, go, use_handle};
use crate::policy::{Demand, Edit, ModelDemand};
use crate::setup_view::Prospect;
use crate::table::Role;
use crate::words::{counted, grouped};
use card::Card;
use words::{PRESETS, Preset, catalogue, words};

#[component]
pub fn PolicyPage() -> Html {
    let handle = use_handle();
    let Some(loaded) = &handle.state.loaded else { return html! { <NoTable title="Policy" /> } };
    let demands: Vec<Demand> = loaded.setup.privacy.iter().map(|view| view.demand.clone()).collect();
    let set = handle.send.reform(|(demands, typing)| Message::Edit(Edit::Privacy { demands, typing }));
    let card = |(place, view): (usize, &crate::setup_view::DemandView)| {
        let onchange = {
            let (demands, set) = (demands.clone(), set.clone());
            Callback::from(move |(demand, typing): (Demand, bool)| {
                let mut demands = demands.clone();
                demands[place] = demand;
                set.emit((demands, typing));
            })
        };
        let onremove = {
            let (demands, set) = (demands.clone(), set.clone());
            Callback::from(move |()| {
                let mut demands = demands.clone();
                demands.remove(place);
                set.emit((demands, false));
            })
        };
        html! { <Card key={format!("{place}-{}", view.demand.model.name())} loaded={loaded.clone()} view={view.clone()} {onchange} {onremove} /> }
    };
    html! {
        <>
            <div class="head">
                <div><h1>{ "Policy" }</h1><p class="lead">{ "What a release must satisfy. ResolvedPolicy against your data as you type." }</p></div>
                <span class="grow" />
                <button class="btn" disabled={!loaded.setup.can_undo} onclick={handle.send.reform(|_| Message::Undo)} title="Ctrl+Z">{ "Undo" }</button>
                <button class="btn" disabled={!loaded.setup.can_redo} onclick={handle.send.reform(|_| Message::Redo)} title="Ctrl+Shift+Z">{ "Redo" }</button>
                { button("btn", "Save policy", handle.send.reform(|_| Message::SavePolicy)) }
            </div>
            <Presets loaded={loaded.clone()} demands={demands.clone()} set={set.clone()} />
            if demands.is_empty() {
                <p class="note warn">{ if loaded.setup.diversity.is_empty() { "Nothing is asked of a release yet." } else { "Constraints alone protect nobody: ask for k, too." } }{ " Choose a preset above, or add a model below." }</p>
            } else {
                <section class="cards" aria-label="Privacy models">{ for loaded.setup.privacy.iter().enumerate().map(card) }</section>
            }
            <constraints::Constraints loaded={loaded.clone()} />
            <div class="row c2">
                <Add loaded={loaded.clone()} demands={demands.clone()} {set} />
                <div class="stack">
                    <InPolicy loaded={loaded.clone()} />
                    <Suppression loaded={loaded.clone()} />
                    <safe_harbor::SafeHarbor loaded={loaded.clone()} />
                </div>
            </div>
        </>
    }
}

#[derive(Properties, PartialEq)]
struct DemandsProps {
    loaded: Loaded,
    demands: Vec<Demand>,
    set: Callback<(Vec<Demand>, bool)>,
}

/// The common choices of k, each with its highest risk and what it is used for.
#[component]
fn Presets(props: &DemandsProps) -> Html {
    let k_now = props.demands.iter().find_map(|demand| match demand.model {
        ModelDemand::KAnonymity { k } => Some(k),
        _ => None,
    });
    let preset = |preset: &Preset| {
        let (mut demands, set, k) = (props.demands.clone(), props.set.clone(), preset.k);
        match demands.iter_mut().find(|demand| matches!(demand.model, ModelDemand::KAnonymity { .. })) {
            Some(demand) => *demand = Demand::of_rows(k),
            None => demands.insert(0, Demand::of_rows(k)),
        }
        let on = k_now == Some(k);
        html! {
            <button class={classes!("preset", on.then_some("on"))} aria-pressed={on.to_string()} onclick={set.reform(move |_| (demands.clone(), false))}>
                <b>{ format!("k = {k}") }</b>{ " " }<span>{ format!("risk at most {}", preset.risk) }</span>{ " " }<small>{ preset.used_for }</small>
            </button>
        }
    };
    html! { <section class="presets" aria-label="Presets">{ for PRESETS.iter().map(preset) }</section> }
}

/// Models that can be added, in plain words.
#[component]
fn Add(props: &DemandsProps) -> Html {
    let columns = props.loaded.summary.columns.iter().zip(&props.loaded.setup.columns);
    let sensitive: Option<&str> =
        columns.filter(|(_, view)| view.role == Role::Sensitive).map(|(summary, _)| summary.name.as_str()).next();
    let handle = use_handle();
    let entry = |demand: Demand| {
        let needs = !matches!(demand.model, ModelDemand::KAnonymity { .. });
        let words = words(&demand.model, sensitive.unwrap_or("the sensitive column"));
        let (demands, set) = (props.demands.clone(), props.set.clone());
        let add = Callback::from(move |_: MouseEvent| {
            let mut demands = demands.clone();
            demands.push(demand.clone());
            set.emit((demands, false));
        });
        html! {
            <li>
                <div><b>{ words.title }</b>{ " " }<span class="soft">{ words.meaning }</span></div>
                <button class="btn small" disabled={needs && sensitive.is_none()} onclick={add} aria-label={format!("Add {}", words.title)}>{ "Add" }</button>
            </li>
        }
    };
    html! {
        <section class="panel">
            <h2>{ "Add a model" }</h2>
            if sensitive.is_none() {
                <p class="note warn">
                    { "No column is sensitive, so only k-anonymity can be asked for. " }
                    { button("link", "Say which column must be protected", go(&handle.send, Step::Columns)) }
                </p>
            }
            <ul class="adds">{ for catalogue(sensitive).into_iter().map(entry) }</ul>
        </section>
    }
}

#[derive(Properties, PartialEq)]
pub struct LoadedProps {
    pub loaded: Loaded,
}

/// The share of rows that may be left out.
pub fn suppression_field(limit: f64, send: &Callback<Message>) -> Html {
    let set = |limit: f64, typing: bool| Message::Edit(Edit::SuppressionLimit { limit, typing });
    let ontype = send.reform(move |percent: f64| set(percent / 100.0, true));
    let onleave = send.reform(move |()| set(limit, false));
    // As a person writes it: 4, not 4.000000001.
    let value = (limit * 1e6).round() / 1e4;
    html! { <NumberField label="At most" unit="%" name="Rows that may be suppressed, in percent" {value} step={0.5} {ontype} {onleave} /> }
}

#[component]
fn Suppression(LoadedProps { loaded }: &LoadedProps) -> Html {
    let handle = use_handle();
    let limit = loaded.setup.suppression_limit;
    let rows = (limit * loaded.summary.rows as f64 * (1.0 + 1e-9)).floor() as u64;
    html! {
        <section class="panel">
            <h2>{ "Rows that may be left out" }</h2>
            <p>{ "Rows that stand out may be suppressed so that all others keep more detail." }</p>
            <p class="fields">{ suppression_field(limit, &handle.send) }
            <span class="soft">{ format!("= {} of {}", grouped(rows), counted(loaded.summary.rows, "row")) }</span></p>
        </section>
    }
}

/// How the demands stand, in a few words, for the rail.
pub fn standing(loaded: &Loaded) -> (String, Option<&'static str>) {
    let views = &loaded.setup.privacy;
    let constraints = loaded.setup.diversity.len() as u64;
    if views.is_empty() {
        let what = if constraints == 0 { "nothing is asked yet" } else { "nobody is protected yet" };
        return (what.into(), Some("warn"));
    }
    let mistaken = views.iter().filter(|view| matches!(view.prospect, Prospect::Mistaken(_))).count() as u64;
    let costly = views.iter().filter(|view| matches!(view.prospect, Prospect::Costly { .. })).count() as u64;
    match (mistaken, loaded.trouble(), costly) {
        (0, Some((trouble, _)), _) => (trouble, Some("warn")),
        (0, None, 0) if constraints > 0 => {
            (format!("{} · {}", counted(views.len() as u64, "model"), counted(constraints, "constraint")), Some("ok"))
        }
        (0, None, 0) => (counted(views.len() as u64, "model"), Some("ok")),
        (0, None, _) => (format!("{costly} of {} at a cost", views.len()), Some("warn")),
        _ => (counted(mistaken, "mistake"), Some("warn")),
    }
}
