//! The diversity constraints after a run: the rows that show each group, before and after, and without the constraints.

use yew::prelude::*;

use crate::app::state::Ran;
use crate::app::use_handle;
use crate::failure::Failure;
use crate::protocol::{Request, Response};
use crate::run::{ConstraintRun, Unconstrained};
use crate::words::{figure, grouped};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub run: Ran,
}

const WIDTH: f64 = 220.0;

#[component]
pub fn ConstraintsPanel(Props { run }: &Props) -> Html {
    let handle = use_handle();
    let plain = use_state(|| None::<Result<Unconstrained, Failure>>);
    let asking = use_state(|| false);
    {
        let (plain, asking) = (plain.clone(), asking.clone());
        use_effect_with(run.number, move |_| {
            plain.set(None);
            asking.set(false);
        });
    }
    let ask = {
        let (client, plain, asking) = (handle.client.clone(), plain.clone(), asking.clone());
        Callback::from(move |_: MouseEvent| {
            let (plain, asking) = (plain.clone(), asking.clone());
            asking.set(true);
            let call = client.request(Request::Unconstrained, &[], |_, _| {});
            wasm_bindgen_futures::spawn_local(async move {
                match call.outcome().await {
                    Ok(Response::Unconstrained(other)) => plain.set(Some(Ok(other))),
                    Ok(_) => {}
                    Err(failure) => plain.set(Some(Err(failure))),
                }
                asking.set(false);
            });
        })
    };
    let other = plain.as_ref().and_then(|plain| plain.as_ref().ok());
    let row = |(place, constraint): (usize, &ConstraintRun)| {
        let without = other.and_then(|other| other.counts.get(place).copied());
        let missed =
            without.is_some_and(|count| count < constraint.least || constraint.most.is_some_and(|most| count > most));
        html! {
            <tr>
                <th scope="row"><code>{ &constraint.text }</code></th>
                <td>{ bar(constraint, without) }</td>
                <td class="n">{ grouped(constraint.before) }</td>
                <td class="n"><b>{ grouped(constraint.after) }</b></td>
                if let Some(count) = without { <td class={classes!("n", missed.then_some("missed"))}>{ grouped(count) }</td> }
            </tr>
        }
    };
    let by_diva = run.view.colouring.is_some();
    html! {
        <section class="panel">
            <div class="with-button"><h2>{ "Groups that stayed visible" }</h2>
                if by_diva && plain.is_none() { <button class="btn small" onclick={ask} disabled={*asking}>{ if *asking { "Comparing…" } else { "Compare with a plain k-anonymizer" } }</button> }</div>
            <table class="achieved groups">
                <thead><tr><th scope="col">{ "constraint" }</th><th><span class="sr-only">{ "allowed" }</span></th><th scope="col" class="n">{ "before" }</th><th scope="col" class="n">{ "after" }</th>if other.is_some() { <th scope="col" class="n">{ "without" }</th> }</tr></thead>
                <tbody>{ for run.view.diversity.iter().enumerate().map(row) }</tbody>
            </table>
            <p class="faint">{ "band: allowed · ring: before · dot: after" }{ if other.is_some() { " · cross: k-member without the constraints" } else { "" } }</p>
            {
                match &*plain {
                    Some(Err(failure)) => html! { <p class="note warn">{ &failure.what }{ " " }{ &failure.next }</p> },
                    Some(Ok(other)) => html! { <p class="soft">{ format!("Information loss {} with the constraints, {} without; {} and {} rows suppressed.", figure(run.view.metrics.loss), figure(other.loss), grouped(run.view.verified.suppressed), grouped(other.suppressed)) }</p> },
                    None => Html::default(),
                }
            }
        </section>
    }
}

/// The counts on a line, with the allowed range as a band.
fn bar(constraint: &ConstraintRun, without: Option<u64>) -> Html {
    let most = constraint
        .before
        .max(constraint.after)
        .max(constraint.least)
        .max(constraint.most.unwrap_or(0))
        .max(without.unwrap_or(0))
        .max(1);
    let at = |rows: u64| 6.0 + rows as f64 / most as f64 * (WIDTH - 12.0);
    let (low, high) = (at(constraint.least), constraint.most.map_or(WIDTH, at));
    let cross = without.map(|count| {
        let x = at(count);
        html! { <path class="cross" d={format!("M{:.1} 4l8 8m0 -8l-8 8", x - 4.0)} /> }
    });
    html! {
        <svg class="bounds wide" width={WIDTH.to_string()} height="16" aria-hidden="true">
            <rect class="back" y="6" width={WIDTH.to_string()} height="4" rx="2" />
            <rect class="allowed" x={format!("{low:.1}")} y="3" width={format!("{:.1}", (high - low).max(3.0))} height="10" rx="2" />
            <circle class="ring" cx={format!("{:.1}", at(constraint.before))} cy="8" r="4" />
            <circle cx={format!("{:.1}", at(constraint.after))} cy="8" r="4" />
            { cross }
        </svg>
    }
}
