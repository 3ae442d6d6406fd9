//! Composition beside what happens: t releases of the plan fail with a probability of at most tδ; simulated releases of
//! the plan and of anonymizers that look at each table are linked to see.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::charts::Plot;
use crate::app::components::{FailureBox, NumberField, Slider, heads, says};
use crate::app::use_handle;
use crate::linkage::calculator::Curve;
use crate::linkage::simulate::{Anonymizer, SimulatedView, SimulationView};
use crate::protocol::Request;
use crate::words::{counted, figure, grouped, percent};

fn name(anonymizer: Anonymizer) -> &'static str {
    match anonymizer {
        Anonymizer::Plan => "the plan",
        Anonymizer::Contiguous => "neighbours, for each table anew",
        Anonymizer::Mondrian => "Mondrian",
        Anonymizer::KMember => "k-member",
    }
}

#[component]
pub fn SimulatePanel() -> Html {
    let handle = use_handle();
    let planning = &handle.state.linkage.plan;
    let Some(plan) = &planning.plan else { return Html::default() };
    let settings = &planning.simulate;
    let onclick = {
        let (handle, settings) = (handle.clone(), settings.clone());
        Callback::from(move |_: MouseEvent| {
            handle.ask_linkage(
                "Simulating releases",
                Request::Simulate(settings.clone()),
                Vec::new(),
                |linkage, outcome| linkage.simulated(outcome),
            );
        })
    };
    let tick = |&anonymizer: &Anonymizer| {
        let checked = settings.anonymizers.contains(&anonymizer);
        let onchange = handle.changing(move |linkage, event: Event| {
            let on = event.target_unchecked_into::<HtmlInputElement>().checked();
            let chosen = &mut linkage.plan.simulate.anonymizers;
            // In one order, so that each keeps its colour.
            let wanted = |other: &&Anonymizer| if **other == anonymizer { on } else { chosen.contains(other) };
            *chosen = Anonymizer::ALL.iter().filter(wanted).copied().collect();
        });
        html! { <label class="field"><input type="checkbox" {checked} {onchange} />{ name(anonymizer) }</label> }
    };
    let ready = handle.state.loaded.is_some() && handle.state.task.is_none() && !settings.anonymizers.is_empty();
    html! {
        <section class="panel simulate">
            <h2>{ "Composition, and what happens" }</h2>
            <p>{ format!("t releases of this plan, linked, keep ({}, t·{})-diversity: they fail with a probability of at most t·δ. To see it, t tables of {} each are drawn like the open one, released in different ways, and linked.",
                plan.l, figure(plan.delta), counted(settings.rows.unwrap_or(plan.rows), "row")) }</p>
            <div class="sliders">
                <Slider label="releases t" value={f64::from(settings.releases)} least={1.0} most={8.0} onset={handle.changing(|linkage, t: f64| linkage.plan.simulate.releases = t as u32)} />
                <Slider label="trials" value={f64::from(settings.trials)} least={5.0} most={500.0} step={5.0} onset={handle.changing(|linkage, trials: f64| linkage.plan.simulate.trials = trials as u32)} />
                <Slider label="people in all tables" value={f64::from(settings.common)} least={0.0} most={50.0} onset={handle.changing(|linkage, people: f64| linkage.plan.simulate.common = people as u32)} />
            </div>
            <div class="fields">
                { for Anonymizer::ALL.iter().map(tick) }
                <NumberField label="seed" name="Seed of the simulation" value={settings.seed as f64} onleave={Callback::noop()}
                    ontype={handle.changing(|linkage, seed: f64| linkage.plan.simulate.seed = seed as u64)} />
                <span class="grow" />
                <button class="btn p" disabled={!ready} {onclick}>{ "Simulate" }</button>
            </div>
            if let Some(failure) = planning.simulate_failure.clone() {
                <FailureBox {failure} ondismiss={handle.changing(|linkage, ()| linkage.plan.simulate_failure = None)} />
            }
            if let Some(view) = &planning.simulated { { shown(view) } }
        </section>
    }
}

fn shown(view: &SimulationView) -> Html {
    let rate = |failed: u64| failed as f64 / view.trials.max(1) as f64;
    let mut curves: Vec<Curve> = view
        .results
        .iter()
        .map(|result| Curve {
            name: name(result.anonymizer).into(),
            points: result.by_releases.iter().map(|by| (f64::from(by.releases), rate(by.failed))).collect(),
        })
        .collect();
    if let Some(first) = view.results.first() {
        let points = first.by_releases.iter().map(|by| (f64::from(by.releases), by.allowed)).collect();
        curves.push(Curve { name: "tδ, allowed to the plan".into(), points });
    }
    let row = |result: &SimulatedView| {
        let Some(last) = result.by_releases.last() else { return Html::default() };
        let within = rate(last.failed) <= last.allowed;
        html! {
            <tr><th scope="row">{ name(result.anonymizer) }</th>
                <td class={classes!("n", if within { "ok-text" } else { "bad-text" })}>{ percent(rate(last.failed)) }</td>
                <td class="n">{ percent(rate(last.exposed)) }</td>
                <td class="n">{ if last.people > 0 { format!("{} of {}", grouped(last.people_below), grouped(last.people)) } else { "–".into() } }</td></tr>
        }
    };
    let releases = view.results.first().map_or(0, |result| result.by_releases.len());
    html! {
        <div class="row c2 simulated" role="status">
            <Plot title={format!("Trials with a person below ℓ = {}", view.l)} x="releases t" y="share of trials" shares=true {curves} />
            <div>
                <h2>{ format!("After {}", counted(releases as u64, "release")) }</h2>
                <table class="achieved pair">{ heads("released by | #failed | #exposed | #people below ℓ") }
                    <tbody>{ for view.results.iter().map(row) }</tbody></table>
                { says("faint", &format!("{} of {} each. Failed: somebody who can be in all tables is left with fewer than ℓ = {} values; exposed: with one.", counted(view.trials, "trial"), counted(view.rows, "row"), view.l)) }
            </div>
        </div>
    }
}
