//! The plan: made from the open table or loaded, looked at, saved.

use web_sys::{DragEvent, File, HtmlSelectElement};
use yew::prelude::*;

use super::apply::ApplyPanel;
use super::simulate::SimulatePanel;
use super::stat;
use super::state::{Aim, Planning};
use crate::app::charts::small;
use crate::app::components::{DropZone, FailureBox, NumberField, button, option, says};
use crate::app::state::{Loaded, Step};
use crate::app::{Handle, Message, go, use_handle};
use crate::linkage::mechanism::Wish;
use crate::linkage::plan::{PlanSettings, PlanView};
use crate::protocol::Request;
use crate::table::Role;
use crate::words::{counted, figure, grouped};

#[component]
pub fn PlanPart() -> Html {
    let handle = use_handle();
    let planning = &handle.state.linkage.plan;
    let ondismiss = handle.changing(|linkage, ()| linkage.plan.failure = None);
    html! {
        <>
            if let Some(failure) = planning.failure.clone() { <FailureBox {failure} {ondismiss} /> }
            <div class="audit planning">
                <div class="stack">
                    <Make />
                    <Load />
                </div>
                <div class="stack wide">
                    if let Some(plan) = &planning.plan {
                        { shown(&handle, plan) }
                        <ApplyPanel />
                        <SimulatePanel />
                    } else {
                        <section class="panel empty">
                            <h2>{ "There is no plan yet" }</h2>
                            <p>{ "A plan fixes the classes before anybody publishes: they come from past data, and every data owner uses the same. Then linking releases tells nothing that one of them does not tell already, but for a probability of at most δ a release." }</p>
                            <ol class="list">
                                <li>{ "Make one from a table of past data, or load one that you were given." }</li>
                                <li>{ "Look at its classes, and save it for the other data owners." }</li>
                                <li>{ "Apply it to your own table as soon as there are N rows, and export the release." }</li>
                            </ol>
                        </section>
                    }
                </div>
            </div>
        </>
    }
}

#[component]
fn Make() -> Html {
    let handle = use_handle();
    let planning = &handle.state.linkage.plan;
    let Some(loaded) = &handle.state.loaded else {
        return html! {
            <section class="panel"><h2>{ "Make a plan" }</h2>
                <p>{ "From a table of past data, like those that will be published." }</p>
                <p class="actions">{ button("btn p", "Load a table", go(&handle.send, Step::Data)) }</p></section>
        };
    };
    let of_role = |role: Role| -> Vec<String> {
        let columns = loaded.setup.columns.iter().zip(&loaded.summary.columns);
        columns.filter(|(column, _)| column.role == role).map(|(_, summary)| summary.name.clone()).collect()
    };
    let (quasi, sensitive) = (of_role(Role::Quasi), of_role(Role::Sensitive));
    if quasi.is_empty() || sensitive.is_empty() {
        return html! {
            <section class="panel"><h2>{ "Make a plan" }</h2>
                <p>{ "A plan needs quasi-identifiers and a sensitive column. Say which columns are." }</p>
                <p class="actions">{ button("btn p", "Go to Columns", go(&handle.send, Step::Columns)) }</p></section>
        };
    }
    let number = |label: &'static str, name: &'static str, value: f64, step: f64, set: fn(&mut Planning, f64)| {
        let ontype = handle.changing(move |linkage, number: f64| set(&mut linkage.plan, number));
        html! { <NumberField {label} {name} {value} {step} {ontype} onleave={Callback::noop()} /> }
    };
    let onaim = handle.changing(|linkage, event: Event| {
        linkage.plan.aim = match event.target_unchecked_into::<HtmlSelectElement>().selected_index() {
            1 => Aim::Classes,
            2 => Aim::Rows,
            3 => Aim::P,
            _ => Aim::TableRows,
        };
    });
    let onsecret = {
        let sensitive = sensitive.clone();
        handle.changing(move |linkage, event: Event| {
            let place = event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize;
            linkage.plan.sensitive = sensitive.get(place).cloned();
        })
    };
    let onclick = {
        let (handle, loaded, quasi, sensitive) = (handle.clone(), loaded.clone(), quasi.clone(), sensitive.clone());
        Callback::from(move |_: MouseEvent| make(&handle, &loaded, &quasi, &sensitive))
    };
    let chosen = chosen_sensitive(planning, &sensitive);
    let aim = |aim: Aim, words: &str| option(planning.aim == aim, words);
    html! {
        <section class="panel make">
            <h2>{ "Make a plan" }</h2>
            <p>{ format!("From {}, taken as past data.", loaded.summary.name) }</p>
            <Order {quasi} />
            if sensitive.len() > 1 {
                <label class="field">{ "sensitive" }<select onchange={onsecret}>{ for sensitive.iter().map(|name| option(chosen.as_ref() == Some(name), name)) }</select></label>
            }
            <div class="fields">
                { number("ℓ", "ℓ of the plan", planning.l.into(), 1.0, |plan, number| plan.l = number as u32) }
                { number("δ", "δ of the plan", planning.delta, 0.01, |plan, number| plan.delta = number) }
            </div>
            <label class="field wide">{ "classes" }
                <select onchange={onaim} aria-label="What decides the number of classes">
                    { aim(Aim::TableRows, &format!("as many as {} allow", counted(loaded.summary.rows, "row"))) }
                    { aim(Aim::Classes, "at least so many") }
                    { aim(Aim::Rows, "as many as so many rows allow") }
                    { aim(Aim::P, "by p") }
                </select></label>
            { match planning.aim {
                Aim::TableRows => Html::default(),
                Aim::Classes => number("at least", "Wished number of classes", planning.classes as f64, 1.0, |plan, number| plan.classes = number as u64),
                Aim::Rows => number("rows", "Rows that a data owner will have", planning.rows as f64, 1000.0, |plan, number| plan.rows = number as u64),
                Aim::P => number("p", "p of the plan", planning.p, 0.001, |plan, number| plan.p = number),
            } }
            <NumberField label="smoothing" name="Smoothing, in rows" value={planning.smoothing} step={1.0} unit="rows" onleave={Callback::noop()}
                ontype={handle.changing(|linkage, rows: f64| linkage.plan.smoothing = rows)} />
            { says("faint", "How many rows it is worth that values are independent of quasi-identifiers, in the estimate of P(Q,S).") }
            <p class="actions"><button class="btn p" disabled={handle.state.task.is_some()} {onclick}>{ "Make the plan" }</button></p>
        </section>
    }
}

