//! What if: move a number and see the optimum change, with the rows grouped already.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::components::button;
use crate::app::state::{Loaded, Ran};
use crate::app::{Message, use_handle};
use crate::policy::{Demand, Edit, ModelDemand};
use crate::protocol::{Request, Response};
use crate::run::WhatIf;
use crate::words::{counted, figure};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub loaded: Loaded,
    pub run: Ran,
}

#[component]
pub fn WhatIfPanel(Props { loaded, run }: &Props) -> Html {
    let handle = use_handle();
    let asked: Vec<Demand> = loaded.setup.privacy.iter().map(|view| view.demand.clone()).collect();
    let start = (asked, loaded.setup.suppression_limit);
    let wish = use_state(|| start.clone());
    let found = use_state(|| None::<Result<WhatIf, String>>);
    {
        let wish = wish.clone();
        use_effect_with(start.clone(), move |start| wish.set(start.clone()));
    }
    {
        let (client, found) = (handle.client.clone(), found.clone());
        use_effect_with(((*wish).clone(), run.number), move |((demands, limit), _)| {
            let request = Request::WhatIf { demands: demands.clone(), suppression_limit: *limit };
            let call = client.request(request, &[], |_, _| {});
            wasm_bindgen_futures::spawn_local(async move {
                found.set(match call.outcome().await {
                    Ok(Response::WhatIf(what_if)) => Some(Ok(what_if)),
                    Ok(_) => None,
                    Err(failure) => Some(Err(format!("{} {}", failure.what, failure.next))),
                });
            });
        });
    }
    let slider = |label: String, value: f64, least: f64, most: f64, step: f64, set: Callback<f64>| {
        let oninput =
            set.reform(|event: InputEvent| event.target_unchecked_into::<HtmlInputElement>().value_as_number());
        html! { <label class="slider"><span>{ label }{ " " }<b>{ figure(value) }</b></span><input type="range" min={least.to_string()} max={most.to_string()} step={step.to_string()} value={value.to_string()} {oninput} /></label> }
    };
    let change = |place: usize, with: fn(&mut ModelDemand, f64)| {
        let wish = wish.clone();
        Callback::from(move |number: f64| {
            let (mut demands, limit) = (*wish).clone();
            if let Some(demand) = demands.get_mut(place) {
                with(&mut demand.model, number);
            }
            wish.set((demands, limit));
        })
    };
    let of_demand = |(place, demand): (usize, &Demand)| match &demand.model {
        ModelDemand::KAnonymity { k } => slider(
            "k".into(),
            f64::from(*k),
            1.0,
            100.0,
            1.0,
            change(place, |model, number| {
                if let ModelDemand::KAnonymity { k } = model {
                    *k = number as u32;
                }
            }),
        ),
        ModelDemand::DistinctL { l } => slider(
            "distinct ℓ".into(),
            f64::from(*l),
            1.0,
            20.0,
            1.0,
            change(place, |model, number| {
                if let ModelDemand::DistinctL { l } = model {
                    *l = number as u32;
                }
            }),
        ),
        ModelDemand::EntropyL { l, .. } => slider(
            "entropy ℓ".into(),
            *l,
            1.0,
            12.0,
            0.1,
            change(place, |model, number| {
                if let ModelDemand::EntropyL { l, .. } = model {
                    *l = number;
                }
            }),
        ),
        ModelDemand::RecursiveCL { c, l, .. } => slider(
            format!("c (ℓ = {l})"),
            *c,
            0.1,
            10.0,
            0.1,
            change(place, |model, number| {
                if let ModelDemand::RecursiveCL { c, .. } = model {
                    *c = number;
                }
            }),
        ),
        ModelDemand::TauL { tau, l, .. } => slider(
            format!("τ (ℓ = {l})"),
            *tau,
            0.05,
            1.0,
            0.05,
            change(place, |model, number| {
                if let ModelDemand::TauL { tau, .. } = model {
                    *tau = number;
                }
            }),
        ),
        ModelDemand::TCloseness { t, .. } => slider(
            "t".into(),
            *t,
            0.0,
            1.0,
            0.01,
            change(place, |model, number| {
                if let ModelDemand::TCloseness { t, .. } = model {
                    *t = number;
                }
            }),
        ),
        ModelDemand::PSensitive { p } => slider(
            "p".into(),
            f64::from(*p),
            1.0,
            20.0,
            1.0,
            change(place, |model, number| {
                if let ModelDemand::PSensitive { p } = model {
                    *p = number as u32;
                }
            }),
        ),
        ModelDemand::AlphaK { alpha, .. } => slider(
            "α".into(),
            *alpha,
            0.05,
            1.0,
            0.05,
            change(place, |model, number| {
                if let ModelDemand::AlphaK { alpha, .. } = model {
                    *alpha = number;
                }
            }),
        ),
    };
    let suppression = {
        let wish = wish.clone();
        Callback::from(move |percent: f64| wish.set((wish.0.clone(), percent / 100.0)))
    };
    let moved = *wish != start;
    let (demands, limit) = (*wish).clone();
    let keep = handle.send.reform(move |_: MouseEvent| {
        Message::Keep(vec![
            Edit::Privacy { demands: demands.clone(), typing: false },
            Edit::SuppressionLimit { limit, typing: false },
        ])
    });
    html! {
        <section class="panel">
            <div class="with-button"><h2>{ "What if" }</h2>
                if moved { { button("btn small p", "Keep these and run", keep) } }</div>
            <div class="sliders">
                { for wish.0.iter().enumerate().map(of_demand) }
                { slider("suppressed at most, %".into(), (wish.1 * 1e4).round() / 1e2, 0.0, 20.0, 0.5, suppression) }
            </div>
            <p class="found" aria-live="polite">{ words(found.as_ref(), run) }</p>
        </section>
    }
}

fn words(found: Option<&Result<WhatIf, String>>, run: &Ran) -> String {
    match found {
        None => "…".to_owned(),
        Some(Err(words)) => words.clone(),
        Some(Ok(what_if)) => match &what_if.best {
            None => format!("No generalization by levels keeps this ({} decided).", counted(what_if.nodes, "node")),
            Some(best) => {
                let same = run.view.lattice.as_ref().is_some_and(|lattice| {
                    lattice.columns.iter().map(|(_, level, _)| *level).eq(best.levels.iter().map(|(_, level)| *level))
                });
                let levels: Vec<String> = best.levels.iter().map(|(name, level)| format!("{name} {level}")).collect();
                format!(
                    "{}: {}. {}, {} suppressed, cost {} (found in {} ms{}).",
                    if same { "The same levels" } else { "Other levels" },
                    levels.join(", "),
                    counted(best.classes, "class"),
                    counted(best.suppressed, "row"),
                    figure(best.value),
                    figure(what_if.milliseconds.round()),
                    if what_if.proved { ", proved best" } else { "" }
                )
            }
        },
    }
}
