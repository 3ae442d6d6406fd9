//! What came out and what it cost, column by column and measure by measure, with what is particular to its algorithm.

use yew::prelude::*;

use super::{PartProps, colouring, constraints, peers, sweep, tau_l, what_if, without_limits};
use crate::app::components::{ColumnHead, VirtualTable, heads};
use crate::app::pages::{role_class, role_name};
use crate::app::state::Ran;
use crate::classes::risk::{IN_PRACTICE, PUBLIC, smallest_class};
use crate::policy::{Algorithm, ModelDemand};
use crate::protocol::Subject;
use crate::run::RunView;
use crate::setup_view::ColumnView;
use crate::table::{Role, View};
use crate::words::{counted, figure, grouped, percent};

#[component]
pub fn ReleasePart(PartProps { loaded, run }: &PartProps) -> Html {
    let view = &run.view;
    html! {
        <>
            { figures(view) }
            <div class="audit">
                <div class="stack">
                    { columns(view) }
                    if limited(run) { <without_limits::WithoutLimits run={run.clone()} /> }
                    { measures(view) }
                </div>
                <div class="stack wide">
                    if view.lattice.is_some() { <what_if::WhatIfPanel loaded={loaded.clone()} run={run.clone()} /> }
                    if !view.diversity.is_empty() { <constraints::ConstraintsPanel run={run.clone()} /> }
                    if view.colouring.is_some() && !view.diversity.is_empty() { <colouring::ColouringPanel run={run.clone()} /> }
                    if by_tau_l(view) {
                        <tau_l::TauLPanel key={run.number} run={run.clone()} />
                        <peers::PeersPanel run={run.clone()} />
                    }
                    if view.sweep.is_some() { <sweep::SweepPanel run={run.clone()} /> }
                    <BeforeAfter loaded={loaded.clone()} run={run.clone()} />
                </div>
            </div>
        </>
    }
}

/// Whether the run was bound by limits that a local algorithm could have passed.
fn limited(run: &Ran) -> bool {
    let has_limits = |column: &ColumnView| {
        column.role == Role::Quasi && column.hierarchy.as_ref().is_some_and(|hierarchy| hierarchy.limits > 0)
    };
    matches!(run.view.algorithm, Algorithm::Local { .. }) && run.columns.iter().any(has_limits)
}

/// Whether (τ,ℓ)-diversity was asked for.
fn by_tau_l(view: &RunView) -> bool {
    view.demands.iter().any(|demand| matches!(demand.model, ModelDemand::TauL { .. }) && !demand.jointly)
}

fn figures(view: &RunView) -> Html {
    let stat = |class: &'static str, value: String, what: String| html! { <div class={classes!("panel", "stat", class)}><b>{ value }</b><span>{ what }</span></div> };
    let risk = |smallest: u32| if smallest > 0 { 1.0 / f64::from(smallest) } else { 0.0 };
    let before = if view.risk_before.unique > 0 { "1".to_owned() } else { "less than 1".to_owned() };
    html! {
        <section class="row c4" aria-label="In short">
            { stat("ok", grouped(view.verified.classes), format!("classes (smallest {})", grouped(view.smallest.into()))) }
            { stat("", grouped(view.verified.suppressed), format!("rows suppressed, {} kept", grouped(view.verified.rows))) }
            { stat("", figure(view.metrics.loss), "information loss (0 untouched, 1 all *)".into()) }
            { stat("ok", figure(risk(view.smallest)), format!("highest risk, was {before}; {} unique rows before", grouped(view.risk_before.unique))) }
        </section>
    }
}

/// What each column lost, and its level.
fn columns(view: &RunView) -> Html {
    let level = |name: &String| {
        let lattice = view.lattice.as_ref()?;
        let (_, level, levels) = lattice.columns.iter().find(|(other, ..)| other == name)?;
        Some(format!("{level} of {}", levels - 1))
    };
    let by_levels = view.lattice.is_some();
    let row = |column: &crate::metrics::ColumnMetrics| {
        let width = format!("{:.1}", column.loss * 60.0);
        html! {
            <tr><th scope="row">{ &column.column }</th>
                if by_levels { <td class="n">{ level(&column.column).unwrap_or_default() }</td> }
                <td><svg class="bar" width="60" height="8" aria-hidden="true"><rect class="back" width="60" height="8" rx="2" /><rect {width} height="8" rx="2" /></svg></td>
                <td class="n">{ percent(column.loss) }</td></tr>
        }
    };
    html! {
        <section class="panel">
            <h2>{ "What each column gave up" }</h2>
            <table class="achieved columns-lost">{ heads(if by_levels { "column | #level | (bar) | #loss" } else { "column | (bar) | #loss" }) }
                <tbody>{ for view.metrics.columns.iter().map(row) }</tbody></table>
        </section>
    }
}

