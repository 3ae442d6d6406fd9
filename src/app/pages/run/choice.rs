//! The algorithms, and which of them can release something under the policy.

use yew::prelude::*;

use super::Props;
use super::settings::Settings;
use crate::algorithms::sweep::Refinement;
use crate::app::components::{button, heads, says};
use crate::app::pages::policy::constraints::use_review;
use crate::app::pages::policy::suppression_field;
use crate::app::state::Loaded;
use crate::app::{Message, use_handle};
use crate::policy::{Algorithm, Demand, Edit, ModelDemand};
use crate::setup_view::TauLRange;
use crate::words::{counted, figure};

/// The algorithms by name, with what each is good at.
const WORDS: [(&str, &str, &str); 8] = [
    ("lattice", "Lattice", "one level a column for all rows; finds the best and proves it"),
    ("k-member", "k-member + refinement", "clusters of similar rows: keeps the most detail"),
    ("greedy-cka", "GreedyCKA + refinement", "the same inside limits: suppresses only what they force"),
    ("mondrian", "Mondrian + refinement", "halves the table again and again: millions of rows"),
    ("diva", "DIVA + refinement", "keeps the groups that must stay visible"),
    ("sweep", "Sweep + refinement", "(τ, ℓ)-diversity of skewed values: generalizes those, too"),
    ("one-d", "1-D line + refinement", "groups along a line on which neighbours are alike"),
    (
        "greedy-generalize",
        "Greedy-generalize + refinement",
        "the smallest classes of neighbours in the columns’ order, as plans have them",
    ),
];

/// What an algorithm is called, and what it is good at.
fn words(algorithm: &Algorithm) -> (&'static str, &'static str) {
    let found = WORDS.iter().find(|(name, ..)| *name == algorithm.name());
    found.map_or((algorithm.name(), ""), |(_, title, good_at)| (*title, *good_at))
}

/// What an algorithm is called, with its strategy and its refinement if it has them.
pub fn algorithm_title(algorithm: &Algorithm) -> String {
    let (title, _) = words(algorithm);
    let title = match algorithm {
        Algorithm::Local { refine: false, .. }
        | Algorithm::Diva { refine: false, .. }
        | Algorithm::Sweep { refine: Refinement::None, .. } => title.split(" +").next().unwrap_or(title),
        Algorithm::Sweep { refine: Refinement::Quick, .. } => "Sweep + quick refinement",
        _ => title,
    };
    match algorithm {
        Algorithm::Diva { strategy, .. } => title.replace("DIVA", &format!("DIVA · {strategy:?}")),
        _ => title.to_owned(),
    }
}

/// The algorithms that can release something under the policy, each as it would run.
pub fn applicable(loaded: &Loaded) -> Vec<Algorithm> {
    let now = &loaded.setup.algorithm;
    let as_set = |algorithm: Algorithm| if algorithm.name() == now.name() { now.clone() } else { algorithm };
    Algorithm::all().into_iter().map(as_set).filter(|algorithm| why_not(loaded, algorithm).is_none()).collect()
}

#[component]
pub fn Choice(Props { loaded }: &Props) -> Html {
    let handle = use_handle();
    use_review(loaded);
    let now = &loaded.setup.algorithm;
    let constraints = loaded.setup.diversity.len() as u64;
    let diva = |algorithm: &Algorithm| matches!(algorithm, Algorithm::Diva { .. });
    let row = |algorithm: &Algorithm| {
        let (name, good_at) = words(algorithm);
        let on = algorithm.name() == now.name();
        let chosen = algorithm.clone();
        let choose = handle.send.reform(move |()| Message::Edit(Edit::Algorithm(chosen.clone())));
        let why_not = why_not(loaded, algorithm);
        let ran =
            loaded.runs.iter().rev().map(|kept| &kept.ran).find(|run| run.view.algorithm.name() == algorithm.name());
        html! {
            <tr class={classes!(on.then_some("on"))}>
                <td><label class="choice"><input type="radio" name="algorithm" checked={on} disabled={why_not.is_some() && !on} onchange={choose.reform(|_| ())} /><b>{ name }</b></label></td>
                <td class="soft">{ good_at }if let Some(why_not) = why_not { <small class="why">{ format!("not here: {why_not}") }</small> }
                    if constraints > 0 && diva(algorithm) { <small class="why">{ format!("recommended: the policy has {}", counted(constraints, "constraint")) }if !on { { " · " }{ button("link", "Choose DIVA", choose.reform(|_| ())) } }</small> }</td>
                if let Some(run) = ran {
                    <td class="n">{ figure(run.view.metrics.loss) }</td><td class="n">{ format!("{} ms", figure(run.view.milliseconds[0].round())) }</td>
                } else { <td class="n">{ "" }</td><td class="n">{ "" }</td> }
            </tr>
        }
    };
    html! {
        <section class="panel">
            <table class="list-table algorithms">
                { heads("algorithm | what it is good at | #loss | #time") }
                <tbody>{ for Algorithm::all().iter().map(row) }</tbody>
            </table>
            <Settings loaded={loaded.clone()} />
            if !diva(now) && constraints > 0 {
                { says("note warn", &format!("The policy has {}. This algorithm does not aim at them: a release that misses one is refused. DIVA keeps them.", counted(constraints, "diversity constraint"))) }
            }
            <h2 class="next">{ "Rows that may be left out" }</h2>
            <p class="fields">{ suppression_field(loaded.setup.suppression_limit, &handle.send) }</p>
            { forced(loaded) }
        </section>
    }
}

/// Why an algorithm can't release anything under the policy.
pub fn why_not(loaded: &Loaded, algorithm: &Algorithm) -> Option<&'static str> {
    let asked = loaded.setup.privacy.iter().filter_map(|view| match view.demand.model {
        ModelDemand::TauL { tau, l, .. } => Some((tau, l, view.range.as_ref()?)),
        _ => None,
    });
    let beyond = |(tau, l, range): (f64, u32, &TauLRange)| !TauLRange::allows(&range.exact, tau, l);
    match algorithm {
        Algorithm::Sweep { .. } => {
            let none = asked.count() == 0;
            none.then_some("is for (τ, ℓ)-diversity")
        }
        // With rows left out, the rest may meet it.
        _ if loaded.setup.suppression_limit == 0.0 && asked.into_iter().any(beyond) => {
            Some("keeps sensitive values exact")
        }
        _ => None,
    }
}

/// What the limits cost before anything runs.
fn forced(loaded: &Loaded) -> Html {
    let k = Demand::largest_k(loaded.setup.privacy.iter().map(|view| &view.demand));
    match k.and_then(|k| Some((k, *loaded.setup.forced.get((k as usize).checked_sub(2)?)?))) {
        Some((k, rows)) if rows > 0 => says(
            "note warn",
            &format!("With k = {k} the limits force out {}, whatever the algorithm.", counted(rows, "row")),
        ),
        _ => Html::default(),
    }
}
