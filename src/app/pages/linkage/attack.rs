//! The attack: releases linked, one person, everyone, and the worst that could be.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::everyone::Everyone;
use super::person::PersonPanel;
use super::sources::{SourcesPart, link, take};
use super::state::{Attack, Sources};
use super::worst_case::WorstCase;
use crate::app::components::{DropZone, FailureBox, button, heads, option, says};
use crate::app::use_handle;
use crate::linkage::link::{LinkView, ReleaseView};
use crate::linkage::releases::NotUnderstood;
use crate::table::Role;
use crate::words::{counted, grouped};

#[component]
pub fn AttackPart() -> Html {
    let handle = use_handle();
    let attack = &handle.state.linkage.attack;
    // A person taken from the list of those who are worst off.
    let picked = use_state(|| (0usize, 0u32));
    let onpick = {
        let picked = picked.clone();
        Callback::from(move |place: usize| picked.set((place, picked.1 + 1)))
    };
    let ondismiss = handle.changing(|linkage, ()| linkage.attack.failure = None);
    html! {
        <>
            if let Some(failure) = attack.failure.clone() { <FailureBox {failure} {ondismiss} /> }
            if let Some(view) = attack.linked.clone() {
                <PersonPanel key={attack.number} view={view.clone()} picked={*picked} />
                <Everyone view={view.clone()} {onpick} />
                <div class="row c2">
                    <Linked attack={attack.clone()} />
                    <WorstCase key={attack.number} values={view.values as u32} l={least(&view)} releases={view.releases.len() as u32} />
                </div>
            } else {
                <SourcesPart />
                <WorstCase values={10} l={7} releases={2} />
            }
        </>
    }
}

/// The least ℓ that a single release promises.
fn least(view: &LinkView) -> u32 {
    view.releases.iter().map(|release| release.l).min().unwrap_or(1)
}

#[derive(Properties, PartialEq)]
struct Props {
    attack: Attack,
}

/// What was linked, by what, and what could not be read.
#[component]
fn Linked(Props { attack }: &Props) -> Html {
    let handle = use_handle();
    let Some(view) = &attack.linked else { return Html::default() };
    let other = handle.changing(|linkage, _: MouseEvent| {
        let attack = &mut linkage.attack;
        (attack.linked, attack.sources, attack.failure) = (None, None, None);
        attack.files.clear();
    });
    let onfiles = {
        let handle = handle.clone();
        Callback::from(move |files| take(&handle, files))
    };
    let onfail = handle.changing(|linkage, failure| linkage.attack.failure = Some(failure));
    let release = |release: &ReleaseView| {
        html! {
            <tr><th scope="row">{ &release.name }</th><td class="n">{ grouped(release.rows) }</td><td class="n">{ grouped(release.left_out) }</td>
                <td class="n">{ grouped(release.classes) }</td><td class="n">{ release.k }</td><td class="n">{ release.l }</td></tr>
        }
    };
    html! {
        <section class="panel linked">
            <div class="with-button"><h2>{ "The releases" }</h2><span class="grow" />
                if matches!(attack.sources, Some(Sources::Files(_))) {
                    <DropZone small=true {onfiles} {onfail} label="Add a release" disabled={handle.state.task.is_some()}><span class="btn small">{ "Add a release" }</span></DropZone>
                }
                { button("btn small", "Link others", other) }</div>
            <div class="scroll" tabindex="0" role="region" aria-label="The releases">
                <table class="achieved pair">{ heads("release | #rows | #left out | #classes | #k | #ℓ") }
                    <tbody>{ for view.releases.iter().map(release) }</tbody></table>
            </div>
            { for view.not_understood.iter().map(not_understood) }
            if view.same_plan == Some(true) && !view.with_plan {
                { says("note warn", "They are of one plan, and what its classes show overlaps. Link them with the plan (drop its file, too) to see what somebody who has it learns.") }
            }
            if view.same_plan == Some(false) { { says("note warn", "They are of different plans, so their class numbers are not linked by.") } }
            if view.with_plan { <p class="note ok">{ "The attacker has the plan, and knows the class of everyone whose quasi-identifiers they know." }</p> }
            <h2 class="next">{ "Columns in common" }</h2>
            <Columns attack={attack.clone()} />
            if !view.only_in_some.is_empty() { { says("faint", &format!("Only in some releases, not linked by: {}.", view.only_in_some.join(", "))) } }
        </section>
    }
}

fn not_understood(lost: &NotUnderstood) -> Html {
    let first: Vec<String> = lost.first.iter().map(|row| grouped(*row)).collect();
    let more = if lost.rows > lost.first.len() as u64 { ", …" } else { "" };
    let rows = if lost.rows == 1 { "Row" } else { "Rows" };
    html! {
        { says("note warn", &format!("{}, column “{}”: {} not understood. {rows} {}{more} left out ({}).", lost.release, lost.column,
            counted(lost.cells, "cell"), first.join(", "), counted(lost.rows, "row"))) }
    }
}

/// What each common column is to the attack; a change links again.
#[component]
fn Columns(Props { attack }: &Props) -> Html {
    const ROLES: [(Role, &str); 3] =
        [(Role::Quasi, "known to the attacker"), (Role::Sensitive, "sensitive"), (Role::Insensitive, "not used")];
    let handle = use_handle();
    let (Some(view), Some(sources)) = (&attack.linked, &attack.sources) else { return Html::default() };
    let fixed = matches!(sources, Sources::Split(_)) || handle.state.task.is_some();
    let entry = |(place, (name, role)): (usize, &(String, Role))| {
        let (handle, sources, common) = (handle.clone(), sources.clone(), view.common.clone());
        let onchange = Callback::from(move |event: Event| {
            let choice = event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize;
            let role = ROLES[choice.min(2)].0;
            let mut roles = common.clone();
            // One column is looked at: the one before is known to the attacker from then on.
            for (_, other) in roles.iter_mut().filter(|(_, other)| role == Role::Sensitive && *other == role) {
                *other = Role::Quasi;
            }
            roles[place].1 = role;
            link(&handle, sources.clone(), roles);
        });
        html! {
            <label class="field">{ name }
                <select class="small" disabled={fixed} aria-label={format!("What {name} is")} {onchange}>
                    { for ROLES.iter().map(|(other, words)| option(other == role, words)) }
                </select></label>
        }
    };
    html! { <div class="fields">{ for view.common.iter().enumerate().map(entry) }</div> }
}
