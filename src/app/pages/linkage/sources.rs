//! Where the releases come from: files, the paper's two hospitals, or the open table cut in parts.

use web_sys::{File, HtmlInputElement};
use yew::prelude::*;

use super::state::{Attack, Sources};
use crate::app::components::{DropZone, NumberField, Slider, button};
use crate::app::state::Step;
use crate::app::{Handle, go, use_handle};
use crate::linkage::door::LinkQuestion;
use crate::protocol::Request;
use crate::table::Role;
use crate::words::{counted, percent};

/// Links the sources; `roles` are what a person says that columns are.
pub fn link(handle: &Handle, sources: Sources, roles: Vec<(String, Role)>) {
    let attack = &handle.state.linkage.attack;
    let has_table = handle.state.loaded.is_some();
    let (title, request, files) = match &sources {
        Sources::Split(question) => (
            "Cutting the table, anonymizing its parts and linking them",
            Request::LinkSplit(question.clone()),
            Vec::new(),
        ),
        Sources::Hospitals => {
            let samples = vec!["hospital-a".to_owned(), "hospital-b".to_owned()];
            ("Linking", Request::Link(LinkQuestion { samples, roles, ..LinkQuestion::default() }), Vec::new())
        }
        Sources::Files(files) => {
            let question = LinkQuestion {
                samples: Vec::new(),
                original: attack.original && has_table,
                setup: attack.setup && has_table,
                sensitive: Some(attack.sensitive.trim().to_owned()).filter(|name| !name.is_empty() && roles.is_empty()),
                roles,
                plan: attack.plan && handle.state.linkage.plan.plan.is_some(),
            };
            ("Linking", Request::Link(question), files.clone())
        }
    };
    handle.ask_linkage(title, request, files, move |linkage, outcome| linkage.linked(sources, outcome));
}

/// Takes files in, and links as soon as there are two releases.
pub fn take(handle: &Handle, arrived: Vec<File>) {
    let mut files = handle.state.linkage.attack.files.clone();
    files.extend(arrived);
    let releases = files.iter().filter(|file| !file.name().ends_with(".json")).count();
    let kept = files.clone();
    handle.change(move |linkage| {
        linkage.attack.files = kept;
        linkage.attack.failure = None;
    });
    if releases >= 2 {
        link(handle, Sources::Files(files), Vec::new());
    }
}

/// Nothing is linked yet.
#[component]
pub fn SourcesPart() -> Html {
    let handle = use_handle();
    let attack = &handle.state.linkage.attack;
    let busy = handle.state.task.is_some();
    let onfiles = {
        let handle = handle.clone();
        Callback::from(move |files| take(&handle, files))
    };
    let onfail = handle.changing(|linkage, failure| linkage.attack.failure = Some(failure));
    let hospitals = {
        let handle = handle.clone();
        Callback::from(move |_: MouseEvent| link(&handle, Sources::Hospitals, Vec::new()))
    };
    html! {
        <>
            <div class="row link-start">
                <DropZone {onfiles} {onfail} disabled={busy} label="Choose releases to link">
                    <svg width="46" height="40" viewBox="0 0 46 40" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2">
                        <circle cx="17" cy="20" r="12" /><circle cx="29" cy="20" r="12" />
                    </svg>
                    <b>{ "Drop two or more releases here" }</b>
                    <span>{ "or " }<span class="btn p">{ "Choose files" }</span></span>
                    <small>{ "Anonymized tables of any tool: values, 20-29, [20, 30[, 1305*, {a, b}, >=40 and * are understood. A policy with its hierarchies, or the plan they were made by, may come along." }</small>
                </DropZone>
                <section class="panel">
                    <h2>{ "The paper's two hospitals" }</h2>
                    <p>{ "Table 2 of the (ℓ,δ)-diversity paper: two releases, each with two diagnoses or more in every class. One woman was treated in both." }</p>
                    <p class="actions"><button class="btn p" disabled={busy} onclick={hospitals}>{ "Link the two hospitals" }</button></p>
                </section>
                <Split />
            </div>
            <Files />
            <Options {busy} attack={attack.clone()} />
        </>
    }
}

