//! What the same algorithm would have done without the limits, beside what it did within them.

use yew::prelude::*;

use crate::app::components::{failed, heads, says};
use crate::app::state::Ran;
use crate::app::use_handle;
use crate::failure::Failure;
use crate::protocol::{Request, Response};
use crate::run::Unconstrained;
use crate::words::{figure, grouped};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub run: Ran,
}

/// What a run without limits or constraints gives, and a button to ask for it; asked `at_once` there is nothing to click.
#[hook]
pub fn use_unconstrained(
    run: &Ran,
    at_once: bool,
    label: &'static str,
) -> (UseStateHandle<Option<Result<Unconstrained, Failure>>>, Html) {
    let handle = use_handle();
    let found = use_state(|| None::<Result<Unconstrained, Failure>>);
    let asking = use_state(|| false);
    let ask = {
        let (client, found, asking) = (handle.client.clone(), found.clone(), asking.clone());
        Callback::from(move |()| {
            let (found, asking) = (found.clone(), asking.clone());
            asking.set(true);
            let call = client.request(Request::Unconstrained, &[], |_, _| {});
            wasm_bindgen_futures::spawn_local(async move {
                match call.outcome().await {
                    Ok(Response::Unconstrained(other)) => found.set(Some(Ok(other))),
                    Ok(_) => {}
                    Err(failure) => found.set(Some(Err(failure))),
                }
                asking.set(false);
            });
        })
    };
    {
        let (found, asking, ask) = (found.clone(), asking.clone(), ask.clone());
        use_effect_with(run.number, move |_| {
            found.set(None);
            asking.set(false);
            if at_once {
                ask.emit(());
            }
        });
    }
    let button = if found.is_some() {
        Html::default()
    } else {
        html! { <button class="btn small" onclick={ask.reform(|_| ())} disabled={*asking}>{ if *asking { "Comparing…" } else { label } }</button> }
    };
    (found, button)
}

#[component]
pub fn WithoutLimits(Props { run }: &Props) -> Html {
    let (found, button) = use_unconstrained(run, false, "Compare");
    html! {
        <section class="panel">
            <div class="with-button"><h2>{ "Without your limits" }</h2>{ button }</div>
            {
                match &*found {
                    None => says("soft", "How many values would the same algorithm have generalized beyond what you allow?"),
                    Some(Err(failure)) => failed("warn", failure),
                    Some(Ok(other)) => compared(run, other),
                }
            }
        </section>
    }
}

fn compared(run: &Ran, other: &Unconstrained) -> Html {
    let view = &run.view;
    let row = |name: &str, with: String, without: String| html! { <tr><th scope="row">{ name }</th><td>{ with }</td><td>{ without }</td></tr> };
    let column =
        |(name, cells): &(String, u64)| row(&format!("{name}: cells beyond a limit"), "0".into(), grouped(*cells));
    html! {
        <table class="achieved pair">
            { heads(" | #within | #without") }
            <tbody>
                { for other.violations.iter().map(column) }
                { row("rows suppressed", grouped(view.verified.suppressed), grouped(other.suppressed)) }
                { row("information loss", figure(view.metrics.loss), figure(other.loss)) }
                { row("classes", grouped(view.verified.classes), grouped(other.classes)) }
                { row("time, ms", figure(view.milliseconds[0].round()), figure(other.milliseconds.round())) }
            </tbody>
        </table>
    }
}
