//! The sequential sweep of a small table, step by step: which rows meet in which class, who leaves, who stays.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::components::says;
use crate::app::state::Ran;
use crate::run::{Happened, SweepStep, SweepSteps};
use crate::words::{figure, grouped};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub run: Ran,
}

/// Where a row is by now.
#[derive(Clone, PartialEq)]
enum Place {
    OnTheWay,
    In(Vec<String>),
}

#[component]
pub fn SweepPanel(Props { run }: &Props) -> Html {
    let at = use_state(|| 0usize);
    {
        let at = at.clone();
        use_effect_with(run.number, move |_| at.set(0));
    }
    let Some(view) = &run.view.sweep else { return Html::default() };
    let thinned = view.thinned.then_some(" Levels were left out, because their combinations are too many.");
    let Some(steps) = &view.steps else {
        return html! { <section class="panel"><h2>{ "The sweep" }</h2><p class="soft">{ "It can be watched step by step on tables of at most 60 rows." }{ thinned }</p></section> };
    };
    let last = steps.steps.len().saturating_sub(1);
    let now = (*at).min(last);
    let go = |to: usize| {
        let at = at.clone();
        Callback::from(move |_: MouseEvent| at.set(to))
    };
    let slide = {
        let at = at.clone();
        Callback::from(move |event: InputEvent| {
            at.set(event.target_unchecked_into::<HtmlInputElement>().value().parse().unwrap_or(0));
        })
    };
    let Some(step) = steps.steps.get(now) else { return Html::default() };
    html! {
        <section class="panel sweep">
            <h2>{ "The sweep, step by step" }</h2>
            <p class="soft">{ format!("Rows go through ever coarser classes, by {} combinations of levels, and stay in the first that holds. Rows that are alone in a class just go on.", grouped(steps.vectors.len() as u64)) }
                { if steps.cut { " Later steps are not listed." } else { "" } }</p>
            <div class="replay">
                <button class="btn small" disabled={now == 0} onclick={go(now.saturating_sub(1))} aria-label="Sweep step before">{ "‹" }</button>
                <input type="range" min="0" max={last.to_string()} value={now.to_string()} oninput={slide} aria-label="Step of the sweep" aria-valuetext={format!("step {} of {}", now + 1, last + 1)} />
                <button class="btn small" disabled={now == last} onclick={go(now + 1)} aria-label="Next sweep step">{ "›" }</button>
                <span>{ format!("step {} of {}", now + 1, grouped(steps.steps.len() as u64)) }</span>
            </div>
            <div class="replay-words" aria-live="polite">{ words(step) }</div>
            { table(steps, now) }
            <details class="formula"><summary>{ "The order of classes" }</summary>
                { says("soft", &format!("Levels of {}, the root's being 0, with what a class of them retains.", steps.names[..steps.names.len() - 1].join(", "))) }
                <p class="vectors">{ for steps.vectors.iter().map(vector) }</p>
            </details>
        </section>
    }
}

fn vector((information, levels): &(f64, Vec<u16>)) -> Html {
    let levels: Vec<String> = levels.iter().map(u16::to_string).collect();
    html! { <span class="chip">{ format!("{} · {}", levels.join(" "), figure(*information)) }</span> }
}

/// What a step did.
fn words(step: &SweepStep) -> Html {
    let one = step.rows.len() == 1;
    let rows: Vec<String> = step.rows.iter().take(20).map(|row| (row + 1).to_string()).collect();
    let more = if step.rows.len() > 20 { ", …" } else { "" };
    let who = format!("{} {}{more}", if one { "Row" } else { "Rows" }, rows.join(", "));
    let class = html! { <code>{ step.class.join(", ") }</code> };
    match &step.event {
        Happened::Met if one => html! { <p>{ who }{ " comes to " }{ class }{ "." }</p> },
        Happened::Met => html! { <p>{ who }{ " meet in " }{ class }{ "." }</p> },
        Happened::Passed => {
            html! { <p>{ who }{ if one { " comes to " } else { " meet in " } }{ class }{ if one { " and goes on" } else { " and all go on" } }{ ": it would not hold." }</p> }
        }
        Happened::Left => {
            html! { <p>{ who }{ if one { " leaves " } else { " leave " } }{ class }{ " for the next class: with more rows of so frequent a value it would not hold." }</p> }
        }
        Happened::Stayed => {
            html! { <p>{ who }{ if one { " stays in " } else { " stay in " } }{ class }{ ": it holds." }</p> }
        }
        Happened::Joined => {
            html! { <p>{ who }{ if one { " joins " } else { " join " } }{ class }{ ", which needs them to hold." }</p> }
        }
        Happened::Generalized { from, to } => html! {
            <p>{ who }{ if one { " shows " } else { " show " } }<code>{ to }</code>{ " instead of " }<code>{ from }</code>{ if step.class.is_empty() { ": as they are, even all rows together would not hold." } else { ", so that the last class holds." } }</p>
        },
    }
}

/// All rows, where each is after the steps so far, and those of the last step.
fn table(steps: &SweepSteps, now: usize) -> Html {
    let shown_at = steps.names.len() - 1;
    let mut rows: Vec<(Place, String)> =
        steps.rows.iter().map(|row| (Place::OnTheWay, row[shown_at].clone())).collect();
    for step in &steps.steps[..=now] {
        for &row in &step.rows {
            let Some((place, shown)) = rows.get_mut(row as usize) else { continue };
            match &step.event {
                Happened::Stayed | Happened::Joined => *place = Place::In(step.class.clone()),
                Happened::Generalized { to, .. } => shown.clone_from(to),
                Happened::Met | Happened::Left | Happened::Passed => {}
            }
        }
    }
    let step = &steps.steps[now];
    let row = |(number, (cells, (place, shown))): (usize, (&Vec<String>, &(Place, String)))| {
        let touched = step.rows.contains(&(number as u32));
        let cell = |(column, before): (usize, &String)| {
            let after = match place {
                Place::In(class) => class.get(column).unwrap_or(before),
                Place::OnTheWay => before,
            };
            let after = if column == shown_at { shown } else { after };
            if before == after {
                html! { <td>{ before }</td> }
            } else {
                html! { <td><s>{ before }</s>{ " " }<b>{ after }</b></td> }
            }
        };
        let state = match (place, touched, &step.event) {
            (_, true, Happened::Met) => "meets",
            (_, true, Happened::Left | Happened::Passed) => "goes on",
            (Place::In(_), ..) => "in its class",
            (Place::OnTheWay, ..) => "on its way",
        };
        html! {
            <tr class={classes!(touched.then_some("on"), matches!(place, Place::In(_)).then_some("in"))}>
                <td class="n">{ number + 1 }</td>{ for cells.iter().enumerate().map(cell) }<td class="state">{ state }</td></tr>
        }
    };
    html! {
        <div class="scroll sweep-rows" tabindex="0" role="region" aria-label="Rows in the sweep">
            <table class="data"><thead><tr><th scope="col">{ "row" }</th>{ for steps.names.iter().map(|name| html! { <th scope="col">{ name }</th> }) }<th scope="col">{ "now" }</th></tr></thead>
                <tbody>{ for steps.rows.iter().zip(&rows).enumerate().map(row) }</tbody></table>
        </div>
    }
}