fn measures(view: &RunView) -> Html {
    let metrics = &view.metrics;
    let row = |name: &str, value: String| html! { <tr><th scope="row">{ name }</th><td>{ value }</td></tr> };
    let tree = |accuracy: &crate::metrics::Accuracy| {
        row(
            &format!("decision tree for {}", accuracy.attribute),
            format!("{} of {}", percent(accuracy.release), percent(accuracy.original)),
        )
    };
    html! {
        <section class="panel">
            <h2>{ "Measures" }</h2>
            <table class="achieved"><tbody>
                { row("discernibility", grouped(metrics.discernibility)) }
                { row("average class size", figure(metrics.average_class_size)) }
                if let Some(c_avg) = metrics.c_avg { { row("C_AVG", figure(c_avg)) } }
                { row("height", figure(metrics.height)) }
                { row("loss, geometric", figure(metrics.loss_geometric)) }
                { row("NCP", figure(metrics.ncp)) }
                { row("information loss IL", figure(metrics.information_loss)) }
                { row("utility um", figure(metrics.utility)) }
                { row("KL-divergence", figure(metrics.kl_divergence)) }
                { row("stars", grouped(metrics.stars)) }
                if let Some(excess) = metrics.excessive_protection { { row("excessive protection", figure(excess)) } }
                { for metrics.decision_trees.iter().map(tree) }
                { row("rows in classes below 5", format!("{}, was {}", grouped(view.risk_after.below_5), grouped(view.risk_before.below_5))) }
                { row("rows in classes below 11", format!("{}, was {}", grouped(view.risk_after.below_11), grouped(view.risk_before.below_11))) }
                { row(&format!("rows of a risk above {PUBLIC}, in classes below {}", smallest_class(PUBLIC)), format!("{}, was {}", grouped(view.risk_after.above_public), grouped(view.risk_before.above_public))) }
            </tbody></table>
            <p class="note">{ IN_PRACTICE }</p>
        </section>
    }
}

/// The released rows, every recoded column beside what it was.
#[component]
fn BeforeAfter(PartProps { loaded, run }: &PartProps) -> Html {
    let head = |name: &str, column: &ColumnView, before: bool| {
        let label = if before { format!("{name} before") } else { name.to_owned() };
        let role = if before { "before" } else { role_name(column.role) };
        let class = if before { "" } else { role_class(column.role) };
        ColumnHead {
            width: (name.chars().count() as f64 * 8.0 + 74.0).clamp(120.0, 240.0),
            label: label.into(),
            html: html! { <span class="vt-sort"><span class="vt-name">{ name }</span>{ " " }<span class={classes!("role", class)}>{ role }</span></span> },
        }
    };
    let mut heads = Vec::new();
    for (summary, column) in loaded.summary.columns.iter().zip(run.columns.iter()) {
        if column.role != Role::Identifier {
            heads.push(head(&summary.name, column, false));
        }
        let swept = run.view.sweep.as_ref().is_some_and(|sweep| sweep.column == summary.name);
        if column.role == Role::Quasi || swept {
            heads.push(head(&summary.name, column, true));
        }
    }
    html! {
        <section class="panel flush table-panel before-after" aria-label="The table after and before">
            <div class="tools"><b>{ "After, beside before" }</b><span>{ counted(run.view.verified.rows, "row") }{ " as they leave; what they were stays here" }</span></div>
            <VirtualTable of={Subject::SideBySide} heads={std::rc::Rc::new(heads)} rows={run.view.verified.rows} view={View::default()} generation={run.number} jump={None::<(u64, u32)>} on_total={Callback::noop()} />
        </section>
    }
}
