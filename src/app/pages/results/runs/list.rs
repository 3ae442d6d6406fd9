//! The list of runs: open, change, name, pin and delete them.

use std::collections::BTreeSet;

use yew::prelude::*;

use super::asked;
use crate::app::components::{TextField, heads};
use crate::app::runs::Kept;
use crate::app::state::Loaded;
use crate::app::{Message, use_handle};
use crate::words::{figure, grouped};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub loaded: Loaded,
    pub ticked: BTreeSet<u32>,
    pub tick: Callback<u32>,
}

#[component]
pub fn RunList(Props { loaded, ticked, tick }: &Props) -> Html {
    let handle = use_handle();
    let busy = handle.state.task.is_some();
    let open = loaded.run.as_ref().map(|run| run.number);
    let change = |change: fn(&mut Loaded, usize), number: u32| {
        handle.send.reform(move |_: MouseEvent| {
            Message::Runs(Box::new(move |loaded| {
                if let Some(place) = loaded.runs.iter().position(|kept| kept.ran.number == number) {
                    change(loaded, place);
                }
            }))
        })
    };
    let row = |kept: &Kept| {
        let (view, number) = (&kept.ran.view, kept.ran.number);
        let rename = handle.send.reform(move |name: String| {
            Message::Runs(Box::new(move |loaded| {
                if let Some(kept) = loaded.runs.iter_mut().find(|kept| kept.ran.number == number) {
                    kept.name = name;
                }
            }))
        });
        let on = open == Some(number);
        let open_word = if on { "See" } else { "Open" };
        html! {
            <tr key={number} class={classes!(on.then_some("on"))}>
                <td class="tick"><input type="checkbox" checked={ticked.contains(&number)} onchange={tick.reform(move |_| number)} aria-label={format!("Compare run {number}")} /></td>
                <td class="n">{ number }</td>
                <td><TextField class="run-name" value={kept.name.clone()} onchange={rename} name={format!("Name of run {number}")} /></td>
                <td class="soft">{ asked(view) }</td>
                <td class="n">{ grouped(view.verified.classes) }</td>
                <td class="n">{ grouped(view.verified.suppressed) }</td>
                <td class="n">{ figure(view.metrics.loss) }</td>
                <td class="n">{ format!("{} ms", figure(view.milliseconds[0].round())) }</td>
                <td class="run-acts">
                    <button class="btn small" disabled={busy} onclick={handle.send.reform(move |_| Message::OpenRun(number))} aria-label={format!("{open_word} run {number}")}>{ open_word }</button>
                    <button class="btn small" disabled={busy} onclick={handle.send.reform(move |_| Message::UsePolicy(number))} title="Puts this run’s policy back, to change it" aria-label={format!("Change the policy of run {number}")}>{ "Change" }</button>
                    <button class="btn small" aria-pressed={kept.pinned.to_string()} onclick={change(pin, number)} title="Keep it on top" aria-label={format!("Pin run {number}")}>{ if kept.pinned { "★" } else { "☆" } }</button>
                    <button class="btn small" disabled={kept.pinned || on} onclick={change(delete, number)} title="Delete" aria-label={format!("Delete run {number}")}>{ "✕" }</button>
                </td>
            </tr>
        }
    };
    // Pinned ones first, then the newest.
    let pinned = loaded.runs.iter().rev().filter(|kept| kept.pinned);
    let others = loaded.runs.iter().rev().filter(|kept| !kept.pinned);
    html! {
        <div class="scroll tall" tabindex="0" role="region" aria-label="Runs">
            <table class="list-table">
                { heads("(compare) | #run | name | asked for | #classes | #left out | #loss | #search | (what to do)") }
                <tbody>{ for pinned.chain(others).map(row) }</tbody>
            </table>
        </div>
    }
}

fn pin(loaded: &mut Loaded, place: usize) {
    loaded.runs[place].pinned ^= true;
}

fn delete(loaded: &mut Loaded, place: usize) {
    loaded.deleted = Some((place, loaded.runs.remove(place)));
}

/// Undoes the last deletion.
pub fn bring_back(loaded: &mut Loaded) {
    if let Some((place, kept)) = loaded.deleted.take() {
        loaded.runs.insert(place.min(loaded.runs.len()), kept);
    }
}