fn chosen_sensitive(planning: &Planning, sensitive: &[String]) -> Option<String> {
    let chosen = planning.sensitive.as_ref().filter(|name| sensitive.contains(name));
    chosen.or(sensitive.first()).cloned()
}

fn make(handle: &Handle, loaded: &Loaded, quasi: &[String], sensitive: &[String]) {
    let planning = &handle.state.linkage.plan;
    let settings = PlanSettings {
        order: ordered(&planning.order, quasi),
        sensitive: chosen_sensitive(planning, sensitive),
        l: planning.l,
        delta: planning.delta,
        wish: match planning.aim {
            Aim::TableRows => None,
            Aim::Classes => Some(Wish::Classes(planning.classes)),
            Aim::Rows => Some(Wish::Rows(planning.rows)),
            Aim::P => Some(Wish::P(planning.p)),
        },
        smoothing: planning.smoothing,
    };
    let title = format!("Making a plan from {}", loaded.summary.name);
    handle.ask_linkage(title, Request::MakePlan(settings), Vec::new(), |linkage, outcome| linkage.planned(outcome));
}

/// The quasi-identifiers: those that were put in order, then the others.
fn ordered(order: &[String], quasi: &[String]) -> Vec<String> {
    let mut all: Vec<String> = order.iter().filter(|name| quasi.contains(name)).cloned().collect();
    all.extend(quasi.iter().filter(|name| !order.contains(name)).cloned());
    all
}

#[derive(Properties, PartialEq)]
struct OrderProps {
    quasi: Vec<String>,
}

/// The order of the quasi-identifiers, changed by buttons or by dragging.
#[component]
fn Order(OrderProps { quasi }: &OrderProps) -> Html {
    let handle = use_handle();
    let dragged = use_state(|| None::<usize>);
    let all = ordered(&handle.state.linkage.plan.order, quasi);
    let moved = |from: usize, to: usize| {
        let mut all = all.clone();
        let name = all.remove(from);
        all.insert(to.min(all.len()), name);
        all
    };
    let entry = |(place, name): (usize, &String)| {
        let button = |to: usize, words: &'static str, mark: &'static str, off: bool| {
            let next = moved(place, to);
            let onclick = handle.changing(move |linkage, _: MouseEvent| linkage.plan.order.clone_from(&next));
            html! { <button class="btn tiny" disabled={off} {onclick} aria-label={format!("{name} {words}")}>{ mark }</button> }
        };
        let ondragstart = {
            let dragged = dragged.clone();
            Callback::from(move |event: DragEvent| {
                if let Some(transfer) = event.data_transfer() {
                    // Without data, some browsers don't start.
                    let _ = transfer.set_data("text/plain", "");
                }
                dragged.set(Some(place));
            })
        };
        let ondragover = Callback::from(|event: DragEvent| event.prevent_default());
        let ondrop = {
            let next = dragged.map(|from| moved(from, place));
            let (handle, dragged) = (handle.clone(), dragged.clone());
            Callback::from(move |event: DragEvent| {
                event.prevent_default();
                if let Some(next) = next.clone() {
                    handle.change(move |linkage| linkage.plan.order = next);
                }
                dragged.set(None);
            })
        };
        html! {
            <li key={name.clone()} draggable="true" class={classes!((*dragged == Some(place)).then_some("dragged"))} {ondragstart} {ondragover} {ondrop}>
                <span class="grip" aria-hidden="true">{ "⠿" }</span><span class="name">{ name }</span>
                { button(place.saturating_sub(1), "earlier", "↑", place == 0) }
                { button(place + 1, "later", "↓", place + 1 == all.len()) }
            </li>
        }
    };
    html! {
        <>
            { says("faint", "Classes are neighbours in this order: what comes first is kept apart best.") }
            <ol class="order" aria-label="Order of the quasi-identifiers">{ for all.iter().enumerate().map(entry) }</ol>
        </>
    }
}

