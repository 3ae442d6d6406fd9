//! The runs on this table: kept, compared side by side and in a plot, and swept along one number of the policy.

mod beside;
mod list;
mod plane;
mod steps;

use std::collections::BTreeSet;

use yew::prelude::*;

use crate::app::components::button;
use crate::app::pages::run::{applicable, unready};
use crate::app::runs::Kept;
use crate::app::state::{Loaded, Step};
use crate::app::{Message, go, use_handle};
use crate::compare::{Line, csv};
use crate::policy::ModelDemand;
use crate::run::RunView;
use crate::words::{counted, figure};

/// Runs side by side: as many as fit.
const MOST_COMPARED: usize = 4;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub loaded: Loaded,
}

#[component]
pub fn RunsPart(Props { loaded }: &Props) -> Html {
    let handle = use_handle();
    let numbers: Vec<u32> = loaded.runs.iter().map(|kept| kept.ran.number).collect();
    let ticked = use_state(|| numbers.iter().rev().take(3).copied().collect::<BTreeSet<u32>>());
    let tick = {
        let (ticked, numbers) = (ticked.clone(), numbers.clone());
        Callback::from(move |number: u32| {
            let mut next: BTreeSet<u32> =
                ticked.iter().copied().filter(|&other| other != number && numbers.contains(&other)).collect();
            if !ticked.contains(&number) {
                // A fifth takes the place of the oldest.
                while next.len() >= MOST_COMPARED {
                    next.pop_first();
                }
                next.insert(number);
            }
            ticked.set(next);
        })
    };
    let compared: Vec<Kept> = loaded.runs.iter().filter(|kept| ticked.contains(&kept.ran.number)).cloned().collect();
    let all = {
        let loaded = loaded.clone();
        handle.send.reform(move |_: MouseEvent| Message::Compare { algorithms: applicable(&loaded), sweep: None })
    };
    let blocked = handle.state.task.is_some() || unready(loaded).is_some();
    let save = {
        let loaded = loaded.clone();
        handle.send.reform(move |_: MouseEvent| {
            let line = |kept: &'_ Kept| (kept.name.clone(), kept.ran.view.clone());
            let kept: Vec<_> = loaded.runs.iter().map(line).collect();
            let lines: Vec<Line<'_>> =
                kept.iter().map(|(name, view)| Line { name, at: None, outcome: Ok(view) }).collect();
            Message::Save { name: file(&loaded, "runs.csv"), text: csv(&lines) }
        })
    };
    html! {
        <>
            <section class="panel flush runs">
                <div class="tools"><b>{ counted(loaded.runs.len() as u64, "run") }</b>
                    <span>{ "tick up to four to compare them" }</span><span class="grow" />
                    if let Some((_, kept)) = &loaded.deleted {
                        { button("btn small", &format!("Bring back “{}”", kept.name), handle.send.reform(|_| Message::Runs(Box::new(list::bring_back)))) }
                    }
                    <button class="btn small" disabled={blocked} onclick={all}>{ "Run all side by side" }</button>
                    { button("btn small", "Measures as CSV", save) }
                </div>
                <list::RunList loaded={loaded.clone()} ticked={(*ticked).clone()} {tick} />
            </section>
            <div class="row c2">
                <plane::Plane runs={loaded.runs.clone()} ticked={(*ticked).clone()} />
                <steps::Steps loaded={loaded.clone()} />
            </div>
            if compared.len() >= 2 { <beside::Beside runs={compared} /> }
            if loaded.setup.privacy.is_empty() {
                <p class="note warn">{ "The policy asks for nothing now. " }{ button("link", "Go to Policy", go(&handle.send, Step::Policy)) }</p>
            }
        </>
    }
}

/// The name of a file beside the table's.
fn file(loaded: &Loaded, ending: &str) -> String {
    format!("{}.{ending}", loaded.summary.name.trim_end_matches(".csv"))
}

/// What a run was asked for, in short.
fn asked(view: &RunView) -> String {
    let words = |demand: &crate::policy::Demand| match &demand.model {
        ModelDemand::KAnonymity { k } => format!("k = {k}"),
        ModelDemand::DistinctL { l } => format!("distinct ℓ = {l}"),
        ModelDemand::EntropyL { l, .. } => format!("entropy ℓ = {}", figure(*l)),
        ModelDemand::RecursiveCL { c, l, .. } => format!("recursive c = {}, ℓ = {l}", figure(*c)),
        ModelDemand::TauL { tau, l, .. } => format!("τ = {}, ℓ = {l}", figure(*tau)),
        ModelDemand::TCloseness { t, .. } => format!("t = {}", figure(*t)),
        ModelDemand::PSensitive { p } => format!("p = {p}"),
        ModelDemand::AlphaK { alpha, .. } => format!("α = {}", figure(*alpha)),
    };
    let mut asked: Vec<String> = view.demands.iter().map(words).collect();
    if !view.diversity.is_empty() {
        asked.push(counted(view.diversity.len() as u64, "constraint"));
    }
    asked.join("; ")
}
