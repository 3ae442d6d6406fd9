//! Run: choose what makes the release and what it should be best at, and watch.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::algorithms::diva::Strategy;
use crate::algorithms::lattice::Metric;
use crate::app::charts::LatticePicture;
use crate::app::components::{NoTable, NumberField};
use crate::app::state::{Loaded, Ran, Step};
use crate::app::{Message, use_handle};
use crate::policy::{Algorithm, Edit, Method, ModelDemand, Prospect};
use crate::protocol::{NodeView, Request, Response};
use crate::table::Role;
use crate::words::{counted, figure, grouped};

/// What can be made as small as possible, in words.
const METRICS: [(Metric, &str, &str); 6] = [
    (Metric::Loss, "information loss", "how much of each column's detail is given up, on average"),
    (Metric::Discernibility, "discernibility", "sum of squared class sizes: many small classes"),
    (Metric::LossGeometric, "information loss, geometric", "the same as a geometric mean: evens out columns"),
    (Metric::KlDivergence, "KL-divergence", "closeness of the joint distribution"),
    (Metric::AverageClassSize, "average class size", "as many classes as possible"),
    (Metric::Height, "height", "as few levels as possible"),
];

#[component]
pub fn RunPage() -> Html {
    let handle = use_handle();
    let Some(loaded) = &handle.state.loaded else { return html! { <NoTable title="Run" /> } };
    let blocked = blocked(loaded);
    let running = handle.state.task.is_some();
    html! {
        <>
            <div class="head">
                <div><h1>{ "Run" }</h1><p class="lead">{ "One algorithm makes the release; a separate verifier checks it before you see it." }</p></div>
                <span class="grow" />
                <button class="btn p" disabled={running || blocked.is_some()} onclick={handle.send.reform(|_| Message::Run)}>{ "Run" }</button>
            </div>
            if let Some((why, step)) = blocked {
                <p class="note warn">{ why }{ " " }<button class="link" onclick={handle.send.reform(move |_| Message::Go(step))}>{ format!("Go to {}", step.name()) }</button></p>
            }
            <div class="row c2">
                <Choice loaded={loaded.clone()} />
                <Found loaded={loaded.clone()} />
            </div>
        </>
    }
}

/// Why nothing can run yet, and where that is changed.
fn blocked(loaded: &Loaded) -> Option<(String, Step)> {
    let columns = &loaded.setup.columns;
    if !columns.iter().any(|column| column.role == Role::Quasi) {
        return Some(("No column is a quasi-identifier, so there is nothing to recode.".into(), Step::Columns));
    }
    let lacking = columns.iter().zip(&loaded.summary.columns).find(|(column, _)| {
        column.role == Role::Quasi && column.hierarchy.as_ref().is_some_and(|hierarchy| hierarchy.lacking > 0)
    });
    if let Some((_, summary)) = lacking {
        return Some((format!("The hierarchy of “{}” lacks values of the data.", summary.name), Step::Columns));
    }
    if loaded.setup.privacy.is_empty() {
        return Some(("The policy asks for nothing yet: a release would be the table itself.".into(), Step::Policy));
    }
    let mistaken = loaded.setup.privacy.iter().any(|view| matches!(view.prospect, Prospect::Mistaken(_)));
    mistaken.then(|| ("The policy has a mistake.".into(), Step::Policy))
}

#[derive(Properties, PartialEq)]
struct Props {
    loaded: Loaded,
}

/// The algorithms, with what each is good at and whether it applies here.
const ALGORITHMS: [(Algorithm, &str, &str); 5] = [
    (
        Algorithm::Lattice { metric: Metric::Discernibility },
        "Lattice",
        "one level a column for all rows; finds the best and proves it",
    ),
    (
        Algorithm::Local { method: Method::KMember, refine: true },
        "k-member + refinement",
        "clusters of similar rows: keeps the most detail",
    ),
    (
        Algorithm::Local { method: Method::GreedyCka, refine: true },
        "GreedyCKA + refinement",
        "the same inside limits: suppresses only what they force",
    ),
    (
        Algorithm::Local { method: Method::Mondrian, refine: true },
        "Mondrian + refinement",
        "halves the table again and again: millions of rows",
    ),
    (
        Algorithm::Diva { strategy: Strategy::MinChoice, refine: true },
        "DIVA + refinement",
        "keeps the groups that must stay visible",
    ),
];

/// The orders in which DIVA colours constraints, in words.
const STRATEGIES: [(Strategy, &str); 3] = [
    (Strategy::MinChoice, "those with the fewest choices first"),
    (Strategy::MaxFanOut, "those that touch the most others first"),
    (Strategy::Naive, "by chance"),
];

