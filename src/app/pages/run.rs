//! Run: choose what makes the release and what it should be best at, and watch.

mod choice;
mod settings;

pub use choice::{algorithm_title, applicable};
use yew::prelude::*;

use crate::app::charts::LatticePicture;
use crate::app::components::{NoTable, button, heads, says};
use crate::app::pages::findings::Holding;
use crate::app::runs::{Batch, Job};
use crate::app::state::{Loaded, Ran, Step};
use crate::app::{Message, go, use_handle};
use crate::protocol::{Request, Response};
use crate::run::NodeView;
use crate::setup_view::Prospect;
use crate::table::Role;
use crate::words::{counted, figure, grouped};

#[component]
pub fn RunPage() -> Html {
    let handle = use_handle();
    let Some(loaded) = &handle.state.loaded else { return html! { <NoTable title="Run" /> } };
    let blocked = blocked(loaded);
    let told = blocked.clone().or_else(|| loaded.trouble().map(|(trouble, _)| (in_policy(&trouble), Step::Policy)));
    let none_runs = unready(loaded).is_some();
    let running = handle.state.task.is_some();
    let all = {
        let loaded = loaded.clone();
        handle.send.reform(move |_: MouseEvent| Message::Compare { algorithms: applicable(&loaded), sweep: None })
    };
    html! {
        <>
            <div class="head">
                <div><h1>{ "Run" }</h1><p class="lead">{ "One algorithm makes the release; a separate verifier checks it before you see it." }</p></div>
                <span class="grow" />
                <button class="btn" disabled={running || none_runs} onclick={all}>{ "Run all side by side" }</button>
                <button class="btn p" disabled={running || blocked.is_some()} onclick={handle.send.reform(|_| Message::Run)}>{ "Run" }</button>
            </div>
            if let Some((why, step)) = told {
                <p class="note warn">{ why }{ " " }{ button("link", &format!("Go to {}", step.name()), go(&handle.send, step)) }</p>
            }
            <Holding loaded={loaded.clone()} />
            <div class="row c2 run-columns">
                <choice::Choice loaded={loaded.clone()} />
                <div class="stack">
                    if let Some(batch) = &loaded.tried { { side_by_side(batch, &handle.send) } }
                    <Found loaded={loaded.clone()} />
                </div>
            </div>
        </>
    }
}

/// Why the chosen algorithm can't run yet, and where that is changed.
fn blocked(loaded: &Loaded) -> Option<(String, Step)> {
    unready(loaded).or_else(|| {
        let why_not = choice::why_not(loaded, &loaded.setup.algorithm)?;
        let name = loaded.setup.algorithm.name();
        let what =
            format!("{name} is not for this policy: it {why_not}. Choose another below, or ask for something else.");
        Some((what, Step::Policy))
    })
}

fn in_policy(trouble: &str) -> String {
    format!("The groups that must stay visible: {trouble}.")
}

/// Why nothing can run yet, and where that is changed.
pub fn unready(loaded: &Loaded) -> Option<(String, Step)> {
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
    if loaded.setup.privacy.iter().any(|view| matches!(view.prospect, Prospect::Mistaken(_))) {
        return Some(("The policy has a mistake.".into(), Step::Policy));
    }
    // What is only contradictory may be run: the run says why it can't be.
    loaded.trouble().filter(|(_, unread)| *unread).map(|(trouble, _)| (in_policy(&trouble), Step::Policy))
}

#[derive(Properties, PartialEq)]
pub struct Props {
    pub loaded: Loaded,
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
                { button("btn small p", "See the release", go(&handle.send, Step::Results)) }</div>
            <p>{ format!("{} of {} computed in {} ms. {proof}", grouped(lattice.computed), counted(lattice.nodes, "node"), figure(run.view.milliseconds[0].round())) }</p>
            if loaded.revision != run.revision { { says("note warn", "The policy or the columns changed since this run.") } }
            <LatticePicture lattice={lattice.clone()} chosen={(*chosen).clone()} onchoose={Callback::from(move |node| chosen.set(Some(node)))} />
            if let Some(node) = &*node { { node_words(node) } } else { { says("faint", "Click a node to see its table.") } }
        </section>
    }
}

/// What became of all algorithms.
fn side_by_side(batch: &Batch, send: &Callback<Message>) -> Html {
    let row = |job: &Job| {
        html! {
            <tr><th scope="row">{ algorithm_title(&job.variant.algorithm) }</th>
                { match &job.outcome {
                    None => html! { <td colspan="3" class="faint">{ "…" }</td> },
                    Some(Ok(view)) => html! { <><td class="n">{ figure(view.metrics.loss) }</td><td class="n">{ grouped(view.verified.suppressed) }</td><td class="n">{ format!("{} ms", figure(view.milliseconds[0].round())) }</td></> },
                    Some(Err(failure)) => html! { <td colspan="3" class="soft">{ &failure.what }</td> },
                } }</tr>
        }
    };
    let compare = send.reform(|_: MouseEvent| Message::ShowRuns);
    html! {
        <section class="panel">
            <div class="with-button"><h2>{ "All side by side" }</h2>{ button("btn small p", "Compare them", compare) }</div>
            <table class="achieved">{ heads("algorithm | #loss | #left out | #search") }
                <tbody>{ for batch.jobs.iter().map(row) }</tbody></table>
        </section>
    }
}

/// What a run without a lattice gave, in short.
fn released(run: &Ran, send: &Callback<Message>) -> Html {
    let view = &run.view;
    html! {
        <section class="panel">
            <div class="with-button"><h2>{ "The release" }</h2>{ button("btn small p", "See the release", go(send, Step::Results)) }</div>
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
