//! How DIVA found its clusters: the colouring of the constraint graph, step by step.

use yew::prelude::*;

use crate::algorithms::diva::{LedTo, Size, Step, Trace};
use crate::app::charts::{ConstraintGraph, Edge, Node, circle};
use crate::app::components::says;
use crate::app::state::Ran;
use crate::run::Colouring;
use crate::words::{counted, grouped};

#[derive(Properties, PartialEq)]
pub struct Props {
    pub run: Ran,
}

#[component]
pub fn ColouringPanel(Props { run }: &Props) -> Html {
    let at = use_state(|| 0usize);
    {
        let at = at.clone();
        use_effect_with(run.number, move |_| at.set(0));
    }
    let Some(Colouring { trace, optimal }) = &run.view.colouring else { return Html::default() };
    let steps = &trace.steps;
    let last = steps.len().saturating_sub(1);
    let go = |to: usize| {
        let at = at.clone();
        Callback::from(move |_: MouseEvent| at.set(to))
    };
    let now = (*at).min(last);
    let name = |place: usize| {
        run.view
            .diversity
            .get(place)
            .map_or_else(|| format!("constraint {}", place + 1), |constraint| constraint.text.clone())
    };
    html! {
        <section class="panel">
            <h2>{ "How the constraints were coloured" }</h2>
            <p class="soft">{ format!("{} tried, {}.{}{}", counted(trace.tried, "clustering"), counted(trace.backtracks, "step back").replace("step backs", "steps back"),
                if *optimal { " No release costs less: proved." } else { "" },
                if trace.more > 0 { format!(" {} more are not listed.", counted(trace.more, "step")) } else { String::new() }) }</p>
            if steps.is_empty() {
                { says("faint", "Nothing had to be chosen.") }
            } else {
                <div class="replay">
                    <button class="btn small" disabled={now == 0} onclick={go(now.saturating_sub(1))} aria-label="Step before">{ "‹" }</button>
                    <span>{ format!("step {} of {}", now + 1, grouped(steps.len() as u64)) }</span>
                    <button class="btn small" disabled={now == last} onclick={go(now + 1)} aria-label="Next step">{ "›" }</button>
                </div>
                <div class="replay-words" aria-live="polite">{ words(&steps[now], &name) }</div>
                <div class="beside-graph">
                    <div><ol class="colours">{ for (0..run.view.diversity.len()).map(|place| coloured(place, &steps[..=now], &name)) }</ol></div>
                    { graph(trace, now, &name) }
                </div>
            }
            { match trace.led_to {
                LedTo::Release => Html::default(),
                LedTo::NearColouring => not_from_it("clusters that come near to a colouring, as none led to a release"),
                LedTo::Plan => not_from_it("a plan of how many rows hide what, as no colouring led to a release"),
                LedTo::ExactSearch => not_from_it("a search of all ways to divide the rows"),
            } }
        </section>
    }
}

fn not_from_it(what: &str) -> Html {
    says("note warn", &format!("The release comes from {what}, not from these clusters."))
}

/// What a step did.
fn words(step: &Step, name: &dyn Fn(usize) -> String) -> Html {
    match step {
        Step::Coloured { constraint, .. } => {
            html! { <p><code>{ name(*constraint) }</code>{ " gets its clusters." }</p> }
        }
        Step::Rejected { constraint, clusters, size, because } => html! {
            <p>{ "For " }<code>{ name(*constraint) }</code>{ " these were tried: " }{ rows(clusters, *size) }{ ", but " }
                if let Some(other) = because.filter(|other| other != constraint) { { "they do not fit those of " }<code>{ name(other) }</code> } else { { "with the clusters chosen before its count would not be within its bounds" } }{ "." }</p>
        },
        Step::Backtracked { constraint } => {
            html! { <p>{ "Nothing is left to try for " }<code>{ name(*constraint) }</code>{ ": the one before it gets another clustering." }</p> }
        }
    }
}