#[component]
fn Choice(Props { loaded }: &Props) -> Html {
    let handle = use_handle();
    let now = loaded.setup.algorithm;
    let onmetric = handle.send.reform(|event: Event| {
        let choice = event.target_unchecked_into::<HtmlSelectElement>().selected_index().clamp(0, 5) as usize;
        Message::Edit(Edit::Algorithm(Algorithm::Lattice { metric: METRICS[choice].0 }))
    });
    let onstrategy = handle.send.reform(|event: Event| {
        let choice = event.target_unchecked_into::<HtmlSelectElement>().selected_index().clamp(0, 2) as usize;
        Message::Edit(Edit::Algorithm(Algorithm::Diva { strategy: STRATEGIES[choice].0, refine: true }))
    });
    let limit = loaded.setup.suppression_limit;
    let ontype = handle
        .send
        .reform(|percent: f64| Message::Edit(Edit::SuppressionLimit { limit: percent / 100.0, typing: true }));
    let onleave = handle.send.reform(move |()| Message::Edit(Edit::SuppressionLimit { limit, typing: false }));
    let row = |&(algorithm, name, good_at): &(Algorithm, &'static str, &'static str)| {
        let on = algorithm.name() == now.name();
        let choose = handle.send.reform(move |_: Event| Message::Edit(Edit::Algorithm(algorithm)));
        let ran = loaded.runs.iter().rev().find(|run| run.view.algorithm.name() == algorithm.name());
        html! {
            <tr class={classes!(on.then_some("on"))}>
                <td><label class="choice"><input type="radio" name="algorithm" checked={on} onchange={choose} /><b>{ name }</b></label></td>
                <td class="soft">{ good_at }</td>
                if let Some(run) = ran {
                    <td class="n">{ figure(run.view.metrics.loss) }</td><td class="n">{ format!("{} ms", figure(run.view.milliseconds[0].round())) }</td>
                } else { <td class="n">{ "" }</td><td class="n">{ "" }</td> }
            </tr>
        }
    };
    html! {
        <section class="panel">
            <table class="list-table algorithms">
                <thead><tr><th scope="col">{ "algorithm" }</th><th scope="col">{ "what it is good at" }</th><th scope="col" class="n">{ "loss" }</th><th scope="col" class="n">{ "time" }</th></tr></thead>
                <tbody>{ for ALGORITHMS.iter().map(row) }</tbody>
            </table>
            if let Algorithm::Lattice { metric } = now {
                <h2 class="next">{ "What should be as small as possible" }</h2>
                <p class="fields">
                    <select onchange={onmetric} aria-label="Measure">
                        { for METRICS.iter().map(|(other, name, _)| html! { <option selected={*other == metric}>{ *name }</option> }) }
                    </select>
                    <span class="soft">{ METRICS.iter().find(|(other, ..)| *other == metric).map_or("", |(_, _, meaning)| *meaning) }</span>
                </p>
            }
            if let Algorithm::Diva { strategy, .. } = now {
                <h2 class="next">{ "Which constraints it sees to first" }</h2>
                <p class="fields"><select onchange={onstrategy} aria-label="Strategy">
                    { for STRATEGIES.iter().map(|(other, words)| html! { <option selected={*other == strategy}>{ format!("{words} ({})", other.name()) }</option> }) }
                </select></p>
            } else if !loaded.setup.diversity.is_empty() {
                <p class="note warn">{ format!("The policy has {}. This algorithm does not aim at them: a release that misses one is refused. DIVA keeps them.", counted(loaded.setup.diversity.len() as u64, "diversity constraint")) }</p>
            }
            <h2 class="next">{ "Rows that may be left out" }</h2>
            <p class="fields"><NumberField label="At most" unit="%" name="Rows that may be suppressed, in percent" value={(limit * 1e6).round() / 1e4} step={0.5} {ontype} {onleave} /></p>
            { forced(loaded) }
        </section>
    }
}

/// What the limits cost before anything runs.
fn forced(loaded: &Loaded) -> Html {
    let k = loaded.setup.privacy.iter().find_map(|view| match view.demand.model {
        ModelDemand::KAnonymity { k } => Some(k),
        _ => None,
    });
    match k.and_then(|k| Some((k, *loaded.setup.forced.get((k as usize).checked_sub(2)?)?))) {
        Some((k, rows)) if rows > 0 => {
            html! { <p class="note warn">{ format!("With k = {k} the limits force out {}, whatever the algorithm.", counted(rows, "row")) }</p> }
        }
        _ => Html::default(),
    }
}