#[component]
fn Split() -> Html {
    let handle = use_handle();
    let split = &handle.state.linkage.attack.split;
    let missing = match &handle.state.loaded {
        None => Some(("There is no table yet.", "Load a table", Step::Data)),
        Some(loaded) if loaded.setup.privacy.is_empty() => Some((
            "The policy says how each part is anonymized, and asks for nothing yet.",
            "Go to Policy",
            Step::Policy,
        )),
        Some(_) => None,
    };
    let onclick = {
        let (handle, split) = (handle.clone(), split.clone());
        Callback::from(move |_: MouseEvent| link(&handle, Sources::Split(split.clone()), Vec::new()))
    };
    html! {
        <section class="panel">
            <h2>{ "Your own table, published by several" }</h2>
            <p>{ "Cut into parts that share some people; each is anonymized by your policy, then all are linked." }</p>
            if let Some((why, way, step)) = missing {
                <p class="actions"><span class="soft">{ why }</span>{ button("btn", way, go(&handle.send, step)) }</p>
            } else {
                <div class="sliders">
                    <Slider label="parts" value={f64::from(split.parts)} least={2.0} most={8.0} onset={handle.changing(|linkage, parts: f64| linkage.attack.split.parts = parts as u32)} />
                    <Slider label="people in all parts" value={(split.overlap * 100.0).round()} shown={percent(split.overlap)} least={1.0} most={100.0}
                        onset={handle.changing(|linkage, share: f64| linkage.attack.split.overlap = share / 100.0)} />
                </div>
                <p class="actions">
                    <NumberField label="seed" name="Seed of the cut" value={split.seed as f64} onleave={Callback::noop()}
                        ontype={handle.changing(|linkage, seed: f64| linkage.attack.split.seed = seed as u64)} />
                    <button class="btn p" disabled={handle.state.task.is_some()} {onclick}>{ "Cut and link" }</button>
                </p>
            }
        </section>
    }
}

/// Files that came so far.
#[component]
fn Files() -> Html {
    let handle = use_handle();
    let files = &handle.state.linkage.attack.files;
    if files.is_empty() {
        return Html::default();
    }
    let again = {
        let (handle, files) = (handle.clone(), files.clone());
        Callback::from(move |_: MouseEvent| link(&handle, Sources::Files(files.clone()), Vec::new()))
    };
    let chip = |(place, file): (usize, &File)| {
        let remove = handle.changing(move |linkage, _: MouseEvent| {
            if place < linkage.attack.files.len() {
                linkage.attack.files.remove(place);
            }
        });
        html! { <button class="chip pick" onclick={remove} aria-label={format!("{} remove", file.name())}>{ file.name() }<span aria-hidden="true">{ "×" }</span></button> }
    };
    html! {
        <div class="fields">
            { for files.iter().enumerate().map(chip) }
            if files.len() < 2 { <span class="soft">{ "One more release, and they can be linked." }</span> }
            else { <button class="btn small p" disabled={handle.state.task.is_some()} onclick={again}>{ format!("Link {}", counted(files.len() as u64, "file")) }</button> }
        </div>
    }
}

#[derive(Properties, PartialEq)]
pub struct OptionsProps {
    attack: Attack,
    busy: bool,
}

/// What is known of the files beside what they say.
#[component]
fn Options(OptionsProps { attack, busy }: &OptionsProps) -> Html {
    let handle = use_handle();
    let tick = |label: String, checked: bool, set: fn(&mut Attack, bool)| {
        let onchange = handle.changing(move |linkage, event: Event| {
            set(&mut linkage.attack, event.target_unchecked_into::<HtmlInputElement>().checked());
        });
        html! { <label class="field"><input type="checkbox" disabled={*busy} {checked} {onchange} />{ label }</label> }
    };
    let table = handle.state.loaded.as_ref().map(|loaded| loaded.summary.name.clone());
    let sensitive = handle.changing(|linkage, event: InputEvent| {
        linkage.attack.sensitive = event.target_unchecked_into::<HtmlInputElement>().value();
    });
    html! {
        <details class="panel roles" open={attack.failure.is_some()}>
            <summary>{ "What is known of dropped files" }</summary>
            <div class="fields">
                <label class="field">{ "sensitive column" }<input class="long" placeholder="found out" value={attack.sensitive.clone()} oninput={sensitive} /></label>
                if let Some(table) = table {
                    { tick(format!("roles and hierarchies are those of {table}"), attack.setup, |attack, on| attack.setup = on) }
                    { tick(format!("{table} is the original: link its people"), attack.original, |attack, on| attack.original = on) }
                }
                if handle.state.linkage.plan.plan.is_some() {
                    { tick("the attacker has the plan".into(), attack.plan, |attack, on| attack.plan = on) }
                }
            </div>
        </details>
    }
}