/// The clusters that a constraint has after some steps.
fn clusters_of(place: usize, steps: &[Step]) -> Option<(&Vec<Vec<u32>>, Size)> {
    let mut since = steps.iter().rev();
    since.find_map(|step| match step {
        Step::Coloured { constraint, clusters, size } if *constraint == place => Some(Some((clusters, *size))),
        // It loses them to try others; a constraint without any left gives way to the one before.
        Step::Rejected { constraint, .. } | Step::Backtracked { constraint } if *constraint == place => Some(None),
        _ => None,
    })?
}

/// What a constraint has by now.
fn coloured(place: usize, steps: &[Step], name: &dyn Fn(usize) -> String) -> Html {
    let mine = clusters_of(place, steps);
    html! {
        <li class={classes!(mine.is_some().then_some("has"))}><code>{ name(place) }</code>{ " " }
            { match mine { Some((clusters, size)) => rows(clusters, size), None => html! { <span class="faint">{ "no colour yet" }</span> } } }</li>
    }
}

/// The constraint graph after a step: what is coloured, what the step is about, and what was in its way.
fn graph(trace: &Trace, now: usize, name: &dyn Fn(usize) -> String) -> Html {
    let (constraint, in_the_way) = match trace.steps[now] {
        Step::Rejected { constraint, because, .. } => (constraint, because),
        Step::Coloured { constraint, .. } | Step::Backtracked { constraint } => (constraint, None),
    };
    let failed = !matches!(trace.steps[now], Step::Coloured { .. });
    let class = |place: usize| match clusters_of(place, &trace.steps[..=now]) {
        _ if place == constraint && failed => "now bad",
        Some(_) if place == constraint => "now has",
        Some(_) => "has",
        None => "open",
    };
    let state = |place: usize| match clusters_of(place, &trace.steps[..=now]) {
        Some(_) => "has clusters",
        None => "no colour yet",
    };
    let all = 0..trace.neighbours.len();
    let node = |place: usize| Node { line: name(place), place, class: Some(class(place)) };
    let pairs = all.clone().flat_map(|one| trace.neighbours[one].iter().map(move |&other| (one, other)));
    let edge = |between: (usize, usize)| {
        let fought = in_the_way.is_some_and(|other| between == (constraint.min(other), constraint.max(other)));
        let title = format!("{} and {}: rows that could show both", name(between.0), name(between.1));
        Edge { between, width: if fought { 3.0 } else { 1.5 }, title, class: fought.then_some("bad") }
    };
    let svg = circle(
        &all.clone().map(node).collect::<Vec<_>>(),
        &pairs.filter(|(one, other)| one < other).map(edge).collect::<Vec<_>>(),
    );
    html! {
        <aside>
            <ConstraintGraph title="The constraint graph at this step" {svg} rows={all.map(|place| vec![name(place), state(place).to_owned()]).collect::<Vec<_>>()}
                words="Connected constraints compete for rows. Filled: it has its clusters. Ringed: this step is about it; red, if its clusters did not fit." />
        </aside>
    }
}

/// Clusters by their rows in the table, from 1; of a large table how many they are.
fn rows(clusters: &[Vec<u32>], size: Size) -> Html {
    if size.clusters == 0 {
        return html! { <span class="soft">{ "no cluster is needed" }</span> };
    }
    if clusters.is_empty() {
        return html! { <span class="soft">{ format!("{}, {}", counted(size.clusters, "cluster"), counted(size.rows, "row")) }</span> };
    }
    let cluster = |rows: &Vec<u32>| {
        let rows: Vec<String> = rows.iter().map(|row| (row + 1).to_string()).collect();
        html! { <span class="chip">{ format!("rows {}", rows.join(", ")) }</span> }
    };
    html! { <>{ for clusters.iter().map(cluster) }<span class="faint">{ " of the table" }</span></> }
}