#[component]
fn Load() -> Html {
    let handle = use_handle();
    let onfiles = {
        let handle = handle.clone();
        Callback::from(move |files: Vec<File>| {
            let Some(file) = files.into_iter().next() else { return };
            let handle = handle.clone();
            wasm_bindgen_futures::spawn_local(async move {
                let text = wasm_bindgen_futures::JsFuture::from(file.text()).await;
                let text = text.ok().and_then(|text| text.as_string()).unwrap_or_default();
                let name = file.name();
                handle.ask_linkage(
                    "Loading the plan",
                    Request::LoadPlan { text },
                    Vec::new(),
                    move |linkage, outcome| {
                        linkage.planned(outcome.map_err(|failure| failure.in_file(&name)));
                    },
                );
            });
        })
    };
    let onfail = handle.changing(|linkage, failure| linkage.plan.failure = Some(failure));
    html! {
        <section class="panel">
            <h2>{ "Or load one" }</h2>
            <p>{ "The plan that all data owners agreed on." }</p>
            <p class="actions"><DropZone small=true {onfiles} {onfail} disabled={handle.state.task.is_some()} label="Load a plan"><span class="btn">{ "Load a plan…" }</span></DropZone></p>
        </section>
    }
}

fn shown(handle: &Handle, plan: &PlanView) -> Html {
    let text = plan.text.clone();
    let save =
        handle.send.reform(move |_: MouseEvent| Message::Save { name: "throng.plan.json".into(), text: text.clone() });
    let order = plan.columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    let row = |(number, cells): (usize, &Vec<String>)| {
        html! {
            <tr><th scope="row" class="n">{ grouped(number as u64 + 1) }</th>{ for cells.iter().map(|cell| html! { <td title={cell.clone()}>{ cell }</td> }) }</tr>
        }
    };
    let made = plan.made.as_ref().map(|made| {
        format!(
            "Estimated from {} with {} and {}. For this p there can be at most {} classes; with the number that there are instead of this bound, {} rows would do.",
            counted(made.rows, "row"), counted(made.quasi, "quasi-identifier"), counted(made.values, "sensitive value"),
            grouped(made.classes_at_most.floor() as u64), grouped(made.needed_by_classes.ceil() as u64),
        )
    });
    html! {
        <>
            <section class="row c4" aria-label="The plan in short">
                { stat("ok", grouped(plan.classes), "classes".into()) }
                { stat("", grouped(plan.rows), "rows that each data owner waits for (N)".into()) }
                { stat("", format!("({}, {})", plan.l, figure(plan.delta)), format!("(ℓ, δ) for {}", plan.sensitive)) }
                { stat("", small(plan.p), "p: the least probability of ℓ values in each class".into()) }
            </section>
            <section class="panel flush">
                <div class="tools"><b>{ "Its classes" }</b><span>{ format!("in the order {order}") }</span><span class="grow" />{ button("btn small p", "Save the plan", save) }</div>
                <div class="scroll tall" tabindex="0" role="region" aria-label="Classes of the plan">
                    <table class="data"><thead><tr><th scope="col" class="n">{ "class" }</th>{ for plan.columns.iter().map(|(name, values)| html! { <th scope="col">{ name }<small>{ counted(*values, "value") }</small></th> }) }</tr></thead>
                        <tbody>{ for plan.shown.iter().enumerate().map(row) }</tbody></table>
                </div>
                <p class="foot">
                    if plan.classes > plan.shown.len() as u64 { { format!("The first {} of {}. ", grouped(plan.shown.len() as u64), grouped(plan.classes)) } }
                    { made.unwrap_or_else(|| "Loaded: it says nothing of the people that it was made from.".into()) }
                </p>
            </section>
        </>
    }
}
