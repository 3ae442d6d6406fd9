//! One number of the policy changed step by step, and what that does to any measure.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::{Props, file};
use crate::app::charts::Plot;
use crate::app::components::{NumberField, button, failed, option, says};
use crate::app::pages::run::{algorithm_title, applicable, unready};
use crate::app::runs::Job;
use crate::app::{Message, use_handle};
use crate::compare::{Axis, Line, Measure, RISKS, csv, measures};
use crate::linkage::calculator::Curve;
use crate::words::counted;

#[component]
pub fn Steps(Props { loaded }: &Props) -> Html {
    let handle = use_handle();
    let demands: Vec<_> = loaded.setup.privacy.iter().map(|view| view.demand.clone()).collect();
    let axes: Vec<Axis> = Axis::ALL.into_iter().filter(|axis| axis.applies(&demands)).collect();
    let axis = use_state(|| None::<Axis>);
    let now = axis.filter(|axis| axes.contains(axis)).or(axes.first().copied()).unwrap_or(Axis::SuppressionLimit);
    let range = use_state(|| None::<(f64, f64, f64)>);
    let (from, to, by) = range.unwrap_or(now.usual());
    let every = use_state(|| false);
    let measure = use_state(|| RISKS.len());
    let place = |event: &Event| event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize;
    let choose_axis = {
        let (axis, range, axes) = (axis.clone(), range.clone(), axes.clone());
        Callback::from(move |event: Event| {
            axis.set(axes.get(place(&event)).copied());
            range.set(None);
        })
    };
    let choose_measure = {
        let measure = measure.clone();
        Callback::from(move |event: Event| measure.set(place(&event)))
    };
    let set = |part: usize| {
        let range = range.clone();
        Callback::from(move |number: f64| {
            let mut next = [from, to, by];
            next[part] = number;
            range.set(Some((next[0], next[1], next[2])));
        })
    };
    let values = now.values(from, to, by);
    let blocked = handle.state.task.is_some() || unready(loaded).is_some();
    let algorithms = if *every { applicable(loaded) } else { vec![loaded.setup.algorithm.clone()] };
    let begin = {
        let (values, algorithms) = (values.clone().unwrap_or_default(), algorithms.clone());
        handle.send.reform(move |_: MouseEvent| Message::Compare {
            algorithms: algorithms.clone(),
            sweep: Some((now, values.clone())),
        })
    };
    let toggle = {
        let every = every.clone();
        Callback::from(move |_: Event| every.set(!*every))
    };
    let all: Vec<&Measure> = measures().collect();
    let chosen = (*measure).min(all.len() - 1);
    let shown = all[chosen];
    let jobs: Vec<Job> = loaded.swept.as_ref().map(|batch| (*batch.jobs).clone()).unwrap_or_default();
    let save = {
        let (jobs, loaded) = (jobs.clone(), loaded.clone());
        handle.send.reform(move |_: MouseEvent| {
            let line = |job: &'_ Job| job.outcome.as_ref().map(|_| job.clone());
            let done: Vec<Job> = jobs.iter().filter_map(line).collect();
            let mut lines = Vec::new();
            for job in &done {
                if let Some(outcome) = &job.outcome {
                    let name = job.variant.algorithm.name();
                    lines.push(Line { name, at: job.variant.at, outcome: outcome.as_ref().map(|view| &**view) });
                }
            }
            Message::Save { name: file(&loaded, "sweep.csv"), text: csv(&lines) }
        })
    };
    let without = jobs.iter().filter(|job| matches!(job.outcome, Some(Err(_)))).count();
    let swept = jobs.first().and_then(|job| job.variant.at).map(|(axis, _)| axis.title());
    html! {
        <section class="panel swept">
            <div class="with-button"><h2>{ "One number, step by step" }</h2>
                if !jobs.is_empty() { { button("btn small", "Curves as CSV", save) } }</div>
            <p class="fields">
                <label class="field"><span class="sr-only">{ "Number to change" }</span><select onchange={choose_axis}>{ for axes.iter().map(|axis| option(*axis == now, axis.title())) }</select></label>
                <NumberField label="from" name="First value" value={from} step={by} ontype={set(0)} onleave={Callback::noop()} />
                <NumberField label="to" name="Last value" value={to} step={by} ontype={set(1)} onleave={Callback::noop()} />
                <NumberField label="by" name="Step" value={by} step={by} ontype={set(2)} onleave={Callback::noop()} />
                <label class="field"><input type="checkbox" checked={*every} onchange={toggle} />{ "every algorithm" }</label>
            </p>
            { match &values {
                Ok(values) => html! { <p><button class="btn" disabled={blocked} onclick={begin}>{ format!("Run {}", counted((values.len() * algorithms.len()) as u64, "step")) }</button></p> },
                Err(failure) => failed("warn", failure),
            } }
            if let Some(swept) = swept {
                <label class="field">{ "show" }<select onchange={choose_measure}>{ for all.iter().enumerate().map(|(place, measure)| option(place == chosen, measure.title)) }</select></label>
                <Plot title={format!("{} by {swept}", shown.title)} x={swept} y={shown.title} curves={curves(&jobs, shown)} />
                if without > 0 { { says("faint", &format!("{} gave no release; the CSV says why.", counted(without as u64, "step"))) } }
            }
        </section>
    }
}

/// One curve an algorithm.
fn curves(jobs: &[Job], measure: &Measure) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for job in jobs {
        let name = algorithm_title(&job.variant.algorithm);
        let value = job.outcome.as_ref().and_then(|outcome| (measure.of)(outcome.as_ref().ok()?));
        let (Some((_, at)), Some(value)) = (job.variant.at, value) else { continue };
        match curves.iter_mut().find(|curve| curve.name == name) {
            Some(curve) => curve.points.push((at, value)),
            None => curves.push(Curve { name, points: vec![(at, value)] }),
        }
    }
    curves
}