/// What the last run found, with its lattice.
#[component]
fn Found(Props { loaded }: &Props) -> Html {
    let handle = use_handle();
    let chosen = use_state(|| None::<Vec<u16>>);
    let node = use_state(|| None::<NodeView>);
    {
        let chosen = chosen.clone();
        use_effect_with(loaded.run.as_ref().map(|run| run.number), move |_| chosen.set(None));
    }
    {
        let (client, node) = (handle.client.clone(), node.clone());
        use_effect_with((*chosen).clone(), move |chosen| {
            node.set(None);
            if let Some(levels) = chosen.clone() {
                let call = client.request(Request::Node { levels }, &[], |_, _| {});
                wasm_bindgen_futures::spawn_local(async move {
                    if let Ok(Response::Node(found)) = call.outcome().await {
                        node.set(Some(found));
                    }
                });
            }
        });
    }
    let Some(run) = &loaded.run else {
        return html! { <section class="panel"><h2>{ "The search" }</h2><p>{ "Nothing was run yet. The picture of all generalizations, and which of them keep the policy, appears here." }</p></section> };
    };
    let Some(lattice) = &run.view.lattice else { return released(run, &handle.send) };
    let proof = match (&lattice.stopped, lattice.proved) {
        (_, true) => "No other is better: proved.".to_owned(),
        (Some(stopped), _) => {
            format!("Best found, not proved ({stopped}); none costs less than {}.", figure(lattice.lower_bound))
        }
        (None, false) => format!("Best found, not proved; none costs less than {}.", figure(lattice.lower_bound)),
    };
    html! {
        <section class="panel">
            <div class="with-button"><h2>{ "The lattice" }</h2>
                <button class="btn small p" onclick={handle.send.reform(|_| Message::Go(Step::Results))}>{ "See the release" }</button></div>
            <p>{ format!("{} of {} computed in {} ms. {proof}", grouped(lattice.computed), counted(lattice.nodes, "node"), figure(run.view.milliseconds[0].round())) }</p>
            if loaded.revision != run.revision { <p class="note warn">{ "The policy or the columns changed since this run." }</p> }
            <LatticePicture lattice={lattice.clone()} chosen={(*chosen).clone()} onchoose={Callback::from(move |node| chosen.set(Some(node)))} />
            if let Some(node) = &*node { { node_words(node) } } else { <p class="faint">{ "Click a node to see its table." }</p> }
        </section>
    }
}

/// What a run without a lattice gave, in short.
fn released(run: &Ran, send: &Callback<Message>) -> Html {
    let view = &run.view;
    html! {
        <section class="panel">
            <div class="with-button"><h2>{ "The release" }</h2><button class="btn small p" onclick={send.reform(|_| Message::Go(Step::Results))}>{ "See the release" }</button></div>
            <p>{ format!("{}, the smallest of {}; {} suppressed; information loss {}. Found in {} ms, and verified.",
                counted(view.verified.classes, "class"), counted(view.smallest.into(), "row"), counted(view.verified.suppressed, "row"),
                figure(view.metrics.loss), figure(view.milliseconds[0].round())) }</p>
        </section>
    }
}

fn node_words(node: &NodeView) -> Html {
    let levels = node
        .names
        .iter()
        .zip(&node.levels)
        .map(|(name, level)| format!("{name} {level}"))
        .collect::<Vec<_>>()
        .join(", ");
    let verdict = if node.feasible { "keeps the policy" } else { "does not keep the policy" };
    let row = |row: &Vec<String>| html! { <tr>{ for row.iter().map(|cell| html! { <td>{ cell }</td> }) }</tr> };
    html! {
        <div class="node-words">
            <p><b>{ &levels }</b>{ format!(": {verdict}; {}, {} suppressed, cost {}.", counted(node.classes, "class"), counted(node.suppressed, "row"), figure(node.value)) }</p>
            <div class="scroll" tabindex="0" role="region" aria-label="First rows of this node">
                <table class="data"><thead><tr>{ for node.names.iter().map(|name| html! { <th scope="col">{ name }</th> }) }</tr></thead>
                    <tbody>{ for node.rows.iter().map(row) }</tbody></table>
            </div>
        </div>
    }
}

/// How far this step is, for the rail.
pub fn standing(loaded: &Loaded) -> (String, Option<&'static str>) {
    match (&loaded.run, blocked(loaded)) {
        (_, Some(_)) => ("not yet".into(), None),
        (None, None) => ("ready".into(), None),
        (Some(run), None) if run.revision == loaded.revision => ("done".into(), Some("ok")),
        _ => ("out of date".into(), Some("warn")),
    }
}
